// SPDX-License-Identifier: Apache-2.0
// Implements the routines for locks and events declared in wdm.h.
#include "ddi/wdm.h"
#include "os/threads/driver_locks.h"
#include "os/kernel/kernel.h"

using gmmu::os::DriverLocks;
using gmmu::os::Irql;
using gmmu::os::Kernel;
using Kind = gmmu::os::DriverLocks::Kind;

namespace {
DriverLocks& Locks() { return Kernel::Current().locks(); }
DriverLocks& LocksUpTo(Irql highest, const char* routine) { return Kernel::Called(routine, highest).locks(); }
}  // namespace

extern "C" {

void KeInitializeSpinLock(PKSPIN_LOCK SpinLock) {
  *SpinLock = 0;
  Locks().Initialize(SpinLock, Kind::kSpinLock);
}
KIRQL KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock) {
  return static_cast<KIRQL>(Locks().AcquireSpinLock(SpinLock, true));
}
void KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql) {
  Locks().ReleaseSpinLock(SpinLock, static_cast<Irql>(NewIrql));
}
void KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) { Locks().AcquireSpinLock(SpinLock, false); }
void KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock) { Locks().ReleaseSpinLock(SpinLock, std::nullopt); }

void KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle) {
  LockHandle->LockQueue.Next = nullptr;
  LockHandle->LockQueue.Lock = SpinLock;
  LockHandle->OldIrql = KeAcquireSpinLockRaiseToDpc(SpinLock);
}
void KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle) {
  KeReleaseSpinLock(LockHandle->LockQueue.Lock, LockHandle->OldIrql);
}

void ExInitializeFastMutex(PFAST_MUTEX FastMutex) {
  *FastMutex = {};
  LocksUpTo(gmmu::os::kDispatch, "ExInitializeFastMutex").Initialize(FastMutex, Kind::kFastMutex);
}
void ExAcquireFastMutex(PFAST_MUTEX FastMutex) { Locks().AcquireFastMutex(FastMutex); }
BOOLEAN ExTryToAcquireFastMutex(PFAST_MUTEX FastMutex) { return Locks().TryFastMutex(FastMutex); }
void ExReleaseFastMutex(PFAST_MUTEX FastMutex) { Locks().ReleaseFastMutex(FastMutex); }

void KeInitializeMutex(PKMUTEX Mutex, ULONG Level) {
  UNREFERENCED_PARAMETER(Level);
  *Mutex = {};
  Locks().Initialize(Mutex, Kind::kMutex);
}
LONG KeReleaseMutex(PKMUTEX Mutex, BOOLEAN Wait) {
  UNREFERENCED_PARAMETER(Wait);
  return LocksUpTo(gmmu::os::kDispatch, "KeReleaseMutex").ReleaseMutex(Mutex) ? 0 : -1;
}

NTSTATUS ExInitializeResourceLite(PERESOURCE Resource) {
  *Resource = {};
  LocksUpTo(gmmu::os::kDispatch, "ExInitializeResourceLite").Initialize(Resource, Kind::kResource);
  return STATUS_SUCCESS;
}
NTSTATUS ExDeleteResourceLite(PERESOURCE Resource) {
  LocksUpTo(gmmu::os::kApc, "ExDeleteResourceLite").DeleteResource(Resource);
  return STATUS_SUCCESS;
}
BOOLEAN ExAcquireResourceSharedLite(PERESOURCE Resource, BOOLEAN Wait) {
  return Locks().AcquireResource(Resource, DriverLocks::Access::kShared, Wait != FALSE);
}
BOOLEAN ExAcquireResourceExclusiveLite(PERESOURCE Resource, BOOLEAN Wait) {
  return Locks().AcquireResource(Resource, DriverLocks::Access::kExclusive, Wait != FALSE);
}
void ExReleaseResourceLite(PERESOURCE Resource) { Locks().ReleaseResource(Resource); }
void KeEnterCriticalRegion(void) { Locks().EnterCriticalRegion(); }
void KeLeaveCriticalRegion(void) { Locks().LeaveCriticalRegion(); }

void KeInitializeEvent(PKEVENT Event, EVENT_TYPE Type, BOOLEAN State) {
  *Event = {};
  Locks().Initialize(Event, Type == NotificationEvent ? Kind::kNotificationEvent : Kind::kSynchronizationEvent,
                     State != FALSE);
}
LONG KeSetEvent(PKEVENT Event, LONG Increment, BOOLEAN Wait) {
  UNREFERENCED_PARAMETER(Increment);
  UNREFERENCED_PARAMETER(Wait);
  return Locks().SetEvent(Event, true);
}
void KeClearEvent(PKEVENT Event) { Locks().SetEvent(Event, false); }
LONG KeResetEvent(PKEVENT Event) { return Locks().SetEvent(Event, false); }
LONG KeReadStateEvent(PKEVENT Event) { return LocksUpTo(gmmu::os::kDispatch, "KeReadStateEvent").IsSignalled(Event); }

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// Implements the routines declared in wdm_waits.h, and KeWaitForSingleObject.
#include "ddi/wdm_waits.h"

#include <optional>

#include "os/base/bug_check.h"
#include "os/guard/driver_guard.h"
#include "os/wdm/driver_time.h"
#include "os/kernel/driver_objects.h"
#include "os/kernel/kernel.h"
#include "os/guard/stack_meter.h"

using gmmu::os::DriverTime;
using gmmu::os::Irql;
using gmmu::os::Kernel;

namespace {

constexpr ULONG kTick = 156'250;     // 64 ticks per second, in units of 100 ns
constexpr ULONG kLongestStall = 50;  // us

std::optional<uint64_t> TimeoutOf(const LARGE_INTEGER* timeout) {
  if (timeout == nullptr) return std::nullopt;
  return DriverTime::Until(Kernel::Current(), *timeout);
}

/// Returns the time in units of 100 ns. A driver call that polls the clock for too long counts as
/// hung, as does one that polls a register.
uint64_t Now() {
  Kernel& kernel = Kernel::Current();
  const uint64_t now = kernel.hal().NowNs();
  gmmu::os::DriverGuard::CheckTime(now, gmmu::os::DriverGuard::kBoundNs * kernel.parameters().wait_scale);
  kernel.scheduler().Preempt();
  return now / 100;
}

}  // namespace

extern "C" {

NTSTATUS KeWaitForSingleObject(PVOID Object, KWAIT_REASON WaitReason, KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                               PLARGE_INTEGER Timeout) {
  UNREFERENCED_PARAMETER(WaitReason);
  UNREFERENCED_PARAMETER(WaitMode);
  UNREFERENCED_PARAMETER(Alertable);
  return Kernel::Current().locks().Wait({Object}, false, TimeoutOf(Timeout)) ? STATUS_SUCCESS : STATUS_TIMEOUT;
}

NTSTATUS KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType, KWAIT_REASON WaitReason,
                                  KPROCESSOR_MODE WaitMode, BOOLEAN Alertable, PLARGE_INTEGER Timeout,
                                  PKWAIT_BLOCK WaitBlockArray) {
  UNREFERENCED_PARAMETER(WaitReason);
  UNREFERENCED_PARAMETER(WaitMode);
  UNREFERENCED_PARAMETER(Alertable);
  const ULONG most = WaitBlockArray == nullptr ? THREAD_WAIT_OBJECTS : MAXIMUM_WAIT_OBJECTS;
  if (Count == 0 || Count > most) {
    throw gmmu::os::BugCheck("KeWaitForMultipleObjects for " + std::to_string(Count) + " objects: from 1 to " +
                             std::to_string(most) + (WaitBlockArray == nullptr ? " without a WaitBlockArray" : ""));
  }
  const std::vector<const void*> objects(Object, Object + Count);
  const auto index = Kernel::Current().locks().Wait(objects, WaitType == WaitAll, TimeoutOf(Timeout),
                                                    "KeWaitForMultipleObjects");
  return index ? STATUS_WAIT_0 + static_cast<NTSTATUS>(*index) : STATUS_TIMEOUT;
}

void KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit) {
  *Semaphore = {};
  Semaphore->Limit = Limit;
  Kernel::Called("KeInitializeSemaphore", gmmu::os::kPassive).locks().InitializeSemaphore(Semaphore, Count, Limit);
}
LONG KeReleaseSemaphore(PRKSEMAPHORE Semaphore, LONG Increment, LONG Adjustment, BOOLEAN Wait) {
  UNREFERENCED_PARAMETER(Increment);
  UNREFERENCED_PARAMETER(Wait);
  return Kernel::Current().locks().ReleaseSemaphore(Semaphore, Adjustment);
}
LONG KeReadStateSemaphore(PRKSEMAPHORE Semaphore) { return Kernel::Current().locks().CountOf(Semaphore); }

void KeInitializeGuardedMutex(PKGUARDED_MUTEX Mutex) {
  *Mutex = {};
  Kernel::Called("KeInitializeGuardedMutex", gmmu::os::kApc)
      .locks()
      .Initialize(Mutex, gmmu::os::DriverLocks::Kind::kGuardedMutex);
}
void KeAcquireGuardedMutex(PKGUARDED_MUTEX Mutex) { Kernel::Current().locks().AcquireGuardedMutex(Mutex, true); }
BOOLEAN KeTryToAcquireGuardedMutex(PKGUARDED_MUTEX Mutex) {
  return Kernel::Current().locks().AcquireGuardedMutex(Mutex, false);
}
void KeReleaseGuardedMutex(PKGUARDED_MUTEX Mutex) { Kernel::Current().locks().ReleaseGuardedMutex(Mutex); }

LONG KeReadStateMutex(PKMUTEX Mutex) {
  return Kernel::Called("KeReadStateMutex", gmmu::os::kDispatch).locks().MutexIsFree(Mutex);
}
BOOLEAN KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) {
  return Kernel::Current().locks().TrySpinLock(SpinLock);
}
void KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle) {
  LockHandle->LockQueue.Next = nullptr;
  LockHandle->LockQueue.Lock = SpinLock;
  LockHandle->OldIrql = KeGetCurrentIrql();
  KeAcquireSpinLockAtDpcLevel(SpinLock);
}
void KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE LockHandle) {
  KeReleaseSpinLockFromDpcLevel(LockHandle->LockQueue.Lock);
}
KIRQL KeRaiseIrqlToDpcLevel(void) { return KfRaiseIrql(DISPATCH_LEVEL); }
KIRQL KfRaiseIrql(KIRQL NewIrql) {
  return static_cast<KIRQL>(Kernel::Current().scheduler().Raise(static_cast<Irql>(NewIrql)));
}
void KeLowerIrql(KIRQL NewIrql) { Kernel::Current().scheduler().Lower(static_cast<Irql>(NewIrql)); }

void KeInitializeDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine, PVOID DeferredContext) {
  Kernel::Current().driver().dpcs.Initialize(*Dpc, DeferredRoutine, DeferredContext);
}
BOOLEAN KeInsertQueueDpc(PRKDPC Dpc, PVOID SystemArgument1, PVOID SystemArgument2) {
  return Kernel::Current().driver().dpcs.Insert(*Dpc, SystemArgument1, SystemArgument2);
}
BOOLEAN KeRemoveQueueDpc(PRKDPC Dpc) { return Kernel::Current().driver().dpcs.Remove(*Dpc); }
void KeFlushQueuedDpcs(void) { Kernel::Current().driver().dpcs.Flush(); }
void KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance) {
  Kernel::Current().driver().dpcs.Require(*Dpc, "KeSetImportanceDpc");
  Dpc->Importance = static_cast<UCHAR>(Importance);
}
void KeSetTargetProcessorDpc(PRKDPC Dpc, CCHAR Number) {
  Kernel::Current().driver().dpcs.Require(*Dpc, "KeSetTargetProcessorDpc");
  Dpc->Number = static_cast<USHORT>(Number);
}

void KeInitializeTimer(PKTIMER Timer) {
  Kernel::Called("KeInitializeTimer", gmmu::os::kDispatch).driver().timers.Initialize(*Timer, NotificationTimer);
}
void KeInitializeTimerEx(PKTIMER Timer, TIMER_TYPE Type) {
  Kernel::Called("KeInitializeTimerEx", gmmu::os::kDispatch).driver().timers.Initialize(*Timer, Type);
}
BOOLEAN KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc) { return KeSetTimerEx(Timer, DueTime, 0, Dpc); }
BOOLEAN KeSetTimerEx(PKTIMER Timer, LARGE_INTEGER DueTime, LONG Period, PKDPC Dpc) {
  Kernel& kernel = Kernel::Current();
  return kernel.driver().timers.Set(*Timer, DriverTime::Until(kernel, DueTime), static_cast<uint32_t>(Period), Dpc);
}
BOOLEAN KeSetCoalescableTimer(PKTIMER Timer, LARGE_INTEGER DueTime, ULONG Period, ULONG TolerableDelay, PKDPC Dpc) {
  UNREFERENCED_PARAMETER(TolerableDelay);
  return KeSetTimerEx(Timer, DueTime, static_cast<LONG>(Period), Dpc);
}
BOOLEAN KeCancelTimer(PKTIMER Timer) { return Kernel::Current().driver().timers.Cancel(*Timer); }
BOOLEAN KeReadStateTimer(PKTIMER Timer) {
  return Kernel::Called("KeReadStateTimer", gmmu::os::kDispatch).locks().TimerIsSignalled(Timer);
}

void KeQueryTickCount(PLARGE_INTEGER TickCount) { TickCount->QuadPart = static_cast<LONGLONG>(Now() / kTick); }
ULONG KeQueryTimeIncrement(void) { return kTick; }
void KeQuerySystemTimePrecise(PLARGE_INTEGER CurrentTime) {
  CurrentTime->QuadPart = static_cast<LONGLONG>(DriverTime::kPowerOn + Now());
}
void KeQuerySystemTime(PLARGE_INTEGER CurrentTime) {
  KeQuerySystemTimePrecise(CurrentTime);
  CurrentTime->QuadPart -= CurrentTime->QuadPart % kTick;
}
LARGE_INTEGER KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency) {
  if (PerformanceFrequency != nullptr) PerformanceFrequency->QuadPart = 10'000'000;
  LARGE_INTEGER now;
  now.QuadPart = static_cast<LONGLONG>(Now());
  return now;
}
ULONGLONG KeQueryInterruptTimePrecise(PULONG64 QpcTimeStamp) { return *QpcTimeStamp = Now(); }
ULONGLONG KeQueryUnbiasedInterruptTime(void) { return Now(); }
void KeStallExecutionProcessor(ULONG MicroSeconds) {
  if (MicroSeconds > kLongestStall) {
    throw gmmu::os::BugCheck("KeStallExecutionProcessor of " + std::to_string(MicroSeconds) + " us: the most is " +
                             std::to_string(kLongestStall));
  }
  Kernel& kernel = Kernel::Current();
  const uint64_t end = kernel.hal().NowNs() + uint64_t{MicroSeconds} * 1000;
  gmmu::os::StackMeter::Off([&] { kernel.hal().StallUntil(end); });
}

}  // extern "C"

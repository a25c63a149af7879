/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel routines that a driver can call. The OS model implements them (sw/os/wdm); a driver's unit tests supply their
 * own.
 *
 * Pointers to device memory (returned by DxgkCbMapMemory and MmMapIoSpace, and UpdatePageTable's
 * CpuVirtual if the table is in a memory segment) must be accessed through READ_REGISTER_* and
 * WRITE_REGISTER_*. In a driver that was loaded as a shared object, plain loads and stores also
 * reach the device, but each one costs a few signals. Pointers to system memory (DMA buffers,
 * MapPhysicalMemory) are plain memory. */
#ifndef GMMU_DDI_WDM_H
#define GMMU_DDI_WDM_H

#include "wdm_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes one aligned access of the width in the name. Accesses are performed in program order. */
ULONG READ_REGISTER_ULONG(volatile ULONG* Register);
void WRITE_REGISTER_ULONG(volatile ULONG* Register, ULONG Value);
ULONG64 READ_REGISTER_ULONG64(volatile ULONG64* Register);
void WRITE_REGISTER_ULONG64(volatile ULONG64* Register, ULONG64 Value);
/* Accesses Count words, in ascending order. */
void WRITE_REGISTER_BUFFER_ULONG64(volatile ULONG64* Register, ULONG64* Buffer, ULONG Count);
void READ_REGISTER_BUFFER_ULONG64(volatile ULONG64* Register, ULONG64* Buffer, ULONG Count);

typedef ULONG64 POOL_FLAGS;
#define POOL_FLAG_UNINITIALIZED 0x0000000000000002ULL
#define POOL_FLAG_SESSION 0x0000000000000004ULL
#define POOL_FLAG_CACHE_ALIGNED 0x0000000000000008ULL
#define POOL_FLAG_RAISE_ON_FAILURE 0x0000000000000020ULL
#define POOL_FLAG_NON_PAGED 0x0000000000000040ULL
#define POOL_FLAG_NON_PAGED_EXECUTE 0x0000000000000080ULL
#define POOL_FLAG_PAGED 0x0000000000000100ULL
/* Returns zeroed memory, or NULL. Memory not freed at power-off is reported as a leak, by its tag. */
PVOID ExAllocatePool2(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag);
void ExFreePoolWithTag(PVOID P, ULONG Tag);
/* IRQL <= DISPATCH_LEVEL, or <= APC_LEVEL for paged pool. The memory is filled with 0xCD, or with 0
 * by the ...Zero routines. */
PVOID ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
PVOID ExAllocatePoolUninitialized(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
PVOID ExAllocatePoolZero(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
PVOID ExAllocatePool(POOL_TYPE PoolType, SIZE_T NumberOfBytes);
void ExFreePool(PVOID P);
#define ExAllocatePoolWithQuotaTag ExAllocatePoolWithTag
#define ExAllocatePoolPriorityZero(type, bytes, tag, priority) ExAllocatePoolZero(type, bytes, tag)

KIRQL KeGetCurrentIrql(void);
/* Interval is in units of 100 ns: a relative time if negative, otherwise a system time.
 * PASSIVE_LEVEL or APC_LEVEL. */
NTSTATUS KeDelayExecutionThread(KPROCESSOR_MODE WaitMode, BOOLEAN Alertable, PLARGE_INTEGER Interval);
/* Time since power-on in units of 100 ns. */
ULONGLONG KeQueryInterruptTime(void);
/* Supports system memory only: a DMA buffer, or a cached or write-combined view of a memory object. Returns 0 for any
 * other address. If an IOMMU remaps the device, the result is not a bus address. */
PHYSICAL_ADDRESS MmGetPhysicalAddress(PVOID BaseAddress);
/* Allocates contiguous zeroed pages within [LowestAcceptableAddress, HighestAcceptableAddress].
 * Returns NULL on failure. A driver with GPU isolation must not call this routine, because the
 * isolation domain does not map these pages. Memory not freed at power-off is reported as a
 * leak. */
PVOID MmAllocateContiguousMemorySpecifyCache(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
                                             PHYSICAL_ADDRESS HighestAcceptableAddress,
                                             PHYSICAL_ADDRESS BoundaryAddressMultiple, MEMORY_CACHING_TYPE CacheType);
void MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE CacheType);
/* Returns the routine of this name, or NULL, for drivers that must not import the routine. Supports
 * only the two routines declared above. */
PVOID MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName);

/* Allocates an MDL for Length bytes at VirtualAddress, still without page numbers. Returns NULL on
 * failure. SecondaryBuffer, ChargeQuota and Irp are ignored. */
PMDL IoAllocateMdl(PVOID VirtualAddress, ULONG Length, BOOLEAN SecondaryBuffer, BOOLEAN ChargeQuota, PIRP Irp);
void IoFreeMdl(PMDL Mdl);
/* Fills in the page numbers of non-paged memory: a cached or write-combined view of a memory object. */
void MmBuildMdlForNonPagedPool(PMDL MemoryDescriptorList);
/* Maps the pages of an MDL and returns the view, or NULL. Unmap the view with MmUnmapLockedPages
 * before the pages are freed. Unpinning a frame buffer also unmaps the view. */
PVOID MmMapLockedPagesSpecifyCache(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode, MEMORY_CACHING_TYPE CacheType,
                                   PVOID RequestedAddress, ULONG BugCheckOnFailure, ULONG Priority);
void MmUnmapLockedPages(PVOID BaseAddress, PMDL MemoryDescriptorList);
/* Returns the existing view of an MDL, or maps a cached one if there is none. */
static __inline PVOID MmGetSystemAddressForMdlSafe(PMDL Mdl, ULONG Priority) {
  if (Mdl->MdlFlags & (MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL)) return Mdl->MappedSystemVa;
  return MmMapLockedPagesSpecifyCache(Mdl, KernelMode, MmCached, NULL, FALSE, Priority);
}

/* Writes back all dirty lines of all caches. */
BOOLEAN KeInvalidateAllCaches(void);

/* Locks. A thread that holds one must not acquire it again, must not return from an entry point while it holds it, and
 * must not free it. Only DxgkCbSynchronizeExecution excludes interrupt routines. */

/* Acquired at IRQL <= DISPATCH_LEVEL; the holder runs at DISPATCH_LEVEL. */
typedef ULONG_PTR KSPIN_LOCK, *PKSPIN_LOCK;
void KeInitializeSpinLock(PKSPIN_LOCK SpinLock);
KIRQL KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock);
#define KeAcquireSpinLock(SpinLock, OldIrql) (*(OldIrql) = KeAcquireSpinLockRaiseToDpc(SpinLock))
void KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql);
/* The caller must already be at DISPATCH_LEVEL. */
void KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock);
void KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock);

typedef struct _KSPIN_LOCK_QUEUE {
  struct _KSPIN_LOCK_QUEUE* volatile Next;
  PKSPIN_LOCK volatile Lock;
} KSPIN_LOCK_QUEUE;
typedef struct _KLOCK_QUEUE_HANDLE {
  KSPIN_LOCK_QUEUE LockQueue;
  KIRQL OldIrql;
} KLOCK_QUEUE_HANDLE, *PKLOCK_QUEUE_HANDLE;
void KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle);
void KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle);

typedef struct _DISPATCHER_HEADER {
  LONG Lock;
  LONG SignalState;
  LIST_ENTRY WaitListHead;
} DISPATCHER_HEADER;
typedef struct _KEVENT {
  DISPATCHER_HEADER Header;
} KEVENT, *PKEVENT;

/* Acquired at IRQL <= APC_LEVEL; the holder runs at APC_LEVEL. */
typedef struct _FAST_MUTEX {
  LONG Count;
  PVOID Owner;
  ULONG Contention;
  KEVENT Event;
  ULONG OldIrql;
} FAST_MUTEX, *PFAST_MUTEX;
void ExInitializeFastMutex(PFAST_MUTEX FastMutex);
void ExAcquireFastMutex(PFAST_MUTEX FastMutex);
BOOLEAN ExTryToAcquireFastMutex(PFAST_MUTEX FastMutex);
void ExReleaseFastMutex(PFAST_MUTEX FastMutex);

/* Acquired with KeWaitForSingleObject; recursive. */
typedef struct _KMUTANT {
  DISPATCHER_HEADER Header;
  LIST_ENTRY MutantListEntry;
  PVOID OwnerThread;
  UCHAR Abandoned;
  UCHAR ApcDisable;
} KMUTANT, KMUTEX, *PKMUTEX;
void KeInitializeMutex(PKMUTEX Mutex, ULONG Level);
LONG KeReleaseMutex(PKMUTEX Mutex, BOOLEAN Wait);

/* IRQL <= APC_LEVEL. The thread receives no normal kernel APC in between. Pairs may be nested. */
void KeEnterCriticalRegion(void);
void KeLeaveCriticalRegion(void);

/* A reader-writer lock, which one thread holds exclusively or several threads share. Normal kernel
 * APCs must be disabled before the lock is acquired, and stay disabled until it has been released.
 * Acquired at IRQL <= APC_LEVEL, released at <= DISPATCH_LEVEL. A holder may acquire the lock
 * recursively in the same mode. A thread that shares the lock must release it before it acquires it
 * exclusively. */
typedef ULONG_PTR ERESOURCE_THREAD;
typedef struct _OWNER_ENTRY {
  ERESOURCE_THREAD OwnerThread;
  ULONG OwnerCount;
} OWNER_ENTRY, *POWNER_ENTRY;
typedef struct _ERESOURCE {
  LIST_ENTRY SystemResourcesList;
  POWNER_ENTRY OwnerTable;
  SHORT ActiveCount;
  USHORT Flag;
  PVOID SharedWaiters;
  PVOID ExclusiveWaiters;
  OWNER_ENTRY OwnerEntry;
  ULONG ActiveEntries;
  ULONG ContentionCount;
  ULONG NumberOfSharedWaiters;
  ULONG NumberOfExclusiveWaiters;
  PVOID Reserved2;
  PVOID Address;
  KSPIN_LOCK SpinLock;
} ERESOURCE, *PERESOURCE;
NTSTATUS ExInitializeResourceLite(PERESOURCE Resource);
/* No thread may hold the resource. */
NTSTATUS ExDeleteResourceLite(PERESOURCE Resource);
/* Return FALSE if Wait is FALSE and the resource is not immediately available. A shared request
 * queues behind threads that are already waiting for the resource. */
BOOLEAN ExAcquireResourceSharedLite(PERESOURCE Resource, BOOLEAN Wait);
BOOLEAN ExAcquireResourceExclusiveLite(PERESOURCE Resource, BOOLEAN Wait);
void ExReleaseResourceLite(PERESOURCE Resource);

typedef enum _EVENT_TYPE { NotificationEvent, SynchronizationEvent } EVENT_TYPE;
void KeInitializeEvent(PKEVENT Event, EVENT_TYPE Type, BOOLEAN State);
/* IRQL <= DISPATCH_LEVEL. The routines that return a LONG return the previous state. */
LONG KeSetEvent(PKEVENT Event, LONG Increment, BOOLEAN Wait);
void KeClearEvent(PKEVENT Event);
LONG KeResetEvent(PKEVENT Event);
LONG KeReadStateEvent(PKEVENT Event);

typedef enum _KWAIT_REASON {
  Executive,
  FreePage,
  PageIn,
  PoolAllocation,
  DelayExecution,
  Suspended,
  UserRequest
} KWAIT_REASON;
/* Object is an event, a mutex, or an object of wdm_waits.h. Timeout is in units of 100 ns: NULL (none), 0 (do not
 * wait), negative (relative to now) or a system time. IRQL <= APC_LEVEL, or <= DISPATCH_LEVEL with a timeout of 0.
 * Returns STATUS_TIMEOUT if the timeout expires. */
NTSTATUS KeWaitForSingleObject(PVOID Object, KWAIT_REASON WaitReason, KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                               PLARGE_INTEGER Timeout);

/* Atomic, with a full barrier. */
static __inline LONG InterlockedExchange(volatile LONG* Target, LONG Value) {
  return __atomic_exchange_n(Target, Value, __ATOMIC_SEQ_CST);
}
static __inline LONG InterlockedCompareExchange(volatile LONG* Destination, LONG Exchange, LONG Comparand) {
  __atomic_compare_exchange_n(Destination, &Comparand, Exchange, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return Comparand;
}
static __inline LONG InterlockedIncrement(volatile LONG* Addend) {
  return __atomic_add_fetch(Addend, 1, __ATOMIC_SEQ_CST);
}
static __inline LONG InterlockedDecrement(volatile LONG* Addend) {
  return __atomic_sub_fetch(Addend, 1, __ATOMIC_SEQ_CST);
}

#define DPFLTR_IHVVIDEO_ID 78
#define DPFLTR_DEFAULT_ID 101
#define DPFLTR_ERROR_LEVEL 0
#define DPFLTR_WARNING_LEVEL 1
#define DPFLTR_TRACE_LEVEL 2
#define DPFLTR_INFO_LEVEL 3
ULONG DbgPrintEx(ULONG ComponentId, ULONG Level, const char* Format, ...);

/* Reads a value of the driver's registry key. Returns STATUS_OBJECT_NAME_NOT_FOUND if the machine
 * has no value of this name. Names: "ApertureBytes", "LimitBits" (HighestVisibleAddress =
 * 2^LimitBits - 1), "PageTableLevels", "PageTableBits0" (leaf) to "PageTableBits5", "ReservedBase"
 * and "ReservedBytes" (memory that firmware reserves for the GPU). */
NTSTATUS GmmuQueryParameter(const char* Name, ULONG64* Value);

#ifdef __cplusplus
}
#endif
#endif

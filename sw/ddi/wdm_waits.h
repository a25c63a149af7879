/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that a thread can wait for (semaphores, timers, threads), waits for several objects, and guarded mutexes. The
 * rules of KeWaitForSingleObject (wdm.h) apply. docs/ddi/kernel.md lists each routine's IRQLs and bug checks. */
#ifndef GMMU_DDI_WDM_WAITS_H
#define GMMU_DDI_WDM_WAITS_H

#include "wdm.h"
#include "wdm_objects.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum _WAIT_TYPE { WaitAll = 0, WaitAny = 1 } WAIT_TYPE;
#define THREAD_WAIT_OBJECTS 3
#define MAXIMUM_WAIT_OBJECTS 64
typedef struct _KWAIT_BLOCK {
  UCHAR Reserved[48];
} KWAIT_BLOCK, *PKWAIT_BLOCK;
/* WaitAny returns STATUS_WAIT_0 + the index of the object that ended the wait. WaitBlockArray must have room for Count
 * blocks; if it is NULL, Count must be at most THREAD_WAIT_OBJECTS. */
NTSTATUS KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType, KWAIT_REASON WaitReason,
                                  KPROCESSOR_MODE WaitMode, BOOLEAN Alertable, PLARGE_INTEGER Timeout,
                                  PKWAIT_BLOCK WaitBlockArray);
#define KeWaitForMutexObject KeWaitForSingleObject

typedef struct _KSEMAPHORE {
  DISPATCHER_HEADER Header;
  LONG Limit;
} KSEMAPHORE, *PKSEMAPHORE, *PRKSEMAPHORE;
void KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit);
/* Return the previous count. Exceeding Limit causes a bug check. */
LONG KeReleaseSemaphore(PRKSEMAPHORE Semaphore, LONG Increment, LONG Adjustment, BOOLEAN Wait);
LONG KeReadStateSemaphore(PRKSEMAPHORE Semaphore);

/* The holder is in a guarded region: it receives no APC, and its IRQL is unchanged. */
typedef struct _KGUARDED_MUTEX {
  LONG Count;
  PVOID Owner;
  ULONG Contention;
  KEVENT Gate;
  ULONG SpecialApcDisable;
} KGUARDED_MUTEX, *PKGUARDED_MUTEX;
void KeInitializeGuardedMutex(PKGUARDED_MUTEX Mutex);
void KeAcquireGuardedMutex(PKGUARDED_MUTEX Mutex);
BOOLEAN KeTryToAcquireGuardedMutex(PKGUARDED_MUTEX Mutex);
void KeReleaseGuardedMutex(PKGUARDED_MUTEX Mutex);

LONG KeReadStateMutex(PKMUTEX Mutex);
BOOLEAN KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock);
void KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle);
void KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE LockHandle);
KIRQL KeRaiseIrqlToDpcLevel(void);
KIRQL KfRaiseIrql(KIRQL NewIrql);
void KeLowerIrql(KIRQL NewIrql);
#define KeRaiseIrql(NewIrql, OldIrql) (*(OldIrql) = KfRaiseIrql(NewIrql))

struct _KDPC;
typedef VOID KDEFERRED_ROUTINE(struct _KDPC* Dpc, PVOID DeferredContext, PVOID SystemArgument1, PVOID SystemArgument2);
typedef KDEFERRED_ROUTINE* PKDEFERRED_ROUTINE;
typedef struct _KDPC {
  union {
    ULONG TargetInfoAsUlong;
    struct {
      UCHAR Type;
      UCHAR Importance;
      volatile USHORT Number;
    };
  };
  SINGLE_LIST_ENTRY DpcListEntry;
  KAFFINITY ProcessorHistory;
  PKDEFERRED_ROUTINE DeferredRoutine;
  PVOID DeferredContext;
  PVOID SystemArgument1;
  PVOID SystemArgument2;
  PVOID DpcData;
} KDPC, *PKDPC, *PRKDPC;
typedef enum _KDPC_IMPORTANCE { LowImportance, MediumImportance, HighImportance, MediumHighImportance } KDPC_IMPORTANCE;
void KeInitializeDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine, PVOID DeferredContext);
/* Returns FALSE if the DPC is already queued. If the caller is below DISPATCH_LEVEL, the routine
 * runs before the call returns. */
BOOLEAN KeInsertQueueDpc(PRKDPC Dpc, PVOID SystemArgument1, PVOID SystemArgument2);
/* Returns FALSE if the DPC was not queued. */
BOOLEAN KeRemoveQueueDpc(PRKDPC Dpc);
/* Returns when no DPC is queued or running. PASSIVE_LEVEL. */
void KeFlushQueuedDpcs(void);
void KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance);
void KeSetTargetProcessorDpc(PRKDPC Dpc, CCHAR Number);

typedef enum _TIMER_TYPE { NotificationTimer, SynchronizationTimer } TIMER_TYPE;
typedef struct _KTIMER {
  DISPATCHER_HEADER Header;
  ULARGE_INTEGER DueTime;
  LIST_ENTRY TimerListEntry;
  PKDPC Dpc;
  ULONG Processor;
  ULONG Period;
} KTIMER, *PKTIMER, *PRKTIMER;
void KeInitializeTimer(PKTIMER Timer);
void KeInitializeTimerEx(PKTIMER Timer, TIMER_TYPE Type);
/* DueTime is in units of 100 ns: a relative time if negative, otherwise a system time. Period is in
 * ms; 0 means that the timer fires once. Return whether the timer was already set. */
BOOLEAN KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc);
BOOLEAN KeSetTimerEx(PKTIMER Timer, LARGE_INTEGER DueTime, LONG Period, PKDPC Dpc);
BOOLEAN KeSetCoalescableTimer(PKTIMER Timer, LARGE_INTEGER DueTime, ULONG Period, ULONG TolerableDelay, PKDPC Dpc);
BOOLEAN KeCancelTimer(PKTIMER Timer);
BOOLEAN KeReadStateTimer(PKTIMER Timer);

/* The simulated machine's time, which starts anew in each run. The system time starts at a fixed
 * date, so that runs are reproducible. */
void KeQueryTickCount(PLARGE_INTEGER TickCount);
/* Returns the number of 100 ns units per tick. */
ULONG KeQueryTimeIncrement(void);
void KeQuerySystemTime(PLARGE_INTEGER CurrentTime);
void KeQuerySystemTimePrecise(PLARGE_INTEGER CurrentTime);
/* A tick is 100 ns: PerformanceFrequency is 10,000,000. */
LARGE_INTEGER KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency);
ULONGLONG KeQueryInterruptTimePrecise(PULONG64 QpcTimeStamp);
ULONGLONG KeQueryUnbiasedInterruptTime(void);
/* Any IRQL. A wait of more than 50 us causes a bug check, as under Driver Verifier. */
void KeStallExecutionProcessor(ULONG MicroSeconds);

#ifdef __cplusplus
}
#endif

#endif

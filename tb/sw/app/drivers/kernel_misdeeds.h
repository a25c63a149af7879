// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/wdm_names.h"

/// Misuses of kernel routines, selected by name. Call Do at PASSIVE_LEVEL.
class KernelMisdeeds {
 public:
  template <typename Is>
  static void Do(const Is& is) {
    if (is("waits_in_dpc")) InDpc(Wait);
    if (is("frees_waited_event")) FreeWaitedEvent();
    if (is("leaves_a_thread")) LeaveThread();
    if (is("leaves_a_handle")) LeaveHandle();
    if (is("queues_twice")) QueueTwice();
    if (is("frees_set_timer")) FreeSetTimer();
    if (is("overfills_semaphore")) OverfillSemaphore();
    if (is("locks_twice")) LockTwice();
    if (is("paged_pool_in_dpc")) InDpc(AllocatePaged);
    if (is("registry_in_dpc")) InDpc(OpenKey);
    if (is("frees_pool_above_dispatch")) FreeAboveDispatch();
    if (is("compares_text_in_dpc")) InDpc(Compare);
    if (is("bits_beyond_the_end")) SetBitsBeyond();
    if (is("stalls_long")) KeStallExecutionProcessor(1000);
    if (is("closes_twice")) CloseTwice();
    if (is("lowers_by_raising")) LowerByRaising();
  }

 private:
  static constexpr ULONG kTag = 0x64616220;

  static void InDpc(PKDEFERRED_ROUTINE routine) {
    static KDPC dpc;
    KeInitializeDpc(&dpc, routine, nullptr);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
  }
  static void Delay() {
    LARGE_INTEGER interval;
    interval.QuadPart = -10;
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
  }
  static void Wait(PKDPC, PVOID, PVOID, PVOID) { Delay(); }
  static void AllocatePaged(PKDPC, PVOID, PVOID, PVOID) { ExAllocatePool2(POOL_FLAG_PAGED, 16, kTag); }
  static void OpenKey(PKDPC, PVOID, PVOID, PVOID) {
    HANDLE key;
    OBJECT_ATTRIBUTES attributes{};
    ZwOpenKey(&key, KEY_READ, &attributes);
  }
  static void FreeAboveDispatch() {
    PVOID const block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 16, kTag);
    KfRaiseIrql(HIGH_LEVEL);
    ExFreePoolWithTag(block, kTag);
  }
  static void Compare(PKDPC, PVOID, PVOID, PVOID) {
    const UNICODE_STRING none{};
    RtlCompareUnicodeString(&none, &none, FALSE);
  }
  static void WaitFor(PVOID event) { KeWaitForSingleObject(event, Executive, KernelMode, FALSE, nullptr); }
  static HANDLE Thread(PVOID event) {
    HANDLE thread = nullptr;
    PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, WaitFor, event);
    Delay();
    return thread;
  }
  static void FreeWaitedEvent() {
    auto* const event = static_cast<PKEVENT>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KEVENT), kTag));
    KeInitializeEvent(event, NotificationEvent, FALSE);
    Thread(event);
    ExFreePoolWithTag(event, kTag);
  }
  static void LeaveThread() {
    static KEVENT never;
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    ZwClose(Thread(&never));
  }
  static void LeaveHandle() {
    static KEVENT now;
    KeInitializeEvent(&now, NotificationEvent, TRUE);
    Thread(&now);
  }
  static void CloseTwice() {
    static KEVENT now;
    KeInitializeEvent(&now, NotificationEvent, TRUE);
    HANDLE const thread = Thread(&now);
    ZwClose(thread);
    ZwClose(thread);
  }
  static void QueueTwice() {
    PIO_WORKITEM const item = IoAllocateWorkItem(nullptr);
    for (int i = 0; i < 2; ++i) IoQueueWorkItem(item, [](PDEVICE_OBJECT, PVOID) {}, DelayedWorkQueue, nullptr);
  }
  static void FreeSetTimer() {
    auto* const timer = static_cast<PKTIMER>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KTIMER), kTag));
    LARGE_INTEGER due;
    due.QuadPart = -10'000;
    KeInitializeTimer(timer);
    KeSetTimer(timer, due, nullptr);
    ExFreePoolWithTag(timer, kTag);
  }
  static void OverfillSemaphore() {
    KSEMAPHORE semaphore;
    KeInitializeSemaphore(&semaphore, 1, 1);
    KeReleaseSemaphore(&semaphore, 0, 1, FALSE);
  }
  static void LockTwice() {
    KSPIN_LOCK lock;
    KIRQL before;
    KeInitializeSpinLock(&lock);
    KeAcquireSpinLock(&lock, &before);
    KeAcquireSpinLock(&lock, &before);
  }
  static void SetBitsBeyond() {
    ULONG word = 0;
    RTL_BITMAP map;
    RtlInitializeBitMap(&map, &word, 20);
    RtlSetBits(&map, 15, 8);
  }
  static void LowerByRaising() {
    KeRaiseIrqlToDpcLevel();
    KfRaiseIrql(PASSIVE_LEVEL);
  }
};

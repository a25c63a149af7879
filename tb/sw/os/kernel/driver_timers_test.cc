// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/driver_timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

LARGE_INTEGER FromNow(int64_t ns) {
  LARGE_INTEGER time;
  time.QuadPart = -ns / 100;
  return time;
}
NTSTATUS WaitFor(PVOID object, LARGE_INTEGER* timeout = nullptr) {
  return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, timeout);
}
int calls = 0;
void Count(PKDPC, PVOID, PVOID, PVOID) { ++calls; }

TEST(Timers, EndWaitsWhenTheyAreDueAndNotBefore) {
  Threads threads;
  KTIMER timer;
  EXPECT_EQ(threads.Alone([&] {
    KeInitializeTimer(&timer);
    EXPECT_FALSE(KeSetTimer(&timer, FromNow(3'000'000), nullptr));
    EXPECT_FALSE(KeReadStateTimer(&timer));
    const ULONGLONG before = KeQueryInterruptTime();
    EXPECT_EQ(WaitFor(&timer), STATUS_SUCCESS);
    const ULONGLONG took = KeQueryInterruptTime() - before;
    EXPECT_GE(took, 30'000u);
    EXPECT_LT(took, 30'100u);
    EXPECT_TRUE(KeReadStateTimer(&timer)) << "a notification timer stays signalled";
  }),
            "");
}

TEST(Timers, ThatAreSynchronizationTimersEndOneWaitEach) {
  Threads threads;
  KTIMER timer;
  EXPECT_EQ(threads.Alone([&] {
    KeInitializeTimerEx(&timer, SynchronizationTimer);
    const ULONGLONG before = KeQueryInterruptTime();
    KeSetCoalescableTimer(&timer, FromNow(1'000'000), 2, 500, nullptr);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(WaitFor(&timer), STATUS_SUCCESS);
    EXPECT_GE(KeQueryInterruptTime() - before, 50'000u) << "1 ms, then two periods of 2 ms";
    EXPECT_TRUE(KeCancelTimer(&timer));
    LARGE_INTEGER timeout = FromNow(5'000'000);
    EXPECT_EQ(WaitFor(&timer, &timeout), STATUS_TIMEOUT);
  }),
            "");
}

TEST(Timers, QueueTheirDeferredCall) {
  calls = 0;
  Threads threads;
  KTIMER timer;
  KDPC dpc;
  EXPECT_EQ(threads.Alone([&] {
    KeInitializeTimer(&timer);
    KeInitializeDpc(&dpc, Count, nullptr);
    KeSetTimerEx(&timer, FromNow(1'000'000), 1, &dpc);
    LARGE_INTEGER interval = FromNow(4'500'000);
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
    KeCancelTimer(&timer);
    KeFlushQueuedDpcs();
  }),
            "");
  EXPECT_EQ(calls, 4);
}

TEST(Timers, ThatAreSetAgainOrCancelledSayWhetherTheyWereSet) {
  calls = 0;
  Threads threads;
  KTIMER timer;
  KDPC dpc;
  EXPECT_EQ(threads.Alone([&] {
    KeInitializeTimer(&timer);
    KeInitializeDpc(&dpc, Count, nullptr);
    EXPECT_FALSE(KeCancelTimer(&timer));
    EXPECT_FALSE(KeSetTimer(&timer, FromNow(1'000'000), &dpc));
    EXPECT_TRUE(KeSetTimer(&timer, FromNow(9'000'000), &dpc));
    LARGE_INTEGER interval = FromNow(2'000'000);
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
    EXPECT_EQ(calls, 0);
    EXPECT_TRUE(KeCancelTimer(&timer));
    KeDelayExecutionThread(KernelMode, FALSE, &(interval = FromNow(9'000'000)));
  }),
            "");
  EXPECT_EQ(calls, 0);
}

TEST(Timers, MisuseIsABugCheck) {
  Threads threads;
  KTIMER timer{};
  EXPECT_THAT(threads.Alone([&] { KeSetTimer(&timer, FromNow(100), nullptr); }), HasSubstr("was not initialised"));
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeTimer(&timer);
    KDPC wild{};
    KeSetTimer(&timer, FromNow(100), &wild);
  }),
              HasSubstr("KeSetTimer: the deferred call at "));
  EXPECT_THAT(threads.Alone([&] {
    auto* pool = static_cast<PKTIMER>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KTIMER), 0x726D6954));
    KeInitializeTimer(pool);
    KeSetTimer(pool, FromNow(1'000'000), nullptr);
    ExFreePoolWithTag(pool, 0x726D6954);
  }),
              HasSubstr("is freed while it is set"));
}

}  // namespace
}  // namespace gmmu::os

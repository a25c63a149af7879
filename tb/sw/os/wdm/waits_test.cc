// SPDX-License-Identifier: Apache-2.0
// Tests semaphores, guarded mutexes, waits for several objects, times, and misuses that Windows
// forbids.
#include "ddi/wdm_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

LARGE_INTEGER FromNow(int64_t ns) {
  LARGE_INTEGER time;
  time.QuadPart = -ns / 100;
  return time;
}

NTSTATUS Any(std::initializer_list<PVOID> objects, LARGE_INTEGER* timeout = nullptr) {
  std::vector<PVOID> all(objects);
  return KeWaitForMultipleObjects(static_cast<ULONG>(all.size()), all.data(), WaitAny, Executive, KernelMode, FALSE,
                                  timeout, nullptr);
}
NTSTATUS All(std::initializer_list<PVOID> objects, LARGE_INTEGER* timeout = nullptr) {
  std::vector<PVOID> all(objects);
  return KeWaitForMultipleObjects(static_cast<ULONG>(all.size()), all.data(), WaitAll, Executive, KernelMode, FALSE,
                                  timeout, nullptr);
}

TEST(Semaphores, LetAsManyThroughAsTheyCount) {
  Threads threads;
  KSEMAPHORE semaphore;
  KeInitializeSemaphore(&semaphore, 1, 3);
  int through = 0;
  for (const char* name : {"a", "b", "c"}) {
    threads.Add(name, [&] {
      EXPECT_EQ(KeWaitForSingleObject(&semaphore, Executive, KernelMode, FALSE, nullptr), STATUS_SUCCESS);
      ++through;
    });
  }
  threads.Add("giver", [&] {
    LARGE_INTEGER later = FromNow(10'000);
    KeDelayExecutionThread(KernelMode, FALSE, &later);
    EXPECT_EQ(through, 1);
    EXPECT_EQ(KeReadStateSemaphore(&semaphore), 0);
    EXPECT_EQ(KeReleaseSemaphore(&semaphore, 0, 2, FALSE), 0);
  });
  EXPECT_EQ(threads.Run(), "");
  EXPECT_EQ(through, 3);
}

TEST(Semaphores, AboveTheirLimitAreABugCheck) {
  Threads threads;
  KSEMAPHORE semaphore;
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeSemaphore(&semaphore, 1, 2);
    KeReleaseSemaphore(&semaphore, 0, 2, FALSE);
  }),
              AllOf(HasSubstr("KeReleaseSemaphore adds 2 to 1 of the semaphore at "), HasSubstr("whose limit is 2")));
  EXPECT_THAT(threads.Alone([&] { KeInitializeSemaphore(&semaphore, 3, 2); }),
              HasSubstr("KeInitializeSemaphore with the count 3 and the limit 2"));
}

TEST(GuardedMutexes, KeepThreadsApartAndTheIrqlAsItIs) {
  KGUARDED_MUTEX mutex;
  int lost = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    lost += Counted(seed, [](const auto& work) { work(); }) != 12;
    bool made = false;
    EXPECT_EQ(Counted(seed,
                      [&](const auto& work) {
                        if (!std::exchange(made, true)) KeInitializeGuardedMutex(&mutex);
                        KeAcquireGuardedMutex(&mutex);
                        EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
                        work();
                        KeReleaseGuardedMutex(&mutex);
                      }),
              12);
  }
  EXPECT_GT(lost, 0) << "without it the threads disturb each other";
  Threads threads;
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeGuardedMutex(&mutex);
    EXPECT_TRUE(KeTryToAcquireGuardedMutex(&mutex));
    EXPECT_FALSE(KeTryToAcquireGuardedMutex(&mutex));
    KeAcquireGuardedMutex(&mutex);
  }),
              HasSubstr("deadlock: alone waits for the guarded mutex at "));
}

TEST(GuardedMutexes, DisableApcsAsAResourceNeeds) {
  Threads threads;
  KGUARDED_MUTEX mutex;
  ERESOURCE resource;
  EXPECT_EQ(threads.Alone([&] {
    KeInitializeGuardedMutex(&mutex);
    ExInitializeResourceLite(&resource);
    KeAcquireGuardedMutex(&mutex);
    EXPECT_TRUE(ExAcquireResourceExclusiveLite(&resource, TRUE));
    ExReleaseResourceLite(&resource);
    KeReleaseGuardedMutex(&mutex);
  }),
            "");
}

TEST(Mutexes, SayWhetherTheyAreFree) {
  Threads threads;
  KMUTEX mutex;
  threads.Add("holder", [&] {
    KeInitializeMutex(&mutex, 0);
    EXPECT_EQ(KeReadStateMutex(&mutex), 1);
    KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr);
    LARGE_INTEGER later = FromNow(20'000);
    KeDelayExecutionThread(KernelMode, FALSE, &later);
    KeReleaseMutex(&mutex, FALSE);
  });
  threads.Add("other", [&] {
    LARGE_INTEGER later = FromNow(10'000);
    KeDelayExecutionThread(KernelMode, FALSE, &later);
    EXPECT_EQ(KeReadStateMutex(&mutex), 0);
  });
  EXPECT_EQ(threads.Run(), "");
}

TEST(WaitsForSeveral, EndWithTheIndexOfTheFirstThatCanBeHad) {
  Threads threads;
  KEVENT one, two;
  NTSTATUS ended = STATUS_TIMEOUT;
  threads.Add("waiter", [&] {
    KeInitializeEvent(&one, SynchronizationEvent, FALSE);
    KeInitializeEvent(&two, SynchronizationEvent, FALSE);
    ended = Any({&one, &two});
    EXPECT_FALSE(KeReadStateEvent(&two)) << "the wait took it";
  });
  threads.Add("setter", [&] {
    LARGE_INTEGER later = FromNow(10'000);
    KeDelayExecutionThread(KernelMode, FALSE, &later);
    KeSetEvent(&two, 0, FALSE);
  });
  EXPECT_EQ(threads.Run(), "");
  EXPECT_EQ(ended, STATUS_WAIT_1);
}

TEST(WaitsForSeveral, ForAllTakeNoneBeforeTheyCanHaveEach) {
  Threads threads;
  KEVENT event;
  KSEMAPHORE semaphore;
  bool over = false;
  threads.Add("waiter", [&] {
    KeInitializeEvent(&event, SynchronizationEvent, TRUE);
    KeInitializeSemaphore(&semaphore, 0, 1);
    EXPECT_EQ(All({&event, &semaphore}), STATUS_SUCCESS);
    over = true;
    EXPECT_FALSE(KeReadStateEvent(&event));
    EXPECT_EQ(KeReadStateSemaphore(&semaphore), 0);
  });
  threads.Add("setter", [&] {
    LARGE_INTEGER later = FromNow(10'000);
    KeDelayExecutionThread(KernelMode, FALSE, &later);
    EXPECT_TRUE(KeReadStateEvent(&event)) << "not taken alone";
    EXPECT_FALSE(over);
    KeReleaseSemaphore(&semaphore, 0, 1, FALSE);
  });
  EXPECT_EQ(threads.Run(), "");
  EXPECT_TRUE(over);
}

TEST(WaitsForSeveral, HaveTimeoutsAndBounds) {
  Threads threads;
  KEVENT one, two;
  const auto fresh = [&] {
    KeInitializeEvent(&one, NotificationEvent, FALSE);
    KeInitializeEvent(&two, NotificationEvent, FALSE);
  };
  EXPECT_EQ(threads.Alone([&] {
    fresh();
    LARGE_INTEGER timeout = FromNow(50'000);
    const uint64_t before = KeQueryInterruptTime();
    EXPECT_EQ(Any({&one, &two}, &timeout), STATUS_TIMEOUT);
    EXPECT_GE(KeQueryInterruptTime() - before, 500u);
    LARGE_INTEGER until;
    KeQuerySystemTimePrecise(&until);
    until.QuadPart += 300;
    EXPECT_EQ(All({&one, &two}, &until), STATUS_TIMEOUT) << "a system time";
    LARGE_INTEGER now;
    KeQuerySystemTimePrecise(&now);
    EXPECT_GE(now.QuadPart, until.QuadPart);
  }),
            "");
  EXPECT_THROW(threads.Alone([&] {
    fresh();
    Any({&one, &two});
  }),
               OsTimeout);
  EXPECT_THAT(threads.Alone([&] {
    fresh();
    threads.kernel.scheduler().Raise(kDispatch);
    All({&one, &two});
  }),
              AllOf(HasSubstr("KeWaitForMultipleObjects at IRQL 2 for the event at "),
                    HasSubstr(" and the event at ")));
  EXPECT_THAT(threads.Alone([&] {
    fresh();
    Any({&one, &two, &one, &two});
  }),
              HasSubstr("KeWaitForMultipleObjects for 4 objects: from 1 to 3 without a WaitBlockArray"));
}

TEST(Waits, OnWhatIsFreedAreABugCheckThatNamesBoth) {
  Threads threads;
  auto* event = static_cast<PKEVENT>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KEVENT), 0x746E7645));
  KeInitializeEvent(event, NotificationEvent, FALSE);
  threads.Add("waiter", [&] { KeWaitForSingleObject(event, Executive, KernelMode, FALSE, nullptr); });
  threads.Add("freer", [&] {
    LARGE_INTEGER later = FromNow(10'000);
    KeDelayExecutionThread(KernelMode, FALSE, &later);
    ExFreePoolWithTag(event, 0x746E7645);
  });
  EXPECT_THAT(threads.Run(),
              AllOf(HasSubstr("the event at pool Evnt"), HasSubstr("is freed while waiter waits for it")));
}

TEST(Clocks, AreOfTheMachineAndStallsTakeTheirTime) {
  Threads threads;
  EXPECT_EQ(threads.Alone([&] {
    LARGE_INTEGER frequency;
    const LARGE_INTEGER before = KeQueryPerformanceCounter(&frequency);
    EXPECT_EQ(frequency.QuadPart, 10'000'000);
    KeStallExecutionProcessor(20);
    threads.kernel.scheduler().Raise(kDevice);
    KeStallExecutionProcessor(20);
    threads.kernel.scheduler().Lower(kPassive);
    EXPECT_GE(KeQueryPerformanceCounter(nullptr).QuadPart - before.QuadPart, 400);
    LARGE_INTEGER ticks, interval = FromNow(20'000'000);
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
    KeQueryTickCount(&ticks);
    EXPECT_EQ(ticks.QuadPart, 1);
    EXPECT_EQ(KeQueryTimeIncrement(), 156'250u);
  }),
            "");
  EXPECT_THAT(threads.Alone([] { KeStallExecutionProcessor(51); }),
              HasSubstr("KeStallExecutionProcessor of 51 us: the most is 50"));
}

TEST(IrqlRoutines, RaiseAndLowerAndNothingElse) {
  Threads threads;
  EXPECT_EQ(threads.Alone([] {
    const KIRQL before = KeRaiseIrqlToDpcLevel();
    EXPECT_EQ(before, PASSIVE_LEVEL);
    EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KSPIN_LOCK lock;
    KLOCK_QUEUE_HANDLE handle;
    KeInitializeSpinLock(&lock);
    EXPECT_TRUE(KeTryToAcquireSpinLockAtDpcLevel(&lock));
    EXPECT_FALSE(KeTryToAcquireSpinLockAtDpcLevel(&lock));
    KeReleaseSpinLockFromDpcLevel(&lock);
    KeAcquireInStackQueuedSpinLockAtDpcLevel(&lock, &handle);
    KeReleaseInStackQueuedSpinLockFromDpcLevel(&handle);
    KeLowerIrql(before);
  }),
            "");
  EXPECT_THAT(threads.Alone([] {
    KeRaiseIrqlToDpcLevel();
    KfRaiseIrql(APC_LEVEL);
  }),
              HasSubstr("IRQL raised to a lower level"));
}

}  // namespace
}  // namespace gmmu::os

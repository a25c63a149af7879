// SPDX-License-Identifier: Apache-2.0
// Tests the locks and events of wdm.h, and misuses that Windows forbids.
#include "os/threads/driver_locks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ddi/wdm.h"
#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(DriverLocks, EachKindKeepsThreadsApart) {
  int lost = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    lost += Counted(seed, [](const auto& work) { work(); }) != 12;
    KSPIN_LOCK spin = 7;
    bool made = false;
    const auto once = [&made](const auto& make) {
      if (!std::exchange(made, true)) make();
    };
    EXPECT_EQ(Counted(seed,
                      [&](const auto& work) {
                        once([&] { KeInitializeSpinLock(&spin); });
                        KIRQL before;
                        KeAcquireSpinLock(&spin, &before);
                        EXPECT_EQ(before, PASSIVE_LEVEL);
                        EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
                        work();
                        KeReleaseSpinLock(&spin, before);
                        EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
                      }),
              12);
    made = false;
    EXPECT_EQ(Counted(seed,
                      [&](const auto& work) {
                        once([&] { KeInitializeSpinLock(&spin); });
                        KLOCK_QUEUE_HANDLE handle;
                        KeAcquireInStackQueuedSpinLock(&spin, &handle);
                        work();
                        KeReleaseInStackQueuedSpinLock(&handle);
                      }),
              12);
    made = false;
    FAST_MUTEX fast;
    EXPECT_EQ(Counted(seed,
                      [&](const auto& work) {
                        once([&] { ExInitializeFastMutex(&fast); });
                        ExAcquireFastMutex(&fast);
                        EXPECT_EQ(KeGetCurrentIrql(), APC_LEVEL);
                        work();
                        ExReleaseFastMutex(&fast);
                      }),
              12);
    made = false;
    KMUTEX mutex;
    EXPECT_EQ(Counted(seed,
                      [&](const auto& work) {
                        once([&] { KeInitializeMutex(&mutex, 0); });
                        KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr);
                        // The owner may acquire the mutex again.
                        KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr);
                        EXPECT_EQ(KeReleaseMutex(&mutex, FALSE), -1);
                        work();
                        EXPECT_EQ(KeReleaseMutex(&mutex, FALSE), 0);
                      }),
              12);
  }
  EXPECT_GT(lost, 0) << "without a lock the threads disturb each other";
}

TEST(DriverLocks, AHolderThatAsksAgainIsANamedDeadlock) {
  Threads threads;
  KSPIN_LOCK spin;
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeSpinLock(&spin);
    KeAcquireSpinLockRaiseToDpc(&spin);
    KeAcquireSpinLockAtDpcLevel(&spin);
  }),
              AllOf(HasSubstr("deadlock: alone waits for the spin lock at 0x"), HasSubstr("which it holds itself")));
  FAST_MUTEX fast;
  EXPECT_THAT(threads.Alone([&] {
    ExInitializeFastMutex(&fast);
    ExAcquireFastMutex(&fast);
    EXPECT_FALSE(ExTryToAcquireFastMutex(&fast));
    ExAcquireFastMutex(&fast);
  }),
              HasSubstr("deadlock: alone waits for the fast mutex"));
}

TEST(DriverLocks, TwoThatWaitForEachOtherAreANamedDeadlock) {
  bool found = false;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    Threads threads(seed);
    KSPIN_LOCK first = 0, second = 0;
    bool made = false;
    const auto take = [&](KSPIN_LOCK& one, KSPIN_LOCK& other) {
      if (!std::exchange(made, true)) {
        KeInitializeSpinLock(&first);
        KeInitializeSpinLock(&second);
      }
      const KIRQL before = KeAcquireSpinLockRaiseToDpc(&one);
      KeAcquireSpinLockAtDpcLevel(&other);
      KeReleaseSpinLockFromDpcLevel(&other);
      KeReleaseSpinLock(&one, before);
    };
    threads.Add("one", [&] { take(first, second); });
    threads.Add("two", [&] { take(second, first); });
    const std::string text = threads.Run();
    if (text.empty()) continue;
    found = true;
    EXPECT_THAT(text, AllOf(HasSubstr("deadlock: "), HasSubstr(" holds, who waits for the spin lock"),
                            HasSubstr("which it holds itself")));
  }
  EXPECT_TRUE(found);
}

TEST(DriverLocks, TheIrqlIsThatOfTheRoutine) {
  Threads threads;
  Scheduler& scheduler = threads.kernel.scheduler();
  KSPIN_LOCK spin;
  const auto fresh = [&] { KeInitializeSpinLock(&spin); };
  EXPECT_THAT(threads.Alone([&] {
    fresh();
    scheduler.Raise(kDevice);
    KeAcquireSpinLockRaiseToDpc(&spin);
  }),
              HasSubstr("KeAcquireSpinLock at IRQL 10: above DISPATCH_LEVEL"));
  EXPECT_THAT(threads.Alone([&] {
    fresh();
    KeAcquireSpinLockAtDpcLevel(&spin);
  }),
              HasSubstr("KeAcquireSpinLockAtDpcLevel below DISPATCH_LEVEL (IRQL 2): called at IRQL 0"));
  EXPECT_THAT(threads.Alone([&] {
    fresh();
    const KIRQL before = KeAcquireSpinLockRaiseToDpc(&spin);
    KeReleaseSpinLock(&spin, before);
    scheduler.Raise(kDevice);
    KeAcquireSpinLockAtDpcLevel(&spin);
  }),
              HasSubstr("was taken at IRQL 2 before, so an interrupt may wait for the thread that it interrupts"));
  KSPIN_LOCK other;
  EXPECT_THAT(threads.Alone([&] {
    fresh();
    KeInitializeSpinLock(&other);
    const KIRQL before = KeAcquireSpinLockRaiseToDpc(&spin);
    KeAcquireSpinLockAtDpcLevel(&other);
    KeReleaseSpinLock(&spin, before);
  }),
              HasSubstr("KeReleaseSpinLock lowers the IRQL to 0 while the spin lock"));
  FAST_MUTEX fast;
  EXPECT_THAT(threads.Alone([&] {
    ExInitializeFastMutex(&fast);
    scheduler.Raise(kDispatch);
    ExAcquireFastMutex(&fast);
  }),
              HasSubstr("ExAcquireFastMutex above APC_LEVEL (IRQL 1): called at IRQL 2"));
}

TEST(DriverLocks, OnlyTheHolderReleases) {
  Threads threads;
  KSPIN_LOCK spin;
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeSpinLock(&spin);
    KeReleaseSpinLock(&spin, PASSIVE_LEVEL);
  }),
              HasSubstr("is released by alone, and nobody holds it"));
  KMUTEX mutex;
  bool taken = false;
  threads.Add("holder", [&] {
    KeInitializeMutex(&mutex, 0);
    KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr);
    taken = true;
  });
  threads.Add("other", [&] {
    threads.kernel.scheduler().Wait([&] { return taken; }, 1000, "the holder");
    KeReleaseMutex(&mutex, FALSE);
  });
  EXPECT_THAT(threads.Run(), HasSubstr("is released by other, and holder holds it"));
}

TEST(DriverLocks, MustBeInitialisedAndOfTheirKind) {
  Threads threads;
  KSPIN_LOCK spin = 0;
  EXPECT_THAT(threads.Alone([&] { KeAcquireSpinLockRaiseToDpc(&spin); }), HasSubstr("was not initialised"));
  KEVENT event;
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    ExAcquireFastMutex(reinterpret_cast<PFAST_MUTEX>(&event));
  }),
              HasSubstr("is no fast mutex"));
}

TEST(DriverLocks, PoolMemoryIsNotFreedWithAHeldLock) {
  Threads threads;
  EXPECT_THAT(threads.Alone([&] {
    auto* lock = static_cast<PKSPIN_LOCK>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 0x6B636F4C)) + 2;
    KeInitializeSpinLock(lock);
    KeAcquireSpinLockRaiseToDpc(lock);
    ExFreePoolWithTag(lock - 2, 0);
  }),
              HasSubstr("the spin lock at pool Lock (0x40 bytes) + 0x10 is freed while alone holds it"));
}

TEST(DriverEvents, OfEachKindWakeWhoWaits) {
  for (const EVENT_TYPE type : {NotificationEvent, SynchronizationEvent}) {
    Threads threads;
    KEVENT event;
    int woken = 0;
    bool made = false;
    for (const char* name : {"a", "b"}) {
      threads.Add(name, [&] {
        threads.kernel.scheduler().Wait([&] { return made; }, 1000, "the event");
        LARGE_INTEGER timeout;
        timeout.QuadPart = -100;  // 10 us
        woken += KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &timeout) == STATUS_SUCCESS;
      });
    }
    threads.Add("sets", [&] {
      KeInitializeEvent(&event, type, FALSE);
      made = true;
      EXPECT_EQ(KeSetEvent(&event, 0, FALSE), 0);
    });
    EXPECT_EQ(threads.Run(), "");
    EXPECT_EQ(woken, type == NotificationEvent ? 2 : 1);
    EXPECT_EQ(KeReadStateEvent(&event), type == NotificationEvent);
    EXPECT_EQ(KeResetEvent(&event), type == NotificationEvent);
    EXPECT_EQ(KeReadStateEvent(&event), 0);
  }
}

TEST(DriverEvents, AWaitIsBelowDispatchLevelUnlessItsTimeoutIs0) {
  Threads threads;
  KEVENT event;
  EXPECT_THAT(threads.Alone([&] {
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    threads.kernel.scheduler().Raise(kDispatch);
    LARGE_INTEGER timeout;
    timeout.QuadPart = 0;
    EXPECT_EQ(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &timeout), STATUS_TIMEOUT);
    timeout.QuadPart = -1;
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &timeout);
  }),
              HasSubstr("KeWaitForSingleObject at IRQL 2 for the event at 0x"));
}

TEST(DriverEvents, AWaitWithoutATimeoutHasABoundAndSaysWhatItWasFor) {
  Threads threads;
  KEVENT event;
  threads.Add("alone", [&] {
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, nullptr);
  });
  try {
    threads.kernel.scheduler().Run();
    FAIL() << "it waits for ever";
  } catch (const OsTimeout& timeout) {
    EXPECT_THAT(timeout.what(), HasSubstr("for the event at 0x"));
  }
}

}  // namespace
}  // namespace gmmu::os

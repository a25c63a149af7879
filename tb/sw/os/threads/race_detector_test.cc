// SPDX-License-Identifier: Apache-2.0
#include "os/threads/race_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ddi/wdm.h"
#include "os/base/bug_check.h"
#include "tb/sw/os/machine.h"

// The functions that the compiler calls in instrumented code.
extern "C" {
void __tsan_read4(void* at);
void __tsan_write4(void* at);
uint32_t __tsan_atomic32_exchange(volatile uint32_t* at, uint32_t value, int order);
}

namespace gmmu::os {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Parameters Preempting() {
  Parameters parameters = TestParameters();
  parameters.preemption = 1000;
  return parameters;
}

/// Two calls that overlap in the driver: the second enters it while the first is inside.
struct TwoCalls : Machine {
  TwoCalls() : Machine(Preempting()) {
    word = static_cast<uint32_t*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 0x64726F57)) + 4;
    KeInitializeSpinLock(&lock);
    KeInitializeEvent(&event, NotificationEvent, FALSE);
  }
  /// Returns the message of the race that was found, or "" if there was none. With
  /// `one_after_the_other`, the first call returns before the second enters the driver.
  std::string Run(const std::function<void()>& first, const std::function<void()>& second,
                  bool one_after_the_other = false) {
    Scheduler& scheduler = kernel.scheduler();
    bool begun = false, first_done = false, second_done = false;
    scheduler.Spawn("one", [&, first] {
      kernel.races().Enter("DxgkDdiFirst");
      begun = !one_after_the_other;
      if (begun) scheduler.Wait([&] { return second_begun; }, 1000, "the second");
      first();
      first_done = true;
      if (begun) scheduler.Wait([&] { return second_done; }, 1'000'000, "the second's end");
      kernel.races().Leave();
      begun = true;
    });
    scheduler.Spawn("two", [&, second] {
      scheduler.Wait([&] { return begun; }, 1000, "the first");
      kernel.races().Enter("DxgkDdiSecond");
      second_begun = true;
      scheduler.Wait([&] { return first_done; }, 1000, "the first's access");
      second();
      second_done = true;
      kernel.races().Leave();
    });
    scheduler.Run();
    try {
      kernel.races().Check();
    } catch (const BugCheck& stop) {
      return stop.what();
    }
    return "";
  }
  void Locked(void (*access)(void*)) {
    const KIRQL before = KeAcquireSpinLockRaiseToDpc(&lock);
    access(word);
    KeReleaseSpinLock(&lock, before);
  }

  uint32_t* word = nullptr;
  KSPIN_LOCK lock;
  KEVENT event;
  bool second_begun = false;
};

TEST(RaceDetector, NamesBothAccessesTheirCallsAndTheMemory) {
  TwoCalls calls;
  const std::string race = calls.Run([&] { __tsan_write4(calls.word); }, [&] { __tsan_read4(calls.word); });
  EXPECT_THAT(race, AllOf(HasSubstr("data race on pool Word (0x40 bytes) + 0x10: DxgkDdiFirst (thread one) writes 4 "
                                    "bytes at "),
                          HasSubstr("and meanwhile DxgkDdiSecond (thread two) reads 4 bytes at ")));
  EXPECT_NO_THROW(calls.kernel.races().Check()) << "it is told once";
}

TEST(RaceDetector, NeedsAWriteAndACommonByte) {
  {
    TwoCalls reads;
    EXPECT_EQ(reads.Run([&] { __tsan_read4(reads.word); }, [&] { __tsan_read4(reads.word); }), "");
  }
  {
    TwoCalls neighbours;
    EXPECT_EQ(neighbours.Run([&] { __tsan_write4(neighbours.word); }, [&] { __tsan_write4(neighbours.word + 1); }), "");
  }
  {
    TwoCalls overlapping;
    EXPECT_NE(overlapping.Run([&] { __tsan_read4(overlapping.word); },
                              [&] { __tsan_write4(reinterpret_cast<uint8_t*>(overlapping.word) + 3); }),
              "");
  }
}

// Accesses by two shared owners of a resource may race. An exclusive owner is ordered before or
// after each other owner.
TEST(RaceDetector, AResourceOrdersThoseWhoHaveItAloneAndNotThoseWhoShareIt) {
  const auto run = [](bool first_shares, bool second_shares) {
    TwoCalls calls;
    ERESOURCE resource;
    ExInitializeResourceLite(&resource);
    const auto with = [&](bool shares) {
      KeEnterCriticalRegion();
      if (shares) ExAcquireResourceSharedLite(&resource, TRUE);
      else ExAcquireResourceExclusiveLite(&resource, TRUE);
      __tsan_write4(calls.word);
      ExReleaseResourceLite(&resource);
      KeLeaveCriticalRegion();
    };
    return calls.Run([&] { with(first_shares); }, [&] { with(second_shares); });
  };
  EXPECT_EQ(run(false, false), "");
  EXPECT_EQ(run(false, true), "");
  EXPECT_EQ(run(true, false), "");
  EXPECT_NE(run(true, true), "") << "a write beside another reader";
}

TEST(RaceDetector, ALockOrdersWhenBothHaveIt) {
  {
    TwoCalls both;
    EXPECT_EQ(both.Run([&] { both.Locked(__tsan_write4); }, [&] { both.Locked(__tsan_write4); }), "");
  }
  {
    TwoCalls one;
    EXPECT_NE(one.Run([&] { one.Locked(__tsan_write4); }, [&] { __tsan_write4(one.word); }), "");
  }
}

TEST(RaceDetector, EventsAndInterlockedOperationsOrder) {
  {
    TwoCalls calls;
    EXPECT_EQ(calls.Run(
                  [&] {
                    __tsan_write4(calls.word);
                    KeSetEvent(&calls.event, 0, FALSE);
                  },
                  [&] {
                    KeWaitForSingleObject(&calls.event, Executive, KernelMode, FALSE, nullptr);
                    __tsan_write4(calls.word);
                  }),
              "");
  }
  {
    TwoCalls flags;
    volatile uint32_t flag = 0;
    EXPECT_EQ(flags.Run(
                  [&] {
                    __tsan_write4(flags.word);
                    __tsan_atomic32_exchange(&flag, 1, 0);
                  },
                  [&] {
                    EXPECT_EQ(__tsan_atomic32_exchange(&flag, 2, 0), 1u);
                    __tsan_write4(flags.word);
                  }),
              "");
  }
}

TEST(RaceDetector, AnInterlockedOperationAndAPlainAccessAreARace) {
  for (const bool interlocked : {false, true}) {
    for (const bool read : {false, true}) {
      TwoCalls calls;
      const auto change = [&] { __tsan_atomic32_exchange(calls.word, 1, 0); };
      const std::string race = calls.Run(change, [&] {
        if (interlocked) change();
        else if (read) __tsan_read4(calls.word);
        else __tsan_write4(calls.word);
      });
      EXPECT_EQ(race.empty(), interlocked) << race;
    }
  }
}

TEST(RaceDetector, ACallThatHasReturnedIsBeforeEveryLaterOne) {
  TwoCalls calls;
  EXPECT_EQ(calls.Run([&] { __tsan_write4(calls.word); }, [&] { __tsan_write4(calls.word); }, true), "");
}

TEST(RaceDetector, AFreeIsAWriteAndMemoryThatIsNotTheDriversIsNotLookedAt) {
  {
    TwoCalls calls;
    EXPECT_THAT(calls.Run([&] { __tsan_read4(calls.word); }, [&] { ExFreePoolWithTag(calls.word - 4, 0); }),
                HasSubstr("and meanwhile DxgkDdiSecond (thread two) frees it"));
  }
  {
    TwoCalls stacks;
    uint32_t local = 0;
    EXPECT_EQ(stacks.Run([&] { __tsan_write4(&local); }, [&] { __tsan_write4(&local); }), "");
  }
}

}  // namespace
}  // namespace gmmu::os

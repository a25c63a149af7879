// SPDX-License-Identifier: Apache-2.0
#include "os/base/bug_check.h"
#include "os/threads/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tb/sw/os/threads/clock.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using test::Clock;

// An exception handler may wait, which switches fibres. If it then rethrows, it must still throw
// its own exception.
TEST(Scheduler, AFibreThatIsSwitchedInAHandlerKeepsItsExceptions) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Clock clock;
    Scheduler scheduler(clock, seed);
    std::vector<std::string> caught;
    for (const std::string name : {"a", "b", "c"}) {
      scheduler.Spawn(name, [&scheduler, &caught, name] {
        try {
          try {
            throw std::runtime_error(name);
          } catch (const std::runtime_error&) {
            for (int i = 0; i < 3; ++i) scheduler.Yield();
            throw;
          }
        } catch (const std::runtime_error& error) {
          scheduler.Yield();
          caught.push_back(name + error.what());
        }
      });
    }
    scheduler.Run();
    EXPECT_THAT(caught, ::testing::UnorderedElementsAre("aa", "bb", "cc"));
  }
}

TEST(Scheduler, RunsFibresInAnOrderThatTheSeedAloneDecides) {
  auto order = [](uint64_t seed) {
    Clock clock;
    Scheduler scheduler(clock, seed);
    std::string text;
    for (char name : {'a', 'b', 'c'}) {
      scheduler.Spawn({name}, [&, name] {
        for (int i = 0; i < 5; ++i) {
          text += name;
          scheduler.Yield();
        }
      });
    }
    scheduler.Run();
    return text;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  EXPECT_EQ(order(3).size(), 15u);
}

TEST(Scheduler, LetsAWaitEndWhenAnInterruptMakesItsConditionTrue) {
  Clock clock;
  clock.at = {700};
  Scheduler scheduler(clock, 0);
  bool seen = false;
  std::vector<Irql> levels;
  scheduler.ConnectInterrupt(0x30, "test", [&] {
    levels.push_back(scheduler.irql());
    scheduler.QueueDpc([&] {
      levels.push_back(scheduler.irql());
      seen = true;
    });
  });
  scheduler.Spawn("waiter", [&] { scheduler.Wait([&] { return seen; }, 1000, "the message"); });
  scheduler.Run();
  EXPECT_EQ(clock.now, 700u);
  EXPECT_THAT(levels, ElementsAre(kDevice, kDispatch));
}

TEST(Scheduler, SaysWhatItWaitedForWhenTheBoundPasses) {
  Clock clock;
  Scheduler scheduler(clock, 0);
  scheduler.Spawn("waiter", [&] { scheduler.Wait([] { return false; }, 5000, "fence 7"); });
  scheduler.Spawn("other", [&] { scheduler.Wait([] { return false; }, 1'000'000, "something else"); });
  try {
    scheduler.Run();
    FAIL() << "no timeout";
  } catch (const OsTimeout& timeout) {
    EXPECT_THAT(timeout.what(), HasSubstr("waited 5000 ns for fence 7"));
  }
}

TEST(Scheduler, AThreadThatWaitsForWorkOutlivesAnyIdleTime) {
  constexpr uint64_t kIdleNs = 1'000 * Scheduler::kForEver;
  Clock clock;
  Scheduler scheduler(clock, 0, 0, /*wait_scale=*/30);
  bool work = false;
  scheduler.Spawn("worker", [&] { scheduler.Wait([&] { return work; }, Scheduler::kWhileOn, "work"); });
  scheduler.Spawn("idle", [&] {
    scheduler.WaitExactly([&] { return clock.NowNs() >= kIdleNs; }, 2 * kIdleNs, "time to pass", kIdleNs);
    work = true;
  });
  scheduler.Run();
  EXPECT_GE(clock.NowNs(), kIdleNs);
}

TEST(Scheduler, ScalesTheBoundsOfWaitsButNotThoseThatAreTheWaitersOwn) {
  const auto waited = [](bool exactly) {
    Clock clock;
    Scheduler scheduler(clock, 0, 0, /*wait_scale=*/30);
    EXPECT_EQ(scheduler.Bound(Scheduler::kForEver), Scheduler::kForEver);
    scheduler.Spawn("waiter", [&] {
      if (exactly) scheduler.WaitExactly([] { return false; }, 5000, "fence 7");
      else scheduler.Wait([] { return false; }, 5000, "fence 7");
    });
    EXPECT_THROW(scheduler.Run(), OsTimeout);
    return clock.NowNs();
  };
  EXPECT_EQ(waited(false), 150'000u);
  EXPECT_EQ(waited(true), 5'000u);
}

TEST(Scheduler, HoldsDeferredCallsBackWhileTheLevelIsRaised) {
  Clock clock;
  Scheduler scheduler(clock, 0);
  bool ran = false;
  const Irql old = scheduler.Raise(kDispatch);
  scheduler.QueueDpc([&] { ran = true; });
  EXPECT_FALSE(ran);
  scheduler.Lower(old);
  EXPECT_TRUE(ran);
  EXPECT_THROW(scheduler.Lower(kDevice), BugCheck);
}

TEST(Scheduler, RefusesAWaitAtDispatchLevel) {
  Clock clock;
  Scheduler scheduler(clock, 0);
  scheduler.Raise(kDispatch);
  EXPECT_THROW(scheduler.Wait([] { return true; }, 1, "nothing"), BugCheck);
}

TEST(Scheduler, CountsMessagesThatNobodyServes) {
  Clock clock;
  clock.at = {0};
  Scheduler scheduler(clock, 0);
  scheduler.Seam();
  EXPECT_EQ(scheduler.spurious(), 1u);
}

/// A device that sends a message every `every_ns` ns, forever.
class Storm : public Clock {
 public:
  explicit Storm(uint64_t every_ns) : every_ns_(every_ns) {}
  std::optional<hw::Message> TakeMessage() override {
    if (next_ > now) return std::nullopt;
    next_ += every_ns_;
    ++taken;
    return hw::Message{0xFEE00000, 0x30};
  }
  bool WaitForMessage(uint64_t bound_ns) override {
    const bool comes = next_ <= now + bound_ns;
    now = comes ? std::max(now, next_) : now + bound_ns;
    return comes;
  }

  uint64_t taken = 0;

 private:
  const uint64_t every_ns_;
  uint64_t next_ = 0;
};

std::string StopOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const BugCheck& stop) {
    return stop.what();
  }
  return "no bug check";
}

// In the first case, the interrupt routine takes longer than the interval between messages. In the
// second case it takes no time, but no thread makes progress between messages.
TEST(Scheduler, AStormOfInterruptsEndsTheRunWithItsVector) {
  for (const unsigned preemption : {0u, 100u}) {
    for (const auto& [every_ns, routine_ns] : {std::pair{500u, 700u}, {500u, 0u}}) {
      SCOPED_TRACE("preemption " + std::to_string(preemption) + ", routine " + std::to_string(routine_ns));
      Storm storm(every_ns);
      Scheduler scheduler(storm, 0, preemption);
      scheduler.ConnectInterrupt(0x30, "gpu 01:00.0", [&, ns = routine_ns] {
        storm.now += ns;
        scheduler.Seam();
      });
      scheduler.Spawn("waiter", [&] { scheduler.Wait([] { return false; }, Scheduler::kForEver, "a fence"); });
      EXPECT_THAT(StopOf([&] { scheduler.Run(); }),
                  ::testing::AllOf(HasSubstr("an interrupt storm at "),
                                   HasSubstr(std::to_string(Scheduler::kStorm + 1) +
                                             " messages of vector 0x30 (gpu 01:00.0)")));
      const uint64_t delivered = scheduler.delivered();
      EXPECT_LE(delivered, Scheduler::kStorm);
      EXPECT_LE(storm.taken, 2 * Scheduler::kStorm + 2);
      storm.now += 10 * every_ns;
      scheduler.Seam();
      EXPECT_EQ(scheduler.delivered(), delivered) << "what comes behind a storm is dropped";
    }
  }
}

TEST(Scheduler, AStormOfMessagesThatNobodyServesIsOneToo) {
  Storm storm(10);
  Scheduler scheduler(storm, 0);
  scheduler.Spawn("waiter", [&] { scheduler.Wait([] { return false; }, Scheduler::kForEver, "a fence"); });
  EXPECT_THAT(StopOf([&] { scheduler.Run(); }), HasSubstr("messages of vector 0x30 (nobody's)"));
}

// In the first case, the application waits forever. In the second case, simulated time passes
// before the work item queues itself again.
TEST(Scheduler, WorkThatQueuesItselfForEverIsAStorm) {
  for (const bool delays : {false, true}) {
    Clock clock;
    Scheduler scheduler(clock, 0);
    std::function<void()> again = [&] {
      const uint64_t due = clock.now + 10;
      if (delays) scheduler.Wait([&] { return clock.now >= due; }, Scheduler::kForEver, "a delay", 10);
      scheduler.SpawnWork("work item at driver.so+0x10", again);
    };
    scheduler.Spawn("application", [&] {
      scheduler.SpawnWork("work item at driver.so+0x10", again);
      if (!delays) scheduler.Wait([] { return false; }, Scheduler::kForEver, "a fence");
    });
    EXPECT_THAT(StopOf([&] { scheduler.Run(); }),
                ::testing::AllOf(HasSubstr("a storm of work at "),
                                 HasSubstr(std::to_string(Scheduler::kWorkStorm + 1) +
                                           " times the work item at driver.so+0x10")));
  }
}

TEST(Scheduler, WorkBesideAThreadThatGoesOnIsNoStorm) {
  Clock clock;
  Scheduler scheduler(clock, 0);
  uint64_t pieces = 0;
  bool stop = false;
  std::function<void()> again = [&] {
    ++pieces;
    if (!stop) scheduler.SpawnWork("work item", again);
  };
  scheduler.Spawn("application", [&] {
    scheduler.SpawnWork("work item", again);
    scheduler.Wait([&] { return pieces >= Scheduler::kWorkStorm / 2; }, Scheduler::kForEver, "a half");
    scheduler.Wait([&] { return pieces >= Scheduler::kWorkStorm + 9; }, Scheduler::kForEver, "the other half");
    stop = true;
  });
  EXPECT_EQ(StopOf([&] { scheduler.Run(); }), "no bug check");
}

TEST(Scheduler, ADeferredCallThatQueuesItselfForEverIsAStorm) {
  for (const unsigned preemption : {0u, 100u}) {
    Clock clock;
    Scheduler scheduler(clock, 0, preemption);
    std::function<void()> again = [&] { scheduler.QueueDpc(again); };
    scheduler.Spawn("waiter", [&] {
      scheduler.QueueDpc(again);
      scheduler.Wait([] { return false; }, Scheduler::kForEver, "a fence");
    });
    EXPECT_THAT(StopOf([&] { scheduler.Run(); }), HasSubstr(std::to_string(Scheduler::kStorm + 1) + " deferred calls"));
  }
}

TEST(Scheduler, ManyInterruptsBetweenWhichAThreadGoesOnAreNoStorm) {
  Storm storm(500);
  Scheduler scheduler(storm, 0);
  uint64_t seen = 0;
  scheduler.ConnectInterrupt(0x30, "gpu", [&] { ++seen; });
  scheduler.Spawn("waiter", [&] {
    for (uint64_t i = 0; i < 3 * Scheduler::kStorm; ++i) {
      const uint64_t before = seen;
      scheduler.Wait([&] { return seen != before; }, 1000, "a message");
    }
  });
  scheduler.Run();
  EXPECT_GE(scheduler.delivered(), 3 * Scheduler::kStorm);
}

TEST(Scheduler, MayWaitAgainAfterAnErrorOnAnotherProcessor) {
  Clock clock;
  Scheduler scheduler(clock, 0);
  EXPECT_THROW(scheduler.OnAnotherProcessor([&] {
    EXPECT_FALSE(scheduler.may_wait());
    scheduler.Wait([] { return false; }, 1000, "nothing");
  }),
               BugCheck);
  EXPECT_TRUE(scheduler.may_wait());
}

TEST(Scheduler, EndsTheOtherFibresWhenOneFails) {
  Clock clock;
  Scheduler scheduler(clock, 0);
  bool unwound = false;
  struct Guard {
    bool& flag;
    ~Guard() { flag = true; }
  };
  scheduler.Spawn("bystander", [&] {
    Guard guard{unwound};
    scheduler.Wait([] { return false; }, 1'000'000'000, "nothing");
  });
  scheduler.Spawn("culprit", [] { throw OsError("broken"); });
  EXPECT_THROW(scheduler.Run(), OsError);
  EXPECT_TRUE(unwound);
}

}  // namespace
}  // namespace gmmu::os

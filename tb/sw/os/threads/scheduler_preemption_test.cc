// SPDX-License-Identifier: Apache-2.0
// Tests threads that are preempted in driver code.
#include "os/threads/interrupt_lock.h"
#include "os/threads/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "os/base/bug_check.h"
#include "os/threads/race_detector.h"
#include "tb/sw/os/threads/clock.h"

namespace gmmu::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns the order in which two threads pass five preemption points each, in driver code or in
/// system code.
std::string Order(uint64_t seed, unsigned preemption, bool in_driver) {
  test::Clock clock;
  Scheduler scheduler(clock, seed, preemption);
  std::string order;
  for (const char name : {'a', 'b'}) {
    scheduler.Spawn({name}, [&, name] {
      scheduler.EnterDriver(in_driver);
      for (int i = 0; i < 5; ++i) {
        order += name;
        scheduler.Seam();
      }
    });
  }
  scheduler.Run();
  return order;
}

TEST(Preemption, IsOfDriverCodeAndOnlyWhenAskedFor) {
  std::vector<std::string> orders;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    for (const std::string& whole : {Order(seed, 0, true), Order(seed, 1000, false)})
      EXPECT_THAT(whole, ::testing::AnyOf("aaaaabbbbb", "bbbbbaaaaa"));
    orders.push_back(Order(seed, 1000, true));
  }
  EXPECT_THAT(orders, ::testing::Contains(::testing::Not(::testing::AnyOf("aaaaabbbbb", "bbbbbaaaaa"))));
}

TEST(Preemption, OfASeedIsAlwaysTheSame) {
  for (uint64_t seed = 0; seed < 8; ++seed) EXPECT_EQ(Order(seed, 300, true), Order(seed, 300, true));
  EXPECT_NE(Order(1, 1000, true) + Order(2, 1000, true), Order(3, 1000, true) + Order(4, 1000, true));
}

// While a thread is in the driver at any IRQL, an interrupt message is served on another processor.
TEST(Preemption, InterruptsAndDeferredCallsGoOnBesideThreadsAtAnyLevel) {
  bool beside_thread = false, beside_interrupt = false;
  for (uint64_t seed = 0; seed < 32; ++seed) {
    test::Clock clock;
    clock.at = {0, 0, 0};
    Scheduler scheduler(clock, seed, 1000);
    bool raised = false, in_isr = false;
    int served = 0, deferred = 0;
    scheduler.ConnectInterrupt(0x30, "test", [&] {
      EXPECT_EQ(scheduler.irql(), kDevice);
      scheduler.EnterDriver(true);
      beside_thread = beside_thread || raised;
      in_isr = true;
      scheduler.Preempt();
      in_isr = false;
      ++served;
      scheduler.QueueDpc([&] {
        EXPECT_EQ(scheduler.irql(), kDispatch);
        beside_interrupt = beside_interrupt || in_isr;
        ++deferred;
      });
    });
    scheduler.Spawn("thread", [&] {
      scheduler.EnterDriver(true);
      const Irql before = scheduler.Raise(kDispatch);
      raised = true;
      for (int i = 0; i < 4; ++i) scheduler.Seam();
      EXPECT_EQ(scheduler.irql(), kDispatch) << "whoever ran meanwhile";
      raised = false;
      scheduler.Lower(before);
    });
    scheduler.Run();
    EXPECT_EQ(served, 3);
    EXPECT_EQ(deferred, 3) << "also after the last thread has ended";
  }
  EXPECT_TRUE(beside_thread);
  EXPECT_TRUE(beside_interrupt);
}

TEST(Preemption, ADisconnectedInterruptHasNoRoutineUnderWay) {
  bool was_under_way = false;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    test::Clock clock;
    clock.at = {0};
    Scheduler scheduler(clock, seed, 1000);
    bool in_isr = false;
    scheduler.ConnectInterrupt(0x30, "test", [&] {
      scheduler.EnterDriver(true);
      in_isr = true;
      for (int i = 0; i < 4; ++i) scheduler.Preempt();
      in_isr = false;
    });
    scheduler.Spawn("thread", [&] {
      scheduler.EnterDriver(true);
      for (int i = 0; i < 2; ++i) scheduler.Seam();
      was_under_way = was_under_way || in_isr;
      scheduler.DisconnectInterrupt(0x30);
      EXPECT_FALSE(in_isr);
    });
    scheduler.Run();
    EXPECT_EQ(scheduler.spurious(), 0u) << "seed " << seed << ": a message that had arrived was not served";
  }
  EXPECT_TRUE(was_under_way) << "in none of the orders";
}

TEST(Preemption, ASpinEndsByAnotherThreadOrSaysWhatItWasFor) {
  test::Clock clock;
  Scheduler scheduler(clock, 3, 1000);
  bool free = false;
  scheduler.Spawn("waits", [&] {
    scheduler.Raise(kDispatch);
    scheduler.Spin([&] { return free; }, "the lock");
    scheduler.Lower(kPassive);
  });
  scheduler.Spawn("frees", [&] { free = true; });
  scheduler.Run();

  free = false;
  scheduler.Spawn("waits", [&] { scheduler.Spin([&] { return free; }, "the lock"); });
  try {
    scheduler.Run();
    FAIL() << "it waits for ever";
  } catch (const BugCheck& stop) {
    EXPECT_THAT(stop.what(), HasSubstr("nobody ended the wait for the lock"));
  }
  Scheduler alone(clock, 3);
  EXPECT_THROW(alone.Spin([] { return false; }, "the lock"), BugCheck);
}

TEST(InterruptLock, LetsOneInAtATimeAndRefusesItsHolder) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    test::Clock clock;
    Scheduler scheduler(clock, seed, 1000);
    RaceDetector races(scheduler);
    InterruptLock lock(scheduler, races);
    int inside = 0, rounds = 0;
    for (const char* name : {"a", "b", "c"}) {
      scheduler.Spawn(name, [&] {
        scheduler.EnterDriver(true);
        const Irql before = scheduler.Raise(kDevice);
        lock.Run([&] {
          EXPECT_EQ(++inside, 1);
          for (int i = 0; i < 4; ++i) scheduler.Preempt();
          --inside;
          ++rounds;
        });
        scheduler.Lower(before);
      });
    }
    scheduler.Run();
    EXPECT_EQ(rounds, 3);
    scheduler.Spawn("twice", [&] { lock.Run([&] { lock.Run([] {}); }); });
    try {
      scheduler.Run();
      ADD_FAILURE() << "it waits for itself";
    } catch (const BugCheck& stop) {
      EXPECT_THAT(stop.what(), HasSubstr("deadlock: twice asks for the interrupt lock"));
    }
  }
}

}  // namespace
}  // namespace gmmu::os

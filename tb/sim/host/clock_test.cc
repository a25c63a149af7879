// SPDX-License-Identifier: Apache-2.0
#include "host/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/engine.h"

namespace gmmu::sim {
namespace {

TEST(AgendaClock, WaitsUntilItsConditionOrItsBound) {
  Agenda agenda;
  AgendaClock clock(agenda);
  bool done = false;
  agenda.At(500, [&] { done = true; });
  EXPECT_FALSE(clock.Await([&] { return done; }, 499, "it"));
  EXPECT_EQ(clock.NowPs(), 499u);
  EXPECT_TRUE(clock.Await([&] { return done; }, Clock::kForever, "it"));
  EXPECT_EQ(clock.NowPs(), 500u);
  clock.Pass(10);
  EXPECT_EQ(clock.NowPs(), 510u);
}

TEST(AgendaClock, NamesWhatItCannotWaitFor) {
  Agenda agenda;
  AgendaClock clock(agenda);
  try {
    clock.Await([] { return false; }, Clock::kForever, "a train");
    FAIL();
  } catch (const EngineError& error) {
    EXPECT_STREQ(error.what(), "the machine stands still at 0 ns: nothing can end the wait for a train");
  }
}

TEST(Clock, LongTimesEndAtForever) {
  EXPECT_EQ(Clock::ToPs(5), 5000u);
  EXPECT_EQ(Clock::ToPs(Clock::kForever / 1000), Clock::kForever / 1000 * 1000);
  EXPECT_EQ(Clock::ToPs(Clock::kForever / 1000 + 1), Clock::kForever);
  EXPECT_EQ(Clock::Later(Clock::kForever - 3, 2), Clock::kForever - 1);
  EXPECT_EQ(Clock::Later(Clock::kForever - 3, 4), Clock::kForever);
}

}  // namespace
}  // namespace gmmu::sim

// SPDX-License-Identifier: Apache-2.0
#include "board/machine_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace gmmu::sim::board {
namespace {

TEST(MachineClock, GoesWithTheWallClockUnlessASpeedIsSaid) {
  MachineClock clock;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const uint64_t before = clock.WallNs(), now = clock.NowNs(), after = clock.WallNs();
  EXPECT_GE(now, before - 1'000);
  EXPECT_LE(now, after + 1'000);
  EXPECT_EQ(clock.ToWallNs(1'000), 1'000u);
  EXPECT_LE(clock.ToWallNs(~uint64_t{0}), uint64_t{1'000'000'000'000'000'000});
}

TEST(MachineClock, ANewSpeedHoldsFromThenOn) {
  MachineClock clock(0.001);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const uint64_t slow = clock.NowNs();
  EXPECT_GE(slow, 20'000u);
  EXPECT_LT(slow, clock.WallNs() / 999 + 1'000);
  clock.set_speed(100);
  EXPECT_EQ(clock.ToWallNs(1'000'000), 10'000u);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(clock.NowNs() - slow, 2'000'000'000u);
}

}  // namespace
}  // namespace gmmu::sim::board

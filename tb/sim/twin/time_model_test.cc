// SPDX-License-Identifier: Apache-2.0
#include "twin/time_model.h"

#include <gtest/gtest.h>

namespace gmmu::sim::twin {
namespace {

TEST(TimeModel, ABusCarriesOneBurstAfterTheOther) {
  TimeModel time{TimeParameters{}};
  const uint64_t first = time.VramRead(0, 256), second = time.VramRead(0, 256);
  EXPECT_NEAR(static_cast<double>(second - first), 32'000, 16'000);  // 8 bytes a cycle, to a bucket of the calendar
  EXPECT_GE(first, 132'000u);
  EXPECT_GE(time.VramWrite(0, 256), 132'000u);
  EXPECT_LT(time.VramWrite(0, 256), second + 32'000u);  // the other direction
}

TEST(TimeModel, WhoComesLaterButIsReadyEarlierIsNotHeldUp) {
  TimeModel time{TimeParameters{}};
  const uint64_t alone = time.VramRead(1'000'000, 64);
  TimeModel other{TimeParameters{}};
  static_cast<void>(other.VramRead(5'000'000, 64));
  EXPECT_EQ(other.VramRead(1'000'000, 64), alone);
}

TEST(TimeModel, FewBurstsAtOnceMakeVramSlow) {
  TimeParameters few;
  few.vram_outstanding = 2;
  TimeModel time{few}, many{TimeParameters{}};
  uint64_t slow = 0, fast = 0;
  for (int i = 0; i < 64; ++i) {
    slow = time.VramRead(0, 64);
    fast = many.VramRead(0, 64);
  }
  EXPECT_GT(slow, 4 * fast);
}

TEST(TimeModel, TagsBoundTheReadsInFlight) {
  TimeParameters one;
  one.tags = 8;  // those of the longest read that the port may take
  TimeModel time{one};
  const auto read = [&time](uint64_t at) { return time.Completion(time.Request(at) + 60'000, 64); };
  const uint64_t first = read(0);
  EXPECT_GT(read(0), 2 * first - 30'000);
  TimeModel many{TimeParameters{}};
  const auto other = [&many](uint64_t at) { return many.Completion(many.Request(at) + 60'000, 64); };
  EXPECT_LT(other(0), other(0) + 1);
  EXPECT_LT(other(0), first + 40'000);
}

TEST(TimeModel, PostedCreditsAndTheStoreBufferBoundWrites) {
  TimeParameters one;
  one.posted_headers = 1;
  TimeModel time{one};
  const uint64_t sent = time.Posted(0, 64);
  time.Written(900'000);
  EXPECT_LT(sent, 40'000u);
  EXPECT_GT(time.Posted(0, 64), 900'000u);
  for (int i = 0; i < 16; ++i) static_cast<void>(time.Post(0, 64));
  EXPECT_GT(time.RoomForPost(0), 0u);
  EXPECT_EQ(time.RoomForPost(10'000'000), 10'000'000u);
}

}  // namespace
}  // namespace gmmu::sim::twin

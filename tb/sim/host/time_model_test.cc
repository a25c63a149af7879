// SPDX-License-Identifier: Apache-2.0
#include "host/time_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gmmu::sim {
namespace {

TEST(TimeModel, ABusCarriesOneBurstAfterTheOther) {
  TimeModel time{TimeParameters{}};
  const uint64_t first = time.VramRead(0, 256), second = time.VramRead(0, 256);
  EXPECT_EQ(second - first, 32'000u);  // 8 bytes per cycle
  EXPECT_GE(first, 132'000u);
  EXPECT_GE(time.VramWrite(0, 256), 132'000u);
  EXPECT_LT(time.VramWrite(0, 256), second + 32'000u);  // writes use the opposite direction of the bus
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

TEST(TimeModel, ReadsOfTablesTakePlacesInVramAndPassOnlyWhatWaits) {
  TimeParameters few;
  few.vram_outstanding = 4;
  few.vram_latency = 400;
  TimeModel tables{few};
  uint64_t last = 0;
  for (int i = 0; i < 40; ++i) last = std::max(last, tables.VramRead(0, 8, true));
  EXPECT_GT(last, 10 * 400'000u);
  EXPECT_LT(last, 11 * 410'000u);
  TimeModel both{few};
  for (int i = 0; i < 40; ++i) last = std::max(last, both.VramRead(0, 64));
  const uint64_t table = both.VramRead(0, 8, true);
  EXPECT_GT(table, 1'200'000u);  // waits for four bursts in flight and four in the port's queue
  EXPECT_LT(table, 1'300'000u);  // overtakes all other waiting bursts
  EXPECT_GT(both.VramRead(0, 64), 10 * 400'000u);
}

/// Issues a read at time 0 that is split into `requests` requests of 64 bytes. Returns the time at which its data
/// arrives.
uint64_t ReadHost(TimeModel& time, unsigned requests = 1) {
  const uint64_t begin = time.Tags(0, requests);
  uint64_t end = 0;
  for (unsigned i = 0; i < requests; ++i) end = std::max(end, time.Completion(time.Request(begin) + 60'000, 64));
  time.TagsEnd(requests);
  return end;
}

/// A copy between host pages reserves link time for its writes in advance, at the times at which
/// its reads end. A read request that is ready earlier must not wait for these reservations.
TEST(TimeModel, AReadRequestPassesWritesThatAreBookedForLater) {
  TimeModel quiet{TimeParameters{}}, busy{TimeParameters{}};
  const uint64_t alone = quiet.Request(0);
  uint64_t written = 0;
  for (unsigned i = 0; i < 14; ++i) {
    written = busy.Posted(1'000 + i, 256);
    busy.Written(written);
  }
  EXPECT_LT(busy.Request(0), alone + 1'000) << "no write was ready before it";
  EXPECT_GT(busy.Request(1'100), written) << "all of them were";
}

TEST(TimeModel, TagsBoundTheReadsInFlight) {
  TimeParameters one;
  one.tags = 1;
  TimeModel time{one};
  const uint64_t first = ReadHost(time);
  EXPECT_GT(ReadHost(time), 2 * first - 30'000);
  TimeModel many{TimeParameters{}};
  EXPECT_LT(ReadHost(many), first + 40'000);
  EXPECT_LT(ReadHost(many), first + 40'000);
}

TEST(TimeModel, AReadTakesTheTagsOfItsOwnRequestsWhateverTheLongestOneMayHave) {
  for (const unsigned requests : {1u, 2u, 5u}) {
    TimeParameters few;
    few.tags = 10;
    few.max_read_request = 128;  // a read of 4 KiB would need 32 tags
    TimeModel time{few};
    const uint64_t first = ReadHost(time, requests);
    uint64_t last = 0;
    for (unsigned i = 1; i < 10 / requests; ++i) last = std::max(last, ReadHost(time, requests));
    EXPECT_LT(last, first + 100'000) << requests << " requests a read";
    EXPECT_GT(ReadHost(time, requests), 2 * first - 60'000) << requests << " requests a read";
  }
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
}  // namespace gmmu::sim

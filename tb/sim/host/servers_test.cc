// SPDX-License-Identifier: Apache-2.0
#include "host/servers.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace gmmu::sim {
namespace {

TEST(Divisor, DividesAsTheProcessorDoes) {
  std::mt19937_64 random(3);
  for (const uint64_t by : {1ull, 2ull, 3ull, 7ull, 8ull, 16'000ull, 7'800'000ull, 1ull << 40, (1ull << 62) + 1}) {
    const Divisor divisor(by);
    for (int i = 0; i < 20'000; ++i) {
      const uint64_t any = random() >> (1 + random() % 63), near = any / by * by;
      for (const uint64_t of : {any, near, near + by - 1, near == 0 ? 0 : near - 1}) {
        if (of >> 63 != 0) continue;
        ASSERT_EQ(divisor.Quotient(of), of / by) << of << " / " << by;
        ASSERT_EQ(divisor.Rest(of), of % by) << of << " % " << by;
      }
    }
  }
}

TEST(Calendar, AFreeServerServesAtOnce) {
  Calendar bus;
  EXPECT_EQ(bus.Take(1'000, 30), 1'030u);
  EXPECT_EQ(bus.Take(1'000, 30), 1'060u);
  EXPECT_EQ(bus.Take(500, 30), 530u);  // requested later, but for an earlier time
}

TEST(Calendar, WhatIsTakenNeverExceedsTheTime) {
  Calendar bus;
  std::mt19937 random(7);
  std::vector<bool> taken(60'000);
  for (int i = 0; i < 5'000; ++i) {
    const uint64_t at = random() % 10'000, ps = 1 + random() % 16;
    uint64_t end = at;
    for (uint64_t left = ps; left != 0; ++end) {  // allocate the first free picoseconds one by one
      left -= taken[end] ? 0 : 1;
      taken[end] = true;
    }
    ASSERT_EQ(bus.Take(at, ps), end) << "at " << at << ", " << ps;
  }
}

TEST(Calendar, ForgetsOnlyWhatIsLongPast) {
  Calendar bus;
  for (uint64_t i = 0; i < 2'000; ++i) EXPECT_EQ(bus.Take(100 * i, 10), 100 * i + 10);
  EXPECT_EQ(bus.Take(199'800, 10), 199'820u);
  EXPECT_EQ(bus.Take(150'000, 10), 150'020u);
  EXPECT_GT(bus.Take(0, 10), 40'000u);
}

TEST(Wire, WhoComesWaitsOnlyForWhatWasReadyBefore) {
  Wire wire;
  EXPECT_EQ(wire.Send(1'000, 100), 1'100u);
  for (uint64_t i = 0; i < 20; ++i) static_cast<void>(wire.Send(1'000 + 200 * i, 200));  // reserved
  const uint64_t urgent = wire.SendNow(1'010, 50);
  EXPECT_GE(urgent, 1'300u);  // the two packets that became ready earlier go first
  EXPECT_LE(urgent, 1'400u);
  EXPECT_LE(wire.SendNow(1'010, 50), urgent + 50);
  EXPECT_GT(wire.Send(1'010, 50), 5'000u);
}

TEST(Places, WhoNeedsOneLaterLeavesTheEarlierOnes) {
  Places tags(2);
  for (const uint64_t end : {100, 200}) {
    static_cast<void>(tags.Take(0));
    tags.End(end);
  }
  EXPECT_EQ(tags.Take(250), 250u);
  tags.End(400);
  EXPECT_EQ(tags.Free(0), 100u);
  EXPECT_EQ(tags.Take(120), 120u);
}

TEST(Places, AreHeldUntilTheEarliestEnds) {
  Places tags(2);
  EXPECT_EQ(tags.Take(0), 0u);
  tags.End(100);
  EXPECT_EQ(tags.Take(0), 0u);
  tags.End(50);
  EXPECT_EQ(tags.Take(10), 50u);
  tags.End(70);
  EXPECT_EQ(tags.Take(80), 80u);
}

TEST(Places, ThatAreTakenTogetherAreAllCounted) {
  Places tags(3);
  EXPECT_EQ(tags.Take(0), 0u);
  tags.End(100);
  EXPECT_EQ(tags.Take(10), 10u);
  EXPECT_EQ(tags.Take(10, 1), 10u);
  EXPECT_EQ(tags.Take(10, 2), 100u);
  for (int i = 0; i < 3; ++i) tags.End(200);
  EXPECT_EQ(tags.Take(20), 200u);
}

TEST(Places, TakeTheOneThatBecomesFreeLastOfThoseThatAre) {
  std::mt19937 random(11);
  for (const unsigned count : {1u, 2u, 7u, 64u}) {
    Places places(count);
    std::multiset<uint64_t> held;
    uint64_t now = 0;
    for (int i = 0; i < 4'000; ++i) {
      now += random() % 20;
      const uint64_t at = now + random() % 300;
      EXPECT_EQ(places.Free(at), held.size() < count ? at : std::max(at, *held.begin()));
      uint64_t expected = at;
      if (held.size() == count) {
        auto place = held.upper_bound(at);
        if (place != held.begin()) --place;
        expected = std::max(at, *place);
        held.erase(place);
      }
      ASSERT_EQ(places.Take(at), expected) << "step " << i << " of " << count << " places";
      const uint64_t end = expected + random() % 500;
      places.End(end);
      held.insert(end);
    }
  }
}

TEST(Window, GivesPlacesBackInTheirOrder) {
  Window slots(2);
  EXPECT_EQ(slots.Free(5), 5u);
  slots.Take(100);
  slots.Take(60);  // queued behind the first request
  EXPECT_EQ(slots.Free(0), 100u);
  slots.Take(130);
  EXPECT_EQ(slots.Free(0), 100u);
  EXPECT_EQ(slots.Free(0, 1), 130u);  // the result if one more request took a slot first
}

}  // namespace
}  // namespace gmmu::sim

// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <functional>
#include <optional>

#include "tb/rtl/top/window_machine.h"

namespace gmmu::top {
namespace {

TEST_P(Window, ReadsReturnWhatEarlierWritesWrote) {
  for (unsigned slow : {1u, 12u, 60u}) {
    latency = slow;
    for (int round = 0; round < 12; ++round) {
      if (round % 3 != 1) AddWrites(Random(1, 40));
      if (round % 3 != 0) AddReads(Random(1, 40));
      Finish();
    }
  }
}

TEST_P(Window, AHeldWindowSettlesAndThenItsBaseMoves) {
  AddWrites(400);
  AddReads(400);
  for (int i = 0; i < 40; ++i) {
    for (int steps = Random(0, 30); steps > 0; --steps) Step();
    Hold(kWindowBase + (rng() % 16 << 12));
  }
  Finish();
}

TEST_P(Window, ReadsPassAWriteUntilItHasBothItsAddressAndItsData) {
  for (bool& late : {std::ref(w_late), std::ref(aw_late), std::ref(w_late)}) {
    late = true;
    AddWrites(1);
    TakeHalfOfAWrite();
    if (&late == &w_late) AddWrites(1);  // The next write's AW must wait for this write's W beat.
    const size_t before = answered_[kWrite];
    AddReads(8);
    FinishReads();
    EXPECT_EQ(answered_[kWrite], before);
    late = false;
    Finish();
  }
}

TEST_P(Window, AHeldWindowSettlesBesideHalfAWrite) {
  for (bool& late : {std::ref(w_late), std::ref(aw_late)}) {
    late = true;
    AddWrites(1);
    TakeHalfOfAWrite();
    AddReads(2);
    Hold(kWindowBase + (rng() % 16 << 12));
    FinishReads();
    late = false;
    Finish();
  }
}

TEST_P(Window, HalvesOfWritesThatComeLongAfterEachOtherAreJoined) {
  lag = 60;
  AddWrites(300);
  AddReads(300);
  for (int i = 0; i < 60; ++i) {
    for (int steps = Random(0, 30); steps > 0; --steps) Step();
    if (Chance(50)) Hold(kWindowBase + (rng() % 16 << 12));
    if (Chance(30)) {
      EXPECT_TRUE(Stop(8 * 12 * 16)) << "its accesses do not end";
      for (int steps = Random(0, 20); steps > 0; --steps) Step();
      t.win_stop_i[n] = 0;
    }
  }
  Finish();
  EXPECT_EQ(lost_, 0u);
}

TEST_P(Window, AsManyAreInFlightAsItHasSlots) {
  manner = {0, 0};
  latency = 400;
  AddWrites(60);
  Finish();
  EXPECT_EQ(most_, Slots());
  most_ = 0;
  AddReads(60);
  Finish();
  EXPECT_EQ(most_, Slots());
}

TEST_P(Window, TakesAnAccessEveryOtherCycle) {
  manner = {0, 0};
  latency = 1;
  const unsigned each = n == 0 ? 2 : 10;  // With two slots, the round trip limits the rate.
  AddWrites(200);
  const uint64_t begin = now;
  Finish();
  EXPECT_LE(now - begin, 200 * each + 30);
  AddReads(200);
  const uint64_t middle = now;
  Finish();
  EXPECT_LE(now - middle, 200 * each + 30);
}

TEST_P(Window, AStoppedWindowEndsWhatItHasBegunAndGoesOnLater) {
  AddWrites(300);
  AddReads(300);
  for (int i = 0; i < 60; ++i) {
    for (int steps = Random(0, 30); steps > 0; --steps) Step();
    EXPECT_TRUE(Stop(8 * 12 * 16)) << "its accesses do not end";
    for (int steps = Random(0, 20); steps > 0; --steps) Step();
    t.win_stop_i[n] = 0;
  }
  Finish();
  EXPECT_EQ(lost_, 0u);
}

TEST_P(Window, WhatVramForgetsIsAnsweredOnceAndTheRestIsDoneLater) {
  latency = 20;
  for (int i = 0; i < 60; ++i) {
    AddWrites(Random(0, 20));
    AddReads(Random(0, 20));
    for (int steps = Random(0, 60); steps > 0; --steps) Step();
    dead = true;
    for (int steps = Random(0, 40); steps > 0; --steps) Step();
    Stop(Random(2, 30));
    Lose();
    dead = false;
    for (int steps = Random(0, 20); steps > 0; --steps) Step();
    t.win_stop_i[n] = 0;
    Finish();
  }
  EXPECT_GT(lost_, 20u);
}

TEST_P(Window, AnAddressThatWrapsIsPastVram) {
  t.win_base_i[n] = 0xffff'ffff'f000;
  AddWrites(40);
  AddReads(40);
  Finish();
}

// AnyOffset returns offsets in the pages 0, 0x7ffff and 0x80000 of BAR2.
constexpr std::array<uint32_t, 3> kApertures = {0, 0x7ff00, 0x80000};

TEST_P(Window, APageOfTheHostApertureShowsThePageOfItsEntry) {
  HoldForEntry(0, rng() & 0xf'ffff'ffff);
  HoldForEntry(255, rng() & 0xf'ffff'ffff);
  for (uint32_t first : kApertures) {
    HoldForAperture(first);
    AddWrites(100);
    AddReads(100);
    Finish();
  }
  HoldForAperture(std::nullopt);
  AddReads(40);
  Finish();
}

TEST_P(Window, EntriesOfTheHostApertureChangeBetweenAccesses) {
  const auto any_page = [&] { return Chance(20) ? std::nullopt : std::optional<uint64_t>(rng() % 4); };
  HoldForEntry(0, any_page());
  HoldForEntry(255, any_page());
  lag = 60;  // so that entries change while half of a write waits
  AddWrites(400);
  AddReads(400);
  for (int i = 0; i < 80; ++i) {
    for (int steps = Random(0, 30); steps > 0; --steps) Step();
    if (Chance(30)) HoldForAperture(Chance(20) ? std::nullopt : std::optional<uint32_t>(kApertures[rng() % 3]));
    else if (Chance(20)) Hold(kWindowBase + (rng() % 16 << 12));
    else HoldForEntry(Chance(50) ? 0 : 255, any_page());
  }
  Finish();
}

TEST_P(Window, NeitherKindKeepsTheOtherOut) {
  for (Manner each : {Manner{0, 0}, Manner{0, 50}, Manner{10, 0}}) {
    manner = each;  // Reads and writes are offered in nearly every cycle.
    AddWrites(200);
    AddReads(200);
    Finish();
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Window, SizesAndSeeds(2, 8));

}  // namespace
}  // namespace gmmu::top

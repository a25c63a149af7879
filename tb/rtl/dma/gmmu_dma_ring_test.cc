// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_dma_ring alone: with one ring and the fewest spaces, with the default sizes, and with
// four rings. The bench acts as software, fetcher and command processor, and models the state of
// each ring.
#include "tb/rtl/dma/rings_machine.h"

namespace gmmu::dma {
namespace {

class Rings : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const unsigned n_ = static_cast<unsigned>(std::get<0>(GetParam()));
  const Manner manner_ = kManners[std::get<1>(GetParam())];

  void StartAll(RingsBench& bench, bool privileged = true) {
    for (unsigned r = 0; r < bench.rings.size(); ++r) {
      bench.SetPrivileged(r, privileged);
      bench.Enable(r, true);
    }
    bench.Run(2);
  }
};

TEST_P(Rings, EveryEntryIsRunOnceInOrderAndCounted) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RingsBench bench(n_, manner_, seed);
    for (unsigned r = 0; r < bench.rings.size(); ++r) bench.SetSize(r, 1 + 3 * r % 5);
    StartAll(bench);
    uint64_t put = 0;
    for (int i = 0; i < 4000 && !HasFailure(); ++i) {
      const unsigned r = bench.Random(0, bench.rings.size() - 1);
      if (bench.Chance(20) && !bench.Full(r)) bench.Put(r, bench.AnyEntry(0)), ++put;
      if (bench.Chance(2)) bench.t.rings_enable_i[n_] ^= 1;
      bench.Step();
    }
    bench.t.rings_enable_i[n_] = 1;
    bench.Finish();
    EXPECT_EQ(bench.completed, put);
    EXPECT_GT(put, 40u);
    if (HasFailure()) return;
  }
}

TEST_P(Rings, ErrorsStopARingUntilItsEnableGoesDownAndUp) {
  for (uint64_t seed = 10; seed < 16; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RingsBench bench(n_, manner_, seed);
    bench.fail_percent = 20;
    bench.unreadable_percent = 10;
    StartAll(bench, seed % 2);
    for (int i = 0; i < 6000 && !HasFailure(); ++i) {
      const unsigned r = bench.Random(0, bench.rings.size() - 1);
      if (bench.Chance(20) && !bench.Full(r)) bench.Put(r, bench.AnyEntry(40));
      if (bench.rings[r].error && bench.phase == RingsBench::kNone && bench.Chance(5)) {
        bench.Enable(r, false);
        bench.Run(bench.Random(1, 5));
        bench.SetPrivileged(r, bench.Chance(50));
        bench.Rewind(r);
        bench.Enable(r, true);
      }
      bench.Step();
    }
    bench.Finish();
    EXPECT_GT(bench.errors, 15u);
    if (HasFailure()) return;
  }
}

TEST_P(Rings, ATailThatTheRingDoesNotHaveStopsItUntilItsEnableGoesDownAndUp) {
  for (unsigned size : {0u, 1u, 4u, 15u}) {
    SCOPED_TRACE(size);
    RingsBench bench(n_, manner_, 40 + size);
    for (unsigned r = 0; r < bench.rings.size(); ++r) bench.SetSize(r, size);
    StartAll(bench, true);
    for (int life = 0; life < 8 && !HasFailure(); ++life) {
      const unsigned r = bench.Random(0, bench.rings.size() - 1);
      for (int i = 0; i < 2 && !bench.Full(r); ++i) bench.Put(r, bench.AnyEntry(0));
      if (bench.Chance(50)) bench.Finish();
      const uint64_t errors = bench.errors;
      bench.Overrun(r);
      bench.Finish();
      EXPECT_EQ(bench.errors, errors + 1);
      EXPECT_TRUE(bench.rings[r].error);
      bench.Enable(r, false);
      bench.Run(3);
      bench.Rewind(r);
      bench.Enable(r, true);
      bench.Run(3);
    }
  }
}

TEST_P(Rings, AnEntryPastTheEndOfTheAddressesStopsTheRing) {
  RingsBench bench(n_, manner_, 50);
  bench.SetSize(0, 8);
  bench.SetBase(0, 0xffff'ffff'f000);  // base of the last 128 entries below 2^48
  StartAll(bench, true);
  for (int i = 0; i < 128; ++i) {
    bench.Put(0, bench.AnyEntry(0));
    if (i % 16 == 0) bench.Finish();
  }
  bench.Finish();
  EXPECT_EQ(bench.completed, 128u);
  EXPECT_EQ(bench.errors, 0u);
  bench.Put(0, bench.AnyEntry(0));
  bench.Finish();
  EXPECT_EQ(bench.errors, 1u);
}

TEST_P(Rings, ARingThatIsSwitchedOffAbandonsItsEntry) {
  for (uint64_t seed = 20; seed < 26; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RingsBench bench(n_, manner_, seed);
    bench.slow = seed % 2 ? 3 : 20;
    StartAll(bench);
    for (int i = 0; i < 6000 && !HasFailure(); ++i) {
      const unsigned r = bench.Random(0, bench.rings.size() - 1);
      if (bench.Chance(20) && !bench.Full(r)) bench.Put(r, bench.AnyEntry(5));
      if (bench.Chance(5)) {  // Often re-enables the ring before its entry is abandoned.
        bench.Enable(r, false);
        bench.Run(bench.Random(1, 3));
        bench.Rewind(r);
        bench.Enable(r, true);
      }
      bench.Step();
    }
    bench.Finish();
    EXPECT_GT(bench.given_up, 10u);
    EXPECT_GT(bench.completed, 10u);
    if (HasFailure()) return;
  }
}

TEST_P(Rings, AnEntryUnderWayEndsThoughTheEngineIsSwitchedOff) {
  RingsBench bench(n_, manner_, 30);
  StartAll(bench);
  bench.Put(0, bench.AnyEntry(0));
  bench.Put(0, bench.AnyEntry(0));
  for (int i = 0; i < 200 && bench.served.empty(); ++i) bench.Step();
  bench.t.rings_enable_i[n_] = 0;
  bench.Run(500);
  EXPECT_EQ(bench.completed, 1u);
  EXPECT_TRUE(bench.t.rings_idle_o[n_]);
  bench.t.rings_enable_i[n_] = 1;
  bench.Finish();
  EXPECT_EQ(bench.completed, 2u);
}

TEST_P(Rings, KillStandsUntilTheCommandProcessorHasGivenUp) {
  RingsBench bench(n_, manner_, 40);
  bench.slow_run = true;
  StartAll(bench);
  bench.Put(0, bench.AnyEntry(0));
  for (int i = 0; i < 400 && bench.phase != RingsBench::kRun; ++i) bench.Step();
  ASSERT_EQ(bench.phase, RingsBench::kRun);
  bench.Run(50);
  bench.Enable(0, false);
  bench.Step();
  bench.Rewind(0);
  bench.Enable(0, true);  // The entry in progress must still be abandoned.
  bench.Finish();
  EXPECT_EQ(bench.completed, 0u);
  EXPECT_EQ(bench.given_up, 1u);
}

TEST_P(Rings, APreemptedRingStandsUntilItsNextLife) {
  uint64_t stopped = 0, answered = 0, errors = 0;
  for (uint64_t seed = 60; seed < 66; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RingsBench bench(n_, manner_, seed);
    bench.slow = seed % 2 ? 3 : 20;
    bench.fail_percent = 10;
    bench.unreadable_percent = 5;
    StartAll(bench);
    std::array<unsigned, 4> stands{};  // cycles since each ring stopped
    for (int i = 0; i < 8000 && !HasFailure(); ++i) {
      const unsigned r = bench.Random(0, bench.rings.size() - 1);
      if (bench.Chance(20) && !bench.Full(r)) bench.Put(r, bench.AnyEntry(10));
      if (bench.Chance(3)) bench.Preempt(r, bench.Chance(80));  // 80 %: request, 20 %: withdraw
      for (unsigned each = 0; each < bench.rings.size(); ++each) {
        const RingModel& ring = bench.rings[each];
        if ((ring.preempted || ring.error) && stands[each]++ > bench.Random(20, 100)) {
          stands[each] = 0;
          bench.Enable(each, false);
          bench.Preempt(each, bench.Chance(20));
          bench.Run(bench.Random(1, 3));
          bench.Rewind(each);
          bench.Enable(each, true);
        }
      }
      bench.Step();
    }
    for (unsigned r = 0; r < bench.rings.size(); ++r) bench.Preempt(r, false);
    bench.Finish();
    stopped += bench.stopped, answered += bench.answered, errors += bench.errors;
    if (HasFailure()) return;
  }
  EXPECT_GT(stopped, 20u);
  EXPECT_GT(answered, 20u);
  EXPECT_GT(errors, 5u);
}

TEST_P(Rings, AnIdleRingIsPreemptedAtOnceAndTakesNoEntry) {
  RingsBench bench(n_, manner_, 70);
  StartAll(bench);
  bench.Finish();
  bench.Preempt(0, true);
  bench.Run(4);
  EXPECT_TRUE(bench.State(0).preempted);
  EXPECT_EQ(bench.State(0).fence, 0u);
  bench.Put(0, bench.AnyEntry(0));
  bench.Preempt(0, false);
  bench.Run(100);
  EXPECT_TRUE(bench.served.empty());
  EXPECT_TRUE(bench.t.rings_idle_o[n_]);
}

TEST_P(Rings, ARingThatIsSwitchedOffWhileItStopsIsNotPreempted) {
  unsigned none = 0;
  for (unsigned after = 0; after < 40 && !HasFailure(); ++after) {
    SCOPED_TRACE(after);
    RingsBench bench(n_, manner_, 80 + after);
    StartAll(bench);
    bench.Put(0, bench.AnyEntry(0));
    for (int i = 0; i < 400 && bench.phase != RingsBench::kRun; ++i) bench.Step();
    ASSERT_EQ(bench.phase, RingsBench::kRun);
    bench.Preempt(0, true);
    bench.Run(after);
    bench.Enable(0, false);
    bench.Preempt(0, false);
    bench.Step();
    bench.Rewind(0);
    bench.Enable(0, true);
    bench.Finish();
    none += bench.stopped + bench.answered == 0;
    EXPECT_FALSE(bench.State(0).preempted);
  }
  EXPECT_GT(none, 0u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Rings, ::testing::Combine(::testing::Range(0, 3), ::testing::Range(0, 4)));

class RingTurns : public Rings {};  // with four rings

TEST_P(RingTurns, RingsTakeTurns) {
  RingsBench bench(n_, manner_, 50);
  StartAll(bench);
  for (unsigned i = 0; i < 6; ++i)
    for (unsigned r = 0; r < 4; ++r)
      if (i < 3 || r % 2) bench.Put(r, bench.AnyEntry(0));
  bench.Finish();
  EXPECT_EQ(bench.served, (std::vector<unsigned>{1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 3, 1, 3, 1, 3}));
}
INSTANTIATE_TEST_SUITE_P(Sizes, RingTurns, ::testing::Combine(::testing::Values(2), ::testing::Range(0, 4)));

}  // namespace
}  // namespace gmmu::dma

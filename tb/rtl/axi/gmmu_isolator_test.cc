// SPDX-License-Identifier: Apache-2.0
// Tests the isolator between a core that is reset and memories that are not: every obligation to a memory is met, and
// no old response reaches the core.
#include "tb/rtl/axi/isolator_machine.h"

namespace gmmu::isolator {
namespace {

TEST(Isolator, PassesEverythingWithoutACycleWhileNobodyAsks) {
  for (unsigned stall : {0u, 40u}) {
    Bench bench(1, stall);
    bench.Run(2000);
    EXPECT_GT(bench.port[0].answers, 500u);
    EXPECT_GT(bench.port[1].answers, 500u);
    bench.Finish();
  }
  Bench bench(1);
  bench.busy = false;
  auto& t = bench.t;
  t.ar_valid_i[1] = 1;
  t.m_ar_ready_i[1] = 1;
  t.eval();
  EXPECT_TRUE(t.m_ar_valid_o[1] && t.ar_ready_o[1]);
}

TEST(Isolator, TheFirstGenerationAfterPowerOnIsZero) {
  Bench bench(8);
  for (int i = 0; i < 100; ++i) {
    bench.Step();
    for (unsigned p = 0; p < 2; ++p) {
      if (bench.t.m_ar_valid_o[p]) EXPECT_EQ(Unpack<Bench::PortAx>(bench.t.m_ar_o[p]).id >> kGeneration, 0);
      if (bench.t.m_aw_valid_o[p]) EXPECT_EQ(Unpack<Bench::PortAx>(bench.t.m_aw_o[p]).id >> kGeneration, 0);
    }
  }
}

TEST(Isolator, AResetLetsNothingNewBegin) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Bench bench(seed, 30);
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
    bench.Run(10);  // So early, the core still has free ids for new bursts.
    bench.ResetCore();
    bench.Until([&] { return bench.t.closed_o != 0; }, "both ports closed", 4);
    const uint64_t begun[2] = {bench.port[0].begun, bench.port[1].begun};
    bench.Run(kTimeout / 2);
    EXPECT_FALSE(bench.InReset());
    for (unsigned p = 0; p < 2; ++p) {  // The pending AR and AW may still be accepted.
      EXPECT_LE(bench.port[p].begun, begun[p] + 2) << "port " << p << ", seed " << seed;
    }
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
    bench.Finish();
  }
}

TEST(Isolator, AResetWaitsForAnswersThatComeInTime) {
  Bench bench(2);
  bench.Run(100);
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
  bench.Run(20);
  bench.ResetCore();
  bench.Run(kTimeout / 2);
  EXPECT_FALSE(bench.InReset()) << "the core was cut off from answers that are not late yet";
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
  bench.busy = false;
  bench.UntilReset(4 * kTimeout);
  for (auto& q : bench.port) EXPECT_TRUE(q.reading.empty()) << "reset before the last answer";
}

TEST(Isolator, TheMemoryPortsStayOpenUntilTheAccessesOfSoftwareHaveEnded) {
  for (unsigned delay : {1u, 2u, 7u, kTimeout / 2}) {
    Bench bench(delay);
    auto& t = bench.t;
    t.stopped_i = 0;
    bench.Run(50);
    EXPECT_FALSE(t.stop_o || t.resetting_o);
    bench.ResetCore();
    const uint64_t begun = bench.port[0].begun;
    for (unsigned i = 0; i < delay; ++i) {
      bench.Settle();
      EXPECT_TRUE(t.stop_o && t.resetting_o) << "from the cycle behind reset_i on";
      EXPECT_FALSE(t.closed_o || t.core_reset_o) << "cycle " << i << " of " << delay;
      bench.Step();
    }
    if (delay > 4) EXPECT_GT(bench.port[0].begun, begun);
    t.stopped_i = 1;
    bench.Until([&] { return t.closed_o != 0; }, "closed ports", 4);
    bench.UntilLife(1, 5 * kTimeout);
  }
}

TEST(Isolator, AccessesOfSoftwareThatDoNotEndHoldTheResetUpForTheTimeOut) {
  Bench bench(4);
  bench.t.stopped_i = 0;
  bench.Run(50);
  bench.ResetCore();
  bench.Run(kTimeout / 2);
  EXPECT_FALSE(bench.t.closed_o);
  bench.UntilReset(kTimeout + 20);
  EXPECT_TRUE(bench.t.stop_o);
  bench.UntilLife(1, 200);
}

TEST(Isolator, SoftwareGoesOnOneCycleBehindTheCoresReset) {
  Bench bench(6);
  auto& t = bench.t;
  bench.Run(50);
  bench.ResetCore();
  bench.busy = false;
  bench.UntilReset(5 * kTimeout);
  bool reset_before = true;  // the previous cycle's core_reset_o: gmmu_reset adds one cycle
  unsigned reset_cycles = 0;
  for (unsigned i = 0; i < 100; ++i) {
    bench.Settle();
    EXPECT_EQ(t.stop_o, t.core_reset_o || reset_before) << "cycle " << i;
    EXPECT_EQ(t.resetting_o, t.stop_o);
    reset_before = t.core_reset_o;
    reset_cycles += t.core_reset_o;
    bench.Step();
  }
  EXPECT_FALSE(t.stop_o);
  EXPECT_GE(reset_cycles, 8u) << "long enough for the reset registers of all blocks";
}

TEST(Isolator, AnIdleCoreIsResetAtOnceAndLongEnough) {
  for (unsigned idle = 0; idle < 8; ++idle) {
    Bench bench(9);
    bench.Run(100);
    bench.Finish();
    bench.Run(idle);
    bench.ResetCore();
    bench.UntilReset(10);
    unsigned cycles = 0;
    for (; bench.InReset(); ++cycles) bench.Step();
    EXPECT_GE(cycles, 8u) << "long enough for the reset registers of all blocks";
    EXPECT_LE(cycles, 20u);
  }
}

TEST(Isolator, AResetEndsAlthoughAnswersAreMissing) {
  Bench bench(3);
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
  bench.Run(100);
  bench.ResetCore();
  bench.UntilReset(kTimeout + 20);
  bench.UntilLife(1, 200);
}

TEST(Isolator, AnswersOfTheOldGenerationNeverReachTheCore) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Bench bench(seed, seed % 3 * 30);
    bench.Run(60);
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
    bench.Run(100);
    bench.ResetCore();
    bench.UntilLife(1);
    bench.Run(50);  // New bursts of the reset core reuse the ids of old bursts.
    for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
    bench.Run(1000);
    EXPECT_GT(bench.port[0].answers, 100u);
    bench.Finish();
  }
}

TEST(Isolator, AGenerationIsNotUsedAgainWhileAnswersOfItAreMissing) {
  Bench bench(5);
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = false;
  bench.Run(100);
  bench.ResetCore();
  bench.UntilLife(1);
  bench.Run(100);
  bench.ResetCore();
  bench.UntilReset();
  bench.Run(500);
  EXPECT_TRUE(bench.InReset()) << "both generations have answers to come";
  for (auto& q : bench.port) q.answer_reads = q.answer_writes = true;
  bench.UntilLife(2);
  bench.Run(500);
}

TEST(Isolator, EveryPromiseIsKeptWhateverTheMomentOfTheReset) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Bench bench(seed, seed % 4 * 25);
    bench.Run(20 + seed);
    if (seed % 2 == 0) {  // In half of the rounds, the memory stalls past the time-out.
      for (auto& q : bench.port) q.take = false;
      bench.Run(seed % 7);
    }
    if (seed % 3 == 0) {
      for (auto& q : bench.port) q.answer_writes = false;
    }
    bench.ResetCore();
    bench.Run(2 * kTimeout);
    for (auto& q : bench.port) q.take = q.answer_writes = true;
    bench.UntilLife(1);
    bench.Run(300);
    bench.Finish();
    if (::testing::Test::HasFailure()) break;
  }
}

TEST(Isolator, SilenceClosesTheHostPortOnly) {
  Bench bench(7, 20);
  bench.Run(100);
  bench.t.silence_i = 1;
  bench.Until([&] { return bench.t.silent_o != 0; }, "silence", 5000);
  EXPECT_TRUE(bench.port[1].reads.empty() && bench.port[1].written.empty());
  const uint64_t host = bench.port[1].begun, vram = bench.port[0].begun;
  bench.Run(500);
  EXPECT_EQ(bench.port[1].begun, host);
  EXPECT_GT(bench.port[0].begun, vram);
  bench.t.silence_i = 0;
  bench.Run(500);
  EXPECT_GT(bench.port[1].begun, host);
}

}  // namespace
}  // namespace gmmu::isolator

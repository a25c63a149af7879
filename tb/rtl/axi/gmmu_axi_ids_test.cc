// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/axi/ids_machine.h"

namespace gmmu::ids {
namespace {

std::string BitsAndSeed(const testing::TestParamInfo<SizeSeed>& test) {
  const char* const sizes[] = {"bits4", "bits1", "bits2", "bits16", "bits3_unshared"};
  return std::string(sizes[std::get<0>(test.param)]) + "_seed" + std::to_string(std::get<1>(test.param));
}

/// Tests that run with every size.
class AxiIds : public BlockTest<IdsMachine> {
 protected:
  AxiIds() { manner = {0, 0}; }
  void Several(unsigned bursts) {
    for (const Manner& above : kManners) {
      for (const Manner& below : kManners) {
        manner = above, memory = below;
        any_order = !Chance(20), aw_waits = Chance(30), w_waits = !aw_waits && Chance(30);
        for (unsigned i = 0; i < bursts; ++i) AskAny();
        Finish();
        if (HasFailure()) return;
      }
    }
  }
};
/// Tests that run with the sizes that have an id table.
class AxiIdTable : public AxiIds {};

TEST_P(AxiIds, EveryBurstGetsThroughOnceAndItsAnswersComeBack) { Several(250); }

TEST_P(AxiIdTable, AnswersThatNobodyWaitsForAreDropped) {
  stray_percent = 30;
  Several(100);
  EXPECT_GT(strays, 200u);
}

TEST_P(AxiIdTable, NoOutputFollowsAnInputOfTheSameCycle) {
  look_percent = 100;
  Several(40);
  EXPECT_GT(looks, 1000u);
}

TEST_P(AxiIdTable, AnAddressWaitsWhileNoIdIsFree) {
  for (bool write : {false, true}) {
    for (unsigned i = 0; i < 4 * ids; ++i) Ask(write, 1 + i % 3);
    for (unsigned i = 0; i <= 3 * ids; ++i) {
      most_ended[write] = i;
      Run(i == 0 ? 200 : 60);
      EXPECT_EQ(answered[write], i);
      EXPECT_EQ(AtMemory(write), ids) << "one more for each answer";
      EXPECT_FALSE(write ? t.m_aw_valid_o[n] : t.m_ar_valid_o[n]);
    }
    most_ended[write] = 4 * ids;
    Finish();
    EXPECT_EQ(answered[write], 4 * ids);
  }
}

TEST_P(AxiIdTable, ReadsDoNotWaitForWritesNorWritesForReads) {
  for (bool stuck : {false, true}) {
    answer[stuck] = false;
    for (unsigned i = 0; i < 2 * ids; ++i) Ask(stuck, 2);
    Run(100);
    EXPECT_EQ(AtMemory(stuck), ids);
    const uint64_t before = answered[!stuck];
    for (unsigned i = 0; i < 3 * ids; ++i) Ask(!stuck, 2);
    Run(400);
    EXPECT_EQ(answered[!stuck], before + 3 * ids);
    answer[stuck] = true;
    Finish();
  }
}

TEST_P(AxiIdTable, BeatsOfWritesPassWhileTheirAddressesWait) {
  take[kWrite] = false;
  for (unsigned i = 0; i < 8; ++i) Ask(kWrite, 4);
  Run(100);
  EXPECT_EQ(taken[kWrite], 0u);
  EXPECT_EQ(beats[2], 3u * 4) << "two addresses stand in the slice, one in front of it";
  take[kWrite] = true;
  Finish();
}

TEST_P(AxiIdTable, AWordACycleOnEveryChannelAndACycleOfLatency) {
  look_percent = 0;
  if (ids > 8) {
    for (unsigned i = 0; i < 500; ++i) Ask(kRead, 1), Ask(kWrite, 1);
    Until([&] { return Done(); }, "the answers", 520);
  }
  for (unsigned i = 0; i < 64; ++i) Ask(kRead, 8), Ask(kWrite, 8);
  Until([&] { return Done(); }, "the beats", 64 * 8 + (ids > 2 ? 20 : 200));
  Finish();
  uint64_t begin = now;
  const uint64_t r_before = taken[kRead];
  Ask(kRead, 1);
  Until([&] { return taken[kRead] > r_before; }, "AR", 4);
  EXPECT_EQ(now - begin, 2u);  // one cycle in the unit, one for the acceptance
  begin = now;
  Until([&] { return Done(); }, "R", 4);
  EXPECT_EQ(now - begin, 2u);
  const uint64_t w_before = beats[2];
  begin = now;
  Ask(kWrite, 1);
  Until([&] { return beats[2] > w_before; }, "W", 4);
  EXPECT_EQ(now - begin, 2u);
  Until([&] { return Done(); }, "B", 4);
  EXPECT_EQ(now - begin, 4u);
}

TEST_P(AxiIdTable, TheIdThatHasBeenFreeForLongestComesNext) {
  any_order = false;
  for (unsigned i = 0; i < 3 * ids; ++i) Ask(kRead, 1);
  Finish();
  for (unsigned i = 0; i < 3 * ids; ++i) EXPECT_EQ(given[i], i % ids);
}

TEST_P(AxiIdTable, AResetFreesAllIds) {
  answer[0] = answer[1] = false;
  for (unsigned i = 0; i < 3 * ids; ++i) Ask(kRead, 2), Ask(kWrite, 2, shares && i % 4 == 0);
  Run(100);
  Forget();
  EXPECT_FALSE(t.m_ar_valid_o[n] || t.m_aw_valid_o[n] || t.m_w_valid_o[n]);
  for (bool shared : {shares, false}) {
    answer[0] = answer[1] = false;
    for (unsigned i = 0; i < 3 * ids; ++i) Ask(kRead, 2), Ask(kWrite, 2, shared && i % ids == 1);
    Run(100);
    EXPECT_EQ(AtMemory(kRead), ids);
    EXPECT_EQ(AtMemory(kWrite), ids);
    answer[0] = answer[1] = true;
    Finish();
  }
}

/// Tests that run with the sizes that have a table and a shared id.
class AxiSharedId : public AxiIds {};

TEST_P(AxiSharedId, SharedWritesHaveOneIdTogetherAndAreCounted) {
  answer[kWrite] = false;
  for (unsigned i = 0; i < 40; ++i) Ask(kWrite, 1, true);
  Run(200);
  EXPECT_EQ(AtMemory(kWrite), most_shared);
  std::set<unsigned> below;
  for (const Burst& b : Memory(kWrite)) below.insert(b.below);
  EXPECT_EQ(below.size(), 1u);
  answer[kWrite] = true;
  Finish();
  answer[kWrite] = false;  // The shared writes had one id, which is free now.
  Ask(kWrite, 1, true);
  for (unsigned i = 0; i < 2 * ids; ++i) Ask(kWrite, 1);
  Run(200);
  EXPECT_EQ(AtMemory(kWrite), ids);
  answer[kWrite] = true;
  Finish();
}

TEST_P(AxiSharedId, TheSharedIdsOfTheGenerationsAreApart) {
  answer[kWrite] = false;
  for (unsigned i = 0; i < 3; ++i) Ask(kWrite, 1, true, false);
  for (unsigned i = 0; i < 3; ++i) Ask(kWrite, 1, true, true);
  Run(100);
  std::set<std::pair<unsigned, unsigned>> pairs;
  for (const Burst& b : Memory(kWrite)) pairs.emplace(b.id, b.below);
  EXPECT_EQ(AtMemory(kWrite), 6u);
  EXPECT_EQ(pairs.size(), 2u);
  EXPECT_NE(pairs.begin()->second, pairs.rbegin()->second);
  answer[kWrite] = true;
  Finish();
}

TEST_P(AxiSharedId, AnOfferKeepsTheSharedIdWhenTheLastWriteBeforeItEnds) {
  for (int round = 0; round < 20 && !HasFailure(); ++round) {
    answer[kWrite] = false, take[kWrite] = true;
    Ask(kWrite, 1, true);
    Until([&] { return AtMemory(kWrite) == 1; }, "the first one", 20);
    take[kWrite] = false;
    Ask(kWrite, 1, true);
    Run(5);
    EXPECT_TRUE(t.m_aw_valid_o[n]);
    const unsigned id = t.m_aw_id_o[n];
    const uint64_t before = answered[kWrite];
    // The memory has not accepted the AW with this id, so stray responses may use the id.
    answer[kWrite] = true, stray_percent = 50;
    Until([&] { return answered[kWrite] > before; }, "its answer", 20);
    Run(20);
    stray_percent = 0, answer[kWrite] = false;
    EXPECT_TRUE(t.m_aw_valid_o[n]);
    EXPECT_EQ(t.m_aw_id_o[n], id);
    take[kWrite] = true;
    for (unsigned i = 0; i < 2 * ids; ++i) Ask(kWrite, 1);
    Run(100);
    EXPECT_EQ(AtMemory(kWrite), ids);  // IdsMachine reports ids that are assigned twice.
    answer[kWrite] = true;
    Finish();
  }
}

TEST(AxiIdWires, SixteenBitsAreWires) {
  IdsMachine bench(kWires, 1);
  auto& t = bench.t;
  for (int i = 0; i < 200; ++i) {
    const auto bits = [&] { return static_cast<uint32_t>(bench.rng()); };
    t.ax_valid_i[0] = bits() & 1, t.ax_valid_i[1] = bits() & 1, t.w_valid_i = bits() & 1, t.m_r_valid_i = bits() & 1;
    t.m_b_valid_i = bits() & 1, t.m_ax_ready_i[0] = bits() & 1, t.m_ax_ready_i[1] = bits() & 1,
    t.m_w_ready_i = bits() & 1;
    t.r_ready_i = bits() & 1, t.b_ready_i = bits() & 1, t.m_r_last_i = bits() & 1;
    t.ax_id_i[0] = static_cast<uint16_t>(bits()), t.ax_id_i[1] = static_cast<uint16_t>(bits());
    t.m_r_id_i = static_cast<uint16_t>(bits()), t.m_b_id_i = static_cast<uint16_t>(bits());
    t.ax_i[0] = bits(), t.ax_i[1] = bits(), t.w_i = bits(), t.m_r_i = bits(), t.m_b_i = bits();
    bench.Settle();
    const unsigned n = kWires;
    const auto ar = std::make_tuple(t.m_ar_valid_o[n], t.m_ar_id_o[n], t.m_ar_o[n], t.ar_ready_o[n]);
    EXPECT_EQ(ar, std::make_tuple(t.ax_valid_i[0], t.ax_id_i[0], t.ax_i[0], t.m_ax_ready_i[0]));
    const auto aw = std::make_tuple(t.m_aw_valid_o[n], t.m_aw_id_o[n], t.m_aw_o[n], t.aw_ready_o[n]);
    EXPECT_EQ(aw, std::make_tuple(t.ax_valid_i[1], t.ax_id_i[1], t.ax_i[1], t.m_ax_ready_i[1]));
    EXPECT_EQ(std::make_tuple(t.m_w_valid_o[n], t.m_w_o[n], t.w_ready_o[n]),
              std::make_tuple(t.w_valid_i, t.w_i, t.m_w_ready_i));
    const auto r = std::make_tuple(t.r_valid_o[n], t.r_id_o[n], t.r_o[n], t.r_last_o[n], t.m_r_ready_o[n]);
    EXPECT_EQ(r, std::make_tuple(t.m_r_valid_i, t.m_r_id_i, t.m_r_i, t.m_r_last_i, t.r_ready_i));
    const auto b = std::make_tuple(t.b_valid_o[n], t.b_id_o[n], t.b_o[n], t.m_b_ready_o[n], t.stray_o[n]);
    EXPECT_EQ(b, std::make_tuple(t.m_b_valid_i, t.m_b_id_i, t.m_b_i, t.b_ready_i, 0));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AxiIds, SizesAndSeeds(5, 4), BitsAndSeed);
INSTANTIATE_TEST_SUITE_P(Sizes, AxiIdTable, testing::Combine(testing::Values(0, 1, 2, 4), testing::Range(1, 5)),
                         BitsAndSeed);
INSTANTIATE_TEST_SUITE_P(Sizes, AxiSharedId, SizesAndSeeds(3, 4), BitsAndSeed);

}  // namespace
}  // namespace gmmu::ids

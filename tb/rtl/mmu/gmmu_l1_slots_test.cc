// SPDX-License-Identifier: Apache-2.0
// gmmu_l1_slots against a set of free slots: none is given twice, one that is free for two cycles is offered, what was
// kept is read.
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "inner.h"

namespace gmmu::inner {
namespace {

class L1SlotsTest : public InnerTest {
 protected:
  const unsigned slots_ = n ? 2 : 32;
  std::set<unsigned> taken_;
  std::vector<uint32_t> kept_ = std::vector<uint32_t>(64);
  std::deque<std::pair<unsigned, uint64_t>> released_;  ///< slot, and the cycle

  /// After a reset: the slots come within a bound, none before all were seen to.
  void WaitForOne() {
    for (unsigned i = 0; t.sl_one_o[n] == 0; ++i) {
      ASSERT_LT(i, slots_ + 4) << "no slot after the reset";
      Step();
      Settle();
    }
  }
  /// One cycle; may and alloc only if there is a slot. Returns whether one was taken.
  bool Cycle(bool may, bool alloc, std::optional<unsigned> release) {
    while (!released_.empty() && released_.front().second + 2 <= now) released_.pop_front();
    const size_t may_be_had = slots_ - taken_.size() - released_.size();
    Settle();
    EXPECT_EQ(t.sl_one_o[n] != 0, may_be_had != 0) << "cycle " << now;
    const bool one = t.sl_one_o[n] != 0;
    const unsigned slot = t.sl_slot_o[n];
    if (one) {
      EXPECT_LT(slot, slots_);
      EXPECT_EQ(taken_.count(slot), 0u) << "slot " << slot << " is given twice";
      for (const auto& old : released_) EXPECT_NE(old.first, slot) << "too early";
    }
    const uint32_t data = rng() & 0x3fffff;
    t.sl_may_i = one && may;
    t.sl_alloc_i = one && may && alloc;
    t.sl_data_i = data;
    t.sl_release_i = release.has_value();
    t.sl_release_slot_i = static_cast<uint8_t>(release.value_or(Random(slots_)));
    // What was kept of any slot in use, also of the one that is released.
    if (!taken_.empty()) {
      auto which = taken_.begin();
      std::advance(which, Random(static_cast<unsigned>(taken_.size())));
      t.sl_read_slot_i = static_cast<uint8_t>(*which);
      Settle();
      EXPECT_EQ(t.sl_data_o[n], kept_[*which]) << "slot " << *which;
    }
    if (release) taken_.erase(*release), released_.push_back({*release, now});
    if (one && may && alloc) taken_.insert(slot), kept_[slot] = data;
    Step();
    t.sl_may_i = t.sl_alloc_i = t.sl_release_i = 0;
    return one && may && alloc;
  }
  std::optional<unsigned> Some() {
    if (taken_.empty()) return std::nullopt;
    auto which = taken_.begin();
    std::advance(which, Random(static_cast<unsigned>(taken_.size())));
    return *which;
  }
};

TEST_P(L1SlotsTest, GivesEachFreeSlotOnceAndKeepsItsData) {
  WaitForOne();
  unsigned given = 0, full = 0;
  for (int i = 0; i < 12000; ++i) {
    const unsigned round = i / 1000 % 4;
    const bool back = Chance(round == 0 ? 100 : round == 1 ? 30 : round == 2 ? 70 : 5);
    given += Cycle(Chance(90), Chance(80), back ? Some() : std::nullopt);
    full += taken_.size() == slots_;
  }
  EXPECT_GT(given, 1000u);
  EXPECT_GT(full, 500u);
}

TEST_P(L1SlotsTest, AllSlotsAreTakenInAsManyCycles) {
  WaitForOne();
  for (int i = 0; i < 6; ++i) Cycle(false, false, std::nullopt);
  EXPECT_FALSE(t.sl_few_o[n]);
  for (unsigned i = 0; i < slots_; ++i) ASSERT_TRUE(Cycle(true, true, std::nullopt)) << i;
  EXPECT_EQ(t.sl_few_o[n] != 0, n == 0);  // of two, none is kept back
  for (int i = 0; i < 10; ++i) ASSERT_FALSE(Cycle(true, true, std::nullopt));
  // The one that comes back can be taken two cycles later, not before.
  for (int i = 0; i < 20; ++i) {
    const unsigned slot = *Some();
    ASSERT_FALSE(Cycle(true, true, slot));
    ASSERT_FALSE(Cycle(true, true, std::nullopt));
    ASSERT_TRUE(Cycle(true, true, std::nullopt));
    ASSERT_EQ(taken_.count(slot), 1u);
  }
}

TEST_P(L1SlotsTest, AResetFreesAllSlotsAndGivesNoneInItsFirstCycles) {
  WaitForOne();
  for (unsigned i = 0; i < slots_; ++i) Cycle(true, true, std::nullopt);
  Reset(1);
  Settle();
  EXPECT_FALSE(t.sl_one_o[n]);
  taken_.clear(), released_.clear();
  WaitForOne();
  for (unsigned i = 0; i < slots_; ++i) ASSERT_TRUE(Cycle(true, true, std::nullopt)) << i;
}

INSTANTIATE_TEST_SUITE_P(Sizes, L1SlotsTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner

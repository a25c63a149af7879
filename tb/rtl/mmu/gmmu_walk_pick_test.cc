// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_pick against its rules: one row that asks, it stands until it is taken or cleared, from the lowest up among
// those that were taken together, and nobody is served twice before another that asked earlier.
#include <array>

#include "inner.h"

namespace gmmu::inner {
namespace {

class WalkPickTest : public InnerTest {
 protected:
  unsigned req_ = 0;
  std::array<uint64_t, 9> since_{};  ///< cycle of the first asking
  unsigned last_ = 0;                ///< the pick of the cycle before
  bool left_ = true;                 ///< and it went, or there was none
  unsigned last_row_ = 64;           ///< who was picked last
  uint64_t waits_ = 0;               ///< cycles with somebody asking, nobody picked
  unsigned served_ = 0, cleared_ = 0, higher_ = 0;
  std::array<unsigned, 9> overtaken_{};  ///< how often others were picked since a row asks

  void Ask(unsigned row) {
    if (req_ >> row & 1) return;
    req_ |= 1u << row;
    since_[row] = now;
    overtaken_[row] = 0;
  }
  /// One cycle. Returns the row that was taken, or 64.
  unsigned Cycle(bool take, bool clear) {
    t.pk_req_i = static_cast<uint16_t>(req_);
    t.pk_take_i = take;
    t.pk_clear_i = clear;
    Settle();
    const unsigned pick = t.pk_pick_o[n], row = One(pick);
    unsigned taken = 64;
    if (pick != 0) {
      EXPECT_LT(row, rows) << "several rows";
      EXPECT_EQ(t.pk_row_o[n], row);
      EXPECT_TRUE(req_ >> row & 1) << "row " << row << " did not ask, cycle " << now;
      if (left_) Picked(row);
    }
    if (!left_) EXPECT_EQ(pick, last_) << "a pick did not stand, cycle " << now;
    waits_ = pick == 0 && req_ != 0 ? waits_ + 1 : 0;
    EXPECT_LT(waits_, 5u) << "nobody is picked";
    left_ = pick == 0 || take || clear;
    last_ = pick;
    if (clear) last_row_ = 64, waits_ = 0, ++cleared_;
    if (pick != 0 && take && !clear) taken = row;
    Step();
    if (taken != 64) req_ &= ~(1u << taken), ++served_;
    if (clear) {
      for (auto& since : since_) since = now;
      overtaken_ = {};
    }
    return taken;
  }

 private:
  void Picked(unsigned row) {
    // Going up, nobody between is left out that asked when these were taken into the register, nor below at the begin.
    const bool up = last_row_ != 64 && row > last_row_;
    for (unsigned r = up ? last_row_ + 1 : 0; r < row; ++r) {
      if ((req_ >> r & 1) && since_[r] + 8 * rows < now && !up) ADD_FAILURE() << "row " << r << " is left out";
    }
    higher_ += up;
    for (unsigned r = 0; r < rows; ++r) {
      if (r != row && (req_ >> r & 1)) {
        EXPECT_LT(++overtaken_[r], 2 * rows) << "row " << r << " starves";
      }
    }
    last_row_ = row;
  }
};

TEST_P(WalkPickTest, ServesWhoAsksOneAfterTheOther) {
  for (int i = 0; i < 20000; ++i) {
    const unsigned round = i / 1000 % 4, take = round == 0 ? 100 : round == 1 ? 30 : 70;
    for (unsigned r = 0; r < rows; ++r) {
      if (Chance(round == 2 ? 60 : 6)) Ask(r);
    }
    const bool clear = round == 3 && Random(40) == 0;
    Cycle(Chance(take), clear);
    if (clear) req_ &= static_cast<unsigned>(rng());
  }
  EXPECT_GT(served_, 3000u);
  EXPECT_GT(cleared_, 50u);
  EXPECT_GT(higher_, n ? 300u : 1000u);
}

TEST_P(WalkPickTest, ThoseThatAskTogetherAreServedFromTheLowestUpOneACycle) {
  for (unsigned set = 1; set < 1u << rows; ++set) {
    for (unsigned r = 0; r < rows; ++r) {
      if (set >> r & 1) Ask(r);
    }
    unsigned first = 0;
    while (Cycle(false, false) == 64 && t.pk_pick_o[n] == 0 && ++first < 6) {}
    EXPECT_LT(first, 4u);
    // While they are served all others ask: they come later.
    Ask(0);
    for (unsigned r = 0; r < rows; ++r) Ask(r);
    for (unsigned r = 0; r < rows; ++r) {
      if (set >> r & 1) EXPECT_EQ(Cycle(true, false), r) << "of " << set;
    }
    for (unsigned i = 0; req_ != 0; ++i) {
      ASSERT_LT(i, 64u);
      Cycle(true, false);
    }
    for (int i = 0; i < 4; ++i) Cycle(false, false);
  }
}

TEST_P(WalkPickTest, AClearDropsThePickAndThoseBehindIt) {
  for (unsigned r = 0; r < rows; ++r) Ask(r);
  for (int i = 0; i < 4; ++i) Cycle(false, false);
  ASSERT_NE(t.pk_pick_o[n], 0);
  Cycle(false, true);
  req_ = 0;
  for (int i = 0; i < 8; ++i) {
    Cycle(false, false);
    EXPECT_EQ(t.pk_pick_o[n], 0);
  }
  Ask(rows - 1);
  unsigned bound = 0;
  while (Cycle(true, false) == 64) ASSERT_LT(++bound, 6u);
  // As long as it is cleared nobody is picked.
  Ask(0);
  t.pk_clear_i = 1;
  t.pk_req_i = 1;
  for (int i = 0; i < 8; ++i) {
    Step();
    EXPECT_EQ(t.pk_pick_o[n], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkPickTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner

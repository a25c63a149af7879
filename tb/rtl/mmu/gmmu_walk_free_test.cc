// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_free against sets of rows: a row that begins was free, one row a cycle ends, and what is said ahead of time
// comes true.
#include <algorithm>

#include "inner.h"

namespace gmmu::inner {
namespace {

class WalkFreeTest : public InnerTest {
 protected:
  const unsigned engine_ = rows - 1;
  unsigned free_ = (1u << rows) - 1, closing_ = 0;
  unsigned before_ = 0;  ///< rows for anybody, free in the cycle before but for who began in it
  unsigned soon_ = 0, ended_ = 0;
  bool may_begin_ = false, may_engine_ = false;  ///< said in the cycle before
  unsigned begun_ = 0, begun_engine_ = 0, ends_ = 0, rescued_ = 0, back_to_back_ = 0;

  void SetUp() override {
    t.fr_free_i = static_cast<uint16_t>(free_);
    Run(3);
    before_ = free_ & ~(1u << engine_);
    soon_ = before_;
    may_begin_ = may_engine_ = false;
  }
  /// One cycle; a row begins only if that was said. Returns the rows that end.
  unsigned Cycle(bool begin, bool engine, unsigned joined) {
    begin = begin && (engine ? may_engine_ : may_begin_);
    t.fr_free_i = static_cast<uint16_t>(free_);
    t.fr_closing_i = static_cast<uint16_t>(closing_);
    t.fr_joined_i = static_cast<uint16_t>(joined);
    t.fr_begin_i = begin;
    t.fr_begin_engine_i = begin ? engine : Random(2);
    Settle();
    unsigned taken = 0;
    if (begin) {
      taken = t.fr_begin_rows_o[n];
      EXPECT_EQ(t.fr_begin_row_o[n], One(taken)) << "rows " << taken;
      EXPECT_EQ(taken & ~free_, 0u) << "a row begins that is not free";
      EXPECT_EQ(taken == 1u << engine_, engine);
    } else {
      EXPECT_EQ(t.fr_begin_rows_o[n], 0u);
    }
    // For the lookup that decides now: not the one that begins.
    const unsigned left = before_ & ~taken;
    EXPECT_EQ(t.fr_row_free_o[n] != 0, left != 0) << "cycle " << now;
    EXPECT_EQ(t.fr_engine_o[n] != 0, (free_ & ~taken & 1u << engine_) != 0);
    EXPECT_EQ(t.fr_early_o[n], std::min(3, __builtin_popcount(soon_))) << "cycle " << now;
    // Ends.
    const unsigned ends = t.fr_end_rows_o[n];
    if (closing_ == 0) {
      EXPECT_EQ(ends, 0u);
    } else {
      EXPECT_LT(One(ends), rows);
      EXPECT_EQ(ends & ~closing_, 0u);
    }
    EXPECT_EQ(t.fr_end_o[n] != 0, ended_ != 0);
    if (ended_ != 0) EXPECT_EQ(t.fr_end_row_o[n], One(ended_));

    const unsigned all = (1u << engine_) - 1;
    soon_ = (free_ | closing_) & all & ~taken;
    before_ = free_ & all & ~taken;
    may_begin_ = t.fr_row_free_o[n] != 0;
    may_engine_ = t.fr_engine_o[n] != 0;
    begun_ += begin && !engine;
    begun_engine_ += begin && engine;
    rescued_ += (ends & joined) != 0;
    ended_ = ends & ~joined;
    ends_ += ended_ != 0;
    free_ = (free_ & ~taken) | ended_;
    closing_ &= ~ends;
    Step();
    return ended_;
  }
};

TEST_P(WalkFreeTest, GivesFreeRowsAndEndsOneACycle) {
  for (int i = 0; i < 20000; ++i) {
    const unsigned round = i / 500 % 4, begins = round == 0 ? 90 : 40, closes = round == 1 ? 60 : 15;
    for (unsigned r = 0; r < rows; ++r) {
      if ((free_ >> r & 1) == 0 && (ended_ >> r & 1) == 0 && Chance(closes)) closing_ |= 1u << r;
    }
    const unsigned joined = Random(4) == 0 ? 1u << Random(rows) : 0;
    Cycle(Chance(begins), Random(4) == 0, joined);
  }
  EXPECT_GT(begun_, n ? 400u : 1500u);
  EXPECT_GT(begun_engine_, 300u);
  EXPECT_GT(ends_, 1500u);
  EXPECT_GT(rescued_, 50u);
}

TEST_P(WalkFreeTest, ARowBeginsEveryCycleWhileOneIsFree) {
  Cycle(false, false, 0);
  for (unsigned i = 0; i < engine_; ++i) {
    Cycle(true, false, 0);
    EXPECT_EQ(begun_, i + 1);
  }
  for (int i = 0; i < 4; ++i) Cycle(true, false, 0);
  EXPECT_EQ(begun_, engine_);
  EXPECT_EQ(free_, 1u << engine_);
  // The engine's row is nobody else's, and comes back for nobody else.
  Cycle(true, true, 0);
  EXPECT_EQ(begun_engine_, 1u);
  closing_ = 1u << engine_;
  Cycle(true, false, 0);
  for (int i = 0; i < 4; ++i) Cycle(true, false, 0);
  EXPECT_EQ(begun_, engine_);
  EXPECT_EQ(t.fr_early_o[n], 0);
}

TEST_P(WalkFreeTest, AJoinedRowDoesNotEnd) {
  Cycle(false, false, 0);
  Cycle(true, false, 0);
  ASSERT_EQ(begun_, 1u);
  const unsigned row = ~free_ & ((1u << rows) - 1);
  closing_ = row;
  EXPECT_EQ(Cycle(false, false, row), 0u);
  Cycle(false, false, 0);
  EXPECT_EQ(free_ & row, 0u);
  closing_ = row;
  EXPECT_EQ(Cycle(false, false, 0), row);
  Cycle(false, false, 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkFreeTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner

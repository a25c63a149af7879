// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_waiters against arrays by row: keys, who began, causes, and chains that are picked up while others join.
#include <vector>

#include "inner.h"

namespace gmmu::inner {
namespace {

class WalkWaitersTest : public InnerTest {
 protected:
  struct Row {
    Key key;
    unsigned who = 0, cause = 0, head = 0, tail = 0;
    bool chain = false;
  };
  std::vector<Row> model_ = std::vector<Row>(9);
  const unsigned waiters_ = n ? 4 : 256;
  unsigned joins_ = 0, chained_ = 0, alone_ = 0, picked_ = 0;

  void Begin(unsigned row, bool begins) {
    Row& r = model_[row];
    const Key key{Random(64), rng() & kVpnMask, Random(2) != 0};
    const unsigned who = Random(waiters_), cause = Random(16);
    t.wa_begin_i = begins;  // else it starts again
    t.wa_starts_i = 1;
    t.wa_start_row_i = static_cast<uint8_t>(row);
    t.key_i = key.Raw();
    t.wa_waiter_i = static_cast<uint8_t>(who);
    t.start_cause_i = static_cast<uint8_t>(cause);
    next_ = r;
    if (begins) next_.key = key, next_.who = who, next_.chain = false;
    next_.cause = cause;
    next_row_ = row;
  }
  Row next_;
  unsigned next_row_ = 64;

  void Look() {
    std::array<unsigned, 6> row;
    for (unsigned i = 0; i < 6; ++i) t.wa_row_i[i] = static_cast<uint8_t>(row[i] = Random(rows));
    if (t.wa_tell_ready_i) t.wa_row_i[5] = static_cast<uint8_t>(row[5] = One(t.wa_tell_rows_i));
    Settle();
    ASSERT_EQ(t.wa_restart_key_o[n], model_[row[0]].key.Raw());
    ASSERT_EQ(t.wa_index_key_o[n], model_[row[1]].key.Raw());
    ASSERT_EQ(t.wa_fill_key_o[n], model_[row[2]].key.Raw());
    ASSERT_EQ(t.wa_end_key_o[n], model_[row[3]].key.Raw());
    ASSERT_EQ(t.wa_beat_key_o[n], model_[row[4]].key.Raw());
    ASSERT_EQ(t.wa_beat_who_o[n], model_[row[4]].who);
    const Row& told = model_[row[5]];
    ASSERT_EQ(t.wa_tell_key_o[n], told.key.Raw());
    ASSERT_EQ(t.wa_tell_who_o[n], told.who);
    ASSERT_EQ(t.wa_tell_cause_o[n], told.cause);
    if (told.chain) {
      ASSERT_EQ(t.wa_tell_head_o[n], told.head);
      ASSERT_EQ(t.wa_tell_tail_o[n], told.tail);
    }
  }
};

TEST_P(WalkWaitersTest, KeepsWhoWaitsByRow) {
  for (unsigned r = 0; r < rows; ++r) {
    Begin(r, true);
    Step();
    model_[r] = next_;
  }
  for (int i = 0; i < 8000 && !HasFatalFailure(); ++i) {
    next_row_ = 64;
    t.wa_begin_i = t.wa_starts_i = t.wa_join_i = 0;
    const bool starts = Random(4) == 0;
    if (starts) Begin(Random(rows), Random(2) == 0);
    unsigned chains = 0;
    for (unsigned r = 0; r < rows; ++r) chains |= unsigned{model_[r].chain} << r;
    t.wa_chained_i = static_cast<uint16_t>(chains);
    // One lookup joins; a row is picked up to be answered, perhaps the same.
    const bool join = !starts && Random(2) == 0;
    const unsigned row = Random(rows), who = Random(waiters_);
    const unsigned told = Random(3) == 0 ? row : Random(rows);
    const bool pick = Random(3) == 0;
    t.wa_join_i = join;
    t.wa_join_rows_i = static_cast<uint16_t>(1u << row);
    if (join) t.wa_waiter_i = static_cast<uint8_t>(who);
    t.wa_tell_ready_i = pick;
    t.wa_tell_rows_i = static_cast<uint16_t>(1u << told);
    Look();
    const bool behind = model_[row].chain && !(pick && told == row);
    ASSERT_EQ(t.wa_join_chain_o[n] != 0, behind) << "cycle " << now;
    if (behind) ASSERT_EQ(t.wa_join_tail_o[n], model_[row].tail);
    Step();
    if (next_row_ != 64) model_[next_row_] = next_;
    picked_ += pick && model_[told].chain;
    if (pick) model_[told].chain = false;
    if (join) {
      ++joins_;
      ++(behind ? chained_ : alone_);
      if (!behind) model_[row].head = who;
      model_[row].tail = who;
      model_[row].chain = true;
    }
  }
  EXPECT_GT(joins_, 1000u);
  EXPECT_GT(chained_, 200u);
  EXPECT_GT(alone_, 200u);
  EXPECT_GT(picked_, 200u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkWaitersTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner

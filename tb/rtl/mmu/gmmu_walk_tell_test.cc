// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_walk_tell with rows in C++: lines that arrive beat by beat, lookups that join before,
// during and after the moment at which their row is picked for its responses, and direct responses.
// Each lookup gets one response, from its word of the line, or must be replayed.
#include <array>

#include "walk_tells.h"

namespace gmmu::inner {
namespace {

class WalkTellTest : public TellTest {
 protected:
  struct Lookup {
    unsigned who, sub;
  };
  struct Row {
    enum State { kIdle, kLine, kOver } state = kIdle;
    TellRow row;
    unsigned beat = 0;              ///< the line's next beat
    std::optional<unsigned> begin;  ///< the lookup that began the row
    std::vector<Lookup> chain;
    unsigned due = 0;  ///< number of the row's lookups that are being served
    bool Wants() const { return state == kOver && (begin || !chain.empty()); }
  };
  std::array<Row, 9> model_;
  std::array<std::array<uint64_t, 8>, 9> line_{};
  std::optional<unsigned> offered_;
  unsigned joins_ = 0, late_joins_ = 0, rows_told_ = 0, chains_ = 0, together_ = 0;

  unsigned Waiter(unsigned who) const { return Port(who) * slots_ + Slot(who); }
  unsigned Words() const { return t.data_words_o; }
  void Gone(const Told& told) override {
    if (!told.direct) --model_[told.row].due;
  }

  /// Drives a beat of a row's read: a beat of a line, or a single beat whose words all hold the
  /// entry.
  void DriveBeat(Row& row, unsigned r) {
    const bool line = row.row.Line();
    t.te_line_i = 1;
    t.te_line_row_i = static_cast<uint8_t>(r);
    t.te_line_beat_i = static_cast<uint8_t>(line ? row.beat : 0);
    const uint64_t entry = EntryFor(row.row);
    for (unsigned w = 0; w < Words(); ++w) {
      t.word_i[w] = line_[r][(line ? row.beat * Words() : 0) + w] = line && w != 0 ? EntryFor(row.row) : entry;
    }
    if (line && ++row.beat != 8 / Words()) return;
    DriveFact(row.row);
    row.state = Row::kOver;
  }
  void Cycle(unsigned rush, unsigned stall, unsigned directs, bool hold) {
    t.te_line_i = t.te_walk_i = t.te_start_i = t.te_fact_i = t.te_join_i = 0;
    // Begin a walk, or drive the next beat of a walk.
    const unsigned r = Random(rows);
    Row& some = model_[r];
    if (some.state == Row::kOver && !some.Wants() && some.due == 0) some.state = Row::kIdle;
    bool begins = false;
    if (some.state == Row::kIdle && Chance(rush)) {
      some.row = SomeRow(r);
      // nullopt: the lookup already had a direct response.
      some.begin = Random(5) == 0 ? std::nullopt : FreeWho();
      if (some.begin) used_.insert(*some.begin);
      some.state = Row::kLine;
      some.beat = 0;
      begins = true;
      DriveBegin(some.row, some.begin ? Waiter(*some.begin) : Random(4));
    } else if (some.state == Row::kLine) {
      DriveBeat(some, r);
    }
    unsigned wide = 0, drop = 0;
    for (unsigned i = 0; i < rows; ++i)
      wide |= unsigned{model_[i].row.wide} << i, drop |= unsigned{model_[i].row.drop} << i;
    t.te_wide_i = static_cast<uint16_t>(wide);
    t.te_drop_i = static_cast<uint16_t>(drop);
    // A row with pending lookups is offered, after a random delay, until accepted.
    if (!offered_ && !hold && Chance(rush)) {
      const unsigned o = Random(rows);
      if (model_[o].Wants() && !(o == r && t.te_fact_i)) offered_ = o;
    }
    t.te_row_valid_i = offered_.has_value();
    if (offered_) {
      const Row& row = model_[*offered_];
      t.te_row_i = static_cast<uint8_t>(*offered_);
      t.te_begin_i = row.begin.has_value();
      t.te_chain_i = !row.chain.empty();
    }
    // A lookup may join any row in progress, even one that is picked in this cycle or is being
    // served.
    const unsigned j = Random(rows);
    Row& joined = model_[j];
    const bool open = joined.state == Row::kLine || (joined.state == Row::kOver && joined.row.wide);
    std::optional<unsigned> who = open && !begins && Chance(rush) ? FreeWho() : std::nullopt;
    const std::optional<Told> direct = DriveDirect(Chance(directs), Random(rows));
    if (direct && who && direct->who == *who) who.reset();
    t.te_tell_ready_i = !Chance(stall);
    t.te_again_ready_i = !Chance(stall);
    t.te_hold_i = hold;
    Settle();
    const bool takes = offered_ && t.te_row_ready_o[n];
    const unsigned sub = joined.row.wide ? Random(8) : static_cast<unsigned>(joined.row.key.vpn & 7);
    if (who) {
      t.te_join_i = 1;
      t.te_join_row_i = static_cast<uint8_t>(j);
      t.te_waiter_i = static_cast<uint8_t>(Waiter(*who));
      t.te_join_sub_i = static_cast<uint8_t>(sub);
      t.te_join_chain_i = !joined.chain.empty() && !(takes && offered_ == j);
    }
    Settle();
    Watch(direct, hold);
    if (HasFatalFailure()) return;
    // kept_o must include each row in service that has responses left other than the offered one.
    unsigned in_hand = 0;
    for (unsigned i = 0; i < rows; ++i) {
      const unsigned due = model_[i].due - (model_[i].due != 0 && StoodRow() == i);
      if (due != 0) ASSERT_TRUE(t.te_kept_o[n] >> i & 1) << "row " << i << " cycle " << now;
      in_hand += model_[i].due != 0;
    }
    together_ += in_hand > 1;
    Step();
    if (takes) Take(*offered_);
    if (hold || takes) offered_.reset();
    if (who) {
      used_.insert(*who);
      joined.chain.push_back({*who, sub});
      ++joins_;
      late_joins_ += joined.due != 0;
    }
    Settle();
  }
  /// Returns the row whose lookup was offered but not accepted.
  unsigned StoodRow() const { return t.te_tell_ready_i ? 64 : offered_row_; }
  void Take(unsigned r) {
    Row& row = model_[r];
    const auto expect = [&](unsigned who, bool begins, unsigned sub) {
      used_.erase(who);
      Expect(Judge(row.row, who, begins, sub, line_[r][row.row.Line() ? sub & row.row.mask : 0]));
      ++row.due;
    };
    if (row.begin) expect(*row.begin, true, static_cast<unsigned>(row.row.key.vpn & 7));
    for (const Lookup& lookup : row.chain) expect(lookup.who, false, lookup.sub);
    chains_ += row.chain.size() > 1;
    row.begin.reset();
    row.chain.clear();
    ++rows_told_;
  }
};

TEST_P(WalkTellTest, AnswersAllWhoWaitForARow) {
  for (int round = 0; round < 8 && !HasFatalFailure(); ++round) {
    const unsigned rush = round % 2 == 0 ? 90 : 40, stall = round / 2 % 2 == 0 ? 0 : 60;
    for (int i = 0; i < 4000 && !HasFatalFailure(); ++i) {
      Cycle(rush, stall, round < 4 ? 20 : 70, round > 5 && i % 80 < 30);
    }
  }
  EXPECT_GT(rows_told_, 500u);
  EXPECT_GT(chains_, n ? 20u : 300u);
  EXPECT_GT(joins_, 500u);
  EXPECT_GT(late_joins_, 20u);
  EXPECT_GT(together_, n ? 20u : 200u);
  EXPECT_GT(told_, 1000u);
  EXPECT_GT(again_, 100u);
  EXPECT_GT(direct_, 200u);
  EXPECT_GT(faults_, 200u);
  EXPECT_GT(refused_, 50u);
  EXPECT_GT(large_, 20u);
  EXPECT_GT(narrow_, 20u);
}

TEST_P(WalkTellTest, AChainIsAnsweredOneACycle) {
  // One row reads a line of valid pages, and every possible waiter but one joins it.
  Row& row = model_[0];
  row.row = SomeRow(0);
  row.row.level = row.row.shift = 0, row.row.mask = 7, row.row.wide = true;
  row.row.form = Entry::kLeaf;
  row.row.drop = row.row.error = false, row.row.cause = 0;
  row.begin = 0;
  DriveBegin(row.row, 0);
  Step();
  t.te_walk_i = t.te_start_i = 0;
  for (unsigned b = 0; b < 8 / Words(); ++b) {
    DriveBeat(row, 0);
    for (unsigned w = 0; w < Words(); ++w) t.word_i[w] = line_[0][b * Words() + w] = uint64_t{0x1000 + b} << 12 | 1;
    Step();
  }
  t.te_line_i = t.te_fact_i = 0;
  const unsigned length = n ? 3 : 30;
  for (unsigned i = 1; i <= length; ++i) {
    const unsigned who = i / slots_ << 6 | i % slots_, sub = i & 7;
    t.te_join_i = 1;
    t.te_join_row_i = 0;
    t.te_waiter_i = static_cast<uint8_t>(Waiter(who));
    t.te_join_sub_i = static_cast<uint8_t>(sub);
    t.te_join_chain_i = i > 1;
    row.chain.push_back({who, sub});
    Step();
  }
  t.te_join_i = 0;
  offered_ = 0;
  for (unsigned i = 0; told_ <= length && !HasFatalFailure(); ++i) {
    ASSERT_LT(i, length + 8);
    Cycle(0, 0, 0, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkTellTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner

// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_tell with rows in C++: lines that come beat by beat, lookups that join before, while and after a row is
// picked up, and direct answers. Each lookup is answered once, from its word of the line, or sent back.
#include <array>

#include "walk_tells.h"

namespace gmmu::inner {
namespace {

class WalkTellTest : public TellTest {
 protected:
  WalkTellTest() : TellTest(kTell) {}
  struct Lookup {
    unsigned who, sub;
  };
  struct Row {
    enum State { kIdle, kLine, kReady, kHand } state = kIdle;
    TellRow row;
    unsigned beat = 0;              ///< of the line, that comes next
    std::optional<unsigned> begin;  ///< who began it
    std::vector<Lookup> chain;
    unsigned due = 0;  ///< of it in hand
  };
  std::array<Row, 9> model_;
  std::array<std::array<uint64_t, 8>, 9> line_{};
  std::optional<unsigned> offered_;
  unsigned in_hand_ = 64;
  unsigned joins_ = 0, late_joins_ = 0, rows_told_ = 0, chains_ = 0;

  unsigned Waiter(unsigned who) const { return Port(who) * slots_ + Slot(who); }
  unsigned Words() const { return t.data_words_o; }
  void Gone(const Told& told) override {
    if (!told.direct) --model_[told.row].due;
  }
  bool Busy() const override { return in_hand_ != 64; }

  void Cycle(unsigned rush, unsigned stall, unsigned directs, bool hold) {
    // The row in hand is done, seen by its being kept no longer.
    if (in_hand_ != 64 && t.te_row_ready_o[n] && model_[in_hand_].due == 0) {
      Row& row = model_[in_hand_];
      row.state = row.chain.empty() ? Row::kIdle : Row::kReady;
      in_hand_ = 64;
    }
    // New walks, and a beat of one.
    t.te_line_i = 0;
    const unsigned r = Random(rows);
    Row& some = model_[r];
    if (some.state == Row::kIdle && Chance(rush)) {
      some.row = SomeRow(r);
      some.begin = Random(5) == 0 ? std::nullopt : FreeWho();  // else it was answered directly
      if (some.begin) used_.insert(*some.begin);
      some.state = Row::kLine;
      some.beat = 0;
    } else if (some.state == Row::kLine) {
      const bool wide = some.row.wide && some.row.level == 0;
      const unsigned beat = wide ? some.beat : some.row.word / Words();
      t.te_line_i = 1;
      t.te_line_row_i = static_cast<uint8_t>(r);
      t.te_line_beat_i = static_cast<uint8_t>(beat);
      for (unsigned w = 0; w < Words(); ++w) t.word_i[w] = line_[r][beat * Words() + w] = EntryFor(some.row);
      if (!wide || ++some.beat == 8 / Words()) {
        some.state = Row::kReady;
        if (!some.begin && some.chain.empty()) some.state = Row::kIdle;
      }
    }
    // A row that wants to be answered is offered until it is taken, or held back.
    if (!offered_ && !hold && in_hand_ == 64 && Chance(rush)) {
      const unsigned o = Random(rows);
      if (model_[o].state == Row::kReady) offered_ = o;
    }
    t.te_row_valid_i = offered_.has_value();
    TellRow shown = SomeRow(Random(rows));
    if (offered_) {
      const Row& row = model_[*offered_];
      shown = row.row;
      t.te_begin_i = row.begin.has_value();
      t.te_who_i = static_cast<uint8_t>(row.begin ? Waiter(*row.begin) : Random(4));
      t.te_chain_i = !row.chain.empty();
      t.te_head_i = static_cast<uint8_t>(row.chain.empty() ? Random(4) : Waiter(row.chain.front().who));
      t.te_tail_i = static_cast<uint8_t>(row.chain.empty() ? Random(4) : Waiter(row.chain.back().who));
    }
    DriveRow(shown);
    // A lookup joins, also the row that is picked up in this cycle, or is in hand.
    const unsigned j = Random(rows);
    Row& joined = model_[j];
    const bool open = joined.state == Row::kLine || (joined.state != Row::kIdle && joined.row.wide);
    std::optional<unsigned> who = open && Chance(rush) ? FreeWho() : std::nullopt;
    const std::optional<Told> direct = DriveDirect(Chance(directs), Random(rows));
    if (direct && who && direct->who == *who) who.reset();
    t.te_tell_ready_i = !Chance(stall);
    t.te_again_ready_i = !Chance(stall);
    t.te_hold_i = hold;
    t.te_join_i = 0;
    Settle();
    const bool takes = offered_ && t.te_row_ready_o[n];
    const unsigned sub = joined.row.wide ? Random(8) : static_cast<unsigned>(joined.row.key.vpn & 7);
    const bool behind = !joined.chain.empty() && !(takes && offered_ == j);
    t.te_join_i = who.has_value();
    t.te_join_who_i = static_cast<uint8_t>(who ? Waiter(*who) : 0);
    t.te_join_sub_i = static_cast<uint8_t>(sub);
    t.te_join_chain_i = behind;
    t.te_join_tail_i = static_cast<uint8_t>(behind ? Waiter(joined.chain.back().who) : Random(4));
    Settle();
    Watch(direct, hold);
    if (HasFatalFailure()) return;
    // Kept: the row in hand.
    if (in_hand_ != 64 && model_[in_hand_].due != 0) ASSERT_TRUE(t.te_kept_o[e] >> in_hand_ & 1) << "cycle " << now;
    if (in_hand_ != 64) ASSERT_FALSE(t.te_quiet_o[e] && model_[in_hand_].due != 0);
    Step();
    if (takes) Take(*offered_);
    if (hold || takes) offered_.reset();
    if (who) {
      used_.insert(*who);
      joined.chain.push_back({*who, sub});
      ++joins_;
      late_joins_ += in_hand_ == j;
      if (joined.state == Row::kIdle) joined.state = Row::kReady;
    }
    Settle();
  }
  void Take(unsigned r) {
    Row& row = model_[r];
    const auto expect = [&](unsigned who, bool begins, unsigned sub, unsigned word) {
      used_.erase(who);
      Expect(Judge(row.row, who, begins, sub, line_[r][word]));
      ++row.due;
    };
    if (row.begin) expect(*row.begin, true, static_cast<unsigned>(row.row.key.vpn & 7), row.row.word);
    const unsigned mask = row.row.form == Entry::kLeaf ? row.row.mask : 0;
    for (const Lookup& lookup : row.chain) {
      expect(lookup.who, false, lookup.sub, (row.row.word & ~mask) | (lookup.sub & mask));
    }
    chains_ += row.chain.size() > 1;
    row.begin.reset();
    row.chain.clear();
    row.state = Row::kHand;
    in_hand_ = r;
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
  EXPECT_GT(told_, 1000u);
  EXPECT_GT(again_, 100u);
  EXPECT_GT(direct_, 200u);
  EXPECT_GT(large_, 20u);
  EXPECT_GT(narrow_, 20u);
}

TEST_P(WalkTellTest, AChainIsAnsweredOneEveryOtherCycle) {
  // One wide row of good pages, all waiters but one joined.
  Row& row = model_[0];
  row.row = SomeRow(0);
  row.row.level = row.row.shift = 0, row.row.mask = 7, row.row.wide = true;
  row.row.form = Entry::kLeaf;
  row.row.drop = row.row.error = false, row.row.cause = 0;
  row.row.word = static_cast<unsigned>(row.row.key.vpn & 7);
  for (unsigned b = 0; b < 8 / Words(); ++b) {
    t.te_line_i = 1;
    t.te_line_row_i = 0;
    t.te_line_beat_i = static_cast<uint8_t>(b);
    for (unsigned w = 0; w < Words(); ++w) t.word_i[w] = line_[0][b * Words() + w] = uint64_t{0x1000 + b} << 12 | 1;
    Step();
  }
  t.te_line_i = 0;
  row.begin = 0;
  const unsigned length = n ? 3 : 30;
  for (unsigned i = 1; i <= length; ++i) {
    const unsigned who = i / slots_ << 6 | i % slots_, sub = i & 7;
    t.te_join_i = 1;
    t.te_join_who_i = static_cast<uint8_t>(Waiter(who));
    t.te_join_sub_i = static_cast<uint8_t>(sub);
    t.te_join_chain_i = i > 1;
    t.te_join_tail_i = static_cast<uint8_t>(row.chain.empty() ? 0 : Waiter(row.chain.back().who));
    row.chain.push_back({who, sub});
    Step();
  }
  t.te_join_i = 0;
  row.state = Row::kReady;
  offered_ = 0;
  for (unsigned i = 0; told_ <= length && !HasFatalFailure(); ++i) {
    ASSERT_LT(i, 2 * length + 12);
    Cycle(0, 0, 0, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkTellTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner

// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_answer with entries of rows in C++, and direct answers between them.
#include "walk_tells.h"

namespace gmmu::inner {
namespace {

class WalkAnswerTest : public TellTest {
 protected:
  WalkAnswerTest() : TellTest(kAnswer) {}
  TellRow row_;
  bool have_row_ = false, offered_ = false;
  unsigned left_ = 0;  ///< entries of the row that come
  struct Offer {
    unsigned who, sub;
    bool begins;
    uint64_t word;
  } offer_{};
  unsigned since_taken_ = 9, taken_ = 0, every_other_ = 0;

  void Cycle(unsigned entries, unsigned directs, unsigned stall, bool hold) {
    if (have_row_ && left_ == 0 && t.an_idle_o[n]) have_row_ = false;
    if (!have_row_ && Chance(entries)) {
      row_ = SomeRow(Random(rows));
      have_row_ = true;
      left_ = 1 + Random(n ? 3 : 9);
      first_ = Random(2) != 0;
    }
    if (have_row_) DriveRow(row_);
    if (have_row_ && left_ > 0 && !offered_ && Chance(entries)) {
      if (const std::optional<unsigned> who = FreeWho()) {
        const unsigned own = static_cast<unsigned>(row_.key.vpn & 7);
        offer_ = {*who, first_ ? own : row_.wide ? Random(8) : own, first_, EntryFor(row_)};
        used_.insert(*who);
        offered_ = true;
      }
    }
    t.an_entry_i = offered_;
    t.te_begin_i = offer_.begins;
    t.an_port_i = static_cast<uint8_t>(Port(offer_.who));
    t.an_slot_i = static_cast<uint8_t>(Slot(offer_.who));
    t.an_sub_i = static_cast<uint8_t>(offer_.sub);
    t.an_word_i = offered_ ? offer_.word : rng();
    const std::optional<Told> direct = DriveDirect(Chance(directs), Random(rows));
    t.te_tell_ready_i = !Chance(stall);
    t.te_again_ready_i = !Chance(stall);
    t.te_hold_i = hold;
    Settle();
    const bool takes = offered_ && t.an_ready_o[n];
    Watch(direct, hold);
    if (HasFatalFailure()) return;
    since_taken_ = takes ? 0 : since_taken_ + 1;
    Step();
    if (takes) {
      used_.erase(offer_.who);
      Expect(Judge(row_, offer_.who, offer_.begins, offer_.sub, offer_.word));
      offered_ = first_ = false;
      --left_;
      ++taken_;
    }
    Settle();
  }
  bool first_ = false;
  bool Busy() const override { return have_row_; }
};

TEST_P(WalkAnswerTest, AnswersEachLookupAsItsEntrySays) {
  for (int round = 0; round < 6 && !HasFatalFailure(); ++round) {
    const unsigned entries = round % 3 == 0 ? 100 : 50, stall = round % 2 == 0 ? 0 : 50;
    for (int i = 0; i < 3000 && !HasFatalFailure(); ++i) Cycle(entries, 40, stall, round > 3 && i % 64 < 20);
  }
  for (int i = 0; i < 200 && !HasFatalFailure(); ++i) Cycle(left_ != 0 || offered_ ? 100 : 0, 0, 0, false);
  EXPECT_TRUE(due_.empty());
  EXPECT_GT(taken_, 1000u);
  EXPECT_GT(told_, 1000u);
  EXPECT_GT(again_, 200u);
  EXPECT_GT(direct_, 200u);
  EXPECT_GT(faults_, 200u);
  EXPECT_GT(large_, 50u);
  EXPECT_GT(narrow_, 50u);
  EXPECT_GT(refused_, 50u);
}

TEST_P(WalkAnswerTest, TakesAnEntryEveryOtherCycle) {
  for (int i = 0; i < 400 && !HasFatalFailure(); ++i) Cycle(100, 0, 0, false);
  EXPECT_GT(taken_, n ? 60u : 120u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkAnswerTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner

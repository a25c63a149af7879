// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_row against the same states in C++: begins, reads of lines and of single entries, stale ones, kills at
// every step, joins, answers, fills, ends. What a beat may be used for at once is checked as a promise: never wrong,
// and there when nothing has happened in the cycle before. The block has one size.

#include "inner.h"

namespace gmmu::inner {
namespace {

class WalkRowTest : public InnerTest {
 protected:
  struct Verdict {
    bool last = false, error = false, descends = false, sent = false, answered = false, big = false;
    bool k64 = false, nothing = false;
    unsigned Raw() const {
      return last << 7 | error << 6 | descends << 5 | k64 << 4 | nothing << 3 | sent << 2 | answered << 1 | big;
    }
  };
  struct Events {
    bool begin = false, restart = false, join = false, picked = false, asked = false, again = false, index = false;
    bool sent = false, beat = false, judged = false, filling = false, filled = false, restarted = false, end = false;
    bool kill = false, killed = false, wide = false, index_valid = false, k64 = false, dual = false, has_64k = false;
    unsigned cause = 0, level = 0, start_index = 0, word = 0;
    Verdict verdict;
    bool Any() const {
      return begin || restart || picked || asked || again || index || sent || judged || filling || filled ||
             restarted || end || kill;
    }
  };
  using State = Walk::State;
  State state_ = Walk::kFree;
  Walk m_;                  ///< of the model; its state bits are not used
  unsigned read_beat_ = 0;  ///< beats of the read that came
  unsigned own_beat_ = 0;   ///< the one with the own entry
  Events before_;           ///< of the cycle before
  State state_before_ = Walk::kFree;
  bool judge_due_ = false, beat_was_own_ = false, beat_last_ = false;
  bool to_table_at_beat_ = false, to_who_at_beat_ = false, may_go_ = false;
  uint64_t ends_ = 0, redone_ = 0, sent_ = 0, lines_ = 0, direct_ = 0, beats_in_kill_ = 0, tables_ = 0;
  uint64_t to_64k_ = 0, nothing_ = 0, mispredicted_ = 0;

  unsigned Words() const { return t.data_words_o; }
  bool WideLeaf() const { return m_.level == 0 && !m_.k64 && m_.wide; }

  void Drive(const Events& e) {
    t.ro_begin_i = e.begin, t.ro_restart_i = e.restart, t.ro_join_i = e.join, t.ro_picked_i = e.picked;
    t.ro_asked_i = e.asked, t.ro_again_i = e.again, t.ro_index_i = e.index, t.ro_sent_i = e.sent;
    t.ro_beat_i = e.beat, t.ro_judged_i = e.judged, t.ro_filling_i = e.filling, t.ro_filled_i = e.filled;
    t.ro_restarted_i = e.restarted, t.ro_end_i = e.end, t.kill_i = e.kill, t.ro_killed_i = e.killed;
    t.ro_wide_i = e.wide;
    t.ro_word_i = static_cast<uint8_t>(e.word);
    t.ro_verdict_i = static_cast<uint8_t>(e.judged ? e.verdict.Raw() : Random(256));
    t.start_cause_i = static_cast<uint8_t>(e.cause);
    t.start_level_i = static_cast<uint8_t>(e.level);
    t.start_index_valid_i = e.index_valid;
    t.start_k64_i = e.k64, t.start_dual_i = e.dual, t.start_has_i = e.has_64k;
    t.start_index_i = static_cast<uint16_t>(e.start_index);
  }

  /// What may happen next, by chance.
  Events Some(unsigned rush, unsigned kills) {
    Events e;
    e.wide = Random(2), e.index_valid = Random(2), e.word = Random(8), e.start_index = Random(8192);
    e.cause = Random(6) == 0 ? 1 + Random(5) : 0;
    e.level = Random(3) == 0 ? 0 : Random(Random(2) == 0 ? 2 : 6);
    e.dual = Random(2), e.has_64k = e.dual || Random(2);
    // The second try has another start; only the walk cache names a leaf table, and then the index is not known.
    const bool first_half = !(e.dual && m_.second && state_ != Walk::kFree);
    e.k64 = e.level == 0 && !e.index_valid && e.cause == 0 && e.has_64k && first_half && Random(2);
    e.kill = state_ != Walk::kStarting && !m_.filling && Random(1000) < kills;
    e.killed = e.kill && state_ != Walk::kFree && Random(4) != 0;
    if (judge_due_) Judge(e);
    switch (state_) {
      case Walk::kFree: e.begin = !e.kill && !m_.asked && Chance(rush); break;
      case Walk::kStarting: e.restart = Chance(rush); break;
      case Walk::kRestart: e.restarted = !e.kill && !m_.asked && Chance(rush); break;
      case Walk::kIssue: e.sent = m_.index_valid && may_go_ && Chance(rush); break;
      case Walk::kRead: e.beat = !reading_over_ && Chance(m_.index_valid || m_.level == 1 ? rush : rush / 8); break;
      default:
        if (e.kill) break;
        e.picked = (!m_.answered || m_.chain) && Chance(rush);
        e.filling = m_.fill && Chance(rush);
        e.filled = m_.filling && Chance(rush);
        e.end = closed_ && Chance(rush);
    }
    const bool open = state_ != Walk::kFree && !m_.drop && (state_ != Walk::kDone || m_.fill || m_.filling);
    e.join = open && !e.kill && !e.restart && Random(6) == 0;
    if (!e.kill) {
      const bool wants = (state_ == Walk::kIssue || state_ == Walk::kRead) && !m_.index_valid && !m_.asked;
      e.asked = wants && Chance(rush);
      if (m_.asked && Chance(state_ == Walk::kRead && m_.level == 1 && Random(2) ? 5 : rush))
        (Random(4) == 0 ? e.again : e.index) = true;
    }
    beats_in_kill_ += e.beat && e.kill;
    return e;
  }
  bool reading_over_ = false;  ///< the last beat came
  bool closed_ = false;        ///< nothing is left to do, since the cycle before
  void Judge(Events& e) {
    e.judged = true;
    Verdict& v = e.verdict;
    v.last = beat_last_;
    v.error = Random(8) == 0;
    v.descends = !v.error && !m_.k64 && (m_.level != 0 ? Random(4) != 0 : Random(2) != 0);
    v.k64 = v.descends && m_.Takes64K() && (m_.Half64() || Random(3) == 0);
    v.descends = v.descends && (v.k64 || !m_.Half64());
    v.nothing = !v.error && !v.descends && m_.GoesOn() && Random(2) != 0;
    to_64k_ += v.k64, nothing_ += v.nothing && v.last;
    v.sent = v.descends && !v.k64 && to_table_at_beat_ && Random(3) != 0;
    v.answered = !v.error && to_who_at_beat_ && !e.kill && Random(2) != 0;
    v.big = Random(4) == 0;
    sent_ += v.sent, direct_ += v.answered;
  }

  /// The row one cycle later.
  void Next(const Events& e) {
    const State was = state_;
    const bool answered_before = m_.answered;
    if (was != Walk::kFree) m_.chain = (m_.chain && !e.picked) || e.join;
    if (e.picked) m_.answered = true;
    if (e.asked) m_.asked = true, m_.mispredicted = false;
    if (e.again) m_.asked = false;
    if (e.index) {
      m_.index_valid = m_.index_valid || !m_.mispredicted, m_.word = e.word;
      m_.asked = m_.mispredicted = false;
    }
    switch (was) {
      case Walk::kFree:
      case Walk::kStarting:
        if (e.begin || e.restart) {
          if (e.begin) m_.wide = e.wide, m_.chain = false;
          if (e.begin) m_.second = false;
          m_.level = e.level, m_.index_valid = e.index_valid, m_.word = e.start_index & 7;
          m_.k64 = e.k64, m_.dual = e.dual, m_.has_64k = e.has_64k, m_.mispredicted = false;
          m_.answered = m_.fill = m_.filling = m_.drop = m_.error = m_.below = m_.stale = false;
          m_.asked = e.cause == 0 && !e.index_valid;
          state_ = e.cause == 0 ? Walk::kIssue : Walk::kDone;
        }
        break;
      case Walk::kRestart:
        if (e.restarted) state_ = Walk::kStarting;
        break;
      case Walk::kIssue:
        if (e.sent) {
          BeginRead();
          m_.stale = e.killed;
          state_ = Walk::kRead;
        } else if (e.killed) {
          state_ = Walk::kRestart;
        }
        break;
      case Walk::kRead: Read(e, answered_before); break;
      default:
        if (e.filling) m_.fill = false, m_.filling = true;
        if (e.filled) m_.filling = false;
        if (e.killed) {
          m_.fill = false, m_.drop = true;
          if (!m_.answered) state_ = Walk::kRestart;
        }
        if (e.end) state_ = Walk::kFree;
    }
    if (e.kill) m_.asked = m_.mispredicted = false;
    if (e.killed) m_.second = false;
    m_.upper = m_.level != 0 || m_.k64;
  }
  void BeginRead() {
    m_.index_valid = m_.level == 0;  // nothing is below a leaf
    m_.fill = WideLeaf();
    m_.drop = false;
    read_beat_ = 0;
    own_beat_ = WideLeaf() ? m_.word / Words() : 0;
  }
  void Read(const Events& e, bool answered_before) {
    const Verdict& v = e.verdict;
    if (e.judged) {
      if (v.error) m_.drop = true, m_.fill = false;
      if (beat_was_own_) m_.error = v.error;
      if (v.answered) m_.answered = true;
      if (v.answered && v.big) m_.fill = false;
    }
    const bool over = e.judged && v.last;
    if (!over) {
      if (e.killed) m_.stale = true;
      return;
    }
    if (m_.stale) {  // done again, if somebody waits for it
      ++redone_;
      state_ = answered_before ? Walk::kDone : Walk::kRestart;
      m_.stale = false, m_.drop = true, m_.fill = false, m_.second = false;
    } else if (v.nothing) {  // the other half is next
      state_ = Walk::kRestart;
      m_.second = true;
    } else if (v.descends && m_.level != 0) {
      --m_.level;
      m_.below = true;
      m_.k64 = v.k64;
      if (v.k64 && !m_.dual) {  // the index that is known, or is being computed, is of 4 KiB entries
        m_.index_valid = false;
        m_.mispredicted = m_.asked || e.again;
        mispredicted_ += m_.mispredicted;
      }
      if (v.sent) {
        BeginRead();
        m_.stale = e.killed;
      } else {
        state_ = e.killed ? Walk::kRestart : Walk::kIssue;
      }
    } else {
      lines_ += WideLeaf();
      state_ = Walk::kDone;
      if (e.killed) {
        m_.drop = true, m_.fill = false;
        if (!m_.answered) state_ = Walk::kRestart;
      }
    }
  }

  void Compare() {
    const Walk got = Walk::Of(t.ro_walk_o);
    ASSERT_EQ(got.state, 1u << state_) << "state " << state_ << " cycle " << now;
    ASSERT_EQ(got.stale, m_.stale) << "cycle " << now;
    if (state_ == Walk::kFree) return;
    const bool reads = state_ == Walk::kRead, issue = state_ == Walk::kIssue, done = state_ == Walk::kDone;
    ASSERT_EQ(got.wide, m_.wide);
    ASSERT_EQ(got.chain, m_.chain) << "cycle " << now;
    if (state_ != Walk::kStarting) {  // a start may be loaded before it comes
      ASSERT_EQ(got.asked, m_.asked) << "cycle " << now;
      ASSERT_EQ(got.drop, m_.drop) << "cycle " << now;
      ASSERT_EQ(got.answered, m_.answered) << "cycle " << now;
    }
    if (reads || issue || done) {
      ASSERT_EQ(got.level, m_.level);
      ASSERT_EQ(got.upper, m_.level != 0 || m_.k64);
      ASSERT_EQ(got.k64, m_.k64);
      ASSERT_EQ(got.dual, m_.dual);
      ASSERT_EQ(got.has_64k, m_.has_64k);
    }
    ASSERT_EQ(got.second, m_.second) << "cycle " << now;
    if (issue) ASSERT_EQ(got.mispredicted, m_.mispredicted) << "cycle " << now;
    if (issue) ASSERT_EQ(got.below, m_.below);
    if (reads || issue) ASSERT_EQ(got.index_valid, m_.index_valid) << "cycle " << now;
    if ((issue && m_.index_valid) || (reads && m_.level == 0)) ASSERT_EQ(got.word, m_.word);
    if (reads && m_.level == 0) {
      ASSERT_EQ(got.beat, read_beat_ & 7) << "cycle " << now;
      ASSERT_EQ(got.left, (m_.word / Words() - read_beat_) & 7);
    }
    if (done) {
      ASSERT_EQ(got.fill, m_.fill) << "cycle " << now;
      ASSERT_EQ(got.filling, m_.filling);
      ASSERT_EQ(got.error, m_.error) << "cycle " << now;
    }
    // At once.
    const bool quiet = state_before_ == Walk::kRead && !before_.Any();
    const bool table = reads && m_.level != 0 && m_.Takes4K() && m_.index_valid && !m_.stale;
    const bool own = reads && m_.level == 0 && !m_.k64 && !m_.stale && read_beat_ == own_beat_;
    if (got.to_table) {
      ASSERT_TRUE(table) << "cycle " << now;
      ASSERT_EQ(got.to_line, m_.wide && m_.level == 1);
    }
    if (got.to_who && reads && !reading_over_) ASSERT_TRUE(own) << "cycle " << now;
    if (got.to_table || got.to_who) ASSERT_TRUE(reads) << "cycle " << now;
    if (quiet && table && !reading_over_) ASSERT_TRUE(got.to_table) << "cycle " << now;
    if (quiet && own && !reading_over_) ASSERT_TRUE(got.to_who) << "cycle " << now;
    tables_ += got.to_table;
  }

  void Cycle(const Events& e) {
    Drive(e);
    Settle();
    const Walk got = Walk::Of(t.ro_walk_o);
    const bool fresh_read = e.sent || (e.judged && e.verdict.last);
    const bool own = read_beat_ == own_beat_;
    if (e.beat) {
      beat_last_ = !WideLeaf() || read_beat_ == 8 / Words() - 1;
      to_table_at_beat_ = got.to_table && !e.kill;
      to_who_at_beat_ = got.to_who && !e.kill;
      reading_over_ = beat_last_;
    }
    judge_due_ = e.beat;
    // Closed, as the table sees it: from the row's state and what joins in this cycle.
    const bool closes = state_ == Walk::kDone && m_.answered && !m_.chain && !m_.fill && !m_.filling && !m_.asked &&
                        !e.join && !e.end;
    before_ = e, state_before_ = state_;
    const bool was_issue = state_ == Walk::kIssue;
    Step();
    if (e.beat) ++read_beat_;
    Next(e);
    if (e.beat) beat_was_own_ = own;
    if (fresh_read && (state_ == Walk::kRead)) reading_over_ = false;
    ends_ += e.end;
    closed_ = closes && state_ == Walk::kDone;
    // A read is sent at the earliest a cycle after its row wants it.
    may_go_ = was_issue && state_ == Walk::kIssue && m_.index_valid;
    Settle();
    Compare();
  }
  void Idle(int cycles) {
    for (int i = 0; i < cycles && !HasFatalFailure(); ++i) Cycle(Events());
  }
};

TEST_P(WalkRowTest, EqualsItsStatesUnderAnyEvents) {
  for (int round = 0; round < 18 && !HasFatalFailure(); ++round) {
    const unsigned rush = round % 4 == 0 ? 95 : round % 4 == 1 ? 50 : 75, kills = round < 2 ? 0 : round < 5 ? 15 : 60;
    for (int i = 0; i < 6000 && !HasFatalFailure(); ++i) Cycle(Some(rush, kills));
  }
  EXPECT_GT(ends_, 1000u);
  EXPECT_GT(redone_, 100u);
  EXPECT_GT(sent_, 80u);
  EXPECT_GT(lines_, 300u);
  EXPECT_GT(direct_, 100u);
  EXPECT_GT(tables_, 500u);
  EXPECT_GT(beats_in_kill_, 20u);
  EXPECT_GT(to_64k_, 100u);
  EXPECT_GT(nothing_, 100u);
  EXPECT_GT(mispredicted_, 5u);
}

TEST_P(WalkRowTest, AWideWalkWithoutAStallUsesEveryBeatAtOnce) {
  for (unsigned word = 0; word < 8 && !HasFatalFailure(); ++word) {
    Events begin;
    begin.begin = begin.index_valid = begin.wide = true;
    begin.level = 1;
    begin.start_index = word;
    Cycle(begin);
    Events sent;
    sent.sent = true;
    Idle(1);
    Cycle(sent);
    Events asked, index;
    asked.asked = true;
    index.index = true;
    index.word = word;
    Cycle(asked);
    Idle(1);
    Cycle(index);
    Idle(2);
    EXPECT_TRUE(Walk::Of(t.ro_walk_o).to_table);
    EXPECT_TRUE(Walk::Of(t.ro_walk_o).to_line);
    Events beat, judged;
    beat.beat = true;
    Cycle(beat);
    judged.judged = true;
    judged.verdict = {true, false, true, true, false, false};
    Cycle(judged);
    Idle(1);
    // The line, a beat every cycle: each judged in the next one.
    const unsigned beats = 8 / Words();
    for (unsigned b = 0; b <= beats && !HasFatalFailure(); ++b) {
      Events e;
      e.beat = b < beats;
      e.judged = b > 0;
      e.verdict.last = b == beats;
      e.verdict.answered = b > 0 && b - 1 == word / Words();
      if (e.beat) EXPECT_EQ(Walk::Of(t.ro_walk_o).to_who, b == word / Words()) << "beat " << b;
      Cycle(e);
    }
    EXPECT_TRUE(Walk::Of(t.ro_walk_o).fill);
    EXPECT_TRUE(Walk::Of(t.ro_walk_o).answered);
    Events filling, filled, end;
    filling.filling = true, filled.filled = true, end.end = true;
    for (const Events& e : {filling, filled, Events(), end}) Cycle(e);
    EXPECT_EQ(state_, Walk::kFree);
  }
}

TEST_P(WalkRowTest, AKillWhileItReadsMakesItWalkAgain) {
  Events begin, sent, kill, beat, judged, restarted;
  begin.begin = begin.index_valid = true;
  begin.level = 2;
  sent.sent = beat.beat = judged.judged = restarted.restarted = true;
  kill.kill = kill.killed = true;
  judged.verdict = {true, false, true, false, false, false};
  for (const Events& e : {begin, Events(), sent, kill}) Cycle(e);
  EXPECT_TRUE(Walk::Of(t.ro_walk_o).stale);
  for (const Events& e : {Events(), beat, judged}) Cycle(e);
  EXPECT_EQ(state_, Walk::kRestart);
  EXPECT_FALSE(Walk::Of(t.ro_walk_o).stale);
  Cycle(restarted);
  Events restart = begin;
  restart.begin = false;
  restart.restart = true;
  Cycle(restart);
  EXPECT_EQ(state_, Walk::kIssue);
  Reset(1);
  EXPECT_EQ(Walk::Of(t.ro_walk_o).state, 1u << Walk::kFree);
}

INSTANTIATE_TEST_SUITE_P(Seeds, WalkRowTest, Seeds(6), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner

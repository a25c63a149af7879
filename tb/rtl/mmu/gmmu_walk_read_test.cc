// SPDX-License-Identifier: Apache-2.0
// gmmu_walk_read against rows in C++ that start, wait, descend and are killed: each read leaves once, with the address
// of its table and index, and only if it was said to be on its way.
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "inner.h"

namespace gmmu::inner {
namespace {

class WalkReadTest : public InnerTest {
 protected:
  enum State { kIdle, kStarted, kIssue, kKept, kAddress, kMemory };
  struct Table {
    uint64_t pfn = 0;
    bool vram = false;
  };
  struct Row {
    State state = kIdle;
    Table table;
    bool below = false, line = false, index_valid = false;
    unsigned index = 0;
    uint64_t since = 0;  ///< in this state
    bool wide = false;
  };
  struct Read {
    uint64_t address;
    unsigned len;
    bool vram;
    bool operator==(const Read& o) const { return address == o.address && len == o.len && vram == o.vram; }
  };
  std::array<Row, 9> row_;
  std::map<unsigned, Read> coming_;            ///< on their way, by row
  std::optional<unsigned> pick_, early_next_;  ///< pick_: a row wants a read; early_next_: whose index comes now
  struct Write {
    unsigned row;
    Table table;
  };
  std::optional<Write> table_;  ///< written in this cycle
  std::optional<Read> stood_;
  unsigned stood_row_ = 0, stall_ = 0;
  unsigned starts_at_once_ = 0, sends_ = 0, descends_ = 0, put_off_ = 0, thrown_ = 0, early_count_ = 0;
  uint64_t calm_ = 0;  ///< cycles without a start and with a port that takes

  Read ReadOf(const Table& table, unsigned index, bool line) const {
    Read read;
    const uint64_t word = line ? index & 0x1f8 : index & 0x1ff;
    read.address = ((table.pfn + (index >> 9)) & kVpnMask) << 12 | word << 3;
    read.len = line ? 8 / t.data_words_o - 1 : 0;
    read.vram = table.vram;
    return read;
  }
  Table SomeTable() { return {Random(8) == 0 ? kVpnMask : rng() & kVpnMask, Random(2) != 0}; }
  void To(unsigned r, State state) { row_[r].state = state, row_[r].since = now; }
  std::optional<unsigned> Some(State state, uint64_t age = 0) {
    std::vector<unsigned> which;
    for (unsigned r = 0; r < rows; ++r) {
      if (row_[r].state == state && row_[r].since + age <= now) which.push_back(r);
    }
    if (which.empty()) return std::nullopt;
    return which[Random(static_cast<unsigned>(which.size()))];
  }

  /// Registered outputs of this cycle: what was sent in the one before.
  void TakeSent(bool killed) {
    const unsigned sent = t.re_sent_o[n];
    if (sent != 0) {
      const unsigned r = One(sent);
      ASSERT_LT(r, rows);
      Row& row = row_[r];
      ASSERT_TRUE(row.state == kStarted || row.state == kKept) << "row " << r << " state " << row.state;
      starts_at_once_ += row.state == kStarted;
      coming_[r] = ReadOf(row.table, row.index, row.state == kKept && row.line);
      To(r, kAddress);
      ++sends_;
    }
    for (unsigned r = 0; r < rows; ++r) {
      if (row_[r].state == kStarted) To(r, kIssue);
    }
    unsigned kept = 0;
    for (unsigned r = 0; r < rows; ++r) {
      if (row_[r].state == kKept) kept |= 1u << r;
    }
    if (killed) ASSERT_EQ(t.re_kept_o[n], 0u);
    ASSERT_EQ(t.re_kept_o[n], kept) << "cycle " << now;
    ASSERT_EQ(t.re_ready_o[n] != 0, kept == 0);
  }

  void Cycle(unsigned busy, bool kill) {
    // A start.
    const std::optional<unsigned> idle = Some(kIdle, 2);
    const bool starts = !kill && idle && Chance(busy);
    t.re_start_i = starts;
    t.re_start_row_i = static_cast<uint8_t>(starts ? *idle : Random(rows));
    const Table begin = SomeTable();
    const unsigned level = Random(6), cause = Random(8) == 0 ? 1 + Random(5) : 0, index = Random(8192);
    const bool index_valid = Random(2) != 0;
    t.start_cause_i = static_cast<uint8_t>(cause);
    t.start_level_i = static_cast<uint8_t>(level);
    t.start_pfn_i = begin.pfn;
    t.start_vram_i = begin.vram;
    t.start_index_valid_i = index_valid;
    t.start_index_i = static_cast<uint16_t>(index);
    // A beat: a pointer whose read may go, one that waits for its index, or the end.
    const std::optional<unsigned> beat = Chance(70) ? Some(kMemory, 3 + Random(6)) : std::nullopt;
    const unsigned kind = Random(5);
    const bool descend = beat && kind < 3;
    const Table next = SomeTable();
    const unsigned next_index = Random(8192);
    const bool line = Random(3) == 0;
    t.re_descend_i = descend;
    t.re_descend_row_i = static_cast<uint8_t>(beat ? *beat : Random(rows));
    t.re_descend_pfn_i = next.pfn;
    t.re_descend_vram_i = next.vram;
    t.re_descend_index_i = static_cast<uint16_t>(next_index);
    t.re_descend_line_i = line;
    t.re_table_i = table_.has_value();
    t.re_table_row_i = static_cast<uint8_t>(table_ ? table_->row : Random(rows));
    const Table written = table_ ? table_->table : SomeTable();
    t.re_table_pfn_i = written.pfn;
    t.re_table_vram_i = written.vram;
    // A row that wants a read: it asks until it is taken. Or an index that is about to be known.
    if (!pick_ && !kill && Chance(60)) {
      const std::optional<unsigned> want = Some(kIssue, 2);
      if (want && row_[*want].index_valid && want != early_next_) pick_ = want;
    }
    t.re_rows_i = static_cast<uint16_t>(pick_ ? 1u << *pick_ : 0);
    t.re_row_i = static_cast<uint8_t>(pick_ ? *pick_ : Random(rows));
    t.re_row_index_i = static_cast<uint16_t>(pick_ ? row_[*pick_].index : Random(8192));
    std::optional<unsigned> early = Chance(50) ? Some(kIssue, 2) : std::nullopt;
    if (early && (row_[*early].index_valid || early == early_next_)) early.reset();
    const bool held = Random(4) == 0;
    t.re_early_rows_i = static_cast<uint16_t>(early ? 1u << *early : 0);
    t.re_held_i = held;
    t.re_early_index_i = static_cast<uint16_t>(early_next_ ? row_[*early_next_].index : Random(8192));
    unsigned below = 0, lines = 0;
    for (unsigned r = 0; r < rows; ++r) below |= unsigned{row_[r].below} << r, lines |= unsigned{row_[r].line} << r;
    t.re_below_i = static_cast<uint16_t>(below);
    t.re_line_i = static_cast<uint16_t>(lines);
    t.kill_i = kill;
    t.re_ar_ready_i = !Chance(stall_);
    Settle();

    // The port.
    const bool offers = t.re_ar_valid_o[n] != 0;
    if (stood_) ASSERT_TRUE(offers) << "an address was withdrawn";
    if (offers) {
      const unsigned r = t.re_ar_id_o[n];
      ASSERT_TRUE(coming_.count(r)) << "row " << r << " has no read on its way, cycle " << now;
      const Read& want = coming_[r];
      ASSERT_EQ(t.re_ar_addr_o[n], want.address) << "row " << r << " cycle " << now;
      ASSERT_EQ(t.re_ar_len_o[n], want.len);
      ASSERT_EQ(t.re_ar_port_o[n], want.vram ? 0 : 1);
      if (stood_) ASSERT_EQ(r, stood_row_) << "an address changed";
      stood_row_ = r;
      if (t.re_ar_ready_i) {
        coming_.erase(r);
        To(r, kMemory);
      }
    }
    stood_ = offers && !t.re_ar_ready_i ? std::optional<Read>(coming_[stood_row_]) : std::nullopt;
    const bool sent_now = t.re_sent_now_o[n] != 0;
    if (sent_now) ASSERT_TRUE(descend && !kill);
    if (descend && !kill && coming_.empty()) ASSERT_TRUE(sent_now) << "nothing is in its way";
    const bool ready = t.re_ready_o[n] != 0;
    calm_ = starts || !t.re_ar_ready_i || kill ? 0 : calm_ + 1;
    Step();

    table_.reset();
    if (beat) {
      Row& row = row_[*beat];
      if (kind == 4) {
        To(*beat, kIdle);
      } else {
        table_ = Write{*beat, next};
        row.table = next;
        row.below = true;
        row.line = line;
        row.index_valid = descend;
        row.index = next_index;
        if (sent_now) coming_[*beat] = ReadOf(next, next_index, line);
        To(*beat, sent_now ? kAddress : kIssue);
        ++(sent_now ? descends_ : put_off_);
      }
    }
    if (starts) {
      Row& row = row_[*idle];
      row.table = begin;
      row.below = false;
      row.line = level == 0 && Random(2) != 0;
      row.index_valid = index_valid;
      row.index = index_valid ? index : Random(8192);
      To(*idle, cause != 0 ? kIdle : index_valid && level != 0 ? kStarted : kIssue);
    }
    if (early_next_) row_[*early_next_].index_valid = true;
    early_next_.reset();
    if (ready && pick_) {
      if (!kill) To(*pick_, kKept);
      pick_.reset();
    } else if (early && !held) {
      early_next_ = early;
      row_[*early].index = Random(8192);
      if (ready && !pick_ && !kill) To(*early, kKept), ++early_count_;
    }
    if (kill) {  // some rows begin anew, all are asked again
      pick_.reset();
      early_next_.reset();
      for (unsigned r = 0; r < rows; ++r) {
        if (row_[r].state == kKept) To(r, kIssue), ++thrown_;
        if (row_[r].state == kIssue && Random(2)) To(r, kIdle);
      }
    }
    Settle();
    TakeSent(kill);
    for (unsigned r = 0; r < rows; ++r) {
      const uint64_t wait = now - row_[r].since;
      if (row_[r].state == kKept) ASSERT_FALSE(calm_ > 30 && wait > 30) << "row " << r << " is kept for ever";
      if (row_[r].state == kAddress && stall_ < 90) ASSERT_LT(wait, 400u) << "row " << r << " does not leave";
    }
  }
  void Run(int cycles, unsigned busy, unsigned stall, unsigned kill_percent) {
    stall_ = stall;
    for (int i = 0; i < cycles && !HasFatalFailure(); ++i) Cycle(busy, Random(1000) < kill_percent * 10);
  }
};

TEST_P(WalkReadTest, EachReadLeavesOnceWithItsAddress) {
  for (int round = 0; round < 4 && !HasFatalFailure(); ++round) {
    Run(1500, 60, 0, 0);
    Run(1500, 15, 50, 0);
    Run(1500, 60, 30, 3);
    Run(500, 60, 95, 0);
  }
  if (HasFatalFailure()) return;
  EXPECT_GT(starts_at_once_, 300u);
  EXPECT_GT(sends_ - starts_at_once_, 300u);
  EXPECT_GT(descends_, 500u);
  EXPECT_GT(put_off_, 200u);
  EXPECT_GT(early_count_, 100u);
  EXPECT_GT(thrown_, 3u);
  // All that is on its way leaves.
  stall_ = 0;
  for (unsigned i = 0; !coming_.empty(); ++i) {
    ASSERT_LT(i, 100u);
    t.re_start_i = t.re_descend_i = t.re_table_i = t.re_rows_i = t.re_early_rows_i = t.kill_i = 0;
    t.re_ar_ready_i = 1;
    Settle();
    if (t.re_ar_valid_o[n]) coming_.erase(t.re_ar_id_o[n]);
    Step();
    Settle();
    TakeSent(false);
    if (HasFatalFailure()) return;
    for (unsigned r = 0; r < rows; ++r) {
      if (row_[r].state == kAddress && coming_.count(r) == 0) To(r, kIdle);
    }
  }
}

TEST_P(WalkReadTest, AStartLeavesInTheNextCycleAndGoesBeforeWhoIsKept) {
  t.re_ar_ready_i = 1;
  t.re_rows_i = 2;
  t.re_row_i = 1;
  t.re_row_index_i = 5;
  Step();
  EXPECT_EQ(t.re_kept_o[n], 2);
  t.re_rows_i = 0;
  t.re_start_i = 1;
  t.re_start_row_i = 0;
  t.start_cause_i = 0;
  t.start_level_i = 3;
  t.start_pfn_i = 0x345;
  t.start_vram_i = 1;
  t.start_index_valid_i = 1;
  t.start_index_i = 0x203;
  Step();
  t.re_start_i = 0;
  Settle();
  EXPECT_EQ(t.re_sent_o[n], 1);
  EXPECT_EQ(t.re_kept_o[n], 2);
  ASSERT_TRUE(t.re_ar_valid_o[n]);
  EXPECT_EQ(t.re_ar_addr_o[n], 0x346018u);
  EXPECT_EQ(t.re_ar_id_o[n], 0);
  Step();
  Settle();
  EXPECT_EQ(t.re_sent_o[n], 2);
  EXPECT_EQ(t.re_kept_o[n], 0);
  ASSERT_TRUE(t.re_ar_valid_o[n]);
  EXPECT_EQ(t.re_ar_id_o[n], 1);
  Step();
  Settle();
  EXPECT_FALSE(t.re_ar_valid_o[n]);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkReadTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::inner

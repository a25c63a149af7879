// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_walk_table and its sub-blocks between a pipeline and a memory in C++. Every lookup
// that begins or joins a walk must get exactly one response: the result of a plain walk of the
// current tables, or a request to replay it. The tables change at every kill of all walks; reads in
// flight at a kill return old entries.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "blocks.h"
#include "walk_tables.h"

namespace gmmu::bench {
namespace {

class WalkTableTest : public BlocksTest, protected WalkTables {
 protected:
  struct Burst {
    unsigned id;
    std::vector<std::array<uint64_t, 8>> beats;
    std::vector<bool> errors;
    unsigned sent = 0;
    uint64_t due;
  };
  using Waiter = std::pair<unsigned, unsigned>;
  struct Op {
    enum { kLookup, kBegin, kJoin, kRestart } kind = kLookup;
    Waiter who{0, 0};
    Key key{};
    bool old = false, wide = false, engine = false;
    unsigned row = 0;
  };
  std::map<Waiter, std::pair<Key, bool>> outstanding_;  ///< the key, and whether the lookup began the walk
  std::deque<std::pair<Waiter, Key>> again_;
  /// Rows to restart, each with the cycle in which the restart is due.
  std::deque<std::pair<uint64_t, std::pair<unsigned, Key>>> restarts_;
  std::optional<Op> searched_, decided_;
  std::vector<Burst> bursts_;
  std::deque<std::pair<uint64_t, unsigned>> fills_;
  std::map<unsigned, uint64_t> read_version_;  ///< version of the tables at each row's latest read
  std::vector<Key> lines_;
  std::map<unsigned, Key> live_;   ///< keys of the rows in use
  std::map<unsigned, bool> wide_;  ///< whether the row fetches a line
  unsigned free_ = 0;              ///< lower bound of the shared rows that were free in the previous cycle
  const unsigned ports_ = small() ? 2 : 7, slots_ = small() ? 2 : 8;
  uint64_t told_ = 0, sent_back_ = 0, joined_ = 0, kills_ = 0, cached_ = 0, ended_ = 0, engine_ = 0;
  unsigned quiet_ = 0, latency_ = 5, stall_ = 0;

  void SetUp() override {
    Make(0, {9, 9, 9});
    Make(1, {2, 13, 5, 4});
    for (int i = 0; i < 12; ++i) {
      lines_.push_back({Random(2), rng() & kVpnMask, false});
      const Shape& shape = shapes_[lines_.back().space];
      lines_.back().vpn &= (uint64_t{1} << (shape.shift[shape.levels - 1] + shape.bits[shape.levels - 1])) - 8;
    }
  }
  void Make(unsigned space, const std::vector<unsigned>& bits) {
    Shape& shape = shapes_[space];
    shape = {static_cast<unsigned>(bits.size()), {}, {}};
    uint64_t shifts = 0, widths = 0;
    unsigned shift = 0;
    for (unsigned l = 0; l < bits.size(); ++l) {
      shape.shift[l] = shift;
      shape.bits[l] = bits[l];
      shifts |= uint64_t{shift} << (6 * l);
      widths |= uint64_t{bits[l]} << (4 * l);
      shift += bits[l];
    }
    t.wt_space_write_i = 1;
    t.kill_space_i = static_cast<uint8_t>(space);
    t.wt_shifts_i = shifts;
    t.wt_widths_i = static_cast<uint32_t>(widths);
    Step();
    t.wt_space_write_i = 0;
    for (int i = 0; i < 7; ++i) Step();
  }

  // ---- The parts of a cycle. `lookups`: new lookups may start.
  void GiveStart(const Key& key) {
    const Shape& shape = shapes_[key.space];
    Start start = Root(key.space);
    bool root = true;
    Result unused;
    // Move the start down, as if the walk cache held a pointer.
    while (Refusal(key) == 0 && start.level > 0 && Random(3) == 0) {
      const auto next = After(key, start, &unused);
      if (!next) break;
      start = *next;
      root = false;
    }
    GMMU_STRUCT(gmmu_mmu_blocks_bench, start_t) fields{};
    fields.cause = static_cast<uint8_t>(Refusal(key)), fields.level = static_cast<uint8_t>(start.level);
    fields.pfn = start.pfn, fields.vram = start.vram, fields.has_64k = shape.bits[0] >= 4;
    fields.index_valid = root, fields.index = static_cast<uint16_t>(Index(shape, key, start.level));
    fields.shift = static_cast<uint8_t>(shape.shift[start.level]);
    fields.bits = static_cast<uint8_t>(shape.bits[start.level]);
    t.wt_start_i = Pack(fields);
  }
  std::optional<Waiter> FreeWaiter() {
    for (int i = 0; i < 8; ++i) {
      const Waiter waiter{Random(ports_), Random(slots_)};
      bool used = outstanding_.count(waiter) != 0;
      for (const auto& other : again_) used |= other.first == waiter;
      used |= searched_ && searched_->kind == Op::kLookup && searched_->who == waiter;
      if (!used) return waiter;
    }
    return std::nullopt;
  }

  // The pipeline: a key is searched; one cycle after its search, the action for its lookup is
  // chosen; and two cycles after its search, the action takes place.
  std::optional<Op> Choose(bool lookups, bool hold) {
    if (!restarts_.empty() && restarts_.front().first <= now) {
      Op op;
      op.kind = Op::kRestart;
      std::tie(op.row, op.key) = restarts_.front().second;
      op.wide = wide_[op.row];
      restarts_.pop_front();
      return op;
    }
    if (hold) return std::nullopt;
    Op op;
    if (!again_.empty()) {
      std::tie(op.who, op.key) = again_.front();
      op.old = true;
      again_.pop_front();
      return op;
    }
    if (!lookups || Random(100) < stall_) return std::nullopt;
    const auto who = FreeWaiter();
    if (!who) return std::nullopt;
    op.who = *who;
    op.key = lines_[Random(static_cast<unsigned>(lines_.size()))];
    op.key.vpn += Random(3) == 0 ? Random(8) : 3;
    return op;
  }
  std::optional<Op> Decide(Op op) {
    if (op.kind == Op::kRestart) return op;
    if (t.wt_hit_o[n]) {
      op.kind = Op::kJoin;
      ++joined_;
    } else if (t.wt_free_o[n] || (op.who.first + 3 >= ports_ && t.wt_engine_free_o[n])) {
      op.kind = Op::kBegin;
      op.engine = !t.wt_free_o[n];
      op.wide = t.wt_near_o[n] || Random(2) != 0;
    } else {
      if (op.old) again_.push_front({op.who, op.key});
      return std::nullopt;
    }
    outstanding_[op.who] = {op.key, op.kind == Op::kBegin};
    return op;
  }
  void Act() {
    t.wt_begin_i = t.wt_join_i = t.wt_restart_i = 0;
    if (!decided_) return;
    SetKey(decided_->key);
    t.wt_who_i = static_cast<uint16_t>(decided_->who.first << 6 | decided_->who.second);
    t.wt_begin_i = decided_->kind == Op::kBegin;
    t.wt_join_i = decided_->kind == Op::kJoin;
    t.wt_restart_i = decided_->kind == Op::kRestart;
    t.wt_begin_engine_i = decided_->engine;
    t.wt_wide_i = decided_->wide;
    t.wt_restart_row_i = static_cast<uint8_t>(decided_->row);
    if (!t.wt_join_i) GiveStart(decided_->key);
  }

  void Cycle(bool lookups, bool hold = false) {
    const unsigned words = t.data_words_o;
    t.wt_hold_i = hold;
    t.wt_restart_ready_i = !hold && Random(2) == 0;
    t.wt_ar_ready_i = Random(100) >= stall_;
    t.wt_tell_ready_i = Random(100) >= stall_;
    t.wt_again_ready_i = Random(2) == 0;
    t.wt_fill_ready_i = fills_.empty() && Random(2) == 0;
    t.wt_fill_done_i = !fills_.empty() && fills_.front().first <= now;
    if (t.wt_fill_done_i) {
      t.wt_fill_done_row_i = static_cast<uint8_t>(fills_.front().second);
      fills_.pop_front();
    }
    t.wt_r_valid_i = 0;
    size_t which = 0;
    if (!bursts_.empty()) {
      which = Random(static_cast<unsigned>(bursts_.size()));
      Burst& burst = bursts_[which];
      if (burst.due <= now) {
        t.wt_r_valid_i = 1;
        t.wt_r_id_i = static_cast<uint8_t>(burst.id);
        for (unsigned w = 0; w < 8; ++w) t.fi_line_word_i[w] = burst.beats[burst.sent][w];
        t.wt_r_error_i = burst.errors[burst.sent];
        t.wt_r_last_i = burst.sent + 1 == burst.beats.size();
      }
    }
    Act();
    const auto chosen = Choose(lookups, hold);
    if (chosen) SetOther(chosen->key);
    Settle();
    WatchRows();
    if (HasFatalFailure()) return;

    if (t.wt_r_valid_i && ++bursts_[which].sent == bursts_[which].beats.size()) {
      bursts_.erase(bursts_.begin() + static_cast<long>(which));
    }
    if (t.wt_ar_valid_o[n] && t.wt_ar_ready_i) {
      const auto ar = Unpack<GMMU_STRUCT(gmmu_mmu_blocks_bench, ax_t)>(t.wt_ar_o[n]);
      Burst burst{ar.id, {}, {}, 0, now + 1 + Random(latency_)};
      const uint64_t beat = uint64_t{words} * 8;
      for (unsigned b = 0; b <= ar.len; ++b) {
        std::array<uint64_t, 8> data{};
        const uint64_t from = (ar.addr & ~(beat - 1)) + b * beat;
        for (unsigned w = 0; w < words; ++w) data[w] = Word(ar.port == 0, from + w * 8);
        burst.beats.push_back(data);
        burst.errors.push_back(Error(from));
      }
      for (const Burst& other : bursts_) EXPECT_NE(other.id, burst.id) << "an id is used twice";
      bursts_.push_back(burst);
      read_version_[burst.id] = version_;
    }
    if (t.wt_restart_valid_o[n] && t.wt_restart_ready_i) {
      EXPECT_EQ(t.wt_restart_wide_o[n], wide_[t.wt_restart_row_o[n]]);
      restarts_.push_back({now + 2, {t.wt_restart_row_o[n], Key::Of(t.wt_restart_key_o[n] & ~uint64_t{1})}});
    }
    if (t.wt_tell_valid_o[n] && t.wt_tell_ready_i) Told();
    if (t.wt_again_valid_o[n] && t.wt_again_ready_i) {
      const auto again = Unpack<GMMU_STRUCT(gmmu_mmu_blocks_bench, lookup_t)>(t.wt_again_o[n]);
      const auto found = outstanding_.find({again.port, again.slot});
      ASSERT_NE(found, outstanding_.end());
      EXPECT_FALSE(found->second.second) << "who began a walk is sent back";
      EXPECT_EQ(again.key.vpn, found->second.first.vpn);
      again_.push_back({found->first, found->second.first});
      outstanding_.erase(found);
      ++sent_back_;
    }
    if (t.wt_fill_valid_o[n] && t.wt_fill_ready_i) {
      const unsigned row = Unpack<GMMU_STRUCT(gmmu_mmu_blocks_bench, line_t)>(t.wt_fill_o[n]).row;
      EXPECT_EQ(read_version_[row], version_) << "a line of before a kill is entered";
      fills_.push_back({now + 2 + Random(12), row});
    }
    decided_ = searched_ ? Decide(*searched_) : std::nullopt;
    searched_ = chosen;
    quiet_ = t.wt_quiet_o[n] && !searched_ && !decided_ && restarts_.empty() && fills_.empty() && !t.wt_wc_write_o[n] &&
                     !t.wt_begin_i && !t.wt_join_i && !t.wt_restart_i && !t.wt_fill_done_i
                 ? quiet_ + 1
                 : 0;
    Step();
  }
  /// Checks that a row begins only if it is free, that only the engine uses the engine's row, that
  /// each row ends exactly once and with the key that it began with, and that the walk cache
  /// receives the pointers in the tables.
  void WatchRows() {
    const unsigned walks = small() ? 2 : 10;  // shared rows
    ASSERT_GE(t.wt_early_o[n], std::min(free_, 3u));
    if (t.wt_end_o[n]) {
      const auto row = live_.find(t.wt_end_row_o[n]);
      ASSERT_NE(row, live_.end()) << "a row ends twice";
      EXPECT_EQ(t.wt_end_key_o[n], uint64_t{row->second.space} << 37 | row->second.vpn << 1);
      live_.erase(row);
      ++ended_;
    }
    if (t.wt_begin_i) {
      const unsigned row = t.wt_begin_row_o[n];
      ASSERT_EQ(live_.count(row), 0u) << "a row begins that is in use";
      ASSERT_EQ(row == walks, t.wt_begin_engine_i != 0);
      ASSERT_LE(row, walks);
      live_[row] = decided_->key;
      wide_[row] = decided_->wide;
      engine_ += row == walks;
    }
    free_ = walks;
    for (const auto& row : live_) free_ -= row.first < walks;
    if (!t.wt_wc_write_o[n]) return;
    const auto pointer = Unpack<GMMU_STRUCT(gmmu_mmu_blocks_bench, wc_write_t)>(t.wt_wc_o[n]);
    const Key key{pointer.space, pointer.tag, false};
    ASSERT_EQ(key.vpn & ((uint64_t{1} << shapes_[key.space].shift[pointer.level]) - 1), 0u);
    std::optional<Start> at = Root(key.space);
    for (Result unused; at && at->level >= pointer.level;) at = After(key, *at, &unused);
    ASSERT_TRUE(at) << "a pointer that is none is cached";
    EXPECT_EQ(pointer.pfn, at->pfn);
    EXPECT_EQ(pointer.vram != 0, at->vram);
    ++cached_;
  }
  void Told() {
    const auto tell = Unpack<GMMU_STRUCT(gmmu_mmu_blocks_bench, msg_t)>(t.wt_tell_o[n]);
    const Page page(Pack(tell.page));
    const auto found = outstanding_.find({tell.port, tell.slot});
    ASSERT_NE(found, outstanding_.end()) << "told twice, or nobody";
    const auto [key, began] = found->second;
    const Result want = Walk(key);
    EXPECT_EQ(tell.merged, !began);
    EXPECT_EQ(tell.key.vpn, key.vpn);
    ASSERT_EQ(tell.cause, want.cause) << "space " << key.space << " page " << key.vpn;
    ASSERT_EQ(page.level(), want.level);
    if (want.cause == 0) {
      ASSERT_EQ(page.raw, want.page) << "space " << key.space << " page " << key.vpn;
    } else {
      EXPECT_TRUE(began) << "a fault for a lookup that joined";
    }
    outstanding_.erase(found);
    ++told_;
  }
  /// Acts like the control block: asserts hold_i until nothing is in flight, then kills walks. If
  /// it kills all of them, the tables change.
  void Kill() { Kill(Random(2) != 0); }
  void Kill(bool all) {
    t.kill_all_i = all;
    t.kill_space_i = static_cast<uint8_t>(Random(2));
    for (quiet_ = 0; quiet_ < 5; Cycle(false, true)) {
      ASSERT_FALSE(HasFatalFailure());
    }
    t.kill_valid_i = 1;
    Cycle(false, true);
    t.kill_valid_i = 0;
    if (t.kill_all_i) ++version_;
    ++kills_;
    for (int i = 0; i < 4; ++i) Cycle(false, true);
  }
};

TEST_P(WalkTableTest, TellsEveryLookupOnceWhatTheTablesSay) {
  for (int round = 0; round < 60 && !HasFatalFailure(); ++round) {
    latency_ = round % 3 == 0 ? 1 : round % 3 == 1 ? 8 : 60;
    stall_ = round % 4 == 0 ? 0 : round % 4 == 1 ? 30 : 80;
    for (unsigned i = 50 + Random(150); i > 0 && !HasFatalFailure(); --i) Cycle(true);
    Kill();
  }
  if (HasFatalFailure()) return;
  stall_ = 0;
  for (unsigned i = 0; !outstanding_.empty() || !again_.empty() || searched_ || decided_ || !t.wt_idle_o[n]; ++i) {
    ASSERT_LT(i, 4000u) << outstanding_.size() << " lookups are not told";
    Cycle(false);
    ASSERT_FALSE(HasFatalFailure());
  }
  EXPECT_FALSE(t.wt_stale_o[n]);
  for (int i = 0; i < 3; ++i) Cycle(false);  // The last row may need three cycles to become free.
  EXPECT_TRUE(live_.empty()) << "row " << live_.begin()->first << " of " << live_.size() << " has not ended";
  EXPECT_GT(ended_, 200u);
  EXPECT_GT(cached_, 100u);
  EXPECT_GT(engine_, 10u);
  EXPECT_GT(told_, 400u);
  EXPECT_GT(joined_, 100u);
  EXPECT_GT(sent_back_, 20u);
}

// Kills the walks of one space while more walks are in progress than may read at a time, and while
// starts are parked. The other space's walks must continue, and the next read of each must use the
// index of its current level.
TEST_P(WalkTableTest, WalksThatWaitForAReadOutliveTheKillOfAnotherSpace) {
  while (lines_.size() < 64) lines_.push_back({Random(2), rng() & 0x1ffffff8, false});
  stall_ = 0;
  for (int round = 0; round < 300 && !HasFatalFailure(); ++round) {
    latency_ = round % 2 == 0 ? 20 : 90;
    for (unsigned i = 20 + Random(60); i > 0 && !HasFatalFailure(); --i) Cycle(true);
    Kill(false);
  }
  EXPECT_GT(told_, 400u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkTableTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench

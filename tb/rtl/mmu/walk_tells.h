// SPDX-License-Identifier: Apache-2.0
// The expected responses of gmmu_walk_tell: the outcome of a lookup, given the entry of its page,
// and the order of the responses. Shared by the tests of gmmu_walk_tell.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "inner.h"

namespace gmmu::inner {

/// The state of a row when it is picked for its responses.
struct TellRow {
  unsigned row = 0;
  Key key;
  unsigned level = 0, shift = 0, mask = 0, cause = 0;
  bool block_ok = false, wide = false, drop = false, error = false;
  Entry::Form form = Entry::kLeaf;
  /// Returns whether the row reads a whole line rather than one entry.
  bool Line() const { return wide && form == Entry::kLeaf; }
};

/// The outcome of one lookup. again: the lookup must be replayed, and only who, key and row are
/// defined.
struct Told {
  unsigned who = 0;
  bool again = false, merged = false, large = false, narrow = false;
  Key key;
  Page page;
  unsigned cause = 0, shift = 0, row = 0;
  bool direct = false;
  uint64_t order = 0;  ///< order among the responses of its row
};

/// Returns the outcome for the lookup of page `sub` of the row's line, whose entry is `word`.
inline Told Judge(const TellRow& row, unsigned who, bool begins, unsigned sub, uint64_t word) {
  const Entry entry{word};
  Told told;
  told.who = who;
  told.row = row.row;
  told.key = row.key;
  told.key.vpn = (row.key.vpn & ~uint64_t{7}) | sub;
  told.merged = !begins;
  told.cause = row.cause != 0 ? row.cause : row.error ? kTableRead : entry.FaultAt(row.form, row.shift);
  told.page = entry.PageAt(row.form == Entry::kLeaf ? 0 : 1, row.shift, told.key.vpn, row.block_ok);
  told.page.level = row.level;
  told.shift = row.shift;
  const unsigned may_differ = row.form == Entry::kLeaf64 ? 7 : row.form == Entry::kLeaf ? row.mask : 0;
  const bool same_table = ((sub ^ row.key.vpn) & 7 & ~may_differ) == 0;
  told.again = !begins && (told.cause != 0 || row.drop || !same_table);
  told.large = begins && told.cause == 0 && row.level != 0;
  const bool by_itself = row.form == Entry::kLeaf64 || !row.wide || told.page.big;
  told.narrow = begins && told.cause == 0 && row.level == 0 && by_itself;
  return told;
}

/// Checks the outputs: each lookup leaves once, the lookups of a row leave in order, and an offer stays valid.
class TellTest : public InnerTest {
 protected:
  const unsigned ports_ = n ? 2 : 7, slots_ = n ? 2 : 32;
  std::map<unsigned, Told> due_;  ///< indexed by who: port * 64 + slot
  uint64_t told_ = 0, again_ = 0, direct_ = 0, faults_ = 0, large_ = 0, narrow_ = 0, refused_ = 0;

  static unsigned Port(unsigned who) { return who >> 6; }
  static unsigned Slot(unsigned who) { return who & 63; }
  std::optional<unsigned> FreeWho() {
    for (int i = 0; i < 8; ++i) {
      const unsigned who = Random(ports_) << 6 | Random(slots_);
      if (due_.count(who) == 0 && used_.count(who) == 0) return who;
    }
    return std::nullopt;
  }
  std::set<unsigned> used_;  ///< waiters that have begun or joined a row

  void Expect(Told told) {
    told.order = order_++;
    due_[told.who] = told;
  }
  /// Drives a direct response for a lookup that is not waiting. Returns the lookup, if there is
  /// one.
  std::optional<Told> DriveDirect(bool offer, unsigned row) {
    std::optional<Told> told;
    const std::optional<unsigned> who = FreeWho();
    const Page page = Page::Of(rng() & ((uint64_t{1} << 52) - 1));
    const Key key = Key::Of(rng() & ((uint64_t{1} << 43) - 1));
    const unsigned cause = Random(4) == 0 ? 1 + Random(6) : 0;
    const bool wide = Random(2) != 0;
    if (offer && who) {
      told.emplace();
      told->who = *who, told->key = key, told->page = page, told->cause = cause, told->row = row;
      told->direct = true;
      told->narrow = cause == 0 && (!wide || page.big);
    }
    t.te_direct_i = told.has_value();
    t.te_direct_row_i = static_cast<uint8_t>(row);
    t.te_direct_port_i = static_cast<uint8_t>(who ? Port(*who) : 0);
    t.te_direct_slot_i = static_cast<uint8_t>(who ? Slot(*who) : 0);
    t.te_direct_cause_i = static_cast<uint8_t>(cause);
    t.te_direct_wide_i = wide;
    t.other_i = key.Raw();
    t.page_i = page.Raw();
    return told;
  }
  /// Begins and starts a row for its key. A start that faults reports the row's level; any other
  /// start reports a random level.
  void DriveBegin(const TellRow& row, unsigned waiter) {
    t.te_walk_i = t.te_start_i = 1;
    t.te_walk_row_i = static_cast<uint8_t>(row.row);
    t.te_waiter_i = static_cast<uint8_t>(waiter);
    t.key_i = row.key.Raw();
    t.te_cause_i = static_cast<uint8_t>(row.cause);
    t.te_start_level_i = static_cast<uint8_t>(row.cause != 0 ? row.level : Random(6));
    t.te_block_ok_i = row.block_ok;
  }
  void DriveFact(const TellRow& row) {
    t.te_fact_i = 1;
    t.te_fact_row_i = static_cast<uint8_t>(row.row);
    t.te_error_i = row.error;
    t.te_level_i = static_cast<uint8_t>(row.cause != 0 ? Random(6) : row.level);
    t.te_form_i = static_cast<uint8_t>(row.form);
    t.te_fact_shift_i = static_cast<uint8_t>(row.shift);
    t.te_mask_i = static_cast<uint8_t>(row.mask);
  }
  TellRow SomeRow(unsigned number) {
    TellRow row;
    row.row = number;
    row.key = {Random(64), rng() & kVpnMask, false};
    row.level = Random(2) == 0 ? 0 : Random(6);
    row.shift = row.level == 0 ? 0 : 1 + Random(30);
    if (row.level != 0) row.form = row.level == 1 && Random(3) == 0 ? Entry::kHalf64 : Entry::kUpper;
    if (row.level == 0 && Random(3) == 0) row.form = Entry::kLeaf64, row.shift = 4;
    const unsigned bits = Random(5);
    row.mask = bits >= 3 ? 7 : (1u << bits) - 1;
    row.block_ok = bits >= 4;
    row.wide = Random(2) != 0;
    row.drop = Random(8) == 0;
    row.error = Random(10) == 0;
    row.cause = Random(10) == 0 ? 1 + Random(5) : 0;
    return row;
  }
  /// Returns a random entry for this row. Contiguous entries often match their position, and large
  /// pages are mostly aligned.
  uint64_t EntryFor(const TellRow& row) {
    uint64_t entry = SomeEntry(rng);
    if (Random(2) == 0) entry = (entry & ~uint64_t{0xf000}) | (row.key.vpn & 15) << 12;
    if (row.level != 0 && Random(3) != 0) entry = (entry | 0x21) & ~uint64_t{0x100};
    if (row.shift != 0 && Random(3) != 0) entry &= ~(((uint64_t{1} << row.shift) - 1) << 12);
    return entry;
  }

  /// Checks the outputs of this cycle, after Settle.
  void Watch(const std::optional<Told>& direct, bool hold) {
    const bool take = t.te_take_o[n] != 0, tell = t.te_tell_o[n] != 0, again = t.te_again_o[n] != 0;
    if (take) ASSERT_TRUE(direct && !hold);
    ASSERT_EQ(t.te_ok_o[n] != 0, ok_next_) << "cycle " << now;
    ASSERT_EQ(t.te_fault_o[n] != 0, fault_next_);
    ok_next_ = fault_next_ = false;
    ASSERT_FALSE(stood_ && !tell) << "an answer was withdrawn";
    ASSERT_FALSE(stood_again_ && !again);
    if (direct && !hold && due_.empty()) ASSERT_TRUE(take) << "nothing is in its way, cycle " << now;
    if (direct && !take) ++refused_;
    if (t.te_quiet_o[n]) ASSERT_TRUE(due_.empty()) << "cycle " << now;
    empty_ = due_.empty() ? empty_ + 1 : 0;
    if (empty_ > 6) {
      ASSERT_TRUE(t.te_quiet_o[n]);
      ASSERT_EQ(t.te_kept_o[n], 0u);
    }
    offered_row_ = 64;
    if (tell) {
      const auto msg = Unpack<GMMU_STRUCT(gmmu_mmu_inner_bench, msg_t)>(t.te_msg_o[n]);
      const unsigned who = msg.port << 6 | msg.slot;
      ASSERT_EQ(due_.count(who), 1u) << "answer of nobody: " << who << " cycle " << now;
      const Told& want = due_[who];
      ASSERT_FALSE(want.again) << "who " << who << " cycle " << now;
      if (stood_) ASSERT_EQ(who, stood_who_);
      ASSERT_EQ(msg.merged != 0, want.merged);
      ASSERT_EQ(Pack(msg.key), want.key.Raw());
      ASSERT_EQ(msg.cause, want.cause) << "cycle " << now;
      if (want.cause == 0) ASSERT_EQ(Page::Of(Pack(msg.page)).Seen(), want.page.Seen()) << "cycle " << now;
      ASSERT_EQ(msg.page.level, want.page.level);
      ASSERT_EQ(t.te_large_o[n] != 0, want.large);
      ASSERT_EQ(t.te_narrow_o[n] != 0, want.narrow);
      ASSERT_EQ(t.te_tell_row_o[n], want.row);
      offered_row_ = want.direct ? 64 : want.row;
      if (want.large) ASSERT_EQ(t.te_shift_o[n], want.shift);
      if (t.te_tell_ready_i) {
        if (!want.direct) {
          ASSERT_GE(want.order, next_tell_) << "out of order";
          next_tell_ = want.order + 1;
        }
        (want.cause == 0 ? ok_next_ : fault_next_) = !want.merged;
        ++told_;
        direct_ += want.direct, faults_ += want.cause != 0, large_ += want.large, narrow_ += want.narrow;
        Gone(want);
        due_.erase(who);
      }
      stood_who_ = who;
    }
    stood_ = tell && !t.te_tell_ready_i;
    if (again) {
      const auto replay = Unpack<GMMU_STRUCT(gmmu_mmu_inner_bench, lookup_t)>(t.te_replay_o[n]);
      const unsigned who = replay.port << 6 | replay.slot;
      ASSERT_EQ(due_.count(who), 1u);
      const Told& want = due_[who];
      ASSERT_TRUE(want.again) << "who " << who << " cycle " << now;
      ASSERT_EQ(Pack(replay.key), want.key.Raw());
      ASSERT_TRUE(t.te_kept_o[n] >> want.row & 1);
      if (t.te_again_ready_i) {
        ASSERT_GE(want.order, next_again_);
        next_again_ = want.order + 1;
        ++again_;
        Gone(want);
        due_.erase(who);
      }
    }
    stood_again_ = again && !t.te_again_ready_i;
    if (take) Expect(*direct);
  }
  /// called when a lookup has left
  virtual void Gone(const Told&) {}
  unsigned offered_row_ = 64;  ///< row of the lookup that is offered

 private:
  uint64_t order_ = 0, next_tell_ = 0, next_again_ = 0;
  unsigned stood_who_ = 0, empty_ = 0;
  bool stood_ = false, stood_again_ = false, ok_next_ = false, fault_next_ = false;
};

}  // namespace gmmu::inner

// SPDX-License-Identifier: Apache-2.0
// LookupMachine's checks of the outputs of gmmu_lookup.
#include "lookup_machine.h"

namespace gmmu::bench {
namespace {

constexpr uint64_t kBound = 30000;  // maximum number of cycles that a lookup may take

std::string Name(const LookupMachine::Waiter& who) {
  return "port " + std::to_string(who.first) + " slot " + std::to_string(who.second);
}

}  // namespace

LookupMachine::Lookup* LookupMachine::Find(const Waiter& who, const Key& key) {
  const auto found = lookups_.find(who);
  if (found == lookups_.end()) {
    ADD_FAILURE() << Name(who) << " has asked nothing";
    return nullptr;
  }
  EXPECT_FALSE(found->second.resolved) << Name(who) << " comes twice";
  EXPECT_EQ(found->second.key.space, key.space) << Name(who);
  EXPECT_EQ(found->second.key.vpn, key.vpn) << Name(who);
  EXPECT_EQ(found->second.key.high, key.high) << Name(who);
  return &found->second;
}

void LookupMachine::Resolve(const Waiter& who, Lookup& lookup) {
  lookup.resolved = true;
  if (keep) ends.push_back(who);
}

void LookupMachine::TakeWalks() {
  const auto start = Unpack<Start>(t.start_o[n]);
  ASSERT_LE(t.begin_o[n] + t.join_o[n] + t.restart_o[n], 1);
  if (dry_) ASSERT_EQ(t.begin_o[n] + t.join_o[n] + t.restart_o[n], 0) << "under hold, after quiet";
  if (t.count_wc_lookup_o[n]) ASSERT_TRUE(t.begin_o[n] || t.restart_o[n]);
  if (t.restart_o[n]) {
    ASSERT_FALSE(restarting_.empty());
    const auto [row, entered] = restarting_.front();
    restarting_.pop_front();
    ASSERT_EQ(t.restart_row_o[n], row);
    ASSERT_EQ(t.begin_wide_o[n], rows[row].wide);
    ASSERT_NO_FATAL_FAILURE(StartOf(rows[row].key, Second(rows[row].key), std::max(entered, released_)));
    rows[row].restarting = false;
    rows[row].cause = start.cause;
    rows[row].due = now + 1 + Random(load.latency);
    ++counts.restarts;
  }
  if (!t.begin_o[n] && !t.join_o[n]) return;
  const auto what = Unpack<GMMU_STRUCT(gmmu_mmu_lookup_bench, lookup_t)>(t.what_o[n]);
  const Waiter who{what.port, what.slot};
  const Key key = Key::Of(Pack(what.key));
  Lookup* lookup = Find(who, key);
  ASSERT_NE(lookup, nullptr);
  ASSERT_TRUE(answered_ && answered_->key == key) << "what was searched for is not what begins or joins";
  const auto held = l2_.During(key, From(*lookup), now);
  ASSERT_FALSE(!key.high && held.size() == 1 && held[0]) << Name(who) << ": the L2 has had the page all the time";
  if (const auto level = large_.Must(key, From(*lookup))) {
    bool hidden = false;
    for (unsigned l = 1; l < *level; ++l) hidden |= pointers_.Any(l, key, spaces_[key.space].prepared.keep[l]);
    ASSERT_TRUE(hidden) << Name(who) << ": the walk cache has the large page";
  }
  if (t.join_o[n]) {
    ASSERT_TRUE(answered_->hit);
    Row& row = rows[answered_->row];
    ASSERT_FALSE(row.Free()) << "the bench has freed a row too early";
    row.joined.push_back(who);
    Resolve(who, *lookup);
    ++counts.joins;
    return;
  }
  ASSERT_FALSE(answered_->hit) << "two walks for a page";
  const bool engine = t.begin_engine_o[n];
  if (engine) {
    ASSERT_TRUE(IsEngine(who.first) && answered_->engine) << Name(who);
    ++counts.engine;
  } else {
    ASSERT_TRUE(answered_->free) << Name(who);
  }
  // A lookup that waits for a row takes precedence over new lookups.
  bool waits = false;
  const bool newcomer = !lookup->again && now - lookup->entered <= 8;
  for (const auto& [other, of] : lookups_) {
    if (of.resolved || other == who) continue;
    waits |= of.again || of.entered + 3 <= now;
    if (newcomer && !engine) {
      ASSERT_GT(of.entered + 10, lookup->entered)
          << Name(who) << " goes before " << Name(other) << ", which has waited";
    }
  }
  if (engine && answered_->free && newcomer) {
    ASSERT_TRUE(waits || now - last_wait_ < 10) << "the engine's row is taken though another is free";
  }
  ASSERT_NO_FATAL_FAILURE(ExpectWide(*lookup));
  ASSERT_NO_FATAL_FAILURE(StartOf(key, false, From(*lookup)));
  size_t at = rows.size() - 1;
  if (!engine) {
    for (at = 0; at < load.rows && !rows[at].Free();) ++at;
  }
  ASSERT_TRUE(at < rows.size() && rows[at].Free()) << "the bench counts rows wrongly";
  rows[at].busy = true;
  rows[at].wide = t.begin_wide_o[n];
  rows[at].restarting = false;
  rows[at].key = key;
  rows[at].cause = start.cause;
  rows[at].owner = who;
  rows[at].joined.clear();
  rows[at].due = now + 1 + Random(load.latency);
  Resolve(who, *lookup);
  ++counts.begins;
  counts.wide += t.begin_wide_o[n];
}

void LookupMachine::ExpectWide(const Lookup& lookup) {
  if (lookup.key.high) return;
  const auto line = l2_.Line(lookup.key, From(lookup), now);
  const bool must = lookup.close == true || answered_->near || line == true;
  if (must) ASSERT_TRUE(t.begin_wide_o[n]) << lookup.close.value_or(false) << answered_->near << line.value_or(false);
  if (!must && lookup.close == false && line == false && !lookup.again) {
    ASSERT_FALSE(t.begin_wide_o[n]) << "space " << lookup.key.space << " page " << lookup.key.vpn;
  }
}

void LookupMachine::StartOf(const Key& key, bool second, uint64_t from) {
  const LookupSpace none, &space = key.space < Spaces() ? spaces_[key.space] : none;
  const LookupStart want = space.Root(key, second);
  const auto start = Unpack<Start>(t.start_o[n]);
  ++counts.starts;
  ASSERT_EQ(start.cause, want.cause) << "space " << key.space << " page " << key.vpn;
  ASSERT_EQ(t.count_wc_lookup_o[n], want.cause == 0);
  if (want.cause != 0) {
    ASSERT_EQ(start.level, want.level);
    ++counts.causes;
    ++counts.cause[want.cause];
    return;
  }
  ASSERT_EQ(start.dual, space.config.dual);
  ASSERT_EQ(start.has_64k, space.config.Bits(0) >= 4);
  ASSERT_EQ(start.half, !second);
  const unsigned root = space.levels - 1;
  unsigned level = space.levels;  // the level of the table that contains the pointer
  ASSERT_EQ(t.count_wc_hit_o[n], !start.index_valid);
  if (start.index_valid) {
    ASSERT_EQ(start.level, root);
    ASSERT_EQ(start.pfn, want.pfn);
    ASSERT_EQ(start.vram, want.vram);
    ASSERT_EQ(start.index, want.index);
    ASSERT_EQ(start.shift, want.shift);
    ASSERT_EQ(start.bits, want.bits);
  } else {
    level = start.level + 1;
    ASSERT_LE(level, root);
    ASSERT_TRUE(pointers_.May(level, key, space.prepared.keep[level], {start.pfn, start.vram != 0}, from, now))
        << "level " << level << " space " << key.space << " page " << key.vpn;
    const bool k64 = space.Names64K(level, start.pfn);
    const unsigned pair = space.config.Pairs(level - 1);
    ASSERT_EQ(start.k64, k64);
    ASSERT_EQ(start.shift, k64 ? 4 : space.prepared.shift[level - 1] - pair);
    ASSERT_EQ(start.bits, ((k64 ? space.config.Bits(0) - 4 : space.config.Bits(level - 1)) + pair) & 15);
    ASSERT_FALSE(space.config.dual && level == 1 && !second) << "the table of the other half";
    ++counts.pointers;
  }
  for (unsigned l = 1; l <= root; ++l) {
    // The bench writes only the 4 KiB halves' pointers, which a walk for the 64 KiB half cannot
    // find.
    if (space.config.Pairs(l) && !second) continue;
    const bool must = pointers_.Must(l, key, space.prepared.keep[l], from);
    if (must) ASSERT_LE(level, l) << "space " << key.space << " page " << key.vpn;
    counts.must_pointers += must;
  }
}

void LookupMachine::TakeMessages() {
  const bool told = t.tell_valid_i && t.tell_ready_o[n];
  const auto msg = Unpack<Message>(t.msg_o[n]);
  const uint64_t page = Pack(msg.page);
  const Waiter who{msg.port, msg.slot};
  const Key key = Key::Of(Pack(msg.key));
  said_.push_back({t.msg_valid_o[n] != 0, key, page});
  if (said_.size() > 3) said_.pop_front();
  if (said_.size() == 3 && said_.front().valid) {
    const auto later = Unpack<GMMU_STRUCT(gmmu_mmu_lookup_bench, translation_t)>(t.later_o[n]);
    ASSERT_EQ(Pack(later.key), said_.front().key.Raw());
    ASSERT_EQ(Pack(later.page), said_.front().page);
  }
  tell_waits_ = t.tell_valid_i && !told ? tell_waits_ + 1 : 0;
  ASSERT_LT(tell_waits_, 24u) << "an answer of a walk does not get the bus";
  ASSERT_EQ(t.count_hit_o[n], t.msg_valid_o[n] != 0 && !told);
  if (t.msg_valid_o[n] == 0) {
    ASSERT_FALSE(told) << "an answer of a walk is lost";
    return;
  }
  ASSERT_EQ(t.msg_valid_o[n], 1u << who.first);
  if (told) {
    const Tell tell = tells_.front();
    tells_.pop_front();
    tell_stands_ = false;
    ASSERT_EQ(who, tell.who);
    ASSERT_TRUE(key == tell.key);
    ASSERT_EQ(msg.merged, tell.merged);
    ASSERT_EQ(page, tell.page);
    ASSERT_EQ(msg.cause, tell.cause);
    ASSERT_EQ(lookups_.erase(who), 1u);
    if (tell.large) {
      const unsigned level = tell.page & 7;
      large_.Fill({key.space, level, tell.shift, key.vpn, tell.page, now});
      pointers_.Unsure(level, now + LookupLarge::kEntered);
    }
    ++counts.tells;
    return;
  }
  ASSERT_FALSE(dry_) << "a hit under hold, after quiet";
  Lookup* lookup = Find(who, key);
  ASSERT_NE(lookup, nullptr);
  ASSERT_FALSE(key.high);
  ASSERT_EQ(msg.merged, 0);
  ASSERT_EQ(msg.cause, 0);
  const auto held = l2_.During(key, From(*lookup), now);
  const bool l2 = std::find(held.begin(), held.end(), std::optional<uint64_t>(page)) != held.end();
  const bool large = large_.May(key, page);
  ASSERT_TRUE(l2 || large) << Name(who) << " space " << key.space << " page " << key.vpn << ": nobody has entered this";
  counts.must_hits += held.size() == 1 && held[0];
  counts.large_hits += large && !l2;
  ++counts.hits;
  Resolve(who, *lookup);
  lookups_.erase(who);
}

void LookupMachine::TakePorts() {
  const unsigned taken = t.lookup_valid_i & t.lookup_ready_o[n];
  ASSERT_EQ(taken & (taken - 1), 0u) << "two lookups in one cycle";
  if (held_ >= 3) ASSERT_EQ(taken, 0u) << "a lookup enters under hold";
  std::vector<bool> waits_for_row(Ports());  // ports with a lookup that waits for a row
  for (const auto& [who, lookup] : lookups_) {
    if (!lookup.resolved && lookup.entered + 2 <= now && !IsEngine(who.first)) waits_for_row[who.first] = true;
  }
  for (unsigned p = 0; p < Ports(); ++p) {
    Port& port = ports_[p];
    const bool stood = !port.standing.empty();
    const bool mine = taken >> p & 1;
    if (mine) {
      const Standing which = stood ? port.standing.front() : *port.fresh;
      if (stood) port.standing.pop_front();
      Lookup lookup{which.key, now, false, false, std::nullopt};
      const uint64_t line = which.key.vpn >> 3;
      if (port.line) {
        const uint64_t apart = line - *port.line, low = apart & 1023;
        if (low != 0 && low != 1 && low != 1023) lookup.close = false;
        else if (apart + 1 <= 2 && port.line_space == which.key.space) lookup.close = true;
      }
      port.line = line;
      port.line_space = which.key.space;
      ASSERT_TRUE(lookups_.insert({{p, which.slot}, lookup}).second);
      if (keep) served.push_back({now, p});
      ++counts.lookups;
    } else if (port.fresh) {
      port.standing.push_back(*port.fresh);
    }
    // Fairness: while a port's lookup waits, no other port is served more than twice, not counting
    // cycles in which the waiting port may have been ineligible.
    const bool stands = stood && t.lookup_valid_i >> p & 1;
    if (!stands || mine || port.others.empty()) {
      port.others.assign(Ports(), 0);
      port.closed = 0;
    }
    // The port may have been ineligible in this cycle.
    port.closed += t.lookup_ready_o[n] == 0 || waits_for_row[p];
    for (unsigned o = 0; stands && !mine && o < Ports(); ++o) {
      port.others[o] += taken >> o & 1;
      ASSERT_LE(port.others[o], 2 + port.closed)
          << "port " << o << " is served again and again, port " << p << " waits";
    }
  }
  bool waits = false;
  for (const auto& [who, lookup] : lookups_) {
    if (lookup.resolved) continue;
    ASSERT_LT(now - lookup.entered, kBound) << Name(who) << " is forgotten";
    waits |= lookup.again || lookup.entered + 5 <= now;
    if (lookup.entered < now) ASSERT_FALSE(t.idle_o[n]) << Name(who) << " is under way";
  }
  if (waits) last_wait_ = now;
}

void LookupMachine::TakeRest() {
  if (held_ >= 3) ASSERT_FALSE(t.restart_valid_i && t.restart_ready_o[n]) << "a restart enters under hold";
  if (t.restart_valid_i && t.restart_ready_o[n]) {
    restarting_.push_back({restarts_.front().first, now});
    restarts_.pop_front();
  }
  if (!restarting_.empty()) ASSERT_LT(now - restarting_.front().second, 20u) << "a restart is lost";
  if (t.again_valid_i && t.again_ready_o[n]) {
    Lookup& lookup = lookups_.at(again_.front().first);
    lookup.resolved = false;
    lookup.again = true;
    lookup.entered = now;
    again_.pop_front();
    ++counts.again;
  }
  if (t.probed_o[n]) {
    ASSERT_TRUE(fill_ && fill_->state == FillWork::kWait) << "nobody has asked";
    const auto want = l2_.Probe(fill_->key);
    ASSERT_EQ(t.probed_same_o[n], want.same);
    ASSERT_EQ(t.probed_empty_o[n], want.empty);
    ASSERT_EQ(t.probed_present_o[n], want.present);
    fill_->present = want.present;
    fill_->evicts = want.same == 0 && want.empty == 0;
    fill_->way = Random(Ways());
    for (unsigned w = 0; w < Ways(); ++w) {
      if ((want.same != 0 ? want.same : want.empty) >> w & 1) fill_->way = w;
    }
    fill_->state = FillWork::kWrite;
  } else if (fill_ && fill_->state == FillWork::kWait) {
    ASSERT_LT(++fill_->waited, 12u) << "a probe is lost";
  }
}

/// Advances the rows by one cycle. No row becomes free during a hold.
void LookupMachine::MoveRows() {
  unsigned soon = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    if (row.busy && !row.restarting && !quiet && Random(1000) < load.restarts) {
      row.restarting = true;
      restarts_.push_back({static_cast<unsigned>(i), row.key});
    }
    if (row.busy && !row.restarting && row.due <= now && !hold_) {
      const unsigned cause = row.cause != 0 ? row.cause : Chance(load.faults) ? 4 + Random(3) : 0;
      bool large;
      unsigned shift;
      uint64_t page = PageFor(row.key, &large, &shift);
      tells_.push_back({*row.owner, row.key, false, page, cause, large && cause == 0, shift});
      for (const Waiter& who : row.joined) {
        const Key key = lookups_.at(who).key;
        if (cause != 0 || Chance(load.again)) {
          again_.push_back({who, key});
        } else {
          page = PageFor(key, &large, &shift);
          tells_.push_back({who, key, true, page, 0, false, 0});
        }
      }
      row.joined.clear();
      row.busy = false;
      row.closing = 4;  // cycles in which lookups that found the row open may still join
    } else if (row.closing > 0) {
      for (const Waiter& who : row.joined) again_.push_back({who, lookups_.at(who).key});
      row.joined.clear();
      --row.closing;
    }
    soon += i < load.rows && !row.engine && (row.Free() || row.closing == 1);
  }
  rows_early_ = std::min(soon, 3u);
}

}  // namespace gmmu::bench

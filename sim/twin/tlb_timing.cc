// SPDX-License-Identifier: Apache-2.0
#include "twin/tlb_timing.h"

#include <algorithm>

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kHitCycles = 2, kEngineHitCycles = 6;  // L1 hit of a client, of the engine
constexpr uint64_t kSharedCycles = 1;                     // an L2 hit, after the port was granted
// From the response to the lookup that started a walk to the response to a lookup that joined it.
constexpr uint64_t kJoinedCycles = 7;
constexpr unsigned kLinePages = 8, kEnginePorts = 3;
/// Returns how many rows the walk table has beyond those that can read (SpareRows of
/// rtl/mmu/gmmu_mmu.sv).
unsigned MoreRows(unsigned walks) { return walks < 4 ? 0 : 2; }

struct Hash {
  unsigned block, low;
};

/// Computes the hash that an L1 uses for its hints (gmmu_mmu_pkg::hint_of).
Hash HashOf(unsigned space, uint64_t vpn) {
  unsigned block = (space & 0xF) << 4 | (space >> 4 & 3);
  for (uint64_t rest = vpn >> 4; rest != 0; rest >>= 8) block ^= static_cast<unsigned>(rest & 0xFF);
  return {block, static_cast<unsigned>(vpn & 0xF)};
}

unsigned PageCheck(Hash hash) { return hash.low ^ ((hash.block >> 5 & 7) << 1 | 1); }

/// Returns how many bits an index below `count` needs; `count` need not be a power of two.
unsigned Lg2(uint64_t count) {
  unsigned lg2 = 0;
  while ((uint64_t{1} << lg2) < count) ++lg2;
  return lg2;
}

Hierarchy BuildOf(Hierarchy hierarchy, const Built& built, Policy& policy) {
  hierarchy.clients = built.clients;
  policy.Build(hierarchy);
  return hierarchy;
}

}  // namespace

TlbTiming::TlbTiming(const Built& built, Memory& memory, TimeModel& time, Agenda& agenda, Counters& counters,
                     const PolicyParameters& policy)
    : clients_(built.clients),
      memory_(memory),
      time_(time),
      agenda_(agenda),
      counters_(counters),
      policy_(policy.make ? policy.make() : std::make_unique<Policy>()),
      hierarchy_(BuildOf(policy.hierarchy, built, *policy_)),
      l1_(built.clients + 1),
      missed_lines_(built.clients + kEnginePorts, uint64_t{1} << 62),
      pte_cache_(hierarchy_.pte_cache_lines, hierarchy_.pte_cache_ways) {
  Resize(built.tlb_sizes());
  if (hierarchy_.l3_entries != 0) l3_.emplace(3, hierarchy_.l3_entries, hierarchy_.l3_ways, hierarchy_.l2_block);
}

void TlbTiming::Resize(const TlbSizes& sizes) {
  rows_.Drop(std::nullopt);
  for (L1& l1 : l1_) {
    const size_t places = size_t{1} << Lg2(sizes.l1_entries);
    l1 = {};
    l1.tags.resize(sizes.l1_entries);
    l1.lines.resize(sizes.l1_entries);
    l1.pages.resize(2 * places);
    l1.blocks.resize(places);
  }
  l2_.emplace(2, static_cast<unsigned>(sizes.l2_entries), static_cast<unsigned>(sizes.l2_ways), hierarchy_.l2_block);
  walk_cache_.emplace(static_cast<unsigned>(sizes.walk_cache), hierarchy_);
  walks_at_once_ = hierarchy_.walks != 0 ? hierarchy_.walks : std::max(1u, static_cast<unsigned>(sizes.walks));
  walks_ = Places(walks_at_once_);
  rows_in_use_ = Places(walks_at_once_ + MoreRows(walks_at_once_));
  const uint64_t sets = sizes.l2_entries / 16 / std::max<uint64_t>(1, sizes.l2_ways);
  time_.set_sweep_steps(std::max({sets, sizes.l1_entries, sizes.walk_cache}));
}

void TlbTiming::Reset() {
  ++generation_;
  queue_.clear();
  waiting_.clear();
  walking_ = 0;
  joined_ = 0;
  policy_counts_ = {};
  rows_.Drop(std::nullopt);
}

// ---- L1

uint64_t TlbTiming::HitPs(unsigned port) const {
  return time_.Cycles(port < clients_ ? kHitCycles + hierarchy_.l1_cycles : kEngineHitCycles);
}

TlbTiming::L1::Tag* TlbTiming::Search(L1& l1, Key key) {
  const Hash hash = HashOf(key.space, key.vpn);
  const auto agrees = [&](L1::Tag& tag) {
    return tag.valid && tag.space == key.space && tag.vpn >> 4 == key.vpn >> 4 && (tag.big || tag.vpn == key.vpn);
  };
  const L1::Hint& block = l1.blocks[hash.block & (l1.blocks.size() - 1)];
  if (block.big && block.check == (hash.block >> 4 & 7)) {
    L1::Tag& tag = l1.tags[block.index];
    return agrees(tag) ? &tag : nullptr;
  }
  const L1::Hint& page = l1.pages[(hash.block ^ hash.low) & (l1.pages.size() - 1)];
  if (page.check != PageCheck(hash)) return nullptr;
  L1::Tag& tag = l1.tags[page.index];
  return agrees(tag) ? &tag : nullptr;
}

void TlbTiming::Enter(unsigned port, Key key, bool big, uint64_t now) {
  L1& l1 = L1Of(port);
  const Hash hash = HashOf(key.space, key.vpn);
  L1::Hint& block = l1.blocks[hash.block & (l1.blocks.size() - 1)];
  L1::Hint& page = l1.pages[(hash.block ^ hash.low) & (l1.pages.size() - 1)];
  const bool same_block = block.big && block.check == (hash.block >> 4 & 7);
  const bool hinted = same_block || page.check == PageCheck(hash);
  const unsigned there = same_block ? block.index : page.index;
  const uint64_t low = l1.tags[there].vpn;
  const bool again = hinted && (low >> 4 & 0xF) == (key.vpn >> 4 & 0xF) && (big || (low & 0xF) == (key.vpn & 0xF));
  unsigned victim = there;
  if (!again) {
    for (size_t i = 0; i < l1.tags.size(); ++i) l1.lines[i].valid = l1.tags[i].valid;
    TlbSet set;
    set.port = port;
    set.space = key.space;
    set.vpn = key.vpn;
    set.now_ps = now;
    set.lines = l1.lines.data();
    set.count = static_cast<unsigned>(l1.tags.size());
    set.turn = l1.next;
    victim = policy_->Place(set);
    if (victim >= l1.tags.size()) {
      ++policy_counts_.not_kept;
      return;
    }
    if (victim == l1.next) l1.next = l1.next + 1 == l1.tags.size() ? 0 : l1.next + 1;
  }
  l1.tags[victim] = {true, big, static_cast<uint8_t>(key.space), key.vpn};
  l1.lines[victim] = {true, key.space, port, key.vpn, now, now, 0, 0};
  page = {static_cast<uint8_t>(victim), static_cast<uint8_t>(PageCheck(hash)), false};
  block = {static_cast<uint8_t>(victim), static_cast<uint8_t>(hash.block >> 4 & 7), big};
  l1.last = nullptr;
}

TlbTiming::Answer TlbTiming::Lookup(const Asked& asked, const SpaceShape& shape, uint64_t at, Plans& plans) {
  Settle(at);
  L1& l1 = L1Of(asked.port);
  Counters::Port& count = counters_.port(asked.port);
  const Key key{asked.space, asked.va >> 12};
  const bool fault = asked.mapping.fault != regs::Fault::kNone;
  const bool refused = fault || asked.denied;
  const uint64_t lookups = refused ? 1 : asked.lookups;
  count.lookups += lookups;
  count.faults += refused ? 1 : 0;
  const uint64_t hit_ps = HitPs(asked.port);
  const L1::Tag* tag = nullptr;
  if (!fault) {
    if (hierarchy_.ideal) {
      count.hits += refused ? 0 : lookups;
      count.cycles += lookups * time_.CycleAt(hit_ps);
      return {at + hit_ps};
    }
    const bool again = l1.last != nullptr && l1.last_vpn == key.vpn && l1.last->space == key.space;
    tag = again ? l1.last : Search(l1, key);
  }
  if (tag != nullptr) {
    l1.last = tag;
    l1.last_vpn = key.vpn;
    TlbLine& line = l1.lines[static_cast<size_t>(tag - l1.tags.data())];
    line.used_ps = std::max(line.used_ps, at);
    line.uses += lookups;
    if (!refused) count.hits += lookups;
    count.cycles += lookups * time_.CycleAt(hit_ps);
    return {at + hit_ps};
  }
  const Found found = Shared(asked, shape, at, plans);
  if (!refused && lookups != 0) {
    (found.joined ? count.merged : count.misses) += 1;
    count.hits += lookups - 1;
  }
  // For a lookup with a ticket, End counts the cycles and enters the page into the L1.
  if (found.ticket != 0) return {at, found.ticket};
  count.cycles += time_.CycleAt(found.ready_ps - at);
  if (!fault) rows_.EnterL1(asked.port, key, asked.mapping.span_lg2 >= 16, found.ready_ps);
  return {found.ready_ps};
}

void TlbTiming::Entered(const WalkRows::Entering& entering) {
  using Kind = WalkRows::Entering::Kind;
  if (entering.kind == Kind::kL1) return Enter(entering.port, entering.key, entering.big, entering.ps);
  const WalkJob& job = entering.row->job;
  if (entering.kind == Kind::kPointer)
    return walk_cache_->Enter(entering.level, false, *job.shape, job.key.space, job.key.vpn);
  if (entering.kind == Kind::kPages) Fill(job, entering.ps);
  else if (const uint64_t there = FillTime(job, entering.ps); there != 0) return rows_.EnterPages(entering.row, there);
  rows_.Remove(entering.row);
}

// ---- L2 and L3

bool TlbTiming::FindShared(SharedTlb& tlb, Key key, uint64_t at) {
  SharedTlb::Block* block = tlb.Search(key.space, key.vpn);
  if (block == nullptr || !block->has(tlb.Page(key.vpn))) return false;
  tlb.Used(*block, at);
  return true;
}

/// Copies the pages that a block of another shared TLB holds into the L2.
void TlbTiming::FillFrom(SharedTlb& from, Key key, SharedTlb::Filler filler) {
  const SharedTlb::Block* have = from.Search(key.space, key.vpn);
  SharedTlb::Block* block = l2_->Place(key.space, key.vpn, filler, *policy_, counters_.Of<regs::CountersL2Evictions>());
  if (have == nullptr || block == nullptr) return;
  block->present |= have->present;
}

/// Looks up an L1 miss in the shared TLBs.
TlbTiming::Found TlbTiming::Shared(const Asked& asked, const SpaceShape& shape, uint64_t at, Plans& plans) {
  const Key key{asked.space, asked.va >> 12};
  const Mapping& mapping = asked.mapping;
  const bool fault = mapping.fault != regs::Fault::kNone;
  uint64_t begin = pipeline_.Take(at + HitPs(asked.port), time_.Cycles(1)) +
                   time_.Cycles(kSharedCycles + hierarchy_.l2_cycles);
  if (!asked.walks) return {begin, false, 0};
  const uint64_t line = key.vpn / kLinePages + (uint64_t{key.space} << 48);
  uint64_t& missed_line = missed_lines_[std::min<size_t>(asked.port, missed_lines_.size() - 1)];
  const bool dense = line - missed_line + 1 <= 2;
  missed_line = line;
  counters_.Of<regs::CountersL2Lookups>() += 1;
  bool hit = !fault && FindShared(*l2_, key, at);
  if (!fault && !hit && mapping.level > 0)
    hit = walk_cache_->Find(mapping.level, true, shape, key.space, key.vpn) != nullptr;
  if (hit) {
    counters_.Of<regs::CountersL2Hits>() += 1;
    return {begin, false, 0};
  }
  // A lookup that waits for a row repeats its search when a row is free: it then joins a walk in
  // progress, or hits an entry that was filled in the meantime. With a policy's queue, it joins a
  // walk immediately.
  const uint64_t turn = rows_in_use_.Free(begin);
  const bool waits = turn > begin && !hierarchy_.queue;
  if (const WalkRows::Row* row = fault ? nullptr : rows_.Find(key, waits ? turn : 0)) {
    counters_.Of<regs::CountersL2Merged>() += 1;
    joined_ += kJoinedUnit / kJoinedMemory;
    return {std::max(row->answer_ps + time_.Cycles(kJoinedCycles), begin), true, 0};
  }
  if (const auto since = waits && !fault ? rows_.EndedSince(key, turn) : std::nullopt;
      since && *since < l2_->blocks()) {
    counters_.Of<regs::CountersL2Hits>() += 1;
    joined_ += kJoinedUnit / kJoinedMemory;
    return {turn + time_.Cycles(kSharedCycles), false, 0};
  }
  const SharedTlb::Block* block = l2_->Search(key.space, key.vpn);
  const unsigned half = l2_->Page(key.vpn) / kLinePages * kLinePages;
  const bool near = (block != nullptr && (block->present >> half & 0xFF) != 0) || rows_.Near(key);
  counters_.Of<regs::CountersL2Misses>() += 1;
  if (l3_) {
    begin += time_.Cycles(hierarchy_.l3_cycles);
    ++policy_counts_.l3_lookups;
    if (!fault && FindShared(*l3_, key, at)) {
      ++policy_counts_.l3_hits;
      FillFrom(*l3_, key, {asked.port, false, at});
      return {begin, false, 0};
    }
  }
  return Miss(asked, shape, dense || near, begin, plans);
}

// ---- invalidation

void TlbTiming::Invalidate(regs::Scope scope, unsigned space, uint64_t start, uint64_t end) {
  const bool all = scope == regs::Scope::kGlobal;
  const bool range = scope == regs::Scope::kRange;
  if (range && start >= end) return;
  // The range is extended to the smallest aligned block of 4^n pages that contains it.
  uint64_t first = start >> 12, last = range ? (end - 1) >> 12 : 0;
  unsigned lg2 = 0;
  while (range && first >> lg2 != last >> lg2) lg2 += 2;
  const auto inside = [&](unsigned of, uint64_t vpn, unsigned span) {
    if (all) return true;
    if (of != space) return false;
    const unsigned by = std::max(lg2, span);
    return !range || vpn >> by == first >> by;
  };
  for (L1& l1 : l1_) {
    l1.last = nullptr;
    for (L1::Tag& tag : l1.tags) tag.valid = tag.valid && !all && tag.space != space;
  }
  l2_->Drop([&](unsigned of, uint64_t vpn) { return inside(of, vpn, Lg2(l2_->block_pages())); });
  if (l3_) l3_->Drop([&](unsigned of, uint64_t vpn) { return inside(of, vpn, Lg2(l3_->block_pages())); });
  walk_cache_->Drop(inside);
  rows_.Drop(all ? std::nullopt : std::optional<unsigned>(space));
}

}  // namespace gmmu::sim::twin

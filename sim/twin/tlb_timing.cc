// SPDX-License-Identifier: Apache-2.0
#include "twin/tlb_timing.h"

#include <algorithm>

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kHitCycles = 2, kEngineHitCycles = 6;  // of an L1
constexpr uint64_t kSharedCycles = 1;                     // of an L2 hit, behind its turn
constexpr uint64_t kBeginCycles = 4;                      // from a lookup to its walk's first read
constexpr uint64_t kAnswerCycles = 2;                     // from a walk's last read to the answer
constexpr uint64_t kFillCycles = 6;                       // until an entry can be found in the L2
constexpr unsigned kLinePages = 8, kBlockPages = 16;
constexpr unsigned kMoreRows = 2;  // than reads at once

struct Hash {
  unsigned block, low;
};

/// The hash of gmmu_mmu_pkg::hint_of for the hints of an L1.
Hash HashOf(unsigned space, uint64_t vpn) {
  unsigned block = (space & 0xF) << 4 | (space >> 4 & 3);
  for (uint64_t rest = vpn >> 4; rest != 0; rest >>= 8) block ^= static_cast<unsigned>(rest & 0xFF);
  return {block, static_cast<unsigned>(vpn & 0xF)};
}

unsigned PageCheck(Hash hash) { return hash.low ^ ((hash.block >> 5 & 7) << 1 | 1); }

/// The number of bits that are enough for `count`, a power of two or not.
unsigned Lg2(uint64_t count) {
  unsigned lg2 = 0;
  while ((uint64_t{1} << lg2) < count) ++lg2;
  return lg2;
}

}  // namespace

TlbTiming::TlbTiming(const Built& built, Memory& memory, TimeModel& time, Counters& counters)
    : clients_(built.clients),
      sets_(std::max(1u, built.l2_entries / kBlockPages / std::max(1u, built.l2_ways))),
      ways_(std::max(1u, built.l2_ways)),
      memory_(memory),
      time_(time),
      counters_(counters),
      l1_(built.clients + 1),
      l2_(size_t{sets_} * ways_),
      pipeline_(time.Cycles(16)),
      walks_(std::max(1u, built.walks)),
      rows_in_use_(std::max(1u, built.walks) + kMoreRows) {
  for (L1& l1 : l1_) {
    const size_t places = size_t{1} << Lg2(built.l1_entries);
    l1.tags.resize(built.l1_entries);
    l1.pages.resize(2 * places);
    l1.blocks.resize(places);
  }
  for (std::vector<Row>& rows : rows_) rows.resize(built.walk_cache);
}

// ---- L1

uint64_t TlbTiming::HitPs(unsigned port) const { return time_.Cycles(port < clients_ ? kHitCycles : kEngineHitCycles); }

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

void TlbTiming::Enter(L1& l1, Key key, bool big, uint64_t ready_ps) {
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
    victim = l1.next;
    l1.next = l1.next + 1 == l1.tags.size() ? 0 : l1.next + 1;
  }
  l1.tags[victim] = {true, big, static_cast<uint8_t>(key.space), key.vpn, ready_ps};
  page = {static_cast<uint8_t>(victim), static_cast<uint8_t>(PageCheck(hash)), false};
  block = {static_cast<uint8_t>(victim), static_cast<uint8_t>(hash.block >> 4 & 7), big};
  l1.last = nullptr;
}

uint64_t TlbTiming::Lookup(const Asked& asked, const SpaceShape& shape, uint64_t at, Plans& plans) {
  L1& l1 = L1Of(asked.port);
  Counters::Port& count = counters_.port(asked.port);
  const Key key{asked.space, asked.va >> 12};
  const bool fault = asked.mapping.fault != regs::Fault::kNone;
  const bool refused = fault || asked.denied;
  const uint64_t lookups = refused ? 1 : asked.lookups;
  count.lookups += lookups;
  count.faults += refused ? 1 : 0;
  const L1::Tag* tag = nullptr;
  if (!fault) {
    const bool again = l1.last != nullptr && l1.last_vpn == key.vpn && l1.last->space == key.space;
    tag = again ? l1.last : Search(l1, key);
  }
  if (tag != nullptr) {
    l1.last = tag;
    l1.last_vpn = key.vpn;
    const bool joins = tag->ready_ps > at && lookups != 0;  // its walk has not ended
    if (joins) {
      counters_.Of<regs::CountersL2Lookups>() += 1;
      counters_.Of<regs::CountersL2Merged>() += 1;
    }
    if (!refused) {
      count.merged += joins ? 1 : 0;
      count.hits += lookups - (joins ? 1 : 0);
    }
    const uint64_t ready = std::max(at + HitPs(asked.port), tag->ready_ps);
    count.cycles += lookups * time_.CycleAt(HitPs(asked.port)) + time_.CycleAt(ready - at - HitPs(asked.port));
    return ready;
  }
  const Found found = Shared(asked, shape, at, plans);
  count.cycles += time_.CycleAt(found.ready_ps - at);
  if (!fault) Enter(l1, key, asked.mapping.span_lg2 >= 16, found.ready_ps);
  if (!refused && lookups != 0) {
    (found.joined ? count.merged : count.misses) += 1;
    count.hits += lookups - 1;
  }
  return found.ready_ps;
}

// ---- L2 and walk cache

TlbTiming::Block* TlbTiming::SearchL2(Key key) {
  const uint64_t set = ((key.vpn >> 4) ^ key.space) & (sets_ - 1);
  for (unsigned way = 0; way < ways_; ++way) {
    Block& block = l2_[set * ways_ + way];
    if (block.present != 0 && block.space == key.space && block.block == key.vpn >> 4) return &block;
  }
  return nullptr;
}

/// Returns the block of `key`, an empty one or that of the way whose turn it is.
TlbTiming::Block& TlbTiming::PlaceL2(Key key) {
  if (Block* there = SearchL2(key)) return *there;
  const uint64_t set = ((key.vpn >> 4) ^ key.space) & (sets_ - 1);
  Block* place = nullptr;
  for (unsigned way = 0; way < ways_ && place == nullptr; ++way) {
    if (l2_[set * ways_ + way].present == 0) place = &l2_[set * ways_ + way];
  }
  if (place == nullptr) {
    place = &l2_[set * ways_ + turn_];
    turn_ = turn_ + 1 == ways_ ? 0 : turn_ + 1;
    counters_.Of<regs::CountersL2Evictions>() += 1;
  }
  *place = Block{0, key.space, key.vpn >> 4, {}};
  return *place;
}

uint64_t TlbTiming::Kept(const SpaceShape& shape, unsigned level, uint64_t vpn) {
  const unsigned shift = shape.shift[level] - 12u;
  return vpn >> shift << shift;
}

TlbTiming::Row& TlbTiming::RowOf(unsigned level, const SpaceShape& shape, Key key) {
  std::vector<Row>& rows = rows_[level];
  const unsigned width = std::max(1u, Lg2(rows.size()));
  uint64_t index = key.space;
  for (uint64_t rest = Kept(shape, level, key.vpn); rest != 0; rest >>= width) index ^= rest;
  return rows[index & (rows.size() - 1)];
}

/// What the shared levels do with a miss of the port's L1.
TlbTiming::Found TlbTiming::Shared(const Asked& asked, const SpaceShape& shape, uint64_t at, Plans& plans) {
  const Key key{asked.space, asked.va >> 12};
  const Mapping& mapping = asked.mapping;
  const bool fault = mapping.fault != regs::Fault::kNone;
  const uint64_t begin = pipeline_.Take(at + HitPs(asked.port), time_.Cycles(1)) + time_.Cycles(kSharedCycles);
  if (!asked.walks) return {begin, false};
  L1& l1 = L1Of(asked.port);
  const uint64_t line = key.vpn / kLinePages + (uint64_t{key.space} << 48);
  const bool dense = line - l1.missed_line + 1 <= 2;
  l1.missed_line = line;
  counters_.Of<regs::CountersL2Lookups>() += 1;
  const unsigned sub = key.vpn % kBlockPages;
  const Block* block = SearchL2(key);
  uint64_t ready = ~uint64_t{0};
  if (!fault && block != nullptr && (block->present >> sub & 1) != 0) {
    ready = block->ready_ps[sub];
  } else if (!fault && mapping.level > 0) {
    const Row& row = RowOf(mapping.level, shape, key);
    if (row.valid && row.leaf && row.space == key.space && row.tag == Kept(shape, mapping.level, key.vpn))
      ready = row.ready_ps;
  }
  if (ready != ~uint64_t{0}) {
    const bool joins = ready > begin;
    ++(joins ? counters_.Of<regs::CountersL2Merged>() : counters_.Of<regs::CountersL2Hits>());
    return {std::max(ready, begin), joins};
  }
  const bool near = block != nullptr && (block->present >> sub / kLinePages * kLinePages & 0xFF) != 0;
  counters_.Of<regs::CountersL2Misses>() += 1;
  return {Walk(asked, shape, dense || near, begin, plans.Plan()), false};
}

uint64_t TlbTiming::ReadTable(const WalkPlan::Read& read, uint64_t bytes, uint64_t at) {
  const uint64_t end = memory_.TableTime(read.vram, read.address, bytes, at);
  counters_.Of<regs::CountersTableReads>() += 1;
  counters_.Of<regs::CountersWalkMemoryCycles>() += time_.CycleAt(end - at);
  return end;
}

uint64_t TlbTiming::Walk(const Asked& asked, const SpaceShape& shape, bool wide, uint64_t at, const WalkPlan& plan) {
  const Key key{asked.space, asked.va >> 12};
  const Mapping& mapping = asked.mapping;
  const bool fault = mapping.fault != regs::Fault::kNone;
  counters_.Of<regs::CountersWalks>() += 1;
  ++(fault || asked.denied ? counters_.Of<regs::CountersWalksFault>() : counters_.Of<regs::CountersWalksOk>());
  counters_.Of<regs::CountersWcLookups>() += 1;
  uint64_t now = walks_.Take(rows_in_use_.Take(at)) + time_.Cycles(kBeginCycles);
  // The deepest pointer that is cached says where the walk begins.
  unsigned from = 0;
  for (unsigned i = plan.count; i > 1 && from == 0; --i) {
    const unsigned level = plan.reads[i - 1].level + 1;
    const Row& row = RowOf(level, shape, key);
    if (row.valid && !row.leaf && row.space == key.space && row.tag == Kept(shape, level, key.vpn)) {
      from = i - 1;
      now = std::max(now, row.ready_ps);
    }
  }
  counters_.Of<regs::CountersWcHits>() += from != 0 ? 1 : 0;
  for (unsigned i = from; i < plan.count; ++i) {
    const bool leaf = i + 1 == plan.count;
    const WalkPlan::Read& read = plan.reads[i];
    const bool line = leaf && plan.line && wide;
    now = ReadTable(read, line ? 8 * plan.in_line : 8, now);
    if (leaf || plan.reads[i + 1].level == read.level) continue;  // the other half of a pair
    RowOf(read.level, shape,
          key) = {true, false, key.space, shape.shift[read.level] - 12u, Kept(shape, read.level, key.vpn), now};
  }
  walks_.End(now);
  counters_.Of<regs::CountersWalkCycles>() += time_.CycleAt(now - at);
  const uint64_t answer = now + time_.Cycles(kAnswerCycles), there = answer + time_.Cycles(kFillCycles);
  rows_in_use_.End(there);
  if (fault) return answer;
  if (mapping.level > 0) {
    RowOf(mapping.level, shape,
          key) = {true, true, key.space, shape.shift[mapping.level] - 12u, Kept(shape, mapping.level, key.vpn), answer};
    return answer;
  }
  if (plan.line && wide && mapping.span_lg2 < 16) {
    FillLine(key, plan, answer);
  } else {
    Block& block = PlaceL2(key);
    const unsigned sub = key.vpn % kBlockPages;
    const bool big = mapping.span_lg2 >= 16;
    block.present |= big ? 0xFFFF : static_cast<uint16_t>(1u << sub);
    if (big) block.ready_ps.fill(answer);
    else block.ready_ps[sub] = answer;
  }
  counters_.Of<regs::CountersL2Fills>() += 1;
  return answer;
}

/// Enters the good entries of the fetched line.
void TlbTiming::FillLine(Key key, const WalkPlan& plan, uint64_t at) {
  const WalkPlan::Read& read = plan.reads[plan.count - 1];
  std::array<uint64_t, kLinePages> words{};
  memory_.PeekTable(read.vram, read.address & ~uint64_t{8 * plan.in_line - 1}, words.data(), plan.in_line);
  Block& block = PlaceL2(key);
  for (unsigned i = 0; i < plan.in_line; ++i) {
    const unsigned page = static_cast<unsigned>((key.vpn & ~uint64_t{plan.in_line - 1}) + i) % kBlockPages;
    const bool own = page == key.vpn % kBlockPages;
    regs::PteEntry entry;
    entry.raw = words[i];
    if (!own && (entry.valid() == 0 || (block.present >> page & 1) != 0)) continue;
    block.present |= static_cast<uint16_t>(1u << page);
    block.ready_ps[page] = at;
  }
}

// ---- invalidation

void TlbTiming::Invalidate(regs::Scope scope, unsigned space, uint64_t start, uint64_t end) {
  const bool all = scope == regs::Scope::kGlobal;
  const bool range = scope == regs::Scope::kRange;
  if (range && start >= end) return;
  // A range grows to the smallest aligned block of 4^n pages that holds it.
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
  for (Block& block : l2_) {
    if (inside(block.space, block.block << 4, 4)) block.present = 0;
  }
  for (std::vector<Row>& rows : rows_) {
    for (Row& row : rows) row.valid = row.valid && !inside(row.space, row.tag, row.shift);
  }
}

}  // namespace gmmu::sim::twin

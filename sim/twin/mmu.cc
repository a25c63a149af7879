// SPDX-License-Identifier: Apache-2.0
#include "twin/mmu.h"

#include <algorithm>

#include "probe/translation_checker.h"
#include "twin/tlb_timing.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;
using regs::Target;

/// Drops the entries of `map` whose blocks of 2^lg2 bytes overlap [start, end), which must not be
/// empty.
template <typename Map>
void DropOverlap(Map& map, unsigned lg2, uint64_t start, uint64_t end) {
  const uint64_t first = start >> lg2, last = (end - 1) >> lg2;
  if (last - first >= map.size()) {
    for (auto at = map.begin(); at != map.end();)
      at = at->first >= first && at->first <= last ? map.erase(at) : std::next(at);
    return;
  }
  for (uint64_t key = first;; ++key) {
    map.erase(key);
    if (key == last) return;
  }
}

}  // namespace

Mmu::Mmu(const Built& built, Memory& memory, TimeModel& time, Agenda& agenda, Counters& counters,
         const PolicyParameters& policy)
    : va_bits_(built.va_bits),
      built_(built.tlb_sizes()),
      memory_(memory),
      time_(time),
      agenda_(agenda),
      counters_(counters),
      spaces_(built.spaces),
      timing_(std::make_unique<TlbTiming>(built, memory, time, agenda, counters, policy)) {}

Mmu::~Mmu() = default;

void Mmu::Reset() {
  const size_t count = spaces_.size();
  spaces_.clear();
  spaces_.resize(count);
  timing_->Reset();
  timing_->Invalidate(regs::Scope::kGlobal, 0, 0, 0);
  if (sizes_ != built_) timing_->Resize(built_);
  sizes_ = built_;
}

// ---- lookups

const Mapping* Mmu::Find(Space& space, uint64_t va) {
  if (va >> 12 == space.last_page) return space.last;
  for (uint64_t spans = space.spans; spans != 0; spans &= spans - 1) {
    const auto lg2 = static_cast<unsigned>(__builtin_ctzll(spans));
    const auto found = space.entries[lg2].find(va >> lg2);
    if (found == space.entries[lg2].end()) continue;
    space.last_page = va >> 12;
    space.last = &found->second;
    return space.last;
  }
  return nullptr;
}

Mmu::Position Mmu::Start(const Space& space, uint64_t va, Half half) {
  const SpaceShape& shape = space.shape;
  for (unsigned low = 0; low < shape.root_level; ++low) {
    const bool apart = low == 0 && half == Half::k64;
    const auto& tables = apart ? space.tables_64k : space.tables[low];
    const auto found = tables.find(va >> shape.shift[low + 1]);
    if (found != tables.end()) return {low, found->second};
  }
  return {shape.root_level, TablePlace{shape.root.target(), shape.root.address()}};
}

bool Mmu::Walk(Space& space, uint64_t va, Mapping& mapping) {
  const SpaceShape& shape = space.shape;
  Half half = shape.dual ? Half::k64 : Half::k4;
  Position at = Start(space, va, half);
  for (;;) {
    const bool vram = at.table.target == Target::kVram;
    if (!vram && !memory_.host_open()) return false;
    regs::PteEntry entry;
    const uint64_t address = EntryAddress(shape, va, at.level, at.table, half);
    if (!memory_.ReadEntry(vram, address, &entry.raw)) {
      mapping = Mapping();
      mapping.fault = Fault::kTableRead;
      mapping.level = at.level;
      break;
    }
    const Step step = Judge(shape, va, at.level, at.table, half, entry);
    if (step.other_half) {
      half = Half::k4;
      at = Start(space, va, half);
      continue;
    }
    if (!step.table) {
      mapping = step.mapping;
      break;
    }
    auto& tables = at.level == 1 && half == Half::k64 ? space.tables_64k : space.tables[at.level - 1];
    tables[va >> shape.shift[at.level]] = *step.table;
    at = {at.level - 1, *step.table};
  }
  return true;
}

/// Returns the table reads of a walk that starts at the root, from the pointers recorded during the
/// walk.
WalkPlan Mmu::PlanOf(const Space& space, uint64_t va, const Mapping& mapping) {
  const SpaceShape& shape = space.shape;
  WalkPlan plan;
  TablePlace table{shape.root.target(), shape.root.address()};
  for (unsigned level = shape.root_level;; --level) {
    const bool pair = shape.dual && level == 1;
    plan.Add(level, table, EntryAddress(shape, va, level, table, pair ? Half::k64 : Half::k4));
    if (level == mapping.level) break;
    const uint64_t key = va >> shape.shift[level];
    if (pair) {
      const auto wide = space.tables_64k.find(key);
      if (wide != space.tables_64k.end() && mapping.span_lg2 >= 16) {
        table = wide->second;
        continue;
      }
      plan.Add(level, table, EntryAddress(shape, va, level, table, Half::k4));
    }
    const auto next = space.tables[level - 1].find(key);
    if (next == space.tables[level - 1].end()) break;
    table = next->second;
  }
  const WalkPlan::Read& last = plan.reads[plan.count - 1];
  plan.line = last.level == 0 && !table.k64;
  plan.entries = 1u << shape.bits[0];
  return plan;
}

/// Walks the tables, with their present contents, for a page that no lookup requested. Changes no
/// state and takes no time.
std::optional<std::pair<Mapping, WalkPlan>> Mmu::Other(const Space& space, uint64_t va) const {
  const SpaceShape& shape = space.shape;
  if (BeforeTheRoot(shape, va)) return std::nullopt;
  WalkPlan plan;
  Half half = shape.dual ? Half::k64 : Half::k4;
  Position at{shape.root_level, TablePlace{shape.root.target(), shape.root.address()}}, pair = at;
  for (;;) {
    const uint64_t address = EntryAddress(shape, va, at.level, at.table, half);
    const bool vram = at.table.target == Target::kVram;
    regs::PteEntry entry;
    memory_.PeekTable(vram, address, &entry.raw, 1);
    plan.Add(at.level, at.table, address);
    if (at.level == 1) pair = at;
    const Step step = Judge(shape, va, at.level, at.table, half, entry);
    if (step.other_half) {
      half = Half::k4;
      at = pair;
      continue;
    }
    if (!step.table) {
      if (step.mapping.fault != Fault::kNone || step.mapping.level != 0) return std::nullopt;
      plan.line = !at.table.k64;
      plan.entries = 1u << shape.bits[0];
      return std::make_pair(step.mapping, plan);
    }
    at = {at.level - 1, *step.table};
  }
}

Translated Mmu::Lookup(unsigned port, unsigned number, uint64_t va, regs::Access access, uint64_t lookups, Cost& cost) {
  Mapping mapping;
  if (number >= spaces_.size()) {
    mapping.fault = Fault::kSpaceDisabled;
    counters_.port(port).lookups += 1;
    counters_.port(port).faults += 1;
    return Answer(port, number, va, access, mapping);
  }
  Space& space = spaces_[number];
  bool walks = true;
  if (!Search(space, va, mapping, walks)) {
    Translated closed;
    closed.closed = true;
    return closed;
  }
  const Translated answer = Answer(port, number, va, access, mapping);
  struct Plans : TlbTiming::Plans {
    Plans(const Mmu& m, const Space& s, uint64_t v, const Mapping& found) : mmu(m), space(s), va(v), mapping(found) {}
    WalkPlan Plan() override { return PlanOf(space, va, mapping); }
    std::optional<std::pair<Mapping, WalkPlan>> Other(uint64_t vpn) override { return mmu.Other(space, vpn << 12); }
    const Mmu& mmu;
    const Space& space;
    const uint64_t va;
    const Mapping& mapping;
  } plans(*this, space, va, mapping);
  const bool denied = mapping.fault == Fault::kNone && answer.fault != Fault::kNone;
  const TlbTiming::Answer there =
      timing_->Lookup({port, number, va, lookups, walks, denied, mapping, cost.group, cost.may_wait}, space.shape,
                      std::max(cost.at, agenda_.now()), plans);
  cost.at = there.ps;
  cost.ticket = there.ticket;
  cost.Ends(cost.at);
  return answer;
}

/// Finds the mapping of `va` in the caches or by a walk. Returns false if the host port is closed.
/// Sets `walks` to false if a check before the first read fails, so that no walk starts.
bool Mmu::Search(Space& space, uint64_t va, Mapping& mapping, bool& walks) {
  if (const Mapping* kept = Find(space, va)) {
    mapping = *kept;
    return true;
  }
  if (const auto early = BeforeTheRoot(space.shape, va)) {
    mapping = *early;
    walks = false;
    return true;
  }
  if (!Walk(space, va, mapping)) return false;
  if (mapping.fault != Fault::kNone) return true;
  space.spans |= uint64_t{1} << mapping.span_lg2;
  space.entries[mapping.span_lg2][va >> mapping.span_lg2] = mapping;
  return true;
}

Translated Mmu::Answer(unsigned port, unsigned space, uint64_t va, regs::Access access, const Mapping& mapping) const {
  Translated answer;
  answer.level = mapping.level;
  answer.zero = mapping.zero;
  answer.fault = mapping.fault != Fault::kNone ? mapping.fault : Permission(mapping, access);
  answer.coherent = mapping.coherent;
  answer.target = mapping.target;
  answer.adapter = mapping.adapter;
  answer.offset = mapping.base + (va & ((uint64_t{1} << mapping.span_lg2) - 1));
  if (checker_ == nullptr) return answer;
  TranslationEvent event;
  event.port = port;
  event.space = space;
  event.access = access;
  event.va = va;
  event.fault = answer.fault;
  event.level = answer.level;
  event.zero = answer.fault == Fault::kNone && answer.zero;
  event.gpa = {answer.target, static_cast<uint8_t>(mapping.adapter), answer.offset};
  checker_->Answered(time_.CycleAt(agenda_.now()), event);
  return answer;
}

// ---- spaces and invalidation

bool Mmu::Configure(unsigned number, regs::SpaceGeometry geometry, regs::SpaceRoot root) {
  Space& space = spaces_[number];
  if (space.geometry.raw == geometry.raw && space.root.raw == root.raw) return false;
  space.geometry = geometry;
  space.root = root;
  space.shape = SpaceShape::From(geometry, root, va_bits_);
  timing_->Invalidate(regs::Scope::kSpace, number, 0, 0);
  FlushSpace(space);
  Tell({regs::Scope::kSpace, number, 0, ~uint64_t{0}});
  return true;
}

void Mmu::FlushSpace(Space& space) {
  for (auto& entries : space.entries) entries.clear();
  for (auto& tables : space.tables) tables.clear();
  space.tables_64k.clear();
  space.spans = 0;
  space.last = nullptr;
  space.last_page = ~uint64_t{0};
}

void Mmu::Invalidate(regs::Scope scope, unsigned number, uint64_t start, uint64_t end) {
  if (scope == regs::Scope::kGlobal) {
    for (Space& space : spaces_) FlushSpace(space);
  } else if (number < spaces_.size()) {
    Space& space = spaces_[number];
    if (scope == regs::Scope::kSpace) {
      FlushSpace(space);
    } else if (start < end) {
      for (unsigned lg2 = 0; lg2 < space.entries.size(); ++lg2) {
        if ((space.spans >> lg2 & 1) != 0) DropOverlap(space.entries[lg2], lg2, start, end);
      }
      for (unsigned level = 0; level < space.tables.size(); ++level)
        DropOverlap(space.tables[level], space.shape.shift[level + 1], start, end);
      DropOverlap(space.tables_64k, space.shape.shift[1], start, end);
      space.last = nullptr;
      space.last_page = ~uint64_t{0};
    }
  }
  timing_->Invalidate(scope, number, start, end);
  Tell({scope, number, start, end});
}

uint64_t Mmu::InvalidatedAt() const { return std::max(agenda_.now() + time_.InvalidationPs(), memory_.busy_until()); }

void Mmu::Resize(regs::SizesInUse asked) {
  const TlbSizes wanted = TlbSizes::Asked(asked, built_);
  for (Space& space : spaces_) FlushSpace(space);
  timing_->Invalidate(regs::Scope::kGlobal, 0, 0, 0);
  if (CanTurnDown(wanted, built_)) {
    sizes_ = wanted;
    timing_->Resize(wanted);
  }
  ++epoch_;
  if (checker_ != nullptr) checker_->Invalidated({regs::Scope::kGlobal, 0, 0, 0});
  if (flushed_) flushed_();
}

void Mmu::Tell(const InvalidationEvent& event) {
  ++epoch_;
  counters_.Of<regs::CountersInvalidations>() += 1;
  counters_.Of<regs::CountersInvalidationCycles>() += time_.CycleAt(InvalidatedAt() - agenda_.now());
  if (checker_ != nullptr) checker_->Invalidated(event);
  if (flushed_) flushed_();
}

}  // namespace gmmu::sim::twin

// SPDX-License-Identifier: Apache-2.0
#include "twin/mmu.h"

#include "probe/translation_checker.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;
using regs::Target;

/// Drops the keys of `map` whose blocks of 2^lg2 bytes overlap [start, end), start < end.
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

Mmu::Mmu(unsigned spaces, unsigned va_bits, Memory& memory, TimeModel& time, Agenda& agenda, Counters& counters)
    : va_bits_(va_bits), memory_(memory), time_(time), agenda_(agenda), counters_(counters), spaces_(spaces) {}

void Mmu::Reset() {
  const size_t count = spaces_.size();
  spaces_.clear();
  spaces_.resize(count);
}

// ---- lookups

Mmu::Entry* Mmu::Find(Space& space, uint64_t va) {
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
    if (found != tables.end()) return {low, found->second, true};
  }
  return {shape.root_level, TablePlace{shape.root.target(), shape.root.address()}, false};
}

bool Mmu::Walk(Space& space, uint64_t va, Mapping& mapping, Cost& cost) {
  const SpaceShape& shape = space.shape;
  Half half = shape.dual ? Half::k64 : Half::k4;
  Position at = Start(space, va, half);
  const bool cached = at.cached;
  unsigned vram_reads = 0, host_reads = 0;
  for (;;) {
    const bool vram = at.table.target == Target::kVram;
    if (!vram && !memory_.host_open()) return false;
    regs::PteEntry entry;
    ++(vram ? vram_reads : host_reads);
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
    at = {at.level - 1, *step.table, at.cached};
  }
  cost.Add(time_.Walk(agenda_.now(), vram_reads, host_reads));
  counters_.Of<regs::CountersTableReads>() += vram_reads + host_reads;
  counters_.Of<regs::CountersWalks>() += 1;
  counters_.Of<regs::CountersWcLookups>() += 1;
  counters_.Of<regs::CountersWcHits>() += cached ? 1 : 0;
  counters_.Of<regs::CountersL2Lookups>() += 1;
  counters_.Of<regs::CountersL2Misses>() += 1;
  return true;
}

Translated Mmu::Lookup(unsigned port, unsigned number, uint64_t va, regs::Access access, uint64_t lookups, Cost& cost) {
  Counters::Port& count = counters_.port(port);
  Mapping mapping;
  bool hit = false;
  if (number >= spaces_.size()) {
    mapping.fault = Fault::kSpaceDisabled;
  } else {
    Space& space = spaces_[number];
    if (!Search(port, space, va, access, mapping, hit, cost)) {
      Translated closed;
      closed.closed = true;
      return closed;
    }
  }
  const Translated answer = Answer(port, number, va, access, mapping);
  if (answer.fault != Fault::kNone) {
    count.lookups += 1;
    count.faults += 1;
  } else if (lookups != 0) {
    count.lookups += lookups;
    count.misses += hit ? 0 : 1;
    count.hits += lookups - (hit ? 0 : 1);
  }
  return answer;
}

/// Finds the mapping of `va` in the caches or by a walk. False: the host port is closed. `hit` says whether the port's
/// L1 had it.
bool Mmu::Search(unsigned port, Space& space, uint64_t va, regs::Access access, Mapping& mapping, bool& hit,
                 Cost& cost) {
  if (Entry* entry = Find(space, va)) {
    mapping = entry->mapping;
    hit = entry->ports[port];
    entry->ports.set(port);
    if (!hit) {
      counters_.Of<regs::CountersL2Lookups>() += 1;
      counters_.Of<regs::CountersL2Hits>() += 1;
    }
    return true;
  }
  if (const auto early = BeforeTheRoot(space.shape, va)) {
    mapping = *early;
    return true;
  }
  if (!Walk(space, va, mapping, cost)) return false;
  const bool good = mapping.fault == Fault::kNone && Permission(mapping, access) == Fault::kNone;
  counters_.Of<regs::CountersWalksOk>() += good ? 1 : 0;
  counters_.Of<regs::CountersWalksFault>() += good ? 0 : 1;
  if (mapping.fault != Fault::kNone) return true;
  space.spans |= uint64_t{1} << mapping.span_lg2;
  Entry& kept = space.entries[mapping.span_lg2][va >> mapping.span_lg2];
  kept.mapping = mapping;
  kept.ports.reset();
  kept.ports.set(port);
  counters_.Of<regs::CountersL2Fills>() += 1;
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
  Tell({scope, number, start, end});
}

void Mmu::Tell(const InvalidationEvent& event) {
  counters_.Of<regs::CountersInvalidations>() += 1;
  if (checker_ != nullptr) checker_->Invalidated(event);
}

}  // namespace gmmu::sim::twin

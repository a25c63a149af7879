// SPDX-License-Identifier: Apache-2.0
#include "twin/aperture.h"

#include <algorithm>

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kHitCycles = 2;

}  // namespace

ApertureMap::ApertureMap(Memory& memory, TimeModel& time, Agenda& agenda, Counters& counters)
    : memory_(memory), time_(time), agenda_(agenda), counters_(counters) {}

void ApertureMap::Flush() {
  lines_.clear();
  slots_.fill(Slot());
}

void ApertureMap::set_base(uint64_t raw) {
  base_.raw = raw;
  Flush();
}

void ApertureMap::set_pages(uint64_t pages) {
  pages_ = pages;
  Flush();
}

ApertureMap::Found ApertureMap::Lookup(uint64_t offset, uint64_t lookups, Cost& cost) {
  Found found;
  const uint64_t page = offset / hw::kPageSize;
  counters_.Of<regs::CountersApLookups>() += lookups;
  if (page >= pages_) {
    found.fault = regs::Fault::kApertureRange;
    return found;
  }
  const uint64_t hit = time_.Cycles(kHitCycles);
  cost.at = lookups_.Take(std::max(cost.at, agenda_.now()), hit);
  const uint64_t table = base_.offset() + page / kEntries * sizeof(Line);
  Slot& slot = slots_[page / kEntries % kCached];
  const bool cached = slot.line == page / kEntries;
  if (!cached) slot = {page / kEntries, memory_.TableTime(true, table, sizeof(Line), cost.at) + hit};
  cost.at = std::max(cost.at, slot.ready_ps);
  counters_.Of<regs::CountersApHits>() += cached ? lookups : std::max<uint64_t>(lookups, 1) - 1;
  auto line = lines_.find(page / kEntries);
  if (line == lines_.end()) {
    Line words;
    if (!memory_.vram().Read(table, words.data(), sizeof words)) {
      slot = Slot();
      found.fault = regs::Fault::kApertureRead;
      return found;
    }
    line = lines_.emplace(page / kEntries, words).first;
  }
  regs::ApertureEntryEntry entry;
  entry.raw = line->second[page % kEntries];
  if (entry.valid() == 0) {
    found.fault = regs::Fault::kApertureEntry;
    return found;
  }
  found.logical = entry.page() * hw::kPageSize + offset % hw::kPageSize;
  found.coherent = entry.coherent() != 0;
  return found;
}

}  // namespace gmmu::sim::twin

// SPDX-License-Identifier: Apache-2.0
#include "twin/aperture.h"

namespace gmmu::sim::twin {

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
  auto line = lines_.find(page / kEntries);
  if (line == lines_.end()) {
    Line words;
    const uint64_t at = base_.offset() + page / kEntries * sizeof words;
    if (!memory_.ReadVram(at, words.data(), sizeof words, cost)) {
      found.fault = regs::Fault::kApertureRead;
      return found;
    }
    line = lines_.emplace(page / kEntries, words).first;
    counters_.Of<regs::CountersApHits>() += lookups == 0 ? 0 : lookups - 1;
  } else {
    counters_.Of<regs::CountersApHits>() += lookups;
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

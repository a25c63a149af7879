// SPDX-License-Identifier: Apache-2.0
#include "os/base/free_pages.h"

#include <algorithm>

namespace gmmu::os {

FreePages::FreePages(uint64_t start, uint64_t end, uint64_t page) : page_(page), bits_(end / page) {
  if (PagesUpTo(start) < end / page) bits_.Set(PagesUpTo(start), end / page, true);
}

uint64_t FreePages::Set(uint64_t start, uint64_t end, bool free) {
  const uint64_t first = start / page_, behind = std::min(PagesUpTo(end), bits_.pages());
  if (first >= behind) return 0;
  const uint64_t changed = bits_.Set(first, behind, free);
  if (changed != 0)
    for (PlaceCounts& counts : kinds_) counts.Changed(first, behind);
  return changed * page_;
}

void FreePages::Add(uint64_t start, uint64_t end) { Set(start, end, true); }

uint64_t FreePages::Remove(uint64_t start, uint64_t end) { return Set(start, end, false); }

bool FreePages::Has(uint64_t start, uint64_t end) const {
  if (start >= end) return false;
  const uint64_t pages = PagesUpTo(end) - start / page_;
  return bits_.RunFrom(start / page_, pages) == pages;
}

PlaceCounts& FreePages::CountsOf(const Wanted& wanted) const {
  const uint64_t size = PagesUpTo(wanted.size), alignment = std::max<uint64_t>(wanted.alignment / page_, 1);
  const auto found = std::find_if(kinds_.begin(), kinds_.end(),
                                  [&](const PlaceCounts& counts) { return counts.Are(size, alignment); });
  if (found != kinds_.end()) return *found;
  if (kinds_.size() < kKinds) return kinds_.emplace_back(bits_, size, alignment);
  PlaceCounts& replaced = kinds_[replaced_++ % kKinds];
  replaced = PlaceCounts(bits_, size, alignment);
  return replaced;
}

uint64_t FreePages::Places(const Wanted& wanted) const {
  const uint64_t size = PagesUpTo(wanted.size), first = PagesUpTo(wanted.from);
  const uint64_t behind = std::min(wanted.to / page_, bits_.pages());
  if (size > behind || first > behind - size) return 0;
  PlaceCounts& counts = CountsOf(wanted);
  return counts.Below(behind - size + 1) - counts.Below(first);
}

uint64_t FreePages::Start(const Wanted& wanted, uint64_t place) const {
  PlaceCounts& counts = CountsOf(wanted);
  return counts.Start(counts.Below(PagesUpTo(wanted.from)) + place) * page_;
}

uint64_t FreePages::StartBefore(uint64_t end) const {
  const uint64_t run = bits_.RunBefore(std::min(PagesUpTo(end), bits_.pages()));
  return run == 0 ? end : (std::min(PagesUpTo(end), bits_.pages()) - run) * page_;
}

}  // namespace gmmu::os

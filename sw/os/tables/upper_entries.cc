// SPDX-License-Identifier: Apache-2.0
#include "os/tables/upper_entries.h"

#include "os/miniport/geometry.h"

namespace gmmu::os {

const HeldEntry* UpperEntries::At(const TableSlot& slot) const {
  const auto found = entries_.find(slot);
  return found == entries_.end() ? nullptr : &found->second;
}

std::optional<TableSlot> UpperEntries::Over(uint64_t va, unsigned level) const {
  for (; level + 1 < geometry_.count(); ++level) {
    const TableSlot slot{level, va / geometry_.Coverage(level)};
    if (entries_.count(slot) != 0) return slot;
  }
  return std::nullopt;
}

bool UpperEntries::AnyIn(unsigned level, uint64_t first, uint64_t end) const {
  const auto found = entries_.lower_bound({level, first});
  return found != entries_.end() && found->first < TableSlot{level, end};
}

HeldEntry UpperEntries::PartOfTable(const HeldEntry& upper, unsigned level, uint64_t index) const {
  HeldEntry held = PartOf(upper, index << geometry_.Shift(level));
  held.entry.LargePage = level != 0 && !held.entry.Zero;
  return held;
}

void UpperEntries::Split(const TableSlot& slot) {
  const auto [level, index] = slot;
  const auto upper = entries_.find(slot);
  for (uint64_t i = 0; level > 0 && i < geometry_.Entries(level); ++i)
    entries_[{level - 1, index * geometry_.Entries(level) + i}] = PartOfTable(upper->second, level, i);
  entries_.erase(upper);
}

}  // namespace gmmu::os

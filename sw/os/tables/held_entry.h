// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// An entry of a page table with what the update that wrote it said of it. A leaf entry has an allocation, the offset
/// of its page there and the driver's protection, and keeps them when it moves to another table.
struct HeldEntry {
  DXGK_PTE entry{};
  DXGK_PTE entry_64k{};  ///< level 1 of pairs: the 64 KiB half
  HANDLE allocation = nullptr;
  uint64_t allocation_offset = 0;
  uint64_t driver_protection = 0;
};

inline bool InUse(const DXGK_PTE& entry) { return entry.Valid || entry.Zero; }
inline bool NoneInUse(const std::vector<DXGK_PTE>& entries) {
  return std::none_of(entries.begin(), entries.end(), InUse);
}

/// The part of a large entry that begins `bytes` behind its start, as an entry of its own; LargePage stays as it is.
inline HeldEntry PartOf(HeldEntry held, uint64_t bytes) {
  if (!held.entry.Zero) held.entry.PageAddress += bytes >> 12;
  if (held.allocation != nullptr) held.allocation_offset += bytes;
  return held;
}

/// The end of the run of entries, from `first` on, that one update can write: entries of one allocation, each `step`
/// bytes behind the one before, with one protection, and all in use or all not.
inline size_t EndOfRun(const std::vector<HeldEntry>& held, size_t first, uint64_t step) {
  const HeldEntry& begin = held[first];
  size_t end = first + 1;
  for (; end < held.size(); ++end) {
    const HeldEntry& next = held[end];
    const uint64_t offset = begin.allocation == nullptr ? 0 : begin.allocation_offset + (end - first) * step;
    if (InUse(next.entry) != InUse(begin.entry) || next.allocation != begin.allocation ||
        next.allocation_offset != offset || next.driver_protection != begin.driver_protection)
      break;
  }
  return end;
}

}  // namespace gmmu::os

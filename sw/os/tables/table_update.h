// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

/// An entry of a page table, with the operands of the update that wrote it. A leaf entry keeps its
/// allocation, the offset in the allocation and the driver protection when it moves to another
/// table.
struct HeldEntry {
  DXGK_PTE entry{};
  DXGK_PTE entry_64k{};  ///< level-1 pairs: the link to the table of 64 KiB entries
  HANDLE allocation = nullptr;
  uint64_t allocation_offset = 0;
  uint64_t driver_protection = 0;
};

inline bool InUse(const DXGK_PTE& entry) { return entry.Valid || entry.Zero; }
inline bool NoneInUse(const std::vector<DXGK_PTE>& entries) {
  return std::none_of(entries.begin(), entries.end(), InUse);
}

/// Returns an entry that maps the memory `bytes` beyond the start of what `held` maps. LargePage is
/// not changed.
inline HeldEntry PartOf(HeldEntry held, uint64_t bytes) {
  if (!held.entry.Zero) held.entry.PageAddress += bytes >> 12;
  if (held.allocation != nullptr) held.allocation_offset += bytes;
  return held;
}

/// Returns the end of the longest run of entries, starting at `first`, that a single update can
/// write: they have the same allocation and driver protection and consecutive offsets (`step` bytes
/// apart), and are either all in use or all unused.
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

/// An update of entries of one table. The driver receives it as one or more UPDATE_PAGE_TABLE
/// operations.
struct TableUpdate {
  unsigned level = 0;
  uint64_t start = 0;             ///< index of the first entry
  std::vector<DXGK_PTE> entries;  ///< one entry when `repeat` is set
  uint64_t count = 0;
  bool repeat = false;
  /// Level 0 only: the entries are 64 KiB entries, and `start` and `count` count these.
  bool use_64k = false;
  /// If level-1 entries are pairs: the links to tables of 64 KiB entries. If empty, these links are
  /// invalid.
  std::vector<DXGK_PTE> entries_64k;
  bool initial = false;          ///< first update of a new table, whose memory is undefined
  bool notify_eviction = false;  ///< the table is about to be evicted
  bool retired = false;          ///< no entry links the table
  uint64_t first_va = 0;
  HANDLE allocation = nullptr;
  uint64_t allocation_offset = 0;
  uint64_t driver_protection = 0;   ///< level 0 only
  D3DGPU_PHYSICAL_ADDRESS table{};  ///< start of the table
  void* table_cpu = nullptr;        ///< CPU address of the table
  uint64_t table_va = 0;            ///< GPU VA in the paging process (mode GPU_VIRTUAL)
};

/// Returns the part of `update`, an update of leaf entries, that writes `count` entries, starting
/// with entry `first` of the update.
inline TableUpdate PartOf(const TableUpdate& update, uint64_t first, uint64_t count) {
  TableUpdate part = update;
  const uint64_t bytes = first << (update.use_64k ? 16 : 12);
  part.start += first;
  part.count = count;
  part.first_va += bytes;
  if (update.repeat) return part;
  if (update.allocation != nullptr) part.allocation_offset += bytes;
  const auto begin = update.entries.begin() + static_cast<std::ptrdiff_t>(first);
  part.entries.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return part;
}

/// Receives updates in the order in which they must be performed.
using UpdateSink = std::function<void(const TableUpdate&)>;

/// Returns `count` entries of the table at address `table`, starting with entry `first`.
using TableContents =
    std::function<std::vector<HeldEntry>(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t first, uint64_t count)>;

}  // namespace gmmu::os

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "os/tables/page_table.h"

namespace gmmu::os {

/// The entries above the leaves that map data or zeros (large pages, zero ranges). Each replaces one table and is
/// identified by the slot of that table.
class UpperEntries {
 public:
  explicit UpperEntries(const Geometry& geometry) : geometry_(geometry) {}

  /// Returns null if the slot has a table or is empty.
  const HeldEntry* At(const TableSlot& slot) const;
  /// The slot of the entry that maps `va` instead of a table of `level` or of a table above it.
  std::optional<TableSlot> Over(uint64_t va, unsigned level = 0) const;
  /// True if an entry at `level` has an index in [first, end).
  bool AnyIn(unsigned level, uint64_t first, uint64_t end) const;
  /// By slot.
  const std::map<TableSlot, HeldEntry>& all() const { return entries_; }

  void Put(const TableSlot& slot, const HeldEntry& entry) { entries_[slot] = entry; }
  void Erase(const TableSlot& slot) { entries_.erase(slot); }
  void Clear() { entries_.clear(); }
  /// Returns entry `index` of a table of `level` equivalent to `upper`: zeros, or a smaller page of the same data.
  HeldEntry PartOfTable(const HeldEntry& upper, unsigned level, uint64_t index) const;
  /// Call when a table with the same meaning has replaced the entry at `slot`. Records those of the table's entries
  /// that are above the leaves too.
  void Split(const TableSlot& slot);

 private:
  const Geometry& geometry_;
  std::map<TableSlot, HeldEntry> entries_;
};

}  // namespace gmmu::os

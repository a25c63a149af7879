// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "os/tables/page_table.h"

namespace gmmu::os {

/// The entries above the leaves that map data or zeros (large pages, zero ranges). Each entry replaces a table and is
/// identified by the table's slot.
class UpperEntries {
 public:
  explicit UpperEntries(const Geometry& geometry) : geometry_(geometry) {}

  /// Returns null if the slot has a table or is empty.
  const HeldEntry* At(const TableSlot& slot) const;
  /// Returns the slot of the entry that maps `va` in place of a table of `level` or of a higher level.
  std::optional<TableSlot> Over(uint64_t va, unsigned level = 0) const;
  /// True if an entry at `level` has an index in [first, end).
  bool AnyIn(unsigned level, uint64_t first, uint64_t end) const;
  /// All entries, by slot.
  const std::map<TableSlot, HeldEntry>& all() const { return entries_; }

  void Put(const TableSlot& slot, const HeldEntry& entry) { entries_[slot] = entry; }
  void Erase(const TableSlot& slot) { entries_.erase(slot); }
  void Clear() { entries_.clear(); }
  /// Returns the entry `index` of a table of `level` that is equivalent to `upper`: zeros, or a smaller page of the
  /// same data.
  HeldEntry PartOfTable(const HeldEntry& upper, unsigned level, uint64_t index) const;
  /// Call after an equivalent table has replaced the entry at `slot`. Records those entries of the table that are also
  /// above the leaves.
  void Split(const TableSlot& slot);

 private:
  const Geometry& geometry_;
  std::map<TableSlot, HeldEntry> entries_;
};

}  // namespace gmmu::os

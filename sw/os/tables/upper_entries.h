// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "os/tables/page_table.h"

namespace gmmu::os {

/// The large and zero entries: entries above the leaf level that map data or zeros. Each entry
/// takes the place of a table and is identified by that table's slot.
class UpperEntries {
 public:
  explicit UpperEntries(const Geometry& geometry) : geometry_(geometry) {}

  /// Returns the entry at the slot, or null if the slot has a table or is empty.
  const HeldEntry* At(const TableSlot& slot) const;
  /// Returns the slot of the entry that maps `va` in place of a table at level `level` or above, or
  /// nullopt if there is none.
  std::optional<TableSlot> Over(uint64_t va, unsigned level = 0) const;
  /// True if an entry takes the place of a level-`level` table whose index is in [first, end).
  bool AnyIn(unsigned level, uint64_t first, uint64_t end) const;
  /// All entries, by slot.
  const std::map<TableSlot, HeldEntry>& all() const { return entries_; }

  void Put(const TableSlot& slot, const HeldEntry& entry) { entries_[slot] = entry; }
  void Erase(const TableSlot& slot) { entries_.erase(slot); }
  void Clear() { entries_.clear(); }
  /// Returns entry `index` of the level-`level` table into which `upper` is split: a zero entry if
  /// `upper` is one, otherwise an entry that maps the corresponding part of the memory that `upper`
  /// maps.
  HeldEntry PartOfTable(const HeldEntry& upper, unsigned level, uint64_t index) const;
  /// Call after an equivalent table has replaced the entry at `slot`. If the table is itself above
  /// the leaf level, records its entries.
  void Split(const TableSlot& slot);

 private:
  const Geometry& geometry_;
  std::map<TableSlot, HeldEntry> entries_;
};

}  // namespace gmmu::os

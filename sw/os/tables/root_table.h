// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <utility>

#include "os/tables/page_table.h"

namespace gmmu::os {

class PhysicalAdapter;
class TableMemory;

/// The root of a process's page tables. The root of a two-level tree is resizable: it has only as
/// many entries as its addresses need, and is replaced when this number changes. All other roots
/// have the full number of entries.
class RootTable {
 public:
  /// Called before an entry is written for an address beyond the end of a resizable root. The
  /// function must replace the root by one with at least `entries` entries, or throw NoRoom.
  using Grower = std::function<void(uint64_t entries)>;

  RootTable(PhysicalAdapter& gpu, TableMemory& memory) : adapter_(gpu), memory_(memory) {}
  /// Without a grower, an address beyond the root causes an OsError.
  void set_grower(Grower grower) { grow_ = std::move(grower); }
  bool grows() const { return grow_ != nullptr; }

  /// Installs a new root with at least `entries` entries (0: the maximum) and returns the previous
  /// root. If it throws NoRoom, nothing has changed.
  [[nodiscard]] PageTable Renew(uint64_t entries);
  /// Makes every entry invalid.
  void Write(const UpdateSink& sink);
  /// Frees the root's memory, if it has any. entries() keeps its value for a later root.
  void Free();

  /// True if the root has an entry for `va`.
  bool Reaches(uint64_t va) const;
  /// Makes the root cover `va`, if necessary by calling the grower.
  void Reach(uint64_t va);

  PageTable& table() { return table_; }
  const PageTable& table() const { return table_; }
  unsigned level() const;
  uint64_t entries() const { return entries_; }
  TableExtent extent() const { return {level(), 0, entries_, false}; }

 private:
  PhysicalAdapter& adapter_;
  TableMemory& memory_;
  Grower grow_;
  PageTable table_;
  uint64_t entries_ = 0;
};

}  // namespace gmmu::os

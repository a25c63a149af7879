// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "os/tables/page_table.h"

namespace gmmu::os {

class PhysicalAdapter;
class RetiredTables;
class TableMemory;
class TableTree;

/// Moves the tables of a process to other memory, evicts them and restores them, together with their entries. The
/// process must not run meanwhile. Old tables are retired.
class TableMoves {
 public:
  TableMoves(PhysicalAdapter& gpu, TableTree& tree, TableMemory& memory, RetiredTables& retired);

  /// Moves every table except the root. If it throws NoRoom, some tables have already moved.
  void Move(const TableContents& contents, const UpdateSink& sink);
  /// Evicts every table except the root. The driver is notified before each eviction
  /// (DXGK_UPDATEPAGETABLEFLAGS.NotifyEviction). No entry may be changed until Restore has restored all tables.
  void Evict(const TableContents& contents, const UpdateSink& sink);
  /// Restores the evicted tables. After NoRoom, another call continues at the first table that was not restored.
  void Restore(const UpdateSink& sink);
  /// Call while the tables are evicted. Allocates a root with as many entries as the freed one had, and restores its
  /// large and zero entries. Links to tables are written when the tables are restored.
  void RestoreRoot(const UpdateSink& sink);
  /// Call if the evicted tables will not be restored.
  void Forget();

 private:
  class Opened;
  void Announce(const PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries,
                const UpdateSink& sink) const;
  /// Writes the new table. On failure, the table is freed, because no entry points to it yet.
  void WriteOrFree(PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries,
                   const UpdateSink& sink);

  PhysicalAdapter& adapter_;
  const Geometry& geometry_;
  TableTree& tree_;
  TableMemory& memory_;
  RetiredTables& retired_;
  std::map<TableSlot, std::vector<HeldEntry>> evicted_;  // entries of each evicted table
  std::map<uint64_t, std::vector<HeldEntry>> evicted_64k_;
};

}  // namespace gmmu::os

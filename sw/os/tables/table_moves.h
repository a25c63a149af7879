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

/// Moves a process's tables, with their entries, to other memory, or evicts and restores them. The
/// process must not run during these calls. Old tables are retired.
class TableMoves {
 public:
  TableMoves(PhysicalAdapter& gpu, TableTree& tree, TableMemory& memory, RetiredTables& retired);

  /// Moves every table except the root. If it throws NoRoom, some tables may have moved.
  void Move(const TableContents& contents, const UpdateSink& sink);
  /// Evicts every table except the root. The driver is notified of each eviction beforehand
  /// (DXGK_UPDATEPAGETABLEFLAGS.NotifyEviction). Entries must not be changed until Restore has
  /// restored all tables.
  void Evict(const TableContents& contents, const UpdateSink& sink);
  /// Restores the evicted tables. If it throws NoRoom, a further call continues with the first
  /// table that was not restored.
  void Restore(const UpdateSink& sink);
  /// Call while the tables are evicted. Allocates a root of the same size as the freed root, and
  /// restores its large and zero entries. Links are written when the tables that they point to are
  /// restored.
  void RestoreRoot(const UpdateSink& sink);
  /// Discards the entries of the evicted tables. Call if these tables will not be restored.
  void Forget();

 private:
  class Opened;
  void Announce(const PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries,
                const UpdateSink& sink) const;
  /// Writes a new table. If this throws, frees the table, because no entry links it yet.
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

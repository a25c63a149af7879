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

/// Moves the tables of a process elsewhere, evicts them and brings them back, with what they say. Nothing of the
/// process runs meanwhile; old tables are retired.
class TableMoves {
 public:
  TableMoves(PhysicalAdapter& gpu, TableTree& tree, TableMemory& memory, RetiredTables& retired);

  /// Every table but the root lies elsewhere afterwards, and says the same. After NoRoom some do.
  void Move(const TableContents& contents, const UpdateSink& sink);
  /// Every table but the root goes, each after the driver was told (DXGK_UPDATEPAGETABLEFLAGS.NotifyEviction). No
  /// entry may be changed until Restore has brought all of them back.
  void Evict(const TableContents& contents, const UpdateSink& sink);
  /// After NoRoom, another call goes on where this one stopped.
  void Restore(const UpdateSink& sink);
  /// While the tables are evicted: makes the root, which was freed, with as many entries as before and with its own
  /// ones (large and zero). Links come back with the tables.
  void RestoreRoot(const UpdateSink& sink);
  /// The tables that are evicted do not come back.
  void Forget();

 private:
  class Opened;
  void Announce(const PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries,
                const UpdateSink& sink) const;
  /// Writes the new table; gives it back when that fails, since nothing knows it yet.
  void WriteOrFree(PageTable& table, const TableExtent& extent, const std::vector<HeldEntry>& entries,
                   const UpdateSink& sink);

  PhysicalAdapter& adapter_;
  const Geometry& geometry_;
  TableTree& tree_;
  TableMemory& memory_;
  RetiredTables& retired_;
  std::map<TableSlot, std::vector<HeldEntry>> evicted_;  // what each said
  std::map<uint64_t, std::vector<HeldEntry>> evicted_64k_;
};

}  // namespace gmmu::os

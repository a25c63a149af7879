// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "os/tables/leaves_64k.h"
#include "os/tables/root_table.h"
#include "os/tables/upper_entries.h"

namespace gmmu::os {

class RetiredTables;

/// The page tables of one process on one GPU, and the large and zero entries above the leaves.
///
/// Updates are passed to the sink in the order in which they must be performed: a new table is
/// initialised before its parent links it. Calls that allocate tables throw NoRoom if a segment is
/// full; tables allocated before the failure are kept.
class TableTree {
 public:
  /// Creates a missing table and the missing tables above it, and determines the order of the
  /// updates.
  using Builder = std::function<PageTable&(unsigned level, uint64_t va, const UpdateSink& sink)>;

  TableTree(PhysicalAdapter& gpu, TableMemory& memory, RetiredTables& retired);
  /// Replaces the default way of creating tables, which works from the root down: allocate each
  /// table, invalidate its entries, then link it. The builder is not called for a table that
  /// replaces a large or zero entry.
  void set_builder(Builder builder) { builder_ = std::move(builder); }
  /// While the tables are marked as evicted, calls that change entries trigger a bug check.
  void set_evicted(bool evicted) { evicted_ = evicted; }
  bool evicted() const { return evicted_; }

  const Geometry& geometry() const { return geometry_; }

  // The parts of the tree.
  RootTable& root() { return root_; }
  const RootTable& root() const { return root_; }
  UpperEntries& uppers() { return uppers_; }
  Leaves64k& leaves_64k() { return leaves_64k_; }
  const Leaves64k& leaves_64k() const { return leaves_64k_; }
  SmallPages& small_pages() { return small_pages_; }
  /// All tables except the root and the leaf tables of 64 KiB entries, by ascending level.
  const std::map<TableSlot, PageTable>& tables() const { return tables_; }

  // Operations on a single table. At the leaf level, methods without "64k" in their names operate
  // on tables of 4 KiB entries. Find returns the level-`level` table that covers `va`, or null if
  // there is none.
  PageTable* Find(unsigned level, uint64_t va);
  bool HasLeaf(uint64_t leaf) const { return tables_.count({0, leaf}) != 0; }
  /// True if the leaf's range has neither a table of 4 KiB entries nor a large or zero entry, so
  /// that 64 KiB pages can still be used.
  bool IsOpen(uint64_t leaf) const { return !HasLeaf(leaf) && !uppers_.Over(leaf * geometry_.Coverage(0)); }
  TableExtent ExtentAt(unsigned level, uint64_t va) const;
  /// Returns the table. If it is missing, it is allocated, but neither written nor linked.
  PageTable& Place(unsigned level, uint64_t va);
  /// Returns the table. A missing table is created and linked, together with the tables above it.
  /// If a large or zero entry occupies its slot, the new table has equivalent entries.
  PageTable& Ensure(unsigned level, uint64_t va, const UpdateSink& sink);
  const Leaf64k& Ensure64k(uint64_t leaf, const UpdateSink& sink);
  /// Installs `table` at `slot` and returns the previous table.
  PageTable Replace(const TableSlot& slot, PageTable table) {
    return std::exchange(tables_.at(slot), std::move(table));
  }
  /// Replaces the root by a new one with the same contents, and retires the old one. `entries` is
  /// the minimum size of a resizable root; 0 keeps the current size. Triggers a bug check if an
  /// entry in use does not fit into the new root.
  void ReplaceRoot(uint64_t entries, const UpdateSink& sink);
  /// Returns 1 + the highest index of a root entry in use, or 0 if none is in use.
  uint64_t RootEntriesInUse() const;

  // Operations on a single entry or table.
  void WriteEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const UpdateSink& sink);
  /// Writes the parent's entry for the level-`level` table that covers `va`. The entry links the
  /// table (at the leaf level: the table of 4 KiB entries, the table of 64 KiB entries, or both),
  /// or is invalid if there is no table.
  void WriteLink(unsigned level, uint64_t va, const UpdateSink& sink);
  /// Writes all entries of a new table above the leaf level: links to the existing tables below it,
  /// and invalid entries elsewhere.
  void WriteLinks(unsigned level, uint64_t va, const UpdateSink& sink);
  /// Writes a level-`level` entry (`level` > 0) that maps data or zeros; `va` must be aligned to
  /// the mapped size. Tables that the entry replaces are retired.
  void WriteUpper(unsigned level, uint64_t va, const HeldEntry& entry, const UpdateSink& sink);
  /// Writes the large and zero entries of a new root.
  void WriteUppersOfRoot(const UpdateSink& sink);
  /// Performs an update of 4 KiB entries of a single leaf table, which is created if it does not
  /// exist.
  void WriteSmall(TableUpdate update, const UpdateSink& sink);

  // Operations on several tables. Free requires that all entries of the range are invalid. It
  // retires the leaf tables that lie completely in the range, then the upper tables that have
  // become empty, and invalidates their parents' entries.
  void Free(uint64_t va, uint64_t pages, const UpdateSink& sink);
  /// Retires all tables(). The record of large and zero entries is kept. `invalid` is true if every
  /// entry of the tables is already invalid.
  void RetireAll(bool invalid);
  /// Makes every entry of every table invalid.
  void InvalidateAll(const UpdateSink& sink);
  /// Frees the memory of all tables except the root. Call when the GPU no longer uses the address
  /// space.
  void FreeAll();

 private:
  void Split(const PageTable& table, const TableSlot& slot, const UpdateSink& sink);
  void WriteRootEntry(const TableSlot& slot, const DXGK_PTE& entry, const UpdateSink& sink);
  bool HasChildren(const TableSlot& slot) const;
  /// Retires the tables at `slot` and all tables below them.
  void Retire(const TableSlot& slot, bool invalid);
  TableUpdate UpdateOfEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const UpdateSink& sink);

  PhysicalAdapter& adapter_;
  const Geometry& geometry_;
  TableMemory& memory_;
  RetiredTables& retired_;
  Builder builder_;
  bool evicted_ = false;
  RootTable root_;
  std::map<TableSlot, PageTable> tables_;
  UpperEntries uppers_;
  Leaves64k leaves_64k_;
  SmallPages small_pages_;
};

}  // namespace gmmu::os

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

/// The page tables of one process on one GPU, and the entries above the leaves.
///
/// Updates are passed to the sink in the order in which they must be performed: a new table is initialised before its
/// parent points to it. Calls that allocate tables throw NoRoom if a segment is full; tables that were already
/// allocated remain.
class TableTree {
 public:
  /// Creates a missing table and the missing tables above it, in the builder's own order.
  using Builder = std::function<PageTable&(unsigned level, uint64_t va, const UpdateSink& sink)>;

  TableTree(PhysicalAdapter& gpu, TableMemory& memory, RetiredTables& retired);
  /// Replaces the default order. The default order works from the root down: it allocates each table, invalidates it
  /// and then links it. It still applies where a large or zero entry occupies the table's slot.
  void set_builder(Builder builder) { builder_ = std::move(builder); }
  /// While `evicted` is true, a call that changes an entry triggers a bug check.
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
  /// All tables except the root and the leaf tables of 64 KiB entries, in ascending order of levels.
  const std::map<TableSlot, PageTable>& tables() const { return tables_; }

  // Operations on a single table. A leaf table has 4 KiB entries unless the method's name contains 64k. Find returns
  // the table of `level` that covers `va`, or null if it does not exist.
  PageTable* Find(unsigned level, uint64_t va);
  bool HasLeaf(uint64_t leaf) const { return tables_.count({0, leaf}) != 0; }
  /// True if the range of the leaf table is not yet mapped, either by a table of 4 KiB entries or by a large or zero
  /// entry.
  bool IsOpen(uint64_t leaf) const { return !HasLeaf(leaf) && !uppers_.Over(leaf * geometry_.Coverage(0)); }
  TableExtent ExtentAt(unsigned level, uint64_t va) const;
  /// Returns the table. A missing table is allocated, but without contents and without a link from its parent.
  PageTable& Place(unsigned level, uint64_t va);
  /// Returns the table. A missing table is created and linked, together with the tables above it. If a large or zero
  /// entry occupies the missing table's slot, the table gets equivalent entries.
  PageTable& Ensure(unsigned level, uint64_t va, const UpdateSink& sink);
  const Leaf64k& Ensure64k(uint64_t leaf, const UpdateSink& sink);
  /// Installs `table` as the table of the slot, and returns the previous table.
  PageTable Replace(const TableSlot& slot, PageTable table) {
    return std::exchange(tables_.at(slot), std::move(table));
  }
  /// Replaces the root by another one with the same contents, and retires the old one. `entries` is the minimum number
  /// of entries of a resizable root; 0 keeps the current number. An entry in use beyond the end of the new root
  /// triggers a bug check.
  void ReplaceRoot(uint64_t entries, const UpdateSink& sink);
  /// The number of root entries up to the highest one in use.
  uint64_t RootEntriesInUse() const;

  // Operations on a single entry or table.
  void WriteEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const UpdateSink& sink);
  /// Writes the entry in the parent of `level` for `va`. It points to a table, to a leaf table of 4 KiB entries, of 64
  /// KiB entries or to both, or is invalid.
  void WriteLink(unsigned level, uint64_t va, const UpdateSink& sink);
  /// Writes all entries of a new table of level > 0. They link the existing tables below it.
  void WriteLinks(unsigned level, uint64_t va, const UpdateSink& sink);
  /// Writes an entry of `level` > 0 that maps data or zeros; `va` is aligned to the mapped size. Tables that the entry
  /// replaces are retired.
  void WriteUpper(unsigned level, uint64_t va, const HeldEntry& entry, const UpdateSink& sink);
  /// Writes the entries of a new root that map data or zeros.
  void WriteUppersOfRoot(const UpdateSink& sink);
  /// Applies an update of 4 KiB entries to a single leaf table, which need not exist yet.
  void WriteSmall(TableUpdate update, const UpdateSink& sink);

  // Operations on several tables. Free requires that the range is invalid. It retires leaf tables that are completely
  // in the range, then upper tables that are empty, and invalidates their parents' entries.
  void Free(uint64_t va, uint64_t pages, const UpdateSink& sink);
  /// Retires all tables(). The entries above the leaves are kept. `invalid`: every entry is already invalid.
  void RetireAll(bool invalid);
  /// Makes every entry of every table invalid.
  void InvalidateAll(const UpdateSink& sink);
  /// Frees all memory except the root's. Call when the GPU no longer uses the address space.
  void FreeAll();

 private:
  void Split(const PageTable& table, const TableSlot& slot, const UpdateSink& sink);
  void WriteRootEntry(const TableSlot& slot, const DXGK_PTE& entry, const UpdateSink& sink);
  bool HasChildren(const TableSlot& slot) const;
  /// Retires the tables of the slot, and all tables below them.
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

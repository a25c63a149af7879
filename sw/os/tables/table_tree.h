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

/// The page tables of one process on one GPU, and the entries above the leaves that lead to the tables.
///
/// Updates go to the sink in the order in which they must be done: a new table is initialised before its parent names
/// it. Calls that make tables throw NoRoom when a segment is full; the tables made so far remain.
class TableTree {
 public:
  /// Makes a missing table, and the missing tables above it, in the builder's own order.
  using Builder = std::function<PageTable&(unsigned level, uint64_t va, const UpdateSink& sink)>;

  TableTree(PhysicalAdapter& gpu, TableMemory& memory, RetiredTables& retired);
  /// Replaces the default order, which works from the root down: it makes each table, invalidates it and then links it.
  /// The default order still applies where a large or zero entry stands in place of the table.
  void set_builder(Builder builder) { builder_ = std::move(builder); }
  /// While the flag is set, a call that changes an entry triggers a bug check.
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

  // Calls for one table. A leaf table has 4 KiB entries unless the method's name says 64k.
  /// Returns the table of `level` that covers `va`, or null if it is missing.
  PageTable* Find(unsigned level, uint64_t va);
  bool HasLeaf(uint64_t leaf) const { return tables_.count({0, leaf}) != 0; }
  /// True if nothing maps the leaf table's range yet: neither a table of 4 KiB entries nor a large or zero entry.
  bool IsOpen(uint64_t leaf) const { return !HasLeaf(leaf) && uppers_.At({0, leaf}) == nullptr; }
  TableExtent ExtentAt(unsigned level, uint64_t va) const;
  /// Returns the table. A missing one is allocated, but without contents and without a link from its parent.
  PageTable& Place(unsigned level, uint64_t va);
  /// Returns the table. A missing one is made complete, together with those above it. If a large or zero entry stands
  /// in its place, the table gets equivalent entries.
  PageTable& Ensure(unsigned level, uint64_t va, const UpdateSink& sink);
  const Leaf64k& Ensure64k(uint64_t leaf, const UpdateSink& sink);
  /// Installs `table` as the slot's new table and returns the old one.
  PageTable Replace(const TableSlot& slot, PageTable table) {
    return std::exchange(tables_.at(slot), std::move(table));
  }
  /// Replaces the root by another one with the same contents and retires the old one. `entries` is the least number of
  /// entries of a resizable root; 0 keeps the number. An entry in use beyond a smaller root triggers a bug check.
  void ReplaceRoot(uint64_t entries, const UpdateSink& sink);
  /// The number of entries of the root up to the highest one in use.
  uint64_t RootEntriesInUse() const;

  // Entries.
  void WriteEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const UpdateSink& sink);
  /// Writes the parent's entry for `va` at `level`, which names a table, leaf tables of either kind, or nothing.
  void WriteLink(unsigned level, uint64_t va, const UpdateSink& sink);
  /// Writes all entries of a new table of level > 0, which are links to the existing tables below it.
  void WriteLinks(unsigned level, uint64_t va, const UpdateSink& sink);
  /// Writes an entry of `level` > 0 that maps data or zeros; `va` is aligned to the mapped size. Tables that it
  /// replaces are retired.
  void WriteUpper(unsigned level, uint64_t va, const HeldEntry& entry, const UpdateSink& sink);
  /// Writes the entries of a new root that map data or zeros.
  void WriteUppersOfRoot(const UpdateSink& sink);
  /// Applies an update of 4 KiB entries to one leaf table, which need not exist yet.
  void WriteSmall(TableUpdate update, const UpdateSink& sink);

  // Several tables.
  /// The range must be invalid. Retires leaf tables that are completely in the range, then upper tables that are empty,
  /// and makes the entries of their parents invalid.
  void Free(uint64_t va, uint64_t pages, const UpdateSink& sink);
  /// Retires all tables(); the entries above the leaves are kept. `invalid`: every entry is already invalid.
  void RetireAll(bool invalid);
  /// Makes every entry of every table invalid.
  void InvalidateAll(const UpdateSink& sink);
  /// Frees all memory except the root's. Call when the GPU no longer uses the space.
  void FreeAll();

 private:
  void Split(const PageTable& table, const TableSlot& slot, const UpdateSink& sink);
  void WriteRootEntry(const TableSlot& slot, const DXGK_PTE& entry, const UpdateSink& sink);
  bool HasChildren(const TableSlot& slot) const;
  /// Retires the tables of the slot and all tables below them.
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

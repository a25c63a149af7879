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

/// The page tables of one process on one GPU: which tables exist, and the entries above the leaves, which lead to them.
///
/// Updates go to the sink in the order in which they must be done: a new table is initialised before its parent names
/// it. Calls that make tables throw NoRoom when a segment is full; what was made stays.
class TableTree {
 public:
  /// Makes a missing table, and those above it that are missing too, in an order of its own.
  using Builder = std::function<PageTable&(unsigned level, uint64_t va, const UpdateSink& sink)>;

  TableTree(PhysicalAdapter& gpu, TableMemory& memory, RetiredTables& retired);
  /// Replaces the ordinary order, which makes each table, invalidates it and then links it, from the root down. The
  /// ordinary order still applies where an entry above the leaves takes the table's place.
  void set_builder(Builder builder) { builder_ = std::move(builder); }
  /// While the flag is set, a call that changes an entry is a BugCheck.
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
  /// All tables but the root and the leaf tables of 64 KiB entries; ascending levels.
  const std::map<TableSlot, PageTable>& tables() const { return tables_; }

  // Calls for one table. A leaf table has 4 KiB entries unless the name says 64k.
  /// The table of `level` that covers `va`; null: it is missing.
  PageTable* Find(unsigned level, uint64_t va);
  bool HasLeaf(uint64_t leaf) const { return tables_.count({0, leaf}) != 0; }
  /// Nothing maps the range of the leaf table yet: neither a table of 4 KiB entries nor an entry above it.
  bool IsOpen(uint64_t leaf) const { return !HasLeaf(leaf) && uppers_.At({0, leaf}) == nullptr; }
  TableExtent ExtentAt(unsigned level, uint64_t va) const;
  /// Returns the table; makes a missing one with a place, but without contents and link.
  PageTable& Place(unsigned level, uint64_t va);
  /// Returns the table; makes a missing one complete, together with those above it. If an entry above the leaves is in
  /// its place, the table gets equivalent entries.
  PageTable& Ensure(unsigned level, uint64_t va, const UpdateSink& sink);
  const Leaf64k& Ensure64k(uint64_t leaf, const UpdateSink& sink);
  /// Moves a table elsewhere; returns the old one.
  PageTable Replace(const TableSlot& slot, PageTable table) {
    return std::exchange(tables_.at(slot), std::move(table));
  }
  /// Replaces the root by another one with the same contents; the old one is retired. `entries`: the least number of a
  /// resizable root, 0 keeps it. An entry in use beyond a smaller root is a BugCheck.
  void ReplaceRoot(uint64_t entries, const UpdateSink& sink);
  /// Entries of the root up to the last one that is in use.
  uint64_t RootEntriesInUse() const;

  // Entries.
  void WriteEntry(unsigned level, uint64_t va, const DXGK_PTE& entry, const UpdateSink& sink);
  /// Writes the parent's entry for `va` at `level`: a table, leaf tables of either kind, or nothing.
  void WriteLink(unsigned level, uint64_t va, const UpdateSink& sink);
  /// Writes all entries of a new table of level > 0: links to the tables below it that exist.
  void WriteLinks(unsigned level, uint64_t va, const UpdateSink& sink);
  /// Writes an entry of `level` > 0 that maps data or zeros; `va` is aligned to what it maps. Tables that it replaces
  /// are retired.
  void WriteUpper(unsigned level, uint64_t va, const HeldEntry& entry, const UpdateSink& sink);
  /// Writes the entries of a new root that map data or zeros.
  void WriteUppersOfRoot(const UpdateSink& sink);
  /// Does an update of 4 KiB entries of one leaf table, which need not exist yet.
  void WriteSmall(TableUpdate update, const UpdateSink& sink);

  // Several tables.
  /// The range must be invalid. Retires leaf tables that are completely in the range, and then upper tables that are
  /// empty; entries of their parents become invalid.
  void Free(uint64_t va, uint64_t pages, const UpdateSink& sink);
  /// Retires all tables(); the entries above the leaves are kept. `invalid`: every entry is invalid already.
  void RetireAll(bool invalid);
  /// Makes every entry of every table invalid.
  void InvalidateAll(const UpdateSink& sink);
  /// Frees all memory except the root's. Call when the GPU no longer uses the space.
  void FreeAll();

 private:
  void Split(const PageTable& table, const TableSlot& slot, const UpdateSink& sink);
  void WriteRootEntry(const TableSlot& slot, const DXGK_PTE& entry, const UpdateSink& sink);
  bool HasChildren(const TableSlot& slot) const;
  /// Retires the tables of the slot, and all below them.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

class PhysicalAdapter;
class RetiredTables;
class TableTree;

/// A change from 64 KiB pages to 4 KiB pages or back. kConversion changes a whole leaf table; it is used if a
/// level-1 entry points to a single table. kMove changes 64 KiB blocks; it is used if the entry points to a pair of
/// tables.
enum class LeafChange { kConversion, kMove };

/// Performs the changes between 64 KiB pages and 4 KiB pages, each in the order that the GPU virtual address
/// documentation requires. PageSizeChecker checks every update against that order.
class LeafChanges {
 public:
  /// Functions that LeafChanges calls; each may be empty. `begin` is called before a change to 4 KiB; for a conversion,
  /// the process's contexts are suspended when `begin` returns. `flush` is called after entries of one kind were
  /// invalidated and before entries of the other kind are validated, and once more at the end. `end` is called last and
  /// resumes the contexts.
  struct Hooks {
    std::function<void(LeafChange)> begin;
    std::function<void(uint64_t va, uint64_t bytes)> flush;
    std::function<void(LeafChange)> end;
  };

  LeafChanges(PhysicalAdapter& gpu, TableTree& tree, RetiredTables& retired);
  void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }

  /// For single level-1 entries: replaces the leaf table of 64 KiB entries by one of 4 KiB entries. The new table is
  /// never converted back.
  void Convert(uint64_t leaf, const UpdateSink& sink);
  /// For pairs: replaces the 64 KiB entries of `blocks` (va / 64 KiB, ascending) by 4 KiB entries, and then applies
  /// `update`, which changes a part of each block.
  void MoveTo4k(const TableUpdate& update, const std::vector<uint64_t>& blocks, const UpdateSink& sink);
  /// For pairs: invalidates the 4 KiB entries of the whole blocks in `update`, so that 64 KiB entries can replace them.
  void ClearSmall(const TableUpdate& update, const UpdateSink& sink);

 private:
  TableUpdate PartOfBlock(uint64_t block, const HeldEntry& held, uint64_t first, uint64_t count) const;
  void Begin(LeafChange change) const;
  void Flush(uint64_t va, uint64_t bytes) const;
  void End(LeafChange change) const;

  PhysicalAdapter& adapter_;
  TableTree& tree_;
  RetiredTables& retired_;
  Hooks hooks_;
};

}  // namespace gmmu::os

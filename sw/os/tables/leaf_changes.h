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

/// The kind of change between 64 KiB pages and 4 KiB pages. kConversion replaces a whole leaf
/// table; it is used if level-1 entries are single, so that each links one leaf table. kMove
/// changes individual 64 KiB blocks; it is used if level-1 entries are pairs (DualPteSupported), so
/// that each can link one leaf table of each page size.
enum class LeafChange { kConversion, kMove };

/// Performs the changes between 64 KiB pages and 4 KiB pages, each in the order that the GPU virtual address
/// documentation requires. PageSizeChecker checks every update against that order.
class LeafChanges {
 public:
  /// Functions that LeafChanges calls; each may be empty. `begin` is called before a change to 4
  /// KiB pages; for a conversion, it must suspend the process's contexts. `flush` must flush TLB
  /// entries; it is called after entries of one size have been invalidated, before entries of the
  /// other size are written, and when a change to 4 KiB pages is complete. `end` is called last; it
  /// must resume the contexts that `begin` suspended.
  struct Hooks {
    std::function<void(LeafChange)> begin;
    std::function<void(uint64_t va, uint64_t bytes)> flush;
    std::function<void(LeafChange)> end;
  };

  LeafChanges(PhysicalAdapter& gpu, TableTree& tree, RetiredTables& retired);
  void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }

  /// If level-1 entries are single: replaces a leaf table of 64 KiB entries by one of 4 KiB
  /// entries, which is never converted back. `leaf`: the leaf index (va / coverage).
  void Convert(uint64_t leaf, const UpdateSink& sink);
  /// If level-1 entries are pairs: replaces the 64 KiB entries of `blocks` (va / 64 KiB, ascending)
  /// by 4 KiB entries, and then applies `update`, which changes a part of each block.
  void MoveTo4k(const TableUpdate& update, const std::vector<uint64_t>& blocks, const UpdateSink& sink);
  /// If level-1 entries are pairs: invalidates the 4 KiB entries of the whole blocks in `update`,
  /// so that 64 KiB entries can replace them.
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

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

/// A change between pages of 64 KiB and of 4 KiB: of a whole leaf table (kConversion, where an entry of level 1 names
/// one table), or of blocks of it (kMove, where it names a pair).
enum class LeafChange { kConversion, kMove };

/// The changes between pages of 64 KiB and pages of 4 KiB, each in the order that the GPU virtual address documents
/// require. PageSizeChecker checks every update against that order.
class LeafChanges {
 public:
  /// Functions that LeafChanges calls; each may be empty. Before a change to 4 KiB it calls `begin`: for a conversion
  /// the process' contexts are suspended on return. It calls `flush` between entries of one kind that become invalid
  /// and entries of the other kind that become valid, and at the end. Then `end`: the contexts run again.
  struct Hooks {
    std::function<void(LeafChange)> begin;
    std::function<void(uint64_t va, uint64_t bytes)> flush;
    std::function<void(LeafChange)> end;
  };

  LeafChanges(PhysicalAdapter& gpu, TableTree& tree, RetiredTables& retired);
  void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }

  /// Single entries: the leaf table of 64 KiB entries becomes one of 4 KiB entries, and is never converted back.
  void Convert(uint64_t leaf, const UpdateSink& sink);
  /// Pairs: 64 KiB entries of `blocks` (va / 64 KiB, ascending) become 4 KiB entries, and `update`, which changes part
  /// of each, is done.
  void MoveTo4k(const TableUpdate& update, const std::vector<uint64_t>& blocks, const UpdateSink& sink);
  /// Pairs: the 4 KiB entries of the whole blocks of `update` become invalid, so that 64 KiB entries may take their
  /// place.
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

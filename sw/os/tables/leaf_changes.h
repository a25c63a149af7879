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

/// A change between pages of 64 KiB and of 4 KiB. kConversion changes a whole leaf table, if an entry of level 1 names
/// one table; kMove changes blocks of it, if the entry names a pair of tables.
enum class LeafChange { kConversion, kMove };

/// The changes between pages of 64 KiB and pages of 4 KiB, each in the order that the GPU virtual address documents
/// require. PageSizeChecker checks every update against that order.
class LeafChanges {
 public:
  /// Functions that LeafChanges calls; each may be empty. It calls `begin` before a change to 4 KiB; for a conversion,
  /// the process' contexts are suspended when `begin` returns. It calls `flush` between invalidating entries of one
  /// kind and validating entries of the other kind, and at the end. Then it calls `end`, which resumes the contexts.
  struct Hooks {
    std::function<void(LeafChange)> begin;
    std::function<void(uint64_t va, uint64_t bytes)> flush;
    std::function<void(LeafChange)> end;
  };

  LeafChanges(PhysicalAdapter& gpu, TableTree& tree, RetiredTables& retired);
  void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }

  /// For single entries: the leaf table of 64 KiB entries becomes one of 4 KiB entries, and is never converted back.
  void Convert(uint64_t leaf, const UpdateSink& sink);
  /// For pairs: turns the 64 KiB entries of `blocks` (va / 64 KiB, ascending) into 4 KiB entries and then applies
  /// `update`, which changes part of each block.
  void MoveTo4k(const TableUpdate& update, const std::vector<uint64_t>& blocks, const UpdateSink& sink);
  /// For pairs: invalidates the 4 KiB entries of the whole blocks of `update`, so that 64 KiB entries can replace
  /// them.
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

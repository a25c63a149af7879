// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

class LeafChanges;
class MappingCopies;
class PhysicalAdapter;
class TableTree;
struct Leaf64k;

/// Writes the entries for ranges of pages. It chooses the page size and the level, and allocates missing tables.
///
/// Blocks of 64 KiB are mapped as such if address and size of the range are multiples of 64 KiB and each block is
/// consecutive, aligned and in a segment with 64 KiB pages. If level-1 entries are single and the leaf table already
/// contains 4 KiB entries, the table keeps them.
class PageEntries {
 public:
  PageEntries(PhysicalAdapter& gpu, TableTree& tree, LeafChanges& changes, const MappingCopies& copies);

  /// Writes entries for consecutive pages from `va` upwards. `entries` contains one entry for each page, or a single
  /// entry that is repeated. Invalid entries beyond the end of a resizable root are not written, because everything
  /// there is already invalid.
  void Set(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries, HANDLE allocation,
           uint64_t allocation_offset, const UpdateSink& sink, uint64_t driver_protection = 0);
  void Invalidate(uint64_t va, uint64_t pages, const UpdateSink& sink) {
    Set(va, pages, std::vector<DXGK_PTE>(1), nullptr, 0, sink);
  }
  /// Writes zero entries, each at the highest level that fits, or at level 0 if `only_leaves` is true.
  void SetZero(uint64_t va, uint64_t pages, const UpdateSink& sink, bool only_leaves = false);
  /// Invalidates the entries of these pages that are in use. It allocates a table only to split a larger entry. Returns
  /// false if no entry was in use.
  bool Clear(uint64_t va, uint64_t pages, const TableContents& contents, const UpdateSink& sink);
  /// Allocates the missing tables for these pages. If `large` is true, they get 64 KiB pages wherever the page size is
  /// not yet decided.
  void EnsureTables(uint64_t va, uint64_t pages, const UpdateSink& sink, bool large = false);

 private:
  bool Fits64k(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries) const;
  void PutSingle(TableUpdate update, bool fits, const UpdateSink& sink);
  void PutPair(const TableUpdate& update, bool fits, const UpdateSink& sink);
  void InvalidateLarge(const TableUpdate& update, const Leaf64k& leaf, const UpdateSink& sink);

  PhysicalAdapter& adapter_;
  TableTree& tree_;
  LeafChanges& changes_;
  const MappingCopies& copies_;
};

}  // namespace gmmu::os

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

/// Writes the entries of ranges of pages: chooses the page size and the level, and allocates
/// missing tables.
///
/// 64 KiB entries are used if the range's address and size are multiples of 64 KiB and the memory
/// of each block is contiguous, aligned and in a segment with 64 KiB pages. However, if level-1
/// entries are single, a range whose leaf table already has 4 KiB entries keeps using 4 KiB
/// entries.
class PageEntries {
 public:
  PageEntries(PhysicalAdapter& gpu, TableTree& tree, LeafChanges& changes, const MappingCopies& copies);

  /// Writes entries for consecutive pages, starting at `va`. `entries` contains one entry per page,
  /// or a single entry that is repeated. Invalid entries beyond the end of a resizable root are not
  /// written, because that range is already invalid.
  void Set(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries, HANDLE allocation,
           uint64_t allocation_offset, const UpdateSink& sink, uint64_t driver_protection = 0);
  void Invalidate(uint64_t va, uint64_t pages, const UpdateSink& sink) {
    Set(va, pages, std::vector<DXGK_PTE>(1), nullptr, 0, sink);
  }
  /// Maps the pages to zeros. Each zero entry is written at the highest level at which its range
  /// lies within the pages, or at level 0 if `only_leaves` is true.
  void SetZero(uint64_t va, uint64_t pages, const UpdateSink& sink, bool only_leaves = false);
  /// Invalidates those entries of the pages that are in use. Allocates a table only to split a
  /// larger entry. Returns false if no entry was in use.
  bool Clear(uint64_t va, uint64_t pages, const TableContents& contents, const UpdateSink& sink);
  /// Allocates the tables that are missing for the pages. If `large` is true, a missing leaf table
  /// is created with 64 KiB entries, unless level-1 entries are single and other entries already
  /// map the range (TableTree::IsOpen).
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

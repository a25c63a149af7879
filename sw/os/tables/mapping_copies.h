// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

struct Geometry;
class TableTree;

/// A piece of a copy, small enough that a single leaf table covers its source pages and a single
/// leaf table covers its target pages.
struct CopyPiece {
  uint64_t source, target, pages;
};

/// Provides the information about tables that is needed to copy mappings from one address range to
/// another.
class MappingCopies {
 public:
  /// The location of a leaf table of 4 KiB entries.
  struct LeafPlace {
    D3DGPU_PHYSICAL_ADDRESS gpu;
    uint64_t bytes;
  };

  explicit MappingCopies(TableTree& tree);

  /// Divides the copy of [source, source + bytes) to `target` into pieces, in ascending address
  /// order.
  std::vector<CopyPiece> Pieces(uint64_t source, uint64_t target, uint64_t bytes) const;
  /// Returns the location of the leaf table of 4 KiB entries that covers `va`. The table must
  /// exist.
  LeafPlace PlaceOfLeaf(uint64_t va) const;
  /// Returns the entries of a piece's source pages as 4 KiB entries. Entries are invalid where no
  /// table exists.
  std::vector<HeldEntry> Entries(const CopyPiece& piece, const TableContents& contents) const;
  /// Call after queueing a copy that the GPU performs from one table of 4 KiB entries to another.
  /// Records which target entries are then in use, and returns the equivalent update.
  TableUpdate NoteCopied(const CopyPiece& piece, const std::vector<HeldEntry>& entries);

 private:
  const Geometry& geometry_;
  TableTree& tree_;
};

}  // namespace gmmu::os

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

struct Geometry;
class TableTree;

/// Pages that a copy moves from the range of one leaf table to the range of another, or within one range.
struct CopyPiece {
  uint64_t source, target, pages;
};

/// Computes, from the tables, how to copy mappings from one address range to another.
class MappingCopies {
 public:
  /// The location of a leaf table of 4 KiB entries.
  struct LeafPlace {
    D3DGPU_PHYSICAL_ADDRESS gpu;
    uint64_t bytes;
  };

  explicit MappingCopies(TableTree& tree);

  /// Divides the copy of [source, source + bytes) to `target` into pieces, in ascending order.
  std::vector<CopyPiece> Pieces(uint64_t source, uint64_t target, uint64_t bytes) const;
  /// Returns the location of the leaf table for `va`, which must exist.
  LeafPlace PlaceOfLeaf(uint64_t va) const;
  /// Returns the entries of a piece's source pages, each as a 4 KiB entry. An entry is invalid where no table exists.
  std::vector<HeldEntry> Entries(const CopyPiece& piece, const TableContents& contents) const;
  /// Call after the GPU has copied a piece from one table of 4 KiB entries to another. Returns the equivalent update.
  TableUpdate NoteCopied(const CopyPiece& piece, const std::vector<HeldEntry>& entries);

 private:
  const Geometry& geometry_;
  TableTree& tree_;
};

}  // namespace gmmu::os

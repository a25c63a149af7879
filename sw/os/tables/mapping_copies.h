// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

struct Geometry;
class TableTree;

/// Pages of one leaf table's range that a copy takes to one other, or to the same.
struct CopyPiece {
  uint64_t source, target, pages;
};

/// What a copy of mappings from one range of addresses to another needs to know of the tables.
class MappingCopies {
 public:
  /// Where a leaf table of 4 KiB entries lies.
  struct LeafPlace {
    D3DGPU_PHYSICAL_ADDRESS gpu;
    uint64_t bytes;
  };

  explicit MappingCopies(TableTree& tree);

  /// [source, source + bytes) to `target`, ascending.
  std::vector<CopyPiece> Pieces(uint64_t source, uint64_t target, uint64_t bytes) const;
  /// Of the leaf table of `va`, which exists.
  LeafPlace PlaceOfLeaf(uint64_t va) const;
  /// The entries of a piece's source pages, each as one of 4 KiB; invalid where there is no table.
  std::vector<HeldEntry> Entries(const CopyPiece& piece, const TableContents& contents) const;
  /// The GPU has copied a piece from one table of 4 KiB entries to another: returns the update that would have done it.
  TableUpdate NoteCopied(const CopyPiece& piece, const std::vector<HeldEntry>& entries);

 private:
  const Geometry& geometry_;
  TableTree& tree_;
};

}  // namespace gmmu::os

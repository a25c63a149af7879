// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/tables/table_update.h"

namespace gmmu::os {

struct Geometry;
class TableTree;

/// A piece of a copy: its source pages are in one leaf table, and its target pages are in one leaf
/// table.
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
  /// Returns the location of the leaf table of 4 KiB entries that covers `va`, which must exist.
  LeafPlace PlaceOfLeaf(uint64_t va) const;
  /// Returns the entries of a piece's source pages as 4 KiB entries. Entries are invalid where no
  /// table exists.
  std::vector<HeldEntry> Entries(const CopyPiece& piece, const TableContents& contents) const;
  /// Call after a copy by the GPU from one table of 4 KiB entries to another has been queued.
  /// Returns the equivalent update.
  TableUpdate NoteCopied(const CopyPiece& piece, const std::vector<HeldEntry>& entries);

 private:
  const Geometry& geometry_;
  TableTree& tree_;
};

}  // namespace gmmu::os

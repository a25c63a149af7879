// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "os/miniport/segments.h"

namespace gmmu::os {

/// Moves memory within a segment so that large aligned blocks become free. It selects the pages to
/// move, and allocates the free blocks in the meantime so that nothing moves into them. The caller
/// moves the contents.
class Compaction {
 public:
  /// Moves those pages of movable[index] that lie in the bytes [start, end) of the segment to other
  /// places (SegmentPages::MovedOutOf). Returns all pages of that allocation after the move, or
  /// null if they cannot be moved. The old pages must be free on return.
  using Move = std::function<const SegmentPages*(size_t index, uint64_t start, uint64_t end)>;

  /// `movable`: the pages of each allocation that can be moved (a subject). `block` is the size of
  /// a block in bytes, a power of two.
  Compaction(Segment& segment, uint64_t block, const std::vector<const SegmentPages*>& movable, Move move);

  /// Moves pages until `wanted` blocks are free, or until no more can be freed. The blocks with the fewest pages in use
  /// are emptied first; a block with memory that cannot be moved is left alone. Returns the number of free blocks, at
  /// most `wanted`.
  uint64_t Free(uint64_t wanted);
  uint64_t moves() const { return moves_; }
  uint64_t moved_pages() const { return moved_pages_; }

 private:
  struct Share {
    size_t subject;
    uint64_t pages;
  };
  void Add(size_t subject, const SegmentPages& pages);
  void Remove(size_t subject);
  /// Number of pages in the block that can be moved.
  uint64_t Movable(uint64_t block) const;
  bool Empty(uint64_t block);

  Segment& segment_;
  const uint64_t block_;
  const Move move_;
  std::vector<std::vector<uint64_t>> blocks_of_;  // by subject: the blocks that contain its pages
  std::vector<std::vector<Share>> shares_;        // by block: the subjects with pages in it
  uint64_t moves_ = 0, moved_pages_ = 0;
};

}  // namespace gmmu::os

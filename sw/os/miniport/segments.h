// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hw/host_ram.h"
#include "os/base/ranges.h"

namespace gmmu::os {

class Kernel;

/// A memory segment of an adapter. Offsets are in bytes from its start.
struct Segment {
  unsigned id = 0;  ///< 1-based
  bool aperture = false;
  bool cpu_visible = false;
  bool cache_coherent = false;
  bool pages_64k = false;  ///< offsets and sizes of allocations are multiples of 64 KiB
  uint64_t base = 0;       ///< GPU side address of offset 0 (operands in the style of WDDM 1.x contain base + offset)
  uint64_t size = 0;
  uint8_t* cpu_view = nullptr;      ///< CPU mapping of the whole segment; null if the segment is not CPU-visible memory
  bool cpu_view_is_memory = false;  ///< the view maps system memory (PopulatedFromSystemMemory), not a BAR
  std::unique_ptr<RangeAllocator> space;

  uint64_t page_bytes() const { return pages_64k ? 65536 : hw::kPageSize; }
};

/// The pages of a memory segment that belong to one allocation: single pages, 64 KiB blocks and
/// larger blocks. In a segment with 64 KiB pages, only whole blocks are allocated, even for the end
/// of an allocation.
class SegmentPages {
 public:
  /// How Allocate divides an allocation into blocks, and where it places them.
  struct Shape {
    RangeAllocator::Place place = RangeAllocator::Place::kBySeed;
    /// Percentage of the 64 KiB blocks that are split into single pages at pseudo-random places;
    /// nullopt: 25 for kBySeed, otherwise 0.
    std::optional<unsigned> broken_percent = std::nullopt;
    uint64_t large_pages = 0;  ///< size of a large block, in pages; 0: no blocks above 64 KiB
  };
  /// If a block does not fit, smaller blocks are allocated. Returns nullopt and changes nothing if
  /// the segment has too little free space.
  static std::optional<SegmentPages> Allocate(Segment& segment, uint64_t count, Random& random,
                                              const std::string& created_by, const Shape& shape);
  /// Allocates one range. `alignment` is in bytes, a power of two.
  static std::optional<SegmentPages> AllocateContiguous(Segment& segment, uint64_t count, uint64_t alignment,
                                                        const std::string& created_by,
                                                        RangeAllocator::Place place = RangeAllocator::Place::kBySeed);
  /// Free frees the pages. Release does the same, or leaks the pages if the configuration injects
  /// leaks.
  void Free();
  void Release(Kernel& kernel);
  /// Allocates new pages at the lowest free places for the ranges in [start, end) of the segment.
  /// Returns all pages of the allocation after the move, including those that stay. This object
  /// then owns only the old pages of the moved ranges. If `split`, a range for which there is no
  /// block of its size is moved to single pages. Returns nullopt and changes nothing if the space is
  /// too small, or if a range extends beyond [start, end).
  std::optional<SegmentPages> MovedOutOf(uint64_t start, uint64_t end, bool split, const std::string& created_by);

  const Segment& segment() const { return *segment_; }
  uint64_t count() const { return pages_.size(); }
  /// Returns the 4 KiB page number, counted from the segment's start.
  uint64_t page(uint64_t index) const { return pages_[index]; }
  /// True if the pages [index, index + count) were allocated as one range, whose first page is a multiple of `count`.
  bool IsBlock(uint64_t index, uint64_t count) const;
  /// Number of blocks, as IsBlock defines them, at indices that are multiples of `count`.
  uint64_t Blocks(uint64_t count) const;

 private:
  Segment* segment_ = nullptr;
  struct Range {
    uint64_t start;  // byte offset in the segment
    uint64_t index;  // index of the range's first page in pages_
  };
  void Add(uint64_t start, uint64_t pages);

  std::vector<uint64_t> pages_;
  std::vector<Range> ranges_;  // the allocated ranges, in ascending order of `index`
};

}  // namespace gmmu::os

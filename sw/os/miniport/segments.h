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
  uint8_t* cpu_view = nullptr;  ///< CPU mapping of the whole segment; null if the segment is not CPU-visible memory
  std::unique_ptr<RangeAllocator> space;

  uint64_t page_bytes() const { return pages_64k ? 65536 : hw::kPageSize; }
};

/// The pages of a memory segment that belong to one allocation: single pages and 64 KiB blocks, at pseudo-random places
/// that the seed determines. A segment with 64 KiB pages allocates only whole blocks, even for the last pages.
class SegmentPages {
 public:
  /// Returns nullopt and changes nothing if the segment has no room. `broken_percent` is the percentage of blocks that
  /// are split into single pages; nullopt stands for 25.
  static std::optional<SegmentPages> Allocate(Segment& segment, uint64_t count, Random& random,
                                              const std::string& created_by,
                                              std::optional<unsigned> broken_percent = std::nullopt);
  /// Allocates one range. `alignment` is in bytes, a power of two.
  static std::optional<SegmentPages> AllocateContiguous(Segment& segment, uint64_t count, uint64_t alignment,
                                                        const std::string& created_by,
                                                        RangeAllocator::Place place = RangeAllocator::Place::kBySeed);
  void Release(Kernel& kernel);

  const Segment& segment() const { return *segment_; }
  uint64_t count() const { return pages_.size(); }
  /// Returns the 4 KiB page number, counted from the segment's start.
  uint64_t page(uint64_t index) const { return pages_[index]; }

 private:
  Segment* segment_ = nullptr;
  std::vector<uint64_t> pages_;
  std::vector<uint64_t> starts_;  // offsets of the allocated ranges
};

}  // namespace gmmu::os

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "os/base/ledger.h"
#include "os/base/random.h"
#include "os/base/used_ranges.h"

namespace gmmu::os {

class FreeSpace;

/// Allocates half-open ranges of an address space (VRAM, the aperture, GPU virtual addresses,
/// logical addresses) at pseudo-random places. The caller chooses the unit of addresses and sizes.
/// The ledger lists each range as a resource of kind `kind` that `owner` must free. If `page` is
/// not 0, it must be a power of two, and ranges consist of whole pages of that size; the time of a
/// call then does not depend on the number of ranges, at the cost of a bit and a few bytes of
/// memory per page. If `page` is 0, the space can have any size.
class RangeAllocator {
 public:
  RangeAllocator(uint64_t start, uint64_t end, uint64_t seed, std::string kind, std::string owner, Ledger& ledger,
                 uint64_t page = 0);
  ~RangeAllocator();

  /// Permanently excludes the free part of [start, end) from allocation (for holes, windows and bad
  /// memory).
  void Exclude(uint64_t start, uint64_t end);
  enum class Place { kBySeed, kLowest, kHighest };
  /// Returns the start of a free range of `size` at a multiple of `alignment` (a power of two), or nullopt if there is
  /// none.
  std::optional<uint64_t> Allocate(uint64_t size, uint64_t alignment, const std::string& created_by,
                                   Place place = Place::kBySeed);
  /// Like Allocate, but within [from, to) and at a pseudo-random place.
  std::optional<uint64_t> AllocateWithin(uint64_t from, uint64_t to, uint64_t size, uint64_t alignment,
                                         const std::string& created_by);
  /// Allocates [start, start + size). Returns false and changes nothing if any part of it is not
  /// free.
  [[nodiscard]] bool AllocateAt(uint64_t start, uint64_t size, const std::string& created_by);
  /// Frees the range that begins at `start`. Triggers a bug check if no allocated range begins
  /// there.
  void Free(uint64_t start);

  uint64_t free_bytes() const { return free_bytes_; }
  /// The number of free blocks of `size` bytes that are aligned to their size, which must be a
  /// power of two.
  uint64_t FreeBlocks(uint64_t size) const;
  size_t ranges() const { return used_.size(); }
  /// The highest end of an allocated or excluded range, or 0 if there is no such range.
  uint64_t used_end() const;

 private:
  std::optional<uint64_t> AllocateIn(uint64_t from, uint64_t to, uint64_t size, uint64_t alignment,
                                     const std::string& created_by, Place where);
  void Take(uint64_t start, uint64_t size, const std::string& created_by);

  std::unique_ptr<FreeSpace> free_;
  const uint64_t end_;
  UsedRanges used_;
  uint64_t free_bytes_ = 0;
  Random random_;
  std::string kind_;
  std::string owner_;
  Ledger& ledger_;
};

}  // namespace gmmu::os

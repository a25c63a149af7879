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

/// Allocates half-open ranges of an address space (VRAM, the aperture, GPU virtual addresses, logical addresses) at
/// pseudo-random places. The caller chooses the unit of size. The ledger lists a range as `kind` of `owner`. With
/// `page`, a power of two, ranges consist of whole pages of that size: the time of a call does not depend on the number
/// of ranges, and each page costs a bit and a few bytes. Without it the space may have any size.
class RangeAllocator {
 public:
  RangeAllocator(uint64_t start, uint64_t end, uint64_t seed, std::string kind, std::string owner, Ledger& ledger,
                 uint64_t page = 0);
  ~RangeAllocator();

  /// Permanently removes the free part of [start, end) (holes, windows, bad memory).
  void Exclude(uint64_t start, uint64_t end);
  enum class Place { kBySeed, kLowest, kHighest };
  /// Returns the start of a free range of `size` at a multiple of `alignment` (a power of two), or nullopt if there is
  /// none.
  std::optional<uint64_t> Allocate(uint64_t size, uint64_t alignment, const std::string& created_by,
                                   Place place = Place::kBySeed);
  /// Like Allocate, but within [from, to) and at a pseudo-random place.
  std::optional<uint64_t> AllocateWithin(uint64_t from, uint64_t to, uint64_t size, uint64_t alignment,
                                         const std::string& created_by);
  /// Returns false, without a change, unless all of [start, start + size) is free.
  [[nodiscard]] bool AllocateAt(uint64_t start, uint64_t size, const std::string& created_by);
  /// `start` must have been returned by an allocation; anything else triggers a bug check.
  void Free(uint64_t start);

  uint64_t free_bytes() const { return free_bytes_; }
  size_t ranges() const { return used_.size(); }
  /// The highest end of an allocated or excluded range; 0 if none is allocated.
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

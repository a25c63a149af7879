// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "os/base/page_bits.h"

namespace gmmu::os {

/// Counts the places for one size and alignment (in pages), and numbers them in ascending order. A
/// place is an aligned page at which `size` free pages begin. Call Changed after each change of the
/// bits; the next query recounts the affected groups.
class PlaceCounts {
 public:
  /// `size` must not be 0, and `alignment` must be a power of two. `bits` must outlive the counts.
  PlaceCounts(const PageBits& bits, uint64_t size, uint64_t alignment);

  bool Are(uint64_t size, uint64_t alignment) const { return size == size_ && alignment == alignment_; }
  /// Call after the pages [first, end) have become free or used. The range must not be empty.
  void Changed(uint64_t first, uint64_t end);
  /// Returns the number of places below `page`.
  uint64_t Below(uint64_t page);
  /// Returns the first page of the place numbered `place`, which must exist.
  uint64_t Start(uint64_t place);

 private:
  using Words = std::array<uint64_t, PageBits::kWordsOfAGroup>;

  void Mark(size_t group);
  /// Recounts the marked groups.
  void Refresh();
  /// Returns a bit for each page of the group, set if a place begins at the page.
  Words PlacesOf(size_t group) const;
  uint64_t PlacesOf(uint64_t word, uint64_t after) const;

  const PageBits* bits_;
  uint64_t size_;
  uint64_t alignment_;
  uint64_t multiples_;            // mask of the bits of aligned pages in a word that has any
  std::vector<uint16_t> counts_;  // number of places in each group
  std::vector<uint32_t> sums_;    // Fenwick tree of counts_: sums_[i] is the sum of the `i & -i` groups before group i
  std::vector<bool> marked_;
  std::vector<uint32_t> to_count_;  // groups to recount
};

}  // namespace gmmu::os

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmmu::os {

/// A bit for each page of a bounded space, set when the page is free. Pages are numbered from 0. A group of pages has
/// its bits in one cache line.
class PageBits {
 public:
  static constexpr uint64_t kWord = 64;  // pages per word
  static constexpr uint64_t kWordsOfAGroup = 8;
  static constexpr uint64_t kGroup = kWordsOfAGroup * kWord;  // pages per group
  static constexpr uint64_t kAllFree = ~uint64_t{0};          // a word whose pages are all free

  /// Return how many bits of a word are set in one run: from bit 0 up, or from bit 63 down.
  static uint64_t LowOnes(uint64_t word) {
    return word == kAllFree ? kWord : static_cast<uint64_t>(__builtin_ctzll(~word));
  }
  static uint64_t HighOnes(uint64_t word) {
    return word == kAllFree ? kWord : static_cast<uint64_t>(__builtin_clzll(~word));
  }

  /// Initially no page is free.
  explicit PageBits(uint64_t pages);

  uint64_t pages() const { return pages_; }
  size_t groups() const { return words_.size() / kWordsOfAGroup; }
  /// Returns 64 pages from page 64 * `index` on, the first in bit 0. Pages that do not exist are not free.
  uint64_t word(size_t index) const { return words_[index]; }
  /// Whether all pages of the group are free.
  bool full(size_t group) const { return full_[group / kWord] >> group % kWord & 1; }

  /// Marks the pages [first, end) as free or used; returns how many of them changed.
  uint64_t Set(uint64_t first, uint64_t end, bool free);
  /// Returns how many pages from `page` on are free without a gap, counting up to `most`.
  uint64_t RunFrom(uint64_t page, uint64_t most) const;
  /// Returns how many pages right before `page` are free without a gap.
  uint64_t RunBefore(uint64_t page) const;

 private:
  uint64_t pages_;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> full_;  // a bit for each group
};

}  // namespace gmmu::os

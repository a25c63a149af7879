// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmmu::os {

/// A bitmap with one bit for each page of a bounded space, set while the page is free. Pages are
/// numbered from 0. The bits of a group of pages share a cache line.
class PageBits {
 public:
  static constexpr uint64_t kWord = 64;  // pages per word
  static constexpr uint64_t kWordsOfAGroup = 8;
  static constexpr uint64_t kGroup = kWordsOfAGroup * kWord;  // pages per group
  static constexpr uint64_t kAllFree = ~uint64_t{0};          // a word whose pages are all free

  /// Return the length of the run of set bits that starts at bit 0 (LowOnes) or ends at bit 63 (HighOnes).
  static uint64_t LowOnes(uint64_t word) {
    return word == kAllFree ? kWord : static_cast<uint64_t>(__builtin_ctzll(~word));
  }
  static uint64_t HighOnes(uint64_t word) {
    return word == kAllFree ? kWord : static_cast<uint64_t>(__builtin_clzll(~word));
  }

  /// Initially, no page is free.
  explicit PageBits(uint64_t pages);

  uint64_t pages() const { return pages_; }
  size_t groups() const { return words_.size() / kWordsOfAGroup; }
  /// Returns the bits of 64 pages, starting with page 64 * `index` in bit 0. Bits beyond the last page are 0.
  uint64_t word(size_t index) const { return words_[index]; }
  /// Whether all pages of the group are free.
  bool full(size_t group) const { return full_[group / kWord] >> group % kWord & 1; }

  /// Marks the pages [first, end) as free or used. Returns the number of pages that changed.
  uint64_t Set(uint64_t first, uint64_t end, bool free);
  /// Returns the number of consecutive free pages starting at `page`, at most `most`.
  uint64_t RunFrom(uint64_t page, uint64_t most) const;
  /// Returns the number of consecutive free pages that end directly before `page`.
  uint64_t RunBefore(uint64_t page) const;

 private:
  uint64_t pages_;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> full_;  // one bit per group, set if the group is full
};

}  // namespace gmmu::os

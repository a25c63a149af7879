// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "os/base/ledger.h"

namespace gmmu::os {

/// The allocated ranges, indexed by their starts.
///
/// In a space of pages, a range is found by the number of its first page. Millions of scattered pages are allocated and
/// freed, and an array with four bytes per page stays in the processor's caches, unlike the nodes of a map.
class UsedRanges {
 public:
  struct Range {
    uint64_t start;
    uint64_t size;  // bytes
    Ledger::Ticket ticket;
  };

  /// Ranges begin at multiples of `page`, below `end`. If `page` is 0, they may begin at any address.
  UsedRanges(uint64_t end, uint64_t page);

  /// No existing range may start at the same address as `range`.
  void Add(const Range& range);
  /// Removes and returns the range that begins at `start`, or returns nullopt if there is none.
  std::optional<Range> Remove(uint64_t start);
  size_t size() const { return size_; }

 private:
  using Numbers = std::array<uint32_t, 1024>;  // indexed by page: 0, or 1 + the index in ranges_ of the range that
                                               // begins at the page

  uint64_t page_;
  size_t size_ = 0;
  std::unordered_map<uint64_t, Range> by_start_;   // used if page_ is 0
  std::vector<std::unique_ptr<Numbers>> by_page_;  // null if no range begins in these pages
  std::vector<Range> ranges_;                      // the elements listed in unused_ are free
  std::vector<uint32_t> unused_;                   // free elements of ranges_, numbered as in Numbers
};

}  // namespace gmmu::os

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
/// If the space consists of pages, ranges are looked up by the number of their first page in an
/// array with four bytes per page. Unlike the nodes of a map, this array stays in the processor's
/// caches when millions of scattered pages are allocated and freed.
class UsedRanges {
 public:
  struct Range {
    uint64_t start;
    uint64_t size;  // bytes
    Ledger::Ticket ticket;
  };

  /// Ranges begin below `end`, at multiples of `page`, or at any address if `page` is 0.
  UsedRanges(uint64_t end, uint64_t page);

  /// No existing range may start at the same address as `range`.
  void Add(const Range& range);
  /// Removes and returns the range that begins at `start`, or returns nullopt if there is none.
  std::optional<Range> Remove(uint64_t start);
  size_t size() const { return size_; }

 private:
  // Indexed by page: 1 + the index in ranges_ of the range that begins there, or 0 if none does.
  using Numbers = std::array<uint32_t, 1024>;

  uint64_t page_;
  size_t size_ = 0;
  std::unordered_map<uint64_t, Range> by_start_;   // used if page_ is 0
  std::vector<std::unique_ptr<Numbers>> by_page_;  // null if no range begins in these pages
  std::vector<Range> ranges_;                      // the elements listed in unused_ are free
  std::vector<uint32_t> unused_;                   // free elements of ranges_, numbered as in Numbers
};

}  // namespace gmmu::os

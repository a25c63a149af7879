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
/// In a space of pages, a range is found by its first page's number. Scattered pages come and go by the million, and an
/// array of four bytes per page stays in the processor's caches, where the nodes of a map would not.
class UsedRanges {
 public:
  struct Range {
    uint64_t start;
    uint64_t size;  // bytes
    Ledger::Ticket ticket;
  };

  /// Ranges begin at multiples of `page`, below `end`. With 0 they may begin anywhere.
  UsedRanges(uint64_t end, uint64_t page);

  /// No range may be held that begins at the same start.
  void Add(const Range& range);
  /// Removes and returns the range that begins at `start`; nullopt if there is none.
  std::optional<Range> Remove(uint64_t start);
  size_t size() const { return size_; }

 private:
  using Numbers = std::array<uint32_t, 1024>;  // indexed by page: 1 + index in ranges_ of the range that begins there

  uint64_t page_;
  size_t size_ = 0;
  std::unordered_map<uint64_t, Range> by_start_;   // used if page_ is 0
  std::vector<std::unique_ptr<Numbers>> by_page_;  // null if no range begins in these pages
  std::vector<Range> ranges_;                      // elements listed in unused_ hold no range
  std::vector<uint32_t> unused_;                   // free elements of ranges_, numbered as in Numbers
};

}  // namespace gmmu::os

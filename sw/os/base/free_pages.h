// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/base/free_space.h"
#include "os/base/page_bits.h"
#include "os/base/place_counts.h"

namespace gmmu::os {

/// The free pages of a memory, kept as a bitmap. The time that a call for a few pages takes hardly
/// depends on how scattered the free pages are.
///
/// Ranges and alignments are widened to whole pages. The possible places of a range are counted for
/// the most recently requested combinations of size and alignment; the first call with a new
/// combination scans the whole memory.
class FreePages : public FreeSpace {
 public:
  /// Initially, all whole pages in [start, end) are free. `page` is the page size in bytes, a power
  /// of two.
  FreePages(uint64_t start, uint64_t end, uint64_t page);

  void Add(uint64_t start, uint64_t end) override;
  uint64_t Remove(uint64_t start, uint64_t end) override;
  bool Has(uint64_t start, uint64_t end) const override;
  uint64_t Places(const Wanted& wanted) const override;
  uint64_t Start(const Wanted& wanted, uint64_t place) const override;
  uint64_t StartBefore(uint64_t end) const override;

 private:
  // Number of combinations of size and alignment that are counted: enough for alternating requests
  // for pages, blocks and page tables.
  static constexpr size_t kKinds = 4;

  uint64_t PagesUpTo(uint64_t address) const { return address / page_ + (address % page_ != 0 ? 1 : 0); }
  uint64_t Set(uint64_t start, uint64_t end, bool free);
  PlaceCounts& CountsOf(const Wanted& wanted) const;

  const uint64_t page_;
  PageBits bits_;
  mutable std::vector<PlaceCounts> kinds_;
  mutable size_t replaced_ = 0;  // number of elements of kinds_ replaced so far
};

}  // namespace gmmu::os

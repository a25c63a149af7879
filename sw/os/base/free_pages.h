// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "os/base/free_space.h"
#include "os/base/page_bits.h"
#include "os/base/place_counts.h"

namespace gmmu::os {

/// A memory's free pages as a bit map. A call for a few pages takes about the same time however scattered they are.
///
/// Ranges and alignments are widened to whole pages. Counts of places are kept for the few most recently wanted sizes
/// and alignments; the first call for a new one scans the whole memory.
class FreePages : public FreeSpace {
 public:
  /// Initially all whole pages in [start, end) are free. `page` is the page size in bytes, a power of two.
  FreePages(uint64_t start, uint64_t end, uint64_t page);

  void Add(uint64_t start, uint64_t end) override;
  uint64_t Remove(uint64_t start, uint64_t end) override;
  bool Has(uint64_t start, uint64_t end) const override;
  uint64_t Places(const Wanted& wanted) const override;
  uint64_t Start(const Wanted& wanted, uint64_t place) const override;
  uint64_t StartBefore(uint64_t end) const override;

 private:
  static constexpr size_t kKinds = 4;  // enough for pages, blocks and page tables, requested alternately

  uint64_t PagesUpTo(uint64_t address) const { return address / page_ + (address % page_ != 0 ? 1 : 0); }
  uint64_t Set(uint64_t start, uint64_t end, bool free);
  PlaceCounts& CountsOf(const Wanted& wanted) const;

  const uint64_t page_;
  PageBits bits_;
  mutable std::vector<PlaceCounts> kinds_;
  mutable size_t replaced_ = 0;  // how many elements of kinds_ were replaced
};

}  // namespace gmmu::os

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gmmu::replay {

/// The 4 KiB pages that a workload touches, by the workload's own addresses.
class Footprint {
 public:
  void Add(uint64_t address, uint64_t bytes);
  uint64_t pages() const { return pages_.size(); }
  /// Returns the numbers (address / bytes), ascending, of the aligned pieces of `bytes` (4096 or a larger power of two)
  /// that contain a touched page.
  std::vector<uint64_t> Pieces(uint64_t bytes) const;

 private:
  std::unordered_set<uint64_t> pages_;
  uint64_t last_ = ~uint64_t{0};
};

/// Maps the addresses of a workload to a range of GPU virtual addresses.
///
/// The workload's addresses are divided into aligned regions of `region_bytes`, the range of one leaf table. Touched
/// regions are placed one after the other from `va` on, in the order of their addresses; within a region offsets do not
/// change. So all address bits below the region's size are preserved: the offset in the page, the index in a leaf table
/// and the neighbours. Gaps between regions are removed, or with `keep_gaps` kept with all distances.
class Rebase {
 public:
  /// `va` is a multiple of `region_bytes`, a power of two.
  Rebase(const Footprint& footprint, uint64_t region_bytes, uint64_t va, bool keep_gaps = false);
  /// `address` must be in a touched page.
  uint64_t operator()(uint64_t address) const;
  uint64_t regions() const { return places_.size(); }
  /// Returns the bytes of GPU virtual addresses that a Rebase with these arguments needs.
  static uint64_t Span(const Footprint& footprint, uint64_t region_bytes, bool keep_gaps);

 private:
  const uint64_t bytes_;
  std::unordered_map<uint64_t, uint64_t> places_;  // number of a region -> GPU VA
  mutable uint64_t last_region_ = ~uint64_t{0}, last_va_ = 0;
};

}  // namespace gmmu::replay

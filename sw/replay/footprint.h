// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gmmu::replay {

/// The 4 KiB pages that a workload touches, in the addresses of the workload.
class Footprint {
 public:
  void Add(uint64_t address, uint64_t bytes);
  uint64_t pages() const { return pages_.size(); }
  /// Returns the numbers (address / bytes), in ascending order, of the aligned pieces of `bytes`
  /// bytes that contain a touched page. `bytes` is 4096 or a larger power of two.
  std::vector<uint64_t> Pieces(uint64_t bytes) const;

 private:
  std::unordered_set<uint64_t> pages_;
  uint64_t last_ = ~uint64_t{0};
};

/// Maps the addresses of a workload to a range of GPU virtual addresses.
///
/// The workload's addresses are divided into aligned regions of `region_bytes`, the range of one
/// leaf table. Touched regions are placed next to each other from `va` on, in ascending order;
/// offsets within a region do not change. All address bits below the region's size are therefore
/// preserved, and with them the page offset, the leaf-table index and the neighbours. Gaps between
/// regions are removed, unless `keep_gaps` is true.
class Rebase {
 public:
  /// `va` must be a multiple of `region_bytes`, which must be a power of two.
  Rebase(const Footprint& footprint, uint64_t region_bytes, uint64_t va, bool keep_gaps = false);
  /// `address` must be in a touched page.
  uint64_t operator()(uint64_t address) const;
  uint64_t regions() const { return places_.size(); }
  /// Returns the size of the GPU virtual address range that a Rebase with these arguments takes.
  static uint64_t Span(const Footprint& footprint, uint64_t region_bytes, bool keep_gaps);

 private:
  const uint64_t bytes_;
  std::unordered_map<uint64_t, uint64_t> places_;  // region number -> GPU VA
  mutable uint64_t last_region_ = ~uint64_t{0}, last_va_ = 0;
};

}  // namespace gmmu::replay

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gmmu::regs {
struct SizesInUse;
}

namespace gmmu::sim {

/// Hardware sizes that software can reduce with register sizes_in_use.
struct TlbSizes {
  uint64_t l1_entries = 0, l2_entries = 0, l2_ways = 0, walk_cache = 0, walks = 0;

  /// Returns the register value that selects these sizes.
  regs::SizesInUse Register() const;
  /// Returns the sizes that writing `word` to the register selects. A field of 0 selects the built
  /// size.
  static TlbSizes Asked(regs::SizesInUse word, const TlbSizes& built);

  bool operator==(const TlbSizes& other) const {
    return l1_entries == other.l1_entries && l2_entries == other.l2_entries && l2_ways == other.l2_ways &&
           walk_cache == other.walk_cache && walks == other.walks;
  }
  bool operator!=(const TlbSizes& other) const { return !(*this == other); }
};

/// Whether RTL with these sizes can be built (rtl/mmu/gmmu_l2_ram.sv, gmmu_walk_cache.sv). The fast
/// engine has no such limits. The ranges of the keys are not checked here.
bool CanBuild(const TlbSizes& sizes);

/// Whether hardware with the sizes `built` can be reduced to `wanted` by the rules of
/// rtl/mmu/gmmu_sizes.sv. The number of L2 TLB sets, l2_entries / 16 / l2_ways, cannot exceed the
/// built number.
bool CanTurnDown(const TlbSizes& wanted, const TlbSizes& built);

}  // namespace gmmu::sim

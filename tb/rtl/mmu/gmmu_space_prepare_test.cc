// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_space_prepare against a computation in C++, with legal and illegal random geometries.
#include <algorithm>
#include <array>

#include "blocks.h"

namespace gmmu::bench {
namespace {

class SpacePrepareTest : public BlocksTest {};

TEST_P(SpacePrepareTest, ShiftsAndMasksFollowFromTheGeometry) {
  unsigned enabled = 0, refused = 0, duals = 0;
  for (int i = 0; i < 500; ++i) {
    std::array<unsigned, 6> bits;
    for (unsigned l = 0; l < 6; ++l) {
      bits[l] = Random(12) == 0 ? Random(16) : 1 + Random(9);
    }
    const unsigned levels = Random(8);
    const bool dual = Random(3) == 0;
    const bool enable = Random(8) != 0;
    const uint32_t entries = Random(2) == 0 ? Random(10000) : static_cast<uint32_t>(rng());
    GMMU_STRUCT(gmmu_mmu_blocks_bench, space_cfg_t) cfg{};
    cfg.enable = enable, cfg.levels = static_cast<uint8_t>(levels), cfg.root_entries = entries, cfg.dual = dual;
    for (unsigned l = 0; l < 6; ++l) cfg.bits[l] = static_cast<uint8_t>(bits[l]);
    t.sp_cfg_i = Pack(cfg);
    t.sp_start_i = 1;
    Step();
    t.sp_start_i = 0;
    Settle();
    for (int wait = 0; !t.sp_done_o; ++wait) {
      ASSERT_LT(wait, 12);
      Step();
    }
    bool legal = levels >= 2 && levels <= 6;
    unsigned sum = 0;
    for (unsigned l = 0; l < std::min(levels, 6u); ++l) {
      legal &= bits[l] >= 1 && bits[l] <= 13;
      sum += bits[l];
    }
    legal &= sum <= 36 && !(dual && (bits[0] < 4 || bits[1] > 12));
    duals += legal && dual;
    const auto row = Unpack<GMMU_STRUCT(gmmu_mmu_blocks_bench, space_row_t)>(t.sp_row_o);
    ASSERT_EQ(row.enable, legal && enable) << levels << " levels";
    legal&& enable ? ++enabled : ++refused;
    if (!legal) continue;
    EXPECT_EQ(row.top, levels - 1);
    EXPECT_EQ(row.root_entries, std::min<uint32_t>(entries, 8192));
    unsigned shift = 0;
    for (unsigned l = 0; l < levels; ++l) {
      // Level-1 indices of a dual space have an extra lowest bit, which selects the half of the
      // pair.
      const unsigned pair = dual && l == 1 ? 1 : 0;
      EXPECT_EQ(row.shift[l], shift - pair);
      EXPECT_EQ(row.bits[l], bits[l] + pair);
      if (l > 0) EXPECT_EQ(row.keep[l - 1], kVpnMask >> shift << shift);
      shift += bits[l];
    }
    EXPECT_EQ(row.dual, dual);
    EXPECT_EQ(row.has_64k, bits[0] >= 4);
    if (bits[0] >= 4) EXPECT_EQ(row.bits_64k, bits[0] - 4);
    EXPECT_EQ(row.beyond, shift >= 36 ? 0 : kVpnMask >> shift << shift);
  }
  EXPECT_GT(enabled, 100u);
  EXPECT_GT(refused, 50u);
  EXPECT_GT(duals, 20u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SpacePrepareTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench

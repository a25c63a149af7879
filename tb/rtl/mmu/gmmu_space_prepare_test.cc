// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_space_prepare against sums in C++, with random geometries, legal and illegal.
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
    uint32_t packed = 0;
    for (unsigned l = 0; l < 6; ++l) {
      bits[l] = Random(12) == 0 ? Random(16) : 1 + Random(9);
      packed |= bits[l] << (4 * l);
    }
    const unsigned levels = Random(8);
    const bool dual = Random(3) == 0;
    t.sp_dual_i = dual;
    const bool enable = Random(8) != 0;
    const uint32_t entries = Random(2) == 0 ? Random(10000) : static_cast<uint32_t>(rng());
    t.sp_start_i = 1;
    t.sp_enable_i = enable;
    t.sp_levels_i = static_cast<uint8_t>(levels);
    t.sp_bits_i = packed;
    t.sp_entries_i = entries;
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
    ASSERT_EQ(t.sp_enable_o, legal && enable) << levels << " levels";
    legal&& enable ? ++enabled : ++refused;
    if (!legal) continue;
    EXPECT_EQ(t.sp_top_o, levels - 1);
    EXPECT_EQ(t.sp_entries_o, std::min<uint32_t>(entries, 8192));
    unsigned shift = 0;
    for (unsigned l = 0; l < levels; ++l) {
      const unsigned pair = dual && l == 1 ? 1 : 0;  // the lowest bit of a pair's index selects the half
      EXPECT_EQ(t.sp_shift_o >> (6 * l) & 63, shift - pair);
      EXPECT_EQ(t.sp_bits_o >> (4 * l) & 15, bits[l] + pair);
      if (l > 0) EXPECT_EQ(t.sp_keep_o[l - 1], kVpnMask >> shift << shift);
      shift += bits[l];
    }
    EXPECT_EQ(t.sp_dual_o, dual);
    EXPECT_EQ(t.sp_has_o, bits[0] >= 4);
    if (bits[0] >= 4) EXPECT_EQ(t.sp_bits_64k_o, bits[0] - 4);
    EXPECT_EQ(t.sp_beyond_o, shift >= 36 ? 0 : kVpnMask >> shift << shift);
  }
  EXPECT_GT(enabled, 100u);
  EXPECT_GT(refused, 50u);
  EXPECT_GT(duals, 20u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SpacePrepareTest, SizesAndSeeds(2, 4), SizeAndSeed);

}  // namespace
}  // namespace gmmu::bench

// SPDX-License-Identifier: Apache-2.0
#include "host/sizes_in_use.h"

#include <gtest/gtest.h>

#include "hw/gmmu_regs.h"

namespace gmmu::sim {
namespace {

constexpr TlbSizes kBuilt{16, 512, 4, 16, 8};

TEST(SizesInUse, AFieldOfZeroStandsForWhatWasBuilt) {
  EXPECT_EQ(TlbSizes::Asked({}, kBuilt), kBuilt);
  const TlbSizes asked = TlbSizes::Asked(regs::SizesInUse().set_l2_ways(2).set_walks(3), kBuilt);
  EXPECT_EQ(asked, (TlbSizes{16, 512, 2, 16, 3}));
  EXPECT_EQ(TlbSizes::Asked(asked.Register(), kBuilt), asked);
}

TEST(SizesInUse, CanBeFewerUpToTheLeast) {
  for (const TlbSizes& wanted :
       {kBuilt, TlbSizes{2, 16, 1, 2, 1}, TlbSizes{5, 128, 2, 4, 7}, TlbSizes{16, 64, 4, 8, 3}})
    EXPECT_TRUE(CanTurnDown(wanted, kBuilt)) << std::hex << wanted.Register().raw;
}

TEST(SizesInUse, CannotBeMoreThanWasBuiltNorNoPowerOfTwoNorMoreSets) {
  for (const TlbSizes& wanted :
       {TlbSizes{17, 512, 4, 16, 8}, TlbSizes{1, 512, 4, 16, 8}, TlbSizes{16, 1024, 4, 16, 8},
        TlbSizes{16, 96, 2, 16, 8}, TlbSizes{16, 512, 2, 16, 8}, TlbSizes{16, 512, 8, 16, 8},
        TlbSizes{16, 96, 3, 16, 8}, TlbSizes{16, 32, 4, 16, 8}, TlbSizes{16, 512, 4, 32, 8}, TlbSizes{16, 512, 4, 1, 8},
        TlbSizes{16, 512, 4, 12, 8}, TlbSizes{16, 512, 4, 16, 9}, TlbSizes{16, 512, 4, 16, 0}})
    EXPECT_FALSE(CanTurnDown(wanted, kBuilt)) << std::hex << wanted.Register().raw;
}

TEST(SizesInUse, OfHardwareWhoseSizesAreNoPowersOfTwoThoseThemselvesArePossible) {
  const TlbSizes built{16, 1152, 9, 24, 8};
  EXPECT_TRUE(CanTurnDown(built, built));
  EXPECT_TRUE(CanTurnDown({16, 128, 8, 16, 8}, built));
}

}  // namespace
}  // namespace gmmu::sim

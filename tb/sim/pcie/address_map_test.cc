// SPDX-License-Identifier: Apache-2.0
#include "pcie/address_map.h"

#include <gtest/gtest.h>

namespace gmmu::sim {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST(AddressMap, PutsRamAboveTheDevicesWhenItIsMoreThanTwoGib) {
  const auto small = AddressMap::RamRanges(kGiB);
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(small[0].end, kGiB);
  EXPECT_EQ(AddressMap::RamRanges(2 * kGiB).size(), 1u);
  const auto large = AddressMap::RamRanges(16 * kGiB);
  ASSERT_EQ(large.size(), 2u);
  EXPECT_EQ(large[0].end, 2 * kGiB);
  EXPECT_EQ(large[1].start, 4 * kGiB);
  EXPECT_EQ(large[1].end, 18 * kGiB);
}

TEST(AddressMap, FindsTheOwnerOfEachAddress) {
  AddressMap map(16 * kGiB, true);
  map.SetBar(0, 0, 0x80000000, 0x10000);
  map.SetBar(0, 2, 0x84000000, 0x4000000);
  map.SetBar(1, 0, 0x80010000, 0x10000);
  EXPECT_EQ(map.Decode(0x1000, 8).region, Region::kRam);
  EXPECT_EQ(map.Decode(17 * kGiB, 8).region, Region::kRam);
  EXPECT_EQ(map.Decode(18 * kGiB, 8).region, Region::kNone);
  EXPECT_EQ(map.Decode(0xFED90018, 4).region, Region::kIommu);
  EXPECT_EQ(map.Decode(0xFED90018, 4).offset, 0x18u);
  EXPECT_EQ(map.Decode(0xFED91000, 4).region, Region::kNone);
  EXPECT_EQ(map.Decode(0xFEE00000, 4).region, Region::kMessage);
  EXPECT_EQ(map.Decode(0xFEEFFFFC, 4).offset, 0xFEEFFFFCu);
  EXPECT_EQ(map.Decode(0xFEF00000, 4).region, Region::kNone);
  const Decoded bar = map.Decode(0x84000010, 8);
  EXPECT_EQ(bar.region, Region::kBar);
  EXPECT_EQ(bar.bar, 2u);
  EXPECT_EQ(bar.offset, 0x10u);
  EXPECT_EQ(map.Decode(0x80010008, 8).unit, 1u);
}

TEST(AddressMap, RefusesAnAccessThatLeavesItsRegion) {
  AddressMap map(16 * kGiB, true);
  map.SetBar(0, 0, 0x80000000, 0x10000);
  EXPECT_EQ(map.Decode(2 * kGiB - 4, 8).region, Region::kNone);
  EXPECT_EQ(map.Decode(0x8000FFFC, 8).region, Region::kNone);
  EXPECT_EQ(map.Decode(~uint64_t{0}, 8).region, Region::kNone);
}

TEST(AddressMap, MovesAndRemovesBars) {
  AddressMap map(kGiB, false);
  map.SetBar(0, 0, 0x80000000, 0x10000);
  map.SetBar(0, 0, 0x90000000, 0x10000);
  EXPECT_EQ(map.Decode(0x80000000, 4).region, Region::kNone);
  EXPECT_EQ(map.Decode(0x90000000, 4).region, Region::kBar);
  map.SetBar(0, 0, 0, 0);
  EXPECT_EQ(map.Decode(0x90000000, 4).region, Region::kNone);
}

TEST(AddressMap, HasNoIommuRegistersWithoutAnIommu) {
  AddressMap map(kGiB, false);
  EXPECT_EQ(map.Decode(kIommuBase, 4).region, Region::kNone);
  EXPECT_FALSE(map.iommu_base());
  EXPECT_EQ(AddressMap(kGiB, true).iommu_base(), kIommuBase);
}

TEST(AddressMap, PrefersRamAndMessagesToABarProgrammedOverThem) {
  AddressMap map(kGiB, true);
  map.SetBar(0, 0, 0x10000, 0x10000);
  map.SetBar(0, 2, 0xFC000000, 0x4000000);
  EXPECT_EQ(map.Decode(0x10000, 4).region, Region::kRam);
  EXPECT_EQ(map.Decode(0xFEE00000, 4).region, Region::kMessage);
  EXPECT_EQ(map.Decode(0xFED90000, 4).region, Region::kIommu);
  EXPECT_EQ(map.Decode(0xFC000000, 4).region, Region::kBar);
}

}  // namespace
}  // namespace gmmu::sim

// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "os/hal/logical_place.h"

namespace gmmu::os {
namespace {

constexpr uint64_t k2MiB = 512, k1GiB = 512 * 512;  // pages

TEST(LogicalPlace, AgreesWithTheHostAddressModuloALargePage) {
  Ledger ledger;
  RangeAllocator space(4096, uint64_t{1} << 40, 7, "logical_range", "test", ledger);
  std::vector<uint64_t> pfns = {3, 9};  // two scattered pages; an aligned 2 MiB follows
  for (uint64_t i = 0; i < k2MiB; ++i) pfns.push_back(0x40000 + i);
  const auto place = PlaceLogical(space, pfns.data(), pfns.size(), "test");
  ASSERT_TRUE(place);
  EXPECT_EQ((place->logical / 4096 + 2) % k2MiB, 0u);
  EXPECT_GE(place->logical, place->taken);
  space.Free(place->taken);
}

TEST(LogicalPlace, TakesAnyRoomWhenThereIsNoneForLargePages) {
  Ledger ledger;
  RangeAllocator space(4096, 4096 * (k2MiB + 1), 7, "logical_range", "test", ledger);
  std::vector<uint64_t> pfns;
  for (uint64_t i = 0; i < k2MiB; ++i) pfns.push_back(0x40000 + i);
  const auto place = PlaceLogical(space, pfns.data(), pfns.size(), "test");
  ASSERT_TRUE(place);
  EXPECT_FALSE(PlaceLogical(space, pfns.data(), 1, "test"));
  space.Free(place->taken);
}

}  // namespace
}  // namespace gmmu::os

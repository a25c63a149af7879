// SPDX-License-Identifier: Apache-2.0
#include "os/base/used_ranges.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace gmmu::os {
namespace {

void CompareWithAMap(uint64_t page, uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "page " << page << ", seed " << seed);
  constexpr uint64_t kStarts = 5000;
  const uint64_t unit = page == 0 ? 24 : page;
  std::mt19937_64 random(seed);
  std::map<uint64_t, UsedRanges::Range> map;
  UsedRanges used(kStarts * unit, page);
  for (uint64_t step = 0; step < 100'000; ++step) {
    const uint64_t start = random() % kStarts * unit;
    const auto held = map.find(start);
    if (held == map.end() && random() % 2) {
      const UsedRanges::Range range{start, 1 + random() % 9, step};
      used.Add(range);
      map.emplace(start, range);
    } else {
      const auto removed = used.Remove(start);
      ASSERT_EQ(removed.has_value(), held != map.end()) << step;
      if (removed) {
        EXPECT_EQ(removed->start, start) << step;
        EXPECT_EQ(removed->size, held->second.size) << step;
        EXPECT_EQ(removed->ticket, held->second.ticket) << step;
        map.erase(held);
      }
    }
    ASSERT_EQ(used.size(), map.size()) << step;
  }
}

TEST(UsedRanges, AgreeWithAMap) {
  CompareWithAMap(0, 3);
  CompareWithAMap(4096, 4);
}

TEST(UsedRanges, BeginOnlyWhereTheyWereAdded) {
  UsedRanges used(0x10000, 0x1000);
  used.Add({0xF000, 0x1000, 1});
  used.Add({0x4000, 0x3000, 2});
  EXPECT_FALSE(used.Remove(0x5000)) << "inside of a range";
  EXPECT_FALSE(used.Remove(0x4001));
  EXPECT_FALSE(used.Remove(uint64_t{1} << 60)) << "outside of the space";
  EXPECT_EQ(used.Remove(0x4000)->size, 0x3000u);
  EXPECT_FALSE(used.Remove(0x4000)) << "removed before";
  EXPECT_EQ(used.size(), 1u);
  EXPECT_FALSE(UsedRanges(0, 0x1000).Remove(0));
}

}  // namespace
}  // namespace gmmu::os

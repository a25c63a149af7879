// SPDX-License-Identifier: Apache-2.0
#include "twin/walk_cache.h"

#include <gtest/gtest.h>

namespace gmmu::sim::twin {
namespace {

SpaceShape Shape() {
  SpaceShape shape;
  for (unsigned level = 0; level < 7; ++level) shape.shift[level] = static_cast<uint8_t>(12 + 9 * level);
  return shape;
}

TEST(WalkCache, OfTheHardwareHasRowsOfItsOwnForEachLevel) {
  WalkCache cache(2, {});
  const SpaceShape shape = Shape();
  cache.Enter(1, false, shape, 1, 0);
  cache.Enter(2, false, shape, 1, 0);
  EXPECT_NE(cache.Find(1, false, shape, 1, 511), nullptr);
  EXPECT_EQ(cache.Find(1, false, shape, 1, 512), nullptr) << "the next table";
  EXPECT_EQ(cache.Find(1, true, shape, 1, 0), nullptr) << "a pointer is no page";
}

TEST(WalkCache, ForAllLevelsForgetsWhatWasUsedLongestAgo) {
  Hierarchy hierarchy;
  hierarchy.walk_cache = Hierarchy::WalkCache::kUnified;
  hierarchy.walk_cache_entries = 2;
  WalkCache cache(16, hierarchy);
  const SpaceShape shape = Shape();
  cache.Enter(1, false, shape, 1, 0);
  cache.Enter(2, false, shape, 1, 0);
  ASSERT_NE(cache.Find(1, false, shape, 1, 0), nullptr);
  cache.Enter(1, false, shape, 1, 512);
  EXPECT_NE(cache.Find(1, false, shape, 1, 0), nullptr);
  EXPECT_EQ(cache.Find(2, false, shape, 1, 0), nullptr);
}

TEST(WalkCache, WithoutPointersKeepsLargePages) {
  Hierarchy hierarchy;
  hierarchy.walk_cache = Hierarchy::WalkCache::kNone;
  WalkCache cache(16, hierarchy);
  const SpaceShape shape = Shape();
  cache.Enter(1, false, shape, 1, 0);
  EXPECT_EQ(cache.Find(1, false, shape, 1, 0), nullptr);
  cache.Enter(1, true, shape, 1, 0);
  EXPECT_NE(cache.Find(1, true, shape, 1, 0), nullptr);
  cache.Drop([](unsigned, uint64_t, unsigned) { return true; });
  EXPECT_EQ(cache.Find(1, true, shape, 1, 0), nullptr);
}

TEST(PteCache, HoldsLinesAndForgetsTheOneUsedLongestAgo) {
  PteCache cache(2, 2);  // one set
  uint64_t ready = 0;
  cache.Enter(true, 0x1000, 5);
  EXPECT_TRUE(cache.Find(true, 0x1038, ready));
  EXPECT_EQ(ready, 5u);
  EXPECT_FALSE(cache.Find(false, 0x1000, ready)) << "system memory";
  cache.Enter(true, 0x2000, 6);
  EXPECT_TRUE(cache.Find(true, 0x1000, ready));
  cache.Enter(true, 0x3000, 7);
  EXPECT_FALSE(cache.Find(true, 0x2000, ready));
  EXPECT_FALSE(PteCache(0, 4).present());
}

}  // namespace
}  // namespace gmmu::sim::twin

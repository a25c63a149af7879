// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "os/base/bug_check.h"
#include "os/base/ranges.h"

namespace gmmu::os {
namespace {

TEST(Ranges, AreAlignedDisjointAndComeBackWhole) {
  Ledger ledger;
  RangeAllocator ranges(0x1000, 0x100000, 3, "vram_range", "test", ledger);
  const uint64_t all = ranges.free_bytes();
  std::vector<std::pair<uint64_t, uint64_t>> taken;
  for (int i = 0; i < 60; ++i) {
    const uint64_t size = i % 3 == 0 ? 0x4000 : 0x1000;
    const auto start = ranges.Allocate(size, size, "test");
    ASSERT_TRUE(start);
    EXPECT_EQ(*start % size, 0u);
    for (const auto& [other, other_size] : taken) EXPECT_TRUE(*start >= other + other_size || other >= *start + size);
    taken.emplace_back(*start, size);
  }
  for (const auto& [start, size] : taken) ranges.Free(start);
  EXPECT_EQ(ranges.free_bytes(), all);
  EXPECT_TRUE(ranges.AllocateAt(0x1000, 0xFF000, "test")) << "holes were not joined";
}

TEST(Ranges, NeverTouchWhatIsExcluded) {
  Ledger ledger;
  RangeAllocator ranges(0x1000, 0x10000, 3, "logical_range", "test", ledger);
  ranges.Exclude(0x4000, 0x6000);
  EXPECT_FALSE(ranges.AllocateAt(0x3000, 0x2000, "test"));
  while (const auto start = ranges.Allocate(0x1000, 0x1000, "test")) EXPECT_TRUE(*start < 0x4000 || *start >= 0x6000);
  EXPECT_EQ(ranges.ranges(), 13u);
}

TEST(Ranges, WhatIsExcludedTwiceOrInPiecesIsExcludedWhole) {
  Ledger ledger;
  RangeAllocator ranges(0x1000, 0x10000, 3, "vram_range", "test", ledger);
  ranges.Exclude(0, 0x4000);
  ranges.Exclude(0x2000, 0x6000);  // its first half is gone already
  ranges.Exclude(0x8000, 0x9000);
  ranges.Exclude(0x7000, 0xB000);  // around the one before
  EXPECT_EQ(ranges.free_bytes(), 0x1000u + 0x5000);
  while (const auto start = ranges.Allocate(0x1000, 0x1000, "test"))
    EXPECT_TRUE((*start >= 0x6000 && *start < 0x7000) || *start >= 0xB000);
  EXPECT_EQ(ranges.ranges(), 6u);
}

TEST(Ranges, EndWhereTheLastOneEnds) {
  Ledger ledger;
  RangeAllocator ranges(0x1000, 0x10000, 3, "va_range", "test", ledger);
  EXPECT_EQ(ranges.used_end(), 0u);
  ASSERT_TRUE(ranges.AllocateAt(0x4000, 0x2000, "test"));
  ASSERT_TRUE(ranges.AllocateAt(0x2000, 0x1000, "test"));
  EXPECT_EQ(ranges.used_end(), 0x6000u);
  ASSERT_TRUE(ranges.AllocateAt(0xF000, 0x1000, "test"));
  EXPECT_EQ(ranges.used_end(), 0x10000u);
  ranges.Free(0xF000);
  ranges.Free(0x4000);
  EXPECT_EQ(ranges.used_end(), 0x3000u);
  ranges.Free(0x2000);
  EXPECT_EQ(ranges.used_end(), 0u);
}

TEST(Ranges, AreInTheLedgerInTheOrderOfTheirMakingByStartAndSize) {
  Ledger ledger;
  RangeAllocator ranges(0x1000, 0x10000, 3, "vram_range", "segment2", ledger);
  for (const uint64_t start : {0x9000, 0x2000, 0x5000}) ASSERT_TRUE(ranges.AllocateAt(start, 0x2000, "a call"));
  const auto other = ledger.Open("fence", "", "owner", "another");
  ranges.Free(0x2000);
  const std::vector<Leak> leaks = ledger.Leaks();
  ASSERT_EQ(leaks.size(), 3u);
  EXPECT_EQ(leaks[0].name, "0x9000+0x2000");
  EXPECT_EQ(leaks[0].kind, "vram_range");
  EXPECT_EQ(leaks[0].owner, "segment2");
  EXPECT_EQ(leaks[0].created_by, "a call");
  EXPECT_EQ(leaks[1].name, "0x5000+0x2000");
  EXPECT_EQ(leaks[2].name, "");
  EXPECT_TRUE(ledger.IsOpen(other, "fence"));
  EXPECT_FALSE(ledger.IsOpen(other, "adl"));
}

TEST(Ranges, AFreeOfSomethingElseIsABugCheck) {
  Ledger ledger;
  RangeAllocator ranges(0, 0x10000, 3, "va_range", "test", ledger);
  ASSERT_TRUE(ranges.AllocateAt(0x2000, 0x2000, "test"));
  EXPECT_THROW(ranges.Free(0x3000), BugCheck);
  EXPECT_EQ(ledger.open(), 1u);
}

}  // namespace
}  // namespace gmmu::os

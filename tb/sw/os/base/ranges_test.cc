// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
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
  ranges.Exclude(0x2000, 0x6000);  // its first half is already excluded
  ranges.Exclude(0x8000, 0x9000);
  ranges.Exclude(0x7000, 0xB000);  // contains the range above
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

// Given the same seed, the allocator that counts single pages and the one that keeps free ranges
// must choose the same ranges.
TEST(Ranges, OfASpaceOfPagesAreWhereThoseOfAnotherAre) {
  constexpr uint64_t kPage = 4096, kEnd = 6000 * kPage;
  const uint64_t seed = 11;
  SCOPED_TRACE(seed);
  Ledger ledger;
  RangeAllocator pages(0, kEnd, seed, "vram_range", "test", ledger, kPage);
  RangeAllocator other(0, kEnd, seed, "vram_range", "test", ledger);
  for (RangeAllocator* each : {&pages, &other}) each->Exclude(100 * kPage, 117 * kPage);
  Random random(seed, "test");
  std::vector<uint64_t> starts;
  for (int step = 0; step < 30'000; ++step) {
    const uint64_t size = (random.Below(3) != 0 ? 1 : random.Below(2) != 0 ? 16 : 1 + random.Below(900)) * kPage;
    const uint64_t alignment = kPage << (size == kPage ? 0 : random.Below(8));
    if (random.Below(100) < (step / 1000 % 2 == 0 ? 60 : 40)) {
      std::optional<uint64_t> start, same;
      switch (const uint64_t kind = random.Below(5)) {
        case 0: {
          const uint64_t from = random.Below(6000) * kPage, to = from + random.Below(6000) * kPage;
          start = pages.AllocateWithin(from, to, size, alignment, "test");
          same = other.AllocateWithin(from, to, size, alignment, "test");
          break;
        }
        case 1: {
          const uint64_t at = random.Below(6000) * kPage;
          if (pages.AllocateAt(at, size, "test")) start = at;
          if (other.AllocateAt(at, size, "test")) same = at;
          break;
        }
        default: {
          const auto place = static_cast<RangeAllocator::Place>(kind - 2);
          start = pages.Allocate(size, alignment, "test", place);
          same = other.Allocate(size, alignment, "test", place);
        }
      }
      ASSERT_EQ(start, same) << step;
      if (start) starts.push_back(*start);
    } else if (!starts.empty()) {
      std::swap(starts[random.Below(starts.size())], starts.back());
      for (RangeAllocator* each : {&pages, &other}) each->Free(starts.back());
      starts.pop_back();
    }
    ASSERT_EQ(pages.free_bytes(), other.free_bytes()) << step;
    ASSERT_EQ(pages.ranges(), other.ranges()) << step;
    ASSERT_EQ(pages.used_end(), other.used_end()) << step;
  }
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

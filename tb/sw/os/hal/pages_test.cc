// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "os/base/bug_check.h"
#include "os/hal/pages.h"

namespace gmmu::os {
namespace {

using ::testing::IsEmpty;

const std::vector<hw::Range> kRam = {{0, uint64_t{2} << 30}, {uint64_t{4} << 30, uint64_t{6} << 30}};

TEST(Pages, AreScatteredOverAllInstalledMemoryButTheFirstMiB) {
  Ledger ledger;
  PageAllocator pages(kRam, 1, ledger);
  const auto taken = pages.AllocateScattered(1000, 0, ~uint64_t{0}, "test", "test");
  ASSERT_TRUE(taken);
  std::set<uint64_t> distinct(taken->begin(), taken->end());
  EXPECT_EQ(distinct.size(), 1000u);
  EXPECT_GE(*distinct.begin(), 0x100u);
  size_t high = 0;
  for (uint64_t pfn : *taken) {
    EXPECT_TRUE(pfn < 0x80000 || (pfn >= 0x100000 && pfn < 0x180000));
    high += pfn >= 0x100000;
  }
  EXPECT_GT(high, 300u);
  EXPECT_LT(high, 700u);
}

TEST(Pages, KeepToTheBoundsOfARequest) {
  Ledger ledger;
  PageAllocator pages(kRam, 1, ledger);
  const auto low = pages.AllocateScattered(64, 0x1000000, 0x1040000, "test", "test");
  ASSERT_TRUE(low);
  for (uint64_t pfn : *low) EXPECT_TRUE(pfn >= 0x1000 && pfn < 0x1040);
  EXPECT_FALSE(pages.AllocateScattered(1, 0x1000000, 0x1040000, "test", "test"));  // all 64 pages are in use
  for (int i = 0; i < 50; ++i) {
    const auto first = pages.AllocateContiguous(5, 0, 0x2000000, 0x8000, "test", "test");
    ASSERT_TRUE(first);
    EXPECT_EQ(*first / 8, (*first + 4) / 8) << "crosses a 32 KiB boundary";
    EXPECT_LE((*first + 5) * 4096, 0x2000000u);
  }
}

TEST(Pages, ComeInBlocksWhenAskedTo) {
  Ledger ledger;
  PageAllocator pages(kRam, 1, ledger);
  pages.set_block(16);
  const auto first = pages.AllocateScattered(20, 0, ~uint64_t{0}, "test", "test");
  const uint64_t kernels = pages.AllocatePage("test", "test");
  const auto second = pages.AllocateScattered(12, 0, ~uint64_t{0}, "test", "test");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->front() % 16, 0u);
  for (size_t i = 1; i < 20; ++i)
    if (i != 16) EXPECT_EQ(first->at(i), first->at(i - 1) + 1) << i;
  EXPECT_EQ(first->at(16) % 16, 0u);
  EXPECT_EQ(second->front(), first->back() + 1) << "the block's rest";
  EXPECT_NE(kernels, first->back() + 1) << "the kernel's own page is no part of it";
  // Without a free block, single pages are allocated.
  const auto few = pages.AllocateScattered(7, 0x1001000, 0x1009000, "test", "test");
  ASSERT_TRUE(few);
  for (uint64_t pfn : *few) EXPECT_TRUE(pfn >= 0x1001 && pfn < 0x1009);
}

TEST(Pages, ARequestThatFailsTakesNothing) {
  Ledger ledger;
  PageAllocator pages({{0, 0x200000}}, 1, ledger);
  EXPECT_FALSE(pages.AllocateScattered(257, 0, ~uint64_t{0}, "test", "test"));
  EXPECT_EQ(pages.allocated(), 0u);
  EXPECT_THAT(ledger.Leaks(), IsEmpty());
  EXPECT_TRUE(pages.AllocateScattered(256, 0, ~uint64_t{0}, "test", "test"));
}

TEST(Pages, CannotBeFreedWhilePinnedOrTwice) {
  Ledger ledger;
  PageAllocator pages(kRam, 1, ledger);
  const uint64_t page = pages.AllocatePage("test", "test");
  pages.Pin(page, "test", "test");
  pages.Pin(page, "test", "test");
  pages.Unpin(page);
  EXPECT_THROW(pages.Free(page), BugCheck);
  pages.Unpin(page);
  EXPECT_THROW(pages.Unpin(page), BugCheck);
  pages.Free(page);
  EXPECT_THROW(pages.Free(page), BugCheck);
}

TEST(Pages, ArePlacedElsewhereByAnotherSeed) {
  Ledger ledger;
  PageAllocator one(kRam, 1, ledger), same(kRam, 1, ledger), other(kRam, 2, ledger);
  const auto first = one.AllocateScattered(10, 0, ~uint64_t{0}, "test", "test");
  EXPECT_EQ(first, same.AllocateScattered(10, 0, ~uint64_t{0}, "test", "test"));
  EXPECT_NE(first, other.AllocateScattered(10, 0, ~uint64_t{0}, "test", "test"));
}

TEST(Pages, AddedMemoryIsInstalledAboveTheRest) {
  Ledger ledger;
  PageAllocator pages({{0, 0x200000}}, 1, ledger);
  EXPECT_THROW(pages.Add({0x1FF000, 0x300000}), BugCheck) << "below the end";
  pages.Add({0x400000, 0x401000});
  EXPECT_EQ(pages.end(), 0x401000u);
  EXPECT_EQ(pages.installed_pages(), 0x101u);
  const auto all = pages.AllocateScattered(0x101, 0, ~uint64_t{0}, "test", "test");
  ASSERT_TRUE(all);
  EXPECT_EQ(std::count(all->begin(), all->end(), 0x400u), 1);
  pages.Free(*all);
}

}  // namespace
}  // namespace gmmu::os

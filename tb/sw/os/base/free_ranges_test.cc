// SPDX-License-Identifier: Apache-2.0
// Compares FreeRanges with a list of pages, each of which is free or in use.
#include "os/base/free_ranges.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gmmu::os {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kPages = 4096;

class Pages {
 public:
  Pages() : free_(kPages, false) {}
  void Set(uint64_t first, uint64_t count, bool value) {
    for (uint64_t page = first; page < first + count; ++page) free_[page] = value;
  }
  bool Has(uint64_t first, uint64_t count, bool value = true) const {
    for (uint64_t page = first; page < first + count; ++page) {
      if (free_[page] != value) return false;
    }
    return true;
  }
  std::vector<uint64_t> Starts(uint64_t count, uint64_t alignment, uint64_t from, uint64_t to) const {
    std::vector<uint64_t> starts;
    for (uint64_t page = (from + alignment - 1) / alignment * alignment; page + count <= to; page += alignment) {
      if (Has(page, count)) starts.push_back(page * kPage);
    }
    return starts;
  }

 private:
  std::vector<bool> free_;
};

TEST(FreeRanges, AgreeWithAListOfPages) {
  const uint64_t seed = 5;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  Pages pages;
  FreeRanges ranges;
  pages.Set(0, kPages, true);
  ranges.Add(0, kPages * kPage);
  for (int step = 0; step < 12000; ++step) {
    // The first steps only allocate single pages, which leaves thousands of holes. After that,
    // sizes and calls are random.
    const uint64_t count = step < 3000 ? 1 : 1 + random() % 8;
    const uint64_t first = random() % (kPages - count);
    if (step < 3000 || random() % 2) {
      uint64_t free = 0;
      for (uint64_t page = first; page < first + count; ++page) free += pages.Has(page, 1);
      ASSERT_EQ(ranges.Remove(first * kPage, (first + count) * kPage), free * kPage) << step;
      pages.Set(first, count, false);
    } else if (pages.Has(first, count, false)) {
      ranges.Add(first * kPage, (first + count) * kPage);
      pages.Set(first, count, true);
    }
    ASSERT_EQ(ranges.Has(first * kPage, (first + count) * kPage), pages.Has(first, count)) << step;
    if (step % 50) continue;
    const uint64_t alignment = uint64_t{1} << random() % 4;
    const bool bounded = random() % 2;
    const uint64_t from = bounded ? random() % kPages : 0;
    const uint64_t to = bounded ? from + random() % (kPages - from) : kPages;
    const FreeRanges::Wanted wanted{count * kPage, alignment * kPage, from * kPage, to * kPage};
    const auto starts = pages.Starts(count, alignment, from, to);
    ASSERT_EQ(ranges.Places(wanted), starts.size()) << step;
    for (size_t place = 0; place < starts.size(); ++place)
      ASSERT_EQ(ranges.Start(wanted, place), starts[place]) << step;
  }
}

// Uses enough holes for a tree of several levels, which first grows and then shrinks.
TEST(FreeRanges, FindEveryPlaceAmongTensOfThousandsOfHoles) {
  constexpr uint64_t kHoles = 40'000;
  const FreeRanges::Wanted page{kPage, kPage}, block{16 * kPage, 16 * kPage};
  FreeRanges ranges;
  for (uint64_t i = 0; i < kHoles; ++i) {                  // single pages, plus one block per thousand pages
    const uint64_t hole = (i * 17 % kHoles) * 64 * kPage;  // not in address order
    ranges.Add(hole, hole + kPage);
    if (i % 1000 == 0) ranges.Add(hole + 16 * kPage, hole + 32 * kPage);
    if (i % 512 == 0) ASSERT_EQ(ranges.Places(page), i + 1 + 16 * (i / 1000 + 1)) << i;
    if (i % 512 == 0) ASSERT_EQ(ranges.Places(block), i / 1000 + 1) << i;
  }
  for (uint64_t place = 0; place < kHoles / 1000; ++place)
    EXPECT_EQ(ranges.Start(block, place) % (64 * kPage), 16 * kPage) << place;
  for (uint64_t i = 0; i < kHoles; i += 1) {
    EXPECT_EQ(ranges.Remove(i * 64 * kPage, (i * 64 + 1) * kPage), kPage);
    if (i % 512 == 0) ASSERT_EQ(ranges.Start(block, 0) % (64 * kPage), 16 * kPage) << i;
  }
  EXPECT_EQ(ranges.Places(page), 16 * kHoles / 1000) << "pages of the blocks";
  EXPECT_EQ(ranges.Places(block), kHoles / 1000);
}

TEST(FreeRanges, ReachTheEndOfTheAddressSpace) {
  FreeRanges ranges;
  ranges.Add(~uint64_t{0} - 2 * kPage, ~uint64_t{0});
  EXPECT_EQ(ranges.Places({kPage, kPage}), 1u);
  EXPECT_EQ(ranges.Places({kPage, uint64_t{1} << 20}), 0u);  // the range contains no multiple of 1 MiB
  EXPECT_EQ(ranges.Start({kPage, kPage}, 0), ~uint64_t{0} - 2 * kPage + 1);
  EXPECT_EQ(ranges.Remove(0, ~uint64_t{0}), 2 * kPage);
  EXPECT_FALSE(ranges.Has(0, kPage));
  EXPECT_EQ(ranges.Remove(0, kPage), 0u);
}

}  // namespace
}  // namespace gmmu::os

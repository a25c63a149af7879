// SPDX-License-Identifier: Apache-2.0
// Compares FreePages with a list of pages, each of which is free or in use.
#include "os/base/free_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <vector>

namespace gmmu::os {
namespace {

constexpr uint64_t kBytes = 4096;  // bytes per page

class ListOfPages {
 public:
  explicit ListOfPages(uint64_t pages) : free_(pages, true) {}
  uint64_t Set(uint64_t first, uint64_t end, bool free) {
    uint64_t changed = 0;
    for (uint64_t page = first; page < std::min<uint64_t>(end, free_.size()); ++page) {
      changed += free_[page] != free;
      free_[page] = free;
    }
    return changed;
  }
  bool Has(uint64_t first, uint64_t end, bool free = true) const {
    for (uint64_t page = first; page < end; ++page)
      if (page >= free_.size() || free_[page] != free) return false;
    return true;
  }
  std::vector<uint64_t> Starts(uint64_t size, uint64_t alignment, uint64_t from, uint64_t to) const {
    std::vector<uint64_t> starts;
    uint64_t run = 0;  // length of the free run that starts at `page`, limited to `to`
    for (uint64_t page = std::min<uint64_t>(to, free_.size()); page-- > from;) {
      run = free_[page] ? run + 1 : 0;
      if (run >= size && page % alignment == 0) starts.push_back(page * kBytes);
    }
    return {starts.rbegin(), starts.rend()};
  }
  uint64_t StartBefore(uint64_t end) const {
    while (end > 0 && free_[end - 1]) --end;
    return end;
  }

 private:
  std::vector<bool> free_;
};

/// Allocates and frees pages, and compares all results with the list.
void Compare(uint64_t pages, int steps, uint64_t seed) {
  SCOPED_TRACE(testing::Message() << pages << " pages, seed " << seed);
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t bound) { return bound == 0 ? 0 : random() % bound; };
  ListOfPages list(pages);
  FreePages memory(0, pages * kBytes, kBytes);
  const uint64_t sizes[] = {1, 2, 3, 16, 33, 63, 64, 65, 100, 511, 512, 513, 700, 1025, 3000, pages, pages + 1};
  for (int step = 0; step < steps; ++step) {
    const uint64_t size = below(3) == 0 ? sizes[below(std::size(sizes))] : 1 + below(4);
    const uint64_t first = below(pages), end = first + size;
    // Alternates between mostly free and mostly used memory.
    const bool mostly_free = step / 500 % 2 == 0;
    if (below(4) < (mostly_free ? 1 : 3)) {
      ASSERT_EQ(memory.Remove(first * kBytes, end * kBytes), list.Set(first, end, false) * kBytes) << step;
    } else if (list.Has(first, end, false)) {
      memory.Add(first * kBytes, end * kBytes);
      list.Set(first, end, true);
    } else {
      list.Set(first, end, false);
      memory.Remove(first * kBytes, end * kBytes);
      if (end <= pages) memory.Add(first * kBytes, end * kBytes);
      if (end <= pages) list.Set(first, end, true);
    }
    ASSERT_EQ(memory.Has(first * kBytes, end * kBytes), list.Has(first, end)) << step;
    const uint64_t before = below(pages + 1);
    ASSERT_EQ(memory.StartBefore(before * kBytes), list.StartBefore(before) * kBytes) << step;

    const uint64_t wanted_size = sizes[below(std::size(sizes))], alignment = uint64_t{1} << below(12);
    const bool bounded = below(2) == 0;
    const uint64_t from = bounded ? below(pages) : 0, to = bounded ? from + below(2 * pages) : pages;
    const FreePages::Wanted wanted{wanted_size * kBytes, alignment * kBytes, from * kBytes,
                                   bounded ? to * kBytes : ~uint64_t{0}};
    const std::vector<uint64_t> starts = list.Starts(wanted_size, alignment, from, to);
    ASSERT_EQ(memory.Places(wanted), starts.size()) << step << ": " << wanted_size << " at " << alignment;
    if (starts.empty()) continue;
    for (const uint64_t place : {uint64_t{0}, starts.size() - 1, below(starts.size())})
      ASSERT_EQ(memory.Start(wanted, place), starts[place]) << step << ": " << wanted_size << " at " << alignment;
  }
}

TEST(FreePages, AgreeWithAListOfPages) {
  for (const uint64_t pages : {1, 2, 63, 64, 65, 511, 512, 513, 4096 + 7}) Compare(pages, 3000, 5);
  Compare(64 * 512 + 1, 1500, 6);  // more groups than a word has bits
}

TEST(FreePages, CountOneSizeThroughManyChanges) {
  constexpr uint64_t kPages = 5000;
  std::mt19937_64 random(7);
  ListOfPages list(kPages);
  FreePages memory(0, kPages * kBytes, kBytes);
  for (int step = 0; step < 20000; ++step) {
    const uint64_t page = random() % kPages;
    const bool free = list.Has(page, page + 1);
    if (free) memory.Remove(page * kBytes, (page + 1) * kBytes);
    else memory.Add(page * kBytes, (page + 1) * kBytes);
    list.Set(page, page + 1, !free);
    if (step % 20 != 0) continue;
    for (const uint64_t size : {1, 2, 5, 16}) {
      const auto starts = list.Starts(size, size == 5 ? 4 : size, 0, kPages);
      const FreePages::Wanted wanted{size * kBytes, (size == 5 ? 4 : size) * kBytes};
      ASSERT_EQ(memory.Places(wanted), starts.size()) << step << ": " << size;
      for (size_t place = 0; place < starts.size(); place += 97)
        ASSERT_EQ(memory.Start(wanted, place), starts[place]) << step << ": " << size;
    }
  }
}

// Allocating or freeing a page must update the counts of all runs that contain it, including runs
// that start in an earlier group.
TEST(FreePages, CountEveryPlaceThatAPageIsIn) {
  constexpr uint64_t kPages = 1600;  // three groups and a partial one
  FreePages memory(0, kPages * kBytes, kBytes);
  for (const uint64_t size : {1, 2, 63, 64, 65, 66, 511, 512, 513, 514, 1025, 1100}) {
    const FreePages::Wanted wanted{size * kBytes, kBytes};
    const auto in_a_run = [&](uint64_t pages) { return pages < size ? 0 : pages - size + 1; };
    for (uint64_t page = 0; page < kPages; ++page) {
      memory.Remove(page * kBytes, (page + 1) * kBytes);
      ASSERT_EQ(memory.Places(wanted), in_a_run(page) + in_a_run(kPages - page - 1)) << size << " without " << page;
      memory.Add(page * kBytes, (page + 1) * kBytes);
      ASSERT_EQ(memory.Places(wanted), in_a_run(kPages)) << size << " with " << page;
    }
  }
}

TEST(FreePages, AreWholePagesOfTheSpace) {
  FreePages memory(0x1800, 0x5800, kBytes);
  EXPECT_EQ(memory.Places({kBytes, 1}), 3u);
  EXPECT_EQ(memory.Start({kBytes, 1}, 0), 0x2000u);
  EXPECT_FALSE(memory.Has(0x4000, 0x5800));
  EXPECT_EQ(memory.Remove(0x2800, 0x3001), 2 * kBytes) << "the pages around it";
  EXPECT_TRUE(memory.Has(0x4000, 0x5000));
  EXPECT_EQ(memory.StartBefore(0x5000), 0x4000u);
  EXPECT_EQ(memory.StartBefore(0x4000), 0x4000u);
  EXPECT_EQ(memory.Remove(0, ~uint64_t{0}), kBytes);
}

TEST(FreePages, OfAnEmptySpaceAreNone) {
  FreePages memory(0, 0, kBytes);
  EXPECT_EQ(memory.Places({kBytes, kBytes}), 0u);
  EXPECT_FALSE(memory.Has(0, kBytes));
  EXPECT_FALSE(memory.Has(0, 0));
  EXPECT_EQ(memory.Remove(0, kBytes), 0u);
  EXPECT_EQ(memory.StartBefore(0), 0u);
  EXPECT_EQ(FreePages(0x3000, 0x1000, kBytes).Places({kBytes, kBytes}), 0u);
}

}  // namespace
}  // namespace gmmu::os

// SPDX-License-Identifier: Apache-2.0
// Tests how far a memory segment becomes fragmented, and how many large pages moves can recover.
#include "os/miniport/compaction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/miniport/segments.h"

namespace gmmu::os {
namespace {

constexpr uint64_t kPage = hw::kPageSize, kLarge = 512;  // number of 4 KiB pages in a 2 MiB page
using Place = RangeAllocator::Place;

/// A memory segment and the memory that is allocated in it.
class Bench {
 public:
  Bench(uint64_t bytes, bool first_fit, uint64_t seed) : first_fit_(first_fit), random_(seed, "compaction test") {
    segment.id = 1;
    segment.size = bytes;
    segment.space = std::make_unique<RangeAllocator>(0, bytes, seed, "vram_range", "test", ledger_, kPage);
  }
  ~Bench() {
    for (auto* list : {&movable, &fixed})
      for (SegmentPages& pages : *list) pages.Free();
  }

  /// Returns false if there is not enough room.
  bool Allocate(uint64_t pages, bool may_move) {
    SegmentPages::Shape shape;
    if (first_fit_) shape = {may_move ? Place::kLowest : Place::kHighest, std::nullopt, kLarge};
    auto taken = SegmentPages::Allocate(segment, pages, random_, "test", shape);
    if (taken) (may_move ? movable : fixed).push_back(std::move(*taken));
    return taken.has_value();
  }
  void FreeOne(std::vector<SegmentPages>& of) {
    std::swap(of[random_.Below(of.size())], of.back());
    of.back().Free();
    of.pop_back();
  }
  uint64_t FreeLarge() const { return segment.space->FreeBlocks(kLarge * kPage); }

  /// Moves memory until `wanted` large blocks are free, and checks each move. Returns the number of free blocks.
  uint64_t Compact(uint64_t wanted) {
    std::vector<const SegmentPages*> subjects;
    for (const SegmentPages& pages : movable) subjects.push_back(&pages);
    Compaction compaction(segment, kLarge * kPage, subjects, [&](size_t index, uint64_t start, uint64_t end) {
      SegmentPages& old = movable[index];
      auto moved = old.MovedOutOf(start, end, split, "test");
      if (!moved) return static_cast<const SegmentPages*>(nullptr);
      for (uint64_t i = 0; i < moved->count(); ++i) {
        const uint64_t before = old.page(i) * kPage, now = moved->page(i) * kPage;
        EXPECT_TRUE(now < start || now >= end);
        if (before < start || before >= end) EXPECT_EQ(now, before);
      }
      old.Free();
      old = std::move(*moved);
      return static_cast<const SegmentPages*>(&old);
    });
    const uint64_t blocks = compaction.Free(wanted);
    moves += compaction.moves();
    moved_pages += compaction.moved_pages();
    return blocks;
  }

  /// Allocates and frees at random. One step in sixteen is for a page table, which cannot move.
  /// Page tables use up to 1 % of the segment.
  void Churn(uint64_t steps) {
    const uint64_t all = segment.size;
    uint64_t target = all / 2;
    for (uint64_t step = 0; step < steps; ++step) {
      if (step % 4096 == 0) target = all / 100 * (30 + random_.Below(68));
      const bool table = random_.Below(16) == 0;
      auto& of = table ? fixed : movable;
      const bool full = table ? of.size() * kPage > all / 100 : all - segment.space->free_bytes() > target;
      if (!of.empty() && (full || random_.Below(3) == 0)) FreeOne(of);
      else static_cast<void>(Allocate(table ? 1 : SomePages(), !table));
    }
  }
  /// Frees or allocates movable memory at random until about half of the segment is free.
  void FreeHalf() {
    while (segment.space->free_bytes() < segment.size / 2) FreeOne(movable);
    while (segment.space->free_bytes() > segment.size / 2 + 64 * kPage)
      ASSERT_TRUE(Allocate(1 + random_.Below(64), true));
  }

  Segment segment;
  std::vector<SegmentPages> movable, fixed;
  uint64_t moves = 0, moved_pages = 0;
  bool split = false;  ///< see SegmentPages::MovedOutOf

 private:
  uint64_t SomePages() {
    switch (random_.Below(8)) {
      case 0: return kLarge + random_.Below(4 * kLarge);
      case 1:
      case 2: return 17 + random_.Below(kLarge);
      default: return 1 + random_.Below(32);
    }
  }

  const bool first_fit_;
  Random random_;
  Ledger ledger_;
};

/// Returns the size of `blocks` large blocks as a percentage of the free bytes.
double Percent(const Bench& bench, uint64_t blocks) {
  return 100.0 * static_cast<double>(blocks * kLarge * kPage) / static_cast<double>(bench.segment.space->free_bytes());
}

struct Fragmentation {
  double before, after;  // percentage in large blocks, before and after moves
};
Fragmentation FragmentationOf(Bench& bench, uint64_t steps) {
  bench.Churn(steps);
  bench.FreeHalf();
  const uint64_t most = bench.segment.space->free_bytes() / (kLarge * kPage);
  const double before = Percent(bench, bench.FreeLarge());
  const double after = Percent(bench, bench.Compact(most));
  return {before, after};
}

class Churned : public ::testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seed, Churned, ::testing::Values(1, 2, 3));

TEST_P(Churned, HalfOfASegmentCanBeHadAsLargePagesAfterAMillionAllocations) {
  Bench bench(uint64_t{512} << 20, true, GetParam());
  const Fragmentation found = FragmentationOf(bench, 1'000'000);
  std::cout << "seed " << GetParam() << ": " << found.before << " % of the free bytes in 2 MiB blocks without moves, "
            << found.after << " % after " << bench.moves << " moves of " << bench.moved_pages << " pages\n";
  EXPECT_GE(found.after, 95.0);
}

TEST_P(Churned, ScatteredPageTablesDoNotLeaveLargePages) {
  Bench bench(uint64_t{128} << 20, false, GetParam());
  EXPECT_LT(FragmentationOf(bench, 100'000).after, 25.0);
}

/// A segment of four large blocks. In block i, i + 1 ranges of 64 KiB remain allocated.
class Blocks : public ::testing::Test {
 protected:
  Blocks() {
    constexpr uint64_t kRange = 16, kRanges = kLarge / kRange;
    for (uint64_t i = 0; i < 4 * kRanges; ++i) EXPECT_TRUE(bench.Allocate(kRange, true));
    for (uint64_t i = 4 * kRanges; i-- > 0;) {
      if (i % kRanges <= i / kRanges) continue;
      bench.movable[i].Free();
      bench.movable.erase(bench.movable.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  Bench bench{4 * kLarge * kPage, true, 1};
};

TEST_F(Blocks, AreEmptiedFromTheOneWithTheFewestPages) {
  EXPECT_EQ(bench.Compact(1), 1u);
  EXPECT_EQ(bench.moves, 1u);
  EXPECT_EQ(bench.moved_pages, 16u);
  EXPECT_TRUE(bench.segment.space->AllocateAt(0, kLarge * kPage, "test"));
  bench.segment.space->Free(0);
}

TEST_F(Blocks, ThatAreFreeNeedNoMoves) {
  ASSERT_EQ(bench.Compact(2), 2u);
  const uint64_t moves = bench.moves;
  EXPECT_EQ(bench.Compact(2), 2u);
  EXPECT_EQ(bench.moves, moves);
}

TEST_F(Blocks, WithMemoryThatCannotMoveAreLeftAlone) {
  bench.fixed.push_back(std::move(bench.movable.front()));
  bench.movable.erase(bench.movable.begin());
  EXPECT_EQ(bench.Compact(1), 1u);
  EXPECT_EQ(bench.moves, 2u);       // moves the two ranges of the second block
  EXPECT_EQ(bench.Compact(4), 3u);  // the ranges of all other blocks fit into the first
}

TEST_F(Blocks, ARangeThatFitsNowhereInOnePieceIsSplit) {
  // Ranges of one page fill the free memory; then every second one is freed, except in block 0.
  const size_t ranges = bench.movable.size();
  while (bench.Allocate(1, false)) {}
  for (size_t i = bench.fixed.size(); i-- > 0;) {
    const uint64_t page = bench.fixed[i].page(0);
    if (page >= kLarge && page % 2 == 0) continue;
    bench.fixed[i].Free();
    bench.fixed.erase(bench.fixed.begin() + static_cast<std::ptrdiff_t>(i));
  }
  EXPECT_EQ(bench.Compact(1), 0u) << "no 64 KiB are free in one piece";
  bench.split = true;
  EXPECT_EQ(bench.Compact(1), 1u);
  EXPECT_EQ(bench.movable.size(), ranges);
  EXPECT_EQ(bench.movable.front().count(), 16u);
  EXPECT_FALSE(bench.movable.front().IsBlock(0, 16));
}

TEST_F(Blocks, AllMovesEndWhereTheRestFillsOneBlock) {
  EXPECT_EQ(bench.Compact(4), 3u);
  EXPECT_EQ(bench.FreeLarge(), 3u);
}

}  // namespace
}  // namespace gmmu::os

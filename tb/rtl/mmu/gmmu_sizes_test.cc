// SPDX-License-Identifier: Apache-2.0
// Tests the sizes in use (gmmu_sizes), and the MMU while they are smaller than the built sizes.
// gmmu_mmu_random_test.cc tests that a reduced MMU behaves, cycle by cycle, like one built with
// those sizes.
#include <array>
#include <vector>

#include "mmu_test.h"

namespace gmmu::bench {
namespace {

using Sizes = regs::SizesInUse;

Sizes Of(unsigned l1, unsigned l2, unsigned ways, unsigned walk_cache, unsigned walks) {
  return Sizes().set_l1_entries(l1).set_l2_entries(l2).set_l2_ways(ways).set_walk_cache(walk_cache).set_walks(walks);
}

const Sizes kBuilt = Of(16, 512, 4, 16, 8);

/// MmuTest's space, in which four level-1 entries from kBase on point to the same leaf table of 512
/// pages.
class SizesTest : public MmuTest {
 protected:
  static constexpr uint64_t kBase = 0x12200000, kReach = 0x200000;

  SizesTest() {
    for (uint64_t i = 0; i < 4; ++i) Put(kLevel1 + 0x488 + 8 * i, 0x08000000003FC041);
    for (uint64_t page = 0; page < 512; ++page) Put(kLeaf + 8 * page, Page(0x40000000 + (page << 12)));
  }
  static uint64_t Va(uint64_t page) { return kBase + (page << 12); }
  void Turn(Sizes sizes) {
    Control control;
    control.sizes = sizes;
    machine_.Do(control);
  }
  /// Returns the increase of `counter` while the pages are looked up in sequence.
  template <typename Counter>
  uint64_t Grows(const Counter& counter, const std::vector<uint64_t>& pages, unsigned port = 0) {
    const uint64_t before = counter;
    for (const uint64_t page : pages) At(Va(page), Access::kRead, 1, port);
    return counter - before;
  }
};

TEST_F(SizesTest, AllThatWasBuiltIsInUseAfterAReset) { EXPECT_EQ(machine_.t.sizes_o, kBuilt.raw); }

TEST_F(SizesTest, AFieldOfZeroStandsForWhatWasBuilt) {
  Turn(Of(5, 128, 2, 4, 3));
  EXPECT_EQ(machine_.t.sizes_o, Of(5, 128, 2, 4, 3).raw);
  Turn(Of(0, 0, 0, 8, 0));
  EXPECT_EQ(machine_.t.sizes_o, Of(16, 512, 4, 8, 8).raw);
  Turn({});
  EXPECT_EQ(machine_.t.sizes_o, kBuilt.raw);
}

TEST_F(SizesTest, WhatIsNotPossibleChangesNoSizeButForgetsEverything) {
  const Sizes before = Of(4, 64, 2, 4, 2);
  Turn(before);
  for (const Sizes wrong :
       {Of(17, 0, 0, 0, 0), Of(1, 0, 0, 0, 0), Of(0, 1024, 0, 0, 0), Of(0, 96, 2, 0, 0), Of(0, 0, 2, 0, 0),
        Of(0, 0, 3, 0, 0), Of(0, 0, 8, 0, 0), Of(0, 32, 4, 0, 0), Of(0, 8, 1, 0, 0), Of(0, 0, 0, 32, 0),
        Of(0, 0, 0, 1, 0), Of(0, 0, 0, 12, 0), Of(0, 0, 0, 0, 9), Of(0xFFFF, 0xFFFF, 0xFF, 0xFFFF, 0xFF)}) {
    At(Va(0));
    Turn(wrong);
    EXPECT_EQ(machine_.t.sizes_o, before.raw) << std::hex << wrong.raw;
    EXPECT_EQ(Grows(machine_.counts.walks, {0}), 1u) << std::hex << wrong.raw;
  }
}

TEST_F(SizesTest, AnL1OfFewerEntriesHoldsFewerPages) {
  const std::vector<uint64_t> pages = {0, 33, 66};
  Grows(machine_.counts.hits[0], pages);
  EXPECT_EQ(Grows(machine_.counts.hits[0], pages), 3u);
  Turn(Of(2, 0, 0, 0, 0));
  Grows(machine_.counts.hits[0], pages);
  EXPECT_EQ(Grows(machine_.counts.hits[0], pages), 0u);
  EXPECT_EQ(Grows(machine_.counts.hits[0], {66, 66}), 2u);
}

TEST_F(SizesTest, AnL2OfFewerEntriesHoldsFewerBlocks) {
  std::vector<uint64_t> blocks;
  for (uint64_t block = 0; block < 8; ++block) blocks.push_back(16 * block + block);
  // Looks the blocks up from port 0, then from port 1, whose L1 is empty. Returns the number of L2
  // hits from port 1.
  const auto again = [&](Sizes sizes) {
    Turn(sizes);
    Grows(machine_.counts.l2_hits, blocks, 0);
    return Grows(machine_.counts.l2_hits, blocks, 1);
  };
  EXPECT_EQ(again({}), 8u);
  EXPECT_EQ(again(Of(0, 32, 1, 0, 0)), 0u);   // an L2 with two sets of one way
  EXPECT_EQ(again(Of(0, 64, 4, 0, 0)), 0u);   // an L2 with one set of four ways
  EXPECT_EQ(again(Of(0, 128, 1, 0, 0)), 8u);  // an L2 with eight sets of one way
  EXPECT_EQ(again(Of(0, 128, 2, 0, 0)), 8u);
}

TEST_F(SizesTest, AWalkCacheOfFewerEntriesHoldsFewerPointers) {
  const auto reads = [&](Sizes sizes) {
    Turn(sizes);
    for (uint64_t i = 0; i < 4; ++i) At(kBase + i * kReach);
    const uint64_t before = Reads();
    for (uint64_t i = 0; i < 4; ++i) At(kBase + i * kReach + 0x100000);
    return Reads() - before;
  };
  EXPECT_EQ(reads({}), 4u);
  EXPECT_GT(reads(Of(0, 0, 0, 2, 0)), 4u);
}

TEST_F(SizesTest, FewerWalksAreAtOnce) {
  machine_.manners.latency = 200;
  const auto cycles = [&](unsigned walks) {
    Turn(Of(0, 0, 0, 0, walks));
    At(Va(511));  // Cache the pointers.
    const uint64_t begin = machine_.now;
    for (uint64_t i = 0; i < 8; ++i) machine_.Post({0, 1, Va(40 * i), Access::kRead});
    EXPECT_TRUE(machine_.Run(100000));
    return machine_.now - begin;
  };
  EXPECT_LT(cycles(0), 400u);
  EXPECT_GT(cycles(4), 400u);
  EXPECT_GT(cycles(2), 800u);
  EXPECT_GT(cycles(1), 1600u);
  EXPECT_LT(cycles(8), 400u);
}

TEST_F(SizesTest, AfterAChangeNothingOlderIsThereWhetherFewerOrMoreAreInUse) {
  const auto changes = [&](Sizes sizes, uint64_t to) {
    for (uint64_t page = 0; page < 512; page += 7) At(Va(page));
    for (uint64_t page = 0; page < 512; ++page) Put(kLeaf + 8 * page, Page(to + (page << 12)));
    Turn(sizes);
    for (uint64_t page = 0; page < 512; page += 7) EXPECT_EQ(At(Va(page)).gpa.offset, to + (page << 12)) << page;
  };
  changes(Of(2, 32, 1, 2, 1), 0x50000000);
  changes({}, 0x60000000);
  changes(Of(3, 64, 4, 8, 5), 0x70000000);
  changes(Of(16, 128, 1, 4, 8), 0x80000000);
  changes({}, 0x90000000);
}

TEST_F(SizesTest, InvalidationsReachEverythingAtEachSize) {
  uint64_t to = 0x50000000;
  for (const Sizes sizes : {Of(2, 32, 1, 2, 1), Of(5, 64, 4, 8, 5), Of(4, 128, 2, 4, 2), Of(16, 256, 2, 16, 8), Sizes{},
                            Of(13, 16, 1, 2, 7)}) {
    Turn(sizes);
    for (const Scope scope : {Scope::kGlobal, Scope::kSpace, Scope::kRange}) {
      for (uint64_t page = 0; page < 512; page += 5) At(Va(page));
      to += 0x1000000;
      for (uint64_t page = 0; page < 512; ++page) Put(kLeaf + 8 * page, Page(to + (page << 12)));
      Flush(scope, 1, kBase, kBase + kReach);
      for (uint64_t page = 0; page < 512; page += 5)
        EXPECT_EQ(At(Va(page)).gpa.offset, to + (page << 12)) << page << " sizes " << std::hex << sizes.raw;
    }
  }
}

}  // namespace
}  // namespace gmmu::bench

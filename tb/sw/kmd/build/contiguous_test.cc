// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tb/sw/kmd/build/build_bench.h"
#include "kmd/build/entry_format.h"
#include "kmd/escape.h"
#include "kmd/objects.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ContiguousTest : public BuildTest {
 protected:
  std::vector<DXGK_PTE> Pages(uint64_t first, size_t count) {
    std::vector<DXGK_PTE> ptes;
    for (uint64_t i = 0; i < count; ++i) ptes.push_back(Leaf(first + i));
    return ptes;
  }
  /// Applies one update to the model's table.
  void Apply(std::vector<DXGK_PTE> ptes, uint32_t start, UINT bytes = 65536) {
    EXPECT_EQ(Build(Update(ptes, 0, 0x40000, start), bytes, &model_), STATUS_SUCCESS);
    EXPECT_THAT(model_.errors, IsEmpty());
  }
  regs::PteEntry At(uint32_t index) {
    regs::PteEntry entry;
    entry.raw = model_.tables.at(Table(0x40000 + uint64_t{index} * 8));
    return entry;
  }
  int Contiguous(uint32_t first) {
    int marked = 0;
    for (uint32_t i = 0; i < 16; ++i) marked += static_cast<int>(At(first + i).contiguous());
    return marked;
  }
  /// Checks that every entry that is marked contiguous fulfils the guarantee in
  /// docs/page-tables.md.
  void ExpectPromiseHolds() {
    for (const auto& [where, raw] : model_.tables) {
      regs::PteEntry entry;
      entry.raw = raw;
      if (!entry.contiguous()) continue;
      const uint32_t index = static_cast<uint32_t>((std::get<3>(where) - 0x40000) / 8);
      const auto first = At(index / 16 * 16);
      EXPECT_EQ(raw, first.raw + (index % 16) * 0x1000) << index;
      EXPECT_EQ(first.page() % 16, 0u);
      EXPECT_TRUE(first.contiguous());
      EXPECT_EQ(Contiguous(index / 16 * 16), 16) << index;
    }
  }
  CommandModel model_;
};

// Tests the worked example in sw/kmd/README.md.
TEST_F(ContiguousTest, TheWorkedExampleOfThePage) {
  auto ptes = Pages(0x1010, 16);
  auto args = Update(ptes, 0, 0x40000, 16);
  std::vector<uint64_t> buffer(16);
  args.pDmaBuffer = buffer.data();
  args.DmaSize = 128;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args), STATUS_SUCCESS);
  buffer.resize((128 - args.DmaSize) / 8);
  EXPECT_THAT(buffer, ElementsAre(0x0005000000012104, 0x40080, 0x10, 0x0800000001010141, 0x1000));
}

TEST_F(ContiguousTest, AnAlignedRunMarksItsWholeBlocksOnly) {
  Apply(Pages(0x1008, 48), 8);  // index and page number agree modulo 16; covers entries 8 to 55
  EXPECT_EQ(Contiguous(16), 16);
  EXPECT_EQ(Contiguous(32), 16);
  EXPECT_FALSE(At(15).contiguous() || At(48).contiguous());
  ExpectPromiseHolds();
}

TEST_F(ContiguousTest, MisalignedPagesMixedAttributesAndHolesAreNotMarked) {
  Apply(Pages(0x1001, 16), 0);
  auto mixed = Pages(0x1010, 16);
  mixed[7].ReadOnly = 1;
  Apply(mixed, 16);
  auto hole = Pages(0x1020, 16);
  hole[15] = DXGK_PTE{};
  Apply(hole, 32);
  for (const uint32_t block : {0u, 16u, 32u}) EXPECT_EQ(Contiguous(block), 0) << block;
}

TEST_F(ContiguousTest, ChangingOnePageTakesTheBitFromTheOtherFifteenFirst) {
  Apply(Pages(0x1000, 32), 0);
  EXPECT_EQ(Contiguous(0), 16);
  Apply({Leaf(0x7777)}, 5);
  EXPECT_EQ(Contiguous(0), 0);
  EXPECT_EQ(Contiguous(16), 16) << "the neighbour keeps its bit";
  EXPECT_EQ(At(5).page(), 0x7777u);
  EXPECT_EQ(At(4).page(), 0x1004u);
  EXPECT_EQ(At(6).page(), 0x1006u);
  Apply({DXGK_PTE{}}, 6);  // the block is no longer marked contiguous
  EXPECT_EQ(At(6).raw, 0u);
  ExpectPromiseHolds();
}

TEST_F(ContiguousTest, BothEndsOfAnUpdateMayCutABlock) {
  Apply(Pages(0x1000, 64), 0);
  std::vector<DXGK_PTE> invalid(40);
  Apply(invalid, 12);  // covers blocks 0 and 3 only partly (entries 12 to 51)
  EXPECT_EQ(Contiguous(0), 0);
  EXPECT_EQ(Contiguous(48), 0);
  EXPECT_EQ(At(11).page(), 0x100Bu);
  EXPECT_EQ(At(52).page(), 0x1034u);
  ExpectPromiseHolds();
}

TEST_F(ContiguousTest, HoldsWhenTheBufferIsTooSmallForIt) {
  for (const UINT bytes : {40u, 48u, 96u}) {
    Apply(Pages(0x1000, 64), 0, bytes);
    EXPECT_EQ(Contiguous(0) + Contiguous(48), 32);
    std::vector<DXGK_PTE> others;
    for (uint64_t i = 0; i < 40; ++i) others.push_back(Leaf(0x5000 + i * i));
    Apply(others, 12, bytes);
    EXPECT_EQ(Contiguous(0) + Contiguous(48), 0) << bytes;
    EXPECT_EQ(At(12).page(), 0x5000u);
    EXPECT_EQ(At(52).page(), 0x1034u);
    ExpectPromiseHolds();
  }
}

TEST_F(ContiguousTest, AWholeNewTableForgetsTheOldOnesBlocks) {
  Apply(Pages(0x1000, 16), 0);
  std::vector<DXGK_PTE> invalid(512);
  Apply(invalid, 0);
  model_.headers.clear();
  Apply({Leaf(3)}, 2);
  EXPECT_EQ(model_.headers.size(), 1u) << "nothing to take back";
}

TEST_F(ContiguousTest, ThePagingProcessIsNeverMarked) {
  auto ptes = Pages(0x1000, 16);
  auto args = Update(ptes, 0, 0x40000, 0);
  args.UpdatePageTable.hProcess = driver.system_process;
  EXPECT_EQ(Build(args, 65536, &model_), STATUS_SUCCESS);
  EXPECT_EQ(Contiguous(0), 0);
}

// Compares the table with an array. After random updates in buffers of random size, the table must map the requested
// pages, and every contiguous bit in it must be correct.
TEST_F(ContiguousTest, RandomUpdatesKeepTableAndPromise) {
  std::mt19937 random(20241121);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::vector<uint64_t> expected(512, ~uint64_t{0});  // nothing written yet
  for (int round = 0; round < 400; ++round) {
    const uint32_t start = below(4) == 0 ? below(512) : below(32) * 16;
    const uint32_t count = 1 + below(std::min(96u, 512 - start));
    uint64_t page = (uint64_t{1} << 12) + below(64) * 16 + (below(2) == 0 ? start % 16 : below(16));
    std::vector<DXGK_PTE> ptes;
    for (uint32_t i = 0; i < count; ++i) {
      DXGK_PTE pte = below(60) == 0 ? DXGK_PTE{} : Leaf(page);
      pte.ReadOnly = pte.Valid && below(80) == 0;
      ptes.push_back(pte);
      page += below(50) == 0 ? 7 : 1;
    }
    auto args = Update(ptes, 0, 0x40000, start);
    args.UpdatePageTable.Flags.Repeat = below(8) == 0;
    ASSERT_EQ(Build(args, 40 + below(400), &model_), STATUS_SUCCESS);
    ASSERT_THAT(model_.errors, IsEmpty());
    for (uint32_t i = 0; i < count; ++i) {
      const DXGK_PTE& pte = ptes[args.UpdatePageTable.Flags.Repeat ? 0 : i];
      regs::PteEntry entry;
      ASSERT_TRUE(ToHardware(pte, 0, EntryForm::kPlain, false, &entry));
      expected[start + i] = entry.raw;
    }
    for (uint32_t i = 0; i < 512; ++i) {
      if (expected[i] != ~uint64_t{0}) {
        ASSERT_EQ(At(i).set_contiguous(0).raw, expected[i]) << i;
      }
    }
    ExpectPromiseHolds();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace gmmu::kmd::test

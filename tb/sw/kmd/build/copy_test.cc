// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

class CopyTest : public BuildTest {
 protected:
  CopyTest() : BuildTest({{"ContiguousPages", 0}}) {}

  using Range = DXGK_BUILDPAGINGBUFFER_COPY_RANGE;
  static constexpr uint64_t kTable = 0x2000000;
  static DXGKARG_BUILDPAGINGBUFFER Copy(const std::vector<Range>& ranges) {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
    args.CopyPageTableEntries.NumRanges = static_cast<UINT>(ranges.size());
    args.CopyPageTableEntries.pRanges = ranges.data();
    return args;
  }
  /// Executes the copy commands on `entries`, the words at kTable. Each command reads all its
  /// entries before it writes any. Fails if a command's source and destination overlap, or if its
  /// wait bit is not set.
  void Apply(const DXGKARG_BUILDPAGINGBUFFER& operation, UINT bytes, std::vector<uint64_t>* entries) {
    DXGKARG_BUILDPAGINGBUFFER args = operation;
    args.hSystemContext = driver.system_context;
    for (int pass = 0; pass < 10000; ++pass) {
      std::vector<uint64_t> buffer(bytes / 8, kGuard);
      args.pDmaBuffer = buffer.data();
      args.DmaSize = bytes;
      const NTSTATUS status = driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args);
      const size_t words = (bytes - args.DmaSize) / 8;
      for (size_t at = 0; at < words; at += 4) {
        regs::CommandHeaderWord header;
        header.raw = buffer[at];
        ASSERT_EQ(header.opcode(), regs::Opcode::kCopy);
        EXPECT_TRUE(header.wait_writes()) << "what an earlier piece wrote may be read";
        EXPECT_EQ(header.src_space(), kSystemSpace);
        EXPECT_EQ(header.dst_space(), kSystemSpace);
        EXPECT_FALSE(header.src_physical() || header.dst_physical());
        const uint64_t from = (buffer[at + 1] - kTable) / 8, to = (buffer[at + 2] - kTable) / 8,
                       count = buffer[at + 3] / 8;
        ASSERT_LE(std::max(from, to) + count, entries->size());
        EXPECT_TRUE(from + count <= to || to + count <= from) << "a command overlaps itself";
        for (uint64_t i = 0; i < count; ++i) (*entries)[to + i] = (*entries)[from + i];
        ++commands_;
      }
      if (status == STATUS_SUCCESS) return;
      ASSERT_EQ(status, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
      ASSERT_NE(words, 0u) << "no progress";
    }
    FAIL() << "never ends";
  }
  static std::vector<uint64_t> Numbered(size_t count) {
    std::vector<uint64_t> entries(count);
    for (size_t i = 0; i < count; ++i) entries[i] = i + 1;
    return entries;
  }
  unsigned commands_ = 0;
};

TEST_F(CopyTest, EntriesThatDoNotOverlapAreOneCommandOfThePrivilegedSpace) {
  auto entries = Numbered(1024);
  const std::vector<Range> ranges = {{300, kTable, kTable + 0x1000, 7, 100}};
  Apply(Copy(ranges), 4096, &entries);
  EXPECT_EQ(commands_, 1u);
  for (uint64_t i = 0; i < 300; ++i) EXPECT_EQ(entries[512 + 100 + i], 7 + i + 1);
  EXPECT_EQ(entries[511], 512u);
  EXPECT_EQ(entries[612 + 300], 913u);
}

TEST_F(CopyTest, OverlappingEntriesMoveAsMemmoveInBothDirectionsWhateverTheRoom) {
  for (const UINT bytes : {32u, 40u, 100u, 4096u}) {
    for (const auto& [from, to, count] : std::vector<std::array<UINT, 3>>{{0, 3, 100},
                                                                          {3, 0, 100},
                                                                          {10, 11, 40},
                                                                          {11, 10, 40},
                                                                          {5, 5, 20},
                                                                          {0, 100, 100},
                                                                          {100, 0, 101},
                                                                          {0, 1, 1}}) {
      auto entries = Numbered(256);
      auto expected = entries;
      std::memmove(&expected[to], &entries[from], count * 8);
      Apply(Copy({{count, kTable, kTable, from, to}}), bytes, &entries);
      EXPECT_EQ(entries, expected) << from << " to " << to << ", " << count << " entries, " << bytes << " bytes";
    }
  }
}

TEST_F(CopyTest, RangesAreCopiedInTheirOrder) {
  for (const UINT bytes : {32u, 4096u}) {
    auto entries = Numbered(64);
    Apply(Copy({{4, kTable, kTable, 0, 8},
                {4, kTable, kTable, 8, 16},
                {0, kTable, kTable, 1, 2},
                {2, kTable, kTable, 30, 0}}),
          bytes, &entries);
    EXPECT_THAT(std::vector<uint64_t>(entries.begin() + 16, entries.begin() + 20), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(entries[0], 31u);
  }
}

TEST_F(CopyTest, ACompanionContextOfAProcessCopiesInThePrivilegedSpaceToo) {
  const HANDLE companion = driver.CreateContext(driver.device, true);
  const std::vector<Range> ranges = {{1, kTable, kTable, 0, 1}};
  DXGKARG_BUILDPAGINGBUFFER args = Copy(ranges);
  std::vector<uint64_t> buffer(8);
  args.hSystemContext = companion;
  args.pDmaBuffer = buffer.data();
  args.DmaSize = 64;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args), STATUS_SUCCESS);
  regs::CommandHeaderWord header;
  header.raw = buffer[0];
  ASSERT_EQ(header.opcode(), regs::Opcode::kCopy);
  EXPECT_EQ(header.src_space(), kSystemSpace);
  EXPECT_EQ(header.dst_space(), kSystemSpace);
  driver.kernel.table.DxgkDdiDestroyContext(companion);
}

// A copied entry would keep its contiguous bit, which may be wrong in the target table.
TEST_F(BuildTest, CopiesOfEntriesAreNotSupportedWhileBlocksAreMarkedAsContiguous) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
  EXPECT_EQ(Refused(args), STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace gmmu::kmd::test

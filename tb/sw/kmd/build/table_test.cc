// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tb/sw/kmd/build/build_bench.h"
#include "kmd/build/entry_format.h"
#include "kmd/escape.h"
#include "kmd/objects.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {
namespace {

using regs::Target;
using testing::IsEmpty;

TEST_F(BuildTest, RepeatWritesOneEntryEverywhereInOneCommand) {
  std::vector<DXGK_PTE> ptes(512);  // invalid
  auto args = Update(ptes, 0, 0x40000, 0);
  args.UpdatePageTable.Flags.Repeat = 1;
  args.UpdatePageTable.Flags.InitialUpdate = 1;
  ptes.resize(1);
  const auto model = Built(args);
  EXPECT_EQ(model.headers.size(), 1u);
  ASSERT_EQ(model.tables.size(), 512u);
  for (uint64_t i = 0; i < 512; ++i) EXPECT_EQ(model.tables.at(Table(0x40000 + i * 8)), 0u);
}

TEST_F(BuildTest, UpdateStartsAtItsIndexAndWritesEachEntry) {
  std::vector<DXGK_PTE> ptes = {Leaf(0x10), Leaf(0x99), DXGK_PTE{}, Leaf(0x12)};
  const auto model = Built(Update(ptes, 0, 0x40000, 0x145));
  ASSERT_EQ(model.tables.size(), 4u);
  EXPECT_EQ(model.tables.at(Table(0x40000 + 0x145 * 8)), Entry(0x10));
  EXPECT_EQ(model.tables.at(Table(0x40000 + 0x146 * 8)), Entry(0x99));
  EXPECT_EQ(model.tables.at(Table(0x40000 + 0x147 * 8)), 0u);
  EXPECT_EQ(model.tables.at(Table(0x40000 + 0x148 * 8)), Entry(0x12));
}

TEST_F(BuildTest, RunsBecomeRepeatCommandsAndTheRestIsInline) {
  std::vector<DXGK_PTE> ptes;
  for (uint64_t i = 0; i < 100; ++i) ptes.push_back(Leaf(0x501 + i));
  for (uint64_t i = 0; i < 10; ++i) ptes.push_back(Leaf(0x9000 + i * i * 7));
  const auto model = Built(Update(ptes, 1, 0x40000, 0));
  ASSERT_EQ(model.tables.size(), 110u);
  for (uint64_t i = 0; i < 110; ++i) EXPECT_EQ(model.tables.at(Table(0x40000 + i * 8)), Entry(ptes[i].PageAddress));
  EXPECT_LE(model.headers.size(), 3u);
}

TEST_F(BuildTest, UpdateInManyPassesWritesTheSameTable) {
  std::vector<DXGK_PTE> ptes;
  uint64_t page = 0x40;
  for (int i = 0; i < 400; ++i) {
    page += i % 37 < 20 ? 1 : static_cast<uint64_t>(i * 31 % 97);
    ptes.push_back(i % 53 == 0 ? DXGK_PTE{} : Leaf(page));
  }
  const auto whole = Built(Update(ptes, 0, 0x40000, 17));
  ASSERT_EQ(whole.tables.size(), 400u);
  for (const UINT bytes : {48u, 80u, 136u, 1000u}) {
    CommandModel pieces;
    int passes = 0;
    EXPECT_EQ(Build(Update(ptes, 0, 0x40000, 17), bytes, &pieces, &passes), STATUS_SUCCESS) << bytes;
    EXPECT_GT(passes, 1);
    EXPECT_EQ(pieces.tables, whole.tables) << bytes;
    EXPECT_THAT(pieces.errors, IsEmpty());
  }
}

TEST_F(BuildTest, ABufferWithoutRoomMakesNoProgressAndChangesNothing) {
  std::vector<DXGK_PTE> ptes = {Leaf(1), Leaf(7)};
  const auto args = Update(ptes, 0, 0x40000, 0);
  for (const UINT bytes : {0u, 7u, 16u}) {
    CommandModel model;
    EXPECT_EQ(Build(args, bytes, &model), STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
    EXPECT_THAT(model.headers, IsEmpty());
  }
}

TEST_F(BuildTest, CpuVirtualWritesAtOnceWithAndWithoutABuffer) {
  std::vector<DXGK_PTE> ptes;
  for (uint64_t i = 0; i < 100; ++i) ptes.push_back(Leaf(0x300 + i));
  for (const bool with_buffer : {false, true}) {
    driver.kernel.vram.clear();
    auto args = Update(ptes, 0, 0, 8);
    args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    args.UpdatePageTable.PageTableAddress.CpuVirtual = driver.kernel.WindowPointer(0x7000);
    std::vector<uint64_t> buffer(512, kGuard);
    args.pDmaBuffer = with_buffer ? buffer.data() : nullptr;
    args.DmaSize = with_buffer ? 4096 : 0;
    ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.pDmaBuffer, with_buffer ? buffer.data() : nullptr);
    EXPECT_EQ(driver.kernel.vram.size(), 100u);
    for (uint64_t i = 0; i < 100; ++i) EXPECT_EQ(driver.kernel.vram.at(0x7000 + (8 + i) * 8), Entry(0x300 + i));
  }
}

TEST_F(BuildTest, CpuVirtualReachesTablesInSystemMemoryToo) {
  std::vector<uint64_t> table(512, kGuard);
  std::vector<DXGK_PTE> ptes = {Leaf(3), Leaf(4)};
  auto args = Update(ptes, 0, 0, 510);
  args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  args.UpdatePageTable.PageTableAddress.CpuVirtual = table.data();
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args), STATUS_SUCCESS);
  EXPECT_EQ(table[509], kGuard);
  EXPECT_EQ(table[510], Entry(3));
  EXPECT_EQ(table[511], Entry(4));
}

TEST_F(BuildTest, UpdatesThatTheHardwareCannotHaveAreRefused) {
  std::vector<DXGK_PTE> ptes = {Leaf(1)};
  const auto changed = [&](const std::function<void(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE&)>& change) {
    auto args = Update(ptes, 0, 0x40000, 0);
    change(args.UpdatePageTable);
    return Refused(args);
  };
  EXPECT_EQ(changed([](auto& op) { op.PageTableLevel = 4; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(changed([](auto& op) { op.StartIndex = 512; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(changed([](auto& op) { op.StartIndex = ~0u; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(changed([](auto& op) { op.Flags.Use64KBPages = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(changed([](auto& op) { op.PageTableAddress.GpuPhysical.SegmentId = kApertureSegment; }),
            STATUS_INVALID_PARAMETER);
  EXPECT_EQ(changed([](auto& op) { op.PageTableAddress.GpuPhysical.SegmentOffset = 0x40008; }),
            STATUS_INVALID_PARAMETER);
  ptes[0].Segment = 31;
  EXPECT_EQ(changed([](auto&) {}), STATUS_INVALID_PARAMETER);
}

class Leaf64kTest : public BuildTest {
 protected:
  explicit Leaf64kTest(bool dual = false) : BuildTest({{"Leaf64k", 1}, {"DualPte", dual}}) {}
  static uint64_t Link(uint64_t page, bool table_64k) {
    auto entry = regs::PteEntry{}.set_valid(1).set_target(Target::kVram).set_segment(2).set_page(page);
    return entry.set_table_64k(table_64k).raw;
  }
};

// Observed on Windows build 26100: 64 KiB entries are counted as single entries, and their page
// numbers are 16 apart.
TEST_F(Leaf64kTest, StartIndexAndNumPageTableEntriesCount64KiBEntries) {
  std::vector<DXGK_PTE> ptes = {Leaf(0x100), Leaf(0x110), Leaf(0x120), Leaf(0x130), Leaf(0x200)};
  auto args = Update(ptes, 0, 0x2C000, 27);  // ends at entry 31, the table's last
  args.UpdatePageTable.Flags.Use64KBPages = 1;
  const auto model = Built(args);
  EXPECT_EQ(model.tables.size(), 5u);
  for (uint32_t i = 0; i < 5; ++i)
    EXPECT_EQ(model.tables.at(Table(0x2C000 + (27 + i) * 8)), Entry(ptes[i].PageAddress));
  args.UpdatePageTable.StartIndex = 28;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER) << "behind the table's end";
  ptes[1].PageAddress = 0x111;
  args.UpdatePageTable.StartIndex = 0;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER) << "not aligned";
}

TEST_F(Leaf64kTest, EntriesOf64KiBNeverGetTheContiguousBit) {
  std::vector<DXGK_PTE> ptes;
  for (uint64_t i = 0; i < 16; ++i) ptes.push_back(Leaf(0x100 + 16 * i));
  auto args = Update(ptes, 0, 0x2C000, 0);
  args.UpdatePageTable.Flags.Use64KBPages = 1;
  const auto model = Built(args);
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(model.tables.at(Table(0x2C000 + i * 8)), Entry(0x100 + 16 * i));
  EXPECT_EQ(model.headers.size(), 1u) << "one run";
}

// Observed on Windows build 26100: PageTablePageSize is set per entry, independently of
// Flags.Use64KBPages.
TEST_F(Leaf64kTest, PageTablePageSizeCountsForEachEntryWhateverUse64KBPagesSays) {
  for (const bool flag : {false, true}) {
    std::vector<DXGK_PTE> ptes = {DXGK_PTE{}, Leaf(0xC), Leaf(0x2C)};
    ptes[2].PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB;
    EXPECT_EQ(ptes[1].Flags, 0x41u);
    EXPECT_EQ(ptes[2].Flags, 0x20041u);
    auto args = Update(ptes, 1, 0x4000, 0);
    args.UpdatePageTable.Flags.Use64KBPages = flag;
    const auto model = Built(args);
    EXPECT_EQ(model.tables.at(Table(0x4000)), 0u);
    EXPECT_EQ(model.tables.at(Table(0x4008)), Link(0xC, false));
    EXPECT_EQ(model.tables.at(Table(0x4010)), Link(0x2C, true));
  }
}

class DualPteTest : public Leaf64kTest {
 protected:
  DualPteTest() : Leaf64kTest(true) {}
};

// The expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
TEST_F(DualPteTest, ALevel1EntryIsTwoWordsFromTheTwoArrays) {
  std::vector<DXGK_PTE> small = {Leaf(0x10), DXGK_PTE{}, Leaf(0x30)}, large = {DXGK_PTE{}, Leaf(0x21), Leaf(0x31)};
  auto args = Update(small, 1, 0x4000, 5);
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER) << "no array of the 64 KiB halves";
  args.UpdatePageTable.pPageTableEntries64KB = large.data();
  for (const UINT bytes : {65536u, 40u}) {
    CommandModel model;
    ASSERT_EQ(Build(args, bytes, &model), STATUS_SUCCESS);
    EXPECT_EQ(model.tables.size(), 6u);
    const uint64_t expected[] = {Link(0x10, false), 0, 0, Link(0x21, true), Link(0x30, false), Link(0x31, true)};
    for (uint32_t i = 0; i < 6; ++i) EXPECT_EQ(model.tables.at(Table(0x4000 + 5 * 16 + i * 8)), expected[i]) << i;
  }
  args.UpdatePageTable.StartIndex = 510;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER) << "512 pairs";
}

TEST_F(DualPteTest, RepeatWritesThePairEverywhere) {
  std::vector<DXGK_PTE> small = {Leaf(0x10)}, large = {Leaf(0x21)};
  auto args = Update(small, 1, 0x4000, 0);
  args.UpdatePageTable.pPageTableEntries64KB = large.data();
  args.UpdatePageTable.Flags.Repeat = 1;
  args.UpdatePageTable.NumPageTableEntries = 9;
  auto model = Built(args);
  for (uint32_t i = 0; i < 18; ++i)
    EXPECT_EQ(model.tables.at(Table(0x4000 + i * 8)), i % 2 == 0 ? Link(0x10, false) : Link(0x21, true));
  small[0] = large[0] = DXGK_PTE{};
  model = Built(args);
  EXPECT_EQ(model.headers.size(), 1u) << "cleared in one command";
  EXPECT_EQ(model.tables.size(), 18u);
}

TEST(DualPte, TheHardwareIsToldThatEntriesOfLevel1ArePairs) {
  for (const bool dual : {false, true}) {
    StartedDriver driver({{"Leaf64k", 1}, {"DualPte", dual}});
    DXGKARG_SETROOTPAGETABLE args{};
    args.hContext = driver.context;
    args.Address = {kVramSegment, 0, 0x40000};
    args.NumEntries = 512;
    driver.kernel.table.DxgkDdiSetRootPageTable(driver.kernel.adapter, &args);
    EXPECT_EQ(driver.kernel.Reg<regs::SpaceGeometry>(Registers::SpaceBlock(kProcessSpace)).dual(), dual);
  }
}

TEST_F(DualPteTest, PairsAreAtLevel1Only) {
  std::vector<DXGK_PTE> ptes = {Leaf(0x10), Leaf(0x11)};
  for (const uint32_t level : {0u, 2u, 3u}) EXPECT_EQ(Built(Update(ptes, level, 0x4000, 0)).tables.size(), 2u);
}

TEST_F(DualPteTest, ImmediateUpdatesWritePairsToo) {
  std::vector<DXGK_PTE> small = {Leaf(0x10)}, large = {Leaf(0x21)};
  auto args = Update(small, 1, 0, 3);
  args.UpdatePageTable.pPageTableEntries64KB = large.data();
  args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  args.UpdatePageTable.PageTableAddress.CpuVirtual = driver.kernel.WindowPointer(0x4000);
  EXPECT_THAT(Built(args).headers, IsEmpty());
  EXPECT_EQ(driver.kernel.vram.at(0x4000 + 3 * 16), Link(0x10, false));
  EXPECT_EQ(driver.kernel.vram.at(0x4000 + 3 * 16 + 8), Link(0x21, true));
}

TEST_F(BuildTest, FlushNamesTheSpaceOfTheProcessAndCoversThePageOfItsEnd) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_FLUSH_TLB;
  args.FlushTlb.hProcess = driver.process;
  args.FlushTlb.StartVirtualAddress = 0x2030000;
  args.FlushTlb.EndVirtualAddress = 0x25B0000;
  auto model = Built(args);
  ASSERT_EQ(model.flushes.size(), 1u);
  EXPECT_EQ(model.flushes[0].scope, regs::Scope::kRange);
  EXPECT_EQ(model.flushes[0].space, kProcessSpace);
  EXPECT_EQ(model.flushes[0].start, 0x2030000u);
  EXPECT_EQ(model.flushes[0].end, 0x25B1000u);

  // The last address of the largest address space.
  args.FlushTlb.EndVirtualAddress = ~D3DGPU_VIRTUAL_ADDRESS{0};
  model = Built(args);
  ASSERT_EQ(model.flushes.size(), 1u);
  EXPECT_EQ(model.flushes[0].start, 0x2030000u);
  EXPECT_EQ(model.flushes[0].end, ~uint64_t{0xFFF});

  args.FlushTlb.StartVirtualAddress = args.FlushTlb.EndVirtualAddress = 0;
  model = Built(args);
  EXPECT_EQ(model.flushes[0].scope, regs::Scope::kSpace);
  EXPECT_EQ(model.flushes[0].space, kProcessSpace);

  args.FlushTlb.hProcess = nullptr;
  model = Built(args);
  EXPECT_EQ(model.flushes[0].space, kSystemSpace);
}

// A flush must not name the root of one space and the process of another. A root or process without
// a space is accepted.
TEST_F(BuildTest, FlushOfAnotherProcessesRootIsRefused) {
  const auto set = [&](HANDLE context, uint64_t root) {
    DXGKARG_SETROOTPAGETABLE args{};
    args.hContext = context;
    args.Address = {kVramSegment, 0, root};
    args.NumEntries = 512;
    driver.kernel.table.DxgkDdiSetRootPageTable(driver.kernel.adapter, &args);
  };
  set(driver.system_context, 0x7000);
  set(driver.context, 0x9000);
  const auto flush = [&](HANDLE process, uint64_t root) {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_FLUSH_TLB;
    args.FlushTlb.hProcess = process;
    args.FlushTlb.RootPageTableAddress = {kVramSegment, 0, root};
    return args;
  };
  EXPECT_EQ(Built(flush(driver.process, 0x9000)).flushes.at(0).space, kProcessSpace);
  EXPECT_EQ(Built(flush(nullptr, 0x7000)).flushes.at(0).space, kSystemSpace);
  EXPECT_EQ(Refused(flush(driver.process, 0x7000)), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Refused(flush(driver.system_process, 0x9000)), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Built(flush(driver.process, 0xB000)).flushes.at(0).space, kProcessSpace) << "a root of nobody";
  set(driver.context, 0xB000);
  EXPECT_EQ(Built(flush(driver.process, 0x9000)).flushes.at(0).space, kProcessSpace) << "the root that it had";
  EXPECT_EQ(Refused(flush(driver.system_process, 0xB000)), STATUS_INVALID_PARAMETER);
}

TEST_F(BuildTest, FlushOfARootThatIsNotActiveStillMakesASubmission) {
  const HANDLE process = driver.CreateProcess(false);
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_FLUSH_TLB;
  args.FlushTlb.hProcess = process;
  const auto model = Built(args);
  EXPECT_THAT(model.flushes, IsEmpty());
  EXPECT_EQ(model.headers.size(), 1u);
  driver.kernel.table.DxgkDdiDestroyProcess(driver.kernel.adapter, process);
}

}  // namespace
}  // namespace gmmu::kmd::test

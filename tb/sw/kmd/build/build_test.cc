// SPDX-License-Identifier: Apache-2.0
// DxgkDdiBuildPagingBuffer, decoded by CommandModel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "tb/sw/kmd/build/build_bench.h"
#include "kmd/build/entry_format.h"
#include "kmd/segments.h"

namespace gmmu::kmd::test {
namespace {

using regs::Target;
using testing::ElementsAre;
using testing::IsEmpty;

// Virtual transfer and fill.

TEST_F(BuildTest, VirtualTransferIsOneCopyInThePagingSpaceAtTheGivenAddresses) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
  args.TransferVirtual.AllocationOffsetInBytes = 0x7777000;  // must not be added
  args.TransferVirtual.TransferSizeInBytes = (64 << 20) + 3;
  args.TransferVirtual.SourceVirtualAddress = 0x2430000;
  args.TransferVirtual.DestinationVirtualAddress = 0x2830000;
  const auto model = Built(args);
  const CommandModel::Copy copy{CommandModel::Virtual(kSystemSpace, 0x2430000),
                                CommandModel::Virtual(kSystemSpace, 0x2830000), (64 << 20) + 3};
  EXPECT_THAT(model.copies, ElementsAre(copy));
  EXPECT_TRUE(model.headers[0].wait_writes())
      << "what came before in the buffer may be its page tables";
}

TEST_F(BuildTest, VirtualFillRepeatsThePattern) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_VIRTUAL_FILL;
  args.FillVirtual.FillSizeInBytes = 0x3000;
  args.FillVirtual.FillPattern = 0xA1B2C3D4;
  args.FillVirtual.DestinationVirtualAddress = 0x2BB0000;
  const auto model = Built(args);
  ASSERT_EQ(model.fills.size(), 1u);
  EXPECT_EQ(model.fills[0].destination, CommandModel::Virtual(kSystemSpace, 0x2BB0000));
  EXPECT_EQ(model.fills[0].bytes, 0x3000u);
  EXPECT_EQ(model.fills[0].pattern, 0xA1B2C3D4u);
}

TEST_F(BuildTest, SignalMonitoredFenceWritesTheValueAndInterrupts) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
  args.SignalMonitoredFence = {0x10008, 0x123456789ABCDEF0};
  const auto model = Built(args);
  ASSERT_EQ(model.fences.size(), 1u);
  EXPECT_EQ(model.fences[0].destination, CommandModel::Virtual(kSystemSpace, 0x10008));
  EXPECT_EQ(model.fences[0].value, 0x123456789ABCDEF0u);
  EXPECT_TRUE(model.fences[0].interrupt);
  args.SignalMonitoredFence.MonitoredFenceGpuVa = 0x1000C;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER);
}

// TRANSFER, FILL and the operations without effect.

TEST_F(BuildTest, TransferWalksTheMdlFromItsOffsetAndShiftsOnlyTheSegmentSide) {
  Mdl mdl({0x99, 0x100, 0x101, 0x102, 0x200, 0x300});
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_TRANSFER;
  auto& op = args.Transfer;
  op.TransferOffset = 0x4000;
  op.TransferSize = 4 * PAGE_SIZE;
  op.Source.SegmentId = 0;
  op.Source.pMdl = mdl.get();
  op.Destination.SegmentId = kVramSegment;
  op.Destination.SegmentAddress.QuadPart = 0x10000;
  op.MdlOffset = 1;
  const auto system = [](uint64_t a) { return CommandModel::Physical(Target::kSystem, a); };
  const auto model = Built(args);
  EXPECT_THAT(model.copies,
              ElementsAre(CommandModel::Copy{system(0x100000), Table(0x14000), 3 * PAGE_SIZE},
                          CommandModel::Copy{system(0x200000), Table(0x17000), PAGE_SIZE}));

  op.Source.SegmentId = kVramSegment;
  op.Source.SegmentAddress.QuadPart = 0x10000;
  op.Destination.SegmentId = 0;
  op.Destination.pMdl = mdl.get();
  const auto back = Built(args);
  EXPECT_THAT(back.copies,
              ElementsAre(CommandModel::Copy{Table(0x14000), system(0x100000), 3 * PAGE_SIZE},
                          CommandModel::Copy{Table(0x17000), system(0x200000), PAGE_SIZE}));
}

TEST_F(BuildTest, TransferInManyPassesMovesTheSame) {
  std::vector<PFN_NUMBER> pages;
  for (uint64_t i = 0; i < 300; ++i) pages.push_back(0x1000 + i * 3 - i % 5 * 2);
  Mdl mdl(pages);
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_TRANSFER;
  args.Transfer.TransferSize = pages.size() * PAGE_SIZE;
  args.Transfer.Source.pMdl = mdl.get();
  args.Transfer.Destination.SegmentId = kVramSegment;
  const auto whole = Built(args);
  for (const UINT bytes : {32u, 40u, 100u, 1000u}) {
    CommandModel pieces;
    int passes = 0;
    EXPECT_EQ(Build(args, bytes, &pieces, &passes), STATUS_SUCCESS);
    EXPECT_GT(passes, 1);
    EXPECT_EQ(pieces.copies, whole.copies) << bytes;
  }
}

TEST_F(BuildTest, TransferOfNothingAnnouncesAnEvictionAndWritesNothing) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_TRANSFER;
  args.Transfer.Source.SegmentId = kVramSegment;
  args.Transfer.Destination.SegmentId = kApertureSegment;
  EXPECT_THAT(Built(args).headers, IsEmpty());
}

TEST_F(BuildTest, FillIsPhysicalAndForSegmentsOnly) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_FILL;
  args.Fill.FillSize = 0x2000;
  args.Fill.FillPattern = 5;
  args.Fill.Destination.SegmentId = kVramSegment;
  args.Fill.Destination.SegmentAddress.QuadPart = 0x8000;
  const auto model = Built(args);
  ASSERT_EQ(model.fills.size(), 1u);
  EXPECT_EQ(model.fills[0].destination, Table(0x8000));
  args.Fill.Destination.SegmentId = 0;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER);
}

TEST_F(BuildTest, OperationsWithoutEffectSucceedAndUnknownOnesAreNotSupported) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  for (const auto operation :
       {DXGK_OPERATION_DISCARD_CONTENT, DXGK_OPERATION_NOTIFY_RESIDENCY, DXGK_OPERATION_NOTIFY_RESIDENCY2,
        DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY, DXGK_OPERATION_NOTIFY_ALLOC}) {
    args.Operation = operation;
    EXPECT_THAT(Built(args).headers, IsEmpty()) << operation;
  }
  for (const int operation : {19, 20, 23, 31}) {
    args.Operation = static_cast<DXGK_BUILDPAGINGBUFFER_OPERATION>(operation);
    EXPECT_EQ(Refused(args), STATUS_NOT_SUPPORTED) << operation;
  }
  for (const auto operation : {DXGK_OPERATION_READ_PHYSICAL, DXGK_OPERATION_WRITE_PHYSICAL}) {
    args.Operation = operation;
    const auto model = Built(args);
    ASSERT_EQ(model.headers.size(), 1u);
    EXPECT_TRUE(model.headers[0].wait_writes()) << "a barrier";
  }
}

// Aperture.

DXGKARG_BUILDPAGINGBUFFER MapAperture2(DXGK_ADL adl, SIZE_T offset, SIZE_T pages,
                                       ULONG adl_offset) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
  auto& op = args.MapApertureSegment2;
  op.SegmentId = kApertureSegment;
  op.OffsetInPages = offset;
  op.NumberOfPages = pages;
  op.Adl = adl;
  op.AdlOffset = adl_offset;
  op.Flags.CacheCoherent = 1;
  return args;
}

DXGK_ADL ContiguousAdl(uint32_t count, uint64_t base) {
  DXGK_ADL adl{};
  adl.PageCount = count;
  adl.Flags.Contiguous = 1;
  adl.BasePageNumber = base;
  return adl;
}

uint64_t ApertureEntry(uint64_t page, bool coherent = true) {
  return regs::ApertureEntryEntry{}.set_valid(1).set_coherent(coherent).set_page(page).raw;
}

TEST_F(BuildTest, MapAperture2TakesBothFormsOfAdlAndCountsTheOffsetInPages) {
  const auto contiguous = Built(MapAperture2(ContiguousAdl(100, 0x5000), 20, 90, 10));
  EXPECT_EQ(contiguous.headers.size(), 1u) << "one command whatever the size";
  ASSERT_EQ(contiguous.aperture.size(), 90u);
  for (uint32_t i = 0; i < 90; ++i)
    EXPECT_EQ(contiguous.aperture.at(20 + i), ApertureEntry(0x5000 + 10 + i));

  std::vector<DXGK_PAGE_NUMBER> pages;
  for (uint64_t i = 0; i < 100; ++i) pages.push_back(0x9000 - i * 17);
  DXGK_ADL list{};
  list.PageCount = 100;
  list.Pages = pages.data();
  const auto listed = Built(MapAperture2(list, 20, 90, 10));
  ASSERT_EQ(listed.aperture.size(), 90u);
  for (uint32_t i = 0; i < 90; ++i)
    EXPECT_EQ(listed.aperture.at(20 + i), ApertureEntry(pages[10 + i]));

  for (const UINT bytes : {24u, 64u, 200u}) {
    CommandModel pieces;
    EXPECT_EQ(Build(MapAperture2(list, 20, 90, 10), bytes, &pieces), STATUS_SUCCESS);
    EXPECT_EQ(pieces.aperture, listed.aperture);
    EXPECT_THAT(pieces.errors, IsEmpty());
  }
}

TEST_F(BuildTest, MapApertureTakesTheMdl) {
  Mdl mdl({9, 8, 7, 6});
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  auto& op = args.MapApertureSegment;
  op.SegmentId = kApertureSegment;
  op.OffsetInPages = 4094;
  op.NumberOfPages = 2;
  op.pMdl = mdl.get();
  op.MdlOffset = 2;
  const auto model = Built(args);
  EXPECT_EQ(model.aperture.at(4094), ApertureEntry(7, false));
  EXPECT_EQ(model.aperture.at(4095), ApertureEntry(6, false));
}

TEST_F(BuildTest, UnmapPointsTheRangeAtTheDummyPageOfTheSystem) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  auto& op = args.UnmapApertureSegment;
  op.SegmentId = kApertureSegment;
  op.OffsetInPages = 5;
  op.NumberOfPages = 3;
  op.DummyPage.QuadPart = 0x12345000;
  const auto model = Built(args);
  ASSERT_EQ(model.aperture.size(), 3u);
  for (uint32_t i = 5; i < 8; ++i) EXPECT_EQ(model.aperture.at(i), ApertureEntry(0x12345));
}

TEST_F(BuildTest, ApertureRangesThatDoNotFitAreRefused) {
  EXPECT_EQ(Refused(MapAperture2(ContiguousAdl(10, 1), 4090, 7, 0)), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Refused(MapAperture2(ContiguousAdl(10, 1), ~SIZE_T{0}, 2, 0)),
            STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Refused(MapAperture2(ContiguousAdl(10, 1), 0, 8, 3)), STATUS_INVALID_PARAMETER)
      << "past the ADL";
  Mdl mdl({9, 8, 7});
  DXGKARG_BUILDPAGINGBUFFER by_mdl{};
  by_mdl.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  auto& op = by_mdl.MapApertureSegment;
  op.SegmentId = kApertureSegment;
  op.pMdl = mdl.get();
  op.NumberOfPages = 4;
  EXPECT_EQ(Refused(by_mdl), STATUS_INVALID_PARAMETER) << "past the MDL";
  op.NumberOfPages = 2;
  op.MdlOffset = 2;
  EXPECT_EQ(Refused(by_mdl), STATUS_INVALID_PARAMETER) << "past the MDL from its third page";
  op.NumberOfPages = 1;
  EXPECT_EQ(Built(by_mdl).aperture.size(), 1u);
  auto args = MapAperture2(ContiguousAdl(10, 1), 0, 1, 0);
  args.MapApertureSegment2.SegmentId = kVramSegment;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER);
}

// Page tables.

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
  for (uint64_t i = 0; i < 110; ++i)
    EXPECT_EQ(model.tables.at(Table(0x40000 + i * 8)), Entry(ptes[i].PageAddress));
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
    EXPECT_EQ(Build(Update(ptes, 0, 0x40000, 17), bytes, &pieces, &passes), STATUS_SUCCESS)
        << bytes;
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
    ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args),
              STATUS_SUCCESS);
    EXPECT_EQ(args.pDmaBuffer, with_buffer ? buffer.data() : nullptr);
    EXPECT_EQ(driver.kernel.vram.size(), 100u);
    for (uint64_t i = 0; i < 100; ++i)
      EXPECT_EQ(driver.kernel.vram.at(0x7000 + (8 + i) * 8), Entry(0x300 + i));
  }
}

TEST_F(BuildTest, CpuVirtualReachesTablesInSystemMemoryToo) {
  std::vector<uint64_t> table(512, kGuard);
  std::vector<DXGK_PTE> ptes = {Leaf(3), Leaf(4)};
  auto args = Update(ptes, 0, 0, 510);
  args.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  args.UpdatePageTable.PageTableAddress.CpuVirtual = table.data();
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args),
            STATUS_SUCCESS);
  EXPECT_EQ(table[509], kGuard);
  EXPECT_EQ(table[510], Entry(3));
  EXPECT_EQ(table[511], Entry(4));
}

TEST_F(BuildTest, UpdatesThatTheHardwareCannotHaveAreRefused) {
  std::vector<DXGK_PTE> ptes = {Leaf(1)};
  const auto changed =
      [&](const std::function<void(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE&)>& change) {
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

// Leaf tables of 64 KiB entries, and pairs at level 1.

class Leaf64kTest : public BuildTest {
 protected:
  explicit Leaf64kTest(bool dual = false) : BuildTest({{"Leaf64k", 1}, {"DualPte", dual}}) {}
  static uint64_t Link(uint64_t page, bool table_64k) {
    auto entry = regs::PteEntry{}.set_valid(1).set_target(Target::kVram).set_segment(2).set_page(page);
    return entry.set_table_64k(table_64k).raw;
  }
};

// Seen on build 26100: entries of 64 KiB count one by one, their page numbers step by 16.
TEST_F(Leaf64kTest, StartIndexAndNumPageTableEntriesCount64KiBEntries) {
  std::vector<DXGK_PTE> ptes = {Leaf(0x100), Leaf(0x110), Leaf(0x120), Leaf(0x130), Leaf(0x200)};
  auto args = Update(ptes, 0, 0x2C000, 27);  // the last one is entry 31 of 32
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

// Seen on build 26100.
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

// Documents only.
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

// Blocks of sixteen contiguous pages.

class ContiguousTest : public BuildTest {
 protected:
  std::vector<DXGK_PTE> Pages(uint64_t first, size_t count) {
    std::vector<DXGK_PTE> ptes;
    for (uint64_t i = 0; i < count; ++i) ptes.push_back(Leaf(first + i));
    return ptes;
  }
  /// What the table holds after `updates`, one after the other.
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
  /// The promise of docs/page-tables.md about every marked entry.
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

// sw/kmd/README.md
TEST_F(ContiguousTest, TheWorkedExampleOfThePage) {
  auto ptes = Pages(0x1010, 16);
  auto args = Update(ptes, 0, 0x40000, 16);
  std::vector<uint64_t> buffer(16);
  args.pDmaBuffer = buffer.data();
  args.DmaSize = 128;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args),
            STATUS_SUCCESS);
  buffer.resize((128 - args.DmaSize) / 8);
  EXPECT_THAT(buffer, ElementsAre(0x0005000000012104, 0x40080, 0x10, 0x0800000001010141, 0x1000));
}

TEST_F(ContiguousTest, AnAlignedRunMarksItsWholeBlocksOnly) {
  Apply(Pages(0x1008, 48), 8);  // va and page agree modulo 16: entries 8..55
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
  Apply({DXGK_PTE{}}, 6);  // a second change of the block needs nothing more
  EXPECT_EQ(At(6).raw, 0u);
  ExpectPromiseHolds();
}

TEST_F(ContiguousTest, BothEndsOfAnUpdateMayCutABlock) {
  Apply(Pages(0x1000, 64), 0);
  std::vector<DXGK_PTE> invalid(40);
  Apply(invalid, 12);  // 12..51 cuts blocks 0 and 3
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

// Against an array: whatever comes, in buffers of whatever size, the table holds the pages asked
// for and every contiguous bit in it is true.
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

// Flush.

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

  args.FlushTlb.EndVirtualAddress = ~D3DGPU_VIRTUAL_ADDRESS{0};  // to the end of every space
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

// The root and the process name one space. What walks for nobody, or does not yet, is not held against anything.
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

TEST_F(BuildTest, OperationsPackBackToBackInOneBuffer) {
  std::vector<uint64_t> buffer(512);
  std::vector<DXGK_PTE> ptes = {Leaf(1), Leaf(9), Leaf(2)};
  auto args = Update(ptes, 0, 0x40000, 0);
  args.hSystemContext = driver.system_context;
  args.pDmaBuffer = buffer.data();
  args.DmaSize = 4096;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &args),
            STATUS_SUCCESS);
  DXGKARG_BUILDPAGINGBUFFER flush{};
  flush.Operation = DXGK_OPERATION_FLUSH_TLB;
  flush.FlushTlb.hProcess = driver.process;
  flush.pDmaBuffer = args.pDmaBuffer;
  flush.DmaSize = args.DmaSize;
  flush.DmaBufferWriteOffset = 4096 - args.DmaSize;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &flush),
            STATUS_SUCCESS);
  auto again = Update(ptes, 0, 0x40000, 0);  // overwrites what the first one wrote
  again.pDmaBuffer = flush.pDmaBuffer;
  again.DmaSize = flush.DmaSize;
  ASSERT_EQ(driver.kernel.table.DxgkDdiBuildPagingBuffer(driver.kernel.adapter, &again),
            STATUS_SUCCESS);
  CommandModel model;
  model.Run(buffer.data(), 4096 - again.DmaSize);
  EXPECT_THAT(model.errors, IsEmpty());
  ASSERT_EQ(model.headers.size(), 3u);
  for (const auto& header : model.headers) EXPECT_TRUE(header.wait_writes());
}

}  // namespace
}  // namespace gmmu::kmd::test

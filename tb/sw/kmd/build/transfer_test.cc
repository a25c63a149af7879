// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(BuildTest, VirtualTransferIsOneCopyInThePagingSpaceAtTheGivenAddresses) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
  args.TransferVirtual.AllocationOffsetInBytes = 0x7777000;  // the driver must not add this offset
  args.TransferVirtual.TransferSizeInBytes = (64 << 20) + 3;
  args.TransferVirtual.SourceVirtualAddress = 0x2430000;
  args.TransferVirtual.DestinationVirtualAddress = 0x2830000;
  const auto model = Built(args);
  const CommandModel::Copy copy{CommandModel::Virtual(kSystemSpace, 0x2430000),
                                CommandModel::Virtual(kSystemSpace, 0x2830000), (64 << 20) + 3};
  EXPECT_THAT(model.copies, ElementsAre(copy));
  EXPECT_TRUE(model.headers[0].wait_writes()) << "what came before in the buffer may be its page tables";
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
  EXPECT_THAT(model.copies, ElementsAre(CommandModel::Copy{system(0x100000), Table(0x14000), 3 * PAGE_SIZE},
                                        CommandModel::Copy{system(0x200000), Table(0x17000), PAGE_SIZE}));

  op.Source.SegmentId = kVramSegment;
  op.Source.SegmentAddress.QuadPart = 0x10000;
  op.Destination.SegmentId = 0;
  op.Destination.pMdl = mdl.get();
  const auto back = Built(args);
  EXPECT_THAT(back.copies, ElementsAre(CommandModel::Copy{Table(0x14000), system(0x100000), 3 * PAGE_SIZE},
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

TEST_F(BuildTest, SpecialLockTransferMovesAsTransferDoesFromTheFirstPageOfTheMdl) {
  Mdl mdl({0x100, 0x101, 0x200});
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
  auto& op = args.SpecialLockTransfer;
  op.TransferSize = 3 * PAGE_SIZE;
  op.Source.SegmentId = kVramSegment;
  op.Source.SegmentAddress.QuadPart = 0x10000;
  op.Destination.pMdl = mdl.get();
  op.SwizzlingRangeId = 3;
  const auto system = [](uint64_t a) { return CommandModel::Physical(Target::kSystem, a); };
  EXPECT_THAT(Built(args).copies, ElementsAre(CommandModel::Copy{Table(0x10000), system(0x100000), 2 * PAGE_SIZE},
                                              CommandModel::Copy{Table(0x12000), system(0x200000), PAGE_SIZE}));
}

class BaseTest : public BuildTest {
 protected:
  BaseTest() : BuildTest({{"VramBase", 0x40000000}, {"ApertureBase", 0x8000000}}) {}
};

TEST_F(BaseTest, SegmentAddressesHaveTheBaseAddressAddedAndOffsetsDoNot) {
  DXGK_SEGMENTDESCRIPTOR4 descriptors[2] = {};
  DXGK_QUERYSEGMENTOUT4 out{};
  out.NbSegment = 2;
  out.pSegmentDescriptor = reinterpret_cast<BYTE*>(descriptors);
  out.SegmentDescriptorStride = sizeof descriptors[0];
  ASSERT_EQ(driver.kernel.Query(DXGKQAITYPE_QUERYSEGMENT4, &out), STATUS_SUCCESS);
  EXPECT_EQ(descriptors[0].BaseAddress.QuadPart, 0x8000000);
  EXPECT_EQ(descriptors[1].BaseAddress.QuadPart, 0x40000000);

  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_TRANSFER;
  args.Transfer.TransferOffset = 0x1000;
  args.Transfer.TransferSize = PAGE_SIZE;
  args.Transfer.Source.SegmentId = kApertureSegment;
  args.Transfer.Source.SegmentAddress.QuadPart = 0x8002000;
  args.Transfer.Destination.SegmentId = kVramSegment;
  args.Transfer.Destination.SegmentAddress.QuadPart = 0x40005000;
  EXPECT_THAT(Built(args).copies, ElementsAre(CommandModel::Copy{CommandModel::Physical(Target::kAperture, 0x3000),
                                                                 Table(0x6000), PAGE_SIZE}));
  args.Transfer.Destination.SegmentAddress.QuadPart = 0x5000;
  EXPECT_EQ(Refused(args), STATUS_INVALID_PARAMETER) << "below the segment";

  args = {};
  args.Operation = DXGK_OPERATION_FILL;
  args.Fill.FillSize = PAGE_SIZE;
  args.Fill.Destination.SegmentId = kVramSegment;
  args.Fill.Destination.SegmentAddress.QuadPart = 0x40009000;
  EXPECT_EQ(Built(args).fills.at(0).destination, Table(0x9000));

  // Addresses of tables and pages are offsets in the segment.
  std::vector<DXGK_PTE> ptes = {Leaf(0x77)};
  EXPECT_EQ(Built(Update(ptes, 0, 0x40000, 0)).tables.at(Table(0x40000)), Entry(0x77));
}

// No source says whether the fill pattern is one byte (FillByByte) or 32 bits (the default).
class ByteFill : public BuildTest {
 protected:
  ByteFill() : BuildTest({{"FillByByte", 1}}) {}
};
TEST_F(ByteFill, TheLowByteOfThePatternIsRepeated) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_VIRTUAL_FILL;
  args.FillVirtual.FillSizeInBytes = 0x1000;
  args.FillVirtual.FillPattern = 0xA1B2C3D4;
  EXPECT_EQ(Built(args).fills.at(0).pattern, 0xD4D4D4D4u);
  args = {};
  args.Operation = DXGK_OPERATION_FILL;
  args.Fill.FillSize = 0x1000;
  args.Fill.FillPattern = 0x55;
  args.Fill.Destination.SegmentId = kVramSegment;
  EXPECT_EQ(Built(args).fills.at(0).pattern, 0x55555555u);
}

}  // namespace
}  // namespace gmmu::kmd::test

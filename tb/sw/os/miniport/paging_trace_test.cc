// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/paging_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tb/sw/os/life_bench.h"
#include "os/miniport/mdl.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PagingTrace, ALineNamesOperationFlagsSizesAndStatus) {
  uint8_t buffer[64];
  DXGKARG_BUILDPAGINGBUFFER asked{};
  asked.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
  asked.pDmaBuffer = buffer;
  asked.DmaSize = 64;
  asked.DmaBufferWriteOffset = 0x140;
  asked.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
  asked.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentId = 2;
  asked.UpdatePageTable.PageTableAddress.GpuPhysical.SegmentOffset = 0xC000;
  asked.UpdatePageTable.StartIndex = 0x430;
  asked.UpdatePageTable.NumPageTableEntries = 0x400;
  asked.UpdatePageTable.Flags.Repeat = 1;
  DXGKARG_BUILDPAGINGBUFFER answered = asked;
  answered.pDmaBuffer = buffer + 40;
  answered.MultipassOffset = 7;
  EXPECT_EQ(PagingTraceLine(5, asked, answered, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER),
            "{\"ns\": 5, \"operation\": \"UPDATE_PAGE_TABLE\", \"status\": \"0xc01e0001\", \"pDmaBuffer\": true, "
            "\"DmaSize\": 64, \"DmaBufferWriteOffset\": 320, \"written\": 40, \"private_written\": 0, "
            "\"MultipassOffset\": 0, \"MultipassOffset_after\": 7, \"PageTableLevel\": 0, \"hAllocation\": false, "
            "\"UpdateMode\": \"GPU_PHYSICAL\", \"GpuPhysical.SegmentId\": 2, "
            "\"GpuPhysical.SegmentOffset\": \"0xc000\", "
            "\"StartIndex\": 1072, \"NumPageTableEntries\": 1024, \"Flags.Repeat\": true, "
            "\"Flags.InitialUpdate\": false, \"Flags.NotifyEviction\": false, \"Flags.Use64KBPages\": false, "
            "\"DriverProtection\": 0, \"AllocationOffsetInBytes\": 0, \"FirstPteVirtualAddress\": \"0x0\", "
            "\"hProcess\": false}");
}

std::string LineOf(const DXGKARG_BUILDPAGINGBUFFER& args) { return PagingTraceLine(0, args, args, STATUS_SUCCESS); }

TEST(PagingTrace, EntriesStandInRuns) {
  DXGK_PTE entries[6]{};
  for (size_t i = 0; i < 3; ++i) {
    entries[i].Valid = 1;
    entries[i].Segment = 2;
    entries[i].PageAddress = 0x40 + 0x10 * i;
  }
  entries[3] = entries[2];
  entries[3].ReadOnly = 1;
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
  args.UpdatePageTable.pPageTableEntries = entries;
  args.UpdatePageTable.NumPageTableEntries = 6;
  EXPECT_THAT(LineOf(args), HasSubstr("\"pPageTableEntries\": ["
                                      "{\"count\": 3, \"Flags\": \"0x41\", \"PageAddress\": \"0x40\", \"step\": 16}, "
                                      "{\"count\": 1, \"Flags\": \"0x49\", \"PageAddress\": \"0x60\"}, "
                                      "{\"count\": 2, \"Flags\": \"0x0\", \"PageAddress\": \"0x0\", \"step\": 0}]}"));
  args.UpdatePageTable.Flags.Repeat = 1;
  args.UpdatePageTable.pPageTableEntries64KB = entries + 3;
  EXPECT_THAT(LineOf(args), HasSubstr("\"pPageTableEntries\": ["
                                      "{\"count\": 1, \"Flags\": \"0x41\", \"PageAddress\": \"0x40\"}], "
                                      "\"pPageTableEntries64KB\": ["
                                      "{\"count\": 1, \"Flags\": \"0x49\", \"PageAddress\": \"0x60\"}]}"));
}

TEST(PagingTrace, ListsAndRangesStandWithTheirPages) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
  const DXGK_PAGE_NUMBER pages[4] = {0x100, 0x101, 0x102, 0x90};
  args.MapApertureSegment2.Adl.PageCount = 4;
  args.MapApertureSegment2.Adl.Pages = pages;
  EXPECT_THAT(LineOf(args), HasSubstr("\"Adl.Pages\": [{\"count\": 3, \"PageNumber\": \"0x100\"}, "
                                      "{\"count\": 1, \"PageNumber\": \"0x90\"}]}"));
  args.MapApertureSegment2.Adl.Flags.Contiguous = 1;
  args.MapApertureSegment2.Adl.BasePageNumber = 0x777;
  EXPECT_THAT(LineOf(args), HasSubstr("\"Adl.BasePageNumber\": \"0x777\"}"));

  Mdl mdl({0x20, 0x21});
  args = {};
  args.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  args.MapApertureSegment.pMdl = mdl.get();
  EXPECT_THAT(LineOf(args), HasSubstr("\"pMdl\": true, \"pMdl.Pages\": [{\"count\": 2, \"PageNumber\": \"0x20\"}]}"));

  DXGK_BUILDPAGINGBUFFER_COPY_RANGE range{};
  range.NumPageTableEntries = 5;
  range.SrcPageTableAddress = 0x1000;
  range.DstStartPteIndex = 9;
  args = {};
  args.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
  args.CopyPageTableEntries.NumRanges = 1;
  args.CopyPageTableEntries.pRanges = &range;
  EXPECT_THAT(LineOf(args), HasSubstr("\"NumRanges\": 1, \"pRanges\": [{\"NumPageTableEntries\": 5, "
                                      "\"SrcPageTableAddress\": \"0x1000\", \"DstPageTableAddress\": \"0x0\", "
                                      "\"SrcStartPteIndex\": 0, \"DstStartPteIndex\": 9}]}"));
}

TEST(PagingTrace, EachOfTheEighteenOperationsHasItsOperand) {
  std::set<std::string> operands;
  for (int operation = DXGK_OPERATION_TRANSFER; operation <= DXGK_OPERATION_MAP_APERTURE_SEGMENT2; ++operation) {
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = static_cast<DXGK_BUILDPAGINGBUFFER_OPERATION>(operation);
    const std::string line = LineOf(args);
    const std::string last = "\"MultipassOffset_after\": 0";
    const std::string operand = line.substr(line.find(last) + last.size());
    EXPECT_GT(operand.size(), 30u) << line;
    operands.insert(operand);
  }
  EXPECT_EQ(operands.size(), 17u) << "two have the same: READ_PHYSICAL and WRITE_PHYSICAL";
}

TEST(PagingTrace, HasALineForEachCallAndIsTheSameForOneSeed) {
  std::vector<std::string> traces[2];
  for (auto& trace : traces) {
    test::LifeBench bench;
    bench.options.os.trace_paging = [&](const std::string& line) { trace.push_back(line); };
    bench.Run([&](workload::Life& life) {
      workload::RunSeededMainJob(life, 30'000);
      EXPECT_EQ(trace.size(), life.adapter.miniport().calls("DxgkDdiBuildPagingBuffer"));
    });
  }
  EXPECT_EQ(traces[0], traces[1]);
  EXPECT_THAT(traces[0], Contains(Not(HasSubstr("\"written\": 0,")))) << "what the driver gave back, not what it got";
  std::string all;
  for (const std::string& line : traces[0]) all += line + "\n";
  for (const char* name :
       {"UPDATE_PAGE_TABLE", "FLUSH_TLB", "VIRTUAL_TRANSFER", "VIRTUAL_FILL", "MAP_APERTURE_SEGMENT2",
        "UNMAP_APERTURE_SEGMENT", "SIGNAL_MONITORED_FENCE", "\"TRANSFER\""}) {
    EXPECT_THAT(all, HasSubstr(name));
  }
}

}  // namespace
}  // namespace gmmu::os

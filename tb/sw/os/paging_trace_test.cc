// SPDX-License-Identifier: Apache-2.0
#include "os/paging_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "life_bench.h"
#include "workload/procedures.h"

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
            "\"DriverProtection\": 0, \"AllocationOffsetInBytes\": 0, \"FirstPteVirtualAddress\": \"0x0\"}");
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
  for (const char* name : {"UPDATE_PAGE_TABLE", "FLUSH_TLB", "VIRTUAL_TRANSFER", "VIRTUAL_FILL",
                           "MAP_APERTURE_SEGMENT2",
                           "UNMAP_APERTURE_SEGMENT", "SIGNAL_MONITORED_FENCE", "\"TRANSFER\""}) {
    EXPECT_THAT(all, HasSubstr(name));
  }
}

}  // namespace
}  // namespace gmmu::os

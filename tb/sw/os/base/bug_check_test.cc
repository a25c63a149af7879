// SPDX-License-Identifier: Apache-2.0
#include "os/base/bug_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/between.h"

namespace gmmu::os {
namespace {

TEST(BugCheck, SaysNumberNameParametersAndCause) {
  const BugCheck stop(StopCode::kVideoMemoryManagementInternal, {stop::kBuildPagingBuffer, 0, 0xC000000D, 0},
                      "the driver failed");
  EXPECT_STREQ(stop.what(),
               "bug check 0x10e VIDEO_MEMORY_MANAGEMENT_INTERNAL (0xb, 0x0, 0xc000000d, 0x0): "
               "the driver failed");
  EXPECT_EQ(stop.cause(), "the driver failed");
  EXPECT_EQ(stop.code(), StopCode::kVideoMemoryManagementInternal);
  EXPECT_EQ(stop.parameters()[2], 0xC000000Du);
}

TEST(BugCheck, WithoutAKnownNumberIsItsCause) {
  EXPECT_STREQ(BugCheck("a page is freed twice").what(), "bug check: a page is freed twice");
}

using BadContext = DriverWithAFront;

UINT dma_buffer_bytes = 0;

NTSTATUS CreateWithoutSegment(HANDLE device, DXGKARG_CREATECONTEXT* args) {
  const NTSTATUS status = between.real.DxgkDdiCreateContext(device, args);
  args->ContextInfo.DmaBufferSegmentSet = 0;
  args->ContextInfo.DmaBufferSize = dma_buffer_bytes;
  return status;
}

// If DMA buffers have a size but no segment, a client's first context causes a bug check, whereas
// the paging process's context is accepted. Both were observed on two Windows builds.
TEST_F(BadContext, WithoutASegmentForItsDmaBuffersIsBugCheck0x3B) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCreateContext = CreateWithoutSegment; };
  dma_buffer_bytes = 0;  // no DMA buffers; a Microsoft sample driver leaves both members 0
  EXPECT_TRUE(Run().Passed());
  dma_buffer_bytes = 4096;
  const auto result = Run();
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].stop_code, 0x3Bu);
  EXPECT_THAT(result.faults[0].text, ::testing::HasSubstr("DXGK_CONTEXTINFO.DmaBufferSegmentSet of the context of"));
  EXPECT_THAT(result.faults[0].text, ::testing::Not(::testing::HasSubstr("paging process")));
}

}  // namespace
}  // namespace gmmu::os

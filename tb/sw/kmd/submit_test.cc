// SPDX-License-Identifier: Apache-2.0
// Submission, interrupts, reset, escapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmd/escape.h"
#include "kmd/ring.h"
#include "kmd/segments.h"
#include "tb/sw/kmd/submit_bench.h"

namespace gmmu::kmd::test {
namespace {

using testing::IsEmpty;

TEST_F(SubmitTest, EmptySubmissionsOnlySignalTheirFence) {
  constexpr UINT kNullRendering = 1 | 8, kContextSwitch = 1 | 64;
  EXPECT_EQ(Submit(1, 0x5000, 64, kNullRendering), STATUS_SUCCESS);
  EXPECT_EQ(Submit(2, 0, 0, kContextSwitch), STATUS_SUCCESS);
  for (uint32_t i = 0; i < 2; ++i) {
    regs::RingEntryShape shape;
    shape.raw = RingEntry(i)[1];
    EXPECT_EQ(shape.bytes(), 0u);
  }
}

TEST_F(SubmitTest, RefusesWhatMustNotReachThePrivilegedRing) {
  EXPECT_EQ(Submit(1, 0x5000, 64, 0), STATUS_INVALID_PARAMETER) << "not a paging buffer";
  EXPECT_EQ(Submit(1, 0x5004), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Submit(1, 0x5000, 60), STATUS_INVALID_PARAMETER);
  EXPECT_THAT(kernel().writes, IsEmpty());
}

TEST_F(SubmitTest, PhysicalSubmissionRunsTheGivenPieceOfTheBuffer) {
  DXGKARG_SUBMITCOMMAND args{};
  args.hContext = driver.system_context;
  args.DmaBufferPhysicalAddress.QuadPart = 0x8000;
  args.DmaBufferSize = 4096;
  args.DmaBufferSubmissionStartOffset = 0x140;
  args.DmaBufferSubmissionEndOffset = 0x640;
  args.SubmissionFenceId = 3;
  args.Flags.Paging = 1;
  ASSERT_EQ(kernel().table.DxgkDdiSubmitCommand(kernel().adapter, &args), STATUS_SUCCESS);
  EXPECT_EQ(RingEntry(0)[0], 0x8140u);
  EXPECT_EQ(RingEntry(0)[1] & 0xffffffff, 0x500u);
  args.DmaBufferSegmentId = kApertureSegment;
  EXPECT_EQ(kernel().table.DxgkDdiSubmitCommand(kernel().adapter, &args), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace gmmu::kmd::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kmd/escape.h"
#include "kmd/ring.h"
#include "kmd/segments.h"
#include "tb/sw/kmd/submit_bench.h"

namespace gmmu::kmd::test {
namespace {

TEST_F(SubmitTest, WritesTheEntryThenTheDoorbell) {
  ASSERT_EQ(Submit(7, 0x12345678000, 4096), STATUS_SUCCESS);
  ASSERT_EQ(kernel().writes.size(), 1u);
  EXPECT_EQ(kernel().writes[0].offset, kRing + regs::RingTail::kOffset);
  EXPECT_EQ(kernel().writes[0].value, 1u);
  EXPECT_EQ(RingEntry(0)[0], 0x12345678000u);
  regs::RingEntryShape shape;
  shape.raw = RingEntry(0)[1];
  EXPECT_EQ(shape.bytes(), 4096u);
  EXPECT_TRUE(shape.physical());
  EXPECT_EQ(shape.target(), regs::Target::kSystem);
  EXPECT_TRUE(shape.irq());
  EXPECT_EQ(RingEntry(0)[2], 7u);
}

TEST_F(SubmitTest, AFullRingWaitsForTheHeadAndGivesUpInTheEnd) {
  for (uint32_t i = 1; i < Ring::kEntries; ++i) ASSERT_EQ(Submit(i), STATUS_SUCCESS);
  EXPECT_EQ(Submit(Ring::kEntries), STATUS_IO_TIMEOUT);
  EXPECT_EQ(kernel().Reg<regs::RingTail>(kRing).index(), Ring::kEntries - 1);
  kernel().reg(kRing + regs::RingHead::kOffset) = 1;  // the device has fetched one entry
  EXPECT_EQ(Submit(Ring::kEntries), STATUS_SUCCESS);
  EXPECT_EQ(kernel().Reg<regs::RingTail>(kRing).index(), 0u) << "wraps";
}

TEST_F(SubmitTest, FenceIdsWrap) {
  for (const uint32_t fence : {0x7FFFFFFFu, 0xFFFFFFFEu, 3u}) {
    Submit(fence);
    Complete(fence);
    Interrupt();
    EXPECT_EQ(kernel().notifications.back().DmaCompleted.SubmissionFenceId, fence);
  }
  EXPECT_EQ(kernel().notifications.size(), 3u);
}

}  // namespace
}  // namespace gmmu::kmd::test

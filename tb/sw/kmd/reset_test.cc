// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kmd/escape.h"
#include "kmd/ring.h"
#include "kmd/segments.h"
#include "tb/sw/kmd/submit_bench.h"

namespace gmmu::kmd::test {
namespace {

TEST_F(SubmitTest, EngineResetStartsTheRingEmptyAndAbortsUpToTheLastSubmission) {
  Submit(4);
  Submit(5);
  DXGKARG_RESETENGINE reset{};
  kernel().writes.clear();
  ASSERT_EQ(kernel().table.DxgkDdiResetEngine(kernel().adapter, &reset), STATUS_SUCCESS);
  EXPECT_EQ(reset.LastAbortedFenceId, 5u);
  EXPECT_EQ(kernel().writes.front().offset, kRing + regs::RingCtrl::kOffset);
  EXPECT_EQ(kernel().writes.front().value, 0u);
  EXPECT_TRUE(kernel().Reg<regs::RingCtrl>(kRing).enable());
  EXPECT_EQ(kernel().Reg<regs::RingTail>(kRing).index(), 0u);
  Submit(6);
  EXPECT_EQ(RingEntry(0)[2], 6u);
  Complete(6);
  Interrupt();
  EXPECT_EQ(kernel().notifications.back().DmaCompleted.SubmissionFenceId, 6u);

  kernel().reg(kRing + regs::RingStatus::kOffset) = 1;  // the ring stays busy
  EXPECT_EQ(kernel().table.DxgkDdiResetEngine(kernel().adapter, &reset), STATUS_IO_TIMEOUT);
}

// During a reset, the interrupt routine may run on another processor at any time.
TEST_F(SubmitTest, TheInterruptRoutineLeavesAnEngineAloneThatIsBeingReset) {
  Submit(4);
  Complete(4);
  bool came = false;
  kernel().on_write = [&](const FakeKernel::Access& access) {
    if (access.offset != kRing + regs::RingCtrl::kOffset || access.value != 0 || kernel().at_device_level) return;
    came = true;
    Interrupt();
    EXPECT_TRUE(kernel().notifications.empty()) << "of a completion that the reset answers for";
  };
  DXGKARG_RESETENGINE reset{};
  ASSERT_EQ(kernel().table.DxgkDdiResetEngine(kernel().adapter, &reset), STATUS_SUCCESS);
  kernel().on_write = nullptr;
  EXPECT_TRUE(came);
  EXPECT_EQ(reset.LastAbortedFenceId, 4u);
}

TEST_F(SubmitTest, InterruptsGoOnAndOffWhileTheirRoutineCannotRun) {
  int changes = 0;
  kernel().on_write = [&](const FakeKernel::Access& access) {
    if (access.window || access.offset != regs::IntEnable::kOffset) return;
    // The restart begins by disabling the interrupts again, which changes nothing.
    if (access.value == 0 && changes == 1) return;
    ++changes;
    EXPECT_TRUE(kernel().at_device_level);
  };
  ASSERT_EQ(kernel().table.DxgkDdiResetFromTimeout(kernel().adapter), STATUS_SUCCESS);
  EXPECT_FALSE(Interrupt()) << "the routine has nothing to do with a GPU that is off";
  ASSERT_EQ(kernel().table.DxgkDdiRestartFromTimeout(kernel().adapter), STATUS_SUCCESS);
  kernel().on_write = nullptr;
  EXPECT_EQ(changes, 2);
}

TEST_F(SubmitTest, AdapterResetSilencesAndRestartProgramsAll) {
  Submit(8);
  ASSERT_EQ(kernel().table.DxgkDdiResetFromTimeout(kernel().adapter), STATUS_SUCCESS);
  EXPECT_EQ(kernel().Reg<regs::Ctrl>().enable(), 0u);
  EXPECT_EQ(kernel().Reg<regs::RingCtrl>(kRing).enable(), 0u);
  ASSERT_EQ(kernel().table.DxgkDdiRestartFromTimeout(kernel().adapter), STATUS_SUCCESS);
  EXPECT_EQ(kernel().Reg<regs::Ctrl>().enable(), 1u);
  Submit(9);
  Complete(9);
  Interrupt();
  EXPECT_EQ(kernel().notifications.back().DmaCompleted.SubmissionFenceId, 9u);
}

}  // namespace
}  // namespace gmmu::kmd::test

// SPDX-License-Identifier: Apache-2.0
// Tests preemption, resubmission of partly executed buffers, and exclusive access.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/kmd/submit_bench.h"

namespace gmmu::kmd::test {
namespace {

using testing::IsEmpty;

/// A machine with two rings that support preemption.
class PreemptTest : public SubmitTest {
 protected:
  PreemptTest() : SubmitTest(true) {}
  void Preempt(uint32_t fence, UINT node = 0) {
    DXGKARG_PREEMPTCOMMAND preempt{};
    preempt.PreemptionFenceId = fence;
    preempt.NodeOrdinal = node;
    ASSERT_EQ(kernel().table.DxgkDdiPreemptCommand(kernel().adapter, &preempt), STATUS_SUCCESS);
  }
  /// Makes the device report that the ring stopped before the command at `offset` in the entry with
  /// this fence id. Fence id 0 means that no entry had started.
  void Preempted(uint32_t fence, uint32_t offset, uint32_t ring = kRing) {
    kernel().reg(ring + regs::RingStatus::kOffset) = regs::RingStatus{}.set_preempted(1).set_fence(fence).raw;
    kernel().reg(ring + regs::RingErrorCommand::kOffset) = offset;
    kernel().reg(regs::IntStatus::kOffset) |= regs::IntStatus{}.set_preempted(1).raw;
    EXPECT_TRUE(Interrupt());
    kernel().reg(ring + regs::RingStatus::kOffset) = 0;
  }
  static constexpr UINT kAgain = 0x81;

  // Registers of node 1's ring, which executes the packets of processes.
  static constexpr uint32_t kSecond = kRing + regs::kRingStride;
  static constexpr uint64_t kA = 0x5000, kB = 0x9000;  // one buffer per context
  void Render(uint32_t fence, HANDLE context, uint64_t address, bool again = false) {
    DXGKARG_SUBMITCOMMANDVIRTUAL args{};
    args.hContext = context;
    args.DmaBufferVirtualAddress = address;
    args.DmaBufferSize = kBytes;
    args.SubmissionFenceId = fence;
    args.NodeOrdinal = 1;
    args.Flags.Resubmission = again;
    ASSERT_EQ(kernel().table.DxgkDdiSubmitCommandVirtual(kernel().adapter, &args), STATUS_SUCCESS);
  }
  /// Reports that node 1 was preempted before the command at `offset` in the entry with this fence.
  void PreemptRender(uint32_t fence, uint32_t offset) {
    Preempt(100, 1);
    Preempted(fence, offset, kSecond);
    ASSERT_EQ(kernel().notifications.back().InterruptType, DXGK_INTERRUPT_DMA_PREEMPTED);
  }
  /// The range of commands that a ring entry of node 1 executes.
  struct Piece {
    uint64_t address, bytes;
    bool operator==(const Piece& other) const { return address == other.address && bytes == other.bytes; }
  };
  Piece RenderEntry(uint32_t index) {
    const uint64_t* entry = kernel().SystemMemory(kernel().Reg<regs::RingBase>(kSecond).address()) + index * 4;
    return {entry[0], entry[1] & 0xffffffff};
  }
  static constexpr UINT kBytes = 256;
};

// The ring must run again before the system is notified, because the system may submit from inside
// the callback.
TEST_F(PreemptTest, TheRingIsAskedToStopAndRunsAgainBeforeTheSystemIsTold) {
  Submit(1);
  Submit(2);
  Preempt(100);
  EXPECT_TRUE(kernel().Reg<regs::RingCtrl>(kRing).preempt());
  EXPECT_TRUE(kernel().Reg<regs::RingCtrl>(kRing).enable());
  EXPECT_THAT(kernel().notifications, IsEmpty());
  int reports = 0;
  kernel().on_notify = [&](const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
    if (data.InterruptType != DXGK_INTERRUPT_DMA_PREEMPTED) return;
    ++reports;
    EXPECT_TRUE(kernel().Reg<regs::RingCtrl>(kRing).enable());
    EXPECT_FALSE(kernel().Reg<regs::RingCtrl>(kRing).preempt());
    EXPECT_EQ(kernel().Reg<regs::RingTail>(kRing).index(), 0u) << "empty";
    ASSERT_EQ(Submit(2, 0x5000, 64, kAgain), STATUS_SUCCESS);
    EXPECT_EQ(RingEntry(0)[0], 0x5018u);
    EXPECT_EQ(kernel().Reg<regs::RingTail>(kRing).index(), 1u);
  };
  Complete(1);
  Preempted(2, 24);
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(kernel().Reg<regs::RingTail>(kRing).index(), 1u) << "what came from inside the report stands";
  EXPECT_TRUE(kernel().Reg<regs::RingCtrl>(kRing).enable());
  ASSERT_EQ(kernel().notifications.size(), 2u);
  EXPECT_EQ(kernel().notifications[0].DmaCompleted.SubmissionFenceId, 1u);
  EXPECT_EQ(kernel().notifications[1].DmaPreempted.PreemptionFenceId, 100u);
  EXPECT_EQ(kernel().notifications[1].DmaPreempted.LastCompletedFenceId, 1u);
  DXGKARG_QUERYCURRENTFENCE query{};
  kernel().table.DxgkDdiQueryCurrentFence(kernel().adapter, &query);
  EXPECT_EQ(query.CurrentFence, 1u) << "what came back has not completed";
}

TEST_F(PreemptTest, AnInterruptedBufferGoesOnWhereItStoodHoweverOften) {
  Submit(1, 0x5000, 256);
  Preempt(100);
  Preempted(1, 64);
  Submit(1, 0x5000, 256, kAgain);
  EXPECT_EQ(RingEntry(0)[0], 0x5040u);
  EXPECT_EQ(RingEntry(0)[1] & 0xffffffff, 192u);
  Preempt(101);
  Preempted(1, 32);  // relative to the first remaining command
  Submit(1, 0x5000, 256, kAgain);
  EXPECT_EQ(RingEntry(0)[0], 0x5060u);
  EXPECT_EQ(RingEntry(0)[1] & 0xffffffff, 160u);
  Submit(2, 0x5000, 256);  // another packet in the same memory
  EXPECT_EQ(RingEntry(1)[0], 0x5000u);
}

TEST_F(PreemptTest, WhatHadNotBegunBeginsAtItsBeginning) {
  Submit(1, 0x5000, 256);
  Preempt(100);
  Preempted(0, 0);
  Submit(1, 0x5000, 256, kAgain);
  EXPECT_EQ(RingEntry(0)[0], 0x5000u);
}

TEST_F(PreemptTest, WhatIsInterruptedAgainBeforeItBeginsGoesOnWhereItStood) {
  const HANDLE a = driver.context, b = driver.CreateContext(driver.device, false);
  Render(1, a, kA);
  PreemptRender(1, 64);
  Render(2, a, kA, true);
  PreemptRender(0, 0);  // no entry had started
  Render(3, a, kA, true);
  EXPECT_EQ(RenderEntry(0), (Piece{kA + 64, kBytes - 64}));
  PreemptRender(3, 0);  // a's entry was fetched, and stopped before its first command
  Render(4, b, kB);
  Render(5, a, kA, true);
  PreemptRender(4, 32);  // a's entry was queued behind b's
  Render(6, a, kA, true);
  EXPECT_EQ(RenderEntry(0), (Piece{kA + 64, kBytes - 64}));
  PreemptRender(6, 8);
  Render(7, a, kA, true);
  EXPECT_EQ(RenderEntry(0), (Piece{kA + 72, kBytes - 72}));
  kernel().table.DxgkDdiDestroyContext(b);
}

TEST_F(PreemptTest, BuffersThatAreInterruptedInTurnEachGoOnWhereTheyStood) {
  const HANDLE a = driver.context, b = driver.CreateContext(driver.device, false);
  Render(1, a, kA);
  PreemptRender(1, 64);
  Render(2, b, kB);
  PreemptRender(2, 32);
  Render(3, a, kA, true);
  EXPECT_EQ(RenderEntry(0), (Piece{kA + 64, kBytes - 64}));
  PreemptRender(3, 40);
  Render(4, b, kB, true);
  Render(5, a, kA, true);
  EXPECT_EQ(RenderEntry(0), (Piece{kB + 32, kBytes - 32}));
  EXPECT_EQ(RenderEntry(1), (Piece{kA + 104, kBytes - 104}));
  kernel().table.DxgkDdiDestroyContext(b);
}

TEST_F(PreemptTest, WhatWasDoneIsForgottenWithItsPacket) {
  const HANDLE a = driver.context;
  Render(1, a, kA);
  PreemptRender(1, 64);
  Render(2, a, kA);  // another packet, which reuses the memory of the dropped one
  EXPECT_EQ(RenderEntry(0), (Piece{kA, kBytes}));
  PreemptRender(0, 0);
  Render(3, a, kA, true);
  EXPECT_EQ(RenderEntry(0), (Piece{kA, kBytes}));
  kernel().SystemMemory(kernel().Reg<regs::RingFenceAddress>(kSecond).address())[0] = 3;  // completes the entry
  PreemptRender(0, 0);
  Render(4, a, kA, true);
  EXPECT_EQ(RenderEntry(0), (Piece{kA, kBytes}));
}

TEST_F(PreemptTest, AnEngineResetKeepsWhatOthersHaveDone) {
  const HANDLE guilty = driver.context, innocent = driver.CreateContext(driver.device, false);
  Render(1, innocent, kB);
  PreemptRender(1, 64);
  Render(2, guilty, kA);
  Render(3, innocent, kB, true);
  Preempt(101, 1);  // the device does not respond
  DXGKARG_RESETENGINE reset{};
  reset.NodeOrdinal = 1;
  const size_t told = kernel().notifications.size();
  ASSERT_EQ(kernel().table.DxgkDdiResetEngine(kernel().adapter, &reset), STATUS_SUCCESS);
  EXPECT_EQ(reset.LastAbortedFenceId, 3u);
  Preempted(2, 0, kSecond);  // ignored, because it follows the reset
  EXPECT_EQ(kernel().notifications.size(), told) << "the reset took the preemption's place";
  Render(4, innocent, kB, true);
  EXPECT_EQ(RenderEntry(0), (Piece{kB + 64, kBytes - 64}));
  kernel().table.DxgkDdiDestroyContext(innocent);
}

TEST_F(PreemptTest, ExclusiveAccessIsSilenceThatTheHardwareConfirms) {
  DXGKARG_BEGINEXCLUSIVEACCESS begin{};
  DXGKARG_ENDEXCLUSIVEACCESS end{};
  const auto& table = kernel().table;
  EXPECT_EQ(table.DxgkDdiBeginExclusiveAccess(kernel().adapter, &begin), STATUS_IO_TIMEOUT) << "never silent";
  EXPECT_FALSE(kernel().Reg<regs::Ctrl>().silence()) << "it goes on";
  kernel().reg(regs::Status::kOffset) |= regs::Status{}.set_silent(1).raw;
  Submit(1);
  ASSERT_EQ(table.DxgkDdiBeginExclusiveAccess(kernel().adapter, &begin), STATUS_SUCCESS);
  EXPECT_TRUE(kernel().Reg<regs::Ctrl>().silence());
  EXPECT_TRUE(kernel().Reg<regs::Ctrl>().enable()) << "nothing is lost";
  EXPECT_TRUE(kernel().Reg<regs::RingCtrl>(kRing).enable());
  EXPECT_EQ(table.DxgkDdiBeginExclusiveAccess(kernel().adapter, &begin), STATUS_INVALID_DEVICE_STATE);
  ASSERT_EQ(table.DxgkDdiEndExclusiveAccess(kernel().adapter, &end), STATUS_SUCCESS);
  EXPECT_FALSE(kernel().Reg<regs::Ctrl>().silence());
  Complete(1);
  EXPECT_TRUE(Interrupt());
  EXPECT_EQ(kernel().notifications.back().DmaCompleted.SubmissionFenceId, 1u);
}

TEST_F(PreemptTest, NodesAreApart) {
  EXPECT_TRUE(kernel().Reg<regs::RingCtrl>(kRing).privileged());
  EXPECT_FALSE(kernel().Reg<regs::RingCtrl>(kSecond).privileged()) << "processes have no privilege";
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  args.hContext = driver.context;
  args.DmaBufferVirtualAddress = 0x7000;
  args.DmaBufferSize = 64;
  args.SubmissionFenceId = 9;
  args.NodeOrdinal = 1;
  ASSERT_EQ(kernel().table.DxgkDdiSubmitCommandVirtual(kernel().adapter, &args), STATUS_SUCCESS);
  const uint64_t* entry = kernel().SystemMemory(kernel().Reg<regs::RingBase>(kSecond).address());
  regs::RingEntryShape shape;
  shape.raw = entry[1];
  EXPECT_FALSE(shape.physical());
  EXPECT_EQ(shape.space(), 1u) << "of the context's process";
  args.Flags.Paging = 1;
  EXPECT_EQ(kernel().table.DxgkDdiSubmitCommandVirtual(kernel().adapter, &args), STATUS_INVALID_PARAMETER);
  args.NodeOrdinal = 2;
  args.Flags.Paging = 0;
  EXPECT_EQ(kernel().table.DxgkDdiSubmitCommandVirtual(kernel().adapter, &args), STATUS_INVALID_PARAMETER);
  Preempt(10, 1);
  EXPECT_TRUE(kernel().Reg<regs::RingCtrl>(kSecond).preempt());
  EXPECT_FALSE(kernel().Reg<regs::RingCtrl>(kRing).preempt());
}

}  // namespace
}  // namespace gmmu::kmd::test

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmd/escape.h"
#include "kmd/ring.h"
#include "kmd/segments.h"
#include "tb/sw/kmd/submit_bench.h"

namespace gmmu::kmd::test {
namespace {

using testing::IsEmpty;

TEST_F(SubmitTest, InterruptReportsTheLastFenceOnceAndQueuesTheDpc) {
  Submit(5);
  Submit(6);
  EXPECT_FALSE(Interrupt()) << "not ours";
  EXPECT_THAT(kernel().notifications, IsEmpty());
  Complete(6);
  EXPECT_TRUE(Interrupt());
  ASSERT_EQ(kernel().notifications.size(), 1u);
  EXPECT_EQ(kernel().notifications[0].InterruptType, DXGK_INTERRUPT_DMA_COMPLETED);
  EXPECT_EQ(kernel().notifications[0].DmaCompleted.SubmissionFenceId, 6u);
  EXPECT_EQ(kernel().dpcs, 1);
  EXPECT_EQ(kernel().Reg<regs::IntStatus>().raw, 0u) << "acknowledged";
  Complete(6);
  EXPECT_TRUE(Interrupt());
  EXPECT_EQ(kernel().notifications.size(), 1u) << "never twice";
  kernel().table.DxgkDdiDpcRoutine(kernel().adapter);
  EXPECT_EQ(kernel().notified_dpcs, 1);

  DXGKARG_QUERYCURRENTFENCE query{};
  EXPECT_EQ(kernel().table.DxgkDdiQueryCurrentFence(kernel().adapter, &query), STATUS_SUCCESS);
  EXPECT_EQ(query.CurrentFence, 6u);
}

TEST_F(SubmitTest, MonitoredFenceIsReportedAfterTheCompletion) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  std::vector<uint64_t> buffer(8);
  args.Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE;
  args.SignalMonitoredFence = {0x1000, 1};
  args.hSystemContext = driver.system_context;
  args.pDmaBuffer = buffer.data();
  args.DmaSize = 64;
  ASSERT_EQ(kernel().table.DxgkDdiBuildPagingBuffer(kernel().adapter, &args), STATUS_SUCCESS);
  Submit(1);
  Complete(1);
  Interrupt();
  ASSERT_EQ(kernel().notifications.size(), 2u);
  EXPECT_EQ(kernel().notifications[0].InterruptType, DXGK_INTERRUPT_DMA_COMPLETED);
  EXPECT_EQ(kernel().notifications[1].InterruptType, DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED);
}

TEST_F(SubmitTest, TranslationFaultIsAPageFaultWithAddressLevelAndReason) {
  Submit(9);
  Fail(regs::Fault::kEntryInvalid, 9, regs::Access::kWrite, 0x2430000, 1);
  EXPECT_TRUE(Interrupt());
  ASSERT_EQ(kernel().notifications.size(), 1u);
  EXPECT_EQ(kernel().notifications[0].InterruptType, DXGK_INTERRUPT_DMA_PAGE_FAULTED);
  const auto& fault = kernel().notifications[0].DmaPageFaulted;
  EXPECT_EQ(fault.FaultedFenceId, 9u);
  EXPECT_EQ(fault.FaultedVirtualAddress, 0x2430000u);
  EXPECT_EQ(fault.PageTableLevel, 1u);
  EXPECT_EQ(fault.PageFaultFlags, DXGK_PAGE_FAULT_WRITE | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
  EXPECT_EQ(fault.FaultErrorCode.DeviceSpecificCode, static_cast<UINT>(regs::Fault::kEntryInvalid));

  EscapeQueryRing ring;
  DXGKARG_ESCAPE args{};
  args.pPrivateDriverData = &ring;
  args.PrivateDriverDataSize = sizeof ring;
  ASSERT_EQ(kernel().table.DxgkDdiEscape(kernel().adapter, &args), STATUS_SUCCESS);
  EXPECT_EQ(ring.error, 1u);
  EXPECT_EQ(ring.fence, 9u);
  EXPECT_EQ(ring.address, 0x2430000u);
  DXGKARG_QUERYENGINESTATUS status{};
  kernel().table.DxgkDdiQueryEngineStatus(kernel().adapter, &status);
  EXPECT_FALSE(status.EngineStatus.Responsive);
}

TEST_F(SubmitTest, OtherFaultsAreDmaFaultsWithAStatus) {
  const struct {
    regs::Fault reason;
    NTSTATUS status;
  } rows[] = {{regs::Fault::kCommandBad, STATUS_INVALID_PARAMETER},
              {regs::Fault::kBusRead, STATUS_DEVICE_HARDWARE_ERROR}};
  uint32_t fence = 10;
  for (const auto& row : rows) {
    Fail(row.reason, ++fence, regs::Access::kRead, 0, 0);
    Interrupt();
    EXPECT_EQ(kernel().notifications.back().InterruptType, DXGK_INTERRUPT_DMA_FAULTED);
    EXPECT_EQ(kernel().notifications.back().DmaFaulted.Status, row.status);
    EXPECT_EQ(kernel().notifications.back().DmaFaulted.FaultedFenceId, fence);
  }
}

TEST_F(SubmitTest, PreemptionIsReportedWhenEverythingBeforeItIsDone) {
  DXGKARG_PREEMPTCOMMAND preempt{};
  preempt.PreemptionFenceId = 100;
  ASSERT_EQ(kernel().table.DxgkDdiPreemptCommand(kernel().adapter, &preempt), STATUS_SUCCESS);
  ASSERT_EQ(kernel().notifications.size(), 1u) << "an idle ring answers at once";
  EXPECT_EQ(kernel().notifications[0].DmaPreempted.PreemptionFenceId, 100u);

  Submit(1);
  preempt.PreemptionFenceId = 101;
  kernel().table.DxgkDdiPreemptCommand(kernel().adapter, &preempt);
  EXPECT_EQ(kernel().notifications.size(), 1u);
  Complete(1);
  Interrupt();
  ASSERT_EQ(kernel().notifications.size(), 3u);
  EXPECT_EQ(kernel().notifications[1].InterruptType, DXGK_INTERRUPT_DMA_COMPLETED);
  EXPECT_EQ(kernel().notifications[2].DmaPreempted.PreemptionFenceId, 101u);
  EXPECT_EQ(kernel().notifications[2].DmaPreempted.LastCompletedFenceId, 1u);
}

}  // namespace
}  // namespace gmmu::kmd::test

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
  EXPECT_TRUE(shape.interrupt());
  EXPECT_EQ(RingEntry(0)[2], 7u);
}

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

TEST_F(SubmitTest, AFullRingWaitsForTheHeadAndGivesUpInTheEnd) {
  for (uint32_t i = 1; i < Ring::kEntries; ++i) ASSERT_EQ(Submit(i), STATUS_SUCCESS);
  EXPECT_EQ(Submit(Ring::kEntries), STATUS_IO_TIMEOUT);
  EXPECT_EQ(kernel().Reg<regs::RingTail>(kRing).index(), Ring::kEntries - 1);
  kernel().reg(kRing + regs::RingHead::kOffset) = 1;  // one entry taken
  EXPECT_EQ(Submit(Ring::kEntries), STATUS_SUCCESS);
  EXPECT_EQ(kernel().Reg<regs::RingTail>(kRing).index(), 0u) << "wraps";
}

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

TEST_F(SubmitTest, FenceIdsWrap) {
  for (const uint32_t fence : {0x7FFFFFFFu, 0xFFFFFFFEu, 3u}) {
    Submit(fence);
    Complete(fence);
    Interrupt();
    EXPECT_EQ(kernel().notifications.back().DmaCompleted.SubmissionFenceId, fence);
  }
  EXPECT_EQ(kernel().notifications.size(), 3u);
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
              {regs::Fault::kBusRead, STATUS_DEVICE_HARDWARE_ERROR},
              {regs::Fault::kTimeout, STATUS_IO_TIMEOUT}};
  uint32_t fence = 10;
  for (const auto& row : rows) {
    Fail(row.reason, ++fence, regs::Access::kRead, 0, 0);
    Interrupt();
    EXPECT_EQ(kernel().notifications.back().InterruptType, DXGK_INTERRUPT_DMA_FAULTED);
    EXPECT_EQ(kernel().notifications.back().DmaFaulted.Status, row.status);
    EXPECT_EQ(kernel().notifications.back().DmaFaulted.FaultedFenceId, fence);
  }
}

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

  kernel().reg(kRing + regs::RingStatus::kOffset) = 1;  // busy for ever
  EXPECT_EQ(kernel().table.DxgkDdiResetEngine(kernel().adapter, &reset), STATUS_IO_TIMEOUT);
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

// Escapes.

class EscapeTest : public SubmitTest {
 protected:
  template <typename T>
  NTSTATUS Escape(T* data, UINT size = sizeof(T)) {
    DXGKARG_ESCAPE args{};
    args.pPrivateDriverData = data;
    args.PrivateDriverDataSize = size;
    return kernel().table.DxgkDdiEscape(kernel().adapter, &args);
  }
  uint64_t Handle(HANDLE handle) { return reinterpret_cast<uint64_t>(handle); }
};

TEST(Escape, KnowsWhichClientsHaveAnEngine) {
  struct Case {
    unsigned minor, traffic, clients;
  };
  // an interface before minor version 2 does not say: all of them have one
  for (const Case& built : {Case{1, 0, 4}, Case{2, 1, 1}, Case{2, 0, 0}}) {
    FakeKernel kernel;
    ASSERT_EQ(kernel.Load(), STATUS_SUCCESS);
    kernel.reg(regs::Id::kOffset) =
        regs::Id{}.set_magic(0x554D4D47).set_major(1).set_minor(built.minor).raw;
    kernel.reg(regs::Cap2::kOffset) =
        regs::Cap2{}.set_patterns(0b111).set_traffic(built.traffic).raw;
    ASSERT_EQ(kernel.Start(), STATUS_SUCCESS);
    const auto escape = [&](auto& data) {
      DXGKARG_ESCAPE args{};
      args.pPrivateDriverData = &data;
      args.PrivateDriverDataSize = sizeof(data);
      return kernel.table.DxgkDdiEscape(kernel.adapter, &args);
    };
    EscapeQueryCaps caps;
    ASSERT_EQ(escape(caps), STATUS_SUCCESS);
    EXPECT_EQ(caps.clients, built.clients);
    for (uint32_t client = 0; client < 5; ++client) {
      EscapeQueryClient query;
      query.client = client;
      EXPECT_EQ(escape(query),
                client < built.clients ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
    }
    kernel.Unload();
  }
}

TEST_F(EscapeTest, RunsAClientInTheSpaceOfTheProcess) {
  EscapeQueryCaps caps;
  ASSERT_EQ(Escape(&caps), STATUS_SUCCESS);
  EXPECT_EQ(caps.clients, 4u);
  EXPECT_EQ(caps.spaces, 4u);
  EXPECT_EQ(caps.vram_bytes, 8u << 20);
  EscapeQuerySpace space;
  space.process = Handle(driver.process);
  ASSERT_EQ(Escape(&space), STATUS_SUCCESS);
  EXPECT_EQ(space.space, 1u);

  EscapeRunClient run;
  run.process = Handle(driver.process);
  run.client = 2;
  run.base = 0x10000000;
  run.first = 2;
  run.stride = 4;
  run.count = 1000;
  run.step = 333;
  run.depth = 8;
  ASSERT_EQ(Escape(&run), STATUS_SUCCESS);
  const uint32_t block = regs::kClientBase + 2 * regs::kClientStride;
  EXPECT_EQ(kernel().Reg<regs::ClientBase>(block).va(), 0x10000000u);
  EXPECT_EQ(kernel().Reg<regs::ClientLines>(block).stride(), 4u);
  EXPECT_EQ(kernel().Reg<regs::ClientOrder>(block).step(), 333u);
  const auto ctrl = kernel().Reg<regs::ClientCtrl>(block);
  EXPECT_TRUE(ctrl.start());
  EXPECT_EQ(ctrl.space(), 1u);
  EXPECT_EQ(ctrl.depth(), 8u);
  EXPECT_EQ(kernel().writes.back().offset, block + regs::ClientCtrl::kOffset) << "start comes last";

  kernel().reg(block + regs::ClientStatus::kOffset) = 1;
  EXPECT_EQ(Escape(&run), STATUS_DEVICE_NOT_READY);
  kernel().reg(block + regs::ClientStatus::kOffset) = uint64_t{1000} << 32;
  kernel().reg(block + regs::ClientResult::kOffset) = 0xCAFE1234;
  EscapeQueryClient query;
  query.client = 2;
  ASSERT_EQ(Escape(&query), STATUS_SUCCESS);
  EXPECT_EQ(query.busy + query.fault, 0u);
  EXPECT_EQ(query.count, 1000u);
  EXPECT_EQ(query.crc, 0xCAFE1234u);
}

TEST_F(EscapeTest, RunsPatternsAndChecksThatWereBuilt) {
  EscapeRunClient run;
  run.process = Handle(driver.process);
  run.client = 1;
  run.count = 7;
  run.access = static_cast<uint32_t>(regs::Access::kWrite);
  run.pattern = static_cast<uint8_t>(regs::Pattern::kRandom);
  run.verify = 1;
  run.footprint_lg2 = 20;
  run.seed = 99;
  ASSERT_EQ(Escape(&run), STATUS_SUCCESS);
  const uint32_t block = regs::kClientBase + regs::kClientStride;
  const auto ctrl = kernel().Reg<regs::ClientCtrl>(block);
  EXPECT_EQ(ctrl.pattern(), regs::Pattern::kRandom);
  EXPECT_TRUE(ctrl.verify());
  EXPECT_EQ(ctrl.footprint_lg2(), 20u);
  kernel().reg(block + regs::ClientResult::kOffset) =
      regs::ClientResult{}.set_crc(5).set_mismatches(3).raw;
  EscapeQueryClient query;
  query.client = 1;
  ASSERT_EQ(Escape(&query), STATUS_SUCCESS);
  EXPECT_EQ(query.crc, 5u);
  EXPECT_EQ(query.mismatches, 3u);

  kernel().writes.clear();
  run.pattern = static_cast<uint8_t>(regs::Pattern::kChase);  // the fake was built without
  EXPECT_EQ(Escape(&run), STATUS_NOT_SUPPORTED);
  EXPECT_THAT(kernel().writes, IsEmpty());
}

TEST_F(EscapeTest, RefusesBadRequestsWithoutTouchingTheDevice) {
  const auto good = [&] {
    EscapeRunClient run;
    run.process = Handle(driver.process);
    run.count = 4;
    run.step = 1;
    return run;
  };
  std::vector<EscapeRunClient> bad(9, good());
  bad[0].client = 4;
  bad[1].process = 0;
  bad[2].base = 8;
  bad[3].count = 0;
  bad[4].step = 4;
  bad[5].access = 3;
  bad[6].pattern = 3;
  bad[7].verify = 2;
  bad[8].footprint_lg2 = 33;
  for (auto& run : bad) EXPECT_EQ(Escape(&run), STATUS_INVALID_PARAMETER) << &run - bad.data();
  auto run = good();
  EXPECT_EQ(Escape(&run, sizeof run - 1), STATUS_INVALID_PARAMETER);
  run.header.code = static_cast<EscapeCode>(99);
  EXPECT_EQ(Escape(&run), STATUS_INVALID_PARAMETER);
  run.header = {EscapeCode::kQueryRing, sizeof(EscapeQueryRing)};
  EXPECT_EQ(Escape(&run, 8), STATUS_INVALID_PARAMETER);
  EXPECT_THAT(kernel().writes, IsEmpty());
}

TEST_F(EscapeTest, FaultRecordsComeInOrderAcrossTheEndOfTheQueue) {
  uint64_t* queue = kernel().SystemMemory(kernel().Reg<regs::FaultQueueBase>().address());
  uint32_t taken = 0;
  const auto record = [&](uint32_t sequence) {
    uint64_t* at = queue + sequence % 128 * 4;
    at[0] = regs::FaultRecordWhat{}.set_space(1).set_port_index(2).raw |
            static_cast<uint8_t>(regs::Fault::kWriteProtect);
    at[1] = 0x1000 + sequence;
    at[3] = sequence;
    kernel().reg(regs::FaultQueueTail::kOffset) = (sequence + 1) % 128;
    kernel().reg(regs::IntStatus::kOffset) |= regs::IntStatus{}.set_fault(1).raw;
    EXPECT_TRUE(Interrupt());
    kernel().table.DxgkDdiDpcRoutine(kernel().adapter);
  };
  for (uint32_t i = 0; i < 200; ++i) record(i);
  EXPECT_EQ(kernel().Reg<regs::FaultQueueHead>().index(), 200u % 128);
  EXPECT_THAT(kernel().notifications, IsEmpty()) << "a client's fault is not the engine's";
  for (;;) {
    EscapeReadFaults faults;
    ASSERT_EQ(Escape(&faults), STATUS_SUCCESS);
    EXPECT_EQ(faults.dropped, 0u);
    if (faults.count == 0) break;
    for (uint32_t i = 0; i < faults.count; ++i, ++taken) {
      EXPECT_EQ(faults.faults[i].sequence, taken);
      EXPECT_EQ(faults.faults[i].address, 0x1000u + taken);
      EXPECT_EQ(faults.faults[i].reason, static_cast<uint32_t>(regs::Fault::kWriteProtect));
      EXPECT_EQ(faults.faults[i].port, 2u);
    }
  }
  EXPECT_EQ(taken, 200u);
}

TEST_F(EscapeTest, AFullLogCountsWhatItDrops) {
  uint64_t* queue = kernel().SystemMemory(kernel().Reg<regs::FaultQueueBase>().address());
  for (uint32_t i = 0; i < 300; ++i) {
    queue[i % 128 * 4 + 3] = i;
    kernel().reg(regs::FaultQueueTail::kOffset) = (i + 1) % 128;
    kernel().table.DxgkDdiDpcRoutine(kernel().adapter);
  }
  EscapeReadFaults faults;
  ASSERT_EQ(Escape(&faults), STATUS_SUCCESS);
  EXPECT_EQ(faults.dropped, 300u - 256u);
  EXPECT_EQ(faults.faults[0].sequence, 0u) << "the first fault is the telling one";
}

}  // namespace
}  // namespace gmmu::kmd::test

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/life_bench.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(LostInterrupts, ACompletionThatNobodyToldIsFoundByQueryCurrentFence) {
  Faults test;
  const PacketId first = test.Submit(test.Render(1, test.guilty));
  const PacketId second = test.Submit(test.Render(1, test.guilty));
  test.Run([&] {
    test.driver.current_fence = 1;
    test.Sleep(30'000);
    EXPECT_EQ(test.vidsch.EndOf(first), PacketEnd::kCompleted);
    EXPECT_FALSE(test.vidsch.Ended(second));
    EXPECT_EQ(test.vidsch.missed_completions(), 1u) << "what is not newer is not reported again";
    test.driver.current_fence = 2;
    test.Sleep(30'000);
    EXPECT_EQ(test.vidsch.EndOf(second), PacketEnd::kCompleted);
  });
  EXPECT_THAT(test.driver.preempted, IsEmpty());
  EXPECT_THAT(test.vidsch.recoveries(), IsEmpty());
}

TEST(LostInterrupts, AnOlderFenceIsNotTaken) {
  Faults test;
  test.Submit(test.Render(1, test.guilty));
  test.Submit(test.Render(1, test.guilty));
  test.Complete(1, 1);
  test.driver.current_fence = 0xFFFF'FFF0;  // older than fence 1, because fence ids wrap
  test.Run([&] {
    test.Sleep(30'000);
    EXPECT_EQ(test.vidsch.last_completed(1), 1u);
    EXPECT_EQ(test.vidsch.missed_completions(), 0u);
    test.Complete(2, 1);
  });
}

TEST(LostInterrupts, AReportedCompletionIsMissedForWantOfADeferredCallOrOfItsNotice) {
  for (const bool dpc_runs : {false, true}) {
    SCOPED_TRACE(dpc_runs);
    Faults test;
    const PacketId packet = test.Submit(test.Render(1, test.guilty));
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.NodeOrdinal = 1;
    data.DmaCompleted.SubmissionFenceId = 1;
    test.Run([&] {
      test.Tell(data, /*dpc=*/false);
      if (dpc_runs) test.vidsch.OnDpcReturned();
      test.driver.current_fence = 1;
      test.Sleep(30'000);
      EXPECT_EQ(test.vidsch.EndOf(packet), PacketEnd::kCompleted);
    });
    using Fate = Reports::Fate;
    EXPECT_EQ(test.vidsch.missed_completions(Fate::kNotReported), 0u);
    EXPECT_EQ(test.vidsch.missed_completions(Fate::kNoDpc), dpc_runs ? 0u : 1u);
    EXPECT_EQ(test.vidsch.missed_completions(Fate::kNoNotifyDpc), dpc_runs ? 1u : 0u);
  }
}

// The deferred call is only delayed: it runs after the system has queried the driver's fence. From
// then on, the completion no longer counts as missed.
TEST(LostInterrupts, AReportThatIsTakenUpSoonAfterwardsWasNotMissed) {
  Faults test;
  test.Submit(test.Render(1, test.guilty));
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.NodeOrdinal = 1;
  data.DmaCompleted.SubmissionFenceId = 1;
  test.Run([&] {
    test.Tell(data, /*dpc=*/false);
    test.driver.current_fence = 1;
    test.Sleep(30'000);
    EXPECT_EQ(test.vidsch.missed_completions(Reports::Fate::kNoDpc), 1u);
    test.vidsch.OnDpc();
    EXPECT_EQ(test.vidsch.missed_completions(Reports::Fate::kNoDpc), 0u);
  });
}

// On a slow link, the driver's routines take long. While a routine is running, it may still report
// the completion. Only if it ends without a report does the completion count as missed.
TEST(LostInterrupts, AReportFromARoutineThatWasRunningWasNotMissed) {
  for (const bool reports : {false, true}) {
    SCOPED_TRACE(reports);
    Parameters parameters = Faults::Short(10);
    parameters.tdr_delay_us = 10'000;
    parameters.preemption = 1;
    SchedulerBench test(0, parameters);
    Scheduler& scheduler = test.kernel.scheduler();
    GpuDevice* device = test.vidsch.CreateDevice("device");
    const PacketId packet = test.Submit(test.Render(1, device));
    test.Run([&] {
      scheduler.QueueDpc([&] {
        test.driver.current_fence = 1;
        const uint64_t end = test.kernel.hal().NowNs() + 400'000;
        scheduler.Spin([&] { return test.kernel.hal().NowNs() >= end; }, "the routine to end");
        if (reports) test.Complete(1, 1);
      });
      test.Sleep(500'000);
      EXPECT_EQ(test.vidsch.EndOf(packet), PacketEnd::kCompleted);
      EXPECT_EQ(test.vidsch.missed_completions(), reports ? 0u : 1u);
    });
  }
}

TEST(LostInterrupts, TheMainJobEndsWithoutThem) {
  LifeBench bench;
  bench.options.os.inject.lost_interrupts = 3;
  bench.options.os.quantum_us = 20;
  const auto result = bench.Run([](workload::Life& life) {
    workload::RunSeededMainJob(life, 30'000);
    EXPECT_GT(life.adapter.vidsch().missed_completions(), 0u);
    EXPECT_THAT(life.adapter.vidsch().recoveries(), IsEmpty());
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_TRUE(result.verified);
}

/// A machine that drops some interrupt messages.
struct Silent : sim::twin::FastMachine {
  explicit Silent(const sim::MachineConfig& config) : FastMachine(config) {}
  std::optional<hw::Message> TakeMessage() override {
    while (auto message = Machine::TakeMessage()) {
      if (lost == 0) return message;
      --lost;
    }
    return std::nullopt;
  }
  unsigned lost = 0;
};

TEST(LostInterrupts, ACompletionThatNoInterruptReportedIsAFinding) {
  for (const unsigned lost : {0u, 3u}) {
    LifeBench bench;
    bench.options.os.quantum_us = 20;
    Silent platform(bench.config);
    workload::JobResult result;
    RunLife(platform, bench.options, result, [&](workload::Life& life) {
      platform.lost = lost;
      workload::RunSeededMainJob(life, 30'000);
    });
    EXPECT_THAT(result.faults, IsEmpty());
    EXPECT_TRUE(result.verified);
    if (lost == 0) {
      EXPECT_THAT(result.findings, IsEmpty());
    } else {
      ASSERT_THAT(result.findings, SizeIs(1));
      EXPECT_EQ(result.findings[0].probe, "interrupts");
      EXPECT_THAT(result.findings[0].text, HasSubstr("DxgkDdiQueryCurrentFence told "));
    }
  }
}

}  // namespace
}  // namespace gmmu::os::test

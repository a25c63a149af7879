// SPDX-License-Identifier: Apache-2.0
// Page faults without a fence, lost interrupts, nodes that depend on each other, resets that fail; against a driver
// that answers as each test says. Documents only, but where a build is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/life_bench.h"
#include "os/dxgkrnl/adapter.h"
#include "os/kernel/bug_check.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidsch/vidsch.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"
#include "workload/procedures/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = VidSch::Recovery::Kind;

struct Faults : SchedulerBench {
  explicit Faults(uint64_t quantum_ns = 10'000) : SchedulerBench(0, Short(quantum_ns)) {
    guilty->process = &guilty;
    other->process = &other;
  }
  static Parameters Short(uint64_t quantum_ns) {
    Parameters parameters;
    parameters.quantum_ns = quantum_ns;
    parameters.tdr_delay_ns = 100'000;
    return parameters;
  }
  GpuDevice* guilty = vidsch.CreateDevice("guilty");
  GpuDevice* other = vidsch.CreateDevice("other");
};

void ExpectAResetBitWithoutAFence() {
  for (const auto& [fence, flags] : {std::pair{0u, 0u}, {1u, unsigned{DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED}}}) {
    Faults test;
    test.Submit(test.Render(1, test.guilty));
    EXPECT_THROW(test.PageFault(fence, 1, DXGK_PAGE_FAULT_FENCE_INVALID | flags), BugCheck) << fence << " " << flags;
  }
}
TEST(PageFaultFlags, WithoutAFenceAResetBitIsCompulsoryAndTheFenceIs0) { ExpectAResetBitWithoutAFence(); }
/// Rule 18, its second half.
TEST(Rule11, WithAnUnknownFenceAResetBitIsCompulsory) { ExpectAResetBitWithoutAFence(); }

TEST(PageFaultFlags, WithoutAFenceTheEngineIsResetAndThePacketThatRanIsLost) {
  Faults test;
  const PacketId ran = test.Submit(test.Render(1, test.guilty));
  const PacketId behind = test.Submit(test.Render(2, test.other));
  test.driver.last_aborted = 2;
  test.Run([&] {
    test.PageFault(0, 1, DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    EXPECT_FALSE(test.vidsch.Ended(ran)) << "no fence is completed by it";
    test.Sleep(2000);
    EXPECT_THAT(test.driver.reset, ElementsAre(1u));
    EXPECT_EQ(test.vidsch.EndOf(ran), PacketEnd::kLost);
    test.Complete(test.vidsch.last_submitted(1), 1);
    EXPECT_EQ(test.vidsch.EndOf(behind), PacketEnd::kCompleted);
  });
  EXPECT_TRUE(test.guilty->lost);
  EXPECT_FALSE(test.other->lost);
}

TEST(PageFaultFlags, TheProcessHandleSaysWhoseDeviceIsLost) {
  Faults test;
  const PacketId ran = test.Submit(test.Render(2, test.other));
  const PacketId behind = test.Submit(test.Render(1, test.guilty));
  test.driver.last_aborted = 2;
  test.Run([&] {
    test.PageFault(0, 1,
                   DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED |
                       DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID,
                   &test.guilty);
    test.Sleep(2000);
    ASSERT_THAT(test.driver.reset, ElementsAre(1u));
    EXPECT_EQ(test.vidsch.EndOf(behind), PacketEnd::kLost);
    test.Complete(test.vidsch.last_submitted(1), 1);
    EXPECT_EQ(test.vidsch.EndOf(ran), PacketEnd::kCompleted) << "it ran, and was not named";
  });
  EXPECT_TRUE(test.guilty->lost);
  EXPECT_FALSE(test.other->lost);
  EXPECT_EQ(test.vidsch.recoveries()[0].device, "guilty");
}

TEST(PageFaultFlags, AProcessThatIsNamedAndEndsBeforeTheResetTakesNobodyWithIt) {
  for (const auto& [reset, before] : std::vector<std::pair<unsigned, bool>>{
           {DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED, false}, {DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED, false},
           {DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED, true}, {DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED, true}}) {
    SCOPED_TRACE(before ? "gone when the fault is reported" : "gone behind the report");
    Faults test;
    const unsigned flags = DXGK_PAGE_FAULT_FENCE_INVALID | reset | DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID;
    const bool adapter = reset == DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED;
    const PacketId ran = test.Submit(test.Render(2, test.other));
    test.driver.last_aborted = 1;
    test.Run([&] {
      if (before) test.vidsch.DestroyDevice(test.guilty);
      test.PageFault(0, 1, flags, &test.guilty);
      if (!before) test.vidsch.DestroyDevice(test.guilty);
      test.vidsch.CreateDevice("one more");  // where it was, perhaps
      test.Sleep(2000);
      if (!adapter) test.Complete(test.vidsch.last_submitted(1), 1);
    });
    ASSERT_THAT(test.vidsch.recoveries(), SizeIs(1));
    EXPECT_EQ(test.vidsch.recoveries()[0].device, "");
    EXPECT_EQ(test.vidsch.EndOf(ran), adapter ? PacketEnd::kLost : PacketEnd::kCompleted);
    EXPECT_EQ(test.other->lost, adapter);
  }
}

TEST(PageFaultFlags, AdapterResetAndFatalErrorResetTheAdapter) {
  for (const unsigned flag : {DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED, DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR}) {
    Faults test;
    test.Submit(test.Render(1, test.guilty));
    test.Run([&] {
      test.PageFault(0, 1, DXGK_PAGE_FAULT_FENCE_INVALID | flag);
      test.Sleep(2000);
    });
    EXPECT_THAT(test.driver.reset, IsEmpty()) << "not the engine";
    EXPECT_EQ(test.driver.adapter_resets, 1);
    ASSERT_THAT(test.vidsch.recoveries(), SizeIs(1));
    EXPECT_EQ(test.vidsch.recoveries()[0].kind, Kind::kAdapter);
    EXPECT_TRUE(test.other->lost) << "every device is";
  }
}

TEST(DmaFaults, LoseTheDeviceOfThePacketThatTheFenceNames) {
  Faults test;
  const PacketId first = test.Submit(test.Render(2, test.other));  // its completion was not told
  const PacketId faulted = test.Submit(test.Render(1, test.guilty));
  const PacketId later = test.Submit(test.Render(2, test.other));
  test.driver.last_aborted = 3;
  test.Run([&] {
    test.DmaFault(2, 1);
    EXPECT_EQ(test.vidsch.EndOf(first), PacketEnd::kCompleted);
    EXPECT_EQ(test.vidsch.EndOf(faulted), PacketEnd::kLost);
    test.Sleep(2000);
    EXPECT_THAT(test.driver.reset, ElementsAre(1u));
    ASSERT_THAT(test.driver.FencesFrom(3), ElementsAre(4u)) << "what came later, and nothing else";
    test.Complete(4, 1);
    EXPECT_EQ(test.vidsch.EndOf(later), PacketEnd::kCompleted);
  });
  EXPECT_TRUE(test.guilty->lost);
  EXPECT_THAT(test.guilty->why, HasSubstr("fence 2"));
  EXPECT_FALSE(test.other->lost);
  ASSERT_THAT(test.vidsch.recoveries(), SizeIs(1));
  EXPECT_EQ(test.vidsch.recoveries()[0].device, "guilty");
  EXPECT_THAT(test.kernel.faults(), IsEmpty());
}

TEST(DmaFaults, OfAPagingPacketOrOfNoneThatRunsEndTheRun) {
  for (const uint32_t fence : {1u, 7u}) {
    Faults test;
    test.Submit(test.Paging());
    test.Submit(test.Render(1, test.guilty, 0));  // behind it
    test.DmaFault(fence, 0);
    ASSERT_THAT(test.kernel.faults(), SizeIs(1));
    EXPECT_EQ(test.kernel.faults()[0].fence, fence);
    EXPECT_FALSE(test.guilty->lost);
  }
}

TEST(PageFaultFlags, WhoAsksForAnAdapterResetGetsItWhateverFenceIsNamed) {
  for (const unsigned flag : {DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED, DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR}) {
    for (const uint32_t fence : {1u, 2u, 7u}) {  // a paging packet's, a render packet's, nobody's
      SCOPED_TRACE(std::to_string(flag) + ", fence " + std::to_string(fence));
      Faults test;
      const PacketId paging = test.Submit(test.Paging(1)), render = test.Submit(test.Render(1, test.guilty));
      test.Run([&] {
        test.PageFault(fence, 1, flag);
        test.Sleep(2000);
      });
      EXPECT_THAT(test.kernel.faults(), IsEmpty());
      EXPECT_THAT(test.driver.reset, IsEmpty()) << "not the engine";
      EXPECT_EQ(test.driver.adapter_resets, 1);
      EXPECT_EQ(test.vidsch.EndOf(paging), fence == 2 ? PacketEnd::kCompleted : PacketEnd::kLost);
      EXPECT_EQ(test.vidsch.EndOf(render), PacketEnd::kLost);
      EXPECT_TRUE(test.other->lost) << "every device is";
    }
  }
}

TEST(PageFaultFlags, AFaultThatNeedsLessDoesNotTakeAnAdapterResetBack) {
  Faults test;
  test.Submit(test.Render(1, test.guilty));
  test.Submit(test.Render(2, test.other));
  test.Run([&] {
    test.PageFault(1, 1, DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED);
    test.PageFault(2, 1, DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    test.Sleep(2000);
  });
  EXPECT_THAT(test.driver.reset, IsEmpty());
  EXPECT_EQ(test.driver.adapter_resets, 1);
}

// By the design of a driver for build 22621: both resets fail.
TEST(Tdr, WhenEngineAndAdapterCannotBeResetItIsBugCheck0x116) {
  Faults test;
  test.Submit(test.Render(1, test.guilty));
  test.driver.reset_status = STATUS_IO_TIMEOUT;
  test.driver.adapter_reset_status = STATUS_IO_TIMEOUT;
  try {
    test.Run([&] { test.Sleep(400'000); });
    FAIL() << "no bug check";
  } catch (const BugCheck& stop) {
    EXPECT_EQ(stop.code(), StopCode::kVideoTdrFailure);
    EXPECT_EQ(static_cast<uint32_t>(stop.code()), 0x116u);
    EXPECT_THAT(stop.what(), HasSubstr("VIDEO_TDR_FAILURE"));
  }
  EXPECT_THAT(test.driver.reset, ElementsAre(1u));
}

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
  test.driver.current_fence = 0xFFFF'FFF0;  // before 1
  test.Run([&] {
    test.Sleep(30'000);
    EXPECT_EQ(test.vidsch.last_completed(1), 1u);
    test.Complete(2, 1);
  });
  EXPECT_EQ(test.vidsch.missed_completions(), 0u);
}

TEST(LostInterrupts, TheMainJobEndsWithoutThem) {
  LifeBench bench;
  bench.options.os.inject.lost_interrupts = 3;
  bench.options.os.quantum_ns = 20'000;
  const auto result = bench.Run([](workload::Life& life) {
    workload::RunSeededMainJob(life, 30'000);
    EXPECT_GT(life.adapter.vidsch().missed_completions(), 0u);
    EXPECT_THAT(life.adapter.vidsch().recoveries(), IsEmpty());
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_TRUE(result.verified);
}

/// A machine on which some interrupt messages never come.
struct Silent : sim::twin::Machine {
  explicit Silent(const sim::MachineConfig& config) : Machine(sim::twin::MachineParameters::From(config)) {}
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
    bench.options.os.quantum_ns = 20'000;
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

TEST(DependentNodes, ArePreemptedBeforeTheEngineIsReset) {
  Faults test;
  test.driver.dependents = 1u << 2;
  const PacketId dependent = test.Submit(test.Render(2, test.other, 2));
  test.Submit(test.Render(1, test.guilty, 1));
  test.driver.last_aborted = 1;
  test.Run([&] {
    test.PageFault(1, 1);
    test.Sleep(2000);
    ASSERT_THAT(test.driver.preempted, SizeIs(1));
    EXPECT_EQ(test.driver.preempted[0].NodeOrdinal, 2u);
    EXPECT_THAT(test.driver.reset, IsEmpty()) << "not before it has answered";
    test.AnswerPreemption(0, 2);
    test.Sleep(2000);
    EXPECT_THAT(test.driver.reset, ElementsAre(1u));
    test.Complete(test.vidsch.last_submitted(2), 2);
    EXPECT_EQ(test.vidsch.EndOf(dependent), PacketEnd::kCompleted);
  });
  EXPECT_FALSE(test.other->lost);
}

TEST(DependentNodes, OneThatDoesNotAnswerIn500MsResetsTheAdapter) {
  Faults test;
  test.driver.dependents = 1u << 2;
  test.Submit(test.Render(2, test.other, 2));
  test.Submit(test.Render(1, test.guilty, 1));
  test.Run([&] {
    test.PageFault(1, 1);
    test.Sleep(499'000'000);
    EXPECT_EQ(test.driver.adapter_resets, 0);
    test.Sleep(2'000'000);
    EXPECT_EQ(test.driver.adapter_resets, 1);
  });
  ASSERT_THAT(test.vidsch.recoveries(), SizeIs(1));
  EXPECT_THAT(test.vidsch.recoveries()[0].why, HasSubstr("depends on it"));
}

// On the machine: node 0 has paging work behind the fill that hangs node 1. Nothing of node 0 is lost.
TEST(DependentNodes, OfOursOneThatHangsHoldsTheOtherUpAndIsResetAlone) {
  LifeBench bench;
  bench.config.gpu.vram_mib = 4;
  bench.config.gpu.rings = 2;
  bench.options.os.quantum_ns = 20'000;
  bench.options.os.tdr_delay_ns = 50'000;
  const auto result = bench.Run([](workload::Life& life) {
    constexpr uint64_t kPages = 1024, kPage = 4096;
    VidSch& vidsch = life.adapter.vidsch();
    GpuProcess *guilty = nullptr, *other = nullptr;
    Allocation* page = nullptr;
    uint64_t va = 0, others = 0;
    life.worker.Call([&] {
      guilty = life.vidmm.CreateProcess("guilty");
      other = life.vidmm.CreateProcess("other");
      page = life.vidmm.CreateAllocation("page", kPage);
      life.vidmm.MakeResident(*page);
      va = life.vidmm.ReserveVa(*guilty, kPages * kPage);
      others = life.vidmm.ReserveVa(*other, kPage);
      life.vidmm.mappings().MapOnePage(*guilty, va, *page, 0, kPages);
    });
    workload::RenderBuffer commands(life, guilty, kPage);
    commands.Fill(va, kPages * kPage, 1);
    const PacketId hung = commands.Submit("an endless fill");
    life.worker.Call([&] {
      EXPECT_FALSE(vidsch.Ended(hung));
      life.vidmm.Map(*other, others, *page, 0, 1);
      EXPECT_EQ(vidsch.EndOf(hung), PacketEnd::kLost) << "node 0 had to wait for its reset";
      life.vidmm.Unmap(*other, others, 1);
    });
    ASSERT_THAT(vidsch.recoveries(), SizeIs(1));
    EXPECT_EQ(vidsch.recoveries()[0].kind, Kind::kEngine);
    EXPECT_EQ(vidsch.recoveries()[0].node, life.adapter.caps().render_node);
    EXPECT_EQ(vidsch.recoveries()[0].device, "guilty");
    EXPECT_FALSE(other->handles.state->lost);
    commands.Release();
    life.worker.Call([&] {
      life.vidmm.Unmap(*guilty, va, kPages);
      life.vidmm.FreeVa(*guilty, va);
      life.vidmm.FreeVa(*other, others);
      life.vidmm.DestroyAllocation(page);
      life.vidmm.DestroyProcess(guilty);
      life.vidmm.DestroyProcess(other);
    });
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

// Seen on build 26100, whose scratch windows are written by paging buffers once the process has come up.
TEST(PagingProcess, IsWrittenByTheCpuOrByPagingBuffersOnceItHasComeUp) {
  for (const bool by_gpu : {false, true}) {
    uint64_t cpu = 0, gpu = 0, before = 0;
    LifeBench bench;
    bench.options.os.paging_updates_by_gpu = by_gpu;
    bench.options.os.trace_paging = [&](const std::string& line) {
      cpu += line.find("\"CPU_VIRTUAL\"") != std::string::npos;
      gpu += line.find("\"GPU_PHYSICAL\"") != std::string::npos;
    };
    const auto result = bench.Run([&](workload::Life& life) {
      before = cpu;
      EXPECT_EQ(gpu, 0u) << "its first tables are the CPU's work";
      workload::RunSeededMainJob(life, 30'000);
    });
    EXPECT_TRUE(result.Passed());
    EXPECT_GT(before, 0u);
    EXPECT_GT(gpu, 0u);
    EXPECT_EQ(cpu == before, by_gpu);
  }
}

// No source settles it; both ends are aligned to 64 KiB in what was seen on build 26100.
TEST(FlushEnd, IsTheLastByteOrOneBehindItByASwitch) {
  for (const bool inclusive : {false, true}) {
    uint64_t flushes = 0, odd = 0;
    LifeBench bench;
    bench.options.os.flush_end_inclusive = inclusive;
    bench.options.os.trace_paging = [&](const std::string& line) {
      if (line.find("\"FLUSH_TLB\"") == std::string::npos) return;
      ++flushes;
      odd += line.find("fff\", \"hProcess\"") != std::string::npos;
    };
    const auto result = bench.Run([&](workload::Life& life) { workload::RunSeededMainJob(life, 30'000); });
    EXPECT_TRUE(result.Passed());
    EXPECT_GT(flushes, 0u);
    EXPECT_EQ(odd, inclusive ? flushes : 0u);
  }
}

}  // namespace
}  // namespace gmmu::os::test

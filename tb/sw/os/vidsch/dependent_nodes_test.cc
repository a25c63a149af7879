// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/life_bench.h"
#include "os/base/bug_check.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidsch/vidsch.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = VidSch::Recovery::Kind;

// Both the engine reset and the adapter reset fail. A driver for Windows build 22621 makes them
// fail by design.
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

// Tests the whole machine. Paging work for node 0 is queued after a fill that hangs node 1. This
// paging work must not be lost.
TEST(DependentNodes, OfOursOneThatHangsHoldsTheOtherUpAndIsResetAlone) {
  LifeBench bench;
  bench.config.gpu.vram_mib = 4;
  bench.config.gpu.rings = 2;
  bench.options.os.quantum_us = 20;
  bench.options.os.tdr_delay_us = 50;
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

}  // namespace
}  // namespace gmmu::os::test

// SPDX-License-Identifier: Apache-2.0
// Tests the threading levels of the driver's entry points, and the stack of the thread that builds
// paging buffers. The threading levels follow Microsoft's documentation; they have not been
// observed on Windows.
#include "os/miniport/call_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ddi/wdm.h"
#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "os/base/bug_check.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using workload::Life;

TEST(CallLevels, OfTheEntriesAreThoseOfTheDocuments) {
  for (const char* entry : {"DxgkDdiAddDevice", "DxgkDdiStartDevice", "DxgkDdiStopDevice", "DxgkDdiSetPowerState",
                            "DxgkDdiResetFromTimeout", "DxgkDdiRestartFromTimeout", "DxgkDdiRemoveDevice"}) {
    EXPECT_EQ(LevelOf(entry), CallLevel::kThree) << entry;
  }
  for (const char* entry : {"DxgkDdiBuildPagingBuffer", "DxgkDdiSubmitCommandVirtual", "DxgkDdiPreemptCommand",
                            "DxgkDdiResetEngine", "DxgkDdiQueryEngineStatus"}) {
    EXPECT_EQ(LevelOf(entry), CallLevel::kOne) << entry;
  }
  for (const char* entry : {"DxgkDdiCreateAllocation", "DxgkDdiCreateContext", "DxgkDdiQueryAdapterInfo",
                            "DxgkDdiQueryCurrentFence", "DxgkDdiInterruptRoutine", "DxgkDdiDpcRoutine"}) {
    EXPECT_EQ(LevelOf(entry), CallLevel::kZero) << entry;
  }
}

TEST(CallLevels, LevelThreeComesWithEvictedVideoMemory) {
  test::LifeBench bench;
  const auto result = bench.RunOnWorker([](Life& life) {
    Allocation* held = life.vidmm.CreateAllocation("held", hw::kPageSize);
    life.vidmm.MakeResident(*held);
    life.vidmm.Stop();
    try {
      life.adapter.PowerDown();
      ADD_FAILURE() << "the driver was called with video memory in use";
    } catch (const BugCheck& stop) {
      EXPECT_THAT(stop.what(), HasSubstr("DxgkDdiSetPowerState, a call of level three, is made while 1 ranges"));
      throw;
    }
  });
  EXPECT_THAT(result.faults, SizeIs(1));
}

TEST(CallLevels, LevelThreeComesWithAnIdleGpu) {
  test::SchedulerBench bench;
  bench.miniport.driver().set_not_idle([&] { return bench.vidsch.idle() ? "" : "the driver holds packets"; });
  bench.Submit(bench.Paging());
  EXPECT_THROW(bench.miniport.devices().StopDevice(), BugCheck);
  EXPECT_EQ(bench.miniport.ResetFromTimeout(), STATUS_SUCCESS) << "what recovers a hung GPU";
  bench.Complete(1);
  bench.miniport.devices().StopDevice();
  EXPECT_EQ(bench.miniport.calls("DxgkDdiStopDevice"), 1u);
}

// The submission and paging entry points form one class, in which only one thread may run at a
// time.
TEST(CallLevels, LevelOneIsOneThreadInItsClass) {
  test::SchedulerBench bench;
  bool inside = false;
  int together = 0, asked = 0;
  bench.driver.on_submit = [&] {
    together += inside;
    inside = true;
    bench.Sleep(1000);  // lets another thread run
    inside = false;
  };
  bench.driver.on_status = [&] {
    ++asked;
    together += inside;
  };
  bench.Run([&] {
    bench.kernel.scheduler().Spawn("another", [&] { bench.Submit(bench.Render(2)); });
    bench.kernel.scheduler().Spawn("a third", [&] {
      DXGKARG_QUERYENGINESTATUS status{};
      bench.miniport.QueryEngineStatus(status);
    });
    bench.Submit(bench.Render(1));
    bench.Submit(bench.Paging());
    bench.Sleep(20'000);
    EXPECT_THAT(bench.driver.submitted, SizeIs(3));
  });
  EXPECT_EQ(together, 0);
  EXPECT_EQ(asked, 1);
}

TEST(CallLevels, CallsOfLevelZeroAreInTheDriverAtTheSameTime) {
  test::SchedulerBench bench;
  int inside = 0, most = 0;
  bench.driver.on_fence = [&] {
    most = std::max(most, ++inside);
    bench.Sleep(1000);
    --inside;
  };
  bench.driver.on_submit = bench.driver.on_fence;
  bench.Run([&] {
    for (const char* name : {"one", "two"})
      bench.kernel.scheduler().Spawn(name, [&] { bench.miniport.QueryCurrentFence(0, 0); });
    bench.Submit(bench.Render(1));
    bench.Sleep(5000);
  });
  EXPECT_EQ(most, 3) << "two of level zero, and one of level one";
}

TEST(CallLevels, LevelThreeIsAloneInTheDriver) {
  test::SchedulerBench bench;
  bool inside = false, stopping = false;
  int together = 0, calls = 0;
  bench.driver.on_fence = [&] {
    ++calls;
    together += stopping;
    inside = true;
    bench.Sleep(1000);
    inside = false;
  };
  bench.driver.on_submit = bench.driver.on_fence;
  bench.driver.on_stop = [&] {
    ++calls;
    together += inside;
    stopping = true;
    bench.kernel.scheduler().Spawn("late", [&] { bench.miniport.QueryCurrentFence(0, 0); });
    bench.Sleep(1000);
    stopping = false;
  };
  bench.Run([&] {
    for (const char* name : {"one", "two", "three"}) {
      bench.kernel.scheduler().Spawn(name, [&] { bench.miniport.QueryCurrentFence(0, 0); });
      bench.kernel.scheduler().Spawn(name, [&] { bench.miniport.devices().StopDevice(); });
    }
    bench.Submit(bench.Render(1));
    bench.Sleep(20'000);
  });
  EXPECT_EQ(calls, 10);
  EXPECT_EQ(together, 0);
}

TEST(CallLevels, ACallThatReturnsWithALockIsABugCheck) {
  test::SchedulerBench bench;
  KMUTEX mutex;
  KeInitializeMutex(&mutex, 0);
  bench.driver.on_fence = [&] { KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr); };
  try {
    bench.miniport.QueryCurrentFence(0, 0);
    FAIL() << "nobody noticed";
  } catch (const BugCheck& stop) {
    EXPECT_THAT(stop.what(), HasSubstr("DxgkDdiQueryCurrentFence returned and holds the mutex at "));
  }
}

}  // namespace
}  // namespace gmmu::os

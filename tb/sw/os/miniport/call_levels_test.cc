// SPDX-License-Identifier: Apache-2.0
// Threading levels of the driver's entry points, and the stack of the thread that builds paging buffers.
#include "os/miniport/call_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "os/dxgkrnl/adapter.h"
#include "os/kernel/bug_check.h"
#include "os/kernel/stack_meter.h"
#include "tb/sw/os/vidsch/vidsch_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;

// Documents only.
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

// Documents only.
TEST(CallLevels, LevelThreeComesWithEvictedVideoMemory) {
  test::LifeBench bench;
  const auto result = bench.Run([](Life& life) {
    life.worker.Call([&] {
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
  });
  EXPECT_THAT(result.faults, SizeIs(1));
}

// Documents only.
TEST(CallLevels, LevelThreeComesWithAnIdleGpu) {
  test::SchedulerBench bench;
  bench.miniport.set_not_idle([&] { return bench.vidsch.idle() ? "" : "the driver holds packets"; });
  bench.Submit(bench.Paging());
  EXPECT_THROW(bench.miniport.StopDevice(), BugCheck);
  EXPECT_EQ(bench.miniport.ResetFromTimeout(), STATUS_SUCCESS) << "what recovers a hung GPU";
  bench.Complete(1);
  bench.miniport.StopDevice();
  EXPECT_EQ(bench.miniport.calls("DxgkDdiStopDevice"), 1u);
}

// Documents only: submission and paging are one class.
TEST(CallLevels, LevelOneIsOneThreadInItsClass) {
  test::SchedulerBench bench;
  bool inside = false;
  int together = 0, asked = 0;
  bench.driver.on_submit = [&] {
    together += inside;
    inside = true;
    bench.Sleep(1000);  // another thread runs meanwhile
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

TEST(StackMeter, CountsWhatARoutineTouchesAndNotWhatTheMachineDoes) {
  StackMeter meter;
  const auto touch = [](size_t bytes) {
    volatile char local[20'000];
    for (size_t i = 0; i < bytes; i += 64) local[sizeof local - 1 - i] = 1;
  };
  EXPECT_LT(meter.Run([] {}), 64u) << "its own calls do not count";
  const size_t deep = meter.Run([&] { touch(sizeof(char[20'000])); });
  EXPECT_GE(deep, 19'000u);
  EXPECT_LT(deep, 24'000u);
  EXPECT_LT(meter.Run([&] { StackMeter::Off([&] { touch(20'000); }); }), 1024u);
  EXPECT_THROW(meter.Run([] { StackMeter::Off([] { throw OsError("from the machine"); }); }), OsError);
  EXPECT_LT(meter.Run([] {}), 512u) << "and it is painted again";
}

class BuildStack : public DriverWithAFront {};

__attribute__((noinline)) void UseStack(size_t bytes) {
  volatile char local[20'000];
  for (size_t i = 0; i < bytes && i < sizeof local; i += 64) local[sizeof local - 1 - i] = 1;
}

// Seen on build 22621: 24 KiB, 0x12D0 of them used already; a local of 23 KB ended in bug check 0x50.
TEST_F(BuildStack, OfMoreThanTheWorkerHasIsBugCheck0x50) {
  for (const size_t bytes : {size_t{8'000}, size_t{20'000}}) {
    between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
      UseStack(bytes);
      return RealBuild(args);
    };
    const auto result = Run();
    if (bytes < 10'000) {
      EXPECT_TRUE(result.Passed());
      continue;
    }
    ASSERT_THAT(result.faults, SizeIs(1));
    EXPECT_EQ(result.faults[0].stop_code, 0x50u);
    EXPECT_THAT(result.faults[0].text, HasSubstr("bytes of stack; the worker of VidMm has 24576"));
  }
}

TEST_F(BuildStack, IsNotMeasuredWhenTheSwitchIsOff) {
  between.build = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    UseStack(20'000);
    return RealBuild(args);
  };
  Parameters os = Defaults();
  os.build_stack_bytes = 0;
  EXPECT_TRUE(Run(os).Passed());
}

TEST(BuildStackOfOurDriver, IsAFractionOfIt) {
  test::LifeBench bench;
  bench.Run([](Life& life) {
    workload::RunSeededMainJob(life, 100'000);
    EXPECT_GT(life.adapter.miniport().build_stack_used(), 0u);
    EXPECT_LT(life.adapter.miniport().build_stack_used(), 8u << 10);
  });
}

// Seen on build 22621 (the sizes), documents (a driver copies no more than it is given).
TEST(KernelTable, HasTheSizeOfTheDriversVersion) {
  EXPECT_EQ(KernelTableBytes(DXGKDDI_INTERFACE_VERSION_WIN8), 0x100u);
  EXPECT_EQ(KernelTableBytes(DXGKDDI_INTERFACE_VERSION_WDDM2_0), 0x138u);
  EXPECT_EQ(KernelTableBytes(DXGKDDI_INTERFACE_VERSION_WDDM2_8), 0x240u);
  EXPECT_EQ(KernelTableBytes(DXGKDDI_INTERFACE_VERSION_WDDM3_1), 0x240u);
}

class ShortKernelTable : public DriverWithAFront {};

NTSTATUS StartWithAShortTable(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                              PULONG children) {
  alignas(8) static uint8_t given[sizeof(DXGKRNL_INTERFACE)];
  std::memset(given, 0xEE, sizeof given);  // what is behind the table is nobody's to call
  std::memcpy(given, interface, 0x138);
  auto* table = reinterpret_cast<DXGKRNL_INTERFACE*>(given);
  table->Size = 0x138;
  return between.real.DxgkDdiStartDevice(context, start, table, sources, children);
}

// Documents only.
TEST_F(ShortKernelTable, IsRefusedByADriverThatNeedsMoreAndNothingBehindItIsUsed) {
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiStartDevice = StartWithAShortTable; };
  const auto result = Run();
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("refused DxgkDdiStartDevice with status 0xc00000bb"));
}

}  // namespace
}  // namespace gmmu::os

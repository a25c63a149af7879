// SPDX-License-Identifier: Apache-2.0
// Tests recovery from engines that cannot be reset: the whole adapter is reset and rebuilt. The
// expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "tb/sw/os/life_bench.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/memory/system_buffer.h"
#include "os/miniport/allocation.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/process_tables.h"
#include "workload/procedures/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;
using workload::RenderBuffer;

NTSTATUS CannotReset(HANDLE, DXGKARG_RESETENGINE*) { return STATUS_IO_TIMEOUT; }

std::function<void(const DXGKARG_BUILDPAGINGBUFFER&)> built;  // called before the driver receives the operation
DRIVER_INITIALIZATION_DATA real;
NTSTATUS Build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  if (built) built(*args);
  return real.DxgkDdiBuildPagingBuffer(adapter, args);
}

NTSTATUS Entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = real = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiResetEngine = CannotReset;
  table.DxgkDdiBuildPagingBuffer = Build;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

struct ShortDelays : LifeBench {
  ShortDelays() {
    config.gpu.rings = 2;
    config.gpu.vram_mib = 4;
    options.os.quantum_us = 20;
    options.os.tdr_delay_us = 50;
  }
};

struct Hung {
  explicit Hung(Life& life) : life(life) {
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("guilty");
      page = life.vidmm.CreateAllocation("page", hw::kPageSize);
      life.vidmm.MakeResident(*page);
      va = life.vidmm.ReserveVa(*process, kPages * hw::kPageSize);
      life.vidmm.mappings().MapOnePage(*process, va, *page, 0, kPages);
    });
    commands = std::make_unique<RenderBuffer>(life, process, hw::kPageSize);
    commands->Fill(va, kPages * hw::kPageSize, 1);
  }
  static constexpr uint64_t kPages = 1024;
  Life& life;
  GpuProcess* process = nullptr;
  Allocation* page = nullptr;
  uint64_t va = 0;
  std::unique_ptr<RenderBuffer> commands;
};

TEST(AdapterReset, EveryDeviceIsLostTheTablesAreRebuiltAndNewProcessesWork) {
  ShortDelays bench;
  bench.options.driver = Entry;
  const auto result = bench.Run([](Life& life) {
    Hung hung(life);
    GpuProcess* innocent = nullptr;
    life.worker.Call([&] { innocent = life.vidmm.CreateProcess("innocent"); });
    const PacketId packet = hung.commands->Submit("an endless fill");
    EXPECT_EQ(life.adapter.vidsch().Wait(packet, 1'000'000'000), PacketEnd::kLost);
    // Wait for the rebuild. Until then, the system's paging work is delayed or fails with an error.
    life.kernel.scheduler().Wait([&] { return life.adapter.miniport().calls("DxgkDdiRestartFromTimeout") == 1; },
                                 1'000'000'000, "the restart", 1000);
    EXPECT_TRUE(hung.process->handles.state->lost);
    EXPECT_TRUE(innocent->handles.state->lost);
    ASSERT_THAT(life.adapter.vidsch().recoveries(), SizeIs(1));
    EXPECT_EQ(life.adapter.vidsch().recoveries()[0].kind, VidSch::Recovery::Kind::kAdapter);
    EXPECT_EQ(life.adapter.vidsch().recoveries()[0].device, "guilty");
    // Lost objects can still be destroyed.
    hung.commands->Release();
    life.worker.Call([&] {
      life.vidmm.FreeVa(*hung.process, hung.va);
      life.vidmm.DestroyAllocation(hung.page);
      life.vidmm.DestroyProcess(hung.process);
      life.vidmm.DestroyProcess(innocent);
    });
    // New objects work, including paging, page tables and clients.
    workload::RunSeededMainJob(life, 100'000);
  });
  for (const auto& fault : result.faults) ADD_FAILURE() << fault.text;
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_TRUE(result.verified);
}

/// To move a process's tables, the worker must wait for the process's hung packet. When the packet
/// is lost, the move fails, and the worker rebuilds the adapter.
TEST(AdapterReset, WorkThatIsUnderWayEndsAndTheRebuildFollows) {
  ShortDelays bench;
  bench.options.driver = Entry;
  const auto result = bench.Run([](Life& life) {
    Hung hung(life);
    const PacketId packet = hung.commands->Submit("an endless fill");
    EXPECT_THROW(life.worker.Call([&] { life.vidmm.tables().Move(*hung.process); }), AdapterWasReset);
    EXPECT_EQ(life.adapter.vidsch().EndOf(packet), PacketEnd::kLost);
    bool afterwards = false;
    life.worker.Call([&] { afterwards = life.adapter.miniport().calls("DxgkDdiRestartFromTimeout") == 1; });
    EXPECT_TRUE(afterwards);
    hung.commands->Release();
    life.worker.Call([&] {
      life.vidmm.FreeVa(*hung.process, hung.va);
      life.vidmm.DestroyAllocation(hung.page);
      life.vidmm.DestroyProcess(hung.process);
    });
    workload::RunSeededMainJob(life, 100'000);
  });
  for (const auto& fault : result.faults) ADD_FAILURE() << fault.text;
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_TRUE(result.verified);
}

/// Runs the unchanged driver on a machine whose memory does not respond for `hold_us`.
workload::JobResult RunWithHeldReads(uint64_t hold_us) {
  ShortDelays bench;
  return bench.Run(
      [&](Life& life) { workload::FindProcedure("adapter_reset")->run(life, {{"pages", 4}, {"hold_us", hold_us}}); });
}

TEST(AdapterReset, OurDriverGivesUpTheEngineAndResetsTheAdapterWhenMemoryDoesNotAnswer) {
  const auto result = RunWithHeldReads(2'000);
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
  EXPECT_TRUE(result.verified);
}

// Driver authors reported this bug check.
TEST(AdapterReset, WhenMemoryDoesNotAnswerThenEitherItIsBugCheck0x116) {
  const auto result = RunWithHeldReads(100'000);
  EXPECT_FALSE(result.verified);
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].stop_code, 0x116u);
  EXPECT_THAT(result.faults[0].text, testing::HasSubstr("the engine could not be reset"));
}

/// The driver may use CpuVisibleAddress until it is notified of the unmap. After a reset, that
/// notification is delayed.
TEST(AdapterReset, TheCpuAddressOfAnApertureMappingLivesUntilTheDriverIsToldOfItsLoss) {
  ShortDelays bench;
  bench.options.driver = Entry;
  unsigned told = 0;
  const auto result = bench.Run([&](Life& life) {
    const char* address = nullptr;
    size_t views = 0;
    const auto& ram = life.kernel.hal().ram();
    built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2)
        address = static_cast<const char*>(args.MapApertureSegment2.CpuVisibleAddress);
      if (args.Operation != DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) return;
      ++told;
      EXPECT_EQ(args.pDmaBuffer, nullptr) << "the GPU never sees it";
      ASSERT_EQ(ram.views(), views) << "the address is gone before the driver is told";
      EXPECT_EQ(std::memcmp(address, "here", 4), 0);
    };
    Hung hung(life);
    Allocation* mapped = nullptr;
    SystemBuffer memory;
    uint64_t range = 0;
    life.worker.Call([&] {
      memory = SystemBuffer(life.kernel, life.adapter.objects(), life.adapter.handle(), 2 * hw::kPageSize,
                            SystemBuffer::Shape::kScattered, "application");
      std::memcpy(memory.Map(0, hw::kPageSize), "here", 4);
      memory.Unmap();
      AllocationRequest request;
      request.name = "mapped";
      request.bytes = 2 * hw::kPageSize;
      request.system_only = request.map_cpu_visible = true;
      mapped = life.vidmm.CreateAllocation(request);
      range = life.vidmm.aperture().Reserve(2);
      life.vidmm.aperture().Bind(range, 2, *mapped, memory, 0);
      views = ram.views();
    });
    ASSERT_NE(address, nullptr);
    const PacketId packet = hung.commands->Submit("an endless fill");
    EXPECT_EQ(life.adapter.vidsch().Wait(packet, 1'000'000'000), PacketEnd::kLost);
    life.kernel.scheduler().Wait([&] { return life.adapter.miniport().calls("DxgkDdiRestartFromTimeout") == 1; },
                                 1'000'000'000, "the restart", 1000);
    EXPECT_EQ(told, 1u);
    EXPECT_EQ(ram.views(), views - 1) << "it goes when the call has returned";
    built = nullptr;
    hung.commands->Release();
    life.worker.Call([&] {
      life.vidmm.aperture().Free(range);
      life.vidmm.DestroyAllocation(mapped);
      memory.Release();
      life.vidmm.FreeVa(*hung.process, hung.va);
      life.vidmm.DestroyAllocation(hung.page);
      life.vidmm.DestroyProcess(hung.process);
    });
  });
  built = nullptr;
  for (const auto& fault : result.faults) ADD_FAILURE() << fault.text;
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_EQ(told, 1u);
}

}  // namespace
}  // namespace gmmu::os::test

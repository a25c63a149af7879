// SPDX-License-Identifier: Apache-2.0
// An engine that cannot be reset: the whole adapter is reset and rebuilt. Documents only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "life_bench.h"
#include "os/dxgkrnl.h"
#include "workload/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;
using workload::RenderBuffer;

NTSTATUS CannotReset(HANDLE, DXGKARG_RESETENGINE*) { return STATUS_IO_TIMEOUT; }

NTSTATUS Entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiResetEngine = CannotReset;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

struct Hung {
  explicit Hung(Life& life) : life(life) {
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("guilty");
      page = life.vidmm.CreateAllocation("page", hw::kPageSize);
      life.vidmm.MakeResident(*page);
      va = life.vidmm.ReserveVa(*process, kPages * hw::kPageSize);
      life.vidmm.MapOnePage(*process, va, *page, 0, kPages);
    });
    commands = std::make_unique<RenderBuffer>(life, process, hw::kPageSize);
    commands->Fill(va, kPages * hw::kPageSize, 1);
  }
  static constexpr uint64_t kPages = 1024;
  Life& life;
  VidMm::Process* process = nullptr;
  VidMm::Allocation* page = nullptr;
  uint64_t va = 0;
  std::unique_ptr<RenderBuffer> commands;
};

TEST(AdapterReset, EveryDeviceIsLostTheTablesAreRebuiltAndNewProcessesWork) {
  LifeBench bench;
  bench.config.gpu.rings = 2;
  bench.config.gpu.vram_mib = 4;
  bench.options.driver = Entry;
  bench.options.os.quantum_ns = 20'000;
  bench.options.os.tdr_delay_ns = 50'000;
  const auto result = bench.Run([](Life& life) {
    Hung hung(life);
    VidMm::Process* innocent = nullptr;
    life.worker.Call([&] { innocent = life.vidmm.CreateProcess("innocent"); });
    const PacketId packet = hung.commands->Submit("an endless fill");
    EXPECT_EQ(life.adapter.vidsch().Wait(packet, 1'000'000'000), PacketEnd::kLost);
    // what the system does meanwhile waits for the rebuild, or is lost with a word
    life.kernel.scheduler().Wait([&] { return life.adapter.miniport().calls("DxgkDdiRestartFromTimeout") == 1; },
                                 1'000'000'000, "the restart", 1000);
    EXPECT_TRUE(hung.process->handles.state->lost);
    EXPECT_TRUE(innocent->handles.state->lost);
    ASSERT_THAT(life.adapter.vidsch().recoveries(), SizeIs(1));
    EXPECT_EQ(life.adapter.vidsch().recoveries()[0].kind, VidSch::Recovery::Kind::kAdapter);
    EXPECT_EQ(life.adapter.vidsch().recoveries()[0].device, "guilty");
    // the lost ones can be taken away
    hung.commands->Release();
    life.worker.Call([&] {
      life.vidmm.FreeVa(*hung.process, hung.va);
      life.vidmm.DestroyAllocation(hung.page);
      life.vidmm.DestroyProcess(hung.process);
      life.vidmm.DestroyProcess(innocent);
    });
    // and new ones work, paging, tables, clients and all
    workload::RunSeededMainJob(life, 100'000);
  });
  for (const auto& fault : result.faults) ADD_FAILURE() << fault.text;
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_TRUE(result.verified);
}

/// The driver as it is, on a machine whose memory does not answer for `hold_us`.
workload::JobResult RunWithHeldReads(uint64_t hold_us) {
  LifeBench bench;
  bench.config.gpu.rings = 2;
  bench.config.gpu.vram_mib = 4;
  bench.options.os.quantum_ns = 20'000;
  bench.options.os.tdr_delay_ns = 50'000;
  return bench.Run([&](Life& life) {
    workload::FindProcedure("adapter_reset")->run(life, {{"pages", 4}, {"hold_us", hold_us}});
  });
}

TEST(AdapterReset, OurDriverGivesUpTheEngineAndResetsTheAdapterWhenMemoryDoesNotAnswer) {
  const auto result = RunWithHeldReads(2'000);
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
  for (const workload::Check& check : result.checks)
    EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
  EXPECT_TRUE(result.verified);
}

// Evidence: driver authors.
TEST(AdapterReset, WhenMemoryDoesNotAnswerThenEitherItIsBugCheck0x116) {
  const auto result = RunWithHeldReads(100'000);
  EXPECT_FALSE(result.verified);
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].stop_code, 0x116u);
  EXPECT_THAT(result.faults[0].text, testing::HasSubstr("the engine could not be reset"));
}

}  // namespace
}  // namespace gmmu::os::test

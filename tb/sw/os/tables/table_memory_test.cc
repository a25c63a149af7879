// SPDX-License-Identifier: Apache-2.0
// How the memory of processes' tables is written, by what the driver's caps say. Documents only.
#include <map>

#include "os/dxgkrnl/dxgkrnl.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "tb/sw/os/tables/tables_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::Life;

struct Updates {
  unsigned count = 0;      // UPDATE_PAGE_TABLE of processes, by mode
  unsigned clears = 0;     // whole tables of them made invalid, not for the first time
  unsigned in_buffer = 0;  // that wrote commands
};
std::map<DXGK_PAGETABLEUPDATEMODE, Updates> updates;
HANDLE paging_process = nullptr;
DRIVER_INITIALIZATION_DATA real;

NTSTATUS Build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  const DXGKARG_BUILDPAGINGBUFFER before = *args;
  const NTSTATUS status = real.DxgkDdiBuildPagingBuffer(adapter, args);
  const auto& op = before.UpdatePageTable;
  if (before.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.hProcess != paging_process) {
    Updates& mode = updates[op.UpdateMode];
    ++mode.count;
    mode.clears += op.Flags.Repeat && !op.Flags.InitialUpdate && op.StartIndex == 0 && op.NumPageTableEntries == 512 &&
                   !op.pPageTableEntries->Valid;
    mode.in_buffer += args->pDmaBuffer != before.pDmaBuffer;
  }
  return status;
}

NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* args) {
  const NTSTATUS status = real.DxgkDdiCreateProcess(adapter, args);
  if (args->Flags.SystemProcess) paging_process = args->hKmdProcess;
  return status;
}

NTSTATUS Entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = real = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiBuildPagingBuffer = Build;
  table.DxgkDdiCreateProcess = CreateProcess;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

class UpdateModes : public ::testing::TestWithParam<DXGK_PAGETABLEUPDATEMODE> {};

TEST_P(UpdateModes, TheTablesOfProcessesAreWrittenInTheModeOfTheCaps) {
  updates.clear();
  LifeBench bench;
  bench.options.driver = Entry;
  bench.options.os.driver["PageTableUpdateMode"] = GetParam();
  bench.config.gpu.vram_mib = 4;
  const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 100'000); });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_TRUE(result.verified);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates.begin()->first, GetParam());
  EXPECT_GT(updates.begin()->second.count, 10u);
  const bool by_cpu = GetParam() == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  EXPECT_EQ(updates.begin()->second.in_buffer, by_cpu ? 0u : updates.begin()->second.count);
}

TEST_P(UpdateModes, TablesAreMadeInvalidBeforeTheyAreFreedWhenTheCapsAskForIt) {
  for (const bool asked : {false, true}) {
    updates.clear();
    LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.driver["PageTableUpdateMode"] = GetParam();
    bench.options.os.driver["ExplicitPageTableInvalidation"] = asked;
    size_t tables = 0;
    const auto result = bench.RunOnWorker([&](Life& life) {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      life.vidmm.Unmap(*process, 0x10000000, 4);
      life.vidmm.Unmap(*process, uint64_t{5} << 40, 4);
      tables = process->space->tables() + 1;  // and the root
      life.vidmm.DestroyProcess(process);
    });
    EXPECT_THAT(result.faults, IsEmpty());
    EXPECT_THAT(result.leaks, IsEmpty());
    EXPECT_GE(tables, 7u);
    EXPECT_EQ(updates[GetParam()].clears, asked ? tables : 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, UpdateModes,
                         ::testing::Values(DXGK_PAGETABLEUPDATE_CPU_VIRTUAL, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL,
                                           DXGK_PAGETABLEUPDATE_GPU_PHYSICAL));

// Update mode GPU_VIRTUAL: a table has addresses of the paging process, which take tables themselves.
TEST_F(TableLife, ATableWithoutAddressesToWriteItByGivesItsPlaceBack) {
  bench.options.os.driver["PageTableUpdateMode"] = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    Allocation* rest = TakeAllBut(life, 1);
    EXPECT_THROW(life.vidmm.mappings().MapZero(*process, uint64_t{5} << 40, 1), NoRoom);
    EXPECT_EQ(life.adapter.local_segment().space->free_bytes(), kPage);
    EXPECT_EQ(process->space->tables(), 0u);
    life.vidmm.DestroyAllocation(rest);
    life.vidmm.mappings().MapZero(*process, uint64_t{5} << 40, 1);
    life.vidmm.DestroyProcess(process);
  });
}

}  // namespace
}  // namespace gmmu::os::test

// SPDX-License-Identifier: Apache-2.0
// How the tables of processes are written, by what the driver's caps say. Documents only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tb/sw/os/life_bench.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/tables/address_space.h"
#include "os/vidmm/gpu_process.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::Life;

struct Seen {
  unsigned count = 0;      // UPDATE_PAGE_TABLE of processes, by mode
  unsigned clears = 0;     // whole tables of them made invalid, not for the first time
  unsigned in_buffer = 0;  // that wrote commands
};
std::map<DXGK_PAGETABLEUPDATEMODE, Seen> seen;
HANDLE paging_process = nullptr;
DRIVER_INITIALIZATION_DATA real;

NTSTATUS Build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  const DXGKARG_BUILDPAGINGBUFFER before = *args;
  const NTSTATUS status = real.DxgkDdiBuildPagingBuffer(adapter, args);
  const auto& op = before.UpdatePageTable;
  if (before.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.hProcess != paging_process) {
    Seen& mode = seen[op.UpdateMode];
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
  seen.clear();
  LifeBench bench;
  bench.options.driver = Entry;
  bench.options.os.driver["PageTableUpdateMode"] = GetParam();
  bench.config.gpu.vram_mib = 4;
  const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 100'000); });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_TRUE(result.verified);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen.begin()->first, GetParam());
  EXPECT_GT(seen.begin()->second.count, 10u);
  const bool by_cpu = GetParam() == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  EXPECT_EQ(seen.begin()->second.in_buffer, by_cpu ? 0u : seen.begin()->second.count);
}

TEST_P(UpdateModes, TablesAreMadeInvalidBeforeTheyAreFreedWhenTheCapsAskForIt) {
  for (const bool asked : {false, true}) {
    seen.clear();
    LifeBench bench;
    bench.options.driver = Entry;
    bench.options.os.driver["PageTableUpdateMode"] = GetParam();
    bench.options.os.driver["ExplicitPageTableInvalidation"] = asked;
    size_t tables = 0;
    const auto result = bench.Run([&](Life& life) {
      life.worker.Call([&] {
        GpuProcess* process = life.vidmm.CreateProcess("process");
        life.vidmm.Unmap(*process, 0x10000000, 4);
        life.vidmm.Unmap(*process, uint64_t{5} << 40, 4);
        tables = process->space->tables() + 1;  // and the root
        life.vidmm.DestroyProcess(process);
      });
    });
    EXPECT_THAT(result.faults, IsEmpty());
    EXPECT_THAT(result.leaks, IsEmpty());
    EXPECT_GE(tables, 7u);
    EXPECT_EQ(seen[GetParam()].clears, asked ? tables : 0u);
  }
}

// Seen on build 26100: a driver that refuses it does not start.
TEST(SystemProcess, MayBringAPasidWhateverTheIommuModel) {
  for (const bool pasid : {false, true}) {
    static ULONG process_pasids, device_pasid;
    process_pasids = device_pasid = 0;
    LifeBench bench;
    bench.options.driver = +[](PDRIVER_OBJECT object, PUNICODE_STRING path) -> NTSTATUS {
      const NTSTATUS status = DriverEntry(object, path);
      DRIVER_INITIALIZATION_DATA table = real = Dxgkrnl::Current().table_so_far();
      table.DxgkDdiCreateProcess = +[](HANDLE adapter, DXGKARG_CREATEPROCESS* args) -> NTSTATUS {
        if (args->Flags.SystemProcess) process_pasids += args->NumPasid;
        return real.DxgkDdiCreateProcess(adapter, args);
      };
      table.DxgkDdiCreateDevice = +[](HANDLE adapter, DXGKARG_CREATEDEVICE* args) -> NTSTATUS {
        if (args->Flags.SystemDevice) device_pasid = args->Pasid;
        return real.DxgkDdiCreateDevice(adapter, args);
      };
      return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
    };
    bench.options.os.system_process_has_pasid = pasid;
    bench.config.gpu.vram_mib = 4;
    const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 5000); });
    EXPECT_TRUE(result.verified);
    EXPECT_EQ(process_pasids, pasid ? 1u : 0u);
    EXPECT_EQ(device_pasid != 0, pasid);
  }
}

INSTANTIATE_TEST_SUITE_P(All, UpdateModes,
                         ::testing::Values(DXGK_PAGETABLEUPDATE_CPU_VIRTUAL, DXGK_PAGETABLEUPDATE_GPU_VIRTUAL,
                                           DXGK_PAGETABLEUPDATE_GPU_PHYSICAL));

}  // namespace
}  // namespace gmmu::os::test

// SPDX-License-Identifier: Apache-2.0
// Tests rules about root page tables that implementers often get wrong. The expected behaviour
// follows Microsoft's documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tb/sw/os/driver_front.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/process_tables.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::Life;

using Rule11Paging = DriverFront;

TEST_F(Rule11Paging, ARootIsNamedByItsPhysicalAddressWhichChangesWhenItMoves) {
  bench.options.os.driver["InvalidNotCached"] = 0;  // so that every update needs a flush
  std::set<uint64_t> named;
  Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
    if (args.Operation == DXGK_OPERATION_FLUSH_TLB) named.insert(args.FlushTlb.RootPageTableAddress.SegmentOffset);
    return call(args);
  });
  const auto result = bench.RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    const uint64_t va = life.vidmm.ReserveVa(*process, hw::kPageSize);
    for (int move = 0; move < 3; ++move) {
      named.clear();
      life.vidmm.Unmap(*process, va, 1);
      EXPECT_EQ(named.count(process->space->root().SegmentOffset), 1u);
      const uint64_t old = process->space->root().SegmentOffset;
      life.vidmm.tables().ReplaceRoot(*process, 0);
      EXPECT_NE(process->space->root().SegmentOffset, old);
    }
    life.vidmm.FreeVa(*process, va);
    life.vidmm.DestroyProcess(process);
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

TEST_F(Rule11Paging, ARootIndexAtOrAboveNumEntriesFaultsThoughTheMemoryBehindIsValid) {
  bench.options.os.page_table_bits = {9, 13};
  bench.config.gpu.page_table_bits = {9, 13};
  const std::vector<uint8_t> zeros(hw::kPageSize);
  const auto result = bench.Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* page = nullptr;
    const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1), va = 600 * unit;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process", 1024);
      page = life.vidmm.CreateAllocation("page", hw::kPageSize);
      life.vidmm.MakeResident(*page);
      life.vidmm.transfers().Fill(*page, 0, hw::kPageSize, 0);
      life.vidmm.Map(*process, va, *page, 0, 1);
    });
    EXPECT_TRUE(RunOnePage(life, process, va, std::nullopt, zeros).passed) << "entry 600 of 1024";
    const auto told = [&](uint64_t entries) {
      life.worker.Call(
          [&] { life.adapter.lead().SetRootPageTable(process->handles.context, process->space->root(), entries); });
    };
    told(512);  // limits the entries that the GPU uses, not the table
    EXPECT_TRUE(RunOnePage(life, process, va, regs::Fault::kRootBound, zeros).passed);
    told(600);
    EXPECT_TRUE(RunOnePage(life, process, va, regs::Fault::kRootBound, zeros).passed) << "at NumEntries";
    told(601);
    EXPECT_TRUE(RunOnePage(life, process, va, std::nullopt, zeros).passed);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(page);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

}  // namespace
}  // namespace gmmu::os::test

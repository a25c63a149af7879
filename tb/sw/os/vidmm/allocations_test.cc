// SPDX-License-Identifier: Apache-2.0
// An allocation has the size that the driver answers, rounded up to whole pages of its segment.
#include "os/vidmm/allocations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "os/base/page_math.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "tb/sw/os/between.h"
#include "tb/sw/os/driver_front.h"

namespace gmmu::os::test {
namespace {

using ::testing::HasSubstr;
using workload::Life;

/// The real driver with changed answers to DxgkDdiCreateAllocation.
class AllocationAnswer : public DriverFront {
 protected:
  AllocationAnswer() {
    between = {};
    between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCreateAllocation = Create; };
    bench.options.driver = os::Entry;
    bench.config.gpu.vram_mib = 8;
  }
  ~AllocationAnswer() override {
    between = {};
    change = nullptr;
  }
  static inline std::function<void(DXGK_ALLOCATIONINFO&)> change;

 private:
  static NTSTATUS Create(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
    const NTSTATUS status = between.real.DxgkDdiCreateAllocation(adapter, args);
    for (UINT i = 0; NT_SUCCESS(status) && change && i < args->NumAllocations; ++i) change(args->pAllocationInfo[i]);
    return status;
  }
};

TEST_F(AllocationAnswer, OfASizeIsWhatTheAllocationHas) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  RunOnWorker([&](Life& life) {
    RangeAllocator& vram = *life.adapter.local_segment().space;
    for (int i = 0; i < 20; ++i) {
      const uint64_t asked = 1 + random() % 300'000, more = i == 0 ? 1 : random() % (2 << 20);
      const uint64_t size = RoundUp(asked, kPage) + more;
      change = [&](DXGK_ALLOCATIONINFO& info) { info.Size = size; };
      const uint64_t free = vram.free_bytes();
      Allocation* data = life.vidmm.CreateAllocation("data", asked);
      life.vidmm.MakeResident(*data);
      EXPECT_EQ(data->bytes, RoundUp(size, kPage)) << asked;
      EXPECT_EQ(free - vram.free_bytes(), data->bytes);
      life.vidmm.Fill(*data, data->bytes - kPage, kPage, 0x77);  // the last page belongs to the allocation
      life.vidmm.DestroyAllocation(data);
    }
  });
}

TEST_F(AllocationAnswer, OfASizeThatVramLacksEndsTheMainJob) {
  change = [](DXGK_ALLOCATIONINFO& info) { info.Size *= 1024; };
  const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 100'000); });
  EXPECT_FALSE(result.verified);
  ASSERT_FALSE(result.faults.empty());
  EXPECT_THAT(result.faults[0].text, HasSubstr("no room in VRAM"));
}

TEST_F(AllocationAnswer, OfALargerSizeIsVerified) {
  change = [](DXGK_ALLOCATIONINFO& info) { info.Size += 100'001; };
  MainJobIsVerified();
}

TEST_F(AllocationAnswer, OfAnySizeIsRefusedWhereNoAddressSpaceHasIt) {
  RunOnWorker([&](Life& life) {
    change = [](DXGK_ALLOCATIONINFO& info) { info.Size = ~SIZE_T{0}; };
    try {
      life.vidmm.CreateAllocation("data", 1);
      ADD_FAILURE() << "no refusal";
    } catch (const OsError& error) {
      EXPECT_THAT(error.what(), HasSubstr("DXGK_ALLOCATIONINFO.Size is 0xffffffffffffffff"));
    }
  });
}

// GPU virtual address documents, "physical page size": the system aligns and sizes all allocations.
TEST_F(AllocationAnswer, OfAnySizeAndAlignmentBecomesWholePagesOf64KiB) {
  bench.options.os.driver["Leaf64k"] = 1;
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    for (const uint64_t pages : {1, 16, 21, 47}) {
      for (const UINT alignment : {0u, 512u, 4096u, 65536u}) {
        change = [&](DXGK_ALLOCATIONINFO& info) {
          info.Alignment = alignment;
          info.Size = pages * kPage;
        };
        Allocation* data = life.vidmm.CreateAllocation("data", pages * kPage);
        EXPECT_EQ(data->bytes, RoundUp(pages, 16) * kPage) << alignment;
        life.vidmm.MakeResident(*data);
        const uint64_t va = life.vidmm.ReserveVa(*process, data->bytes);
        life.vidmm.Map(*process, va, *data, 0, PagesOf(data->bytes));
        for (uint64_t at = va; at < va + data->bytes; at += 16 * kPage) EXPECT_TRUE(process->space->Is64k(at)) << pages;
        life.vidmm.FreeVa(*process, va);
        life.vidmm.DestroyAllocation(data);
      }
    }
    life.vidmm.DestroyProcess(process);
  });
}

}  // namespace
}  // namespace gmmu::os::test

// SPDX-License-Identifier: Apache-2.0
// Tests that linked adapters support what a single adapter supports: a change of the DMA mode while
// they run, context allocations, and apertures. The expected behaviour follows Microsoft's
// documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "os/base/errors.h"
#include "os/base/page_math.h"
#include "os/dxgkrnl/domain_switch.h"
#include "os/miniport/allocation.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/context_allocations.h"
#include "os/vidmm/gpu_process.h"
#include "os/tables/address_space.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/va_calls.h"
#include "workload/device_copy.h"
#include "tb/sw/os/vidmm/vidmm_link_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::SizeIs;
using workload::ClientRun;
using workload::Life;

TEST(LinkedMemory, ChangesItsModeOfDmaWhileItRuns) {
  LinkedBench bench;
  bench.options.os.iommu = RemapPolicy::kNever;
  bench.options.os.limit_bits = 33;
  ExpectGood(bench.Run([](Life& life) {
    uint64_t seed = 3;
    for (const DmaMode mode : {DmaMode::kIdentity, DmaMode::kPhysical, DmaMode::kIdentity}) {
      SwitchDma(life.adapter, mode);
      EXPECT_EQ(life.adapter.mode(), mode);
      for (unsigned gpu = 0; gpu < 2; ++gpu) EXPECT_EQ(life.adapter.physical(gpu).remapped(), false);
      Shared shared(life, 1);
      ++seed;
      shared.RunClient(0, shared.Client(0, true, seed), "written by its peer");
      ClientRun read = shared.Client(1, false, seed);
      read.pattern.reset();
      read.crc = workload::LineCrc(workload::PatternAt(shared.va, 2 * kPage, seed).data(), read.order);
      shared.RunClient(1, read, "read by its GPU");
      shared.End();
    }
  }));
}

TEST(LinkedMemory, AContextAllocationIsOnTheGpuOfItsContext) {
  LinkedBench bench;
  bench.options.os.driver["ContextBytes"] = 8192;
  ExpectGood(bench.Run([](Life& life) {
    life.worker.Call([&] {
      VidMmLink::Process* process = life.link.CreateProcess("process");
      for (unsigned gpu = 0; gpu < 2; ++gpu) {
        const Allocation* allocation = life.link.on(gpu).context_allocations().Of(*process->parts[gpu]);
        ASSERT_NE(allocation, nullptr);
        EXPECT_EQ(&allocation->vidmm->gpu(), &life.adapter.physical(gpu));
        ASSERT_THAT(allocation->mappings, SizeIs(1));
        EXPECT_EQ(allocation->mappings[0].process, process->parts[gpu]);
      }
      // A context on GPU 0 cannot have memory on GPU 1.
      DXGKARGCB_CREATECONTEXTALLOCATION create{};
      create.hContext = process->parts[0]->handles.dxgk_context;
      create.Size = kPage;
      create.SupportedSegmentSet = 1;
      create.PhysicalAdapterIndex = 1;
      EXPECT_EQ(life.link.on(0).context_allocations().CreateContextAllocation(create), STATUS_INVALID_PARAMETER);
      life.link.DestroyProcess(process);
    });
  }));
}

TEST(LinkedMemory, AnAllocationInAnApertureLeavesItWhenAPeerMapsIt) {
  LinkedBench bench;
  ExpectGood(bench.Run([](Life& life) {
    life.worker.Call([&] {
      VidMmLink::Process* process = life.link.CreateProcess("process");
      VidMm& home = life.link.on(0);
      std::vector<Allocation*> made;
      for (const bool system_only : {false, true}) {
        AllocationRequest request{system_only ? "aperture only" : "aperture or VRAM", 4 * kPage};
        request.system_only = system_only;
        made.push_back(home.CreateAllocation(request, process->parts[0]));
      }
      const uint64_t va = life.link.ReserveVa(*process, 8 * kPage);
      for (size_t i = 0; i < 2; ++i) life.link.Map(*process, 0, va + i * 4 * kPage, *made[i], 0, 4);
      process->parts[0]->budget = 0;  // with no budget for VRAM, only the aperture remains
      home.residency().MakeResident(made);
      for (const Allocation* each : made) EXPECT_EQ(each->residence(), Residence::kAperture) << each->name;
      process->parts[0]->budget.reset();
      life.link.Map(*process, 1, va, *made[0], 0, 4);
      EXPECT_EQ(made[0]->residence(), Residence::kMemorySegment);
      EXPECT_THROW(life.link.Map(*process, 1, va + 4 * kPage, *made[1], 0, 4), OsError);
      EXPECT_EQ(made[1]->residence(), Residence::kAperture);
      life.link.UnmapEverywhere(*process, va, 8);
      life.link.FreeVa(*process, va);
      for (Allocation* each : made) home.DestroyAllocation(each);
      life.link.DestroyProcess(process);
    });
  }));
}

// A reservation belongs to the process, a mapping to one GPU. The table trees of both GPUs must
// remain identical.
TEST(LinkedMemory, ApplicationsMapForOneGpuInRangesOfTheProcess) {
  LinkedBench bench;
  ExpectGood(bench.Run([](Life& life) {
    life.worker.Call([&] {
      VidMmLink::Process* process = life.link.CreateProcess("process");
      GpuProcess &one = *process->parts[0], &other = *process->parts[1];
      const auto levels = [](const GpuProcess& part) {
        std::vector<TableSlot> slots;
        for (const auto& [slot, table] : part.space->tree().tables()) slots.push_back(slot);
        return slots;
      };
      std::vector<Allocation*> made;
      std::vector<D3DKMT_HANDLE> handles;
      VaCalls calls(life.link.on(0));
      for (unsigned gpu = 0; gpu < 2; ++gpu) {
        made.push_back(life.link.on(gpu).CreateAllocation("data", 4 * kPage));
        life.link.on(gpu).MakeResident(*made.back());
        handles.push_back(calls.Open(*made.back()));
      }
      EXPECT_NE(handles[0], handles[1]);
      D3DDDI_RESERVEGPUVIRTUALADDRESS reserve{};
      reserve.Size = 4 * one.vidmm->gpu().caps().geometry.Coverage(0);  // several leaf tables
      reserve.ReservationType = D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT;
      ASSERT_EQ(calls.Reserve(other, reserve), STATUS_SUCCESS);
      D3DDDI_MAPGPUVIRTUALADDRESS map{};
      map.BaseAddress = reserve.VirtualAddress;
      map.SizeInPages = 4;
      map.hAllocation = handles[1];
      map.Protection.Write = 1;
      ASSERT_EQ(calls.Map(one, map), STATUS_SUCCESS) << "in a range that was reserved on the other GPU";
      EXPECT_THAT(made[1]->mappings, SizeIs(1));
      EXPECT_EQ(levels(one), levels(other));
      map.hAllocation = 0;
      map.Protection = {};
      map.Protection.Zero = 1;
      map.SizeInPages = reserve.Size / kPage - 4;
      map.BaseAddress += 4 * kPage;
      ASSERT_EQ(calls.Map(other, map), STATUS_SUCCESS);
      EXPECT_EQ(levels(one), levels(other));
      map.Protection = {};
      map.Protection.NoAccess = 1;
      ASSERT_EQ(calls.Map(one, map), STATUS_SUCCESS);
      EXPECT_EQ(levels(one), levels(other));
      EXPECT_THAT(made[1]->mappings, SizeIs(1));
      EXPECT_EQ(calls.Free(other, reserve.VirtualAddress, reserve.Size), STATUS_SUCCESS);
      EXPECT_THAT(made[1]->mappings, SizeIs(0));
      EXPECT_EQ(levels(one), levels(other));
      for (Allocation* each : made) each->vidmm->DestroyAllocation(each);
      life.link.DestroyProcess(process);
    });
  }));
}

}  // namespace
}  // namespace gmmu::os::test

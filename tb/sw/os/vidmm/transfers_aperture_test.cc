// SPDX-License-Identifier: Apache-2.0
// Tests eviction through the aperture. The expected behaviour follows Microsoft's documentation; it
// has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tb/sw/os/life_bench.h"
#include "os/miniport/allocation.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_process.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/residency.h"

namespace gmmu::os {
namespace {

using ::testing::IsEmpty;
using workload::Life;

// The built-in driver's EvictionSegmentSet contains the aperture segment, so allocations that are
// accessed physically are evicted through it.
TEST(Eviction, OfAnAllocationThatIsAccessedPhysicallyGoesThroughTheAperture) {
  for (const bool physically : {true, false}) {
    test::LifeBench bench;
    uint64_t transfers = 0, maps = 0;
    bool armed = false;
    bench.options.os.trace_paging = [&](const std::string& line) {
      transfers += armed && line.find("\"TRANSFER\"") != std::string::npos &&
                   line.find("\"Source.SegmentId\": 2") != std::string::npos &&
                   line.find("\"Destination.SegmentId\": 1") != std::string::npos;
      maps += armed && line.find("\"MAP_APERTURE_SEGMENT2\"") != std::string::npos;
    };
    const auto result = bench.RunOnWorker([&](Life& life) {
      Residency& residency = life.vidmm.residency();
      AllocationRequest request;
      request.name = "evicted";
      request.bytes = 3 * hw::kPageSize;
      request.accessed_physically = physically;
      Allocation* data = life.vidmm.CreateAllocation(request);
      residency.MakeResident({data});
      life.vidmm.transfers().Fill(*data, 0, data->bytes, 0xC0FFEE11);
      armed = true;
      residency.Evict(*data);
      armed = false;
      EXPECT_EQ(life.vidmm.aperture().mapped_pages(), 0u);
      uint32_t word = 0;
      std::memcpy(&word, data->backing->Map(2 * hw::kPageSize, 4), 4);
      data->backing->Unmap();
      EXPECT_EQ(word, 0xC0FFEE11u);
      life.vidmm.DestroyAllocation(data);
    });
    EXPECT_THAT(result.faults, IsEmpty());
    EXPECT_THAT(result.leaks, IsEmpty());
    EXPECT_EQ(transfers, physically ? 1u : 0u);
    EXPECT_EQ(maps, physically ? 1u : 0u);
  }
}

// Tests which device is the owner in an aperture operation.
TEST(Aperture, ADeviceOwnsAnAllocationThatOfItsProcessOrTheSystemsAndNoneThePrimary) {
  test::LifeBench bench;
  const auto result = bench.RunOnWorker([&](Life& life) {
    const HANDLE system = life.vidmm.paging().process().handles.device;
    AllocationRequest request;
    request.name = "owned";
    request.bytes = hw::kPageSize;
    GpuProcess* process = life.vidmm.CreateProcess("owner");
    Allocation* owned = life.vidmm.CreateAllocation(request, process);
    Allocation* free = life.vidmm.CreateAllocation(request);
    request.primary = true;
    Allocation* primary = life.vidmm.CreateAllocation(request, process);
    EXPECT_NE(system, nullptr);
    EXPECT_NE(process->handles.device, system);
    EXPECT_EQ(owned->device(), process->handles.device);
    EXPECT_EQ(free->device(), system);
    EXPECT_EQ(primary->device(), nullptr);
    life.vidmm.DestroyProcess(process);
    EXPECT_EQ(owned->device(), system) << "never a device that is gone";
    for (Allocation* each : {owned, free, primary}) life.vidmm.DestroyAllocation(each);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

// A move is split if the allocation is larger than the aperture's free part. If the aperture is
// full, the move bypasses it.
TEST(Eviction, GoesThroughTheApertureInPiecesWhereThatHasNoRoomForAll) {
  for (const uint64_t others : {0u, 200u, 256u}) {
    test::LifeBench bench;
    bench.config.gpu.vram_mib = 16;
    uint64_t transfers = 0, starts = 0, ends = 0;
    bool armed = false;
    bench.options.os.trace_paging = [&](const std::string& line) {
      const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
      if (!armed || !has("\"TRANSFER\"")) return;
      ++transfers;
      starts += has("\"Flags.TransferStart\": true");
      ends += has("\"Flags.TransferEnd\": true");
    };
    const auto result = bench.RunOnWorker([&](Life& life) {
      constexpr uint64_t kPages = 300;  // the aperture has 256 pages
      Residency& residency = life.vidmm.residency();
      const uint64_t taken = others == 0 ? 0 : life.vidmm.aperture().Reserve(others);
      const size_t ranges = life.adapter.lead().aperture_segment().space->ranges();
      AllocationRequest request;
      request.name = "evicted";
      request.bytes = kPages * hw::kPageSize;
      Allocation* data = life.vidmm.CreateAllocation(request);
      residency.MakeResident({data});
      for (uint64_t page = 0; page < kPages; ++page)
        life.vidmm.transfers().Fill(*data, page * hw::kPageSize, hw::kPageSize,
                                    0xC0DE0000 + static_cast<uint32_t>(page));
      armed = true;
      residency.Evict(*data);
      armed = false;
      EXPECT_EQ(life.vidmm.aperture().mapped_pages(), 0u);
      EXPECT_EQ(life.adapter.lead().aperture_segment().space->ranges(), ranges);
      const uint8_t* view = data->backing->Map(0, data->bytes);
      for (uint64_t page = 0; page < kPages; ++page) {
        uint32_t word = 0;
        std::memcpy(&word, view + (page + 1) * hw::kPageSize - 4, 4);
        EXPECT_EQ(word, 0xC0DE0000 + page);
      }
      data->backing->Unmap();
      if (others != 0) life.vidmm.aperture().Free(taken);
      life.vidmm.DestroyAllocation(data);
    });
    EXPECT_EQ(test::FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
    if (others == 256) EXPECT_EQ(transfers, 0u) << "through the scratch windows";
    else EXPECT_GE(transfers, others == 0 ? 2u : 6u);
    EXPECT_EQ(starts, others == 256 ? 0u : 1u);
    EXPECT_EQ(ends, starts);
  }
}

}  // namespace
}  // namespace gmmu::os

// SPDX-License-Identifier: Apache-2.0
// Tests which page size and level VidMm chooses, and how entries are removed. The expected
// behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/residency.h"
#include "tb/sw/os/tables/tables_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::Life;

// A repeated entry maps the same page of the allocation, so every leaf table's update has the same
// offset.
TEST_F(TableLife, OnePageOverSeveralLeafTablesHasOneOffsetInItsAllocation) {
  std::vector<uint64_t> offsets;
  Run([&](Life& life) {
    Subject subject = Make(life);
    const uint64_t pages = 2 * life.adapter.caps().geometry.Entries(0);
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.hAllocation == subject.data->handle)
        offsets.push_back(op.AllocationOffsetInBytes);
    });
    life.worker.Call([&] {
      const uint64_t va = life.vidmm.ReserveVa(*subject.process, pages * kPage);
      life.vidmm.mappings().MapOnePage(*subject.process, va, *subject.data, 3, pages);
      seen.operation = nullptr;
      life.vidmm.Unmap(*subject.process, va, pages);
      life.vidmm.FreeVa(*subject.process, va);
    });
    End(life, subject);
  });
  EXPECT_GE(offsets.size(), 2u);
  for (const uint64_t offset : offsets) EXPECT_EQ(offset, 3 * kPage);
}

// The large page's entry is invalidated as a whole. The eviction cannot split it into a table,
// because there is no room for one.
TEST_F(TableLife, WhatALargePageMapsLeavesFullVideoMemory) {
  bench.config.gpu.vram_mib = 64;
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation *data = nullptr, *rest = nullptr;
    Residency& residency = life.vidmm.residency();
    const uint64_t size = uint64_t{1} << life.adapter.caps().geometry.Shift(1), va = 5 * size;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      data = Filled(life, size / kPage, 0x900, size);
      life.vidmm.mappings().MapLarge(*process, va, 1, *data);
      rest = TakeAllBut(life, 0);
      const size_t tables = process->space->tables();
      residency.Evict(*data);
      EXPECT_EQ(process->space->tables(), tables);
      EXPECT_EQ(life.adapter.local_segment().space->free_bytes(), size);
    });
    Faults(life, process, va + 3 * kPage, regs::Fault::kEntryInvalid);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(rest);
      residency.MakeResident({data});
    });
    Reads(life, process, va, Pages(0x900, 4));
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
}

TEST_F(Pages64k, AreChosenWhenAddressSizeAndSegmentAllow) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Allocation* data = Make(life, 48);
    SystemBuffer memory(life.kernel, life.adapter.objects(), life.adapter.handle(), 16 * kPage,
                        SystemBuffer::Shape::kScattered, "test");
    const auto chosen = [&](const std::function<void(GpuProcess&)>& map, uint64_t va) {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      map(*process);
      const bool large = process->space->Is64k(va);
      life.vidmm.DestroyProcess(process);
      return large;
    };
    const auto local = [&](uint64_t va, uint64_t first, uint64_t pages) {
      return chosen([&](auto& process) { life.vidmm.Map(process, va, *data, first, pages); }, va);
    };
    EXPECT_TRUE(local(0x10000000, 0, 16));
    EXPECT_TRUE(local(0x10010000, 16, 32));
    EXPECT_TRUE(local(0x101F0000, 0, 48)) << "over the end of a leaf table";
    EXPECT_FALSE(local(0x10001000, 1, 16)) << "address";
    EXPECT_FALSE(local(0x10000000, 0, 20)) << "size";
    EXPECT_FALSE(
        chosen([&](auto& process) { life.vidmm.mappings().MapSystem(process, 0x10000000, memory); }, 0x10000000));
    memory.Release();
    life.vidmm.DestroyAllocation(data);
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

// For drivers that support 64 KiB pages in system memory, the documentation says only that this
// memory is managed in units of 64 KiB. os.system_64k_mapped selects whether it is also mapped in
// 64 KiB pages.
TEST_F(Pages64k, SystemMemoryHasThemWhenTheCapAndTheReadingOfItSaySo) {
  struct Case {
    bool cap, mapped, expected;
  };
  for (const Case& each : {Case{false, true, false}, Case{true, false, false}, Case{true, true, true}}) {
    bench.options.os.driver["System64k"] = each.cap;
    bench.options.os.system_64k_mapped = each.mapped;
    const auto result = bench.Run([&](Life& life) {
      GpuProcess* process = nullptr;
      Allocation* data = nullptr;
      SystemBuffer memory(life.kernel, life.adapter.objects(), life.adapter.handle(), 2 << 20,
                          SystemBuffer::Shape::kScattered, "test");
      // The first page whose address, as seen by the device, is aligned to 64 KiB.
      const uint64_t first = (16 - memory.page(0) % 16) % 16;
      life.worker.Call([&] {
        process = life.vidmm.CreateProcess("process");
        data = Make(life, 32);
        life.vidmm.transfers().PageOut(*data, memory, 32 * kPage);
        life.vidmm.mappings().MapSystem(*process, 0x10000000, memory, first, 16);
        EXPECT_EQ(process->space->Is64k(0x10000000), each.expected);
        life.vidmm.mappings().MapSystem(*process, 0x20000000, memory, first + 1, 16);
        EXPECT_FALSE(process->space->Is64k(0x20000000)) << "place in memory";
      });
      EXPECT_TRUE(Reads(life, process, 0x10000000, first, 16).passed);
      life.worker.Call([&] {
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
      memory.Release();
    });
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
  }
}

// Whether level-1 entries are single or pairs, a whole block is invalidated through one entry. An
// eviction therefore needs no memory for tables.
TEST_F(Pages64k, AreEvictedWhenVideoMemoryIsFull) {
  for (const bool dual : {false, true}) {
    bench.options.os.driver["DualPte"] = dual;
    const auto result = bench.RunOnWorker([&](Life& life) {
      constexpr uint64_t kVa = 0x10000000, kSize = 1 << 20;
      Residency& residency = life.vidmm.residency();
      GpuProcess* process = life.vidmm.CreateProcess("process");
      std::vector<Allocation*> all;
      for (uint64_t i = 0; i < 10; ++i) {
        all.push_back(life.vidmm.CreateAllocation(LocalOnly(std::to_string(i), kSize)));
        life.vidmm.Map(*process, kVa + i * kSize, *all[i], 0, kSize / kPage);
        residency.MakeResident({all[i]});
        EXPECT_TRUE(process->space->Is64k(kVa + i * kSize));
        for (uint64_t page = 0; page < 16; ++page)
          life.vidmm.transfers().Fill(*all[i], page * kPage, kPage, Word(16 * i + page));
      }
      EXPECT_GT(residency.counts().evictions, 1u) << "not all of them fit";
      std::vector<Allocation*> rest;
      do {
        rest.push_back(life.vidmm.CreateAllocation("rest", 16 * kPage));
      } while (life.vidmm.placement().TryMakeResident(*rest.back()));
      const size_t tables = process->space->tables();
      for (Allocation* one : all) residency.Evict(*one);
      EXPECT_EQ(process->space->tables(), tables) << "an eviction makes no table";
      EXPECT_EQ(process->space->tree().leaves_64k().Any64k(kVa, 10 * kSize / kPage), !dual)
          << "a single table keeps its kind";
      for (uint64_t i = 0; i < all.size(); ++i) {
        residency.MakeResident({all[i]});
        EXPECT_TRUE(Reads(life, process, kVa + i * kSize, 16 * i, 16).passed) << i;
      }
      for (Allocation* one : all) life.vidmm.DestroyAllocation(one);
      for (Allocation* one : rest) life.vidmm.DestroyAllocation(one);
      life.vidmm.DestroyProcess(process);
    });
    EXPECT_EQ(FaultsOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
  }
}

}  // namespace
}  // namespace gmmu::os::test

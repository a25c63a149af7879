// SPDX-License-Identifier: Apache-2.0
// Tests rules about zero entries and large pages that implementers often get wrong. Unless a
// comment says otherwise, the expected behaviour follows Microsoft's documentation; it has not been
// observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tb/sw/os/driver_front.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::Life;

using Rule11Paging = DriverFront;

// Zero entries were observed with Valid = 1 (Windows build 22621). The documentation does not say
// whether Valid = 0 is also possible.
TEST_F(Rule11Paging, ZeroEntriesReadZeroAtAnyLevelAndLargePagesAreEveryWhereButAtTheLeaf) {
  bench.config.gpu.vram_mib = 64;
  const std::vector<uint8_t> zeros(hw::kPageSize);
  std::vector<uint8_t> filled(hw::kPageSize, 0x5A);
  const auto result = bench.Run([&](Life& life) {
    const Geometry& geometry = life.adapter.caps().geometry;
    for (unsigned level = 0; level < geometry.count(); ++level) {
      for (const bool valid : {true, false}) {
        Instead([&](DXGKARG_BUILDPAGINGBUFFER& args, const BuildCall& call) {
          if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
            for (UINT i = 0; i < (args.UpdatePageTable.Flags.Repeat ? 1 : args.UpdatePageTable.NumPageTableEntries);
                 ++i) {
              DXGK_PTE& entry = args.UpdatePageTable.pPageTableEntries[i];
              if (entry.Zero) entry.Valid = valid;
            }
          }
          return call(args);
        });
        GpuProcess* process = nullptr;
        const uint64_t size = uint64_t{1} << geometry.Shift(level), va = size * 3;
        life.worker.Call([&] {
          process = life.vidmm.CreateProcess("process");
          life.vidmm.mappings().MapZero(*process, va, size / hw::kPageSize);
        });
        EXPECT_EQ(process->space->tables(), geometry.count() - 1 - level) << "no table below the entry";
        EXPECT_TRUE(RunOnePage(life, process, va + size - hw::kPageSize, std::nullopt, zeros).passed) << level << valid;
        EXPECT_TRUE(RunOnePage(life, process, va + size, regs::Fault::kEntryInvalid, zeros).passed) << level << valid;
        life.worker.Call([&] { life.vidmm.DestroyProcess(process); });
      }
    }
    Instead(nullptr);
    // Test large pages at level 1 only: those of higher levels do not fit into this VRAM.
    life.worker.Call([&] {
      const uint64_t size = uint64_t{1} << geometry.Shift(1);
      GpuProcess* process = life.vidmm.CreateProcess("process");
      Allocation* data = life.vidmm.CreateAllocation("data", size);
      data->contiguous = size;
      life.vidmm.MakeResident(*data);
      life.vidmm.transfers().Fill(*data, 0, size, 0x5A5A5A5A);
      life.vidmm.mappings().MapLarge(*process, 5 * size, 1, *data);
      EXPECT_TRUE(RunOnePage(life, process, 6 * size - hw::kPageSize, std::nullopt, filled).passed);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

/// Tests large pages at each level above the leaf level, as the documentation permits. The levels
/// have so few entries that a large page of the root fits into VRAM.
TEST_F(Rule11Paging, LargePagesAreAtEveryLevelAboveTheLeaf) {
  bench.config.gpu.vram_mib = 64;
  bench.options.os.page_table_bits = {5, 2, 2, 9};
  bench.options.os.window_pages = 16;  // small windows need fewer tables, which leaves room
  const std::vector<uint8_t> page(hw::kPageSize);
  const auto result = bench.Run([&](Life& life) {
    const Geometry& geometry = life.adapter.caps().geometry;
    for (unsigned level = 1; level < geometry.count(); ++level) {
      const uint64_t size = uint64_t{1} << geometry.Shift(level), va = 5 * size, quarter = size / 4;
      GpuProcess* process = nullptr;
      Allocation* data = nullptr;
      life.worker.Call([&] {
        process = life.vidmm.CreateProcess("process");
        data = life.vidmm.CreateAllocation("data", size);
        data->contiguous = size;
        life.vidmm.MakeResident(*data);
        for (uint64_t part = 0; part < 4; ++part)
          life.vidmm.transfers().Fill(*data, part * quarter, quarter,
                                      0x01010101 * static_cast<uint32_t>(0x10 * level + part));
        life.vidmm.mappings().MapLarge(*process, va, level, *data);
      });
      const auto reads = [&](uint64_t offset) {
        const std::vector<uint8_t> bytes(hw::kPageSize, static_cast<uint8_t>(0x10 * level + offset / quarter));
        return RunOnePage(life, process, va + offset, std::nullopt, bytes).passed;
      };
      EXPECT_EQ(process->space->tables(), geometry.count() - 1 - level) << "no table below the entry";
      for (uint64_t part = 0; part < 4; ++part) {
        EXPECT_TRUE(reads(part * quarter)) << level << " " << part;
        EXPECT_TRUE(reads((part + 1) * quarter - hw::kPageSize)) << level << " " << part;
      }
      EXPECT_TRUE(RunOnePage(life, process, va + size, regs::Fault::kEntryInvalid, page).passed) << level;
      // After one page is unmapped, the rest of the large page is mapped by smaller pages at every
      // level down to the leaf.
      life.worker.Call([&] { life.vidmm.Unmap(*process, va + quarter, 1); });
      EXPECT_EQ(process->space->tables(), geometry.count() - 1) << level;
      EXPECT_TRUE(RunOnePage(life, process, va + quarter, regs::Fault::kEntryInvalid, page).passed) << level;
      for (const uint64_t offset :
           {uint64_t{0}, quarter - hw::kPageSize, quarter + hw::kPageSize, 3 * quarter, size - hw::kPageSize})
        EXPECT_TRUE(reads(offset)) << level << " " << offset;
      life.worker.Call([&] {
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
    }
  });
  EXPECT_EQ(FaultsOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
}

// Compares the record of mappings with a simple list of pages.
TEST_F(Rule11Paging, TheRecordOfMappingsAgreesWithAListOfPages) {
  constexpr uint64_t kBase = 0x40000000, kCount = 96;
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  RunOnWorker([&](Life& life) {
    Mappings& mappings = life.vidmm.mappings();
    struct Shown {
      Allocation* allocation;
      uint64_t page;
      bool operator==(const Shown& other) const { return allocation == other.allocation && page == other.page; }
    };
    std::vector<GpuProcess*> processes;
    std::vector<std::vector<Shown>> expected(2, std::vector<Shown>(kCount, Shown{nullptr, 0}));
    std::vector<Allocation*> allocations;
    for (int i = 0; i < 2; ++i) processes.push_back(life.vidmm.CreateProcess("process"));
    for (int i = 0; i < 5; ++i) allocations.push_back(life.vidmm.CreateAllocation("data", kCount * hw::kPageSize));
    const auto agree = [&](int step) {
      for (size_t p = 0; p < processes.size(); ++p) {
        std::vector<Shown> shown(kCount, Shown{nullptr, 0});
        const uint64_t first = random() % kCount, count = 1 + random() % (kCount - first);
        for (const auto& [allocation, mapping] :
             mappings.Of(*processes[p], kBase + first * hw::kPageSize, count * hw::kPageSize)) {
          for (uint64_t i = 0; i < mapping.pages; ++i) {
            Shown& at = shown.at((mapping.va - kBase) / hw::kPageSize + i);
            EXPECT_EQ(at.allocation, nullptr) << "two mappings of an address, step " << step;
            at = {allocation, mapping.first_page + i};
          }
        }
        for (uint64_t i = first; i < first + count; ++i) ASSERT_TRUE(shown[i] == expected[p][i]) << step << " " << i;
      }
    };
    for (int step = 0; step < 400; ++step) {
      const size_t p = random() % processes.size();
      const uint64_t first = random() % kCount, count = 1 + random() % std::min<uint64_t>(kCount - first, 24);
      const uint64_t va = kBase + first * hw::kPageSize;
      Allocation*& allocation = allocations[random() % allocations.size()];
      const uint64_t page = random() % (kCount - count + 1);
      switch (random() % 8) {
        case 0:  // replaces the allocation with a new one
          life.vidmm.DestroyAllocation(allocation);
          for (auto& pages : expected)
            for (Shown& at : pages)
              if (at.allocation == allocation) at = {nullptr, 0};
          allocation = life.vidmm.CreateAllocation("data", kCount * hw::kPageSize);
          break;
        case 1:
        case 2:
          life.vidmm.Unmap(*processes[p], va, count);
          for (uint64_t i = 0; i < count; ++i) expected[p][first + i] = {nullptr, 0};
          break;
        default:
          life.vidmm.Map(*processes[p], va, *allocation, page, count);
          for (uint64_t i = 0; i < count; ++i) expected[p][first + i] = {allocation, page + i};
      }
      agree(step);
    }
    life.vidmm.DestroyProcess(processes[0]);
    for (const Allocation* allocation : allocations)
      for (const Mapping& mapping : allocation->mappings) EXPECT_EQ(mapping.process, processes[1]);
    processes.erase(processes.begin());
    expected.erase(expected.begin());
    agree(400);
    for (Allocation* allocation : allocations) life.vidmm.DestroyAllocation(allocation);
    life.vidmm.DestroyProcess(processes[0]);
  });
}

}  // namespace
}  // namespace gmmu::os::test

// SPDX-License-Identifier: Apache-2.0
// Tests that VidMm creates page tables in the order observed on Windows, as seen in the operations
// that the driver receives.
#include "os/base/bring_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "os/vidmm/paging_process.h"
#include "tb/sw/os/life_bench.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;

/// One UPDATE_PAGE_TABLE operation.
struct Update {
  unsigned level, start, count, flags;
  DXGK_PAGETABLEUPDATEMODE mode;
  uint64_t cpu;     // table address, for mode CPU_VIRTUAL
  uint64_t offset;  // table offset, for mode GPU_PHYSICAL
  uint64_t valid;   // number of valid entries
};
struct Root {
  uint64_t offset;
  unsigned entries;
  size_t after;  // number of updates before this SetRootPageTable
};
std::vector<Update> updates;
std::vector<Root> roots;
DRIVER_INITIALIZATION_DATA real;

NTSTATUS Build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  if (args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && args->MultipassOffset == 0) {
    const auto& op = args->UpdatePageTable;
    Update update{op.PageTableLevel, op.StartIndex, op.NumPageTableEntries, 0, op.UpdateMode, 0, 0, 0};
    update.flags = static_cast<unsigned>(op.Flags.Repeat | op.Flags.InitialUpdate << 1);
    if (op.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
      update.cpu = reinterpret_cast<uint64_t>(op.PageTableAddress.CpuVirtual);
    else update.offset = op.PageTableAddress.GpuPhysical.SegmentOffset;
    for (UINT i = 0; i < op.NumPageTableEntries; ++i)
      update.valid += op.pPageTableEntries[op.Flags.Repeat ? 0 : i].Valid;
    updates.push_back(update);
  }
  return real.DxgkDdiBuildPagingBuffer(adapter, args);
}
void SetRoot(HANDLE adapter, CONST DXGKARG_SETROOTPAGETABLE* args) {
  roots.push_back({args->Address.SegmentOffset, args->NumEntries, updates.size()});
  real.DxgkDdiSetRootPageTable(adapter, args);
}
NTSTATUS Entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = real = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiBuildPagingBuffer = Build;
  table.DxgkDdiSetRootPageTable = SetRoot;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

struct Windows : LifeBench {
  explicit Windows(std::vector<uint64_t> bits) {
    updates.clear();
    roots.clear();
    options.driver = Entry;
    options.os.page_table_bits = bits;
    options.os.bring_up = BringUp::kWindows22621;
    config.gpu.page_table_bits = bits;
    config.gpu.vram_mib = 8;
  }
};

struct Totals {
  uint64_t calls = 0, entries = 0, clears = 0, links = 0, wholes = 0;
};
Totals Count(size_t calls) {
  Totals totals;
  for (size_t i = 0; i < calls; ++i) {
    ++totals.calls;
    totals.entries += updates[i].count;
    totals.clears += updates[i].flags == 3;
    totals.links += updates[i].count == 1;
    totals.wholes += updates[i].flags == 2;
  }
  return totals;
}

TEST(Windows22621, APagingProcessHas515TablesFor1GiBAnd1027UpdatesByTheRule) {
  Windows bench({9, 9, 9, 9});
  const auto result = bench.Run([](Life&) {});
  ASSERT_THAT(result.faults, IsEmpty());
  ASSERT_FALSE(roots.empty());
  EXPECT_EQ(roots[0].after - kUnexplainedWholeWrites, 1027u);
  EXPECT_EQ(roots[0].offset, 0u) << "SetRootPageTable(segment, 0, 512)";
  EXPECT_EQ(roots[0].entries, 512u);
  const Totals totals = Count(roots[0].after);
  EXPECT_EQ(totals.entries - kUnexplainedWholeWrites * 512, 264'192u);
  // There are 512 leaf tables and one table at each level above. The subtracted write of 512
  // entries is not explained by the rule.
  EXPECT_EQ(totals.clears + totals.wholes - kUnexplainedWholeWrites, 515u);
  EXPECT_EQ(totals.links, 512u);
  for (size_t i = 0; i < 512; ++i) {
    const Update& update = updates[i];
    ASSERT_EQ(update.level, 0u);
    ASSERT_EQ(update.start, 0u);
    ASSERT_EQ(update.count, 512u);
    ASSERT_EQ(update.flags, 3u);
    ASSERT_EQ(update.mode, DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
    if (i != 0) ASSERT_EQ(update.cpu, updates[i - 1].cpu + 4096) << i;
  }
}

// Including the unexplained updates, the counts are those observed on Windows. This test checks
// recorded data, not a rule.
TEST(Windows22621, WithTheUnexplainedWriteThereAre1028UpdatesBeforeTheRoot) {
  Windows bench({9, 9, 9, 9});
  const auto result = bench.Run([](Life&) {});
  ASSERT_THAT(result.faults, IsEmpty());
  ASSERT_FALSE(roots.empty());
  EXPECT_EQ(roots[0].after, 1028u);
  EXPECT_EQ(Count(roots[0].after).entries, 264'704u);
}

TEST(Windows22621, TheRuleOfTheBringUpHoldsForOtherGeometries) {
  struct Case {
    std::vector<uint64_t> bits;
    uint64_t leaves, uppers;
  };
  for (const Case& geometry : {Case{{9, 9, 9, 9}, 512, 3}, Case{{9, 9, 9}, 512, 2}, Case{{10, 8, 8, 8}, 256, 3}}) {
    Windows bench(geometry.bits);
    size_t tables = 0;
    const auto result = bench.Run([&](Life& life) { tables = life.vidmm.paging().space().tables(); });
    ASSERT_THAT(result.faults, IsEmpty());
    EXPECT_EQ(tables, geometry.leaves + geometry.uppers - 1) << "the root apart, and none past the last address";
    const Totals totals = Count(roots.at(0).after);
    EXPECT_EQ(totals.clears + totals.wholes - kUnexplainedWholeWrites, geometry.leaves + geometry.uppers);
    EXPECT_EQ(totals.links, geometry.leaves);
    EXPECT_EQ(totals.calls, 2 * geometry.leaves + geometry.uppers + kUnexplainedWholeWrites);
  }
}

TEST(Windows22621, TablesOfAProcessLieDownwardFromTheEndOfTheSegmentAndAreWrittenUpward) {
  Windows bench({9, 9, 9, 9});
  uint64_t segment = 0;
  const auto result = bench.Run([&](Life& life) {
    segment = life.adapter.local_segment().size;
    updates.clear();
    roots.clear();
    life.worker.Call([&] {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      EXPECT_THAT(updates, IsEmpty());
      EXPECT_THAT(roots, IsEmpty()) << "no root before the first range";
      const uint64_t va = life.vidmm.ReserveVa(*process, 4096, 0x10000000);
      Allocation* page = life.vidmm.CreateAllocation("page", 4096);
      life.vidmm.MakeResident(*page);
      const size_t before = updates.size();
      life.vidmm.Map(*process, va, *page, 0, 1);
      std::vector<unsigned> levels, flags, counts;
      std::vector<uint64_t> places;
      for (size_t i = before; i < updates.size(); ++i) {
        levels.push_back(updates[i].level);
        flags.push_back(updates[i].flags);
        counts.push_back(updates[i].count);
        places.push_back(updates[i].offset);
        EXPECT_EQ(updates[i].mode, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
      }
      EXPECT_THAT(levels, ElementsAre(0u, 1u, 2u, 3u, 0u));
      EXPECT_THAT(flags, ElementsAre(3u, 2u, 2u, 2u, 0u));
      EXPECT_THAT(counts, ElementsAre(512u, 512u, 512u, 512u, 1u));
      EXPECT_THAT(places, ElementsAre(segment - 0x4000, segment - 0x3000, segment - 0x2000, segment - 0x1000,
                                      segment - 0x4000));
      EXPECT_EQ(updates[before + 1].valid, 1u) << "the whole table has its link in it";
      ASSERT_THAT(roots, SizeIs(1));
      EXPECT_EQ(roots[0].offset, segment - 0x1000);
      EXPECT_EQ(roots[0].after, updates.size()) << "behind the first range";
      life.vidmm.DestroyAllocation(page);
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyProcess(process);
    });
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

// Windows was observed to fill up to 256 MiB at once. Here the fill window is at most as large as
// video memory, so that it fits into the paging process's 1 GiB wherever the seed places the other
// windows.
TEST(Windows22621, TheWindowOfLargeFillsHasRoomWithEverySeed) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Windows bench({9, 9, 9, 9});
    bench.options.os.seed = seed;
    bench.options.os.fill_kib = 256 << 10;
    const auto result = bench.RunOnWorker([](Life& life) {
      Allocation* large = life.vidmm.CreateAllocation("large", 4 << 20);
      life.vidmm.MakeResident(*large);
      life.vidmm.transfers().Fill(*large, 0, 4 << 20, 0);
      life.vidmm.DestroyAllocation(large);
    });
    EXPECT_EQ(FaultsOf(result), "");
  }
}

TEST(Windows22621, TheMainJobRunsInThatOrder) {
  Windows bench({9, 9, 9, 9});
  const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 100'000); });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_TRUE(result.verified);
}

}  // namespace
}  // namespace gmmu::os::test

// SPDX-License-Identifier: Apache-2.0
// Tests how process tables are written, which depends on the driver's caps. The expected behaviour
// follows Microsoft's documentation; it has not been observed on Windows.
#include <map>

#include "os/dxgkrnl/dxgkrnl.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/process_tables.h"
#include "tb/sw/os/tables/tables_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::Life;

struct Updates {
  unsigned count = 0;      // updates to processes' tables
  unsigned clears = 0;     // updates that invalidate a whole existing table
  unsigned in_buffer = 0;  // updates written as commands, not by the CPU
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
      tables = process->space->tables() + 1;  // tables() does not count the root
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

// In update mode GPU_VIRTUAL, a new table is written through a mapping in the paging process. That
// mapping needs page tables of its own; if there is no room for them, the new table is freed.
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

constexpr UINT kVram = 2,
               kSystem = 3;  // this driver's implicit system memory segment

/// A driver that reports, for each level, a different table segment than the configuration.
class TablesElsewhere : public TableLife {
 protected:
  void Answer(const std::function<void(UINT level, DXGK_PAGE_TABLE_LEVEL_DESC&)>& change) {
    seen.answer = [change](const DXGKARG_QUERYADAPTERINFO& args) {
      if (args.Type != DXGKQAITYPE_PAGETABLELEVELDESC) return;
      change(static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(args.pInputData)->LevelIndex,
             *static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(args.pOutputData));
    };
  }
};

TEST_F(TablesElsewhere, EachLevelOfEachKindOfProcessHasItsOwnSegment) {
  struct Case {
    UINT leaves, uppers, paging;
  };
  for (const Case& one : {Case{kSystem, kVram, kVram}, Case{kVram, kSystem, kVram}, Case{kVram, kVram, kSystem},
                          Case{kSystem, kSystem, kVram}, Case{0, kVram, 0}}) {
    SCOPED_TRACE(std::to_string(one.leaves) + ", " + std::to_string(one.uppers) + ", " + std::to_string(one.paging));
    Answer([&](UINT level, DXGK_PAGE_TABLE_LEVEL_DESC& desc) {
      desc.PageTableSegmentId = level == 0 ? one.leaves : one.uppers;
      desc.PagingProcessPageTableSegmentId = one.paging;
    });
    std::map<UINT, UINT> places;  // segment of a process's table, by level
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL)
        places[op.PageTableLevel] = op.PageTableAddress.GpuPhysical.SegmentId;
    });
    UINT root = ~0u;
    seen.root = [&](const DXGKARG_SETROOTPAGETABLE& args) { root = args.Address.SegmentId; };
    MainJobIsVerified();
    const auto address = [](UINT id) { return id == kSystem ? 0 : id; };
    const std::map<UINT, UINT> expected = {
        {0, address(one.leaves)}, {1, address(one.uppers)}, {2, address(one.uppers)}, {3, address(one.uppers)}};
    EXPECT_EQ(places, expected) << "system memory is segment 0 in an address";
    EXPECT_EQ(root, address(one.uppers));
  }
}

// The GPU sees a table of four pages as contiguous, with and without DMA remapping, so walks also
// reach its last entries.
TEST_F(TablesElsewhere, ATableOfSeveralPagesInSystemMemoryIsContiguousAndAligned) {
  bench.options.os.page_table_bits = bench.config.gpu.page_table_bits = {9, 8, 8, 11};
  bench.options.os.limit_bits = 33;  // the GPU reaches all memory, so remapping is optional
  for (const bool remapped : {true, false}) {
    for (const UINT alignment : {0u, 65536u}) {
      bench.options.os.iommu = remapped ? RemapPolicy::kWhenPossible : RemapPolicy::kNever;
      Answer([&](UINT, DXGK_PAGE_TABLE_LEVEL_DESC& desc) {
        desc.PageTableSegmentId = desc.PagingProcessPageTableSegmentId = kSystem;
        desc.PageTableAlignmentInBytes = alignment;
      });
      RunOnWorker([&](Life& life) {
        GpuProcess* process = life.vidmm.CreateProcess("process");
        Allocation* data = Filled(life, 2, 0x100);
        const uint64_t last = (uint64_t{2047} << 37) + (uint64_t{511} << 12);
        life.vidmm.Map(*process, 0x10000000, *data, 0, 1);
        life.vidmm.Map(*process, last, *data, 1, 1);
        EXPECT_EQ(process->space->root().SegmentId, 0u);
        EXPECT_EQ(process->space->root().SegmentOffset % std::max<uint64_t>(alignment, kPage), 0u);
        for (const auto& [slot, table] : process->space->tree().tables())
          EXPECT_EQ(table.gpu.SegmentOffset % std::max<uint64_t>(alignment, kPage), 0u);
        Reads(life, process, 0x10000000, {0x100});
        Reads(life, process, last, {0x101});
        life.vidmm.tables().Move(*process);
        Reads(life, process, last, {0x101});
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
    }
  }
}

TEST_F(TablesElsewhere, ARootThatGrowsInSystemMemoryIsAnotherPiece) {
  TwoLevels();
  Answer([](UINT, DXGK_PAGE_TABLE_LEVEL_DESC& desc) {
    desc.PageTableSegmentId = desc.PagingProcessPageTableSegmentId = kSystem;
  });
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process", 1);
    Allocation* data = Filled(life, 2, 0x100);
    const uint64_t first = process->space->root().SegmentOffset, last = uint64_t{8191} << 21;
    EXPECT_EQ(process->space->root_entries(), 512u);
    life.vidmm.Map(*process, 0x200000, *data, 0, 1);
    life.vidmm.Map(*process, last, *data, 1, 1);
    EXPECT_EQ(process->space->root_entries(), 8192u) << "16 pages";
    EXPECT_NE(process->space->root().SegmentOffset, first);
    Reads(life, process, 0x200000, {0x100});
    Reads(life, process, last, {0x101});
    life.vidmm.DestroyAllocation(data);
    life.vidmm.DestroyProcess(process);
  });
}

TEST_F(TablesElsewhere, PagingBuffersInTheApertureAreFoundByTablesInSystemMemory) {
  bench.options.os.driver["PagingBufferSegment"] = 1;
  Answer([](UINT, DXGK_PAGE_TABLE_LEVEL_DESC& desc) {
    desc.PageTableSegmentId = desc.PagingProcessPageTableSegmentId = kSystem;
  });
  MainJobIsVerified();
}

TEST_F(TablesElsewhere, RoomForATableIsMadeInItsSegmentAndInNoOther) {
  bench.config.gpu.vram_mib = 2;
  // Segment 2 is this visible part of VRAM, segment 3 the rest, and segment 4 system memory.
  bench.options.os.driver["VisibleVramBytes"] = 1 << 20;
  Answer([](UINT level, DXGK_PAGE_TABLE_LEVEL_DESC& desc) {
    if (level == 0) desc.PageTableSegmentId = 4;
  });
  RunOnWorker([&](Life& life) {
    const auto make = [&](const char* name, bool seen_by_cpu, bool system_only) {
      AllocationRequest request{name, kPage};
      request.accessed_physically = false;
      request.cpu_visible = seen_by_cpu;
      request.system_only = system_only;
      return life.vidmm.CreateAllocation(request);
    };
    Residency& residency = life.vidmm.residency();
    Allocation *older = make("older", false, false), *newer = make("newer", true, false);
    for (Allocation* each : {older, newer}) residency.MakeResident({each});
    EXPECT_EQ(older->segment(), 3u);
    EXPECT_EQ(newer->segment(), kVram);
    GpuProcess* process = life.vidmm.CreateProcess("process");
    RangeAllocator& space = *life.adapter.lead().segment(kVram).space;
    std::vector<uint64_t> rest;
    while (const auto page = space.Allocate(kPage, kPage, "the rest")) rest.push_back(*page);
    space.Free(rest.back());  // leaves room for one of the two tables below the root
    rest.pop_back();
    Allocation* wanted = make("wanted", false, true);
    life.vidmm.Map(*process, 0x10000000, *wanted, 0, 1);
    residency.MakeResident({wanted});
    EXPECT_EQ(older->segment(), 3u) << "used the longest ago, but not where the table has no room";
    EXPECT_NE(newer->segment(), kVram);
    for (const uint64_t page : rest) space.Free(page);
    for (Allocation* each : {older, newer, wanted}) life.vidmm.DestroyAllocation(each);
    life.vidmm.DestroyProcess(process);
  });
}

TEST_F(TablesElsewhere, NoRoomNamesTheSegmentOfTheTableThatHasNone) {
  Answer([&](UINT level, DXGK_PAGE_TABLE_LEVEL_DESC& desc) {
    if (level == 0) desc.PageTableSegmentId = desc.PagingProcessPageTableSegmentId = kSystem;
  });
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    Allocation* rest = TakeAllBut(life, 0);
    try {
      life.vidmm.mappings().MapZero(*process, uint64_t{5} << 40, 1);
      ADD_FAILURE() << "an upper table had room";
    } catch (const NoRoom& refusal) {
      EXPECT_EQ(refusal.segment, kVram);
    }
    life.vidmm.DestroyAllocation(rest);
    life.vidmm.DestroyProcess(process);
  });
}

}  // namespace
}  // namespace gmmu::os::test

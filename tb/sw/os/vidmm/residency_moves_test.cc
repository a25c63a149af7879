// SPDX-License-Identifier: Apache-2.0
// Tests moves of allocations between memory segments, aperture and system memory, and evictions of page tables.
#include "os/vidmm/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "os/miniport/segments.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/debug_view.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"
#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using workload::Life;
constexpr uint64_t kSize = 128 << 10;

/// Allocations that may also reside in system memory, each in its own process.
class Moves : public DriverWithAFront {
 protected:
  Moves() {
    bench.options.driver = Entry;
    between.build = [this](DXGKARG_BUILDPAGINGBUFFER& args) {
      if (built) built(args);
      return RealBuild(args);
    };
  }

  struct Piece {
    GpuProcess* process;
    Allocation* allocation;
    uint64_t va;
  };
  Piece Make(Life& life, const AllocationRequest& request) {
    Piece piece{life.vidmm.CreateProcess("of " + request.name), life.vidmm.CreateAllocation(request), 0};
    piece.va = life.vidmm.ReserveVa(*piece.process, request.bytes);
    life.vidmm.Map(*piece.process, piece.va, *piece.allocation, 0, request.bytes / hw::kPageSize);
    pieces.push_back(piece);
    return piece;
  }
  static AllocationRequest Request(const std::string& name, uint64_t bytes, UINT priority) {
    AllocationRequest request{name, bytes};
    request.accessed_physically = false;
    request.priority = priority;
    return request;
  }
  /// Returns the entry of an allocation's first page, as a debugger sees it.
  static DXGK_PTE EntryAt(Life& life, const Piece& piece) {
    D3DKMT_GET_PTE get{};
    const auto& geometry = life.adapter.caps().geometry;
    for (unsigned level = 0; level < geometry.count(); ++level)
      get.PageTableIndex[level] = static_cast<UINT>(geometry.Index(level, piece.va));
    get.NumPtes = 1;
    EXPECT_EQ(DebugView(life.vidmm).GetPte(*piece.process, get), STATUS_SUCCESS);
    return get.Pte[0];
  }
  /// A process that requests more and more VRAM and needs all of it resident at once.
  struct Greedy {
    explicit Greedy(Life& life) : life(life), process(life.vidmm.CreateProcess("greedy")) {}
    /// Requests another 16 KiB. Returns false once the test's limit is reached.
    bool Wants() {
      wanted.push_back(life.vidmm.CreateAllocation(LocalOnly("greedy", 4 * hw::kPageSize)));
      life.vidmm.Map(*process, 0x10000000 + wanted.size() * 0x10000, *wanted.back(), 0, 4);
      life.vidmm.residency().MakeResident(wanted);
      return wanted.size() < 64;
    }
    void GiveBack() {
      for (Allocation* one : wanted) life.vidmm.DestroyAllocation(one);
      life.vidmm.DestroyProcess(process);
    }
    Life& life;
    GpuProcess* const process;
    std::vector<Allocation*> wanted;
  };
  void End(Life& life) {
    for (const Piece& piece : pieces) {
      life.vidmm.DestroyAllocation(piece.allocation);
      if (piece.process == nullptr) continue;  // mapped in the process of another piece
      life.vidmm.FreeVa(*piece.process, piece.va);
      life.vidmm.DestroyProcess(piece.process);
    }
  }

  LifeBench bench;
  std::vector<Piece> pieces;
  std::function<void(const DXGKARG_BUILDPAGINGBUFFER&)> built;  // called before the driver receives the operation
};

constexpr UINT kNormal = D3DDDI_ALLOCATIONPRIORITY_NORMAL, kHigh = D3DDDI_ALLOCATIONPRIORITY_HIGH;
constexpr uint64_t kMost = 512 << 10;  // two allocations of this size plus page tables exceed VRAM

// As in the examples of the GPU virtual address documentation, entries are invalidated and flushed
// before the transfer, and written after it.
TEST_F(Moves, AMoveToSystemMemoryIsInvalidFlushedTransferredAndMapped) {
  std::vector<DXGK_BUILDPAGINGBUFFER_OPERATION> operations;
  const auto result = bench.RunOnWorker([&](Life& life) {
    Residency& residency = life.vidmm.residency();
    const Piece low = Make(life, Request("low", kMost, kNormal)), high = Make(life, Request("high", kMost, kHigh));
    residency.MakeResident({low.allocation});
    EXPECT_EQ(low.allocation->residence(), Residence::kMemorySegment);
    built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const bool moves = args.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
      const bool entries = args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                           args.UpdatePageTable.hProcess == low.process->handles.process;
      const bool flush = args.Operation == DXGK_OPERATION_FLUSH_TLB &&
                         args.FlushTlb.hProcess == low.process->handles.process;
      if ((moves || entries || flush) && (operations.empty() || operations.back() != args.Operation))
        operations.push_back(args.Operation);
    };
    residency.MakeResident({high.allocation});
    built = nullptr;
    EXPECT_EQ(low.allocation->residence(), Residence::kSystem);
    EXPECT_EQ(high.allocation->residence(), Residence::kMemorySegment);
    EXPECT_EQ(residency.counts().demotions, 1u);
    const DXGK_PTE entry = EntryAt(life, low);
    EXPECT_TRUE(entry.Valid);
    EXPECT_EQ(entry.Segment, 0u);
    EXPECT_EQ(entry.PageAddress, low.allocation->backing->page(0));
    End(life);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_THAT(operations, ElementsAre(DXGK_OPERATION_UPDATE_PAGE_TABLE, DXGK_OPERATION_FLUSH_TLB,
                                      DXGK_OPERATION_VIRTUAL_TRANSFER, DXGK_OPERATION_UPDATE_PAGE_TABLE));
}

TEST_F(Moves, EqualsStayWhereTheyAreAndComeBackWhenThereIsRoom) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Residency& residency = life.vidmm.residency();
    const Piece first = Make(life, Request("first", kMost, kNormal)),
                other = Make(life, Request("other", kMost, kHigh));
    residency.MakeResident({first.allocation});
    residency.MakeResident({other.allocation});
    residency.MakeResident({first.allocation});
    EXPECT_EQ(first.allocation->residence(), Residence::kSystem) << "a higher priority is in the way";
    other.allocation->homes.priority = kNormal;
    residency.MakeResident({first.allocation});
    EXPECT_EQ(first.allocation->residence(), Residence::kSystem) << "its equal is in the way";
    residency.Evict(*other.allocation);
    first.allocation->bound = true;
    residency.MakeResident({first.allocation});
    EXPECT_EQ(first.allocation->residence(), Residence::kSystem) << "an earlier piece of a DMA buffer has it there";
    EXPECT_EQ(residency.counts().promotions, 0u);
    first.allocation->bound = false;
    residency.MakeResident({first.allocation});
    EXPECT_EQ(first.allocation->residence(), Residence::kMemorySegment);
    EXPECT_EQ(residency.counts().promotions, 1u);
    EXPECT_EQ(EntryAt(life, first).Segment, life.adapter.lead().local_segment().id);
    End(life);
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

// Page tables have no other place, so they displace allocations of any priority. The rest of the
// room that they free must stay free for those allocations.
TEST_F(Moves, ALowPriorityTakesNoRoomThatItsTablesFreed) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Residency& residency = life.vidmm.residency();
    const Piece low = Make(life, Request("low", hw::kPageSize, D3DDDI_ALLOCATIONPRIORITY_LOW));
    const Piece room = Make(life, Request("room", kSize, kNormal));
    residency.MakeResident({room.allocation});
    // More allocations of the process of `room`, until less than `bytes` is free.
    const auto fill = [&](uint64_t bytes, UINT priority) {
      for (uint64_t at = bytes << 8; life.gpu().facts().local.free >= bytes; at += bytes) {
        pieces.push_back({nullptr, life.vidmm.CreateAllocation(Request("filler", bytes, priority)), 0});
        life.vidmm.Map(*room.process, room.va + at, *pieces.back().allocation, 0, bytes / hw::kPageSize);
        residency.MakeResident({pieces.back().allocation});
      }
    };
    fill(kSize, kHigh);
    fill(hw::kPageSize, kHigh);
    const uint64_t before = residency.counts().demotions;
    residency.MakeResident({low.allocation});
    EXPECT_EQ(residency.counts().demotions, before + 1) << "the page tables need room";
    EXPECT_EQ(room.allocation->residence(), Residence::kSystem);
    EXPECT_GT(life.gpu().facts().local.free, uint64_t{hw::kPageSize});
    EXPECT_EQ(low.allocation->residence(), Residence::kSystem);
    End(life);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

// When an allocation moves, so do its contents. Between two memory segments, they are copied
// directly.
TEST_F(Moves, WhatLeavesAMemorySegmentGoesToTheNextOne) {
  bench.config.gpu.vram_mib = 2;
  bench.options.os.driver["VisibleVramBytes"] = 1 << 20;
  std::vector<DXGK_MEMORY_TRANSFER_DIRECTION> directions;
  built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_VIRTUAL_TRANSFER) directions.push_back(args.TransferVirtual.TransferDirection);
  };
  const auto result = bench.RunOnWorker([&](Life& life) {
    Residency& residency = life.vidmm.residency();
    const Piece low = Make(life, Request("low", kMost, kNormal)), high = Make(life, Request("high", kMost, kHigh));
    residency.MakeResident({low.allocation});
    EXPECT_EQ(low.allocation->segment(), 3u) << "what the CPU does not see, first";
    constexpr uint64_t kPages = kMost / hw::kPageSize;
    for (uint64_t page = 0; page < kPages; ++page)
      life.vidmm.transfers().Fill(*low.allocation, page * hw::kPageSize, hw::kPageSize,
                                  0x5A0000 + static_cast<uint32_t>(page));
    residency.MakeResident({high.allocation});
    EXPECT_EQ(high.allocation->segment(), 3u);
    EXPECT_EQ(low.allocation->segment(), 2u);
    EXPECT_THAT(directions, ::testing::Each(DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL));
    EXPECT_FALSE(directions.empty());
    const DXGK_PTE entry = EntryAt(life, low);
    EXPECT_EQ(entry.Segment, 2u);
    EXPECT_EQ(entry.PageAddress, low.allocation->local->page(0));
    residency.Evict(*low.allocation);
    const auto* view = reinterpret_cast<const uint32_t*>(low.allocation->backing->Map(0, kMost));
    constexpr uint64_t kWords = hw::kPageSize / 4;
    for (uint64_t page = 0; page < kPages; ++page)
      EXPECT_EQ(std::count(view + page * kWords, view + (page + 1) * kWords, 0x5A0000 + page),
                static_cast<ptrdiff_t>(kWords))
          << page;
    low.allocation->backing->Unmap();
    End(life);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST_F(Moves, AnAllocationThatIsAccessedPhysicallyLivesInTheAperture) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Residency& residency = life.vidmm.residency();
    AllocationRequest request = Request("in the aperture", 16 * hw::kPageSize, kNormal);
    request.accessed_physically = request.explicit_residency = request.system_only = true;
    const Piece piece = Make(life, request);
    std::vector<D3DGPU_PHYSICAL_ADDRESS> told;
    built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.Operation == DXGK_OPERATION_NOTIFY_RESIDENCY) told.push_back(args.NotifyResidency.PhysicalAddress);
    };
    const uint64_t before = life.vidmm.aperture().map_operations();
    residency.MakeResident({piece.allocation});
    EXPECT_EQ(piece.allocation->residence(), Residence::kAperture);
    EXPECT_GT(life.vidmm.aperture().map_operations(), before);
    EXPECT_EQ(life.vidmm.aperture().mapped_pages(), 16u);
    const DXGK_PTE entry = EntryAt(life, piece);
    EXPECT_EQ(entry.Segment, life.adapter.lead().aperture_segment().id);
    EXPECT_EQ(entry.PageAddress, *piece.allocation->aperture_page);
    residency.Evict(*piece.allocation);
    built = nullptr;
    EXPECT_EQ(life.vidmm.aperture().mapped_pages(), 0u);
    EXPECT_FALSE(EntryAt(life, piece).Valid);
    ASSERT_EQ(told.size(), 2u) << "where it is, and that it is nowhere";
    EXPECT_EQ(told[0].SegmentId, life.adapter.lead().aperture_segment().id);
    EXPECT_EQ(told[1].SegmentId, 0u);
    residency.MakeResident({piece.allocation});
    End(life);  // frees the aperture range too
    EXPECT_EQ(life.vidmm.aperture().mapped_pages(), 0u);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST_F(Moves, AProcessOverItsBudgetMakesRoomAmongItsOwn) {
  bench.options.os.local_budget_kib = 128;
  const auto result = bench.RunOnWorker([&](Life& life) {
    Residency& residency = life.vidmm.residency();
    const Piece other = Make(life, Request("other", kSize, kNormal)),
                first = Make(life, Request("first", kSize, kNormal));
    residency.MakeResident({other.allocation});
    residency.MakeResident({first.allocation});
    EXPECT_EQ(other.allocation->residence(), Residence::kMemorySegment) << "of another process";
    EXPECT_EQ(first.allocation->residence(), Residence::kMemorySegment);
    Allocation* second = life.vidmm.CreateAllocation(Request("second", kSize, kNormal));
    const uint64_t va = life.vidmm.ReserveVa(*first.process, kSize);
    life.vidmm.Map(*first.process, va, *second, 0, kSize / hw::kPageSize);
    residency.MakeResident({second});
    EXPECT_EQ(second->residence(), Residence::kMemorySegment);
    EXPECT_EQ(first.allocation->residence(), Residence::kSystem);
    EXPECT_EQ(other.allocation->residence(), Residence::kMemorySegment);
    residency.MakeResident({first.allocation, second});
    EXPECT_EQ(second->residence(), Residence::kMemorySegment) << "what is wanted stays";
    EXPECT_EQ(first.allocation->residence(), Residence::kSystem);
    life.vidmm.DestroyAllocation(second);
    life.vidmm.FreeVa(*first.process, va);
    End(life);
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

// If an allocation moves while the tables are evicted, the restored tables must map it at its new
// address.
TEST_F(Moves, PageTablesGiveWayAndComeBackWithWhatIsTrueThen) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Residency& residency = life.vidmm.residency();
    AllocationRequest request = Request("kept", hw::kPageSize, kNormal);
    request.system_only = true;
    const Piece kept = Make(life, request);
    residency.MakeResident({kept.allocation});
    Greedy greedy(life);
    while (residency.counts().table_evictions == 0) ASSERT_TRUE(greedy.Wants()) << "no page table ever left";
    EXPECT_TRUE(kept.process->space->evicted());
    const uint64_t old = kept.allocation->backing->page(0);
    residency.Evict(*kept.allocation);
    EXPECT_TRUE(kept.process->space->evicted()) << "nothing is written in tables that are away";
    greedy.GiveBack();
    residency.RestoreTables(*kept.process);
    EXPECT_FALSE(EntryAt(life, kept).Valid) << "page " << old << " is not the GPU's any more";
    residency.MakeResident({kept.allocation});
    EXPECT_EQ(EntryAt(life, kept).PageAddress, kept.allocation->backing->page(0));
    EXPECT_EQ(residency.counts().table_restores, 1u);
    End(life);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST_F(Moves, WhatMovesWhileTablesAreAwayIsMappedWhereItLivesThen) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Residency& residency = life.vidmm.residency();
    const Piece moved = Make(life, Request("moved", 4 * hw::kPageSize, kHigh));
    residency.MakeResident({moved.allocation});
    Greedy greedy(life);
    while (residency.counts().table_evictions == 0) ASSERT_TRUE(greedy.Wants()) << "no page table ever left";
    EXPECT_EQ(moved.allocation->residence(), Residence::kMemorySegment) << "nothing with its priority leaves";
    moved.allocation->homes.priority = kNormal;
    while (residency.counts().demotions == 0) ASSERT_TRUE(greedy.Wants()) << "it never left";
    EXPECT_EQ(moved.allocation->residence(), Residence::kSystem);
    EXPECT_TRUE(moved.process->space->evicted());
    greedy.GiveBack();
    residency.RestoreTables(*moved.process);
    const DXGK_PTE entry = EntryAt(life, moved);
    EXPECT_TRUE(entry.Valid);
    EXPECT_EQ(entry.Segment, 0u);
    EXPECT_EQ(entry.PageAddress, moved.allocation->backing->page(0));
    End(life);
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

TEST_F(Moves, ACopyOfMappingsBringsTablesBackThatGaveWay) {
  const auto result = bench.RunOnWorker([&](Life& life) {
    Residency& residency = life.vidmm.residency();
    AllocationRequest request = Request("kept", hw::kPageSize, kNormal);
    request.system_only = true;
    Piece kept = Make(life, request);
    residency.MakeResident({kept.allocation});
    Greedy greedy(life);
    while (residency.counts().table_evictions == 0) ASSERT_TRUE(greedy.Wants()) << "no page table ever left";
    greedy.GiveBack();
    Piece copy = kept;
    copy.va = life.vidmm.ReserveVa(*kept.process, hw::kPageSize);
    life.vidmm.mappings().Copy(*kept.process, kept.va, copy.va, hw::kPageSize);
    EXPECT_FALSE(kept.process->space->evicted());
    EXPECT_EQ(EntryAt(life, copy).PageAddress, kept.allocation->backing->page(0));
    life.vidmm.FreeVa(*kept.process, copy.va);
    End(life);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

/// Runs scenario system-memory in each DMA mode.
class SystemMemoryRun : public ::testing::TestWithParam<RemapPolicy> {};

TEST_P(SystemMemoryRun, EveryByteIsReachedWhereItLives) {
  LifeBench bench;
  sim::MachineConfig& config = bench.config;
  config.gpu.clients = 1;
  bench.options.os.iommu = GetParam();
  bench.options.os.limit_bits = 40;
  sim::twin::FastMachine platform(config);
  workload::JobResult result;
  RunScenario(platform, workload::FindScenario("system-memory"), bench.options, result);
  EXPECT_TRUE(result.Passed());
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
}
INSTANTIATE_TEST_SUITE_P(All, SystemMemoryRun, ::testing::Values(RemapPolicy::kWhenPossible, RemapPolicy::kNever));

}  // namespace
}  // namespace gmmu::os::test

// SPDX-License-Identifier: Apache-2.0
// Tables that move, go and come back; roots of processes with and without contexts; fences. Documents only, unless a
// comment names a build.
#include <algorithm>
#include <map>
#include <set>

#include "tb/sw/os/driver_front.h"
#include "os/dxgkrnl/adapter.h"
#include "os/tables/address_space.h"
#include "os/tables/table_shadow.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/debug_view.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/mappings.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/paging_fence.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/processes.h"
#include "os/vidmm/residency.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using workload::Life;
constexpr uint64_t kPage = hw::kPageSize;

class TableLife : public DriverFront {
 protected:
  struct Subject {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    uint64_t va = 0;
  };
  static Subject Make(Life& life) {
    Subject subject;
    life.worker.Call([&] {
      subject.process = life.vidmm.CreateProcess("process");
      subject.data = Filled(life, 20, 0x100);
      subject.va = life.vidmm.ReserveVa(*subject.process, 20 * kPage);
      life.vidmm.Map(*subject.process, subject.va, *subject.data, 0, 20);
    });
    return subject;
  }
  static void End(Life& life, Subject& subject) {
    life.worker.Call([&] {
      life.vidmm.FreeVa(*subject.process, subject.va);
      life.vidmm.DestroyAllocation(subject.data);
      life.vidmm.DestroyProcess(subject.process);
    });
  }
  /// All of VRAM that is free, but for some pages.
  static Allocation* TakeAllBut(Life& life, uint64_t pages) {
    const uint64_t free = life.adapter.local_segment().space->free_bytes();
    Allocation* rest = life.vidmm.CreateAllocation("the rest", free - pages * kPage);
    life.vidmm.MakeResident(*rest);
    return rest;
  }
  /// A root of up to 8192 entries, 512 in a page.
  void TwoLevels() { bench.options.os.page_table_bits = bench.config.gpu.page_table_bits = {9, 13}; }
  static std::vector<uint32_t> Pages(uint32_t first, uint32_t count) {
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < count; ++i) words.push_back(first + i);
    return words;
  }
};

TEST_F(TableLife, TablesThatMoveSayTheSameElsewhereAndTheRootIsSetAnew) {
  std::set<std::pair<unsigned, uint64_t>> written;  // level and place of whole tables
  std::vector<uint64_t> roots;
  Run([&](Life& life) {
    Subject subject = Make(life);
    const uint64_t old = subject.process->space->root().SegmentOffset;
    const size_t tables = subject.process->space->tables();
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      const auto& op = args.UpdatePageTable;
      if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && op.Flags.InitialUpdate &&
          op.hProcess == subject.process->handles.process)
        written.insert({op.PageTableLevel, op.PageTableAddress.GpuPhysical.SegmentOffset});
    });
    seen.root = [&](const DXGKARG_SETROOTPAGETABLE& args) { roots.push_back(args.Address.SegmentOffset); };
    life.worker.Call([&] { life.vidmm.tables().Move(*subject.process); });
    EXPECT_THAT(written, SizeIs(tables + 1)) << "every table and the root";
    EXPECT_NE(subject.process->space->root().SegmentOffset, old);
    EXPECT_THAT(roots, ElementsAre(subject.process->space->root().SegmentOffset));
    Reads(life, subject.process, subject.va, Pages(0x100, 20));
    // What is changed afterwards is changed in the new tables.
    life.worker.Call([&] { life.vidmm.Map(*subject.process, subject.va + 3 * kPage, *subject.data, 9, 1); });
    Reads(life, subject.process, subject.va + 2 * kPage, {0x102, 0x109, 0x104});
    End(life, subject);
  });
}

TEST_F(TableLife, TablesThatFindNoRoomToMoveLeaveTheProcessRunning) {
  Run([&](Life& life) {
    Subject subject = Make(life);
    workload::RenderBuffer buffer(life, subject.process, kPage);
    buffer.Copy(subject.va, subject.va + 10 * kPage, 8 * kPage);
    const size_t tables = subject.process->space->tables();
    for (uint64_t pages = 0; pages <= tables; ++pages) {  // the last time there is room for all but the root
      life.worker.Call([&] {
        Allocation* rest = TakeAllBut(life, pages);
        EXPECT_THROW(life.vidmm.tables().Move(*subject.process), NoRoom);
        life.vidmm.DestroyAllocation(rest);
        EXPECT_EQ(life.adapter.vidsch().Wait(buffer.Submit("copies"), 100'000'000), PacketEnd::kCompleted);
      });
      Reads(life, subject.process, subject.va + 9 * kPage, {0x109, 0x100, 0x101});
    }
    life.worker.Call([&] { life.vidmm.tables().Move(*subject.process); });
    EXPECT_EQ(subject.process->space->tables(), tables);
    Reads(life, subject.process, subject.va, Pages(0x100, 10));
    buffer.Release();
    End(life, subject);
  });
}

TEST_F(TableLife, ARootThatFindsNoRoomLeavesTheOldOneWithItsNumberOfEntries) {
  TwoLevels();
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1);
    const auto tell = [&] {
      life.adapter.SetRootPageTable(process->handles.context, process->space->root(), process->space->root_entries());
    };
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process", 1);
      data = Filled(life, 1, 0x500);
      life.vidmm.Map(*process, 3 * unit, *data, 0, 1);
      ASSERT_EQ(process->space->root_entries(), 512u);
      Allocation* rest = TakeAllBut(life, 1);
      EXPECT_THROW(life.vidmm.tables().ReplaceRoot(*process, 1024), NoRoom);
      EXPECT_EQ(process->space->root_entries(), 512u);
      tell();
      life.vidmm.DestroyAllocation(rest);
    });
    Reads(life, process, 3 * unit, {0x500});
    Faults(life, process, 600 * unit, regs::Fault::kRootBound);
    life.worker.Call([&] { life.vidmm.tables().ReplaceRoot(*process, 1024); });
    Reads(life, process, 3 * unit, {0x500});
    Faults(life, process, 600 * unit, regs::Fault::kEntryInvalid);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
}

TEST_F(TableLife, ARootGrowsWithTheAddressesThatAreMapped) {
  TwoLevels();
  std::vector<UINT> told;
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1);
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process", 1);
      data = Filled(life, 4, 0x600);
      life.vidmm.Map(*process, 3 * unit, *data, 0, 4);
      seen.root = [&](const DXGKARG_SETROOTPAGETABLE& args) { told.push_back(args.NumEntries); };
      life.vidmm.Unmap(*process, 600 * unit, 4);
      EXPECT_EQ(process->space->root_entries(), 512u) << "nothing is mapped beyond it";
      life.vidmm.Map(*process, 600 * unit, *data, 2, 2);
      EXPECT_EQ(process->space->root_entries(), 1024u);
      life.vidmm.mappings().MapZero(*process, 1500 * unit, 600 * unit / kPage);
      EXPECT_EQ(process->space->root_entries(), 2560u) << "as many pages of entries as it takes";
    });
    EXPECT_EQ(told.back(), 2560u);
    Reads(life, process, 3 * unit, Pages(0x600, 4));
    Reads(life, process, 600 * unit, Pages(0x602, 2));
    Reads(life, process, 1500 * unit, {0});
    Reads(life, process, 2100 * unit - kPage, {0});
    Faults(life, process, 2100 * unit, regs::Fault::kEntryInvalid);
    Faults(life, process, 2560 * unit, regs::Fault::kRootBound);
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
}

// DXGK_PAGE_TABLE_LEVEL_DESC of a root of two levels: its bits and its size are those of the first root, and may be 0.
TEST_F(TableLife, ARootWithoutBitsInItsDescriptorStartsSmallAndReachesAllAddresses) {
  TwoLevels();
  for (const UINT bits : {0u, 10u}) {
    seen.answer = [&](const DXGKARG_QUERYADAPTERINFO& args) {
      if (args.Type != DXGKQAITYPE_PAGETABLELEVELDESC) return;
      if (static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(args.pInputData)->LevelIndex != 1) return;
      auto* desc = static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(args.pOutputData);
      desc->PageTableIndexBitCount = bits;
      desc->PageTableSizeInBytes = bits == 0 ? 0 : 8u << bits;
    };
    Run([&](Life& life) {
      GpuProcess* process = nullptr;
      Allocation* data = nullptr;
      const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1);
      life.worker.Call([&] {
        process = life.vidmm.CreateProcess("process");
        EXPECT_EQ(process->space->root_entries(), bits == 0 ? 512u : 1024u);
        data = Filled(life, 1, 0x800);
        life.vidmm.Map(*process, 8191 * unit, *data, 0, 1);
        EXPECT_EQ(process->space->root_entries(), 8192u);
      });
      Reads(life, process, 8191 * unit, {0x800});
      life.worker.Call([&] {
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
    });
  }
}

TEST_F(TableLife, ARootGrowsWhileTheContextIsSuspendedWhetherThereIsRoomOrNot) {
  TwoLevels();
  Run([&](Life& life) {
    Subject subject;
    const uint64_t unit = uint64_t{1} << life.adapter.caps().geometry.Shift(1);
    life.worker.Call([&] {
      subject.process = life.vidmm.CreateProcess("process", 1);
      subject.data = Filled(life, 20, 0x700);
      subject.va = life.vidmm.ReserveVa(*subject.process, 7680 * unit, 512 * unit);  // beyond the root
      life.vidmm.Map(*subject.process, 3 * unit, *subject.data, 0, 20);
    });
    workload::RenderBuffer buffer(life, subject.process, kPage);
    for (int i = 0; i < 8; ++i) buffer.Copy(3 * unit, 3 * unit + 10 * kPage, 8 * kPage);
    life.worker.Call([&] {
      VidSch& vidsch = life.adapter.vidsch();
      unsigned told = 0;
      seen.root = [&](const DXGKARG_SETROOTPAGETABLE&) {
        ++told;
        EXPECT_FALSE(vidsch.Holds(subject.process->handles.context));
      };
      const PacketId running = buffer.Submit("copies");
      EXPECT_TRUE(vidsch.Holds(subject.process->handles.context));
      life.vidmm.Map(*subject.process, 600 * unit, *subject.data, 0, 4);
      EXPECT_EQ(told, 1u);
      EXPECT_EQ(vidsch.Wait(running, 100'000'000), PacketEnd::kCompleted);
      Allocation* rest = TakeAllBut(life, 0);
      EXPECT_THROW(life.vidmm.Map(*subject.process, 1200 * unit, *subject.data, 0, 4), NoRoom);
      EXPECT_EQ(subject.process->space->root_entries(), 1024u);
      life.vidmm.DestroyAllocation(rest);
      EXPECT_EQ(vidsch.Wait(buffer.Submit("again"), 100'000'000), PacketEnd::kCompleted);
      seen.root = nullptr;
    });
    Reads(life, subject.process, 600 * unit, Pages(0x700, 4));
    buffer.Release();
    End(life, subject);
  });
}

// Update mode GPU_VIRTUAL: a table has addresses of the paging process, which take tables themselves.
TEST_F(TableLife, ATableWithoutAddressesToWriteItByGivesItsPlaceBack) {
  bench.options.os.driver["PageTableUpdateMode"] = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
  Run([&](Life& life) {
    life.worker.Call([&] {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      Allocation* rest = TakeAllBut(life, 1);
      EXPECT_THROW(life.vidmm.mappings().MapZero(*process, uint64_t{5} << 40, 1), NoRoom);
      EXPECT_EQ(life.adapter.local_segment().space->free_bytes(), kPage);
      EXPECT_EQ(process->space->tables(), 0u);
      life.vidmm.DestroyAllocation(rest);
      life.vidmm.mappings().MapZero(*process, uint64_t{5} << 40, 1);
      life.vidmm.DestroyProcess(process);
    });
  });
}

// A repeated entry is one page of its allocation, in whichever leaf table it stands.
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

TEST_F(TableLife, TablesOfAProcessThatRunsWaitForItsPacketsAndHoldThoseThatCome) {
  Run([&](Life& life) {
    Subject subject = Make(life);
    workload::RenderBuffer first(life, subject.process, kPage), second(life, subject.process, kPage);
    for (int i = 0; i < 8; ++i) first.Copy(subject.va, subject.va + 10 * kPage, 8 * kPage);
    second.Fill(subject.va, 64, 0x77);
    life.worker.Call([&] {
      const PacketId running = first.Submit("copies");
      EXPECT_FALSE(life.adapter.vidsch().Ended(running));
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
          EXPECT_TRUE(life.adapter.vidsch().Ended(running)) << "the space is idle before anything changes";
        }
      });
      life.vidmm.tables().Evict(*subject.process);
      seen.operation = nullptr;
      const PacketId waiting = second.Submit("a fill");
      EXPECT_FALSE(life.adapter.vidsch().Ended(waiting));
      life.vidmm.tables().Restore(*subject.process);
      EXPECT_EQ(life.adapter.vidsch().Wait(waiting, 100'000'000), PacketEnd::kCompleted);
    });
    Reads(life, subject.process, subject.va + 10 * kPage, Pages(0x100, 8));
    first.Release();
    second.Release();
    End(life, subject);
  });
}

TEST_F(TableLife, EvictedTablesAreAnnouncedAndTheirAddressesFaultUntilTheyAreBack) {
  unsigned announced = 0;
  Run([&](Life& life) {
    Subject subject = Make(life);
    const size_t tables = subject.process->space->tables();
    const size_t ranges = life.adapter.local_segment().space->ranges();
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) announced += args.UpdatePageTable.Flags.NotifyEviction;
    });
    life.worker.Call([&] { life.vidmm.tables().Evict(*subject.process); });
    EXPECT_EQ(announced, tables) << "once for each";
    EXPECT_EQ(life.adapter.local_segment().space->ranges(), ranges - tables) << "their memory is free";
    Faults(life, subject.process, subject.va, regs::Fault::kEntryInvalid);
    life.worker.Call([&] { life.vidmm.tables().Restore(*subject.process); });
    EXPECT_EQ(announced, tables);
    EXPECT_EQ(subject.process->space->tables(), tables);
    Reads(life, subject.process, subject.va, Pages(0x100, 20));
    End(life, subject);
  });
}

// The entry above the leaf becomes invalid as it is: an eviction comes when there is no room for a table.
TEST_F(TableLife, WhatALargePageMapsLeavesFullVideoMemory) {
  bench.config.gpu.vram_mib = 64;
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    Allocation *data = nullptr, *rest = nullptr;
    Residency residency(life.vidmm);
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
      residency.Drop(*data);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
}

// What is evicted while the tables are away is invalid when they are back.
TEST_F(TableLife, AnAllocationIsEvictedWhileTheTablesAreAway) {
  Run([&](Life& life) {
    Subject subject = Make(life);
    Residency residency(life.vidmm);
    life.worker.Call([&] {
      life.vidmm.tables().Evict(*subject.process);
      residency.Evict(*subject.data);
      life.vidmm.tables().Restore(*subject.process);
    });
    Faults(life, subject.process, subject.va, regs::Fault::kEntryInvalid);
    life.worker.Call([&] { residency.MakeResident({subject.data}); });
    Reads(life, subject.process, subject.va, Pages(0x100, 20));
    life.worker.Call([&] { residency.Drop(*subject.data); });
    End(life, subject);
  });
}

/// The kinds of leaf tables: of 4 KiB entries only; of either kind; both beside each other.
enum class Kind { k4k, kSingle, kDual };

class TableKinds : public TableLife, public ::testing::WithParamInterface<Kind> {
 protected:
  TableKinds() {
    bench.config.gpu.vram_mib = 8;
    bench.options.os.driver["Leaf64k"] = GetParam() != Kind::k4k;
    bench.options.os.driver["DualPte"] = GetParam() == Kind::kDual;
  }
  static constexpr uint64_t kLarge = 0x10000000, kSmall = 0x20000000, kBeside = kLarge + 0x100000;
  static constexpr uint64_t kProtection = 0x5000000007;
  /// Whole blocks of 64 KiB, five pages of another leaf table with a protection of the driver's, and with pairs pages
  /// of 4 KiB in the blocks' leaf table.
  static Subject MakeMixed(Life& life) {
    Subject subject;
    life.worker.Call([&] {
      subject.process = life.vidmm.CreateProcess("process");
      subject.data = Filled(life, 37, 0x200);
      Protection protection = Protection::All();
      protection.driver = kProtection;
      life.vidmm.Map(*subject.process, kLarge, *subject.data, 0, 32);
      life.vidmm.Map(*subject.process, kSmall, *subject.data, 32, 5, protection);
      if (GetParam() != Kind::kSingle) life.vidmm.Map(*subject.process, kBeside, *subject.data, 7, 3);
    });
    EXPECT_EQ(subject.process->space->Is64k(kLarge), GetParam() != Kind::k4k);
    return subject;
  }
  static void ReadsAll(Life& life, const Subject& subject) {
    EXPECT_EQ(subject.process->space->Is64k(kLarge), GetParam() != Kind::k4k);
    Reads(life, subject.process, kLarge, Pages(0x200, 32));
    Reads(life, subject.process, kSmall, Pages(0x220, 5));
    if (GetParam() != Kind::kSingle) Reads(life, subject.process, kBeside, Pages(0x207, 3));
  }
  static void EndMixed(Life& life, Subject& subject) {
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(subject.data);
      life.vidmm.DestroyProcess(subject.process);
    });
  }
  /// Updates of the process' tables.
  void WatchUpdates(const Subject& subject, std::function<void(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE&)> watch) {
    Watch(
        [process = subject.process->handles.process, watch = std::move(watch)](const DXGKARG_BUILDPAGINGBUFFER& args) {
          if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && args.UpdatePageTable.hProcess == process)
            watch(args.UpdatePageTable);
        });
  }
};

// "Every table but the root" (address_space.h), those of 64 KiB entries too; level 1 says both halves again.
TEST_P(TableKinds, AllTablesMoveAndTheirEntriesKeepAllocationAndDriverProtection) {
  Run([&](Life& life) {
    Subject subject = MakeMixed(life);
    std::set<std::pair<bool, uint64_t>> cleared;  // Use64KBPages and place of whole leaf tables
    std::vector<UINT64> offsets;                  // of the entries with a protection
    WatchUpdates(subject, [&](const auto& op) {
      if (op.PageTableLevel != 0) return;
      if (op.Flags.InitialUpdate)
        cleared.insert({op.Flags.Use64KBPages, op.PageTableAddress.GpuPhysical.SegmentOffset});
      if (!op.pPageTableEntries->Valid) return;
      EXPECT_EQ(op.hAllocation, subject.data->handle);
      EXPECT_EQ(op.DriverProtection, op.FirstPteVirtualAddress / kSmall == 1 ? kProtection : 0u);
      if (op.DriverProtection != 0) offsets.push_back(op.AllocationOffsetInBytes);
    });
    life.worker.Call([&] { life.vidmm.tables().Move(*subject.process); });
    seen.operation = nullptr;
    const size_t large = subject.process->space->tables_64k();
    EXPECT_EQ(large, GetParam() == Kind::k4k ? 0u : 1u);
    EXPECT_THAT(cleared, SizeIs(GetParam() == Kind::kDual ? 3 : 2));
    EXPECT_EQ(std::count_if(cleared.begin(), cleared.end(), [](const auto& one) { return one.first; }),
              static_cast<std::ptrdiff_t>(large));
    EXPECT_THAT(offsets, ElementsAre(32 * kPage));
    ReadsAll(life, subject);
    // What is changed afterwards is changed in the new tables: a page of a block of 64 KiB goes.
    life.worker.Call([&] { life.vidmm.Unmap(*subject.process, kLarge + 3 * kPage, 1); });
    EXPECT_FALSE(subject.process->space->Is64k(kLarge));
    Faults(life, subject.process, kLarge + 3 * kPage, regs::Fault::kEntryInvalid);
    Reads(life, subject.process, kLarge + 4 * kPage, Pages(0x204, 28));
    EndMixed(life, subject);
  });
}

// Contents of the entries: os.eviction_tells_entries; documents say nothing.
TEST_P(TableKinds, AllTablesAreEvictedAnnouncedAndRestored) {
  for (const bool tells : {false, true}) {
    bench.options.os.open.eviction_tells_entries = tells;
    Run([&](Life& life) {
      Subject subject = MakeMixed(life);
      const size_t tables = subject.process->space->tables(), large = subject.process->space->tables_64k();
      const size_t ranges = life.adapter.local_segment().space->ranges();
      size_t announced = 0, of_64k = 0;
      uint64_t valid = 0;
      WatchUpdates(subject, [&](const auto& op) {
        if (!op.Flags.NotifyEviction) return;
        ++announced;
        of_64k += op.Flags.Use64KBPages;
        if (op.PageTableLevel == 0)
          for (UINT i = 0; i < op.NumPageTableEntries; ++i)
            valid += op.pPageTableEntries[op.Flags.Repeat ? 0 : i].Valid;
      });
      life.worker.Call([&] { life.vidmm.tables().Evict(*subject.process); });
      EXPECT_EQ(announced, tables) << "once for each";
      EXPECT_EQ(of_64k, large);
      const uint64_t in_use = GetParam() == Kind::k4k ? 40 : GetParam() == Kind::kSingle ? 7 : 10;
      EXPECT_EQ(valid, tells ? in_use : 0u);
      EXPECT_TRUE(subject.process->space->evicted());
      EXPECT_EQ(life.adapter.local_segment().space->ranges(), ranges - tables) << "their memory is free";
      Faults(life, subject.process, kLarge, regs::Fault::kEntryInvalid);
      Faults(life, subject.process, kSmall, regs::Fault::kEntryInvalid);
      life.worker.Call([&] { life.vidmm.tables().Restore(*subject.process); });
      EXPECT_EQ(subject.process->space->tables(), tables);
      EXPECT_EQ(subject.process->space->tables_64k(), large);
      ReadsAll(life, subject);
      EndMixed(life, subject);
    });
  }
}
// Driver authors: the GPU faults when memory goes to others before the flush of what led there.
TEST_P(TableKinds, EntriesAreInvalidAndFlushedBeforeTheMemoryOfADestroyedAllocationIsAnothers) {
  for (const bool deferred : {false, true}) {
    bench.options.os.deferred_destroy = deferred;
    seen.destroyed = 0;
    Run([&](Life& life) {
      Subject subject = MakeMixed(life);
      Reads(life, subject.process, kSmall, Pages(0x220, 5));  // translations are cached
      const size_t ranges = life.adapter.local_segment().space->ranges();
      std::string order;
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) order += 'u';
        if (args.Operation == DXGK_OPERATION_FLUSH_TLB) order += 'f';
        if (args.Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE) order += 's';
        EXPECT_GE(life.adapter.local_segment().space->ranges(), ranges) << "the memory is not given back yet";
        EXPECT_EQ(seen.destroyed, 0u);
      });
      life.worker.Call([&] { life.vidmm.DestroyAllocation(subject.data); });
      seen.operation = nullptr;
      EXPECT_EQ(std::count(order.begin(), order.end(), 's'), 1) << order;
      EXPECT_EQ(order.substr(order.size() - std::min<size_t>(order.size(), 2)), "fs");
      EXPECT_LT(life.adapter.local_segment().space->ranges(), ranges);
      EXPECT_EQ(seen.destroyed, deferred ? 0u : 1u);
      for (const uint64_t va : {kLarge, kLarge + 31 * kPage, kSmall, kSmall + 4 * kPage, kBeside})
        Faults(life, subject.process, va, regs::Fault::kEntryInvalid);
      life.worker.Call([&] { life.vidmm.DestroyProcess(subject.process); });
    });
    EXPECT_EQ(seen.destroyed, 1u);
  }
}

// Nothing may be changed in tables that are evicted; what went meanwhile does not come back with them.
TEST_P(TableKinds, EntriesOfWhatGoesWhileTheTablesAreEvictedAreInvalidWhenTheyAreBack) {
  Run([&](Life& life) {
    Subject subject = MakeMixed(life);
    Allocation* kept = nullptr;
    constexpr uint64_t kKept = 0x30000000, kOver = kKept + kPage;
    life.worker.Call([&] {
      kept = Filled(life, 2, 0x300);
      life.vidmm.Map(*subject.process, kKept, *kept, 0, 2);
      Allocation* away = life.vidmm.CreateAllocation("away", kPage);
      life.vidmm.tables().Evict(*subject.process);
      life.vidmm.DestroyAllocation(subject.data);
      life.vidmm.Map(*subject.process, kOver, *away, 0, 1);
      life.vidmm.tables().Restore(*subject.process);
    });
    for (const uint64_t va : {kLarge, kLarge + 31 * kPage, kSmall, kBeside, kOver})
      Faults(life, subject.process, va, regs::Fault::kEntryInvalid);
    Reads(life, subject.process, kKept, {0x300});
    life.worker.Call([&] {
      for (Allocation* allocation : life.vidmm.allocations().all()) life.vidmm.DestroyAllocation(allocation);
      life.vidmm.DestroyProcess(subject.process);
    });
  });
}

/// Which entries of all tables are in use, by the tables' places.
class Places {
 public:
  void See(const DXGKARG_BUILDPAGINGBUFFER& args) {
    const auto& op = args.UpdatePageTable;
    if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || args.MultipassOffset != 0) return;
    const bool by_cpu = op.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    const uint64_t place = by_cpu ? reinterpret_cast<uint64_t>(op.PageTableAddress.CpuVirtual)
                                  : op.PageTableAddress.GpuPhysical.SegmentOffset;
    std::set<UINT>& table = in_use_[{by_cpu, place}];
    if (op.Flags.InitialUpdate) {
      reused_ += !table.empty();
      table.clear();
    }
    for (UINT i = 0; i < op.NumPageTableEntries; ++i) {
      const UINT from = op.Flags.Repeat ? 0 : i;
      if (InUse(op.pPageTableEntries[from]) ||
          (op.pPageTableEntries64KB != nullptr && InUse(op.pPageTableEntries64KB[from])))
        table.insert(op.StartIndex + i);
      else
        table.erase(op.StartIndex + i);
    }
  }
  /// Tables whose place was another's while it still had entries in use.
  unsigned reused() const { return reused_; }
  size_t in_use() const {
    size_t count = 0;
    for (const auto& [place, table] : in_use_) count += table.size();
    return count;
  }

 private:
  std::map<std::pair<bool, uint64_t>, std::set<UINT>> in_use_;
  unsigned reused_ = 0;
};

TEST_P(TableKinds, NoTableGoesWithEntriesInUseWhenTheCapsAskForIt) {
  for (const bool asked : {false, true}) {
    bench.options.os.driver["ExplicitPageTableInvalidation"] = asked;
    for (const bool tells : {false, true}) {
      bench.options.os.open.eviction_tells_entries = tells;
      Places places;
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) { places.See(args); });
      Run([&](Life& life) {
        Subject subject = MakeMixed(life);
        life.worker.Call([&] {
          life.vidmm.tables().Move(*subject.process);
          life.vidmm.tables().ReplaceRoot(*subject.process, 0);
          life.vidmm.tables().Evict(*subject.process);
          life.vidmm.tables().Restore(*subject.process);
        });
        ReadsAll(life, subject);
        life.worker.Call([&] {
          life.vidmm.mappings().MapZero(*subject.process, kSmall, 512);                    // one entry of level 1
          life.vidmm.Map(*subject.process, kLarge, *subject.data, 33, 1);  // in the middle of a block
        });
        Reads(life, subject.process, kSmall, Pages(0, 1));
        Reads(life, subject.process, kLarge, {0x221, 0x201});
        EndMixed(life, subject);
      });
      EXPECT_EQ(places.in_use() == 0, asked);
      if (asked) EXPECT_EQ(places.reused(), 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TableKinds, ::testing::Values(Kind::k4k, Kind::kSingle, Kind::kDual),
                         [](const auto& info) {
                           return info.param == Kind::k4k       ? "Only4KiB"
                                  : info.param == Kind::kSingle ? "Leaf64k"
                                                                : "DualPte";
                         });

// In the orders of both builds: a zero entry of level 1 becomes a table of them when one page is mapped.
TEST_F(TableLife, AZeroEntryAboveTheLeafIsSplitInEveryOrderOfTables) {
  for (const BringUp order : {BringUp::kLinked, BringUp::kWindows22621}) {
    bench.options.os.bring_up = order;
    bench.config.gpu.vram_mib = 8;
    Run([&](Life& life) {
      life.worker.Call([&] {
        GpuProcess* process = life.vidmm.CreateProcess("process");
        Allocation* data = Filled(life, 1, 0x300);
        const uint64_t va = 0x10000000;
        life.vidmm.mappings().MapZero(*process, va, 512);
        life.vidmm.Map(*process, va + 2 * kPage, *data, 0, 1);
        Reads(life, process, va + kPage, {0, 0x300, 0});
        life.vidmm.DestroyAllocation(data);
        life.vidmm.DestroyProcess(process);
      });
    });
  }
}

TEST_F(TableLife, EntriesOfEvictedTablesCannotBeChanged) {
  const auto result = bench.Run([&](Life& life) {
    Subject subject = Make(life);
    life.worker.Call([&] {
      life.vidmm.tables().Evict(*subject.process);
      life.vidmm.Unmap(*subject.process, subject.va, 1);
    });
  });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("while its page tables are evicted"));
}

// The bytes of a page that was destroyed are read by nobody, whoever has them now; in every process it was mapped in.
TEST_F(TableLife, ADestroyedAllocationIsSeenByNoProcess) {
  Run([](Life& life) {
    life.worker.Call([&] {
      GpuProcess* owner = life.vidmm.CreateProcess("owner");
      GpuProcess* other = life.vidmm.CreateProcess("other");
      Allocation* data = Filled(life, 4, 0x100);
      Allocation* beside = Filled(life, 1, 0x200);
      const uint64_t va = life.vidmm.ReserveVa(*owner, 6 * kPage), second = life.vidmm.ReserveVa(*other, 4 * kPage);
      life.vidmm.Map(*owner, va, *data, 0, 4);
      life.vidmm.Map(*owner, va + 4 * kPage, *beside, 0, 1);
      life.vidmm.mappings().MapOnePage(*owner, va + 5 * kPage, *data, 3, 1);
      life.vidmm.Map(*other, second, *data, 0, 4);
      Reads(life, owner, va, {0x100, 0x101, 0x102, 0x103, 0x200, 0x103});
      life.vidmm.DestroyAllocation(data);
      std::vector<Allocation*> all;
      do {
        all.push_back(life.vidmm.CreateAllocation("one more", 16 * kPage));
      } while (life.vidmm.placement().TryMakeResident(*all.back()));
      for (const uint64_t page : {0, 3, 5}) Faults(life, owner, va + page * kPage, regs::Fault::kEntryInvalid);
      Reads(life, owner, va + 4 * kPage, {0x200});
      Faults(life, other, second + kPage, regs::Fault::kEntryInvalid);
      for (Allocation* one : all) life.vidmm.DestroyAllocation(one);
      life.vidmm.DestroyAllocation(beside);
      for (const auto& [process, address] : {std::pair(owner, va), std::pair(other, second)}) {
        life.vidmm.FreeVa(*process, address);
        life.vidmm.DestroyProcess(process);
      }
    });
  });
}

// What was never resident, is not any more, or is mapped nowhere has no entries that lead to it.
TEST_F(TableLife, NothingIsSentForADestroyedAllocationThatNothingLeadsTo) {
  Run([](Life& life) {
    life.worker.Call([&] {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      const uint64_t va = life.vidmm.ReserveVa(*process, 4 * kPage);
      Allocation* unmapped = Filled(life, 1, 0x100);
      Allocation* away = life.vidmm.CreateAllocation("away", 2 * kPage);
      Allocation* replaced = Filled(life, 2, 0x200);
      life.vidmm.Map(*process, va, *away, 0, 2);
      life.vidmm.Map(*process, va + 2 * kPage, *replaced, 0, 2);
      life.vidmm.mappings().MapZero(*process, va + 2 * kPage, 2);
      const uint64_t before = life.vidmm.work().queue().operations();
      for (Allocation* allocation : {unmapped, away, replaced}) life.vidmm.DestroyAllocation(allocation);
      EXPECT_EQ(life.vidmm.work().queue().operations(), before);
      Reads(life, process, va + 2 * kPage, {0, 0});
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyProcess(process);
    });
  });
}

// Contexts are suspended around updates of the tables when the caps ask for it.
TEST_F(TableLife, PageTableUpdateRequireAddressSpaceIdleSuspendsTheContextsAroundUpdates) {
  for (const bool asked : {false, true}) {
    bench.options.os.driver["IdleForUpdates"] = asked;
    unsigned during = 0, updates = 0;
    Run([&](Life& life) {
      Subject subject = Make(life);
      workload::RenderBuffer buffer(life, subject.process, kPage);
      for (int i = 0; i < 20; ++i) buffer.Copy(subject.va, subject.va + 10 * kPage, 8 * kPage);
      life.worker.Call([&] {
        const PacketId packet = buffer.Submit("copies");
        Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
          if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE) return;
          ++updates;
          during += !life.adapter.vidsch().Ended(packet);
        });
        const uint64_t va = life.vidmm.ReserveVa(*subject.process, kPage);
        life.vidmm.Map(*subject.process, va, *subject.data, 0, 1);
        life.adapter.vidsch().Wait(packet, 100'000'000);
        // And they run again afterwards.
        EXPECT_EQ(life.adapter.vidsch().Wait(buffer.Submit("again"), 100'000'000), PacketEnd::kCompleted);
        life.vidmm.FreeVa(*subject.process, va);
      });
      seen.operation = nullptr;
      buffer.Release();
      End(life, subject);
    });
    EXPECT_GT(updates, 0u);
    EXPECT_EQ(during > 0, !asked);
  }
}

// Seen on build 22621.
TEST_F(TableLife, AProcessWithoutContextGetsNoRootUntilItHasOne) {
  unsigned roots = 0;
  Run([&](Life& life) {
    life.worker.Call([&] {
      seen.root = [&](const DXGKARG_SETROOTPAGETABLE&) { ++roots; };
      GpuProcess* process = life.vidmm.CreateProcess("process", 0, false);
      Allocation* data = Filled(life, 1, 1);
      const uint64_t va = life.vidmm.ReserveVa(*process, kPage);
      life.vidmm.Map(*process, va, *data, 0, 1);
      EXPECT_EQ(roots, 0u);
      life.vidmm.processes().CreateContext(*process);
      EXPECT_EQ(roots, 1u);
      Reads(life, process, va, {1});
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
      GpuProcess* never = life.vidmm.CreateProcess("without context", 0, false);
      life.vidmm.DestroyProcess(never);
    });
  });
  EXPECT_EQ(roots, 1u);
}

// Seen on build 22621: CreateDevice of the system comes twice.
TEST_F(TableLife, TheSystemHasTwoDevicesInTheBringUpOf22621) {
  for (const BringUp order : {BringUp::kLinked, BringUp::kWindows22621}) {
    bench.options.os.bring_up = order;
    bench.config.gpu.vram_mib = 8;
    seen.devices = 0;
    Run([](Life&) {});
    EXPECT_EQ(seen.devices, order == BringUp::kWindows22621 ? 2u : 1u);
  }
}

// Seen on build 22621.
TEST_F(TableLife, TheRootIsSetBeforeEveryRenderPacketWhenTheSystemDoesSo) {
  for (const bool before : {false, true}) {
    bench.options.os.root_before_submission = before;
    std::vector<char> order;
    Run([&](Life& life) {
      Subject subject = Make(life);
      workload::RenderBuffer buffer(life, subject.process, kPage);
      buffer.Fill(subject.va, 64, 1);
      seen.root = [&](const DXGKARG_SETROOTPAGETABLE&) { order.push_back('r'); };
      seen.submission = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
        if (!args.Flags.Paging) order.push_back('s');
      };
      life.worker.Call([&] {
        for (int i = 0; i < 3; ++i) life.adapter.vidsch().Wait(buffer.Submit("a fill"), 100'000'000);
      });
      seen.root = nullptr;
      seen.submission = nullptr;
      buffer.Release();
      End(life, subject);
    });
    EXPECT_EQ(std::string(order.begin(), order.end()), before ? "rsrsrs" : "sss");
  }
}

// Seen on build 22621: DestroyAllocation comes from a system worker, later.
TEST_F(TableLife, DeferredDestructionTellsTheDriverWithOtherPagingWork) {
  for (const bool deferred : {false, true}) {
    bench.options.os.deferred_destroy = deferred;
    seen.destroyed = 0;
    Run([&](Life& life) {
      Subject subject = Make(life);
      life.worker.Call([&] {
        Allocation* other = Filled(life, 1, 5);
        const size_t ranges = life.adapter.local_segment().space->ranges();
        life.vidmm.DestroyAllocation(other);
        EXPECT_EQ(seen.destroyed, deferred ? 0u : 1u);
        EXPECT_LT(life.adapter.local_segment().space->ranges(), ranges) << "its memory is free at once";
        EXPECT_EQ(life.vidmm.work().deferred(), deferred ? 1u : 0u);
        life.vidmm.Unmap(*subject.process, subject.va, 1);
        EXPECT_EQ(seen.destroyed, 1u);
      });
      End(life, subject);
    });
    EXPECT_EQ(seen.destroyed, 2u) << "none is forgotten at power-off";
  }
}

class Fence : public DriverFront {};

TEST_F(Fence, TheCpusViewOfAMonitoredFenceIsReadOnlyAndTheGpuWritesIt) {
  Run([&](Life& life) {
    life.worker.Call([&] {
      MonitoredFence fence(life.vidmm, uint64_t{7} << 40);
      EXPECT_EQ(fence.Value(), uint64_t{7} << 40);
      EXPECT_DEATH(*const_cast<volatile uint64_t*>(fence.cpu()) = 1, "");
      GpuProcess* process = life.vidmm.CreateProcess("process");
      EXPECT_EQ(fence.SignalBehind(*process, (uint64_t{7} << 40) + 1), PacketEnd::kCompleted);
      fence.Wait((uint64_t{7} << 40) + 1, 1'000'000);
      EXPECT_GT(life.adapter.miniport().calls("DxgkDdiSignalMonitoredFence"), 0u);
      fence.Release();
      life.vidmm.DestroyProcess(process);
    });
  });
}

TEST_F(Fence, No64BitAtomicsMakesTheSystemExtendTheValueFromItsLowHalf) {
  EXPECT_EQ(ExtendFence(0xFFFFFFF0, 5, true), uint64_t{0x100000005});
  EXPECT_EQ(ExtendFence(0xFFFFFFF0, 5, false), 5u);
  EXPECT_EQ(ExtendFence(uint64_t{3} << 32 | 9, 9, true), uint64_t{3} << 32 | 9);
  bench.options.os.driver["No64BitAtomics"] = 1;
  Run([&](Life& life) {
    life.worker.Call([&] {
      ASSERT_TRUE(life.adapter.caps().narrow_fences);
      MonitoredFence fence(life.vidmm, 0xFFFFFFFE);
      GpuProcess* process = life.vidmm.CreateProcess("process");
      for (uint64_t value = 0xFFFFFFFF; value < 0x100000003; ++value) {
        EXPECT_EQ(fence.SignalBehind(*process, value), PacketEnd::kCompleted);
        EXPECT_EQ(*fence.cpu(), value & 0xFFFFFFFF) << "what the GPU can write";
        EXPECT_EQ(fence.Value(), value);
      }
      fence.Release();
      life.vidmm.DestroyProcess(process);
    });
  });
}

TEST_F(Fence, ASignalOfALostDeviceSaysSoAndTheValueNeverComes) {
  Run([&](Life& life) {
    GpuProcess* process = nullptr;
    uint64_t nowhere = 0;
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      nowhere = life.vidmm.ReserveVa(*process, kPage);
    });
    workload::RenderBuffer buffer(life, process, kPage);
    buffer.Fill(nowhere, kPage, 1);
    const PacketId faulting = buffer.Submit("a fill that faults");
    life.worker.Call([&] {
      EXPECT_EQ(life.adapter.vidsch().Wait(faulting, 100'000'000), PacketEnd::kLost);
      MonitoredFence fence(life.vidmm, 5);
      EXPECT_EQ(fence.SignalBehind(*process, 6), PacketEnd::kLost);
      EXPECT_EQ(fence.Value(), 5u);
      fence.Release();
    });
    buffer.Release();
    life.worker.Call([&] {
      life.vidmm.FreeVa(*process, nowhere);
      life.vidmm.DestroyProcess(process);
    });
  });
}

NTSTATUS RefuseSignal(HANDLE, DXGKARG_SIGNALMONITOREDFENCE*) { return STATUS_NOT_SUPPORTED; }
NTSTATUS EntryThatRefusesSignals(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiSignalMonitoredFence = RefuseSignal;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

TEST_F(Fence, ASignalThatTheDriverRefusesLeavesNothingBehind) {
  bench.options.driver = EntryThatRefusesSignals;
  Run([&](Life& life) {  // looks at the leaks
    life.worker.Call([&] {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      MonitoredFence fence(life.vidmm, 5);
      EXPECT_THROW(static_cast<void>(fence.SignalBehind(*process, 6)), OsError);
      EXPECT_EQ(fence.Value(), 5u);
      fence.Release();
      life.vidmm.DestroyProcess(process);
    });
  });
}

class Debug : public DriverFront {};

TEST_F(Debug, GetPteWalksFromTheRootToTheEntriesOfOneTable) {
  Run([&](Life& life) {
    life.worker.Call([&] {
      const DebugView view(life.vidmm);
      GpuProcess* process = life.vidmm.CreateProcess("process");
      Allocation* data = Filled(life, 3, 1);
      const uint64_t va = life.vidmm.ReserveVa(*process, 8 * kPage);
      Protection read_only = Protection::All();
      read_only.type.Write = 0;
      life.vidmm.Map(*process, va + kPage, *data, 0, 3, read_only);
      const DXGK_ESCAPE_GPUMMUCAPS caps = view.EscapeGpuMmuCaps();
      D3DKMT_GET_PTE get{};
      for (UINT level = 0; level < caps.PageTableLevelCount; ++level) {
        const auto& desc = caps.PageTableLevelDesk[level];
        get.PageTableIndex[level] = static_cast<UINT>((va & desc.IndexMask) >> desc.IndexShift);
      }
      get.NumPtes = 5;
      ASSERT_EQ(view.GetPte(*process, get), STATUS_SUCCESS);
      EXPECT_EQ(get.NumPtes, 5u);
      EXPECT_EQ(get.NumValidEntries, 3u);
      EXPECT_FALSE(get.Pte[0].Valid);
      for (unsigned i = 0; i < 3; ++i) {
        EXPECT_TRUE(get.Pte[1 + i].Valid && get.Pte[1 + i].ReadOnly);
        EXPECT_EQ(get.Pte[1 + i].PageAddress, data->local->page(i));
      }
      for (UINT level = 1; level < caps.PageTableLevelCount; ++level) {
        get.PageTableLevel = level;
        get.NumPtes = 1;
        ASSERT_EQ(view.GetPte(*process, get), STATUS_SUCCESS);
        EXPECT_TRUE(get.Pte[0].Valid && !get.Pte[0].LargePage) << level;
      }
      get.PageTableLevel = 0;
      get.PageTableIndex[0] = (1u << caps.PageTableLevelDesk[0].IndexBitCount) - 2;
      get.NumPtes = 5;
      ASSERT_EQ(view.GetPte(*process, get), STATUS_SUCCESS);
      EXPECT_EQ(get.NumPtes, 2u) << "up to the end of the table";
      get.PageTableIndex[caps.PageTableLevelCount - 1] ^= 1;
      get.PageTableLevel = 0;
      EXPECT_EQ(view.GetPte(*process, get), STATUS_INVALID_PARAMETER) << "no table under that entry";
      get.NumPtes = D3DKMT_GET_PTE_MAX + 1;
      EXPECT_EQ(view.GetPte(*process, get), STATUS_INVALID_PARAMETER);
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
  });
}

TEST_F(Debug, CapsAndSegmentsAreTheDrivers) {
  Run([&](Life& life) {
    const DebugView view(life.vidmm);
    const D3DKMT_GPUMMU_CAPS caps = view.GpuMmuCaps();
    EXPECT_TRUE(caps.Flags.ReadOnlyMemorySupported && caps.Flags.NoExecuteMemorySupported &&
                caps.Flags.CacheCoherentMemorySupported);
    EXPECT_EQ(caps.VirtualAddressBitCount, 48u);
    const DXGK_ESCAPE_GPUMMUCAPS all = view.EscapeGpuMmuCaps();
    EXPECT_TRUE(all.ZeroInPteSupported && all.LargePageSupported && !all.AllowNonAlignedLargePageAddress);
    EXPECT_EQ(all.PageTableLevelCount, 4u);
    EXPECT_EQ(all.PageTableLevelDesk[1].IndexBitCount, 9u);
    EXPECT_EQ(all.PageTableLevelDesk[1].IndexShift, 21u);
    EXPECT_EQ(all.PageTableLevelDesk[1].LowerLevelsMask, 0x1FFFFFu);
    EXPECT_EQ(all.PageTableLevelDesk[1].EntryCoverageInPages, 512u);
    const auto segments = view.SegmentCaps();
    ASSERT_THAT(segments, SizeIs(2));
    EXPECT_TRUE(segments[0].bAperture);
    EXPECT_EQ(segments[0].BudgetGroup, D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL);
    EXPECT_EQ(segments[1].Size, life.adapter.local_segment().size);
    EXPECT_EQ(segments[1].SegmentId, 2u);
    EXPECT_EQ(segments[1].PageSize, 4096u);
  });
}

}  // namespace
}  // namespace gmmu::os::test

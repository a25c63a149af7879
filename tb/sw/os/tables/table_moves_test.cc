// SPDX-License-Identifier: Apache-2.0
// Tests moving, evicting and restoring page tables. The expected behaviour follows Microsoft's
// documentation; it has not been observed on Windows.
#include <algorithm>
#include <set>

#include "os/vidmm/allocation.h"
#include "os/vidmm/allocations.h"
#include "os/vidmm/process_tables.h"
#include "os/vidmm/residency.h"
#include "tb/sw/os/tables/tables_bench.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using workload::Life;

TEST_F(TableLife, TablesThatMoveSayTheSameElsewhereAndTheRootIsSetAnew) {
  // Level and address of each table that was written as a whole.
  std::set<std::pair<unsigned, uint64_t>> written;
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
    // Later changes must reach the new tables.
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
    for (uint64_t pages = 0; pages <= tables; ++pages) {  // finally, only the root finds no room
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

// If an allocation is evicted while the tables are evicted, its entries are invalid after the
// restore.
TEST_F(TableLife, AnAllocationIsEvictedWhileTheTablesAreAway) {
  Run([&](Life& life) {
    Subject subject = Make(life);
    Residency& residency = life.vidmm.residency();
    life.worker.Call([&] {
      life.vidmm.tables().Evict(*subject.process);
      residency.Evict(*subject.data);
      life.vidmm.tables().Restore(*subject.process);
    });
    Faults(life, subject.process, subject.va, regs::Fault::kEntryInvalid);
    life.worker.Call([&] { residency.MakeResident({subject.data}); });
    Reads(life, subject.process, subject.va, Pages(0x100, 20));
    End(life, subject);
  });
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

// Moves every table, including the root and tables of 64 KiB entries. At level 1, both entries of a
// pair are rewritten.
TEST_P(TableKinds, AllTablesMoveAndTheirEntriesKeepAllocationAndDriverProtection) {
  Run([&](Life& life) {
    Subject subject = MakeMixed(life);
    std::set<std::pair<bool, uint64_t>> cleared;  // leaf tables, by Use64KBPages and address
    std::vector<UINT64> offsets;                  // offsets of entries with a driver protection
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
    // Later changes must reach the new tables: unmap one page of a 64 KiB block.
    life.worker.Call([&] { life.vidmm.Unmap(*subject.process, kLarge + 3 * kPage, 1); });
    EXPECT_FALSE(subject.process->space->Is64k(kLarge));
    Faults(life, subject.process, kLarge + 3 * kPage, regs::Fault::kEntryInvalid);
    Reads(life, subject.process, kLarge + 4 * kPage, Pages(0x204, 28));
    EndMixed(life, subject);
  });
}

// The documentation does not say which entries an eviction notice contains.
// os.eviction_tells_entries selects them.
TEST_P(TableKinds, AllTablesAreEvictedAnnouncedAndRestored) {
  for (const bool tells : {false, true}) {
    bench.options.os.eviction_tells_entries = tells;
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

// Tables must not change while they are evicted. Mappings that are removed in the meantime must not
// come back with the restore.
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

INSTANTIATE_TEST_SUITE_P(All, TableKinds, kTableKinds, NameOfKind);

}  // namespace
}  // namespace gmmu::os::test

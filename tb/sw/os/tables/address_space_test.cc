// SPDX-License-Identifier: Apache-2.0 VidMm and the address spaces of processes: contexts are suspended for updates,
// and entries of destroyed allocations are invalidated. Documents only, unless a comment names a build.
#include <algorithm>
#include <tuple>

#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "tb/sw/os/tables/tables_bench.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::Contains;
using workload::Life;

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
        // The contexts run again afterwards.
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

// After an allocation is destroyed, no process in which it was mapped can read its pages, whatever they hold now.
TEST_F(TableLife, ADestroyedAllocationIsSeenByNoProcess) {
  RunOnWorker([](Life& life) {
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
}

// An allocation that was never resident, was evicted, or is not mapped has no entries to invalidate.
TEST_F(TableLife, NothingIsSentForADestroyedAllocationThatNothingLeadsTo) {
  RunOnWorker([](Life& life) {
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
}

// Seen on build 22621: a system worker calls DestroyAllocation later.
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

// Reported by driver authors: the GPU faults if memory is reused before its entries are flushed.
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

// From documents only: an update identifies its table by the level and the first address that the table translates.
TEST_P(TableKinds, ExplicitInvalidationAtTheEndNamesEachTableByItsLevelAndItsFirstAddress) {
  using Table = std::tuple<UINT, bool, uint64_t, UINT, UINT>;  // level, 64 KiB, first address, first entry, entries
  bench.options.os.driver["ExplicitPageTableInvalidation"] = true;
  std::vector<Table> tables;
  Run([&](Life& life) {
    Subject subject = MakeMixed(life);
    life.worker.Call([&] { life.vidmm.DestroyAllocation(subject.data); });
    WatchUpdates(subject, [&](const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& op) {
      tables.emplace_back(op.PageTableLevel, op.Flags.Use64KBPages != 0, op.FirstPteVirtualAddress, op.StartIndex,
                          op.NumPageTableEntries);
    });
    life.worker.Call([&] { life.vidmm.DestroyProcess(subject.process); });
    seen.operation = nullptr;
  });
  constexpr uint64_t kSmallTable = kSmall / (512 * kPage) * (512 * kPage),
                     kLargeTable = kLarge / (512 * kPage) * (512 * kPage);
  EXPECT_THAT(tables, Contains(Table{0, false, kSmallTable, 0, 512}));
  if (GetParam() != Kind::kSingle) EXPECT_THAT(tables, Contains(Table{0, false, kLargeTable, 0, 512}));
  if (GetParam() != Kind::k4k) EXPECT_THAT(tables, Contains(Table{0, true, kLargeTable, 0, 32}));
  for (UINT level = 1; level < 4; ++level) EXPECT_THAT(tables, Contains(Table{level, false, 0, 0, 512})) << level;
}

}  // namespace
}  // namespace gmmu::os::test

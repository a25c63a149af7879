// SPDX-License-Identifier: Apache-2.0
// Tests linked adapters with little free VRAM. The expected behaviour follows Microsoft's
// documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "os/miniport/allocation.h"
#include "os/base/page_math.h"
#include "os/miniport/segments.h"
#include "os/tables/address_space.h"
#include "os/tables/linked_tables.h"
#include "tb/sw/os/vidmm/vidmm_link_bench.h"

namespace gmmu::os::test {
namespace {

using workload::Life;
constexpr uint64_t kSize = 4 * kPage;

/// A linked process that requests more and more memory of one GPU and needs all of it resident at
/// once.
struct Greedy {
  Greedy(Life& life, unsigned gpu)
      : life(life), gpu(gpu), process(life.link.CreateProcess("greedy")), va(life.link.ReserveVa(*process, kMost)) {}
  /// Requests another 8 KiB, which is less than another process's page tables use. Returns false
  /// once the test's limit is reached.
  bool Wants() {
    constexpr uint64_t kBytes = 2 * kPage;
    VidMm& vidmm = life.link.on(gpu);
    const uint64_t at = va + wanted.size() * kBytes;
    wanted.push_back(vidmm.CreateAllocation(LocalOnly("greedy", kBytes), process->parts[gpu]));
    life.link.Map(*process, gpu, at, *wanted.back(), 0, kBytes / kPage);
    vidmm.residency().MakeResident(wanted);
    return wanted.size() < kMost / kBytes;
  }
  void GiveBack() {
    for (Allocation* one : wanted) life.link.on(gpu).DestroyAllocation(one);
    life.link.FreeVa(*process, va);
    life.link.DestroyProcess(process);
  }

  Life& life;
  const unsigned gpu;
  VidMmLink::Process* const process;
  const uint64_t va;
  std::vector<Allocation*> wanted;
  static constexpr uint64_t kMost = 2 << 20;
};

/// Returns whether the tables of a process are evicted, for each GPU.
std::vector<bool> Away(const VidMmLink::Process& process) {
  std::vector<bool> away;
  for (const GpuProcess* part : process.parts) away.push_back(part->space->evicted());
  return away;
}

// Only GPU 1 is full, but a process's tables are evicted on all GPUs or on none. An allocation that
// moves meanwhile is mapped at its new address after the restore.
TEST(LinkedMemory, TablesGiveWayOnEveryGpuWhereTheMemoryOfOneIsShort) {
  LinkedBench bench(3);
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    shared.RunClient(2, shared.Client(2, true, 21), "written by a peer");
    Residency& residency = life.link.on(1).residency();
    life.worker.Call([&] {
      shared.allocation->homes.priority = D3DDDI_ALLOCATIONPRIORITY_HIGH;
      residency.MakeResident({shared.allocation});
      Greedy greedy(life, 1);
      while (residency.counts().table_evictions == 0) ASSERT_TRUE(greedy.Wants()) << "no page table ever left";
      EXPECT_EQ(Away(*shared.process), std::vector<bool>(3, true));
      EXPECT_EQ(Away(*greedy.process), std::vector<bool>(3, false));
      EXPECT_EQ(shared.allocation->residence(), Residence::kMemorySegment);
      shared.allocation->homes.priority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
      while (residency.counts().demotions == 0) ASSERT_TRUE(greedy.Wants()) << "it never left";
      EXPECT_EQ(shared.allocation->residence(), Residence::kSystem);
      greedy.GiveBack();
      // Restores the tables on every GPU, whichever GPU's part of the process is passed.
      life.link.on(2).residency().RestoreTables(*shared.process->parts[2]);
    });
    EXPECT_EQ(Away(*shared.process), std::vector<bool>(3, false));
    for (unsigned gpu = 0; gpu < 3; ++gpu)
      shared.RunClient(gpu, shared.Client(gpu, false, 21), "in system memory, read by adapter " + std::to_string(gpu));
    life.worker.Call([&] { residency.MakeResident({shared.allocation}); });
    for (unsigned gpu = 0; gpu < 3; ++gpu)
      shared.RunClient(gpu, shared.Client(gpu, false, 21), "back, read by adapter " + std::to_string(gpu));
    shared.End();
  });
  ExpectGood(result);
}

TEST(LinkedMemory, TablesOfWhatNobodyMayMoveStay) {
  LinkedBench bench(2);
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 0);  // made resident on GPU 0 without Residency
    Residency& residency = life.link.on(1).residency();
    life.worker.Call([&] {
      Greedy greedy(life, 1);
      EXPECT_THROW(while (greedy.Wants()){}, OsError);
      EXPECT_EQ(residency.counts().table_evictions, 0u);
      EXPECT_EQ(Away(*shared.process), std::vector<bool>(2, false));
      greedy.GiveBack();
    });
    shared.End();
  });
  ExpectGood(result);
}

// A mapping on one GPU creates page tables on all GPUs. Only a GPU without room for them evicts
// something.
TEST(LinkedMemory, RoomForTablesIsMadeOnTheGpuThatHasNone) {
  LinkedBench bench(2);
  const auto result = bench.RunOnWorker([](Life& life) {
    Residency &empty = life.link.on(0).residency(), &full = life.link.on(1).residency();
    VidMmLink::Process* process = life.link.CreateProcess("process");
    std::vector<Allocation*> own, others;
    std::vector<uint64_t> addresses;
    const auto add = [&](unsigned gpu, std::vector<Allocation*>& all) {
      all.push_back(life.link.on(gpu).CreateAllocation(LocalOnly("data", kSize)));
      // Each range needs its own page tables.
      addresses.push_back(life.link.ReserveVa(*process, kSize));
      life.link.Map(*process, gpu, addresses.back(), *all.back(), 0, kSize / kPage);
      life.link.on(gpu).residency().MakeResident({all.back()});
    };
    add(0, own);
    while (full.counts().evictions == 0) add(1, others);
    const uint64_t before = full.counts().evictions;
    for (unsigned i = 0; i < 8; ++i) add(0, own);
    EXPECT_EQ(empty.counts().evictions, 0u);
    EXPECT_GT(full.counts().evictions, before);
    for (const Allocation* each : own) EXPECT_TRUE(each->local);
    for (Allocation* each : own) life.link.on(0).DestroyAllocation(each);
    for (Allocation* each : others) life.link.on(1).DestroyAllocation(each);
    for (const uint64_t va : addresses) life.link.FreeVa(*process, va);
    life.link.DestroyProcess(process);
  });
  ExpectGood(result);
}

// A table is freed on GPU 0 before GPU 1 has allocated its part, as happens if a mapping finds no
// room for its next table. The memory reserved on GPU 1 must not leak.
TEST(LinkedMemory, AReservedPlaceEndsWithTheTableThatHadIt) {
  LinkedBench bench;
  const auto result = bench.Run([](Life& life) {
    Segment& first = life.adapter.physical(0).local_segment();
    Segment& second = life.adapter.physical(1).local_segment();
    const uint64_t free = first.space->free_bytes() + second.space->free_bytes();
    LinkedTables tables({&first, &second}, true);
    first.space->Free(tables.Take(0, false, 0, 7, kPage, kPage, "table"));
    const uint64_t place = tables.Take(0, false, 0, 7, kPage, kPage, "table");
    EXPECT_EQ(tables.Take(1, false, 0, 7, kPage, kPage, "table"), place);
    first.space->Free(place);
    second.space->Free(place);
    EXPECT_EQ(first.space->free_bytes() + second.space->free_bytes(), free);
  });
  ExpectGood(result);
}

// Page tables that were evicted before a sleep stay evicted during it, and are restored when they
// are needed.
TEST(LinkedMemory, TablesThatGaveWayBeforeASleepComeBackAfterIt) {
  LinkedBench bench(2);
  const auto result = bench.Run([](Life& life) {
    Shared shared(life, 1);
    shared.RunClient(0, shared.Client(0, true, 41), "written by a peer");
    life.worker.Call([&] {
      Residency& residency = life.link.on(1).residency();
      residency.MakeResident({shared.allocation});
      Greedy greedy(life, 1);
      while (residency.counts().table_evictions == 0) ASSERT_TRUE(greedy.Wants()) << "no page table ever left";
      life.link.on(0).Sleep();
      life.adapter.PowerDown(PowerActionSleep);
      life.adapter.PowerUp();
      life.link.on(0).Wake();
      EXPECT_EQ(Away(*shared.process), std::vector<bool>(2, true));
      greedy.GiveBack();
      residency.MakeResident({shared.allocation});
    });
    for (unsigned gpu = 0; gpu < 2; ++gpu)
      shared.RunClient(gpu, shared.Client(gpu, false, 41), "back, read by adapter " + std::to_string(gpu));
    shared.End();
  });
  ExpectGood(result);
}

}  // namespace
}  // namespace gmmu::os::test

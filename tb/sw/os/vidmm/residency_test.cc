// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "os/miniport/segments.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/debug_view.h"
#include "os/vidmm/paging_queue.h"
#include "os/vidmm/paging_work.h"
#include "os/vidsch/vidsch.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;
constexpr uint64_t kSize = 128 << 10;

/// Allocations of one process that compete for 1 MiB of VRAM.
struct Set {
  Set(Life& life, size_t count) : life(life), residency(life.vidmm.residency()) {
    life.worker.Call([&] {
      process = life.vidmm.CreateProcess("process");
      for (size_t i = 0; i < count; ++i) {
        all.push_back(life.vidmm.CreateAllocation(LocalOnly(std::to_string(i), kSize)));
        va.push_back(life.vidmm.ReserveVa(*process, kSize));
        life.vidmm.Map(*process, va.back(), *all.back(), 0, kSize / hw::kPageSize);
      }
    });
  }
  void MakeResident(const std::vector<size_t>& indices) {
    std::vector<Allocation*> wanted;
    for (size_t i : indices) wanted.push_back(all[i]);
    life.worker.Call([&] { residency.MakeResident(wanted); });
  }
  std::vector<size_t> Resident() const {
    std::vector<size_t> resident;
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i]->local) resident.push_back(i);
    return resident;
  }
  void End() {
    life.worker.Call([&] {
      for (size_t i = 0; i < all.size(); ++i) {
        life.vidmm.FreeVa(*process, va[i]);
        life.vidmm.DestroyAllocation(all[i]);
      }
      life.vidmm.DestroyProcess(process);
    });
  }

  Life& life;
  Residency& residency;
  GpuProcess* process = nullptr;
  std::vector<Allocation*> all;
  std::vector<uint64_t> va;
};

TEST(Residency, EvictsWhatWasUsedTheLongestAgoAndKeepsWhatIsWanted) {
  LifeBench bench;
  const auto result = bench.Run([](Life& life) {
    Set set(life, 9);
    size_t fit = 0;
    while (set.residency.counts().evictions == 0) set.MakeResident({fit++});
    --fit;  // now the number of allocations that fit
    EXPECT_FALSE(set.all[0]->local) << "the oldest one went";
    set.MakeResident({1});  // allocation 2 is now the least recently used
    const uint64_t before = set.residency.counts().evictions;
    set.MakeResident({0, 2});  // evicts 3 for 0, because 2 is requested too
    EXPECT_EQ(set.residency.counts().evictions, before + 1) << "2 never went";
    EXPECT_FALSE(set.all[3]->local);
    EXPECT_TRUE(set.all[0]->local && set.all[1]->local && set.all[2]->local);
    EXPECT_THAT(set.Resident(), SizeIs(fit));
    set.End();
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST(Residency, FillsWithZerosAtFirstTouchOnly) {
  LifeBench bench;
  const auto result = bench.Run([](Life& life) {
    Set set(life, 1);
    // First fill VRAM with other contents.
    life.worker.Call([&] {
      Allocation* dirt = life.vidmm.CreateAllocation("dirt", 4 * kSize);
      life.vidmm.MakeResident(*dirt);
      life.vidmm.transfers().Fill(*dirt, 0, 4 * kSize, 0xDEADBEEF);
      life.vidmm.DestroyAllocation(dirt);
    });
    for (const uint8_t expected : {0, 0x77, 0x77}) {
      set.MakeResident({0});
      life.worker.Call([&] { set.residency.Evict(*set.all[0]); });
      const uint8_t* view = set.all[0]->backing->Map(0, kSize);
      EXPECT_EQ(std::count(view, view + kSize, expected), static_cast<ptrdiff_t>(kSize));
      set.all[0]->backing->Unmap();
      if (expected != 0) continue;
      set.MakeResident({0});
      life.worker.Call([&] {
        life.vidmm.transfers().Fill(*set.all[0], 0, kSize, 0x77777777);
        set.residency.Evict(*set.all[0]);
      });
    }
    EXPECT_EQ(set.residency.counts().fills, 1u);
    EXPECT_EQ(set.residency.counts().restores, 3u);
    set.End();
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

// A new allocation may have the address of a destroyed one, but must not inherit its backing store.
TEST(Residency, ABackingStoreGoesWithItsAllocation) {
  LifeBench bench;
  const auto result = bench.RunOnWorker([](Life& life) {
    Residency& residency = life.vidmm.residency();
    for (uint64_t i = 1; i <= 8; ++i) {
      Allocation* each = life.vidmm.CreateAllocation("each", hw::kPageSize);
      residency.MakeResident({each});
      EXPECT_EQ(residency.counts().fills, i) << "the backing store of another came back";
      residency.Evict(*each);
      life.vidmm.DestroyAllocation(each);
    }
    EXPECT_EQ(residency.counts().restores, 0u);
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

// In the physical addressing model, no mapping shows that an allocation is in use; only DMA buffers
// that contain its address do.
TEST(Residency, WhatADmaBufferNamesIsDestroyedWhenThatHasEnded) {
  LifeBench bench;
  const auto result = bench.Run([](Life& life) {
    Set set(life, 1);
    set.MakeResident({0});
    workload::RenderBuffer fill(life, set.process, hw::kPageSize);
    for (unsigned i = 0; i < 16; ++i) fill.Fill(set.va[0], kSize, i);  // keeps the GPU busy for a long time
    life.worker.Call([&] {
      VidSch& vidsch = life.adapter.vidsch();
      Allocation* const named = life.vidmm.CreateAllocation("named", hw::kPageSize);
      set.residency.MakeResident({named});
      const PacketId packet = fill.Submit("a long fill");
      named->users.push_back(packet);
      EXPECT_FALSE(vidsch.Ended(packet));
      life.vidmm.DestroyAllocation(named);
      EXPECT_TRUE(vidsch.Ended(packet));
      vidsch.Wait(packet, VidSch::kBoundNs);
    });
    fill.Release();
    set.End();
  });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
}

TEST(Residency, SaysWhatDoesNotFitTogether) {
  LifeBench bench;
  const auto result = bench.Run([](Life& life) {
    Set set(life, 9);
    set.MakeResident({0, 1, 2, 3, 4, 5, 6, 7, 8});
  });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("1179648 bytes must be resident at once"));
}

// With DXGK_GPUMMUCAPS.InvalidTlbEntriesNotCached (WDDM 2.6), a change from invalid to valid needs
// no FlushTlb.
TEST(Residency, FromInvalidToValidNeedsNoFlushWhenTheHardwareSaysSo) {
  LifeBench bench;
  const auto result = bench.Run([](Life& life) {
    Set set(life, 1);
    set.MakeResident({0});
    const uint64_t before = life.vidmm.work().queue().operations();
    life.worker.Call([&] { life.vidmm.mappings().Invalidate(*set.all[0]); });
    const uint64_t invalidated = life.vidmm.work().queue().operations();
    life.worker.Call([&] { life.vidmm.mappings().Restore(*set.all[0]); });
    ASSERT_TRUE(life.adapter.caps().invalid_not_cached);
    EXPECT_EQ(invalidated - before, 3u) << "entries, flush, monitored fence";
    EXPECT_EQ(life.vidmm.work().queue().operations() - invalidated, 2u) << "entries, monitored fence";
    set.End();
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

// Tests every call that maps. Entries that were valid before are flushed with and without the cap.
TEST(Residency, OnlyEntriesThatWereInUseAreFlushedUnlessTheHardwareMayCacheInvalidOnes) {
  for (const bool not_cached : {true, false}) {
    LifeBench bench;
    bench.options.os.driver["InvalidNotCached"] = not_cached;
    const auto result = bench.RunOnWorker([&](Life& life) {
      ASSERT_EQ(life.adapter.caps().invalid_not_cached, not_cached);
      GpuProcess* process = life.vidmm.CreateProcess("process");
      Allocation* data = life.vidmm.CreateAllocation("data", 8 * hw::kPageSize);
      life.vidmm.MakeResident(*data);
      const uint64_t va = life.vidmm.ReserveVa(*process, 16 * hw::kPageSize);
      const auto flushes = [&](const std::function<void()>& change) {
        const uint64_t before = life.vidmm.work().queue().flushes();
        change();
        return life.vidmm.work().queue().flushes() - before;
      };
      const uint64_t expected = not_cached ? 0 : 1;
      const auto map = [&] { life.vidmm.Map(*process, va, *data, 0, 8); };
      EXPECT_EQ(flushes(map), expected) << "into a new table";
      EXPECT_EQ(flushes([&] { life.vidmm.Unmap(*process, va + hw::kPageSize, 1); }), 1u) << "valid to invalid";
      EXPECT_EQ(flushes([&] { life.vidmm.Map(*process, va + hw::kPageSize, *data, 5, 1); }), expected);
      EXPECT_EQ(flushes([&] { life.vidmm.Map(*process, va + 7 * hw::kPageSize, *data, 6, 2); }), 1u)
          << "valid to valid, and invalid to valid";
      EXPECT_EQ(flushes([&] { life.vidmm.mappings().MapZero(*process, va + 12 * hw::kPageSize, 1); }), expected);
      EXPECT_EQ(flushes([&] { life.vidmm.Map(*process, va + 12 * hw::kPageSize, *data, 6, 1); }), 1u)
          << "a zero entry is in use";
      EXPECT_EQ(flushes([&] { life.vidmm.mappings().UnmapAndFreeTables(*process, va, 16); }), 1u);
      EXPECT_EQ(flushes(map), expected) << "after its unmapping was flushed";
      const uint64_t mapped = data->mappings.size();
      EXPECT_EQ(flushes([&] { life.vidmm.mappings().Invalidate(*data); }), mapped);
      EXPECT_EQ(flushes([&] { life.vidmm.mappings().Restore(*data); }), expected * mapped);
      life.vidmm.FreeVa(*process, va);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    });
    EXPECT_THAT(result.faults, IsEmpty());
  }
}

// A page that one call has mapped at several addresses must be unmapped and restored at all of
// them.
TEST(Residency, APageAtManyAddressesGoesAndComesBackEverywhere) {
  LifeBench bench;
  const auto result = bench.Run([](Life& life) {
    Set set(life, 1);
    const auto used = [&](uint64_t va) {
      D3DKMT_GET_PTE get{};
      const auto& geometry = life.adapter.caps().geometry;
      for (unsigned level = 0; level < geometry.count(); ++level)
        get.PageTableIndex[level] = static_cast<UINT>(geometry.Index(level, va));
      get.NumPtes = 8;
      EXPECT_EQ(DebugView(life.vidmm).GetPte(*set.process, get), STATUS_SUCCESS);
      std::vector<uint64_t> pages;
      for (UINT i = 0; i < get.NumPtes; ++i) pages.push_back(get.Pte[i].Valid ? get.Pte[i].PageAddress : 0);
      return pages;
    };
    set.MakeResident({0});
    life.worker.Call([&] {
      const uint64_t va = life.vidmm.ReserveVa(*set.process, 8 * hw::kPageSize);
      life.vidmm.mappings().MapOnePage(*set.process, va, *set.all[0], 5, 8);
      life.vidmm.Unmap(*set.process, va + 2 * hw::kPageSize, 1);
      uint64_t page = set.all[0]->local->page(5);
      EXPECT_THAT(used(va), ElementsAre(page, page, 0, page, page, page, page, page));
      set.residency.Evict(*set.all[0]);
      EXPECT_THAT(used(va), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
      set.residency.MakeResident({set.all[0]});
      page = set.all[0]->local->page(5);
      EXPECT_THAT(used(va), ElementsAre(page, page, 0, page, page, page, page, page));
      life.vidmm.Unmap(*set.process, va, 8);
      life.vidmm.FreeVa(*set.process, va);
    });
    EXPECT_THAT(set.all[0]->mappings, SizeIs(1));
    set.End();
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

TEST(Residency, AMappingThatWasTakenAwayIsNotRestored) {
  LifeBench bench;
  const auto result = bench.Run([](Life& life) {
    Set set(life, 1);
    set.MakeResident({0});
    life.worker.Call([&] { life.vidmm.Unmap(*set.process, set.va[0] + 4 * hw::kPageSize, 8); });
    const auto& mappings = set.all[0]->mappings;
    ASSERT_THAT(mappings, SizeIs(2));
    EXPECT_EQ(mappings[0].pages, 4u);
    EXPECT_EQ(mappings[1].first_page, 12u);
    EXPECT_EQ(mappings[1].va, set.va[0] + 12 * hw::kPageSize);
    EXPECT_EQ(mappings[1].pages, kSize / hw::kPageSize - 12);
    set.End();
  });
  EXPECT_THAT(result.faults, IsEmpty());
}

}  // namespace
}  // namespace gmmu::os::test

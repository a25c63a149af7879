// SPDX-License-Identifier: Apache-2.0
// Tests offers, budgets, and moves that make room for large pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "os/vidmm/residency.h"
#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/base/errors.h"
#include "os/base/page_math.h"
#include "os/miniport/segments.h"
#include "tb/sw/os/driver_front.h"
#include "tb/sw/os/life_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::JobResult;
using workload::Life;

void RunWhole(LifeBench& bench, const std::string& name, const workload::ParameterValues& values) {
  const JobResult result = bench.Run([&](Life& life) { workload::FindProcedure(name)->run(life, values); });
  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.leaks, IsEmpty());
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
  EXPECT_TRUE(result.verified);
}

TEST(Offers, AreTheFirstToGoWhenABudgetShrinksAndLoseTheirContents) {
  LifeBench bench;
  bench.config.gpu.vram_mib = 2;
  RunWhole(bench, "budgets", {{"allocation_bytes", 65536}});
}

TEST(Offers, BreakARuleWithoutAnEffect) {
  LifeBench bench;
  const JobResult result = bench.RunOnWorker([](Life& life) {
    Residency& residency = life.vidmm.residency();
    Allocation* allocation = life.vidmm.CreateAllocation(LocalOnly("data", 4096));
    EXPECT_THROW(residency.Offer(*allocation), OsError);  // never resident, so it cannot be offered
    EXPECT_THROW(static_cast<void>(residency.Reclaim(*allocation)), OsError);
    residency.MakeResident({allocation});
    residency.Offer(*allocation);
    EXPECT_THROW(residency.Offer(*allocation), OsError);
    EXPECT_THROW(residency.MakeResident({allocation}), OsError);
    EXPECT_TRUE(residency.Reclaim(*allocation));
    residency.Evict(*allocation);
    residency.Offer(*allocation);  // frees the evicted contents in system memory
    EXPECT_EQ(allocation->backing, nullptr);
    EXPECT_FALSE(residency.Reclaim(*allocation));
    life.vidmm.DestroyAllocation(allocation);
  });
  EXPECT_TRUE(result.verified);
  EXPECT_THAT(result.leaks, IsEmpty());
}

/// A machine with 4 MiB of VRAM and large pages of 256 KiB.
struct LargePagesBench : LifeBench {
  explicit LargePagesBench(uint64_t seed) {
    config.gpu.vram_mib = 4;
    options.os.page_table_bits = {6, 10, 10};
    options.os.vram_placement = VramPlacement::kFirstFit;
    options.os.seed = options.seed = seed;
  }
};

class LargePages : public ::testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seed, LargePages, ::testing::Values(1, 2, 3));

TEST_P(LargePages, AreMadeByMovesWhereVramIsBrokenUp) {
  LargePagesBench bench(GetParam());
  RunWhole(bench, "large_pages", {{"percent", 90}, {"most_pages", 24}, {"collapse", 0}});
}

TEST_P(LargePages, ReplaceSmallOnesWhenTheAllocationIsWantedAgain) {
  LargePagesBench bench(GetParam());
  RunWhole(bench, "large_pages", {{"percent", 45}, {"most_pages", 24}, {"collapse", 1}});
}

/// VRAM without free pages: it holds one large page, which is mapped, and an allocation that
/// occupies all other pages.
class FullVram : public DriverFront {
 protected:
  static constexpr uint64_t kVa = 0x10000000;
  static constexpr uint32_t kWord = 0x5A5A5A5A;

  void InFullVram(const std::function<void(Life&, GpuProcess*, Allocation* large, Allocation* rest)>& body) {
    bench.options.os.page_table_bits = {6, 10, 10};
    bench.options.os.vram_placement = VramPlacement::kFirstFit;
    RunOnWorker([&](Life& life) {
      GpuProcess* process = life.vidmm.CreateProcess("process");
      const auto make = [&](const std::string& name, uint64_t bytes) {
        AllocationRequest request{name, bytes};
        request.accessed_physically = false;
        return life.vidmm.CreateAllocation(request, process);
      };
      Allocation* large = make("large", LargePageBytes(*process));
      life.vidmm.Map(*process, kVa, *large, 0, large->bytes / kPage);
      life.vidmm.residency().MakeResident({large});
      life.vidmm.transfers().Fill(*large, 0, large->bytes, kWord);
      EXPECT_EQ(LargePagesOf(*process), 1u);
      const auto free = [&] { return life.gpu().facts().local.free; };
      Allocation* rest = make("rest", free());
      life.vidmm.residency().MakeResident({large, rest});
      EXPECT_EQ(free(), 0u);
      body(life, process, large, rest);
      life.vidmm.DestroyAllocation(rest);
      life.vidmm.DestroyAllocation(large);
      life.vidmm.DestroyProcess(process);
    });
  }
};

/// The large page's entry must be replaced by a table, for which something must be evicted.
TEST_F(FullVram, AnUnmapThatSplitsALargePageEvictsForItsTable) {
  InFullVram([](Life& life, GpuProcess* process, Allocation* large, Allocation* rest) {
    const uint64_t pages = large->bytes / kPage, hole = pages / 2;
    life.vidmm.Unmap(*process, kVa + hole * kPage, 1);
    EXPECT_EQ(LargePagesOf(*process), 0u);
    EXPECT_FALSE(rest->local);
    EXPECT_TRUE(large->local);
    Reads(life, process, kVa + (hole - 1) * kPage, {kWord});
    Faults(life, process, kVa + hole * kPage, regs::Fault::kEntryInvalid);
    Reads(life, process, kVa + (hole + 1) * kPage, {kWord});
  });
}

class TwoSegments : public DriverFront {};

/// A large page moves to a segment without large blocks, so it needs a page table. VRAM is filled
/// when the move has begun.
TEST_F(TwoSegments, ContentsSurviveAMoveThatFindsNoRoomForPageTables) {
  constexpr uint64_t kVa = 0x10000000;
  constexpr uint32_t kWord = 0x5A5A5A5A;
  bench.options.os.page_table_bits = {6, 10, 10};
  bench.options.os.vram_placement = VramPlacement::kFirstFit;
  bench.options.os.driver["VisibleVramBytes"] = 2 << 20;
  RunOnWorker([&](Life& life) {
    GpuProcess* process = life.vidmm.CreateProcess("process");
    const auto make = [&](const std::string& name, uint64_t bytes, UINT priority) {
      AllocationRequest request{name, bytes};
      request.accessed_physically = false;
      request.priority = priority;
      return life.vidmm.CreateAllocation(request, process);
    };
    Residency& residency = life.vidmm.residency();
    Allocation* large = make("large", LargePageBytes(*process), D3DDDI_ALLOCATIONPRIORITY_NORMAL);
    life.vidmm.Map(*process, kVa, *large, 0, large->bytes / kPage);
    residency.MakeResident({large});
    ASSERT_EQ(large->segment(), 3u);
    life.vidmm.transfers().Fill(*large, 0, large->bytes, kWord);
    ASSERT_EQ(LargePagesOf(*process), 1u);

    RangeAllocator& next = *life.adapter.lead().segment(2).space;
    std::vector<std::pair<RangeAllocator*, uint64_t>> held;
    const auto hold = [&](RangeAllocator& space, std::optional<uint64_t> start) {
      if (start) held.emplace_back(&space, *start);
      return start.has_value();
    };
    for (uint64_t at = 0; at < life.adapter.lead().segment(2).size; at += large->bytes)
      if (next.AllocateAt(at, kPage, "test")) held.emplace_back(&next, at);
    bool moving = false;
    Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || std::exchange(moving, true)) return;
      for (const unsigned segment : {2, 3}) {
        RangeAllocator& space = *life.adapter.lead().segment(segment).space;
        while (hold(space, space.Allocate(kPage, kPage, "test"))) {}
      }
    });
    Allocation* high = make("high", life.adapter.lead().segment(3).space->free_bytes() + kPage,
                            D3DDDI_ALLOCATIONPRIORITY_HIGH);
    EXPECT_THROW(
        {
          residency.MakeResident({high});
          if (high->segment() != 3) throw Exhausted("another place");
        },
        OsError);
    Watch(nullptr);
    EXPECT_TRUE(moving);
    for (const auto& [space, start] : held) space->Free(start);
    residency.Evict(*high);
    residency.MakeResident({large});
    Reads(life, process, kVa, {kWord, kWord});
    life.vidmm.DestroyAllocation(high);
    life.vidmm.DestroyAllocation(large);
    life.vidmm.DestroyProcess(process);
  });
}

}  // namespace
}  // namespace gmmu::os::test

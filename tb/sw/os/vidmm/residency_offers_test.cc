// SPDX-License-Identifier: Apache-2.0
// Tests offers, budgets, and moves that make room for large pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/vidmm/residency.h"
#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/base/page_math.h"
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
    EXPECT_THROW(residency.Offer(*allocation), OsError);  // never made resident by Residency
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
  RunWhole(bench, "large_pages", {{"percent", 90}, {"most_pages", 24}});
}

/// VRAM without free pages: it holds one large page, which is mapped, and an allocation of all
/// other pages.
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

}  // namespace
}  // namespace gmmu::os::test

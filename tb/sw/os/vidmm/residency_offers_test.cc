// SPDX-License-Identifier: Apache-2.0
// Tests offers, budgets, and the moves that make large pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/vidmm/residency.h"
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
    EXPECT_THROW(residency.Offer(*allocation), OsError);  // Residency has never brought it in
    EXPECT_THROW(static_cast<void>(residency.Reclaim(*allocation)), OsError);
    residency.MakeResident({allocation});
    residency.Offer(*allocation);
    EXPECT_THROW(residency.Offer(*allocation), OsError);
    EXPECT_THROW(residency.MakeResident({allocation}), OsError);
    EXPECT_TRUE(residency.Reclaim(*allocation));
    residency.Evict(*allocation);
    residency.Offer(*allocation);  // its contents are in system memory, which is freed
    EXPECT_EQ(allocation->backing, nullptr);
    EXPECT_FALSE(residency.Reclaim(*allocation));
    life.vidmm.DestroyAllocation(allocation);
  });
  EXPECT_TRUE(result.verified);
  EXPECT_THAT(result.leaks, IsEmpty());
}

/// VRAM of 4 MiB with large pages of 256 KiB.
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

}  // namespace
}  // namespace gmmu::os::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tb/sw/os/life_bench.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

// Observed on Windows build 26100: after the bring-up of the paging process, paging buffers write
// the page-table entries of its scratch windows.
TEST(PagingProcess, IsWrittenByTheCpuOrByPagingBuffersOnceItHasComeUp) {
  for (const bool by_gpu : {false, true}) {
    uint64_t cpu = 0, gpu = 0, before = 0;
    LifeBench bench;
    bench.options.os.window_updates = by_gpu ? WindowUpdates::kGpuPhysical : WindowUpdates::kCpuVirtual;
    bench.options.os.trace_paging = [&](const std::string& line) {
      cpu += line.find("\"CPU_VIRTUAL\"") != std::string::npos;
      gpu += line.find("\"GPU_PHYSICAL\"") != std::string::npos;
    };
    const auto result = bench.Run([&](workload::Life& life) {
      before = cpu;
      EXPECT_EQ(gpu, 0u) << "its first tables are the CPU's work";
      workload::RunSeededMainJob(life, 30'000);
    });
    EXPECT_TRUE(result.Passed());
    EXPECT_GT(before, 0u);
    EXPECT_GT(gpu, 0u);
    EXPECT_EQ(cpu == before, by_gpu);
  }
}

// No source says whether a flush's end address is inclusive. In the flushes that were observed on
// Windows build 26100, both start and end were aligned to 64 KiB.
TEST(FlushEnd, IsTheLastByteOrOneBehindItByASwitch) {
  for (const bool inclusive : {false, true}) {
    uint64_t flushes = 0, odd = 0;
    LifeBench bench;
    bench.options.os.flush_end_inclusive = inclusive;
    bench.options.os.trace_paging = [&](const std::string& line) {
      if (line.find("\"FLUSH_TLB\"") == std::string::npos) return;
      ++flushes;
      odd += line.find("fff\", \"hProcess\"") != std::string::npos;
    };
    const auto result = bench.Run([&](workload::Life& life) { workload::RunSeededMainJob(life, 30'000); });
    EXPECT_TRUE(result.Passed());
    EXPECT_GT(flushes, 0u);
    EXPECT_EQ(odd, inclusive ? flushes : 0u);
  }
}

}  // namespace
}  // namespace gmmu::os::test

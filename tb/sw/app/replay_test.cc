// SPDX-License-Identifier: Apache-2.0
#include "app/replay.h"

#include <nlohmann/json.hpp>

#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::HasSubstr;

const std::string kRandom = "gen:random,footprint=256KiB,count=3000";

TEST_F(Cli, ReplaysAWorkloadAndWritesItsReport) {
  ASSERT_EQ(Run({"replay", kRandom, "--engine", "fast", "--warmup", "500", "--epoch", "1000", "--seed", "3", "--json",
                 Path("report")}),
            0)
      << out_ << err_;
  EXPECT_THAT(out_, HasSubstr("gmmu replay: verified"));
  EXPECT_THAT(out_, HasSubstr("region (estimated times)"));
  std::ifstream file(Path("report"));
  const auto report = nlohmann::json::parse(file);
  EXPECT_EQ(report["passed"], true);
  const auto& replay = report["replay"];
  EXPECT_EQ(replay["schema"], 1);
  EXPECT_EQ(replay["options"]["seed"], 3);
  EXPECT_EQ(replay["options"]["compute_units"], 4);
  ASSERT_EQ(replay["phases"].size(), 2u);
  const auto& region = replay["phases"][1];
  EXPECT_EQ(region["accesses"], 2500);
  EXPECT_EQ(region["latency"]["count"], 2500);
  EXPECT_LE(region["latency"]["p50"], region["latency"]["p99"]);
  uint64_t in_buckets = 0;
  for (const auto& bucket : region["latency"]["buckets"]) in_buckets += bucket[2].get<uint64_t>();
  EXPECT_EQ(in_buckets, 2500u);
  uint64_t lookups = 0;
  for (const auto& [block, counters] : region["counters"].items())
    if (block.rfind("port_client", 0) == 0) lookups += counters["lookups"].get<uint64_t>();
  EXPECT_EQ(lookups, 2500u);
  EXPECT_GE(region["epochs"].size(), 2u);
  EXPECT_EQ(report["configuration"]["gpu"]["vram_mib"], 64);
}

TEST_F(Cli, LargePagesOfTheIommuNeedMemoryInBlocks) {
  const auto misses = [this](const std::string& block, const std::string& largest) {
    EXPECT_EQ(Run({"replay", "gen:random,footprint=4MiB,count=3000", "--engine", "fast", "--memory", "system", "--set",
                   "os.memory_block_kib=" + block, "--set", "iommu.largest_page='" + largest + "'", "--set",
                   "iommu.iotlb_sets=1", "--json", Path("report")}),
              0)
        << out_ << err_;
    std::ifstream file(Path("report"));
    return nlohmann::json::parse(file)["replay"]["phases"][0]["counters"]["iommu"]["iotlb_misses"].get<uint64_t>();
  };
  const uint64_t pages = misses("4", "1g");
  EXPECT_GT(pages, 2800u);
  EXPECT_GT(misses("2048", "4k"), 2800u);
  EXPECT_LT(misses("2048", "2m"), 2000u);
}

TEST_F(Cli, RefusesReplaysBeforeAnythingIsWritten) {
  const std::string report = Path("report");
  ExpectRefusal({"replay"}, "WORKLOAD");
  ExpectRefusal({"replay", Path("missing"), "--engine", "fast", "--json", report}, "missing");
  ExpectRefusal({"replay", kRandom, "--engine", "board", "--json", report}, "client ports");
  ExpectRefusal({"replay", kRandom, "--engine", "abacus", "--json", report}, "abacus");
  ExpectRefusal({"replay", kRandom, "--engine", "fast", "--page-size", "8k", "--json", report}, "64k");
  ExpectRefusal({"replay", kRandom, "--engine", "fast", "--warps", "0", "--json", report}, "1 to 1024");
  ExpectRefusal({"replay", kRandom, "--engine", "fast", "--accesses", "0", "--json", report}, "1 and more");
  ExpectRefusal({"replay", kRandom, "--engine", "fast", "--compute-units", "9", "--json", report}, "gpu.clients");
  std::ofstream(Path("c.toml")) << "[driver]\nleaf_64k = false\n";
  ExpectRefusal({"replay", kRandom, "--engine", "fast", "--page-size", "64k", "--config", Path("c.toml")}, "leaf_64k");
}

}  // namespace
}  // namespace gmmu::app

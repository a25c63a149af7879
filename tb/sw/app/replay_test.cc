// SPDX-License-Identifier: Apache-2.0
#include "app/replay.h"

#include <nlohmann/json.hpp>

#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::ContainsRegex;
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
  EXPECT_EQ(replay["options"]["prefetch"], "none");
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
}

TEST_F(Cli, ReplaysPagesOf64KWithAConfigurationThatWasWrittenWhole) {
  ASSERT_EQ(Run({"config"}), kExitGood);
  ASSERT_THAT(out_, HasSubstr("\nleaf_64k = false\n"));
  std::ofstream(Path("c.toml")) << out_;
  EXPECT_EQ(Run({"replay", kRandom, "--engine", "fast", "--page-size", "64k", "--config", Path("c.toml"), "--json",
                 Path("report")}),
            kExitGood)
      << err_;
  std::ifstream report(Path("report"));
  EXPECT_TRUE(nlohmann::json::parse(report)["configuration"]["driver"]["leaf_64k"]);
}

TEST_F(Cli, TellsTheTranslationsOfAReplayOnOneOfTwoGpus) {
  for (const char* gpus : {"1", "2"}) {
    ASSERT_EQ(Run({"replay", kRandom, "--engine", "fast", "--set", std::string("gpu.count=") + gpus}), kExitGood)
        << err_;
    EXPECT_THAT(out_, ContainsRegex("L1 TLB hits +[0-9.]+ %"));
    EXPECT_THAT(out_, ContainsRegex("walk cache, any level +[0-9.]+ %"));
    EXPECT_THAT(out_, ContainsRegex("walks +[1-9][0-9]*, [0-9]+ table reads .[0-9.]+ a walk"));
  }
}

TEST_F(Cli, UsesAllOfVramWithoutAnyKeyOfTheDriver) {
  std::ofstream(Path("input")) << std::string(100'000, 'x');
  for (const char* mib : {"65", "128", "320", "65536"}) {
    const std::string vram = std::string("gpu.vram_mib=") + mib;
    EXPECT_EQ(Run({"run", Path("input"), "--engine", "fast", "--set", vram}), kExitGood) << mib << out_;
    EXPECT_EQ(Run({"replay", kRandom, "--engine", "fast", "--set", vram}), kExitGood) << mib << out_;
  }
  for (const char* scenario : {"linked-two", "linked-four"}) {
    EXPECT_EQ(Run({"run", "--scenario", scenario, "--engine", "fast", "--set", "gpu.vram_mib=512"}), kExitGood) << out_;
  }
  ExpectRefusal({"replay", "gen:stride,stride=65536,footprint=1GiB,count=17000", "--engine", "fast", "--page-size",
                 "64k", "--set", "gpu.vram_mib=8192", "--set", "driver.visible_vram_kib=32768"},
                "driver.page_tables=system");
}

}  // namespace
}  // namespace gmmu::app

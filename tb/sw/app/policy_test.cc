// SPDX-License-Identifier: Apache-2.0
// Tests the policy keys of the fast engine in replays. Each key must change certain figures in the
// expected direction, on a workload chosen for the key. Every translation is also checked against
// the reference walk.
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli_bench.h"

namespace gmmu::app {
namespace {

using ::testing::HasSubstr;

const std::string kRandom = "gen:random,footprint=32MiB,count=12000,streams=64";
const std::string kZipf = "gen:zipf,footprint=32MiB,count=12000,streams=64";
const std::string kBlocks = "gen:zipf,footprint=8MiB,granule=65536,count=12000,streams=4";    // leaves walkers free
const std::string kRound = "gen:stride,stride=4096,footprint=4MiB,count=12000,streams=1";     // twice the L2's reach
const std::string kSparse = "gen:stride,stride=69632,footprint=16MiB,count=12000,streams=1";  // one page per block
const std::string kChase = "gen:chase,footprint=8MiB,count=4000";
const std::string kSteps = "gen:stride,stride=40960,footprint=32MiB,count=12000,streams=1";

class Policies : public Cli {
 protected:
  /// Returns the report of the region of interest, with a block "ports" added that sums the
  /// counters of all client ports.
  nlohmann::json Replay(const std::string& workload, const std::vector<std::string>& set) {
    std::vector<std::string> arguments = {"replay",   workload,   "--engine", "fast",        "--fragmented",
                                          "100",      "--warmup", "2000",     "--warps",     "16",
                                          "--window", "4",        "--json",   Path("report")};
    for (const std::string& key : set) arguments.insert(arguments.end(), {"--set", key});
    EXPECT_EQ(Run(arguments), 0) << out_ << err_;
    std::ifstream file(Path("report"));
    nlohmann::json region = nlohmann::json::parse(file)["replay"]["phases"][1];
    region["ports"] = nlohmann::json::object();
    for (const auto& [block, counters] : region["counters"].items()) {
      if (block.rfind("port_client", 0) != 0) continue;
      for (const auto& [name, value] : counters.items())
        region["ports"][name] = region["ports"].value(name, uint64_t{0}) + value.get<uint64_t>();
    }
    return region;
  }
  /// Returns a figure of the region: "cycles", "mean" (the mean latency) or "block.counter". An
  /// absent counter reads as 0.
  static double Of(const nlohmann::json& region, const std::string& name) {
    if (name == "cycles") return region["cycles"];
    if (name == "mean") return region["latency"]["mean"];
    const size_t dot = name.find('.');
    const nlohmann::json& blocks = region.contains(name.substr(0, dot)) ? region : region["counters"];
    const nlohmann::json block = blocks.value(name.substr(0, dot), nlohmann::json::object());
    return block.value(name.substr(dot + 1), 0.0);
  }
};

TEST_F(Policies, OfAllDefaultsAreTheHardware) {
  for (const std::string& workload : {kRandom, kZipf, kRound}) {
    nlohmann::json hardware = Replay(workload, {}), keyed = Replay(workload, {"policy.seed=1"});
    EXPECT_EQ(hardware["counters"].contains("policy"), false);
    keyed["counters"].erase("policy");  // present only because a policy key is set
    EXPECT_EQ(hardware, keyed) << workload;
  }
}

struct Row {
  std::vector<std::string> before, more;  ///< keys of the first run, and additional keys of the second
  std::string workload;
  std::vector<std::string> less, greater;  ///< figures that must decrease or increase
  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.more.front(); }
};

class PolicyKey : public Policies, public ::testing::WithParamInterface<Row> {};

TEST_P(PolicyKey, ChangesWhatItSays) {
  const Row& row = GetParam();
  std::vector<std::string> keys = row.before;
  const nlohmann::json before = Replay(row.workload, keys);
  keys.insert(keys.end(), row.more.begin(), row.more.end());
  const nlohmann::json after = Replay(row.workload, keys);
  for (const std::string& name : row.less) EXPECT_LT(Of(after, name), Of(before, name)) << name;
  for (const std::string& name : row.greater) EXPECT_GT(Of(after, name), Of(before, name)) << name;
  EXPECT_EQ(Of(after, "ports.lookups"), Of(before, "ports.lookups"));
}

const std::string kReads = "gpu_walker.table_reads", kHits = "gpu_l2.l2_hits", kMisses = "gpu_l2.l2_misses",
                  kWalks = "gpu_walker.walks";
const std::vector<std::string> kL3 = {"policy.l3_entries=8192"}, kPte = {"policy.pte_cache_kib=16"},
                               kQueue = {"policy.schedule=\"arrival\""}, kOne = {"policy.fill=1"},
                               kAll = {"policy.walk_cache=\"unified\""}, kTokens = {"policy.partition=\"tokens\""};

INSTANTIATE_TEST_SUITE_P(
    All, PolicyKey,
    ::testing::Values(
        Row{{}, {"policy.ideal=true"}, kRandom, {"cycles", "mean", kReads}, {"ports.hits"}},
        Row{{},
            {"policy.l1_replacement=\"random\""},
            "gen:stride,stride=4096,footprint=96KiB,count=12000,streams=1",
            {"cycles"},
            {"ports.hits"}},
        Row{{}, {"policy.l2_replacement=\"lru\""}, kBlocks, {kMisses}, {kHits}},
        Row{{}, {"policy.partition=\"tokens\""}, kBlocks, {kMisses}, {kHits, "policy.not_kept"}},
        Row{kTokens, {"policy.tokens=0"}, kZipf, {kHits}, {kMisses, "policy.not_kept"}},
        Row{{}, {"policy.fill=8"}, kRandom, {kReads, kWalks}, {}},
        Row{kOne, {"policy.prefetch=\"next\""}, kRound, {kMisses}, {"policy.prefetch_walks"}},
        Row{kOne,
            {"policy.prefetch=\"stride\"", "policy.prefetch_pages=4"},
            kSteps,
            {kMisses},
            {"policy.prefetch_walks"}},
        Row{kQueue, {"policy.schedule=\"shortest\""}, kRandom, {"mean"}, {}},
        Row{kQueue, {"policy.merge_lines=true"}, kRandom, {kWalks, "cycles", "mean"}, {"policy.joined_lines"}},
        Row{{}, {"policy.walks=64"}, kRandom, {"cycles", "mean"}, {}},
        Row{{}, {"policy.step_cycles=50"}, kRandom, {}, {"cycles", "mean"}},
        Row{{}, {"policy.walk_cache=\"none\""}, kRandom, {}, {"cycles", kReads}},
        Row{{}, {"policy.walk_cache=\"unified\""}, kRandom, {"cycles", kReads}, {}},
        Row{kAll, {"policy.walk_cache_entries=8"}, kRandom, {}, {"cycles", kReads}},
        Row{{}, {"policy.pte_cache_kib=16"}, kRandom, {"cycles", kReads}, {"policy.pte_cache_hits"}},
        Row{kPte, {"policy.pte_cache_ways=1"}, kZipf, {"policy.pte_cache_hits"}, {kReads}},
        Row{kPte, {"policy.pte_cache_cycles=200"}, kRandom, {}, {"cycles"}},
        Row{{}, {"policy.l1_cycles=10"}, kChase, {}, {"ports.cycles"}},
        Row{{}, {"policy.l2_cycles=40"}, kBlocks, {}, {"ports.cycles"}},
        Row{kOne, {"policy.l2_block_pages=1"}, kSparse, {kMisses, "cycles"}, {kHits}},
        Row{{}, {"policy.l3_entries=8192"}, kRandom, {kWalks, "cycles"}, {"policy.l3_hits"}},
        // All sets share one round-robin pointer, so a set's victim is its oldest entry only if
        // there is a single way. Fewer ways therefore mean more hits.
        Row{{"policy.l3_entries=2048"}, {"policy.l3_ways=1"}, kZipf, {kWalks}, {"policy.l3_hits"}},
        Row{kL3, {"policy.l3_cycles=300"}, kRandom, {}, {"ports.cycles"}}));

TEST_F(Policies, OfReplacementDifferRoundAndRound) {
  const auto recent = Replay(kRound, {"policy.fill=1", "policy.l2_replacement=\"lru\""}),
             random = Replay(kRound, {"policy.fill=1", "policy.l2_replacement=\"random\""});
  EXPECT_LT(Of(recent, kHits), Of(random, kHits)) << "what is wanted next was used longest ago";
}

TEST_F(Policies, OfFilesChooseInPlaceOfTheKeys) {
  const std::string file = std::string("policy.file=\"") + GMMU_POLICIES + "most_recent.so\"";
  const auto hardware = Replay(kRound, {"policy.fill=1"}), recent = Replay(kRound, {file});
  EXPECT_GT(Of(recent, kHits), Of(hardware, kHits)) << "round and round: what was used last is wanted last";
  const auto lines = Replay(kRound, {file, "policy.arguments=\"8\""});
  EXPECT_LT(Of(lines, kWalks), Of(recent, kWalks));
  ExpectRefusal({"replay", kRound, "--engine", "fast", "--set", file, "--set", "policy.fill=8"}, "policy.fill");
  ExpectRefusal({"replay", kRound, "--engine", "fast", "--set", file, "--set", "policy.arguments=\"3\""}, "1 or 8");
  ExpectRefusal({"replay", kRound, "--engine", "fast", "--set", "policy.merge_lines=true"}, "policy.schedule");
}

#ifdef GMMU_PYTHON_POLICIES
TEST_F(Policies, InPythonChooseAsTheSameInCpp) {
  const std::string file = "policy.file=\"" GMMU_SOURCE_DIR "/sim/policy_python/least_recent.py\"";
  const auto keys = Replay(kZipf, {"policy.fill=8", "policy.l1_replacement=\"lru\"", "policy.l2_replacement=\"lru\""});
  EXPECT_EQ(Replay(kZipf, {file}), keys);

  std::ofstream(Path("bad.py")) << "class Policy:\n  def __init__(self, a, s): pass\n  def fill(self, m): return 3\n";
  EXPECT_EQ(Run({"replay", kZipf, "--engine", "fast", "--set", "policy.file=\"" + Path("bad.py") + "\""}), 1);
  EXPECT_THAT(out_, HasSubstr("returns 3"));
  std::ofstream(Path("place.py"))
      << "class Policy:\n  def __init__(self, a, s): pass\n  def place(self, s): return 99\n";
  EXPECT_EQ(Run({"replay", kZipf, "--engine", "fast", "--set", "policy.file=\"" + Path("place.py") + "\""}), 1);
  EXPECT_THAT(err_ + out_, HasSubstr("returns 99, which is none of 16 places, nor None"));
  std::ofstream(Path("plase.py"))
      << "class Policy:\n  def __init__(self, a, s): pass\n  def plase(self, s): return 0\n";
  ExpectRefusal({"replay", kZipf, "--engine", "fast", "--set", "policy.file=\"" + Path("plase.py") + "\""},
                "has none of the methods build, place, fill, prefetch and next");
  std::ofstream(Path("none.py")) << "x = 1\n";
  ExpectRefusal({"replay", kZipf, "--engine", "fast", "--set", "policy.file=\"" + Path("none.py") + "\""},
                "class Policy");
}
#endif

}  // namespace
}  // namespace gmmu::app

// SPDX-License-Identifier: Apache-2.0
// Tests short replays on the RTL and on the fast engine.
#include "replay/replay.h"

#include <gtest/gtest.h>

#include "app/configuration.h"
#include "platform/sc_engine.h"
#include "tb/sw/replay/sources.h"
#include "twin/fast_engine.h"
#include "workload/job.h"

namespace gmmu::replay {
namespace {

struct Ran {
  workload::JobResult job;
  Result result;
  const PhaseResult& region() const { return result.phases.back(); }
};

Ran Replayed(bool rtl, const Options& options, const std::vector<trace::Access>& accesses) {
  app::Configuration configuration;
  const sim::MachineConfig& config = configuration.machine;
  const Plan plan = MakePlan(options, {}, Opens(accesses),
                             {static_cast<unsigned>(config.gpu.clients), config.gpu.vram_bytes(), 48});
  workload::JobOptions job;
  job.os = configuration.OsParameters(options.seed);
  Ran run;
  const auto engine = rtl ? sim::CreateRtl(config, {}) : sim::twin::CreateEngine(config, {});
  engine->Run([&](hw::Platform& platform) {
    RunReplay(platform, plan, Opens(accesses), job, run.job, run.result);
    return 0;
  });
  EXPECT_TRUE(run.job.Passed()) << (run.job.faults.empty() ? "" : run.job.faults.front().text)
                                << (run.job.findings.empty() ? "" : run.job.findings.front().text);
  return run;
}

uint64_t Counted(const PhaseResult& phase, const std::string& block, const std::string& name) {
  uint64_t sum = 0;
  for (const hw::Counter& counter : phase.counters)
    if (counter.name == name && counter.block.rfind(block, 0) == 0) sum += counter.value;
  return sum;
}

TEST(Replay, MakesTheSameTranslationsOnBothEngines) {
  for (const Memory memory : {Memory::kVram, Memory::kSystem}) {
    Options options;
    options.memory = memory;
    options.warmup = 200, options.window = 2;
    const auto accesses = RandomAccesses(256 << 10, 800, 11, 25, 40);
    const Ran rtl = Replayed(true, options, accesses), fast = Replayed(false, options, accesses);
    for (size_t phase = 0; phase < 2; ++phase) {
      const PhaseResult& r = rtl.result.phases[phase];
      const PhaseResult& f = fast.result.phases[phase];
      EXPECT_EQ(r.tally.accesses, f.tally.accesses);
      EXPECT_EQ(r.tally.requests, f.tally.requests);
      EXPECT_EQ(r.tally.faults, f.tally.faults);
      for (unsigned client = 0; client < 4; ++client) {
        const std::string block = "port_client" + std::to_string(client);
        EXPECT_EQ(Counted(r, block, "lookups"), Counted(f, block, "lookups"));
        EXPECT_EQ(r.tally.by_client[client].count(), f.tally.by_client[client].count());
      }
      EXPECT_EQ(Counted(r, "gpu_clients", "client_read_bytes"), Counted(f, "gpu_clients", "client_read_bytes"));
      EXPECT_EQ(Counted(r, "gpu_clients", "client_write_bytes"), Counted(f, "gpu_clients", "client_write_bytes"));
      EXPECT_EQ(Counted(r, "translation_checker", "answers"), r.tally.requests);
    }
  }
}

TEST(Replay, TakesTheSameCyclesTwiceOnTheRtl) {
  const auto accesses = RandomAccesses(256 << 10, 500, 12, 10, 16);
  const Ran first = Replayed(true, {}, accesses), second = Replayed(true, {}, accesses);
  EXPECT_EQ(first.region().tally.cycles(), second.region().tally.cycles());
  EXPECT_EQ(first.region().tally.latency.max(), second.region().tally.latency.max());
  EXPECT_EQ(first.job.cycles, second.job.cycles);
}

// The L1's 16 entries map 16 scattered 4 KiB pages, and the L2's 512 entries map 512. A walk that
// hits the walk cache reads only the leaf entry.
TEST(Replay, ShowsTheStepsOfL1AndL2InTheLatencyOfRandomReads) {
  const auto latency = [](uint64_t footprint) {
    Options options;
    options.compute_units = 1, options.warps = 1, options.fragmented = 100, options.warmup = 600;
    const Ran run = Replayed(true, options, RandomAccesses(footprint, 1'000, 13));
    return run.region().tally.latency.Quantile(5'000);
  };
  const uint64_t in_l1 = latency(32 << 10), in_l2 = latency(512 << 10), walks = latency(8 << 20);
  EXPECT_GT(in_l2, in_l1);
  EXPECT_LT(in_l2, in_l1 + 20);
  EXPECT_GT(walks, in_l2 + 80) << "VRAM answers after 100 cycles, and the leaf entry comes before the line";
}

TEST(Replay, MissesAlikeOnBothEnginesAndTakesTimesWithinFivePercent) {
  for (const uint64_t footprint : {32ULL << 10, 512ULL << 10, 8ULL << 20}) {
    Options options;
    options.compute_units = 1, options.warps = 1, options.fragmented = 100, options.warmup = 600;
    const auto accesses = RandomAccesses(footprint, 1'000, 13);
    const Ran rtl = Replayed(true, options, accesses), fast = Replayed(false, options, accesses);
    for (const auto& [block, name] :
         {std::pair{"port_client0", "hits"}, std::pair{"port_client0", "misses"}, std::pair{"gpu_l2", "l2_hits"},
          std::pair{"gpu_l2", "l2_misses"}, std::pair{"gpu_walk_cache", "wc_hits"}, std::pair{"gpu_walker", "walks"},
          std::pair{"gpu_walker", "table_reads"}}) {
      EXPECT_EQ(Counted(rtl.region(), block, name), Counted(fast.region(), block, name)) << name << " " << footprint;
    }
    const double of_rtl = rtl.region().tally.latency.mean();
    EXPECT_NEAR(fast.region().tally.latency.mean(), of_rtl, .05 * of_rtl) << footprint;
  }
}

}  // namespace
}  // namespace gmmu::replay

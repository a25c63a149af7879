// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <functional>

#include "app/configuration.h"
#include "host/machine_parts.h"
#include "replay/replay.h"
#include "tb/sw/replay/sources.h"
#include "twin/fast_engine.h"
#include "workload/job.h"

namespace gmmu::replay {

struct Ran {
  workload::JobResult job;
  Result result;
};

inline Ran Replayed(const Options& options, const std::vector<trace::Access>& accesses, const std::string& toml = "",
                    const trace::Header& header = {},
                    const std::function<void(sim::MachineConfig&, os::Parameters&)>& change = nullptr,
                    const std::function<void(const std::string&, uint64_t, uint64_t)>& progress = nullptr) {
  app::Configuration configuration = app::Configuration::FromToml(toml, "test.toml");
  workload::JobOptions job;
  job.os = configuration.OsParameters(options.seed);
  job.progress = progress;
  if (change) change(configuration.machine, job.os);
  const sim::MachineConfig& config = configuration.machine;
  const Plan plan =
      MakePlan(options, header, Opens(accesses),
               {static_cast<unsigned>(config.gpu.clients), config.gpu.vram_bytes(), 48, sim::PeriodPs(config.gpu)});
  Ran run;
  const auto engine = sim::twin::CreateEngine(config, {});
  engine->Run([&](hw::Platform& platform) {
    RunReplay(platform, plan, Opens(accesses), job, run.job, run.result);
    return 0;
  });
  EXPECT_TRUE(run.job.Passed()) << (run.job.faults.empty() ? "" : run.job.faults.front().text)
                                << (run.job.findings.empty() ? "" : run.job.findings.front().text);
  return run;
}

inline uint64_t Counted(const std::vector<hw::Counter>& counters, const std::string& block, const std::string& name) {
  uint64_t sum = 0;
  for (const hw::Counter& counter : counters)
    if (counter.name == name && counter.block.rfind(block, 0) == 0) sum += counter.value;
  return sum;
}

}  // namespace gmmu::replay

// SPDX-License-Identifier: Apache-2.0
#include "gmmu/work.h"

#include <optional>
#include <utility>

#include "app/configuration.h"
#include "app/simulated.h"
#include "gmmu/refusals.h"
#include "replay/replay.h"
#include "replay/replay_report.h"
#include "report/json_report.h"
#include "trace/open.h"
#include "workload/input.h"
#include "workload/scenario.h"

namespace gmmu {

std::unique_ptr<Work> WorkOf(Job job) {
  std::optional<workload::Scenario> scenario;
  if (!job.scenario.empty()) scenario = Refused([&] { return workload::FindScenario(job.scenario); });
  if (job.input.size() > workload::kMaxInputBytes) throw Error("an input has at most 256 MiB");
  if (job.input.empty() && !scenario) job.input = workload::SeededInput(job.engine.seed, workload::kDefaultInputBytes);
  auto work = std::make_unique<Work>();
  work->scenario = job.scenario;
  work->run = [scenario, input = std::move(job.input), &result = work->result](hw::Platform& platform,
                                                                               workload::JobOptions options) {
    options.input = &input;
    if (scenario) {
      workload::RunScenario(platform, *scenario, options, result);
    } else {
      workload::RunMainJob(platform, options, result);
    }
    return 0;
  };
  work->report = [&result = work->result](const report::Limits& limits) { return report::JsonReport(result, limits); };
  return work;
}

std::unique_ptr<Work> WorkOf(const Replay& replay, app::Configuration& configuration) {
  replay::Options options = replay.options;
  options.seed = replay.engine.seed;
  if (options.accesses == 0) throw Error("0 accesses leave nothing to measure; give 1 and more");
  app::PreparePages(options, configuration);
  const trace::Header header = Refused([&] { return trace::Open(options.workload, options.seed).header; });
  const replay::Opener open = [options] { return trace::Open(options.workload, options.seed).source; };
  const auto plan = std::make_shared<const replay::Plan>(
      Refused([&] { return replay::MakePlan(options, header, open, app::FactsOf(configuration)); }));
  auto work = std::make_unique<Work>();
  const auto replayed = std::make_shared<replay::Result>();
  work->run = [plan, replayed, open, &result = work->result](hw::Platform& platform, const workload::JobOptions& job) {
    try {
      replay::RunReplay(platform, *plan, open, job, result, *replayed);
    } catch (const replay::ReplayError& error) {  // the pages do not fit
      throw Error(error.what());
    }
    return 0;
  };
  work->report = [plan, replayed, &result = work->result](const report::Limits& limits) {
    return replay::JsonReport(*plan, *replayed, result, limits);
  };
  return work;
}

std::unique_ptr<Work> WorkOf(Software software) {
  if (!software.run) throw Error("there is no software to run");
  auto work = std::make_unique<Work>();
  work->run = [run = std::move(software.run)](hw::Platform& platform, const workload::JobOptions&) {
    return run(platform);
  };
  return work;
}

}  // namespace gmmu

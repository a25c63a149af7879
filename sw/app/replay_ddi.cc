// SPDX-License-Identifier: Apache-2.0
#include "app/replay_ddi.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "app/child_run.h"
#include "app/cli.h"
#include "app/command_options.h"
#include "app/ddi_trace_compare.h"
#include "app/ddi_trace_file.h"
#include "app/engines.h"
#include "app/load_driver.h"
#include "app/progress.h"
#include "app/simulated.h"
#include "app/temporary_folder.h"
#include "workload/input.h"

namespace gmmu::app {
namespace {

constexpr unsigned kPreemption = 250;  // probability per preemption point, in thousandths

RunArguments RunOf(const DdiTraceFile& recorded, const ReplayDdiArguments& arguments, const std::string& trace) {
  RunArguments run = recorded.run;
  if (!arguments.driver.empty()) run.driver = arguments.driver;
  if (!arguments.device.empty()) run.device = arguments.device;
  run.trace_ddi = trace;
  if (arguments.shuffle) {
    run.set.push_back("os.schedule_seed=" + std::to_string(*arguments.shuffle + 1));
    run.set.push_back("os.preemption=" + std::to_string(kPreemption));
  }
  return run;
}

/// Prints the calls whose counts differ from those of the recorded run. Such differences are
/// allowed, because the number of repeated calls depends on the thread schedule.
void CountCalls(const DdiTraceFile& recorded, const DdiTraceFile& now, std::FILE* out) {
  std::map<std::string, std::pair<size_t, size_t>> counts;
  for (const DdiCall& call : recorded.calls) ++counts[call.name].first;
  for (const DdiCall& call : now.calls) ++counts[call.name].second;
  fmt::print(out, "  {} calls, {} recorded\n", now.calls.size(), recorded.calls.size());
  for (const auto& [name, count] : counts) {
    if (count.first != count.second) fmt::print(out, "    {}: {}, {} recorded\n", name, count.second, count.first);
  }
}

}  // namespace

CLI::App* AddReplayDdi(CLI::App& app, ReplayDdiArguments& arguments) {
  CLI::App* replay = app.add_subcommand(
      "replay-ddi", "Ask a driver for what a recorded run asked its driver for, and compare (docs/check-driver.md).");
  const auto option = [&](const char* name, std::string& value, const char* help, const char* type) {
    return replay->add_option(name, value, help)->type_name(type);
  };
  option("TRACE", arguments.trace, "Trace of gmmu run --trace-ddi", "")->required();
  option("--driver", arguments.driver, "Shared object with a DriverEntry in place of the recorded driver", "FILE");
  option("--device", arguments.device, "A device of its own, as gmmu run has it (docs/device.md)", "FILE | none");
  option("--trace-ddi", arguments.kept, "Keep the trace of this run", "FILE");
  replay
      ->add_option(
          "--shuffle", arguments.shuffle,
          "Let the system's threads go on in the order that this seed draws, as far as the interface permits it")
      ->type_name("SEED");
  AddNumber(replay, "--seconds", arguments.seconds, "Bound of the run, seconds of the computer; 300 unless given");
  return replay;
}

int ReplayDdi(const ReplayDdiArguments& arguments, std::FILE* out, std::FILE* err) {
  const DdiTraceFile recorded = ReadDdiTrace(arguments.trace);
  if (recorded.calls.empty()) throw workload::InputError(arguments.trace + ": has no call to be asked for again");
  const std::string& engine = recorded.run.engine;
  if (FindEngine(engine) == nullptr)
    throw workload::InputError(fmt::format("{}:1: was recorded on the engine \"{}\"; this build has {}",
                                           arguments.trace, engine, fmt::join(Engines(), ", ")));
  if (!arguments.driver.empty()) CheckDriverFile(arguments.driver);
  if (arguments.seconds == 0 || arguments.seconds > 86'400)
    throw workload::InputError("--seconds " + std::to_string(arguments.seconds) + ": give 1 to 86400");
  RefuseSharedFiles({{"--trace-ddi", arguments.kept}},
                    {{"the trace", arguments.trace}, {"--driver", arguments.driver}, {"--device", arguments.device}});
  const TemporaryFolder folder;
  const std::string trace = arguments.kept.empty() ? folder.File("calls.jsonl") : arguments.kept;
  const RunArguments arguments_of_run = RunOf(recorded, arguments, trace);
  Progress progress(err);
  progress.Update("replay", 0, 1, "runs");
  const ChildRun run = RunInChild(arguments_of_run, static_cast<unsigned>(arguments.seconds));
  progress.Finish();
  if (!run.usage.empty()) throw workload::InputError(run.usage);

  fmt::print(out, "gmmu replay-ddi {}: {}\n", arguments.trace, recorded.about);
  if (arguments.shuffle) fmt::print(out, "  threads drawn by seed {}\n", *arguments.shuffle);
  fmt::print(out, "  {}{}\n", run.end, run.text.empty() ? "" : ": " + run.text);
  RunArguments again = arguments_of_run;
  again.trace_ddi.clear();
  if (!run.passed) fmt::print(out, "  again: {}\n", CommandOf(again));
  if (run.end == "hung" || run.end == "crashed" || run.end == "no report") return kExitFailed;
  const DdiTraceFile now = ReadDdiTrace(trace);
  if (arguments.shuffle) {
    CountCalls(recorded, now, out);
    return run.passed ? kExitGood : kExitFailed;
  }
  fmt::print(out, "  ");
  const int compared = CompareTraces(recorded, now, false, out);
  return run.passed ? compared : kExitFailed;
}

}  // namespace gmmu::app

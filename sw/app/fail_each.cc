// SPDX-License-Identifier: Apache-2.0
#include "app/fail_each.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/child_run.h"
#include "app/engines.h"
#include "app/outputs.h"
#include "app/process.h"
#include "app/progress.h"
#include "settings/keys.h"
#include "workload/input.h"

namespace gmmu::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kSeconds = 120;              // time limit per run, in seconds of host time
constexpr uint64_t kNobody = settings::kNoMax;  // matches no call: the run only counts calls
constexpr size_t kMostRuns = 20;

std::string Change(const std::string& kind, uint64_t number) {
  return "inject.fail_" + kind + "=" + std::to_string(number);
}

bool Good(const ChildRun& run) { return run.end == "passed" || run.end == "refused"; }

}  // namespace

std::string WrongSweep(const RunArguments& arguments) {
  if (arguments.fail_each.empty()) return "";
  if (arguments.engine == kBoardEngine) return "--fail-each needs a simulated engine";
  for (const auto& [option, value] : {std::pair{"--out", &arguments.out},
                                      {"--waves", &arguments.waves},
                                      {"--dump-host", &arguments.dump_host},
                                      {"--trace-paging", &arguments.trace_paging},
                                      {"--trace-ddi", &arguments.trace_ddi},
                                      {"--events", &arguments.events.file}}) {
    if (!value->empty())
      return fmt::format("{} does not go with --fail-each, which is many runs; give it to one of them", option);
  }
  return "";
}

int FailEach(const RunArguments& arguments, std::FILE* out, std::FILE* err) {
  RunArguments one = arguments;
  one.fail_each.clear();
  one.json.clear();
  RefuseSharedFiles({{"--json", arguments.json}},
                    {{"the input", arguments.file}, {"--config", arguments.config}, {"--driver", arguments.driver}});
  const auto json = arguments.json.empty() ? nullptr : std::make_unique<OutputFile>(arguments.json);
  Progress progress(err);
  const auto with = [&](uint64_t number) {
    RunArguments changed = one;
    changed.set.push_back(Change(arguments.fail_each, number));
    return changed;
  };
  const ChildRun whole = RunInChild(with(kNobody), kSeconds);
  if (!whole.usage.empty()) throw workload::InputError(whole.usage);
  if (!whole.passed) {
    progress.Finish();
    Say(err, "gmmu: the run fails with nothing refused ({}), so it is not swept: {}\nTry {}\n", whole.end, whole.text,
        CommandOf(one));
    return kExitFailed;
  }
  const uint64_t last = std::min(whole.seen, arguments.most);

  Json runs = Json::array();
  std::map<std::string, uint64_t> ends;
  std::string bad;
  size_t bads = 0;
  for (uint64_t number = 1; number <= last; ++number) {
    progress.Update("refuse each " + arguments.fail_each, number - 1, last, "runs");
    const ChildRun run = RunInChild(with(number), kSeconds);
    ++ends[run.end];
    runs.push_back({{"number", number},
                    {"refused", run.refused},
                    {"inside", run.inside},
                    {"end", run.end},
                    {"good", Good(run)},
                    {"wrong", run.wrong},
                    {"seconds", run.seconds}});
    if (Good(run) || ++bads > kMostRuns) continue;
    bad += fmt::format("  {} {}, {} in {}: {}: {}\n    {}\n", arguments.fail_each, number, run.refused, run.inside,
                       run.end, run.text, CommandOf(with(number)));
  }
  progress.Finish();

  if (json) {
    const Json report = {{"schema", "gmmu-fail-each 1"},
                         {"kind", arguments.fail_each},
                         {"driver", arguments.driver},
                         {"scenario", arguments.scenario},
                         {"engine", arguments.engine},
                         {"seed", arguments.seed},
                         {"seen", whole.seen},
                         {"tried", last},
                         {"bad", bads},
                         {"runs", std::move(runs)}};
    const std::string text = report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    json->Write(text.data(), text.size());
    json->Commit();
  }

  std::string counts;
  for (const auto& [end, count] : ends) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, end);
  fmt::print(out, "gmmu run --fail-each {}: {} of {} refused, one a run, each run at most {} s: {}\n",
             arguments.fail_each, last, whole.seen, kSeconds, counts.empty() ? "nothing to refuse" : counts);
  if (bads != 0) fmt::print(out, "\nWhat went wrong\n{}", bad);
  if (bads > kMostRuns) fmt::print(out, "  and {} more (--json names all)\n", bads - kMostRuns);
  return bads == 0 ? kExitGood : kExitFailed;
}

}  // namespace gmmu::app

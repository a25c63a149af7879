// SPDX-License-Identifier: Apache-2.0
#include "app/check_driver.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <vector>

#include "app/child_run.h"
#include "app/command_options.h"
#include "app/driver_verdict.h"
#include "app/engines.h"
#include "app/load_driver.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/simulated.h"
#include "workload/input.h"
#include "workload/scenario.h"

namespace gmmu::app {
namespace {

void Write(const std::unique_ptr<OutputFile>& file, const std::string& text) {
  if (!file) return;
  file->Write(text.data(), text.size());
  file->Commit();
}

}  // namespace

CLI::App* AddCheckDriver(CLI::App& app, CheckDriverArguments& arguments) {
  CLI::App* check = app.add_subcommand(
      "check-driver", "Run a driver in every scenario that applies and say what it does wrong (docs/check-driver.md).");
  const auto option = [&](const char* name, std::string& value, const char* help, const char* type) {
    return check->add_option(name, value, help)->type_name(type);
  };
  option("FILE", arguments.driver, "Shared object with a DriverEntry (docs/driver.md)", "")->required();
  option("--device", arguments.device, "A device of its own in the GPU's place, as gmmu run has it (docs/device.md)",
         "FILE | none");
  option("--only", arguments.only, "Scenarios of this name; * stands for anything", "PATTERN");
  option("--engine", arguments.engine, "What stands in for the hardware: rtl or fast; fast unless given", "NAME");
  option("--json", arguments.json, "Write the verdict as JSON", "FILE");
  option("--junit", arguments.junit, "Write it as JUnit's XML", "FILE");
  AddChanges(check, arguments.set);
  AddNumber(check, "--seed", arguments.seed, "Seed of placement and patterns, 0 unless given");
  AddNumber(check, "--seconds", arguments.seconds, "Bound of one scenario, seconds of the computer; 300 unless given");
  return check;
}

int CheckDriver(const CheckDriverArguments& arguments, std::FILE* out, std::FILE* err) {
  const std::string engine = arguments.engine.empty() ? kFast : arguments.engine;
  const EngineKind* const kind = FindEngine(engine);
  if (kind == nullptr || !kind->named || !kind->simulated_gpu)
    throw workload::InputError("--engine " + engine +
                               ": a driver is checked on a simulated engine of this build: fast" +
                               std::string(Engines().front() == kFast ? "" : " or " + Engines().front()));
  if (arguments.seconds == 0 || arguments.seconds > 86'400)
    throw workload::InputError("--seconds " + std::to_string(arguments.seconds) + ": give 1 to 86400");
  CheckDriverFile(arguments.driver);
  std::vector<const workload::Scenario*> scenarios;
  for (const workload::Scenario& scenario : workload::Scenarios()) {
    if (arguments.only.empty() || fnmatch(arguments.only.c_str(), scenario.name.c_str(), 0) == 0)
      scenarios.push_back(&scenario);
  }
  if (scenarios.empty())
    throw workload::InputError("--only " + arguments.only + ": no scenario of that name; gmmu run --list shows them");
  RefuseSharedFiles({{"--json", arguments.json}, {"--junit", arguments.junit}}, {{"the driver", arguments.driver}});
  const auto json = arguments.json.empty() ? nullptr : std::make_unique<OutputFile>(arguments.json);
  const auto junit = arguments.junit.empty() ? nullptr : std::make_unique<OutputFile>(arguments.junit);

  DriverVerdict verdict{arguments.driver, engine, arguments.seed, {}};
  Progress progress(err);
  for (size_t i = 0; i < scenarios.size(); ++i) {
    const workload::Scenario& scenario = *scenarios[i];
    progress.Update("check the driver", i, scenarios.size(), "scenarios");
    RunArguments run;
    run.engine = engine;
    run.scenario = scenario.name;
    run.driver = arguments.driver;
    run.device = arguments.device;
    run.seed = arguments.seed;
    run.set = arguments.set;
    const ChildRun ended = RunInChild(run, static_cast<unsigned>(arguments.seconds));
    if (!ended.usage.empty()) throw workload::InputError(ended.usage);
    verdict.scenarios.push_back(VerdictOf(scenario.name, scenario.title, ended, CommandOf(run)));
  }
  progress.Finish();
  Write(json, verdict.Json());
  Write(junit, verdict.JUnit());
  fmt::print(out, "{}", verdict.Text());
  return verdict.Passed() ? kExitGood : kExitFailed;
}

}  // namespace gmmu::app

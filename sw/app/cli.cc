// SPDX-License-Identifier: Apache-2.0
#include "app/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <sstream>
#include <system_error>

#include "app/check_driver.h"
#include "app/command_options.h"
#include "app/commit.h"
#include "app/configuration.h"
#include "app/engines.h"
#include "app/explain.h"
#include "app/fail_each.h"
#include "app/outputs.h"
#include "app/process.h"
#include "app/replay.h"
#include "app/replay_ddi.h"
#include "app/trace_command.h"
#include "board/board.h"
#include "events/reader.h"
#include "host/engine.h"
#include "replay/replay.h"
#include "settings/keys.h"
#include "trace/error.h"
#include "workload/input.h"
#include "workload/procedures/procedures.h"
#include "workload/scenario.h"

namespace gmmu::app {
namespace {

/// Rejects an empty path. It usually comes from an unset shell variable, because a user who wants
/// no path omits the option.
CLI::Validator NotEmpty() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? std::string("the value is empty") : std::string(); }, "");
}

std::string ListOfEngines() {
  std::string list;
  for (const std::string& engine : Engines()) list += (list.empty() ? "" : ", ") + engine;
  return list;
}

int Dispatch(int argc, const char* const* argv, std::FILE* out, std::FILE* err) {
  CLI::App app(
      "An open model of a GPU's memory-management unit and paging engine, and the driver software "
      "that runs on it.",
      "gmmu");
  app.set_version_flag("--version", std::string("gmmu " GMMU_VERSION " ") + kCommit);
  app.require_subcommand(0, 1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return fmt::format("gmmu: {}\nSee {} --help.\n", error.what(),
                       failed->get_parent() == nullptr ? "gmmu" : "gmmu " + failed->get_name());
  });

  RunArguments run_arguments;
  CLI::App* run = app.add_subcommand("run", "Page a file through the GPU, from the driver's call to the bytes.");
  run->add_option("FILE", run_arguments.file, "File to page, at most 256 MiB; without it a seeded MiB")->type_name("");
  run->add_option("--scenario", run_arguments.scenario,
                  "Run a scenario: a name of --list, or a file that ends in .toml")
      ->type_name("NAME")
      ->check(NotEmpty());
  bool list = false;
  CLI::Option* only_list = run->add_flag("--list", list, "List the scenarios");
  bool procedures = false;
  CLI::Option* only_procedures = run->add_flag("--procedures", procedures,
                                               "List what a scenario can run, with the parameters of each");
  run->add_option("--out", run_arguments.out, "Write the bytes that came back")->type_name("COPY")->check(NotEmpty());
  run->add_option("--json", run_arguments.json, "Write the report as JSON")->type_name("REPORT")->check(NotEmpty());
  CLI::Option* engine = run->add_option("--engine", run_arguments.engine,
                                        "What stands in for the hardware: " + ListOfEngines())
                            ->type_name("NAME");
  run->add_option("--config", run_arguments.config, "Machine description, TOML (see gmmu config)")
      ->type_name("FILE")
      ->check(NotEmpty());
  AddChanges(run, run_arguments.set);
  AddNumber(run, "--seed", run_arguments.seed, "Seed of placement and patterns, 0 unless given");
  CLI::Option* waves =
      run->add_option("--waves", run_arguments.waves, "Dump waves (FST)")->type_name("FILE")->check(NotEmpty());
  AddNumber(run, "--waves-from", run_arguments.waves_from, "First GPU cycle in the waves")->needs(waves);
  AddNumber(run, "--waves-to", run_arguments.waves_to, "One past the last GPU cycle in the waves")->needs(waves);
  AddWavesTrigger(run, waves, run_arguments.waves_on);
  AddEvents(run, run_arguments.events);
  run->add_option("--dump-host", run_arguments.dump_host,
                  "Write host memory after the last page-in of the first piece, and FILE.json with "
                  "the IOMMU's mappings")
      ->type_name("FILE")
      ->check(NotEmpty());

  run->add_option("--trace-paging", run_arguments.trace_paging,
                  "Write a line of JSON for each call of DxgkDdiBuildPagingBuffer")
      ->type_name("FILE")
      ->check(NotEmpty());
  run->add_option("--trace-ddi", run_arguments.trace_ddi,
                  "Write a line of JSON for each call of the driver and of its callbacks (gmmu trace reads it)")
      ->type_name("FILE")
      ->check(NotEmpty());
  CLI::Option* each = run->add_option("--fail-each", run_arguments.fail_each,
                                      "One run for each callback, or each allocation, of the driver, in which it is "
                                      "refused: callback or allocation")
                          ->type_name("KIND")
                          ->check(CLI::IsMember({"callback", "allocation"}));
  AddNumber(run, "--most", run_arguments.most, "With --fail-each: at most so many runs, 2000 unless given")
      ->needs(each);
  run->add_flag("--strict", run_arguments.strict, "Fail when the driver declares what is not modelled");
  run->add_option("--driver", run_arguments.driver,
                  "Run with the driver of a shared object (docs/driver.md) in place of the one that is built in")
      ->type_name("FILE")
      ->check(NotEmpty());
  run->add_option(
         "--device", run_arguments.device,
         "Put a device of your own in the GPU's place (docs/device.md): a shared object with its model, or none "
         "for registers that are plain memory")
      ->type_name("FILE")
      ->check(NotEmpty())
      ->excludes(engine);
  run->add_option("--port", run_arguments.board.port,
                  "With --engine board: serial port of the board, or sim for a simulated board")
      ->type_name("PATH")
      ->check(NotEmpty());
  AddNumber(run, "--baud", run_arguments.board.baud, "With --port: bit/s of the board's line, 3000000 unless given");
  run->add_flag("--probe", run_arguments.board.probe,
                "With --port: say what the board is and test its memory and its link; nothing is run");
  run->add_option("--noise", run_arguments.board.noise, "With --port sim: probability that a byte is damaged")
      ->type_name("P")
      ->check(NotEmpty());
  AddNumber(run, "--cut-after", run_arguments.board.cut_after, "With --port sim: bytes after which the line is cut");
  AddNumber(run, "--reset-after", run_arguments.board.reset_after,
            "With --port sim: bytes after which the board's reset button is pressed");
  for (CLI::Option* option : run->get_options()) {
    for (CLI::Option* only : {only_list, only_procedures})
      if (option != only && option != run->get_help_ptr()) only->excludes(option);
  }

  ReplayArguments replay_arguments;
  CLI::App* replay = AddReplay(app, replay_arguments);

  ConfigArguments config_arguments;
  CLI::App* print = app.add_subcommand(
      "config", "Print the configuration as loadable TOML: each key with its value, bounds, unit and meaning.");
  print->add_option("--config", config_arguments.config, "Configuration to start from")->type_name("FILE");
  AddChanges(print, config_arguments.set);
  CLI::Option* list_keys = print->add_flag("--list", config_arguments.list, "List the keys instead");
  print->add_option("SECTION", config_arguments.section, "With --list: those of one section, as gpu or os")
      ->type_name("")
      ->needs(list_keys);
  CLI::Option* markdown = print->add_flag("--markdown", config_arguments.markdown,
                                          "Print the page docs/settings.md instead");
  CLI::Option* build_options =
      print->add_flag("--build-options", config_arguments.build_options,
                      "Print the CMake variables of sizes that differ from this program's instead");
  CLI::Option* json_schema = print->add_flag("--json-schema", config_arguments.json_schema,
                                             "Print a JSON Schema of the configuration instead");
  list_keys->excludes(markdown)->excludes(build_options)->excludes(json_schema);
  markdown->excludes(build_options)->excludes(json_schema);
  build_options->excludes(json_schema);

  CheckDriverArguments check_arguments;
  CLI::App* check_driver = AddCheckDriver(app, check_arguments);
  ReplayDdiArguments replay_ddi_arguments;
  CLI::App* replay_ddi = AddReplayDdi(app, replay_ddi_arguments);
  std::string driver;
  CLI::App* scan = app.add_subcommand(
      "scan-driver", "Look through a driver's imports for memory routines that GPU isolation forbids.");
  scan->add_option("FILE", driver, "Windows binary (.sys), ELF object, shared object or archive")
      ->type_name("")
      ->required();

  std::string first, second;
  CLI::App* compare =
      app.add_subcommand("compare", "Compare two reports of --json: the same work with the same seed on two engines.");
  compare->add_option("FIRST", first, "Report of one engine")->type_name("")->required();
  compare->add_option("SECOND", second, "Report of the other")->type_name("")->required();

  ExplainArguments explain_arguments;
  CLI::App* explain = AddExplain(app, explain_arguments);
  TraceArguments trace_arguments;
  CLI::App* trace = AddTrace(app, trace_arguments);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream good, bad;
    const int status = app.exit(error, good, bad);
    fmt::print(out, "{}", good.str());
    Say(err, "{}", bad.str());
    return status == 0 ? kExitGood : kExitUsage;
  }

  if (app.get_subcommands().empty()) {
    Say(err,
        "gmmu: give a command: gmmu run, replay, explain, trace, config, compare, check-driver, "
        "replay-ddi or scan-driver\nSee gmmu --help.\n");
    return kExitUsage;
  }
  if (replay->parsed()) return Replay(replay_arguments, out, err);
  if (check_driver->parsed()) return CheckDriver(check_arguments, out, err);
  if (replay_ddi->parsed()) return ReplayDdi(replay_ddi_arguments, out, err);
  if (scan->parsed()) return ScanDriver(driver, out);
  if (compare->parsed()) return Compare(first, second, out);
  if (explain->parsed()) return Explain(explain_arguments, out);
  if (trace->parsed()) return Trace(*trace, trace_arguments, out, err);
  if (print->parsed()) return PrintConfig(config_arguments, out);
  if (list) return ListScenarios(out);
  if (procedures) return ListProcedures(out);
  if (!run_arguments.scenario.empty()) {
    for (const auto& [name, given] : {std::pair{"FILE", !run_arguments.file.empty()},
                                      {"--config", !run_arguments.config.empty()},
                                      {"--out", !run_arguments.out.empty()},
                                      {"--dump-host", !run_arguments.dump_host.empty()}}) {
      if (!given) continue;
      Say(err, "gmmu: {} does not go with --scenario, whose file says what the run works on\n", name);
      return kExitUsage;
    }
  }
  if (std::find(Engines().begin(), Engines().end(), run_arguments.engine) == Engines().end()) {
    Say(err, "gmmu: no engine \"{}\" in this build; there is: {}\n", run_arguments.engine, ListOfEngines());
    return kExitUsage;
  }
  if (const std::string wrong = Wrong(run_arguments); !wrong.empty()) {
    Say(err, "gmmu: {}\nSee gmmu run --help.\n", wrong);
    return kExitUsage;
  }
  if (const std::string wrong = WrongSweep(run_arguments); !wrong.empty()) {
    Say(err, "gmmu: {}\nSee gmmu run --help.\n", wrong);
    return kExitUsage;
  }
  if (run_arguments.board.probe) return ProbeBoard(run_arguments, out);
  if (run_arguments.waves_from >= run_arguments.waves_to) {
    Say(err, "gmmu: --waves-from {} is not below --waves-to {}; the window is half open\n", run_arguments.waves_from,
        run_arguments.waves_to);
    return kExitUsage;
  }
  if (!run_arguments.fail_each.empty()) return FailEach(run_arguments, out, err);
  if (!run_arguments.waves_on.on.empty() && run_arguments.engine == "rtl") FindWavesWindow(run_arguments, err);
  return Run(run_arguments, out, err);
}

}  // namespace

const std::vector<std::string>& Engines() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const EngineKind& kind : EngineKinds())
      if (kind.named) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

int PrintConfig(const ConfigArguments& arguments, std::FILE* out) {
  Configuration configuration = Configuration::FromFile(arguments.config, arguments.set);
  if (arguments.build_options) {
    for (const std::string& option : configuration.machine.BuildOptions()) fmt::print(out, "{}\n", option);
    return kExitGood;
  }
  fmt::print(out, "{}",
             arguments.json_schema ? settings::ToJsonSchema(configuration.Keys())
             : arguments.markdown  ? Configuration::Page()
             : arguments.list      ? settings::ToList(configuration.Keys(), arguments.section)
                                   : configuration.ToToml());
  return kExitGood;
}

int ListScenarios(std::FILE* out) {
  for (const workload::Scenario& scenario : workload::Scenarios()) {
    std::string parts;
    for (const std::string& part : scenario.parts) parts += (parts.empty() ? "" : ", ") + part;
    fmt::print(out, "{}{}\n    {}\n    {}; evidence: {}{}\n", scenario.name,
               workload::ForPhysicalModel(scenario) ? ", for a driver without page tables" : "", scenario.title, parts,
               scenario.evidence, scenario.expected ? "; must end with: " + scenario.expected->fault : "");
  }
  return kExitGood;
}

int ListProcedures(std::FILE* out) {
  for (const workload::Procedure& procedure : workload::Procedures()) {
    fmt::print(out, "{}\n    {}\n", procedure.name, procedure.description);
    for (const workload::ParameterRule& rule : procedure.parameters) {
      fmt::print(out, "    {} = {}, {} to {}: {}\n", rule.name, rule.initial, rule.min, rule.max, rule.description);
    }
  }
  return kExitGood;
}

int Main(int argc, const char* const* argv, std::FILE* out, std::FILE* err) {
  return Caught([&] { return Dispatch(argc, argv, out, err); }, out, err);
}

int Caught(const std::function<int()>& work, std::FILE* out, std::FILE* err) {
  const auto end = [&](int status, const std::string& why) {
    Say(err, "gmmu: {}\n", why);
    return status;
  };
  try {
    const int status = work();
    Flush(out);
    return status;
  } catch (const workload::InputError& error) {
    return end(kExitUsage, error.what());
  } catch (const workload::ScenarioError& error) {
    return end(kExitUsage, error.what());
  } catch (const OutputError& error) {
    return end(kExitUsage, error.what());
  } catch (const settings::Error& error) {
    return end(kExitUsage, error.what());
  } catch (const events::EventError& error) {
    return end(kExitUsage, error.what());
  } catch (const trace::TraceError& error) {
    return end(kExitUsage, error.what());
  } catch (const replay::ReplayError& error) {
    return end(kExitUsage, error.what());
  } catch (const sim::board::BoardError& error) {
    return end(kExitUsage, error.what());
  } catch (const std::system_error& error) {
    return std::ferror(out) != 0 ? end(kExitUsage, CannotPrint(error)) : end(kExitFailed, error.what());
  } catch (const std::exception& error) {
    return end(kExitFailed, error.what());
  }
}

}  // namespace gmmu::app

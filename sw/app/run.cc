// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <sstream>
#include <streambuf>

#include "app/board_run.h"
#include "app/cli.h"
#include "app/configuration.h"
#include "app/ddi_trace_file.h"
#include "app/engines.h"
#include "app/last_report.h"
#include "app/load_driver.h"
#include "app/not_begun.h"
#include "app/outputs.h"
#include "app/process.h"
#include "app/progress.h"
#include "app/simulated.h"
#include "board/board.h"
#include "board/sizes.h"
#include "host/engine.h"
#include "host/machine_parts.h"
#include "hw/gmmu_regs.h"
#include "os/guard/driver_guard.h"
#include "report/json_report.h"
#include "report/text_report.h"
#include "workload/input.h"
#include "workload/job.h"
#include "workload/plug_in.h"
#include "settings/keys.h"
#include "workload/scenario.h"

namespace gmmu::app {
namespace {

/// A stream buffer that writes to an OutputFile and lets its exceptions propagate.
class OutputBuffer : public std::streambuf {
 public:
  explicit OutputBuffer(OutputFile& file) : file_(file) {}

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize size) override {
    file_.Write(bytes, static_cast<size_t>(size));
    return size;
  }
  int_type overflow(int_type byte) override {
    const char value = static_cast<char>(byte);
    if (byte != traits_type::eof()) file_.Write(&value, 1);
    return traits_type::not_eof(byte);
  }

 private:
  OutputFile& file_;
};

/// `board` is null if the machine is simulated.
report::Limits LimitsOf(const sim::MachineConfig& config, const RunArguments& arguments,
                        const sim::board::Board* board) {
  report::Limits limits = SimulatedLimits(config, *FindEngine(arguments.engine), arguments.seed);
  if (board != nullptr) {
    limits.link_bytes_per_second = board->line_rate() / 10;  // a byte takes 10 bits on the line
    if (board->simulated()) limits.timing = "simulated board";
  }
  limits.driver = arguments.driver;
  limits.scenario = arguments.scenario;
  limits.input = !arguments.scenario.empty() ? "scenario " + arguments.scenario
                 : arguments.file.empty()    ? "seeded buffer"
                                             : arguments.file;
  return limits;
}

std::unique_ptr<sim::Engine> MakeEngine(const std::string& name, const Configuration& configuration,
                                        PDRIVER_INITIALIZE driver, const sim::EngineOptions& options,
                                        std::unique_ptr<sim::board::Board> board) {
  EngineInputs inputs{configuration.machine, options, &board, &configuration.device};
  if (configuration.device.present())
    inputs.serve = reinterpret_cast<decltype(inputs.serve)>(ExportOf(driver, "GmmuServeDevice"));
  return FindEngine(name)->make(inputs);
}

/// Applies --device to device.model. A machine with a device model always uses the engine for
/// device models.
void UseDevice(RunArguments& arguments, Configuration& configuration) {
  if (!arguments.device.empty()) configuration.device.device.model = arguments.device;
  if (!configuration.device.present()) return;
  configuration.device.Check(configuration.machine, "--device");
  if (arguments.engine == kBoardEngine) throw settings::Error("a device of --device does not go with --engine board");
  if (arguments.driver.empty())
    throw settings::Error(
        "a device in the GPU's place (--device, device.model) needs a driver that knows it\n"
        "Give it by --driver FILE.so (docs/device.md).");
  arguments.engine = kDevice;
}

/// Rejects a machine whose sizes differ from those that the program was built for. A scenario
/// defines its own machine, and `./gmmu` does not build another program for it.
void CheckSizes(const sim::MachineConfig& config, const RunArguments& arguments) {
  if (arguments.scenario.empty() || config.BuildOptions().empty()) return config.CheckBuilt(arguments.config);
  std::string sizes;
  for (const std::string& option : config.BuildOptions()) sizes += (sizes.empty() ? "" : " ") + option;
  throw sim::ConfigError("scenario " + arguments.scenario + " needs a machine of other sizes: " + sizes +
                         "\nRun it with --engine fast, which takes any size.");
}

/// If the scenario must end with a fault, rejects changes to the keys that the scenario sets,
/// because the fault is expected on the scenario's machine only.
void RequireItsOwnKeys(const workload::Scenario& scenario, const Configuration& configuration) {
  if (!scenario.expected) return;
  Configuration own = Configuration::FromToml(scenario.machine, scenario.file, "machine", {}), changed = configuration;
  const settings::Keys keys = own.Keys(), others = changed.Keys();
  for (const settings::Key* key : keys.all()) {
    const std::string name = key->full_name();
    const settings::Key* other = others.Find(key->section, key->name);
    if (own.stated.count(name) == 0 || other->value() == key->value()) continue;
    throw settings::Error(name + ": scenario " + scenario.name + " ends as its [expect] says only with " + name +
                          " = " + settings::Render(key->value()) + "; leave it out, or change a copy of " +
                          scenario.file);
  }
}

os::Fault Stopped(const std::string& source, const std::string& text) {
  os::Fault fault;
  fault.source = source;
  fault.name = "stopped";
  fault.text = text;
  return fault;
}

std::unique_ptr<OutputFile> OpenIfAsked(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

std::function<void(const std::string&)> LinesTo(OutputFile& file) {
  return [&file](const std::string& line) {
    file.Write(line.data(), line.size());
    file.Write("\n", 1);
  };
}

/// Converts phase durations to board time, because the platform of a board run measures them with
/// the host's clock.
void TimesOfTheBoard(uint64_t clock_mhz, workload::JobResult& result) {
  for (workload::Phase& phase : result.phases) phase.ns = phase.cycles * 1000 / clock_mhz;
  result.simulated_ns = result.cycles * 1000 / clock_mhz;
}

LastReport::Parts Crashed(const report::Limits& limits, std::FILE* out, const OutputFile* json,
                          const std::vector<const std::unique_ptr<OutputFile>*>& others) {
  workload::JobResult result;
  result.faults.push_back(
      Stopped("driver",
              "the program crashed outside of every call into the driver: most likely the driver wrote over "
              "memory that is not its own (docs/driver.md says how to look for it)"));
  std::vector<std::string> unfinished;
  for (const auto* other : others) {
    if (*other != nullptr && (*other)->working_path() != (*other)->path())
      unfinished.push_back((*other)->working_path());
  }
  return {out, report::TextReport(result, limits), json, report::JsonReport(result, limits), unfinished};
}

}  // namespace

int Run(const RunArguments& given, std::FILE* out, std::FILE* err) {
  RunArguments arguments = given;
  // All errors in the arguments are found before anything is simulated or written.
  std::optional<workload::Scenario> scenario;
  if (!arguments.scenario.empty()) scenario = workload::FindScenario(arguments.scenario);
  Configuration configuration = scenario ? Configuration::FromToml(scenario->machine, scenario->file, "machine",
                                                                   arguments.set)
                                         : Configuration::FromFile(arguments.config, arguments.set);
  if (scenario) RequireItsOwnKeys(*scenario, configuration);
  UseDevice(arguments, configuration);
  const sim::MachineConfig& config = configuration.machine;
  const bool on_board = arguments.engine == kBoardEngine;
  // A serial line needs seconds for what PCI Express transfers in microseconds, so the time limits
  // are raised.
  if (on_board) configuration.ForSerialLine();
  workload::JobOptions options;
  options.os = configuration.OsParameters(arguments.seed);
  if (on_board) {
    sim::board::RefuseSimulated(config, options.os.inject.leak == "rtl_slot");
  } else if (FindEngine(arguments.engine)->built_sizes) {
    CheckSizes(config, arguments);
  }
  options.seed = arguments.seed;
  std::vector<uint8_t> input;  // stays empty for a scenario, which creates its own input
  if (!arguments.file.empty()) input = workload::LoadInput(arguments.file);
  else if (!scenario) input = workload::SeededInput(arguments.seed, workload::kDefaultInputBytes);
  options.input = &input;
  const struct Guarded {
    ~Guarded() { os::DriverGuard::Remove(); }
  } guarded;
  if (!arguments.driver.empty()) {
    options.driver = LoadDriver(arguments.driver);
    if (FindEngine(arguments.engine)->built_sizes && config.TurnedDown().raw != 0) {
      Say(err, "gmmu run: sizes of [gpu] are below what was built: they hold if {} writes register sizes_in_use\n",
          arguments.driver);
    }
    os::DriverGuard::Install(reinterpret_cast<const void*>(options.driver));
  }
  const GMMU_USER_MODE_DRIVER* const half = arguments.driver.empty() ? nullptr : UserModeOf(options.driver);
  std::optional<workload::PlugIn> plug_in;
  if (half != nullptr) plug_in.emplace(half);

  const std::string mappings_path = arguments.dump_host.empty() ? "" : arguments.dump_host + ".json";
  RefuseSharedFiles({{"--out", arguments.out},
                     {"--json", arguments.json},
                     {"--dump-host", arguments.dump_host},
                     {"the mappings of --dump-host", mappings_path},
                     {"--waves", arguments.waves},
                     {"--trace-paging", arguments.trace_paging},
                     {"--trace-ddi", arguments.trace_ddi},
                     {"--events", arguments.events.file}},
                    {{"the input", arguments.file},
                     {"--config", arguments.config},
                     {"--driver", arguments.driver},
                     {"--scenario", arguments.scenario.find(".toml") == std::string::npos ? "" : arguments.scenario}});
  const auto copy = OpenIfAsked(arguments.out);
  const auto json = OpenIfAsked(arguments.json);
  const auto image = OpenIfAsked(arguments.dump_host);
  const auto mappings = OpenIfAsked(mappings_path);
  const auto waves = OpenIfAsked(arguments.waves);
  const auto trace = OpenIfAsked(arguments.trace_paging);
  const auto calls = OpenIfAsked(arguments.trace_ddi);
  if (trace) options.os.trace_paging = LinesTo(*trace);
  if (calls) {
    options.os.trace_ddi = LinesTo(*calls);
    options.os.trace_ddi(DdiTraceHeader(arguments));
  }

  sim::EngineOptions engine_options;
  engine_options.seed = arguments.seed;
  if (waves) engine_options.waves = waves->working_path();
  engine_options.waves_from = arguments.waves_from;
  engine_options.waves_to = arguments.waves_to;
  const auto recording = Recording::Make(arguments.events, arguments.engine, sim::PeriodPs(config.gpu));
  if (recording) engine_options.events = recording->sink();
  std::unique_ptr<sim::board::Board> opened = on_board ? OpenBoard(arguments) : nullptr;
  if (on_board) sim::board::Adopt(opened->identity(), configuration.stated, configuration.machine);
  report::Limits limits = LimitsOf(config, arguments, opened.get());
  limits.configuration = configuration.ToJson();
  Progress progress(err);
  std::optional<BoardProgress> board_progress;
  if (on_board) board_progress.emplace(*opened, progress);
  std::unique_ptr<sim::Engine> engine = MakeEngine(arguments.engine, configuration, options.driver, engine_options,
                                                   std::move(opened));

  options.os.debug_print = [&](std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    progress.Line("driver: " + text);
  };
  if (copy) options.out = [&](const void* bytes, size_t size) { copy->Write(bytes, size); };
  options.progress = [&](const std::string& phase, uint64_t done, uint64_t total) {
    if (recording) recording->SetPhase(phase);
    if (board_progress) board_progress->Update(phase, done, total);
    else progress.Update(phase, done, total);
  };
  if (image) {
    options.after_first_page_in = [&] {
      OutputBuffer buffer(*image);
      std::ostream stream(&buffer);
      stream.exceptions(std::ios::badbit);  // lets the buffer's OutputError propagate
      engine->DumpHost(stream);
      const std::string text = engine->DumpMappings();
      mappings->Write(text.data(), text.size());
    };
  }

  const auto start = std::chrono::steady_clock::now();
  workload::JobResult result;
  os::DriverGuard::SetLastResort(LastReport::Write);
  std::optional<LastReport> last;
  if (os::DriverGuard::installed())
    last.emplace(Crashed(limits, out, json.get(), {&copy, &image, &mappings, &waves, &trace, &calls}));
  try {
    engine->Run([&](hw::Platform& platform) {
      if (scenario) {
        workload::RunScenario(platform, *scenario, options, result);
      } else {
        workload::RunMainJob(platform, options, result);
      }
      return 0;
    });
  } catch (const sim::EngineError& error) {
    result.faults.push_back(Stopped("machine", error.what()));
  } catch (const std::logic_error& error) {
    result.faults.push_back(Stopped("os", std::string("an invariant of the model is broken: ") + error.what()));
  } catch (const std::bad_alloc&) {
    result.faults.push_back(Stopped(
        "os",
        "the host has no memory for what the run asks for; a count that the driver answered may be far too large"));
  } catch (const std::exception&) {
    throw;  // invalid arguments or an unwritable output: no report is written
  } catch (...) {
    result.faults.push_back(Stopped("driver", "the driver threw something that is no std::exception"));
  }
  last.reset();
  Conclude(config, result);
  result.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  engine.reset();  // closes the waveform file
  if (on_board) TimesOfTheBoard(config.gpu.clock_mhz, result);
  progress.Finish();
  if (!on_board) RefuseNotBegun(result, configuration, arguments.set, !arguments.driver.empty());
  if (recording) recording->End(result);

  if (json) {
    std::string text = report::JsonReport(result, limits);
    if (recording) text = recording->AddTo(text);
    json->Write(text.data(), text.size());
    json->Commit();
  }
  if (copy && result.verified) copy->Commit();
  if (image && result.verified) {
    image->Commit();
    mappings->Commit();
  }
  if (waves) waves->Commit();
  if (trace) trace->Commit();
  if (calls) calls->Commit();
  fmt::print(out, "{}", report::TextReport(result, limits));
  if (recording) fmt::print(out, "{}", recording->Text());
  if (arguments.strict && !result.unmodelled.empty()) {
    Say(err, "gmmu run --strict: the driver declares what is not modelled, {} in all\n", result.unmodelled.size());
    return kExitFailed;
  }
  return result.Passed() ? kExitGood : result.NotApplicable() ? kExitNotApplicable : kExitFailed;
}

}  // namespace gmmu::app

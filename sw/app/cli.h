// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/board_run.h"
#include "app/recording.h"
#include "app/waves_window.h"

namespace gmmu::app {

inline constexpr int kExitGood = 0;
inline constexpr int kExitFailed = 1;         ///< fault, mismatch, leak, timeout
inline constexpr int kExitUsage = 2;          ///< bad input; nothing was simulated or written
inline constexpr int kExitNotApplicable = 3;  ///< driver or device lacks a capability that the scenario needs

/// The engines of this build that --engine can select; the first is the default.
const std::vector<std::string>& Engines();

/// Arguments of `gmmu run`.
struct RunArguments {
  std::string file;      ///< empty: the default input
  std::string scenario;  ///< a name or a file; empty: the main job
  std::string out;
  std::string json;
  std::string engine = Engines().front();
  std::string config;
  std::vector<std::string> set;  ///< configuration changes, each "SECTION.KEY=VALUE"
  uint64_t seed = 0;
  std::string waves;
  uint64_t waves_from = 0;
  uint64_t waves_to = ~uint64_t{0};
  WavesTrigger waves_on;
  std::string dump_host;
  std::string trace_paging, trace_ddi;
  EventArguments events;
  std::string driver;     ///< shared object with a DriverEntry; empty: the built-in driver
  std::string device;     ///< device model, or "none"; empty: the configuration's device.model
  std::string fail_each;  ///< "callback" or "allocation": repeats the run once for each, refusing that one
  uint64_t most = 2000;   ///< maximum number of runs with fail_each
  bool strict = false;    ///< the run fails if the driver declares a feature that is not modelled
  BoardArguments board;
};

/// Arguments of `gmmu config`.
struct ConfigArguments {
  std::string config;            ///< base configuration file; empty: the defaults
  std::vector<std::string> set;  ///< configuration changes, as RunArguments::set
  /// Select what to print; if none is set, TOML is printed.
  bool list = false, markdown = false, build_options = false, json_schema = false;
  std::string section;  ///< the section that `list` prints; empty: all sections
};

/// The whole program: parses the arguments, executes the command and prints the result. Never
/// throws. Returns the exit status.
int Main(int argc, const char* const* argv, std::FILE* out, std::FILE* err);
/// Calls `work`, flushes `out` and returns the exit status. If `work` throws or `out` cannot be
/// written, prints the reason to `err` and returns the corresponding exit status.
int Caught(const std::function<int()>& work, std::FILE* out, std::FILE* err);

/// Implements `gmmu run`. Throws OutputError, workload::InputError and settings::Error before anything is
/// simulated.
int Run(const RunArguments& arguments, std::FILE* out, std::FILE* err);
/// Implements `gmmu run --list`, which lists the built-in scenarios.
int ListScenarios(std::FILE* out);
/// Implements `gmmu run --procedures`, which lists the procedures of scenarios, with the default,
/// range and meaning of every parameter.
int ListProcedures(std::FILE* out);
/// Implements `gmmu scan-driver`, which lists the routines that a driver imports although GPU
/// isolation forbids them.
int ScanDriver(const std::string& path, std::FILE* out);
/// Implements `gmmu compare`, which prints the differences between two --json reports of the same
/// work on two engines.
int Compare(const std::string& first, const std::string& second, std::FILE* out);
/// Implements `gmmu config`, which prints the complete configuration as TOML that --config accepts,
/// or in the requested form.
int PrintConfig(const ConfigArguments& arguments, std::FILE* out);

}  // namespace gmmu::app

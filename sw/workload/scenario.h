// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hw/platform.h"
#include "workload/job.h"

namespace gmmu::workload {

/// Thrown for a scenario that cannot be used. what() has one to three lines: the place, the error,
/// and the remedy.
class ScenarioError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A capability by its name in the interface, and its required value.
struct Need {
  std::string cap;
  std::optional<uint64_t> value;  ///< absent: any value except 0
  bool at_most = false;           ///< smaller values are also accepted
};

/// A minimum for the sum of some event counts (os::Kernel::Happened).
struct Happening {
  std::string names;  ///< joined by " + "
  uint64_t at_least = 0;
};

/// A machine, a procedure with its parameters, and the required result of the run. It is read from
/// a file in sw/workload/scenarios; the README there describes the keys.
struct Scenario {
  std::string name;  ///< file name without ".toml"
  std::string title;
  std::vector<std::string> parts;  ///< parts of the memory management that the scenario exercises
  std::string evidence;            ///< "documents", or the build of Windows on which the behaviour was observed
  std::string file;                ///< the file as named in errors
  std::string machine;             ///< TOML text whose table "machine" is the configuration; missing keys have defaults
  std::string procedure;
  std::map<std::string, uint64_t> parameters;  ///< every parameter of the procedure
  std::optional<Expectation> expected;         ///< absent: the run must pass
  std::vector<Happening> happens;              ///< what the run must have done
  /// Counters that depend on the moment of an interruption, such as "gpu_engine.commands", and may
  /// therefore differ between engines.
  std::vector<std::string> by_time;
  /// Capabilities that the scenario needs to be applicable. Gpu::CapOf lists their names.
  std::vector<Need> needs;
};

/// Throws ScenarioError for a syntax error, an unknown key, procedure or parameter, or a value out
/// of range; the message names the file, the line and the known names. The configuration checks the
/// keys of the machine.
Scenario ParseScenario(std::string_view text, const std::string& file);

/// The built-in scenarios, sorted by name.
const std::vector<Scenario>& Scenarios();
/// Returns a built-in scenario, or the one in a file if `name` ends in ".toml". Throws ScenarioError.
Scenario FindScenario(const std::string& name);

/// True if the scenario is for GPUs without page tables; the built-in driver cannot run it.
bool ForPhysicalModel(const Scenario& scenario);

/// Adds a check for each of `happens`, unless the run ended with a fault or was not applicable.
void CompareHappenings(const std::vector<Happening>& happens, JobResult& result);

/// Calls RunLife with the scenario's procedure. `options.os` must contain the values that the scenario's machine
/// requires.
void RunScenario(hw::Platform& platform, const Scenario& scenario, const JobOptions& options, JobResult& result);

}  // namespace gmmu::workload

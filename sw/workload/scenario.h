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

/// Thrown for a scenario that cannot be used. what() is one to three lines: the place, the error, and the remedy.
class ScenarioError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A capability by its name in the interface, and its required value.
struct Need {
  std::string cap;
  std::optional<uint64_t> value;  ///< absent: any value except 0
  bool at_most = false;           ///< smaller values are accepted too
};

/// The minimum of a sum of event counts (os::Kernel::Happened) that a scenario must reach.
struct Happening {
  std::string names;  ///< joined by " + "
  uint64_t at_least = 0;
};

/// A machine, a procedure with its parameters, and the required end of the run, read from a file in
/// sw/workload/scenarios (whose README describes the keys).
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
  /// Counters such as "gpu_engine.commands" that depend on the moment of an interruption, so that they may differ
  /// between engines.
  std::vector<std::string> by_time;
  /// Capabilities without which the scenario is not applicable. Gpu::CapOf lists their names.
  std::vector<Need> needs;
};

/// Throws ScenarioError, which names the file, the line and the known names, for a syntax error, an unknown key,
/// procedure or parameter, and a value out of range. The configuration checks the keys of the machine.
Scenario ParseScenario(std::string_view text, const std::string& file);

/// The built-in scenarios, sorted by name.
const std::vector<Scenario>& Scenarios();
/// Returns a built-in scenario, or the one in a file if `name` ends in ".toml". Throws ScenarioError.
Scenario FindScenario(const std::string& name);

/// True if the scenario is for GPUs without page tables; the built-in driver cannot run it.
bool ForPhysicalModel(const Scenario& scenario);

/// Adds a check for each happening, unless the run ended with a fault or was not applicable.
void CompareHappenings(const std::vector<Happening>& happens, JobResult& result);

/// Calls RunLife with the scenario's procedure. `options.os` must contain the values that the scenario's machine
/// requires.
void RunScenario(hw::Platform& platform, const Scenario& scenario, const JobOptions& options, JobResult& result);

}  // namespace gmmu::workload

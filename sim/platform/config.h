// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "settings/error.h"

namespace gmmu::settings {
class Keys;
}

namespace gmmu::sim {

using ConfigError = settings::Error;

/// What this program was built with, by the name of the CMake variable.
uint64_t BuiltSize(const std::string& cmake_variable);

/// The complete description of one machine. machine.def states members, defaults, units, ranges and texts, each once.
struct MachineConfig {
#include "settings/as_members.h"
#include "platform/machine.def"

  static MachineConfig Default() { return {}; }

  /// The members as keys of a configuration file, which must not outlive this object.
  settings::Keys Keys();
  /// Rules between keys. Throws ConfigError: `file`, key, and what is wrong with it.
  void Check(const std::string& file) const;

  /// "CMAKE_VARIABLE=value" of every build key that differs from what this program was built with.
  std::vector<std::string> BuildOptions() const;
  /// Throws ConfigError if there is one, naming the command that builds `file`, the configuration's.
  void CheckBuilt(const std::string& file = "FILE") const;
};

}  // namespace gmmu::sim

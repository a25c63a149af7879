// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "host/sizes_in_use.h"
#include "settings/error.h"

namespace gmmu::settings {
class Keys;
}

namespace gmmu::sim {

using ConfigError = settings::Error;

/// The size that this program was built with, by the name of the CMake variable.
uint64_t BuiltSize(const std::string& cmake_variable);

/// iommu.largest_page.
enum class IommuPage : uint8_t { k4k, k2m, k1g };

/// Choices of the section policy (policy.def).
enum class Replacement : uint8_t { kTurn, kLru, kRandom };
enum class Partition : uint8_t { kNone, kWays, kTokens };
enum class Prefetch : uint8_t { kNone, kNext, kStride };
enum class Schedule : uint8_t { kNone, kArrival, kShortest };
enum class WalkCache : uint8_t { kSplit, kUnified, kNone };
enum class FarFault : uint8_t { kAnswer, kStall };

/// The complete description of one machine. machine.def and policy.def state members, defaults, units, ranges and texts, each once.
struct MachineConfig {
#include "settings/as_members.h"
#include "host/machine.def"
#include "settings/as_members.h"
#include "host/policy.def"

  static MachineConfig Default() { return {}; }

  /// The members as keys of a configuration file, which must not outlive this object.
  settings::Keys Keys();
  /// Checks the rules between keys. Throws ConfigError with `file`, the key and the error.
  void Check(const std::string& file) const;

  /// "CMAKE_VARIABLE=value" of every size that this program's RTL does not have and cannot be turned down to. Throws
  /// ConfigError if no RTL can have the sizes.
  std::vector<std::string> BuildOptions() const;
  /// Throws ConfigError if BuildOptions is not empty; it names the command that builds `file`, the configuration's
  /// file; empty: its keys.
  void CheckBuilt(const std::string& file = "FILE") const;
  /// The value that software must write to register sizes_in_use of this program's RTL; 0: none.
  regs::SizesInUse TurnedDown() const;
  /// Throws ConfigError if TurnedDown() is not 0, because `who` does not write the register.
  void CheckNotTurnedDown(const std::string& who) const;
  /// Keys of the section policy that are not at their defaults, separated by commas.
  std::string StatedPolicy() const;
  /// Throws ConfigError if StatedPolicy is not empty: `engine` has no policies.
  void CheckNoPolicy(const std::string& engine) const;
};

}  // namespace gmmu::sim

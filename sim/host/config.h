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

/// Returns the size that this program was built with. The argument is the name of its CMake
/// variable.
uint64_t BuiltSize(const std::string& cmake_variable);

/// The values of key iommu.largest_page: the largest page size in the IOMMU's tables.
enum class IommuPage : uint8_t { k4k, k2m, k1g };

/// The values of the keys in section [policy] (policy.def).
enum class Replacement : uint8_t { kTurn, kLru, kRandom };
enum class Partition : uint8_t { kNone, kWays, kTokens };
enum class Prefetch : uint8_t { kNone, kNext, kStride };
enum class Schedule : uint8_t { kNone, kArrival, kShortest };
enum class WalkCache : uint8_t { kSplit, kUnified, kNone };
enum class FarFault : uint8_t { kAnswer, kStall };

/// The complete description of one machine. machine.def and policy.def define its members with
/// their defaults, units and ranges.
struct MachineConfig {
#include "settings/as_members.h"
#include "host/machine.def"
#include "settings/as_members.h"
#include "host/policy.def"

  static MachineConfig Default() { return {}; }

  /// Returns one key of the configuration file per member. The keys refer to this object and must
  /// not outlive it.
  settings::Keys Keys();
  /// Checks the rules that relate several keys. Throws ConfigError, whose message contains `file`,
  /// the key and the error.
  void Check(const std::string& file) const;

  /// Returns "CMAKE_VARIABLE=value" for every configured size that this program's RTL was not built
  /// with and cannot be reduced to. Throws ConfigError if no RTL can be built with the sizes.
  std::vector<std::string> BuildOptions() const;
  /// Throws ConfigError if BuildOptions is not empty. The message contains the command that builds
  /// the program for configuration file `file`, or lists the keys if `file` is empty.
  void CheckBuilt(const std::string& file = "FILE") const;
  /// Returns the value of register sizes_in_use that reduces this program's RTL to the configured
  /// sizes, or 0 if no size must be reduced.
  regs::SizesInUse TurnedDown() const;
  /// Throws ConfigError if TurnedDown() is not 0. Call it on behalf of a program part, `who`, that
  /// does not write register sizes_in_use.
  void CheckNotTurnedDown(const std::string& who) const;
  /// Returns a comma-separated list of the keys of section [policy] that differ from their
  /// defaults.
  std::string StatedPolicy() const;
  /// Throws ConfigError if StatedPolicy is not empty. Call it if `engine` does not support
  /// policies.
  void CheckNoPolicy(const std::string& engine) const;
};

}  // namespace gmmu::sim

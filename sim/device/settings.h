// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "host/config.h"
#include "pcie/config_space.h"

namespace gmmu::settings {
class Keys;
}

namespace gmmu::sim::device {

enum class Interrupt : uint8_t { kMessage, kLine };

/// The section [device] of the configuration (device.def).
struct DeviceSettings {
#include "settings/as_members.h"
#include "device/device.def"

  /// Returns one key of the configuration file per member. The keys refer to this object and must
  /// not outlive it.
  settings::Keys Keys();
  /// Checks the rules that relate several keys, for a device in `machine`. Throws settings::Error,
  /// whose message contains `file`, the key and the error.
  void Check(const MachineConfig& machine, const std::string& file) const;
  /// Whether the configuration replaces the GPU with a device.
  bool present() const { return !device.model.empty(); }
  uint64_t memory_bytes(const MachineConfig& machine) const;
  /// Returns the size of BAR 2, a power of two.
  uint64_t visible_bytes(const MachineConfig& machine) const;
  ConfigSpaceParameters Function(const MachineConfig& machine) const;
};

}  // namespace gmmu::sim::device

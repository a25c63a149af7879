// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gmmu::sim {

struct MachineConfig;

/// Returns how many times longer than on the default machine an access or a long transfer may take, at least 1. Bounds
/// of waits are multiplied by it, so that a slow machine is not mistaken for one that hangs.
uint64_t Slowness(const MachineConfig& config);
/// Returns the keys that may make the machine slow and differ from their defaults, separated by commas.
std::string KeysOfSpeed(const MachineConfig& config);

}  // namespace gmmu::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gmmu::sim {

struct MachineConfig;

/// Returns the factor, at least 1, by which an access or a long transfer may be slower than on the
/// default machine. Wait bounds are multiplied by it, so that a slow machine is not mistaken for a
/// hung one.
uint64_t Slowness(const MachineConfig& config);
/// Returns a comma-separated list of the keys that may slow the machine down and differ from their
/// defaults.
std::string KeysOfSpeed(const MachineConfig& config);

}  // namespace gmmu::sim

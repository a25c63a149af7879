// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "host/config.h"
#include "twin/gpu_parameters.h"

namespace gmmu::sim::twin {

/// Returns the policy selected by section [policy] of the configuration: either the built-in
/// choices or the shared object that the section names. Throws ConfigError if the shared object
/// cannot be loaded.
PolicyParameters PolicyOf(const MachineConfig& config);

/// Constructs the policy with the built-in choices.
std::unique_ptr<Policy> MakeKeyedPolicy(const MachineConfig::Policy& keys);

}  // namespace gmmu::sim::twin

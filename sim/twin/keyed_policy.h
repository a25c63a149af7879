// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config.h"
#include "twin/gpu_parameters.h"

namespace gmmu::sim::twin {

/// What the keys of the section policy choose: the built-in choices, or those of the shared object that it names.
/// Throws ConfigError if that cannot be loaded.
PolicyParameters PolicyOf(const MachineConfig& config);

/// The built-in choices.
std::unique_ptr<Policy> MakeKeyedPolicy(const MachineConfig::Policy& keys);

}  // namespace gmmu::sim::twin

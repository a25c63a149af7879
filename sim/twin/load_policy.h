// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "twin/policy.h"

namespace gmmu::sim::twin {

/// Loads the policy from a shared object, or from a Python file through the bridge in the program's
/// directory (sim/policy_python). Returns a function that constructs one policy per GPU. Throws
/// ConfigError if the file cannot be read or loaded, has no gmmu_policy of this version, or rejects
/// the arguments.
std::function<std::unique_ptr<Policy>()> LoadPolicy(const std::string& file, const std::string& arguments,
                                                    uint64_t seed);

}  // namespace gmmu::sim::twin

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "twin/policy.h"

namespace gmmu::sim::twin {

/// Loads the policy from a shared object, or from a Python file through the bridge next to the program
/// (sim/twin/python), and returns a function that makes one instance per GPU. Throws ConfigError if the file cannot be
/// read or loaded, has no gmmu_policy or one of another version, or refuses the arguments.
std::function<std::unique_ptr<Policy>()> LoadPolicy(const std::string& file, const std::string& arguments,
                                                    uint64_t seed);

}  // namespace gmmu::sim::twin

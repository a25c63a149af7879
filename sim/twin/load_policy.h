// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "twin/policy.h"

namespace gmmu::sim::twin {

/// Loads the policy of a shared object, or of a Python file through the bridge beside the program (sim/twin/python),
/// and returns a function that makes one for each GPU. Throws ConfigError if the file cannot be read or loaded, has no
/// gmmu_policy or one of another version, or refuses the arguments.
std::function<std::unique_ptr<Policy>()> LoadPolicy(const std::string& file, const std::string& arguments,
                                                    uint64_t seed);

}  // namespace gmmu::sim::twin

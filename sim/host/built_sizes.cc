// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "host/config.h"

namespace gmmu::sim {

uint64_t BuiltSize(const std::string& cmake_variable) {
#define BUILD(key, variable, ...) {#variable, variable},
#define UP_TO(key, variable, ...) {#variable, variable},
  static const std::map<std::string, uint64_t> kSizes = {
#include "host/sizes.def"
  };
#undef BUILD
#undef UP_TO
  return kSizes.at(cmake_variable);
}

}  // namespace gmmu::sim

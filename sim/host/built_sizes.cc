// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "host/config.h"

namespace gmmu::sim {

uint64_t BuiltSize(const std::string& cmake_variable) {
#define SIZE(name) {#name, name}
  static const std::map<std::string, uint64_t> kSizes = {
      SIZE(GMMU_CLIENTS),         SIZE(GMMU_RINGS),     SIZE(GMMU_SPACES),     SIZE(GMMU_L1_ENTRIES),
      SIZE(GMMU_L2_ENTRIES),      SIZE(GMMU_L2_WAYS),   SIZE(GMMU_WALK_CACHE), SIZE(GMMU_WALKS),
      SIZE(GMMU_READS_IN_FLIGHT), SIZE(GMMU_DATA_BITS), SIZE(GMMU_VA_BITS)};
#undef SIZE
  return kSizes.at(cmake_variable);
}

}  // namespace gmmu::sim

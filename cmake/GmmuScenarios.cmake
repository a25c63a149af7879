# SPDX-License-Identifier: Apache-2.0
# Converts the files in sw/workload/scenarios into a C++ source, build/built_in_scenarios.cc.
file(GLOB scenarios CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sw/workload/scenarios/*.toml)
set(rows)
foreach(scenario IN LISTS scenarios)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${scenario})
  get_filename_component(name ${scenario} NAME)
  file(READ ${scenario} text)
  string(APPEND rows "      {\"${name}\", R\"gmmu(${text})gmmu\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/built_in_scenarios.cc CONTENT [[
// Generated from sw/workload/scenarios.
#include "workload/built_in_scenarios.h"

namespace gmmu::workload {

const std::vector<BuiltInScenario>& BuiltInScenarioFiles() {
  static const std::vector<BuiltInScenario> kFiles = {
@rows@  };
  return kFiles;
}

}  // namespace gmmu::workload
]] @ONLY)
target_sources(gmmu_workload PRIVATE ${PROJECT_BINARY_DIR}/built_in_scenarios.cc)

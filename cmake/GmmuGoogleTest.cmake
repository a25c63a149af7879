# SPDX-License-Identifier: Apache-2.0
# Defines gmmu_test(), which adds a GoogleTest program, and the target quick_tests, which builds the programs that
# contain tests with label quick (cmake/GmmuTests.cmake).
include(GoogleTest)
add_custom_target(quick_tests)
if(TARGET gmmu)
  add_dependencies(quick_tests gmmu)
endif()

# Compiles main() of the test programs, and the headers that all of them include, once for all
# programs.
add_library(gmmu_test_main OBJECT tb/test_main.cc)
target_link_libraries(gmmu_test_main PUBLIC GTest::gmock)
target_compile_options(gmmu_test_main PRIVATE -Wall -Wextra -O1 -Wno-dangling-else)
target_precompile_headers(gmmu_test_main PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <functional> <map> <memory>
                          <random> <set> <string> <vector>)

# gmmu_test(NAME LABEL SECONDS SOURCES... LIBRARIES...) adds test program NAME; each test may run
# for SECONDS.
function(gmmu_test name label seconds)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE gmmu_test_main ${arg_LIBRARIES} gmmu_options)
  target_compile_options(${name} PRIVATE -O1 -Wno-dangling-else)  # a macro EXPECT_* below an if
  target_compile_definitions(${name} PRIVATE GMMU_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             GMMU_PROGRAM="${PROJECT_BINARY_DIR}/gmmu")
  if(NOT name STREQUAL "test_sw_ddi")  # its sources test that the headers are self-contained
    target_precompile_headers(${name} REUSE_FROM gmmu_test_main)
  endif()
  if(name MATCHES "^test_(sw_ddi|rtl_mmu)")  # two benches reuse names of the MMU's bench
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(TARGET gmmu AND label STREQUAL "system")
    add_dependencies(${name} gmmu)
  endif()
  if(label MATCHES "unit|system")
    add_dependencies(quick_tests ${name})
    set_property(GLOBAL APPEND PROPERTY GMMU_QUICK ${name})
  endif()
  set(prefix)
  if(name MATCHES "_([0-9]+)$")  # a build of the same tests with another data width
    set(prefix TEST_PREFIX "bits${CMAKE_MATCH_1}.")
    set(label long)
  elseif(name MATCHES "^test_rtl_top_(.+)$")  # a build of the same tests with other sizes
    set(prefix TEST_PREFIX "${CMAKE_MATCH_1}.")
  endif()
  gtest_discover_tests(${name} ${prefix} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES NO_PRETTY_TYPES
                       TEST_FILTER -Long*
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                       XML_OUTPUT_DIR ${PROJECT_BINARY_DIR}/results
                       PROPERTIES LABELS ${label} TIMEOUT ${seconds} FIXTURES_REQUIRED ddi_rows)
endfunction()

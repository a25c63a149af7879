# SPDX-License-Identifier: Apache-2.0
# Builds one of these variants, with the software libraries of the build in GMMU_SOFTWARE_OF:
#   a program whose GPU has other sizes or can write waves, with its own Verilated GPU, SystemC modules and built sizes
#   against which the configuration is checked
#   the Python module, with the fast engine only
#   the RTL benches with counters (make coverage), planted faults (make rules) or mutants (make mutate)

include(${GMMU_SOFTWARE_OF}/software.cmake)
if(GMMU_MODULE)
  list(REMOVE_ITEM GMMU_SOFTWARE gmmu_engines)
endif()
foreach(name IN LISTS GMMU_SOFTWARE ITEMS gmmu_app gmmu_commit)
  add_library(${name} STATIC IMPORTED)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${GMMU_SOFTWARE_OF}/lib${name}.a)
  target_link_libraries(${name} INTERFACE gmmu_options ${ZSTD_LIBRARY} ${SQLITE_LIBRARY} ${CMAKE_DL_LIBS})
endforeach()

if(GMMU_MODULE)
  gmmu_group(gmmu_archive ${GMMU_SOFTWARE} gmmu_commit)
  include(GmmuModule)
  target_sources(gmmu_module PRIVATE ${GMMU_SW}/app/engines.cc)
  return()
endif()

if(GMMU_COVERAGE OR GMMU_PLANTS)
  find_package(GTest REQUIRED)
  enable_testing()
  gmmu_group(gmmu_software ${GMMU_SOFTWARE})
  include(GmmuGoogleTest)
  include(GmmuRtlTests)
  gmmu_verilate_noted()
  return()
endif()

gmmu_rtl_engine("" ${GMMU_DATA_BITS})
add_executable(gmmu sw/app/main.cc sim/host/built_sizes.cc)
target_compile_definitions(gmmu PRIVATE ${GMMU_BUILD_DEFINITIONS})
target_link_libraries(gmmu PRIVATE gmmu_app gmmu_exports gmmu_machine gmmu_commit)
set_target_properties(gmmu PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
file(CREATE_LINK ${GMMU_SOFTWARE_OF}/gmmu_policy_python.so ${PROJECT_BINARY_DIR}/gmmu_policy_python.so SYMBOLIC)

if(GMMU_BOARD)
  include(GmmuBoard)
endif()
gmmu_verilate_noted()

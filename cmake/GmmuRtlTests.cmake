# SPDX-License-Identifier: Apache-2.0
# tb/rtl/<room>: programs with the Verilated tops gmmu_*_bench of that folder; with GMMU_PLANTS those of cmake/GmmuRules.cmake.

# Sizes of the whole GPU's bench beside the default ones, GMMU_TOP_SIZES. All of the small GPU is at its
# legal end but for the clients and the address spaces that the tests need.
set(GMMU_TOP_small NumClients=2 TrafficEngines=2 ThroughPorts=1 NumSpaces=8 NumRings=2 L1Entries=2 L2Entries=32 L2Ways=1
                   WalkCacheEntries=2 NumWalks=1 ReadsInFlight=2 CounterWidth=32 TurnDown=0)
set(GMMU_TOP_large NumClients=64 TrafficEngines=4 ThroughPorts=1 NumSpaces=64 NumRings=4 L1Entries=64 L2Entries=4096
                   L2Ways=16 WalkCacheEntries=256 NumWalks=32 ReadsInFlight=128 CounterWidth=64 TurnDown=1)

if(GMMU_RTL AND GMMU_PLANTS)
  include(GmmuRules)
  gmmu_planted_benches()
elseif(GMMU_RTL)
  add_custom_target(rtl_benches)  # all of them
  # A folder may have several benches: one Verilated library each, one program for all. Rooms in GMMU_WIDE_BENCHES are
  # built once more for each width in GMMU_WIDE_BITS, the whole GPU once more for each of GMMU_TOP_SIZES.
  function(gmmu_rtl_test name suffix)
    cmake_parse_arguments(arg "" "" "SOURCES;BENCHES;ARGS;DEFINITIONS" ${ARGN})
    set(libraries)
    foreach(bench IN LISTS arg_BENCHES)
      get_filename_component(top ${bench} NAME_WE)
      # contracts to watch: checkers of tb/formal/props; the blocks of any room may be in any bench
      file(GLOB binds CONFIGURE_DEPENDS tb/formal/props/*_props.sv)
      file(GLOB more CONFIGURE_DEPENDS tb/rtl/*/gmmu_*_binds.sv)
      list(APPEND binds ${more})
      add_library(${top}${suffix} STATIC)
      gmmu_verilate(${top}${suffix} ${top} SOURCES ${binds} ${bench} ARGS --assert ${arg_ARGS} OPTIMISE -O1)
      list(APPEND libraries ${top}${suffix})
    endforeach()
    gmmu_test(${name}${suffix} rtl 300 SOURCES ${arg_SOURCES} LIBRARIES ${libraries} gmmu_software)
    target_compile_definitions(${name}${suffix} PRIVATE $<$<BOOL:${GMMU_COVERAGE}>:GMMU_COVERAGE> ${arg_DEFINITIONS})
    add_dependencies(rtl_benches ${name}${suffix})
  endfunction()

  file(GLOB folders CONFIGURE_DEPENDS tb/rtl/*/gmmu_*_bench.sv)
  list(TRANSFORM folders REPLACE "/[^/]*$" "")
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    get_filename_component(room ${folder} NAME)
    file(GLOB benches CONFIGURE_DEPENDS ${folder}/gmmu_*_bench.sv)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
    if(sources AND (GMMU_BENCHES STREQUAL "all" OR room IN_LIST GMMU_BENCHES))
      gmmu_rtl_test(test_rtl_${room} "" SOURCES ${sources} BENCHES ${benches})
      if(room STREQUAL "top")
        file(GLOB gpu_sources CONFIGURE_DEPENDS ${folder}/gmmu_gpu_*.cc ${folder}/top_machine.cc)
        foreach(size IN LISTS GMMU_TOP_SIZES)
          set(top_args ${GMMU_TOP_${size}})
          set(top_definitions ${GMMU_TOP_${size}})
          list(TRANSFORM top_args PREPEND "-G")
          list(TRANSFORM top_definitions PREPEND "GMMU_TOP_")
          gmmu_rtl_test(test_rtl_top _${size} SOURCES ${gpu_sources} BENCHES ${folder}/gmmu_top_bench.sv ARGS ${top_args}
                        DEFINITIONS ${top_definitions})
        endforeach()
      endif()
      if(room IN_LIST GMMU_WIDE_BENCHES)
        foreach(bits IN LISTS GMMU_WIDE_BITS)
          gmmu_rtl_test(test_rtl_${room} _${bits} SOURCES ${sources} BENCHES ${benches}
                        ARGS +define+GMMU_DATA_WIDTH=${bits})
        endforeach()
      endif()
    endif()
  endforeach()
endif()

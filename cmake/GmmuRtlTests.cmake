# SPDX-License-Identifier: Apache-2.0
# Builds the test programs of tb/rtl/<room> with the Verilated tops gmmu_*_bench of that folder.
# With GMMU_PLANTS, builds the programs of cmake/GmmuRules.cmake instead.

# Sets `result` to a list with GMMU_TOP_<size>=<value> for each size of a profile.
function(gmmu_profile profile result)
  set(values)
  foreach(index RANGE ${GMMU_LAST_SIZE})
    string(JSON name GET "${GMMU_SIZES}" sizes ${index} name)
    gmmu_size(${profile} ${index} value)
    if(NOT value MATCHES "^[0-9]+$")  # the value is the name of a previous size
      set(value ${value_${value}})
    endif()
    set(value_${name} ${value})
    list(APPEND values GMMU_TOP_${name}=${value})
  endforeach()
  set(${result} ${values} PARENT_SCOPE)
endfunction()

# Builds the whole GPU with 16-bit ids, which its wrapper passes through unchanged.
set(GMMU_TOP_ARGS +define+GMMU_ID_BITS=16)

if(GMMU_RTL AND GMMU_PLANTS)
  include(GmmuRules)
  gmmu_planted_benches()
elseif(GMMU_RTL)
  add_custom_target(rtl_benches)  # all of them
  # A folder may have several benches: each is a Verilated library, and one program contains all of
  # them. Rooms in GMMU_WIDE_BENCHES are also built for each width in GMMU_WIDE_BITS, and the whole
  # GPU for each profile in GMMU_TOP_PROFILES.
  function(gmmu_rtl_test name suffix)
    cmake_parse_arguments(arg "" "" "SOURCES;BENCHES;ARGS;DEFINITIONS" ${ARGN})
    set(libraries)
    foreach(bench IN LISTS arg_BENCHES)
      get_filename_component(top ${bench} NAME_WE)
      # Every bench includes all checkers (tb/formal/props) and binds, because it may contain blocks
      # from any room.
      file(GLOB binds CONFIGURE_DEPENDS tb/formal/props/*_props.sv)
      file(GLOB more CONFIGURE_DEPENDS tb/rtl/*/gmmu_*_binds.sv)
      list(APPEND binds ${more})
      add_library(${top}${suffix} STATIC)
      if(bench MATCHES "^rtl/")  # a module of the RTL itself
        set(bench)
      endif()
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
      set(top_args)
      set(top_definitions)
      if(room STREQUAL "top")
        list(APPEND benches rtl/top/gmmu_gpu_axi.sv)
        set(top_args ${GMMU_TOP_ARGS} +define+GMMU_PROFILE=Bench)
        gmmu_profile(Bench top_definitions)
      endif()
      gmmu_rtl_test(test_rtl_${room} "" SOURCES ${sources} BENCHES ${benches} ARGS ${top_args} DEFINITIONS ${top_definitions})
      if(room STREQUAL "top")
        file(GLOB gpu_sources CONFIGURE_DEPENDS ${folder}/gmmu_gpu_*.cc ${folder}/top_machine.cc)
        foreach(size IN LISTS GMMU_TOP_PROFILES)
          gmmu_profile(${size} top_definitions)
          string(TOLOWER ${size} suffix)
          gmmu_rtl_test(test_rtl_top _${suffix} SOURCES ${gpu_sources} BENCHES rtl/top/gmmu_gpu_axi.sv
                        ARGS ${GMMU_TOP_ARGS} +define+GMMU_PROFILE=${size}
                        DEFINITIONS ${top_definitions})
        endforeach()
      endif()
      if(room IN_LIST GMMU_WIDE_BENCHES)
        foreach(bits IN LISTS GMMU_WIDE_BITS)
          gmmu_rtl_test(test_rtl_${room} _${bits} SOURCES ${sources} BENCHES ${benches}
                        ARGS +define+GMMU_DATA_BITS=${bits})
        endforeach()
      endif()
    endif()
  endforeach()
endif()

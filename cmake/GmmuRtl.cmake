# SPDX-License-Identifier: Apache-2.0
# Verilator, SystemC and what is made with them.

if(NOT VERILATOR_ROOT)
  unset(VERILATOR_ROOT CACHE)  # the package's own default is its folder
endif()
if(NOT VERILATOR_ROOT STREQUAL GMMU_VERILATOR_ROOT_USED)  # another one than last time: forget what was found
  unset(VERILATOR_BIN CACHE)
  unset(verilator_DIR CACHE)
endif()
file(GLOB installed ${CMAKE_SOURCE_DIR}/build/venv/lib/python3*/site-packages/verilator/share/verilator)
find_package(verilator 5.052 QUIET HINTS ${VERILATOR_ROOT} $ENV{VERILATOR_ROOT} ${installed})
if(NOT verilator_FOUND)
  message(FATAL_ERROR "Verilator 5.052 or newer was not found. ./gmmu installs it into build/venv; "
                      "another one is named by -DVERILATOR_ROOT=\"$(verilator --getenv VERILATOR_ROOT)\".")
endif()
set(GMMU_VERILATOR_ROOT_USED "${VERILATOR_ROOT}" CACHE INTERNAL "")
set(OBJCACHE_ENABLED OFF)  # CMAKE_CXX_COMPILER_LAUNCHER does it

# SystemC: its own CMake package where it exists, else headers and library (Debian ships these).
find_package(SystemCLanguage CONFIG QUIET)
if(NOT TARGET SystemC::systemc)
  find_path(SYSTEMC_INCLUDE systemc.h)
  find_library(SYSTEMC_LIBRARY systemc)
  if(NOT SYSTEMC_INCLUDE OR NOT SYSTEMC_LIBRARY)
    message(FATAL_ERROR "SystemC was not found: install libsystemc-dev (or pass -DGMMU_RTL=OFF).")
  endif()
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES IMPORTED_LOCATION ${SYSTEMC_LIBRARY}
                                                    INTERFACE_INCLUDE_DIRECTORIES ${SYSTEMC_INCLUDE})
endif()

# The sources in one order that suits every tool: rtl/files.f, one path a line.
set(GMMU_RTL_SOURCES)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rtl/files.f)
file(STRINGS ${CMAKE_SOURCE_DIR}/rtl/files.f lines REGEX "^[^/#+-].*\\.sv")
foreach(line IN LISTS lines)
  string(STRIP "${line}" line)
  string(REGEX REPLACE "^rtl/" "" line "${line}")
  list(APPEND GMMU_RTL_SOURCES ${CMAKE_SOURCE_DIR}/rtl/${line})
endforeach()

# `make lint` is where warnings count: here a newer Verilator's new ones must not stop a user's build.
set(GMMU_VERILATOR_ARGS -sv ${CMAKE_SOURCE_DIR}/rtl/speed.vlt --quiet-stats -Wno-fatal -Werror-USERFATAL -Wno-lint -Wno-style
                        -Wno-SYMRSVDWORD --x-assign fast --x-initial fast --output-split 20000 --output-split-cfuncs 2000
                        +define+GMMU_VA_WIDTH=${GMMU_VA_BITS} +define+GMMU_DATA_WIDTH=${GMMU_DATA_BITS})

# gmmu_verilate(TARGET TOP): adds the Verilated module TOP to the library TARGET, with class VTOP.
#   SOURCES  further .sv files beside rtl/        ARGS  further arguments        OPTIMISE  compiler flags of the fast code
# Verilator's runtime, the same for all, is compiled once: library gmmu_verilated (gmmu_verilated_trace with waves).
function(gmmu_verilate target top)
  cmake_parse_arguments(arg "TRACE" "OPTIMISE" "SOURCES;ARGS" ${ARGN})
  set(trace)
  set(runtime gmmu_verilated)
  if(arg_TRACE)
    set(trace TRACE_FST)
    set(runtime gmmu_verilated_trace)
  endif()
  set(coverage)
  if(GMMU_COVERAGE)
    set(coverage --coverage-line)
    if(GMMU_COVERAGE_TOGGLES)
      list(APPEND coverage --coverage-toggle)
    endif()
  endif()
  message(STATUS "Verilating ${top}")
  verilate(${target} PREFIX V${top} TOP_MODULE ${top} SOURCES ${GMMU_RTL_SOURCES} ${arg_SOURCES} ${trace}
    VERILATOR_ARGS ${GMMU_VERILATOR_ARGS} ${coverage} ${arg_ARGS} OPT_FAST ${arg_OPTIMISE} OPT_SLOW -O0 OPT_GLOBAL ${arg_OPTIMISE})
  get_target_property(sources ${target} SOURCES)
  set(global ${sources})
  list(FILTER global INCLUDE REGEX "/include/verilated")
  list(FILTER sources EXCLUDE REGEX "/include/verilated")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  if(NOT TARGET ${runtime})
    add_library(${runtime} STATIC ${global})
    target_compile_options(${runtime} PRIVATE -O2 -w)
    target_include_directories(${runtime} PRIVATE ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
    target_compile_definitions(${runtime} PRIVATE VM_COVERAGE=$<BOOL:${GMMU_COVERAGE}> VM_SC=0 VM_TIMING=0 VM_TRACE=$<BOOL:${arg_TRACE}>
      VM_TRACE_FST=$<BOOL:${arg_TRACE}> VM_TRACE_VCD=0 VM_TRACE_SAIF=0 VERILATOR=1)
    target_link_libraries(${runtime} PUBLIC Threads::Threads)
    if(arg_TRACE)
      find_library(LZ4_LIBRARY lz4 REQUIRED)  # liblz4-dev
      find_package(ZLIB REQUIRED)             # zlib1g-dev
      target_link_libraries(${runtime} PUBLIC ${LZ4_LIBRARY} ZLIB::ZLIB)
    endif()
  endif()
  target_link_libraries(${target} PUBLIC ${runtime})
  target_compile_options(${target} PRIVATE -w)  # generated code
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(${target} SYSTEM INTERFACE ${folders})
endfunction()

# The engine: the Verilated GPU with ports of BITS bits, its SystemC module and the machine around it, as libraries
# gmmu_rtl_gpu<SUFFIX> and gmmu_rtl_engine<SUFFIX>; gmmu_machine<SUFFIX> is everything together.
function(gmmu_rtl_engine suffix bits)
  file(GLOB sources CONFIGURE_DEPENDS sim/gpu/*.cc sim/*/sc_*.cc)
  if(NOT sources)
    return()
  endif()
  list(REMOVE_DUPLICATES sources)
  add_library(gmmu_rtl_gpu${suffix} STATIC)
  if(GMMU_WAVES)
    set(trace TRACE)
  endif()
  gmmu_verilate(gmmu_rtl_gpu${suffix} gmmu_gpu ${trace} OPTIMISE -Os
    ARGS --no-assert -GNumClients=${GMMU_CLIENTS} -GNumSpaces=${GMMU_SPACES} -GNumRings=${GMMU_RINGS}
         -GL1Entries=${GMMU_L1_ENTRIES} -GL2Entries=${GMMU_L2_ENTRIES} -GL2Ways=${GMMU_L2_WAYS}
         -GLargeEntries=${GMMU_LARGE_ENTRIES} -GWalkCacheEntries=${GMMU_WALK_CACHE} -GNumWalks=${GMMU_WALKS}
         -GReadsInFlight=${GMMU_READS_IN_FLIGHT} +define+GMMU_DATA_WIDTH=${bits})
  set(name gmmu_rtl_engine${suffix})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC gmmu_rtl_gpu${suffix} gmmu_options SystemC::systemc)
  set(definitions ${GMMU_BUILD_DEFINITIONS})
  list(TRANSFORM definitions REPLACE "^GMMU_DATA_BITS=.*" "GMMU_DATA_BITS=${bits}")
  target_compile_definitions(${name} PRIVATE ${definitions} $<$<BOOL:${GMMU_WAVES}>:GMMU_WAVES>)
  set(members ${name} gmmu_os gmmu_kmd gmmu_report gmmu_workload gmmu_sim_core gmmu_hw)
  gmmu_group(gmmu_machine${suffix} ${members})
  target_link_libraries(gmmu_machine${suffix} INTERFACE gmmu_rtl_gpu${suffix} SystemC::systemc)
endfunction()

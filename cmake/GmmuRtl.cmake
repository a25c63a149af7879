# SPDX-License-Identifier: Apache-2.0
# Finds SystemC and builds the engine from the RTL's sources; Verilation is in GmmuVerilate.cmake.

include(GmmuVerilate)
gmmu_find_verilator()

# SystemC is found through its CMake package if that is installed, otherwise by its header and
# library, as Debian ships it.
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

# rtl/files.f lists the sources, one path per line, in an order that suits every tool.
set(GMMU_RTL_SOURCES)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/files.f)
file(STRINGS ${PROJECT_SOURCE_DIR}/rtl/files.f lines REGEX "^[^/#+-].*\\.sv")
foreach(line IN LISTS lines)
  string(STRIP "${line}" line)
  string(REGEX REPLACE "^rtl/" "" line "${line}")
  list(APPEND GMMU_RTL_SOURCES ${PROJECT_SOURCE_DIR}/rtl/${line})
endforeach()

# Warnings fail only `make lint`: new warnings from a later Verilator must not break a user's build.
set(GMMU_VERILATOR_ARGS -sv ${PROJECT_SOURCE_DIR}/rtl/speed.vlt --quiet-stats -Wno-fatal -Werror-USERFATAL -Wno-lint -Wno-style
                        --x-assign fast --x-initial fast --output-split 20000 --output-split-cfuncs 2000
                        +define+GMMU_VA_BITS=${GMMU_VA_BITS} +define+GMMU_DATA_BITS=${GMMU_DATA_BITS})

if(GMMU_SLEEP)
  list(APPEND GMMU_VERILATOR_ARGS +define+GMMU_SLEEP)
endif()

# Builds the engine as libraries gmmu_rtl_gpu<SUFFIX> (the Verilated GPU with BITS-bit ports) and
# gmmu_rtl_engine<SUFFIX> (the GPU's SystemC module and the machine around it); gmmu_machine<SUFFIX>
# combines both with the rest of the machine.
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
  set(sizes)
  foreach(key IN LISTS GMMU_BUILD_KEYS)
    list(APPEND sizes +define+GMMU_${key}=${GMMU_${key}})
  endforeach()
  gmmu_verilate(gmmu_rtl_gpu${suffix} gmmu_gpu_axi ${trace} OPTIMISE -Os SOURCES ${PROJECT_SOURCE_DIR}/rtl/observe.vlt
    ARGS --no-assert -fno-ico-change-detect ${sizes} +define+GMMU_ID_BITS=16
         +define+GMMU_DATA_BITS=${bits})
  set(name gmmu_rtl_engine${suffix})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC gmmu_rtl_gpu${suffix} gmmu_options SystemC::systemc)
  set(definitions ${GMMU_BUILD_DEFINITIONS})
  list(TRANSFORM definitions REPLACE "^GMMU_DATA_BITS=.*" "GMMU_DATA_BITS=${bits}")
  target_compile_definitions(${name} PRIVATE ${definitions} $<$<BOOL:${GMMU_WAVES}>:GMMU_WAVES>)
  set(members ${name} ${GMMU_SOFTWARE})
  gmmu_group(gmmu_machine${suffix} ${members})
  target_link_libraries(gmmu_machine${suffix} INTERFACE gmmu_rtl_gpu${suffix} SystemC::systemc)
endfunction()

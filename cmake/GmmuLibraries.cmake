# SPDX-License-Identifier: Apache-2.0
# Adds libraries from the sources of rooms (source folders). A room that has no sources yet gets no library.

add_library(gmmu_options INTERFACE)
target_include_directories(gmmu_options INTERFACE ${GMMU_SW} ${PROJECT_SOURCE_DIR}/sim ${PROJECT_SOURCE_DIR})
target_compile_options(gmmu_options INTERFACE -Wall -Wextra)
target_link_libraries(gmmu_options INTERFACE fmt::fmt Boost::context $<TARGET_NAME_IF_EXISTS:CLI11::CLI11>
                                             nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus Threads::Threads)

set(GMMU_BUILD_DEFINITIONS)
foreach(key IN LISTS GMMU_BUILD_KEYS)
  list(APPEND GMMU_BUILD_DEFINITIONS GMMU_${key}=${GMMU_${key}})
endforeach()

# Precompiles the headers that most sources include, once for all libraries.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/common_headers.cc CONTENT "")
add_library(gmmu_common_headers OBJECT ${PROJECT_BINARY_DIR}/common_headers.cc)
target_link_libraries(gmmu_common_headers PRIVATE gmmu_options)
target_compile_options(gmmu_common_headers PRIVATE -fno-semantic-interposition)
set_target_properties(gmmu_common_headers PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_precompile_headers(gmmu_common_headers PRIVATE <algorithm> <array> <cstdint> <cstring> <deque> <functional> <map>
                          <memory> <optional> <set> <stdexcept> <string> <unordered_map> <utility> <vector> <fmt/format.h>)

# gmmu_library(NAME PATTERN...) adds a static library of the matching sources, except SystemC
# modules (sc_*.cc). Its code is also linked into shared objects: the Python module, and our driver
# as a loadable driver (docs/driver.md).
function(gmmu_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  list(FILTER sources EXCLUDE REGEX "/sc_[^/]*$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC gmmu_options)
    target_compile_options(${name} PRIVATE -fno-semantic-interposition)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_precompile_headers(${name} REUSE_FROM gmmu_common_headers)
  endif()
endfunction()

# gmmu_group(NAME LIBRARY...) defines NAME as a group of those listed libraries that exist. They may depend on each
# other in any order.
function(gmmu_group name)
  set(present)
  foreach(library IN LISTS ARGN)
    if(TARGET ${library})
      list(APPEND present ${library})
    endif()
  endforeach()
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE gmmu_options)
  if(present)
    list(JOIN present "," joined)
    target_link_libraries(${name} INTERFACE "$<LINK_GROUP:RESCAN,${joined}>")
  endif()
endfunction()

# SPDX-License-Identifier: Apache-2.0
# Builds the library for other projects (docs/library.md): gmmu::gmmu, one archive of all rooms, including the Verilated
# GPU if it is built. Also installs it with a CMake package and a pkg-config file, and builds the Python module.
if(NOT TARGET gmmu_rtl_engine AND GMMU_RTL)
  return()  # a build that contains benches only
endif()

set(members ${GMMU_SOFTWARE} gmmu_commit)
if(TARGET gmmu_rtl_engine)
  list(APPEND members gmmu_rtl_engine gmmu_rtl_gpu gmmu_verilated$<$<BOOL:${GMMU_WAVES}>:_trace>)
endif()
set(objects ${members})
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(gmmu_archive STATIC EXCLUDE_FROM_ALL ${objects})
add_library(gmmu::gmmu ALIAS gmmu_archive)
set_target_properties(gmmu_archive PROPERTIES OUTPUT_NAME gmmu EXPORT_NAME gmmu LINKER_LANGUAGE CXX)
target_compile_features(gmmu_archive INTERFACE cxx_std_17)
target_compile_definitions(gmmu_archive INTERFACE GMMU_DATA_BITS=${GMMU_DATA_BITS})
target_include_directories(gmmu_archive INTERFACE "$<BUILD_INTERFACE:${GMMU_SW}>" "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/sim>")
target_link_libraries(gmmu_archive INTERFACE fmt::fmt Boost::context tomlplusplus::tomlplusplus Threads::Threads ${CMAKE_DL_LIBS}
                      "$<BUILD_INTERFACE:${ZSTD_LIBRARY}>" "$<INSTALL_INTERFACE:zstd>"
                      "$<BUILD_INTERFACE:${SQLITE_LIBRARY}>" "$<INSTALL_INTERFACE:sqlite3>")
if(TARGET gmmu_rtl_engine)
  target_link_libraries(gmmu_archive INTERFACE SystemC::systemc)
  if(GMMU_WAVES)
    target_link_libraries(gmmu_archive INTERFACE "$<BUILD_INTERFACE:${LZ4_LIBRARY}>" "$<INSTALL_INTERFACE:lz4>" ZLIB::ZLIB)
  endif()
endif()

if(GMMU_MODULE)
  include(GmmuModule)
endif()

if(GMMU_INSTALL)
  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  set_target_properties(gmmu_archive PROPERTIES EXCLUDE_FROM_ALL OFF)
  set(headers ${CMAKE_INSTALL_INCLUDEDIR}/gmmu)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gmmu)
  install(TARGETS gmmu_archive EXPORT gmmu ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${headers})
  install(EXPORT gmmu NAMESPACE gmmu:: FILE gmmuTargets.cmake DESTINATION ${package})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/sw/ ${PROJECT_SOURCE_DIR}/sim/ DESTINATION ${headers}
          FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "python" EXCLUDE)
  if(TARGET gmmu)
    install(TARGETS gmmu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gmmuConfig.cmake.in ${PROJECT_BINARY_DIR}/gmmuConfig.cmake
                                INSTALL_DESTINATION ${package})
  # Before 1.0.0, any minor version may change the interface.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/gmmuConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/gmmuConfig.cmake ${PROJECT_BINARY_DIR}/gmmuConfigVersion.cmake DESTINATION ${package})

  set(GMMU_PC_LIBS "-lfmt -lboost_context -lzstd -lsqlite3 -lpthread -ldl -lstdc++")
  if(TARGET gmmu_rtl_engine)
    string(PREPEND GMMU_PC_LIBS "-lsystemc ")
  endif()
  get_target_property(toml tomlplusplus::tomlplusplus TYPE)
  if(NOT toml STREQUAL "INTERFACE_LIBRARY")
    string(PREPEND GMMU_PC_LIBS "-ltomlplusplus ")
  endif()
  file(RELATIVE_PATH GMMU_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/gmmu.pc.in ${PROJECT_BINARY_DIR}/gmmu.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/gmmu.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

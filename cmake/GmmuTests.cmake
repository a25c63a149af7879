# SPDX-License-Identifier: Apache-2.0
# Builds one GoogleTest program per room (source folder, also tb/sw/os/<room>), with these labels:
#   tb/sw/<room>, tb/sim/<room>  label unit    plain C++; rooms with SystemC sources link the engine
#   tb/rtl/<room>                label rtl     with the Verilated tops gmmu_*_bench of that folder
#   tb/system                    label system  the whole stack
# Label long marks the rooms in GMMU_WIDE_BENCHES, whole-stack jobs with GMMU_WIDE_BITS-bit ports,
# and tests whose fixtures are named Long*. Label quick, in addition to the others, marks the tests
# to be run after each change; target quick_tests builds them.
include(GmmuGoogleTest)

gmmu_test(test_netlist unit 60 SOURCES tb/netlist/netlist_test.cc tb/netlist/netlist.cc tb/netlist/block_ram.cc)

file(GLOB_RECURSE c_sources CONFIGURE_DEPENDS tb/*.c examples/drivers/*.c)  # drivers: each file has its own names
set_source_files_properties(${c_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

add_custom_target(ddi_tests)  # the programs that must detect the faults of tb/ddi
file(GLOB_RECURSE rooms CONFIGURE_DEPENDS tb/sw/*_test.cc tb/sim/*_test.cc)
list(TRANSFORM rooms REPLACE "/[^/]*$" "")
list(REMOVE_DUPLICATES rooms)
foreach(room IN LISTS rooms)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/tb ${room})
  string(REPLACE "/" "_" name ${path})
  file(GLOB sources CONFIGURE_DEPENDS ${room}/*.cc ${room}/*.c)
  set(plain ${sources})
  list(FILTER plain EXCLUDE REGEX "/sc_[^/]*$")
  list(REMOVE_ITEM sources ${plain})
  list(FILTER plain EXCLUDE REGEX "/board_pins_test\\.cc$")  # cmake/GmmuBoard.cmake
  list(FILTER sources EXCLUDE REGEX "/board_pins_test\\.cc$")
  set(libraries gmmu_software)
  if(TARGET gmmu_app AND path STREQUAL "sw/app")
    list(PREPEND libraries gmmu_app)
  endif()
  if(path MATCHES "^(sim/twin|sim/board|sw/app)$")
    list(APPEND plain tb/sim/host/linked.cc)  # these tests need no engine
  endif()
  if(path STREQUAL "sim/board")
    list(APPEND plain tb/sim/board_link/board_end.cc)  # the board's end of the line
  elseif(path STREQUAL "sw/app")
    list(APPEND plain tb/sim/board/fake_board.cc tb/sim/board_link/board_end.cc)
  endif()
  if(path STREQUAL "sw/kmd/build")
    list(APPEND plain tb/sw/kmd/fake_kernel.cc tb/sw/kmd/started_driver.cc)
  endif()
  if(path STREQUAL "sw/workload")
    list(APPEND plain tb/sw/os/hal/flat_remapping.cc)  # a remapping unit that is not VT-d
  endif()
  if(path STREQUAL "sw/os/miniport")
    list(APPEND plain tb/sw/os/vidsch/vidsch_bench.cc)  # the scheduler's calls show the threading levels
  endif()
  if(path STREQUAL "sim/gpu")
    set(sources ${sources} ${plain})
    set(plain)
  endif()
  if(plain)
    if(path MATCHES "^sw/(app|gmmu)$" AND TARGET gmmu_machine)
      list(REMOVE_ITEM libraries gmmu_software)
      list(APPEND libraries gmmu_machine)  # these tests start an engine
    endif()
    if(NOT path STREQUAL "sw/app" OR TARGET gmmu)
      gmmu_test(test_${name} unit 120 SOURCES ${plain} LIBRARIES ${libraries})
    endif()
  endif()
  if(TARGET test_${name} AND path MATCHES "^sw/(os|kmd|app)")
    add_dependencies(ddi_tests test_${name})
  endif()
  if(TARGET test_${name} AND path STREQUAL "sw/os/miniport")  # input of the import scan
    add_library(forbidden_driver STATIC tb/sw/os/drivers/forbidden.c tb/sw/os/drivers/forbidden_too.c)
    target_compile_definitions(test_${name} PRIVATE GMMU_KMD_LIBRARY="$<TARGET_FILE:gmmu_kmd>"
                                                    GMMU_FORBIDDEN_DRIVER="$<TARGET_FILE:forbidden_driver>")
    add_dependencies(test_${name} gmmu_kmd forbidden_driver)
  endif()
  if(TARGET test_${name} AND path MATCHES "^(sim/twin|sw/app)$")  # policies in shared objects
    if(NOT TARGET policy_most_recent)
      add_library(policy_most_recent MODULE tb/sim/twin/policies/most_recent.cc)
      add_library(policy_most_recent_old MODULE tb/sim/twin/policies/most_recent.cc)
      target_compile_definitions(policy_most_recent_old PRIVATE OLD)
      add_library(policy_empty MODULE tb/sim/twin/policies/empty.cc)
      foreach(policy IN ITEMS most_recent most_recent_old empty)
        target_include_directories(policy_${policy} PRIVATE ${PROJECT_SOURCE_DIR}/sim)
        set_target_properties(policy_${policy} PROPERTIES PREFIX "" OUTPUT_NAME ${policy}
                                                          LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/policies)
      endforeach()
    endif()
    target_compile_definitions(test_${name} PRIVATE GMMU_POLICIES="${PROJECT_BINARY_DIR}/policies/"
                                                    $<$<TARGET_EXISTS:gmmu_policy_python>:GMMU_PYTHON_POLICIES>)
    add_dependencies(test_${name} policy_most_recent policy_most_recent_old policy_empty)
    if(TARGET gmmu_policy_python)
      add_dependencies(test_${name} gmmu_policy_python)
    endif()
  endif()
  if(TARGET test_${name} AND path STREQUAL "sim/device")  # models in shared objects
    foreach(model IN ITEMS adder refusing empty)
      add_library(model_${model} MODULE tb/sim/device/models/adder.c)
      target_include_directories(model_${model} PRIVATE sw)
      set_target_properties(model_${model} PROPERTIES PREFIX "" OUTPUT_NAME ${model}
                                                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/models)
    endforeach()
    target_compile_definitions(model_refusing PRIVATE REFUSE)
    target_compile_definitions(model_empty PRIVATE EMPTY)
    target_compile_definitions(test_${name} PRIVATE GMMU_MODELS="${PROJECT_BINARY_DIR}/models/")
    add_dependencies(test_${name} model_adder model_refusing model_empty)
  endif()
  if(TARGET test_sw_app AND path STREQUAL "sw/app")  # drivers in shared objects: our own driver and faulty ones
    add_library(driver_own MODULE $<TARGET_OBJECTS:gmmu_kmd>)
    # Builds our own driver with a function call before each memory access (docs/driver.md), and a
    # second variant in which PreemptCommand and ResetEngine stay at the caller's IRQL for the work
    # that belongs at device IRQL.
    file(GLOB kmd_sources CONFIGURE_DEPENDS ${GMMU_SW}/kmd/*.cc ${GMMU_SW}/kmd/build/*.cc)
    add_library(watched_kmd OBJECT ${kmd_sources})
    file(READ ${PROJECT_SOURCE_DIR}/sw/kmd/reset.cc reset_text)
    string(REGEX REPLACE "adapter\\.AtDeviceLevel\\((ask|begin|end)\\)" "(\\1(), STATUS_SUCCESS)" reset_text "${reset_text}")
    file(CONFIGURE OUTPUT unlocked/reset.cc CONTENT "${reset_text}" @ONLY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sw/kmd/reset.cc)
    list(FILTER kmd_sources EXCLUDE REGEX "/reset\\.cc$")
    set_source_files_properties(${GMMU_SW}/kmd/reset.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    add_library(unlocked_reset OBJECT ${CMAKE_CURRENT_BINARY_DIR}/unlocked/reset.cc)
    set(watched_objects $<TARGET_OBJECTS:watched_kmd>)
    add_library(driver_watched MODULE ${watched_objects})
    add_library(driver_unlocked MODULE $<FILTER:${watched_objects},EXCLUDE,reset> $<TARGET_OBJECTS:unlocked_reset>)
    foreach(library IN ITEMS watched_kmd unlocked_reset)
      target_include_directories(${library} PRIVATE ${GMMU_SW} ${PROJECT_SOURCE_DIR})
      target_compile_options(${library} PRIVATE -O1 -fno-sanitize=all -fsanitize=thread)
      set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endforeach()
    set(drivers driver_own driver_watched driver_unlocked)
    file(GLOB own_sources CONFIGURE_DEPENDS ${GMMU_SW}/kmd/*.cc ${GMMU_SW}/kmd/build/*.cc)
    foreach(version IN ITEMS 2_0 2_4 2_9)  # the same source with the headers of an older version
      add_library(driver_wddm${version} MODULE ${own_sources})
      set_target_properties(driver_wddm${version} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
      target_link_libraries(driver_wddm${version} PRIVATE gmmu_options)
      target_compile_definitions(driver_wddm${version}
                                 PRIVATE DXGKDDI_INTERFACE_VERSION=DXGKDDI_INTERFACE_VERSION_WDDM${version})
      list(APPEND drivers driver_wddm${version})
    endforeach()
    if(GMMU_PLANTS)
      target_sources(driver_watched PRIVATE tb/ddi/plant.cc)
      target_sources(driver_unlocked PRIVATE tb/ddi/plant.cc)
    endif()
    foreach(bad IN ITEMS refusing crashing without_entry unknown_routine calling)
      add_library(driver_${bad} MODULE tb/sw/app/drivers/${bad}.c)
      target_include_directories(driver_${bad} PRIVATE sw/ddi)
      list(APPEND drivers driver_${bad})
    endforeach()
    add_library(driver_declaring MODULE ${own_sources} tb/sw/app/drivers/declaring.cc)  # our driver with more declared
    target_link_libraries(driver_declaring PRIVATE gmmu_options)
    target_compile_definitions(driver_declaring PRIVATE DxgkInitialize=DeclareMore)
    set_target_properties(driver_declaring PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    set_source_files_properties(tb/sw/app/drivers/declaring.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    file(GLOB software_sources CONFIGURE_DEPENDS examples/drivers/software/*.c)
    add_library(driver_software MODULE ${software_sources})
    target_include_directories(driver_software PRIVATE sw sw/ddi)
    # Builds variants of the driver in examples/drivers/software with different segments, table
    # sizes and update modes (hardware.h).
    set(of_16k LEAF_BITS=11 UPPER_BITS=11)
    set(of_64k LEAF_BITS=13 UPPER_BITS=13 LEVELS=3)
    set(software_local_16k ${of_16k})
    set(software_local_64k ${of_64k})
    set(software_segment_0 LEAF_SEGMENT=SYSTEM_ADDRESS)
    set(software_system_4k LEAF_SEGMENT=SYSTEM SYSTEM_HOME=SYSTEM)
    set(software_system_16k LEAF_SEGMENT=SYSTEM ${of_16k})
    set(software_system_64k LEAF_SEGMENT=SYSTEM ${of_64k})
    set(software_leaves_in_system LEAF_SEGMENT=SYSTEM UPPER_SEGMENT=LOCAL LEAF_BITS=11)
    set(software_leaves_in_local LEAF_SEGMENT=LOCAL UPPER_SEGMENT=SYSTEM UPPER_BITS=11)
    set(software_aperture_4k LOCAL_SEGMENT=0)
    set(software_aperture_16k LOCAL_SEGMENT=0 ${of_16k} UPDATE_MODE=DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
    set(software_aperture_64k LOCAL_SEGMENT=0 ${of_64k} UPDATE_MODE=DXGK_PAGETABLEUPDATE_GPU_VIRTUAL)
    set(software_implicit_4k LOCAL_SEGMENT=0 SYSTEM_HOME=SYSTEM UPDATE_MODE=DXGK_PAGETABLEUPDATE_GPU_VIRTUAL)
    set(software_implicit_16k LOCAL_SEGMENT=0 SYSTEM_HOME=SYSTEM ${of_16k} UPDATE_MODE=DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
    set(software_implicit_64k LOCAL_SEGMENT=0 SYSTEM_HOME=SYSTEM ${of_64k})
    set(software_no_segment APERTURE_SEGMENT=0 LOCAL_SEGMENT=0 ${of_16k})
    set(software_local_only APERTURE_SEGMENT=0)
    foreach(variant IN ITEMS no_segment local_only local_16k local_64k segment_0 system_4k system_16k system_64k leaves_in_system
                             leaves_in_local aperture_4k aperture_16k aperture_64k implicit_4k implicit_16k implicit_64k)
      add_library(driver_software_${variant} MODULE ${software_sources})
      target_include_directories(driver_software_${variant} PRIVATE sw sw/ddi)
      target_compile_definitions(driver_software_${variant} PRIVATE ${software_${variant}})
      list(APPEND drivers driver_software_${variant})
    endforeach()
    add_library(driver_counting MODULE ${own_sources} examples/drivers/gmmu/counting.cc)
    target_link_libraries(driver_counting PRIVATE gmmu_options)
    target_compile_definitions(driver_counting PRIVATE DxgkInitialize=CountedInitialize)
    set_target_properties(driver_counting PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    set_source_files_properties(examples/drivers/gmmu/counting.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(APPEND drivers driver_declaring driver_software driver_counting)
    # Builds the driver without page tables, and a variant of it that can deviate from the rules in
    # several ways; environment variable GMMU_MISDEED selects one of them.
    file(GLOB physical_sources CONFIGURE_DEPENDS examples/drivers/physical/*.c)
    add_library(driver_physical MODULE ${physical_sources})
    add_library(driver_physical_misbehaving MODULE ${physical_sources} tb/sw/app/drivers/physical_misbehaving.c)
    target_compile_definitions(driver_physical_misbehaving
                               PRIVATE DxgkInitialize=MisbehavePhysical GmmuUserModeDriver=RealHalf)
    foreach(physical IN ITEMS physical physical_misbehaving)
      target_include_directories(driver_${physical} PRIVATE sw sw/ddi)
      list(APPEND drivers driver_${physical})
    endforeach()
    add_library(driver_storming MODULE tb/sw/app/drivers/storming.c)  # a model for --device
    target_include_directories(driver_storming PRIVATE sw sw/ddi examples/drivers/software)
    list(APPEND drivers driver_storming)
    # Builds the built-in driver with deliberate errors, one of which environment variable
    # GMMU_MISDEED selects. Only the code of the errors is instrumented: it calls a function before
    # each memory access.
    add_library(misbehaving OBJECT tb/sw/app/drivers/misbehaving.cc)
    target_include_directories(misbehaving PRIVATE ${GMMU_SW})
    target_compile_options(misbehaving PRIVATE -std=c++17 -O1 -fno-sanitize=all -fsanitize=thread)
    add_library(driver_misbehaving MODULE ${own_sources} $<TARGET_OBJECTS:misbehaving>)
    target_link_libraries(driver_misbehaving PRIVATE gmmu_options)
    target_compile_definitions(driver_misbehaving PRIVATE DxgkInitialize=Misbehave)
    set_target_properties(misbehaving driver_misbehaving PROPERTIES POSITION_INDEPENDENT_CODE ON)
    set_target_properties(driver_misbehaving PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    list(APPEND drivers driver_misbehaving)
    if(GMMU_PLANTS)
      foreach(own IN ITEMS own wddm2_0 wddm2_4 wddm2_9 declaring counting misbehaving)
        target_sources(driver_${own} PRIVATE tb/ddi/plant.cc)
      endforeach()
    endif()
    set(misdeed 0)
    foreach(name IN ITEMS past_query past_pool past_pool_by_a_byte freed_twice freed_inside used_after_free wild)
      add_library(driver_${name} MODULE tb/sw/app/drivers/trespassing.c)
      target_include_directories(driver_${name} PRIVATE sw/ddi)
      target_compile_definitions(driver_${name} PRIVATE MISDEED=${misdeed})
      math(EXPR misdeed "${misdeed} + 1")
      list(APPEND drivers driver_${name})
    endforeach()
    set_target_properties(${drivers} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/drivers)
    set_target_properties(driver_own driver_watched driver_unlocked PROPERTIES LINKER_LANGUAGE CXX)
    target_compile_definitions(test_sw_app PRIVATE GMMU_DRIVERS="${PROJECT_BINARY_DIR}/drivers/driver_"
                                                   GMMU_VERSION="${PROJECT_VERSION}")
    add_dependencies(test_sw_app ${drivers})
  endif()
  if(TARGET test_sw_ddi AND path STREQUAL "sw/ddi")
    target_include_directories(test_sw_ddi PRIVATE sw/ddi)  # driver sources include the headers without a folder
  endif()
  if(path STREQUAL "sim/platform")
    list(APPEND sources tb/sim/host/linked.cc)
  endif()
  if(sources AND TARGET gmmu_machine)
    gmmu_test(test_sc_${name} unit 120 SOURCES ${sources} LIBRARIES gmmu_machine)
  endif()
endforeach()

# The layouts must also hold for Windows compilers, so the static assertions are compiled if a cross compiler is found.
find_program(MINGW_CC NAMES x86_64-w64-mingw32-gcc x86_64-w64-mingw32-gcc-win32)
find_program(MINGW_CXX NAMES x86_64-w64-mingw32-g++ x86_64-w64-mingw32-g++-win32)
if(MINGW_CC AND MINGW_CXX)
  set(check -Wall -Werror -fsyntax-only -I${PROJECT_SOURCE_DIR}/sw/ddi)
  foreach(source headers_c11.c headers_wddm2_0.c headers_wddm2_4.c headers_wddm2_9.c headers_cxx17.cc)
    if(source MATCHES "cc$")
      set(command ${MINGW_CXX} -std=c++17)
    else()
      set(command ${MINGW_CC} -std=c11)
    endif()
    add_test(NAME layouts.${source}_with_mingw COMMAND ${command} ${check} ${PROJECT_SOURCE_DIR}/tb/sw/ddi/${source})
    set_tests_properties(layouts.${source}_with_mingw PROPERTIES LABELS unit TIMEOUT 60)
  endforeach()
endif()

include(GmmuRtlTests)

file(GLOB system_sources CONFIGURE_DEPENDS tb/system/*.cc)
if(system_sources AND TARGET gmmu_machine)
  set(libraries gmmu_machine)
  if(TARGET gmmu_app)
    list(PREPEND libraries gmmu_app)
  endif()
  list(APPEND system_sources tb/sim/board/fake_board.cc tb/sim/board_link/board_end.cc)  # for every engine's contract
  gmmu_test(test_system system 600 SOURCES ${system_sources} LIBRARIES ${libraries})
  gtest_discover_tests(test_system DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES NO_PRETTY_TYPES
                       TEST_FILTER Long* TEST_LIST system_tests_long
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} XML_OUTPUT_DIR ${PROJECT_BINARY_DIR}/results
                       PROPERTIES LABELS long TIMEOUT 900 COST 150 FIXTURES_REQUIRED ddi_rows)
endif()

# Runs whole-stack jobs with a wider bus. gmmu_256 differs from gmmu only in the Verilated GPU, the
# SystemC module around it and the built sizes that the configuration checks.
if(TARGET test_system AND TARGET gmmu)
  foreach(bits IN LISTS GMMU_WIDE_BITS)
    gmmu_rtl_engine(_${bits} ${bits})
    add_executable(gmmu_${bits} sw/app/main.cc sim/host/built_sizes.cc)
    set(definitions ${GMMU_BUILD_DEFINITIONS})
    list(TRANSFORM definitions REPLACE "^GMMU_DATA_BITS=.*" "GMMU_DATA_BITS=${bits}")
    target_compile_definitions(gmmu_${bits} PRIVATE ${definitions})
    target_link_libraries(gmmu_${bits} PRIVATE gmmu_app gmmu_machine_${bits})
    add_dependencies(test_system gmmu_${bits})
    gtest_discover_tests(test_system DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES NO_PRETTY_TYPES
                         TEST_PREFIX bus_${bits}. TEST_FILTER EnginesJob.*:Program.Brings*:Program.Runs* TEST_LIST system_tests_${bits}
                         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} XML_OUTPUT_DIR ${PROJECT_BINARY_DIR}/results
                         PROPERTIES LABELS long TIMEOUT 600 FIXTURES_REQUIRED ddi_rows
                                    ENVIRONMENT GMMU_PROGRAM=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/gmmu_${bits})
  endforeach()
endif()

# COST is in seconds. It makes ctest start the longest tests first, even in the first run, so that
# no long test runs alone at the end.
if(GMMU_PYTHON AND TARGET gmmu)
  add_test(NAME tools.the_fast_engine_is_as_near_to_the_rtl_as_the_table_says
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/twin_error.py --check --program $<TARGET_FILE:gmmu>)
  set_tests_properties(tools.the_fast_engine_is_as_near_to_the_rtl_as_the_table_says PROPERTIES LABELS unit TIMEOUT 300)
  add_test(NAME tools.check_long_compares_the_engines_and_their_times
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tb/tools/check_long_test.py $<TARGET_FILE:gmmu>)
  set_tests_properties(tools.check_long_compares_the_engines_and_their_times PROPERTIES LABELS unit TIMEOUT 120)
  add_test(NAME tools.combinations_that_failed_once_do_not_fail
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/combine/combine.py --met --jobs 1 --program $<TARGET_FILE:gmmu>)
  set_tests_properties(tools.combinations_that_failed_once_do_not_fail PROPERTIES LABELS system TIMEOUT 600)
  add_test(NAME tools.the_front_door_knows_the_options_that_take_a_value
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tb/tools/front_door_test.py $<TARGET_FILE:gmmu>)
  set_tests_properties(tools.the_front_door_knows_the_options_that_take_a_value PROPERTIES LABELS "unit;quick" TIMEOUT 60)
  add_test(NAME tools.reports_hold_to_their_schema
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tb/tools/report_schema_test.py $<TARGET_FILE:gmmu>)
  set_tests_properties(tools.reports_hold_to_their_schema PROPERTIES LABELS system TIMEOUT 600 COST 75)
  add_test(NAME tools.a_study_keeps_what_it_finished
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tb/tools/study_test.py $<TARGET_FILE:gmmu>)
  set_tests_properties(tools.a_study_keeps_what_it_finished PROPERTIES LABELS unit TIMEOUT 600)
  add_test(NAME tools.presets_have_their_steps
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/report/presets.py --check --program $<TARGET_FILE:gmmu>)
  set_tests_properties(tools.presets_have_their_steps PROPERTIES LABELS unit TIMEOUT 600)
  add_test(NAME tools.a_report_page_has_every_figure
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tb/tools/report_test.py $<TARGET_FILE:gmmu>)
  set_tests_properties(tools.a_report_page_has_every_figure PROPERTIES LABELS unit TIMEOUT 600 COST 50)
endif()

if(GMMU_PYTHON)
  add_test(NAME tools.checks_of_sources_and_pages_find_what_is_wrong
           COMMAND ${GMMU_PYTHON} -m unittest discover -s ${PROJECT_SOURCE_DIR}/tb/tools -p check_of_*_test.py)
  set_tests_properties(tools.checks_of_sources_and_pages_find_what_is_wrong PROPERTIES LABELS unit TIMEOUT 60)
  add_test(NAME tools.the_page_of_claims_has_the_counts_of_the_sources
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/verification.py)
  set_tests_properties(tools.the_page_of_claims_has_the_counts_of_the_sources PROPERTIES LABELS unit TIMEOUT 60)
  add_test(NAME tools.a_build_says_how_long_it_takes
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tb/tools/progress_test.py)
  set_tests_properties(tools.a_build_says_how_long_it_takes PROPERTIES LABELS unit TIMEOUT 60)
endif()

# Checks that each row of the driver interface has tests and that they have run. ctest runs it last,
# even in a partial run.
if(GMMU_PYTHON)
  add_test(NAME ddi.every_row_has_its_tests
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_ddi.py --build ${PROJECT_BINARY_DIR})
  set_tests_properties(ddi.every_row_has_its_tests PROPERTIES LABELS unit TIMEOUT 300 FIXTURES_CLEANUP ddi_rows)
  add_test(NAME ddi.the_page_of_names_matches_the_headers
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/ddi_names.py)
  add_test(NAME ddi.every_planted_fault_has_its_place
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/plant_ddi.py copy ${PROJECT_BINARY_DIR}/planted_software)
  add_test(NAME ddi.the_page_of_faults_matches_them
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/plant_ddi.py table)
  set_tests_properties(ddi.the_page_of_names_matches_the_headers ddi.every_planted_fault_has_its_place
                       ddi.the_page_of_faults_matches_them PROPERTIES LABELS "unit;quick" TIMEOUT 300)
endif()

# Checks that docs/rules.md matches the planted faults.
if(GMMU_PYTHON)
  add_test(NAME rules.page_matches_the_planted_faults
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/plant.py table)
  add_test(NAME rules.every_planted_fault_has_its_place
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/plant.py copy ${PROJECT_BINARY_DIR}/planted_places)
  set_tests_properties(rules.page_matches_the_planted_faults rules.every_planted_fault_has_its_place
                       PROPERTIES LABELS "unit;quick" TIMEOUT 60)
endif()

# Elaborates the RTL with the planted faults, so that a syntax error in a fault is detected here and
# not only in make rules.
if(GMMU_PYTHON AND GMMU_RTL)
  add_test(NAME rules.the_planted_rtl_elaborates
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/plant.py copy --elaborate ${PROJECT_BINARY_DIR}/planted_rtl)
  set_tests_properties(rules.the_planted_rtl_elaborates PROPERTIES LABELS rtl TIMEOUT 120
    ENVIRONMENT "VERILATOR=${VERILATOR_BIN};VERILATOR_ROOT=${VERILATOR_ROOT}")
endif()

# Checks that the generated register files match their description.
if(GMMU_PYTHON)
  add_test(NAME registers.generated_files_match_the_description
           COMMAND ${GMMU_PYTHON} ${PROJECT_SOURCE_DIR}/tools/regs/generate.py --check)
  set_tests_properties(registers.generated_files_match_the_description PROPERTIES LABELS "unit;quick" TIMEOUT 60)
endif()

# Quick tests are the unit tests that take less than a second, and one run of the whole stack on
# both engines. gtest_discover_tests cannot pass a list of labels, so the labels are set when ctest
# reads each program's tests.
set(slow "/(BoardScenario|Segments|NoAperture|SettingsBounds|RtlLinked)\\." "^(WatchedDriver|RtlMachineOfTwo)\\." "/UnmapRace\\..*/rtl$"
         "^Board\\.(Refusals|ACut)" "^OnBoard\\.(ALineThatIsCut|ProbeSays)" "^FileSourceTest\\.(Survives|Never|NamesTheMiddle)"
         "^ImportTest\\.Survives")
list(JOIN slow "|" slow)
get_property(programs GLOBAL PROPERTY GMMU_QUICK)
set(text)
foreach(program IN LISTS programs)
  set(condition "NOT test MATCHES [==[${slow}]==]")
  set(label unit)
  if(program STREQUAL "test_system")
    set(condition "test STREQUAL EnginesJob.OneByte")
    set(label system)
  endif()
  string(APPEND text "foreach(test IN LISTS ${program}_TESTS)\n  if(${condition})\n"
                     "    set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${label};quick\")\n  endif()\nendforeach()\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/quick_tests.cmake CONTENT "${text}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/quick_tests.cmake)

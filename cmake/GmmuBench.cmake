# SPDX-License-Identifier: Apache-2.0
# `gmmu bench` runs the program build/gmmu-bench. It consists of tb/bench and, shared with the tests
# in tb/rtl, the MMU's test machine and the Verilated bench tops. The program test_bench consists of
# tb/bench/*_test.cc.

# gmmu_bench_top(ROOM TOP) adds the Verilated top TOP of tb/rtl/ROOM, unless the tests have already added it.
function(gmmu_bench_top room top)
  if(NOT TARGET ${top})
    add_library(${top} STATIC)
    gmmu_verilate(${top} ${top} SOURCES ${PROJECT_SOURCE_DIR}/tb/rtl/${room}/${top}.sv ARGS --assert OPTIMISE -O1)
  endif()
endfunction()
gmmu_bench_top(mmu gmmu_mmu_bench)
gmmu_bench_top(dma gmmu_dma_copy_bench)

file(GLOB bench_sources CONFIGURE_DEPENDS tb/bench/*.cc)
set(bench_tests ${bench_sources})
list(FILTER bench_tests INCLUDE REGEX "_test\\.cc$")
list(FILTER bench_sources EXCLUDE REGEX "(_test|/main)\\.cc$")
add_library(gmmu_bench_rows STATIC ${bench_sources} tb/rtl/mmu/mmu_machine.cc tb/rtl/mmu/mmu_speed.cc)
target_link_libraries(gmmu_bench_rows PUBLIC gmmu_app gmmu_machine gmmu_mmu_bench gmmu_dma_copy_bench gmmu_board_pins)
target_compile_definitions(gmmu_bench_rows PUBLIC ${GMMU_BUILD_DEFINITIONS}
                           PRIVATE GMMU_SYNTH_RESULT="${PROJECT_SOURCE_DIR}/build/synth.json"
                                   GMMU_SYNTH_BOARD="${PROJECT_SOURCE_DIR}/build/synth-board.json")

add_executable(gmmu-bench tb/bench/main.cc)
target_link_libraries(gmmu-bench PRIVATE gmmu_bench_rows)
set_target_properties(gmmu-bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

if(GMMU_TESTS AND GTest_FOUND AND bench_tests)
  gmmu_test(test_bench rtl 300 SOURCES ${bench_tests} LIBRARIES gmmu_bench_rows)
  target_compile_definitions(test_bench PRIVATE GMMU_BENCH_PROGRAM="$<TARGET_FILE:gmmu-bench>")
  add_dependencies(test_bench gmmu-bench)
endif()

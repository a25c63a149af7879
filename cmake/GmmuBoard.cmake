# SPDX-License-Identifier: Apache-2.0
# Builds the simulated board build/gmmu-board-sim: the Verilated gmmu_ulx3s at its pins (sim/board_pins).

add_library(gmmu_ulx3s_model STATIC)
gmmu_verilate(gmmu_ulx3s_model gmmu_ulx3s OPTIMISE -Os SOURCES ${PROJECT_SOURCE_DIR}/constraints/ulx3s/ecp5_cells.sv
  ARGS --no-assert -fno-ico-change-detect --pins-inout-enables -GBitsPerSecond=20000000 +define+GMMU_PROFILE=Board)

file(GLOB board_sources CONFIGURE_DEPENDS sim/board_pins/*.cc)
list(FILTER board_sources EXCLUDE REGEX "/(main|sdram_chip)\\.cc$")
add_library(gmmu_board_pins STATIC ${board_sources})
target_link_libraries(gmmu_board_pins PUBLIC gmmu_ulx3s_model gmmu_sim_core gmmu_options)

gmmu_group(gmmu_board_software ${GMMU_SOFTWARE})
add_executable(gmmu-board-sim sim/board_pins/main.cc)
target_link_libraries(gmmu-board-sim PRIVATE gmmu_board_pins gmmu_board_software CLI11::CLI11)
set_target_properties(gmmu-board-sim PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# The tests at the board's pins are a separate program, because the room's other tests need no Verilated model.
if(GMMU_TESTS AND COMMAND gmmu_test)
  gmmu_test(test_board_pins rtl 300 SOURCES tb/sim/board_pins/board_pins_test.cc LIBRARIES gmmu_board_pins gmmu_software)
endif()

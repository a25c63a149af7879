# SPDX-License-Identifier: Apache-2.0
# Vivado, from the repository's root: vivado -mode batch -source constraints/xilinx/build.tcl
# This script has never been run. It writes build/boards/arty-a7/gmmu_arty_a7.bit, and reports of
# area and timing into the same folder.
set folder build/boards/arty-a7
file mkdir $folder
set list [open rtl/files.f]
foreach line [split [read $list] "\n"] {
  set line [string trim [regsub {(//|#).*} $line ""]]
  if {[string match *gmmu_ulx3s.sv $line] || ![string match *.sv $line]} continue
  if {![string match rtl/* $line]} { set line rtl/$line }
  read_verilog -sv $line
}
close $list
read_verilog -sv constraints/xilinx/gmmu_bram_vram.sv
read_verilog -sv constraints/xilinx/gmmu_arty_a7.sv
read_xdc constraints/xilinx/arty_a7_100t.xdc
synth_design -top gmmu_arty_a7 -part xc7a100tcsg324-1 -verilog_define GMMU_PROFILE=Board
opt_design
place_design
route_design
report_utilization -hierarchical -file $folder/utilization.txt
report_timing_summary -file $folder/timing.txt
if {[get_property SLACK [get_timing_paths]] < 0} { error "the clock is not reached: $folder/timing.txt" }
write_bitstream -force $folder/gmmu_arty_a7.bit

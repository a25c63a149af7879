# SPDX-License-Identifier: Apache-2.0
"""Joins the mapped blocks to one netlist for nextpnr: build/fpga/gmmu_pins.json. Runs in a process of its own."""
import json

import config
from pyosys import libyosys as ys


def main():
    blocks = json.loads((config.BUILD / "blocks.json").read_text())
    design = ys.Design()
    ys.run_pass("read_verilog -lib +/ecp5/cells_sim.v +/ecp5/cells_bb.v", design)
    for block in blocks:
        ys.run_pass(f"read_rtlil {config.BUILD / block}.mapped.il", design)
    ys.run_pass(f"hierarchy -check -top {config.WRAPPER}", design)
    ys.run_pass("flatten", design)
    ys.run_pass("check -assert", design)
    ys.run_pass(f"select ={config.WRAPPER}", design)
    ys.run_pass(f"write_json -selected {config.BUILD / config.WRAPPER}.json", design)


main()

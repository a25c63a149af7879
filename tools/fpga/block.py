# SPDX-License-Identifier: Apache-2.0
"""block.py NAME: one block's RTLIL to ECP5 cells. Runs in a process of its own."""
import sys

import config
from pyosys import libyosys as ys


def main(name):
    design = ys.Design()
    ys.run_pass(f"read_rtlil {config.BUILD / name}.il", design)
    ys.run_pass(f"setattr -mod -unset keep_hierarchy {name}", design)
    for key, value in config.scratchpad(name).items():
        ys.run_pass(f"scratchpad -set {key} {value}", design)
    ys.run_pass(f"synth_ecp5 -top {name} {config.SYNTH_OPTIONS}", design)
    ys.run_pass("check -assert", design)
    ys.run_pass(f"select -assert-none {config.LATCHES}", design)
    ys.run_pass(f"select {name}", design)
    ys.run_pass(f"write_rtlil -selected {config.BUILD / name}.mapped.il", design)


main(sys.argv[1])

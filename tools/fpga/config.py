# SPDX-License-Identifier: Apache-2.0
"""What `make synth` builds: the top's sizes, the blocks that are counted, the device."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import config_pkg  # noqa: E402
import rtl_sources  # noqa: E402

ROOT = rtl_sources.ROOT
# `synth.py --profile NAME` passes the profile in the environment, which the processes that build blocks inherit.
PROFILE = os.environ.get("GMMU_FPGA_PROFILE", "default")
# The boards of constraints/, each with its top and the clock that it must reach.
BOARDS = {"ulx3s": {"top": "gmmu_ulx3s", "package": "CABGA381", "mhz": 80, "seed": 1, "parameters": {}}}
# Suffix of a board whose serial line has the bit rate of the simulated board (sim/board_pins);
# nothing else differs. `make netlist-smoke` uses it.
SIMULATED = "-simulated"
BOARDS.update({name + SIMULATED: {**board, "parameters": {"BitsPerSecond": 20_000_000}} for name, board in BOARDS.items()})
BOARD = BOARDS.get(PROFILE)
CELLS = ("EHXPLLL", "ODDRX1F", "OFS1P3BX", "OFS1P3DX", "IFS1P3DX", "BB")   # of the device, in a board's top
TOP = BOARD["top"] if BOARD else rtl_sources.TOP
WRAPPER = TOP if BOARD else "gmmu_pins"   # the top that is placed
BUILD = ROOT / (f"build/boards/{PROFILE}" if BOARD else "build/fpga" if PROFILE == "default" else f"build/fpga-{PROFILE}")
CONSTRAINTS = ROOT / "constraints" / (PROFILE.removesuffix(SIMULATED) if BOARD else "ecp5-85f")

# Ports that a size of 0 removes, by name prefix. They are not connected to pins: their inputs are
# 0, and their outputs are open.
LEFT_OUT = {"EventPort": "ev_", "ThroughPorts": "s_thr_", "LinkPort": "s_peer_"}
# The profiles of rtl/pkg/sizes.json. Gowin's GW2AR-18 is too small for the smallest GPU, so only the MMU is built (gowin.py).
PROFILES = {"default": "Fpga", "board": "FpgaBoard", "tang-nano-20k": "MmuOnly"}
if PROFILE == "tang-nano-20k":
    TOP = "gmmu_mmu"
SIZES_PROFILE = "Board" if BOARD else PROFILES[PROFILE]
SIZES = config_pkg.profile(SIZES_PROFILE)
MACROS = {"GMMU_PROFILE": SIZES_PROFILE}
# The sizes as text for reports.
SIZES_TEXT = ", ".join(f"{name} {value}" for name, value in SIZES.items())

# Modules whose cells are counted. The count of a module includes its submodules, except those that
# this list also contains.
BLOCKS = (
    "gmmu_mmu", "gmmu_l1", "gmmu_l1_shared", "gmmu_lookup", "gmmu_walk_table", "gmmu_fill", "gmmu_control",
    "gmmu_engine", "gmmu_dma_ring", "gmmu_dma_fetch", "gmmu_dma_command", "gmmu_dma_mover",
    "gmmu_client_port", "gmmu_client", "gmmu_traffic",
    "gmmu_axi_mux", "gmmu_regs", "gmmu_reg_port", "gmmu_counters", "gmmu_fault_log", "gmmu_interrupts",
    "gmmu_window", "gmmu_aperture_map", "gmmu_ctl_arbiter", "gmmu_isolator", "gmmu_gpu",
    "gmmu_peer_port", "gmmu_reset",
    "gmmu_sdram", "gmmu_link", "gmmu_link_down", "gmmu_link_access", "gmmu_link_host_port", "gmmu_board_regs", "gmmu_board",
)

# Target delay in picoseconds. Without a target, abc9 optimises all paths for speed, at up to twice the LUTs. synth_ecp5
# assumes 300 ps for a wire, a quarter of the real delay.
SCRATCHPAD = {"abc9.D": 2800}
SHORT_CHAIN = 8  # maximum width, in bits, of an adder or comparator that is mapped to LUTs
LATCHES = "t:$dlatch t:$adlatch t:$dlatchsr t:$sr t:$_DLATCH_*"

PACKAGE = BOARD["package"] if BOARD else "CABGA756"
DEVICE = ("--85k", "--package", PACKAGE, "--speed", "6", *(() if BOARD else ("--lpf-allow-unconstrained",)))
DEVICE_NAME = f"ECP5-85F (LFE5U-85F-6, {PACKAGE})"
AIM_MHZ = 100     # clock target of placer and router; a board's clock comes from its PLL
TARGET_MHZ = BOARD["mhz"] if BOARD else 70   # a lower clock is an error
SEED = BOARD["seed"] if BOARD else 2         # seed of the placer

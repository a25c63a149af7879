#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make netlist-smoke: runs jobs on a board's mapped netlist, the very cells that nextpnr places, in place of its RTL.

  netlist_smoke.py BOARD            Yosys, then the jobs of JOBS over `gmmu run --engine board --port sim`
  netlist_smoke.py BOARD --plant    the same with one LUT inverted, in each of the blocks of PLANTED

The netlist differs from the bitstream's netlist only in parameter BitsPerSecond (config.SIMULATED). --seed draws the
LUTs, and the values that the netlist leaves undefined. Each job first runs on the Verilated RTL of the board, and the
counters of TLBs and walks must be equal: a TLB that never hits is slow, not wrong. Exit status 1: a job did not end as
expected, or a planted fault was not detected.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "fpga"))
if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):  # must be set before config is imported
    os.environ["GMMU_FPGA_PROFILE"] = sys.argv[1] + "-simulated"
import config  # noqa: E402
import flow  # noqa: E402
import netlist_sim  # noqa: E402

PLANTED = ("gmmu_lookup", "gmmu_walk_table", "gmmu_dma_mover", "gmmu_link_access")
DRAWS = 8  # LUTs tried per block, because some serve an unused client or address bits that no job uses
COUNTED = {"gpu_l2": ("l2_hits", "l2_misses"), "gpu_walker": ("walks", "walks_ok", "table_reads"),
           "gpu_walk_cache": ("wc_lookups", "wc_hits"), "gpu_mmu": ("invalidations",)}  # independent of timing
UNMAPPED = "[inject]\nunmapped_page = true\n"
LIMIT, PLANT_LIMIT = 3600, 600  # limits in seconds: a job; a job with a planted fault, which fails at the limit
# A job has a name, the size of the input file, arguments, the exit status and a text that the report must contain.
# resizable-root expects two kinds of translation faults, one of them at addresses that were mapped
# before, so it detects a missing TLB flush.
Job = collections.namedtuple("Job", "name bytes arguments status text")
JOBS = (
    Job("one byte", 1, (), 0, "verified"),
    Job("IOMMU fault", 1, ("--config", "unmapped.toml"), 1, "no read permission"),
    Job("translation faults, TLB flushes", 0, ("--scenario", "resizable-root"), 0, "verified"),
)


def job(what, seed, limit=LIMIT, counted=None, program=None):
    """Runs one job. Returns (whether it ended as expected, cycles, seconds, last lines of output, counters). `counted`:
    the expected counters, {} for any; `program`: None for the netlist, else the RTL's program."""
    (config.BUILD / "unmapped.toml").write_text(UNMAPPED)
    report = config.BUILD / "report.json"
    names = {} if program else {"GMMU_NETLIST": "netlist.txt"}
    program = program or config.BUILD / "gmmu"
    report.unlink(missing_ok=True)
    arguments = [str(program), "run", "--engine", "board", "--port", "sim", "--json", report.name, *what.arguments]
    if what.bytes:
        (config.BUILD / "input").write_bytes(random.Random(seed).randbytes(what.bytes))
        arguments.insert(2, "input")
    start = time.monotonic()
    try:
        done = subprocess.run(arguments, cwd=config.BUILD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=limit, env={**os.environ, **names})
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        status, output = None, f"stopped after {limit} s"
    read = json.loads(report.read_text()) if report.exists() else {}
    blocks = read.get("counters", {})
    found = {f"{block} {name}": blocks[block][name] for block, names in COUNTED.items() if block in blocks for name in names}
    wrong = [f"{name}: {found.get(name)}, the RTL {value}" for name, value in (counted or {}).items() if found.get(name) != value]
    good = status == what.status and what.text in output and not wrong
    return good, read.get("cycles", 0), time.monotonic() - start, output.splitlines()[-12:] + wrong[:4], found


def rtl_counts(program, seed):
    """{job: its counters on the Verilated RTL of the board}."""
    counts = {}
    for what in JOBS:
        good, cycles, seconds, said, counts[what.name] = job(what, seed, program=program)
        if not good or not counts[what.name]:
            raise flow.Failed("\n    ".join([f"{what.name} fails on the RTL of the board", *said]))
        print(f"{'rtl':7} {what.name:32} {cycles:9} cycles {seconds:6.0f} s", flush=True)
    return counts


def smoke(seed, counts):
    """Runs every job; returns 1 if some did not end as expected."""
    failed = 0
    for what in JOBS:
        good, cycles, seconds, said, _ = job(what, seed, counted=counts[what.name])
        failed += not good
        print(f"{'ok' if good else 'FAILED':7} {what.name:32} {cycles:9} cycles {seconds:6.0f} s {cycles / seconds:9.0f} cycles/s", flush=True)
        if not good:
            print("    " + "\n    ".join(said))
    print(f"netlist-smoke: {f'{failed} jobs failed' if failed else 'all jobs ended as they must'} (seed {seed})")
    return 1 if failed else 0


def plant(design, seed, counts):
    """Inverts a LUT in each block of PLANTED in turn: one of the jobs must fail, for at least one of DRAWS LUTs."""
    unnoticed = 0
    for block in PLANTED:
        unnoticed += not any(plant_one(design, seed, name, counts)
                             for name in random.Random(f"{seed} {block}").sample(netlist_sim.luts(design)[block], DRAWS))
    print(f"netlist-smoke: planted faults were noticed in {len(PLANTED) - unnoticed} of {len(PLANTED)} blocks (seed {seed})")
    return 1 if unnoticed else 0


def plant_one(design, seed, name, counts):
    """Whether a job fails with that LUT inverted."""
    netlist_sim.write(design, seed, name)
    for what in JOBS:
        good, _, seconds, said, _ = job(what, seed, PLANT_LIMIT, counts[what.name])
        if not good:
            print(f"noticed by {what.name} ({seconds:.0f} s): {name}\n    {(said or ['nothing was said'])[-1].strip()}", flush=True)
            return True
    print(f"not noticed by any job: {name}", flush=True)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", choices=sorted(name for name in config.BOARDS if not name.endswith(config.SIMULATED)))
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=pathlib.Path, default=config.ROOT / "build/gmmu", help="the program gmmu")
    args = parser.parse_args()
    print(f"netlist-smoke: {config.TOP} as {config.DEVICE_NAME}", flush=True)
    try:
        flow.netlist()
        netlist_sim.build()
        design = netlist_sim.module()
        netlist_sim.write(design, args.seed)
        shutil.copy2(args.program, config.BUILD / "gmmu")  # the program starts the simulator that is in its own folder
        counts = rtl_counts(args.program.resolve(), args.seed)
    except flow.Failed as failure:
        print(f"{failure}\nnetlist-smoke: failed")
        return 1
    return plant(design, args.seed, counts) if args.plant else smoke(args.seed, counts)


if __name__ == "__main__":
    sys.exit(main())

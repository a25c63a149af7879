# SPDX-License-Identifier: Apache-2.0
"""make synth: places and routes the GPU top for an ECP5. The last line is the clock frequency.

  netlist  the top between two shift registers (constraints/ecp5-85f), flat, its cells counted by block
  whole    placed and routed
  fails    on a latch, an undriven or doubly driven net, and on a clock below config.TARGET_MHZ
"""
import time

import brams
import config
import count
import estimate
import flow
import generic
import place
import report


def yosys():
    """Everything before place and route; returns the blocks and the netlist's hash."""
    if generic.check(config.TOP, [f"{name}={value}" for name, value in config.PARAMETERS.items()], elaborate=True) != 0:
        raise flow.Failed("the sources are not fit for synthesis")
    return flow.netlist()


def whole(blocks, netlist, docs):
    """Runs place and route and prints the result; returns the exit status."""
    status, seconds = place.run(netlist)
    counts = count.cells(blocks, place.PLACED, count.PLACED)
    mhz, path = report.path(blocks, place.REPORT)
    lines = [*report.blocks(blocks, counts, "placed"), "", *path]
    print("\n" + "\n".join(lines))
    late = mhz < config.TARGET_MHZ
    if status != 0:
        print(f"synth: nextpnr ended with exit status {status}")
    else:
        report.write_json(counts, mhz, seconds)
    if late:
        print(f"synth: below {config.TARGET_MHZ} MHz")
    if docs:
        report.write_page([*lines, f"place and route {seconds:.0f} s", f"Fmax {mhz:.1f} MHz"])
    print(f"Fmax {mhz:.1f} MHz")
    return 1 if status != 0 or late else 0


def estimated(pattern):
    """Prints the estimate for the matching paths; exit status 2 without a netlist."""
    if not estimate.NETLIST.exists():
        print(f"there is no {estimate.NETLIST.relative_to(config.ROOT)} yet: run tools/synth.py --yosys first")
        return 2
    print("\n".join(estimate.table(pattern, 60)))
    return 0


def spread():
    """Chooses new sites for the block RAMs; exit status 2 without a placement."""
    if not place.PLACED.exists():
        print(f"there is no {place.PLACED.relative_to(config.ROOT)} yet: run tools/synth.py first")
        return 2
    number = brams.spread(place.PLACED)
    print(f"{brams.FILE.relative_to(config.ROOT)}: {number} block RAMs")
    return 0


def main(only_yosys=False, docs=False):
    start = time.monotonic()
    print(f"synth: {config.TOP} for {config.DEVICE_NAME}\n  {config.SIZES_TEXT}", flush=True)
    try:
        blocks, netlist = yosys()
        if not only_yosys:
            return whole(blocks, netlist, docs)
        counts = count.cells(blocks, estimate.NETLIST, count.MAPPED)
        lines = [*report.blocks(blocks, counts, "before placement"), "", *estimate.table(most=5)]
        print("\n" + "\n".join(lines))
        if docs:
            report.write_page(lines)
        print(f"synth: no latch, no undriven and no doubly driven net ({time.monotonic() - start:.0f} s)")
        return 0
    except flow.Failed as failure:
        print(f"{failure}\nsynth: failed")
        return 1

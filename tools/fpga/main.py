# SPDX-License-Identifier: Apache-2.0
"""make synth: the GPU top, placed and routed for an ECP5. The last line is the clock's frequency.

  blocks   each block synthesised on its own, equal instances once
  whole    the blocks joined between two shift registers (constraints/ecp5-85f), placed and routed
  fails    on a latch, an undriven or doubly driven net, a block whose placed count differs by more than 10 % from the
           block alone, and with nextpnr when it misses the clock
"""
import time

import config
import estimate
import flow
import generic
import place
import report


def yosys():
    """The part without place and route; returns the blocks and the netlist's hash, or nothing after an error."""
    if generic.check(config.TOP, [f"{name}={value}" for name, value in config.PARAMETERS.items()], elaborate=True) != 0:
        raise flow.Failed("the sources are not fit for synthesis")
    blocks = flow.elaborate()
    flow.synthesise(blocks)
    return blocks, flow.link(blocks)


def whole(blocks, netlist, docs):
    """Place and route, and what it says; the exit status."""
    status = place.run(netlist)
    table, wrong, figures = report.blocks(blocks, place.PLACED)
    mhz, path = report.path(blocks, place.REPORT)
    lines = [*table, "", *path]
    print("\n" + "\n".join(lines))
    if wrong:
        print("synth: placed and alone differ by more than 10 %: " + ", ".join(wrong))
    if status != 0:
        print(f"synth: nextpnr ended with exit status {status} at a target of {config.TARGET_MHZ} MHz")
    else:
        report.write_json(figures, mhz)
    if docs:
        report.write_page([*lines, f"Fmax {mhz:.1f} MHz"])
    print(f"Fmax {mhz:.1f} MHz")
    return 1 if wrong or status != 0 else 0


def estimated(pattern):
    """The estimate for the paths that match; exit status 2 without a netlist."""
    if not estimate.NETLIST.exists():
        print(f"there is no {estimate.NETLIST.relative_to(config.ROOT)} yet: run tools/synth.py --yosys first")
        return 2
    print("\n".join(estimate.table(pattern, 60)))
    return 0


def main(only_yosys=False, docs=False):
    start = time.monotonic()
    sizes = ", ".join(f"{name} {value}" for name, value in {**config.PARAMETERS, **config.MACROS}.items())
    print(f"synth: {config.TOP} for {config.DEVICE_NAME}\n  {sizes}", flush=True)
    try:
        blocks, netlist = yosys()
        if not only_yosys:
            return whole(blocks, netlist, docs)
        lines = [*report.alone(blocks), "", *estimate.table(most=5)]
        print("\n" + "\n".join(lines))
        if docs:
            report.write_page(lines)
        print(f"synth: no latch, no undriven and no doubly driven net ({time.monotonic() - start:.0f} s)")
        return 0
    except flow.Failed as failure:
        print(f"{failure}\nsynth: failed")
        return 1

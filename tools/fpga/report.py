# SPDX-License-Identifier: Apache-2.0
"""Tables of `make synth`."""
import json

import config
import count
import timing

HEAD = f"{'block':20} {'of':>2} | {'LUT':>6} {'FF':>6} {'BRAM':>4} {'DSP':>4} | {'LUT':>6} {'FF':>6} {'BRAM':>4} | difference"
TOLERANCE = 0.10
BEGIN, END = "<!-- written by tools/synth.py --docs -->", "<!-- end -->"
LATE = 12   # registers that are named as late
SMALL = 20  # cells: below that a difference of some cells is no share


def compare(placed, alone):
    """Share by which the placed whole differs from the sum of the blocks alone."""
    worst = 0.0
    for kind in ("lut", "ff", "bram"):
        difference = abs(placed[kind] - alone[kind])
        if difference > SMALL or alone[kind] > 10 * SMALL:
            worst = max(worst, difference / max(alone[kind], 1))
    return worst


def alone(found):
    """Lines: what each block takes on its own, before placement."""
    counts = count.alone(found)
    total = dict.fromkeys(count.KINDS, 0)
    lines = ["blocks alone, not placed", f"{'block':20} {'of':>2} | {'LUT':>6} {'FF':>6} {'BRAM':>4} {'DSP':>4} | "
             "times instances: LUT, FF"]
    for name, block in found.items():
        number, own = len(block["paths"]), counts[name]
        for kind in count.KINDS:
            total[kind] += number * own[kind]
        lines.append(f"{name:20} {number:2} | {own['lut']:6} {own['ff']:6} {own['bram']:4} {own['dsp']:4} |"
                     f" {number * own['lut']:6} {number * own['ff']:6}")
    lines.append(f"{'total':23} | {total['lut']:6} {total['ff']:6} {total['bram']:4} {total['dsp']:4} |"
                 " of 83640 LUT, 83640 FF, 208 BRAM, 156 DSP")
    return lines


def blocks(found, netlist):
    """Lines of the table, the blocks whose counts disagree, and the figures by block."""
    placed, single = count.placed(found, netlist), count.alone(found)
    total, wrong, figures = dict.fromkeys(count.KINDS, 0), [], {}
    lines = [f"{'':24}| placed, all instances     | alone, times instances", HEAD]
    for name, block in found.items():
        number, own = len(block["paths"]), placed[name]
        expected = {kind: number * single[name][kind] for kind in count.KINDS}
        share = compare(own, expected)
        if share > TOLERANCE:
            wrong.append(name)
        for kind in count.KINDS:
            total[kind] += own[kind]
        figures[name] = {"instances": number, "paths": block["paths"], "lut4": number * single[name]["lut4"], "comb": own["lut"], "ff": own["ff"],
                         "bram": own["bram"], "dsp": own["dsp"]}
        lines.append(f"{name:20} {number:2} | {own['lut']:6} {own['ff']:6} {own['bram']:4} {own['dsp']:4} | "
                     f"{expected['lut']:6} {expected['ff']:6} {expected['bram']:4} | {100 * share:4.1f} %"
                     + ("  DISAGREES" if share > TOLERANCE else ""))
    added = placed[count.OWN]
    total["lut"] += added["lut"]
    lines.append(f"{count.OWN:23} | {added['lut']:6} {added['ff']:6} {added['bram']:4} {added['dsp']:4} |"
                 " ends of carry chains, constants")
    lines.append(f"{'total':23} | {total['lut']:6} {total['ff']:6} {total['bram']:4} {total['dsp']:4} |"
                 f" of 83640 LUT, 83640 FF, 208 BRAM, 156 DSP")
    return lines, wrong, figures


def path(found, report):
    """MHz, and lines that follow the worst path through the blocks."""
    paths = {path: name for name, block in found.items() for path in block["paths"]}
    mhz, worst = timing.read(report)
    lines = [f"worst path, {1000 / mhz:.1f} ns:"]
    for block, logic, routing, first, last in timing.by_block(worst, paths):
        lines.append(f"  {block:20} logic {logic:5.2f} ns, routing {routing:5.2f} ns  "
                     f"{timing.short(first)} -> {timing.short(last)}")
    period = 1000 / config.TARGET_MHZ
    late = timing.late(report, period)
    lines.append(f"end points later than {period:.1f} ns: {sum(number for _, number, _ in late)}")
    for ns, number, name in late[:LATE]:
        lines.append(f"  {ns:5.1f} ns {number:4}  {name}")
    return mhz, lines


def write_json(figures, mhz):
    """build/synth.json, which other tools show."""
    sizes = ", ".join(f"{name} {value}" for name, value in {**config.PARAMETERS, **config.MACROS}.items())
    total = {key: sum(block[key] for block in figures.values()) for key in ("lut4", "comb", "ff", "bram", "dsp")}
    (config.ROOT / ("build/synth.json" if config.PROFILE == "default" else f"build/synth-{config.PROFILE}.json")).write_text(json.dumps({
        "config": f"64-bit AXI, 48-bit VA, {sizes}", "device": config.DEVICE_NAME, "fmax_mhz": round(mhz, 1),
        "blocks": figures, "total": total}, indent=1) + "\n")


def write_page(lines):
    """docs/fpga.md: the part between its marks."""
    page = config.ROOT / "docs/fpga.md"
    before, begin, rest = page.read_text().partition(BEGIN)
    end = rest.partition(END)
    page.write_text(before + begin + "\n```\n" + "\n".join(lines) + "\n```\n" + END + end[2])

# SPDX-License-Identifier: Apache-2.0
"""The tables of `make synth`."""
import json

import config
import count
import timing

BEGIN, END = "<!-- written by tools/synth.py --docs -->", "<!-- end -->"
LATE = 12   # number of late registers that the report lists


def blocks(found, counts, title):
    """Printable lines: the cells of each block, all instances together."""
    total = dict.fromkeys(count.KINDS, 0)
    lines = [title, f"{'block':20} {'of':>2} | {'LUT':>6} {'FF':>6} {'BRAM':>4} {'DSP':>4}"]
    rows = [(name, str(len(paths)), paths) for name, paths in found.items()]
    if counts[count.OWN]:
        rows.append((count.OWN, "", [count.OWN]))
    for name, number, paths in rows:
        own = {kind: sum(counts[path][kind] for path in paths) for kind in count.KINDS}
        for kind in count.KINDS:
            total[kind] += own[kind]
        lines.append(f"{name:20} {number:>2} | {own['lut']:6} {own['ff']:6} {own['bram']:4} {own['dsp']:4}")
    lines.append(f"{'total':23} | {total['lut']:6} {total['ff']:6} {total['bram']:4} {total['dsp']:4}"
                 " | of 83640 LUT, 83640 FF, 208 BRAM, 156 DSP")
    return lines


def path(found, report):
    """(MHz, printable lines along the worst path through the blocks)."""
    paths = {path: name for name, instances in found.items() for path in instances}
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


def write_json(counts, mhz, seconds):
    """Writes build/synth.json for other tools: the cells of each block instance, by path."""
    sizes = ", ".join(f"{name} {value}" for name, value in {**config.PARAMETERS, **config.MACROS}.items())
    name = "synth.json" if config.PROFILE == "default" else f"synth-{config.PROFILE}.json"
    (config.ROOT / "build" / name).write_text(json.dumps({
        "config": f"64-bit AXI, 48-bit VA, {config.SIZES_TEXT}", "device": config.DEVICE_NAME, "fmax_mhz": round(mhz, 1),
        "place_seconds": round(seconds),
        "cells": {path: {kind: own[kind] for kind in count.KINDS} for path, own in counts.items()}}, indent=1) + "\n")


def write_page(lines):
    """Writes the part of docs/fpga.md between its marks."""
    page = config.ROOT / "docs/fpga.md"
    before, begin, rest = page.read_text().partition(BEGIN)
    end = rest.partition(END)
    page.write_text(before + begin + "\n```\n" + "\n".join(lines) + "\n```\n" + END + end[2])

# SPDX-License-Identifier: Apache-2.0
"""Cells by block: of each block synthesised alone, and of the whole after placement."""
import collections
import json
import re

import config

KINDS = ("lut", "ff", "bram", "dsp")
# What one mapped cell takes of the device: a carry cell two LUT sites, 16 words of 4 bits of LUT RAM six (two write).
ALONE = {"LUT4": ("lut", 1), "CCU2C": ("lut", 2), "TRELLIS_DPR16X4": ("lut", 6), "TRELLIS_FF": ("ff", 1),
         "DP16KD": ("bram", 1), "PDPW16KD": ("bram", 1), "MULT18X18D": ("dsp", 1)}
OWN = "by nextpnr"
PLACED = {"TRELLIS_COMB": "lut", "TRELLIS_FF": "ff", "DP16KD": "bram", "MULT18X18D": "dsp"}


def alone(blocks):
    """{block: {kind: count}}, children not counted."""
    counts = {}
    for name in blocks:
        counts[name] = collections.Counter()
        for cell in re.findall(r"^  cell \\(\S+) ", (config.BUILD / f"{name}.mapped.il").read_text(), re.M):
            if cell in ALONE:
                kind, number = ALONE[cell]
                counts[name][kind] += number
            if cell == "LUT4":
                counts[name]["lut4"] += 1
    return counts


def owner(cell, paths):
    """The path of the innermost block instance that a cell of the flat netlist lies in."""
    parts = cell.split(".")
    for length in range(len(parts) - 1, 0, -1):
        path = ".".join(parts[:length])
        if path in paths:
            return path
    return ""


def placed(blocks, netlist):
    """{block: {kind: count}}, all instances of a block together; OWN: what nextpnr adds, mostly ends of carry chains."""
    paths = {path: name for name, block in blocks.items() for path in block["paths"]}
    counts = {name: collections.Counter() for name in [*blocks, OWN]}
    cells = json.loads(netlist.read_text())["modules"]
    for module in cells.values():
        for name, cell in module["cells"].items():
            if cell["type"] in PLACED:
                block = OWN if name.startswith(("$nextpnr", "$PACKER")) else paths[owner(name, paths)]
                counts[block][PLACED[cell["type"]]] += 1
    return counts

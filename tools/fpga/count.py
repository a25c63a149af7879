# SPDX-License-Identifier: Apache-2.0
"""Counts cells by block instance, in the netlist before and after placement."""
import collections
import json

KINDS = ("lut", "ff", "bram", "dsp")
# Resources per mapped cell: a carry cell occupies two LUT sites; a 16 x 4 LUT RAM occupies six, two of them for
# writing.
MAPPED = {"LUT4": ("lut", 1), "CCU2C": ("lut", 2), "TRELLIS_DPR16X4": ("lut", 6), "TRELLIS_FF": ("ff", 1),
          "DP16KD": ("bram", 1), "PDPW16KD": ("bram", 1), "MULT18X18D": ("dsp", 1)}
PLACED = {"TRELLIS_COMB": ("lut", 1), "TRELLIS_FF": ("ff", 1), "DP16KD": ("bram", 1), "MULT18X18D": ("dsp", 1)}
OWN = "by nextpnr"  # cells that nextpnr adds: the ends of carry chains, and constants


def owner(cell, paths):
    """The path of the innermost block instance that contains a cell of the flat netlist."""
    parts = cell.split(".")
    for length in range(len(parts) - 1, 0, -1):
        path = ".".join(parts[:length])
        if path in paths:
            return path
    return ""


def flat(netlist):
    """The cells of a netlist with one module, which nextpnr renames."""
    return next(iter(json.loads(netlist.read_text())["modules"].values()))["cells"]


def cells(blocks, netlist, kinds):
    """{path of a block instance, or OWN: {kind: count}}; nested instances are counted separately."""
    paths = {path for found in blocks.values() for path in found}
    counts = {path: collections.Counter() for path in (*paths, OWN)}
    for name, cell in flat(netlist).items():
        if cell["type"] in kinds:
            kind, number = kinds[cell["type"]]
            counts[OWN if name.startswith(("$nextpnr", "$PACKER")) else owner(name, paths)][kind] += number
    return counts

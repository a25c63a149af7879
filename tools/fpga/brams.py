# SPDX-License-Identifier: Apache-2.0
"""Spreads the block RAMs over the device: constraints/ecp5-85f/brams.txt, one line "cell place" per block RAM.

A block RAM has some eighty wires. The placer fills one of the four rows of sites completely, and no router can route
all of its wires. Here, three of every five adjacent sites are used, each RAM as near as possible to the cells that it
is connected to. The placer chooses the site of a RAM that the file does not list.
"""
import collections
import random
import re
import statistics

import config
import count

FILE = config.CONSTRAINTS / "brams.txt"
ROWS = (22, 46, 70, 82)  # block RAM rows of the LFE5U-85F
COLUMNS = [(start + 9 * group + 2 * n, n) for start, groups in ((4, 7), (69, 6)) for group in range(groups) for n in range(4)]
USED = (0, 2, 4)         # sites that are used in each group of five adjacent sites
FAR = 40                 # nets with more sinks are ignored when RAMs are placed
SWAPS, SEED = 3_000_000, 1


def read():
    """{cell: place}"""
    return dict(line.split() for line in FILE.read_text().splitlines()) if FILE.exists() else {}


def sites():
    return [(x, y, f"X{x}/Y{y}/EBR{n}") for row, y in enumerate(ROWS) for at, (x, n) in enumerate(COLUMNS)
            if (at + row) % 5 in USED]


def wanted(cells):
    """{RAM: (x, y) at the centre of the cells that it is connected to}."""
    place, users = {}, collections.defaultdict(list)
    for name, cell in cells.items():
        found = re.match(r"X(\d+)/Y(\d+)/", cell["attributes"].get("NEXTPNR_BEL", ""))
        if found:
            place[name] = (int(found.group(1)), int(found.group(2)))
            for net in {net for nets in cell["connections"].values() for net in nets if isinstance(net, int)}:
                users[net].append(name)
    middle = {}
    for name, cell in cells.items():
        if cell["type"] == "DP16KD":
            near = [place[other] for nets in cell["connections"].values() for net in nets
                    if 1 < len(users.get(net, ())) <= FAR for other in users[net] if other != name]
            middle[name] = tuple(statistics.median_low(axis) for axis in zip(*near))
    return middle


def spread(placed):
    """Writes the file from a placed netlist."""
    middle = wanted(count.flat(placed))
    free = sites()
    if len(middle) > len(free):
        raise ValueError(f"{len(middle)} block RAMs, {len(free)} sites")
    rams = sorted(middle) + [None] * (len(free) - len(middle))
    chance = random.Random(SEED)

    def cost(ram, site):
        return 0 if ram is None else abs(middle[ram][0] - site[0]) + abs(middle[ram][1] - site[1])

    for _ in range(SWAPS):
        i, j = chance.randrange(len(rams)), chance.randrange(len(rams))
        if cost(rams[j], free[i]) + cost(rams[i], free[j]) <= cost(rams[i], free[i]) + cost(rams[j], free[j]):
            rams[i], rams[j] = rams[j], rams[i]
    FILE.write_text("".join(sorted(f"{ram} {site[2]}\n" for ram, site in zip(rams, free) if ram)))
    return len(middle)

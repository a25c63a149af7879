# SPDX-License-Identifier: Apache-2.0
"""Reads nextpnr's timing report: the clock frequency and its worst path, by blocks."""
import collections
import json
import re

import count


def read(report):
    """(MHz, worst path within the clock)."""
    data = json.loads(report.read_text())
    mhz = min(clock["achieved"] for clock in data["fmax"].values())
    paths = [path["path"] for path in data["critical_paths"]
             if path["from"].startswith("posedge") and path["to"].startswith("posedge")]
    return mhz, max(paths, key=lambda path: sum(step["delay"] for step in path), default=[])


def late(report, period):
    """The end points with more delay than `period` ns: [[worst ns, how many, register]], the worst first."""
    groups = collections.defaultdict(lambda: [0.0, 0])
    for net in json.loads(report.read_text()).get("detailed_net_timings", []):
        for end in net["endpoints"]:
            if net["event"].startswith("posedge") and max(end["delay"]) > period:
                group = groups[re.sub(r"\[\d+\]", "[*]", short(end["cell"])) + "." + end["port"]]
                group[0] = max(group[0], max(end["delay"]))
                group[1] += 1
    return sorted(([ns, number, name] for name, (ns, number) in groups.items()), reverse=True)


def by_block(path, paths):
    """The stages of the path through the blocks: [[block, logic ns, routing ns, first cell, last cell]]."""
    stages = []
    for step in path:
        cell = step["to"]["cell"]
        block = paths.get(count.owner(cell, paths), "")
        if not stages or stages[-1][0] != block:
            stages.append([block, 0.0, 0.0, step["from"]["cell"], cell])
        stages[-1][2 if step["type"] == "routing" else 1] += step["delay"]
        stages[-1][4] = cell
    return stages


def short(cell):
    """The signal that a mapped cell's name begins with."""
    for mark in ("_LUT4", "_PFUMX", "_L6MUX21", "_TRELLIS", "_CCU2C", "_DPR", "$"):
        cell = cell.split(mark)[0]
    return cell

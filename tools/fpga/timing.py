# SPDX-License-Identifier: Apache-2.0
"""nextpnr's timing report: the clock's frequency and its worst path, by blocks."""
import json

import count


def read(report):
    """(MHz, worst path inside the clock)."""
    data = json.loads(report.read_text())
    mhz = min(clock["achieved"] for clock in data["fmax"].values())
    paths = [path["path"] for path in data["critical_paths"]
             if path["from"].startswith("posedge") and path["to"].startswith("posedge")]
    return mhz, max(paths, key=lambda path: sum(step["delay"] for step in path), default=[])


def by_block(path, paths):
    """The path's way through the blocks: [[block, logic ns, routing ns, first cell, last cell]]."""
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

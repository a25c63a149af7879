# SPDX-License-Identifier: Apache-2.0
"""The rooms of sw/ and sim/ and the order in which they stand on each other.

A room is a folder with sources. Its files may include their own room and every room below it: those that its row
names, and those that these stand on.
"""
import pathlib

import tree

# Room -> the rooms that it stands on.
ROOMS = {
    "sw/base": (),
    "sw/settings": ("sw/base",),
    "sw/ddi": ("sw/base",),
    "sw/hw": ("sw/base", "sw/settings"),
    "sw/kmd": ("sw/ddi", "sw/hw"),
    "sw/kmd/build": ("sw/kmd",),
    "sw/os/kernel": ("sw/ddi", "sw/hw"),
    "sw/os/miniport": ("sw/os/kernel",),
    "sw/os/memory": ("sw/os/miniport",),
    "sw/os/vidsch": ("sw/os/miniport",),
    "sw/os/dxgkrnl": ("sw/os/memory", "sw/os/vidsch"),
    "sw/os/tables": ("sw/os/dxgkrnl",),
    "sw/os/vidmm": ("sw/os/tables",),
    "sw/os/application": ("sw/os/vidmm",),
    "sw/workload": ("sw/kmd", "sw/os/application"),
    "sw/workload/procedures": ("sw/workload",),
    "sw/report": ("sw/workload",),
    "sw/app": ("sw/report", "sw/workload/procedures", "sim/platform"),
    "sim/memory": ("sw/hw",),
    "sim/pcie": ("sw/hw",),
    "sim/gpu_link": ("sw/hw",),
    "sim/iommu": ("sw/hw",),
    "sim/probe": ("sim/memory",),
    "sim/gpu": ("sim/pcie", "sim/probe"),
    "sim/platform": ("sim/gpu", "sim/iommu", "sim/gpu_link"),
    "sim/twin": ("sim/platform",),
}

# Includes that point upward all the same: (file, header) -> why.
EXCEPTIONS = {
    ("sw/workload/scenario.cc", "sw/workload/procedures/procedures.h"): "a scenario names the procedure that it runs",
}


def below(room):
    """The rooms that `room` may include, itself among them."""
    found = {room}
    for lower in ROOMS[room]:
        found |= below(lower)
    return found


def errors(files=None, exceptions=None):
    """Includes that point upward, rooms without a row, exceptions without use.

    `files` maps paths to their text: those of the checkout unless given. `exceptions` likewise.
    """
    if files is None:
        files = tree.texts(("sw", "sim"), (".h", ".cc"))
    unused = dict(EXCEPTIONS if exceptions is None else exceptions)
    room_of = {path: str(pathlib.PurePosixPath(path).parent) for path in files}
    found = [f"{room}: this room has no row in tools/rooms.py" for room in sorted(set(room_of.values()) - set(ROOMS))]
    for path, text in sorted(files.items()):
        if room_of[path] not in ROOMS:
            continue
        allowed = below(room_of[path])
        for number, header in tree.includes(text):
            for target in (f"sw/{header}", f"sim/{header}"):
                room = str(pathlib.PurePosixPath(target).parent)
                if room not in ROOMS or room in allowed or unused.pop((path, target), None):
                    continue
                found.append(f"{path}:{number}: includes {header}, but {room_of[path]} does not stand on {room}")
    found += [f"tools/rooms.py: {path} does not include {header}; remove this exception" for path, header in unused]
    return found

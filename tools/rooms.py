# SPDX-License-Identifier: Apache-2.0
"""The rooms of sw/ and sim/ and the order in which they stand on each other.

A room is a folder with sources. Its files may include their own room and every room below it: those that its row
names, and those that these stand on. Of the operating system the rooms above it include the application's classes and
plain values only.
"""
import pathlib

import tree

# Room -> the rooms that it may include.
ROOMS = {
    "sw/base": (),
    "sw/settings": ("sw/base",),
    "sw/ddi": ("sw/base",),
    "sw/trace": ("sw/base",),
    "sw/hw": ("sw/base", "sw/settings"),
    "sw/events": ("sw/hw",),
    "sw/kmd": ("sw/ddi", "sw/hw"),
    "sw/kmd/build": ("sw/kmd",),
    "sw/os/base": ("sw/ddi", "sw/hw"),
    "sw/os/guard": ("sw/os/base",),
    "sw/os/threads": ("sw/os/guard",),
    "sw/os/hal": ("sw/os/threads",),
    "sw/os/kernel": ("sw/os/hal",),
    "sw/os/wdm": ("sw/os/kernel",),
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
    "sw/replay": ("sw/report", "sw/trace", "sw/events"),
    "sw/app": ("sw/replay", "sw/workload/procedures", "sim/platform", "sim/twin", "sim/board", "sim/device"),
    "sw/gmmu": ("sw/app",),
    "sw/python": ("sw/gmmu",),
    "sim/memory": ("sw/hw",),
    "sim/pcie": ("sw/hw",),
    "sim/gpu_link": ("sw/hw",),
    "sim/iommu": ("sw/hw",),
    "sim/board_link": ("sw/hw",),
    "sim/board_pins": ("sw/base",),
    "sim/probe": ("sim/memory",),
    "sim/gpu": ("sim/pcie", "sim/probe"),
    "sim/host": ("sim/memory", "sim/pcie", "sim/iommu", "sw/settings"),
    "sim/platform": ("sim/host", "sim/gpu", "sim/gpu_link"),
    "sim/twin": ("sim/host", "sim/probe", "sim/gpu_link"),
    "sim/device": ("sim/host",),
    "sim/board": ("sim/host", "sim/board_link"),
    "sim/policy_python": ("sim/twin",),
}

# Rooms above the operating system may include from sw/os only the room of the application's classes and these values.
USERS = ("sw/workload", "sw/workload/procedures", "sw/report", "sw/replay", "sw/app", "sw/gmmu")
FACADE = "sw/os/application"
VALUES = {f"sw/os/{name}.h" for name in (
    "base/bug_check", "base/errors", "base/ledger", "base/page_math", "base/parameters", "base/random", "base/text",
    "miniport/allocation", "miniport/mdl")}

BOOTS = "it builds the machine and boots it"
LOADS = "it looks at a driver's file, which is not loaded"
# Permitted exceptions to the rules: (file, header) -> why.
EXCEPTIONS = {
    ("sw/workload/scenario.cc", "sw/workload/procedures/procedures.h"): "a scenario names the procedure that it runs",
    ("sw/workload/life.cc", "sw/os/dxgkrnl/dxgkrnl.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/dxgkrnl/logical_adapter.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/dxgkrnl/physical_adapter.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/kernel/kernel.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/threads/worker.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/vidmm/vidmm_link.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/vidsch/vidsch.h"): BOOTS,
    ("sw/workload/plug_in.h", "sw/os/dxgkrnl/dxgkrnl.h"): "the system calls this half of the driver",
    ("sw/workload/user_mode_driver.h", "sw/os/dxgkrnl/dxgkrnl.h"): "the system calls this half of the driver",
    ("sw/app/load_driver.cc", "sw/os/miniport/import_scan.h"): LOADS,
    ("sw/app/scan_driver.cc", "sw/os/miniport/import_scan.h"): LOADS,
    ("sw/app/run.cc", "sw/os/guard/driver_guard.h"): "crashes of a driver are caught in the whole process",
}


def below(room):
    """The rooms that `room` may include, itself among them."""
    found = {room}
    for lower in ROOMS[room]:
        found |= below(lower)
    return found


def beside_the_facade(room, target):
    """A user of the operating system includes another part of it than FACADE and VALUES."""
    return (room in USERS and target.startswith("sw/os/") and not target.startswith(f"{FACADE}/")
            and target not in VALUES)


def errors(files=None, exceptions=None):
    """Includes that point upward or past the application's classes, rooms without a row, exceptions without use.

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
                past = beside_the_facade(room_of[path], target)
                if room not in ROOMS or (room in allowed and not past) or unused.pop((path, target), None):
                    continue
                found.append(f"{path}:{number}: includes {header}, but " +
                             (f"{room_of[path]} has {FACADE} for it" if past
                              else f"{room_of[path]} does not stand on {room}"))
    found += [f"tools/rooms.py: {path} does not include {header}; remove this exception" for path, header in unused]
    return found

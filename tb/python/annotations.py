# SPDX-License-Identifier: Apache-2.0
"""annotations.py: a program that uses package gmmu. It is never run, only read by mypy --strict. A line with `type:
ignore` must be an error, and no other line may be one."""
import pathlib
from typing import Any

import numpy
from numpy.typing import NDArray

import gmmu


def latencies(accesses: NDArray[Any]) -> None:
    print(numpy.mean(accesses["answered"] - accesses["requested"]))


def progress(phase: str, done: int, total: int) -> None:
    print(phase, done, total)


settings = gmmu.Configuration("[gpu]\nvram_mib = 32\n")
settings["gpu.l2_entries"] = numpy.int64(1024)
cycles: int = gmmu.run(settings, data=b"1", on_progress=progress)["cycles"]
faults: list[dict[str, Any]] = []
gmmu.run(scenario="noisy-device", engine="fast", on_fault=faults.append)
report = gmmu.replay(pathlib.Path("trace"), {"gpu.l2_entries": 1024}, warps=4, prefetch="tree", on_accesses=latencies)
tail: int = report.latency().quantile(0.99)
with gmmu.Machine.for_run(file=pathlib.Path("input")) as machine:
    while machine.step(1000):
        values: NDArray[Any] = machine.counters()["value"]
    passed: bool = machine.report().passed

gmmu.run(seed="3")  # type: ignore[arg-type]
gmmu.run(on_progress=latencies)  # type: ignore[arg-type]
gmmu.replay("trace", page_size="1m")  # type: ignore[arg-type]
gmmu.replay("trace", pages="64k")  # type: ignore[call-arg]
machine.step("1000")  # type: ignore[arg-type]
name: str = machine.cycles  # type: ignore[assignment]

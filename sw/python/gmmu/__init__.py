# SPDX-License-Identifier: Apache-2.0
"""gmmu: a model of a GPU's memory-management unit and paging DMA engine, from Python.

    import gmmu
    report = gmmu.run(engine="fast")                            # the main job
    report["cycles"], report["phases"][0]["name"]
    result = gmmu.replay("gen:random,footprint=4MiB,count=20000", {"gpu.l2_entries": 1024}, engine="fast")
    result.latency().mean, result.latency().quantile(0.99)      # GPU cycles

    with gmmu.Machine.for_replay("gen:chase,footprint=1MiB,count=5000", engine="fast") as machine:
        while machine.step(10_000):                             # GPU cycles
            print(machine.cycles, machine.counters()["value"].sum())

Reports are those of `gmmu run --json` and `gmmu replay --json` (docs/report-schema.md). Callbacks, all optional, are
called while a machine runs, on the thread that runs it; what they raise leaves run, replay or step:

    on_progress(phase: str, done: int, total: int)   how much of a phase is done: bytes, pieces or accesses
    on_accesses(accesses: numpy.ndarray)             answered requests of a replay, some at a time: fields va, requested and
                                                     answered (GPU cycles), client, bytes, kind (0 read, 1 write, 2
                                                     execute), fault (0 none), unit (GPU)
    on_fault(fault: dict)                            each entry of the report's faults, when the work has ended
    on_output(data: bytes)                           bytes that came back after they were paged out, in order
    on_print(text: str)                              what the driver prints
    on_paging(line: str)                             a line of JSON for each paging buffer that the driver built

What cannot be used raises gmmu.Error, a ValueError, with the text that the program gmmu prints. One machine may exist in a
process at a time.
"""
import json
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, Self, TypedDict, Unpack, cast

import numpy
from numpy.typing import NDArray

from . import _gmmu
from ._gmmu import Error

__version__ = _gmmu.version()
__all__ = ["Callbacks", "Configuration", "Error", "Histogram", "Machine", "ReplayOptions", "Report", "RunOptions", "Settings",
           "engines", "replay", "run", "scenarios"]

_Path = str | os.PathLike[str]


class Callbacks(TypedDict, total=False):
    """What is called while a machine runs; see above."""
    on_progress: Callable[[str, int, int], object] | None
    on_accesses: Callable[[NDArray[Any]], object] | None
    on_fault: Callable[[dict[str, Any]], object] | None
    on_output: Callable[[bytes], object] | None
    on_print: Callable[[str], object] | None
    on_paging: Callable[[str], object] | None


class RunOptions(Callbacks, total=False):
    """Keywords of run and Machine.for_run."""
    file: _Path | None
    data: bytes
    scenario: str
    engine: str
    seed: int


class ReplayOptions(Callbacks, total=False):
    """Options of a replay beside engine and seed, as `gmmu replay` has them."""
    compute_units: int
    warps: int
    window: int
    gap: int
    assign: Literal["stream", "deal"]
    coalesce: bool
    skip: int
    warmup: int
    accesses: int
    epoch: int
    epoch_cycles: int
    page_size: Literal["4k", "64k", "2m"]
    memory: Literal["vram", "system"]
    keep_gaps: bool
    fragmented: int
    demand: bool
    batch: int
    prefetch: Literal["tree", "none"] | int
    resident: int
    evict: Literal["lru", "random"]


def engines() -> list[str]:
    """Engines of this build: "rtl" (exact) if it has the RTL, "fast" (estimated times). The first is the default."""
    return _gmmu.engines()


def scenarios() -> list[str]:
    """Names of the scenarios that are built in."""
    return _gmmu.scenarios()


def _toml(value: Any) -> str:
    """A value as TOML has it."""
    return json.dumps(value.item() if isinstance(value, numpy.generic) else value)


class Configuration:
    """The settings of machine, operating system and driver: a mapping from keys of docs/settings.md to their values.

    It begins with the defaults, a text of TOML, a file, or the machine of a scenario. Every change is checked; one that
    is refused changes nothing.
    """

    def __init__(self, toml: str | None = None, *, file: _Path | None = None, scenario: str | None = None) -> None:
        if sum(source is not None for source in (toml, file, scenario)) > 1:
            raise TypeError("give one of toml, file and scenario")
        if toml is not None:
            self._c = _gmmu.Configuration.from_toml(toml, "configuration")
        elif file is not None:
            self._c = _gmmu.Configuration.from_file(os.fspath(file))
        elif scenario is not None:
            self._c = _gmmu.Configuration.of_scenario(scenario)
        else:
            self._c = _gmmu.Configuration()

    def __getitem__(self, key: str) -> Any:
        return tomllib.loads("value = " + self._c.get(key))["value"]

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def update(self, changes: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """Changes keys together, for rules between them: {"iommu.present": False, "os.iommu": "physical"}."""
        self._c.set([f"{key}={_toml(value)}" for key, value in dict(changes).items()])

    def keys(self) -> list[str]:
        """Full names of all keys, in the order of docs/settings.md."""
        return self._c.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def copy(self) -> "Configuration":
        other = Configuration()
        other._c = _gmmu.Configuration(self._c)
        return other

    def to_toml(self) -> str:
        """Loadable TOML of every key, as `gmmu config` prints it."""
        return self._c.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """Sections in sections, as a file of TOML has them."""
        sections: dict[str, Any] = json.loads(self._c.to_json())
        return sections


Settings = Configuration | Mapping[str, Any] | os.PathLike[str] | str | None  # what stands for a configuration


def _configuration(given: Settings, scenario: str | None = None) -> Configuration:
    """`given`: None, a Configuration, a dict of changes, a path, or TOML text."""
    if given is None:
        return Configuration(scenario=scenario)
    if isinstance(given, Configuration):
        return given
    if isinstance(given, Mapping):
        configuration = Configuration(scenario=scenario)
        configuration.update(given)
        return configuration
    if isinstance(given, os.PathLike):
        return Configuration(file=given)
    return Configuration(given)


class Histogram:
    """How often each value was seen. `buckets`: a NumPy array with fields first, last (both inclusive) and count.

    Values below 128 are exact, above a bucket is at most 1/64 wide. The unit of latencies is GPU cycles.
    """

    def __init__(self, summary: Mapping[str, Any]) -> None:
        self.count: int = summary["count"]
        self.mean: float = summary["mean"]
        self.min: int = summary["min"]
        self.max: int = summary["max"]
        self.buckets: NDArray[Any] = numpy.array([tuple(row) for row in summary["buckets"]],
                                   dtype=[("first", "u8"), ("last", "u8"), ("count", "u8")])

    def quantile(self, q: float) -> int:
        """The least value, to a bucket's end, that a share `q` of all does not exceed."""
        if not 0 <= q <= 1 or self.count == 0:
            raise ValueError("a quantile needs values and a share from 0 to 1")
        sums = numpy.cumsum(self.buckets["count"])
        at = min(int(numpy.searchsorted(sums, q * self.count)), len(sums) - 1)
        return min(int(self.buckets["last"][at]), self.max)


class Report(dict[str, Any]):
    """A report of `--json` as a dict."""

    @property
    def passed(self) -> bool:
        return bool(self["passed"])

    def phase(self, name: str) -> dict[str, Any]:
        """A phase of a job, or of a replay ("warm-up", "region")."""
        phases: list[dict[str, Any]] = self["replay"]["phases"] if "replay" in self else self["phases"]
        for phase in phases:
            if phase["name"] == name:
                return phase
        raise KeyError(f"no phase {name!r}; there are: " + ", ".join(phase["name"] for phase in phases))

    def latency(self, phase: str = "region", port: bool = False) -> Histogram:
        """The latencies of a replay's phase, from when an access could be made to its answer; `port`: of its requests at
        the port."""
        return Histogram(self.phase(phase)["port_latency" if port else "latency"])


class Machine:
    """A machine with its work, which can be stepped. Made by for_run and for_replay; usable as a context manager."""

    def __init__(self, make: Callable[[dict[str, object]], _gmmu.Machine], callbacks: Callbacks) -> None:
        calls: dict[str, object] = {}
        for name, call in callbacks.items():
            if name not in Callbacks.__annotations__:
                raise TypeError(f"no callback {name}; there are: " + ", ".join(Callbacks.__annotations__))
            calls[name[3:]] = call
        self._made: _gmmu.Machine | None = make(calls)

    @classmethod
    def for_run(cls, configuration: Settings = None, *, file: _Path | None = None, data: bytes = b"", scenario: str = "",
                engine: str = "", seed: int = 0, **callbacks: Unpack[Callbacks]) -> Self:
        """The main job on a file, on bytes, or on 1 MiB drawn from the seed; or a scenario, on its own machine unless a
        configuration is given. `configuration`: a Configuration, a dict of changes, a path, or TOML text."""
        if file is not None:
            with open(file, "rb") as stream:
                data = stream.read()
        settings = _configuration(configuration, scenario or None)
        return cls(lambda calls: _gmmu.Machine.job(settings._c, engine, seed, scenario, bytes(data), calls), callbacks)

    @classmethod
    def for_replay(cls, workload: _Path, configuration: Settings = None, *, engine: str = "", seed: int = 0,
                   **options: Unpack[ReplayOptions]) -> Self:
        """A trace's file or "gen:NAME,KEY=VALUE,..." on the client ports. Options are those of `gmmu replay`
        (ReplayOptions): gaps in cycles, epochs and batches in accesses and pieces, `fragmented` in percent, `resident` in
        MiB."""
        callbacks = cast(Callbacks, {name: value for name, value in options.items() if name.startswith("on_")})
        others = {name: value for name, value in options.items() if name not in callbacks}
        settings = _configuration(configuration)
        return cls(lambda calls: _gmmu.Machine.replay(settings._c, engine, seed, os.fspath(workload), others, calls),
                   callbacks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the machine up, so that another one can be made."""
        self._made = None

    @property
    def _m(self) -> _gmmu.Machine:
        if self._made is None:
            raise ValueError("the machine was closed")
        return self._made

    def step(self, cycles: int) -> bool:
        """Lets at least so many GPU cycles pass, up to the next moment between two accesses of the CPU. True while there
        is work left."""
        return self._m.step(cycles)

    def run(self) -> Report:
        """Runs to the end of the work; its report."""
        self._m.run()
        return self.report()

    @property
    def done(self) -> bool:
        return self._m.done

    @property
    def cycles(self) -> int:
        """GPU cycles since reset, at the end of the last step."""
        return self._m.cycles

    @property
    def ns(self) -> int:
        """Nanoseconds of the machine's time since power-on."""
        return self._m.ns

    def counters(self) -> NDArray[Any]:
        """All counters now: a NumPy array with fields block, name, value, known (False: this engine does not count it)
        and unit. On the RTL reading them takes about a microsecond of the machine's time."""
        rows = self._m.counters()
        width = {at: max((len(str(row[at])) for row in rows), default=1) for at in (0, 1, 4)}
        return numpy.array([row[:5] for row in rows],
                           dtype=[("block", f"U{width[0]}"), ("name", f"U{width[1]}"), ("value", "u8"), ("known", "?"),
                                  ("unit", f"U{width[4]}")])

    def descriptions(self) -> dict[tuple[str, str], str]:
        """{(block, name): what the counter counts}."""
        return {row[:2]: row[5] for row in self._m.counters()}

    def report(self) -> Report:
        """The report, when done."""
        return Report(json.loads(self._m.report()))


def run(configuration: Settings = None, **options: Unpack[RunOptions]) -> Report:
    """Runs the main job or a scenario; its Report. Arguments: Machine.for_run."""
    with Machine.for_run(configuration, **options) as machine:
        return machine.run()


def replay(workload: _Path, configuration: Settings = None, *, engine: str = "", seed: int = 0,
           **options: Unpack[ReplayOptions]) -> Report:
    """Replays a workload; its Report, with the histograms of its latencies. Arguments: Machine.for_replay."""
    with Machine.for_replay(workload, configuration, engine=engine, seed=seed, **options) as machine:
        return machine.run()

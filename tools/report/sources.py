# SPDX-License-Identifier: Apache-2.0
"""The sources of `gmmu report`: reports of runs, results of studies, tables of `make synth`.

read(paths) -> Data. An error in a file is an InputError that contains the file, the member and the remedy.
"""
import dataclasses
import json
import pathlib
import re
import sqlite3

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA_VERSION, REPLAY_SCHEMA, STUDY_SCHEMA = 1, 1, "1"
PAGE = 4096
# Variables that describe where a run comes from, not its configuration.
NOT_AXES = {"provenance", "workload", "name", "arguments"}


class InputError(Exception):
    """One or two lines: file, error and remedy."""


@dataclasses.dataclass
class Run:
    """One report. `axes` are those of the study, in order; `values` contains all values that may differ between
    runs."""
    label: str
    report: dict
    axes: dict
    values: dict = dataclasses.field(default_factory=dict)

    def region(self):
        """The last phase of a replay, which is the measured one; None for a report of `gmmu run`."""
        phases = self.report.get("replay", {}).get("phases", [])
        return phases[-1] if phases else None

    def touched(self):
        """The size in bytes of the pages that a replay touched."""
        return self.report["replay"]["pages"]["touched"] * PAGE

    def config(self, key):
        """A key of the configuration, by "section.key"; None if the run ended before the configuration was known."""
        return flat(self.report["configuration"] or {}).get(key)


@dataclasses.dataclass
class Data:
    runs: list
    synth: list            # (file, {"sizes": {}, "fmax_mhz", "cells"})
    notes: list            # sentences about omitted data
    variables: list = dataclasses.field(default_factory=list)  # names of the values in which the runs differ
    title: str = "gmmu"


def own_name(block):
    """The name of a counter block without the name of its GPU, if there are several GPUs."""
    return re.sub(r"^unit\d+\.", "", block)


def flat(value, at=""):
    if isinstance(value, dict):
        return {name: each for key, below in value.items() for name, each in flat(below, f"{at}.{key}" if at else key).items()}
    return {at: tuple(value) if isinstance(value, list) else value}


def generator(provenance):
    """The parameters of `gen:NAME,KEY=VALUE,...`; {} for a file."""
    found = re.fullmatch(r"gen:([a-z]+)((?:,[a-z_]+=[^,]*)*)", provenance)
    if not found:
        return {}
    values = dict(part.split("=", 1) for part in found[2].split(",")[1:])
    return {"generator": found[1], **{name: int(text) if text.isdigit() else text for name, text in values.items()}}


def values_of(report, axes):
    """All variables: axes of the study first, because they are to distinguish the runs; then options, then
    configuration."""
    replay = report.get("replay", {}).get("options", {})
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in axes.items() if name not in NOT_AXES}
    workload = str(replay.get("workload", ""))
    if workload and not workload.startswith("gen:"):
        values.setdefault("trace", pathlib.PurePath(workload).name)
    values.update({name: value for name, value in generator(replay.get("provenance", "")).items() if "trace" not in values and name not in values})
    values.update({name: value for name, value in replay.items() if name not in values and name not in NOT_AXES})
    values.update({name: report["machine"][name] for name in ("engine", "seed", "iommu") if name not in values})
    values.setdefault("scenario", report["scenario"])
    values.update({name: value for name, value in flat(report["configuration"] or {}).items() if name not in values})
    if any(name.startswith("iommu.iotlb_") for name in values):
        values["iotlb_entries"] = values.get("iommu.iotlb_sets", 0) * values.get("iommu.iotlb_ways", 0)
    return values


def variables(runs):
    """The names of values that differ between runs; each distinguishes runs that the names before it do not."""
    kept, groups = [], {(): list(range(len(runs)))}
    names = list(dict.fromkeys([*(name for run in runs for name in run.axes if name in run.values), *(name for run in runs for name in run.values)]))
    for name in ["iotlb_entries", *(name for name in names if name != "iotlb_entries")]:
        split = {}
        for key, members in groups.items():
            for at in members:
                split.setdefault((*key, runs[at].values.get(name)), []).append(at)
        if len(split) > len(groups):
            kept.append(name)
            groups = split
    return kept


def checker():
    import fastjsonschema
    return fastjsonschema.compile(json.loads((ROOT / "docs/report.schema.json").read_text())), fastjsonschema.JsonSchemaValueException


def check(report, where, validate, wrong):
    version = report.get("schema_version")
    if version != SCHEMA_VERSION:
        raise InputError(f"{where}: schema_version is {json.dumps(version)}, and this program reads {SCHEMA_VERSION}\n"
                         "Make the report with the gmmu of this checkout (docs/report-schema.md).")
    try:
        validate(report)
    except wrong as error:
        raise InputError(f"{where}: {error.message} (docs/report.schema.json)") from error
    replay = report.get("replay")
    if replay is not None and (not isinstance(replay, dict) or replay.get("schema") != REPLAY_SCHEMA):
        raise InputError(f"{where}: member replay has another schema than {REPLAY_SCHEMA} (sw/replay/README.md)")


def is_report(value):
    return isinstance(value, dict) and "schema_version" in value and "machine" in value


def is_synth(value):
    return isinstance(value, dict) and isinstance(value.get("cells"), dict) and "fmax_mhz" in value


def study(path, tools, notes):
    """The runs in an SQLite file, and its title."""
    try:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        facts = dict(db.execute("SELECT name, value FROM fact"))
        names = {}
        for block, name, unit, text in db.execute("SELECT block, name, unit, description FROM counter_name"):
            names.setdefault(block, {})[name] = {"unit": unit, "description": text}
        rows = list(db.execute("SELECT number, axes, status, report FROM plan JOIN point USING(id) ORDER BY number"))
        planned, = db.execute("SELECT count(*) FROM plan").fetchone()
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path}: {error}: this is no study's file of results\nGive the .db that ./gmmu study wrote.") from error
    if facts.get("schema") != STUDY_SCHEMA:
        raise InputError(f"{path}: results of schema {facts.get('schema')}, this program reads {STUDY_SCHEMA}")
    runs = [Run(f"point {number}", {**json.loads(report), "counter_table": names}, json.loads(axes))
            for number, axes, status, report in rows if status == "passed" and report]
    if not runs:
        raise InputError(f"{path}: no point of this study has passed, so there is nothing to draw\n"
                         "./gmmu study STUDY.toml --status says what it has.")
    if len(runs) < planned:
        notes.append(f"{planned - len(runs)} of the {planned} points of {path} did not pass or have not run, and are not drawn.")
    return runs, facts.get("title", pathlib.Path(path).stem)


def read(paths):
    """Reads all files, in order."""
    validate, wrong = checker()
    runs, synth, notes, titles = [], [], [], []
    for path in paths:
        try:
            start = pathlib.Path(path).read_bytes()
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from error
        if start.startswith(b"SQLite format 3\0"):
            found, title = study(path, None, notes)
            titles.append(title)
            for run in found:
                check(run.report, f"{path}, {run.label}", validate, wrong)
            runs += found
            continue
        try:
            value = json.loads(start)
        except ValueError as error:
            raise InputError(f"{path}: is no JSON ({error}) and no file of SQLite\n"
                             "Give what --json of gmmu run or replay wrote, or the .db of a study.") from error
        if is_synth(value):
            sizes = {name: int(number) for name, number in re.findall(r"(\w+) (\d+)(?:,|$)", str(value.get("config", "")))}
            synth.append((pathlib.Path(path).stem, {"sizes": sizes, **value}))
        elif is_report(value):
            check(value, path, validate, wrong)
            runs.append(Run(pathlib.Path(path).stem, value, {}))
            titles.append(pathlib.Path(path).stem)
        else:
            raise InputError(f"{path}: is JSON, but no report: members schema_version and machine are missing\n"
                             "Give what --json of gmmu run or replay wrote.")
    for run in runs:
        run.values = values_of(run.report, run.axes)
    return Data(runs, synth, notes, variables(runs), ", ".join(dict.fromkeys(titles)) or "make synth")

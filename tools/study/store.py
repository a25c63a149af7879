# SPDX-License-Identifier: Apache-2.0
"""The results of a study in SQLite. Each point is written in its own transaction when it has ended.

    point      a row for each point that ran: id, axes, status, error, the whole report; all other values come from it
    plan       number of a point in the study as it is now -> id
    run        view: one tidy row per run, with a column for each axis, figure and setting of the configuration
    phase      view: one tidy row for each phase of a run, with the axes
    counter    view: run, block, name, value
    counter_name  block, name, unit, description of each counter
    fact       name -> value: schema, title, path of the file, how long builds took
"""
import csv
import fcntl
import json
import os
import pathlib
import sqlite3
import tempfile

SCHEMA = "1"
TABLES = """
CREATE TABLE IF NOT EXISTS fact(name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS point(id TEXT PRIMARY KEY, axes TEXT, status TEXT, error TEXT, exit INTEGER, seconds REAL,
    ended TEXT, program TEXT, command TEXT, report TEXT);
CREATE TABLE IF NOT EXISTS plan(number INTEGER PRIMARY KEY, id TEXT);
CREATE TABLE IF NOT EXISTS counter_name(block TEXT, name TEXT, unit TEXT, description TEXT, PRIMARY KEY(block, name));
"""
# Maps each column of the database to a member of the report.
FIGURES = {"engine": "machine.engine", "timing": "machine.timing", "seed": "machine.seed", "scenario": "scenario",
           "version": "program.version", "commit": "program.commit", "passed": "passed", "bytes": "bytes",
           "bytes_verified": "bytes_verified", "cycles": "cycles", "cycles_evaluated": "cycles_evaluated",
           "simulated_ns": "simulated_ns", "host_seconds": "host_seconds", "clock_mhz": "machine.clock_mhz",
           "bus_bits": "machine.bus_bits", "iommu": "machine.iommu", "clients": "machine.clients",
           "link_bytes_per_second": "machine.link_bytes_per_second",
           "bus_bytes_per_second": "machine.bus_bytes_per_second",
           # The figures of gmmu replay are those of its last phase, which is the measured phase.
           **{name.replace(".", "_"): f"replay.phases[#-1].{name}" for name in ("accesses", "requests", "latency.mean", "latency.p50", "latency.p99")},
           # With --demand: the blocks and bytes that were moved, and how long accesses waited for
           # them.
           **{f"demand_{name}".replace(".", "_"): f"replay.phases[#-1].demand.{name}"
              for name in ("far_faults", "batches", "faulted", "prefetched", "prefetch_used", "evicted", "written_back", "bytes_in", "bytes_out",
                           "batch_pieces.mean", "batch_cycles.mean", "wait_cycles.mean", "wait_cycles.p99")}}


class Full(Exception):
    """The disk is full."""


class InUse(Exception):
    """Another study has the file."""


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def path_of(dotted):
    return "'$." + dotted.replace("'", "''") + "'"


def value_at(report, path):
    """The value that `path` of FIGURES names in a report; None if there is none."""
    for name in path.replace("[#-1]", ".-1").split("."):
        if isinstance(report, list):
            report = report[-1] if report else None
        else:
            report = report.get(name) if isinstance(report, dict) else None
    return report


def flat(value, at=""):
    """{dotted name: value} of nested objects; lists as JSON."""
    if isinstance(value, dict):
        return {name: each for key, below in value.items() for name, each in flat(below, f"{at}.{key}" if at else key).items()}
    return {at: json.dumps(value) if isinstance(value, list) else value}


class Store:
    """Opens or creates the file; with `alone`, refuses a file that another study writes to."""

    def __init__(self, path, alone=True):
        self.path = pathlib.Path(path)
        self.lock = None
        if alone:
            try:
                self.lock = open(f"{path}.lock", "w")
            except OSError as error:
                raise Full(f"{error.filename}: cannot be written: {error.strerror}\nGive another place by --db.") from error
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InUse(f"{path}: another gmmu study is writing to it") from error
        try:
            self.db = sqlite3.connect(path, isolation_level=None)
            with Transaction(self.db):
                for statement in TABLES.split(";"):
                    self.db.execute(statement)
                self.db.execute("INSERT OR IGNORE INTO fact VALUES('schema', ?)", (SCHEMA,))
            found = self.fact("schema")
        except sqlite3.DatabaseError as error:
            raise trouble(self.path, error) from error
        if found != SCHEMA:
            raise ValueError(f"{path}: results of schema {found}, this program has {SCHEMA}; give another file by --db")

    def close(self):
        self.db.close()
        if self.lock:
            self.lock.close()

    def fact(self, name):
        row = self.db.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return row and row[0]

    def note(self, name, value):
        with Transaction(self.db):
            self.db.execute("INSERT OR REPLACE INTO fact VALUES(?, ?)", (name, str(value)))

    def plan(self, study, ids, keys):
        """Stores the current points of the study, `ids` by number (None: not known yet), and creates the views for its
        axes."""
        try:
            with Transaction(self.db):
                self.db.execute("DELETE FROM plan")
                self.db.executemany("INSERT INTO plan VALUES(?, ?)", enumerate(ids))
                self.db.execute("INSERT OR REPLACE INTO fact VALUES('title', ?)", (study.title,))
                self.db.execute("INSERT OR REPLACE INTO fact VALUES('axes', ?)", (json.dumps(study.axes),))
                self.views(study.axes, keys)
        except sqlite3.DatabaseError as error:
            raise trouble(self.path, error) from error

    def views(self, axes, keys):
        axis = [f"json_extract(point.axes, '$.' || {json_key(name)}) AS {quoted(name)}" for name in axes]
        figures = [f"json_extract(report, {path_of(path)}) AS {quoted(name)}" for name, path in FIGURES.items() if name not in axes]
        settings = [f"json_extract(report, {path_of('configuration.' + name)}) AS {quoted(name)}" for name in keys if name not in axes]
        views = {
            "run": ", ".join(["number AS run", "point.id", *axis, "status", "error", *figures, *settings]) +
                   " FROM plan JOIN point USING(id)",
            "phase": ", ".join(["number AS run", *axis, "phase.key AS place",
                                *[f"json_extract(phase.value, '$.{name}') AS {name}" for name in ("name", "bytes", "ns", "cycles", "link")],
                                "json_extract(phase.value, '$.bytes') * 1e9 / nullif(json_extract(phase.value, '$.ns'), 0) AS bytes_per_second"]) +
                     " FROM plan JOIN point USING(id), json_each(report, '$.phases') AS phase",
            "counter": "number AS run, block.key AS block, counter.key AS name, counter.value AS value FROM plan JOIN point USING(id), "
                       "json_each(report, '$.counters') AS block, json_each(block.value) AS counter"}
        for name, text in views.items():
            self.db.execute(f"DROP VIEW IF EXISTS {name}")
            self.db.execute(f"CREATE VIEW {name} AS SELECT {text}")

    def finished(self, again=False):
        """The ids that need not run again. A point that a signal ended (an operator, or lack of memory) has no result,
        and with `again` neither has one that did not pass."""
        return {row[0] for row in self.db.execute("SELECT id FROM point WHERE " +
                                                  ("status = 'passed'" if again else "exit IS NULL OR exit >= 0"))}

    def states(self):
        """{status: points of the plan}; None: not run."""
        return dict(self.db.execute("SELECT status, count(*) FROM plan LEFT JOIN point USING(id) GROUP BY status"))

    def add(self, record):
        """Stores the record of a point. Raises Full; earlier records stay."""
        report = record["report"]
        names = report.pop("counter_table", {}) if report else {}
        try:
            with Transaction(self.db):
                self.db.executemany("INSERT OR IGNORE INTO counter_name VALUES(?, ?, ?, ?)",
                                    [(block, name, of["unit"], of["description"])
                                     for block, rows in names.items() for name, of in rows.items()])
                self.db.execute("INSERT OR REPLACE INTO point VALUES(:id, :axes, :status, :error, :exit, :seconds, :ended, "
                                ":program, :command, :report)",
                                {**record, **{key: json.dumps(record[key]) for key in ("axes", "command")},
                                 "report": json.dumps(report) if report else None})
        except sqlite3.DatabaseError as error:
            raise trouble(self.path, error) from error

    # ---- export

    def rows(self):
        """(runs, phases): dictionaries by column, in the order of the plan. Counters are columns counters.BLOCK.NAME."""
        for number, id_, axes, status, error, text in self.db.execute(
                "SELECT number, id, point.axes, status, error, report FROM plan JOIN point USING(id) ORDER BY number"):
            axes = flat_axes(json.loads(axes))
            report = json.loads(text) if text else {}
            values = flat({name: report.get(name) for name in ("program", "machine", "configuration", "counters") if report.get(name)})
            figures = {name: value_at(report, path) for name, path in FIGURES.items()}
            settings = {name.removeprefix("configuration."): value for name, value in values.items() if name.startswith("configuration.")}
            counters = {name: value for name, value in values.items() if name.startswith("counters.")}
            run = {"run": number, "id": id_, **axes, "status": status, "error": error}
            for more in (figures, settings, counters):
                run.update({name: value for name, value in more.items() if name not in axes})
            phases = [{"run": number, **axes, "place": place, **flat(phase),
                       "bytes_per_second": phase["bytes"] * 1e9 / phase["ns"] if phase["ns"] else None}
                      for place, phase in enumerate(report.get("phases", []))]
            yield run, phases

    def export(self, folder):
        """Writes runs, phases and counters as CSV and Parquet. Returns the paths."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        columns = {"runs": {}, "phases": {}}
        for run, phases in self.rows():  # read twice (columns, rows), so that no rows are kept in memory
            columns["runs"].update(dict.fromkeys(run))
            for phase in phases:
                columns["phases"].update(dict.fromkeys(phase))
        names = ["block", "name", "unit", "description"]
        yield from write(folder / "runs.csv", list(columns["runs"]), (run for run, _ in self.rows()))
        yield from write(folder / "phases.csv", list(columns["phases"]), (phase for _, phases in self.rows() for phase in phases))
        yield from write(folder / "counters.csv", names,
                         (dict(zip(names, row)) for row in self.db.execute("SELECT * FROM counter_name ORDER BY block, name")))


def write(path, columns, rows):
    """Writes a CSV and the same as Parquet; each appears completely or not at all. Yields both paths."""
    import duckdb
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".export-") as folder:
        part = pathlib.Path(folder) / path.name
        with open(part, "w", newline="") as file:
            out = csv.DictWriter(file, columns or ["run"], restval="")
            out.writeheader()
            for row in rows:
                out.writerow({name: str(value).lower() if isinstance(value, bool) else value for name, value in row.items()})
        parquet = part.with_suffix(".parquet")
        duckdb.connect().execute(f"COPY (SELECT * FROM read_csv('{text_of(part)}', header = true, sample_size = -1)) "
                                 f"TO '{text_of(parquet)}' (FORMAT parquet)")
        for one in (part, parquet):
            os.replace(one, path.parent / one.name)
            yield path.parent / one.name


def text_of(path):
    return str(path).replace("'", "''")


def flat_axes(axes):
    return {name: json.dumps(value) if isinstance(value, list) else value for name, value in axes.items()}


def json_key(name):
    """A key in a JSON path as SQL text; the key may contain dots."""
    return "'" + json.dumps(name).replace("'", "''") + "'"


def trouble(path, error):
    """Translates an SQLite error: disk full, or not a file of results."""
    if isinstance(error, sqlite3.OperationalError):
        return Full(f"{path}: cannot be written: {error}\nWhat was finished is kept. Make room, or give another place "
                    "by --db; the same command goes on.")
    return ValueError(f"{path}: {error}; give another file by --db")


class Transaction:
    """Begins the transaction at once, and ends it with commit or rollback."""

    def __init__(self, db):
        self.db = db

    def __enter__(self):
        self.db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind, *_):
        if kind is None:
            self.db.execute("COMMIT")
        elif self.db.in_transaction:
            self.db.execute("ROLLBACK")

# SPDX-License-Identifier: Apache-2.0
"""The file of a study: its points, each a gmmu command with a configuration, an engine and a seed.

Study reads and checks the file; every error is a StudyError that contains file, line and key. Points are numbered from
0 and constructed on request, so that a grid of any size costs nothing until it runs.
"""
import difflib
import hashlib
import json
import math
import pathlib
import re
import tomllib

OWN = ("command", "engine", "seed", "scenario", "config", "workload", "arguments")  # axes other than configuration keys
TABLES = ("set", "grid", "list")
TOP = ("title", "limit_seconds", *OWN, *TABLES)
RANGE = {"from", "to", "step", "times"}
ENGINES = ("rtl", "fast", "board")
COMMANDS = ("run", "replay")
MOST_SECONDS = 2_000_000  # seconds of a point: a process wait takes milliseconds in 31 bits
MOST_VALUES = 10**9       # maximum number of values in a range


class StudyError(Exception):
    """One to three lines: location, error and remedy."""


def shown(value):
    """A value as text for an error message: dates and ranges are not JSON."""
    return json.dumps(value, default=str)


def keys_of(schema, at=""):
    """{full name: its JSON Schema} of `gmmu config --json-schema`."""
    found = {}
    for name, of in schema.get("properties", {}).items():
        found.update(keys_of(of, f"{at}{name}.") if "properties" in of else {at + name: of} if "when" in of else {})
    return found


class Study:
    """The points of a file. `keys` is the result of keys_of, against which names and values are checked.
    unbuilt(options) returns the CMake variables with which a program for these options must be built; scenarios(), the
    program's scenario names."""

    def __init__(self, path, keys, unbuilt, scenarios):
        self.path, self.keys, self.unbuilt = pathlib.Path(path), keys, unbuilt
        try:
            self.text = self.path.read_text()
            top = tomllib.loads(self.text)
        except (OSError, UnicodeDecodeError) as error:
            raise StudyError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}") from error
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"at line (\d+)", str(error))
            raise StudyError(f"{path}:{line.group(1) if line else 1}: {error}") from error
        except (ValueError, RecursionError) as error:  # a number, or a nesting of tables, that Python refuses
            raise StudyError(f"{path}: cannot be read: {error}") from error
        for name in top:
            if name not in TOP:
                self.fail(name, f"unknown key {name}{self.near(name, TOP)}")
        self.title = top.get("title", self.path.stem)
        if not isinstance(self.title, str):
            self.fail("title", f"title = {shown(self.title)} is not possible; allowed: a string")
        limit = self.limit_seconds = top.get("limit_seconds", 3600)
        if not isinstance(limit, (int, float)) or isinstance(limit, bool) or not 0 < limit <= MOST_SECONDS:
            self.fail("limit_seconds", "limit_seconds is the longest that a point may take: a number above 0, at most "
                      f"{MOST_SECONDS}")
        self.common = self.flat({name: top[name] for name in OWN if name in top})
        self.common.update(self.flat(self.table(top, "set")))
        for name, value in self.common.items():
            if isinstance(value, range):
                self.fail(name, f"{name} is a range, which belongs into [[grid]] or [[list]]; give one value here")
            self.check(name, value)
        self.blocks = [self.block(table, "grid") for table in self.tables(top, "grid")]
        self.blocks += [self.block(table, "list") for table in self.tables(top, "list")]
        if not self.blocks:
            self.blocks = [([], "grid")]
        for axes, _ in self.blocks:
            names = {*self.common, *dict(axes)}
            if "scenario" in names and names & {"config", "workload"}:
                self.fail("scenario", "a scenario has its own machine and work: no config and no workload beside it; "
                          "[set] and [[grid]] change keys of its machine")
        self.check_files()
        self.check_scenarios(scenarios)
        self.axes = list(dict.fromkeys(name for axes, _ in self.blocks for name, _ in axes))
        self.sizes = [math.prod(len(values) for _, values in axes) if kind == "grid" else max(len(values) for _, values in axes)
                      for axes, kind in self.blocks]
        self.count = sum(self.sizes)

    # ---- errors

    def line(self, name, value=None):
        """The line that sets `name`, to `value` if there are several; 1 if none is found."""
        leaf = re.escape(name.rsplit(".", 1)[-1])
        for pattern in (rf'^\s*\[*\s*"?{re.escape(name)}"?\s*(=|\]|\.)', rf'^\s*"?(\S+\.)?{leaf}"?\s*='):
            lines = [number for number, text in enumerate(self.text.splitlines(), 1) if re.search(pattern, text)]
            with_value = [number for number in lines if value is not None and str(value) in self.text.splitlines()[number - 1]]
            if lines:
                return (with_value or lines)[0]
        return 1

    def fail(self, name, text, value=None):
        raise StudyError(f"{self.path}:{self.line(name, value)}: {text}")

    @staticmethod
    def near(name, known):
        close = difflib.get_close_matches(name, known, 3, 0.5)
        leaf = name.rsplit(".", 1)[-1]
        close += [key for key in known if key.rsplit(".", 1)[-1] == leaf and key not in close][:2]
        return "; near it: " + ", ".join(close) if close else "; gmmu config --list has the keys"

    # ---- reading

    def table(self, top, name):
        if not isinstance(top.get(name, {}), dict):
            self.fail(name, f"{name} is a table: write [{name}] and keys below")
        return top.get(name, {})

    def tables(self, top, name):
        tables = top.get(name, [])
        tables = tables if isinstance(tables, list) else [tables]
        if not all(isinstance(table, dict) for table in tables):
            self.fail(name, f"{name} is a table, or several: write [[{name}]] and keys below")
        return tables

    def flat(self, table, at=""):
        """Nested tables as dotted names; {from, to, step or times} becomes a list."""
        found = {}
        for name, value in table.items():
            if isinstance(value, dict) and not set(value) <= RANGE:
                found.update(self.flat(value, f"{at}{name}."))
            else:
                found[at + name] = self.range(at + name, value) if isinstance(value, dict) else value
        return found

    def range(self, name, table):
        numbers = all(isinstance(value, int) and not isinstance(value, bool) for value in table.values())
        first, last = table.get("from"), table.get("to")
        step, times = table.get("step", 1), table.get("times")
        if not numbers or first is None or last is None or last < first or step < 1 or \
                (times is not None and (times < 2 or first < 1 or "step" in table)):
            self.fail(name, f"{name}: a range is {{ from = 1, to = 9, step = 2 }} or {{ from = 1, to = 64, times = 2 }}")
        if times is None:
            if (last - first) // step >= MOST_VALUES:
                self.fail(name, f"{name}: a range has at most {MOST_VALUES} values")
            return range(first, last + 1, step)
        values = [first]
        while values[-1] * times <= last:
            values.append(values[-1] * times)
        return values

    def block(self, table, kind):
        axes = []
        for name, values in self.flat(table).items():
            several = self.is_list(name)
            if not isinstance(values, (list, range)) or (several and not (values and isinstance(values[0], list))):
                values = [values]
            if not values:
                self.fail(name, f"{name} has no value: leave it out, or give one")
            if isinstance(values, range):  # a range may be long, so only its ends are printed
                self.check(name, values[-1])
                self.check(name, values[0])
            else:
                for value in values:
                    self.check(name, value)
            axes.append((name, values))
        lengths = {len(values) for _, values in axes}
        if kind == "list":
            if not axes:
                self.fail("list", "a [[list]] needs at least one key")
            if len(lengths - {1}) > 1:
                self.fail("list", "the lists of a [[list]] are walked in step and must be equally long: " +
                          ", ".join(f"{name} has {len(values)}" for name, values in axes))
        return axes, kind

    def is_list(self, name):
        return name == "arguments" or self.keys.get(name, {}).get("type") == "array"

    def check(self, name, value):
        if name in OWN:
            good = {"seed": isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64,
                    "engine": value in ENGINES, "command": value in COMMANDS,
                    "arguments": isinstance(value, list) and all(isinstance(part, str) for part in value)}
            if not good.get(name, isinstance(value, str) and value != ""):
                self.fail(name, f"{name} = {shown(value)} is not possible; allowed: " + {
                    "seed": "a whole number from 0 to 2^64 - 1", "engine": " or ".join(ENGINES), "command": " or ".join(COMMANDS),
                    "arguments": 'a list of strings, as ["--driver", "mine.so"]'}.get(name, "a string"), value)
            return
        schema = self.keys.get(name)
        if schema is None:
            self.fail(name, f"unknown key {name}{self.near(name, [*self.keys, *OWN])}")
        if not self.fits(value, schema):
            bounds = schema.get("items", schema)
            allowed = " or ".join(map(json.dumps, schema["enum"])) if "enum" in schema else \
                f"{schema['type']}" + (f" of {bounds.get('minimum')} to {bounds.get('maximum', 'any')}" if "minimum" in bounds else "")
            self.fail(name, f"{name} = {shown(value)} is not possible; allowed: {allowed}", value)

    def check_files(self):
        """Refuses missing files of the study before any point runs."""
        for name, is_file in (("config", lambda value: True), ("scenario", lambda value: value.endswith(".toml")),
                              ("workload", lambda value: not value.startswith("gen:"))):
            for value in self.axis(name):
                path = self.path.parent / value
                if is_file(value) and (path.is_dir() or not path.exists()):
                    self.fail(name, f"{name} = {shown(value)}: {path} is " + ("a folder" if path.is_dir() else "no file"), value)

    def check_scenarios(self, scenarios):
        names = [value for value in self.axis("scenario") if not value.endswith(".toml")]
        known = scenarios() if names else []
        for value in names:
            if value not in known:
                close = difflib.get_close_matches(value, known, 3, 0.5)
                self.fail("scenario", f"scenario = {shown(value)}: there is no such scenario; " + (
                    "near it: " + ", ".join(close) if close else "gmmu run --list has the names, a file's ends in .toml"), value)

    @classmethod
    def fits(cls, value, schema):
        if schema["type"] == "array":
            return isinstance(value, list) and schema["minItems"] <= len(value) <= schema["maxItems"] and \
                all(cls.fits(each, schema["items"]) for each in value)
        if schema["type"] == "integer":
            return isinstance(value, int) and not isinstance(value, bool) and \
                schema["minimum"] <= value <= schema.get("maximum", 2**63 - 1)
        return isinstance(value, {"boolean": bool, "string": str}[schema["type"]]) and value in schema.get("enum", [value])

    # ---- points

    def point(self, number):
        """The point with this number, which is below the count."""
        for (axes, kind), size in zip(self.blocks, self.sizes):
            if number >= size:
                number -= size
                continue
            values = {}
            if kind == "list":
                values = {name: each[number if len(each) > 1 else 0] for name, each in axes}
            else:
                for name, each in reversed(axes):  # so that the last axis changes fastest
                    number, at = divmod(number, len(each))
                    values[name] = each[at]
            return Point(self, values)
        raise IndexError(number)

    def axis(self, name):
        """All values of an axis, over all blocks; else the value set for the whole study; else nothing."""
        found = [value for axes, _ in self.blocks for each, values in axes if each == name for value in values]
        return found or ([self.common[name]] if name in self.common else [])


class Point:
    """One run. `axes` are the values in which it differs from the study's other points."""

    def __init__(self, study, axes):
        self.study = study
        self.axes = {name: axes[name] for name in study.axes if name in axes}
        every = {**study.common, **axes}
        self.own = {name: every[name] for name in OWN if name in every}
        self.set = {name: value for name, value in every.items() if name not in OWN}
        self.engine = self.own.get("engine", "rtl")
        self.scenario, self.config = self.own.get("scenario"), self.own.get("config")

    def changes(self, only=None):
        """The --set options of its keys; `only` selects keys by name."""
        return [part for name, value in sorted(self.set.items()) if only is None or only(name)
                for part in ("--set", f"{name}={json.dumps(value)}")]

    def build(self):
        """The build that it needs; None: the existing program."""
        if self.engine != "rtl" or self.scenario:
            return None
        config = ["--config", str((self.study.path.parent / self.config).resolve())] if self.config else []
        sizes = self.changes(lambda name: "build_option" in self.study.keys[name])
        unbuilt = self.study.unbuilt((*config, *sizes)) if config or sizes else ()
        if not unbuilt:   # the existing build can be reduced to these sizes
            return None
        return (*config, *self.changes(lambda name: self.study.keys[name].get("build_option") in unbuilt))

    def config_command(self):
        """The arguments with which gmmu prints its whole configuration; None for a scenario, which has its own."""
        return None if self.scenario else ["config", *(["--config", self.config] if self.config else []), *self.changes()]

    def command(self):
        """The arguments of gmmu; the configuration is read from standard input, the report goes to standard output."""
        command = [self.own.get("command", "run"), *([self.own["workload"]] if "workload" in self.own else []),
                   "--engine", self.engine, "--seed", str(self.own.get("seed", 0))]
        command += ["--scenario", self.scenario, *self.changes()] if self.scenario else ["--config", "/dev/stdin"]
        return command + self.own.get("arguments", []) + ["--json", "/dev/stdout"]

    def identity(self, program, digest):
        """A hash of everything that decides the result; `program` is the program's digest, digest(path) that of a
        file."""
        files = {}
        for text in (self.config, self.scenario, self.own.get("workload"), *self.own.get("arguments", [])):
            for part in {text, text.partition("=")[2]} if text else ():
                path = self.study.path.parent / part
                if part and path.is_file():
                    files[part] = digest(path)
        every = {"program": program, "own": {**self.own, "engine": self.engine}, "set": self.set, "files": files}
        return hashlib.sha256(json.dumps(every, sort_keys=True).encode()).hexdigest()[:24]

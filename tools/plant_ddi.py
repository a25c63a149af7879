#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Planted faults of the software: a row of docs/ddi is disabled on purpose, and a named test must detect it.

tb/ddi/*.toml lists the faults, as tb/rules does for the RTL (tools/plant.py describes the text replacement): id, row
(the beginning of a name in docs/ddi, on any page), file, old, new, test (GoogleTest filter), why; optional: part,
statement, and throws (text of an exception that counts as detection). `copy` writes sw/ with all faults, each selected
by its number in environment variable GMMU_PLANT; `run` runs the tests of one build of it, first without a fault, then
with each: all of them, --draw N of them with --seed S, or with --new those that docs/ddi-faults.md does not have yet.
With --write the results are written to that page.
`table` compares that page with the faults.
"""
import argparse
import fnmatch
import pathlib
import random
import re
import sys
import tomllib

import check_ddi
import plant

ROOT = plant.ROOT
FAULTS = ROOT / "tb/ddi"
PAGE = ROOT / "docs/ddi-faults.md"
NEEDED = ("id", "row", "file", "old", "new", "test", "why")
KNOWN = NEEDED + ("part", "statement", "throws")
SEED, DRAW = 1, 10  # seed and size of the draw that the page shows


def load():
    plants, errors = [], []
    rows, _ = check_ddi.rows(check_ddi.subject_pages())
    for path in sorted(FAULTS.glob("*.toml")):
        with path.open("rb") as file:
            faults = tomllib.load(file).get("plant", [])
        for fault in faults:
            name = f"{path.relative_to(ROOT)}: {fault.get('id', 'a fault without id')}"
            errors += [f"{name}: {key} is missing" for key in NEEDED if key not in fault]
            errors += [f"{name}: unknown key {key}" for key in fault if key not in KNOWN]
            row = next((row for row in rows if row.name.startswith(fault.get("row", "|"))), None)
            if row is None:
                errors.append(f"{name}: no row of docs/ddi begins with {fault.get('row')!r}")
            else:
                patterns = fault["test"].split(":")
                if not any(fnmatch.fnmatchcase(test, pattern) or fnmatch.fnmatchcase(pattern, test)
                           for test in row.tests for pattern in patterns):
                    errors.append(f"{name}: {fault['test']} is no test of its row ({', '.join(row.tests)})")
            plants.append(dict(fault, page=row.page if row else None, row_name=row.name if row else "",
                               row_tests=row.tests if row else [], number=len(plants) + 1))
    tests = check_ddi.tests_of_sources()
    errors += [f"fault {fault.get('id')}: no test of tb/ is named {fault['test']}" for fault in plants
               if "test" in fault and not programs_of(fault, tests)]
    names = [fault.get("id") for fault in plants]
    errors += [f"fault {name} stands twice" for name in sorted(set(names)) if names.count(name) > 1]
    if errors:
        sys.exit("\n".join(errors))
    return plants


def copy_software(folder, changed):
    """Writes a copy of sw/ to the folder. `changed` maps a name and a text to the text with faults, or None. Returns
    the files."""
    kept = set()
    for path in sorted((ROOT / "sw").rglob("*")):
        if path.suffix not in (".cc", ".c", ".h", ".def"):
            continue
        name, text = str(path.relative_to(ROOT)), path.read_text()
        new = changed(name, text)
        if new is not None:
            language = "extern \"C\" " if path.suffix != ".c" else ""
            text = f"{language}int gmmu_plant(void);\n#line 1 \"{path}\"\n{new}"
        plant.write(folder / name, text)
        kept.add(folder / name)
    for path in (folder / "sw").rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()
    return kept


def copy(folder):
    plants = load()

    def changed(name, text):
        here = [fault for fault in plants if fault["file"] == name]
        return plant.planted(text, here, name, *plant.CXX) if here else None
    kept = copy_software(folder, changed)
    missing = sorted({fault["file"] for fault in plants} - {str(path.relative_to(folder)) for path in kept})
    if missing:
        sys.exit(f"faults name files that do not exist: {', '.join(missing)}")
    print(f"{len(plants)} faults planted in {folder}")


def drawn(plants, seed, count):
    """One fault of each of `count` different rows."""
    shuffled = sorted(plants, key=lambda fault: fault["id"])
    random.Random(seed).shuffle(shuffled)
    of_row = {}
    for fault in shuffled:
        of_row.setdefault(fault["row_name"], fault)
    return list(of_row.values())[:count]


def programs_of(fault, tests):
    """The test programs that contain a test of the fault's filter: one per folder of tb/."""
    patterns = fault["test"].split(":")
    folders = {test.file.parent.relative_to(ROOT / "tb") for name, test in tests.items()
               if any(fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(pattern, name) for pattern in patterns)}
    return sorted("test_" + "_".join(folder.parts) for folder in folders)


def noticed(fault, results):
    """The first test of the row that failed by an expectation, or by the exception that the fault names; its text."""
    for test, texts in results.items():
        if not any(fnmatch.fnmatchcase(test, pattern) for pattern in fault["row_tests"]):
            continue
        for text in texts:
            if plant.by_expectation(text) or (fault.get("throws") and fault["throws"] in text):
                return test, text
    return None, None


def known():
    """The tests that detected faults, by id, as the page has them."""
    text = PAGE.read_text() if PAGE.exists() else ""
    return dict(re.findall(r"\| `([\w-]+)`: [^|\n]* \| `[^`]+` \| `([^`]+)` \|$", text, re.M))


def run(build, seed, count, new, write):
    plants = load()
    results = known() if new else {}
    chosen = drawn(plants, seed, count) if count else [fault for fault in plants if fault["id"] not in results]
    bad = 0
    sources = check_ddi.tests_of_sources()
    programs = {fault["id"]: programs_of(fault, sources) for fault in chosen}
    for program in sorted({program for names in programs.values() for program in names}):
        tests = ":".join(sorted({fault["test"] for fault in chosen if program in programs[fault["id"]]}))
        status, found, output = plant.run(build / "bin" / program, tests, 0)
        if status != 0 or not found:
            print(f"{output[-3000:]}\n{program}: its tests fail without a fault")
            return 1
        print(f"{program}: {len(found)} tests pass without a fault")
    for fault in chosen:
        for program in programs[fault["id"]]:
            status, found, output = plant.run(build / "bin" / program, fault["test"], fault["number"])
            test, text = noticed(fault, found)
            if test is not None:
                break
        if test is None:
            bad += 1
            verdict = "NOT noticed" if found and not any(found.values()) else f"status {status}: {output[-1500:]}"
            print(f"{fault['id']}: {verdict}; {fault['why']}")
        else:
            results[fault["id"]] = test
            print(f"{fault['id']}: noticed by {test}")
    print(f"{len(chosen) - bad} of {len(chosen)} faults noticed")
    if write and not bad and not count:
        plant.write(PAGE, page(plants, results))
    return 1 if bad else 0


def page(plants, results):
    lines = ["# Rows of the driver interface, disabled on purpose", "",
             "`make rules-sw` builds the software from a copy that carries all of these faults (`tb/ddi/*.toml`,",
             "`tools/plant_ddi.py`), runs the tests without a fault and once with each, and expects the latter to fail. The",
             "shipped software has no part in this. `make rules-sw ARGS='--seed 7 --draw 10'` runs ten others; without `ARGS`",
             "all of them run, with `ARGS=--new` those that this page lacks, and with `ARGS=--write` it is made.", "",
             f"## {DRAW} rows drawn with seed {SEED}", "", "| row | fault | noticed by |", "|---|---|---|"]
    for fault in drawn(plants, SEED, DRAW):
        lines.append(f"| {fault['row_name']} | {fault['why']} | `{results[fault['id']]}` |")
    lines += ["", "## All faults", "", "| page | row | fault | in | noticed by |", "|---|---|---|---|---|"]
    for fault in plants:
        stem = pathlib.Path(fault["page"]).stem
        lines.append(f"| [{stem}](ddi/{stem}.md) | {fault['row_name']} | `{fault['id']}`: {fault['why']} | "
                     f"`{fault['file']}` | `{results[fault['id']]}` |")
    return "\n".join(lines) + f"\n\n{len(plants)} faults.\n"


def table():
    """Checks that the page lists these faults, each with a test that detected it in a run."""
    plants, text, results = load(), PAGE.read_text() if PAGE.exists() else "", known()
    missing = [fault["id"] for fault in plants if fault["id"] not in results]
    if not missing and text == page(plants, results):
        return 0
    print(f"docs/ddi-faults.md differs from tb/ddi/*.toml ({', '.join(missing) or 'texts'}): "
          "make rules-sw ARGS=--write")
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("copy", help="sw/ with all faults")
    command.add_argument("folder", type=pathlib.Path)
    command = commands.add_parser("run", help="the tests notice the faults")
    command.add_argument("build", type=pathlib.Path)
    command.add_argument("--seed", type=int, default=SEED)
    command.add_argument("--draw", type=int, default=0)
    command.add_argument("--new", action="store_true", help="only faults that docs/ddi-faults.md does not have")
    command.add_argument("--write", action="store_true", help="write docs/ddi-faults.md")
    commands.add_parser("table", help="compares docs/ddi-faults.md with the faults")
    arguments = parser.parse_args()
    if arguments.command == "copy":
        return copy(arguments.folder)
    if arguments.command == "run":
        return run(arguments.build, arguments.seed, arguments.draw, arguments.new, arguments.write)
    return table()


if __name__ == "__main__":
    sys.exit(main())

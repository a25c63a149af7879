#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the table of the driver interface, docs/ddi/*.md, against the sources, the tests and their results.

Checked in every row: its columns, the files and symbols that it names, its tests (they exist, are not disabled, and are
not skipped on every path). With --build DIR: ctest lists the tests there, and they ran and passed with the programs of
that build (DIR/results, written by the tests). If not all tests of the build have run, the last line says so, and only
the existing results are checked.

A row has four columns: name | implemented in | shown by | evidence. "implemented in" contains files in backquotes, each
with a symbol behind a colon if that helps (`sw/os/vidmm/vidmm.cc:Evict`), or "no effect: why". "shown by" contains
names of tests as ctest lists them; a * matches anything. "evidence": documents, Windows 22621, Windows 26100, driver
authors, choice of this model, open: switch <key of the configuration>, separated by commas.
"""
import argparse
import collections
import fnmatch
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs/ddi"
NAMES = PAGES / "names.md"
COLUMNS = ["name", "implemented in", "shown by", "evidence"]
EVIDENCE = ("documents", "Windows 22621", "Windows 26100", "driver authors", "choice of this model")
RTL = ("tb/rtl/", "tb/system/", "tb/bench/", "tb/sim/gpu/")  # folders of tests that a build without RTL lacks
Row = collections.namedtuple("Row", "page line name where tests evidence")
Test = collections.namedtuple("Test", "file disabled skipped cases")


def tables(page):
    """(line, cells) of every row of a page's tables, without heads and separators."""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("|") and not re.match(r"^\|[-| :]+\|$", line):
            yield number, [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def rows(pages):
    found, errors = [], []
    for page in pages:
        for line, cells in tables(page):
            if cells == COLUMNS:
                continue
            if len(cells) != 4 or not all(cells):
                errors.append(f"{page.relative_to(ROOT)}:{line}: not four columns: {' | '.join(cells)}")
                continue
            tests = re.findall(r"`([^`]+)`", cells[2])
            found.append(Row(page.relative_to(ROOT), line, cells[0], cells[1], tests, cells[3]))
    return found, errors


def subject_pages():
    return [page for page in sorted(PAGES.glob("*.md")) if page != NAMES]


def body_of(text, start):
    depth, index = 0, text.index("{", start)
    for index in range(index, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            break
    return text[text.index("{", start) + 1:index]


def tests_of_sources():
    """{Suite.Name: Test}, with the prefixes of instantiations, and /* for the cases."""
    found, instances = {}, collections.defaultdict(list)
    for path in sorted((ROOT / "tb").rglob("*.cc")):
        text = path.read_text()
        for prefix, suite in re.findall(r"INSTANTIATE_TEST_SUITE_P\(\s*(\w+),\s*(\w+),", text):
            instances[suite].append(prefix)
        for match in re.finditer(r"^TEST(_[FP])?\(\s*(\w+),\s*(\w+)\)", text, re.M):
            kind, suite, name = match.groups()
            body = re.sub(r"//[^\n]*", "", body_of(text, match.end())).strip()
            disabled = name.startswith("DISABLED_") or suite.startswith("DISABLED_")
            found[f"{suite}.{name}"] = Test(path, disabled, body.startswith("GTEST_SKIP()"), kind == "_P")
    result = {}
    for name, test in found.items():
        if test.cases:
            result.update({f"{prefix}/{name}/*": test for prefix in instances[name.split(".")[0]]})
        else:
            result[name] = test
    return result


@functools.lru_cache(maxsize=None)
def matching(pattern, names):
    """The test names that match the pattern; both may contain a *."""
    def matches(name, other):
        return name == other or ("*" in other and fnmatch.fnmatchcase(name, other))
    return [name for name in names if matches(name, pattern) or matches(pattern, name)]


class Build:
    """The tests that ctest lists in a build, and the result of each with the current program."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, text=True, stdout=subprocess.PIPE,
                                check=True)
        self.programs, self.disabled = {}, set()
        for test in json.loads(listed.stdout)["tests"]:
            name = test["name"]
            self.programs[name] = test.get("command", [None])[0]
            if any(p["name"] == "DISABLED" and p["value"] for p in test.get("properties", [])):
                self.disabled.add(name)
        cache = (self.folder / "CMakeCache.txt").read_text()
        self.with_rtl = "GMMU_RTL:BOOL=ON" in cache
        self.measured = [name for name in self.programs if self.is_gtest(name)]

    def is_gtest(self, name):
        program = self.programs[name]
        return bool(program) and pathlib.Path(program).name.startswith("test_") and "." in name

    @functools.lru_cache(maxsize=None)
    def result(self, name):
        """passed, failed, skipped, or None if the test did not run with the current program."""
        path = self.folder / "results" / f"{name}.xml"
        program = self.programs.get(name)
        if not program or not path.exists() or path.stat().st_mtime < os.stat(program).st_mtime:
            return None
        for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
            if case.find("failure") is not None:
                return "failed"
            return "skipped" if case.get("result") == "skipped" or case.find("skipped") is not None else "passed"
        return None


def keys():
    """(section, key) of each row of the settings' .def files."""
    found = set()
    for path, section in (("sim/host/machine.def", None), ("sw/os/base/os.def", "os"),
                          ("sw/os/base/inject.def", "inject"), ("sw/kmd/driver.def", "driver")):
        for kind, name in re.findall(r"^([A-Z_]+)\((?:[A-Z]\w*, )?(\w+)", (ROOT / path).read_text(), re.MULTILINE):
            if kind == "SECTION":
                section = name
            elif kind not in ("END", "GETTER", "NO_KEY", "LIST_OF_ONE"):
                found.add((section, name))
    return found


def check_where(row, say):
    if re.match(r"no effect: \w", row.where):
        return
    places = re.findall(r"`([^`]+)`", row.where)
    if not places:
        say(f"`{row.name}`: no file in \"implemented in\"")
    for place in places:
        path, _, symbol = place.partition(":")
        if not (ROOT / path).exists():
            say(f"names {path}, which does not exist")
        elif symbol and not re.search(rf"\b{re.escape(symbol)}\b", (ROOT / path).read_text()):
            say(f"{path} has no {symbol}")


def check_evidence(row, known, say):
    for part in [part.strip() for part in row.evidence.split(",")]:
        match = re.fullmatch(r"open: switch `?(\w+)\.(\w+)`?", part)
        if match and match.groups() not in known:
            say(f"evidence names the switch {'.'.join(match.groups())}, which is no key of the configuration")
        elif not match and part not in EVIDENCE:
            say(f"evidence {part!r}; known: {', '.join(EVIDENCE)}, open: switch <key>")


def check_tests(row, sources, build, say):
    """The listed names of the row's tests in the build."""
    listed = []
    if not row.tests:
        say(f"{row.name}: no test")
    for pattern in row.tests:
        if re.match(r"(tools|rules|layouts|registers|ddi)\.", pattern) or "_with_mingw" in pattern:
            continue  # a plain ctest test, not a GoogleTest
        found = {name: sources[name] for name in matching(pattern, tuple(sources))}
        if not found:
            say(f"names the test {pattern}, which is not in the sources")
            continue
        if all(test.disabled for test in found.values()):
            say(f"names the test {pattern}, which is disabled")
        if all(test.skipped for test in found.values()):
            say(f"names the test {pattern}, which skips itself on every path")
        if build is None:
            continue
        here = matching(pattern, tuple(build.programs))
        needs_rtl = all(str(test.file.relative_to(ROOT)).startswith(RTL) or test.file.name.startswith("sc_")
                        for test in found.values())
        if here and all(name in build.disabled for name in here):
            say(f"names the test {pattern}, which ctest does not run")
        elif not here and (build.with_rtl or not needs_rtl):
            say(f"names the test {pattern}, which this build does not have")
        listed += here
    return listed


def check_routines():
    """Checks that each kernel routine for drivers has a row in docs/ddi/kernel.md."""
    routines = re.findall(r"^  (\w+);", (ROOT / "sw/ddi/kernel_routines.list").read_text(), re.M)
    page = (PAGES / "kernel.md").read_text()
    return [f"docs/ddi/kernel.md: no row has {name}, which sw/ddi/kernel_routines.list names"
            for name in routines if name != "DxgkInitialize" and f"`{name}`" not in page]


def check(build_folder):
    found, errors = rows(subject_pages() + ([NAMES] if NAMES.exists() else []))
    errors += check_routines()
    sources, known = tests_of_sources(), keys()
    build = Build(build_folder) if build_folder else None
    named, counts = {}, collections.Counter()
    for row in found:
        def say(text, row=row):
            errors.append(f"{row.page}:{row.line}: {text}")
        if re.search(r"\b(later|TODO|tbd|not yet)\b", " ".join([row.name, row.where]), re.I):
            say(f"{row.name}: a row says what is, not what will be")
        check_where(row, say)
        check_evidence(row, known, say)
        for name in check_tests(row, sources, build, say):
            named.setdefault(name, row)
        counts[row.page.name] += 1
    for page in {row.page for row in found}:
        doubled = collections.Counter(row.name for row in found if row.page == page)
        errors += [f"{page}: the row {name} stands {n} times" for name, n in doubled.items() if n > 1]
    note = ""
    if build:
        ran = [name for name in build.measured if build.result(name)]
        complete = len(ran) == len(build.measured)
        for name, row in named.items():
            result = build.result(name) if build.is_gtest(name) else "passed"
            if result in ("failed", "skipped") or (complete and result is None):
                errors.append(f"{row.page}:{row.line}: names the test {name}, which {result or 'did not run'} in "
                              f"{build.folder}")
        note = (f"; all {len(ran)} tests of the build ran" if complete else
                f"; {len(ran)} of the {len(build.measured)} tests of the build ran: of the others only the existence "
                "is checked")
        if not build.with_rtl:
            note += "; tests of the RTL are not in this build and are looked up in the sources"
    for error in errors:
        print(error)
    print(f"ddi: {len(found)} rows ({', '.join(f'{n} {page[:-3]}' for page, n in sorted(counts.items()))}), "
          f"{len(errors)} errors{note}")
    return 1 if errors else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR")
    sys.exit(check(parser.parse_args().build))

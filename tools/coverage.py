# SPDX-License-Identifier: Apache-2.0
"""Line and branch coverage of rtl/ by the RTL benches (make coverage; with TOGGLES=1 also the toggles of every bit).

Runs every test_rtl_* program of the coverage build in shards, as many at once as there are cores, and adds up the
counts of their models (tb/rtl/coverage.h). Prints a table by file and room, and writes pages with the sources to
BUILD/html. A line counts as reached when every block on it has run in some instance of some bench.

Exit status 1: a test fails, is not finished in time, or writes no counts; fewer lines are reached than the goal
requires; or the unreached lines are not exactly those that the rooms' pages list with a reason, under "Lines that no
test reaches".
"""
import argparse
import collections
import html
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADING = "## Lines that no test reaches"
STYLE = """<style>body{font-family:sans-serif}table{border-collapse:collapse}td,th{padding:0 .6em;text-align:right}
td:first-child,th:first-child{text-align:left}pre{margin:0}.no{background:#fbb}.part{background:#fe9}.yes{background:#dfd}
</style>"""


class Shard:
    """A part of one program's tests: one process, its log and its counts."""

    def __init__(self, build, program, index, count):
        self.program, self.index, self.count = program, index, count
        self.name = program.name if count == 1 else f"{program.name} {index + 1}/{count}"
        self.data = build / f"{program.name}.{index}.dat"
        self.log = build / f"{program.name}.{index}.log"
        self.test, self.since, self.size = "its start", time.monotonic(), 0

    def start(self):
        environment = dict(os.environ, GMMU_COVERAGE_FILE=str(self.data), GTEST_TOTAL_SHARDS=str(self.count),
                           GTEST_SHARD_INDEX=str(self.index))
        self.begun = self.since = time.monotonic()
        with self.log.open("w") as log:
            self.process = subprocess.Popen([self.program], cwd=ROOT, env=environment, stdout=log,
                                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def look(self):
        """The test that is running, and since when."""
        if self.log.stat().st_size != self.size:
            self.size = self.log.stat().st_size
            begun = re.findall(r"^\[ RUN      \] (.*)", self.log.read_text(errors="replace"), re.MULTILINE)
            if begun and begun[-1] != self.test:
                self.test, self.since = begun[-1], time.monotonic()

    def verdict(self):
        """The error of a shard that has ended, or nothing."""
        if self.process.returncode != 0:
            text = self.log.read_text(errors="replace")
            failed = sorted(set(re.findall(r"^\[  FAILED  \] (\S+?),? ", text, re.MULTILINE)))
            return f"exit status {self.process.returncode} ({', '.join(failed) or 'in ' + self.test}), see {self.log}"
        if not self.data.exists():
            return "wrote no counts; its bench class needs a BlockBench (tb/rtl/block_bench.h)"
        return None


def tests_of(program):
    done = subprocess.run([program, "--gtest_list_tests"], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True)
    return sum(1 for line in done.stdout.splitlines() if line.startswith("  "))


def run(build, programs, jobs, limit):
    """Runs the programs' shards, `jobs` at once. A test may take `limit` seconds. Returns whether all passed."""
    waiting = []
    for program in programs:
        for old in build.glob(program.name + ".*"):
            old.unlink()
        tests = tests_of(program)
        count = max(1, min(4 * jobs, tests // 8))
        print(f"coverage: {program.name}: {tests} tests in {count} shard{'s' * (count > 1)}", flush=True)
        waiting += [Shard(build, program, index, count) for index in range(count)]
    total, ended, running, passed, told = len(waiting), 0, [], True, time.monotonic()
    while waiting or running:
        while waiting and len(running) < jobs:
            running.append(waiting.pop(0))
            running[-1].start()
        time.sleep(0.2)
        for shard in list(running):
            shard.look()
            late = shard.process.poll() is None and time.monotonic() - shard.since > limit
            if late:
                shard.process.kill()
                shard.process.wait()
            elif shard.process.poll() is None:
                continue
            running.remove(shard)
            ended += 1
            wrong = f"not finished: {shard.test} took more than {limit} s, see {shard.log}" if late else shard.verdict()
            passed &= wrong is None
            told = time.monotonic()
            print(f"[{ended:3d}/{total}] {shard.name:26s} {told - shard.begun:6.1f} s  {wrong or 'passed'}", flush=True)
        if time.monotonic() - told > 60:
            told = time.monotonic()
            waits = ", ".join(f"{shard.name} ({shard.test}, {told - shard.since:.0f} s)" for shard in running)
            print(f"          waiting for {waits}", flush=True)
    return passed


def spans(text):
    """The numbers in a text such as '4-6,9'."""
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class File:
    """The data for one source file: counts of its points, over all instances and benches."""

    def __init__(self):
        self.blocks = collections.Counter()    # (line, column, kind, lines) of lines that run together
        self.branches = collections.Counter()  # (line, column, kind) of one direction of a decision
        self.toggles = collections.Counter()   # (line, bit and direction)

    def lines(self):
        """{line: count of the least used block on the line}"""
        counts = {}
        for (_, _, _, covered), count in self.blocks.items():
            for line in spans(covered):
                counts[line] = min(count, counts.get(line, count))
        return counts


def read(paths):
    files = collections.defaultdict(File)
    for path in paths:
        for text in path.read_text(errors="replace").splitlines():
            if not text.startswith("C '"):
                continue
            key, _, count = text[3:].rpartition("' ")
            point = dict(part.split("\x02", 1) for part in key.split("\x01") if part)
            name = point["f"].replace("\\", "/")
            if "/rtl/" not in name or "/tb/" in name:
                continue
            file = files["rtl/" + name.split("/rtl/", 1)[1]]
            line, column, kind, count = int(point["l"]), int(point["n"]), point.get("o", ""), int(count)
            if point["t"] == "toggle":
                file.toggles[line, kind] += count
                continue
            if point["t"] == "branch":
                file.branches[line, column, kind] += count
            if point.get("S") and not kind.startswith("cond_"):
                file.blocks[line, column, kind, point["S"]] += count
    return files


def explained(room):
    """The source lines that the room's page lists under HEADING, stripped."""
    page = ROOT / room / "README.md"
    text = page.read_text() if page.exists() else ""
    section = text.partition(HEADING)[2].partition("\n## ")[0]
    return re.findall(r"^- `([^`]+)`", section, re.MULTILINE)


def ratio(counts):
    values = list(counts.values()) if isinstance(counts, dict) else counts
    return sum(1 for value in values if value), len(values)


def percent(pair):
    return f"{100 * pair[0] / pair[1]:6.1f} %" if pair[1] else "       -"


def write_page(folder, name, file):
    """The page for one source file: counts, text, and the bits that never toggled, at the line of their declaration."""
    counts = file.lines()
    missing = collections.defaultdict(list)
    for (line, bit), count in sorted(file.toggles.items()):
        if count == 0:
            missing[line].append(bit)
    ways = collections.defaultdict(list)
    for (line, _, kind), count in sorted(file.branches.items()):
        if count == 0:
            ways[line].append(kind)
    rows = []
    for number, text in enumerate((ROOT / name).read_text().splitlines(), 1):
        state = "" if number not in counts else "no" if counts[number] == 0 else "part" if ways[number] else "yes"
        note = ", ".join(["never: " + kind for kind in ways[number]] if number in counts else [])
        if missing[number]:
            bits = missing[number]
            note += f" {len(bits)} changes never seen: {' '.join(bits[:8])}{' ...' if len(bits) > 8 else ''}"
        rows.append(f"<tr class='{state}'><td>{number}<td>{counts.get(number, '')}<td style='text-align:left'><pre>"
                    f"{html.escape(text)}</pre><td style='text-align:left'>{html.escape(note)}")
    page = folder / (name.replace("/", "_") + ".html")
    page.write_text(f"<!doctype html><title>{name}</title>{STYLE}<h1>{name}</h1><table>" + "\n".join(rows) + "</table>\n")
    return page.name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", help="run only the benches of these; the others' last counts are used")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/coverage")
    parser.add_argument("--goal", type=float, default=95.0, help="percent of the lines of rtl/")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("GMMU_JOBS") or os.cpu_count() or 1),
                        help="programs at once (GMMU_JOBS, or one a core)")
    parser.add_argument("--limit", type=int, default=900, help="seconds that one test may take")
    parser.add_argument("--no-run", action="store_true", help="use what the last run has counted")
    parser.add_argument("--lines", action="store_true", help="print every line that is not reached")
    arguments = parser.parse_args()
    build = arguments.build.resolve()

    programs = sorted(program for program in (build / "bin").glob("test_rtl_*") if not program.suffix)
    known = {program.name.removeprefix("test_rtl_") for program in programs}
    if not programs or not known.issuperset(arguments.rooms):
        print(f"coverage: no test_rtl_{'* or '.join(arguments.rooms or [''])}* in {build}/bin")
        return 1
    passed = True
    if not arguments.no_run:
        chosen = [program for program in programs
                  if not arguments.rooms or program.name.removeprefix("test_rtl_") in arguments.rooms]
        passed = run(build, chosen, max(1, arguments.jobs), arguments.limit)
    for program in programs:
        if not list(build.glob(program.name + ".*.dat")):
            print(f"coverage: {program.name} has no counts")
            passed = False
    files = read(sorted(build.glob("test_rtl_*.dat")))

    pages = build / "html"
    pages.mkdir(parents=True, exist_ok=True)
    table, unreached = [], []
    rooms = collections.defaultdict(lambda: [[0, 0], [0, 0], [0, 0]])
    for name in sorted(files):
        file = files[name]
        row = [ratio(file.lines()), ratio(file.branches), ratio(file.toggles)]
        room = str(pathlib.Path(name).parent)
        for whole in (rooms[room], rooms["rtl"]):
            for pair, part in zip(whole, row):
                pair[0] += part[0]
                pair[1] += part[1]
        table.append((name, row, write_page(pages, name, file)))
        source = (ROOT / name).read_text().splitlines()
        for line, count in sorted(file.lines().items()):
            if count == 0:
                unreached.append((room, name, line, source[line - 1].strip()))

    print(f"\n{'file':40s} {'lines':>9s} {'reached':>9s} {'branches':>9s} {'toggles':>9s}")
    body = []
    total = rooms.pop("rtl", [[0, 0], [0, 0], [0, 0]])
    for name, row, page in table + [(room, rooms[room], "") for room in sorted(rooms)] + [("total", total, "")]:
        print(f"{name:40s} {row[0][1]:9d} {percent(row[0]):>9s} {percent(row[1]):>9s} {percent(row[2]):>9s}")
        link = f"<a href='{page}'>{name}</a>" if page else name
        body.append(f"<tr><td>{link}<td>{row[0][1]}" + "".join(f"<td>{percent(pair)}" for pair in row))
    (pages / "index.html").write_text(
        f"<!doctype html><title>Coverage of rtl/</title>{STYLE}<h1>Coverage of rtl/</h1><table><tr><th>file<th>lines"
        "<th>reached<th>branches<th>toggles" + "\n".join(body) + "</table>\n")

    # Each README must list exactly the lines that no test reaches.
    silent, stale = [], []
    for room in sorted(rooms):
        reasons = explained(room)
        missed = [text for where, _, _, text in unreached if where == room]
        stale += [f"{room}/README.md lists a line that is reached, or is none: {text}"
                  for text in reasons if text not in missed]
        silent += [entry for entry in unreached if entry[0] == room and entry[3] not in reasons]
    print()
    for entry in unreached:
        if arguments.lines or entry in silent:
            room, name, line, text = entry
            print(f"{name}:{line}: not reached{'' if entry in silent else ' (explained)'}: {text}")
    for text in stale:
        print(text)
    share = 100 * total[0][0] / max(1, total[0][1])
    print(f"pages: {os.path.relpath(pages / 'index.html', ROOT)}")
    print(f"{len(unreached)} lines not reached, {len(silent)} of them without a reason on their room's page")
    reached = share >= arguments.goal
    verdicts = [("a test failed or has no counts", not passed), ("the goal is missed", not reached),
                ("the pages do not list what is not reached", silent or stale)]
    faults = [text for text, holds in verdicts if holds]
    print(f"coverage: {share:.1f} % of {total[0][1]} lines of rtl/ reached (goal {arguments.goal:g} %), "
          f"{percent(total[1]).strip()} of {total[1][1]} branches: {'; '.join(faults) or 'passed'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

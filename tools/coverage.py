# SPDX-License-Identifier: Apache-2.0
"""Line, branch and toggle coverage of rtl/ by the RTL benches (make coverage).

Runs every test_rtl_* program of the coverage build, adds up what their models have counted (tb/rtl/coverage.h), prints a
table by file and writes pages with the sources to BUILD/html. A line counts as reached when every block on it has
run in some instance of some bench. Exit status 1: a test fails, or fewer lines are reached than the goal asks for.
"""
import argparse
import collections
import html
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADING = "## Lines that no test reaches"
STYLE = """<style>body{font-family:sans-serif}table{border-collapse:collapse}td,th{padding:0 .6em;text-align:right}
td:first-child,th:first-child{text-align:left}pre{margin:0}.no{background:#fbb}.part{background:#fe9}.yes{background:#dfd}
</style>"""


def run(program, data):
    """Runs one test program; it writes its counts to `data`. Returns whether its tests passed."""
    data.unlink(missing_ok=True)
    environment = dict(os.environ, GMMU_COVERAGE_FILE=str(data))
    try:
        done = subprocess.run([program, "--gtest_brief=1"], cwd=ROOT, env=environment, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
    except subprocess.TimeoutExpired:
        print(f"{program.name}: not finished after 900 s")
        return False
    if done.returncode != 0:
        print(done.stdout[-4000:])
        print(f"{program.name}: exit status {done.returncode}")
    if not data.exists():
        print(f"{program.name}: wrote no coverage; its bench class needs a member of class Coverage (tb/rtl/coverage.h)")
        return False
    return done.returncode == 0


def spans(text):
    """'4-6,9' as the numbers in it."""
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class File:
    """What is known of one source file: counts of its points, over all instances and benches."""

    def __init__(self):
        self.blocks = collections.Counter()    # (line, column, kind, lines) of lines of code that run together
        self.branches = collections.Counter()  # (line, column, kind) of one way of a decision
        self.toggles = collections.Counter()   # (line, bit and direction)

    def lines(self):
        """{line: times that the least used block on it has run}"""
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


def explained(name):
    """The source lines that the folder's README.md lists under HEADING, as text without spaces at the ends."""
    page = ROOT / pathlib.Path(name).parent / "README.md"
    text = page.read_text() if page.exists() else ""
    section = text.partition(HEADING)[2].partition("\n## ")[0]
    return {part.strip() for part in re.findall(r"`([^`]+)`", section)}


def ratio(counts):
    values = list(counts.values()) if isinstance(counts, dict) else counts
    return sum(1 for value in values if value), len(values)


def percent(pair):
    return f"{100 * pair[0] / pair[1]:6.1f} %" if pair[1] else "       -"


def write_page(folder, name, file):
    """One source file: count, text, and the bits that never changed at the line of their declaration."""
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
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/coverage")
    parser.add_argument("--goal", type=float, default=95.0, help="percent of the lines of rtl/")
    parser.add_argument("--no-run", action="store_true", help="use what the last run has counted")
    parser.add_argument("--lines", action="store_true", help="print every line that is not reached")
    arguments = parser.parse_args()
    build = arguments.build.resolve()

    programs = sorted((build / "bin").glob("test_rtl_*"))
    programs = [program for program in programs if not program.name.endswith(("_planted", ".dat"))]
    if not programs:
        print(f"coverage: no test_rtl_* in {build}/bin")
        return 1
    passed = True
    data = [build / (program.name + ".dat") for program in programs]
    for program, path in zip(programs, data):
        if not arguments.no_run:
            print(f"running {program.name}", flush=True)
            passed &= run(program, path)
    files = read([path for path in data if path.exists()])

    pages = build / "html"
    pages.mkdir(parents=True, exist_ok=True)
    table, unreached = [], []
    total = [[0, 0], [0, 0], [0, 0]]
    for name in sorted(files):
        file = files[name]
        row = [ratio(file.lines()), ratio(file.branches), ratio(file.toggles)]
        for whole, part in zip(total, row):
            whole[0] += part[0]
            whole[1] += part[1]
        table.append((name, row, write_page(pages, name, file)))
        source = (ROOT / name).read_text().splitlines()
        reasons = explained(name)
        for line, count in sorted(file.lines().items()):
            if count == 0:
                text = source[line - 1].strip()
                unreached.append((name, line, text, text in reasons))

    print(f"\n{'file':40s} {'lines':>9s} {'reached':>9s} {'branches':>9s} {'toggles':>9s}")
    body = []
    for name, row, page in table + [("total", total, "")]:
        print(f"{name:40s} {row[0][1]:9d} {percent(row[0]):>9s} {percent(row[1]):>9s} {percent(row[2]):>9s}")
        link = f"<a href='{page}'>{name}</a>" if page else name
        body.append(f"<tr><td>{link}<td>{row[0][1]}" + "".join(f"<td>{percent(pair)}" for pair in row))
    (pages / "index.html").write_text(
        f"<!doctype html><title>Coverage of rtl/</title>{STYLE}<h1>Coverage of rtl/</h1><table><tr><th>file<th>lines"
        "<th>reached<th>branches<th>toggles" + "\n".join(body) + "</table>\n")

    silent = [entry for entry in unreached if not entry[3]]
    for name, line, text, known in unreached:
        if arguments.lines or not known:
            print(f"{name}:{line}: not reached{' (explained)' if known else ''}: {text}")
    share = 100 * total[0][0] / max(1, total[0][1])
    print(f"\npages: {os.path.relpath(pages / 'index.html', ROOT)}")
    print(f"{len(unreached)} lines not reached, {len(silent)} of them without a reason in their folder's README.md")
    reached = passed and share >= arguments.goal
    print(f"coverage: {share:.1f} % of {total[0][1]} lines of rtl/ (goal {arguments.goal:g} %): "
          f"{'reached' if reached else 'a test failed' if not passed else 'missed'}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""make combine: every pair of settings in every scenario.

  combine.py [--seed N] [--all | --met] [--slice I/N] [--only REGEX] [--rtl N] [--jobs N] [--state FILE] [--again] [--rows]

A covering array over all keys that a run can set (array_of_rows.py) is run with each scenario on the fast engine, and
every N-th verified run (--rtl) on the RTL, whose report must agree (`gmmu compare`). A run must end verified, or refused before it starts
by a message that names one of the settings, or not applicable because a capability is missing. Everything else is a
failure: it is reduced to the fewest settings and printed as one command. A row with a conflict runs again without one
of the settings in conflict (settle.py).

The rows, seeds and slices depend only on --seed and on the keys. Results stay in --state; a row that has been settled
by the same program is not run again (--again: it is). Exit status: 0 no failure, 1 failures, 2 wrong use.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import command  # noqa: E402
import factors as keys  # noqa: E402
import reduce  # noqa: E402
import settle  # noqa: E402
import verdict  # noqa: E402

DRIVERS = ("", "build/drivers/driver_physical.so")  # ours, and one without page tables: the first that a scenario applies to
MET = ROOT / "tools/combine/met.tsv"  # what was found and mended: scenario, settings, seed, what happened
BY_TIME = ("os.preemption",)  # which thread runs next depends on the time, which the fast engine estimates
PAIRS, TRIPLES = 16, 2  # scenarios per row of pairs, and per row of triples, without --all


def arguments():
    parser = argparse.ArgumentParser(description="Every pair of settings in every scenario.")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/gmmu")
    parser.add_argument("--seed", type=int, default=1, help="seed of the array")
    parser.add_argument("--slice", default="0/1", help="I/N: every N-th of the runs, from the I-th on")
    parser.add_argument("--only", default="", help="scenarios whose names match")
    parser.add_argument("--rtl", type=int, default=10, help="every N-th verified run is repeated on the RTL; 0: none")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--state", type=pathlib.Path, default=ROOT / "build/combine.jsonl")
    parser.add_argument("--all", action="store_true", help=f"each row with every scenario, not with {PAIRS} of them")
    parser.add_argument("--met", action="store_true", help="only the combinations of met.tsv, which failed once")
    parser.add_argument("--again", action="store_true", help="run what has been settled too")
    parser.add_argument("--rows", action="store_true", help="print the array and end")
    given = parser.parse_args()
    cut = re.fullmatch(r"(\d+)/(\d+)", given.slice)
    if cut is None or not int(cut[1]) < int(cut[2]):
        parser.error(f"--slice {given.slice}: I/N with I below N, as 0/3")
    given.part, given.parts = int(cut[1]), int(cut[2])
    return given


def scenarios(program, only):
    listed = subprocess.run([program, "run", "--list"], capture_output=True, text=True, check=True).stdout
    names = [name for name in re.findall(r"^([a-z0-9][a-z0-9-]*)(?:, for .*)?$", listed, re.MULTILINE) if re.search(only, name)]
    if not names:
        sys.exit(f"combine: no scenario matches {only!r}")
    return names


class State:
    """Lines of JSON, one for each settled run of a program; the file is only appended to."""

    def __init__(self, path, program, again):
        self.path, self.program, self.held, self.lock = path, program, {}, threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        if again or not path.exists():
            path.write_text("")
        for line in path.read_text().splitlines():
            one = json.loads(line)
            if one["program"] == program:
                self.held[one["run"]] = one

    def add(self, one):
        with self.lock:
            self.held[one["run"]] = one
            with open(self.path, "a") as file:
                file.write(json.dumps(one) + "\n")


class Work:
    """The runs of a call: rows of the array with scenarios."""

    def __init__(self, given):
        self.given = given
        self.factors = keys.factors(given.program)
        import array_of_rows  # needs a wheel, which --met does not
        self.array = array_of_rows
        pairs, triples = array_of_rows.rows(self.factors, given.seed)
        self.rows = pairs + triples
        self.names = scenarios(given.program, given.only)
        digest = hashlib.sha256(given.program.read_bytes()).hexdigest()
        self.state = State(given.state, digest, given.again)
        self.driver, self.skipped = {}, {}
        known = {engine: [] for engine in verdict.LIMIT}
        self.settlers = {engine: settle.Settler(self.command_on(engine), known[engine]) for engine in verdict.LIMIT}
        jobs = [(name, number) for number in range(len(self.rows))
                for name in self.names_of(number, PAIRS if number < len(pairs) else TRIPLES)]
        self.jobs = sorted(jobs, key=lambda job: hashlib.sha256(f"{given.seed} {job}".encode()).digest())[given.part::given.parts]

    def names_of(self, number, count):
        """The scenarios of a row: all of them with --all, else some that differ from row to row."""
        if self.given.all or count >= len(self.names):
            return self.names
        return [self.names[(count * number + at) % len(self.names)] for at in range(count)]

    def command_on(self, engine):
        return lambda scenario, seed, settings: verdict.words(self.given.program, scenario, engine, seed, settings, self.driver.get(scenario, ""))

    def name_of(self, scenario, number):
        return f"{self.given.seed} {number} {scenario}"

    def find_drivers(self):
        """Chooses the driver that plays each scenario; a scenario that none can play is skipped."""
        for name in self.names:
            for driver in DRIVERS:
                ended = verdict.run(verdict.words(self.given.program, name, "fast", 0, {}, driver and str(ROOT / driver)), {})
                if ended.kind != verdict.NOT_APPLICABLE:
                    self.driver[name] = driver and str(ROOT / driver)
                    break
            else:
                self.skipped[name] = ended.text.splitlines()[0]

    def one(self, scenario, number):
        """Settles one row, on the RTL too if it is its turn; the record for the state."""
        begin = time.monotonic()
        settings, conflicts, seed = self.settlers["fast"].settle(scenario, self.rows[number], number)
        record = {"program": self.state.program, "run": self.name_of(scenario, number), "scenario": scenario, "row": number,
                  "settings": settings, "failures": [], "refused": 0, "not_applicable": 0}
        for met in conflicts:
            kind = met.verdict.kind
            if kind == verdict.FAILED:
                record["failures"].append(self.failure("fast", scenario, seed, met))
            else:
                record[kind.replace(" ", "_")] += 1
        turn = self.given.rtl and int(hashlib.sha256(record["run"].encode()).hexdigest(), 16) % self.given.rtl == 0
        if settings is not None and turn and not self.driver.get(scenario):
            record["failures"] += self.on_the_rtl(scenario, number, settings)
        record["seconds"] = round(time.monotonic() - begin, 3)
        return record

    def on_the_rtl(self, scenario, number, settings):
        """The failures of a row on the RTL, or the difference between the engines' reports."""
        folder = self.given.state.with_suffix("") / f"{number}.{scenario}"
        folder.mkdir(parents=True, exist_ok=True)
        reports = {engine: folder / f"{engine}.json" for engine in ("rtl", "fast")}
        settings = {key: value for key, value in settings.items() if key not in BY_TIME}
        settings, conflicts, seed = self.settlers["rtl"].settle(scenario, settings, number, reports["rtl"])
        found = [self.failure("rtl", scenario, seed, met) for met in conflicts if met.verdict.kind == verdict.FAILED]
        if settings is not None and self.difference(scenario, seed, settings, reports):
            least = reduce.smallest(settings, lambda part: self.difference(scenario, seed, part, reports))
            text = "the engines disagree: " + self.difference(scenario, seed, least, reports)
            found.append(self.failure("rtl", scenario, seed, settle.Conflict(least, verdict.Verdict(verdict.FAILED, text))))
        for report in reports.values():
            report.unlink(missing_ok=True)
        folder.rmdir()
        return found

    def difference(self, scenario, seed, settings, reports):
        """Runs both engines; the differences of their reports, "" if there are none or one run is not verified."""
        for engine, report in reports.items():
            report.unlink(missing_ok=True)
            if self.settlers[engine].run(scenario, seed, settings, report).kind != verdict.VERIFIED:
                return ""
        done = subprocess.run([self.given.program, "compare", *reports.values()], capture_output=True, text=True)
        return (done.stdout + done.stderr).strip() if done.returncode != 0 else ""

    def failure(self, engine, scenario, seed, met):
        line = verdict.words("./gmmu", scenario, engine, seed, met.settings, self.driver.get(scenario, "").removeprefix(f"{ROOT}/"))
        return {"sort": met.verdict.sort, "text": met.verdict.text, "settings": met.settings, "command": shlex.join(line)}


def left(seconds):
    return f"{seconds / 60:.0f} min left" if seconds >= 90 else f"{seconds:.0f} s left"


def run_all(work):
    """Settles what is not settled yet."""
    todo = [job for job in work.jobs if job[0] in work.driver and work.name_of(*job) not in work.state.held]
    print(f"combine: {len(work.factors)} keys, {len(work.rows)} rows, {len(work.driver)} scenarios, {len(work.jobs)} runs, "
          f"{len(work.jobs) - len(todo)} settled before or skipped", file=sys.stderr)
    begin, seen = time.monotonic(), 0
    pool = concurrent.futures.ThreadPoolExecutor(work.given.jobs)
    try:
        for done, future in enumerate(concurrent.futures.as_completed([pool.submit(work.one, *job) for job in todo]), 1):
            record = future.result()
            work.state.add(record)
            for failure in record["failures"]:
                print(f"combine: FAILED {failure['command']}\n  {failure['text'].splitlines()[0][:200]}", file=sys.stderr)
            if time.monotonic() - seen > 10 or done == len(todo):
                seen = time.monotonic()
                print(f"combine: {done} of {len(todo)}, {left((seen - begin) / done * (len(todo) - done))}", file=sys.stderr)
    finally:
        pool.shutdown(cancel_futures=True)


def conclude(work):
    """Prints what was found; returns the exit status."""
    covered = work.array.Covered(work.factors)
    records = [work.state.held[name] for job in work.jobs if (name := work.name_of(*job)) in work.state.held]
    sorts = collections.defaultdict(list)
    for record in records:
        if record["settings"] is not None:
            covered.add(record["settings"])
        for failure in record["failures"]:
            sorts[failure["sort"]].append(failure)
    for name, why in work.skipped.items():
        print(f"not applicable: {name}: {why}")
    print(f"{len(records)} runs, {sum(record['settings'] is not None for record in records)} verified in the end, "
          f"{sum(record['refused'] for record in records)} refusals, {sum(record['not_applicable'] for record in records)} not applicable")
    print(f"{covered.count} of {covered.total} pairs of values were together in a verified run "
          f"({100 * covered.count / covered.total:.1f} %)")
    for sort, failures in sorted(sorts.items(), key=lambda item: -len(item[1])):
        shortest = min(failures, key=lambda failure: (len(failure["settings"]), failure["command"]))
        print(f"\nFAILED {len(failures)} times: {sort}\n  {shortest['command']}")
        print("\n".join("    " + line for line in shortest["text"].splitlines()[:4]))
    print(f"{sum(map(len, sorts.values()))} failures of {len(sorts)} sorts")
    return 1 if sorts else 0


def run_met(given):
    """Runs the lines of MET again; the exit status."""
    lines = [line.split("\t") for line in MET.read_text().splitlines() if line and not line.startswith("#")]
    failed = 0

    def again(line):
        scenario, settings, seed, _ = line
        chosen = dict(word.split("=", 1) for word in settings.split(" ") if word)
        command_line = verdict.words(given.program, scenario, "fast", seed, chosen)
        return line, command_line, verdict.run(command_line, chosen)

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for line, command_line, ended in pool.map(again, [line for line in lines if re.search(given.only, line[0])]):
            if ended.kind == verdict.FAILED:
                failed += 1
                print(f"FAILED {shlex.join(command_line)}\n  {ended.text.splitlines()[0][:200]}\n  met before: {line[3]}")
    print(f"{len(lines)} combinations that failed once, {failed} fail")
    return 1 if failed else 0


def main():
    given = arguments()
    if given.met:
        return run_met(given)
    work = Work(given)
    if given.rows:
        for number, row in enumerate(work.rows):
            print(number, " ".join(f"{key}={value}" for key, value in row.items()))
        return 0
    work.find_drivers()
    run_all(work)
    return conclude(work)


if __name__ == "__main__":
    sys.exit(command.run("combine", main, (re.error, subprocess.SubprocessError),
                         "combine: interrupted; what has been settled is kept, and the same command goes on"))

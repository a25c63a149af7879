# SPDX-License-Identifier: Apache-2.0
"""Runs every scenario with many seeds on every engine: no leak, no mismatch, no hang, and engines that agree.

    tools/check_long.py [--seeds 20] [--engines rtl,fast] [--only REGEX] [--jobs N] [--limit SECONDS] [--state FILE]
                        [--again] [--no-time]

Each run is `gmmu run --scenario NAME --engine ENGINE --seed SEED --json ...`; it must end with status 0 within the
limit. With two engines, `gmmu compare` compares their reports for each scenario and seed (sw/report/compare.h: all
members that do not depend on time), and the first difference is printed. Results are written to the state file, and
reports to the folder beside it, as runs end. A run that has passed with the same program is not repeated, so an
interrupted check resumes (--again ignores stored results). Progress and the time left go to stderr. The table at the
end lists the processor seconds of each scenario. A scenario whose shortest run on the RTL takes more than TOO_LONG is a
failure, unless --no-time is given (for a slow computer). Exit status 1: a run or a comparison failed, or a scenario
takes too long; the last lines list which.
"""
import argparse
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import command

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUNNING, STOPPED = set(), threading.Event()  # running processes; set when no new process may start
TOO_LONG = 60  # processor seconds of a scenario at its default size on the RTL (sw/workload/README.md)


def arguments():
    parser = argparse.ArgumentParser(description="Every scenario with many seeds on every engine.")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/gmmu")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--engines", default="fast,rtl")
    parser.add_argument("--only", default="", help="scenarios whose names match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=1800, help="seconds of one run")
    parser.add_argument("--state", type=pathlib.Path, default=ROOT / "build/check-long.json")
    parser.add_argument("--again", action="store_true", help="make every run, whatever has passed before")
    parser.add_argument("--no-time", action="store_true", help="a scenario may take as long as it likes on the RTL")
    return parser.parse_args()


def scenarios(program, only):
    listed = subprocess.run([program, "run", "--list"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^([a-z0-9][a-z0-9-]*)$", listed, re.MULTILINE)
    names = [name for name in names if re.search(only, name)]
    if not names:
        sys.exit(f"check-long: no scenario matches {only!r}")
    return names


def report_of(args, name, engine, seed):
    return args.state.with_suffix("") / f"{name}.{engine}.{seed}.json"


def end(process, number):
    """Sends a signal. Popen's own functions would collect the exit status that finish() waits for."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


def finish(process, limit):
    """(status, processor seconds) of a process; status None: it was ended after `limit` seconds."""
    late = threading.Event()
    timer = threading.Timer(limit, lambda: (late.set(), end(process, signal.SIGKILL)))
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return None if late.is_set() else process.returncode, usage.ru_utime + usage.ru_stime


def one(args, name, engine, seed):
    """(seconds, processor seconds, error text)"""
    words = [str(args.program), "run", "--scenario", name, "--engine", engine, "--seed", str(seed)]
    report = report_of(args, name, engine, seed)
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as text:
        process = subprocess.Popen([*words, "--json", str(report)], stdout=text, stderr=subprocess.STDOUT)
        RUNNING.add(process)
        if STOPPED.is_set():
            end(process, signal.SIGTERM)
        status, processor = finish(process, args.limit)
        RUNNING.discard(process)
        seconds = time.monotonic() - begin
        text.seek(0)
        last = "\n".join(text.read().strip().splitlines()[-4:])
    if status is None:
        return seconds, processor, f"no end after {args.limit:.0f} s: {' '.join(words)}"
    if status != 0 or not report.exists():
        return seconds, processor, f"status {status}: {' '.join(words)}\n{last}"
    return seconds, processor, ""


def differences(args, name, seed):
    """The first difference between the engines' reports for a scenario and seed; "" if there is none."""
    reports = [report_of(args, name, engine, seed) for engine in args.engines.split(",")]
    if len(reports) < 2 or not all(report.exists() for report in reports):
        return ""
    words = [str(args.program), "compare", *map(str, reports)]
    done = subprocess.run(words, capture_output=True, text=True)
    said = (done.stdout + done.stderr).strip().splitlines()
    first = said[0] if said else f"status {done.returncode}"
    return "" if done.returncode == 0 else f"{first}: {' '.join(words)}"


def load(args, key):
    try:
        held = json.loads(args.state.read_text())
    except (OSError, ValueError):
        return {}
    if args.again or held.get("program") != key:
        return {}
    return held["runs"]


def save(args, key, runs):
    args.state.parent.mkdir(parents=True, exist_ok=True)
    part = args.state.with_suffix(".part")
    try:
        part.write_text(json.dumps({"program": key, "runs": runs}, indent=1, sort_keys=True))
        part.replace(args.state)
    except OSError as error:  # the error of a failed write does not contain the file's name
        raise OSError(error.errno, error.strerror, str(args.state)) from error
    finally:
        part.unlink(missing_ok=True)


def run_all(args, todo, runs, key):
    spent = {}  # seconds by scenario and engine, for the estimate
    for held in runs.values():
        spent.setdefault((held["scenario"], held["engine"]), []).append(held["seconds"])
    left = list(todo)
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    try:
        futures = {pool.submit(one, args, *item): item for item in todo}
        for future in concurrent.futures.as_completed(futures):
            name, engine, seed = item = futures[future]
            seconds, processor, why = future.result()
            left.remove(item)
            runs[" ".join(map(str, item))] = {
                "scenario": name, "engine": engine, "seed": seed, "passed": why == "", "why": why,
                "seconds": round(seconds, 2), "processor": round(processor, 2)}
            save(args, key, runs)
            spent.setdefault((name, engine), []).append(seconds)
            known = [value for values in spent.values() for value in values]
            guess = sum(sum(spent[n, e]) / len(spent[n, e]) if (n, e) in spent else sum(known) / len(known)
                        for n, e, _ in left) / args.jobs
            print(f"check-long: {len(todo) - len(left)} of {len(todo)}, {name} {engine} seed {seed} "
                  f"{'FAILED' if why else 'passed'} in {seconds:.1f} s, {guess:.0f} s left", file=sys.stderr)
    except BaseException:  # after an interrupt or a full disk, running processes would continue for hours
        STOPPED.set()
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(RUNNING):
            end(process, signal.SIGTERM)
        raise
    finally:
        pool.shutdown()


def times(args, runs, work):
    """Prints the table; returns the scenarios that take too long."""
    spent = {}
    for name, engine, seed in work:
        spent.setdefault((name, engine), []).append(runs[f"{name} {engine} {seed}"]["processor"])
    long = []
    for (name, engine), values in sorted(spent.items()):
        ratio = min(values) / TOO_LONG
        bound = engine == "rtl" and not args.no_time
        print(f"{name:36} {engine:5} {len(values):4} runs, {min(values):7.1f} to {max(values):7.1f} s"
              + (f", {ratio:5.2f} of the {TOO_LONG} s that are allowed" if bound else ""))
        if bound and ratio > 1:
            long.append(f"TOO LONG {name}: {min(values):.1f} processor seconds on the RTL, {ratio:.2f} of {TOO_LONG} s "
                        "(make its default size smaller; --no-time on a slow computer)")
    return long


def main():
    args = arguments()
    key = hashlib.sha256(args.program.read_bytes()).hexdigest()
    runs = load(args, key)
    names = scenarios(args.program, args.only)
    work = [(name, engine, seed) for seed in range(args.first, args.first + args.seeds)
            for engine in args.engines.split(",") for name in names]
    todo = [item for item in work if not runs.get(" ".join(map(str, item)), {}).get("passed")
            or not report_of(args, *item).exists()]
    print(f"check-long: {len(names)} scenarios, {len(work)} runs, {len(work) - len(todo)} have passed before",
          file=sys.stderr)
    run_all(args, todo, runs, key)

    ended = [runs[" ".join(map(str, item))] for item in work]
    failed = [f"FAILED {run['why']}" for run in ended if not run["passed"]]
    pairs = [(name, seed) for seed in range(args.first, args.first + args.seeds) for name in names]
    unlike = [f"UNLIKE {text}" for text in (differences(args, *pair) for pair in pairs) if text]
    long = times(args, runs, work)
    for text in failed + unlike + long:
        print(text)
    print(f"check-long: {len(work) - len(failed)} of {len(work)} runs passed, {len(unlike)} of {len(pairs)} comparisons "
          f"differ, {len(long)} scenarios are too long")
    return 1 if failed or unlike or long else 0


if __name__ == "__main__":
    sys.exit(command.run("check-long", main, (re.error, subprocess.SubprocessError),
                         "check-long: interrupted; what has passed is kept, and the same command goes on"))

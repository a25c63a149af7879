# SPDX-License-Identifier: Apache-2.0
"""Runs every scenario with many seeds on every engine: no leak, no mismatch, no hang.

    tools/check_long.py [--seeds 20] [--engines rtl,fast] [--only REGEX] [--jobs N] [--limit SECONDS] [--state FILE] [--again]

Each run is `gmmu run --scenario NAME --engine ENGINE --seed SEED --json ...`; it must end with status 0 within the limit.
Results go to the state file as they come; a run that has passed with the same program is not made again, so a check that
was interrupted goes on where it stood (--again forgets them). Both engines must end every run in the same way.
Progress and the time that is left go to stderr. Exit status 1: a run failed; its command stands in the list at the end.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


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
    return parser.parse_args()


def scenarios(program, only):
    listed = subprocess.run([program, "run", "--list"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^([a-z0-9][a-z0-9-]*)$", listed, re.MULTILINE)
    names = [name for name in names if re.search(only, name)]
    if not names:
        sys.exit(f"check-long: no scenario matches {only!r}")
    return names


def one(args, name, engine, seed):
    """(passed, seconds, what went wrong)"""
    command = [str(args.program), "run", "--scenario", name, "--engine", engine, "--seed", str(seed)]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        try:
            done = subprocess.run([*command, "--json", str(report)], capture_output=True, text=True, timeout=args.limit)
        except subprocess.TimeoutExpired:
            return False, time.monotonic() - begin, f"no end after {args.limit:.0f} s: {' '.join(command)}"
        seconds = time.monotonic() - begin
        if done.returncode != 0 or not report.exists():
            last = "\n".join(done.stdout.strip().splitlines()[-3:] + done.stderr.strip().splitlines()[-1:])
            return False, seconds, f"status {done.returncode}: {' '.join(command)}\n{last}"
    return True, seconds, ""


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
    part.write_text(json.dumps({"program": key, "runs": runs}, indent=1, sort_keys=True))
    part.replace(args.state)


def main():
    args = arguments()
    key = hashlib.sha256(args.program.read_bytes()).hexdigest()
    runs = load(args, key)
    names = scenarios(args.program, args.only)
    work = [(name, engine, seed) for seed in range(args.first, args.first + args.seeds)
            for engine in args.engines.split(",") for name in names]
    todo = [item for item in work if not runs.get(" ".join(map(str, item)), {}).get("passed")]
    print(f"check-long: {len(names)} scenarios, {len(work)} runs, {len(work) - len(todo)} have passed before", file=sys.stderr)

    spent = {}  # seconds by scenario and engine, for the estimate
    for held in runs.values():
        spent.setdefault((held["scenario"], held["engine"]), []).append(held["seconds"])
    left = list(todo)
    failed = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = {pool.submit(one, args, *item): item for item in todo}
        for future in concurrent.futures.as_completed(futures):
            name, engine, seed = item = futures[future]
            passed, seconds, why = future.result()
            left.remove(item)
            runs[" ".join(map(str, item))] = {"scenario": name, "engine": engine, "seed": seed, "passed": passed,
                                              "seconds": round(seconds, 2), "why": why}
            save(args, key, runs)
            spent.setdefault((name, engine), []).append(seconds)
            failed += [] if passed else [why]
            known = [value for values in spent.values() for value in values]
            guess = sum(sum(spent[n, e]) / len(spent[n, e]) if (n, e) in spent else sum(known) / len(known)
                        for n, e, _ in left) / args.jobs
            print(f"check-long: {len(todo) - len(left)} of {len(todo)}, {name} {engine} seed {seed} "
                  f"{'passed' if passed else 'FAILED'} in {seconds:.1f} s, {guess:.0f} s left", file=sys.stderr)
    for (name, engine), values in sorted(spent.items()):
        print(f"{name:32} {engine:5} {len(values):4} runs, {max(values):7.1f} s the longest")
    for why in failed:
        print(f"FAILED {why}")
    print(f"check-long: {len(work) - len(failed)} of {len(work)} runs passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""gmmu study STUDY.toml: runs the points of a study and keeps their results (docs/study.md).

Exit status 0: every point passed; 1: a point did not, or the study was interrupted; 2: wrong use, or a full disk.
"""
import argparse
import json
import pathlib
import sqlite3
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import cluster
import command
import runner
import store
from plan import Study, StudyError

MANY = 10_000  # a study with more points needs --yes


def arguments():
    parser = argparse.ArgumentParser(prog="gmmu study", description="Run the points of a study and keep their results.",
                                     epilog="docs/study.md tells it from the beginning.")
    parser.add_argument("study", type=pathlib.Path, metavar="STUDY.toml")
    parser.add_argument("--db", type=pathlib.Path, metavar="FILE", help="results; STUDY.db beside the study unless given")
    parser.add_argument("--jobs", type=int, metavar="N", help="points at once; one a core unless given")
    parser.add_argument("--yes", action="store_true", help=f"run more than {MANY} points")
    parser.add_argument("--plan", action="store_true", help="say what would run, and run nothing")
    parser.add_argument("--again", action="store_true", help="run points once more that did not pass")
    parser.add_argument("--status", action="store_true", help="say what the results have, and run nothing")
    parser.add_argument("--export", type=pathlib.Path, metavar="FOLDER", help="write runs, phases and counters as CSV and Parquet")
    parser.add_argument("--snakemake", type=pathlib.Path, metavar="FOLDER", help="write a Snakefile of the points that are to "
                        "run, for a cluster")
    parser.add_argument("--collect", type=pathlib.Path, metavar="FOLDER", help="take the results of that Snakefile's jobs")
    parser.add_argument("--program", type=pathlib.Path, metavar="FILE", help="run this gmmu, and build none")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2], help=argparse.SUPPRESS)
    return parser.parse_args()


def say(text):
    print(f"study: {text}", file=sys.stderr, flush=True)


def builds_of(study):
    """The programs that the points need besides the existing one, each once, in order of the points."""
    names = [*study.axes, *study.common]
    if "config" not in names and not any("build_option" in study.keys.get(name, {}) for name in names):
        return []
    return list(dict.fromkeys(build for number in range(study.count) if (build := study.point(number).build())))


def too_many(study, work, jobs):
    """Prints an estimate of a large study's duration, from its first point."""
    point = study.point(0)
    if work.programs.path(point.build()) is None:
        raise StudyError(f"{study.path}: {study.count} points, more than {MANY}, and their program must be built first; --yes runs them")
    took = work.run(point)["seconds"]
    raise StudyError(f"{study.path}: {study.count} points; the first took {took:.1f} s, so they take about "
                     f"{runner.seconds(took * study.count / jobs)} on {jobs} jobs\nMore than {MANY} need --yes.")


def status(results, study, ids):
    states = results.states()
    missing = states.pop(None, 0) + sum(one is None for one in ids)
    others = len(results.finished() - set(ids))
    text = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    print(f"{study.title}: {study.count} points: {text + ', ' if text else ''}{missing} to run")
    if others:
        print(f"{others} results of other programs, inputs or points are kept and not shown")


def main():
    args = arguments()
    jobs = runner.jobs_or_all(args.jobs)
    programs = runner.Programs(args.root, args.program and args.program.resolve())
    study = Study(args.study, runner.schema_keys(programs.default), runner.unbuilt_by(programs.default),
                  runner.scenarios_of(programs.default))
    work = runner.Runner(study, programs, runner.Digests())
    say(f"{study.count} points over {', '.join(study.axes) or 'nothing'}")
    only_tells = args.plan or args.status or args.export
    if study.count > MANY and not args.yes and not only_tells:
        too_many(study, work, jobs)
    path = args.database = args.db or args.study.with_suffix(".db")
    if only_tells and not args.plan and not path.exists():
        raise StudyError(f"{path}: there are no results yet; gmmu study {args.study} makes them")

    builds = builds_of(study) if programs.builds else []
    if builds:
        say(f"builds of the RTL: {len(builds)}, each once and some minutes unless it is there")
    if args.plan:
        say("nothing was run (--plan)")
        return 0
    results = store.Store(path, alone=not only_tells)
    try:
        for number, build in enumerate(builds):
            known = results.fact("program of " + json.dumps(build))
            if only_tells:
                if known and pathlib.Path(known).exists():
                    programs.made[build] = (known, 0)
                continue
            took = programs.make(build)
            results.note("program of " + json.dumps(build), programs.path(build))
            if len(builds) > number + 1:
                say(f"build {number + 1} of {len(builds)} took {runner.seconds(took)}; the others take about "
                    f"{runner.seconds(took * (len(builds) - number - 1))}")
        ids = [work.identity(study.point(number)) for number in range(study.count)]
        results.plan(study, ids, study.keys)
        if args.status:
            status(results, study, ids)
        if args.export:
            for written in results.export(args.export):
                print(written)
        if only_tells:
            return 0
        return run(args, study, work, results, ids, jobs)
    finally:
        results.close()


def run(args, study, work, results, ids, jobs):
    finished = results.finished(args.again)
    todo = {}  # id -> point number; equal points run only once
    for number, one in enumerate(ids):
        if one not in finished:
            todo.setdefault(one, number)
    say(f"{len(todo)} to run, {len(set(ids)) - len(todo)} were finished before; results in {results.path}")
    begin = time.monotonic()
    if args.snakemake:
        folder = cluster.write(args.snakemake, args, study, work, todo)
        say(f"snakemake --directory {folder} --snakefile {folder}/Snakefile --cores {jobs} runs them")
        return 0
    if args.collect:
        for record in cluster.records(args.collect, todo):
            results.add(record)
    else:
        work.all(todo.values(), min(jobs, max(1, len(todo))), results.add, runner.Progress(len(todo), jobs))
    states = results.states()
    passed = states.pop("passed", 0)
    missing = states.pop(None, 0)
    bad = "".join(f", {count} {state}" for state, count in sorted(states.items())) + (f", {missing} not run" if missing else "")
    text = f"{passed} of {study.count} points passed{bad}"
    if args.collect:
        print(text)
    else:
        say(f"{text}, in {runner.seconds(time.monotonic() - begin)}")
    return 0 if passed == study.count else 1


if __name__ == "__main__":
    sys.exit(command.run("gmmu study", main, (StudyError, store.Full, store.InUse, ValueError, sqlite3.Error),
                         "study: interrupted; what was finished is kept, and the same command goes on"))

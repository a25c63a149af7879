# SPDX-License-Identifier: Apache-2.0
"""Runs a study on a cluster: a Snakefile with a job for each point without a result, and a last job that collects them.

    cluster.py FOLDER ID     runs one point of FOLDER/points.json and writes its record to FOLDER/points/ID.json

A point that fails has a record too, so its job succeeds and the other jobs continue.
"""
import json
import os
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import command as frame
import runner
from plan import Study, StudyError

SNAKEFILE = """# Written by gmmu study --snakemake. From any computer that sees this folder and the programs of points.json:
#   snakemake --directory {folder} --snakefile {folder}/Snakefile --cores 2
# or, in place of --cores, --executor slurm --jobs 100 and what your cluster wants (account, partition).
import json

with open({points}) as file:
    POINTS = json.load(file)["points"]

localrules: all, results

rule all:
    input: "results.txt"

rule point:
    output: "points/{{id}}.json"
    resources: runtime={minutes}
    shell: {point}

rule results:
    input: expand("points/{{id}}.json", id=POINTS)
    output: "results.txt"
    shell: {results}
"""


def command(*words):
    """A shell command as a Python string literal in which Snakemake formats {wildcards.id}."""
    return repr(" ".join(word if word.startswith("{") or word in (">", "||", "true") else
                         shlex.quote(str(word)).replace("{", "{{").replace("}", "}}") for word in map(str, words)))


def write(folder, args, study, work, todo):
    """Writes Snakefile and points.json for the points `todo` (id -> number)."""
    folder = pathlib.Path(folder).resolve()
    (folder / "points").mkdir(parents=True, exist_ok=True)
    points = {one: [number, str(pathlib.Path(work.programs.path(study.point(number).build())).resolve())]
              for one, number in todo.items()}
    (folder / "points.json").write_text(json.dumps({"study": str(study.path.resolve()), "points": points}))
    here = pathlib.Path(__file__).resolve().parent
    given = ["--program", args.program.resolve()] if args.program else []
    collect = [sys.executable, here / "study.py", study.path.resolve(), "--root", args.root, *given,
               "--db", args.database.resolve(), "--collect", folder]
    (folder / "Snakefile").write_text(SNAKEFILE.format(
        folder=folder, points=repr(str(folder / "points.json")), minutes=int(study.limit_seconds / 60) + 2,
        point=command(sys.executable, here / "cluster.py", folder, "{wildcards.id}"), results=command(*collect, ">", "{output}")))
    return folder


def records(folder, ids):
    """The records in FOLDER/points that belong to the current study."""
    for one in dict.fromkeys(ids):
        path = pathlib.Path(folder) / "points" / f"{one}.json"
        if path.exists():
            yield json.loads(path.read_text())


def run_one(folder, one):
    with open(folder / "points.json") as file:
        every = json.load(file)
    number, program = every["points"][one]
    programs = runner.Programs(None, pathlib.Path(program))
    study = Study(every["study"], runner.schema_keys(program), runner.unbuilt_by(program),
                  runner.scenarios_of(program))
    work = runner.Runner(study, programs, runner.Digests())
    point = study.point(number)
    if work.identity(point) != one:
        raise StudyError(f"{every['study']}: the study, its program or its files have changed since {folder}/Snakefile was "
                         "written; write it again by gmmu study --snakemake")
    record = work.run(point)
    part = folder / "points" / f".{one}.{os.getpid()}"
    try:
        part.write_text(json.dumps(record))
        os.replace(part, folder / "points" / f"{one}.json")
    finally:
        part.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(frame.run("gmmu study", lambda: run_one(pathlib.Path(sys.argv[1]), sys.argv[2]), (StudyError, KeyError)))

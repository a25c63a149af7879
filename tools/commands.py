#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the pages and the make targets, so that none of them becomes stale.

  commands.py [--turn N | --all] [--only REGEX] [--list] [--again]

A unit is a page with the commands of its indented blocks, in order, or one target that `make` lists. Pages run in their
own folder, build/commands/NAME, in which the checkout's files are links and written files stay; make, cmake and pip run
in the checkout. Without --all, a third of the units run, in short forms: the third that --turn or the number of commits
selects, so that three commits run all of them. With --all every unit runs, in its long form. A unit that has passed in
the same state of the checkout is not repeated, unless --again is given.

tools/commands.toml lists what cannot run as written: values for placeholders, short forms, exit statuses other than 0,
and the commands that are left out, with the reason. A row of it that matches no command is an error. A unit must not
change files that git tracks: a picture, table or source that differs is reported, saved beside the unit's log, and
restored. A block of a page that follows a line such as "The file `link.toml` contains:" becomes a file in the
page's folder, and so does FILE. Exit status: 0 all passed, 1 a command failed or a tracked file differs, 2 wrong use.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "tools/commands.toml"
WORK = ROOT / "build/commands"
TURNS = 3
SECONDS = {"short": 300, "long": 4 * 3600}  # time limit of one command
BEGINS = re.compile(r"(?:\./gmmu|gmmu [a-z][a-z-]+(?= |$)(?!.*: )|make(?= |$)|cmake |build/|python3? |pip |cc |c\+\+ |g\+\+ |clang\+\+ |mkdir |"
                    r"cp |sed |for |time |sqlite3 |fusesoc |export [A-Z]+=)")


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def commands_of(text):
    """[(line, command)] of a page's indented blocks that begin with a command. Continuation lines are joined."""
    found, fenced, block, last = [], False, None, ""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fenced = not fenced
        inside = line.startswith("    ") and not fenced
        if not inside:
            block = None if line.strip() else block
        elif block is None and (not last.strip() or last.startswith(("    ", "#"))):
            block = bool(BEGINS.match(line[4:]))
        if inside and block:
            part = line[4:]
            if found and found[-1][2]:
                found[-1][1] += "\n" + part
            elif BEGINS.match(part):
                found.append([number, part, False])
            else:
                last = line
                continue
            found[-1][2] = goes_on(found[-1][1])
        last = line
    return [(number, without_comment(command)) for number, command, _ in found]


def goes_on(command):
    """Whether a command continues on the next line: it ends in a backslash, inside quotes or in a loop."""
    text = without_comment(command)
    return text.endswith("\\") or text.count("'") % 2 == 1 or (re.match(r"for .*; do\s*$", text.split("\n")[0]) is not None and "done" not in text)


def without_comment(command):
    return "\n".join(re.sub(r"\s+# .*$", "", line).rstrip() for line in command.split("\n"))


def targets():
    """Targets that `make` lists."""
    return re.findall(r"^([a-z-]+):[^=\n]*## ", (ROOT / "Makefile").read_text(), re.M)


def units():
    """{name: [command]}, ordered by name: pages, then targets."""
    found = {}
    for page in sorted(ROOT.rglob("*.md")):
        name = str(page.relative_to(ROOT))
        if page.relative_to(ROOT).parts[0] != "build" and (commands := [command for _, command in commands_of(page.read_text())]):
            found[name] = commands
    found.update({f"make {target}": [f"make {target}"] for target in targets()})
    return found


def load():
    """Reads the table; wrong rows end the program."""
    with TABLE.open("rb") as file:
        table = tomllib.load(file)
    known, errors = units(), []
    for row in table.get("unit", []):
        if row["name"] not in known:
            errors.append(f"there is no unit {row['name']}")
        errors += [f"unit {row['name']}: unknown key {key}" for key in sorted(set(row) - {"name", "before", "skip", "long"})]
    for row in table.get("command", []):
        if not any(row["text"] == command and row.get("in", name) == name for name, commands in known.items() for command in commands):
            errors.append(f"no page has the command {row['text']!r}" + (f" in {row['in']}" if "in" in row else ""))
        errors += [f"command {row['text']!r}: unknown key {key}"
                   for key in sorted(set(row) - {"text", "in", "nth", "short", "whole", "long", "form", "status", "skip", "needs"})]
    if errors:
        sys.exit("\n".join(f"tools/commands.toml: {error}" for error in errors))
    return table


def plan(table, form):
    """({unit: [(command as written, command to run, status)]}, {what is left out: why}), for "short" or "long"."""
    planned, left_out = {}, {}
    rows = {row["name"]: row for row in table.get("unit", [])}
    for name, commands in units().items():
        unit = rows.get(name, {})
        if why := unit.get("skip", unit.get("long") if form == "short" else None):
            left_out[name] = why
            continue
        steps, seen = [], []
        for command in commands:
            seen.append(command)
            row = next((row for row in table.get("command", []) if row["text"] == command and row.get("in", name) == name
                        and row.get("nth", seen.count(command)) == seen.count(command)), {})
            missing = next((f"{program} is not installed" for program in row.get("needs", []) if not shutil.which(program)), None)
            if why := row.get("skip", missing or (row.get("long") if form == "short" else None)):
                left_out[f"{name}: {command}"] = why
                continue
            steps.append((command, row.get("form", row.get("short" if form == "short" else "whole", command)), row.get("status", 0)))
        if steps:
            planned[name] = [(command, command, 0) for command in unit.get("before", [])] + steps
    return planned, left_out


def as_run(command, table):
    """The command with values for its placeholders, and without the optional parts of a usage line."""
    quoted = re.compile(r"'[^']*'")
    kept = quoted.findall(command)
    text = quoted.sub("\0", command)
    while re.search(r" \[[^\[\]]*\]", text):
        text = re.sub(r" \[[^\[\]]*\]", "", text)
    text = re.sub(r"(?<= )([a-z]+)\|[a-z|]+", r"\1", text)
    for word, value in table.get("word", {}).items():
        text = re.sub(rf"(?<![\w/.-]){re.escape(word)}(?![\w.-])", value, text)
    return re.sub("\0", lambda _: kept.pop(0), text)


def folder_of(name):
    return WORK / re.sub(r"[^A-Za-z0-9]+", "-", name)


def blocks_of(text):
    """{name: text} of the fenced blocks that follow a line which names one file and ends with a colon."""
    return dict(re.findall(r"^[^`\n]*`([\w-]+\.[a-z]+)`[^`\n]*:\n\n?```\w*\n(.*?)^```", text, re.M | re.S))


def prepare(folder, page):
    """Makes a folder in which the checkout's files are links, and gmmu is the checkout's ./gmmu."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name == "examples":  # copied, because the commands of a page change some files
            shutil.copytree(path, folder / path.name)
        elif path.name not in ("build", "gmmu") and not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    (folder / "FILE").write_bytes(bytes(range(256)) * 16)
    for name, text in blocks_of(page.read_text()).items() if page.is_file() else ():
        (folder / name).write_text(text)
    (folder / "build").mkdir()
    for name in ("bin", "venv", "gmmu", "drivers", "models", "policies"):
        (folder / "build" / name).symlink_to(ROOT / "build" / name)
    (folder / "gmmu").write_text(f'#!/bin/sh\nexec "{ROOT}/gmmu" "$@"\n')
    (folder / "gmmu").chmod(0o755)


def kept_files():
    """{path: content} of the files that git tracks."""
    names = git("ls-files").split("\n")
    return {name: (ROOT / name).read_bytes() for name in names if name and (ROOT / name).is_file()}


def run_unit(name, steps, table, form):
    """Returns the failures of a unit as sentences."""
    folder = folder_of(name)
    prepare(folder, ROOT / name)
    before, failures = kept_files(), []
    log = folder / "log"
    environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
    with log.open("w") as out:
        for command, text, status in steps:
            text = as_run(text, table)
            in_checkout = re.search(r"(?<![\w./-])(?:make|cmake|pip) ", text + " ") is not None
            print(f"$ {text}", file=out, flush=True)
            process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", text], cwd=ROOT if in_checkout else folder, env=environment, stdout=out,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                ended = process.wait(SECONDS[form])
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                failures.append(f"{command}: not finished after {SECONDS[form]} s")
                break
            if ended != status:
                tail = "\n".join(log.read_text(errors="replace").splitlines()[-12:])
                failures.append(f"{command}: exit status {ended}, not {status} ({log.relative_to(ROOT)})\n{tail}")
                break
    after = kept_files()
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            made = folder / "made" / path
            made.parent.mkdir(parents=True, exist_ok=True)
            if path in after:
                made.write_bytes(after[path])
            (ROOT / path).write_bytes(before[path])
            failures.append(f"{path} is not what the command makes, which is in {made.relative_to(ROOT)}")
    return failures


def state():
    """A key under which results are valid: the commit and the changes to it."""
    return hashlib.sha256((git("rev-parse", "HEAD") + git("diff", "HEAD") + git("status", "--porcelain")).encode()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turn", type=int, choices=range(TURNS))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--long", action="store_true", help="long forms, without --all too")
    parser.add_argument("--only", default="", help="units whose names match")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    table = load()
    form = "long" if arguments.all or arguments.long else "short"
    planned, left_out = plan(table, form)
    turn = arguments.turn if arguments.turn is not None else int(git("rev-list", "--count", "HEAD") or 0) % TURNS
    chosen = [name for at, name in enumerate(planned) if (arguments.all or arguments.only or at % TURNS == turn) and re.search(arguments.only, name)]
    if not chosen:
        parser.error(f"no unit matches {arguments.only!r}")
    if arguments.list:
        for name in chosen:
            print("\n  ".join([name] + [as_run(text, table) for _, text, _ in planned[name]]))
        for text, why in left_out.items():
            print(f"left out: {text}: {why}")
        return 0
    WORK.mkdir(parents=True, exist_ok=True)
    memory = WORK / "passed.json"
    passed = json.loads(memory.read_text()) if memory.exists() else {}
    if arguments.again or passed.get("state") != state():
        passed = {"state": state(), "units": []}
    bad = 0
    for at, name in enumerate(chosen, 1):
        if arguments.all and name in passed["units"]:
            print(f"[{at}/{len(chosen)}] {name}: has passed")
            continue
        start = time.time()
        failures = run_unit(name, planned[name], table, form)
        print(f"[{at}/{len(chosen)}] {name}: {'FAILED' if failures else f'{len(planned[name])} commands'}, {time.time() - start:.0f} s", flush=True)
        for failure in failures:
            print(f"  {failure}", flush=True)
        bad += bool(failures)
        if arguments.all and not failures:
            passed["units"].append(name)
            memory.write_text(json.dumps(passed) + "\n")
    print(f"commands: {len(chosen) - bad} of {len(chosen)} units passed, {len(left_out)} left out for the reasons in tools/commands.toml")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Mutations of the RTL and of the software: changes single tokens of one room; the room's own tests must detect each.

A room is a folder: axi is rtl/axi, sw/os/vidmm is one of the software (tools/mutate_sw.py describes the changes there).
`copy` draws mutants with a seed and makes a copy of rtl/ or sw/ that contains all of them, each selected by a number,
as tools/plant.py does with planted faults; one program runs them all. `run` runs the room's tests once with each mutant
and counts the detected ones: an expectation fails, or the program ends in a way that no test does. Mutants in
tb/mutants/equivalent.toml cannot be detected, each for the reason stated there. Exit status 1: fewer of the others are
detected than required (--least, 95 %). The shipped sources are not changed.

In the RTL, these are changed: operators (== !=, && ||, & |, + -, < <=, > >=), negations and constants (1'b0 1'b1, '0
'1), on the right-hand sides of assignments and in conditions of always blocks; not in widths, indices, parameters and
patterns.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time
import tomllib

import mutate_sw
import plant
import plant_ddi
import rtl_sources
from rtl_sources import ROOT

EQUIVALENT = ROOT / "tb/mutants/equivalent.toml"
REFUSED = "refused.json"  # numbers of the mutants in a copy that do not compile
LEAST = 0.95  # minimum share of non-equivalent mutants that tests must detect
SWAPS = {"==": "!=", "!=": "==", "&&": "||", "||": "&&", "&": "|", "|": "&", "+": "-", "-": "+", "<": "<=", "<=": "<",
         ">": ">=", ">=": ">", "1'b0": "1'b1", "1'b1": "1'b0", "'0": "'1", "'1": "'0", "!": " "}
TOKEN = re.compile(r"""\d*'[bdh][0-9a-fA-F_xX]+|'[01](?![\w'])|[<>]{2,3}|<=|>=|==|!=|&&|\|\||[&|+\-<>!]|['(){}\[\]]|\w+""")
ASSIGNED = re.compile(r"^[ ]*(?:else[ ]+)?(?:if[ ]\([^;\n]*\)[ ]+)?(?:[\w.:+\-* \[\]']+|\{[^{};]*\})[ ]*(?:<=|=)\s*([^;=][^;]*);",
                      re.M)
CONTINUOUS = re.compile(r"^[ ]*assign[ ][^=;]*=\s*([^;=][^;]*);", re.M)


def masked(text):
    """The text with comments and strings blanked out, in the same length."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"', lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def always_blocks(text):
    """Spans of the always blocks: up to the `end` at their indentation, or of one statement."""
    for match in re.finditer(r"^([ ]*)always_(?:ff|comb)\b[^\n]*", text, re.M):
        if match.group().rstrip().endswith("begin"):
            end = re.compile(rf"^{match.group(1)}end\b", re.M).search(text, match.end())
            yield match.start(), end.start() if end else match.end()
        else:
            yield match.start(), text.index(";", match.start()) + 1


def conditions(text, start, end):
    """Spans of the conditions in `if (...)`."""
    for match in re.finditer(r"\bif \(", text[start:end]):
        first = at = start + match.end()
        depth = 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        yield first, at - 1


def expressions(text):
    """Spans of expressions that are evaluated while the hardware runs, without overlaps."""
    found = [match.span(1) for match in CONTINUOUS.finditer(text)]
    for start, end in always_blocks(text):
        found += conditions(text, start, end)
        found += [(start + a, start + b) for a, b in (m.span(1) for m in ASSIGNED.finditer(text[start:end]))]
    last, kept = 0, []
    for start, end in sorted(set(found)):
        if start >= last and "'{" not in text[start:end]:
            kept.append((start, end))
            last = end
    return kept


def changes(expression):
    """(offset, token, new token) of each possible change in an expression."""
    found, stack, before = [], [], ""
    closed = []  # spans of index brackets and of cast widths
    for match in TOKEN.finditer(expression):
        token = match.group()
        if token in "([{":
            stack.append((token, match.start()))
        elif token in ")]}" and stack:
            opened, at = stack.pop()
            if opened == "[" or (token == ")" and expression[match.end():match.end() + 2] == "'("):
                closed.append((at, match.end()))
        elif token in SWAPS:
            unary = token in "+-&|" and not re.match(r"[\w)\]}]", before[-1:])
            repeats = token == "!" and expression[match.end():match.end() + 1] == "="
            if not unary and not repeats:
                found.append((match.start(), token, SWAPS[token]))
        before = token
    return [(at, old, new) for at, old, new in found if not any(a <= at < b for a, b in closed)]


def folder_of(room):
    return room if room.startswith("sw/") else f"rtl/{room}"


def candidates(room):
    """All mutants of a room, in the order of the sources."""
    if room.startswith("sw/"):
        return mutate_sw.candidates(room)
    found = []
    for name in rtl_sources.sources():
        if not name.startswith(f"rtl/{room}/"):
            continue
        text = (ROOT / name).read_text()
        clean = masked(text)
        for start, end in expressions(clean):
            for offset, old, new in changes(clean[start:end]):
                at = start + offset
                found.append({"file": name, "line": text.count("\n", 0, at) + 1, "start": start, "end": end,
                              "old": old, "new": text[start:at] + new + text[at + len(old):end], "to": new.strip(),
                              "text": text[text.rfind("\n", 0, at) + 1:text.index("\n", at)].strip(),
                              "column": at - text.rfind("\n", 0, at)})
    return found


def draw(room, seed, count):
    """`count` mutants, or all if there are fewer; the same ones for equal room, seed and sources."""
    found = candidates(room)
    if not found:
        sys.exit(f"{folder_of(room)} has nothing to mutate; rooms: {', '.join(rooms())}")
    chosen = random.Random(f"{seed} {room}").sample(range(len(found)), min(count, len(found)))
    return [dict(found[index], number=number) for number, index in enumerate(sorted(chosen), 1)]


def rooms():
    """The rooms of the RTL, followed by those of the software."""
    return sorted({name.split("/")[1] for name in rtl_sources.sources()} - {"pkg"}) + mutate_sw.rooms()


def reasons():
    """{(file, text of the line, column, new token): why} of the mutants that no test can detect."""
    if not EQUIVALENT.exists():
        return {}
    with EQUIVALENT.open("rb") as file:
        rows = tomllib.load(file).get("mutant", [])
    return {(row["file"], row["text"], row["old"], row["new"]): row["why"] for row in rows}


def mutated(mutants, name, text, *language):
    """The text of the file with its mutants."""
    places = {}
    for mutant in mutants:
        if mutant["file"] == name:
            places.setdefault((mutant["start"], mutant["end"]), []).append(mutant)
    return plant.inserted(text, places, name, *language)


def copy(folder, room, mutants):
    if room.startswith("sw/"):
        refused, left = [], mutants
        while True:
            files = {mutant["file"] for mutant in left}
            plant_ddi.copy_software(folder, lambda name, text: mutated(left, name, text, *plant.CXX) if name in files else None)
            more = mutate_sw.wrong(folder, left)
            if not more:
                break
            refused += more
            left = [mutant for mutant in left if mutant not in more]
        plant.write(folder / REFUSED, json.dumps(sorted(mutant["number"] for mutant in refused)) + "\n")
        print(f"{len(left)} of {len(candidates(room))} mutants of {room} in {folder}")
        return
    plant.write(folder / plant.PACKAGE, plant.PACKAGE_TEXT)
    for name in rtl_sources.sources():
        plant.write(folder / name, mutated(mutants, name, (ROOT / name).read_text()))
    plant.write(folder / "plants.txt", "".join(f"m{mutant['number']} {room}\n" for mutant in mutants))
    plant.write(folder / f"{room}.txt", "\n".join(plant.bench_sources(room)) + "\n")
    print(f"{len(mutants)} of {len(candidates(room))} mutants of rtl/{room} in {folder}")


def describe(mutant):
    return f"{mutant['file']}:{mutant['line']}:{mutant['column']}: {mutant['old']} -> {mutant['to'] or 'nothing'}"


def tests(mutant, folder):
    """[(program, GoogleTest filter)] that must detect a mutant, from a build's folder."""
    if mutant["file"].startswith("sw/"):
        return [(folder / "bin" / program, tests) for program, tests in mutate_sw.tests(mutant["file"])]
    return [(folder / "bin" / f"test_rtl_{mutant['file'].split('/')[1]}_planted", "*")]


def run(room, folder, mutants, report, jobs, least):
    known = reasons()
    for program, filters in sorted({test for mutant in mutants for test in tests(mutant, folder)}):
        status, _, output = plant.run(program, filters, 0)
        if status != 0:
            sys.exit(f"{program.name} fails without a mutant:\n{output[-3000:]}")
    refused = folder / "planted" / REFUSED
    numbers = json.loads(refused.read_text()) if refused.exists() else []
    mutants = [mutant for mutant in mutants if mutant["number"] not in numbers]
    began, rows = time.time(), []

    def one(mutant):
        why = known.get((mutant["file"], mutant["text"], mutant["old"], mutant["to"]))
        if why:
            return dict(mutant, verdict="equivalent", by=why)
        for program, filters in tests(mutant, folder):
            status, results, _ = plant.run(program, filters, mutant["number"])
            failed = next((test for test, texts in results.items() if texts), None)
            if status != 0:
                return dict(mutant, verdict="noticed", by=failed or ("no end" if status is None else f"exit status {status}"))
        return dict(mutant, verdict="survived", by="")

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, row in enumerate(pool.map(one, mutants), 1):
            rows.append(row)
            left = (time.time() - began) / number * (len(mutants) - number)
            print(f"[{number}/{len(mutants)}] {row['verdict']:10} {describe(row)}  {row['by']}  ({left:.0f} s to go)", flush=True)
    counted = [row for row in rows if row["verdict"] != "equivalent"]
    noticed = sum(row["verdict"] == "noticed" for row in counted)
    for row in counted:
        if row["verdict"] == "survived":
            print(f"survived: {describe(row)}\n    {row['text']}")
    share = noticed / len(counted) if counted else 1
    print(f"{folder_of(room)}: {noticed} of {len(counted)} mutants noticed ({100 * share:.1f} %), "
          f"{len(rows) - len(counted)} equivalent, {len(numbers)} that do not compile; at least {100 * least:.0f} % are wanted")
    if report:
        keep = ("file", "line", "column", "old", "to", "text", "verdict", "by")
        report.write_text(json.dumps({"room": room, "noticed": noticed, "counted": len(counted),
                                      "mutants": [{key: row[key] for key in keep} for row in rows]}, indent=1) + "\n")
    return int(share < least)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (("copy", "the sources with the mutants"), ("run", "the room's tests with each mutant"),
                       ("list", "the mutants that a seed draws"), ("programs", "names of the test programs that they need")):
        command = commands.add_parser(name, help=what)
        command.add_argument("room", choices=rooms())
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("--count", type=int, default=24)
        if name == "copy":
            command.add_argument("folder", type=pathlib.Path)
        if name == "run":
            command.add_argument("folder", type=pathlib.Path, help="of the build")
            command.add_argument("--json", type=pathlib.Path)
            command.add_argument("--jobs", type=int, default=os.cpu_count())
            command.add_argument("--least", type=float, default=LEAST, help="share of the mutants that must be noticed")
    command = commands.add_parser("rooms", help="all of one kind, as make takes them")
    command.add_argument("kind", choices=("rtl", "sw"))
    arguments = parser.parse_args()
    if arguments.command == "rooms":
        print(*(room.removeprefix("sw/") for room in rooms() if room.startswith("sw/") == (arguments.kind == "sw")))
        return 0
    mutants = draw(arguments.room, arguments.seed, arguments.count)
    if arguments.command == "copy":
        copy(arguments.folder, arguments.room, mutants)
        return 0
    if arguments.command == "list":
        print("\n".join(describe(mutant) for mutant in mutants))
        return 0
    if arguments.command == "programs":
        print(*sorted({program.name for mutant in mutants for program, _ in tests(mutant, pathlib.Path())}))
        return 0
    return run(arguments.room, arguments.folder, mutants, arguments.json, arguments.jobs, arguments.least)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/verification.md: each claim with its evidence, command, count and last result.

  verification.py            compares the page with tb/verification.toml and the sources
  verification.py --write    writes the page
  verification.py --run NAME...  runs the commands of these claims, or of all, and records their results

A claim of tb/verification.toml has the keys name, claim, evidence (paths), command, `counts` (what is counted), files
(globs) and pattern (a regular expression; each match in the files counts, or each file if there is none), and result
(a regular expression: its last match in the command's output is the result). Results are recorded with the day and the
exit status in tb/verification-results.json. Exit status 0: the page is as it must be, and every command has succeeded.
"""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLAIMS = ROOT / "tb/verification.toml"
RESULTS = ROOT / "tb/verification-results.json"
PAGE = ROOT / "docs/verification.md"
HEAD = """# What is claimed, and how it is checked

Written by `python3 tools/verification.py --write` from `tb/verification.toml`; the counts are of this version's sources.
`python3 tools/verification.py --run NAME` runs a claim's command and records its result.

| name | claim | evidence | command | count | last result |
|---|---|---|---|---|---|
"""


def files_of(claim):
    files = sorted({path for glob in claim["files"] for path in ROOT.glob(glob) if path.is_file()})
    if not files:
        raise SystemExit(f"verification: no file matches {claim['files']} of claim {claim['name']}")
    return files


def count(claim):
    files = files_of(claim)
    if "pattern" not in claim:
        return len(files)
    return sum(len(re.findall(claim["pattern"], path.read_text(), re.MULTILINE)) for path in files)


def link(path):
    if not (ROOT / path).exists():
        raise SystemExit(f"verification: {path} does not exist")
    return f"[{path}](../{path})" if path.endswith(".md") else f"`{path}`"


def page(claims, results):
    rows = []
    for claim in claims:
        result = results.get(claim["name"])
        last = f"{result['day']}: {result['text']}" if result else "not recorded"
        rows.append(f"| {claim['name']} | {claim['claim']} | {', '.join(map(link, claim['evidence']))} | "
                    f"`{claim['command']}` | {count(claim)} {claim['counts']} | {last} |")
    return HEAD + "\n".join(rows) + "\n"


def run(claim):
    """Runs the command and returns its result."""
    print(f"verification: {claim['name']}: {claim['command']}", file=sys.stderr, flush=True)
    done = subprocess.run(claim["command"], shell=True, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    found = re.findall(claim["result"], done.stdout, re.MULTILINE)
    text = found[-1].strip() if found else "no result in its output"
    if done.returncode != 0:
        text += f" (exit status {done.returncode})"
    print(f"verification: {claim['name']}: {text}", file=sys.stderr, flush=True)
    good = done.returncode == 0 and bool(found)
    return {"day": datetime.date.today().isoformat(), "text": text}, good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--run", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    claims = tomllib.loads(CLAIMS.read_text())["claim"]
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    good = True
    if arguments.run is not None:
        names = arguments.run or [claim["name"] for claim in claims]
        if unknown := set(names) - {claim["name"] for claim in claims}:
            raise SystemExit(f"verification: no claim {', '.join(sorted(unknown))} in {CLAIMS.relative_to(ROOT)}")
        for claim in claims:
            if claim["name"] in names:
                results[claim["name"]], succeeded = run(claim)
                good = good and succeeded
                RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    text = page(claims, results)
    if arguments.write or arguments.run is not None:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        print("docs/verification.md is not what tools/verification.py --write writes", file=sys.stderr)
        good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

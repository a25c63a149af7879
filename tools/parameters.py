#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which sizes of the GPU top elaborate, in the wrapper for designs.

  parameters.py [--illegal] [--legal] [--slang]      without an option: all three

Illegal values must stop Verilator with the message that names the parameter, its value and the legal values. Legal
corners must pass Verilator's -Wall and Yosys' read_slang.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys

import config_pkg
import rtl_sources
from rtl_sources import ROOT, WRAPPER

TINY = config_pkg.profile("Tiny")
PROFILE = "GMMU_PROFILE"
LEGAL = [
    *({PROFILE: name} for name in config_pkg.DESCRIPTION["profiles"]),
    {PROFILE: "Tiny", "DataWidth": 512, "ThroughPorts": 1, "IdBits": 1},
    {"DataWidth": 128, "IdBits": 16, "L1Entries": 4, "L2Entries": 64, "L2Ways": 4, "NumWalks": 1, "NumClients": 2, "TrafficEngines": 0},
    {"DataWidth": 256, "NumClients": 3, "NumRings": 4, "NumSpaces": 5, "L1Entries": 5, "NumWalks": 3, "EventPort": 0,
     "LinkPort": 0, "TurnDown": 0, "MaxLevels": 4},
    {"DataWidth": 512, "NumWalks": 32, "ReadsInFlight": 128, "L1Entries": 64, "L2Entries": 4096, "L2Ways": 16, "ClientSlotsLg2": 7},
    {"ThroughPorts": 1, "WalkCacheEntries": 256, "VaWidth": 57},
    {"NumClients": 64, "ThroughPorts": 1, "NumSpaces": 64, "CounterWidth": 32, "VaWidth": 30, "MaxLevels": 2},
]


def text(sizes):
    return " ".join(f"{name}={value}" for name, value in sizes.items()) or "defaults"


def options(sizes, form):
    return [form.format(macro, value) for macro, value in config_pkg.defines(sizes).items()]


def verilator(sizes):
    command, environment = rtl_sources.verilator()
    waivers = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "rtl").rglob("*.vlt"))]
    arguments = [command, "--lint-only", "-sv", "-Wall", "--top", WRAPPER, *options(sizes, "+define+{}={}")]
    done = subprocess.run(arguments + waivers + rtl_sources.sources(), cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode, done.stdout


def each(check, cases):
    """The errors that `check` returns for the cases; it runs as many cases at once as there are processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [error for error in pool.map(check, cases) if error]


def illegal():
    def check(case):
        size, value = case
        name = size["name"]
        status, output = verilator({PROFILE: "Tiny", name: value})
        message = config_pkg.message(size, value)
        if status == 0 or message not in output:
            return f"{name}={value}: exit status {status}, without the message \"{message}\""
        return None
    return each(check, list(config_pkg.illegal()))


def legal():
    def check(sizes):
        status, output = verilator(sizes)
        return f"{text(sizes)}: {output.strip()[:2000]}" if status != 0 or "%Warning" in output else None
    return each(check, LEGAL)


def slang_child(arguments):
    """Runs in its own process: an error of Yosys ends the process."""
    from pyosys import libyosys as ys
    design = ys.Design()
    ys.run_pass(f"read_slang -j 1 --top {WRAPPER} " + " ".join(arguments + rtl_sources.sources()), design)
    ys.run_pass(f"hierarchy -check -top {WRAPPER}", design)


def slang():
    def check(sizes):
        arguments = options(sizes, "-D {}={}")
        done = subprocess.run([sys.executable, __file__, "--child", *arguments], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        told = [line for line in done.stdout.splitlines() if "rror" in line] or done.stdout.splitlines()[-3:]
        return f"{text(sizes)}: " + "\n".join(told[:5]) if done.returncode != 0 else None
    return each(check, LEGAL)


def main():
    if sys.argv[1:2] == ["--child"]:
        slang_child(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--illegal", action="store_true", help="illegal values stop elaboration")
    parser.add_argument("--legal", action="store_true", help="legal corners pass Verilator")
    parser.add_argument("--slang", action="store_true", help="legal corners pass read_slang")
    args = parser.parse_args()
    every = not (args.illegal or args.legal or args.slang)
    errors = []
    for name, chosen, check in (("illegal", args.illegal, illegal), ("legal", args.legal, legal),
                                ("slang", args.slang, slang)):
        if every or chosen:
            errors += check()
    for error in errors:
        print(error)
    print(f"parameters: {len(errors)} wrong" if errors else "parameters: as described")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

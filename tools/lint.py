#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make lint: one line per check, exit status 1 if a check fails.

  files        rtl/files.f names every RTL file once
  waivers      waivers are only in rtl/*.vlt, each below a comment with its reason
  verilator    --lint-only -Wall on the GPU top in its wrapper, with the profiles Default and Tiny
  boards       the same on the top of each board
  elaborate    Yosys' read_slang accepts the GPU top in its wrapper: no latch, no undriven and no doubly driven net
  parameters   illegal values stop elaboration with a message; legal corners pass both tools (tools/parameters.py)
  core         gmmu.core names the files of rtl/files.f in their order
  configs      the files derived from rtl/pkg/sizes.json are as tools/config_pkg.py writes them
  registers    the generated register files match rtl/pkg/gmmu.rdl
  format       C++ of sw/, sim/ and tb/ is as clang-format writes it (.clang-format); generated files are left out
  rooms        no include of sw/ or sim/ points to a room above its own, or past the classes of the operating system
               that applications have; none of VT-d is outside of its border (tools/rooms.py)
  sizes        lines of a file, public methods of a class, headers that a header reaches (tools/sizes.py)
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import rooms
import rtl_sources
import sizes
import tree
from rtl_sources import ROOT, WRAPPER



def waiver_errors():
    errors = []
    for path in sorted((ROOT / "rtl").rglob("*.sv")) + sorted((ROOT / "tb").rglob("*.sv")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"verilator\s+lint_(off|save)", line):
                errors.append(f"{path.relative_to(ROOT)}:{number}: a waiver belongs into rtl/lint.vlt, with its reason")
    for path in sorted((ROOT / "rtl").rglob("*.vlt")):
        reason = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            line = line.strip()
            if line.startswith("//"):
                reason = "SPDX" not in line and len(line.split()) > 3
            elif line.startswith("lint_off"):
                if not reason:
                    errors.append(f"{path.relative_to(ROOT)}:{number}: waiver without a reason above it")
            else:
                reason = False
    return errors


def verilator_errors(profile, log):
    command, environment = rtl_sources.verilator()
    waivers = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "rtl").rglob("*.vlt"))]
    arguments = [command, "--lint-only", "-sv", "-Wall", "--top", WRAPPER, f"+define+GMMU_PROFILE={profile}"]
    status, output = rtl_sources.run(arguments + waivers + rtl_sources.sources(), log, env=environment)
    return [] if status == 0 and "%Warning" not in output else [output.strip() or f"verilator: exit status {status}"]


def board_errors():
    """Runs -Wall on the top of each board, with the cells of its device and the profile of its bitstream."""
    command, environment = rtl_sources.verilator()
    waivers = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "rtl").rglob("*.vlt"))]
    errors = []
    for board in sorted(path.parent for path in (ROOT / "constraints").glob("*/*_cells.sv")):
        cells = [str(path.relative_to(ROOT)) for path in sorted(board.glob("*.sv"))]
        arguments = [command, "--lint-only", "-sv", "-Wall", "+define+GMMU_PROFILE=Board", "--top", f"gmmu_{board.name}"]
        status, output = rtl_sources.run(arguments + waivers + rtl_sources.sources() + cells, f"lint-{board.name}.log", env=environment)
        errors += [] if status == 0 and "%Warning" not in output else [output.strip() or f"verilator: exit status {status}"]
    return errors


def clang_format(*options):
    """(exit status, output) of clang-format, as pinned in tools/requirements-lint.txt, on all C++ that people write."""
    command = str(pathlib.Path(sys.executable).parent / "clang-format")
    files = [path for path in tree.texts(("sw", "sim", "tb"), (".h", ".cc")) if path not in tree.GENERATED]
    done = subprocess.run([command, *options, *files], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout.strip()


def format_errors():
    """An error for each file that clang-format would change."""
    status, output = clang_format("--dry-run")
    changed = sorted(set(re.findall(r"^(\S+?):\d+:\d+: (?:warning|error):", output, re.M)))
    if changed:
        return [f"{path}: not as .clang-format has it; make format mends it" for path in changed]
    return [] if status == 0 else [output or f"exit status {status}"]


def command_errors(*command):
    done = subprocess.run([sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [] if done.returncode == 0 else [done.stdout.strip() or f"exit status {done.returncode}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="names from the list above; all unless given")
    parser.add_argument("--format", action="store_true", help="format C++ (make format), and check nothing")
    arguments = parser.parse_args()
    if arguments.format:
        status, output = clang_format("-i")
        print(output or "format: C++ is as .clang-format has it")
        return status
    checks = (
        ("files: rtl/files.f is complete", rtl_sources.list_errors),
        ("waivers: each has its reason", waiver_errors),
        ("verilator -Wall", lambda: verilator_errors("Default", "lint-verilator.log")),
        ("verilator -Wall, small sizes", lambda: verilator_errors("Tiny", "lint-verilator-small.log")),
        ("boards: verilator -Wall on their tops", board_errors),
        ("elaborate: Yosys read_slang", lambda: command_errors("tools/synth.py", "--elaborate", "--top", WRAPPER)),
        ("parameters: illegal values", lambda: command_errors("tools/parameters.py", "--illegal")),
        ("parameters: legal corners", lambda: command_errors("tools/parameters.py", "--legal", "--slang")),
        ("core: gmmu.core", lambda: command_errors("tools/core.py", "--check")),
        ("configs: files from rtl/pkg/sizes.json", lambda: command_errors("tools/config_pkg.py", "--check")),
        ("registers: generated files", lambda: command_errors("tools/regs/generate.py", "--check")),
        ("format: C++ follows .clang-format", format_errors),
        ("rooms: no include points upward, or past the application's classes", rooms.errors),
        ("sizes: files, classes, headers", sizes.errors),
    )
    names = [name.split()[0].rstrip(":") for name, _ in checks]
    if unknown := set(arguments.checks) - set(names):
        parser.error(f"no check is called {' or '.join(sorted(unknown))}: there are {', '.join(dict.fromkeys(names))}")
    checks = [check for check, name in zip(checks, names) if not arguments.checks or name in arguments.checks]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:  # each job runs its own processes
        running = [(name, pool.submit(check)) for name, check in checks]
        for name, check in running:
            errors = check.result()
            failed += bool(errors)
            print(f"{'FAILED' if errors else 'ok':6}  {name}", flush=True)
            for error in errors:
                print("    " + error.replace("\n", "\n    "))
    print("lint: " + (f"{failed} checks failed" if failed else "all checks passed"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

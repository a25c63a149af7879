#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make integration: builds the GPU in the bench's top with Verilator, runs the tests of this folder, one line for each.

  run.py [--seed N] [--only NAME]... [--jobs N] [--verbose]

--seed is the first seed of each test (1); --only bring_up, commands, errors, orders or reset. For most seeds the GPU is
built with 16-bit ids on its memory ports, for the others with 4-bit ids. All files are in build/integration, by id
width. Exit status: 0 all passed, 1 a test failed, 2 a tool is missing.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE, BUILD = ROOT / "tb/integration", ROOT / "build/integration"
ID_BITS = (16, 4)
TOP = "gmmu_integration_top"
TESTS = ("bring_up", "commands", "errors", "orders", "reset")
OPTIMISE = ("OPT_FAST=-Os", "OPT_SLOW=-O0", "OPT_GLOBAL=-Os")  # gives the shortest total time of build and run


def missing(what):
    print(f"integration: {what}")
    return sys.exit(2)


def tools():
    """cocotb's configuration and the path of libpython."""
    for program, package in (("g++", "g++"), ("make", "make")):
        if not shutil.which(program):
            missing(f"{program} is not installed; Debian's package is {package}")
    try:
        import cocotb_tools.config
        import find_libpython
    except ImportError as error:
        missing(f"{error}: ./gmmu tools build integration installs the wheels")
    library = find_libpython.find_libpython()
    if not library:
        version = "%d.%d" % sys.version_info[:2]
        missing(f"cocotb loads libpython{version}.so.1.0 into the simulator, and it is not here; Debian's package is libpython{version}")
    return cocotb_tools.config, library


def shown(path):
    return path.relative_to(ROOT)


def run(command, log, **options):
    """Runs a command with its output in a file. Returns the error, or None."""
    with open(log, "w") as out:
        if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, **options).returncode:
            return f"{log.read_text()[-3000:]}\nintegration: {command[0]} failed; its output is in {shown(log)}"
    return None


def build(bits, config, jobs):
    """Builds the simulator with ids of `bits` bits. Returns the error, or None."""
    sys.path.insert(0, str(ROOT / "tools"))
    import rtl_sources
    folder = BUILD / f"ids{bits}"
    folder.mkdir(exist_ok=True)
    verilator, environment = rtl_sources.verilator()
    libraries = config.libs_dir
    make = ["make", f"-j{jobs}", "-C", str(folder), "-f", "Vtop.mk", *OPTIMISE]
    command = [verilator, "--cc", "--exe", "--vpi", "-sv", "--Mdir", str(folder), "--prefix", "Vtop", "-o", "sim",
               "--top-module", TOP, "+define+GMMU_PROFILE=Integration", f"+define+GMMU_ID_BITS={bits}", "--timescale", "1ns/1ps", "--x-assign", "fast", "--x-initial", "fast",
               "--quiet-stats", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--output-split", "20000", "--output-split-cfuncs", "2000",
               str(ROOT / "rtl/speed.vlt"), str(HERE / "public.vlt"), "-F", str(ROOT / "rtl/files.f"), str(HERE / f"{TOP}.sv"),
               str(config.share_dir / "lib/verilator/verilator.cpp"),
               "-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"]
    files = ["rtl/files.f", "rtl/speed.vlt", *rtl_sources.sources(), *(f"tb/integration/{name}" for name in ("public.vlt", f"{TOP}.sv"))]
    identity = hashlib.sha256(repr(command + make[4:]).encode() + b"".join((ROOT / name).read_bytes() for name in files)).hexdigest()
    mark = folder / "built"
    if mark.exists() and mark.read_text() == identity and (folder / "sim").exists():
        return None
    mark.unlink(missing_ok=True)
    wrong = run(command, folder / "verilator.log", env=environment) or run(make, folder / "make.log", env=environment)
    if not wrong:
        mark.write_text(identity)
    return wrong


def play(name, bits, seed, config, library, verbose):
    """Runs one module of tests. Returns its result lines and the number of failures."""
    folder = BUILD / f"ids{bits}"
    report, results, log = (folder / f"{name}.{end}" for end in ("report", "xml", "log"))
    for path in (report, results):
        path.unlink(missing_ok=True)
    environment = dict(os.environ, PYTHONPATH=str(HERE), PYTHONDONTWRITEBYTECODE="1", PYGPI_PYTHON_BIN=sys.executable,
                       GPI_USERS=f"{library};{config.pygpi_entry_point()}", COCOTB_TOPLEVEL=TOP, TOPLEVEL_LANG="verilog",
                       COCOTB_TEST_MODULES=f"test_{name}", COCOTB_TRUST_INERTIAL_WRITES="1", COCOTB_RANDOM_SEED="1",
                       COCOTB_RESULTS_FILE=str(results), GMMU_SEED=str(seed), GMMU_ID_BITS=str(bits), GMMU_REPORT=str(report))
    with open(log, "w") as out:
        status = subprocess.run([str(folder / "sim")], cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT).returncode
    if verbose:
        print(log.read_text())
    lines = {}
    if report.exists():
        for line in map(json.loads, report.read_text().splitlines()):
            lines[line["test"], line["variant"], f"seed={line['seed']}"] = line
    said, failed = [], 0
    cases = list(xml.etree.ElementTree.parse(results).iter("testcase")) if results.exists() else []
    for case in cases:
        parts = case.get("name").split("/")
        line = lines.get((parts[0], "/".join(parts[1:-1]), parts[-1]), {})
        trouble = [child for child in case if child.tag in ("failure", "error")]
        failed += bool(trouble)
        said.append(f"{'FAILED' if trouble else 'passed'}  {' '.join(parts).replace('=', ' ')}, {bits} id bits: {line.get('cycles', 0)} cycles, "
                    f"{line.get('seconds', 0):.1f} s" + (f", {line['note']}" if line.get("note") else ""))
        for child in trouble:
            text = (child.get("error_msg") or child.get("message") or child.text or line.get("error", "")).strip()
            said.append(f"        {text.splitlines()[0] if text else 'no message'} ({shown(log)})")
    if not cases or (status and not failed):
        said.append(f"FAILED  {name}: the simulator ended with status {status} ({shown(log)})")
        failed += 1
    return said, len(cases), failed


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="first seed of each test")
    parser.add_argument("--only", action="append", choices=TESTS, help="these tests only")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("GMMU_JOBS", os.cpu_count() or 1)), help="parallel jobs")
    parser.add_argument("--verbose", action="store_true", help="print what cocotb says")
    arguments = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    config, library = tools()
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(len(ID_BITS)) as pool:  # both at once, because Verilator uses one thread
        each = -(-arguments.jobs // len(ID_BITS))
        for wrong in pool.map(lambda bits: build(bits, config, each), ID_BITS):
            if wrong:
                sys.exit(wrong)
    built = spent()
    total = failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = [pool.submit(play, name, bits, arguments.seed, config, library, arguments.verbose)
                   for name in arguments.only or TESTS for bits in ID_BITS]
        for job in running:
            said, count, bad = job.result()
            total, failed = total + count, failed + bad
            print("\n".join(said), flush=True)
    print(f"integration: {total - failed} passed, {failed} failed; {time.time() - start:.0f} s, of processor time "
          f"{built:.0f} s to build and {spent() - built:.0f} s to run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

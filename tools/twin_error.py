# SPDX-License-Identifier: Apache-2.0
"""Measures how much the fast engine's times differ from the RTL's: every scenario and every machine, by phase.

    tools/twin_error.py [--program FILE] [--rtl-program FILE] [--only REGEX] [--seed N] [--json FILE] [--table FILE]
                        [--bound PERCENT] [--state FOLDER] [--markdown] [--build]
    tools/twin_error.py --check [--program FILE] [--only REGEX]

A row is a run of both engines with one seed: a scenario of `gmmu run --list`, with os.variety=0; the main job on a
machine, which is a file of sim/host/configs or one of MACHINES below; a workload of WORKLOADS; or the main job with a
copy that fails, of FAILING. For the whole run and each of its phases (for a workload, for the figures of Workload below) it prints both
engines' values and the error of the fast engine in percent of the RTL's value. It then prints the ratio of the engines'
speeds, in simulated cycles per processor second, from the same runs; for the fast engine, from the quickest of three.
Rows for which the RTL was not built are named and left out, unless --build builds it (`./gmmu build`, minutes each).
The RTL's reports are kept in the state folder by the digest of its program, configuration and seed, because they do not
change with the fast engine. Progress goes to stderr.

--table FILE writes the RTL's values with the bound of each figure: BOUND percent (p99 latencies: 8), or the current
error plus one percent if that is greater. --check runs only the fast engine and compares it with such a table,
tb/sim/twin/errors.tsv, so that a change that makes the engine worse fails. Exit status 1: a run failed or a figure is
beyond its bound.
"""
import argparse
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CONFIGS = ROOT / "sim/host/configs"
TABLE = ROOT / "tb/sim/twin/errors.tsv"
MACHINES = {  # in addition to the files of CONFIGS: each differs from the default in one property that studies vary
    "link-1us": "[pcie]\nlatency_ps = 1_000_000\n",
    "link-gen1-x1": "[pcie]\ngeneration = 1\nlanes = 1\n",
    "tags-8": "[pcie]\ntags = 8\n",
    "iotlb-1x1": "[iommu]\niotlb_sets = 1\niotlb_ways = 1\npaging_entries = 0\n",
    "iommu-slow": "[iommu]\nlookup_ps = 100_000\nwalks = 1\n",
    "vram-latency-500": "[gpu]\nvram_latency = 500\n",
    "vram-outstanding-4": "[gpu]\nvram_outstanding = 4\n",
    "vram-beats-1-in-4": "[gpu]\nvram_beats = 1\nvram_beat_cycles = 4\n",
    "clock-250mhz": "[gpu]\nclock_mhz = 250\n",
}
WORKLOADS = {  # generators for gmmu replay; the cycles of the region and its mean latency are compared
    "random": ["gen:random,footprint=16777216,count=20000"],
    "random-4mib": ["gen:random,footprint=4194304,count=20000"],
    "random-32": ["gen:random,footprint=16777216,count=20000,streams=32"],
    "random-window-4": ["gen:random,footprint=16777216,count=20000,streams=64", "--warps", "16", "--window", "4"],
    "random-system": ["gen:random,footprint=16777216,count=10000", "--memory", "system"],
    "pages": ["gen:stride,footprint=16777216,stride=4096,count=20000"],
    "pages-window-4": ["gen:stride,footprint=16777216,stride=4096,count=20000,streams=32", "--window", "4"],
    "blocks": ["gen:stride,footprint=16777216,stride=65536,count=20000"],
    "lines": ["gen:sequential,footprint=4194304,count=40000"],
    "chase": ["gen:chase,footprint=16777216,count=3000"],
    "chase-1mib": ["gen:chase,footprint=1048576,count=3000"],
    "mixed-system": ["gen:random,footprint=4MiB,count=6000,writes=50", "--memory", "system"],
    "mixed-system-one-port": ["gen:random,footprint=4MiB,count=6000,writes=50", "--memory", "system", "--compute-units",
                              "1"],
    "mixed-lines-system": ["gen:sequential,footprint=4MiB,count=10000,writes=50", "--memory", "system"],
    "mixed-vram": ["gen:random,footprint=4MiB,count=10000,writes=50"],
    **{f"gpu-walks-{walks}": ["gen:random,footprint=4MiB,count=6000", "--fragmented", "100", "--set", f"gpu.walks={walks}"]
       for walks in (1, 2, 4)},
    "scattered-window-8": ["gen:random,footprint=8MiB,count=10000", "--fragmented", "100", "--window", "8"],
    "open-zipf": ["gen:zipf,footprint=8MiB,count=5000,period=10,streams=32", "--fragmented", "100"],
    "open-random": ["gen:random,footprint=8MiB,count=5000,period=16,streams=32", "--fragmented", "100"],
    "open-system": ["gen:random,footprint=4MiB,count=5000,period=30,streams=32", "--memory", "system"],
    "hits-window-4": ["gen:random,footprint=64KiB,count=10000,streams=64", "--warps", "16", "--window", "4"],
    "vram-outstanding-7": ["gen:random,footprint=5MiB,count=2500,bytes=128", "--warps", "4", "--fragmented", "100", "--set",
                           "gpu.vram_latency=333", "--set", "gpu.vram_outstanding=7"],
    "iotlb-2x1": ["gen:random,footprint=2MiB,count=3000,bytes=200,streams=6", "--memory", "system", "--warps", "2", "--set",
                  "iommu.iotlb_ways=2", "--set", "iommu.iotlb_sets=1"],
    "tags-32-mrrs-128": ["gen:random,footprint=8MiB,count=2000", "--memory", "system", "--set", "pcie.tags=32", "--set",
                         "pcie.max_read_request=128"],
    "scattered-open": ["gen:random,footprint=8MiB,count=10000,period=3", "--fragmented", "100", "--window", "8"],
    "pages-64k": ["gen:random,footprint=32MiB,count=10000", "--page-size", "64k", "--window", "2"],
    "demand": ["gen:random,footprint=8MiB,count=4000", "--demand"],
    "gemm": ["gen:gemm", "--accesses", "15000"],
    "stencil": ["gen:stencil", "--accesses", "15000"],
    "hashjoin": ["gen:hashjoin", "--accesses", "10000"],
    "hashjoin-system": ["gen:hashjoin", "--accesses", "5000", "--memory", "system", "--window", "2"],
    "zipf": ["gen:zipf,footprint=32MiB,streams=64,count=20000", "--fragmented", "100"],
    **{f"deep-{name}": [f"gen:{name},footprint=32MiB,count=22000,streams=64", "--fragmented", "100", "--warps", "16", "--window", "4",
                        "--warmup", "2000"] for name in ("random", "zipf", "chase")},
    **{f"iommu-walks-{walks}": ["gen:random,footprint=4MiB,count=6000,streams=64", "--warps", "16", "--window", "1", "--memory",
                                "system", "--warmup", "2000", "--set", "gpu.limit_bits=48", "--set", "iommu.iotlb_sets=1", "--set",
                                "iommu.paging_entries=0", "--set", f"iommu.walks={walks}"] for walks in (1, 4, 8)},
    **{f"walks-{name}{walks and f'-{walks}'}": [
           f"gen:{name.partition('-')[0]},footprint=32MiB,count=12000,streams=64{more}", "--warps", "16", "--window", "2",
           "--warmup", "4000", "--fragmented", "100", "--set", "gpu.vram_mib=128", "--set", "driver.visible_vram_kib=32768",
           "--set", "gpu.page_table_bits=[6,12,9,9]", *(["--set", f"gpu.walks={walks}"] if walks else [])]
       for name, more in (("random", ""), ("stride-4096", ",stride=4096"), ("stride-65536", ",stride=65536"))
       for walks in ("", "1", "4")},
}
FAILING = {  # the main job on several machines, with a copy that the IOMMU refuses: exit status 1
    "page-in": ["--set", "inject.unmapped_page=true"],
    "page-in-link-1us": ["--set", "inject.unmapped_page=true", "--set", "pcie.latency_ps=1000000"],
    "page-in-tags-8": ["--set", "inject.unmapped_page=true", "--set", "pcie.tags=8"],
    "page-in-gen1-x1": ["--set", "inject.unmapped_page=true", "--set", "pcie.generation=1", "--set", "pcie.lanes=1"],
    "page-in-iommu-slow": ["--set", "inject.unmapped_page=true", "--set", "iommu.lookup_ps=100000"],
}
BOUNDS = {"p99 latency": 8.0}  # in percent, for figures with a bound other than --bound
FEW = 200  # errors of smaller counts are relative to this number, because single events dominate them
TRIES = 3  # runs of the fast engine to measure its speed: other processes slow a short run
LEFT_OUT = {"machine k80-like"}  # its L2 TLB has nine ways, but the RTL needs a power of two


class Failed(Exception):
    """A run that did not pass; `status` 2: the engine does not support it."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def arguments():
    parser = argparse.ArgumentParser(description="Times of the fast engine against those of the RTL.")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/gmmu")
    parser.add_argument("--rtl-program", type=pathlib.Path, help="a program with the RTL; --program unless given")
    parser.add_argument("--only", default="", help="rows whose names match")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bound", type=float, default=5.0, help="percent")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="the fast engine alone, against the table")
    parser.add_argument("--build", action="store_true", help="have the RTL of machines of other sizes built")
    parser.add_argument("--markdown", action="store_true", help="print the table as docs/twin.md has it")
    parser.add_argument("--state", type=pathlib.Path, default=ROOT / "build/twin-error")
    args = parser.parse_args()
    args.rtl_program = args.rtl_program or args.program
    return args


def rows(args):
    """(name, arguments of `gmmu run`, configuration) of every row."""
    listed = subprocess.run([args.program, "run", "--list"], capture_output=True, text=True, check=True).stdout
    found = [("scenario " + name, ["run", "--scenario", name, "--set", "os.variety=0"], "")
             for name in re.findall(r"^([a-z0-9][a-z0-9-]*)$", listed, re.MULTILINE)]
    found += [("machine " + path.stem, ["run"], path.read_text()) for path in sorted(CONFIGS.glob("*.toml"))]
    found += [("machine " + name, ["run"], text) for name, text in MACHINES.items()]
    found += [("workload " + name, ["replay", *options], "") for name, options in WORKLOADS.items()]
    found += [("failing " + name, ["run", *options], "") for name, options in FAILING.items()]
    found = [row for row in found if re.search(args.only, row[0]) and row[0] not in LEFT_OUT]
    if not found:
        sys.exit(f"twin-error: no row matches {args.only!r}")
    return found


def run(program, engine, options, config, seed):
    """The report of a run, with its processor seconds. Raises Failed, unless it fails by an injected fault."""
    good = 1 if any("inject." in option for option in options) else 0
    with tempfile.TemporaryDirectory() as folder:
        report, toml = pathlib.Path(folder, "report.json"), pathlib.Path(folder, "machine.toml")
        toml.write_text(config)
        command = [str(program), *options, "--engine", engine, "--seed", str(seed), "--json", str(report)]
        command += ["--config", str(toml)] if config else []
        with tempfile.TemporaryFile("w+") as text:
            process = subprocess.Popen(command, stdout=text, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            text.seek(0)
            said = text.read().strip()
        if process.returncode != good or not report.exists():
            raise Failed(process.returncode, f"status {process.returncode}: {' '.join(command)}\n{said[-600:]}")
        held = json.loads(report.read_text())
    held["processor_seconds"] = usage.ru_utime + usage.ru_stime
    return held


def built(args, config):
    """The program whose RTL has the sizes of a configuration; None if there is none and --build was not given."""
    if not args.build:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as toml:
        toml.write(config)
        toml.flush()
        done = subprocess.run([ROOT / "gmmu", "build", "--config", toml.name], stdout=subprocess.PIPE, text=True)
    return pathlib.Path(done.stdout.split()[-1]) if done.returncode == 0 else None


def kept(args, digest, options, config, program=None):
    """The report of the RTL, from the state folder if it is stored there."""
    program = program or args.rtl_program
    key = hashlib.sha256(json.dumps([digest, options, config, args.seed]).encode()).hexdigest()[:24]
    path = args.state / f"{key}.json"
    if path.exists():
        held = json.loads(path.read_text())
        if "failed" not in held:
            return held
        other = built(args, config)
        if other is None:
            raise Failed(*held["failed"])
        return kept(args, hashlib.sha256(other.read_bytes()).hexdigest(), options, config, other)
    args.state.mkdir(parents=True, exist_ok=True)
    try:
        held = run(program, "rtl", options, config, args.seed)
    except Failed as failed:
        if failed.status != 2:
            raise
        path.write_text(json.dumps({"failed": [failed.status, str(failed)]}))
        return kept(args, digest, options, config)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(held))
    part.replace(path)
    return held


def parts(report):
    """(unique name, cycles) of the whole run and of its phases; for a workload, of its last phase."""
    if "replay" in report:
        region = report["replay"]["phases"][-1]
        count = region["counters"]
        found = [("region", region["cycles"]), ("mean latency", round(region["latency"]["mean"], 1)),
                 ("p99 latency", region["latency"]["p99"]), ("walks", count.get("gpu_walker", {}).get("walks", 0))]
        iommu = count.get("iommu", {})
        if iommu.get("requests", 0) > FEW:
            found.append(("IOTLB misses", iommu.get("iotlb_misses", 0)))
        return found
    found, seen = [("whole run", report["cycles"])], {}
    if not report["passed"]:
        found.append(("engine at work", report["counters"]["gpu_engine"]["engine_cycles"]))
    for phase in report["phases"]:
        seen[phase["name"]] = seen.get(phase["name"], 0) + 1
        again = f" ({seen[phase['name']]})" if seen[phase["name"]] > 1 else ""
        found.append((phase["name"] + again, phase["cycles"]))
    return found


def error(rtl, fast):
    return 100.0 * (fast - rtl) / max(rtl, FEW)


def bound_of(args, part):
    return BOUNDS.get(part, args.bound)


def measure(args):
    digest = hashlib.sha256(args.rtl_program.read_bytes()).hexdigest()
    todo, done, failed, begin = rows(args), [], [], time.monotonic()
    for at, (name, options, config) in enumerate(todo, 1):
        row = {"name": name, "options": options, "config": config}
        try:
            rtl = kept(args, digest, options, config)
            tries = [run(args.program, "fast", options, config, args.seed) for _ in range(TRIES)]
            fast = min(tries, key=lambda report: report["processor_seconds"])
        except Failed as why:
            (row.update(skipped=str(why).splitlines()[-1]), done.append(row)) if why.status == 2 else failed.append(
                f"{name}: {why}")
            continue
        row["parts"] = [{"name": part, "rtl": cycles, "fast": other, "error": round(error(cycles, other), 2)}
                        for (part, cycles), (_, other) in zip(parts(rtl), parts(fast))]
        row["speed_ratio"] = (fast["cycles"] / fast["processor_seconds"]) / (rtl["cycles"] / rtl["processor_seconds"])
        row["counters"] = {"rtl": rtl["counters"], "fast": fast["counters"]}
        done.append(row)
        left = (time.monotonic() - begin) / at * (len(todo) - at)
        print(f"twin-error: {at} of {len(todo)}, {name}, {left:.0f} s left", file=sys.stderr)
    return done, failed


def summary(args, done):
    measured = [row for row in done if "parts" in row]
    figures = [abs(part["error"]) for row in measured for part in row["parts"]]
    beyond = sum(abs(part["error"]) > bound_of(args, part["name"]) for row in measured for part in row["parts"])
    if figures:
        ratios = sorted(row["speed_ratio"] for row in measured)
        yield (f"{len(figures)} figures of {len(measured)} runs, {beyond} beyond {args.bound:g} % "
               f"(p99: {BOUNDS['p99 latency']:g} %); worst {max(figures):.1f} %; speed {ratios[0]:.0f} to {ratios[-1]:.0f} times the "
               f"RTL's, median {ratios[len(ratios) // 2]:.0f}")
    for row in done:
        if "skipped" in row:
            yield f"left out: {row['name']}: {row['skipped']}"


def lines(args, done):
    for row in done:
        for part in row.get("parts", []):
            over = "over" if abs(part["error"]) > bound_of(args, part["name"]) else ""
            yield (f"{row['name']:44} {part['name']:34} {part['rtl']:>12} {part['fast']:>12} {part['error']:+8.1f} % "
                   f"{over}")
    yield from summary(args, done)


def markdown(args, done):
    """One row per run: the whole run and its worst phase; bold if beyond the bound."""
    def share(part):
        return abs(part["error"]) / bound_of(args, part["name"])

    def percent(part):
        return f"**{part['error']:+.1f}**" if share(part) > 1 else f"{part['error']:+.1f}"
    yield "| run | rtl, cycles | fast, cycles | error, % | worst part | error, % |\n|---|---|---|---|---|---|"
    for row in done:
        if "parts" not in row:
            continue
        whole, phases = row["parts"][0], row["parts"][1:]
        worst = max(phases, key=share, default=None)
        yield (f"| {row['name']} | {whole['rtl']} | {whole['fast']} | {percent(whole)} | "
               + (f"{worst['name']} | {percent(worst)} |" if worst else " | |"))
    yield "\n" + "\n".join(summary(args, done))


def table(args, done):
    """The text of the checked-in table: one row per figure."""
    text = ["# Cycles of the RTL, and the percent by which the fast engine may miss them: tools/twin_error.py --table",
            f"# seed {args.seed}; run, part, cycles, percent", ""]
    for row in done:
        for part in row.get("parts", []):
            bound = bound_of(args, part["name"])
            if abs(part["error"]) > bound:
                bound = math.ceil(abs(part["error"]) + 1)
            text.append("\t".join([row["name"], part["name"], str(part["rtl"]), f"{bound:g}"]))
    return "\n".join(text) + "\n"


def check(args):
    """The violations of the table, one line each."""
    held, wrong, count = {}, [], 0
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, part, cycles, bound = line.split("\t")
            held.setdefault(name, {})[part] = (float(cycles), float(bound))
    seed = int(re.search(r"^# seed (\d+)", TABLE.read_text(), re.MULTILINE).group(1))
    for name, options, config in rows(args):
        if name not in held:
            wrong.append(f"{name}: not in {TABLE.relative_to(ROOT)}: run tools/twin_error.py --build --table")
            continue
        try:
            found = dict(parts(run(args.program, "fast", options, config, seed)))
        except Failed as why:
            wrong.append(f"{name}: {why}")
            continue
        if found.keys() != held[name].keys():
            wrong.append(f"{name}: parts {sorted(found)}, the table has {sorted(held[name])}")
            continue
        for part, (cycles, bound) in held[name].items():
            count += 1
            if abs(error(cycles, found[part])) > bound:
                wrong.append(f"{name}, {part}: {found[part]} cycles are {error(cycles, found[part]):+.1f} % of the RTL's "
                             f"{cycles:.10g}, at most {bound:g} % are allowed")
    print(f"twin-error: {count} figures compared, {len(wrong)} wrong")
    return wrong


def main():
    args = arguments()
    if args.check:
        sys.exit("\n".join(check(args)) or 0)
    done, failed = measure(args)
    print("\n".join((markdown if args.markdown else lines)(args, done)))
    if args.json:
        args.json.write_text(json.dumps({"seed": args.seed, "rows": done}, indent=1))
    if args.table:
        args.table.write_text(table(args, done))
    if failed:
        sys.exit("\n".join(["twin-error: runs failed", *failed]))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Replays each baseline of sim/host/configs/baselines and the hardware itself on three workloads of the fast engine.

    python3 tools/policy_table.py            # prints the table
        python3 tools/policy_table.py --write    # writes it into docs/policies.md
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BASELINES = ROOT / "sim/host/configs/baselines"
PAGE = ROOT / "docs/policies.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
WORKLOADS = {
    "random": "gen:random,footprint=32MiB,count=22000,streams=64",
    "zipf": "gen:zipf,footprint=32MiB,count=22000,streams=64",
    "chase": "gen:chase,footprint=32MiB,count=22000,streams=64",
}
COMMON = ["--engine", "fast", "--fragmented", "100", "--warps", "16", "--window", "4", "--warmup", "2000"]


def region(program, workload, config):
    """The region of interest of one replay."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [program, "replay", workload, *COMMON, "--json", report]
        if config:
            command += ["--config", config]
        run = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if run.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{run.stdout}{run.stderr}")
        return json.loads(report.read_text())["replay"]["phases"][1]


def figures(phase):
    """Cycles, mean latency, its 99th percentile, walks and table reads."""
    walker = phase["counters"].get("gpu_walker", {})
    return [phase["cycles"], round(phase["latency"]["mean"]), phase["latency"]["p99"],
            walker.get("walks", 0), walker.get("table_reads", 0)]


def table(program):
    """The rows of all workloads as Markdown."""
    lines = ["| workload | machine | cycles | latency, mean | p99 | walks | table reads |", "|---|---|---|---|---|---|---|"]
    machines = [("the hardware", None)] + [(path.stem, path) for path in sorted(BASELINES.glob("*.toml"))]
    for name, workload in WORKLOADS.items():
        for machine, config in machines:
            row = figures(region(program, workload, config))
            lines.append(f"| {name} | {machine} | " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="The baselines of docs/policies.md on three workloads.")
    parser.add_argument("--program", default=ROOT / "build/gmmu")
    parser.add_argument("--write", action="store_true", help="put the table into docs/policies.md")
    arguments = parser.parse_args()
    text = table(arguments.program)
    if not arguments.write:
        print(text)
        return
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Curves of the presets (sim/host/configs) beside published points, and a check of their steps (docs/presets.md).

  presets.py [--program FILE] [--images DIR] [--engine fast|rtl] [--only PRESET]...   draws them
  presets.py --check [...]                                                            compares the steps with their bounds

Exit status 1: a step is out of its bounds; 2: a run failed.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import style

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "sim/host/configs"
KIB, MIB = 1 << 10, 1 << 20
ONE = ("--compute-units", "1", "--warps", "1")           # one access in flight
EACH_PAGE = ("--fragmented", "100")                      # no page shares a TLB entry with its neighbours
MANY = ("--memory", "system", "--warps", "16", "--window", "4", "--warmup", "2000")
# Pointer chases with one access in flight. The scale is the number of published bytes that one
# simulated byte represents. The two lists are published footprints in MiB: the first for chases
# with one node per page, the second for chases with one node per block of sixteen pages.
CHASES = {
    "k80-like": (32, [1, 1.5, 1.75, 2, 2.125, 2.25, 2.5, 3, 4, 5],
                 [48, 96, 128, 140, 144, 148, 152, 160, 200, 300, 1500, 1800, 2048, 2064, 2080, 2112, 2200, 2320, 3000, 4000, 5000]),
    "p100-like": (512, [12, 20, 28, 32, 34, 36, 40, 60, 80], [1472, 1792, 2016, 2048, 2080, 2112, 2240, 2304, 2560, 3072, 4096, 4992]),
    "ada-like": (512, [12, 20, 28, 32, 34, 36, 40, 60, 80], [1024, 2048, 3072, 4096, 6144, 8192]),
}
FEW = {  # footprints at which the steps are measured
    "k80-like": ([2, 4], [48, 140, 300, 1500, 2048, 5000]), "p100-like": ([32, 60], [1472, 2048, 4992]), "ada-like": ([32, 60], [1024, 8192]), }
SIZES, WINDOWS = (64, 128, 256, 512), (64, 128, 192, 256, 320, 512, 1024, 4096)      # bytes; KiB
WRITES = (8, 16, 32, 64)                                                             # bytes of a client's write


class Failed(Exception):
    pass


def run(args, preset, command, arguments):
    """The report of a command on a preset."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "report.json")
        line = [str(args.program), command, *arguments, "--config", str(CONFIGS / f"{preset}.toml"), "--engine", args.engine, "--json", str(out),
                *(part for text in args.set for part in ("--set", text))]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(line)}\n{(done.stderr + done.stdout)[-600:]}")
        return json.loads(out.read_text())


def region(report):
    return report["replay"]["phases"][-1]


def chase(args, preset, mib, node):
    """Mean latency of a chase over a published footprint of `mib` MiB, with a node every `node` simulated bytes."""
    bytes_ = int(mib * MIB / CHASES[preset][0]) // node * node
    nodes = bytes_ // node
    report = run(args, preset, "replay", [f"gen:chase,footprint={bytes_},node={node},count={3 * nodes + 2000}", *ONE, *(EACH_PAGE if node < 64 * KIB else ()), "--warmup", str(2 * nodes)])
    return region(report)["latency"]["mean"]


def rate(args, preset, workload):
    """Gb/s of accesses to system memory."""
    report = run(args, preset, "replay", [workload, *MANY])
    return 8 * region(report)["bytes"] / region(report)["cycles"] * report["machine"]["clock_mhz"] / 1000


def paged_out(args, preset, payload):
    """Gb/s of the paging engine's page-out of 4 MiB with the given MPS."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(range(256)) * (4 * MIB // 256))
        file.flush()
        report = run(argparse.Namespace(**{**vars(args), "set": [*args.set, f"pcie.max_payload={payload}"]}), preset, "run", [file.name])
    phase = next(phase for phase in report["phases"] if phase["name"] == "page out")
    return 8 * phase["bytes"] / phase["ns"]


def measure(args):
    """{preset: {series: {x: y}}} of all runs of the chosen presets; several run at once."""
    jobs = {}
    for preset, (_, near, far) in CHASES.items():
        near, far = FEW[preset] if args.check else (near, far)
        for name, places, node in (("near", near, 4 * KIB), ("far", far, 64 * KIB)):
            jobs.update({(preset, name, mib): (chase, preset, mib, node) for mib in places})
    for size in SIZES:
        for window in (64, 256, 320, 4096) if args.check else WINDOWS:
            jobs["vtd-64", size, window] = (rate, "vtd-64", f"gen:random,footprint={window}KiB,count={args.accesses},bytes={size},streams=64")
    for size in WRITES:
        jobs["pcie3-x8", "clients", size] = (rate, "pcie3-x8", f"gen:sequential,footprint=256KiB,count={args.accesses},bytes={size},writes=100,streams=64")
    for payload in (128, 256):
        jobs["pcie3-x8", "engine", payload] = (paged_out, "pcie3-x8", payload)
    jobs = {key: job for key, job in jobs.items() if not args.only or key[0] in args.only}
    found = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = {key: pool.submit(job, args, *rest) for key, (job, *rest) in jobs.items()}
        try:
            for at, ((preset, name, x), future) in enumerate(running.items(), 1):
                found.setdefault(preset, {}).setdefault(name, {})[x] = future.result()
                if at % 20 == 0 or at == len(running):
                    print(f"presets: {at} of {len(running)} runs", file=sys.stderr)
        finally:
            pool.shutdown(cancel_futures=True)
    return found


def link_model(size, payload=256):
    """Write efficiency by the model of Neugebauer et al., with 24 bytes around each packet."""
    return size / (-(-size // payload) * 24 + size)


def plateau(curve, low, high):
    values = [y for x, y in curve.items() if low <= x <= high]
    return sum(values) / len(values)


def steps(found):
    """(preset, what, value, lowest, highest, published) of every step of the presets that ran."""
    rows = []
    if "k80-like" in found:
        near, far = found["k80-like"]["near"], found["k80-like"]["far"]
        base = plateau(near, 1, 2)
        rows += [("k80-like", "past 2 MiB, cycles", plateau(near, 3, 5) - base, 1, 4, "+9"),
                 ("k80-like", "before 142 MiB, above the first step, cycles", plateau(far, 48, 140) - plateau(near, 3, 5), -1, 1, "0"),
                 ("k80-like", "past 142 MiB, cycles (fitted)", plateau(far, 300, 1500) - plateau(far, 48, 140), 51, 59, "+55"),
                 ("k80-like", "before 2064 MiB, cycles", far[2048] - far[1500], -2, 2, "0"),
                 ("k80-like", "past 2064 MiB, cycles", far[5000] - far[1500], 25, 60, "+172")]
    if "p100-like" in found:
        near, far = found["p100-like"]["near"], found["p100-like"]["far"]
        rows += [("p100-like", "past 32 MiB, cycles", plateau(near, 60, 80) - plateau(near, 12, 32), 1, 4, "+8"),
                 ("p100-like", "before 2.1 GiB, above the first step, cycles", plateau(far, 1472, 2048) - plateau(near, 60, 80), -1, 1, "0"),
                 ("p100-like", "past 2.1 GiB, cycles (fitted)", far[4992] - far[1472], 105, 120, "+110")]
    if "ada-like" in found:
        near, far = found["ada-like"]["near"], found["ada-like"]["far"]
        rows += [("ada-like", "past 32 MiB, cycles", plateau(near, 60, 80) - plateau(near, 12, 32), 1, 4, "+10"),
                 ("ada-like", "from there on, cycles", max(far.values()) - plateau(near, 60, 80), -1, 1, "0")]
    if "vtd-64" in found:
        loss = {size: 100 * (1 - curve[4096] / curve[256]) for size, curve in found["vtd-64"].items()}
        rows += [("vtd-64", "64 B, 256 KiB against 64 KiB, %", 100 * (1 - found["vtd-64"][64][256] / found["vtd-64"][64][64]), -1, 1, "none"),
                 ("vtd-64", "64 B, 320 KiB against 256 KiB, %", 100 * (1 - found["vtd-64"][64][320] / found["vtd-64"][64][256]), 0.5, 60, "a knee"),
                 ("vtd-64", "64 B, 4 MiB against 256 KiB, %", loss[64], 50, 80, "largest"),
                 *(("vtd-64", f"{size} B, loss less than of {size // 2} B, %", loss[size // 2] - loss[size], 0, 60, "falls") for size in SIZES[1:])]
    if "pcie3-x8" in found:
        measured = {**{size: value for size, value in found["pcie3-x8"]["clients"].items() if size >= 32}, **found["pcie3-x8"]["engine"]}
        rows += [("pcie3-x8", f"writes of {size} B, % of 57.88 Gb/s", 100 * value / 57.88, 100 * link_model(size) * 0.95, 100 * link_model(size) * 1.005,
                  f"{100 * link_model(size):.1f}") for size, value in measured.items()]
    return rows


def draw_chase(preset, curves, published):
    scale, _, _ = CHASES[preset]
    source = f" Published: {published['source']}." if published else " No published point is drawn: none is known here with certainty."
    drawing, panes = style.new(preset, f"{preset}: latency against footprint", "Cycles above the smallest footprint, of a chase with one access in flight; "
                               f"footprints here are a {scale}th. Left: a page from node to node; right: sixteen pages.{source}", width=7.2, columns=2, sharey=True)
    base = min(curves["near"].values())
    theirs = min(y for _, y in published["near"]) if published else 0
    for axes, name in zip(panes, ("near", "far")):
        if published:
            drawing.line(axes, [x for x, _ in published[name]], [y - theirs for _, y in published[name]], 1, linestyle="", label="published")
        drawing.line(axes, list(curves[name]), [y - base for y in curves[name].values()], 0, markersize=3, label=preset)
        axes.set_xlabel("footprint, MiB")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(style.FuncFormatter(style.number_text))
    panes[0].set_ylabel("cycles above the first")
    style.legend(drawing, *panes[0].get_legend_handles_labels())
    return drawing


def draw_vtd(curves):
    drawing, axes = style.new("vtd-64", "vtd-64: bandwidth against window", "Random reads of system memory through an IOTLB of 64 entries. The line is at 256 KiB, where the "
                              "published knee is; no published bandwidth is drawn, since none is known here with certainty.")
    for at, (size, curve) in enumerate(curves.items()):
        drawing.line(axes, [x * KIB for x in curve], list(curve.values()), at, label=f"{size} B")
    axes.axvline(256 * KIB, color="black", linewidth=0.8, linestyle=":")
    style.sized(axes.xaxis, [x * KIB for x in WINDOWS], style.bytes_text)
    axes.tick_params(axis="x", rotation=40)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("window")
    axes.set_ylabel("Gb/s")
    style.legend(drawing, *axes.get_legend_handles_labels())
    return drawing


def draw_link(curves):
    drawing, axes = style.new("pcie3-x8", "pcie3-x8: bandwidth of writes against their size", "Published: 57.88 Gb/s by size / (ceil(size / MPS) x 24 + size), Neugebauer et al., "
                              "SIGCOMM 2018. Measured: writes of clients of up to 64 bytes; pages going out, with MPS 128 and 256.")
    sizes = [2 ** power for power in range(3, 11)]
    for at, payload in enumerate((128, 256)):
        axes.plot(sizes, [57.88 * link_model(size, payload) for size in sizes], color="0.4", linewidth=0.9, linestyle=style.DASHES[at], label=f"published, MPS {payload}")
    for at, (name, text) in enumerate((("clients", "clients' writes"), ("engine", "paging engine"))):
        drawing.line(axes, list(curves[name]), list(curves[name].values()), at, linestyle="", markersize=6, label=text)
    style.sized(axes.xaxis, sizes)
    axes.set_ylim(0, 60)
    axes.set_xlabel("bytes of a write")
    axes.set_ylabel("Gb/s")
    style.legend(drawing, *axes.get_legend_handles_labels())
    return drawing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/gmmu")
    parser.add_argument("--engine", choices=("fast", "rtl"), default="fast")
    parser.add_argument("--images", type=pathlib.Path, default=ROOT / "docs/presets")
    parser.add_argument("--check", action="store_true", help="draw nothing")
    parser.add_argument("--only", action="append", choices=(*CHASES, "vtd-64", "pcie3-x8"))
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="beside the preset's keys")
    parser.add_argument("--accesses", type=int, default=20000, help="of a run of vtd-64 or pcie3-x8")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    try:
        found = measure(args)
    except Failed as error:
        print(f"presets: {error}", file=sys.stderr)
        return 2
    rows, bad = steps(found), 0
    print(f"| preset | step | here, {args.engine} engine | bounds | published |\n|---|---|---|---|---|")
    for preset, what, value, low, high, text in rows:
        good = low <= value <= high
        bad += not good
        print(f"| {preset} | {what} | {value:.1f}{'' if good else ' OUT OF BOUNDS'} | {low:.3g} to {high:.3g} | {text} |")
    if not args.check:
        args.images.mkdir(parents=True, exist_ok=True)
        published = tomllib.loads((pathlib.Path(__file__).parent / "published.toml").read_text())
        for preset, curves in found.items():
            drawing = draw_chase(preset, curves, published.get(preset)) if preset in CHASES else draw_vtd(curves) if preset == "vtd-64" else draw_link(curves)
            for path in style.save(drawing, args.images, ("svg",)):
                print(path)
    print(f"presets: {len(rows) - bad} of {len(rows)} steps within their bounds")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

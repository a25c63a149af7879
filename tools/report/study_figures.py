# SPDX-License-Identifier: Apache-2.0
"""Curves over several runs: reach, misses, latencies, transfer sizes, remapping. Each function returns a list of
Drawings, or why there is none."""
import style
from sources import own_name
from style import new

FOOTPRINT = {"footprint"}                                           # shown as touched pages instead
NOT_SERIES = {"seed", "count", "accesses", "warmup", "skip"}        # runs that differ only in the seed are averaged
BARS = 16                                                           # most runs in a bar chart
SHORT = {"gpu.": "", "iommu.": "", "pcie.": "", "os.": "", "driver.": ""}


def text_of(name, value):
    for long, short in SHORT.items():
        name = short + name.removeprefix(long) if name.startswith(long) else name
    if name == "latency_ps" and isinstance(value, int):
        return f"link {value / 1000:g} ns"
    if name == "footprint" and isinstance(value, int):
        return style.bytes_text(value)
    if name == "iommu_flags" and isinstance(value, int):
        return "all memory mapped" if value & 2 else ""
    if name == "memory_block_kib" and isinstance(value, int):
        return f"memory in blocks of {style.bytes_text(value << 10)}" if value > 4 else ""
    if name == "config" and isinstance(value, str):
        return value.rsplit("/", 1)[-1].removesuffix(".toml")
    if value == "":
        return ""
    if name == "policy.file" and isinstance(value, str):
        return "policy " + value.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    if name == "policy.arguments":
        return str(value)
    return f"{name.replace('_', ' ')} {str(value).lower() if isinstance(value, bool) else value}"


def series(data, runs, x, y, without):
    """[(label, [(x, y)...])] of the runs that have both; runs with the same x are averaged."""
    runs = [run for run in runs if x(run) is not None and y(run) is not None]
    names = [name for name in data.variables if name not in without | NOT_SERIES and len({run.values.get(name) for run in runs}) > 1]
    found = {}
    for run in runs:
        key = tuple(run.values.get(name) for name in names)
        found.setdefault(key, {}).setdefault(x(run), []).append(y(run))
    return names, {key: [(at, sum(values) / len(values)) for at, values in sorted(points.items())] for key, points in found.items()}


def panels(names, found):
    """If there are many series, splits them by one of their variables, the first that leaves few enough per panel:
    [{key: points}]."""
    if len(found) <= 6:
        return [found]
    splits = []
    for at in range(len(names)):
        values = list(dict.fromkeys(key[at] for key in found))
        if 2 <= len(values) <= 4:
            splits.append([{key: points for key, points in found.items() if key[at] == value} for value in values])
    return next((split for split in splits if max(map(len, split)) <= style.SERIES), splits[0] if splits else [found])


def words(names, key, chosen):
    return ", ".join(filter(None, (text_of(name, value) for name, value in zip(names, key) if name in chosen and value is not None)))


def label_of(run, names):
    """The text that distinguishes a run; its own label if nothing does."""
    return words(names, [run.values.get(name) for name in names], names) or run.label


def curves(name, title, text, names, found, xlabel, ylabel, xtext=style.number_text, zero=True):
    """One panel or several, each with at most SERIES curves. Values that are the same in a panel form its title; values
    that differ form a curve's label. A label has the same look in all panels."""
    split = panels(names, found)
    inner = [each for at, each in enumerate(names) if any(len({key[at] for key in panel}) > 1 for panel in split)]
    most = max(len(panel) for panel in split)
    part = f"{style.SERIES} of {most} series of a panel are drawn, evenly chosen" if most > style.SERIES else ""
    text += f" {part}." if part else ""
    one = len(split) == 1
    drawing, grid = new(name, title, text, width=6.4 if one else 3.0 * min(len(split), 2) + 1.2, height=3.6 if one else 3.2 * -(-len(split) // 2),
                        columns=1 if one else 2, rows=1 if one else -(-len(split) // 2), sharey=zero, squeeze=False)
    xs = [x for panel in split for points in panel.values() for x, _ in points]
    cells, looks, handles = list(grid.flat), {}, {}
    for axes, panel in zip(cells, split):
        step = len(panel) / min(len(panel), style.SERIES)
        for key, points in [list(panel.items())[int(at * step)] for at in range(min(len(panel), style.SERIES))]:
            label = words(names, key, inner) or None
            drawing.line(axes, [x for x, _ in points], [y for _, y in points], looks.setdefault(label, len(looks)), label=label)
        handles.update(zip(*reversed(axes.get_legend_handles_labels())))
        if not one:
            axes.set_title(words(names, next(iter(panel)), set(names) - set(inner)))
        style.sized(axes.xaxis, xs, xtext)
        axes.tick_params(axis="x", rotation=40)
        axes.set_xlabel(xlabel)
    if zero:  # applies to all panels, so it is set after the last one is drawn
        cells[0].set_ylim(bottom=0)
    for row in grid:
        row[0].set_ylabel(ylabel)
    for axes in cells[len(split):]:
        axes.set_visible(False)
    style.legend(drawing, list(handles.values()), list(handles), part)
    return drawing


def longest(found):
    return max((len(points) for points in found.values()), default=0)


def reach(data):
    runs = [run for run in data.runs if run.region() and run.region()["accesses"]]
    if not runs:
        return "no report is of gmmu replay"
    names, found = series(data, runs, lambda run: run.touched(), lambda run: run.region()["latency"]["mean"], FOOTPRINT)
    if longest(found) < 2:
        return "the replays have one footprint: a curve needs several (workload = [\"gen:chase,footprint=1MiB\", ...])"
    return [curves("reach", "Reach of the TLBs", "Mean latency of an access, from when its warp could make it to its last answer, against the bytes of the "
                   "4 KiB pages that are touched.", names, found, "footprint", "mean latency, cycles", style.bytes_text)]


def count(run, block, counter):
    """Sum of a counter over the blocks of all GPUs with this prefix; for a replay, in its region. None: the engine does
    not count it."""
    region = run.region()
    counters = region["counters"] if region else run.report["counters"]
    known = [block_ for block_ in run.report["counters"] if own_name(block_).startswith(block)]
    if not known or any(run.report["counters"][name].get(counter) is None for name in known):
        return None
    return sum(counters.get(name, {}).get(counter) or 0 for name in known)


def ratio(over, under):
    def of(run):
        top, low = count(run, *over), count(run, *under)
        return None if top is None or not low else 1e3 * top / low
    return of


MISSES = {
    "gpu.l1_entries": ("L1 TLB", {"gpu.l1_entries"}, ratio(("port_", "misses"), ("port_", "lookups"))),
    "gpu.l2_entries": ("L2 TLB", {"gpu.l2_entries"}, ratio(("gpu_l2", "l2_misses"), ("port_", "lookups"))),
    "iotlb_entries": ("IOTLB", {"iotlb_entries", "iommu.iotlb_sets", "iommu.iotlb_ways"}, ratio(("iommu", "iotlb_misses"), ("iommu", "requests"))),
}


def misses(data):
    drawings = []
    for key, (what, own, y) in MISSES.items():
        names, found = series(data, data.runs, lambda run, key=key: run.values.get(key) or None, y, own)
        if longest(found) > 1:
            per = "requests of the device" if key == "iotlb_entries" else "accesses (lookups of the translation ports)"
            drawings.append(curves("misses-" + key.split(".")[-1].replace("_", "-"), f"Misses of the {what} against its entries",
                                   f"Misses of the {what} of a thousand {per}.", names, found, f"entries ({key})", "misses of a thousand"))
    names, found = series(data, data.runs, lambda run: run.values.get("gpu.walk_cache"), ratio(("gpu_walker", "table_reads"), ("gpu_walker", "walks")),
                          {"gpu.walk_cache"})
    if longest(found) > 1:
        drawings.append(curves("walk-cache", "Table reads against entries of the walk cache", "Table reads of a thousand walks: with every lower level in the "
                               "walk cache, one each.", names, found, "entries of each level (gpu.walk_cache)", "table reads of a thousand walks"))
    return drawings or "entries of no TLB or cache differ between the runs (gpu.l1_entries, gpu.l2_entries, gpu.walk_cache, iommu.iotlb_sets and _ways)"


def walkers(data):
    names, found = series(data, [run for run in data.runs if run.region()], lambda run: run.values.get("gpu.walks"),
                          lambda run: 1e3 * run.region()["accesses"] / run.region()["cycles"] if run.region()["cycles"] else None, {"gpu.walks"})
    if longest(found) < 2:
        return "no replays with several gpu.walks"
    return [curves("walkers", "Throughput against walkers", "Accesses answered in a thousand cycles.", names, found, "walks at once (gpu.walks)",
                   "accesses in a thousand cycles")]


def sweep(data):
    """For a study over any other number: time of the first phase, or latency, against the first such number."""
    own = {*MISSES, "iommu.iotlb_sets", "iommu.iotlb_ways", "gpu.walk_cache", "gpu.walks", *FOOTPRINT, *NOT_SERIES}
    for key in (name for name in data.variables if name not in own):
        values = {run.values.get(key) for run in data.runs} - {None}
        if len(values) < 3 or not all(isinstance(value, int) and not isinstance(value, bool) and value > 0 for value in values):
            continue
        timed = [run for run in data.runs if "replay" not in run.report and run.report["phases"]]
        replays = [run for run in data.runs if run.region() and run.region()["accesses"]]
        runs, y, what = (replays, lambda run: run.region()["latency"]["mean"], "mean latency, cycles") if len(replays) > len(timed) else \
            (timed, lambda run: run.report["phases"][0]["ns"] / 1000, "time of the first phase, us")
        names, found = series(data, runs, lambda run, key=key: run.values.get(key), y, {key})
        if longest(found) > 2:
            return [curves("sweep", f"Cost against {key}", f"{what[0].upper()}{what[1:]}, against the first number that differs and has no figure of its own.", names,
                           found, key, what)]
    return "no number of the configuration has three values or more, but those that have a figure of their own"


def latency(data):
    runs = [run for run in data.runs if run.region() and run.region()["latency"].get("buckets")]
    if not runs:
        return "no report has a histogram of latencies: gmmu replay writes it"
    step = len(runs) / min(len(runs), 6)
    chosen = [runs[int(at * step)] for at in range(min(len(runs), 6))]
    names = [name for name in data.variables if name not in NOT_SERIES and len({run.values.get(name) for run in chosen}) > 1]
    part = f"{len(chosen)} of {len(runs)} runs, evenly chosen" if len(chosen) < len(runs) else ""
    text = "Share of the accesses of the region that took no longer." + (f" {part}." if part else "")
    drawing, axes = new("latency", "Distribution of latencies", text, height=4.2)
    for at, run in enumerate(chosen):
        rows = run.region()["latency"]["buckets"]
        total, below, x, y = sum(row[2] for row in rows), 0, [rows[0][0]], [0.0]
        for _, last, number in rows:
            below += number
            x.append(last)
            y.append(below / total)
        drawing.line(axes, x, y, at, drawstyle="steps-post", label=label_of(run, names), markevery=max(1, len(x) // 8))
    low, high = axes.get_xlim()
    if max(0, low) * 4 < high:
        style.sized(axes.xaxis, [2 ** power for power in range(40) if low <= 2 ** power <= high * 2])
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("latency, cycles")
    axes.set_ylabel("share of accesses")
    style.legend(drawing, *axes.get_legend_handles_labels(), part)
    return [drawing]


def comparison(data):
    """For runs that differ in a value that is no number (policies, scenarios, traces, engines): bars for latency, time
    and misses."""
    runs = [run for run in data.runs if run.region() and run.region()["accesses"]]
    replays = len(runs) > 1
    runs = runs if replays else [run for run in data.runs if run.report["phases"]]
    names = [name for name in data.variables if name not in NOT_SERIES and len({run.values.get(name) for run in runs}) > 1]
    kinds = [name for name in names if any(isinstance(run.values.get(name), (str, bool)) for run in runs)]
    if len(runs) < 2 or not kinds:
        return "runs that differ in what is no number (policies, traces, scenarios, engines), two or more, are compared by bars"
    if len(runs) > BARS:
        return f"{len(runs)} runs, and bars of at most {BARS} are drawn"
    figures = [("mean latency, cycles", lambda run: run.region()["latency"]["mean"]), ("cycles of the region", lambda run: run.region()["cycles"]),
               ("walks of a thousand accesses", lambda run: walks_of(run))] if replays else \
        [("GPU cycles", lambda run: run.report["cycles"])]
    figures = [(what, y) for what, y in figures if all(y(run) is not None for run in runs)]
    drawing, grid = new("comparison", "Runs beside each other", "A bar for each run, named by what tells it apart.", height=1.2 + 0.3 * len(runs),
                        width=2.2 + 2.4 * len(figures), columns=len(figures), sharey=True, squeeze=False)
    for axes, (what, y) in zip(grid[0], figures):
        drawing.bars(axes, range(len(runs)), [y(run) for run in runs], at=2, across=True, height=0.62)
        axes.set_xlabel(what)
        axes.xaxis.set_major_locator(style.few())
        axes.grid(axis="y", visible=False)
    grid[0][0].set_yticks(range(len(runs)), [label_of(run, names) for run in runs])
    grid[0][0].invert_yaxis()
    return [drawing]


def walks_of(run):
    walks, accesses = count(run, "gpu_walker", "walks"), run.region()["accesses"]
    return None if walks is None else 1e3 * walks / accesses


def fit(points):
    """(t0 in ns, bytes/ns) of time = t0 + bytes / rate, by least squares of the relative error; None if the time does
    not grow."""
    weights = [(1 / ns ** 2, size, ns) for size, ns in points]
    sw, sx, sy = (sum(w * value for w, value in each) for each in ([(w, 1) for w, *_ in weights], [(w, x) for w, x, _ in weights], [(w, y) for w, _, y in weights]))
    sxx, sxy = sum(w * x * x for w, x, _ in weights), sum(w * x * y for w, x, y in weights)
    slope = (sw * sxy - sx * sy) / (sw * sxx - sx * sx)
    start = (sy - slope * sx) / sw
    return (start, 1 / slope) if slope > 0 and start > 0 else None


def transfer(data):
    runs = [run for run in data.runs if "replay" not in run.report]
    places = list(dict.fromkeys(phase["name"] for run in runs for phase in run.report["phases"] if phase["link"] and phase["bytes"] and phase["ns"]))
    found = {}
    for place in places:
        names, by = series(data, [run for run in runs], lambda run: run.report["bytes"], lambda run, place=place: next(
            (phase["ns"] for phase in run.report["phases"] if phase["name"] == place), None), {"bytes", "scenario"})
        found.update({(place, *key): points for key, points in by.items() if len(points) > 2})
    if not found:
        return "fewer than three runs of gmmu run with different sizes (files of other lengths)"
    lines = list(found.items())[:style.SERIES]
    part = f"{len(lines)} of {len(found)} series are drawn, the first" if len(lines) < len(found) else ""
    drawing, axes = new("transfer", "Bandwidth against transfer size", "Bytes of a phase over the link by its time. n\N{VULGAR FRACTION ONE HALF} is the size at which "
                        "half of the rate of endless transfers is reached: start-up time by rate of the line time = start + bytes / rate "
                        "fitted to the points; the dotted curves are that line." + (f" {part}." if part else ""), height=4.4)
    for at, (key, points) in enumerate(lines):
        label = ", ".join([key[0], *(text_of(name, value) for name, value in zip(names, key[1:]) if value is not None)])
        fitted = fit(points)
        if fitted:
            half = fitted[0] * fitted[1]
            label += f": n\N{VULGAR FRACTION ONE HALF} = {half / 1024:.1f} KiB, {fitted[1]:.2f} GB/s"
            axes.plot([x for x, _ in points], [x / (fitted[0] + x / fitted[1]) for x, _ in points], color="0.5", linewidth=0.8, linestyle=":")
            axes.plot([half, half], [0, fitted[1] / 2], color=style.COLOURS[at], linewidth=0.8, linestyle=style.DASHES[at])
        drawing.line(axes, [x for x, _ in points], [x / ns for x, ns in points], at, label=label)
    limit = runs[0].report["machine"]["link_bytes_per_second"] / 1e9
    if limit and len({run.report["machine"]["link_bytes_per_second"] for run in runs}) == 1:
        axes.axhline(limit, color="black", linewidth=0.8)
        axes.text(lines[0][1][0][0], limit, "payload of the link", va="bottom", fontsize=8)
    style.sized(axes.xaxis, [x for _, points in lines for x, _ in points], style.bytes_text)
    axes.tick_params(axis="x", rotation=40)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("transfer size")
    axes.set_ylabel("GB/s")
    style.legend(drawing, *axes.get_legend_handles_labels(), part)
    return [drawing]


def remapping(data):
    own = {"iotlb_entries", "iommu.iotlb_sets", "iommu.iotlb_ways"}
    drawings = []

    def paged(run):
        phase = next((phase for phase in run.report["phases"] if phase["link"] and phase["ns"]), None)
        return phase["ns"] / 1000 if phase and "replay" not in run.report else None

    def replayed(run):
        options = run.report.get("replay", {}).get("options", {})
        return run.region()["latency"]["mean"] if options.get("memory") == "system" and run.region() else None
    for name, y, what, unit in (("remapping", paged, "Time of the first phase over the link, a page-in in the main job", "time, us"),
                                ("remapping-latency", replayed, "Mean latency of an access to system memory", "mean latency, cycles")):
        names, found = series(data, data.runs, lambda run: run.values.get("iotlb_entries") or None, y, own)
        if longest(found) > 1:
            drawings.append(curves(name, "Cost of remapping against entries of the IOTLB", f"{what}. Entries are iommu.iotlb_sets by iommu.iotlb_ways.",
                                   names, found, "entries of the IOTLB", unit, zero=False))
    return drawings or "no runs with several sizes of the IOTLB and traffic behind it (gmmu run, or gmmu replay --memory system)"

# SPDX-License-Identifier: Apache-2.0
"""Figures of single runs: phases, occupancy over time, causes. Each function returns a list of Drawings, or why there
is none."""
import collections

import style
from sources import own_name
from style import new

MOST = 4     # maximum number of runs for which single-run figures are drawn


def each(data, draw, has, missing):
    """A Drawing for each run that has the data."""
    runs = [run for run in data.runs if has(run)]
    if not runs:
        return missing
    if len(runs) > MOST:
        return f"a figure of one run; {len(runs)} runs have its data, and at most {MOST} are drawn: give reports of single runs"
    return [draw(run, number if len(runs) > 1 else None) for number, run in enumerate(runs)]


def named(name, run, number):
    return (name, "") if number is None else (f"{name}-{number}", f" of {run.label}")


def phases(data):
    def draw(run, number):
        name, of = named("phases", run, number)
        machine = run.report["machine"]
        shown = [phase for phase in run.report["phases"] if phase["ns"] and phase["bytes"]]
        drawing, axes = new(name, f"Bandwidth of each phase{of}",
                            "Bars: bytes of a phase by its time. Thick lines: what the phase's limit allows, the PCIe link's payload or one beat "
                            "a cycle of the bus. Percent: share of the limit.", height=1.1 + 0.38 * len(shown))
        limits = [machine["link_bytes_per_second" if phase["link"] else "bus_bytes_per_second"] / 1e9 for phase in shown]
        reached = [phase["bytes"] / phase["ns"] for phase in shown]
        drawing.bars(axes, range(len(shown)), reached, at=2, across=True, height=0.62)
        for at, (phase, value, limit) in enumerate(zip(shown, reached, limits)):
            if limit:
                axes.plot([limit, limit], [at - 0.42, at + 0.42], color="black", linewidth=2.6, solid_capstyle="butt")
            axes.text(max(value, limit) * 1.02, at, (f"{value / limit:.1%} of {'link' if phase['link'] else 'bus'}" if limit else f"{value:.3f}"),
                      va="center", fontsize=8)
        axes.set_yticks(range(len(shown)), [phase["name"] for phase in shown])
        axes.invert_yaxis()
        axes.set_xlim(0, max([*reached, *limits]) * 1.25)
        axes.set_xlabel("GB/s")
        axes.grid(axis="y", visible=False)
        return drawing
    return each(data, draw, lambda run: any(phase["ns"] and phase["bytes"] for phase in run.report["phases"]),
                "no report has a phase that moved bytes")


def occupancy(data):
    def draw(run, number):
        name, of = named("occupancy", run, number)
        region = run.region()
        epochs = [epoch for epoch in region["epochs"] if epoch["last_cycle"] > epoch["first_cycle"]]
        start = epochs[0]["first_cycle"]
        drawing, (upper, lower) = new(name, f"Occupancy over time{of}",
                                      "Above: page walks in flight, mean of each epoch. Below: accesses answered in a thousand cycles, and those of them "
                                      "that missed the L1 TLB.", height=4.4, rows=2, sharex=True)
        ends = [(epoch["last_cycle"] - start) / 1e3 for epoch in epochs]
        cycles = [epoch["last_cycle"] - epoch["first_cycle"] for epoch in epochs]

        def rate(block, counter, per):
            return [sum(values.get(counter) or 0 for at, values in epoch["counters"].items() if own_name(at).startswith(block)) * per / each
                    for epoch, each in zip(epochs, cycles)]
        drawing.line(upper, ends, rate("gpu_walker", "walk_cycles", 1), 0, drawstyle="steps-pre")
        most = run.config("gpu.walks")
        if most:
            upper.axhline(most, color="black", linewidth=0.8, linestyle=":")
            upper.text(ends[-1], most, f"gpu.walks = {most} ", ha="right", va="bottom", fontsize=8)
        upper.set_ylim(0, (most or 1) * 1.2)
        upper.set_ylabel("walks in flight")
        drawing.line(lower, ends, [epoch["accesses"] * 1e3 / each for epoch, each in zip(epochs, cycles)], 0, label="accesses", drawstyle="steps-pre")
        drawing.line(lower, ends, rate("port_", "misses", 1e3), 1, label="L1 misses", drawstyle="steps-pre")
        lower.set_ylim(0, lower.get_ylim()[1] * 1.1)
        lower.set_ylabel("in a thousand cycles")
        lower.set_xlabel("thousand GPU cycles since the region began")
        style.legend(drawing, *lower.get_legend_handles_labels())
        return drawing
    return each(data, draw, lambda run: len((run.region() or {}).get("epochs", [])) > 1,
                "no report has epochs: gmmu replay --epoch N or --epoch-cycles N writes them")


def causes_of(run):
    """{kind of event: {cause: cycles}} of member `causes` (docs/report.schema.json), over all phases and levels; {} if
    there is none."""
    found = {}
    for row in (run.report.get("causes") or {}).get("sums", []):
        if row["by"] != "all":
            continue
        of = found.setdefault(row["kind"], {})
        for part in row["causes"]:
            of[part["cause"]] = of.get(part["cause"], 0) + part["cycles"]
    return {kind: of for kind, of in found.items() if any(of.values())}


def causes(data):
    rows = [(f"{run.label}: {what}" if len(data.runs) > 1 else what, of) for run in data.runs for what, of in causes_of(run).items()]
    if not rows:
        return "no report has a member causes: gmmu run --events FILE brings it"
    if len(rows) > 40:
        return f"{len(rows)} bars, at most 40 are drawn: give reports of single runs"
    most = collections.Counter()  # the largest share of each cause in any bar; hatches can distinguish only so many
    for _, of in rows:
        for name, cycles in of.items():
            most[name] = max(most[name], cycles / sum(of.values()))
    names = [name for name, share in most.most_common(len(style.HATCHES) - 1) if share]
    rows = [(what, {**{name: of.get(name, 0) for name in names}, "the rest": sum(cycles for name, cycles in of.items() if name not in names)})
            for what, of in rows]
    names.append("the rest")
    drawing, axes = new("causes", "Where the cycles went", "Each bar has all cycles of a kind of work, by the one cause to which each cycle belongs.",
                        height=1.6 + 0.34 * len(rows) + 0.12 * len(names), width=7.2)
    left = [0.0] * len(rows)
    for at, name in enumerate(names):
        shares = [100 * (of.get(name) or 0) / sum(of.values()) for _, of in rows]
        places = [row for row, share in enumerate(shares) if share]
        drawing.bars(axes, places, [shares[row] for row in places], at, across=True, left=[left[row] for row in places], height=0.65, label=name)
        left = [old + share for old, share in zip(left, shares)]
    axes.set_yticks(range(len(rows)), [what for what, _ in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of cycles")
    axes.grid(axis="y", visible=False)
    style.legend(drawing, *axes.get_legend_handles_labels())
    return [drawing]


def area(data):
    if not data.synth:
        return "no table of make synth was given (build/synth.json)"
    tables = [(name, table, {kind: sum(cells[kind] for cells in table["cells"].values()) for kind in ("lut", "ff", "bram")})
              for name, table in data.synth]
    sizes = {key: {table["sizes"].get(key) for _, table, _ in tables} for key in ("L2Entries", "L1Entries", "WalkCacheEntries", "NumWalks")}
    key = next((key for key, values in sizes.items() if len(values) > 1 and None not in values), None)
    drawings = []
    if key:
        tables.sort(key=lambda each: each[1]["sizes"][key])
        x = [table["sizes"][key] for _, table, _ in tables]
        drawing, (upper, lower) = new("area", f"Area and clock against {key}", "Above: cells after place and route. Below: the clock's frequency.",
                                      height=4.6, rows=2, sharex=True)
        for at, (kind, text) in enumerate((("lut", "LUT sites"), ("ff", "flip-flops"))):
            drawing.line(upper, x, [total[kind] for *_, total in tables], at, label=text)
        rams = upper.twinx()
        rams.grid(visible=False)
        rams.spines["right"].set_visible(True)
        drawing.line(rams, x, [total["bram"] for *_, total in tables], 2, label="block RAMs (right)")
        upper.legend(handles=[*upper.get_lines(), *rams.get_lines()])
        upper.set_ylim(bottom=0)
        rams.set_ylim(bottom=0)
        drawing.line(lower, x, [table["fmax_mhz"] for _, table, _ in tables], 0)
        lower.set_ylim(bottom=0)
        lower.set_ylabel("MHz")
        lower.set_xlabel(key)
        style.sized(lower.xaxis, x)
        drawings.append(drawing)
    for number, (name, table, total) in enumerate(tables[:MOST] if not key else []):
        modules = {}
        for path, cells in table["cells"].items():
            block = path.split(".")[1].split("[")[0] if "." in path else "pins"
            modules[block] = modules.get(block, 0) + cells["lut"]
        top = sorted(modules.items(), key=lambda pair: -pair[1])[:12]
        drawing, axes = new(f"area-{number}", f"LUT sites by block, {name}", f"{table.get('device', '')}: {total['lut']} LUT sites, {total['ff']} flip-flops, "
                            f"{total['bram']} block RAMs, {table['fmax_mhz']} MHz. One table has no axis of entries: give several.", height=1 + 0.3 * len(top))
        drawing.bars(axes, range(len(top)), [value for _, value in top], 2, across=True)
        axes.set_yticks(range(len(top)), [block for block, _ in top])
        axes.invert_yaxis()
        axes.set_xlabel("LUT sites")
        drawings.append(drawing)
    return drawings

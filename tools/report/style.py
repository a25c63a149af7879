# SPDX-License-Identifier: Apache-2.0
"""The look of the figures: markers, dashes and hatches distinguish series, so that they are readable without colours.

Every artist that shows data goes through mark(), which counts its points. The page contains the count, and a test in a
browser checks that each point is drawn.
"""
import dataclasses
import io
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator  # noqa: E402

matplotlib.rcParams.update({
    "svg.hashsalt": "gmmu", "path.simplify": False, "svg.fonttype": "none", "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": 9, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "0.88", "grid.linewidth": 0.6, "axes.axisbelow": True, "legend.frameon": False, "legend.fontsize": 8,
    "lines.linewidth": 1.3, "lines.markersize": 4.5, "hatch.linewidth": 0.6, "figure.constrained_layout.use": True})

MARKERS, DASHES = "osD^vPX*", ["-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (4, 3)), (0, (1, 2)), (0, (8, 2))]
COLOURS = ["#000000", "#0060a8", "#b04a00", "#00735c", "#8a3b8f", "#7a6a00", "#4d4d4d", "#a3123f"]
HATCHES, GREYS = ["", "////", "....", "xxxx", "----", "\\\\\\\\", "++++", "oooo", "||||", "**"], ["0.35", "1", "0.85", "0.7", "1", "0.55", "1", "0.85", "0.7", "1"]
SERIES = len(MARKERS)


def bytes_text(value, _=None):
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value:g} B"


def number_text(value, _=None):
    return f"{value:.10g}"


@dataclasses.dataclass
class Drawing:
    """A figure with its texts. `name` is unique on a page and the base name of its files."""
    name: str
    title: str
    text: str              # description of the figure, one or two sentences
    figure: object
    points: int = 0

    def mark(self, artist, points):
        """Counts `points` data points that `artist` shows, and names the artist for the test."""
        artist.set_gid(f"series-{self.points}-{points}")
        self.points += points
        return artist

    def line(self, axes, x, y, at=0, **more):
        look = {"marker": MARKERS[at % SERIES], "linestyle": DASHES[at % SERIES], "color": COLOURS[at % SERIES],
                "markerfacecolor": "white" if at % 2 else COLOURS[at % SERIES], **more}
        line, = axes.plot(x, y, **look)
        return self.mark(line, len(x))

    def bars(self, axes, places, values, at=0, across=False, **more):
        draw = axes.barh if across else axes.bar
        bars = draw(places, values, facecolor=GREYS[at % len(GREYS)], hatch=HATCHES[at % len(HATCHES)], edgecolor="black",
                    linewidth=0.7, **more)
        for bar in bars:
            self.mark(bar, 1)
        return bars


def new(name, title, text, width=6.4, height=3.6, columns=1, rows=1, **more):
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), **more)
    return Drawing(name, title, text, figure), axes


def sized(axes, values, text=number_text):
    """A logarithmic axis with a tick at each of `values`, thinned to ten."""
    values = sorted(set(values))
    axes.axes.set_xscale("log", base=2)
    axes.set_major_locator(FixedLocator(values[::-(-len(values) // 10)]))
    axes.set_minor_locator(NullLocator())
    axes.set_major_formatter(FuncFormatter(text))


def few():
    """Ticks for a narrow axis."""
    return MaxNLocator(3)


def legend(drawing, handles, labels, note=""):
    """A legend below the figure, in as many columns as fit; `note` above the figure names data that is not drawn."""
    if labels:
        room = int(drawing.figure.get_figwidth() * 15) // (max(map(len, labels)) + 8)
        drawing.figure.legend(handles, labels, loc="outside lower center", ncols=max(1, min(room, len(labels))), title=note or None, title_fontsize=8)


def save(drawing, folder, kinds=("svg", "png")):
    """Writes the files of the figure; returns their paths."""
    paths = []
    for kind in kinds:
        path = folder / f"{drawing.name}.{kind}"
        if kind == "svg":
            path.write_text(svg(drawing))
        else:
            drawing.figure.savefig(path, format=kind, dpi=144)
        paths.append(path)
    return paths


def svg(drawing):
    """The figure as an <svg> with title, description and number of points; ids begin with its name."""
    out = io.StringIO()
    drawing.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = out.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text[text.index("<svg"):], flags=re.S)
    text = re.sub(r'\b(d|x|y)="[^"]*"', lambda found: re.sub(r"\s*\n", "", re.sub(r"(\.\d\d)\d+", r"\1", found[0])), text)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{drawing.name}-\1"', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{drawing.name}-", text)
    head = (f'<svg role="img" data-figure="{drawing.name}" data-points="{drawing.points}" '
            f'aria-labelledby="{drawing.name}-title {drawing.name}-desc"')
    body = f'>\n<title id="{drawing.name}-title">{escape(drawing.title)}</title>\n<desc id="{drawing.name}-desc">{escape(drawing.text)}</desc>'
    return re.sub(r"<svg([^>]*)>", lambda found: head + found[1] + body, text, count=1)


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")

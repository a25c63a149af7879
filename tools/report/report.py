# SPDX-License-Identifier: Apache-2.0
"""gmmu report: figures of reports and studies as one HTML page (docs/report.md).

Exit status 0: the page is written; 2: wrong use, input that cannot be read, or nothing to draw.
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import command
import run_figures
import sources
import study_figures
import style
from page import write

FIGURES = (("Phases", run_figures.phases), ("Reach", study_figures.reach), ("Misses", study_figures.misses),
           ("Walkers", study_figures.walkers), ("Comparison", study_figures.comparison), ("Latencies", study_figures.latency), ("Causes", run_figures.causes), ("Occupancy", run_figures.occupancy),
           ("Transfer size", study_figures.transfer), ("Remapping", study_figures.remapping), ("Other axes", study_figures.sweep), ("Area and clock", run_figures.area))


def arguments():
    parser = argparse.ArgumentParser(prog="gmmu report", description="Draw figures of reports and studies as one HTML page.",
                                     epilog="docs/report.md tells each figure.")
    parser.add_argument("files", nargs="+", metavar="RUN.json | STUDY.db | synth.json", help="reports of gmmu run and replay, results of a "
                        "study, tables of make synth")
    parser.add_argument("--out", type=pathlib.Path, metavar="PAGE.html", help="the page; the first file's name with .html unless given")
    parser.add_argument("--images", type=pathlib.Path, metavar="DIR", help="write each figure as PNG and SVG too")
    parser.add_argument("--format", choices=("svg", "png"), help="of the images; both unless given")
    parser.add_argument("--only", action="append", metavar="FIGURE", help="write no page, and of the images those whose name begins so; with --images")
    return parser.parse_args()


def replace(path, text):
    """Writes a file completely or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text)
        os.replace(part, path)
    except OSError as error:
        raise sources.InputError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def main():
    args = arguments()
    if args.only and not args.images:
        raise sources.InputError("--only chooses images: give --images DIR too")
    data = sources.read(args.files)
    figures = [(title, draw(data)) for title, draw in FIGURES]
    drawn = [drawing for _, drawings in figures if not isinstance(drawings, str) for drawing in drawings]
    if args.only:
        drawn = [drawing for drawing in drawn if any(drawing.name.startswith(name) for name in args.only)]
        if not drawn:
            reasons = "".join(f"\n  {title}: {why}" for title, why in figures if isinstance(why, str))
            raise sources.InputError(f"no figure begins with {' or '.join(args.only)}{reasons}")
    if args.images:
        args.images.mkdir(parents=True, exist_ok=True)
        for drawing in drawn:
            for path in style.save(drawing, args.images, (args.format,) if args.format else ("svg", "png")):
                print(path)
    if not args.only:
        out = args.out or pathlib.Path(args.files[0]).with_suffix(".html")
        replace(out, write(data, figures))
        print(f"{out}: {len(drawn)} figures of {len(data.runs)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(command.run("gmmu report", main, (sources.InputError,)))

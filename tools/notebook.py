#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""notebook.py NOTEBOOK [--pictures FOLDER]: runs the cells of a Jupyter notebook in their order, without Jupyter.

The output of the cells is printed. With --pictures, every matplotlib figure that a cell leaves open is written as a PNG
to that folder. A cell that fails ends the run with its number and its error, exit status 1; a file that is not a
notebook, 2.
"""
import argparse
import json
import pathlib
import sys
import traceback


def save_figures(folder, cell):
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            pyplot.figure(number).savefig(folder / f"cell{cell}-{number}.png", dpi=150)
    pyplot.close("all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        cells = [cell for cell in json.loads(arguments.notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"notebook: {arguments.notebook} is no notebook: {error}", file=sys.stderr)
        return 2
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        try:
            exec(compile("".join(cell["source"]), f"{arguments.notebook.name}, cell {number}", "exec"), names)
        except Exception:
            traceback.print_exc()
            print(f"notebook: cell {number} of {len(cells)} failed", file=sys.stderr)
            return 1
        save_figures(arguments.pictures, number)
    print(f"notebook: {len(cells)} cells")
    return 0


if __name__ == "__main__":
    sys.exit(main())

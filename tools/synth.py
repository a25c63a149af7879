#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make synth: the GPU top as a circuit.

  synth.py [--docs]    placed and routed for an ECP5-85F: area by block, the worst path, Fmax (tools/fpga/main.py);
                       --docs, also with --yosys, writes docs/fpga.md
  synth.py --yosys     the same without place and route: area by block, and an estimate of the worst paths
  synth.py --paths RE  estimates the paths whose "from -> to" matches RE, in the netlist that --yosys made
  synth.py --brams     spreads the block RAMs of the last placement over the device (tools/fpga/brams.py);
                       place again afterwards
  synth.py --check     generic: fails on a latch, an undriven or doubly driven net, a divider; prints statistics
  synth.py --elaborate the same without statistics, in seconds

--check and --elaborate accept --top MODULE and --param NAME=VALUE, a parameter or a macro GMMU_*. --profile board: two
clients and four levels, for a small board (tools/fpga/config.py).
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "fpga"))
if "--profile" in sys.argv[:-1]:  # before config is read
    os.environ["GMMU_FPGA_PROFILE"] = sys.argv[sys.argv.index("--profile") + 1]
import config  # noqa: E402
import generic  # noqa: E402
import main as fpga  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--yosys", action="store_true")
    how.add_argument("--check", action="store_true")
    how.add_argument("--elaborate", action="store_true")
    how.add_argument("--paths", metavar="RE")
    how.add_argument("--brams", action="store_true")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--top", default=config.TOP)
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--profile", choices=sorted(config.PROFILES), default=config.PROFILE)
    args = parser.parse_args()
    if args.paths is not None:
        return fpga.estimated(args.paths)
    if args.brams:
        return fpga.spread()
    if args.check or args.elaborate:
        return generic.check(args.top, args.param, args.elaborate)
    if args.docs and args.profile != "default":
        parser.error("docs/fpga.md has the default profile")
    return fpga.main(only_yosys=args.yosys, docs=args.docs)


if __name__ == "__main__":
    sys.exit(main())

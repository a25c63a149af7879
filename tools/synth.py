#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Elaborates the GPU top with Yosys' read_slang and says what is in it.

  synth.py [--elaborate] [--top MODULE] [--param NAME=VALUE]...

Fails on a latch, an undriven or doubly driven net, a combinational loop, or a divider that remains after constants are
folded. Without --elaborate a generic synthesis follows: flip-flops, memories and their bits, cells. The whole log is
build/synth.log. These are no figures of any FPGA.
"""
import argparse
import collections
import re
import sys

import rtl_sources

LATCHES = "t:$dlatch t:$adlatch t:$dlatchsr t:$sr"


def undriven(dump):
    """Nets that read_slang ties to x because nothing drives them: buffers with an x at their input."""
    found = []
    for cell in re.findall(r"^  cell \$buf .*?^  end$", dump, re.M | re.S):
        source = re.search(r"connect \\A (.*)", cell).group(1)
        if re.search(r"\d+'[01]*x", source):
            found.append(re.search(r"connect \\Y (.*)", cell).group(1))
    return found


def child(top, parameters, elaborate):
    """Runs in a process of its own: an error of Yosys ends it."""
    from pyosys import libyosys as ys
    design = ys.Design()
    options = " ".join(f"-G {name}" for name in parameters)
    commands = [
        f"read_slang -j 1 --top {top} {options} " + " ".join(rtl_sources.sources()),
        f"hierarchy -check -top {top}",
        "proc",
        "flatten",
        "opt_clean",
        "check -assert",
        f"select -assert-none {LATCHES}",
        "opt_expr -fine",
        "opt_clean",
    ]
    if elaborate:
        commands += ["select -assert-none t:$div t:$mod t:$divfloor t:$modfloor"]
    else:
        commands += ["opt -full", "select -assert-none t:$div t:$mod t:$divfloor t:$modfloor", "wreduce", "peepopt",
                     "opt_clean", "memory_dff", "memory_collect", "tee -o build/synth.stat stat -width"]
    for command in commands:
        print(f"\n[{command.split()[0]}]", flush=True)
        ys.run_pass(command, design)
        if command.startswith("hierarchy"):
            ys.run_pass("dump -o build/synth.dump", design)
            dump = rtl_sources.ROOT / "build/synth.dump"
            nets = undriven(dump.read_text())
            dump.unlink()
            if nets:
                sys.exit("ERROR: nothing drives " + ", ".join(nets))


def report():
    """Flip-flop bits and memories from the statistics."""
    bits, cells = collections.Counter(), collections.Counter()
    text = (rtl_sources.ROOT / "build/synth.stat").read_text()
    for count, kind, width in re.findall(r"^\s+(\d+)\s+(\$\w+?)_(\d+)\s*$", text, re.M):
        bits[kind] += int(count) * int(width)
        cells[kind] += int(count)
    for count, kind in re.findall(r"^\s+(\d+)\s+(\$mem_v2)\s*$", text, re.M):
        cells[kind] += int(count)
    flops = sum(bits[kind] for kind in bits if "dff" in kind)
    print(f"  flip-flop bits {flops}, memories {cells['$mem_v2']}, adders and subtractors "
          f"{cells['$add'] + cells['$sub']}, multipliers {cells['$mul']}, multiplexer bits {bits['$mux'] + bits['$pmux']}")
    memory = re.search(r"^\s+(\d+)\s+memory bits", text, re.M)
    if memory:
        print(f"  memory bits {memory.group(1)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elaborate", action="store_true", help="stop after the checks")
    parser.add_argument("--top", default=rtl_sources.TOP)
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.top, args.param, args.elaborate)
        return 0
    command = [sys.executable, __file__, "--child", "--top", args.top]
    for parameter in args.param:
        command += ["--param", parameter]
    status, output = rtl_sources.run(command + (["--elaborate"] if args.elaborate else []), "synth.log")
    if status != 0:
        told = [line for line in output.splitlines() if re.search(r"error|ERROR|Warning", line)]
        print("\n".join(told[-20:] or output.splitlines()[-10:]))
        print(f"synth: {args.top} failed; the whole log is in build/synth.log")
        return 1
    if not args.elaborate:
        report()
    print(f"synth: {args.top}: no latch, no undriven and no doubly driven net, no divider")
    return 0


if __name__ == "__main__":
    sys.exit(main())

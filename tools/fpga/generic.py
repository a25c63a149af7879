# SPDX-License-Identifier: Apache-2.0
"""Reads a module with Yosys' read_slang and prints its contents, independent of any FPGA.

Fails on a latch, an undriven or doubly driven net, a combinational loop, or a divider that remains after constants are
folded. Unless only elaboration is requested, a generic synthesis follows: flip-flops, memories and their bits, cells.
The complete log is build/synth.log.
"""
import collections
import re
import sys

import config
import rtl_sources

def undriven(dump):
    """The nets that read_slang ties to x because nothing drives them: buffers with an x at their input."""
    found = []
    for cell in re.findall(r"^  cell \$buf .*?^  end$", dump, re.M | re.S):
        source = re.search(r"connect \\A (.*)", cell).group(1)
        if re.search(r"\d+'[01]*x", source):
            found.append(re.search(r"connect \\Y (.*)", cell).group(1))
    return found


def child(top, parameters, elaborate):
    """Runs in its own process: an error of Yosys ends the process."""
    from pyosys import libyosys as ys
    design = ys.Design()
    options = " ".join(f"-{'D' if name.startswith('GMMU_') else 'G'} {name}" for name in parameters)
    commands = [
        f"read_slang -j 1 --top {top} {options} " + " ".join(rtl_sources.sources()),
        f"hierarchy -check -top {top}",
        "proc",
        "flatten",
        "opt_clean",
        "check -assert",
        f"select -assert-none {config.LATCHES}",
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


def check(top, parameters, elaborate):
    """Returns the exit status."""
    command = [sys.executable, __file__, top, "elaborate" if elaborate else "synthesise", *parameters]
    status, output = rtl_sources.run(command, "synth.log")
    if status != 0:
        told = [line for line in output.splitlines() if re.search(r"error|ERROR|Warning", line)]
        print("\n".join(told[-20:] or output.splitlines()[-10:]))
        print(f"synth: {top} failed; the whole log is in build/synth.log")
        return 1
    if not elaborate:
        report()
    print(f"synth: {top}: no latch, no undriven and no doubly driven net, no divider")
    return 0


if __name__ == "__main__":
    child(sys.argv[1], sys.argv[3:], sys.argv[2] == "elaborate")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make equivalence: compares blocks of the RTL with their own netlists of ECP5 cells, each at a small size.

  equivalence.py [MODULE...] [--seconds 120] [--docs]     --docs writes the table of docs/equivalence.md

Both sides start as the device does: registers without an initial value at 0 (those with a set at 1), then RESET cycles
of rst_i with every other input at 0. abc then proves, for any number of cycles, that no input makes an output differ.
gold is the RTL: read_slang, proc, memories as registers. gate is the netlist: synth_ecp5, its cells replaced by Yosys'
models; RAMs are LUT RAM or registers, multipliers LUTs. An x of the RTL is 0 on both sides.
Verdicts are kept in build/equivalence and reused while the sources stay the same. Exit status 1: a block differs, or a
tool failed. A block that is not decided within the time limit is listed as such and is no failure.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import rtl_sources
from rtl_sources import ROOT

BUILD = ROOT / "build/equivalence"
PAGE = ROOT / "docs/equivalence.md"
ROOMS = ("prim", "mmu", "dma", "axi", "board")
MACROS = {"GMMU_PROFILE": "Tiny"}
BEGIN_ALIKE = "begin alike"
RESET = 4  # cycles; a state machine that synthesis made one-hot is in no state before its reset
MARK = "<!-- written by tools/equivalence.py --docs -->\n"
# SIZES sets parameters that profile Tiny does not set, in every module that has a parameter of that
# name; OWN sets parameters of single modules.
SIZES = {"Width": 4, "Depth": 4, "Slots": 4, "Chunks": 2, "Timeout": 16, "OwedDepth": 4, "CountWidth": 5, "NumRequesters": 4,
         "RequestBytes": 64, "KeepAlive": 64, "Bytes": 64, "Owed": 2, "UpBits": 8}
OWN = {"gmmu_fifo_room": {"Depth": 8}, "gmmu_fifo_ram": {"Depth": 8}, "gmmu_rr_arbiter": {"N": 3},
       "gmmu_link_store": {"Bytes": 1024}, "gmmu_axi_mux": {"Depth": 8, "Reserved": 2}, "gmmu_dma_write": {"Slots": 4}}
# Modules that the table omits, each with the check that covers it.
LEFT_OUT = {"gmmu_board": "the whole GPU: make netlist-smoke", "gmmu_ulx3s": "the whole GPU and cells of pins: make netlist-smoke"}


def modules():
    """{module: its file} for the rooms, without packages and the modules in LEFT_OUT."""
    return {path.stem: path for room in ROOMS for path in sorted((ROOT / "rtl" / room).glob("gmmu_*.sv"))
            if not path.stem.endswith("_pkg") and path.stem not in LEFT_OUT}


def parameters(name, path):
    head = path.read_text().split(");", 1)[0]
    found = re.findall(r"parameter\s+[\w\s]*?(\w+)\s*=", head)
    return {key: {**SIZES, **OWN.get(name, {})}[key] for key in found if key in {**SIZES, **OWN.get(name, {})}}


# A register without an initial value starts as 1 if its reset sets it to 1, as in the device.
FIRST = """module \\$_SDFF{kind}_P{pol}1{e}_ (input D, C, R{port}, output Q);
  (* init = 1'b1 *) wire q;
  \\$_DFF_P_ ff (.C(C), .D({data}), .Q(q));
  assign Q = q;
endmodule
"""


def first_values():
    """A techmap file that replaces registers with a synchronous set by registers without one, with initial value 1."""
    text = ""
    for pol, reset in (("P", "R"), ("N", "!R")):
        text += FIRST.format(pol=pol, kind="", e="", port="", data=f"{reset} || D")
        for e, on in (("P", "E"), ("N", "!E")):
            for kind, data in (("E", f"{reset} ? 1'b1 : {on} ? D : q"), ("CE", f"!({on}) ? q : {reset} || D")):
                text += FIRST.format(pol=pol, kind=kind, e=e, port=", E", data=data)
    return text


def begin_alike(gold, gate):
    """A register of gold without an initial value starts at 1 if gate has a set, or a constant 1, for it."""
    set_bits = {}
    for cell in re.findall(r"^  cell \\TRELLIS_FF .*?^  end$", gate.read_text(), re.M | re.S):
        found = re.search(r"connect \\Q (\\\S+)(?: \[(\d+)\])?$", cell, re.M)
        if 'REGSET "SET"' in cell and found:
            set_bits.setdefault(found.group(1), []).append(int(found.group(2) or 0))
    for name, high, low, value in re.findall(r"^  connect (\\\S+)(?: \[(\d+)(?::(\d+))?\])? \d+'([01]+)$", gate.read_text(), re.M):
        first = int(low or high or 0)
        set_bits.setdefault(name, []).extend(first + i for i, bit in enumerate(reversed(value)) if bit == "1")
    lines, init = [], None
    for line in gold.read_text().splitlines():
        wire = re.match(r"  wire (?:.*?width (\d+) )?.*?(\\\S+)$", line)
        if line.startswith("  attribute \\init "):
            init = line.split("'")[1]
            continue
        if wire:
            bits = list((init or "x" * int(wire.group(1) or 1))[::-1])
            for bit in set_bits.get(wire.group(2), ()):
                bits[bit] = "1" if bits[bit] == "x" else bits[bit]
            if set(bits) != {"x"}:
                lines.append(f"  attribute \\init {len(bits)}'{''.join(bits[::-1])}")
            init = None
        lines.append(line)
    gold.write_text("\n".join(lines) + "\n")


def child(top, folder, *sizes):
    """Writes folder/miter.aig, whose one output is 1 when gold and gate differ. An error of Yosys ends the process."""
    import pyosys
    from pyosys import libyosys as ys
    models = pathlib.Path(pyosys.__file__).parent / "share/ecp5"
    (pathlib.Path(folder) / "first.v").write_text(first_values())
    design = ys.Design()
    options = [f"-D {key}={value}" for key, value in MACROS.items()] + [f"-G {size}" for size in sizes]
    read = f"read_slang -j 1 --ignore-assertions --top {top} " + " ".join([*options, *rtl_sources.sources()])
    registers = ("proc", "flatten", "opt_clean", "memory_map", "opt -fast")
    for command in (
            read, f"hierarchy -check -top {top}", "proc", "flatten", "setundef -zero", *registers, "simplemap t:$sdff t:$sdffe t:$sdffce",
            f"techmap -map {folder}/first.v", "opt_clean", "rename -top gold", "select =gold",
            f"write_rtlil -selected {folder}/gold.il", "design -reset",
            read, f"hierarchy -check -top {top}", "setattr -unset ram_style m:* t:$mem*", "proc", "flatten",
            "setundef -zero", f"synth_ecp5 -top {top} -nobram -nodsp", "delete t:$scopeinfo", "rename -top gate",
            "tee -o " + f"{folder}/cells.txt stat", "select =gate", f"write_rtlil -selected {folder}/gate.il", "design -reset",
            f"read_rtlil {folder}/gate.il",
            f"read_verilog -D NO_INCLUDES {models}/common_sim.vh {models}/ccu2c_sim.vh",
            "hierarchy -check -top gate", "setattr -mod -unset whitebox -unset lib_whitebox -unset abc9_box =*", *registers,
            BEGIN_ALIKE, f"read_rtlil {folder}/gold.il", "miter -equiv -flatten gold gate miter", "hierarchy -top miter",
            "setundef -undriven -zero", "setundef -zero", "setundef -init -zero", "async2sync", "opt -fast", "techmap",
            "simplemap", "dffunmap", "aigmap", "opt_clean", f"write_aiger -ascii -symbols -zinit {folder}/miter.aag"):
        print(f"[{command[:60]}]", flush=True)
        if command == BEGIN_ALIKE:
            begin_alike(pathlib.Path(folder) / "gold.il", pathlib.Path(folder) / "gate.il")
        else:
            ys.run_pass(command, design)
    begin_reset(pathlib.Path(folder) / "miter.aag", pathlib.Path(folder) / "miter.aig")


def begin_reset(source, target):
    """Copies the AIG `source` (ASCII) to `target` (binary, AIGER 1.9); registers start with their values after reset."""
    head, *lines = source.read_text().splitlines()
    most, inputs, latches, outputs, ands = map(int, head.split()[1:6])
    registers = [tuple(map(int, line.split()[:2])) for line in lines[inputs:inputs + latches]]
    ends = lines[inputs + latches:inputs + latches + outputs]
    gates = [tuple(map(int, line.split())) for line in lines[inputs + latches + outputs:][:ands]]
    values = [0] * (most + 1)
    for line in lines[inputs + latches + outputs + ands:]:
        if found := re.match(r"i(\d+) in_rst_i$", line):
            values[int(lines[int(found.group(1))]) // 2] = 1

    def value(literal):
        return values[literal // 2] ^ (literal & 1)

    for _ in range(RESET):
        for out, left, right in gates:
            values[out // 2] = value(left) & value(right)
        for (out, _), after in zip(registers, [value(after) for _, after in registers]):
            values[out // 2] = after
    with open(target, "wb") as file:
        text = [f"aig {most} {inputs} {latches} {outputs} {ands}", *(f"{after} {values[out // 2]}" for out, after in registers), *ends]
        file.write(("\n".join(text) + "\n").encode())
        for out, left, right in gates:
            for delta in (out - max(left, right), max(left, right) - min(left, right)):
                while delta >= 128:
                    file.write(bytes([delta & 127 | 128]))
                    delta >>= 7
                file.write(bytes([delta]))


def digest(top, *parts):
    """A hash of this file, the packages, the sources that `top` uses, and `parts`: the key of a stored verdict."""
    texts = {pathlib.Path(name).stem: (ROOT / name).read_text() for name in rtl_sources.sources()}
    wanted, left = set(), [top, *(name for name in texts if name.endswith("_pkg"))]
    while left:
        name = left.pop()
        if name in wanted:
            continue
        wanted.add(name)
        left += [found for found in set(re.findall(r"\bgmmu_\w+", texts[name])) if found in texts]
    total = hashlib.sha256(pathlib.Path(__file__).read_bytes() + repr(parts).encode())
    for name in sorted(wanted):
        total.update(texts[name].encode())
    return total.hexdigest()


def kept(name, path, seconds):
    """The row of prove(), from an earlier run if that decided the same sources."""
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    mark, want = folder / "verdict.json", digest(name, parameters(name, path))
    if mark.exists() and (found := json.loads(mark.read_text()))["digest"] == want:
        return tuple(found["row"])
    row = prove(name, path, seconds)
    if row[1] in ("proven", "DIFFERS"):
        mark.write_text(json.dumps({"digest": want, "row": row}))
    return row


def bounded(command, seconds, **where):
    """Runs a command for at most `seconds` of processor time; output written before the limit is returned too."""
    return subprocess.run(["prlimit", f"--cpu={seconds}", "stdbuf", "-oL", *command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **where)


def prove(name, path, seconds):
    """(module, verdict, size, reason for the verdict, seconds)."""
    start = time.monotonic()
    sizes = parameters(name, path)
    folder = BUILD / name

    def told(verdict, why=""):
        words = ["Tiny"] if "config_t Config" in path.read_text() else []
        size = " ".join(words + [f"{key}={value}" for key, value in sizes.items()]) or "-"
        return name, verdict, size, why, time.monotonic() - start

    done = bounded([sys.executable, __file__, "--child", name, str(folder), *(f"{k}={v}" for k, v in sizes.items())], seconds, cwd=ROOT)
    if done.returncode == -signal.SIGXCPU:
        return told("not decided", f"Yosys took longer than {seconds} s")
    (folder / "yosys.log").write_text(done.stdout)
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if re.search(r"ERROR|error:", line)]
        return told("failed", (lines or [f"Yosys: exit status {done.returncode}"])[-1][:140])
    import pyosys
    program = pathlib.Path(pyosys.__file__).parent / "yosys-abc"
    script = f"read_aiger {folder}/miter.aig; zero; strash; print_stats; scorr; print_stats; sat; pdr"
    done = bounded([program, "-c", script], seconds, cwd=folder)
    (folder / "abc.log").write_text(done.stdout)
    latches = re.findall(r"lat\s*=\s*(\d+)", done.stdout)
    if re.search(r"^UNSATISFIABLE|Property proved|was proved", done.stdout, re.M):
        return told("proven", f"{latches[0]} registers on both sides" if latches else "")
    found = re.search(r"was asserted in frame (\d+)", done.stdout)
    if found:
        return told("DIFFERS", f"in cycle {found.group(1)}")
    return told("not decided", f"{latches[-1] if latches else '?'} registers left after signal correspondence")


def main():
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--seconds", type=int, default=120, help="processor time of Yosys, and of abc, a module")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("GMMU_JOBS", os.cpu_count())))
    parser.add_argument("--docs", action="store_true")
    args = parser.parse_args()
    known = modules()
    if unknown := set(args.modules) - known.keys():
        parser.error(f"no module of rtl/{', rtl/'.join(ROOMS)} that is compared has the name {', '.join(sorted(unknown))}")
    chosen = {name: known[name] for name in args.modules or known}
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:  # each job runs its own processes
        for row in pool.map(lambda item: kept(*item, args.seconds), chosen.items()):
            name, verdict, size, why, took = row
            print(f"{name:26} {verdict:12} {took:5.0f} s  {why}", flush=True)
            rows.append(row)
    count = {verdict: sum(row[1] == verdict for row in rows) for verdict in dict.fromkeys(row[1] for row in rows)}
    total = ", ".join(f"{number} {verdict}" for verdict, number in count.items())
    print(f"equivalence: {len(rows)} modules: {total}")
    if args.docs and not args.modules:
        table = ["| module | size | | |", "|---|---|---|---|"]
        table += [f"| `{name}` | {size} | {verdict} | {why} |" for name, verdict, size, why, _ in rows]
        table += [f"| `{name}` | - | left out | {why} |" for name, why in LEFT_OUT.items()]
        head = PAGE.read_text().split(MARK)[0]
        PAGE.write_text(head + MARK + "\n" + "\n".join([*table, "", total + "."]) + "\n")
    return 1 if {"failed", "DIFFERS"} & count.keys() else 0


if __name__ == "__main__":
    sys.exit(main())

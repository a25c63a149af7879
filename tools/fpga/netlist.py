# SPDX-License-Identifier: Apache-2.0
"""Converts sources to one flat netlist of ECP5 cells for nextpnr, and lists its blocks. Runs in its own process.

  build/fpga/gmmu_pins.json  the netlist: the top between two shift registers (wrapper.py), or a board's top
  build/fpga/blocks.json     {module: [paths of its instances]} of config.BLOCKS
"""
import hashlib
import json

import brams
import config
import rtl_sources
import wrapper
from pyosys import libyosys as ys


def read(design, top, parameters, extra=(), cells=()):
    options = [f"--blackboxed-module {name}" for name in cells]
    options += [f"-G {name}={value}" for name, value in parameters.items()]
    options += [f"-D {name}={value}" for name, value in config.MACROS.items()]
    ys.run_pass(f"read_slang -j 1 --keep-hierarchy --ignore-assertions --top {top} " +
                " ".join([*options, *rtl_sources.sources(), *extra]), design)


def build_identity():
    """The first 8 bytes of the SHA-256 of the inputs of a board's netlist: sources, macros, constraints."""
    files = [config.ROOT / name for name in rtl_sources.sources()] + sorted(config.CONSTRAINTS.glob("*.sv"))
    total = hashlib.sha256(json.dumps([config.TOP, config.MACROS]).encode())
    for path in files:
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def write_wrapper():
    ports = config.BUILD / "ports.json"
    design = ys.Design()
    read(design, config.TOP, {})
    ys.run_pass(f"write_json {ports}", design)
    source = config.BUILD / f"{config.WRAPPER}.sv"
    source.write_text(wrapper.text(json.loads(ports.read_text())["modules"][config.TOP]["ports"]))
    ports.unlink()
    return source


def kind(name):
    """The module of an instance: gmmu_l1$gmmu_pins.u_gpu.u_mmu.g_port[0].u_l1 is a gmmu_l1."""
    return name.lstrip("\\").split("$")[0]


def instances(design):
    """{module: [paths]} of the blocks, each path from the wrapper down."""
    children = {str(module.name): [(str(cell.name).lstrip("\\"), str(cell.type)) for cell in module.cells_.values()]
                for module in design.all_selected_whole_modules()}
    found = {name: [] for name in (*config.BLOCKS, config.WRAPPER)}

    def visit(module, path):
        if kind(module) in found:
            found[kind(module)].append(".".join(path))
        for name, child in children[module]:
            if child in children:
                visit(child, [*path, name])

    visit("\\" + config.WRAPPER, [])
    return {name: paths for name, paths in found.items() if paths}


def finish(netlist):
    """Assigns sites to block RAMs. nextpnr adds two sites to a carry chain whose last carry has a net, used or unused;
    nets that are unused are removed here."""
    design = json.loads(netlist.read_text())
    places = brams.read()
    for module in design["modules"].values():
        for name in places.keys() & module["cells"].keys():
            module["cells"][name]["attributes"]["BEL"] = places[name]
        used = {bit for cell in module["cells"].values() for port, bits in cell["connections"].items()
                if cell["port_directions"][port] == "input" for bit in bits}
        for cell in module["cells"].values():
            if cell["type"] == "CCU2C" and used.isdisjoint(cell["connections"].get("COUT", [])):
                cell["connections"]["COUT"] = ["x"]
    netlist.write_text(json.dumps(design))


def main():
    config.BUILD.mkdir(parents=True, exist_ok=True)
    top, netlist = config.WRAPPER, config.BUILD / f"{config.WRAPPER}.json"
    extra = [str(path) for path in sorted(config.CONSTRAINTS.glob("*.sv"))]
    design = ys.Design()
    if config.BOARD:
        identity = build_identity()
        (config.BUILD / "identity").write_text(identity + "\n")
        read(design, top, {"Build": f"64'h{identity}", **config.BOARD["parameters"]}, extra, config.CELLS)
    else:
        read(design, top, {}, [str(write_wrapper()), *extra])
    ys.run_pass(f"hierarchy -check -top {top}", design)
    blocks = instances(design)
    for key, value in config.SCRATCHPAD.items():
        ys.run_pass(f'scratchpad -set {key} "{value}"', design)
    ys.run_pass(f"synth_ecp5 -top {top} -run begin:map_gates", design)
    # A carry chain occupies two sites more than it has bits, and two more if its carry out is used. Short chains
    # therefore become LUTs.
    ys.run_pass(f"select -set short t:$alu r:Y_WIDTH<={config.SHORT_CHAIN} %i", design)
    ys.run_pass("techmap -map +/techmap.v @short", design)
    ys.run_pass(f"synth_ecp5 -top {top} -run map_gates:", design)
    ys.run_pass("check -assert", design)
    ys.run_pass(f"select -assert-none {config.LATCHES}", design)
    ys.run_pass(f"select ={top}", design)
    ys.run_pass(f"write_json -selected {netlist}", design)
    finish(netlist)
    (config.BUILD / "blocks.json").write_text(json.dumps(blocks, indent=1))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Sources to one RTLIL file a block, equal blocks once: build/fpga/blocks.json. Runs in a process of its own."""
import hashlib
import json
import re

import config
import rtl_sources
import wrapper
from pyosys import libyosys as ys


def read(design, top, parameters, extra=()):
    options = [f"-G {name}={value}" for name, value in parameters.items()]
    options += [f"-D {name}={value}" for name, value in config.MACROS.items()]
    ys.run_pass(f"read_slang -j 1 --keep-hierarchy --ignore-assertions --top {top} " +
                " ".join([*options, *rtl_sources.sources(), *extra]), design)


def kind(name):
    """gmmu_l1$gmmu_pins.u_gpu.u_mmu.g_port[0].u_l1 is a gmmu_l1."""
    return name.lstrip("\\").split("$")[0]


def normal(text):
    """A module's text without what differs between equal instances: sources, names of instances, automatic numbers."""
    numbers = {}
    text = re.sub(r"^\s*attribute .*\n", "", text, flags=re.M)
    text = re.sub(r"\$" + config.WRAPPER + r"\.[\w.\[\]]*", "", text)
    return re.sub(r"\$[^\s]*\$\d+", lambda match: "$%d" % numbers.setdefault(match.group(0), len(numbers)), text)


def write_wrapper():
    ports = config.BUILD / "ports.json"
    design = ys.Design()
    read(design, config.TOP, config.PARAMETERS)
    ys.run_pass(f"write_json {ports}", design)
    source = config.BUILD / f"{config.WRAPPER}.sv"
    source.write_text(wrapper.text(json.loads(ports.read_text())["modules"][config.TOP]["ports"]))
    ports.unlink()
    return source


def by_depth(design):
    """Names of the modules, children before parents, and the children of each."""
    children = {}
    for module in design.all_selected_whole_modules():
        children[str(module.name)] = [str(cell.type) for cell in module.cells_.values()
                                      if kind(str(cell.type)) in config.BLOCKS]
    order = []

    def visit(name):
        for child in children[name]:
            if child not in order:
                visit(child)
        if name not in order:
            order.append(name)

    visit("\\" + config.WRAPPER)
    return order, children


def unite(design, order, children):
    """The first equal module for each, a short name for each first one, and what is known of it."""
    dump = config.BUILD / "module.il"
    seen, twins, short, blocks = {}, {}, {}, {}
    for name in order:
        ys.run_pass(f"dump -m -o {dump} {name}", design)
        parts = [normal(dump.read_text()), *(twins[child] for child in children[name])]
        key = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        twins[name] = seen.setdefault(key, name)
        if twins[name] == name:
            number = 1 + sum(kind(other) == kind(name) for other in short)
            short[name] = kind(name) + (f"_{number}" if number > 1 else "")
            blocks[short[name]] = {"kind": kind(name), "hash": key, "paths": [],
                                   "children": sorted({short[twins[child]] for child in children[name]})}
        blocks[short[twins[name]]]["paths"].append(name.partition(config.WRAPPER)[2].lstrip("."))
    dump.unlink()
    return twins, short, blocks


def main():
    config.BUILD.mkdir(parents=True, exist_ok=True)
    extra = [str(write_wrapper()), *(str(path) for path in sorted(config.CONSTRAINTS.glob("*.sv")))]
    design = ys.Design()
    read(design, config.WRAPPER, {}, extra)
    ys.run_pass(f"hierarchy -check -top {config.WRAPPER}", design)
    ys.run_pass("proc", design)
    names = [str(module.name) for module in design.all_selected_whole_modules()]
    for name in names:
        if kind(name) in config.BLOCKS:
            ys.run_pass(f"setattr -mod -set keep_hierarchy 1 {name}", design)
    ys.run_pass("flatten", design)
    ys.run_pass("opt_clean", design)
    ys.run_pass("check -assert", design)

    order, children = by_depth(design)
    twins, short, blocks = unite(design, order, children)
    for module in design.all_selected_whole_modules():
        for cell in module.cells_.values():
            if str(cell.type) in twins:
                cell.type = ys.IdString("\\" + short[twins[str(cell.type)]])
    for name in order:
        ys.run_pass(f"rename {name} {short[name]}" if name in short else f"delete {name}", design)
    ys.run_pass("design -push-copy", design)
    for block, entry in blocks.items():
        ys.run_pass("design -pop", design)
        ys.run_pass("design -push-copy", design)
        if entry["children"]:
            ys.run_pass("blackbox " + " ".join(entry["children"]), design)
        ys.run_pass(f"select {' '.join(f'={name}' for name in [block, *entry['children']])}", design)
        ys.run_pass(f"write_rtlil -selected {config.BUILD / block}.il", design)
        ys.run_pass("select -clear", design)
    (config.BUILD / "blocks.json").write_text(json.dumps(blocks, indent=1))


if __name__ == "__main__":
    main()

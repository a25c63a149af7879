#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the register description in the formats that other tools read, from rtl/pkg/gmmu.rdl.

  exchange.py [FOLDER]      (build/regs unless given)

gmmu.ipxact.xml  IEEE 1685-2014 component with the memory map of s_reg (BAR0), by PeakRDL-ipxact
gmmu.svd         CMSIS-SVD 1.3, for debuggers and generators of headers
"""
import argparse
import pathlib
import sys
import xml.etree.ElementTree as xml

from peakrdl_ipxact import IPXACTExporter, Standard
from systemrdl import RDLCompiler
from systemrdl.node import RegfileNode, RegNode

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = "0.1.0"
BYTES = 0x10000  # size of BAR0
SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"


def description():
    compiler = RDLCompiler()
    compiler.compile_file(str(ROOT / "rtl/pkg/gmmu.rdl"))
    return compiler.elaborate(top_def_name="gmmu_regs").top


def add(parent, name, value=None):
    child = xml.SubElement(parent, name)
    if value is not None:
        child.text = str(value)
    return child


def text(node):
    return " ".join((node.get_property("desc") or node.get_property("name") or "").split())


def svd_place(element, node):
    """Name, description and offset of a register or cluster; for an array also its length and stride."""
    if node.is_array:
        add(element, "dim", node.n_elements)
        add(element, "dimIncrement", hex(node.array_stride))
    add(element, "name", node.inst_name + ("[%s]" if node.is_array else ""))
    add(element, "description", text(node))
    add(element, "addressOffset", hex(node.raw_address_offset))


def svd_field(parent, node):
    field = add(parent, "field")
    add(field, "name", node.inst_name)
    add(field, "description", text(node))
    add(field, "bitOffset", node.low)
    add(field, "bitWidth", node.width)
    add(field, "access", "read-write" if node.is_sw_writable else "read-only")
    enum = node.get_property("encode")
    if enum:
        values = add(field, "enumeratedValues")
        for member in enum:
            value = add(values, "enumeratedValue")
            add(value, "name", member.name)
            add(value, "description", " ".join((member.rdl_desc or "").split()))
            add(value, "value", member.value)


def svd_registers(parent, node):
    for child in node.children(unroll=False):
        if isinstance(child, RegNode):
            register = add(parent, "register")
            svd_place(register, child)
            fields = add(register, "fields")
            for field in child.fields():
                svd_field(fields, field)
        elif isinstance(child, RegfileNode):
            cluster = add(parent, "cluster")
            svd_place(cluster, child)
            svd_registers(cluster, child)


def svd(top):
    device = xml.Element("device", {"schemaVersion": "1.3", "xmlns:xs": SCHEMA,
                                    "xs:noNamespaceSchemaLocation": "CMSIS-SVD.xsd"})
    add(device, "name", "gmmu")
    add(device, "version", VERSION)
    add(device, "description", "GPU MMU and paging DMA engine")
    add(device, "addressUnitBits", 8)
    add(device, "width", 64)
    add(device, "size", 64)
    peripheral = add(add(device, "peripherals"), "peripheral")
    add(peripheral, "name", "GMMU")
    add(peripheral, "description", text(top))
    add(peripheral, "baseAddress", "0x0")
    block = add(peripheral, "addressBlock")
    for name, value in (("offset", "0x0"), ("size", hex(BYTES)), ("usage", "registers")):
        add(block, name, value)
    svd_registers(add(peripheral, "registers"), top)
    xml.indent(device)
    return xml.ElementTree(device)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "build/regs")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    top = description()
    exporter = IPXACTExporter(vendor="gmmu", library="gmmu", version=VERSION, standard=Standard.IEEE_1685_2014)
    exporter.export(top, str(folder / "gmmu.ipxact.xml"), component_name="gmmu_gpu")
    svd(top).write(folder / "gmmu.svd", encoding="utf-8", xml_declaration=True)
    print(f"wrote {folder}/gmmu.ipxact.xml and {folder}/gmmu.svd")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the register and record descriptions from rtl/pkg/gmmu.rdl.

  generate.py [--check]

Writes rtl/pkg/gmmu_regs_pkg.sv, sw/hw/gmmu_regs.h and docs/registers.md below the repository's root.
With --check nothing is written: exit status 1 names the files that differ from what would be written.
"""
import argparse
import pathlib
import sys

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegfileNode, RegNode

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTE = "Generated from rtl/pkg/gmmu.rdl by tools/regs/generate.py. Do not edit."


# Field names that are SystemVerilog keywords; the package appends an underscore.
SV_KEYWORDS = {"large", "sequence", "small", "medium", "type", "table", "priority", "end", "packed"}


def sv_name(name):
    return name + "_" if name in SV_KEYWORDS else name


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.rstrip("_").split("_"))


def text(node):
    return " ".join((node.get_property("desc") or "").split())


class Reg:
    """One register or record word: its group (regfile) if any, offset inside the group, and fields."""

    def __init__(self, node, group):
        self.group = group
        self.name = node.inst_name
        self.offset = node.raw_address_offset
        self.desc = text(node)
        self.fields = list(node.fields())

    @property
    def camel(self):
        return (camel(self.group.inst_name) if self.group else "") + camel(self.name)

    @property
    def snake(self):
        return (self.group.inst_name + "_" if self.group else "") + self.name.rstrip("_")


def registers(top):
    found = []
    for child in top.children(unroll=False):
        if isinstance(child, RegNode):
            found.append(Reg(child, None))
        elif isinstance(child, RegfileNode):
            found += [Reg(reg, child) for reg in child.children(unroll=False)]
    return found


def enums(tops):
    seen = {}
    for top in tops:
        for node in top.descendants(unroll=False):
            if isinstance(node, FieldNode) and node.get_property("encode"):
                enum = node.get_property("encode")
                seen[enum.type_name] = enum
    return [seen[k] for k in sorted(seen)]


def adds(base, regs_of):
    """The number of registers in a counter group, the index of each, and the largest number of bits added per cycle."""
    bits = [reg.fields[0].get_property("adds", default=None) for reg in regs_of]
    if None in bits:
        return []
    width = max(bits).bit_length()
    return [f"  localparam int unsigned {base}Words = {len(bits)};",
            *[f"  localparam int unsigned {reg.camel}Index = {reg.offset // 8};" for reg in regs_of],
            "  // bits that a cycle can add, by register",
            f"  localparam logic [{len(bits) - 1}:0][{width - 1}:0] {base}Adds = {{",
            *[f"    {width}'d{bits[i]}{',' if i else ''}  // {regs_of[i].name}" for i in reversed(range(len(bits)))],
            "  };"]


def sv(regs, records, all_enums):
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// {NOTE}", "package gmmu_regs_pkg;"]
    for enum in all_enums:
        base = camel(enum.type_name[:-2])
        width = max(m.value for m in enum).bit_length()
        width = 8 if enum.type_name in ("fault_e", "opcode_e") else width
        out.append(f"  typedef enum logic [{width - 1}:0] {{")
        out.append(",\n".join(f"    {base}{camel(m.name)} = {width}'d{m.value}" for m in enum))
        out.append(f"  }} {enum.type_name};\n")
    for top, regs_of in ((True, regs), (False, records)):
        groups = {}
        for reg in regs_of:
            if reg.group is not None and reg.group.inst_name not in groups:
                groups[reg.group.inst_name] = reg.group
                if top:
                    group = reg.group
                    base = camel(group.inst_name)
                    out.append(f"  localparam logic [15:0] {base}Base = 16'h{group.raw_address_offset:04x};")
                    if group.is_array:
                        out.append(f"  localparam int unsigned {base}Stride = {group.array_stride};")
                        out.append(f"  localparam int unsigned {base}Count = {group.array_dimensions[0]};")
                    out += adds(base, [r for r in regs_of if r.group is not None and r.group.inst_name == group.inst_name])
            what = "Offset" if top else "Byte"
            out.append(f"  localparam logic [15:0] {reg.camel}{what} = 16'h{reg.offset:04x};")
            out.append(f"  typedef struct packed {{")
            at, filler = 63, 0
            for field in sorted(reg.fields, key=lambda f: -f.high):
                if field.high < at:
                    out.append(f"    logic [{at - field.high - 1}:0] reserved{filler};")
                    filler += 1
                out.append(f"    logic [{field.width - 1}:0] {sv_name(field.inst_name)};  // {field.high}:{field.low}")
                at = field.low - 1
            if at >= 0:
                out.append(f"    logic [{at}:0] reserved{filler};")
            out.append(f"  }} {reg.snake}_t;\n")
    out.append("endpackage\n")
    return "\n".join(out)


FIELD = """/// Defines the accessors of a register's field in bits HIGH to LOW: name() returns its value, set_name() writes it.
#define GMMU_FIELD(Register, Type, name, high, low)                                                  \\
  constexpr Type name() const { return static_cast<Type>(raw >> (low) & FieldMask((high) - (low))); } \\
  constexpr Register& set_##name(Type value) {                                                       \\
    const uint64_t mask = FieldMask((high) - (low));                                                 \\
    raw = (raw & ~(mask << (low))) | (static_cast<uint64_t>(value) & mask) << (low);                 \\
    return *this;                                                                                    \\
  }
/// Returns width + 1 ones.
constexpr uint64_t FieldMask(unsigned highest) { return ~uint64_t{0} >> (63 - highest); }
"""


def cxx(regs, records, all_enums):
    out = ["// SPDX-License-Identifier: Apache-2.0", f"// {NOTE}", "#pragma once", "#include <cstdint>", "",
           "namespace gmmu::regs {", "", FIELD]
    for enum in all_enums:
        name = camel(enum.type_name[:-2])
        out.append(f"enum class {name} : uint8_t {{")
        out += [f"  k{camel(m.name)} = {m.value},  ///< {' '.join((m.rdl_desc or '').split())}" for m in enum]
        out.append("};")
        out.append(f"/// The name that reports print; \"unknown\" for a value that is none of {name}'s.")
        out.append(f"constexpr const char* NameOf({name} value) {{\n  switch (value) {{")
        out += [f"    case {name}::k{camel(m.name)}: return \"{m.name}\";" for m in enum]
        out.append("  }\n  return \"unknown\";\n}\n")
    for top, regs_of in ((True, regs), (False, records)):
        group = None
        for reg in regs_of:
            if reg.group is not None and (group is None or group.inst_name != reg.group.inst_name):
                group = reg.group
                base = camel(group.inst_name)
                if top:
                    out.append(f"inline constexpr uint32_t k{base}Base = 0x{group.raw_address_offset:x};")
                    if group.is_array:
                        out.append(f"inline constexpr uint32_t k{base}Stride = 0x{group.array_stride:x};")
                        out.append(f"inline constexpr uint32_t k{base}Count = {group.array_dimensions[0]};")
            where = f" Offset inside its {reg.group.inst_name}." if reg.group else ""
            out.append(f"/// {reg.desc or reg.camel}{where}")
            out.append(f"struct {reg.camel} {{")
            out.append(f"  static constexpr uint32_t kOffset = 0x{reg.offset:x};")
            out.append("  uint64_t raw = 0;")
            for field in reg.fields:
                enum = field.get_property("encode")
                kind = camel(enum.type_name[:-2]) if enum else "uint64_t"
                out.append(f"  GMMU_FIELD({reg.camel}, {kind}, {field.inst_name}, {field.high}, {field.low})  ///< {text(field)}")
            out.append("};\n")
    out.append("#undef GMMU_FIELD\n\n}  // namespace gmmu::regs\n")
    return "\n".join(out)


def markdown(regs, records, all_enums, tops):
    out = ["# Registers and in-memory records", "", f"<!-- {NOTE} -->", "",
           "`./gmmu test` fails when this page, `rtl/pkg/gmmu_regs_pkg.sv` or `sw/hw/gmmu_regs.h` differ from `rtl/pkg/gmmu.rdl`.", ""]
    for title, regs_of, top in (("BAR0", regs, tops[0]), ("In-memory records", records, tops[1])):
        out += [f"## {title}", "", text(top), ""]
        for reg in regs_of:
            group = reg.group
            if title == "BAR0" and group is not None:
                where = f"0x{group.raw_address_offset + reg.offset:04x}"
                if group.is_array:
                    where += f" + i * 0x{group.array_stride:x}, i < {group.array_dimensions[0]}"
            else:
                where = f"0x{reg.offset:04x}"
            name = (group.inst_name + "." if group else "") + reg.name.rstrip("_")
            out += [f"### {name} ({where})", "", reg.desc, "", "| bits | field | access | meaning |", "|---|---|---|---|"]
            for field in sorted(reg.fields, key=lambda f: f.low):
                enum = field.get_property("encode")
                meaning = text(field) + (f" See {enum.type_name}." if enum else "")
                sw = field.get_property("sw").name
                out.append(f"| {field.high}:{field.low} | {field.inst_name} | {sw} | {meaning} |")
            out.append("")
    out += ["## Enumerations", ""]
    for enum in all_enums:
        out += [f"### {enum.type_name}", "", "| value | name | meaning |", "|---|---|---|"]
        out += [f"| {m.value} | {m.name} | {' '.join((m.rdl_desc or '').split())} |" for m in enum] + [""]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only")
    args = parser.parse_args()
    tops = []
    for name in ("gmmu_regs", "gmmu_records"):
        compiler = RDLCompiler()
        compiler.compile_file(str(ROOT / "rtl/pkg/gmmu.rdl"))
        tops.append(compiler.elaborate(top_def_name=name).top)
    regs, records = registers(tops[0]), registers(tops[1])
    all_enums = enums(tops)
    files = {
        "rtl/pkg/gmmu_regs_pkg.sv": sv(regs, records, all_enums),
        "sw/hw/gmmu_regs.h": cxx(regs, records, all_enums),
        "docs/registers.md": markdown(regs, records, all_enums, tops),
    }
    different = [f for f, content in files.items()
                 if not (ROOT / f).exists() or (ROOT / f).read_text() != content]
    if args.check:
        for f in different:
            print(f"{f} differs from rtl/pkg/gmmu.rdl: run tools/regs/generate.py", file=sys.stderr)
        return 1 if different else 0
    for f in different:
        (ROOT / f).write_text(files[f])
        print(f"wrote {f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what follows from rtl/pkg/sizes.json, the one description of the hardware's sizes.

  config_pkg.py [--check]

Writes rtl/pkg/gmmu_config_pkg.sv, rtl/top/gmmu_parameter_check.sv, sim/host/sizes.def, the table of rtl/README.md and the
parameters of gmmu.core. With --check nothing is written: exit status 1 names the files that would change. Other tools
import the sizes and profiles from here.
"""
import json
import re
import sys
import textwrap

from rtl_sources import ROOT

SOURCE = "rtl/pkg/sizes.json"
NOTE = f"Generated from {SOURCE} by tools/config_pkg.py. Do not edit."
DESCRIPTION = json.loads((ROOT / SOURCE).read_text())
SIZES = DESCRIPTION["sizes"]
MACROS = {size["name"]: size["macro"] for size in SIZES}


def profile(name):
    """{size: value} of a profile."""
    chosen = DESCRIPTION["profiles"][name]["values"]
    if unknown := sorted(set(chosen) - set(MACROS)):
        raise SystemExit(f"{SOURCE}: profile {name}: no size is called {', '.join(unknown)}")
    values = {}
    for size in SIZES:
        value = chosen.get(size["name"], size["default"])
        values[size["name"]] = values[value] if isinstance(value, str) else value
    return values


def defines(values):
    """{macro: value} for sizes by name; the key GMMU_PROFILE stays as it is."""
    return {MACROS.get(name, name): value for name, value in values.items()}


def legal(size):
    """The legal values in words."""
    low, high = size["min"], size["max"]
    if size.get("power"):
        text = f"powers of two from {low} to {high}"
    else:
        text = "0 or 1" if (low, high) == (0, 1) else f"{low} to {high}"
    return text + (f", {size['also']['words']}" if "also" in size else "")


def message(size, value):
    """The error message with which an illegal value stops elaboration."""
    return f"gmmu_gpu: {size['name']} ({size['macro']}) is {value}, legal: {legal(size)}"


def illegal():
    """(size, value) pairs next to the legal range of each size, with those that break its further condition."""
    for size in SIZES:
        low, high = size["min"], size["max"]
        values = [low - 1] if low > 0 else []
        values += [high * 2 if size.get("power") else high + 1] if isinstance(high, int) else [5]
        values += [low * 3] if size.get("power") else []
        yield from ((size, value) for value in values + size.get("also", {}).get("illegal", []))


def package():
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// {NOTE}",
             "// The sizes of the hardware. config_t is the parameter of every module that depends on them. Built, the default of that",
             "// parameter, is the profile that the macro GMMU_PROFILE names; a macro of a single size replaces that size. The packages'",
             "// types depend on the sizes marked (package): every module of a design must have those of Built.",
             "package gmmu_config_pkg;", "  typedef struct packed {"]
    for size in SIZES:
        mark = " (package)" if size.get("package") else ""
        lines += wrapped(f"    {size['macro']}, {legal(size)}{mark}: {plain(size['what'])}", "// ") + [f"    int unsigned {size['name']};"]
    lines += ["    // Derived from the sizes above; benches of single blocks may set them."]
    for field in DESCRIPTION["derived"]:
        lines += [f"    // {field['what']}", f"    int unsigned {field['name']};"]
    lines += ["  } config_t;", "", "  // Returns `sizes` with its derived fields.", "  function automatic config_t derive(config_t sizes);",
              "    config_t c;", "    c = sizes;"]
    lines += [f"    c.{field['name']} = {field['is']};" for field in DESCRIPTION["derived"]]
    lines += ["    return c;", "  endfunction", ""]
    default = profile("Default")
    for name, values in DESCRIPTION["profiles"].items():
        lines += [f"  // {values['what']}"]
        if name == "Default":
            fields = ", ".join(f"{size}: {value}" for size, value in default.items())
            lines += wrapped(f"  localparam config_t Default = derive('{{{fields}, default: 0}});")
            continue
        different = " ".join(f"c.{size} = {value};" for size, value in profile(name).items() if value != default[size])
        lines += [f"  function automatic config_t profile_{snake(name)}();", "    config_t c;", "    c = Default;", *wrapped("    " + different),
                  "    return derive(c);", "  endfunction", f"  localparam config_t {name} = profile_{snake(name)}();"]
    lines += ["", "  // Returns `profile` with each size replaced by its GMMU_* macro, if that macro is defined.",
              "  function automatic config_t chosen(config_t profile);", "    config_t c;", "    c = profile;"]
    for size in SIZES:
        name, other = size["name"], size["default"]
        if isinstance(other, str):
            lines.append(f"    if (profile.{name} == profile.{other}) c.{name} = c.{other};")
        lines += [f"`ifdef {size['macro']}", f"    c.{name} = `{size['macro']};", "`endif"]
    lines += ["    return derive(c);", "  endfunction", "`ifndef GMMU_PROFILE", "`define GMMU_PROFILE Default", "`endif",
              "  localparam config_t Built = chosen(`GMMU_PROFILE);", "endpackage"]
    return "\n".join(lines) + "\n"


def wrapped(line, mark=""):
    """The line in lines of at most 120 columns; each begins with its indent and with `mark`."""
    indent = line[:len(line) - len(line.lstrip())] + mark
    return textwrap.wrap(line.lstrip(), 120, initial_indent=indent, subsequent_indent=indent + ("" if mark else "    "))


def plain(text):
    """Markdown links without their addresses."""
    return re.sub(r" \(\[[^\]]*\]\([^)]*\)\)", "", text).replace("`", "")


def parameter_check():
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// {NOTE}",
             "// Stops elaboration when a size has an illegal value. The message names the size, its value and the legal values. The",
             "// module has no hardware.",
             "module gmmu_parameter_check", "  import gmmu_config_pkg::config_t;", "#(",
             "  parameter config_t Config = gmmu_config_pkg::Built", ") ();", "  localparam config_t c = Config;",
             "  // Returns whether value is a power of two.", "  function automatic logic power(int unsigned value);",
             "    return (value & (value - 1)) == 0;", "  endfunction", ""]
    for size in SIZES:
        name = size["name"]
        high = f"c.{size['max']}" if isinstance(size["max"], str) else size["max"]
        wrong = ([f"c.{name} < {size['min']}"] if size["min"] > 0 else []) + [f"c.{name} > {high}"]
        wrong += [f"!power(c.{name})"] if size.get("power") else []
        wrong += [f"!({size['also']['is']})"] if "also" in size else []
        lines += [f"  if ({' || '.join(wrong)}) begin : g_{snake(name)}", f"    $fatal(1, \"{message(size, '%0d')}\", c.{name});", "  end"]
    for size in SIZES:
        if size.get("package"):
            name = size["name"]
            lines += [f"  if (c.{name} != gmmu_config_pkg::Built.{name}) begin : g_{snake(name)}_package",
                      f"    $fatal(1, \"gmmu_gpu: {name} is %0d, but the packages have %0d; define {size['macro']} for every file\",",
                      f"        c.{name}, gmmu_config_pkg::Built.{name});", "  end"]
    return "\n".join(lines + ["endmodule"]) + "\n"


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def grouped(value):
    return f"{value:,}".replace(",", "'")


def settings():
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// {NOTE}"]
    for size in SIZES:
        if row := size.get("setting"):
            key = size["macro"].removeprefix("GMMU_").lower()
            low, high = grouped(row.get("min", size["min"])), grouped(size["max"])
            lines.append(f"{row['kind']}({key}, {size['macro']}, {low}, {high}, \"{row['what']}\")")
    return "\n".join(lines) + "\n"


def between(path, start, end, text):
    old = (ROOT / path).read_text()
    head, found, rest = old.partition(start)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{path}: lacks {start.strip() if not found else end.strip()!r}")
    return head + start + text + end + tail


def readme():
    rows = ["| size | macro | default | legal | meaning |", "|---|---|---|---|---|"]
    for size in SIZES:
        default = f"`{size['default']}`" if isinstance(size["default"], str) else size["default"]
        rows.append(f"| `{size['name']}` | `{size['macro']}` | {default} | {legal(size)} | {size['what']} |")
    rows += ["", "| profile | what it is | sizes that differ from the defaults |", "|---|---|---|"]
    for name, values in DESCRIPTION["profiles"].items():
        rows.append(f"| `{name}` | {values['what']} | {', '.join(f'{k} {v}' for k, v in values['values'].items())} |")
    return between("rtl/README.md", "<!-- sizes: written by tools/config_pkg.py -->\n", "<!-- end of sizes -->", "\n".join(rows) + "\n")


def core():
    text = "  GMMU_PROFILE:\n    datatype: str\n    paramtype: vlogdefine\n    description: \"Profile of sizes: " + \
        ", ".join(DESCRIPTION["profiles"]) + "\"\n"
    for size in SIZES:
        words = f"{plain(size['what'])}: {legal(size)}".replace('"', "'")
        text += f"  {size['macro']}:\n    datatype: int\n    paramtype: vlogdefine\n    description: \"{words}\"\n"
    new = between("gmmu.core", "\nparameters:\n", "\ntargets:\n", text)
    names = "".join(f"      - {name}\n" for name in ("GMMU_PROFILE", *MACROS.values()))
    return re.sub(r"(    parameters: &parameters\n)(?:      - GMMU_\w+\n|      - \w+\n)+", lambda found: found.group(1) + names, new)


OUTPUTS = {"rtl/pkg/gmmu_config_pkg.sv": package, "rtl/top/gmmu_parameter_check.sv": parameter_check, "sim/host/sizes.def": settings,
           "rtl/README.md": readme, "gmmu.core": core}


def main():
    changed = []
    for path, write in OUTPUTS.items():
        text, file = write(), ROOT / path
        if file.exists() and file.read_text() == text:
            continue
        changed.append(path)
        if "--check" not in sys.argv[1:]:
            file.write_text(text)
    if changed and "--check" in sys.argv[1:]:
        print(f"{', '.join(changed)}: not as {SOURCE} has it; tools/config_pkg.py writes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

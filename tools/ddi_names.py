#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/ddi/names.md: a row for each structure, enumerator, flag, entry point and callback that sw/ddi declares.

Without --write it compares the page. The tests of a name are those of the other pages' rows that name it; its layout
has its own tests. For a name without effect in a memory model, tools/ddi_names.toml gives the reason, by name or for a
whole header. A name that is only a part of another one (such as the argument structure of an entry point) is listed
with that one. Any other name is an error.
"""
import argparse
import collections
import re
import sys
import tomllib

import check_ddi
from check_ddi import NAMES, ROOT

HEADERS = ("d3dukmdt.h", "d3dukmdt_formats.h", "d3dukmdt_lists.h", "d3dkmthk.h", "d3dkmdt.h", "d3dkmddi_memory.h",
           "d3dkmddi_paging.h", "d3dkmddi_caps.h", "d3dkmddi_drivercaps.h", "d3dkmddi_segments.h", "d3dkmddi_allocation.h",
           "d3dkmddi_context_memory.h", "d3dkmddi_exec.h", "d3dkmddi_interrupt.h", "d3dkmddi_render.h", "d3dkmddi_debug.h",
           "d3dkmddi_power.h", "d3dkmddi_display.h", "d3dkmdt_vidpn.h", "d3dkmddi_calls.h", "d3dkmddi_display_calls.h",
           "d3dkmddi_queue_calls.h", "d3dkmddi_callbacks.h", "dispmprt_types.h", "dispmprt_calls.h",
           "dispmprt_callbacks.h", "dispmprt.h")
REASONS = ROOT / "tools/ddi_names.toml"
Name = collections.namedtuple("Name", "header kind text parent")


def plain(name):
    """Returns the same key for DXGKCB_ALLOCATEADL and DxgkCbAllocateAdl."""
    return re.sub(r"^(p?dxgkddi(?!interface|wddm)|dxgkcb|dxgkarg(?:cb)?)", "", name.replace("_", "").lower())


def names_of(header):
    """The names of one header, in order."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "sw/ddi" / header).read_text(), flags=re.S)
    for match in re.finditer(r"typedef (struct|union|enum) _?\w+ \{|typedef ([\w ]+?)(?:\b|\(\*)(DXGK\w+)\)?\(|"
                             r"^#define ((?:DXGK_|D3DGPU_|DXGKDDI_)\w+) \S", text, re.M):
        kind, _, function, define = match.groups()
        if function:
            yield Name(header, "function", function, None)
        elif define and not define.startswith("GMMU") and define != "DXGKDDI_INTERFACE_VERSION":
            yield Name(header, "number", define, None)
        elif kind:
            body = check_ddi.body_of(text, match.start())
            end = text.index(body, match.start()) + len(body) + 1
            name = re.match(r"\s*(\w+)", text[end:]).group(1)
            yield Name(header, kind, name, None)
            if kind == "enum":
                for entry in re.findall(r"(?:^|,)\s*(\w+)(?= =|,|\s*$)", body, re.M):
                    if not entry.endswith("_MAX"):
                        yield Name(header, "enumerator", entry, name)
            elif name not in ("DXGKRNL_INTERFACE", "DRIVER_INITIALIZATION_DATA"):
                for field in re.findall(r"\b(\w+) : \d+;", body):
                    if not re.match(r"Reserved|SystemReserved|IsDeviceSpecificCodeReserved", field):
                        yield Name(header, "flag", f"{name}.{field}", name)


def tokens(text):
    """The names that a row's name covers: `DXGK_PTE.Zero` covers the flag and its structure."""
    words = [word for piece in re.findall(r"`([^`]+)`", text) for word in re.findall(r"[\w.]+", piece)]
    return {plain(word) for word in words} | {plain(word.split(".")[0]) for word in words}


def reason_of(name, reasons):
    """(reason, whether it applies to the whole header)"""
    for reason in reasons:
        if any(re.fullmatch(pattern, name.text) for pattern in reason.get("names", ())):
            return reason["why"], False
    for reason in reasons:
        if name.header in reason.get("headers", ()):
            return reason["why"], True
    return None, False


def link(page):
    return f"[{page.stem}]({page.name})"


def run(write):
    found, errors = check_ddi.rows(check_ddi.subject_pages())
    if errors:
        sys.exit("\n".join(errors))
    by_token = collections.defaultdict(list)
    for row in found:
        for token in tokens(row.name):
            by_token[token].append(row)
    reasons = tomllib.loads(REASONS.read_text())["reason"]
    layout = {"struct": "SizesAreTheKits", "union": "SizesAreTheKits", "number": "NumbersAreTheKits",
              "enumerator": "NumbersAreTheKits", "enum": "NumbersAreTheKits",
              "flag": "EachBitFieldSetAloneShowsItsOwnBitsOnly", "function": "HoldsAtCompileTimeInC11AndInCxx17"}
    pages, gaps, uses, rest = collections.OrderedDict(), [], collections.Counter(), collections.Counter()
    for header in HEADERS:
        for name in names_of(header):
            hits = by_token.get(plain(name.text), [])
            why, whole = reason_of(name, reasons)
            where = f"`sw/ddi/{header}`"
            tests, evidence = ["Layout." + layout[name.kind]], "documents"
            if hits:
                where += ", " + ", ".join(dict.fromkeys(link(row.page) for row in hits))
                tests = list(dict.fromkeys(test for row in hits for test in row.tests))[:4]
                evidence = ", ".join(dict.fromkeys(part.strip() for row in hits for part in row.evidence.split(",")))
                uses["shown"] += 1
            elif why and why.startswith("form: "):
                where += f" ({why[6:]})"
                uses["form"] += 1
            elif whole:
                rest[header, why] += 1
                uses["no effect"] += 1
                continue
            elif why:
                where = f"no effect: {why} (`sw/ddi/{header}`)"
                uses["no effect"] += 1
            else:
                gaps.append((name.text, header))
                continue
            pages.setdefault(header, []).append(
                f"| `{name.text}` | {where} | {', '.join(f'`{test}`' for test in tests)} | {evidence} |")
        for (of, why), count in rest.items():
            if of == header:
                pages.setdefault(header, []).append(
                    f"| {count} {'other ' if header in pages else ''}names of `{header}` | no effect: {why} (`sw/ddi/{header}`) "
                    "| `Layout.SizesAreTheKits`, `Layout.NumbersAreTheKits` | documents |")
    lines = ["# Names of the headers", "",
             "Every structure, number, flag, entry point and callback that `sw/ddi` declares: the pages that have rows of",
             "it and their tests, or why it has no effect here. Made by `python3 tools/ddi_names.py --write` from the",
             "headers, the other pages of this folder and `tools/ddi_names.toml`; a test compares. Layouts and numbers are",
             "asserted when `tb/sw/ddi/layout_static.h` is compiled.", ""]
    for header, entries in pages.items():
        lines += [f"## {header}", "", "| " + " | ".join(check_ddi.COLUMNS) + " |", "|---|---|---|---|", *entries, ""]
    text = "\n".join(lines)
    for name, header in gaps:
        print(f"{name} of sw/ddi/{header} has no row in docs/ddi and no reason in {REASONS.relative_to(ROOT)}")
    same = NAMES.exists() and NAMES.read_text() == text
    if write and not same:
        NAMES.write_text(text)
    print(f"names: {uses['shown']} shown by rows, {uses['form']} forms, {uses['no effect']} without effect, "
          f"{len(gaps)} without a row")
    if not same and not write:
        print("docs/ddi/names.md differs from the headers and the rows: python3 tools/ddi_names.py --write")
        return 1
    return 1 if gaps else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    sys.exit(run(parser.parse_args().write))

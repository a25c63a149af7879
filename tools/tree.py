# SPDX-License-Identifier: Apache-2.0
"""The source files of the checkout and their includes."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
GENERATED = ("rtl/pkg/gmmu_regs_pkg.sv", "sw/hw/gmmu_regs.h")  # files that tools/regs/generate.py writes


def texts(folders, suffixes):
    """{path relative to the root: text} of the files below `folders` that end in one of `suffixes`."""
    return {path.relative_to(ROOT).as_posix(): path.read_text()
            for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.name.endswith(tuple(suffixes))}


def expand(pattern):
    """The alternatives of {a,b}."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    return [path for part in match.group(1).split(",") for path in expand(pattern[:match.start()] + part + pattern[match.end():])]


def includes(text):
    """[(line, header)] of the #include directives of a text."""
    return [(text.count("\n", 0, match.start()) + 1, match.group(1))
            for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', text, re.M)]

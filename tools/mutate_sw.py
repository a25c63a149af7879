# SPDX-License-Identifier: Apache-2.0
"""Mutants of the software for tools/mutate.py: which tokens of a C++ source can be changed at run time, and how.

A room is a folder of sw/, for example sw/os/vidmm, without its subfolders. These are changed: operators (== !=, && ||,
& |, + -, < <=, > >=, += -=), negations and the constants 0, 1, true and false, in conditions, in initial values of
variables and in simple statements of functions. Calls whose result is unused are removed. These are not changed:
declarations of types, compile-time expressions (constexpr, static, template arguments, case labels), and indices. The
search relies on clang-format: functions begin in the first column, and a comparison has spaces around it while a
template argument has none.
"""
import concurrent.futures
import fnmatch
import os
import re
import subprocess

import tested
from plant import ROOT

SWAPS = {"==": "!=", "!=": "==", "&&": "||", "||": "&&", "&": "|", "|": "&", "+": "-", "-": "+", "<": "<=", "<=": "<",
         ">": ">=", ">=": ">", "+=": "-=", "-=": "+=", "0": "1", "1": "0", "true": "false", "false": "true", "!": "!!"}
TOKEN = re.compile(r"(?<= )(?:[=!<>]=|&&|\|\||[-+]=|[&|+\-<>])(?=\s)|!(?=[\w(*:])|(?<![\w.'])(?:[01]|true|false)(?![\w.'])|[\[\]]")
FUNCTION = re.compile(r"^(?!namespace|struct|class|union|enum|extern|using|template|static_assert|constexpr|inline constexpr|[#}/ \n])"
                      r"[^\n;{}=]*\([^;{}]*\)(?: const| noexcept| override)*(?:\s*:[^;]*?)? \{ *$(.*?)^\}", re.M | re.S)
TEXT = r"[^;{}]*(?:\{[^;{}]*\}[^;{}]*)*"  # braces enclose values
STATEMENT = re.compile(rf"{TEXT};")
CONTROL = re.compile(r"\b(if|while|for) \(")
DECLARED = re.compile(r"(?:const )?(?:auto|[\w:]+(?:<[\w:<>*&, ]*>)?)[*&]{0,2} \*?\w+ = ")
ASSIGNED = re.compile(r"(?:\*|\+\+|--)?[\w.:>()\[\]-]+ [-+|&]?= ")
CALLED = re.compile(r"(?!return\b|throw\b|delete\b|assert\b|static_cast\b)[\w:]+(?:(?:\.|->)\w+|\(\)|\[\w+\])*\(.*\)$", re.S)


def rooms():
    """Folders of sw/ that contain sources and have tests at the same path below tb/."""
    folders = {path.parent for path in (ROOT / "sw").rglob("*.cc")}
    return sorted(str(folder.relative_to(ROOT)) for folder in folders
                  if any((ROOT / "tb" / folder.relative_to(ROOT)).glob("*_test.cc")))


def sources(room):
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / room).glob("*.cc"))


def tests(name):
    """[(test program, GoogleTest filter)] for a source: its room's program, and those that tb/README.md names for
    it."""
    found = {program(name.rsplit("/", 1)[0]): {"*"}}
    for _, patterns, files in tested.rows((ROOT / tested.PAGE).read_text()):
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        for file in files:
            folder, _, base = file.rpartition("/")
            if folder.startswith(("tb/sw/", "tb/sim/")) and not base.startswith("sc_"):
                suites = re.findall(r"^TEST(?:_[FP])?\((\w+),", (ROOT / file).read_text(), re.M)
                found.setdefault(program(folder.removeprefix("tb/")), set()).update(f"{some}{suite}.*" for suite in suites for some in ("", "*/"))
    return [(each, "*" if "*" in filters else ":".join(sorted(filters))) for each, filters in found.items()]


def program(folder):
    """The test program of a folder of sw/ or sim/."""
    return "test_" + folder.replace("/", "_")


def masked(text):
    """The text with comments, strings, characters and preprocessor lines blanked out, in the same length."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)
    return re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def closing(text, at):
    """The end of the parenthesis that was opened before `at`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at - 1


def whole(piece):
    return all(piece.count(a) == piece.count(b) for a, b in ("()", "[]", "{}"))


def commas(piece):
    """Whether it contains a comma outside parentheses: a second variable, or template arguments."""
    while re.search(r"\([^()]*\)", piece):
        piece = re.sub(r"\([^()]*\)", "", piece)
    return "," in piece


def places(text):
    """(start, end, whether it is a statement) of the pieces that can be selected at run time, without overlaps."""
    found = []
    for function in FUNCTION.finditer(text):
        first, last = function.span(1)
        begins = [match.end() for match in re.compile(r"[;{}]|\belse\b|\bcase [^:?;{}]*:(?!:)|\bdefault:").finditer(text, first - 1, last)]
        headers = []  # loop headers, whose semicolons end no statement
        for match in CONTROL.finditer(text, first, last):
            end = closing(text, match.end())
            begins.append(end + 1)
            inside = text[match.end():end]
            if match.group(1) == "for":
                headers.append((match.start(), end))
                parts = inside.split(";")
                if len(parts) == 3 and not re.search("[{}]", inside):
                    at = match.end() + len(parts[0]) + 1 + len(parts[1]) - len(parts[1].lstrip())
                    found.append((at, at + len(parts[1].strip()), False))
            elif not re.search(r"[;{}]| = ", inside):
                found.append((match.end(), end, False))
        for at in begins:
            at += len(text[at:]) - len(text[at:].lstrip())
            match = STATEMENT.match(text, at, last)
            if not match or any(a < at < b for a, b in headers) or not whole(match.group()):
                continue
            piece = match.group()[:-1]
            declared = DECLARED.match(piece)
            if piece.startswith("return "):
                found.append((at, match.end(), True))
            elif declared:
                if not re.search(r"[{}]|\[[&=]", piece) and not commas(piece[declared.end():]):
                    found.append((at + declared.end(), match.end() - 1, False))
            elif ASSIGNED.match(piece) or CALLED.match(piece):
                found.append((at, match.end(), True))
    end, kept = 0, []
    for place in sorted(set(found)):
        if place[0] >= end:
            kept.append(place)
            end = place[1]
    return kept


def changes(piece, statement):
    """(offset, old, new, the piece's new text) of each possible change in a piece."""
    depth = 0
    for match in TOKEN.finditer(piece):
        old = match.group()
        depth += {"[": 1, "]": -1}.get(old, 0)
        if old in SWAPS and depth == 0:
            yield match.start(), old, SWAPS[old], piece[:match.start()] + SWAPS[old] + piece[match.end():]
    if statement and CALLED.match(piece[:-1]) and not ASSIGNED.match(piece):
        yield 0, "call", "", ";"


def candidates(room):
    """All mutants of a room, in the order of the sources."""
    found = []
    for name in sources(room):
        text = (ROOT / name).read_text()
        clean = masked(text)
        for start, end, statement in places(clean):
            for offset, old, to, _ in changes(clean[start:end], statement):
                if old in "+-" and '"' in text[start:end]:
                    continue  # adjacent string literals are concatenated
                at = start + offset
                new = ";" if old == "call" else text[start:at] + to + text[at + len(old):end]
                found.append({"file": name, "line": text.count("\n", 0, at) + 1, "start": start, "end": end, "old": old, "new": new,
                              "to": to, "statement": statement, "column": at - text.rfind("\n", 0, at),
                              "text": text[text.rfind("\n", 0, at) + 1:text.index("\n", at)].strip()})
    return found


def wrong(folder, mutants):
    """The mutants that no compiler accepts, found in a copy of sw/ in the folder that contains all of them.

    For example, a mutant may pass 1 to a function that expects a pointer. Mutants are found by the lines in the
    compiler's errors. One error may hide another, so the caller repeats the search with a copy without the mutants
    found.
    """
    def errors(name):
        done = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only", "-w", f"-I{folder / 'sw'}", f"-I{ROOT / 'sim'}", f"-I{ROOT}",
                               "-DGMMU_CAPSTONE=\"\"", "-DGMMU_VERSION=\"\"", str(folder / name)], capture_output=True, text=True)
        return {int(line) for line in re.findall(rf"^{re.escape(str(ROOT / name))}:(\d+):\d+: error:", done.stderr, re.M)}
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("GMMU_JOBS", os.cpu_count() or 1))) as pool:
        names = sorted({mutant["file"] for mutant in mutants})
        found = dict(zip(names, pool.map(errors, names)))
    texts = {name: (ROOT / name).read_text() for name in names}
    return [mutant for mutant in mutants
            if any(texts[mutant["file"]].count("\n", 0, mutant["start"]) < line <= texts[mutant["file"]].count("\n", 0, mutant["end"]) + 1
                   for line in found[mutant["file"]])]

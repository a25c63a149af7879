#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make docs: checks that every relative link, path and make target that a page names exists.

Reads all .md files of the checkout: link targets, and words in backquotes that look like a path of this repository
(they begin with one of its folders, or end in a suffix of its files and contain a slash). Paths are relative to the
root or to the page's folder; <room>, * and {a,b} mean what they mean in a shell. Paths in build/ are not checked.

Also checks that rows of a table have as many cells as its head, that tools/README.md has one row for each tool, that
docs/tour.md and sw/os/README.md list every room of tools/rooms.py, that the first page keeps its length, and that every
source has a test (tools/tested.py).
"""
import glob
import re
import sys

import rooms
import tested
from tree import ROOT, expand

FOLDERS = ("rtl/", "sim/", "sw/", "tb/", "constraints/", "tools/", "docs/", "cmake/", ".ci/")


def exists(page, path):
    path = re.sub(r"<[^>]*>", "*", path)
    return all(any(glob.glob(str(base / one)) for base in (ROOT, page.parent, ROOT / "sw", ROOT / "sim", ROOT / "rtl"))
               for one in expand(path))


def recipes():
    """Make targets that have a recipe."""
    return set(re.findall(r"^([a-z-]+):(?!=)[^\n]*\n\t", (ROOT / "Makefile").read_text(), re.M))


TARGETS = recipes()
WORDS, COLUMNS = 900, 120  # limits of README.md


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", "")).replace(" ", "-")


def errors_of(page):
    text = page.read_text()
    fenced = re.sub(r"^```.*?^```", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.M | re.S)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for target in re.findall(r"(?:^    |^|`)make ([a-z][a-z-]*)(?= *(?:#|`|$|[A-Z]+=))", line):
            if target not in TARGETS:
                found.append((number, f"names make {target}, which has no recipe"))
    for number, line in enumerate(fenced.splitlines(), 1):
        for target in re.findall(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$", line):
            target = "".join(target)
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            other = (page.parent / path) if path else page
            if not other.exists():
                found.append((number, f"link to {path}, which does not exist"))
            elif anchor and other.suffix == ".md":
                headings = re.findall(r"^#+ (.*)$", other.read_text(), re.M)
                if anchor not in map(slug, headings):
                    found.append((number, f"link to {target}: no such heading"))
        for word in re.findall(r"`([^`\s]+)`", line):
            word = re.sub(r":\w+$", "", word)  # drops a line number, or a symbol, which tools/check_ddi.py checks
            if word.startswith(FOLDERS) and not exists(page, word):
                found.append((number, f"names {word}, which does not exist"))
    return found


def table_errors(text):
    """[(line, error)] for a page's tables: rows with more or fewer cells than their head. A bar in backquotes is
    text."""
    found, head = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            head = None
            continue
        cells = re.sub(r"`[^`]*`|\\\|", "", line).rstrip().strip("|").count("|") + 1
        head = head or cells
        if cells != head:
            found.append((number, f"a row of {cells} cells in a table of {head}"))
    return found


def tool_errors(page, tools):
    """[(line, error)] for tools/README.md: each tool must be named once in the first column."""
    named = re.findall(r"`([\w.]+\.(?:py|sh))`", "\n".join(line.split("|")[1] for line in page.splitlines() if line.startswith("|")))
    return ([(1, f"no row for {tool}") for tool in sorted(tools) if tool not in named]
            + [(1, f"{tool} has {named.count(tool)} rows") for tool in sorted(tools) if named.count(tool) > 1])


def tour_errors(text, rows):
    """[(line, error)] for docs/tour.md: its tables must name each room outside sw/os."""
    named = re.findall(r"`([\w/]+)`", "\n".join(line for line in text.splitlines() if line.startswith("|")))
    return [(1, f"no row for {room}") for room in rows if not room.startswith("sw/os/") and room not in named]


def system_errors(text, rows):
    """[(line, error)] for sw/os/README.md: its table must list the rooms of sw/os in their order."""
    named = [f"sw/os/{room}" for room in re.findall(r"^\| \[([\w/]+)\]\(\1/README.md\)", text, re.M)]
    wanted = [room for room in rows if room.startswith("sw/os/")]
    return [] if named == wanted else [(1, f"has the rooms {', '.join(named)}; tools/rooms.py has {', '.join(wanted)}")]


def first_page_errors(text):
    """[(line, error)] for README.md: it must stay one page, of lines that an editor shows whole."""
    words = len(text.split())
    found = [(1, f"{words} words, at most {WORDS} are allowed")] if words > WORDS else []
    return found + [(number, f"{len(line)} columns, at most {COLUMNS} are allowed")
                    for number, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]


def main():
    count = 0
    pages = [page for page in sorted(ROOT.rglob("*.md")) if "build" not in page.relative_to(ROOT).parts]
    for page in pages:
        found = errors_of(page) + table_errors(page.read_text())
        if page == ROOT / "tools/README.md":
            found += tool_errors(page.read_text(), {path.name for path in page.parent.iterdir() if path.suffix in (".py", ".sh")})
        if page == ROOT / "docs/tour.md":
            found += tour_errors(page.read_text(), rooms.ROOMS)
        if page == ROOT / "sw/os/README.md":
            found += system_errors(page.read_text(), rooms.ROOMS)
        if page == ROOT / "README.md":
            found += first_page_errors(page.read_text())
        for number, error in found:
            print(f"{page.relative_to(ROOT)}:{number}: {error}")
            count += 1
    for error in tested.errors():
        print(error)
        count += 1
    print(f"docs: {len(pages)} pages, {count} errors")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())

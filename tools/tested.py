# SPDX-License-Identifier: Apache-2.0
"""Which test covers which source: the test of the same name at its path below tb/, or a row of the table in
tb/README.md."""
import fnmatch
import pathlib
import posixpath
import re

import tree

PAGE = "tb/README.md"
HEAD = "| sources | tested by |"


def has_code(text):
    """Whether a header contains more than declarations, that is, a function with a body."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return re.search(r"\)\s*(?:const\s*|noexcept\s*|override\s*|final\s*)*(?:->[^;{}]*)?\{|\breturn\b", text) is not None


def sources(files):
    """The files of {path: text} that must have a test. If a header has a source file, only the source file must have
    one."""
    found = []
    for path, text in files.items():
        if path in tree.GENERATED:
            continue
        if path.endswith(".h") and (path[:-2] + ".cc" in files or not has_code(text)):
            continue
        found.append(path)
    return sorted(found)


def namesake(path):
    return "tb/" + str(pathlib.PurePosixPath(path).with_suffix("")) + "_test.cc"


def rows(page):
    """[(line, patterns, tests)] of the table, whose second column lists paths relative to the page's folder."""
    def names(cell):
        return [name for word in re.findall(r"`([^`]+)`", cell) for name in tree.expand(word)]
    lines = page.splitlines()
    if HEAD not in lines:
        return []
    found = []
    for number in range(lines.index(HEAD) + 2, len(lines)):
        if not lines[number].startswith("|"):
            break
        cells = lines[number].strip("|").split("|")
        found.append((number + 1, names(cells[0]), [posixpath.normpath(f"tb/{name}") for name in names(cells[1])]))
    return found


def errors(files=None, tests=None, page=None):
    """Sources without a test, and wrong rows of the table; checks the whole checkout unless `files` is given."""
    if files is None:
        files = tree.texts(("sw", "sim", "rtl"), (".h", ".cc", ".sv"))
        tests = set(tree.texts(("tb", "tools"), (".cc", ".py")))
        page = (tree.ROOT / PAGE).read_text()
    without = {path for path in sources(files) if namesake(path) not in tests}
    listed, found = set(), []
    for number, patterns, named in rows(page):
        for pattern in patterns:
            matched = set(fnmatch.filter(files, pattern))
            listed |= matched & without
            if not matched:
                found.append(f"{PAGE}:{number}: no source is {pattern}")
            elif not matched & without:
                found.append(f"{PAGE}:{number}: {pattern} needs no row: it has a test of its name, or no code")
        if not named:
            found.append(f"{PAGE}:{number}: names no test")
        found += [f"{PAGE}:{number}: there is no test {test}" for test in named if test not in tests]
    return found + [f"{path}: no {namesake(path)}, and no row of {PAGE} says where it is tested"
                    for path in sorted(without - listed)]

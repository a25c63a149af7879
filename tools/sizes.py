# SPDX-License-Identifier: Apache-2.0
"""Limits of size: lines of a file, public methods of a class, project headers that a header reaches."""
import pathlib
import re

import tree

MAX_LINES = 400    # lines of a C++ or SystemVerilog file
MAX_METHODS = 40   # public member functions of a class, without constructors, destructor and operators
MAX_HEADERS = 25   # project headers that a header includes, directly or indirectly; WDK headers count as one
KIT = "sw/ddi/"    # headers with the names and the split of the Windows Driver Kit (WDK)

# Files that may exceed the limit, with the reason.
LONG = {
    **{path: "generated from rtl/pkg/gmmu.rdl" for path in tree.GENERATED},
    "rtl/top/gmmu_gpu.sv": "wiring: port lists and instances",
    **{path: "one pipeline or table, whose stages share their registers" for path in (
        "rtl/axi/gmmu_axi_mux.sv", "rtl/dma/gmmu_dma_command.sv", "rtl/mmu/gmmu_l1.sv",
        "rtl/mmu/gmmu_lookup.sv", "rtl/mmu/gmmu_walk_table.sv", "rtl/top/gmmu_regs.sv")},
}


def line_errors(files, long=None):
    """Files above MAX_LINES, and unneeded exceptions."""
    long = LONG if long is None else long
    counts = {path: text.count("\n") for path, text in files.items()}
    found = [f"{path}: {count} lines, at most {MAX_LINES} are allowed" for path, count in sorted(counts.items())
             if count > MAX_LINES and path not in long]
    return found + [f"tools/sizes.py: {path} needs no exception" for path in sorted(long)
                    if counts.get(path, 0) <= MAX_LINES]


def reach(files):
    """{header: the project headers that it includes, directly or indirectly}."""
    direct = {}
    for path, text in files.items():
        folder = pathlib.PurePosixPath(path).parent
        direct[path] = {target for _, header in tree.includes(text)
                        for target in (f"sw/{header}", f"sim/{header}", str(folder / header)) if target in files}
    reached = {}
    for path in files:
        todo, seen = [path], {path}
        while todo:
            new = direct[todo.pop()] - seen
            seen |= new
            todo += new
        reached[path] = seen - {path}
    return reached


def header_errors(files):
    headers = {path: text for path, text in files.items() if path.endswith(".h")}
    counts = {path: len({KIT if header.startswith(KIT) else header for header in reached})
              for path, reached in reach(headers).items()}
    return [f"{path}: reaches {count} project headers, at most {MAX_HEADERS} are allowed"
            for path, count in sorted(counts.items()) if count > MAX_HEADERS]


def bare(text):
    """The code without comments, contents of strings and preprocessor lines; line numbers are kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*', re.S | re.M)
    return pattern.sub(lambda match: "\n" * match.group(0).count("\n"), text)


def public_methods(text):
    """[(class, line, number of its public methods)] of every class and structure with a body in a C++ text."""
    code = bare(text)
    found = []
    for match in re.finditer(r"\b(class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^;{}()]*)?\{", code):
        if re.search(r"\benum\s+$", code[:match.start()]):
            continue
        count = sum(is_method(member, match.group(2)) for member in public_members(code, match))
        found.append((match.group(2), code.count("\n", 0, match.start()) + 1, count))
    return found


def public_members(code, head):
    """The public declarations of the class whose head was matched, without bodies."""
    public = head.group(1) == "struct"
    depth, declaration = 1, ""
    for character in code[head.end():]:
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return
            if depth == 1 and "(" in declaration and not re.search(r"\)\s*:[^:]|=\s*$", declaration):
                if public:
                    yield declaration  # a function with a body, which no semicolon follows
                declaration = ""
        elif depth == 1:
            if character == ";":
                if public:
                    yield declaration
                declaration = ""
                continue
            declaration += character
            label = re.search(r"(?:^|\s)(public|protected|private)\s*:$", declaration)
            if label:
                public, declaration = label.group(1) == "public", ""


def is_method(declaration, name):
    """Whether a declaration is that of a member function, except constructors, destructors and operators."""
    declaration = re.sub(r"\[\[[^\]]*\]\]|\btemplate\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>", "", declaration).strip()
    if re.match(r"(using|friend|typedef|static_assert|enum|class|struct \w+$)\b", declaration):
        return False
    head = declaration.split("(")[0]
    if "(" not in declaration or "=" in head or "operator" in head or re.search(r"<[^>]*$", head):
        return False
    return re.search(r"(\w+)\s*$", head) is not None and re.search(r"(~?\w+)\s*$", head).group(1).lstrip("~") != name


def method_errors(files):
    return [f"{path}:{line}: class {name} has {count} public methods, at most {MAX_METHODS} are allowed"
            for path, text in sorted(files.items()) for name, line, count in public_methods(text) if count > MAX_METHODS]


def errors():
    cpp = tree.texts(("sw", "sim"), (".h", ".cc"))
    every = {**cpp, **tree.texts(("tb",), (".h", ".cc")), **tree.texts(("rtl", "tb"), (".sv",))}
    return line_errors(every) + header_errors(cpp) + method_errors(cpp)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prepares a driver's Windows source for a Linux compiler, in addition to sw/ddi (docs/driver.md).

  prepare --out DIR [-I DIR]... SOURCE...   writes headers that the Windows tools generate or find into DIR, for -I DIR:
                                            NAME.tmh with the trace functions that the sources describe between
                                            "begin_wpp config" and "end_wpp", and headers whose name is spelt in another
                                            case than the file's, or with backslashes
  long SOURCE...                            prints file and line of each long and of each constant with one L: they have
                                            32 bits for Windows compilers, 64 here. Exit status 1 if there is one.

Both read the sources and the headers that these include in quotes, next to the source and in the folders of -I.
"""
import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
CONFIGURATION = re.compile(r"begin_wpp config(.*?)end_wpp", re.S)
FUNC = re.compile(r"^[ \t/*]*(FUNC\s+)?(\w+)\s*(\{[^}]*\})?\s*\(((?:[^()]|\([^()]*\))*)\)\s*;", re.M)
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
LONG = re.compile(r"\blong\b(?:\s+(?:unsigned|signed|int))*(\s+long\b|\s+double\b)?"
                  r"|(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+)(?:[uU]?[lL]|[lL][uU])(?!\w)")
LONGER = re.compile(r"\blong\s+(?:unsigned\s+|signed\s+)?long\b|\blong\s+double\b|\bdouble\s+long\b")


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def find(name, folders):
    """(file, whether it is spelt exactly so), or None. Windows compares names without their case."""
    for folder in folders:
        if (folder / name).is_file():
            return folder / name, True
    for folder in folders:
        place = folder
        for part in re.split(r"[\\/]", name):
            hits = [place / part] if part in ("..", ".") else \
                sorted(entry for entry in place.iterdir() if entry.name.lower() == part.lower()) if place.is_dir() else []
            if not hits:
                break
            place = hits[0]
        else:
            if place.is_file():
                return place, False
    return None


def reached(sources, folders):
    """{file: text} of the sources and their includes, {name: file} of other spellings, names of .tmh."""
    texts, misspelt, traces, todo = {}, {}, set(), list(sources)
    while todo:
        path = todo.pop()
        if path in texts:
            continue
        texts[path] = read(path)
        for name in INCLUDE.findall(texts[path]):
            if name.lower().endswith(".tmh"):
                traces.add(name)
                continue
            hit = find(name, [path.parent, *folders])
            if hit is None:
                continue
            todo.append(hit[0])
            if not hit[1]:
                misspelt[name] = hit[0]
    return texts, misspelt, traces


def trace_macros(texts):
    """A macro for each trace function that the sources describe."""
    lines = {}
    for keyword, name, fixed, parameters in (
            function for text in texts.values() for block in CONFIGURATION.findall(text)
            for function in FUNC.findall(block)):
        # Other directives, such as CUSTOM_TYPE and USEPREFIX, have no keyword, no values in braces, and no parameter
        # MSG.
        if keyword or fixed or re.search(r"\bMSG\b", re.sub(r'"[^"\n]*"', "", parameters)):
            nested = re.sub(r"\(MSG[^()]*\)", "MSG", parameters)  # text and arguments in double parentheses
            message = "MSG" if nested == parameters else "WPP_FIRST MSG"
            names = [parameter.strip() for parameter in nested.split(",")]
            level = re.search(r"LEVEL\s*=\s*(\w+)", fixed)
            level = level.group(1) if level else "LEVEL" if "LEVEL" in names else "TRACE_LEVEL_INFORMATION"
            head = f"#define {name}({', '.join(names)})"
            if "MSG" in names:
                lines[name] = f'{head} WppTrace({level}, "{name}", {message})'
            else:  # an assertion, which reports if its condition is false
                lines[name] = f'{head} (({names[0]}) ? (void)0 : WppTrace({level}, "{name}", #{names[0]}))'
    return [lines[name] for name in sorted(lines)]


def prepare(arguments):
    texts, misspelt, traces = reached(arguments.sources, arguments.folders)
    arguments.out.mkdir(parents=True, exist_ok=True)
    macros = trace_macros(texts)
    for name in sorted(traces):
        lines = [f"#undef {re.match(r'#define (.+?)[(]', macro).group(1)}\n{macro}" for macro in macros]
        (arguments.out / name).write_text("\n".join(["/* Trace functions, by tools/driver_sources.py. */",
                                                     "#include <WppRecorder.h>", *lines, ""]))
    for name, path in sorted(misspelt.items()):
        place = arguments.out / name if "\\" not in name else arguments.out / name.rsplit("/", 1)[-1]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f'#include "{path.resolve()}"\n')
    print(f"{len(texts)} files: {len(traces)} headers with {len(macros)} trace functions, "
          f"{len(misspelt)} headers of another spelling")
    return 0


def longs(path, text):
    """The lines of a file that contain a long, outside comments and strings."""
    bare = LITERAL.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)
    bare = LONGER.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), bare)
    for number, line in enumerate(bare.split("\n"), 1):
        for match in LONG.finditer(line):
            yield (f"{path}:{number}: {match.group(0).strip()}: 32 bits in Windows, 64 here: "
                   f"{text.splitlines()[number - 1].strip()}")


def check_long(arguments):
    texts, _, _ = reached(arguments.sources, arguments.folders)
    found = [line for path in sorted(texts) for line in longs(path, texts[path])]
    print("\n".join([*found, f"{len(texts)} files, {len(found)} places with a long"]))
    return 1 if found else 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, function in (("prepare", prepare), ("long", check_long)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("sources", nargs="+", type=pathlib.Path, metavar="SOURCE")
        command.add_argument("-I", dest="folders", action="append", default=[], type=pathlib.Path, metavar="DIR")
        if name == "prepare":
            command.add_argument("--out", required=True, type=pathlib.Path, metavar="DIR")
    given = parser.parse_args(arguments)
    for path in given.sources:
        if not path.is_file():
            parser.error(f"{path} is no file: give the driver's sources, and -I for the folders of its headers")
    return given.function(given)


if __name__ == "__main__":
    sys.exit(main())

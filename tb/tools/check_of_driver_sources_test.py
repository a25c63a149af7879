# SPDX-License-Identifier: Apache-2.0
"""Tests that a driver source written for Windows compiles with -I sw/ddi, and that tools/driver_sources.py generates
and checks the missing files."""
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import driver_sources  # noqa: E402

DDI = ROOT / "sw/ddi"
SOURCE = ROOT / "tb/sw/app/drivers/windows_source.c"
# The compiler options that docs/driver.md states.
COMMON = ["-fms-extensions", "-fshort-wchar"]
CLANG = ["-fms-compatibility"]
COMMANDS = {
    "gcc C11": ["gcc", "-x", "c", "-std=c11", *COMMON],
    "gcc C++17": ["g++", "-x", "c++", "-std=c++17", "-fpermissive", *COMMON],
    "clang C11": ["clang", "-x", "c", "-std=c11", *CLANG, *COMMON],
    "clang C++17": ["clang++", "-x", "c++", "-std=c++17", *CLANG, "-fgnuc-version=4.2.1", *COMMON],
}
PACKING = {"pshpack1.h", "pshpack2.h", "pshpack4.h", "pshpack8.h", "poppack.h"}


def compilers():
    return {name: command for name, command in COMMANDS.items() if shutil.which(command[0])}


def headers():
    return sorted(path.name for path in DDI.glob("*.h") if path.name not in PACKING)


def errors(command, text, *options):
    run = subprocess.run([*command, "-fsyntax-only", f"-I{DDI}", *options, "-"], input=text, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return run.stdout if run.returncode else ""


def said(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        status = driver_sources.main([str(argument) for argument in arguments])
    return status, out.getvalue()


class Compile(unittest.TestCase):
    def test_a_source_of_a_driver_compiles_at_each_optimisation(self):
        self.assertTrue(compilers())
        for name, command in compilers().items():
            for level in ("-O0", "-O2"):
                with self.subTest(name, level=level), tempfile.TemporaryDirectory() as folder:
                    run = subprocess.run([*command, level, "-w", "-fPIC", "-c", "-fno-strict-aliasing", f"-I{DDI}", str(SOURCE),
                                          "-o", f"{folder}/driver.o"], text=True, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, check=False)
                    self.assertEqual(run.returncode, 0, run.stdout)

    def test_each_header_compiles_by_itself_and_without_a_warning(self):
        self.assertGreater(len(headers()), 50)
        for name in ("gcc C11", "clang C++17"):
            for header in headers():
                if name in compilers():
                    with self.subTest(name, header=header):
                        self.assertEqual(errors(compilers()[name], f'#include "{header}"\n', "-Wall", "-Werror"), "")

    def test_packing_headers_pack_and_end_packing(self):
        for name, command in compilers().items():
            for size in (1, 2, 4, 8):
                text = f'''#include "ntdef.h"
#include "pshpack{size}.h"
struct packed {{ char one; double many; }};
#include "poppack.h"
struct loose {{ char one; double many; }};
C_ASSERT(offsetof(struct packed, many) == {size});
C_ASSERT(offsetof(struct loose, many) == 8);
'''
                with self.subTest(name, size=size):
                    self.assertEqual(errors(command, text), "")

    def test_the_header_of_the_kernel_alone_has_pool_memory_with_its_flags(self):
        source = '''#include <wdm.h>
static PVOID New(POOL_FLAGS flags) {
  if (flags & (POOL_FLAG_SESSION | POOL_FLAG_CACHE_ALIGNED | POOL_FLAG_RAISE_ON_FAILURE)) return NULL;
  return ExAllocatePool2(flags | POOL_FLAG_NON_PAGED | POOL_FLAG_UNINITIALIZED, 16, 1);
}
void Use(void) {
  ExFreePool(New(POOL_FLAG_PAGED | POOL_FLAG_NON_PAGED_EXECUTE));
  ExFreePoolWithTag(ExAllocatePoolWithTag(NonPagedPoolNx, 16, 1), 1);
}
'''
        for name, command in compilers().items():
            with self.subTest(name):
                self.assertEqual(errors(command, source, "-w", "-Werror=implicit-function-declaration"), "")

    def test_priorities_of_pages_and_modes_of_the_processor_are_values_of_their_types(self):
        source = '''#include <ntddk.h>
static PVOID View(PMDL list, MM_PAGE_PRIORITY priority) {
  switch (priority) {
    case LowPagePriority: return NULL;
    case NormalPagePriority:
    case HighPagePriority: break;
  }
  return MmGetSystemAddressForMdlSafe(list, priority | MdlMappingNoExecute);
}
PVOID Use(PMDL list, MODE mode) { return mode == KernelMode ? View(list, NormalPagePriority) : NULL; }
'''
        for name, command in compilers().items():
            with self.subTest(name):
                self.assertEqual(errors(command, source, "-w"), "")

    def test_assertions_are_nothing_in_a_free_build_and_compiled_in_a_checked_one(self):
        source = "#include <ntddk.h>\nvoid Use(void) { ASSERT(OnlyInACheckedBuild); NT_ASSERT(OnlyInACheckedBuild); }\n"
        verified = "#include <ntddk.h>\nBOOLEAN Use(int n) { return (BOOLEAN)NT_VERIFY(n > 0); }\n"
        for name, command in compilers().items():
            with self.subTest(name):
                for free in ([], ["-DDBG=0"]):
                    self.assertEqual(errors(command, source, "-w", *free), "")
                for checked in ("-DDBG", "-DDBG=1"):
                    self.assertIn("OnlyInACheckedBuild", errors(command, source, "-w", checked))
                for build in ("-DDBG=0", "-DDBG=1"):
                    self.assertEqual(errors(command, verified, "-w", build), "")

    def test_each_type_is_one_that_a_source_can_point_to(self):
        text = "".join((DDI / header).read_text() for header in headers() if header != "basetsd.h")
        names = set(re.findall(r"^\} (\w+)[,;]", text, re.M)) | set(re.findall(r"^typedef [^;{(]*?\b(\w+);", text, re.M))
        names -= {"REFGUID"}  # a reference in C++
        self.assertGreater(len(names), 600)
        self.assertTrue({"PDXGK_ADL", "IN_CONST_PDXGKARG_PATCH", "D3DDDIFORMAT", "PDXGKARG_RENDER"} <= names)
        source = "".join(f'#include "{header}"\n' for header in headers())
        source += "".join(f"static {name}* use_of_{name};\n" for name in sorted(names))
        for name, command in compilers().items():
            with self.subTest(name):
                self.assertEqual(errors(command, source, "-w"), "")

    def test_each_entry_of_a_table_has_its_type(self):
        text = (DDI / "dispmprt.h").read_text()
        plain = re.findall(r"^  PVOID (\w+);", text, re.M)
        self.assertEqual([name for name in plain if not name.startswith("Reserved")],  # as in the Windows Driver Kit
                         ["DxgkDdiDescribePageTable", "DxgkDdiUpdatePageTable", "DxgkDdiUpdatePageDirectory",
                          "DxgkDdiMovePageDirectory", "DxgkDdiSubmitRender", "DxgkDdiCreateAllocation2"])
        self.assertEqual(len(re.findall(r"^  DXGKCB_\w+ DxgkCb\w+;", text, re.M)), 70)
        self.assertGreater(len(re.findall(r"^  PDXGKDDI_?\w+ DxgkDdi\w+;", text, re.M)), 120)

    def test_each_annotation_stands_where_a_source_has_it(self):
        source = '#include "ntddk.h"\n'
        for header in ("sal.h", "specstrings.h"):
            for word, arguments in re.findall(r"^#define (_\w+)(?:\(([^)]*)\))?\s*$", (DDI / header).read_text(), re.M):
                use = f"{word}({', '.join('1' for _ in arguments.split(','))})" if arguments else word
                source += f"{use} void before{word}({use} int parameter);\n"
        self.assertGreater(source.count("\n"), 200)
        for name, command in compilers().items():
            with self.subTest(name):
                self.assertEqual(errors(command, source, "-w"), "")


class Prepare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_traces_and_names_in_another_case_become_headers(self):
        self.write("shared/Tracing.h", """// begin_wpp config
// FUNC SayError{LEVEL=TRACE_LEVEL_ERROR, FLAGS=ALL}(MSG, ...);
// FUNC Holds{LEVEL=TRACE_LEVEL_ERROR, FLAGS=ALL}(EXPRESSION);
// USEPREFIX (DbgPrint, "%!STDPREFIX!");
// DbgPrint{FLAG = ALL}(LEVEL, (MSG, ...));
// end_wpp
""")
        self.write("shared/Deep/Inner.h", "static int inner(void) { return 1; }\n")
        source = self.write("driver/one.c", '#include "ntddk.h"\n#include <WppRecorder.h>\n#include <TRACING.h>\n'
                                            '#include "..\\shared\\Deep\\Inner.h"\n#include "one.tmh"\n'
                                            'int f(int a) { SayError("%!STATUS! of %wZ", a, 0); Holds(a > 0); DbgPrint(2, ("%d", a)); return inner(); }\n')
        out = self.folder / "out"
        self.assertEqual(said("prepare", "--out", out, "-I", self.folder / "shared", source),
                         (0, "3 files: 1 headers with 3 trace functions, 2 headers of another spelling\n"))
        for name, command in compilers().items():
            with self.subTest(name):
                self.assertEqual(errors(command, source.read_text(), "-w", f"-I{out}"), "")

    def test_directives_that_describe_no_function_are_no_trace_functions(self):
        source = self.write("one.c", """// begin_wpp config
// CUSTOM_TYPE(reason, ItemListLong(Started, Ended));
// CUSTOM_TYPE(state, ItemEnum(_STATE) );
// DEFINE_CPLX_TYPE(GUID, WPP_LOGGUID, const GUID *, ItemGuid, "s", _GUID_, 0, 2);
// USESUFFIX (Say, " MSG %!FUNC!");
// Say(LEVEL, MSG, ...);
// FUNC Holds(EXPRESSION);
// end_wpp
#include "one.tmh"
""")
        out = self.folder / "out"
        self.assertEqual(said("prepare", "--out", out, source),
                         (0, "1 files: 1 headers with 2 trace functions, 0 headers of another spelling\n"))
        self.assertEqual(re.findall(r"^#define (\w+)", (out / "one.tmh").read_text(), re.M), ["Holds", "Say"])

    def test_a_long_is_named_with_its_file_and_line(self):
        self.write("driver/own.h", "typedef unsigned long Word;\n")
        source = self.write("driver/one.c", '#include "own.h"\n/* long ago */ const char* text = "long 1L";\nlong long wide = 1LL;\n'
                                            "unsigned long long w = 0x10ULL; long double x;\nint mask = ~0UL;\nlong a;\n")
        status, out = said("long", source)
        self.assertEqual(status, 1)
        places = [line.split(": ")[:2] for line in out.splitlines()[:-1]]
        self.assertEqual([[os.path.basename(where), what] for where, what in places],
                         [["one.c:5", "0UL"], ["one.c:6", "long"], ["own.h:1", "long"]])
        self.assertEqual(out.splitlines()[-1], "2 files, 3 places with a long")
        self.assertEqual(said("long", SOURCE), (0, "1 files, 0 places with a long\n"))

    def test_a_source_that_is_not_there_is_said(self):
        with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit) as end:
            driver_sources.main(["long", str(self.folder / "nobody.c")])
        self.assertEqual(end.exception.code, 2)
        self.assertIn("nobody.c is no file", err.getvalue())


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Tests the checks of tools/check_docs.py and tools/tested.py on small trees and pages that this file creates."""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_docs  # noqa: E402
import tested  # noqa: E402
import tree  # noqa: E402

CODE = "int F() { return 1; }\n"


class Tested(unittest.TestCase):
    def errors(self, files, tests, *rows):
        page = "\n".join(("text", "", tested.HEAD, "|---|---|", *rows, "", "more"))
        return tested.errors(files, set(tests), page)

    def test_a_test_at_the_mirror_path_or_a_row_is_enough(self):
        files = {"sw/a/b.cc": CODE, "sw/a/b.h": CODE, "sw/a/c.h": CODE, "rtl/m/gmmu_d.sv": "", "rtl/m/gmmu_e.sv": "",
                 "rtl/m/gmmu_f.sv": ""}
        tests = ("tb/sw/a/b_test.cc", "tb/sw/a/c_test.cc", "tb/rtl/m/gmmu_d_test.cc", "tools/g.py")
        self.assertEqual(self.errors(files, tests, "| `rtl/m/*_{e,f}.sv` | `rtl/m/gmmu_d_test.cc`, `../tools/g.py` |"), [])

    def test_a_source_without_either_is_named(self):
        self.assertEqual(self.errors({"sw/a/b.cc": CODE}, ()),
                         ["sw/a/b.cc: no tb/sw/a/b_test.cc, and no row of tb/README.md says where it is tested"])
        self.assertEqual(len(self.errors({"sw/a/b.h": "struct B {\n  int f() const { return 1; }\n};\n"}, ())), 1)

    def test_a_header_of_declarations_needs_none(self):
        self.assertEqual(self.errors({"sw/a/b.h": "struct B {\n  int f() const;  // {return}\n  int x = 0;\n};\n"}, ()), [])

    def test_a_name_that_is_not_needed_or_names_nothing_is_an_error(self):
        files, tests = {"sw/a/b.cc": CODE, "sw/a/c.cc": CODE}, {"tb/sw/a/b_test.cc"}
        for row, error in (("| `sw/a/{b,c}.cc` | `sw/a/b_test.cc` |", "sw/a/b.cc needs no row"),
                           ("| `sw/a/{c,gone}.cc` | `sw/a/b_test.cc` |", "no source is sw/a/gone.cc")):
            with self.subTest(row=row):
                found = self.errors(files, tests, row)
                self.assertEqual(len(found), 1, found)
                self.assertIn("tb/README.md:5: " + error, found[0])
        for row, error in (("| `sw/a/{b,c}.cc` | `sw/a/{d,gone}_test.cc` |", "there is no test tb/sw/a/gone_test.cc"),
                           ("| `sw/a/{b,c}.cc` | somewhere |", "names no test")):
            with self.subTest(row=row):
                self.assertEqual(self.errors(files, ("tb/sw/a/d_test.cc",), row), [f"tb/README.md:5: {error}"])

    def test_what_is_planted_in_the_checkout_is_found(self):
        files = tree.texts(("sw", "sim", "rtl"), (".h", ".cc", ".sv"))
        tests = set(tree.texts(("tb", "tools"), (".cc", ".py")))
        page = (tree.ROOT / tested.PAGE).read_text()
        self.assertEqual(tested.errors(files, tests, page), [])
        needed = {tested.namesake(path) for path in tested.sources(files)} & tests
        for test in random.Random(1).sample(sorted(needed), 5):
            self.assertTrue(tested.errors(files, tests - {test}, page), test)
        for number, sources, named in random.Random(1).sample(tested.rows(page), 5):
            self.assertTrue(tested.errors(files, tests - {named[-1]}, page), named)
            row = page.splitlines()[number - 1]
            self.assertTrue(tested.errors(files, tests, page.replace(row, "| `` | `` |")), row)
            last = pathlib.PurePosixPath(sources[-1]).name.removeprefix("gmmu_").split(".")[0]
            self.assertTrue(tested.errors(files, tests, page.replace(row, row.replace(last, "gone", 1))), last)


class Tables(unittest.TestCase):
    def test_a_row_with_other_cells_than_its_head_is_named(self):
        page = "| a | b |\n|---|---|\n| `x|y` | a \\| b |\n| one | two | three |\n\n| a |\n|---|\n| one |\n| one | two |\n"
        self.assertEqual(check_docs.table_errors(page), [(4, "a row of 3 cells in a table of 2"), (9, "a row of 2 cells in a table of 1")])

    def test_each_tool_has_one_row(self):
        page = "| file | does |\n|---|---|\n| `a.py` | x |\n| `b.py`, `c.sh` | x |\n| `c.sh` | `d.py` |\n"
        self.assertEqual(check_docs.tool_errors(page, {"a.py", "b.py", "c.sh", "d.py"}), [(1, "no row for d.py"), (1, "c.sh has 2 rows")])


    def test_each_room_has_its_place(self):
        rows = ("sw/hw", "sw/os/a", "sw/os/b")
        self.assertEqual(check_docs.tour_errors("`sw/hw`\n\n| a part | `sw/app` |\n", rows), [(1, "no row for sw/hw")])
        self.assertEqual(check_docs.tour_errors("| a part | `sw/app`, `sw/hw` |\n", rows), [])
        page = ("| [a](a/README.md) | x |\n", "| [b](b/README.md) | [a](a/README.md) |\n")
        self.assertEqual(check_docs.system_errors("".join(page), rows), [])
        for wrong in (page[:1], page[::-1]):
            self.assertEqual(len(check_docs.system_errors("".join(wrong), rows)), 1)


class FirstPage(unittest.TestCase):
    def test_its_words_and_columns_are_limited(self):
        self.assertEqual(check_docs.first_page_errors("word\n" * 900 + "\n" + "-" * 120), [(1, "901 words, at most 900 are allowed")])
        self.assertEqual(check_docs.first_page_errors("word " * 24 + "wor"), [(1, "123 columns, at most 120 are allowed")])
        self.assertEqual(check_docs.first_page_errors("word " * 24), [])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""tools/check_long.py with a program that calls the functional engine "rtl": check_long_test.py PROGRAM.

It stands before the real program and may change the report of its second engine.
"""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_long  # noqa: E402

PROGRAM = pathlib.Path(sys.argv.pop()).resolve()
STAND_IN = """#!{python}
import json, subprocess, sys
arguments = sys.argv[1:]
rtl = "rtl" in arguments
status = subprocess.run(["{program}"] + ["fast" if a == "rtl" else a for a in arguments]).returncode
if rtl:
    path = arguments[arguments.index("--json") + 1]
    report = json.load(open(path))
    {change}
    json.dump(report, open(path, "w"))
sys.exit(status)
"""


class CheckLong(unittest.TestCase):
    def check(self, change="pass", more=()):
        """(exit status, what it printed) of a check of one small scenario."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "gmmu"
            program.write_text(STAND_IN.format(python=sys.executable, program=PROGRAM, change=change))
            program.chmod(0o755)
            sys.argv[1:] = ["--program", str(program), "--seeds", "1", "--only", "^context-allocations$", "--jobs", "1",
                            "--state", folder + "/state.json", *more]
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                status = check_long.main()
            return status, out.getvalue()

    def test_engines_that_agree_pass(self):
        status, text = self.check()
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"context-allocations +rtl +1 runs, .* of the 60 s that are allowed")
        self.assertIn("2 of 2 runs passed, 0 of 1 comparisons differ, 0 scenarios are too long", text)

    def test_what_one_engine_says_differently_is_named(self):
        for change, said in (('report["bytes_verified"] = 7', "differs: bytes_verified: 0 and 7"),
                             ('report["checks"][0]["name"] = "x"', "differs: check 1.name"),
                             ('report["counters"]["gpu_engine"]["commands"] = 1', "counters.gpu_engine.commands")):
            status, text = self.check(change)
            self.assertEqual(status, 1, text)
            self.assertIn("UNLIKE", text)
            self.assertIn(said, text)

    def test_a_run_that_fails_is_named(self):
        status, text = self.check("status = 1")
        self.assertEqual(status, 1)
        self.assertIn("FAILED status 1", text)

    def test_a_scenario_that_is_too_long_on_the_rtl_is_named(self):
        allowed, check_long.TOO_LONG = check_long.TOO_LONG, 1e-4
        try:
            status, text = self.check()
            self.assertEqual(status, 1)
            self.assertIn("TOO LONG context-allocations", text)
            self.assertEqual(self.check(more=["--no-time"])[0], 0)
        finally:
            check_long.TOO_LONG = allowed


if __name__ == "__main__":
    unittest.main()

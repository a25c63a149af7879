# SPDX-License-Identifier: Apache-2.0
"""Tests tools/check_long.py with a stand-in for the program: check_long_test.py PROGRAM.

The stand-in runs the fast engine under the name "rtl", and can change the report of the second engine.
"""
import contextlib
import io
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
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
        """Returns (exit status, output) of a check of one small scenario."""
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


class Ends(unittest.TestCase):
    """Runs the check as a process. A run that cannot finish must give the reason in one line."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gmmu_long_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        program = self.folder / "gmmu"
        program.write_text(f'#!/bin/sh\n[ "$2" = --list ] && exec {PROGRAM} "$@"\necho $$ >>{self.folder}/started\nexec sleep 100\n')
        program.chmod(0o755)

    def command(self, program):
        return [sys.executable, str(ROOT / "tools/check_long.py"), "--program", str(program), "--seeds", "3", "--only", "^context-allocations$",
                "--engines", "fast", "--jobs", "2", "--state", str(self.folder / "state.json")]

    def test_an_interrupt_ends_its_runs(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen(self.command(self.folder / "gmmu"), stderr=subprocess.PIPE, text=True)
            started, end = self.folder / "started", time.monotonic() + 60
            while (not started.exists() or len(started.read_text().split()) < 2) and time.monotonic() < end:
                time.sleep(0.02)
            process.send_signal(number)
            _, said = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 1, said)
            self.assertTrue(said.endswith("check-long: interrupted; what has passed is kept, and the same command goes on\n"), said)
            for child in started.read_text().split():
                self.assertFalse(pathlib.Path(f"/proc/{child}").exists(), "it still runs")
            started.unlink()

    def test_a_full_disk_and_a_program_that_is_not_there(self):
        def limit():  # a file size limit imitates a full disk
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
        program = self.folder / "quick"
        program.write_text(f'#!/bin/sh\n[ "$2" = --list ] && exec {PROGRAM} "$@"\nexit 0\n')
        program.chmod(0o755)
        for path, prepare, said in ((program, limit, f"check-long: {self.folder}/state.json: File too large"),
                                    (self.folder / "none", None, f"check-long: {self.folder}/none: No such file or directory")):
            done = subprocess.run(self.command(path), capture_output=True, text=True, preexec_fn=prepare, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.splitlines()[-1], said)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()

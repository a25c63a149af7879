# SPDX-License-Identifier: Apache-2.0
"""Tests tools/progress.py on builds of a few planted steps: slow steps, steps that fail, steps that print."""
import os
import pathlib
import pty
import re
import resource
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRESS = ROOT / "tools/progress.py"
sys.path.insert(0, str(ROOT / "tools"))
import progress  # noqa: E402

RULES = """# As CMake writes it: build.ninja depends on a look at the folders that never ends up to date.
then = true
rule compile
  command = sleep $seconds; $then; touch $out
  description = Building CXX object $out
rule keep
  command = test -f $out || touch $out
  description = Generating $out
  restat = 1
rule remake
  command = touch $out
  generator = 1
build always: phony
build looked: keep always
build build.ninja: remake looked

"""
LINE = re.compile(r"gmmu: (\d+) of (\d+) steps, (\d+) %, \d+ s so far, (about \d+ (?:s|min) left|almost done)")


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gmmu_progress_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def steps(self, text):
        (self.folder / "build.ninja").write_text(RULES + text)

    def build(self, target="all", every="0.2"):
        """Returns (exit status, standard error). Nothing may be written to standard output."""
        done = subprocess.run([sys.executable, PROGRESS, "--every", every, "build", self.folder, target, "2"], capture_output=True, text=True)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def test_a_slow_build_says_how_far_it_is_and_how_long_it_takes(self):
        self.steps("".join(f"build {name}.o: compile\n  seconds = .5\n" for name in "abcd") + "build all: phony a.o b.o c.o d.o\n")
        status, said = self.build()
        self.assertEqual(status, 0, said)
        lines = [LINE.fullmatch(line) for line in said.splitlines()]
        self.assertNotIn(None, lines, said)
        self.assertGreater(len(lines), 2)
        self.assertEqual({line.group(2) for line in lines}, {"4"})
        percents = [int(line.group(3)) for line in lines]
        self.assertEqual(percents, sorted(percents))
        self.assertLess(percents[0], percents[-1])

    def test_what_compilers_say_passes_whole_and_the_status_is_the_builds(self):
        self.steps("build warns.o: compile\n  seconds = 0\n  then = printf 'one\\ntwo' >&2\n"
                   "build quiet.o: compile\n  seconds = .3\n  then = echo three\n"
                   "build fails.o: compile | warns.o quiet.o\n  seconds = 0\n  then = echo it is wrong; exit 7\n"
                   "build all: phony fails.o\n")
        status, said = self.build()
        self.assertEqual(status, subprocess.run(["ninja", "all"], cwd=self.folder, capture_output=True).returncode, said)
        self.assertNotEqual(status, 0)
        for line in ("one", "two", "three", r"FAILED: (\[code=7\] )?fails.o ", "it is wrong"):
            self.assertRegex(said, f"(?m)^{line}$")
        self.assertIn("ninja: build stopped", said)
        self.assertNotIn("Building", said)
        self.assertNotIn("\x01", said)
        (self.folder / "fails.o").touch()
        self.steps("build all: phony\n")
        self.assertEqual(self.build(), (0, "ninja: no work to do.\n"))
        self.assertEqual(self.build("nothing")[0], 1)

    def test_on_a_terminal_one_line_is_rewritten_and_output_stands_above_it(self):
        self.steps("build a.o: compile\n  seconds = 1.3\n  then = echo a warning\nbuild b.o: compile a.o\n  seconds = 1.3\nbuild all: phony b.o\n")
        ours, theirs = pty.openpty()
        process = subprocess.Popen([sys.executable, PROGRESS, "build", self.folder, "all", "2"], stderr=theirs)
        os.close(theirs)
        said = b""
        while True:
            try:
                data = os.read(ours, 4096)
            except OSError:  # the terminal's other end is closed
                break
            said += data
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        text = said.decode()
        self.assertRegex(text, r"^\rgmmu: 0 of 2 steps, [^\n]*\r\x1b\[Ka warning\r\n\rgmmu: 1 of 2 steps, [^\n]*\r\x1b\[K$")

    def test_an_older_log_weighs_the_steps(self):
        self.steps("build long.o: compile\n  seconds = 0\nbuild short.o: compile\n  seconds = 0\nbuild all: phony long.o short.o\n")
        environment = dict(os.environ, NINJA_STATUS="\x01%t\x01")
        (self.folder / ".ninja_log").write_text("0\t90000\t1\tlong.o\tabc\n0\t40\t1\tlong.o\tabc\n")
        self.assertEqual(progress.plan(self.folder, "all", environment),
                         {"Building CXX object long.o": 90, "Building CXX object short.o": 2.5})
        self.assertEqual(self.build()[0], 0)
        self.assertEqual(progress.plan(self.folder, "all", environment), {}, "all steps are done")

    def test_steps_that_turn_out_to_be_needless_are_not_waited_for(self):
        names = [f"{number}.o" for number in range(8)]
        self.steps("build kept: keep always\n" + "".join(f"build {name}: compile kept\n  seconds = 0\n" for name in names) +
                   "build new.o: compile kept\n  seconds = .5\nbuild last.o: compile new.o\n  seconds = .5\nbuild all: phony last.o " + " ".join(names) + "\n")
        self.assertEqual(self.build()[0], 0)
        (self.folder / "new.o").unlink()
        status, said = self.build()
        self.assertEqual(status, 0, said)
        self.assertRegex(said.splitlines()[-1], "^gmmu: 2 of 3 steps, ")  # eleven steps were planned

    def test_a_reader_that_has_left_does_not_end_the_build(self):
        self.steps("build a.o: compile\n  seconds = .3\nbuild b.o: compile a.o\n  seconds = .3\n  then = echo said\nbuild all: phony b.o\n")
        ours, theirs = os.pipe()
        process = subprocess.Popen([sys.executable, PROGRESS, "--every", "0.1", "build", self.folder, "all", "2"], stderr=theirs)
        os.close(theirs)
        os.close(ours)
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertTrue((self.folder / "b.o").exists())


class Estimate(unittest.TestCase):
    def steps(self, planned, jobs=2, after=0.0):
        steps = progress.Steps(dict(planned), jobs)
        steps.start -= after
        return steps

    def test_is_the_usual_time_at_first_and_follows_the_measured_rate(self):
        planned = {f"step {number}": 10 for number in range(100)}
        self.assertAlmostEqual(self.steps(planned).seconds, 500, delta=1)
        for after, least, most in ((5, 100, 300), (100, 390, 410), (400, 900, 1600)):  # seconds for twenty steps
            steps = self.steps(planned, after=after)
            for number in range(20):
                steps.finish(100, f"step {number}")
            self.assertTrue(least < steps.seconds < most, steps.seconds)

    def test_is_never_below_what_the_longest_step_takes(self):
        self.assertAlmostEqual(self.steps({"long": 50, "short": 1}).seconds, 50, delta=1)


class Configure(unittest.TestCase):
    def test_counts_the_tops_and_keeps_the_output_in_the_log(self):
        with tempfile.TemporaryDirectory(prefix="gmmu_progress_") as folder:
            log = pathlib.Path(folder) / "configure.log"
            script = "echo -- Verilating 2 tops; sleep .3; echo -- Verilated one; sleep .3; echo trouble >&2; exit 3"
            done = subprocess.run([sys.executable, PROGRESS, "--every", "0.1", "configure", log, "sh", "-c", script], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertRegex(done.stderr, r"^(gmmu: 0 of 2 tops of the RTL verilated, \d s so far\n)+"
                                          r"(gmmu: 1 of 2 tops of the RTL verilated, \d s so far\n)+$")
            self.assertEqual(log.read_text(), "-- Verilating 2 tops\n-- Verilated one\ntrouble\n")

    def test_waits_without_using_the_processor(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([sys.executable, PROGRESS, "--every", "0.1", "configure", os.devnull, "sleep", "2"], check=True)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, .5)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""front_door_test.py PROGRAM: ./gmmu must not mistake the value of a `gmmu run` option for an input file.

Calls the script's own function with every option that takes a value according to `PROGRAM run --help`.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1)


def check_input(*arguments):
    """Returns (exit status, standard error) of the function check_input in ./gmmu."""
    text = (ROOT / "gmmu").read_text()
    function = re.search(r"^check_input\(\) \{\n.*?^\}\n", text, re.MULTILINE | re.DOTALL).group(0)
    script = "die() { echo \"$@\" >&2; exit 2; }\n" + function + 'check_input "$@"\n'
    done = subprocess.run(["sh", "-c", script, "gmmu", *arguments], capture_output=True, text=True)
    return done.returncode, done.stderr


class FrontDoor(unittest.TestCase):
    def test_values_of_options_are_no_input_files(self):
        told = subprocess.run([PROGRAM, "run", "--help"], capture_output=True, text=True, check=True).stdout
        options = re.findall(r"^  (--[a-z-]+) [A-Z=]+ ", told, re.MULTILINE)
        self.assertGreater(len(options), 8)
        self.assertIn("--scenario", options)
        for option in options:
            with self.subTest(option=option):
                self.assertEqual(check_input("run", option, "no-such-file"), (0, ""))
                self.assertEqual(check_input("run", f"{option}=no-such-file"), (0, ""))

    def test_sizes_come_from_every_config_and_set(self):
        """The function queries the sizes with these options and no others."""
        text = (ROOT / "gmmu").read_text()
        function = re.search(r"^sizes_of\(\) \{\n.*?^\}\n", text, re.MULTILINE | re.DOTALL).group(0)
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "gmmu"
            program.write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
            program.chmod(0o755)
            for arguments, asked in (
                    ((), ""), (("run", "--seed", "1"), ""), (("run", "--config"), ""),
                    (("run", "a b", "--config", "m n.toml", "--seed", "1"), "<--config><m n.toml>"),
                    (("--set", "gpu.l2_entries=64", "--config=x", "--set=gpu.walks=2", "--json", "j"),
                     "<--set><gpu.l2_entries=64><--config=x><--set=gpu.walks=2>")):
                script = f"build={folder}\n{function}sizes_of \"$@\"\n"
                done = subprocess.run(["sh", "-c", script, "gmmu", *arguments], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (0, asked and "<config><--build-options>" + asked, ""), arguments)

    def test_no_file_gets_the_number_of_a_standard_stream_that_is_closed(self):
        text = (ROOT / "gmmu").read_text()
        first = re.search(r"^set -u\n(.*?)^case ", text, re.MULTILINE | re.DOTALL).group(1)
        script = first + "for n in 0 1 2; do [ -e /proc/$$/fd/$n ] || exit 1; done\n"
        for closed in range(8):
            streams = " ".join(f"{number}>&-" for number in range(3) if closed >> number & 1)
            done = subprocess.run(["sh", "-c", f"exec {streams}\n{script}"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), streams)

    def test_an_input_file_that_does_not_exist_is_refused(self):
        for arguments in (("run", "no-such-file"), ("run", "--list", "no-such-file"),
                          ("run", "--engine", "fast", "no-such-file")):
            with self.subTest(arguments=arguments):
                status, error = check_input(*arguments)
                self.assertEqual(status, 2)
                self.assertIn("cannot read 'no-such-file'", error)


class Tests(unittest.TestCase):
    """Tests ./gmmu test, with stand-ins for CMake and ctest that record their arguments."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gmmu_door_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tools").mkdir()
        for file in ("gmmu", "tools/progress.py", *(f"tools/requirements-{name}.txt" for name in ("test", "study", "report"))):
            shutil.copy(ROOT / file, self.folder / file)
        self.program("build/venv/bin/python", "exit 0")
        lists = [subprocess.run(["cksum"], input=(self.folder / f"tools/requirements-{name}.txt").read_bytes(), capture_output=True).stdout
                 for name in ("test", "study", "report")]
        (self.folder / "build/venv/test-study-report.installed").write_bytes(b"".join(lists).rstrip())
        self.program("build/gmmu", "exit 0")
        self.program("path/dpkg-query", "echo installed")
        self.program("path/verilator", "echo root")
        for name in ("cmake", "ctest"):
            self.program(f"path/{name}", f'echo {name} "$@" >>{self.folder}/called')

    def program(self, name, script):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def called(self, *arguments):
        """Returns the arguments with which CMake and ctest were called."""
        calls = self.folder / "called"
        calls.unlink(missing_ok=True)
        environment = dict(os.environ, PATH=f"{self.folder}/path:{os.environ['PATH']}", VERILATOR=f"{self.folder}/path/verilator")
        done = subprocess.run(["./gmmu", *arguments], cwd=self.folder, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return calls.read_text()

    def test_quick_builds_its_target_alone(self):
        said = self.called("test", "-L", "quick", "-R", "Some")
        self.assertRegex(said, r"cmake --build \S+ --target quick_tests ")
        self.assertRegex(said, r"ctest .* -L quick -R Some --fixture-exclude-cleanup ddi_rows\n")
        self.assertNotIn("cmake", self.called("test", "-L", "quick"), "it was current")
        said = self.called("test", "-L", "unit")
        self.assertRegex(said, r"cmake --build \S+ --target all ")
        self.assertRegex(said, r"ctest .* -L unit\n")

    def test_of_another_list_are_configured_again(self):
        """The long tests are listed only while the build is configured for them."""
        for other in ((), ("-L", "quick")):
            for kind in ("test", "quick", "long"):
                (self.folder / f"build/{kind}.current").unlink(missing_ok=True)
            self.assertRegex(self.called("test", "--long"), r"-DGMMU_WIDE_BITS=256\s")
            self.assertRegex(self.called("test", *other), r"-DGMMU_WIDE_BITS=\s")
            self.assertRegex(self.called("test", "--long"), r"-DGMMU_WIDE_BITS=256\s")


class AnotherUsersCheckout(unittest.TestCase):
    """A tree whose build/ the calling user cannot write, and whose virtual environment's Python the user cannot run."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gmmu_door_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)
        self.venv = self.folder / "build/venv"
        (self.venv / "bin").mkdir(parents=True)
        (self.folder / "tools").mkdir()
        shutil.copy(ROOT / "gmmu", self.folder)
        shutil.copy(ROOT / "tools/requirements-report.txt", self.folder / "tools")
        (self.venv / "bin/python").write_text("#!/bin/sh\nexit 1\n")
        (self.venv / "bin/python").chmod(0o755)
        (self.folder / "build/place").write_text("/moved")

    def refused(self, arguments, said, prefix=(), **environment):
        done = subprocess.run([*prefix, "./gmmu", *arguments], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(said, done.stderr)
        self.assertIn(f"git clone {self.folder}", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue((self.venv / "bin/python").exists(), "the other user's environment is gone")

    def test_is_left_alone_and_its_owner_named(self):
        root = os.geteuid() == 0
        prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if root else []
        for folder in (self.venv, self.folder / "build"):
            if not root:
                folder.chmod(0o555)
                self.addCleanup(folder.chmod, 0o755)
        for arguments in (["run"], ["test"], ["bench"], ["study", "x.toml"], ["report", "x.json"], ["build", "--set", "gpu.walks=2"],
                          ["tools", "report"], ["tools", "clean"]):
            with self.subTest(arguments=arguments):
                self.refused(arguments, f"{self.folder}/build belongs to root" if root else f"{self.folder}/build cannot be written", prefix)

    def test_is_left_alone_by_targets_of_make_that_have_nothing_to_install(self):
        root = os.geteuid() == 0
        wheels = (ROOT / "tools/requirements-report.txt").read_bytes()
        (self.venv / "report.installed").write_bytes(subprocess.run(["cksum"], input=wheels, capture_output=True).stdout.rstrip())
        (self.venv / "bin/python").write_text("#!/bin/sh\n")
        prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if root else []
        folder = self.folder / "build/formal"  # in a world-writable build/
        folder.mkdir()
        folder.chmod(0o755 if root else 0o555)
        (self.folder / "build").chmod(0o777)
        self.refused(["tools", "report"], f"{folder} belongs to root" if root else f"{folder} cannot be written", prefix)

    def test_is_looked_at_first_by_every_target_of_make(self):
        """Every target runs ./gmmu, which checks the checkout first, or writes outside the checkout."""
        recipes = re.findall(r"^([a-z-]+):[^=\n]*##[^\n]*\n\t@?([^\n]*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
        self.assertGreater(len(recipes), 25)
        for target, line in recipes:
            self.assertTrue(line.startswith("./gmmu ") or target in ("help", "docs", "fresh"), f"{target}: {line}")

    def test_keeps_its_environment_also_where_everybody_may_write(self):
        tools = self.folder / "path"
        tools.mkdir()
        (tools / "id").write_text("#!/bin/sh\n[ $# -gt 1 ] && echo somebody || echo 12345\n")
        (tools / "id").chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        self.refused(["report", "x.json"], f"{self.venv} belongs to somebody", PATH=path)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""front_door_test.py PROGRAM: ./gmmu takes the value of every option of `gmmu run` for what it is, not for an input file.

The script's own function is called, with the options that `PROGRAM run --help` shows with a value.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1)


def check_input(*arguments):
    """(exit status, standard error) of the function in ./gmmu."""
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
        """The function asks for the sizes with those options and no others."""
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

    def test_an_input_file_that_does_not_exist_is_refused(self):
        for arguments in (("run", "no-such-file"), ("run", "--list", "no-such-file"),
                          ("run", "--engine", "fast", "no-such-file")):
            with self.subTest(arguments=arguments):
                status, error = check_input(*arguments)
                self.assertEqual(status, 2)
                self.assertIn("cannot read 'no-such-file'", error)


if __name__ == "__main__":
    unittest.main()

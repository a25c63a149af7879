# SPDX-License-Identifier: Apache-2.0
"""Tests tools/commands.py: which commands it finds in a page, how it runs them, and how it reports a failure."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import commands  # noqa: E402

PAGE = """# A page
    ./gmmu run FILE [--out COPY]   # a comment

and it says

    gmmu run: verified
      bytes verified  1

A file `link.toml`:

```toml
title = "a"
```

    gmmu trace list
    for seed in 1 2; do
      ./gmmu run --seed $seed
    done
    python3 -c 'print(1,
      "# no comment")'

```
    ./gmmu run in a fence
```
"""


class Commands(unittest.TestCase):
    def test_commands_are_those_of_blocks_that_begin_with_one(self):
        self.assertEqual(commands.commands_of(PAGE), [
            (2, "./gmmu run FILE [--out COPY]"), (15, "gmmu trace list"), (16, "for seed in 1 2; do\n  ./gmmu run --seed $seed\ndone"),
            (19, "python3 -c 'print(1,\n  \"# no comment\")'")])

    def test_a_block_behind_its_name_is_a_file(self):
        self.assertEqual(commands.blocks_of(PAGE), {"link.toml": 'title = "a"\n'})
        self.assertEqual(commands.blocks_of(PAGE.replace("A file `link.toml`:", "The file `link.toml` contains:")),
                         {"link.toml": 'title = "a"\n'})

    def test_a_file_that_a_study_of_its_page_reads_is_made_by_a_block_or_stands_in_the_checkout(self):
        read = re.compile(r"^\./gmmu study (\S+\.toml)", re.M)
        studies = [(page, file) for page in commands.ROOT.glob("docs/*.md") for _, command in commands.commands_of(page.read_text())
                   for file in read.findall(command)]
        self.assertGreater(len(studies), 2)
        for page, file in studies:
            self.assertTrue(file in commands.blocks_of(page.read_text()) or (commands.ROOT / file).is_file(), f"{page.name}: {file}")

    def test_what_is_optional_is_left_out_and_placeholders_are_replaced_outside_of_quotes(self):
        table = {"word": {"FILE.so": "build/own.so"}}
        self.assertEqual(commands.as_run("./gmmu check FILE.so [--only PATTERN] [--a [--b]]", table), "./gmmu check build/own.so")
        self.assertEqual(commands.as_run("./gmmu run --fail-each callback|allocation 'a|b [c] FILE.so'", table),
                         "./gmmu run --fail-each callback 'a|b [c] FILE.so'")

    def test_the_table_fits_the_pages_and_every_unit_runs_or_has_a_reason(self):
        table = commands.load()
        whole, _ = commands.plan(table, "long")
        for form in ("short", "long"):
            planned, left_out = commands.plan(table, form)
            self.assertTrue(all(left_out.values()))
            for name in commands.units():
                self.assertTrue(name in planned or any(text.split(": ")[0] == name for text in left_out), name)
        self.assertGreater(len(whole), 40)

    def test_a_row_that_fits_nothing_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "commands.toml")
            file.write_text('[[command]]\ntext = "./gmmu gone"\nskip = "x"\n[[unit]]\nname = "docs/gone.md"\nlogn = "x"\n')
            with mock.patch.object(commands, "TABLE", file), self.assertRaises(SystemExit) as ended:
                commands.load()
        for text in ("no page has the command './gmmu gone'", "there is no unit docs/gone.md", "unknown key logn"):
            self.assertIn(text, str(ended.exception))


class Runs(unittest.TestCase):
    """Tests runs of units in a small checkout."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.folder.name)
        for name, text in (("page.md", "    cc-is-no-command\n"), ("kept.txt", "old\n"), ("gmmu", "#!/bin/sh\necho front door \"$@\"\n")):
            (root / name).write_text(text)
        (root / "gmmu").chmod(0o755)
        for line in (("init", "-q"), ("add", "."), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")):
            subprocess.run(["git", *line], cwd=root, check=True)
        for patch in (mock.patch.object(commands, "ROOT", root), mock.patch.object(commands, "WORK", root / "build/commands")):
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self.folder.cleanup)
        self.root = root

    def run_unit(self, *steps):
        return commands.run_unit("page.md", [(text, text, status) for text, status in steps], {}, "short")

    def test_commands_run_in_order_in_a_folder_of_their_own(self):
        self.assertEqual(self.run_unit(("./gmmu one >said", 0), ("grep -q 'front door one' said", 0), ("false", 1)), [])
        self.assertFalse((self.root / "said").exists())

    def test_another_status_than_the_documented_one_is_a_failure_with_the_commands_last_lines(self):
        failures = self.run_unit(("echo why; exit 3", 0), ("echo not reached", 0))
        self.assertEqual(len(failures), 1)
        self.assertIn("exit status 3, not 0", failures[0])
        self.assertIn("why", failures[0])

    def test_a_kept_file_that_comes_out_otherwise_is_named_and_put_back(self):
        failures = self.run_unit(("echo new >kept.txt", 0))
        self.assertEqual(failures, ["kept.txt is not what the command makes, which is in build/commands/page-md/made/kept.txt"])
        self.assertEqual((self.root / "kept.txt").read_text(), "old\n")
        self.assertEqual((self.root / "build/commands/page-md/made/kept.txt").read_text(), "new\n")

    def test_a_command_without_an_end_is_stopped(self):
        with mock.patch.dict(commands.SECONDS, short=0.3):
            self.assertIn("not finished after 0.3 s", self.run_unit(("sleep 20", 0))[0])


if __name__ == "__main__":
    unittest.main()

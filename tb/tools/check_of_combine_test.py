# SPDX-License-Identifier: Apache-2.0
"""Tests tools/combine: values of keys, verdicts of runs, reduction, and rows with conflicts, with a stand-in for the program."""
import json
import pathlib
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path[:0] = [str(TOOLS), str(TOOLS / "combine")]
import factors  # noqa: E402
import reduce  # noqa: E402
import settle  # noqa: E402
import verdict  # noqa: E402

# A program that fails if a and b are set, refuses c = 9 with and c = 8 without naming the key, is
# not applicable if d is set, crashes if e is set, and prints its keys.
PROGRAM = """#!/usr/bin/env python3
import os, sys
words = sys.argv[1:]
if words[:2] == ["config", "--json-schema"]:
    print(open(sys.argv[0] + ".json").read())
    sys.exit(0)
keys = dict(words[at + 1].split("=") for at, word in enumerate(words) if word == "--set")
if keys.get("s.c") == "9":
    print("gmmu: power on\\ngmmu: refused: [machine.s] c is too much", file=sys.stderr)
    sys.exit(2)
if keys.get("s.c") == "8":
    print("gmmu: refused", file=sys.stderr)
    sys.exit(2)
if "s.d" in keys:
    print("gmmu: not applicable: CAP", file=sys.stderr)
    sys.exit(3)
if "s.e" in keys:
    os.abort()
if "s.a" in keys and "s.b" in keys:
    print("gmmu run: FAILED\\n  input  none\\nWhat went wrong\\n  os: 0x1234 is 77\\n  check: no")
    sys.exit(1)
"""
SCHEMA = {"properties": {
    "s": {"properties": {
        "flag": {"type": "boolean", "default": False, "when": "run"},
        "name": {"type": "string", "enum": ["x", "y"], "default": "y", "when": "run"},
        "number": {"type": "integer", "minimum": 4, "maximum": 100, "default": 16, "when": "run"},
        "off": {"type": "integer", "minimum": 0, "default": 0, "when": "run"},
        "list": {"type": "array", "minItems": 2, "maxItems": 3, "items": {"minimum": 1, "maximum": 16}, "default": [9, 9], "when": "run"},
        "size": {"type": "integer", "minimum": 1, "maximum": 8, "default": 4, "when": "build"},
        "below": {"properties": {"deep": {"type": "boolean", "default": True, "when": "run"}}}}},
    "inject": {"properties": {"fault": {"type": "boolean", "default": False, "when": "run"}}}}}


class Combine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = pathlib.Path(self.folder.name, "gmmu")
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        self.program.with_name("gmmu.json").write_text(json.dumps(SCHEMA))

    def run_with(self, **settings):
        settings = {"s." + key: str(value) for key, value in settings.items()}
        return verdict.run(verdict.words(self.program, "name", "fast", 1, settings), settings)

    def test_each_key_of_a_run_has_its_default_first_and_other_values(self):
        found = {factor.key: factor.values for factor in factors.factors(self.program)}
        self.assertEqual(found, {
            "s.below.deep": ["true", "false"], "s.flag": ["false", "true"], "s.name": ["y", "x"], "s.number": ["16", "100", "4"],
            "s.off": ["0", "1024", "8192"], "s.list": ["[9, 9]", "[16, 16]", "[4, 4, 4]", "[4, 4]"]})

    def test_every_end_of_a_run_has_its_verdict(self):
        self.assertEqual(self.run_with(a=1).kind, verdict.VERIFIED)
        refused = self.run_with(c=9, a=1)
        self.assertEqual((refused.kind, refused.keys, refused.text), (verdict.REFUSED, ("s.c",), "refused: [machine.s] c is too much"))
        self.assertEqual(self.run_with(d=1).kind, verdict.NOT_APPLICABLE)
        failed = self.run_with(a=1, b=1)
        self.assertEqual((failed.kind, failed.text, failed.sort), (verdict.FAILED, "os: 0x1234 is 77\ncheck: no", "os: # is #"))
        self.assertIn("exit status -6", self.run_with(e=1).text)
        unnamed = self.run_with(c=8)
        self.assertEqual(unnamed.kind, verdict.FAILED)
        self.assertIn("no setting is named", unnamed.text)

    def test_settings_are_reduced_to_those_that_none_can_be_left_out_of(self):
        settings = {str(key): 0 for key in range(40)}
        for wanted in [set(), {"7"}, {"3", "39"}, {"0", "1", "17", "38"}]:
            self.assertEqual(set(reduce.smallest(settings, lambda part, wanted=wanted: wanted <= set(part))), wanted)

    def test_a_row_runs_again_without_what_is_in_conflict(self):
        settler = settle.Settler(lambda name, seed, settings: verdict.words(self.program, name, "fast", seed, settings), [])
        row = {"s." + key: "1" for key in "abdefgh"} | {"s.c": "9"}
        settings, conflicts, _ = settler.settle("name", row, 0)
        self.assertEqual({conflict.verdict.kind for conflict in conflicts}, {verdict.REFUSED, verdict.NOT_APPLICABLE, verdict.FAILED})
        self.assertEqual(sorted(sorted(conflict.settings) for conflict in conflicts), [["s.a", "s.b"], ["s.c"], ["s.d"], ["s.e"]])
        self.assertEqual(set(row) - set(settings) - {"s.a", "s.b"}, {"s.c", "s.d", "s.e"})
        self.assertEqual(len({"s.a", "s.b"} & set(settings)), 1)
        runs = settler.runs
        settler.settle("name", row, 0)
        self.assertLess(settler.runs - runs, 12, "known conflicts are not reduced again")


if __name__ == "__main__":
    unittest.main()

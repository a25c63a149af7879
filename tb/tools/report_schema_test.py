# SPDX-License-Identifier: Apache-2.0
"""report_schema_test.py PROGRAM: on each engine of the program, reports must conform to docs/report.schema.json, and
their configuration to `gmmu config --json-schema`."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import fastjsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1)
SCHEMA = json.loads((ROOT / "docs/report.schema.json").read_text())


def output(*arguments, status=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def report(*arguments, status=0):
    return json.JSONDecoder().raw_decode(output("run", "--json", "/dev/stdout", *arguments, status=status))[0]


def engines():
    told = subprocess.run([PROGRAM, "run", "--engine", "none"], capture_output=True, text=True).stderr
    return [name for name in re.search(r"there is: (.*)", told).group(1).split(", ") if name != "board"]


class ReportSchema(unittest.TestCase):
    def setUp(self):
        self.check = fastjsonschema.compile(SCHEMA)
        self.check_configuration = fastjsonschema.compile(json.loads(output("config", "--json-schema")))

    def test_reports_of_each_engine_hold_to_it(self):
        self.assertIn("fast", engines())
        for engine in engines():
            for more in (("--set", "gpu.vram_mib=128"), ("--scenario", "context-allocations"), ("--scenario", "linked-two")):
                with self.subTest(engine=engine, more=more):
                    got = report("--engine", engine, *more)
                    self.check(got)
                    self.check_configuration(got["configuration"])
                    self.assertEqual(got["machine"]["engine"], engine)
        self.assertEqual(report("--engine", "fast", "--set", "gpu.vram_mib=128")["configuration"]["gpu"]["vram_mib"], 128)

    def test_a_report_with_events_holds_to_it_and_its_causes_add_up(self):
        if "rtl" not in engines():
            self.skipTest("this program has no RTL")
        with tempfile.TemporaryDirectory() as folder:
            got = report("--engine", "rtl", "--scenario", "context-allocations", "--events", f"{folder}/run.ev")
        self.check(got)
        self.assertEqual(got["causes"]["mismatches"], 0)
        self.assertNotEqual(got["causes"]["sums"], [])
        for row in got["causes"]["sums"]:
            self.assertEqual(sum(cause["cycles"] for cause in row["causes"]), row["cycles"], row)

    def test_a_run_that_fails_holds_to_it(self):
        got = report("--engine", "fast", "--set", "inject.leak=adl", status=1)
        self.check(got)
        self.assertNotEqual(got["leaks"], [])

    def test_every_counter_is_in_the_table_and_what_is_not_counted_is_null(self):
        got = report("--engine", "fast")
        for block, counters in got["counters"].items():
            kind = "port_*" if block.startswith("port_") else block
            self.assertEqual(set(counters), set(got["counter_table"][kind]), block)
        self.assertIsNone(got["counters"]["gpu_walker"]["walk_issue_cycles"])
        self.assertIsInstance(got["counters"]["gpu_engine"]["engine_cycles"], int)

    def test_the_configuration_is_that_of_gmmu_config(self):
        import tomllib
        self.assertEqual(report("--engine", "fast")["configuration"], tomllib.loads(output("config")))

    def test_the_schema_notices_what_is_wrong(self):
        good = report("--engine", "fast")
        for member, value in (("schema_version", 2), ("passed", 1), ("phases", [{"name": "x"}]), ("program", {}),
                              ("counters", {"gpu_l2": {"l2_hits": "7"}})):
            with self.assertRaises(fastjsonschema.JsonSchemaException, msg=member):
                self.check({**good, member: value})
        for section, name, value in (("gpu", "vram_mib", 0), ("gpu", "vram_mib", "64"), ("os", "iommu", "maybe"), ("gpu", "nothing", 1)):
            with self.assertRaises(fastjsonschema.JsonSchemaException, msg=name):
                self.check_configuration({section: {name: value}})
        with self.assertRaises(fastjsonschema.JsonSchemaException):
            self.check({name: value for name, value in good.items() if name != "configuration"})


if __name__ == "__main__":
    unittest.main()

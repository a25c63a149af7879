# SPDX-License-Identifier: Apache-2.0
"""Tests tools/fpga/flow.py: before a step runs, it prints how long the step took the last time on this machine."""
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path[:0] = [str(TOOLS), str(TOOLS / "fpga")]
import config  # noqa: E402
import flow  # noqa: E402


class Steps(unittest.TestCase):
    def test_the_first_run_promises_nothing_and_the_next_says_what_it_took(self):
        said = []
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(config, "BUILD", pathlib.Path(folder)), mock.patch.object(flow, "say", said.append):
            step = flow.Step("netlist")
            step.start -= 273
            step.done()
            flow.Step("netlist").note("unchanged")
            flow.Step("place and route")
            kept = json.loads(pathlib.Path(folder, "seconds.json").read_text())
        self.assertEqual(said[0], "  netlist")
        self.assertEqual(said[2], "  netlist (273 s the last time)")
        self.assertEqual(said[4], "  place and route")
        self.assertEqual(kept, {"netlist": 273}, "a step that kept an earlier result took no time")


if __name__ == "__main__":
    unittest.main()

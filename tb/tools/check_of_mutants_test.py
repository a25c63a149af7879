# SPDX-License-Identifier: Apache-2.0
"""Tests tools/mutate.py and mutate_sw.py: the changes that they make to a source, equal draws for equal seeds, and the
sources of a folder's test program."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import mutate  # noqa: E402
import mutate_sw  # noqa: E402
import plant  # noqa: E402

MODULE = """// a && b in a comment
module m #(parameter int unsigned W = 2 + 1) (input logic a, b, output logic [W-1:0] q, output logic c);
  localparam int unsigned Depth = W > 1 ? 2 : 1;
  assign c = a && !b;   // || in a comment
  if (W != 3) begin : g_more
    assign d = q[W-1:0] == (W + 1)'(0);
  end
  always_ff @(posedge clk_i) begin
    if (rst_i || a == b) q <= '0;
    else q <= q + W'(1);
  end
endmodule
"""

SOFTWARE = """#if A == B
constexpr int Twice(int n) {
  return n + n;
}
int Sum(const std::vector<int>& values, int first) {  // a && b in a comment
  static const int none = 0;
  const int last = values.size() - 1;
  for (int i = first; i < last; ++i) total += values[0] * 2;
  if (const auto* found = Find(1)) return 2;
  if (total == 7 || !Known("a < b"))
    Note(total,
         true);
  switch (first) {
    case 1: return total;
  }
  return Any(values, [&](int v) { return v > 1; });
}
"""

PROGRAM = """#!/usr/bin/env python3
import json, os, sys
report = next(word.split("json:")[1] for word in sys.argv if "json:" in word)
bad = os.environ["GMMU_PLANT"] in ("1", "4")
test = {"name": "Notices", "classname": "Suite", "status": "RUN", "failures": [{"failure": "an expectation"}] if bad else []}
json.dump({"testsuites": [{"testsuite": [test]}]}, open(report, "w"))
sys.exit(bad)
"""


class Mutants(unittest.TestCase):
    def places(self):
        clean = mutate.masked(MODULE)
        return [(MODULE.count("\n", 0, start + at) + 1, old, new) for start, end in mutate.expressions(clean)
                for at, old, new in mutate.changes(clean[start:end])]

    def test_only_what_is_computed_while_the_hardware_runs_is_changed(self):
        self.assertEqual(self.places(), [
            (4, "&&", "||"), (4, "!", " "), (6, "==", "!="), (9, "||", "&&"), (9, "==", "!="), (9, "'0", "'1"),
            (10, "+", "-")])

    def test_of_software_only_what_runs_is_changed(self):
        clean = mutate_sw.masked(SOFTWARE)
        found = [(SOFTWARE.count("\n", 0, start + at) + 1, old, new) for start, end, statement in mutate_sw.places(clean)
                 for at, old, new, _ in mutate_sw.changes(clean[start:end], statement)]
        self.assertEqual(found, [
            (7, "-", "+"), (7, "1", "0"), (8, "<", "<="), (8, "+=", "-="), (10, "==", "!="), (10, "||", "&&"), (10, "!", "!!"),
            (12, "true", "false"), (11, "call", ""), (16, ">", ">="), (16, "1", "0")])

    def test_mutated_software_chooses_between_both_texts_when_it_runs(self):
        room = "sw/os/tables"
        drawn = mutate.draw(room, 3, 60)
        for name in sorted({mutant["file"] for mutant in drawn}):
            good = (mutate.ROOT / name).read_text()
            text = mutate.mutated(drawn, name, good, *plant.CXX)
            for mutant in drawn:
                if mutant["file"] == name:
                    self.assertEqual(text.count(f"gmmu_plant() == {mutant['number']})") + text.count(f"gmmu_plant() == {mutant['number']} ?"), 1)
                    self.assertIn(mutant["new"], text)

    def test_a_mutant_that_no_test_notices_is_named_and_one_that_does_not_compile_is_not_counted(self):
        drawn = mutate.draw("sw/os/base", 3, 4)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for program in {program for mutant in drawn for program, _ in mutate.tests(mutant, folder)}:
                program.parent.mkdir(exist_ok=True)
                program.write_text(PROGRAM)
                program.chmod(0o755)
            (folder / "planted").mkdir()
            (folder / "planted" / mutate.REFUSED).write_text("[3]\n")
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                status = mutate.run("sw/os/base", folder, drawn, None, 2, 0.95)
                self.assertEqual(mutate.run("sw/os/base", folder, drawn, None, 2, 0.5), 0)
        self.assertEqual(status, 1)
        self.assertIn(f"survived: {mutate.describe(drawn[1])}", said.getvalue())
        self.assertIn("Suite.Notices", said.getvalue())
        self.assertIn("sw/os/base: 2 of 3 mutants noticed (66.7 %), 0 equivalent, 1 that do not compile", said.getvalue())

    def test_a_rooms_program_has_every_source_of_its_folder(self):
        for folder in sorted((mutate.ROOT / "tb/rtl").iterdir()):
            if folder.name in mutate.rooms():
                wanted = {str(path.relative_to(mutate.ROOT)) for pattern in ("*.cc", "gmmu_*_bench.sv") for path in folder.glob(pattern)}
                self.assertEqual(wanted - set(plant.bench_sources(folder.name)), set(), folder.name)

    def test_a_seed_draws_the_same_mutants_again_and_another_seed_others(self):
        drawn = [mutate.describe(mutant) for mutant in mutate.draw("axi", 7, 20)]
        self.assertEqual(drawn, [mutate.describe(mutant) for mutant in mutate.draw("axi", 7, 20)])
        self.assertNotEqual(drawn, [mutate.describe(mutant) for mutant in mutate.draw("axi", 8, 20)])
        self.assertEqual(len(set(drawn)), 20)

    def test_every_room_has_mutants_and_each_differs_from_its_source_in_one_token(self):
        for room in mutate.rooms():
            swaps = {**(mutate_sw.SWAPS if room.startswith("sw/") else mutate.SWAPS), "call": ""}
            for mutant in mutate.draw(room, 1, 30):
                text = (mutate.ROOT / mutant["file"]).read_text()
                good = text[mutant["start"]:mutant["end"]]
                one = [good[:at] + swaps[mutant["old"]] + good[at + len(mutant["old"]):]
                       for at in range(len(good)) if good.startswith(mutant["old"], at)]
                one += [";"] * (mutant["old"] == "call")
                self.assertIn(mutant["new"], one, mutate.describe(mutant))

    def test_equivalent_mutants_name_a_line_that_stands_in_their_file(self):
        for file, text, old, _ in mutate.reasons():
            lines = [line.strip() for line in (mutate.ROOT / file).read_text().splitlines()]
            self.assertIn(text, lines, file)
            self.assertIn(old, text)


if __name__ == "__main__":
    unittest.main()

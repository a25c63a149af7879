# SPDX-License-Identifier: Apache-2.0
"""tools/mutate.py: what it changes of a source, and that a seed always draws the same."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import mutate  # noqa: E402

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


class Mutants(unittest.TestCase):
    def places(self):
        clean = mutate.masked(MODULE)
        return [(MODULE.count("\n", 0, start + at) + 1, old, new) for start, end in mutate.expressions(clean)
                for at, old, new in mutate.changes(clean[start:end])]

    def test_only_what_is_computed_while_the_hardware_runs_is_changed(self):
        self.assertEqual(self.places(), [
            (4, "&&", "||"), (4, "!", " "), (6, "==", "!="), (9, "||", "&&"), (9, "==", "!="), (9, "'0", "'1"),
            (10, "+", "-")])

    def test_a_seed_draws_the_same_mutants_again_and_another_seed_others(self):
        drawn = [mutate.describe(mutant) for mutant in mutate.draw("axi", 7, 20)]
        self.assertEqual(drawn, [mutate.describe(mutant) for mutant in mutate.draw("axi", 7, 20)])
        self.assertNotEqual(drawn, [mutate.describe(mutant) for mutant in mutate.draw("axi", 8, 20)])
        self.assertEqual(len(set(drawn)), 20)

    def test_every_room_has_mutants_and_each_differs_from_its_source_in_one_token(self):
        for room in mutate.rooms():
            for mutant in mutate.draw(room, 1, 30):
                text = (mutate.ROOT / mutant["file"]).read_text()
                good = text[mutant["start"]:mutant["end"]]
                one = [good[:at] + (mutate.SWAPS[mutant["old"]]) + good[at + len(mutant["old"]):]
                       for at in range(len(good)) if good.startswith(mutant["old"], at)]
                self.assertIn(mutant["new"], one, mutate.describe(mutant))

    def test_equivalent_mutants_name_a_line_that_stands_in_their_file(self):
        for file, text, old, _ in mutate.reasons():
            lines = [line.strip() for line in (mutate.ROOT / file).read_text().splitlines()]
            self.assertIn(text, lines, file)
            self.assertIn(old, text)


if __name__ == "__main__":
    unittest.main()

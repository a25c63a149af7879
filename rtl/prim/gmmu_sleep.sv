// SPDX-License-Identifier: Apache-2.0
// Clock gate for a block that is often idle. If GMMU_SLEEP is defined (in simulation only), the
// clock stops while the block sleeps, to save simulation time. If not (as in synthesis), clk_o is
// clk_i.
//
//   awake_i   the block has work, or an input brings work in this cycle. The block falls asleep
//             eight cycles after the last such cycle, but never within 511 cycles of a reset, while
//             free lists are filled. A block may sleep only if its state and outputs would not
//             change with a running clock
module gmmu_sleep (
  input  logic clk_i,
  input  logic rst_i,
  input  logic awake_i,
  output logic clk_o
);
`ifdef GMMU_SLEEP
  logic [8:0] left_q;
  logic       open;
  always_ff @(posedge clk_i) begin
    if (rst_i) left_q <= '1;
    else if (awake_i && left_q <= 9'd8) left_q <= 9'd8;
    else if (left_q != '0) left_q <= left_q - 1'b1;
  end
  always_latch if (!clk_i) open = awake_i || rst_i || left_q != '0;
  assign clk_o = clk_i && open;
`else
  logic unused_inputs;
  assign unused_inputs = rst_i ^ awake_i;
  assign clk_o = clk_i;
`endif
endmodule

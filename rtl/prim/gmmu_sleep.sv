// SPDX-License-Identifier: Apache-2.0
// The clock of a block that often has nothing to do. With GMMU_SLEEP, which is for simulators, it stands
// while the block sleeps, and the block costs next to nothing; without, in a circuit, it is the clock.
//
//   awake_i   the block has something to do, or an input says so in this very cycle. It sleeps eight
//             cycles after the last one, and not in the 511 cycles after a reset, in which lists of
//             what is free are made. A block that sleeps must neither change nor show another output
//             than with a clock
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

// SPDX-License-Identifier: Apache-2.0
// Picks one requesting row after the other: all rows that ask are loaded into a register and served
// from the lowest one up, before rows that ask later.
//
//   req      rows that ask; they go on until they have been picked and taken, or cleared
//   pick     one-hot, from a register, with its number; 0: none. It stands until it is taken or
//            cleared
module gmmu_walk_pick
  import gmmu_mmu_pkg::*;
  import gmmu_walk_pkg::*;
#(
  parameter int unsigned Rows = 9
) (
  input  logic            clk_i,
  input  logic            rst_i,

  input  logic            clear_i,
  input  logic [Rows-1:0] req_i,

  input  logic            take_i,
  output logic [Rows-1:0] pick_o,
  output row_t            row_o
);
  logic [Rows-1:0] later_q;             // to be served after the one that is picked
  logic [Rows-1:0] below;
  logic            valid_q, empty_q, moves;   // empty_q: nobody in later_q, nor a cycle before

  assign below = Rows'(above(64'(later_q)));
  assign moves = !valid_q || take_i;
  always_comb begin
    row_o = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      if (pick_o[i]) row_o |= row_t'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i) begin
      valid_q <= 1'b0;
      pick_o <= '0;
      later_q <= '0;
      empty_q <= 1'b1;
    end else begin
      if (moves) begin
        valid_q <= later_q != '0;
        pick_o <= later_q & ~below;
      end
      if (empty_q) begin
        later_q <= req_i & ~pick_o;
        empty_q <= (req_i & ~pick_o) == '0;
      end else begin
        if (moves) later_q <= later_q & below;
        empty_q <= later_q == '0;
      end
    end
  end
endmodule

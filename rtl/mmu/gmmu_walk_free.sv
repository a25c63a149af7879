// SPDX-License-Identifier: Apache-2.0
// Which row begins next, and which one ends. One row a cycle ends, so that the event port sees each.
//
//   row_free     a row for anybody can be given to the lookup that decides now: not the one that
//                begins in this cycle. row_engine: the engine's
//   rows_early   how many rows for anybody were free, or about to become free, in the previous
//                cycle; saturates at 3
//   begin        a row begins now: begin_rows_o, one-hot, and its number
//   closing      rows that have nothing left to do; end_rows_o: the one that is free in the next
//                cycle, unless it is joined_i now. end_o, end_row_o: one cycle later
module gmmu_walk_free
  import gmmu_mmu_pkg::*;
  import gmmu_walk_pkg::*;
#(
  parameter int unsigned NumWalks = 8,
  localparam int unsigned Rows = NumWalks + 1
) (
  input  logic            clk_i,
  input  logic            rst_i,

  input  logic [Rows-1:0] free_i,
  input  logic [Rows-1:0] closing_i,
  input  logic [Rows-1:0] joined_i,

  output logic            row_free_o,
  output logic            row_engine_o,
  output logic [1:0]      rows_early_o,

  input  logic            begin_i,
  input  logic            begin_engine_i,
  output logic [Rows-1:0] begin_rows_o,
  output row_t            begin_row_o,

  output logic [Rows-1:0] end_rows_o,
  output logic            end_o,
  output row_t            end_row_o
);
  logic [NumWalks-1:0] next_q, open, rest, below_open, below_rest, closing;
  logic                one_q, two_q, takes;
  logic [Rows-1:0]     end_q;

  assign begin_rows_o = !begin_i ? '0
      : begin_engine_i ? Rows'(1) << NumWalks : {1'b0, next_q};
  assign row_free_o = begin_i && !begin_engine_i ? two_q : one_q;
  assign row_engine_o = free_i[NumWalks] && !(begin_i && begin_engine_i);

  // Both ways at once: the next row is taken, or not.
  assign takes = begin_i && !begin_engine_i;
  assign open = free_i[NumWalks-1:0];
  assign rest = open & ~next_q;
  assign closing = closing_i[NumWalks-1:0];
  assign below_open = NumWalks'(above(64'(open)));
  assign below_rest = NumWalks'(above(64'(rest)));
  always_comb begin
    begin_row_o = begin_engine_i ? row_t'(NumWalks) : '0;
    end_row_o = '0;
    for (int unsigned i = 0; i < NumWalks; i++) begin
      if (next_q[i] && !begin_engine_i) begin_row_o |= row_t'(i);
    end
    for (int unsigned i = 0; i < Rows; i++) begin
      if (end_q[i]) end_row_o |= row_t'(i);
    end
  end
  assign end_rows_o = closing_i & ~Rows'(above(64'(closing_i)));
  assign end_o = end_q != '0;

  always_ff @(posedge clk_i) begin
    next_q <= takes ? rest & ~below_rest : open & ~below_open;
    one_q <= !rst_i && (takes ? rest != '0 : open != '0);
    two_q <= !rst_i && (takes ? several(64'(rest)) : several(64'(open)));
    rows_early_o <= takes ? few(64'(rest | closing)) : few(64'(open | closing));
    end_q <= rst_i ? '0 : end_rows_o & ~joined_i;
  end
endmodule

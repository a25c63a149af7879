// SPDX-License-Identifier: Apache-2.0
// Do the pages from low_i to high_i touch those from first_i to tail_i? The answer stands one cycle
// later, two or three LUTs behind registers: the comparison is made in three pieces.
module gmmu_overlap
  import gmmu_pkg::*;
(
  input  logic clk_i,
  input  vpn_t low_i,
  input  vpn_t high_i,
  input  vpn_t first_i,
  input  vpn_t tail_i,
  output logic touches_o
);
  localparam int unsigned Pieces = 3;
  localparam int unsigned PieceWidth = (VpnWidth + Pieces - 1) / Pieces;
  typedef logic [Pieces-1:0][PieceWidth-1:0] pieces_t;  // the last one is the highest
  pieces_t low, high, first, tail;
  assign low = pieces_t'(low_i);
  assign high = pieces_t'(high_i);
  assign first = pieces_t'(first_i);
  assign tail = pieces_t'(tail_i);

  logic [Pieces-1:0] begins_below_q, begins_same_q, ends_above_q, ends_same_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Pieces; i++) begin
      begins_below_q[i] <= low[i] < tail[i];
      begins_same_q[i] <= low[i] == tail[i];
      ends_above_q[i] <= high[i] > first[i];
      ends_same_q[i] <= high[i] == first[i];
    end
  end

  logic begins, ends;
  always_comb begin
    begins = 1'b1;
    ends = 1'b1;
    for (int unsigned i = 0; i < Pieces; i++) begin
      begins = begins_below_q[i] || (begins_same_q[i] && begins);
      ends = ends_above_q[i] || (ends_same_q[i] && ends);
    end
  end
  assign touches_o = begins && ends;
endmodule

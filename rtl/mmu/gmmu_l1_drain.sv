// SPDX-License-Identifier: Apache-2.0
// Counts the answers of one port that are in use, by drain generation.
//
//   made_i      an answer was made and belongs to generation_i
//   done_i      answers given back
//   drained_o   registered: none of the generation is in use
//   room_o      registered: the counters are less than half full; no further lookup may be accepted
//               otherwise
module gmmu_l1_drain
  import gmmu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        made_i,
  input  logic        generation_i,
  input  xlate_done_t done_i,
  output logic [1:0]  drained_o,
  output logic        room_o
);
  localparam int unsigned Width = 12;
  logic [1:0][Width-1:0] use_q, use_d;

  assign use_d[0] = use_q[0] + Width'(made_i && !generation_i) - Width'(done_i.old0);
  assign use_d[1] = use_q[1] + Width'(made_i && generation_i) - Width'(done_i.old1);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      use_q <= '0;
      drained_o <= 2'b11;
      room_o <= 1'b1;
    end else begin
      use_q <= use_d;
      drained_o <= {use_d[1] == '0, use_d[0] == '0};
      room_o <= !use_d[1][Width-1] && !use_d[0][Width-1];
    end
  end

  a_given_back_once: assert property (@(posedge clk_i) disable iff (rst_i)
    Width'(done_i.old0) <= use_q[0] && Width'(done_i.old1) <= use_q[1]);
endmodule

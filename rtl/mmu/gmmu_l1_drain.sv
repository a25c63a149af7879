// SPDX-License-Identifier: Apache-2.0
// Counts the answers of one port that are in use, by drain generation.
//
//   made_i      one bit an answer that was made: they belong to generation_i
//   done_i      answers given back
//   drained_o   registered: none of the generation is in use, as of three cycles before
//   room_o      registered: the counters are less than half full; no further lookup may be accepted
//               otherwise
module gmmu_l1_drain
  import gmmu_pkg::*;
#(
  parameter int unsigned Width = 11
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic [1:0]  made_i,
  input  logic        generation_i,
  input  xlate_done_t done_i,
  output logic [1:0]  drained_o,
  output logic        room_o
);
  logic [1:0][Width-1:0] use_q;
  // First what came and went in a cycle: one short sum, counted in the next one. What was made is
  // known late, so that it waits for a cycle; it cannot be given back earlier.
  logic signed [3:0] change0_q, change1_q;
  logic [1:0] made_q, made;
  logic       generation_q;

  assign made = {1'b0, made_q[1]} + {1'b0, made_q[0]};
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      use_q <= '0;
      made_q <= '0;
      change0_q <= '0;
      change1_q <= '0;
      drained_o <= 2'b11;
      room_o <= 1'b1;
    end else begin
      made_q <= made_i;
      change0_q <= (generation_q ? 4'sd0 : 4'({2'b00, made})) - 4'({2'b00, done_i.old0});
      change1_q <= (generation_q ? 4'({2'b00, made}) : 4'sd0) - 4'({2'b00, done_i.old1});
      use_q[0] <= use_q[0] + Width'(change0_q);
      use_q[1] <= use_q[1] + Width'(change1_q);
      drained_o <= {use_q[1] == '0 && change1_q == '0 && made_q == '0,
                    use_q[0] == '0 && change0_q == '0 && made_q == '0};
      room_o <= !use_q[1][Width-1] && !use_q[0][Width-1];
    end
    generation_q <= generation_i;
  end

  a_given_back_once: assert property (@(posedge clk_i) disable iff (rst_i)
    Width'(done_i.old0) <= use_q[0] + Width'(change0_q) + (generation_q ? '0 : Width'(made))
    && Width'(done_i.old1) <= use_q[1] + Width'(change1_q) + (generation_q ? Width'(made) : '0));
endmodule

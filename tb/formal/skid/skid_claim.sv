// SPDX-License-Identifier: Apache-2.0
// Properties of gmmu_skid: words leave unchanged and in order; valid_o is 1 if a word is inside,
// and ready_o if fewer than two are; words can enter and leave in consecutive cycles.
module skid_claim #(
  parameter int unsigned Width = 2
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic             mark_i,
  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] data_i
);
  logic             ran, ready, valid;
  logic [Width-1:0] data;
  logic [1:0]       level;

  gmmu_reset_props u_reset (.clk_i, .rst_i, .ran_o(ran));
  gmmu_stream_props #(.Width(Width), .Assert(0)) u_in (
    .clk_i, .rst_i, .valid_i, .ready_i(ready), .payload_i(data_i));
  gmmu_skid #(.Width(Width)) u_skid (
    .clk_i, .rst_i, .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data));
  gmmu_stream_props #(.Width(Width)) u_out (
    .clk_i, .rst_i, .valid_i(valid), .ready_i, .payload_i(data));
  gmmu_queue_props #(.Width(Width), .Capacity(2)) u_queue (
    .clk_i, .rst_i, .mark_i, .in_valid_i(valid_i), .in_ready_i(ready), .in_i(data_i),
    .out_valid_i(valid), .out_ready_i(ready_i), .out_i(data), .level_o(level));

  a_level: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || (valid == (level != '0) && ready == (level != 2'd2)));
  c_both_words: cover property (@(posedge clk_i) disable iff (rst_i) ran && level == 2'd2);
  logic moved_q;
  always_ff @(posedge clk_i) moved_q <= !rst_i && valid && ready_i && valid_i && ready;
  c_full_rate: cover property (@(posedge clk_i) disable iff (rst_i)
    ran && moved_q && valid && ready_i && valid_i && ready);
endmodule

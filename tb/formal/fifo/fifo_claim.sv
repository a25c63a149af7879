// SPDX-License-Identifier: Apache-2.0
// Properties of gmmu_fifo: words leave in the order in which they entered, and none is lost,
// duplicated or overwritten; valid is 1 if and only if a word is held, and ready if and only if
// there is space for a word.
module fifo_claim #(
  parameter int unsigned Width = 2,
  parameter int unsigned Depth = 4
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic             mark_i,
  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] data_i
);
  localparam int unsigned LevelWidth = $clog2(Depth + 2);
  logic                  ran, ready, valid;
  logic [Width-1:0]      data;
  logic [LevelWidth-1:0] level;

  gmmu_reset_props u_reset (.clk_i, .rst_i, .ran_o(ran));
  gmmu_stream_props #(.Width(Width), .Assert(0)) u_in (
    .clk_i, .rst_i, .valid_i, .ready_i(ready), .payload_i(data_i));
  gmmu_fifo #(.Width(Width), .Depth(Depth)) u_fifo (
    .clk_i, .rst_i, .valid_i, .ready_o(ready), .data_i,
    .valid_o(valid), .ready_i, .data_o(data));
  gmmu_stream_props #(.Width(Width)) u_out (
    .clk_i, .rst_i, .valid_i(valid), .ready_i, .payload_i(data));
  gmmu_queue_props #(.Width(Width), .Capacity(Depth)) u_queue (
    .clk_i, .rst_i, .mark_i, .in_valid_i(valid_i), .in_ready_i(ready), .in_i(data_i),
    .out_valid_i(valid), .out_ready_i(ready_i), .out_i(data), .level_o(level));

  a_level: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || (valid == (level != '0) && ready == (level != LevelWidth'(Depth))));
  c_full: cover property (@(posedge clk_i) disable iff (rst_i)
    ran && level == LevelWidth'(Depth));
  if (Depth > 1) begin : g_deep
    c_in_and_out: cover property (@(posedge clk_i) disable iff (rst_i)
      ran && valid && ready_i && valid_i && ready);
  end
endmodule

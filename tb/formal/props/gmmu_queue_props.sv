// SPDX-License-Identifier: Apache-2.0
// Contract of a queue: words leave in order, none is lost or duplicated, and it holds at most Capacity words.
//
// One word is marked as it enters, in a cycle that mark_i selects; a proof does not constrain
// mark_i, so the result holds for every word. The marked word must leave unchanged, after exactly
// the words that entered before it.
module gmmu_queue_props #(
  parameter int unsigned Width = 1,
  parameter int unsigned Capacity = 2,
  localparam int unsigned LevelWidth = $clog2(Capacity + 2)
) (
  input logic             clk_i,
  input logic             rst_i,
  input logic             mark_i,

  input logic             in_valid_i,
  input logic             in_ready_i,
  input logic [Width-1:0] in_i,
  input logic             out_valid_i,
  input logic             out_ready_i,
  input logic [Width-1:0] out_i,

  output logic [LevelWidth-1:0] level_o  // number of words in the queue
);
  logic push, pop, marking, marked_q;
  logic [Width-1:0]      word_q;
  logic [LevelWidth-1:0] ahead_q;        // number of words that must leave before the marked word

  assign push = in_valid_i && in_ready_i;
  assign pop = out_valid_i && out_ready_i;
  assign marking = push && mark_i && !marked_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      level_o <= '0;
      marked_q <= 1'b0;
    end else begin
      level_o <= level_o + LevelWidth'(push) - LevelWidth'(pop);
      if (marking) marked_q <= 1'b1;
      else if (marked_q && pop && ahead_q == '0) marked_q <= 1'b0;
    end
    if (marking) begin
      word_q <= in_i;
      ahead_q <= level_o - LevelWidth'(pop);
    end else if (marked_q && pop) begin
      ahead_q <= ahead_q - 1'b1;
    end
  end

  a_capacity: assert property (@(posedge clk_i) disable iff (rst_i)
    level_o <= LevelWidth'(Capacity));
  a_nothing_from_nowhere: assert property (@(posedge clk_i) disable iff (rst_i)
    !out_valid_i || level_o != '0);
  a_order: assert property (@(posedge clk_i) disable iff (rst_i)
    !(marked_q && ahead_q == '0 && out_valid_i) || out_i == word_q);
  a_still_there: assert property (@(posedge clk_i) disable iff (rst_i)
    !marked_q || ahead_q < level_o);
  c_marked_behind_others: cover property (@(posedge clk_i) disable iff (rst_i)
    marked_q && pop && ahead_q == '0 && level_o != '0);
endmodule

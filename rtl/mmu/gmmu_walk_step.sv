// SPDX-License-Identifier: Apache-2.0
// The rows' steps: index, shift and width of the levels that they read, in LUT RAM. A row keeps two,
// addressed by the lowest bit of the level: the one of its read, and the one below it.
//
//   start    a row's first step; it is written at once
//   index    a step from the index unit; not while start_i
//   latest   by row: the step that was written last, for its next read; line likewise
//   level    by row and the lowest bit of the level; beat_word_o only where a beat has several words
module gmmu_walk_step
  import gmmu_mmu_pkg::*;
  import gmmu_walk_pkg::*;
#(
  parameter int unsigned Rows = 9
) (
  input  logic        clk_i,

  input  logic        start_i,
  input  row_t        start_row_i,
  input  logic        start_low_i,
  input  step_t       start_step_i,
  input  logic        index_i,
  input  row_t        index_row_i,
  input  logic        index_low_i,
  input  step_t       index_step_i,

  input  row_t        beat_row_i,
  input  logic        beat_low_i,
  output logic [2:0]  beat_word_o,
  output logic [12:0] beat_latest_o,
  output logic        beat_block_ok_o,
  input  row_t        read_row_i,
  output logic [12:0] read_latest_o,
  input  row_t        fill_row_i,
  output logic [2:0]  fill_line_o,

  input  row_t        judge_row_i,
  input  logic        judge_low_i,
  output logic [5:0]  judge_shift_o,
  output logic [2:0]  judge_word_o,
  input  row_t        tell_row_i,
  input  logic        tell_low_i,
  output logic [5:0]  tell_shift_o,
  output logic        tell_block_ok_o,
  output logic [2:0]  tell_line_o,
  output logic [2:0]  tell_word_o
);
  localparam int unsigned RowWidth = $clog2(Rows);
  typedef logic [RowWidth-1:0] index_t;

  logic   write, low;
  index_t row;
  step_t  step;
  assign write = start_i || index_i;
  assign row = index_t'(start_i ? start_row_i : index_row_i);
  assign low = start_i ? start_low_i : index_low_i;
  assign step = start_i ? start_step_i : index_step_i;

  gmmu_lutram #(.Width(14), .Depth(Rows)) u_beat (
    .clk_i, .write_i(write), .write_addr_i(row), .data_i({step.block_ok, step.index}),
    .read_addr_i(index_t'(beat_row_i)), .data_o({beat_block_ok_o, beat_latest_o}));
  if (gmmu_pkg::DataWidth > 64) begin : g_word
    gmmu_lutram #(.Width(3), .Depth(2**(RowWidth+1))) u_word (
      .clk_i, .write_i(write), .write_addr_i({row, low}), .data_i(step.index[2:0]),
      .read_addr_i({index_t'(beat_row_i), beat_low_i}), .data_o(beat_word_o));
  end else begin : g_one
    logic unused_low;
    assign unused_low = beat_low_i;
    assign beat_word_o = '0;
  end
  gmmu_lutram #(.Width(13), .Depth(Rows)) u_read (
    .clk_i, .write_i(write), .write_addr_i(row), .data_i(step.index),
    .read_addr_i(index_t'(read_row_i)), .data_o(read_latest_o));
  gmmu_lutram #(.Width(3), .Depth(Rows)) u_fill (
    .clk_i, .write_i(write), .write_addr_i(row), .data_i(step.line),
    .read_addr_i(index_t'(fill_row_i)), .data_o(fill_line_o));
  gmmu_lutram #(.Width(9), .Depth(2**(RowWidth+1))) u_judge (
    .clk_i, .write_i(write), .write_addr_i({row, low}), .data_i({step.shift, step.index[2:0]}),
    .read_addr_i({index_t'(judge_row_i), judge_low_i}), .data_o({judge_shift_o, judge_word_o}));
  gmmu_lutram #(.Width(13), .Depth(2**(RowWidth+1))) u_tell (
    .clk_i, .write_i(write), .write_addr_i({row, low}),
    .data_i({step.shift, step.block_ok, step.line, step.index[2:0]}),
    .read_addr_i({index_t'(tell_row_i), tell_low_i}),
    .data_o({tell_shift_o, tell_block_ok_o, tell_line_o, tell_word_o}));

  logic unused_bits;
  assign unused_bits = ^{beat_row_i, read_row_i, fill_row_i, judge_row_i, tell_row_i, start_row_i,
      index_row_i};
endmodule

// SPDX-License-Identifier: Apache-2.0
// A gmmu_fifo with an early almost-full signal, for writers that commit to a word some cycles
// before they write it.
//
//   room_o   registered: one cycle ago there was space for Margin more words. Margin counts the
//            word that the writer commits to now, and all words that may be in the writer's
//            pipeline or have been written since then
//   input    a writer that obeys room_o never finds the FIFO full. ready_o (registered; 1 while the
//            FIFO is not full) is for a writer that may also use the margin
//   output   as gmmu_fifo
module gmmu_fifo_room #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 8,
  parameter int unsigned Margin = 3
) (
  input  logic             clk_i,
  input  logic             rst_i,

  output logic             room_o,
  output logic             ready_o,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,

  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  if (Depth < Margin) begin : g_illegal
    $fatal(1, "gmmu_fifo_room: Depth must be at least Margin");
  end

  localparam int unsigned CountWidth = $clog2(Depth + 1);
  logic [CountWidth-1:0] count_q;

  gmmu_fifo #(.Width(Width), .Depth(Depth)) u_fifo (
    .clk_i, .rst_i, .valid_i, .ready_o, .data_i, .valid_o, .ready_i, .data_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) count_q <= '0;
    else if (valid_i != (valid_o && ready_i)) count_q <= count_q + (valid_i ? CountWidth'(1) : '1);
    room_o <= !rst_i && 32'(count_q) + Margin <= Depth;
  end

  a_room: assert property (@(posedge clk_i) disable iff (rst_i) !valid_i || ready_o);
endmodule

// SPDX-License-Identifier: Apache-2.0
// FIFO with a depth of 1 or more.
//
//   input    ready_o is 1 while the FIFO is not full; it comes from a register and depends on no
//            input
//   output   valid_o comes from a register. data_o is stable while valid_o && !ready_i; a word
//            written at one edge can be read at the next
module gmmu_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 2
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,

  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  if (Depth < 1) begin : g_illegal
    $fatal(1, "gmmu_fifo: Depth must be at least 1");
  end

  localparam int unsigned PointerWidth = Depth > 1 ? $clog2(Depth) : 1;
  localparam int unsigned CountWidth = $clog2(Depth + 1);
  localparam logic [PointerWidth-1:0] Last = PointerWidth'(Depth - 1);
  localparam bit Wraps = Depth != 2**PointerWidth;  // the pointers must wrap explicitly

  (* ram_style = "distributed" *)
  logic [Width-1:0]        words_q [Depth];
  logic [PointerWidth-1:0] write_q, read_q;
  logic [CountWidth-1:0]   count_q;
  logic                    push, pop;

  assign data_o = words_q[read_q];
  assign push = valid_i && ready_o;
  assign pop = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
      ready_o <= 1'b1;
      valid_o <= 1'b0;
    end else begin
      if (push) write_q <= Wraps && write_q == Last ? '0 : write_q + 1'b1;
      if (pop) read_q <= Wraps && read_q == Last ? '0 : read_q + 1'b1;
      if (push != pop) count_q <= count_q + (push ? CountWidth'(1) : '1);
      ready_o <= pop || (ready_o && !(push && count_q == CountWidth'(Depth - 1)));
      valid_o <= push || (valid_o && !(pop && count_q == CountWidth'(1)));
    end
    if (push) words_q[write_q] <= data_i;
  end
endmodule

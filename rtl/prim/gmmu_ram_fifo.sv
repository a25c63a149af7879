// SPDX-License-Identifier: Apache-2.0
// First in, first out, for depths that belong into a block RAM.
//
//   input    ready_o while not full; it comes from a register and depends on no input
//   output   data_o stands while valid_o && !ready_i; a word shows two cycles after its write at
//            the earliest
//   empty_o  no word is inside, shown or not; from registers
module gmmu_ram_fifo #(
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
  output logic [Width-1:0] data_o,

  output logic             empty_o
);
  if (Depth < 2) begin : g_illegal
    $fatal(1, "gmmu_ram_fifo: Depth must be at least 2");
  end

  localparam int unsigned PointerWidth = $clog2(Depth);
  localparam int unsigned CountWidth = $clog2(Depth + 1);
  localparam logic [PointerWidth-1:0] Last = PointerWidth'(Depth - 1);

  logic [PointerWidth-1:0] write_q, read_q;
  logic [CountWidth-1:0]   count_q;  // words in the RAM that were not fetched
  logic                    push, fetch;

  assign ready_o = count_q != CountWidth'(Depth);
  assign push = valid_i && ready_o;
  assign fetch = count_q != '0 && (!valid_o || ready_i);
  assign empty_o = count_q == '0 && !valid_o;

  (* ram_style = "block" *) logic [Width-1:0] words_q [Depth];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
      valid_o <= 1'b0;
    end else begin
      if (push) write_q <= write_q == Last ? '0 : write_q + 1'b1;
      if (fetch) read_q <= read_q == Last ? '0 : read_q + 1'b1;
      if (push && !fetch) count_q <= count_q + 1'b1;
      if (fetch && !push) count_q <= count_q - 1'b1;
      valid_o <= fetch || (valid_o && !ready_i);
    end
    if (fetch) data_o <= words_q[read_q];
    if (push) words_q[write_q] <= data_i;
  end
endmodule

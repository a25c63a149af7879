// SPDX-License-Identifier: Apache-2.0
// Prepared rows of the address spaces, in RAM.
//
//   read    row_o one cycle after read_i, standing until the next read_i; a space that was never
//           written, or that is not built, reads as not enabled with a root of level 0. now_o: the
//           row that is being read
//   write   one row, at the edge
module gmmu_space_table
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned NumSpaces = 16
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       read_i,
  input  space_t     read_space_i,
  output space_row_t row_o,
  output space_row_t now_o,

  input  logic       write_i,
  input  space_t     write_space_i,
  input  space_row_t row_i
);
  localparam int unsigned IndexWidth = NumSpaces > 1 ? $clog2(NumSpaces) : 1;

  logic [2**IndexWidth-1:0] written_q;
  logic        written_read_q;
  space_row_t  row;

  gmmu_lutram #(.Width($bits(space_row_t)), .Depth(NumSpaces)) u_rows (
    .clk_i, .write_i, .write_addr_i(IndexWidth'(write_space_i)), .data_i(row_i),
    .read_addr_i(IndexWidth'(read_space_i)), .data_o(now_o));

  logic unused_bits;
  assign unused_bits = ^write_space_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) written_q <= '0;
    else if (write_i) written_q[IndexWidth'(write_space_i)] <= 1'b1;  // only built spaces
    if (read_i) begin
      row <= now_o;
      written_read_q <= written_q[IndexWidth'(read_space_i)] && 32'(read_space_i) < NumSpaces;
    end
  end

  always_comb begin
    row_o = row;
    row_o.enable = row.enable && written_read_q;
    if (!written_read_q) row_o.top = '0;
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// RAM with one read port, one write port and no reset, so that it maps to block RAM.
//
//   read     data_o one cycle after read_i, stable until the next read_i
//   write    at the edge; a read of the same word in the same cycle returns the old word
module gmmu_ram_1r1w #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16,
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,

  input  logic                 read_i,
  input  logic [AddrWidth-1:0] read_addr_i,
  output logic [Width-1:0]     data_o,

  input  logic                 write_i,
  input  logic [AddrWidth-1:0] write_addr_i,
  input  logic [Width-1:0]     data_i
);
  logic [Width-1:0] words [Depth];

  always_ff @(posedge clk_i) begin
    if (read_i) data_o <= words[read_addr_i];
    if (write_i) words[write_addr_i] <= data_i;
  end
endmodule

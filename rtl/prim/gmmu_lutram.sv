// SPDX-License-Identifier: Apache-2.0
// Small RAM with one write port, an asynchronous read port and no reset, so that it maps to LUT
// RAM. A read of the word that is being written returns the old word.
module gmmu_lutram #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16,
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,

  input  logic                 write_i,
  input  logic [AddrWidth-1:0] write_addr_i,
  input  logic [Width-1:0]     data_i,

  input  logic [AddrWidth-1:0] read_addr_i,
  output logic [Width-1:0]     data_o
);
  (* ram_style = "distributed" *) logic [Width-1:0] words [Depth];

  assign data_o = words[read_addr_i];

  always_ff @(posedge clk_i) begin
    if (write_i) words[write_addr_i] <= data_i;
  end
endmodule

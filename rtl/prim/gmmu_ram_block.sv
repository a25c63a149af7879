// SPDX-License-Identifier: Apache-2.0
// A gmmu_ram_apart that always uses block RAM, even for a small Depth: it saves LUT RAM at the cost
// of a longer clock-to-output delay.
//
//   read     data_o one cycle after read_i, stable until the next read_i
//   write    at the edge; a read of the same word in the same cycle returns an undefined value
module gmmu_ram_block #(
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
  (* no_rw_check, ram_style = "block" *) logic [Width-1:0] words [Depth];

  always_ff @(posedge clk_i) begin
    if (read_i) data_o <= words[read_addr_i];
    if (write_i) words[write_addr_i] <= data_i;
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Primitives that other primitives use, each with a typical size and with its smallest, with flat
// ports for C++. Each queue has separate input and output ports.
module gmmu_prim_inner_bench (
  input  logic        clk_i,
  input  logic        rst_i,

  // In this order: gmmu_slice with 32 bits and with 1 bit; half-rate gmmu_slice with 32 bits and
  // with 1 bit; gmmu_fifo_ram with 64 words (block RAM), with 4 words, and with 4 words of one bit.
  input  logic        valid_i [7],
  output logic        ready_o [7],
  input  logic [31:0] data_i [7],
  output logic        valid_o [7],
  input  logic        ready_i [7],
  output logic [31:0] data_o [7],

  // gmmu_ram_apart with 16 words and with 1 word; gmmu_ram_block with the same two sizes.
  input  logic        ram_write_i,
  input  logic [3:0]  ram_write_addr_i,
  input  logic [31:0] ram_data_i,
  input  logic        ram_read_i,
  input  logic [3:0]  ram_read_addr_i,
  output logic [31:0] ram_o [4],

  output logic        reset_o
);
  for (genvar s = 0; s < 4; s++) begin : g_slice
    localparam int unsigned Width = s % 2 == 0 ? 32 : 1;
    logic [Width-1:0] data;
    gmmu_slice #(.Width(Width), .Slow(s >= 2)) u_slice (
      .clk_i, .rst_i, .valid_i(valid_i[s]), .ready_o(ready_o[s]), .data_i(data_i[s][Width-1:0]),
      .valid_o(valid_o[s]), .ready_i(ready_i[s]), .data_o(data));
    assign data_o[s] = 32'(data);
  end
  for (genvar f = 4; f < 7; f++) begin : g_fifo
    localparam int unsigned Width = f == 6 ? 1 : 32;
    logic [Width-1:0] data;
    gmmu_fifo_ram #(.Width(Width), .Depth(f == 4 ? 64 : 4)) u_fifo (
      .clk_i, .rst_i, .valid_i(valid_i[f]), .ready_o(ready_o[f]), .data_i(data_i[f][Width-1:0]),
      .valid_o(valid_o[f]), .ready_i(ready_i[f]), .data_o(data));
    assign data_o[f] = 32'(data);
  end

  gmmu_ram_apart #(.Width(32), .Depth(16)) u_apart (
    .clk_i, .read_i(ram_read_i), .read_addr_i(ram_read_addr_i), .data_o(ram_o[0]),
    .write_i(ram_write_i), .write_addr_i(ram_write_addr_i), .data_i(ram_data_i));
  gmmu_ram_apart #(.Width(32), .Depth(1)) u_apart_one (
    .clk_i, .read_i(ram_read_i && ram_read_addr_i == '0), .read_addr_i(1'b0), .data_o(ram_o[1]),
    .write_i(ram_write_i && ram_write_addr_i == '0), .write_addr_i(1'b0), .data_i(ram_data_i));
  gmmu_ram_block #(.Width(32), .Depth(16)) u_block (
    .clk_i, .read_i(ram_read_i), .read_addr_i(ram_read_addr_i), .data_o(ram_o[2]),
    .write_i(ram_write_i), .write_addr_i(ram_write_addr_i), .data_i(ram_data_i));
  gmmu_ram_block #(.Width(32), .Depth(1)) u_block_one (
    .clk_i, .read_i(ram_read_i && ram_read_addr_i == '0), .read_addr_i(1'b0), .data_o(ram_o[3]),
    .write_i(ram_write_i && ram_write_addr_i == '0), .write_addr_i(1'b0), .data_i(ram_data_i));

  gmmu_reset u_reset (.clk_i, .rst_i, .rst_o(reset_o));
endmodule

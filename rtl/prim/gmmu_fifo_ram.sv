// SPDX-License-Identifier: Apache-2.0
// FIFO for depths that justify a block RAM. Depth is a power of two, at least 4; the output
// registers hold two more words.
//
//   input    ready_o is 1 while the RAM is not full; it comes from a register and depends on no
//            input
//   output   valid_o and data_o come from registers; data_o is stable while valid_o && !ready_i. A
//            word written at one edge can be read three edges later. The rate is one word per cycle
module gmmu_fifo_ram #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 64
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
  localparam int unsigned AddrWidth = $clog2(Depth);
  if (Depth < 4 || (1 << AddrWidth) != Depth) begin : g_illegal
    $fatal(1, "gmmu_fifo_ram: Depth must be a power of two, 4 or more");
  end

  logic [AddrWidth-1:0] write_q, read_q;
  logic [AddrWidth:0]   count_q;             // unread words in the RAM
  logic                 push, read, ram_valid_q, out_free;
  logic [Width-1:0]     ram_data;
  assign push = valid_i && ready_o;
  assign read = count_q != '0 && (!ram_valid_q || out_free);

  // A small memory does not justify a block RAM.
  if (Width * Depth >= 1024) begin : g_block
    gmmu_ram_block #(.Width(Width), .Depth(Depth)) u_ram (
      .clk_i,
      .read_i(read), .read_addr_i(read_q), .data_o(ram_data),
      .write_i(push), .write_addr_i(write_q), .data_i);
  end else begin : g_small
    gmmu_ram_apart #(.Width(Width), .Depth(Depth)) u_ram (
      .clk_i,
      .read_i(read), .read_addr_i(read_q), .data_o(ram_data),
      .write_i(push), .write_addr_i(write_q), .data_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
      ready_o <= 1'b1;
      ram_valid_q <= 1'b0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (read) read_q <= read_q + 1'b1;
      if (push && !read) count_q <= count_q + 1'b1;
      if (read && !push) count_q <= count_q - 1'b1;
      ready_o <= read || (ready_o && !(push && count_q == (AddrWidth + 1)'(Depth - 1)));
      if (!ram_valid_q || out_free) ram_valid_q <= read;
    end
  end

  assign out_free = !valid_o || ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) valid_o <= 1'b0;
    else if (out_free) valid_o <= ram_valid_q;
    if (out_free) data_o <= ram_data;
  end
endmodule

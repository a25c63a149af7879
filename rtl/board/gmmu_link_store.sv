// SPDX-License-Identifier: Apache-2.0
// Stores the payload bytes of frames as they arrive. At the end of a frame, its bytes are either
// kept, and can then be read, or dropped.
//
//   write     appends a byte to the bytes that have arrived since the last keep_i; allowed while
//             room_o is not 0
//   keep_i    keeps the first keep_bytes_i of these bytes and drops the others; 0 drops all
//   room_o    number of full-size frames (MaxPayload and CRC) that fit, at most MaxFrames
//   read      valid_o and data_o come from registers; data_o is stable while valid_o && !ready_i
module gmmu_link_store
  import gmmu_link_pkg::*;
#(
  parameter int unsigned Bytes = 4096
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       write_i,
  input  logic [7:0] data_i,
  input  logic       keep_i,
  input  logic [8:0] keep_bytes_i,
  output logic [3:0] room_o,

  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o
);
  localparam int unsigned AddrWidth = $clog2(Bytes);
  typedef logic [AddrWidth-1:0] addr_t;
  if (Bytes < 4 * MaxPayload || (1 << AddrWidth) != Bytes) begin : g_illegal
    $fatal(1, "gmmu_link_store: Bytes must be a power of two of at least 4 frames");
  end

  addr_t kept_q, write_q, read_q;  // kept_q: end of the kept bytes; write_q, read_q: next byte
  logic  read, ram_valid_q, out_free;
  logic [7:0] ram_data;
  assign read = read_q != kept_q && (!ram_valid_q || out_free);
  assign out_free = !valid_o || ready_i;

  gmmu_ram_block #(.Width(8), .Depth(Bytes)) u_ram (
    .clk_i, .read_i(read), .read_addr_i(read_q), .data_o(ram_data),
    .write_i, .write_addr_i(write_q), .data_i);

  // Space for one more frame than announced is reserved: for bytes that are written but not kept,
  // and for the byte that distinguishes "full" from "empty".
  addr_t used_q;
  logic [AddrWidth-8:0] frames;
  assign frames = (AddrWidth - 7)'((AddrWidth + 1)'(Bytes) - (AddrWidth + 1)'(used_q) >> 8);

  always_ff @(posedge clk_i) begin
    if (write_i) write_q <= write_q + 1'b1;
    if (keep_i) begin
      kept_q <= kept_q + addr_t'(keep_bytes_i);
      write_q <= kept_q + addr_t'(keep_bytes_i);
    end
    if (read) read_q <= read_q + 1'b1;
    used_q <= kept_q - read_q;
    room_o <= frames < 2 ? '0 : frames > (AddrWidth - 7)'(MaxFrames + 1) ? 4'(MaxFrames) : 4'(frames - 2'd2);
    if (!ram_valid_q || out_free) ram_valid_q <= read;
    if (out_free) begin
      valid_o <= ram_valid_q;
      data_o <= ram_data;
    end
    if (rst_i) begin
      kept_q <= '0;
      write_q <= '0;
      read_q <= '0;
      used_q <= '0;
      ram_valid_q <= 1'b0;
      valid_o <= 1'b0;
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Cuts a range of bytes into bursts that do not cross an aligned chunk (hence no 4 KiB page).
//
//   input    a range of length bytes (not 0) from place on, with a label of UserWidth bits
//   output   its bursts, ascending, one a cycle; last marks the range's last one
// The next range is taken in the cycle in which the last burst of the present one leaves.
module gmmu_dma_split
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Chunk = 128,     // bytes, a power of two, at most 256
  parameter int unsigned UserWidth = 1
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 valid_i,
  output logic                 ready_o,
  input  place_t               place_i,
  input  logic [47:0]          length_i,
  input  logic [UserWidth-1:0] user_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output place_t               place_o,
  output logic [7:0]           bytes_m1_o,
  output logic                 last_o,
  output logic [UserWidth-1:0] user_o
);
  localparam int unsigned ChunkLg2 = $clog2(Chunk);

  logic                 valid_q;
  place_t               place_q;
  logic [47:0]          left_q;      // bytes left - 1
  logic [UserWidth-1:0] user_q;

  logic [ChunkLg2-1:0] room;         // to the chunk's end - 1
  assign room = ~place_q.address[ChunkLg2-1:0];

  assign valid_o = valid_q;
  assign place_o = place_q;
  assign user_o = user_q;
  assign last_o = left_q <= 48'(room);
  assign bytes_m1_o = last_o ? left_q[7:0] : 8'(room);
  assign ready_o = !valid_q || (ready_i && last_o);

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else if (ready_o) valid_q <= valid_i;

    if (ready_o) begin
      place_q <= place_i;
      left_q <= length_i - 48'd1;
      user_q <= user_i;
    end else if (ready_i) begin
      place_q.address <= {place_q.address[63:ChunkLg2] + (64 - ChunkLg2)'(1), ChunkLg2'(0)};
      left_q <= left_q - 48'(room) - 48'd1;
    end
  end
endmodule

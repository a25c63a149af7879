// SPDX-License-Identifier: Apache-2.0
// Splits a range of bytes into bursts that do not cross the boundary of an aligned chunk (and
// therefore no 4 KiB boundary).
//
//   input    a range: its first byte (place_i), the low address bits of its last byte (end_i), and
//            user_i, which is returned with each burst
//   output   the bursts of the range in ascending order, one per cycle: the first byte (place_o)
//            and the offset of the last byte in its chunk (stop_o); last_o marks the last burst of
//            the range
// A register holds the next range, which starts in the cycle in which the last burst of the
// previous range is accepted.
module gmmu_dma_split
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Chunk = 128,     // bytes, a power of two, at most 256
  parameter int unsigned UserWidth = 1,
  localparam int unsigned ChunkLg2 = $clog2(Chunk)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 valid_i,
  output logic                 ready_o,
  input  place_t               place_i,
  input  end_t                 end_i,
  input  logic [UserWidth-1:0] user_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output place_t               place_o,
  output logic [ChunkLg2-1:0]  stop_o,
  output logic                 last_o,
  output logic [UserWidth-1:0] user_o
);
  typedef logic [$bits(end_t)-1:ChunkLg2] chunk_t;
  logic                 next_valid_q, load;
  place_t               next_place_q;
  end_t                 next_end_q, end_q;
  logic [UserWidth-1:0] next_user_q;
  assign ready_o = !next_valid_q || load;
  assign load = !valid_o || (ready_i && last_o);
  assign stop_o = end_q[ChunkLg2-1:0] | {ChunkLg2{!last_o}};

  // last_next: the next chunk is the last one. It is computed without an adder: chunk + 1 equals
  // last_chunk if the two differ in exactly the bits that receive a carry. If this holds for the
  // next lower bit, that bit produces a carry exactly if it is 1 in chunk and 0 in last_chunk.
  chunk_t chunk, last_chunk, carry;
  logic   last_next;
  assign chunk = place_o.address[$bits(end_t)-1:ChunkLg2];
  assign last_chunk = end_q[$bits(end_t)-1:ChunkLg2];
  assign carry = (chunk & ~last_chunk) << 1 | chunk_t'(1);
  assign last_next = (chunk ^ last_chunk) == carry;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      next_valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (ready_o) next_valid_q <= valid_i;
      if (load) valid_o <= next_valid_q;
    end
    if (ready_o && valid_i) begin
      next_place_q <= place_i;
      next_end_q <= end_i;
      next_user_q <= user_i;
    end
    if (load && next_valid_q) begin
      place_o <= next_place_q;
      end_q <= next_end_q;
      user_o <= next_user_q;
      last_o <= next_place_q.address[$bits(end_t)-1:ChunkLg2] ==
                next_end_q[$bits(end_t)-1:ChunkLg2];
    end else if (ready_i) begin
      place_o.address <= {place_o.address[63:ChunkLg2] + (64 - ChunkLg2)'(1), ChunkLg2'(0)};
      last_o <= last_next;
    end
  end
endmodule

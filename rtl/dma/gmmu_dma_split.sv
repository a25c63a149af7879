// SPDX-License-Identifier: Apache-2.0
// Cuts a range of bytes into bursts that do not cross an aligned chunk (hence no 4 KiB page).
//
//   input    a range of length bytes (not 0) from place on, with a label of UserWidth bits
//   output   its bursts, ascending, one a cycle; last marks the range's last one
// A range waits in a slice, its length as a count of chunks, so that a burst costs no subtraction.
// It goes to work in the cycle in which the last burst of the one before leaves.
module gmmu_dma_split
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Chunk = 128,     // bytes, a power of two, at most 256
  parameter int unsigned UserWidth = 1,
  parameter bit          Slow = 1'b0      // a range every other cycle
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
  localparam int unsigned CountWidth = 49 - ChunkLg2;
  typedef struct packed {
    place_t                place;
    logic [48:0]           span;
    logic                  single;
    logic [UserWidth-1:0]  user;
  } range_t;

  logic [48:0]           span;            // of the range's last byte, from its first chunk's start
  logic [CountWidth-1:0] chunks_q;        // after this one
  logic [ChunkLg2-1:0]   end_q, stop;     // last byte in the last chunk, in this one
  logic                  valid_q, last_q, next_valid, next_take;
  range_t                next;
  place_t                place_q;
  logic [UserWidth-1:0]  user_q;
  assign span = 49'(length_i) + 49'(place_i.address[ChunkLg2-1:0]) - 49'd1;
  // Is the span within one chunk? Not from the sum of all bits, which comes late.
  logic [ChunkLg2+1:0]   low_span;
  logic                  single;
  assign low_span = (ChunkLg2 + 2)'(length_i[ChunkLg2:0]) +
                    (ChunkLg2 + 2)'(place_i.address[ChunkLg2-1:0]) - (ChunkLg2 + 2)'(1);
  logic                  unused;
  assign unused = ^low_span[ChunkLg2-1:0];
  assign single = length_i[47:ChunkLg2+1] == '0 && low_span[ChunkLg2+1:ChunkLg2] == '0;

  gmmu_slice #(.Width($bits(range_t)), .Slow(Slow)) u_next (
    .clk_i, .rst_i,
    .valid_i, .ready_o, .data_i({place_i, span, single, user_i}),
    .valid_o(next_valid), .ready_i(next_take), .data_o(next));

  assign stop = last_q ? end_q : '1;
  assign valid_o = valid_q;
  assign place_o = place_q;
  assign user_o = user_q;
  assign last_o = last_q;
  assign bytes_m1_o = 8'(stop - place_q.address[ChunkLg2-1:0]);
  assign next_take = !valid_q || (ready_i && last_q);

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else if (next_take) valid_q <= next_valid;

    if (next_take) begin
      place_q <= next.place;
      user_q <= next.user;
      chunks_q <= next.span[48:ChunkLg2];
      end_q <= next.span[ChunkLg2-1:0];
      last_q <= next.single;
    end else if (ready_i) begin
      place_q.address <= {place_q.address[63:ChunkLg2] + (64 - ChunkLg2)'(1), ChunkLg2'(0)};
      chunks_q <= chunks_q - CountWidth'(1);
      last_q <= chunks_q == CountWidth'(1);
    end
  end
endmodule

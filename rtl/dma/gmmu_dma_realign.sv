// SPDX-License-Identifier: Apache-2.0
// Converts the beats of a range from the alignment of the source to that of the destination.
//
//   input    beats of consecutive bytes, marked by mask_i; shift_i = (destination - source) mod bus
//            bytes, equal for all beats of a range; last_i marks the last beat of the range
//   output   every destination beat once, in order; bytes outside the range are undefined
// One beat is accepted per cycle. If the destination has one beat more than the source, that beat
// takes an extra cycle; in that cycle, the next range's first beat is accepted if it does not
// complete a destination beat. A beat is output one cycle after it was accepted. idle_o: all
// accepted beats have been output.
module gmmu_dma_realign
  import gmmu_pkg::*;
#(
  localparam int unsigned LaneLg2 = $clog2(DataBytes)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [DataWidth-1:0] data_i,
  input  logic [DataBytes-1:0] mask_i,
  input  logic                 last_i,
  input  logic [LaneLg2-1:0]   shift_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [DataWidth-1:0] data_o,
  output logic                 idle_o
);
  // The rotated input beat: its low bytes belong to the current destination beat, its high bytes to
  // the next one.
  logic                   turned_valid_q, turned_last_q;
  logic [DataWidth-1:0]   hold_q, turned_q, turned;
  logic [DataBytes-1:0]   held, held_q;      // lanes whose bytes come from the previous beat
  logic                   completes_q;       // turned_q is valid and completes a destination beat
  logic                   more_q;            // turned_q also starts the next destination beat
  logic                   flush_q;           // hold_q is the extra last beat of its range

  logic completes, more;
  always_comb begin
    completes = 1'b0;
    more = 1'b0;
    for (int unsigned lane = 0; lane < DataBytes; lane++) begin
      held[lane] = lane < 32'(shift_i);
      if (mask_i[lane] && 32'(shift_i) < DataBytes - lane) completes = 1'b1;
      if (mask_i[lane] && 32'(shift_i) >= DataBytes - lane) more = 1'b1;
    end
  end
  always_comb begin
    for (int unsigned lane = 0; lane < DataBytes; lane++)
      turned[8*lane+:8] = data_i[8*32'(LaneLg2'(LaneLg2'(lane) - shift_i))+:8];
  end
  assign ready_o = flush_q ? ready_i && !completes_q : ready_i || !completes_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      turned_valid_q <= 1'b0;
      completes_q <= 1'b0;
    end else if (ready_o) begin
      turned_valid_q <= valid_i;
      completes_q <= valid_i && completes;
    end
    if (ready_o && valid_i) begin
      turned_q <= turned;
      turned_last_q <= last_i;
      held_q <= held;
      more_q <= more;
    end
  end

  assign valid_o = flush_q || completes_q;
  assign idle_o = !turned_valid_q && !flush_q;
  always_comb begin
    for (int unsigned lane = 0; lane < DataBytes; lane++)
      data_o[8*lane+:8] = flush_q || held_q[lane] ? hold_q[8*lane+:8] : turned_q[8*lane+:8];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) flush_q <= 1'b0;
    else if (turned_valid_q && ready_o) flush_q <= turned_last_q && more_q;
    else if (flush_q && ready_i) flush_q <= 1'b0;
    if (turned_valid_q && ready_o) hold_q <= turned_q;
  end
endmodule

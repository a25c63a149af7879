// SPDX-License-Identifier: Apache-2.0
// Turns beats of a range as they lie at the source into beats as they lie at the destination.
//
//   input    beats of consecutive bytes, mask marks them; shift = (destination - source) mod bus
//            bytes, the same for all beats of a range; last marks its last beat
//   output   every destination beat once, in order; last marks the range's last beat
// One beat a cycle. A range whose destination takes one beat more than its source gives it in a
// cycle of its own, in which the first beat of the next range is taken if it completes nothing.
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
  output logic [DataBytes-1:0] strb_o,
  output logic                 last_o
);
  logic [DataWidth-1:0]   hold_q, rotated;
  logic [DataBytes-1:0]   hold_mask_q, low, high;
  logic                   flush_q;           // hold_q is the last beat of its range

  assign {high, low} = (2 * DataBytes)'(mask_i) << shift_i;
  always_comb begin
    for (int unsigned lane = 0; lane < DataBytes; lane++)
      rotated[8*lane+:8] = data_i[8*32'(LaneLg2'(LaneLg2'(lane) - shift_i))+:8];
  end

  logic completes;                           // the input beat ends a destination beat
  assign completes = low != '0;
  assign valid_o = flush_q || (valid_i && completes);
  assign ready_o = flush_q ? (ready_i && !completes) : (ready_i || !completes);
  assign strb_o = flush_q ? hold_mask_q : hold_mask_q | low;
  assign last_o = flush_q || (last_i && high == '0);
  always_comb begin
    for (int unsigned lane = 0; lane < DataBytes; lane++)
      data_o[8*lane+:8] = hold_mask_q[lane] ? hold_q[8*lane+:8] : rotated[8*lane+:8];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      hold_mask_q <= '0;
      flush_q <= 1'b0;
    end else if (valid_i && ready_o) begin
      hold_mask_q <= high;
      flush_q <= last_i && high != '0;
    end else if (flush_q && ready_i) begin
      hold_mask_q <= '0;
      flush_q <= 1'b0;
    end
    if (valid_i && ready_o) hold_q <= rotated;
  end
endmodule

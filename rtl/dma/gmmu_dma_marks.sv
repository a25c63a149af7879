// SPDX-License-Identifier: Apache-2.0
// One mark per slot of a ring. A mark shows that an event has arrived for the current use of the
// slot, and holds Bits data bits of that event. Marks are in LUT RAM and are never cleared: each
// contains the phase of its use instead.
//
//   alloc     the next slot of the ring, with an extra bit that toggles with every pass around the
//             ring. A slot in use was allocated in the current pass if its number is below alloc_i,
//             and in the previous pass otherwise.
//   mark      marks a slot in use. Each use of a slot must be marked exactly once; otherwise a
//             later use would see the mark of an earlier one.
//   look      a slot in use, with its extra bit; marked_o and bits_o are valid in the same cycle
//   start     the sweep after reset sets one slot per cycle (start_slot_o) to the phase of the
//             previous pass. No slot may be allocated before started_o
module gmmu_dma_marks #(
  parameter int unsigned Slots = 32,        // a power of two, 2 or more
  parameter int unsigned Bits = 1,
  localparam int unsigned TagWidth = $clog2(Slots)
) (
  input  logic                clk_i,
  input  logic                rst_i,

  input  logic [TagWidth:0]   alloc_i,
  output logic                started_o,
  output logic [TagWidth-1:0] start_slot_o,

  input  logic                mark_i,
  input  logic [TagWidth-1:0] mark_slot_i,
  input  logic [Bits-1:0]     mark_bits_i,

  input  logic [TagWidth:0]   look_i,
  output logic                marked_o,
  output logic [Bits-1:0]     bits_o
);
  logic [TagWidth:0] start_q;               // top bit: the initial sweep is done
  logic              phase, found;
  assign started_o = start_q[TagWidth];
  assign start_slot_o = start_q[TagWidth-1:0];
  assign phase = alloc_i[TagWidth] ^ (mark_slot_i >= alloc_i[TagWidth-1:0]);

  gmmu_lutram #(.Width(1 + Bits), .Depth(Slots)) u_marks (
    .clk_i,
    .write_i(mark_i || !started_o), .write_addr_i(started_o ? mark_slot_i : start_slot_o),
    .data_i(started_o ? {phase, mark_bits_i} : {1'b1, Bits'(0)}),
    .read_addr_i(look_i[TagWidth-1:0]), .data_o({found, bits_o}));
  assign marked_o = found == look_i[TagWidth];

  always_ff @(posedge clk_i) begin
    if (rst_i) start_q <= '0;
    else if (!started_o) start_q <= start_q + 1'b1;
  end
endmodule

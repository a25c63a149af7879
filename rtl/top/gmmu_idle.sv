// SPDX-License-Identifier: Apache-2.0
// Combines the idle bits of the blocks into the GPU's idle and silent outputs.
//
//   parts_i      per block: 1 if the block has no work. These bits are registered here, but an
//                offer in this cycle (offered_i) takes effect at once
//   ports_i      the same for work that is not this GPU's own: software ports, linked adapters,
//                counters
//   isolator_i   0 only while the mux is also busy or in reset, so one more cycle of delay is
//                harmless
//   silent_o     every burst that ctrl.silence affects is complete, in both generations
module gmmu_idle #(
  parameter int unsigned Parts = 12,
  parameter int unsigned Ports = 4
) (
  input  logic             clk_i,

  input  logic [Parts-1:0] parts_i,
  input  logic [Ports-1:0] ports_i,
  input  logic             isolator_i,
  input  logic             offered_i,
  input  logic             held_silent_i,   // from the mux
  input  logic             stale_i,         // from the isolator
  output logic             work_idle_o,
  output logic             idle_o,
  output logic             silent_o
);
  logic [Parts-1:0] parts_q;
  logic             ports_q, isolator_q;

  always_ff @(posedge clk_i) begin
    parts_q <= parts_i;
    isolator_q <= isolator_i;
    ports_q <= ports_i == '1 && isolator_q;
    // registered, because its receiver is far away on the die
    silent_o <= held_silent_i && !stale_i;
  end
  assign work_idle_o = parts_q == '1;
  assign idle_o = work_idle_o && ports_q && !offered_i;
endmodule

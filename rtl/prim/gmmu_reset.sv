// SPDX-License-Identifier: Apache-2.0
// A reset register for one block, so that no reset net spans the whole device. Synthesis keeps it
// as a separate module, so that equal reset registers are not merged.
//
//   rst_o   rst_i one cycle later
module gmmu_reset (
  input  logic clk_i,
  input  logic rst_i,
  output logic rst_o
);
  always_ff @(posedge clk_i) rst_o <= rst_i;
endmodule

// SPDX-License-Identifier: Apache-2.0
// In a proof, assumes that the reset is high in the first cycle; it is unconstrained afterwards.
//
// ran_o is low in the first cycle, in which registers are undefined.
module gmmu_reset_props (
  input  logic clk_i,
  input  logic rst_i,
  output logic ran_o
);
  initial ran_o = 1'b0;
  always @(posedge clk_i) ran_o <= 1'b1;
  m_reset: assume property (@(posedge clk_i) ran_o || rst_i);
endmodule

// SPDX-License-Identifier: Apache-2.0
// A shift register that is fed by one pin. Each bit drives one input of a design.
module gmmu_shift_in #(
  parameter int unsigned Width = 2
) (
  input  logic             clk_i,
  input  logic             in_i,
  output logic [Width-1:0] data_o
);
  always_ff @(posedge clk_i) data_o <= {data_o[Width-2:0], in_i};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Gives each output of a design its own register and connects all outputs to one pin. Each bit of a
// shift register that ends at the pin XORs in three of these registers, a third of the outputs
// apart. Every output is therefore used, and three outputs need one LUT.
module gmmu_fold_out #(
  parameter int unsigned Width = 2
) (
  input  logic             clk_i,
  input  logic [Width-1:0] data_i,
  output logic             out_o
);
  localparam int unsigned Third = (Width + 2) / 3;
  logic [3*Third-1:0] caught_q;
  logic [Third-1:0]   chain_q;

  always_ff @(posedge clk_i) begin
    caught_q <= (3*Third)'(data_i);
    chain_q <= (chain_q << 1) ^ caught_q[0 +: Third] ^ caught_q[Third +: Third] ^ caught_q[2*Third +: Third];
  end
  assign out_o = chain_q[Third-1];
endmodule

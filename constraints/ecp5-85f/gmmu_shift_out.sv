// SPDX-License-Identifier: Apache-2.0
// Gives each output of a design a register of its own: all are caught while catch_i is 1, else shifted to one pin.
module gmmu_shift_out #(
  parameter int unsigned Width = 2
) (
  input  logic             clk_i,
  input  logic             catch_i,
  input  logic [Width-1:0] data_i,
  output logic             out_o
);
  logic [Width-1:0] caught_q;
  logic             catch_q;

  always_ff @(posedge clk_i) begin
    catch_q <= catch_i;
    caught_q <= catch_q ? data_i : {caught_q[Width-2:0], 1'b0};
  end
  assign out_o = caught_q[Width-1];
endmodule

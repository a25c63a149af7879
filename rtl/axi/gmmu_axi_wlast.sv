// SPDX-License-Identifier: Apache-2.0
// Checks WLAST for a subordinate that counts W beats itself and that accepts all W beats of a burst
// after its AW and before the next AW.
//
//   aw_i, w_i   an AW or a W beat is accepted
//   wrong_o     one cycle later: WLAST of the beat disagreed with the length from AW
// If wrong_o is unused, synthesis removes the whole unit.
module gmmu_axi_wlast (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       aw_i,
  input  logic [7:0] aw_len_i,
  input  logic       w_i,
  input  logic       w_last_i,
  output logic       wrong_o
);
  logic [7:0] left_q;   // beats that remain after the next beat
  always_ff @(posedge clk_i) begin
    if (aw_i) left_q <= aw_len_i;
    else if (w_i) left_q <= left_q - 8'd1;
    wrong_o <= !rst_i && w_i && w_last_i != (left_q == '0);
  end
endmodule

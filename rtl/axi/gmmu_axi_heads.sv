// SPDX-License-Identifier: Apache-2.0
// Where the words of a requester's register slice go: registers that stand beside a gmmu_slice and
// follow it word by word, so that the pick need not decode the slice.
//
//   input      as the slice's: valid_i && ready_o is a word for VRAM, or for the host
//   take_i     the first word goes
//   first_o    memory port of the first word, one-hot ([0] VRAM, [1] host), zero without a word
//   second_o   the same of the word behind it; always zero with Slow
module gmmu_axi_heads #(
  parameter bit Slow = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       valid_i,
  input  logic       host_i,
  input  logic       take_i,

  output logic [1:0] first_o,
  output logic [1:0] second_o
);
  logic [1:0] came;
  assign came = {valid_i && host_i, valid_i && !host_i};

  if (Slow) begin : g_slow
    assign second_o = '0;
    always_ff @(posedge clk_i) begin
      if (rst_i) first_o <= '0;
      else if (first_o == '0) first_o <= came;
      else if (take_i) first_o <= '0;
    end
  end else begin : g_full
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        first_o <= '0;
        second_o <= '0;
      end else if (first_o == '0 || take_i) begin
        first_o <= second_o != '0 ? second_o : came;
        second_o <= '0;
      end else if (second_o == '0) begin
        second_o <= came;
      end
    end
  end
endmodule

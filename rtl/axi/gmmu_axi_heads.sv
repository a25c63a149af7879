// SPDX-License-Identifier: Apache-2.0
// Registers beside a requester's gmmu_slice that follow it word by word and say to which memory port
// each word goes, so that the pick need not decode the slice.
//
//   push_i     a word enters the slice: for the host (host_i), or for VRAM
//   pop_i      the first word became a candidate; it stays in the slice until it goes
//   first_o    memory port of the first word that was not popped, one-hot ([0] VRAM, [1] host); zero
//              without one
//   second_o   the same of the word behind it; always zero with Slow
module gmmu_axi_heads #(
  parameter bit Slow = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       push_i,
  input  logic       host_i,
  input  logic       pop_i,

  output logic [1:0] first_o,
  output logic [1:0] second_o
);
  logic [1:0] came;
  assign came = {push_i && host_i, push_i && !host_i};

  if (Slow) begin : g_slow
    assign second_o = '0;
    always_ff @(posedge clk_i) begin
      if (rst_i || pop_i) first_o <= '0;
      else if (first_o == '0) first_o <= came;
    end
  end else begin : g_full
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        first_o <= '0;
        second_o <= '0;
      end else if (first_o == '0 || pop_i) begin
        first_o <= second_o != '0 ? second_o : came;
        second_o <= '0;
      end else if (second_o == '0) begin
        second_o <= came;
      end
    end
    a_place: assert property (@(posedge clk_i) disable iff (rst_i) second_o == '0 || !push_i);
  end
  a_pop: assert property (@(posedge clk_i) disable iff (rst_i) first_o != '0 || !pop_i);
endmodule

// SPDX-License-Identifier: Apache-2.0
// Register slice of one stream at full rate or, with half the registers and no multiplexer, at half rate.
//
//   input, output   as gmmu_skid
//   Slow            1: half rate
module gmmu_slice #(
  parameter int unsigned Width = 8,
  parameter bit          Slow = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,

  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  if (Slow) begin : g_slow
    // ready_o has its own register; it is not an inverted valid_o
    always_ff @(posedge clk_i) begin
      valid_o <= !rst_i && (valid_o ? !ready_i : valid_i);
      ready_o <= rst_i || (valid_o ? ready_i : !valid_i);
      if (!valid_o) data_o <= data_i;
    end
  end else begin : g_full
    gmmu_skid #(.Width(Width)) u_skid (
      .clk_i, .rst_i, .valid_i, .ready_o, .data_i, .valid_o, .ready_i, .data_o
    );
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Register slice of one stream: both directions registered, one word per cycle, one cycle of
// latency.
//
//   input    ready_o comes from a register and depends on no input
//   output   valid_o and data_o come from registers; an offer stays until it is accepted
module gmmu_skid #(
  parameter int unsigned Width = 8
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
  // ready_o is also the flag of the spare word: it is 0 while spare_q is valid.
  logic [Width-1:0] spare_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_o <= 1'b0;
      ready_o <= 1'b1;
    end else if (!valid_o || ready_i) begin
      valid_o <= !ready_o || valid_i;
      ready_o <= 1'b1;
    end else if (valid_i) begin
      ready_o <= 1'b0;
    end

    // data_o loads even if data_i is not valid, so that its enable does not depend on valid_i.
    if (!valid_o || ready_i) data_o <= ready_o ? data_i : spare_q;
    if (ready_o) spare_q <= data_i;
  end
endmodule

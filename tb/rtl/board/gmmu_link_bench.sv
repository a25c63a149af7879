// SPDX-License-Identifier: Apache-2.0
// The board's end of the link, with short bits and a short keep-alive period.
module gmmu_link_bench (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       line_i,
  output logic       line_o,
  input  logic       up_valid_i,
  output logic       up_ready_o,
  input  logic [7:0] up_i,
  output logic       down_valid_o,
  input  logic       down_ready_i,
  output logic [7:0] down_o,
  output logic       open_o,
  output logic       reset_o,
  output logic       got_o,
  output logic       damaged_o,
  output logic       gap_o,
  output logic       again_o
);
  // A bit lasts 7.3 cycles: deliberately not an integer.
  gmmu_link #(.ClockHz(73), .BitsPerSecond(10), .KeepAlive(4096)) u_link (.*);
endmodule

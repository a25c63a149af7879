// SPDX-License-Identifier: Apache-2.0
// What the reads of one traffic run gave: CRC-32C over the words in their order, and how many of
// them differ from the address pattern of the seed.
//
//   clear_i   begins anew
//   word      one 8-byte word a cycle and the va that it was read from
//   busy_o    a word is not counted yet
module gmmu_traffic_check
  import gmmu_client_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        clear_i,
  input  logic        verify_i,
  input  logic [63:0] seed_i,

  input  logic        word_valid_i,
  input  logic [63:0] word_i,
  input  logic [60:0] at_i,          // va of the word / 8

  output logic        busy_o,
  output logic [31:0] crc_o,
  output logic [31:0] mismatches_o
);
  logic        valid_q, compared_q, differs_q;
  logic [63:0] word_q, expected_q;
  logic [31:0] crc_q, crc_next;

  gmmu_crc32c u_crc (.crc_i(crc_q), .data_i(word_q), .crc_o(crc_next));
  assign crc_o = ~crc_q;
  assign busy_o = valid_q || compared_q;

  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i) begin
      valid_q <= 1'b0;
      compared_q <= 1'b0;
      crc_q <= '1;
      mismatches_o <= '0;
    end else begin
      valid_q <= word_valid_i;
      compared_q <= valid_q && verify_i;
      if (valid_q) crc_q <= crc_next;
      if (compared_q && differs_q && mismatches_o != '1) mismatches_o <= mismatches_o + 1'b1;
    end
    word_q <= word_i;
    expected_q <= address_pattern(seed_i, at_i);
    differs_q <= word_q != expected_q;
  end
endmodule

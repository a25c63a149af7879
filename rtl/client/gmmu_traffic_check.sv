// SPDX-License-Identifier: Apache-2.0
// Checks the read data of one traffic run: computes a CRC-32C over the words in order, and counts
// the words that differ from the address pattern of the seed.
//
//   clear_i   resets both results to 0
//   word, at  an 8-byte word and its va / 8; both may change every cycle
//   word_o    word_i of the previous cycle
//   count_i   includes word_o in the results; one word per cycle
//   busy_o    mismatches_o does not include the latest counted word yet
module gmmu_traffic_check
  import gmmu_client_pkg::*;
  import gmmu_crc32c_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        clear_i,
  input  logic        verify_i,
  input  logic [63:0] seed_i,

  input  logic [63:0] word_i,
  input  logic [60:0] at_i,          // va / 8 of the word
  output logic [63:0] word_o,
  input  logic        count_i,

  output logic        busy_o,
  output logic [31:0] crc_o,
  output logic [31:0] mismatches_o
);
  logic        compared_q;
  logic [7:0]  differs_q;            // one bit per byte of the word
  logic [63:0] expected_q;

  assign busy_o = compared_q;

  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i) begin
      compared_q <= 1'b0;
      crc_o <= '0;
      mismatches_o <= '0;
    end else begin
      compared_q <= count_i && verify_i;
      if (count_i) crc_o <= ~crc32c(~crc_o, word_o);
      if (compared_q && differs_q != '0 && mismatches_o != '1) mismatches_o <= mismatches_o + 1'b1;
    end
    word_o <= word_i;
    if (verify_i) begin
      expected_q <= address_pattern(seed_i, at_i);
      for (int unsigned i = 0; i < 8; i++) differs_q[i] <= word_o[8*i +: 8] != expected_q[8*i +: 8];
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, reflected) of one more 8-byte word, lowest byte first. Initial and final
// inversion are the user's. Combinational: each result bit is a parity over constant selections of
// the old value and the word.
module gmmu_crc32c (
  input  logic [31:0] crc_i,
  input  logic [63:0] data_i,
  output logic [31:0] crc_o
);
  localparam logic [31:0] Polynomial = 32'h82F63B78;

  // 64 single steps of one bit each.
  function automatic logic [31:0] advance(logic [31:0] crc, logic [63:0] data);
    logic [31:0] value;
    value = crc;
    for (int unsigned i = 0; i < 64; i++) begin
      value = {1'b0, value[31:1]} ^ (value[0] ^ data[i] ? Polynomial : 32'd0);
    end
    return value;
  endfunction

  // The step is linear: word i of the table is what input bit i alone gives, the old value's bits
  // first.
  typedef logic [95:0][31:0] table_t;
  function automatic table_t make_table();
    table_t result;
    for (int unsigned i = 0; i < 32; i++) result[i] = advance(32'd1 << i, 64'd0);
    for (int unsigned i = 0; i < 64; i++) result[32 + i] = advance(32'd0, 64'd1 << i);
    return result;
  endfunction
  localparam table_t Table = make_table();

  // Old value and low word count alike. Parities of up to three neighbours are made once; each
  // result bit takes one of each group.
  localparam int unsigned Groups = 22;
  logic [65:0]            in;
  logic [Groups-1:0][7:0] parity;
  assign in = {2'd0, data_i[63:32], data_i[31:0] ^ crc_i};

  for (genvar g = 0; g < Groups; g++) begin : g_group
    for (genvar p = 0; p < 8; p++) begin : g_parity
      assign parity[g][p] = ^(in[3*g +: 3] & 3'(p));
    end
  end
  for (genvar o = 0; o < 32; o++) begin : g_out
    logic [65:0]       select;
    logic [Groups-1:0] terms;
    assign select[65:64] = '0;
    for (genvar i = 0; i < 64; i++) begin : g_select
      assign select[i] = Table[32 + i][o];
    end
    for (genvar g = 0; g < Groups; g++) begin : g_term
      assign terms[g] = parity[g][select[3*g +: 3]];
    end
    assign crc_o[o] = ^terms;
  end
endmodule

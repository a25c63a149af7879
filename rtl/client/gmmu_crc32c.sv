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

  logic [95:0] in;
  assign in = {data_i, crc_i};

  for (genvar o = 0; o < 32; o++) begin : g_out
    logic [95:0] select;
    for (genvar i = 0; i < 96; i++) begin : g_select
      assign select[i] = Table[i][o];
    end
    assign crc_o[o] = ^(in & select);
  end
endmodule

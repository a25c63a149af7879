// SPDX-License-Identifier: Apache-2.0
// Updates a CRC-32C (Castagnoli, reflected) with one 8-byte word, lowest byte first. It is a
// function, so that a simulator evaluates it only when there is a word. Each bit of the result is
// the parity of a constant selection of bits of the old value and the word.
package gmmu_crc32c_pkg;
  localparam logic [31:0] Polynomial = 32'h82F63B78;

  // Returns the remainder of `data` after 64 single-bit steps from 0.
  function automatic logic [31:0] advance(logic [63:0] data);
    logic [31:0] value;
    value = '0;
    for (int unsigned i = 0; i < 64; i++) begin
      value = {1'b0, value[31:1]} ^ (value[0] ^ data[i] ? Polynomial : 32'd0);
    end
    return value;
  endfunction

  // The update is linear, and the old value is XORed into the low half of the word. Entry i of the
  // table is therefore the contribution of bit i of that word.
  typedef logic [63:0][31:0] table_t;
  function automatic table_t make_table();
    table_t result;
    for (int unsigned i = 0; i < 64; i++) result[i] = advance(64'd1 << i);
    return result;
  endfunction
  localparam table_t Table = make_table();

  // Terms 0 to 63 are the bits of the word, with the old value XORed in. If several result bits
  // contain the same three terms, the parity of these is computed only once: term 64 + n is the
  // parity of the three terms (7-bit indices) in Shared[n]. The list affects the area but not the
  // result. A greedy search for few LUTs produced it.
  localparam int unsigned NumShared = 52;
  localparam int unsigned NumTerms = 64 + NumShared;
  localparam logic [20:0] Shared [NumShared] = '{
    21'h0E5BA2, 21'h0BC90B, 21'h078C0C, 21'h0CD00D, 21'h0D11A1, 21'h0B94A5, 21'h098B00,
    21'h06C784, 21'h07CC8E, 21'h0D4E91, 21'h0B521A, 21'h0F5D2A, 21'h0FC801, 21'h0ED8A8,
    21'h070505, 21'h0C1386, 21'h0E9B26, 21'h0F0B81, 21'h0F8403, 21'h0AC787, 21'h0C9627,
    21'h0F0A82, 21'h128A09, 21'h0E1BAA, 21'h0DDB34, 21'h0F9C80, 21'h0E1A8D, 21'h100990,
    21'h1417A1, 21'h111931, 21'h104E03, 21'h12130A, 21'h10890E, 21'h0B54A3, 21'h0C13A4,
    21'h0FDF3C, 21'h0C5402, 21'h135E82, 21'h07C607, 21'h05490A, 21'h0C948C, 21'h0ECF8E,
    21'h094B95, 21'h114F16, 21'h10162B, 21'h118806, 21'h109D89, 21'h10CB8B, 21'h105D1D,
    21'h13E4A2, 21'h14DB2C, 21'h1465B8
  };

  // Row o selects the terms whose parity is bit o of the result.
  typedef logic [31:0][NumTerms-1:0] rows_t;
  function automatic rows_t make_rows();
    rows_t result;
    logic [6:0] a, b, c;
    result = '0;
    for (int unsigned o = 0; o < 32; o++) begin
      for (int unsigned i = 0; i < 64; i++) result[o][i] = Table[i][o];
      for (int unsigned n = 0; n < NumShared; n++) begin
        {c, b, a} = Shared[n];
        if (result[o][a] && result[o][b] && result[o][c]) begin
          result[o][a] = 1'b0;
          result[o][b] = 1'b0;
          result[o][c] = 1'b0;
          result[o][64 + n] = 1'b1;
        end
      end
    end
    return result;
  endfunction
  localparam rows_t Rows = make_rows();

  // Returns the updated value. The caller performs the initial and the final inversion.
  function automatic logic [31:0] crc32c(logic [31:0] crc, logic [63:0] data);
    logic [NumTerms-1:0] term;
    logic [31:0]         result;
    term[63:0] = {data[63:32], data[31:0] ^ crc};
    for (int unsigned n = 0; n < NumShared; n++) begin
      term[64+n] = term[Shared[n][6:0]] ^ term[Shared[n][13:7]] ^ term[Shared[n][20:14]];
    end
    for (int unsigned o = 0; o < 32; o++) result[o] = ^(term & Rows[o]);
    return result;
  endfunction
endpackage

// SPDX-License-Identifier: Apache-2.0
// Index unit: the index of one level of a page number, a row at a time, three stages. The index
// below a read is computed while the read is under way. Rows are named one-hot.
//
//   ask      a row in turn; its page number, space and level (LevelLeaf64: a leaf table of 64 KiB
//            entries); half: the lowest bit of the index, if it is of pairs
//   begin    a walk that starts below the root enters the second stage at once; a row that is there
//            is put off (again_o: it has to ask again)
//   early    a row whose index stands at index_o from the next cycle on, until it is done. Not if
//            held_o
//   done     rows, index, the level's shift, bits and lowest bit. While hold_i it waits (held_o),
//            and who comes behind it is put off
//   clear_i  who is inside is forgotten
//   write    the shape of a space, in the cycle of a kill
module gmmu_walk_index
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned NumSpaces = 16,
  parameter int unsigned Rows = 9
) (
  input  logic            clk_i,
  input  logic            rst_i,

  input  logic            ask_i,
  input  logic [Rows-1:0] ask_rows_i,
  input  key_t            ask_key_i,
  input  level_t          ask_level_i,
  input  logic            ask_half_i,

  input  logic            begin_i,
  input  logic [Rows-1:0] begin_rows_i,
  input  vpn_t            begin_vpn_i,
  input  logic            begin_low_i,     // the level's lowest bit
  input  logic            begin_pair_i,    // an index of pairs
  input  logic            begin_half_i,
  input  logic [5:0]      begin_shift_i,
  input  logic [3:0]      begin_bits_i,

  output logic [Rows-1:0] early_rows_o,    // 0: nobody
  output logic            done_o,
  input  logic            hold_i,
  output logic [Rows-1:0] done_rows_o,
  output logic            done_low_o,
  output logic [12:0]     index_o,
  output logic [5:0]      shift_o,
  output logic [3:0]      bits_o,
  output logic [Rows-1:0] again_o,
  output logic            held_o,

  input  logic            clear_i,
  input  logic            write_i,
  input  space_t          write_space_i,
  input  shape_t          write_shape_i
);
  localparam int unsigned IndexWidth = NumSpaces > 1 ? $clog2(NumSpaces) : 1;

  logic            one_valid_q, two_valid_q, three_valid_q, held, two_low_q;
  logic            one_half_q, two_half_q, two_pair_q;
  logic [Rows-1:0] one_rows_q, two_rows_q;
  vpn_t            one_vpn_q, two_vpn_q;
  level_t          one_level_q;
  logic [5:0]      two_shift_q;
  logic [3:0]      two_bits_q;
  logic [12:0]     raw_q, mask_q;
  shape_t          shape;
  logic [7:0][5:0] shifts;
  logic [7:0][3:0] widths;
  always_comb begin
    for (int unsigned l = 0; l < 8; l++) begin
      shifts[l] = l < MaxLevels ? shape.shift[l] : 6'd4;
      widths[l] = l < MaxLevels ? shape.bits[l] : shape.bits_64k;
    end
  end

  gmmu_ram_apart #(.Width($bits(shape_t)), .Depth(NumSpaces)) u_shapes (
    .clk_i, .read_i(ask_i), .read_addr_i(IndexWidth'(ask_key_i.space)), .data_o(shape),
    .write_i, .write_addr_i(IndexWidth'(write_space_i)), .data_i(write_shape_i));

  assign held = three_valid_q && hold_i;
  assign done_o = three_valid_q && !hold_i;
  assign index_o = raw_q & mask_q;
  assign early_rows_o = two_valid_q ? two_rows_q : '0;
  assign held_o = held;
  assign again_o = (one_valid_q && begin_i ? one_rows_q : '0)
      | (two_valid_q && held ? two_rows_q : '0);

  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i) begin
      one_valid_q <= 1'b0;
      two_valid_q <= 1'b0;
      three_valid_q <= 1'b0;
    end else begin
      one_valid_q <= ask_i;
      two_valid_q <= one_valid_q || begin_i;
      three_valid_q <= two_valid_q || held;
    end
    one_rows_q <= ask_rows_i;
    one_vpn_q <= ask_key_i.vpn;
    one_level_q <= ask_level_i;
    one_half_q <= ask_half_i;
    two_rows_q <= begin_i ? begin_rows_i : one_rows_q;
    two_vpn_q <= begin_i ? begin_vpn_i : one_vpn_q;
    two_low_q <= begin_i ? begin_low_i : one_level_q[0];
    two_pair_q <= begin_i ? begin_pair_i : shape.dual && one_level_q == 1;
    two_half_q <= begin_i ? begin_half_i : one_half_q;
    two_shift_q <= begin_i ? begin_shift_i : shifts[one_level_q];
    two_bits_q <= begin_i ? begin_bits_i : widths[one_level_q];
    if (!held) begin
      done_rows_o <= two_rows_q;
      done_low_o <= two_low_q;
      raw_q <= 13'(two_vpn_q >> two_shift_q);
      if (two_pair_q) raw_q[0] <= two_half_q;
      mask_q <= 13'(~(14'h3fff << two_bits_q));
      shift_o <= two_shift_q + 6'(two_pair_q);
      bits_o <= two_bits_q;
    end
  end

  logic unused_bits;
  assign unused_bits = ^{ask_key_i, write_space_i};
endmodule

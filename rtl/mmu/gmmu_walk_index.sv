// SPDX-License-Identifier: Apache-2.0
// Index unit: the index of one level of a page number, a row at a time, three stages. The index
// below a read is computed while the read is under way.
//
//   ask      a row in turn; its page number, space and level
//   begin    a walk that starts below the root enters the last stage at once; a row that is there
//            is put off (again_o: it has to ask again)
//   done     row, index, and the level's shift and bits
//   write    the shape of a space, in the cycle of a kill
module gmmu_walk_index
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned NumSpaces = 16
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        ask_i,
  input  row_t        ask_row_i,
  input  key_t        ask_key_i,
  input  level_t      ask_level_i,

  input  logic        begin_i,
  input  row_t        begin_row_i,
  input  vpn_t        begin_vpn_i,
  input  logic [5:0]  begin_shift_i,
  input  logic [3:0]  begin_bits_i,

  output logic        done_o,
  output row_t        done_row_o,
  output logic [12:0] index_o,
  output logic [5:0]  shift_o,
  output logic [3:0]  bits_o,
  output logic        again_o,
  output row_t        again_row_o,

  input  logic        write_i,
  input  space_t      write_space_i,
  input  shape_t      write_shape_i
);
  localparam int unsigned IndexWidth = NumSpaces > 1 ? $clog2(NumSpaces) : 1;

  logic   one_valid_q, two_valid_q;
  row_t   one_row_q, two_row_q;
  vpn_t   one_vpn_q, two_vpn_q;
  level_t one_level_q;
  shape_t shape;

  gmmu_ram_1r1w #(.Width($bits(shape_t)), .Depth(NumSpaces)) u_shapes (
    .clk_i, .read_i(ask_i), .read_addr_i(IndexWidth'(ask_key_i.space)), .data_o(shape),
    .write_i, .write_addr_i(IndexWidth'(write_space_i)), .data_i(write_shape_i));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      one_valid_q <= 1'b0;
      two_valid_q <= 1'b0;
    end else begin
      one_valid_q <= ask_i;
      two_valid_q <= one_valid_q || begin_i;
    end
    if (ask_i) begin
      one_row_q <= ask_row_i;
      one_vpn_q <= ask_key_i.vpn;
      one_level_q <= ask_level_i;
    end
    if (begin_i) begin
      two_row_q <= begin_row_i;
      two_vpn_q <= begin_vpn_i;
      shift_o <= begin_shift_i;
      bits_o <= begin_bits_i;
    end else if (one_valid_q) begin
      two_row_q <= one_row_q;
      two_vpn_q <= one_vpn_q;
      shift_o <= shape.shift[one_level_q];
      bits_o <= shape.bits[one_level_q];
    end
  end

  assign again_o = one_valid_q && begin_i;
  assign again_row_o = one_row_q;
  assign done_o = two_valid_q;
  assign done_row_o = two_row_q;
  assign index_o = 13'(two_vpn_q >> shift_o) & 13'(~(14'h3fff << bits_o));

  logic unused_bits;
  assign unused_bits = ^{ask_key_i, write_space_i};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Table of prepared address spaces (space_row_t), in RAM.
//
//   read    keep_o, root_shift_o and dual_o, which the index computation needs early, are valid in
//           the cycle of read_i. row_o, except its keep field, is valid one cycle later (late in
//           the cycle, from block RAM) and stable until the next read_i. A space that has never
//           been written, or is not implemented, reads as not enabled, with its root at level 0
//   other   other_dual_o is the dual bit of row other_space_i, combinational
//   write   writes one row at the edge; it must not be the row that is read in the same cycle
module gmmu_space_table
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumSpaces = Config.NumSpaces
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       read_i,
  input  space_t     read_space_i,
  output keep_t      keep_o,
  output logic [5:0] root_shift_o,
  output logic       dual_o,
  output space_row_t row_o,
  input  space_t     other_space_i,
  output logic       other_dual_o,

  input  logic       write_i,
  input  space_t     write_space_i,
  input  space_row_t row_i
);
  localparam int unsigned IndexWidth = NumSpaces > 1 ? $clog2(NumSpaces) : 1;
  localparam int unsigned RestWidth = $bits(space_row_t) - $bits(keep_t);

  logic [2**IndexWidth-1:0] written_q;
  logic        written_read_q;
  logic [RestWidth-1:0] rest;
  space_row_t  row;
  assign row = {rest, $bits(keep_t)'(0)};

  // The shift of level l is between l and 13 * l, so only the mask bits in that range can vary, and
  // only they are stored.
  for (genvar l = 1; l < MaxLevels; l++) begin : g_keep
    localparam int unsigned End = 13 * l < VpnWidth ? 13 * l : VpnWidth;
    logic [End-1:l] keep;
    gmmu_lutram #(.Width(End - l), .Depth(NumSpaces)) u_keep (
      .clk_i, .write_i, .write_addr_i(IndexWidth'(write_space_i)), .data_i(row_i.keep[l][End-1:l]),
      .read_addr_i(IndexWidth'(read_space_i)), .data_o(keep));
    always_comb begin
      keep_o[l] = '1;
      keep_o[l][End-1:0] = {keep, l'(0)};
    end
  end
  gmmu_lutram #(.Width(7), .Depth(NumSpaces)) u_early (
    .clk_i, .write_i, .write_addr_i(IndexWidth'(write_space_i)),
    .data_i({row_i.root_shift, row_i.dual}),
    .read_addr_i(IndexWidth'(read_space_i)), .data_o({root_shift_o, dual_o}));
  gmmu_lutram #(.Width(1), .Depth(NumSpaces)) u_dual (
    .clk_i, .write_i, .write_addr_i(IndexWidth'(write_space_i)), .data_i(row_i.dual),
    .read_addr_i(IndexWidth'(other_space_i)), .data_o(other_dual_o));
  gmmu_ram_block #(.Width(RestWidth), .Depth(NumSpaces)) u_rows (
    .clk_i, .read_i, .read_addr_i(IndexWidth'(read_space_i)), .data_o(rest),
    .write_i, .write_addr_i(IndexWidth'(write_space_i)), .data_i(row_i[$bits(space_row_t)-1 -: RestWidth]));

  logic unused_bits;
  assign unused_bits = ^{write_space_i, row_i, other_space_i};

  always_ff @(posedge clk_i) begin
    if (rst_i) written_q <= '0;
    else if (write_i) written_q[IndexWidth'(write_space_i)] <= 1'b1;  // only implemented spaces are written
    if (read_i) begin
      written_read_q <= written_q[IndexWidth'(read_space_i)] && 32'(read_space_i) < NumSpaces;
    end
  end

  always_comb begin
    row_o = row;
    row_o.enable = row.enable && written_read_q;
    if (!written_read_q) row_o.top = '0;
  end
endmodule

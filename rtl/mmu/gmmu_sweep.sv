// SPDX-License-Identifier: Apache-2.0
// Converts sweep steps to masked comparisons. Each step compares one row with the same key, the
// space and first page of the scope, ignoring some bits. A range is widened to the smallest aligned
// block of 4^n pages that contains it, so a sweep may drop more than the range, but never less.
//
//   sweep_i   one step per cycle; its scope is stable from the first step until two cycles after
//             the last
//   step_o    valid and index come one cycle later; all and loose, which select the bits to ignore,
//             two cycles later. All four are 0 without a step
module gmmu_sweep
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  sweep_t      sweep_i,
  output sweep_step_t step_o
);
  localparam int unsigned Pairs = (VpnWidth + 1) / 2;
  logic [2*Pairs-1:0] apart;
  vpn_t               loose, loose_q;

  // apart: the bits in which the first and last page differ. loose: mask of the highest pair of
  // bits that is nonzero in `apart`, and of all lower bits.
  assign apart = (2*Pairs)'(sweep_i.first ^ sweep_i.tail);
  always_comb begin
    loose = '0;
    for (int unsigned i = 0; i < VpnWidth; i++) loose[i] = (apart >> (i & ~32'd1)) != '0;
    if (sweep_i.all || !sweep_i.ranged) loose = '1;
  end

  always_ff @(posedge clk_i) begin
    step_o.valid <= sweep_i.valid && !rst_i;
    step_o.all <= step_o.valid && sweep_i.all;
    step_o.loose <= step_o.valid ? loose_q : '0;
    step_o.index <= sweep_i.valid ? sweep_i.index : '0;
    if (sweep_i.valid) loose_q <= loose;
  end

  logic unused_bits;
  assign unused_bits = ^sweep_i.space;
endmodule

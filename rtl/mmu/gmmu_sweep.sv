// SPDX-License-Identifier: Apache-2.0
// Converts sweep steps to the form that the arrays use: row after row is compared with one key, the
// space and first page of the scope, and some bits are ignored. A range is widened to the smallest aligned
// block of 4^n pages that holds it: more than the range may be dropped, never less.
//
//   sweep_i   one step per cycle; its scope is stable from the first step to two cycles after the
//             last
//   step_o    valid and index come one cycle later; all and loose, the bits of row and key to ignore,
//             come two cycles later. All are 0 without a step
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

  // apart: the bits in which first and last page differ. loose: mask of the highest pair of bits with a one in `apart`
  // and of all lower bits.
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

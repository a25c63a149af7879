// SPDX-License-Identifier: Apache-2.0
// Generates the line addresses of one traffic run.
//
//   load_i     starts the sequence of cfg_i, or restarts it for a second pass. ready_o is 0 for a
//              few cycles, until the products for pattern order are computed
//   line       line number (va / 64) of the next access; next_i accepts it, at most every other cycle
//   chase      pattern chase: the line to which the previous response points
//   still_o    valid only while ready_o is 1: no state changes until next_i or chase_valid_i
//
// order:  base + (first + stride * k) mod footprint, k = 0, then (k + step) mod count
// random: base + x mod footprint, x = successive states of xorshift32
// chase:  base + first, then chase_line_i
//
// Line numbers relative to base have 32 bits. From one line to the next, pattern order adds stride
// * step or, if k wraps, stride * (step - count).
module gmmu_traffic_lines
  import gmmu_regs_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_i,

  input  logic         load_i,
  input  traffic_cfg_t cfg_i,
  output logic         ready_o,
  output logic         still_o,

  output logic         line_valid_o,
  output logic [57:0]  line_o,
  input  logic         next_i,
  input  logic         chase_valid_i,
  input  logic [57:0]  chase_line_i
);
  function automatic logic [31:0] xorshift(logic [31:0] x);
    logic [31:0] a, b;
    a = x ^ (x << 13);
    b = a ^ (a >> 17);
    return b ^ (b << 5);
  endfunction

  logic chase, random;
  assign chase = cfg_i.pattern == PatternChase;
  assign random = cfg_i.pattern == PatternRandom;

  // ---- Values that depend only on the configuration. They are computed in up to five cycles after
  // load_i. A product modulo 2^32 is the sum of three 16-bit partial products.
  logic [1:0][31:0] factor, low_q, by_q;     // [0]: times step, [1]: times step - count
  logic [1:0][15:0] cross_q, other_q, high_q;
  logic [31:0]      start_q;
  logic [32:0]      ahead_wrap_q;
  logic [5:0]       kept_q;  // number of low bits of a line number that the footprint keeps
  logic [5:0]       settle_q;

  assign factor = {ahead_wrap_q[31:0], cfg_i.step};
  always_ff @(posedge clk_i) begin
    if (load_i || settle_q[4:0] != '0) begin
      for (int unsigned f = 0; f < 2; f++) begin
        low_q[f] <= 32'(cfg_i.stride[15:0]) * 32'(factor[f][15:0]);
        cross_q[f] <= cfg_i.stride[15:0] * factor[f][31:16];
        other_q[f] <= cfg_i.stride[31:16] * factor[f][15:0];
        high_q[f] <= cross_q[f] + other_q[f];
        by_q[f] <= {low_q[f][31:16] + high_q[f], low_q[f][15:0]};
      end
      ahead_wrap_q <= {1'b0, cfg_i.step} - {1'b0, cfg_i.count};
      start_q <= random ? cfg_i.seed[31:0] ^ cfg_i.seed[63:32] : cfg_i.first;
      kept_q <= chase || cfg_i.footprint_lg2 == '0 ? '1 : cfg_i.footprint_lg2;
    end

    if (rst_i) settle_q <= '0;
    else if (load_i) settle_q <= 6'd1;
    else settle_q <= settle_q << 1 | {settle_q[5], 5'd0};
  end
  assign ready_o = settle_q[5];

  // ---- The pipeline: selected step, line number, line number within the footprint, line. A stage
  // advances when the next stage is empty.
  logic        first_q, add_q, number_valid_q, folded_valid_q;
  logic        choose, take_number, take_folded, wrap;
  logic [31:0] delta_q, number_q, folded_q;
  // ahead_q: k + step - count, signed; if it is not negative, k wraps next. It is 0 before the
  // first line.
  logic [32:0] ahead_q, turn_q;

  assign wrap = !ahead_q[32];
  assign take_number = number_valid_q && !folded_valid_q;
  assign take_folded = folded_valid_q && !line_valid_o;
  assign choose = ready_o && !add_q && (!number_valid_q || take_number) && (first_q || !chase);

  always_ff @(posedge clk_i) begin
    if (rst_i || load_i) begin
      first_q <= 1'b1;
      add_q <= 1'b0;
      number_valid_q <= 1'b0;
      folded_valid_q <= 1'b0;
      line_valid_o <= 1'b0;
      number_q <= '0;
      ahead_q <= '0;
    end else begin
      add_q <= choose;
      if (add_q) first_q <= 1'b0;
      if (add_q) number_valid_q <= !(first_q && random);  // the seed itself is not a line number
      else if (take_number) number_valid_q <= 1'b0;
      if (take_number) folded_valid_q <= 1'b1;
      else if (take_folded) folded_valid_q <= 1'b0;
      if (take_folded || chase_valid_i) line_valid_o <= 1'b1;
      else if (next_i) line_valid_o <= 1'b0;

      if (add_q) begin
        number_q <= random && !first_q ? xorshift(number_q) : number_q + delta_q;
        ahead_q <= ahead_q + turn_q;
      end
    end

    if (first_q) delta_q <= {start_q[31:1], start_q[0] || (random && start_q == '0)};
    else delta_q <= wrap ? by_q[1] : by_q[0];
    turn_q <= wrap ? ahead_wrap_q : {1'b0, cfg_i.step};
    if (take_number) folded_q <= number_q & ~('1 << kept_q);
    if (chase_valid_i) line_o <= chase_line_i;
    else if (take_folded) line_o <= cfg_i.base[63:6] + {26'd0, folded_q};
  end

  assign still_o = !add_q && !choose && !take_number && (line_valid_o || !folded_valid_q);

  logic unused_bits;
  assign unused_bits = ^cfg_i;
endmodule

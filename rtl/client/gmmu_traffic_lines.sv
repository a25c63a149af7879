// SPDX-License-Identifier: Apache-2.0
// Line addresses of one traffic run.
//
//   load_i     takes cfg_i from its beginning (again for a second pass); ready_o falls until the
//              products of pattern order are made, at most 67 cycles
//   line       the address of the next access, in lines; next_i takes it
//   chase      pattern chase: the line that the answer to the last one named
//
// order:  base + (first + stride * k) mod footprint, k = 0, then (k + step) mod count
// random: base + x mod footprint, x = successive states of xorshift32
// chase:  base + first, then what chase_line_i says
//
// Line numbers below base are 32 bits. From line to line pattern order adds stride * step or, where
// k wraps, stride * (step - count); both are made before the run, a bit of a factor a cycle.
module gmmu_traffic_lines
  import gmmu_regs_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_i,

  input  logic         load_i,
  input  traffic_cfg_t cfg_i,
  output logic         ready_o,

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

  typedef enum logic [1:0] {StateIdle, StateStep, StateWrap, StateRun} state_e;
  state_e      state_q;
  logic        order, chase, make, wrap, factor_end;
  logic        first_made_q;      // pattern chase: answers name the lines that follow

  // Products: sum += or -= addend where the factor's bit is 1.
  logic [31:0] factor_q, addend_q, sum_q, by_step_q;
  // k + step - count, signed: not negative where k wraps next.
  logic [32:0] ahead_q, ahead_wrap;
  logic [31:0] offset_q, random_q, seed, mask, offset;

  assign order = cfg_i.pattern == PatternOrder;
  assign chase = cfg_i.pattern == PatternChase;
  assign seed = cfg_i.seed[31:0] ^ cfg_i.seed[63:32];
  assign ahead_wrap = {1'b0, cfg_i.step} - {1'b0, cfg_i.count};
  assign factor_end = factor_q == '0;

  // Bits of the line number that the footprint keeps.
  for (genvar i = 0; i < 32; i++) begin : g_mask
    assign mask[i] = chase || cfg_i.footprint_lg2 > 6'(i) || cfg_i.footprint_lg2 == '0;
  end
  assign offset = (cfg_i.pattern == PatternRandom ? random_q : offset_q) & mask;

  assign wrap = !ahead_q[32];
  assign ready_o = state_q == StateRun;
  assign make = state_q == StateRun && (!line_valid_o || next_i) && (!chase || !first_made_q);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateIdle;
      line_valid_o <= 1'b0;
    end else if (load_i) begin
      state_q <= StateStep;
      line_valid_o <= 1'b0;
    end else begin
      if (state_q == StateStep && factor_end) state_q <= StateWrap;
      if (state_q == StateWrap && factor_end) state_q <= StateRun;
      if (make || chase_valid_i) line_valid_o <= 1'b1;
      else if (next_i) line_valid_o <= 1'b0;
    end

    if (load_i) begin
      factor_q <= order ? cfg_i.step : '0;
      addend_q <= cfg_i.stride;
      sum_q <= '0;
      ahead_q <= ahead_wrap;
      offset_q <= cfg_i.first;
      random_q <= seed == '0 ? 32'd1 : seed;
      first_made_q <= 1'b0;
    end else if (state_q == StateStep || state_q == StateWrap) begin
      if (factor_q[0])
        sum_q <= state_q == StateStep ? sum_q + addend_q : sum_q - addend_q;
      factor_q <= factor_q >> 1;
      addend_q <= addend_q << 1;
      if (state_q == StateStep && factor_end) begin
        by_step_q <= sum_q;
        factor_q <= order ? cfg_i.count : '0;
        addend_q <= cfg_i.stride;
        random_q <= xorshift(random_q);
      end
    end
    if (make) begin
      first_made_q <= 1'b1;
      ahead_q <= ahead_q + (wrap ? ahead_wrap : {1'b0, cfg_i.step});
      offset_q <= offset_q + (wrap ? sum_q : by_step_q);
      random_q <= xorshift(random_q);
      line_o <= cfg_i.base[63:6] + {26'd0, offset};
    end
    if (chase_valid_i) line_o <= chase_line_i;
  end

  logic unused_bits;
  assign unused_bits = ^cfg_i;
endmodule

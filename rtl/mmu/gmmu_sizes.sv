// SPDX-License-Identifier: Apache-2.0
// The sizes in use of the TLBs, the walk cache and the walk table: register sizes_in_use, decoded
// for the blocks. After reset, the built sizes are in use.
//
//   word_i  the value written to the register, stable from four cycles before set_i. A field of 0
//           selects the built size
//   set_i   pulse: word_i takes effect in the next cycle, in which use_o.set is 1. If word_i is
//           illegal, no size changes
//   word_o  the sizes in use, returned by a read of the register
//   use_o   the sizes in use, as the blocks need them; sweep_last changes one cycle later
//
// Without TurnDown, the built sizes are always in use, and word_o is 0.
module gmmu_sizes
  import gmmu_config_pkg::config_t;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned L1Entries = Config.L1Entries,
  localparam int unsigned EngineL1Entries = Config.EngineL1Entries,
  localparam int unsigned L2Entries = Config.L2Entries,
  localparam int unsigned L2Ways = Config.L2Ways,
  localparam int unsigned WalkCacheEntries = Config.WalkCacheEntries,
  localparam int unsigned NumWalks = Config.NumWalks,
  localparam bit          TurnDown = Config.TurnDown != 0
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        set_i,
  input  logic [63:0] word_i,
  output logic [63:0] word_o,
  output use_t        use_o
);
  localparam int unsigned Sets = L2Entries / 16 / L2Ways;
  localparam sizes_in_use_t Built = '{
    walks: 8'(NumWalks), walk_cache: 16'(WalkCacheEntries), l2_ways: 8'(L2Ways), l2_entries: 16'(L2Entries),
    l1_entries: 16'(L1Entries)};

  function automatic logic is_power(logic [15:0] value);
    return value != '0 && (value & (value - 16'd1)) == '0;
  endfunction
  function automatic logic [3:0] lg2_of(logic [15:0] power);
    lg2_of = '0;
    for (int unsigned i = 0; i < 16; i++) if (power[i]) lg2_of |= 4'(i);
  endfunction
  // Returns `last` (the highest entry number) and the smallest mask 2^n - 1 that covers it.
  function automatic l1_use_t l1_of(logic [5:0] last);
    logic [5:0] mask;
    for (int unsigned i = 0; i < 6; i++) mask[i] = (last >> i) != '0;
    return '{last: last, mask: mask};
  endfunction
  // Returns the mask of the shared rows, including spare rows, of a walk table built for `walks`
  // walks.
  function automatic logic [33:0] rows_of(logic [5:0] walks);
    logic [5:0] rows;
    rows = walks < 6'd4 ? walks : walks + 6'd2;
    for (int unsigned i = 0; i < 34; i++) rows_of[i] = 6'(i) < rows;
  endfunction
  // Converts legal sizes to use_t, except sweep_last.
  function automatic use_t use_of(sizes_in_use_t sizes, logic [3:0] sets_lg2);
    logic [5:0] last, most;
    logic unused_bits;
    unused_bits = ^sizes;
    last = 6'(sizes.l1_entries - 16'd1);
    most = 6'(EngineL1Entries - 1);
    return '{set: 1'b0, l1: l1_of(last), engine_l1: l1_of(last < most ? last : most),
             l2_sets: 8'((9'd1 << sets_lg2) - 9'd1), l2_ways: 16'((17'd1 << sizes.l2_ways) - 17'd1),
             walk_cache_lg2: lg2_of(sizes.walk_cache), walks: sizes.walks[5:0], rows: rows_of(sizes.walks[5:0]),
             sweep_last: '0};
  endfunction

  if (TurnDown) begin : g_turn_down
    // Three pipeline steps: register the requested sizes; compute their number of sets; check and
    // convert them.
    sizes_in_use_t written, asked_q, judged_q, sizes_q;
    logic [3:0]    sets_lg2_q;
    logic          powers_q, possible_q, set_q;
    use_t          asked_use_q, use_q;
    logic [15:0]   shared, last_q;
    assign written = word_i;
    always_ff @(posedge clk_i) begin
      asked_q.l1_entries <= written.l1_entries == '0 ? Built.l1_entries : written.l1_entries;
      asked_q.l2_entries <= written.l2_entries == '0 ? Built.l2_entries : written.l2_entries;
      asked_q.l2_ways <= written.l2_ways == '0 ? Built.l2_ways : written.l2_ways;
      asked_q.walk_cache <= written.walk_cache == '0 ? Built.walk_cache : written.walk_cache;
      asked_q.walks <= written.walks == '0 ? Built.walks : written.walks;

      judged_q <= asked_q;
      sets_lg2_q <= lg2_of(asked_q.l2_entries) - 4'd4 - lg2_of(16'(asked_q.l2_ways));
      powers_q <= is_power(asked_q.l2_entries) && is_power(16'(asked_q.l2_ways)) && is_power(asked_q.walk_cache)
          && 20'(asked_q.l2_entries) >= {8'd0, asked_q.l2_ways, 4'd0};

      possible_q <= powers_q && judged_q.l1_entries >= 16'd2 && judged_q.l1_entries <= Built.l1_entries
          && judged_q.l2_ways <= Built.l2_ways && sets_lg2_q <= 4'($clog2(Sets))
          && judged_q.walk_cache >= 16'd2 && judged_q.walk_cache <= Built.walk_cache && judged_q.walks <= Built.walks;
      asked_use_q <= use_of(judged_q, sets_lg2_q);

      set_q <= set_i && !rst_i;
      if (rst_i) begin
        sizes_q <= Built;
        use_q <= use_of(Built, 4'($clog2(Sets)));
      end else if (set_i && possible_q) begin
        sizes_q <= judged_q;
        use_q <= asked_use_q;
      end
      last_q <= shared > 16'(use_q.l1.last) ? shared : 16'(use_q.l1.last);
    end
    // A sweep has as many steps as the largest structure in use.
    assign shared = 16'(use_q.l2_sets) > (16'd1 << use_q.walk_cache_lg2) - 16'd1 ? 16'(use_q.l2_sets)
        : (16'd1 << use_q.walk_cache_lg2) - 16'd1;
    always_comb begin
      use_o = use_q;
      use_o.set = set_q;
      use_o.sweep_last = last_q;
    end
    assign word_o = sizes_q;
  end else begin : g_built
    logic unused_inputs;
    assign unused_inputs = ^{clk_i, rst_i, set_i, word_i};
    assign use_o = use_of(Built, 4'($clog2(Sets)));
    assign word_o = '0;
  end
endmodule

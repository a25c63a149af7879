// SPDX-License-Identifier: Apache-2.0
// gmmu_lookup alone in three sizes, with flat ports. Size 0 is the default, 1 the smallest, and 2 lies
// in between, with one client port and sizes that are no powers of two. size_i selects the
// active one; the others stay in reset. `told` is the message of tell, `entry` the fill unit's
// write, `scope` the scope of kill, sweep and space write, `row` the row of that space.
module gmmu_mmu_lookup_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_i,
  input  logic [1:0]   size_i,

  input  logic [6:0]   lookup_hint_i,
  input  logic [6:0]   lookup_pending_i,
  input  logic [6:0]   lookup_valid_i,
  output logic [6:0]   lookup_ready_o,
  input  logic [5:0]   lookup_slot_i [7],
  input  logic [5:0]   lookup_space_i [7],
  input  logic [35:0]  lookup_vpn_i [7],
  input  logic         lookup_high_i [7],
  output logic [6:0]   msg_valid_o,
  output logic [6:0]   msg_port_o,
  output logic [5:0]   msg_slot_o,
  output logic         msg_merged_o,
  output logic [5:0]   msg_space_o,
  output logic [35:0]  msg_vpn_o,
  output logic         msg_high_o,
  output logic [51:0]  msg_page_o,
  output logic [3:0]   msg_cause_o,
  output logic [5:0]   later_space_o,
  output logic [35:0]  later_vpn_o,
  output logic         later_high_o,
  output logic [51:0]  later_page_o,

  output logic [5:0]   search_space_o,
  output logic [35:0]  search_vpn_o,
  output logic         search_high_o,
  input  logic         search_hit_i,
  input  logic         search_near_i,
  input  logic         row_free_i,
  input  logic         row_engine_i,
  input  logic [1:0]   rows_early_i,
  output logic         begin_o,
  output logic         begin_wide_o,
  output logic         begin_engine_o,
  output logic         join_o,
  output logic [6:0]   what_port_o,
  output logic [5:0]   what_slot_o,
  output logic [5:0]   what_space_o,
  output logic [35:0]  what_vpn_o,
  output logic         what_high_o,
  output logic         restart_o,
  output logic [5:0]   restart_row_o,
  output logic [3:0]   start_cause_o,
  output logic [2:0]   start_level_o,
  output logic [35:0]  start_pfn_o,
  output logic         start_vram_o,
  output logic         start_index_valid_o,
  output logic [12:0]  start_index_o,
  output logic [5:0]   start_shift_o,
  output logic [3:0]   start_bits_o,
  output logic         start_k64_o,
  output logic         start_dual_o,
  output logic         start_has_o,
  output logic         start_half_o,

  input  logic         restart_valid_i,
  output logic         restart_ready_o,
  input  logic [5:0]   restart_row_i,
  input  logic [5:0]   restart_space_i,
  input  logic [35:0]  restart_vpn_i,
  input  logic         restart_high_i,
  input  logic         restart_second_i,
  input  logic         restart_wide_i,

  input  logic         again_valid_i,
  output logic         again_ready_o,
  input  logic [6:0]   again_port_i,
  input  logic [5:0]   again_slot_i,
  input  logic [5:0]   again_space_i,
  input  logic [35:0]  again_vpn_i,
  input  logic         again_high_i,

  input  logic         tell_valid_i,
  output logic         tell_ready_o,
  input  logic [6:0]   tell_port_i,
  input  logic [5:0]   tell_slot_i,
  input  logic         tell_merged_i,
  input  logic [5:0]   tell_space_i,
  input  logic [35:0]  tell_vpn_i,
  input  logic         tell_high_i,
  input  logic [51:0]  tell_page_i,
  input  logic [3:0]   tell_cause_i,
  input  logic         tell_large_i,
  input  logic [5:0]   tell_shift_i,
  input  logic         wc_write_i,
  input  logic [2:0]   wc_level_i,
  input  logic [5:0]   wc_space_i,
  input  logic [35:0]  wc_tag_i,
  input  logic [35:0]  wc_pfn_i,
  input  logic         wc_vram_i,
  input  logic         wc_k64_i,
  input  logic         wc_half_i,

  input  logic         probe_valid_i,
  input  logic [5:0]   probe_space_i,
  input  logic [35:0]  probe_vpn_i,
  output logic         probed_o,
  output logic [3:0]   probed_same_o,
  output logic [3:0]   probed_empty_o,
  output logic [15:0]  probed_present_o,
  input  logic [3:0]   tag_write_i,
  input  logic [3:0]   data_write_i,
  input  logic [5:0]   entry_space_i,
  input  logic [35:0]  entry_vpn_i,
  input  logic [15:0]  entry_present_i,
  input  logic [51:0]  entry_page_i,

  input  logic         hold_i,
  output logic         quiet_o,
  input  logic         kill_valid_i,
  input  logic         sweep_valid_i,
  input  logic [15:0]  sweep_index_i,
  input  logic         scope_all_i,
  input  logic [5:0]   scope_space_i,
  input  logic         scope_ranged_i,
  input  logic [35:0]  scope_first_i,
  input  logic [35:0]  scope_tail_i,
  input  logic         space_write_i,
  input  logic         row_enable_i,
  input  logic [35:0]  row_root_i,
  input  logic [1:0]   row_target_i,
  input  logic [13:0]  row_entries_i,
  input  logic [2:0]   row_top_i,
  input  logic [5:0]   row_root_shift_i,
  input  logic [3:0]   row_root_bits_i,
  input  logic [35:0]  row_shift_i,
  input  logic [23:0]  row_bits_i,
  input  logic         row_dual_i,
  input  logic         row_has_i,
  input  logic [3:0]   row_bits_64k_i,
  input  logic [35:0]  row_keep_i [6],  // [0] is unused
  input  logic [35:0]  row_beyond_i,

  output logic         count_hit_o,
  output logic         count_miss_o,
  output logic         count_merged_o,
  output logic         count_wc_lookup_o,
  output logic         count_wc_hit_o,
  output logic         idle_o
);
  asker_t [6:0]  lookup;
  key_t   [6:0]  lookup_key;  // key of the next cycle's lookup
  space_row_t    row;
  always_comb begin
    for (int unsigned p = 0; p < 7; p++) begin
      lookup[p] = '{port: port_t'(p), slot: lookup_slot_i[p]};
      lookup_key[p] = '{space: lookup_space_i[p], vpn: lookup_vpn_i[p], high: lookup_high_i[p]};
    end
    row.enable = row_enable_i;
    row.root = row_root_i;
    row.root_target = target_e'(row_target_i);
    row.root_entries = row_entries_i;
    row.top = row_top_i;
    row.root_shift = row_root_shift_i;
    row.root_bits = row_root_bits_i;
    row.shift = row_shift_i;
    row.bits = row_bits_i;
    row.dual = row_dual_i;
    row.has_64k = row_has_i;
    row.bits_64k = row_bits_64k_i;
    for (int unsigned l = 1; l < MaxLevels; l++) row.keep[l] = row_keep_i[l];
    row.beyond = row_beyond_i;
  end

  typedef struct packed {
    logic [6:0]  lookup_ready, msg_valid;
    msg_t        msg;
    translation_t later;
    key_t        search;
    logic        begins, wide, engine, joins, restarts;
    lookup_t     what;
    row_t        restart_row;
    start_t      start;
    logic        restart_ready, again_ready, tell_ready, probed;
    logic [3:0]  same, empty;
    logic [15:0] present;
    logic        quiet, hit, miss, merged, wc_lookup, wc_hit, idle;
  } outputs_t;
  outputs_t [2:0] outputs;
  outputs_t       shown;

  function automatic config_t sizes(int s);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumSpaces = s == 0 ? 16 : s == 1 ? 2 : 3;
    c.L2Entries = s == 0 ? 512 : s == 1 ? 16 : 64;
    c.L2Ways = s == 0 ? 4 : s == 1 ? 1 : 2;
    c.WalkCacheEntries = s == 0 ? 16 : s == 1 ? 2 : 4;
    c.TurnDown = 0;
    c = gmmu_config_pkg::derive(c);
    c.NumPorts = s == 0 ? 7 : s == 1 ? 2 : 5;
    c.MostSlots = s == 0 ? 32 : s == 1 ? 2 : 4;
    return c;
  endfunction
  for (genvar s = 0; s < 3; s++) begin : g_size
    localparam config_t Sizes = sizes(s);
    localparam int unsigned Ports = Sizes.NumPorts;
    localparam int unsigned Ways = Sizes.L2Ways;
    logic [Ports-1:0] ready, msg_valid;
    logic [Ways-1:0]  same, empty;
    gmmu_lookup #(.Config(Sizes)) u_lookup (
      .clk_i, .rst_i(rst_i || size_i != 2'(s)),
      .lookup_hint_i(lookup_hint_i[Ports-1:0]), .lookup_pending_i(lookup_pending_i[Ports-1:0]),
      .lookup_key_i(lookup_key[Ports-1:0]),
      .lookup_valid_i(lookup_valid_i[Ports-1:0]), .lookup_ready_o(ready),
      .lookup_i(lookup[Ports-1:0]), .msg_valid_o(msg_valid), .msg_o(outputs[s].msg),
      .later_o(outputs[s].later),
      .search_key_o(outputs[s].search), .search_hit_i, .search_near_i, .row_free_i, .row_engine_i,
      .rows_early_i, .begin_o(outputs[s].begins), .begin_wide_o(outputs[s].wide),
      .begin_engine_o(outputs[s].engine), .join_o(outputs[s].joins), .what_o(outputs[s].what),
      .restart_o(outputs[s].restarts), .restart_row_o(outputs[s].restart_row),
      .start_o(outputs[s].start),
      .restart_valid_i, .restart_ready_o(outputs[s].restart_ready), .restart_row_i,
      .restart_key_i('{space: restart_space_i, vpn: restart_vpn_i, high: restart_high_i}),
      .restart_second_i, .restart_wide_i,
      .again_valid_i, .again_ready_o(outputs[s].again_ready),
      .again_i('{port: again_port_i, slot: again_slot_i,
                 key: '{space: again_space_i, vpn: again_vpn_i, high: again_high_i}}),
      .tell_valid_i, .tell_ready_o(outputs[s].tell_ready),
      .tell_i('{port: tell_port_i, slot: tell_slot_i, merged: tell_merged_i,
                key: '{space: tell_space_i, vpn: tell_vpn_i, high: tell_high_i},
                page: page_t'(tell_page_i), cause: tell_cause_i}),
      .tell_large_i, .tell_shift_i, .wc_write_i,
      .wc_data_i('{level: wc_level_i, space: wc_space_i, tag: wc_tag_i, pfn: wc_pfn_i,
                   vram: wc_vram_i, k64: wc_k64_i, half: wc_half_i}),
      .probe_valid_i, .probe_key_i('{space: probe_space_i, vpn: probe_vpn_i, high: 1'b0}),
      .probed_o(outputs[s].probed), .probed_same_o(same), .probed_empty_o(empty),
      .probed_present_o(outputs[s].present),
      .tag_write_i(tag_write_i[Ways-1:0]), .data_write_i(data_write_i[Ways-1:0]),
      .fill_key_i('{space: entry_space_i, vpn: entry_vpn_i, high: 1'b0}),
      .fill_present_i(entry_present_i), .fill_page_i(page_t'(entry_page_i)),
      .hold_i, .quiet_o(outputs[s].quiet),
      .kill_i('{valid: kill_valid_i, all: scope_all_i, space: scope_space_i}),
      .sweep_i('{valid: sweep_valid_i, index: sweep_index_i, all: scope_all_i,
                 space: scope_space_i, ranged: scope_ranged_i, first: scope_first_i,
                 tail: scope_tail_i}),
      .space_write_i, .space_i(scope_space_i), .space_row_i(row), .use_i('0),
      .count_hit_o(outputs[s].hit), .count_miss_o(outputs[s].miss),
      .count_merged_o(outputs[s].merged), .count_wc_lookup_o(outputs[s].wc_lookup),
      .count_wc_hit_o(outputs[s].wc_hit), .idle_o(outputs[s].idle));
    assign outputs[s].lookup_ready = 7'(ready);
    assign outputs[s].msg_valid = 7'(msg_valid);
    assign outputs[s].same = 4'(same);
    assign outputs[s].empty = 4'(empty);
  end

  assign shown = outputs[size_i];
  assign lookup_ready_o = shown.lookup_ready;
  assign msg_valid_o = shown.msg_valid;
  assign msg_port_o = shown.msg.port;
  assign msg_slot_o = shown.msg.slot;
  assign msg_merged_o = shown.msg.merged;
  assign msg_space_o = shown.msg.key.space;
  assign msg_vpn_o = shown.msg.key.vpn;
  assign msg_high_o = shown.msg.key.high;
  assign msg_page_o = shown.msg.page;
  assign msg_cause_o = shown.msg.cause;
  assign later_space_o = shown.later.key.space;
  assign later_vpn_o = shown.later.key.vpn;
  assign later_high_o = shown.later.key.high;
  assign later_page_o = shown.later.page;
  assign search_space_o = shown.search.space;
  assign search_vpn_o = shown.search.vpn;
  assign search_high_o = shown.search.high;
  assign begin_o = shown.begins;
  assign begin_wide_o = shown.wide;
  assign begin_engine_o = shown.engine;
  assign join_o = shown.joins;
  assign what_port_o = shown.what.port;
  assign what_slot_o = shown.what.slot;
  assign what_space_o = shown.what.key.space;
  assign what_vpn_o = shown.what.key.vpn;
  assign what_high_o = shown.what.key.high;
  assign restart_o = shown.restarts;
  assign restart_row_o = shown.restart_row;
  assign start_cause_o = shown.start.cause;
  assign start_level_o = shown.start.level;
  assign start_pfn_o = shown.start.pfn;
  assign start_vram_o = shown.start.vram;
  assign start_index_valid_o = shown.start.index_valid;
  assign start_index_o = shown.start.index;
  assign start_shift_o = shown.start.shift;
  assign start_bits_o = shown.start.bits;
  assign start_k64_o = shown.start.k64;
  assign start_dual_o = shown.start.dual;
  assign start_has_o = shown.start.has_64k;
  assign start_half_o = shown.start.half;
  assign restart_ready_o = shown.restart_ready;
  assign again_ready_o = shown.again_ready;
  assign tell_ready_o = shown.tell_ready;
  assign probed_o = shown.probed;
  assign probed_same_o = shown.same;
  assign probed_empty_o = shown.empty;
  assign probed_present_o = shown.present;
  assign quiet_o = shown.quiet;
  assign count_hit_o = shown.hit;
  assign count_miss_o = shown.miss;
  assign count_merged_o = shown.merged;
  assign count_wc_lookup_o = shown.wc_lookup;
  assign count_wc_hit_o = shown.wc_hit;
  assign idle_o = shown.idle;
endmodule

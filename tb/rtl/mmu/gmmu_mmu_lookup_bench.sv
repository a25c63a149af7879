// SPDX-License-Identifier: Apache-2.0
// gmmu_lookup in three sizes: [0] the default, [1] the smallest, [2] in between, with one client
// port and sizes that are not powers of two. All instances share the inputs. size_i selects the
// active instance; the others stay in reset.
module gmmu_mmu_lookup_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_i,
  input  logic [1:0]   size_i,

  input  logic [6:0]   lookup_hint_i,
  input  logic [6:0]   lookup_pending_i,
  input  logic [6:0]   lookup_valid_i,
  output logic [6:0]   lookup_ready_o [3],
  input  slot_t        lookup_slot_i [7],
  input  key_t         lookup_key_i [7],  // key of the next cycle's lookup
  output logic [6:0]   msg_valid_o [3],
  output msg_t         msg_o [3],
  output translation_t later_o [3],

  output key_t         search_key_o [3],
  input  logic         search_hit_i,
  input  logic         search_near_i,
  input  logic         row_free_i,
  input  logic         row_engine_i,
  input  logic [1:0]   rows_early_i,
  output logic         begin_o [3],
  output logic         begin_wide_o [3],
  output logic         begin_engine_o [3],
  output logic         join_o [3],
  output lookup_t      what_o [3],
  output logic         restart_o [3],
  output row_t         restart_row_o [3],
  output start_t       start_o [3],
  input  logic         restart_valid_i,
  output logic         restart_ready_o [3],
  input  row_t         restart_row_i,
  input  key_t         restart_key_i,
  input  logic         restart_second_i,
  input  logic         restart_wide_i,
  input  logic         again_valid_i,
  output logic         again_ready_o [3],
  input  lookup_t      again_i,
  input  logic         tell_valid_i,
  output logic         tell_ready_o [3],
  input  msg_t         tell_i,
  input  logic         tell_large_i,
  input  logic [5:0]   tell_shift_i,
  input  logic         wc_write_i,
  input  wc_write_t    wc_data_i,

  input  logic         probe_valid_i,
  input  key_t         probe_key_i,
  output logic         probed_o [3],
  output logic [3:0]   probed_same_o [3],
  output logic [3:0]   probed_empty_o [3],
  output logic [15:0]  probed_present_o [3],
  input  logic [3:0]   tag_write_i,
  input  logic [3:0]   data_write_i,
  input  key_t         fill_key_i,
  input  logic [15:0]  fill_present_i,
  input  page_t        fill_page_i,

  input  logic         hold_i,
  output logic         quiet_o [3],
  input  kill_t        kill_i,
  input  sweep_t       sweep_i,
  input  logic         space_write_i,
  input  space_t       space_i,
  input  space_row_t   space_row_i,

  output logic         count_hit_o [3],
  output logic         count_miss_o [3],
  output logic         count_merged_o [3],
  output logic         count_wc_lookup_o [3],
  output logic         count_wc_hit_o [3],
  output logic         idle_o [3]
);
  asker_t [6:0] lookup;
  key_t   [6:0] lookup_key;
  for (genvar p = 0; p < 7; p++) begin : g_port
    assign lookup[p] = '{port: port_t'(p), slot: lookup_slot_i[p]};
    assign lookup_key[p] = lookup_key_i[p];
  end

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
      .lookup_key_i(lookup_key[Ports-1:0]), .lookup_valid_i(lookup_valid_i[Ports-1:0]), .lookup_ready_o(ready),
      .lookup_i(lookup[Ports-1:0]), .msg_valid_o(msg_valid), .msg_o(msg_o[s]), .later_o(later_o[s]),
      .search_key_o(search_key_o[s]), .search_hit_i, .search_near_i, .row_free_i, .row_engine_i, .rows_early_i,
      .begin_o(begin_o[s]), .begin_wide_o(begin_wide_o[s]), .begin_engine_o(begin_engine_o[s]), .join_o(join_o[s]),
      .what_o(what_o[s]), .restart_o(restart_o[s]), .restart_row_o(restart_row_o[s]), .start_o(start_o[s]),
      .restart_valid_i, .restart_ready_o(restart_ready_o[s]), .restart_row_i, .restart_key_i, .restart_second_i,
      .restart_wide_i, .again_valid_i, .again_ready_o(again_ready_o[s]), .again_i,
      .tell_valid_i, .tell_ready_o(tell_ready_o[s]), .tell_i, .tell_large_i, .tell_shift_i, .wc_write_i, .wc_data_i,
      .probe_valid_i, .probe_key_i, .probed_o(probed_o[s]), .probed_same_o(same), .probed_empty_o(empty),
      .probed_present_o(probed_present_o[s]), .tag_write_i(tag_write_i[Ways-1:0]),
      .data_write_i(data_write_i[Ways-1:0]), .fill_key_i, .fill_present_i, .fill_page_i,
      .hold_i, .quiet_o(quiet_o[s]), .kill_i, .sweep_i, .space_write_i, .space_i, .space_row_i, .use_i('0),
      .count_hit_o(count_hit_o[s]), .count_miss_o(count_miss_o[s]), .count_merged_o(count_merged_o[s]),
      .count_wc_lookup_o(count_wc_lookup_o[s]), .count_wc_hit_o(count_wc_hit_o[s]), .idle_o(idle_o[s]));
    assign lookup_ready_o[s] = 7'(ready);
    assign msg_valid_o[s] = 7'(msg_valid);
    assign probed_same_o[s] = 4'(same);
    assign probed_empty_o[s] = 4'(empty);
  end
endmodule

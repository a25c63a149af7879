// SPDX-License-Identifier: Apache-2.0
// The blocks of the MMU, unconnected, each in two sizes: [0] the default, [1] the smallest. Both
// instances receive the inputs, except that small_i selects the instance of gmmu_l1 and
// gmmu_walk_table that receives requests and responses. The blocks share the inputs for keys, a
// page, a kill and a sweep.
module gmmu_mmu_blocks_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        small_i,
  output logic [7:0]  data_words_o,

  // Inputs shared by all blocks.
  input  key_t        key_i,
  input  key_t        other_i,
  input  page_t       page_i,
  input  logic        kill_valid_i,
  input  logic        kill_all_i,
  input  space_t      kill_space_i,
  input  sweep_t      sweep_i,

  // gmmu_l2_ram: other_i is the key of writes.
  input  logic        l2_read_i,
  input  logic [3:0]  l2_tag_write_i,
  input  logic [3:0]  l2_data_write_i,
  input  logic [15:0] l2_present_i,
  output logic        l2_hit_o [2],
  output logic        l2_line_o [2],
  output page_t       l2_page_o [2],
  output logic [3:0]  l2_same_o [2],
  output logic [3:0]  l2_empty_o [2],
  output logic [15:0] l2_present_o [2],

  // gmmu_walk_cache: the keep masks are derived from the levels' shifts; other_i is the key of
  // writes and fills.
  input  logic        wc_enable_i,
  input  logic [29:0] wc_shifts_i,
  input  logic        wc_write_i,
  input  level_t      wc_level_i,
  input  pfn_t        wc_pfn_i,
  input  logic        wc_vram_i,
  input  logic        wc_k64_i,
  input  logic        wc_write_half_i,
  input  logic        wc_half_i,
  input  logic        wc_leaves_i,
  output logic        wc_hit_o [2],
  output level_t      wc_level_o [2],
  output logic        wc_vram_o [2],
  output logic        wc_k64_o [2],     // the hit is a level-1 pointer with k64 set

  // Large pages of gmmu_walk_cache. For a hit on a pointer, lg_page_o holds its page number.
  input  logic        lg_fill_i,
  input  logic [5:0]  lg_shift_i,
  input  logic        lg_dual_i,
  output logic        lg_hit_o [2],
  output page_t       lg_page_o [2],
  output logic        lg_kept_o [2],

  // gmmu_fill in front of a gmmu_l2_ram. Probes take two cycles, as in the pipeline. l2_read_i
  // reads in cycles without a probe.
  input  logic        fi_line_valid_i,
  input  row_t        fi_line_row_i,
  input  logic [2:0]  fi_line_beat_i,
  input  logic [63:0] fi_line_word_i [8],
  input  logic        fi_page_valid_i,
  input  logic        fi_start_valid_i,
  output logic        fi_start_ready_o [2],
  input  row_t        fi_start_row_i,
  input  logic [2:0]  fi_start_line_i,
  output logic        fi_done_o [2],
  output row_t        fi_done_row_o [2],
  output logic        fi_eviction_o [2],
  output logic        fi_idle_o [2],
  output logic        fi_hit_o [2],
  output page_t       fi_page_o [2],

  // gmmu_l1: messages use key_i and page_i.
  input  logic        l1_req_valid_i,
  output logic        l1_req_ready_o [2],
  input  xlate_req_t  l1_req_i,
  output logic        l1_rsp_valid_o [2],
  input  logic        l1_rsp_ready_i,
  output xlate_rsp_t  l1_rsp_o [2],
  output logic        l1_lookup_valid_o [2],
  input  logic        l1_lookup_ready_i,
  output asker_t      l1_lookup_o [2],
  output key_t        l1_lookup_key_o [2],  // key, one cycle after its announcement
  input  logic        l1_msg_valid_i,
  input  logic        l1_msg_other_i,       // the message belongs to another port
  input  slot_t       l1_msg_slot_i,
  input  cause_t      l1_msg_cause_i,
  input  logic        l1_generation_i,
  input  xlate_done_t l1_done_i,
  output logic [1:0]  l1_drained_o [2],
  output logic        l1_hit_o [2],
  output logic        l1_few_o [2],
  output logic        l1_idle_o [2],

  // gmmu_walk_table: other_i is searched, and the result comes one cycle later. Two cycles after a
  // key's search, the same key on key_i begins or joins a walk for wt_who_i. The data words are
  // shared with gmmu_fill.
  output logic        wt_hit_o [2],
  output logic        wt_near_o [2],
  output logic        wt_free_o [2],
  output logic        wt_engine_free_o [2],
  output row_t        wt_begin_row_o [2],
  output logic [1:0]  wt_early_o [2],
  output logic        wt_end_o [2],
  output row_t        wt_end_row_o [2],
  output key_t        wt_end_key_o [2],
  input  logic        wt_begin_i,
  input  logic        wt_begin_engine_i,
  input  logic        wt_wide_i,
  input  logic        wt_join_i,
  input  asker_t      wt_who_i,
  input  logic        wt_restart_i,
  input  row_t        wt_restart_row_i,
  input  start_t      wt_start_i,
  // Writes the shape of space kill_space_i. The shape's inputs must be stable for eight cycles.
  input  logic        wt_space_write_i,
  input  logic [35:0] wt_shifts_i,
  input  logic [23:0] wt_widths_i,
  output logic        wt_restart_valid_o [2],
  input  logic        wt_restart_ready_i,
  output row_t        wt_restart_row_o [2],
  output logic        wt_restart_wide_o [2],
  output key_t        wt_restart_key_o [2],
  output logic        wt_ar_valid_o [2],
  input  logic        wt_ar_ready_i,
  output ax_t         wt_ar_o [2],
  input  logic        wt_r_valid_i,
  input  logic [7:0]  wt_r_id_i,
  input  logic        wt_r_error_i,
  input  logic        wt_r_last_i,
  output logic        wt_tell_valid_o [2],
  input  logic        wt_tell_ready_i,
  output msg_t        wt_tell_o [2],
  output logic        wt_again_valid_o [2],
  input  logic        wt_again_ready_i,
  output lookup_t     wt_again_o [2],
  output logic        wt_wc_write_o [2],
  output wc_write_t   wt_wc_o [2],
  output logic        wt_fill_valid_o [2],
  input  logic        wt_fill_ready_i,
  output line_t       wt_fill_o [2],
  input  logic        wt_fill_done_i,
  input  row_t        wt_fill_done_row_i,
  input  logic        wt_hold_i,
  output logic        wt_stale_o [2],
  output logic        wt_quiet_o [2],
  output logic        wt_idle_o [2],

  // gmmu_space_prepare
  input  logic        sp_start_i,
  input  space_cfg_t  sp_cfg_i,
  output logic        sp_done_o,
  output space_row_t  sp_row_o
);
  localparam int unsigned Words = DataWidth / 64;
  assign data_words_o = 8'(Words);
  logic [DataWidth-1:0] line_data;
  for (genvar w = 0; w < Words; w++) begin : g_word
    assign line_data[w*64 +: 64] = fi_line_word_i[w];
  end

  kill_t        kill;
  sweep_step_t  step;
  translation_t moved;  // key and page of the fill
  keep_t        keep;
  assign kill = '{valid: kill_valid_i, all: kill_all_i, space: kill_space_i};
  assign moved = '{key: other_i, page: page_i};
  for (genvar l = 1; l < MaxLevels; l++) begin : g_keep
    assign keep[l] = keep_mask(wc_shifts_i[(l-1)*6 +: 6]);
  end
  gmmu_sweep u_sweep (.clk_i, .rst_i, .sweep_i, .step_o(step));
  gmmu_space_prepare u_prepare (
    .clk_i, .rst_i, .start_i(sp_start_i), .cfg_i(sp_cfg_i), .done_o(sp_done_o), .row_o(sp_row_o));

  // The default sizes, or the smallest sizes with `spaces` address spaces.
  function automatic config_t sizes(int s, int unsigned spaces);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.TurnDown = 0;
    c.MissSlots = 32;
    if (s == 0) return c;
    c.NumSpaces = spaces;
    c.L1Entries = 2;
    c.L2Entries = 32;
    c.L2Ways = 1;
    c.WalkCacheEntries = 2;
    c.NumWalks = 1;
    c = gmmu_config_pkg::derive(c);
    c.NumPorts = 2;
    c.MissSlots = 2;
    c.EngineMissSlots = 2;
    c.MostSlots = 2;
    c.SpareRows = 1;
    c.WalkRows = 3;
    return c;
  endfunction
  for (genvar s = 0; s < 2; s++) begin : g_size
    localparam int unsigned Ways = s == 0 ? 4 : 1;
    logic shown;
    assign shown = small_i == (s == 1);

    logic [Ways-1:0] same, empty;
    gmmu_l2_ram #(.Config(sizes(s, 16))) u_l2 (
      .clk_i, .rst_i, .read_i(l2_read_i), .read_key_i(key_i), .hit_o(l2_hit_o[s]), .line_o(l2_line_o[s]),
      .page_o(l2_page_o[s]), .same_o(same), .empty_o(empty), .present_o(l2_present_o[s]),
      .tag_write_i(l2_tag_write_i[Ways-1:0]), .data_write_i(l2_data_write_i[Ways-1:0]),
      .write_key_i(other_i), .present_i(l2_present_i), .page_i, .sweep_i(step), .use_i('0));
    assign l2_same_o[s] = 4'(same);
    assign l2_empty_o[s] = 4'(empty);

    logic [MaxLevels-1:1] wc_hits;
    gmmu_walk_cache #(.Config(sizes(s, 4))) u_walk_cache (
      .clk_i, .rst_i, .read_i(wc_enable_i), .key_i, .keep_i(keep), .half_i(wc_half_i), .leaves_i(wc_leaves_i),
      .hit_o(wc_hits), .large_o(lg_hit_o[s]), .page_o(lg_page_o[s]), .vram_o(wc_vram_o[s]), .k64_o(wc_k64_o[s]),
      .write_i(wc_write_i),
      .data_i('{level: wc_level_i, space: other_i.space, tag: other_i.vpn, pfn: wc_pfn_i,
                vram: wc_vram_i, k64: wc_k64_i, half: wc_write_half_i}),
      .fill_i(lg_fill_i), .fill_what_i(moved), .fill_shift_i(lg_shift_i), .fill_space_o(),
      .fill_dual_i(lg_dual_i), .kept_o(lg_kept_o[s]), .kill_i(kill.valid), .sweep_i(step), .use_i('0));
    always_comb begin
      wc_hit_o[s] = wc_hits != '0;
      wc_level_o[s] = '0;
      for (int unsigned l = 1; l < MaxLevels; l++) if (wc_hits[l]) wc_level_o[s] |= level_t'(l);
    end

    // gmmu_fill and its RAM.
    logic            fi_probe, fi_probe_q, fi_probed_q, fi_hit, fi_read_q, fi_hit_q;
    key_t            fi_probe_key, fi_key;
    logic [Ways-1:0] fi_same, fi_empty, fi_tag, fi_data;
    logic [15:0]     fi_present, fi_new;
    page_t           fi_new_page;
    gmmu_fill #(.Config(sizes(s, 16))) u_fill (
      .clk_i, .rst_i, .line_valid_i(fi_line_valid_i), .line_row_i(fi_line_row_i),
      .line_beat_i(fi_line_beat_i), .line_data_i(line_data), .page_valid_i(fi_page_valid_i),
      .page_i(moved), .page_row_i('0), .row_o(), .start_valid_i(fi_start_valid_i), .start_ready_o(fi_start_ready_o[s]),
      .start_i('{row: fi_start_row_i, key: other_i, line: fi_start_line_i}),
      .done_o(fi_done_o[s]), .done_row_o(fi_done_row_o[s]), .probe_valid_o(fi_probe),
      .probe_key_o(fi_probe_key), .probed_i(fi_probed_q), .probed_same_i(fi_same),
      .probed_empty_i(fi_empty), .probed_present_i(fi_present), .tag_write_o(fi_tag),
      .data_write_o(fi_data), .key_o(fi_key), .present_o(fi_new), .page_o(fi_new_page),
      .count_fill_o(), .count_eviction_o(fi_eviction_o[s]), .idle_o(fi_idle_o[s]), .use_i('0));
    gmmu_l2_ram #(.Config(sizes(s, 16))) u_fill_l2 (
      .clk_i, .rst_i, .read_i(fi_probe || l2_read_i),
      .read_key_i(fi_probe ? fi_probe_key : key_i), .hit_o(fi_hit), .line_o(), .page_o(fi_page_o[s]),
      .same_o(fi_same), .empty_o(fi_empty), .present_o(fi_present), .tag_write_i(fi_tag),
      .data_write_i(fi_data), .write_key_i(fi_key), .present_i(fi_new), .page_i(fi_new_page),
      .sweep_i(step), .use_i('0));
    assign fi_hit_o[s] = fi_hit && fi_hit_q;
    always_ff @(posedge clk_i) begin
      fi_probe_q <= fi_probe && !rst_i;
      fi_probed_q <= fi_probe_q && !rst_i;
      fi_read_q <= !fi_probe && l2_read_i;  // a read by the test, not a probe
      fi_hit_q <= fi_read_q;
    end

    key_t         lookup_key;
    port_count_t  count [1];
    xlate_done_t  l1_done [1];
    translation_t late_q, later_q, last_q;
    hint_t        late_hint_q, later_hint_q, last_hint_q;
    always_ff @(posedge clk_i) begin
      l1_lookup_key_o[s] <= lookup_key;
      late_q <= '{key: key_i, page: page_i};
      later_q <= late_q;
      last_q <= later_q;
      late_hint_q <= hint_of(key_i);
      later_hint_q <= late_hint_q;
      last_hint_q <= later_hint_q;
    end
    assign l1_done[0] = shown ? l1_done_i : '0;
    assign l1_hit_o[s] = count[0].hit;
    gmmu_l1 #(.Config(sizes(s, 2))) u_l1 (
      .clk_i, .rst_i, .port_i(port_t'(3)), .req_valid_i(l1_req_valid_i && shown), .req_ready_o(l1_req_ready_o[s]),
      .req_source_i('0), .req_i(l1_req_i), .rsp_valid_o(l1_rsp_valid_o[s]), .rsp_ready_i(l1_rsp_ready_i),
      .rsp_o(l1_rsp_o[s]), .rsp_source_o(), .done_i(l1_done), .lookup_hint_o(), .lookup_pending_o(),
      .lookup_key_o(lookup_key), .lookup_valid_o(l1_lookup_valid_o[s]), .lookup_ready_i(l1_lookup_ready_i),
      .lookup_o(l1_lookup_o[s]), .msg_valid_i(l1_msg_valid_i && !l1_msg_other_i && shown),
      .msg_i('{port: l1_msg_other_i ? port_t'(2) : port_t'(3), slot: l1_msg_slot_i, merged: 1'b0, key: key_i,
               page: page_i, cause: l1_msg_cause_i}),
      .late_hint_i(late_hint_q), .later_i(later_q), .last_i(last_q), .last_hint_i(last_hint_q), .sweep_i,
      .use_size_i('0), .use_set_i(1'b0), .generation_i(l1_generation_i), .drained_o(l1_drained_o[s]),
      .ev_o(), .count_o(count), .few_o(l1_few_o[s]), .idle_o(l1_idle_o[s]));

    gmmu_walk_table #(.Config(sizes(s, 2))) u_walk_table (
      .clk_i, .rst_i, .search_key_i(other_i), .search_hit_o(wt_hit_o[s]), .search_near_o(wt_near_o[s]),
      .row_free_o(wt_free_o[s]), .row_engine_o(wt_engine_free_o[s]), .rows_early_o(wt_early_o[s]),
      .begin_i(wt_begin_i && shown), .begin_wide_i(wt_wide_i), .begin_engine_i(wt_begin_engine_i),
      .begin_row_o(wt_begin_row_o[s]), .join_i(wt_join_i && shown), .what_i({wt_who_i, key_i}),
      .restart_i(wt_restart_i && shown), .restart_row_i(wt_restart_row_i), .start_i(wt_start_i),
      .restart_valid_o(wt_restart_valid_o[s]), .restart_ready_i(wt_restart_ready_i),
      .restart_row_o(wt_restart_row_o[s]), .restart_key_o(wt_restart_key_o[s]), .restart_second_o(),
      .restart_wide_o(wt_restart_wide_o[s]), .ar_valid_o(wt_ar_valid_o[s]), .ar_ready_i(wt_ar_ready_i),
      .ar_o(wt_ar_o[s]), .ar_early_o(), .early_ar_o(), .r_valid_i(wt_r_valid_i && shown),
      .r_i('{id: wt_r_id_i, data: line_data, error: wt_r_error_i, last: wt_r_last_i}),
      .tell_valid_o(wt_tell_valid_o[s]), .tell_ready_i(wt_tell_ready_i), .tell_o(wt_tell_o[s]),
      .tell_large_o(), .tell_narrow_o(), .tell_shift_o(), .tell_row_o(), .end_o(wt_end_o[s]),
      .end_row_o(wt_end_row_o[s]), .end_key_o(wt_end_key_o[s]), .again_valid_o(wt_again_valid_o[s]),
      .again_ready_i(wt_again_ready_i), .again_o(wt_again_o[s]), .wc_write_o(wt_wc_write_o[s]), .wc_data_o(wt_wc_o[s]),
      .line_valid_o(), .line_row_o(), .line_beat_o(), .line_data_o(), .fill_valid_o(wt_fill_valid_o[s]),
      .fill_ready_i(wt_fill_ready_i), .fill_o(wt_fill_o[s]), .fill_done_i(wt_fill_done_i && shown),
      .fill_done_row_i(wt_fill_done_row_i), .hold_i(wt_hold_i), .kill_i(kill), .stale_o(wt_stale_o[s]),
      .quiet_o(wt_quiet_o[s]), .space_write_i(wt_space_write_i), .space_i(kill_space_i),
      .shape_i('{dual: 1'b0, bits_64k: '0, shift: wt_shifts_i, bits: wt_widths_i}), .use_i('0),
      .count_ok_o(), .count_fault_o(), .count_read_o(), .count_issue_o(), .count_memory_o(), .count_rows_o(),
      .still_o(), .idle_o(wt_idle_o[s]));
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// The MMU's blocks, each on its own and instantiated twice, with flat ports for C++: with default and
// with smallest sizes. Both get the inputs, except that only the selected gmmu_l1 does; small_i selects
// the one whose outputs are visible. The blocks share the inputs for a kill, a sweep and a page.
module gmmu_mmu_blocks_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        small_i,

  // A key and a page, shared by all blocks.
  input  logic [5:0]  key_space_i,
  input  logic [35:0] key_vpn_i,
  input  logic        key_high_i,
  input  logic [5:0]  other_space_i,
  input  logic [35:0] other_vpn_i,
  input  logic [51:0] page_i,

  input  logic        kill_valid_i,
  input  logic        kill_all_i,
  input  logic [5:0]  kill_space_i,
  input  logic        sweep_valid_i,
  input  logic [15:0] sweep_index_i,
  input  logic        sweep_all_i,
  input  logic        sweep_ranged_i,
  input  logic [35:0] sweep_first_i,
  input  logic [35:0] sweep_tail_i,

  // gmmu_l2_ram
  input  logic        l2_read_i,
  input  logic [3:0]  l2_tag_write_i,
  input  logic [3:0]  l2_data_write_i,
  input  logic [15:0] l2_present_i,
  output logic        l2_hit_o,
  output logic        l2_line_o,
  output logic [51:0] l2_page_o,
  output logic [3:0]  l2_same_o,
  output logic [3:0]  l2_empty_o,
  output logic [15:0] l2_present_o,

  // gmmu_walk_cache: the keep masks are derived from the levels' shifts
  input  logic        wc_enable_i,
  input  logic [29:0] wc_shifts_i,
  input  logic        wc_write_i,
  input  logic [2:0]  wc_level_i,
  input  logic [35:0] wc_pfn_i,
  input  logic        wc_vram_i,
  input  logic        wc_k64_i,
  input  logic        wc_write_half_i,
  input  logic        wc_half_i,
  input  logic        wc_leaves_i,
  output logic        wc_hit_o,
  output logic [2:0]  wc_level_o,
  output logic [35:0] wc_pfn_o,
  output logic        wc_vram_o,
  output logic        wc_k64_o,       // k64 of the hit at level 1

  // large pages of gmmu_walk_cache
  input  logic        lg_fill_i,
  input  logic [5:0]  lg_shift_i,
  input  logic        lg_dual_i,
  output logic        lg_hit_o,
  output logic [51:0] lg_page_o,
  output logic        lg_kept_o,

  // gmmu_fill in front of a gmmu_l2_ram: probes take two cycles, as in the pipeline. l2_read_i
  // reads when there is no probe.
  input  logic        fi_line_valid_i,
  input  logic [5:0]  fi_line_row_i,
  input  logic [2:0]  fi_line_beat_i,
  input  logic [63:0] fi_line_word_i [8],
  input  logic        fi_page_valid_i,
  input  logic        fi_start_valid_i,
  output logic        fi_start_ready_o,
  input  logic [5:0]  fi_start_row_i,
  input  logic [2:0]  fi_start_line_i,
  output logic        fi_done_o,
  output logic [5:0]  fi_done_row_o,
  output logic        fi_eviction_o,
  output logic        fi_idle_o,
  output logic        fi_hit_o,
  output logic [51:0] fi_page_o,
  output logic [7:0]  data_words_o,

  // gmmu_l1
  input  logic        l1_req_valid_i,
  output logic        l1_req_ready_o,
  input  logic [7:0]  l1_req_tag_i,
  input  logic [5:0]  l1_req_space_i,
  input  logic [63:0] l1_req_va_i,
  input  logic [1:0]  l1_req_access_i,
  output logic        l1_rsp_valid_o,
  input  logic        l1_rsp_ready_i,
  output logic [7:0]  l1_rsp_tag_o,
  output logic        l1_rsp_generation_o,
  output logic [47:0] l1_rsp_offset_o,
  output logic [7:0]  l1_rsp_fault_o,
  output logic        l1_rsp_zero_o,
  output logic        l1_lookup_valid_o,
  input  logic        l1_lookup_ready_i,
  output logic [5:0]  l1_lookup_slot_o,
  output logic [5:0]  l1_lookup_space_o,
  output logic [35:0] l1_lookup_vpn_o,
  output logic        l1_lookup_high_o,
  input  logic        l1_msg_valid_i,
  input  logic        l1_msg_other_i,  // the message is for another port
  input  logic [5:0]  l1_msg_slot_i,
  input  logic        l1_msg_merged_i,
  input  logic [3:0]  l1_msg_cause_i,
  input  logic        l1_generation_i,
  input  logic [1:0]  l1_done0_i,
  input  logic [1:0]  l1_done1_i,
  output logic [1:0]  l1_drained_o,
  output logic        l1_hit_o,
  output logic        l1_few_o,
  output logic        l1_idle_o,

  // gmmu_walk_table: `other` is searched; one cycle later the answer is valid, and one cycle later
  // still `key` begins or joins a walk for wt_port_i, wt_slot_i
  output logic        wt_hit_o,
  output logic        wt_near_o,
  output logic        wt_free_o,
  output logic        wt_engine_free_o,
  output logic [5:0]  wt_begin_row_o,
  output logic [1:0]  wt_early_o,
  output logic        wt_end_o,
  output logic [5:0]  wt_end_row_o,
  output logic [42:0] wt_end_key_o,
  input  logic        wt_begin_i,
  input  logic        wt_begin_engine_i,
  input  logic        wt_wide_i,
  input  logic        wt_join_i,
  input  logic [2:0]  wt_port_i,
  input  logic [5:0]  wt_slot_i,
  input  logic        wt_restart_i,
  input  logic [5:0]  wt_restart_row_i,
  input  logic [3:0]  wt_cause_i,
  input  logic [2:0]  wt_level_i,
  input  logic [35:0] wt_pfn_i,
  input  logic        wt_vram_i,
  input  logic        wt_index_valid_i,
  input  logic [12:0] wt_index_i,
  input  logic [5:0]  wt_shift_i,
  input  logic [3:0]  wt_bits_i,
  input  logic        wt_has_64k_i,
  input  logic        wt_space_write_i,  // writes kill_space_i's shape, stable for eight cycles
  input  logic [35:0] wt_shifts_i,
  input  logic [23:0] wt_widths_i,
  output logic        wt_restart_valid_o,
  input  logic        wt_restart_ready_i,
  output logic [5:0]  wt_restart_row_o,
  output logic        wt_restart_wide_o,
  output logic [5:0]  wt_restart_space_o,
  output logic [35:0] wt_restart_vpn_o,
  output logic        wt_ar_valid_o,
  input  logic        wt_ar_ready_i,
  output logic [7:0]  wt_ar_id_o,
  output logic        wt_ar_vram_o,
  output logic [47:0] wt_ar_addr_o,
  output logic [7:0]  wt_ar_len_o,
  input  logic        wt_r_valid_i,
  input  logic [7:0]  wt_r_id_i,
  input  logic        wt_r_error_i,
  input  logic        wt_r_last_i,
  output logic        wt_tell_valid_o,
  input  logic        wt_tell_ready_i,
  output logic [2:0]  wt_tell_port_o,
  output logic [5:0]  wt_tell_slot_o,
  output logic        wt_tell_merged_o,
  output logic [35:0] wt_tell_vpn_o,
  output logic [51:0] wt_tell_page_o,
  output logic [3:0]  wt_tell_cause_o,
  output logic        wt_again_valid_o,
  input  logic        wt_again_ready_i,
  output logic [2:0]  wt_again_port_o,
  output logic [5:0]  wt_again_slot_o,
  output logic [35:0] wt_again_vpn_o,
  output logic        wt_wc_write_o,
  output logic [2:0]  wt_wc_level_o,
  output logic [5:0]  wt_wc_space_o,
  output logic [35:0] wt_wc_tag_o,
  output logic [35:0] wt_wc_pfn_o,
  output logic        wt_wc_vram_o,
  output logic        wt_fill_valid_o,
  input  logic        wt_fill_ready_i,
  output logic [5:0]  wt_fill_row_o,
  input  logic        wt_fill_done_i,
  input  logic [5:0]  wt_fill_done_row_i,
  input  logic        wt_hold_i,
  output logic        wt_stale_o,
  output logic        wt_quiet_o,
  output logic        wt_idle_o,

  // gmmu_space_prepare
  input  logic        sp_start_i,
  input  logic        sp_enable_i,
  input  logic [2:0]  sp_levels_i,
  input  logic [23:0] sp_bits_i,
  input  logic        sp_dual_i,
  output logic        sp_dual_o,
  output logic        sp_has_o,
  output logic [3:0]  sp_bits_64k_o,
  input  logic [31:0] sp_entries_i,
  output logic        sp_done_o,
  output logic        sp_enable_o,
  output logic [2:0]  sp_top_o,
  output logic [13:0] sp_entries_o,
  output logic [35:0] sp_shift_o,
  output logic [23:0] sp_bits_o,
  output logic [35:0] sp_keep_o [5],
  output logic [35:0] sp_beyond_o
);
  localparam int unsigned Words = DataWidth / 64;
  assign data_words_o = 8'(Words);

  key_t   key;
  page_t  page;
  kill_t  kill;
  sweep_t sweep;
  assign key = '{space: key_space_i, vpn: key_vpn_i, high: key_high_i};
  assign page = page_t'(page_i);
  assign kill = '{valid: kill_valid_i, all: kill_all_i, space: kill_space_i};
  assign sweep = '{valid: sweep_valid_i, index: sweep_index_i, all: sweep_all_i,
                   space: kill_space_i, ranged: sweep_ranged_i, first: sweep_first_i,
                   tail: sweep_tail_i};
  sweep_step_t step;
  gmmu_sweep u_sweep (.clk_i, .rst_i, .sweep_i(sweep), .step_o(step));
  key_t other;
  assign other = '{space: other_space_i, vpn: other_vpn_i, high: 1'b0};

  // The default sizes, or the smallest with `spaces` address spaces.
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

    // gmmu_l2_ram: writes use `other`.
    logic             hit;
    page_t            l2_page;
    logic [Ways-1:0]  same, empty;
    logic [15:0]      present;
    logic l2_line;
    gmmu_l2_ram #(.Config(sizes(s, 16))) u_l2 (
      .clk_i, .rst_i, .read_i(l2_read_i), .read_key_i(key), .hit_o(hit), .line_o(l2_line),
      .page_o(l2_page), .same_o(same), .empty_o(empty), .present_o(present),
      .tag_write_i(l2_tag_write_i[Ways-1:0]), .data_write_i(l2_data_write_i[Ways-1:0]),
      .write_key_i(other), .present_i(l2_present_i), .page_i(page), .sweep_i(step), .use_i('0));

    // gmmu_walk_cache: writes and fills use `other`.
    logic                 wc_large, wc_vram, wc_k64, lg_kept;
    logic [MaxLevels-1:1] wc_hits;
    level_t               wc_level;
    page_t                wc_page;
    keep_t                keep;
    always_comb begin
      for (int unsigned l = 1; l < MaxLevels; l++) keep[l] = keep_mask(wc_shifts_i[(l-1)*6 +: 6]);
    end
    gmmu_walk_cache #(.Config(sizes(s, 4))) u_walk_cache (
      .clk_i, .rst_i, .read_i(wc_enable_i), .key_i(key), .keep_i(keep),
      .half_i(wc_half_i), .leaves_i(wc_leaves_i), .hit_o(wc_hits), .large_o(wc_large),
      .page_o(wc_page), .vram_o(wc_vram), .k64_o(wc_k64), .write_i(wc_write_i),
      .data_i('{level: wc_level_i, space: other_space_i, tag: other_vpn_i, pfn: wc_pfn_i,
                vram: wc_vram_i, k64: wc_k64_i, half: wc_write_half_i}),
      .fill_i(lg_fill_i), .fill_what_i('{key: other, page: page}), .fill_shift_i(lg_shift_i),
      .fill_space_o(), .fill_dual_i(lg_dual_i), .kept_o(lg_kept),
      .kill_i(kill.valid), .sweep_i(step), .use_i('0));

    always_comb begin
      wc_level = '0;
      for (int unsigned l = 1; l < MaxLevels; l++) if (wc_hits[l]) wc_level |= level_t'(l);
    end

    // gmmu_fill and its RAM.
    logic            fi_probe, fi_probe_q, fi_probed_q, fi_hit, fi_done, fi_ready, fi_evict;
    logic            fi_idle, fi_read_q, fi_hit_q;
    key_t            fi_probe_key, fi_key;
    logic [Ways-1:0] fi_same, fi_empty, fi_tag, fi_data;
    logic [15:0]     fi_present, fi_new;
    page_t           fi_page, fi_new_page;
    row_t            fi_row;
    logic [DataWidth-1:0] line_data;
    always_comb begin
      for (int unsigned w = 0; w < Words; w++) line_data[w*64 +: 64] = fi_line_word_i[w];
    end
    gmmu_fill #(.Config(sizes(s, 16))) u_fill (
      .clk_i, .rst_i, .line_valid_i(fi_line_valid_i), .line_row_i(fi_line_row_i),
      .line_beat_i(fi_line_beat_i), .line_data_i(line_data), .page_valid_i(fi_page_valid_i),
      .page_i('{key: other, page: page}), .page_row_i('0), .row_o(), .start_valid_i(fi_start_valid_i),
      .start_ready_o(fi_ready),
      .start_i('{row: fi_start_row_i, key: other, line: fi_start_line_i}),
      .done_o(fi_done), .done_row_o(fi_row), .probe_valid_o(fi_probe),
      .probe_key_o(fi_probe_key), .probed_i(fi_probed_q), .probed_same_i(fi_same),
      .probed_empty_i(fi_empty), .probed_present_i(fi_present), .tag_write_o(fi_tag),
      .data_write_o(fi_data), .key_o(fi_key), .present_o(fi_new), .page_o(fi_new_page),
      .count_fill_o(), .count_eviction_o(fi_evict), .idle_o(fi_idle), .use_i('0));
    gmmu_l2_ram #(.Config(sizes(s, 16))) u_fill_l2 (
      .clk_i, .rst_i, .read_i(fi_probe || l2_read_i),
      .read_key_i(fi_probe ? fi_probe_key : key), .hit_o(fi_hit), .line_o(), .page_o(fi_page),
      .same_o(fi_same), .empty_o(fi_empty), .present_o(fi_present), .tag_write_i(fi_tag),
      .data_write_i(fi_data), .write_key_i(fi_key), .present_i(fi_new), .page_i(fi_new_page),
      .sweep_i(step), .use_i('0));
    always_ff @(posedge clk_i) begin
      fi_probe_q <= fi_probe && !rst_i;
      fi_probed_q <= fi_probe_q && !rst_i;
      fi_read_q <= !fi_probe && l2_read_i;  // 1: the read was the test's, not a probe
      fi_hit_q <= fi_read_q;
    end

    // gmmu_l1: messages use `key` and `page`.
    logic         req_ready, rsp_valid, lookup_valid, few, idle;
    xlate_rsp_t   rsp;
    asker_t       lookup;
    key_t         lookup_key, lookup_key_q;  // lookup_key_q: announced a cycle earlier
    port_count_t  count [1];
    xlate_done_t  l1_done [1];
    logic [1:0]   drained;
    msg_t         msg;
    translation_t late_q, later_q, last_q;
    hint_t        late_hint_q, later_hint_q, last_hint_q;
    assign msg = '{port: l1_msg_other_i ? port_t'(2) : port_t'(3), slot: l1_msg_slot_i,
                   merged: l1_msg_merged_i, key: key, page: page, cause: l1_msg_cause_i};
    always_ff @(posedge clk_i) begin
      lookup_key_q <= lookup_key;
      late_q <= '{key: key, page: page};
      later_q <= late_q;
      last_q <= later_q;
      late_hint_q <= hint_of(key);
      later_hint_q <= late_hint_q;
      last_hint_q <= later_hint_q;
    end
    assign l1_done[0] = small_i == (s == 1) ? '{old1: l1_done1_i, old0: l1_done0_i} : '0;
    gmmu_l1 #(.Config(sizes(s, 2))) u_l1 (
      .clk_i, .rst_i, .port_i(port_t'(3)),
      .req_valid_i(l1_req_valid_i && small_i == (s == 1)), .req_ready_o(req_ready),
      .req_source_i('0),
      .req_i('{tag: l1_req_tag_i, space: l1_req_space_i, va: l1_req_va_i,
               access: access_e'(l1_req_access_i)}),
      .rsp_valid_o(rsp_valid), .rsp_ready_i(l1_rsp_ready_i), .rsp_o(rsp),
      .rsp_source_o(), .done_i(l1_done),
      .lookup_hint_o(), .lookup_pending_o(), .lookup_key_o(lookup_key),
      .lookup_valid_o(lookup_valid), .lookup_ready_i(l1_lookup_ready_i), .lookup_o(lookup),
      .msg_valid_i(l1_msg_valid_i && !l1_msg_other_i && small_i == (s == 1)), .msg_i(msg), .late_hint_i(late_hint_q),
      .later_i(later_q), .last_i(last_q), .last_hint_i(last_hint_q), .sweep_i(sweep), .use_size_i('0), .use_set_i(1'b0),
      .generation_i(l1_generation_i), .drained_o(drained),
      .ev_o(), .count_o(count), .few_o(few), .idle_o(idle));

    // gmmu_walk_table uses the same R words as gmmu_fill.
    logic       wt_hit, wt_near, wt_free, wt_engine_free, wt_restart_valid, wt_restart_wide, wt_ar_valid;
    logic       wt_tell_valid, wt_again_valid, wt_wc_write, wt_fill_valid, wt_stale, wt_quiet;
    logic       wt_idle;
    row_t       wt_begin_row, wt_restart_row, wt_end_row;
    key_t       wt_end_key;
    logic       wt_end;
    logic [1:0] wt_early;
    key_t       wt_restart_key;
    gmmu_axi_pkg::ax_t wt_ar;
    msg_t       wt_tell;
    lookup_t    wt_again;
    wc_write_t  wt_wc;
    line_t      wt_fill;
    gmmu_walk_table #(.Config(sizes(s, 2))) u_walk_table (
      .clk_i, .rst_i, .search_key_i(other), .search_hit_o(wt_hit), .search_near_o(wt_near),
      .row_free_o(wt_free), .row_engine_o(wt_engine_free), .rows_early_o(wt_early),
      .begin_i(wt_begin_i && small_i == (s == 1)), .begin_wide_i(wt_wide_i),
      .begin_engine_i(wt_begin_engine_i), .begin_row_o(wt_begin_row),
      .join_i(wt_join_i && small_i == (s == 1)),
      .what_i('{port: port_t'(wt_port_i), slot: wt_slot_i, key: key}),
      .restart_i(wt_restart_i && small_i == (s == 1)), .restart_row_i(wt_restart_row_i),
      .start_i('{cause: wt_cause_i, level: wt_level_i, k64: 1'b0, dual: 1'b0, has_64k: wt_has_64k_i,
                 half: 1'b0, pfn: wt_pfn_i, vram: wt_vram_i,
                 index_valid: wt_index_valid_i, index: wt_index_i, shift: wt_shift_i,
                 bits: wt_bits_i}),
      .restart_valid_o(wt_restart_valid), .restart_ready_i(wt_restart_ready_i),
      .restart_row_o(wt_restart_row), .restart_key_o(wt_restart_key), .restart_second_o(),
      .restart_wide_o(wt_restart_wide),
      .ar_valid_o(wt_ar_valid), .ar_ready_i(wt_ar_ready_i), .ar_o(wt_ar), .ar_early_o(), .early_ar_o(),
      .r_valid_i(wt_r_valid_i && small_i == (s == 1)),
      .r_i('{id: wt_r_id_i, data: line_data, error: wt_r_error_i, last: wt_r_last_i}),
      .tell_valid_o(wt_tell_valid), .tell_ready_i(wt_tell_ready_i), .tell_o(wt_tell),
      .tell_large_o(), .tell_narrow_o(), .tell_shift_o(), .tell_row_o(), .end_o(wt_end),
      .end_row_o(wt_end_row), .end_key_o(wt_end_key),
      .again_valid_o(wt_again_valid), .again_ready_i(wt_again_ready_i), .again_o(wt_again),
      .wc_write_o(wt_wc_write), .wc_data_o(wt_wc), .line_valid_o(), .line_row_o(),
      .line_beat_o(), .line_data_o(), .fill_valid_o(wt_fill_valid), .fill_ready_i(wt_fill_ready_i),
      .fill_o(wt_fill), .fill_done_i(wt_fill_done_i && small_i == (s == 1)),
      .fill_done_row_i(wt_fill_done_row_i), .hold_i(wt_hold_i), .kill_i(kill),
      .stale_o(wt_stale), .quiet_o(wt_quiet), .space_write_i(wt_space_write_i),
      .space_i(kill_space_i), .shape_i('{dual: 1'b0, bits_64k: '0, shift: wt_shifts_i,
          bits: wt_widths_i}), .use_i('0),
      .count_ok_o(), .count_fault_o(), .count_read_o(), .count_issue_o(), .count_memory_o(),
      .count_rows_o(), .still_o(), .idle_o(wt_idle));
  end

  space_row_t prepared;
  gmmu_space_prepare u_prepare (
    .clk_i, .rst_i, .start_i(sp_start_i),
    .cfg_i('{enable: sp_enable_i, root: '0, root_entries: sp_entries_i, levels: sp_levels_i,
             dual: sp_dual_i, bits: sp_bits_i}),
    .done_o(sp_done_o), .row_o(prepared));
  assign sp_enable_o = prepared.enable;
  assign sp_top_o = prepared.top;
  assign sp_entries_o = prepared.root_entries;
  assign sp_shift_o = prepared.shift;
  assign sp_bits_o = prepared.bits;
  assign sp_dual_o = prepared.dual;
  assign sp_has_o = prepared.has_64k;
  assign sp_bits_64k_o = prepared.bits_64k;
  assign sp_beyond_o = prepared.beyond;
  for (genvar l = 0; l < 5; l++) begin : g_keep
    assign sp_keep_o[l] = prepared.keep[l+1];
  end

  assign l2_line_o = small_i ? g_size[1].l2_line : g_size[0].l2_line;
  assign l2_hit_o = small_i ? g_size[1].hit : g_size[0].hit;
  assign l2_page_o = small_i ? g_size[1].l2_page : g_size[0].l2_page;
  assign l2_same_o = small_i ? 4'(g_size[1].same) : g_size[0].same;
  assign l2_empty_o = small_i ? 4'(g_size[1].empty) : g_size[0].empty;
  assign l2_present_o = small_i ? g_size[1].present : g_size[0].present;
  assign wc_hit_o = small_i ? g_size[1].wc_hits != '0 : g_size[0].wc_hits != '0;
  assign wc_level_o = small_i ? g_size[1].wc_level : g_size[0].wc_level;
  assign wc_pfn_o = lg_page_o[51:16];
  assign wc_vram_o = small_i ? g_size[1].wc_vram : g_size[0].wc_vram;
  assign wc_k64_o = small_i ? g_size[1].wc_k64 : g_size[0].wc_k64;
  assign lg_hit_o = small_i ? g_size[1].wc_large : g_size[0].wc_large;
  assign lg_page_o = small_i ? g_size[1].wc_page : g_size[0].wc_page;
  assign lg_kept_o = small_i ? g_size[1].lg_kept : g_size[0].lg_kept;
  assign fi_start_ready_o = small_i ? g_size[1].fi_ready : g_size[0].fi_ready;
  assign fi_done_o = small_i ? g_size[1].fi_done : g_size[0].fi_done;
  assign fi_done_row_o = small_i ? g_size[1].fi_row : g_size[0].fi_row;
  assign fi_eviction_o = small_i ? g_size[1].fi_evict : g_size[0].fi_evict;
  assign fi_idle_o = small_i ? g_size[1].fi_idle : g_size[0].fi_idle;
  assign fi_hit_o = small_i ? g_size[1].fi_hit && g_size[1].fi_hit_q
                            : g_size[0].fi_hit && g_size[0].fi_hit_q;
  assign fi_page_o = small_i ? g_size[1].fi_page : g_size[0].fi_page;
  assign l1_req_ready_o = small_i ? g_size[1].req_ready : g_size[0].req_ready;
  assign l1_rsp_valid_o = small_i ? g_size[1].rsp_valid : g_size[0].rsp_valid;
  assign l1_rsp_tag_o = small_i ? g_size[1].rsp.tag : g_size[0].rsp.tag;
  assign l1_rsp_generation_o = small_i ? g_size[1].rsp.generation : g_size[0].rsp.generation;
  assign l1_rsp_offset_o = small_i ? g_size[1].rsp.gpa.offset : g_size[0].rsp.gpa.offset;
  assign l1_rsp_fault_o = small_i ? g_size[1].rsp.fault : g_size[0].rsp.fault;
  assign l1_rsp_zero_o = small_i ? g_size[1].rsp.zero : g_size[0].rsp.zero;
  assign l1_lookup_valid_o = small_i ? g_size[1].lookup_valid : g_size[0].lookup_valid;
  assign l1_lookup_slot_o = small_i ? g_size[1].lookup.slot : g_size[0].lookup.slot;
  assign l1_lookup_space_o = small_i ? g_size[1].lookup_key_q.space : g_size[0].lookup_key_q.space;
  assign l1_lookup_vpn_o = small_i ? g_size[1].lookup_key_q.vpn : g_size[0].lookup_key_q.vpn;
  assign l1_lookup_high_o = small_i ? g_size[1].lookup_key_q.high : g_size[0].lookup_key_q.high;
  assign l1_drained_o = small_i ? g_size[1].drained : g_size[0].drained;
  assign l1_hit_o = small_i ? g_size[1].count[0].hit : g_size[0].count[0].hit;
  assign l1_few_o = small_i ? g_size[1].few : g_size[0].few;
  assign l1_idle_o = small_i ? g_size[1].idle : g_size[0].idle;
  assign wt_hit_o = small_i ? g_size[1].wt_hit : g_size[0].wt_hit;
  assign wt_near_o = small_i ? g_size[1].wt_near : g_size[0].wt_near;
  assign wt_free_o = small_i ? g_size[1].wt_free : g_size[0].wt_free;
  assign wt_engine_free_o = small_i ? g_size[1].wt_engine_free : g_size[0].wt_engine_free;
  assign wt_early_o = small_i ? g_size[1].wt_early : g_size[0].wt_early;
  assign wt_end_o = small_i ? g_size[1].wt_end : g_size[0].wt_end;
  assign wt_end_row_o = small_i ? g_size[1].wt_end_row : g_size[0].wt_end_row;
  assign wt_end_key_o = small_i ? g_size[1].wt_end_key : g_size[0].wt_end_key;
  assign wt_wc_level_o = small_i ? g_size[1].wt_wc.level : g_size[0].wt_wc.level;
  assign wt_wc_space_o = small_i ? g_size[1].wt_wc.space : g_size[0].wt_wc.space;
  assign wt_wc_tag_o = small_i ? g_size[1].wt_wc.tag : g_size[0].wt_wc.tag;
  assign wt_wc_pfn_o = small_i ? g_size[1].wt_wc.pfn : g_size[0].wt_wc.pfn;
  assign wt_wc_vram_o = small_i ? g_size[1].wt_wc.vram : g_size[0].wt_wc.vram;
  assign wt_begin_row_o = small_i ? g_size[1].wt_begin_row : g_size[0].wt_begin_row;
  assign wt_restart_valid_o = small_i ? g_size[1].wt_restart_valid : g_size[0].wt_restart_valid;
  assign wt_restart_wide_o = small_i ? g_size[1].wt_restart_wide : g_size[0].wt_restart_wide;
  assign wt_restart_row_o = small_i ? g_size[1].wt_restart_row : g_size[0].wt_restart_row;
  assign wt_restart_space_o = small_i ? g_size[1].wt_restart_key.space
      : g_size[0].wt_restart_key.space;
  assign wt_restart_vpn_o = small_i ? g_size[1].wt_restart_key.vpn : g_size[0].wt_restart_key.vpn;
  assign wt_ar_valid_o = small_i ? g_size[1].wt_ar_valid : g_size[0].wt_ar_valid;
  assign wt_ar_id_o = small_i ? g_size[1].wt_ar.id : g_size[0].wt_ar.id;
  assign wt_ar_vram_o = small_i ? (g_size[1].wt_ar.port == gmmu_axi_pkg::PortVram)
      : (g_size[0].wt_ar.port == gmmu_axi_pkg::PortVram);
  assign wt_ar_addr_o = small_i ? g_size[1].wt_ar.addr : g_size[0].wt_ar.addr;
  assign wt_ar_len_o = small_i ? g_size[1].wt_ar.len : g_size[0].wt_ar.len;
  assign wt_tell_valid_o = small_i ? g_size[1].wt_tell_valid : g_size[0].wt_tell_valid;
  assign wt_tell_port_o = small_i ? 3'(g_size[1].wt_tell.port) : 3'(g_size[0].wt_tell.port);
  assign wt_tell_slot_o = small_i ? g_size[1].wt_tell.slot : g_size[0].wt_tell.slot;
  assign wt_tell_merged_o = small_i ? g_size[1].wt_tell.merged : g_size[0].wt_tell.merged;
  assign wt_tell_vpn_o = small_i ? g_size[1].wt_tell.key.vpn : g_size[0].wt_tell.key.vpn;
  assign wt_tell_page_o = small_i ? g_size[1].wt_tell.page : g_size[0].wt_tell.page;
  assign wt_tell_cause_o = small_i ? g_size[1].wt_tell.cause : g_size[0].wt_tell.cause;
  assign wt_again_valid_o = small_i ? g_size[1].wt_again_valid : g_size[0].wt_again_valid;
  assign wt_again_port_o = small_i ? 3'(g_size[1].wt_again.port) : 3'(g_size[0].wt_again.port);
  assign wt_again_slot_o = small_i ? g_size[1].wt_again.slot : g_size[0].wt_again.slot;
  assign wt_again_vpn_o = small_i ? g_size[1].wt_again.key.vpn : g_size[0].wt_again.key.vpn;
  assign wt_wc_write_o = small_i ? g_size[1].wt_wc_write : g_size[0].wt_wc_write;
  assign wt_fill_valid_o = small_i ? g_size[1].wt_fill_valid : g_size[0].wt_fill_valid;
  assign wt_fill_row_o = small_i ? g_size[1].wt_fill.row : g_size[0].wt_fill.row;
  assign wt_stale_o = small_i ? g_size[1].wt_stale : g_size[0].wt_stale;
  assign wt_quiet_o = small_i ? g_size[1].wt_quiet : g_size[0].wt_quiet;
  assign wt_idle_o = small_i ? g_size[1].wt_idle : g_size[0].wt_idle;
endmodule

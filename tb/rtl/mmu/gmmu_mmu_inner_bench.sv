// SPDX-License-Identifier: Apache-2.0
// The parts of the L1 and of the walk table alone, each twice, with flat ports for C++: element 0
// of an output is of default sizes (nine rows), element 1 of the smallest (two rows). Both get the
// inputs, but those of parts that watch what they are asked: these get them only as the shown size.
// Keys, pages, rows of a walk and steps are packed as their types are.
module gmmu_mmu_inner_bench
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_walk_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        small_i,
  output logic [7:0]  data_words_o,

  // Of whichever block is driven.
  input  logic [42:0] key_i,
  input  logic [42:0] other_i,
  input  logic [51:0] page_i,
  input  logic        kill_i,
  input  logic [63:0] word_i [8],      // of a beat
  input  logic [37:0] walk_i [9],
  input  logic [3:0]  start_cause_i,   // a start_t
  input  logic [2:0]  start_level_i,
  input  logic [35:0] start_pfn_i,
  input  logic        start_vram_i,
  input  logic        start_k64_i,
  input  logic        start_dual_i,
  input  logic        start_has_i,     // has_64k
  input  logic        start_index_valid_i,
  input  logic [12:0] start_index_i,

  // gmmu_l1_entries: fill_next is `other`, written is `other` with `page`
  input  logic        en_look_i,
  input  logic        en_accept_i,
  input  logic [42:0] en_b_key_i,
  output logic [3:0]  en_near_o [2],
  output logic [3:0]  en_far_o [2],
  output logic        en_hit_o [2],
  output logic [51:0] en_page_o [2],
  input  logic        en_fill_i,
  input  logic        en_next_big_i,
  input  logic        en_write_i,
  input  logic [42:0] en_write_key_i,
  input  logic        en_kill_i,
  input  logic        en_kill_all_i,
  input  logic [5:0]  en_kill_space_i,

  // gmmu_l1_slots
  input  logic        sl_may_i,
  input  logic        sl_alloc_i,
  input  logic [21:0] sl_data_i,
  output logic [5:0]  sl_slot_o [2],
  output logic        sl_one_o [2],
  input  logic [5:0]  sl_read_slot_i,
  output logic [21:0] sl_data_o [2],
  input  logic        sl_release_i,
  input  logic [5:0]  sl_release_slot_i,

  // gmmu_l1_drain of 11 and of 5 bits
  input  logic [1:0]  dr_made_i,
  input  logic        dr_generation_i,
  input  logic [1:0]  dr_done0_i,
  input  logic [1:0]  dr_done1_i,
  output logic [1:0]  dr_drained_o [2],
  output logic        dr_room_o [2],

  // gmmu_walk_free
  input  logic [8:0]  fr_free_i,
  input  logic [8:0]  fr_closing_i,
  input  logic [8:0]  fr_joined_i,
  output logic        fr_row_free_o [2],
  output logic        fr_engine_o [2],
  output logic [1:0]  fr_early_o [2],
  input  logic        fr_begin_i,
  input  logic        fr_begin_engine_i,
  output logic [8:0]  fr_begin_rows_o [2],
  output logic [5:0]  fr_begin_row_o [2],
  output logic [8:0]  fr_end_rows_o [2],
  output logic        fr_end_o [2],
  output logic [5:0]  fr_end_row_o [2],

  // gmmu_walk_pick
  input  logic        pk_clear_i,
  input  logic [8:0]  pk_req_i,
  input  logic        pk_take_i,
  output logic [8:0]  pk_pick_o [2],
  output logic [5:0]  pk_row_o [2],

  // gmmu_walk_judge: key of the beat is `key`, words `word`, rows `walk`
  input  logic        ju_valid_i,
  input  logic [7:0]  ju_id_i,
  input  logic        ju_error_i,
  input  logic        ju_last_i,
  output logic [8:0]  ju_beat_rows_o [2],
  output logic [5:0]  ju_beat_row_o [2],
  output logic        ju_beat_low_o [2],
  input  logic [2:0]  ju_beat_word_i,
  input  logic        ju_block_ok_i,
  output logic        ju_descend_o [2],
  input  logic        ju_sent_i,
  output logic [35:0] ju_pfn_o [2],
  output logic        ju_vram_o [2],
  output logic        ju_next_line_o [2],
  output logic        ju_direct_o [2],
  input  logic        ju_take_i,
  output logic [51:0] ju_page_o [2],
  output logic [3:0]  ju_cause_o [2],
  output logic        ju_wide_o [2],
  output logic [8:0]  ju_judged_o [2],
  output logic [7:0]  ju_verdict_o [2],
  output logic [5:0]  ju_row_o [2],
  output logic        ju_low_o [2],
  input  logic [5:0]  ju_shift_i,
  input  logic [2:0]  ju_word_i,
  output logic        ju_line_o [2],
  output logic [2:0]  ju_line_beat_o [2],
  output logic [63:0] ju_line_word_o [2],   // the highest of the beat
  output logic        ju_table_o [2],
  output logic [35:0] ju_table_pfn_o [2],
  output logic        ju_table_vram_o [2],
  output logic        ju_wc_o [2],
  output logic [2:0]  ju_wc_level_o [2],
  output logic [5:0]  ju_wc_space_o [2],
  output logic [35:0] ju_wc_tag_o [2],
  output logic [35:0] ju_wc_pfn_o [2],
  output logic        ju_wc_vram_o [2],
  output logic        ju_wc_k64_o [2],
  output logic        ju_wc_half_o [2],

  // gmmu_walk_read
  input  logic        re_descend_i,
  output logic        re_sent_now_o [2],
  input  logic [5:0]  re_descend_row_i,
  input  logic [35:0] re_descend_pfn_i,
  input  logic        re_descend_vram_i,
  input  logic [12:0] re_descend_index_i,
  input  logic        re_descend_line_i,
  input  logic        re_start_i,
  input  logic [5:0]  re_start_row_i,
  input  logic [8:0]  re_early_rows_i,
  input  logic        re_held_i,
  input  logic [12:0] re_early_index_i,
  output logic        re_ready_o [2],
  input  logic [8:0]  re_rows_i,
  input  logic [5:0]  re_row_i,
  input  logic [12:0] re_row_index_i,
  input  logic [8:0]  re_below_i,
  input  logic [8:0]  re_line_i,
  output logic [8:0]  re_kept_o [2],
  output logic [8:0]  re_sent_o [2],
  input  logic        re_table_i,
  input  logic [5:0]  re_table_row_i,
  input  logic [35:0] re_table_pfn_i,
  input  logic        re_table_vram_i,
  output logic        re_ar_valid_o [2],
  input  logic        re_ar_ready_i,
  output logic [7:0]  re_ar_id_o [2],
  output logic [1:0]  re_ar_port_o [2],
  output logic [47:0] re_ar_addr_o [2],
  output logic [7:0]  re_ar_len_o [2],

  // gmmu_walk_row (it has one size)
  input  logic        ro_begin_i,
  input  logic        ro_restart_i,
  input  logic        ro_wide_i,
  input  logic        ro_join_i,
  input  logic        ro_picked_i,
  input  logic        ro_asked_i,
  input  logic        ro_again_i,
  input  logic        ro_index_i,
  input  logic [2:0]  ro_word_i,
  input  logic        ro_sent_i,
  input  logic        ro_beat_i,
  input  logic        ro_judged_i,
  input  logic [7:0]  ro_verdict_i,
  input  logic        ro_filling_i,
  input  logic        ro_filled_i,
  input  logic        ro_restarted_i,
  input  logic        ro_end_i,
  input  logic        ro_killed_i,
  output logic [37:0] ro_walk_o,

  // gmmu_walk_search: `key` is searched, `other` begins
  output logic        se_hit_o [2],
  output logic        se_near_o [2],
  output logic [8:0]  se_match_o [2],
  input  logic        se_begin_i,
  input  logic [8:0]  se_begin_rows_i,
  input  logic        se_wide_i,
  input  logic [8:0]  se_free_i,
  input  logic [8:0]  se_open_i,
  input  logic [8:0]  se_wide_rows_i,
  input  logic [5:0]  se_keys_row_i,
  output logic [42:0] se_key_o [2],

  // gmmu_walk_step
  input  logic        st_start_i,
  input  logic [5:0]  st_start_row_i,
  input  logic        st_start_low_i,
  input  logic [22:0] st_start_step_i,
  input  logic        st_index_i,
  input  logic [5:0]  st_index_row_i,
  input  logic        st_index_low_i,
  input  logic [22:0] st_index_step_i,
  input  logic [5:0]  st_row_i,        // of all readers
  input  logic        st_low_i,
  output logic [2:0]  st_beat_word_o [2],
  output logic [12:0] st_beat_latest_o [2],
  output logic        st_beat_block_ok_o [2],
  output logic [12:0] st_read_latest_o [2],
  output logic [2:0]  st_fill_line_o [2],
  output logic [8:0]  st_judge_o [2],  // shift, word
  output logic [12:0] st_tell_o [2],   // shift, block_ok, line, word

  // gmmu_walk_tell and gmmu_walk_answer: the row's data are shared, its key is `key`; a direct
  // answer has `other` and `page`. Element 2 and 3 of the outputs are gmmu_walk_answer's.
  input  logic        te_line_i,
  input  logic [5:0]  te_line_row_i,
  input  logic [2:0]  te_line_beat_i,
  input  logic        te_direct_i,
  output logic        te_take_o [4],
  input  logic [5:0]  te_direct_row_i,
  input  logic [2:0]  te_direct_port_i,
  input  logic [5:0]  te_direct_slot_i,
  input  logic [3:0]  te_direct_cause_i,
  input  logic        te_direct_wide_i,
  input  logic        te_join_i,
  input  logic [7:0]  te_join_who_i,
  input  logic [2:0]  te_join_sub_i,
  input  logic        te_join_chain_i,
  input  logic [7:0]  te_join_tail_i,
  input  logic        te_row_valid_i,
  output logic        te_row_ready_o [2],
  input  logic [5:0]  te_row_i,
  input  logic [2:0]  te_level_i,
  input  logic [1:0]  te_form_i,
  input  logic [5:0]  te_shift_i,
  input  logic        te_block_ok_i,
  input  logic [2:0]  te_mask_i,
  input  logic [2:0]  te_word_i,
  input  logic        te_wide_i,
  input  logic        te_drop_i,
  input  logic        te_error_i,
  input  logic [3:0]  te_cause_i,
  input  logic        te_begin_i,
  input  logic [7:0]  te_who_i,
  input  logic        te_chain_i,
  input  logic [7:0]  te_head_i,
  input  logic [7:0]  te_tail_i,
  input  logic        an_entry_i,
  output logic        an_ready_o [2],
  output logic        an_idle_o [2],
  input  logic [2:0]  an_port_i,
  input  logic [5:0]  an_slot_i,
  input  logic [2:0]  an_sub_i,
  input  logic [63:0] an_word_i,
  output logic        te_tell_o [4],
  input  logic        te_tell_ready_i,
  output logic [6:0]  te_port_o [4],
  output logic [5:0]  te_slot_o [4],
  output logic        te_merged_o [4],
  output logic [42:0] te_key_o [4],
  output logic [51:0] te_page_o [4],
  output logic [3:0]  te_cause_o [4],
  output logic        te_large_o [4],
  output logic        te_narrow_o [4],
  output logic [5:0]  te_shift_o [4],
  output logic [5:0]  te_tell_row_o [4],
  output logic        te_again_o [4],
  input  logic        te_again_ready_i,
  output logic [6:0]  te_again_port_o [4],
  output logic [5:0]  te_again_slot_o [4],
  output logic [42:0] te_again_key_o [4],
  output logic        te_ok_o [4],
  output logic        te_fault_o [4],
  input  logic        te_hold_i,
  output logic [8:0]  te_kept_o [4],
  output logic        te_quiet_o [4],

  // gmmu_walk_waiters: the key is `key`
  input  logic        wa_begin_i,
  input  logic        wa_starts_i,
  input  logic [5:0]  wa_start_row_i,
  input  logic [7:0]  wa_waiter_i,
  input  logic        wa_join_i,
  input  logic [8:0]  wa_join_rows_i,
  input  logic [8:0]  wa_chained_i,
  output logic        wa_join_chain_o [2],
  output logic [7:0]  wa_join_tail_o [2],
  input  logic [5:0]  wa_row_i [6],    // readers: restart, index, fill, end, beat, tell
  output logic [42:0] wa_restart_key_o [2],
  output logic [42:0] wa_index_key_o [2],
  output logic [42:0] wa_fill_key_o [2],
  output logic [42:0] wa_end_key_o [2],
  output logic [42:0] wa_beat_key_o [2],
  output logic [42:0] wa_tell_key_o [2],
  output logic [7:0]  wa_beat_who_o [2],
  output logic [7:0]  wa_tell_who_o [2],
  output logic [3:0]  wa_tell_cause_o [2],
  output logic [7:0]  wa_tell_head_o [2],
  output logic [7:0]  wa_tell_tail_o [2],
  input  logic        wa_tell_ready_i,
  input  logic [8:0]  wa_tell_rows_i
);
  localparam int unsigned Words = DataWidth / 64;
  assign data_words_o = 8'(Words);

  key_t   key, other;
  start_t start;
  logic [DataWidth-1:0] data;
  assign key = key_t'(key_i);
  assign other = key_t'(other_i);
  assign start = '{cause: start_cause_i, level: start_level_i, k64: start_k64_i,
                   dual: start_dual_i, has_64k: start_has_i, half: 1'b0,
                   pfn: start_pfn_i, vram: start_vram_i,
                   index_valid: start_index_valid_i, index: start_index_i, shift: '0, bits: '0};
  for (genvar w = 0; w < Words; w++) begin : g_word
    assign data[w*64 +: 64] = word_i[w];
  end

  gmmu_walk_row u_row (
    .clk_i, .rst_i, .begin_i(ro_begin_i), .restart_i(ro_restart_i), .wide_i(ro_wide_i),
    .start_i(start), .join_i(ro_join_i), .picked_i(ro_picked_i), .asked_i(ro_asked_i),
    .again_i(ro_again_i), .index_i(ro_index_i), .word_i(ro_word_i), .sent_i(ro_sent_i),
    .beat_i(ro_beat_i), .judged_i(ro_judged_i), .verdict_i(verdict_t'(ro_verdict_i)),
    .filling_i(ro_filling_i), .filled_i(ro_filled_i), .restarted_i(ro_restarted_i),
    .end_i(ro_end_i), .kill_i, .killed_i(ro_killed_i), .walk_o(ro_walk_o));

  for (genvar s = 0; s < 2; s++) begin : g_size
    localparam int unsigned Rows = s == 0 ? 9 : 2;
    localparam int unsigned RowBits = $clog2(Rows);
    localparam int unsigned Entries = s == 0 ? 16 : 2;
    localparam int unsigned Slots = s == 0 ? 32 : 2;
    localparam int unsigned Ports = s == 0 ? 7 : 2;
    localparam int unsigned SlotBits = $clog2(Slots);
    localparam int unsigned Who = $clog2(Ports) + SlotBits;
    typedef logic [Rows-1:0] rows_t;
    logic shown;
    assign shown = small_i == (s == 1);

    logic [(Entries+3)/4-1:0] near, far;
    gmmu_l1_entries #(.Entries(Entries), .NumSpaces(s == 0 ? 16 : 2)) u_entries (
      .clk_i, .rst_i, .look_i(en_look_i && shown), .accept_i(en_accept_i && shown),
      .search_key_i(key), .near_o(near), .far_o(far), .b_key_i(key_t'(en_b_key_i)),
      .hit_o(en_hit_o[s]), .page_o(en_page_o[s]), .fill_i(en_fill_i && shown),
      .fill_next_i(other), .fill_next_big_i(en_next_big_i), .write_i(en_write_i && shown),
      .write_what_i('{key: key_t'(en_write_key_i), page: page_t'(page_i)}),
      .kill_i('{valid: en_kill_i && shown, all: en_kill_all_i, space: en_kill_space_i}));
    assign en_near_o[s] = 4'(near);
    assign en_far_o[s] = 4'(far);

    logic [SlotBits-1:0] slot;
    gmmu_l1_slots #(.Slots(Slots)) u_slots (
      .clk_i, .rst_i, .may_i(sl_may_i && shown), .alloc_i(sl_alloc_i && shown),
      .alloc_data_i(sl_data_i), .slot_o(slot), .one_o(sl_one_o[s]),
      .read_slot_i(sl_read_slot_i[SlotBits-1:0]), .read_data_o(sl_data_o[s]),
      .release_i(sl_release_i && shown), .release_slot_i(sl_release_slot_i[SlotBits-1:0]));
    assign sl_slot_o[s] = 6'(slot);

    gmmu_l1_drain #(.Width(s == 0 ? 11 : 5)) u_drain (
      .clk_i, .rst_i, .made_i(shown ? dr_made_i : '0), .generation_i(dr_generation_i),
      .done_i(shown ? '{old1: dr_done1_i, old0: dr_done0_i} : '0),
      .drained_o(dr_drained_o[s]), .room_o(dr_room_o[s]));

    rows_t begins, ends;
    gmmu_walk_free #(.NumWalks(Rows - 1)) u_free (
      .clk_i, .rst_i, .free_i(rows_t'(fr_free_i)), .closing_i(rows_t'(fr_closing_i)),
      .joined_i(rows_t'(fr_joined_i)), .row_free_o(fr_row_free_o[s]),
      .row_engine_o(fr_engine_o[s]), .rows_early_o(fr_early_o[s]), .begin_i(fr_begin_i),
      .begin_engine_i(fr_begin_engine_i), .begin_rows_o(begins), .begin_row_o(fr_begin_row_o[s]),
      .end_rows_o(ends), .end_o(fr_end_o[s]), .end_row_o(fr_end_row_o[s]));
    assign fr_begin_rows_o[s] = 9'(begins);
    assign fr_end_rows_o[s] = 9'(ends);

    rows_t pick;
    gmmu_walk_pick #(.Rows(Rows)) u_pick (
      .clk_i, .rst_i, .clear_i(pk_clear_i), .req_i(rows_t'(pk_req_i)), .take_i(pk_take_i),
      .pick_o(pick), .row_o(pk_row_o[s]));
    assign pk_pick_o[s] = 9'(pick);

    walk_t [Rows-1:0] walk;
    rows_t            beat_rows, judged;
    logic [DataWidth-1:0] line_data;
    wc_write_t        wc;
    for (genvar i = 0; i < Rows; i++) begin : g_walk
      assign walk[i] = walk_t'(walk_i[i]);
    end
    gmmu_walk_judge #(.Rows(Rows)) u_judge (
      .clk_i, .rst_i, .kill_i, .r_valid_i(ju_valid_i),
      .r_i('{id: ju_id_i, data: data, error: ju_error_i, last: ju_last_i}), .walk_i(walk),
      .beat_rows_o(beat_rows), .beat_row_o(ju_beat_row_o[s]), .beat_low_o(ju_beat_low_o[s]),
      .beat_word_i(ju_beat_word_i), .block_ok_i(ju_block_ok_i), .key_i(key),
      .descend_o(ju_descend_o[s]), .descend_sent_i(ju_sent_i), .pfn_o(ju_pfn_o[s]),
      .vram_o(ju_vram_o[s]), .next_line_o(ju_next_line_o[s]), .direct_o(ju_direct_o[s]),
      .direct_take_i(ju_take_i), .page_o(ju_page_o[s]), .cause_o(ju_cause_o[s]),
      .wide_o(ju_wide_o[s]), .judged_rows_o(judged), .verdict_o(ju_verdict_o[s]),
      .judge_row_o(ju_row_o[s]), .judge_low_o(ju_low_o[s]), .judge_shift_i(ju_shift_i),
      .judge_word_i(ju_word_i), .line_valid_o(ju_line_o[s]), .line_beat_o(ju_line_beat_o[s]),
      .line_data_o(line_data), .table_write_o(ju_table_o[s]), .table_pfn_o(ju_table_pfn_o[s]),
      .table_vram_o(ju_table_vram_o[s]), .wc_write_o(ju_wc_o[s]), .wc_data_o(wc));
    assign ju_beat_rows_o[s] = 9'(beat_rows);
    assign ju_judged_o[s] = 9'(judged);
    assign ju_line_word_o[s] = line_data[DataWidth-1 -: 64];
    assign ju_wc_level_o[s] = wc.level;
    assign ju_wc_space_o[s] = wc.space;
    assign ju_wc_tag_o[s] = wc.tag;
    assign ju_wc_pfn_o[s] = wc.pfn;
    assign ju_wc_vram_o[s] = wc.vram;
    assign ju_wc_k64_o[s] = wc.k64;
    assign ju_wc_half_o[s] = wc.half;

    rows_t kept, sent;
    ax_t   ar;
    gmmu_walk_read #(.Rows(Rows)) u_read (
      .clk_i, .rst_i, .kill_i, .descend_i(re_descend_i), .descend_sent_o(re_sent_now_o[s]),
      .descend_row_i(re_descend_row_i), .descend_pfn_i(re_descend_pfn_i),
      .descend_vram_i(re_descend_vram_i), .descend_index_i(re_descend_index_i),
      .descend_line_i(re_descend_line_i), .start_valid_i(re_start_i),
      .start_row_i(re_start_row_i), .start_rows_i(rows_t'(1) << re_start_row_i), .start_i(start),
      .early_rows_i(rows_t'(re_early_rows_i)), .early_held_i(re_held_i),
      .early_index_i(re_early_index_i), .row_ready_o(re_ready_o[s]), .rows_i(rows_t'(re_rows_i)),
      .row_i(re_row_i), .row_index_i(re_row_index_i), .below_i(rows_t'(re_below_i)),
      .line_i(rows_t'(re_line_i)), .kept_o(kept), .sent_o(sent), .table_write_i(re_table_i),
      .table_row_i(re_table_row_i), .table_pfn_i(re_table_pfn_i),
      .table_vram_i(re_table_vram_i), .ar_valid_o(re_ar_valid_o[s]), .ar_ready_i(re_ar_ready_i),
      .ar_o(ar));
    assign re_kept_o[s] = 9'(kept);
    assign re_sent_o[s] = 9'(sent);
    assign re_ar_id_o[s] = ar.id;
    assign re_ar_port_o[s] = ar.port;
    assign re_ar_addr_o[s] = ar.addr;
    assign re_ar_len_o[s] = ar.len;

    rows_t match;
    key_t [Rows-1:0] keys;
    gmmu_walk_search #(.Rows(Rows)) u_search (
      .clk_i, .search_i(key), .hit_o(se_hit_o[s]), .near_o(se_near_o[s]), .match_o(match),
      .begin_i(se_begin_i), .begin_rows_i(se_begin_i ? rows_t'(se_begin_rows_i) : '0),
      .key_i(other), .wide_i(se_wide_i), .free_i(rows_t'(se_free_i)),
      .open_i(rows_t'(se_open_i)), .wide_rows_i(rows_t'(se_wide_rows_i)), .keys_o(keys));
    assign se_match_o[s] = 9'(match);
    assign se_key_o[s] = keys[se_keys_row_i[RowBits-1:0]];

    gmmu_walk_step #(.Rows(Rows)) u_step (
      .clk_i, .start_i(st_start_i), .start_row_i(st_start_row_i), .start_low_i(st_start_low_i),
      .start_step_i(step_t'(st_start_step_i)), .index_i(st_index_i),
      .index_row_i(st_index_row_i), .index_low_i(st_index_low_i),
      .index_step_i(step_t'(st_index_step_i)), .beat_row_i(st_row_i), .beat_low_i(st_low_i),
      .beat_word_o(st_beat_word_o[s]), .beat_latest_o(st_beat_latest_o[s]),
      .beat_block_ok_o(st_beat_block_ok_o[s]), .read_row_i(st_row_i),
      .read_latest_o(st_read_latest_o[s]), .fill_row_i(st_row_i), .fill_line_o(st_fill_line_o[s]),
      .judge_row_i(st_row_i), .judge_low_i(st_low_i), .judge_shift_o(st_judge_o[s][8:3]),
      .judge_word_o(st_judge_o[s][2:0]), .tell_row_i(st_row_i), .tell_low_i(st_low_i),
      .tell_shift_o(st_tell_o[s][12:7]), .tell_block_ok_o(st_tell_o[s][6]),
      .tell_line_o(st_tell_o[s][5:3]), .tell_word_o(st_tell_o[s][2:0]));

    rows_t   tell_kept, answer_kept, row_here, direct_here;
    msg_t    tell, answer;
    lookup_t tell_again, answer_again;
    assign row_here = rows_t'(1) << te_row_i;
    assign direct_here = rows_t'(1) << te_direct_row_i;
    gmmu_walk_tell #(.NumPorts(Ports), .Rows(Rows), .MissSlots(Slots)) u_tell (
      .clk_i, .rst_i, .line_valid_i(te_line_i), .line_row_i(te_line_row_i),
      .line_beat_i(te_line_beat_i), .line_data_i(data), .direct_valid_i(te_direct_i),
      .direct_take_o(te_take_o[s]), .direct_row_i(te_direct_row_i), .direct_rows_i(direct_here),
      .direct_who_i({te_direct_port_i[$clog2(Ports)-1:0], te_direct_slot_i[SlotBits-1:0]}),
      .direct_key_i(other), .direct_page_i(page_t'(page_i)), .direct_cause_i(te_direct_cause_i),
      .direct_wide_i(te_direct_wide_i), .join_i(te_join_i), .join_who_i(te_join_who_i[Who-1:0]),
      .join_sub_i(te_join_sub_i), .join_chain_i(te_join_chain_i),
      .join_tail_i(te_join_tail_i[Who-1:0]), .row_valid_i(te_row_valid_i),
      .row_ready_o(te_row_ready_o[s]), .row_i(te_row_i), .rows_i(row_here), .row_key_i(key),
      .row_level_i(te_level_i), .row_form_i(gmmu_pte_pkg::form_e'(te_form_i)),
      .row_shift_i(te_shift_i), .row_block_ok_i(te_block_ok_i),
      .row_line_i(te_mask_i), .row_word_i(te_word_i), .row_wide_i(te_wide_i),
      .row_drop_i(te_drop_i), .row_error_i(te_error_i), .row_cause_i(te_cause_i),
      .row_begin_i(te_begin_i), .row_who_i(te_who_i[Who-1:0]), .row_chain_i(te_chain_i),
      .row_head_i(te_head_i[Who-1:0]), .row_tail_i(te_tail_i[Who-1:0]),
      .tell_valid_o(te_tell_o[s]), .tell_ready_i(te_tell_ready_i), .tell_o(tell),
      .tell_large_o(te_large_o[s]), .tell_narrow_o(te_narrow_o[s]), .tell_shift_o(te_shift_o[s]),
      .tell_row_o(te_tell_row_o[s]), .again_valid_o(te_again_o[s]),
      .again_ready_i(te_again_ready_i), .again_o(tell_again), .count_ok_o(te_ok_o[s]),
      .count_fault_o(te_fault_o[s]), .hold_i(te_hold_i), .kept_o(tell_kept),
      .quiet_o(te_quiet_o[s]));
    gmmu_walk_answer #(.Rows(Rows)) u_answer (
      .clk_i, .rst_i, .hold_i(te_hold_i), .direct_valid_i(te_direct_i),
      .direct_take_o(te_take_o[s+2]), .direct_row_i(te_direct_row_i),
      .direct_rows_i(direct_here), .direct_port_i(port_t'(te_direct_port_i)),
      .direct_slot_i(te_direct_slot_i), .direct_key_i(other), .direct_page_i(page_t'(page_i)),
      .direct_cause_i(te_direct_cause_i), .direct_wide_i(te_direct_wide_i),
      .entry_valid_i(an_entry_i), .entry_ready_o(an_ready_o[s]), .entry_idle_o(an_idle_o[s]),
      .entry_begin_i(te_begin_i), .entry_port_i(port_t'(an_port_i)), .entry_slot_i(an_slot_i),
      .entry_sub_i(an_sub_i), .entry_word_i(an_word_i), .row_i(te_row_i), .rows_i(row_here),
      .row_key_i(key), .row_level_i(te_level_i),
      .row_form_i(gmmu_pte_pkg::form_e'(te_form_i)), .row_shift_i(te_shift_i),
      .row_block_ok_i(te_block_ok_i), .row_line_i(te_mask_i), .row_wide_i(te_wide_i),
      .row_drop_i(te_drop_i), .row_error_i(te_error_i), .row_cause_i(te_cause_i),
      .tell_valid_o(te_tell_o[s+2]), .tell_ready_i(te_tell_ready_i), .tell_o(answer),
      .tell_large_o(te_large_o[s+2]), .tell_narrow_o(te_narrow_o[s+2]),
      .tell_shift_o(te_shift_o[s+2]), .tell_row_o(te_tell_row_o[s+2]),
      .again_valid_o(te_again_o[s+2]), .again_ready_i(te_again_ready_i), .again_o(answer_again),
      .count_ok_o(te_ok_o[s+2]), .count_fault_o(te_fault_o[s+2]), .kept_o(answer_kept),
      .quiet_o(te_quiet_o[s+2]));
    for (genvar b = 0; b < 2; b++) begin : g_tell
      msg_t    msg;
      lookup_t again;
      assign msg = b == 0 ? tell : answer;
      assign again = b == 0 ? tell_again : answer_again;
      assign te_port_o[s+2*b] = msg.port;
      assign te_slot_o[s+2*b] = msg.slot;
      assign te_merged_o[s+2*b] = msg.merged;
      assign te_key_o[s+2*b] = msg.key;
      assign te_page_o[s+2*b] = msg.page;
      assign te_cause_o[s+2*b] = msg.cause;
      assign te_again_port_o[s+2*b] = again.port;
      assign te_again_slot_o[s+2*b] = again.slot;
      assign te_again_key_o[s+2*b] = again.key;
      assign te_kept_o[s+2*b] = 9'(b == 0 ? tell_kept : answer_kept);
    end

    logic [Who-1:0] join_tail, beat_who, tell_who, tell_head, tell_tail;
    gmmu_walk_waiters #(.Rows(Rows), .WaiterWidth(Who)) u_waiters (
      .clk_i, .begin_i(wa_begin_i), .starts_i(wa_starts_i), .start_row_i(wa_start_row_i),
      .key_i(key), .waiter_i(wa_waiter_i[Who-1:0]), .cause_i(start_cause_i), .join_i(wa_join_i),
      .join_rows_i(rows_t'(wa_join_rows_i)), .chained_i(rows_t'(wa_chained_i)),
      .join_chain_o(wa_join_chain_o[s]), .join_tail_o(join_tail),
      .restart_row_i(wa_row_i[0]), .restart_key_o(wa_restart_key_o[s]),
      .index_row_i(wa_row_i[1]), .index_key_o(wa_index_key_o[s]),
      .fill_row_i(wa_row_i[2]), .fill_key_o(wa_fill_key_o[s]),
      .end_row_i(wa_row_i[3]), .end_key_o(wa_end_key_o[s]),
      .beat_row_i(wa_row_i[4]), .beat_key_o(wa_beat_key_o[s]), .beat_who_o(beat_who),
      .tell_ready_i(wa_tell_ready_i), .tell_rows_i(rows_t'(wa_tell_rows_i)),
      .tell_row_i(wa_row_i[5]), .tell_key_o(wa_tell_key_o[s]), .tell_who_o(tell_who),
      .tell_cause_o(wa_tell_cause_o[s]), .tell_head_o(tell_head), .tell_tail_o(tell_tail));
    assign wa_join_tail_o[s] = 8'(join_tail);
    assign wa_beat_who_o[s] = 8'(beat_who);
    assign wa_tell_who_o[s] = 8'(tell_who);
    assign wa_tell_head_o[s] = 8'(tell_head);
    assign wa_tell_tail_o[s] = 8'(tell_tail);
  end
endmodule

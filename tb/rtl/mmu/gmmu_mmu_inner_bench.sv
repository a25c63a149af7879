// SPDX-License-Identifier: Apache-2.0
// gmmu_l1_entries and the blocks inside the walk table, unconnected, each in two sizes: [0] the
// default (nine rows), [1] the smallest (two rows). Both instances receive the inputs, except that
// small_i selects the instance of gmmu_l1_entries that receives operations.
module gmmu_mmu_inner_bench
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
  input  logic        kill_i,
  input  logic [63:0] word_i [8],      // the words of a beat
  input  start_t      start_i,

  // gmmu_l1_entries: other_i is the key of the fill; place and write have separate key inputs and
  // use page_i.
  input  logic        en_look_i,
  input  logic        en_accept_i,
  input  logic        en_stay_i,
  input  key_t        en_key_i,
  output logic        en_near_o [2],
  output logic [5:0]  en_index_o [2],
  output logic        en_hit_o [2],
  input  logic [5:0]  en_page_index_i,
  output page_t       en_page_o [2],
  input  logic        en_fill_i,
  input  logic        en_place_i,
  input  key_t        en_place_key_i,
  input  logic        en_place_big_i,
  input  logic        en_write_i,
  input  key_t        en_write_key_i,
  input  logic [1:0]  en_use_i,
  input  logic [5:0]  en_use_index_i [2],
  input  sweep_t      en_sweep_i,

  // gmmu_walk_search: key_i is searched, and other_i is the key of a row that begins.
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
  output key_t        se_key_o [2],

  // gmmu_walk_tell: a row begins with key_i, and word_i holds the words of a beat. A direct
  // response uses other_i and page_i.
  input  logic        te_walk_i,           // a row begins
  input  logic [5:0]  te_walk_row_i,
  input  logic [7:0]  te_waiter_i,         // port and slot of the lookup that begins or joins
  input  logic        te_start_i,          // the walk of the row starts
  input  logic [3:0]  te_cause_i,
  input  logic [2:0]  te_start_level_i,
  input  logic        te_block_ok_i,
  input  logic        te_fact_i,
  input  logic [5:0]  te_fact_row_i,
  input  logic        te_error_i,
  input  logic [2:0]  te_level_i,
  input  logic [1:0]  te_form_i,
  input  logic [5:0]  te_fact_shift_i,
  input  logic [2:0]  te_mask_i,
  input  logic        te_line_i,
  input  logic [5:0]  te_line_row_i,
  input  logic [2:0]  te_line_beat_i,
  input  logic        te_direct_i,
  output logic        te_take_o [2],
  input  logic [5:0]  te_direct_row_i,
  input  logic [2:0]  te_direct_port_i,
  input  logic [5:0]  te_direct_slot_i,
  input  logic [3:0]  te_direct_cause_i,
  input  logic        te_direct_wide_i,
  input  logic        te_join_i,
  input  logic [5:0]  te_join_row_i,
  input  logic [2:0]  te_join_sub_i,
  input  logic        te_join_chain_i,
  input  logic        te_row_valid_i,
  output logic        te_row_ready_o [2],
  input  logic [5:0]  te_row_i,
  input  logic        te_begin_i,
  input  logic        te_chain_i,
  input  logic [8:0]  te_wide_i,           // indexed by row
  input  logic [8:0]  te_drop_i,
  output logic        te_tell_o [2],
  input  logic        te_tell_ready_i,
  output msg_t        te_msg_o [2],
  output logic        te_large_o [2],
  output logic        te_narrow_o [2],
  output logic [5:0]  te_shift_o [2],
  output logic [5:0]  te_tell_row_o [2],
  output logic        te_again_o [2],
  input  logic        te_again_ready_i,
  output lookup_t     te_replay_o [2],
  output logic        te_ok_o [2],
  output logic        te_fault_o [2],
  input  logic        te_hold_i,
  output logic [8:0]  te_kept_o [2],
  output logic        te_quiet_o [2],

  // gmmu_walk_read: a start uses start_i and the page in other_i, a job uses key_i.
  input  logic        re_beat_i,
  input  logic [5:0]  re_beat_row_i,
  input  logic        re_beat_low_i,
  output logic [2:0]  re_own_o [2],
  output logic [2:0]  re_lane_o [2],
  input  logic        re_descend_i,
  input  logic [35:0] re_descend_pfn_i,
  input  logic        re_descend_vram_i,
  input  logic        re_descend_line_i,
  output logic        re_descend_sent_o [2],
  input  logic        re_start_i,
  input  logic [5:0]  re_start_row_i,
  input  logic        re_start_line_i,
  input  logic        re_start_engine_i,
  output logic        re_start_sent_o [2],
  output logic        re_start_parked_o [2],
  input  logic        re_job_i,
  input  logic [5:0]  re_job_row_i,
  input  logic [2:0]  re_job_level_i,
  input  logic        re_job_half_i,
  input  logic        re_job_read_i,
  input  logic        re_job_line_i,
  input  logic        re_job_below_i,
  input  logic        re_job_engine_i,
  output logic        re_job_done_o [2],
  output logic        re_job_parked_o [2],
  input  logic        re_full_i,
  output logic        re_parked_sent_o [2],
  output logic        re_job_busy_o [2],
  input  logic        re_abort_i,
  input  logic        re_table_i,
  input  logic [5:0]  re_table_row_i,
  input  logic [35:0] re_table_pfn_i,
  input  logic        re_table_vram_i,
  input  logic [5:0]  re_shape_space_i,
  input  logic [2:0]  re_shape_level_i,
  output logic [5:0]  re_shape_shift_o [2],
  output logic [2:0]  re_shape_line_o [2],
  input  logic        re_write_i,
  input  logic [5:0]  re_write_space_i,
  input  logic        re_dual_i,
  input  logic [3:0]  re_bits_64k_i,
  input  logic [35:0] re_shifts_i,
  input  logic [23:0] re_bits_i,
  output logic        re_ar_valid_o [2],
  input  logic        re_ar_ready_i,
  output ax_t         re_ar_o [2]
);
  localparam int unsigned Words = DataWidth / 64;
  assign data_words_o = 8'(Words);

  logic [DataWidth-1:0] data;
  for (genvar w = 0; w < Words; w++) begin : g_word
    assign data[w*64 +: 64] = word_i[w];
  end

  function automatic config_t sizes(int s);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumSpaces = s == 0 ? 16 : 2;
    c.L1Entries = s == 0 ? 16 : 2;
    c.NumPorts = s == 0 ? 7 : 2;
    c.WalkRows = s == 0 ? 9 : 2;
    c.MostSlots = s == 0 ? 32 : 2;
    c.TurnDown = 0;
    return c;
  endfunction
  for (genvar s = 0; s < 2; s++) begin : g_size
    localparam config_t Sizes = sizes(s);
    localparam int unsigned Rows = Sizes.WalkRows;
    localparam int unsigned RowBits = $clog2(Rows);
    localparam int unsigned SlotBits = $clog2(Sizes.MostSlots);
    localparam int unsigned Who = $clog2(Sizes.NumPorts) + SlotBits;
    typedef logic [Rows-1:0] rows_t;
    logic shown;
    assign shown = small_i == (s == 1);

    localparam int unsigned IndexBits = $clog2(Sizes.L1Entries);
    logic [IndexBits-1:0] entry, use_entry [2];
    page_t                place_page;
    sweep_t               entry_sweep;
    for (genvar i = 0; i < 2; i++) begin : g_use
      assign use_entry[i] = en_use_index_i[i][IndexBits-1:0];
    end
    always_comb begin
      place_page = '0;
      place_page.big = en_place_big_i;
      entry_sweep = en_sweep_i;
      entry_sweep.valid = en_sweep_i.valid && shown;
    end
    gmmu_l1_entries #(.Config(Sizes)) u_entries (
      .clk_i, .rst_i, .look_i(en_look_i && shown), .accept_i(en_accept_i && shown),
      .search_key_i(key_i), .stay_i(en_stay_i && shown), .near_o(en_near_o[s]), .index_o(entry),
      .key_i(en_key_i), .hit_o(en_hit_o[s]),
      .page_index_i(en_page_index_i[IndexBits-1:0]), .page_o(en_page_o[s]),
      .fill_i(en_fill_i && shown), .fill_hint_i(hint_of(other_i)), .place_i(en_place_i && shown),
      .place_what_i('{key: en_place_key_i, page: place_page}),
      .write_i(en_write_i && shown),
      .write_what_i('{key: en_write_key_i, page: page_i}),
      .write_hint_i(hint_of(en_write_key_i)), .use_i(en_use_i),
      .use_index_i(use_entry), .sweep_i(entry_sweep), .use_size_i('0), .use_set_i(1'b0));
    assign en_index_o[s] = 6'(entry);

    rows_t match;
    key_t [Rows-1:0] keys;
    gmmu_walk_search #(.Config(Sizes)) u_search (
      .clk_i, .search_i(key_i), .hit_o(se_hit_o[s]), .near_o(se_near_o[s]), .match_o(match),
      .begin_i(se_begin_i), .begin_rows_i(se_begin_i ? rows_t'(se_begin_rows_i) : '0),
      .key_i(other_i), .wide_i(se_wide_i), .free_i(rows_t'(se_free_i)),
      .open_i(rows_t'(se_open_i)), .wide_rows_i(rows_t'(se_wide_rows_i)), .keys_o(keys));
    assign se_match_o[s] = 9'(match);
    assign se_key_o[s] = keys[se_keys_row_i[RowBits-1:0]];

    rows_t kept;
    gmmu_walk_tell #(.Config(Sizes)) u_tell (
      .clk_i, .rst_i, .begin_i(te_walk_i), .start_row_i(te_walk_row_i[RowBits-1:0]),
      .begin_key_i(key_i), .waiter_i(te_waiter_i[Who-1:0]), .start_i(te_start_i),
      .start_cause_i(te_cause_i), .start_level_i(te_start_level_i),
      .start_block_ok_i(te_block_ok_i), .fact_i(te_fact_i),
      .fact_row_i(te_fact_row_i[RowBits-1:0]), .fact_error_i(te_error_i),
      .fact_level_i(te_level_i), .fact_form_i(gmmu_pte_pkg::form_e'(te_form_i)),
      .fact_shift_i(te_fact_shift_i), .fact_line_i(te_mask_i), .line_valid_i(te_line_i),
      .line_row_i(te_line_row_i[RowBits-1:0]), .line_beat_i(te_line_beat_i), .line_data_i(data),
      .direct_valid_i(te_direct_i), .direct_take_o(te_take_o[s]),
      .direct_row_i(te_direct_row_i[RowBits-1:0]),
      .direct_who_i({te_direct_port_i[$clog2(Sizes.NumPorts)-1:0], te_direct_slot_i[SlotBits-1:0]}),
      .direct_key_i(other_i), .direct_page_i(page_i), .direct_cause_i(te_direct_cause_i),
      .direct_wide_i(te_direct_wide_i), .join_i(te_join_i),
      .join_row_i(te_join_row_i[RowBits-1:0]), .join_sub_i(te_join_sub_i),
      .join_chain_i(te_join_chain_i), .row_valid_i(te_row_valid_i),
      .row_ready_o(te_row_ready_o[s]), .row_i(te_row_i[RowBits-1:0]),
      .rows_i(rows_t'(1) << te_row_i), .row_begin_i(te_begin_i), .row_chain_i(te_chain_i),
      .wide_rows_i(rows_t'(te_wide_i)), .drop_rows_i(rows_t'(te_drop_i)),
      .tell_valid_o(te_tell_o[s]), .tell_ready_i(te_tell_ready_i), .tell_o(te_msg_o[s]),
      .tell_large_o(te_large_o[s]), .tell_narrow_o(te_narrow_o[s]), .tell_shift_o(te_shift_o[s]),
      .tell_row_o(te_tell_row_o[s]), .again_valid_o(te_again_o[s]),
      .again_ready_i(te_again_ready_i), .again_o(te_replay_o[s]), .count_ok_o(te_ok_o[s]),
      .count_fault_o(te_fault_o[s]), .hold_i(te_hold_i), .kept_o(kept),
      .quiet_o(te_quiet_o[s]));
    assign te_kept_o[s] = 9'(kept);

    gmmu_walk_read #(.Config(Sizes)) u_read (
      .clk_i, .rst_i, .kill_i, .beat_i(re_beat_i), .beat_row_i(re_beat_row_i[RowBits-1:0]),
      .beat_low_i(re_beat_low_i), .own_o(re_own_o[s]), .lane_o(re_lane_o[s]),
      .descend_i(re_descend_i),
      .descend_pfn_i(re_descend_pfn_i), .descend_vram_i(re_descend_vram_i),
      .descend_line_i(re_descend_line_i), .descend_sent_o(re_descend_sent_o[s]),
      .start_valid_i(re_start_i), .start_row_i(re_start_row_i[RowBits-1:0]),
      .start_vpn_i(other_i.vpn), .start_i, .start_line_i(re_start_line_i),
      .start_engine_i(re_start_engine_i), .start_sent_o(re_start_sent_o[s]),
      .start_parked_o(re_start_parked_o[s]), .job_engine_i(re_job_engine_i),
      .job_parked_o(re_job_parked_o[s]), .full_i(re_full_i), .parked_sent_o(re_parked_sent_o[s]),
      .job_i(re_job_i),
      .job_row_i(re_job_row_i[RowBits-1:0]), .job_key_i(key_i), .job_level_i(re_job_level_i),
      .job_half_i(re_job_half_i), .job_read_i(re_job_read_i), .job_line_i(re_job_line_i),
      .job_below_i(re_job_below_i), .job_done_o(re_job_done_o[s]),
      .job_busy_o(re_job_busy_o[s]), .abort_i(re_abort_i),
      .table_write_i(re_table_i), .table_row_i(re_table_row_i[RowBits-1:0]),
      .table_pfn_i(re_table_pfn_i), .table_vram_i(re_table_vram_i),
      .shape_space_i(re_shape_space_i), .shape_level_i(re_shape_level_i),
      .shape_shift_o(re_shape_shift_o[s]), .shape_line_o(re_shape_line_o[s]),
      .write_i(re_write_i), .write_space_i(re_write_space_i),
      .write_shape_i('{dual: re_dual_i, bits_64k: re_bits_64k_i, shift: re_shifts_i,
                       bits: re_bits_i}),
      .ar_valid_o(re_ar_valid_o[s]), .ar_ready_i(re_ar_ready_i), .ar_o(re_ar_o[s]), .ar_early_o(),
      .early_ar_o());
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// The blocks of the clients, each on its own, with flat ports for C++. Payload inputs that several
// blocks use exist once; each block has its own valid.
//
// size_i selects the instance of a block that is built in two sizes. Instance 0 is built as in a client
// port. Instance 1 is built as in a through-port: words as wide as the bus, with strobes. The read half
// has 32 bursts in flight in instance 0, one in instance 1.
module gmmu_client_blocks_bench
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        size_i,
  output logic [7:0]  slots_o,

  // ---- Shared payload inputs.
  input  logic        clear_i,
  input  slot_t       clear_slot_i,
  input  slot_t       q_id_i,         // request
  input  space_t      q_space_i,
  input  logic [63:0] q_va_i,
  input  logic [1:0]  q_access_i,
  input  logic [6:0]  q_bytes_i,
  input  slot_t       e_slot_i,       // end
  input  logic [7:0]  e_fault_i,
  input  level_t      e_level_i,
  input  logic        e_zero_i,
  input  logic [7:0]  r_id_i,
  input  logic [DataWidth-1:0] r_data_i,
  input  logic        r_error_i,
  input  logic        r_last_i,
  input  logic [7:0]  b_id_i,
  input  logic        b_error_i,
  input  slot_t       word_id_i,      // word of a write
  input  logic [2:0]  word_number_i,
  input  logic [DataWidth-1:0] word_data_i,
  input  logic [DataBytes-1:0] word_strobe_i,
  input  slot_t       s_id_i,         // answer of an access unit
  input  logic        s_last_i,
  input  logic [7:0]  s_fault_i,
  input  logic [2:0]  s_word_i,
  input  logic [DataWidth-1:0] s_data_i,
  input  logic [57:0] s_line_i,
  input  logic [1:0]  cfg_access_i,   // run
  input  logic [1:0]  cfg_pattern_i,
  input  logic        cfg_verify_i,
  input  logic [5:0]  cfg_footprint_lg2_i,
  input  space_t      cfg_space_i,
  input  logic [7:0]  cfg_depth_i,
  input  logic [63:0] cfg_base_i,
  input  logic [31:0] cfg_first_i,
  input  logic [31:0] cfg_stride_i,
  input  logic [31:0] cfg_count_i,
  input  logic [31:0] cfg_step_i,
  input  logic [63:0] cfg_seed_i,
  input  logic [7:0]  ax_id_i,        // AR or AW of the through-port
  input  logic [63:0] ax_va_i,
  input  logic [7:0]  ax_len_i,
  input  logic [2:0]  ax_size_i,
  input  logic [1:0]  ax_burst_i,
  input  space_t      ax_space_i,
  input  logic        ax_execute_i,

  // ---- gmmu_crc32c_pkg.
  input  logic [31:0] crc_value_i,
  input  logic [63:0] crc_data_i,
  output logic [31:0] crc_o,

  // ---- gmmu_client_land.
  input  logic        land_first_i,
  input  slot_t       land_first_slot_i,
  input  logic [2:0]  land_first_beat_i,
  input  logic        land_r_valid_i,
  output logic        land_end_valid_o,
  output slot_t       land_end_slot_o,
  output logic        land_end_error_o,
  input  logic        land_read_i,
  input  logic [15:0] land_row_i,
  output logic [DataWidth-1:0] land_data_o,

  // ---- gmmu_client_ends.
  input  logic        ends_generation_valid_i,
  input  slot_t       ends_generation_slot_i,
  input  logic        ends_generation_i,
  input  logic        ends_r_valid_i,
  input  slot_t       ends_r_slot_i,
  input  logic        ends_r_error_i,
  input  logic        ends_b_valid_i,
  input  slot_t       ends_b_slot_i,
  input  logic        ends_b_error_i,
  input  logic        ends_page_valid_i,
  output logic        ends_page_ready_o,
  input  logic        ends_route_valid_i,
  output logic        ends_route_ready_o,
  input  slot_t       ends_route_slot_i,
  input  logic [7:0]  ends_route_fault_i,
  output logic        ends_hold_o,
  output logic [1:0]  ends_done_o [2],
  output logic        ends_valid_o,
  output slot_t       ends_slot_o,
  output logic [7:0]  ends_fault_o,
  output level_t      ends_level_o,
  output logic        ends_zero_o,

  // ---- gmmu_client_write.
  input  logic        write_word_valid_i,
  input  logic        write_burst_valid_i,
  output logic        write_burst_ready_o,
  input  slot_t       write_slot_i,
  input  logic [5:0]  write_first_i,
  input  logic [5:0]  write_last_i,
  output logic        write_w_valid_o,
  input  logic        write_w_ready_i,
  output logic [DataWidth-1:0] write_w_data_o,
  output logic [DataBytes-1:0] write_w_strb_o,
  output logic        write_w_last_o,

  // ---- gmmu_client_answer.
  input  logic        ans_ordered_i,
  input  logic        ans_first_only_i,
  input  logic        ans_req_valid_i,
  input  logic        ans_end_valid_i,
  output logic        ans_read_o,
  output logic [15:0] ans_row_o,
  input  logic [DataWidth-1:0] ans_row_data_i,
  output logic        ans_valid_o,
  input  logic        ans_ready_i,
  output slot_t       ans_id_o,
  output logic        ans_last_o,
  output logic [7:0]  ans_fault_o,
  output logic [2:0]  ans_word_o,
  output logic [DataWidth-1:0] ans_data_o,
  output logic [57:0] ans_line_o,
  output logic        ans_log_valid_o,
  input  logic        ans_log_ready_i,
  output logic [7:0]  ans_log_reason_o,
  output space_t      ans_log_space_o,
  output port_t       ans_log_port_o,
  output logic [1:0]  ans_log_access_o,
  output level_t      ans_log_level_o,
  output logic [63:0] ans_log_address_o,
  output logic [6:0]  ans_count_o [2],  // [0] read, [1] written

  // ---- gmmu_client_regs.
  input  logic        regs_wr_i,
  input  logic        regs_rd_i,
  input  logic [2:0]  regs_word_i,
  input  logic [63:0] regs_data_i,
  output logic [63:0] regs_data_o,
  output logic        regs_start_o,
  output logic        regs_busy_o,
  output logic [1:0]  regs_access_o,
  output logic [1:0]  regs_pattern_o,
  output logic        regs_verify_o,
  output logic [5:0]  regs_footprint_lg2_o,
  output space_t      regs_space_o,
  output logic [7:0]  regs_depth_o,
  output logic [63:0] regs_base_o,
  output logic [31:0] regs_first_o,
  output logic [31:0] regs_stride_o,
  output logic [31:0] regs_count_o,
  output logic [31:0] regs_step_o,
  output logic [63:0] regs_seed_o,
  input  logic        regs_state_busy_i,
  input  logic        regs_state_fault_i,
  input  logic [7:0]  regs_state_reason_i,
  input  level_t      regs_state_level_i,
  input  logic [31:0] regs_state_count_i,
  input  logic [31:0] regs_state_crc_i,
  input  logic [31:0] regs_state_mismatches_i,
  input  logic [63:0] regs_state_fault_va_i,

  // ---- gmmu_traffic_lines.
  input  logic        lines_load_i,
  output logic        lines_ready_o,
  output logic        lines_still_o,
  output logic        lines_valid_o,
  output logic [57:0] lines_line_o,
  input  logic        lines_next_i,
  input  logic        lines_chase_valid_i,
  input  logic [57:0] lines_chase_line_i,

  // ---- gmmu_traffic_check.
  input  logic        check_clear_i,
  input  logic        check_verify_i,
  input  logic [63:0] check_seed_i,
  input  logic [63:0] check_word_i,
  input  logic [60:0] check_at_i,
  output logic [63:0] check_word_o,
  input  logic        check_count_i,
  output logic        check_busy_o,
  output logic [31:0] check_crc_o,
  output logic [31:0] check_mismatches_o,

  // ---- gmmu_traffic.
  input  logic        run_enable_i,
  input  logic        run_start_i,
  output logic        run_busy_o,
  output logic        run_fault_o,
  output logic [7:0]  run_reason_o,
  output level_t      run_level_o,
  output logic [31:0] run_count_o,
  output logic [31:0] run_crc_o,
  output logic [31:0] run_mismatches_o,
  output logic [63:0] run_fault_va_o,
  output logic        run_done_o,
  input  logic        run_unit_idle_i,
  output logic        run_waiting_o,
  output logic        run_owner_o,
  output logic        run_req_valid_o,
  input  logic        run_req_ready_i,
  output slot_t       run_req_id_o,
  output space_t      run_req_space_o,
  output logic [63:0] run_req_va_o,
  output logic [1:0]  run_req_access_o,
  output logic [6:0]  run_req_bytes_o,
  output logic        run_w_valid_o,
  output slot_t       run_w_id_o,
  output logic [2:0]  run_w_word_o,
  output logic [63:0] run_w_data_o,
  output logic [63:0] run_w_mix_o,
  input  logic        run_rsp_valid_i,
  input  logic        run_log_valid_i,
  input  logic [7:0]  run_log_reason_i,
  input  level_t      run_log_level_i,
  input  logic [63:0] run_log_address_i,

  // ---- gmmu_client.
  input  logic        unit_ordered_i,
  input  logic        unit_first_only_i,
  output logic        unit_idle_o,
  input  logic        unit_req_valid_i,
  output logic        unit_req_ready_o,
  input  logic        unit_word_valid_i,
  output logic        unit_valid_o,
  input  logic        unit_ready_i,
  output slot_t       unit_id_o,
  output logic        unit_last_o,
  output logic [7:0]  unit_fault_o,
  output logic [2:0]  unit_word_o,
  output logic [DataWidth-1:0] unit_data_o,
  output logic [57:0] unit_line_o,
  output logic        unit_xq_valid_o,
  input  logic        unit_xq_ready_i,
  output logic [7:0]  unit_xq_tag_o,
  output space_t      unit_xq_space_o,
  output logic [63:0] unit_xq_va_o,
  output logic [1:0]  unit_xq_access_o,
  input  logic        unit_xs_valid_i,
  output logic        unit_xs_ready_o,
  input  logic [7:0]  unit_xs_tag_i,
  input  logic        unit_xs_generation_i,
  input  logic [1:0]  unit_xs_target_i,
  input  logic [47:0] unit_xs_offset_i,
  input  logic        unit_xs_zero_i,
  input  logic        unit_xs_coherent_i,
  input  logic [7:0]  unit_xs_fault_i,
  input  level_t      unit_xs_level_i,
  output logic [1:0]  unit_done_o [2],
  output logic        unit_ap_valid_o,
  input  logic        unit_ap_ready_i,
  output logic [35:0] unit_ap_page_o,
  input  logic        unit_ap_answer_i,
  input  logic [7:0]  unit_ap_fault_i,
  input  logic        unit_ap_coherent_i,
  input  logic [35:0] unit_ap_page_i,
  output logic        unit_ax_valid_o [2],   // [0] AW, [1] AR
  input  logic        unit_ax_ready_i [2],
  output logic [7:0]  unit_ax_id_o [2],
  output logic [1:0]  unit_ax_port_o [2],
  output logic [47:0] unit_ax_addr_o [2],
  output logic [7:0]  unit_ax_len_o [2],
  output logic        unit_ax_no_snoop_o [2],
  output logic        unit_w_valid_o,
  input  logic        unit_w_ready_i,
  output logic [DataWidth-1:0] unit_w_data_o,
  output logic [DataBytes-1:0] unit_w_strb_o,
  output logic        unit_w_last_o,
  input  logic        unit_r_valid_i,
  input  logic        unit_b_valid_i,
  output logic        unit_log_valid_o,
  input  logic        unit_log_ready_i,
  output logic [7:0]  unit_log_reason_o,
  output space_t      unit_log_space_o,
  output port_t       unit_log_port_o,
  output logic [1:0]  unit_log_access_o,
  output level_t      unit_log_level_o,
  output logic [63:0] unit_log_address_o,
  output logic [6:0]  unit_count_o [2],      // [0] read, [1] written

  // ---- gmmu_through_read.
  input  logic        tr_enable_i,
  output logic        tr_idle_o,
  input  logic        tr_ar_valid_i,
  output logic        tr_ar_ready_o,
  output logic        tr_r_valid_o,
  input  logic        tr_r_ready_i,
  output logic [7:0]  tr_r_id_o,
  output logic [DataWidth-1:0] tr_r_data_o,
  output logic [1:0]  tr_r_resp_o,
  output logic        tr_r_last_o,
  output logic        tr_req_valid_o,
  input  logic        tr_req_ready_i,
  output slot_t       tr_req_id_o,
  output space_t      tr_req_space_o,
  output logic [63:0] tr_req_va_o,
  output logic [1:0]  tr_req_access_o,
  output logic [6:0]  tr_req_bytes_o,
  input  logic        tr_rsp_valid_i,
  output logic        tr_rsp_ready_o,

  // ---- gmmu_through_write.
  input  logic        tw_enable_i,
  output logic        tw_idle_o,
  input  logic        tw_aw_valid_i,
  output logic        tw_aw_ready_o,
  input  logic        tw_w_valid_i,
  output logic        tw_w_ready_o,
  output logic        tw_b_valid_o,
  input  logic        tw_b_ready_i,
  output logic [7:0]  tw_b_id_o,
  output logic [1:0]  tw_b_resp_o,
  output logic        tw_word_valid_o,
  output slot_t       tw_word_id_o,
  output logic [2:0]  tw_word_number_o,
  output logic [DataWidth-1:0] tw_word_data_o,
  output logic [DataBytes-1:0] tw_word_strobe_o,
  output logic        tw_req_valid_o,
  input  logic        tw_req_ready_i,
  output slot_t       tw_req_id_o,
  output space_t      tw_req_space_o,
  output logic [63:0] tw_req_va_o,
  output logic [1:0]  tw_req_access_o,
  output logic [6:0]  tw_req_bytes_o,
  input  logic        tw_rsp_valid_i,
  output logic        tw_rsp_ready_o
);
  localparam port_t Port = 7'd37;
  localparam int unsigned BeatsPerLine = LineBytes / DataBytes;
  localparam int unsigned BeatWidth = BeatsPerLine > 1 ? $clog2(BeatsPerLine) : 1;
  localparam int unsigned RowWidth = $clog2(Slots * BeatsPerLine);
  assign slots_o = 8'(Slots);

  client_req_t  req;
  client_end_t  ended;
  client_w_t    word;
  client_rsp_t  answer;
  r_t           r;
  b_t           b;
  traffic_cfg_t cfg;
  through_ax_t  ax;
  assign req = '{id: q_id_i, space: q_space_i, va: q_va_i, access: access_e'(q_access_i),
                 bytes: q_bytes_i};
  assign ended = '{slot: e_slot_i, fault: fault_e'(e_fault_i), level: e_level_i, zero: e_zero_i};
  assign word = '{id: word_id_i, word: word_number_i};
  assign answer = '{id: s_id_i, last: s_last_i, fault: fault_e'(s_fault_i), word: s_word_i};
  assign r = '{id: r_id_i, data: r_data_i, error: r_error_i, last: r_last_i};
  assign b = '{id: b_id_i, error: b_error_i};
  assign cfg = '{access: access_e'(cfg_access_i), pattern: pattern_e'(cfg_pattern_i),
                 verify: cfg_verify_i, footprint_lg2: cfg_footprint_lg2_i, space: cfg_space_i,
                 depth: cfg_depth_i, base: cfg_base_i, first: cfg_first_i, stride: cfg_stride_i,
                 count: cfg_count_i, step: cfg_step_i, seed: cfg_seed_i};
  assign ax = '{id: ax_id_i, va: ax_va_i, len: ax_len_i, size: ax_size_i, burst: ax_burst_i,
                space: ax_space_i, execute: ax_execute_i};

  // ---- Blocks without sizes.
  assign crc_o = gmmu_crc32c_pkg::crc32c(crc_value_i, crc_data_i);

  gmmu_client_land u_land (
    .clk_i, .rst_i, .clear_i, .clear_slot_i, .first_i(land_first_i),
    .first_slot_i(land_first_slot_i), .first_beat_i(BeatWidth'(land_first_beat_i)),
    .r_valid_i(land_r_valid_i), .r_i(r), .end_valid_o(land_end_valid_o),
    .end_slot_o(land_end_slot_o), .end_error_o(land_end_error_o), .read_i(land_read_i),
    .read_row_i(RowWidth'(land_row_i)), .data_o(land_data_o));

  xlate_done_t ends_done;
  client_end_t ends_end;
  assign {ends_done_o[1], ends_done_o[0]} = {ends_done.old1, ends_done.old0};
  assign {ends_slot_o, ends_fault_o, ends_level_o, ends_zero_o} =
      {ends_end.slot, ends_end.fault, ends_end.level, ends_end.zero};
  gmmu_client_ends u_ends (
    .clk_i, .rst_i, .generation_valid_i(ends_generation_valid_i), .generation_slot_i(ends_generation_slot_i),
    .generation_i(ends_generation_i), .r_valid_i(ends_r_valid_i), .r_slot_i(ends_r_slot_i),
    .r_error_i(ends_r_error_i), .b_valid_i(ends_b_valid_i), .b_slot_i(ends_b_slot_i),
    .b_error_i(ends_b_error_i), .page_valid_i(ends_page_valid_i),
    .page_ready_o(ends_page_ready_o), .page_i(ended), .route_valid_i(ends_route_valid_i),
    .route_ready_o(ends_route_ready_o), .route_slot_i(ends_route_slot_i),
    .route_fault_i(fault_e'(ends_route_fault_i)), .hold_o(ends_hold_o), .done_o(ends_done),
    .end_valid_o(ends_valid_o), .end_o(ends_end));

  traffic_cfg_t regs_cfg;
  assign {regs_access_o, regs_pattern_o, regs_verify_o, regs_footprint_lg2_o, regs_space_o,
          regs_depth_o} = {regs_cfg.access, regs_cfg.pattern, regs_cfg.verify,
          regs_cfg.footprint_lg2, regs_cfg.space, regs_cfg.depth};
  assign {regs_base_o, regs_first_o, regs_stride_o, regs_count_o, regs_step_o, regs_seed_o} =
      {regs_cfg.base, regs_cfg.first, regs_cfg.stride, regs_cfg.count, regs_cfg.step,
       regs_cfg.seed};
  gmmu_client_regs u_regs (
    .clk_i, .rst_i, .wr_i(regs_wr_i), .rd_i(regs_rd_i), .word_i(regs_word_i),
    .data_i(regs_data_i), .rd_data_o(regs_data_o), .start_o(regs_start_o), .cfg_o(regs_cfg),
    .state_i('{busy: regs_state_busy_i, fault: regs_state_fault_i,
               reason: fault_e'(regs_state_reason_i), level: regs_state_level_i,
               count: regs_state_count_i, crc: regs_state_crc_i,
               mismatches: regs_state_mismatches_i, fault_va: regs_state_fault_va_i}),
    .busy_o(regs_busy_o));

  gmmu_traffic_lines u_lines (
    .clk_i, .rst_i, .load_i(lines_load_i), .cfg_i(cfg), .ready_o(lines_ready_o),
    .still_o(lines_still_o), .line_valid_o(lines_valid_o), .line_o(lines_line_o),
    .next_i(lines_next_i), .chase_valid_i(lines_chase_valid_i),
    .chase_line_i(lines_chase_line_i));

  gmmu_traffic_check u_check (
    .clk_i, .rst_i, .clear_i(check_clear_i), .verify_i(check_verify_i), .seed_i(check_seed_i),
    .word_i(check_word_i), .at_i(check_at_i), .word_o(check_word_o), .count_i(check_count_i),
    .busy_o(check_busy_o), .crc_o(check_crc_o), .mismatches_o(check_mismatches_o));

  traffic_state_t run_state;
  client_req_t    run_req;
  client_w_t      run_w;
  assign {run_busy_o, run_fault_o, run_reason_o, run_level_o, run_count_o, run_crc_o,
          run_mismatches_o, run_fault_va_o} = run_state;
  assign {run_req_id_o, run_req_space_o, run_req_va_o, run_req_access_o, run_req_bytes_o} =
      run_req;
  assign {run_w_id_o, run_w_word_o} = run_w;
  gmmu_traffic u_traffic (
    .clk_i, .rst_i, .enable_i(run_enable_i), .start_i(run_start_i), .cfg_i(cfg),
    .state_o(run_state), .done_o(run_done_o), .unit_idle_i(run_unit_idle_i),
    .waiting_o(run_waiting_o), .owner_o(run_owner_o), .req_valid_o(run_req_valid_o),
    .req_ready_i(run_req_ready_i), .req_o(run_req), .w_valid_o(run_w_valid_o), .w_o(run_w),
    .w_data_o(run_w_data_o), .w_mix_o(run_w_mix_o), .rsp_valid_i(run_rsp_valid_i),
    .rsp_i(answer), .rsp_data_i(s_data_i[63:0]), .rsp_line_i(s_line_i),
    .fault_valid_i(run_log_valid_i),
    .fault_i('{reason: fault_e'(run_log_reason_i), space: '0, port: '0, access: AccessRead,
               level: run_log_level_i, physical: 1'b0, fence: '0, address: run_log_address_i}));

  client_req_t tw_req;
  client_w_t   tw_word;
  assign {tw_req_id_o, tw_req_space_o, tw_req_va_o, tw_req_access_o, tw_req_bytes_o} = tw_req;
  assign {tw_word_id_o, tw_word_number_o} = tw_word;
  gmmu_through_write u_through_write (
    .clk_i, .rst_i, .enable_i(tw_enable_i), .idle_o(tw_idle_o), .aw_valid_i(tw_aw_valid_i),
    .aw_ready_o(tw_aw_ready_o), .aw_i(ax), .w_valid_i(tw_w_valid_i), .w_ready_o(tw_w_ready_o),
    .w_data_i(word_data_i), .w_strb_i(word_strobe_i), .b_valid_o(tw_b_valid_o),
    .b_ready_i(tw_b_ready_i), .b_id_o(tw_b_id_o), .b_resp_o(tw_b_resp_o),
    .word_valid_o(tw_word_valid_o), .word_o(tw_word), .word_data_o(tw_word_data_o),
    .word_strobe_o(tw_word_strobe_o), .req_valid_o(tw_req_valid_o),
    .req_ready_i(tw_req_ready_i), .req_o(tw_req), .rsp_valid_i(tw_rsp_valid_i),
    .rsp_ready_o(tw_rsp_ready_o), .rsp_i(answer));

  // ---- Blocks with two sizes: outputs of both instances, then those of the selected one.
  typedef struct packed {
    logic burst_ready, w_valid;
    w_t   w;
  } write_out_t;
  typedef struct packed {
    logic                 read, valid, log_valid;
    logic [15:0]          row;
    client_rsp_t          rsp;
    logic [DataWidth-1:0] data;
    logic [57:0]          line;
    fault_info_t          log;
    logic [1:0][6:0]      count;
  } answer_out_t;
  typedef struct packed {
    logic                 idle, req_ready, valid, xq_valid, xs_ready, ap_valid, w_valid, log_valid;
    client_rsp_t          rsp;
    logic [DataWidth-1:0] data;
    logic [57:0]          line;
    xlate_req_t           xq;
    xlate_done_t          done;
    pfn_t                 ap_page;
    logic [1:0]           ax_valid;
    ax_t  [1:0]           ax;
    w_t                   w;
    fault_info_t          log;
    logic [1:0][6:0]      count;
  } unit_out_t;
  typedef struct packed {
    logic                 idle, ar_ready, r_valid;
    logic [7:0]           id;
    logic [DataWidth-1:0] data;
    logic [1:0]           resp;
    logic                 last, req_valid;
    client_req_t          req;
    logic                 rsp_ready;
  } read_out_t;

  write_out_t  [1:0] write_all;
  answer_out_t [1:0] answer_all;
  unit_out_t   [1:0] unit_all;
  read_out_t   [1:0] read_all;

  for (genvar n = 0; n < 2; n++) begin : g_size
    localparam int unsigned WordBytes = n == 0 ? 8 : DataBytes;
    logic                   here;
    logic [8*WordBytes-1:0] answer_data, unit_data;
    logic [RowWidth-1:0]    row;
    assign here = size_i == 1'(n);

    gmmu_client_write #(.WordBytes(WordBytes), .Strobes(n == 1)) u_write (
      .clk_i, .rst_i, .word_valid_i(here && write_word_valid_i), .word_i(word),
      .word_data_i(word_data_i[8*WordBytes-1:0]), .word_strobe_i(word_strobe_i[WordBytes-1:0]),
      .burst_valid_i(here && write_burst_valid_i), .burst_ready_o(write_all[n].burst_ready),
      .burst_slot_i(write_slot_i), .burst_first_i(write_first_i), .burst_last_i(write_last_i),
      .w_valid_o(write_all[n].w_valid), .w_ready_i(write_w_ready_i), .w_o(write_all[n].w));

    assign answer_all[n].row = 16'(row);
    assign answer_all[n].data = DataWidth'(answer_data);
    gmmu_client_answer #(.WordBytes(WordBytes)) u_answer (
      .clk_i, .rst_i, .port_i(Port), .ordered_i(ans_ordered_i), .first_only_i(ans_first_only_i),
      .clear_i, .clear_slot_i, .req_valid_i(here && ans_req_valid_i), .req_i(req),
      .end_valid_i(here && ans_end_valid_i), .end_i(ended), .read_o(answer_all[n].read),
      .read_row_o(row), .row_data_i(ans_row_data_i), .rsp_valid_o(answer_all[n].valid),
      .rsp_ready_i(ans_ready_i), .rsp_o(answer_all[n].rsp), .rsp_data_o(answer_data),
      .rsp_line_o(answer_all[n].line), .fault_valid_o(answer_all[n].log_valid),
      .fault_ready_i(ans_log_ready_i), .fault_o(answer_all[n].log),
      .count_read_bytes_o(answer_all[n].count[0]), .count_write_bytes_o(answer_all[n].count[1]));

    assign unit_all[n].data = DataWidth'(unit_data);
    gmmu_client #(.WordBytes(WordBytes), .Strobes(n == 1)) u_unit (
      .clk_i, .rst_i, .port_i(Port), .vram_bytes_i(64'h100000), .link_i('0), .ordered_i(unit_ordered_i),
      .first_only_i(unit_first_only_i), .idle_o(unit_all[n].idle),
      .req_valid_i(here && unit_req_valid_i), .req_ready_o(unit_all[n].req_ready), .req_i(req),
      .w_valid_i(here && unit_word_valid_i), .w_i(word),
      .w_data_i(word_data_i[8*WordBytes-1:0]), .w_strobe_i(word_strobe_i[WordBytes-1:0]),
      .rsp_valid_o(unit_all[n].valid), .rsp_ready_i(unit_ready_i), .rsp_o(unit_all[n].rsp),
      .rsp_data_o(unit_data), .rsp_line_o(unit_all[n].line),
      .xlate_req_valid_o(unit_all[n].xq_valid), .xlate_req_ready_i(unit_xq_ready_i),
      .xlate_req_o(unit_all[n].xq), .xlate_rsp_valid_i(here && unit_xs_valid_i),
      .xlate_rsp_ready_o(unit_all[n].xs_ready),
      .xlate_rsp_i('{tag: unit_xs_tag_i, generation: unit_xs_generation_i,
                     gpa: '{target: target_e'(unit_xs_target_i), adapter: '0,
                         offset: unit_xs_offset_i},
                     zero: unit_xs_zero_i, coherent: unit_xs_coherent_i,
                     fault: fault_e'(unit_xs_fault_i), level: unit_xs_level_i}),
      .xlate_done_o(unit_all[n].done),
      .ap_req_valid_o(unit_all[n].ap_valid), .ap_req_ready_i(unit_ap_ready_i),
      .ap_req_page_o(unit_all[n].ap_page), .ap_rsp_valid_i(here && unit_ap_answer_i),
      .ap_rsp_i('{fault: fault_e'(unit_ap_fault_i), coherent: unit_ap_coherent_i,
                  page: unit_ap_page_i}),
      .rd_req_o({unit_all[n].ax_valid[1], unit_all[n].ax[1]}), .rd_rsp_i({unit_ax_ready_i[1], here && unit_r_valid_i, r}),
      .wr_req_o({unit_all[n].ax_valid[0], unit_all[n].ax[0], unit_all[n].w_valid, unit_all[n].w}),
      .wr_rsp_i({unit_ax_ready_i[0], unit_w_ready_i, here && unit_b_valid_i, b}),
      .fault_valid_o(unit_all[n].log_valid), .fault_ready_i(unit_log_ready_i),
      .fault_o(unit_all[n].log),
      .count_read_bytes_o(unit_all[n].count[0]), .count_write_bytes_o(unit_all[n].count[1]));

    gmmu_through_read #(.Bursts(n == 0 ? 32 : 1)) u_through_read (
      .clk_i, .rst_i, .enable_i(tr_enable_i), .idle_o(read_all[n].idle),
      .ar_valid_i(here && tr_ar_valid_i), .ar_ready_o(read_all[n].ar_ready), .ar_i(ax),
      .r_valid_o(read_all[n].r_valid), .r_ready_i(tr_r_ready_i), .r_id_o(read_all[n].id),
      .r_data_o(read_all[n].data), .r_resp_o(read_all[n].resp), .r_last_o(read_all[n].last),
      .req_valid_o(read_all[n].req_valid), .req_ready_i(tr_req_ready_i),
      .req_o(read_all[n].req), .rsp_valid_i(here && tr_rsp_valid_i),
      .rsp_ready_o(read_all[n].rsp_ready), .rsp_i(answer), .rsp_data_i(s_data_i));
  end

  write_out_t  wo;
  answer_out_t ao;
  unit_out_t   uo;
  read_out_t   ro;
  assign wo = write_all[size_i];
  assign ao = answer_all[size_i];
  assign uo = unit_all[size_i];
  assign ro = read_all[size_i];

  assign {write_burst_ready_o, write_w_valid_o, write_w_data_o, write_w_strb_o, write_w_last_o} =
      wo;

  assign {ans_read_o, ans_valid_o, ans_log_valid_o, ans_row_o} =
      {ao.read, ao.valid, ao.log_valid, ao.row};
  assign {ans_id_o, ans_last_o, ans_fault_o, ans_word_o} = ao.rsp;
  assign {ans_data_o, ans_line_o} = {ao.data, ao.line};
  assign {ans_log_reason_o, ans_log_space_o, ans_log_port_o, ans_log_access_o, ans_log_level_o,
          ans_log_address_o} = {ao.log.reason, ao.log.space, ao.log.port, ao.log.access,
          ao.log.level, ao.log.address};
  assign {ans_count_o[1], ans_count_o[0]} = ao.count;

  assign {unit_idle_o, unit_req_ready_o, unit_valid_o, unit_xq_valid_o, unit_xs_ready_o} =
      {uo.idle, uo.req_ready, uo.valid, uo.xq_valid, uo.xs_ready};
  assign {unit_ap_valid_o, unit_w_valid_o, unit_log_valid_o, unit_ap_page_o} =
      {uo.ap_valid, uo.w_valid, uo.log_valid, uo.ap_page};
  assign {unit_id_o, unit_last_o, unit_fault_o, unit_word_o} = uo.rsp;
  assign {unit_data_o, unit_line_o} = {uo.data, uo.line};
  assign {unit_xq_tag_o, unit_xq_space_o, unit_xq_va_o, unit_xq_access_o} = uo.xq;
  assign {unit_done_o[1], unit_done_o[0]} = {uo.done.old1, uo.done.old0};
  for (genvar i = 0; i < 2; i++) begin : g_ax
    assign {unit_ax_valid_o[i], unit_ax_id_o[i], unit_ax_port_o[i], unit_ax_addr_o[i]} =
        {uo.ax_valid[i], uo.ax[i].id, uo.ax[i].port, uo.ax[i].addr};
    assign {unit_ax_len_o[i], unit_ax_no_snoop_o[i]} = {uo.ax[i].len, uo.ax[i].user.no_snoop};
    assign unit_count_o[i] = uo.count[i];
  end
  assign {unit_w_data_o, unit_w_strb_o, unit_w_last_o} = uo.w;
  assign {unit_log_reason_o, unit_log_space_o, unit_log_port_o, unit_log_access_o,
          unit_log_level_o, unit_log_address_o} = {uo.log.reason, uo.log.space, uo.log.port,
          uo.log.access, uo.log.level, uo.log.address};

  assign {tr_idle_o, tr_ar_ready_o, tr_r_valid_o, tr_r_id_o, tr_r_data_o, tr_r_resp_o,
          tr_r_last_o, tr_req_valid_o} = {ro.idle, ro.ar_ready, ro.r_valid, ro.id, ro.data,
          ro.resp, ro.last, ro.req_valid};
  assign {tr_req_id_o, tr_req_space_o, tr_req_va_o, tr_req_access_o, tr_req_bytes_o} = ro.req;
  assign tr_rsp_ready_o = ro.rsp_ready;
endmodule

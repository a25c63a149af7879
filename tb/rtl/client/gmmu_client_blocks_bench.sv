// SPDX-License-Identifier: Apache-2.0
// The blocks of the clients, not connected to each other. Blocks share payload inputs; each block
// has its own valid.
//
// Ports with two elements belong to a block with two instances. Instance 0 has the parameters of a
// client port. Instance 1 has those of a through-port: words as wide as the bus, with strobes. The
// read half of the through-port has up to 32 bursts in flight in instance 0, and one in instance 1.
module gmmu_client_blocks_bench
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  output logic [7:0]  slots_o,

  // ---- Shared payload inputs.
  input  logic        clear_i,
  input  slot_t       clear_slot_i,
  input  client_req_t req_i,
  input  client_end_t end_i,
  input  client_w_t   word_i,
  input  logic [DataWidth-1:0] word_data_i,
  input  logic [DataBytes-1:0] word_strobe_i,
  input  client_rsp_t rsp_i,          // response of an access unit
  input  logic [DataWidth-1:0] rsp_data_i,
  input  logic [57:0] rsp_line_i,
  input  traffic_cfg_t cfg_i,
  input  through_ax_t ax_i,

  // ---- gmmu_crc32c_pkg.
  input  logic [31:0] crc_value_i,
  input  logic [63:0] crc_data_i,
  output logic [31:0] crc_o,

  // ---- gmmu_client_land.
  input  logic        land_first_i,
  input  slot_t       land_first_slot_i,
  input  logic [2:0]  land_first_beat_i,
  input  logic        land_r_valid_i,
  input  r_t          land_r_i,
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
  input  fault_e      ends_route_fault_i,
  output logic        ends_hold_o,
  output xlate_done_t ends_done_o,
  output logic        ends_valid_o,
  output client_end_t ends_end_o,

  // ---- gmmu_client_write.
  input  logic        write_word_valid_i [2],
  input  logic        write_burst_valid_i [2],
  output logic        write_burst_ready_o [2],
  input  slot_t       write_slot_i,
  input  logic [5:0]  write_first_i,
  input  logic [5:0]  write_last_i,
  output logic        write_w_valid_o [2],
  input  logic        write_w_ready_i,
  output w_t          write_w_o [2],

  // ---- gmmu_client_answer.
  input  logic        ans_ordered_i,
  input  logic        ans_first_only_i,
  input  logic        ans_req_valid_i [2],
  input  logic        ans_end_valid_i [2],
  output logic        ans_read_o [2],
  output logic [15:0] ans_row_o [2],
  input  logic [DataWidth-1:0] ans_row_data_i,
  output logic        ans_valid_o [2],
  input  logic        ans_ready_i,
  output client_rsp_t ans_rsp_o [2],
  output logic [DataWidth-1:0] ans_data_o [2],
  output logic [57:0] ans_line_o [2],
  output logic        ans_log_valid_o [2],
  input  logic        ans_log_ready_i,
  output fault_info_t ans_log_o [2],
  output logic [6:0]  ans_read_bytes_o [2],
  output logic [6:0]  ans_write_bytes_o [2],

  // ---- gmmu_client_regs.
  input  logic        regs_wr_i,
  input  logic        regs_rd_i,
  input  logic [2:0]  regs_word_i,
  input  logic [63:0] regs_data_i,
  output logic [63:0] regs_data_o,
  output logic        regs_start_o,
  output logic        regs_busy_o,
  output traffic_cfg_t   regs_cfg_o,
  input  traffic_state_t regs_state_i,

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
  output traffic_state_t run_state_o,
  output logic        run_done_o,
  input  logic        run_unit_idle_i,
  output logic        run_waiting_o,
  output logic        run_owner_o,
  output logic        run_req_valid_o,
  input  logic        run_req_ready_i,
  output client_req_t run_req_o,
  output logic        run_w_valid_o,
  output client_w_t   run_w_o,
  output logic [63:0] run_w_data_o,
  output logic [63:0] run_w_mix_o,
  input  logic        run_rsp_valid_i,
  input  logic        run_log_valid_i,
  input  fault_info_t run_log_i,

  // ---- gmmu_client.
  input  logic        unit_ordered_i,
  output logic        unit_idle_o [2],
  input  logic        unit_req_valid_i [2],
  output logic        unit_req_ready_o [2],
  input  logic        unit_word_valid_i [2],
  output logic        unit_valid_o [2],
  input  logic        unit_ready_i,
  output client_rsp_t unit_rsp_o [2],
  output logic [DataWidth-1:0] unit_data_o [2],
  output logic [57:0] unit_line_o [2],
  output logic        unit_xq_valid_o [2],
  input  logic        unit_xq_ready_i,
  output xlate_req_t  unit_xq_o [2],
  input  logic        unit_xs_valid_i [2],
  output logic        unit_xs_ready_o [2],
  input  xlate_rsp_t  unit_xs_i,
  output xlate_done_t unit_done_o [2],
  output logic        unit_ap_valid_o [2],
  input  logic        unit_ap_ready_i,
  output pfn_t        unit_ap_page_o [2],
  input  logic        unit_ap_answer_i [2],
  input  aperture_rsp_t unit_ap_i,
  output rd_req_t     unit_rd_req_o [2],
  input  rd_rsp_t     unit_rd_rsp_i [2],
  output wr_req_t     unit_wr_req_o [2],
  input  wr_rsp_t     unit_wr_rsp_i [2],
  output logic        unit_log_valid_o [2],
  input  logic        unit_log_ready_i,
  output fault_info_t unit_log_o [2],
  output logic [6:0]  unit_read_bytes_o [2],
  output logic [6:0]  unit_write_bytes_o [2],

  // ---- gmmu_through_read.
  input  logic        tr_enable_i,
  output logic        tr_idle_o [2],
  input  logic        tr_ar_valid_i [2],
  output logic        tr_ar_ready_o [2],
  output logic        tr_r_valid_o [2],
  input  logic        tr_r_ready_i,
  output sub_r_t      tr_r_o [2],
  output logic        tr_req_valid_o [2],
  input  logic        tr_req_ready_i,
  output client_req_t tr_req_o [2],
  input  logic        tr_rsp_valid_i [2],
  output logic        tr_rsp_ready_o [2],

  // ---- gmmu_through_write.
  input  logic        tw_enable_i,
  output logic        tw_idle_o,
  input  logic        tw_aw_valid_i,
  output logic        tw_aw_ready_o,
  input  logic        tw_w_valid_i,
  output logic        tw_w_ready_o,
  output logic        tw_b_valid_o,
  input  logic        tw_b_ready_i,
  output sub_b_t      tw_b_o,
  output logic        tw_word_valid_o,
  output client_w_t   tw_word_o,
  output logic [DataWidth-1:0] tw_word_data_o,
  output logic [DataBytes-1:0] tw_word_strobe_o,
  output logic        tw_req_valid_o,
  input  logic        tw_req_ready_i,
  output client_req_t tw_req_o,
  input  logic        tw_rsp_valid_i,
  output logic        tw_rsp_ready_o
);
  localparam port_t Port = 7'd37;
  localparam int unsigned BeatsPerLine = LineBytes / DataBytes;
  localparam int unsigned BeatWidth = BeatsPerLine > 1 ? $clog2(BeatsPerLine) : 1;
  localparam int unsigned RowWidth = $clog2(Slots * BeatsPerLine);
  assign slots_o = 8'(Slots);

  // ---- Blocks with one instance.
  assign crc_o = gmmu_crc32c_pkg::crc32c(crc_value_i, crc_data_i);

  gmmu_client_land u_land (
    .clk_i, .rst_i, .clear_i, .clear_slot_i, .first_i(land_first_i),
    .first_slot_i(land_first_slot_i), .first_beat_i(BeatWidth'(land_first_beat_i)),
    .r_valid_i(land_r_valid_i), .r_i(land_r_i), .end_valid_o(land_end_valid_o),
    .end_slot_o(land_end_slot_o), .end_error_o(land_end_error_o), .read_i(land_read_i),
    .read_row_i(RowWidth'(land_row_i)), .data_o(land_data_o));

  gmmu_client_ends u_ends (
    .clk_i, .rst_i, .generation_valid_i(ends_generation_valid_i), .generation_slot_i(ends_generation_slot_i),
    .generation_i(ends_generation_i), .r_valid_i(ends_r_valid_i), .r_slot_i(ends_r_slot_i),
    .r_error_i(ends_r_error_i), .b_valid_i(ends_b_valid_i), .b_slot_i(ends_b_slot_i),
    .b_error_i(ends_b_error_i), .page_valid_i(ends_page_valid_i),
    .page_ready_o(ends_page_ready_o), .page_i(end_i), .route_valid_i(ends_route_valid_i),
    .route_ready_o(ends_route_ready_o), .route_slot_i(ends_route_slot_i),
    .route_fault_i(ends_route_fault_i), .hold_o(ends_hold_o), .done_o(ends_done_o),
    .end_valid_o(ends_valid_o), .end_o(ends_end_o));

  gmmu_client_regs u_regs (
    .clk_i, .rst_i, .wr_i(regs_wr_i), .rd_i(regs_rd_i), .word_i(regs_word_i),
    .data_i(regs_data_i), .rd_data_o(regs_data_o), .start_o(regs_start_o), .cfg_o(regs_cfg_o),
    .state_i(regs_state_i), .busy_o(regs_busy_o));

  gmmu_traffic_lines u_lines (
    .clk_i, .rst_i, .load_i(lines_load_i), .cfg_i, .ready_o(lines_ready_o),
    .still_o(lines_still_o), .line_valid_o(lines_valid_o), .line_o(lines_line_o),
    .next_i(lines_next_i), .chase_valid_i(lines_chase_valid_i),
    .chase_line_i(lines_chase_line_i));

  gmmu_traffic_check u_check (
    .clk_i, .rst_i, .clear_i(check_clear_i), .verify_i(check_verify_i), .seed_i(check_seed_i),
    .word_i(check_word_i), .at_i(check_at_i), .word_o(check_word_o), .count_i(check_count_i),
    .busy_o(check_busy_o), .crc_o(check_crc_o), .mismatches_o(check_mismatches_o));

  gmmu_traffic u_traffic (
    .clk_i, .rst_i, .enable_i(run_enable_i), .start_i(run_start_i), .cfg_i,
    .state_o(run_state_o), .done_o(run_done_o), .unit_idle_i(run_unit_idle_i),
    .waiting_o(run_waiting_o), .owner_o(run_owner_o), .req_valid_o(run_req_valid_o),
    .req_ready_i(run_req_ready_i), .req_o(run_req_o), .w_valid_o(run_w_valid_o), .w_o(run_w_o),
    .w_data_o(run_w_data_o), .w_mix_o(run_w_mix_o), .rsp_valid_i(run_rsp_valid_i),
    .rsp_i, .rsp_data_i(rsp_data_i[63:0]), .rsp_line_i, .fault_valid_i(run_log_valid_i),
    .fault_i(run_log_i));

  gmmu_through_write u_through_write (
    .clk_i, .rst_i, .enable_i(tw_enable_i), .idle_o(tw_idle_o), .aw_valid_i(tw_aw_valid_i),
    .aw_ready_o(tw_aw_ready_o), .aw_i(ax_i), .w_valid_i(tw_w_valid_i), .w_ready_o(tw_w_ready_o),
    .w_data_i(word_data_i), .w_strb_i(word_strobe_i), .b_valid_o(tw_b_valid_o),
    .b_ready_i(tw_b_ready_i), .b_id_o(tw_b_o.id), .b_resp_o(tw_b_o.resp),
    .word_valid_o(tw_word_valid_o), .word_o(tw_word_o), .word_data_o(tw_word_data_o),
    .word_strobe_o(tw_word_strobe_o), .req_valid_o(tw_req_valid_o),
    .req_ready_i(tw_req_ready_i), .req_o(tw_req_o), .rsp_valid_i(tw_rsp_valid_i),
    .rsp_ready_o(tw_rsp_ready_o), .rsp_i);

  // ---- Blocks with two instances.
  for (genvar n = 0; n < 2; n++) begin : g_size
    localparam int unsigned WordBytes = n == 0 ? 8 : DataBytes;

    gmmu_client_write #(.WordBytes(WordBytes), .Strobes(n == 1)) u_write (
      .clk_i, .rst_i, .word_valid_i(write_word_valid_i[n]), .word_i,
      .word_data_i(word_data_i[8*WordBytes-1:0]), .word_strobe_i(word_strobe_i[WordBytes-1:0]),
      .burst_valid_i(write_burst_valid_i[n]), .burst_ready_o(write_burst_ready_o[n]),
      .burst_slot_i(write_slot_i), .burst_first_i(write_first_i), .burst_last_i(write_last_i),
      .w_valid_o(write_w_valid_o[n]), .w_ready_i(write_w_ready_i), .w_o(write_w_o[n]));

    gmmu_client_answer #(.WordBytes(WordBytes)) u_answer (
      .clk_i, .rst_i, .port_i(Port), .ordered_i(ans_ordered_i), .first_only_i(ans_first_only_i),
      .clear_i, .clear_slot_i, .req_valid_i(ans_req_valid_i[n]), .req_i,
      .end_valid_i(ans_end_valid_i[n]), .end_i, .read_o(ans_read_o[n]),
      .read_row_o(ans_row_o[n][RowWidth-1:0]), .row_data_i(ans_row_data_i), .rsp_valid_o(ans_valid_o[n]),
      .rsp_ready_i(ans_ready_i), .rsp_o(ans_rsp_o[n]), .rsp_data_o(ans_data_o[n][8*WordBytes-1:0]),
      .rsp_line_o(ans_line_o[n]), .fault_valid_o(ans_log_valid_o[n]),
      .fault_ready_i(ans_log_ready_i), .fault_o(ans_log_o[n]),
      .count_read_bytes_o(ans_read_bytes_o[n]), .count_write_bytes_o(ans_write_bytes_o[n]));

    gmmu_client #(.WordBytes(WordBytes), .Strobes(n == 1)) u_unit (
      .clk_i, .rst_i, .port_i(Port), .vram_bytes_i(64'h100000), .link_i('0), .ordered_i(unit_ordered_i),
      .first_only_i(1'b0), .idle_o(unit_idle_o[n]),
      .req_valid_i(unit_req_valid_i[n]), .req_ready_o(unit_req_ready_o[n]), .req_i,
      .w_valid_i(unit_word_valid_i[n]), .w_i(word_i),
      .w_data_i(word_data_i[8*WordBytes-1:0]), .w_strobe_i(word_strobe_i[WordBytes-1:0]),
      .rsp_valid_o(unit_valid_o[n]), .rsp_ready_i(unit_ready_i), .rsp_o(unit_rsp_o[n]),
      .rsp_data_o(unit_data_o[n][8*WordBytes-1:0]), .rsp_line_o(unit_line_o[n]),
      .xlate_req_valid_o(unit_xq_valid_o[n]), .xlate_req_ready_i(unit_xq_ready_i),
      .xlate_req_o(unit_xq_o[n]), .xlate_rsp_valid_i(unit_xs_valid_i[n]),
      .xlate_rsp_ready_o(unit_xs_ready_o[n]), .xlate_rsp_i(unit_xs_i), .xlate_done_o(unit_done_o[n]),
      .ap_req_valid_o(unit_ap_valid_o[n]), .ap_req_ready_i(unit_ap_ready_i),
      .ap_req_page_o(unit_ap_page_o[n]), .ap_rsp_valid_i(unit_ap_answer_i[n]), .ap_rsp_i(unit_ap_i),
      .rd_req_o(unit_rd_req_o[n]), .rd_rsp_i(unit_rd_rsp_i[n]),
      .wr_req_o(unit_wr_req_o[n]), .wr_rsp_i(unit_wr_rsp_i[n]),
      .fault_valid_o(unit_log_valid_o[n]), .fault_ready_i(unit_log_ready_i), .fault_o(unit_log_o[n]),
      .count_read_bytes_o(unit_read_bytes_o[n]), .count_write_bytes_o(unit_write_bytes_o[n]));

    gmmu_through_read #(.Bursts(n == 0 ? 32 : 1)) u_through_read (
      .clk_i, .rst_i, .enable_i(tr_enable_i), .idle_o(tr_idle_o[n]),
      .ar_valid_i(tr_ar_valid_i[n]), .ar_ready_o(tr_ar_ready_o[n]), .ar_i(ax_i),
      .r_valid_o(tr_r_valid_o[n]), .r_ready_i(tr_r_ready_i), .r_id_o(tr_r_o[n].id),
      .r_data_o(tr_r_o[n].data), .r_resp_o(tr_r_o[n].resp), .r_last_o(tr_r_o[n].last),
      .req_valid_o(tr_req_valid_o[n]), .req_ready_i(tr_req_ready_i),
      .req_o(tr_req_o[n]), .rsp_valid_i(tr_rsp_valid_i[n]),
      .rsp_ready_o(tr_rsp_ready_o[n]), .rsp_i, .rsp_data_i);
  end
endmodule

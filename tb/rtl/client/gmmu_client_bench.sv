// SPDX-License-Identifier: Apache-2.0
// One client with its traffic engine, flat ports for C++. Its aperture lookups are never answered:
// no test uses them.
module gmmu_client_bench
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        enable_i,
  output logic        idle_o,

  input  logic        start_i,
  input  logic [1:0]  access_i,
  input  logic [7:0]  depth_i,
  input  logic [63:0] base_i,
  input  logic [31:0] first_i,
  input  logic [31:0] stride_i,
  input  logic [31:0] count_i,
  input  logic [31:0] step_i,
  input  logic [63:0] seed_i,
  output logic        busy_o,
  output logic        run_fault_o,
  output logic [31:0] count_o,
  output logic [31:0] crc_o,
  output logic [63:0] fault_va_o,
  output logic        done_o,

  output logic        xlate_req_valid_o,
  input  logic        xlate_req_ready_i,
  output logic [7:0]  xlate_req_tag_o,
  output logic [63:0] xlate_req_va_o,
  output logic [1:0]  xlate_req_access_o,
  input  logic        xlate_rsp_valid_i,
  output logic        xlate_rsp_ready_o,
  input  logic [7:0]  xlate_rsp_tag_i,
  input  logic        xlate_rsp_epoch_i,
  input  logic [1:0]  xlate_rsp_target_i,
  input  logic [63:0] xlate_rsp_offset_i,
  input  logic        xlate_rsp_zero_i,
  input  logic [7:0]  xlate_rsp_fault_i,
  output logic [1:0]  done0_o,
  output logic [1:0]  done1_o,

  output logic        ar_valid_o,
  input  logic        ar_ready_i,
  output logic [7:0]  ar_id_o,
  output logic [63:0] ar_addr_o,
  output logic [7:0]  ar_len_o,
  input  logic        r_valid_i,
  input  logic [7:0]  r_id_i,
  input  logic [63:0] r_data_i,
  input  logic        r_error_i,
  input  logic        r_last_i,
  output logic        aw_valid_o,
  input  logic        aw_ready_i,
  output logic [7:0]  aw_id_o,
  output logic [63:0] aw_addr_o,
  output logic [7:0]  aw_len_o,
  output logic        w_valid_o,
  input  logic        w_ready_i,
  output logic [63:0] w_data_o,
  output logic [7:0]  w_strb_o,
  output logic        w_last_o,
  input  logic        b_valid_i,
  input  logic [7:0]  b_id_i,
  input  logic        b_error_i,

  output logic        fault_valid_o,
  input  logic        fault_ready_i,
  output logic [63:0] fault_address_o,
  output logic [7:0]  fault_reason_o
);
  traffic_cfg_t   cfg;
  traffic_state_t state;
  xlate_req_t     xq;
  xlate_rsp_t     xs;
  xlate_done_t    xd;
  ax_t            ar, aw;
  w_t             w;
  fault_info_t    fault;

  assign cfg = '{access: access_e'(access_i), space: 6'd1, depth: depth_i, base: base_i,
      first: first_i,
                 stride: stride_i, count: count_i, step: step_i, seed: seed_i};
  assign busy_o = state.busy;
  assign run_fault_o = state.fault;
  assign count_o = state.count;
  assign crc_o = state.crc;
  assign fault_va_o = state.fault_va;
  assign xlate_req_tag_o = xq.tag;
  assign xlate_req_va_o = xq.va;
  assign xlate_req_access_o = xq.access;
  assign xs = '{tag: xlate_rsp_tag_i, epoch: xlate_rsp_epoch_i,
                gpa: '{target: target_e'(xlate_rsp_target_i), adapter: '0,
                    offset: xlate_rsp_offset_i[PaWidth-1:0]},
                zero: xlate_rsp_zero_i, coherent: 1'b1, fault: fault_e'(xlate_rsp_fault_i),
                    level: '0};
  assign done0_o = xd.old0;
  assign done1_o = xd.old1;
  assign ar_id_o = ar.id;
  assign ar_addr_o = 64'(ar.addr);
  assign ar_len_o = ar.len;
  assign aw_id_o = aw.id;
  assign aw_addr_o = 64'(aw.addr);
  assign aw_len_o = aw.len;
  assign w_data_o = w.data[63:0];
  assign w_strb_o = w.strb[7:0];
  assign w_last_o = w.last;
  assign fault_address_o = fault.address;
  assign fault_reason_o = fault.reason;

  gmmu_client_port u_client (
    .port_i('0),
    .clk_i, .rst_i, .enable_i, .vram_bytes_i(64'h100000), .idle_o,
    .start_i, .cfg_i(cfg), .state_o(state), .done_o,
    .req_valid_i(1'b0), .req_ready_o(), .req_i('0), .w_valid_i(1'b0), .w_ready_o(), .w_i('0),
    .rsp_valid_o(), .rsp_ready_i(1'b1), .rsp_o(),
    .xlate_req_valid_o, .xlate_req_ready_i, .xlate_req_o(xq),
    .xlate_rsp_valid_i, .xlate_rsp_ready_o, .xlate_rsp_i(xs), .xlate_done_o(xd),
    .ap_req_valid_o(), .ap_req_ready_i(1'b1), .ap_req_page_o(), .ap_rsp_valid_i(1'b0),
    .ap_rsp_i('0),
    .m_ar_valid_o(ar_valid_o), .m_ar_ready_i(ar_ready_i), .m_ar_o(ar), .m_r_valid_i(r_valid_i),
    .m_r_i('{id: r_id_i, data: DataWidth'(r_data_i), error: r_error_i, last: r_last_i}),
    .m_aw_valid_o(aw_valid_o), .m_aw_ready_i(aw_ready_i), .m_aw_o(aw),
    .m_w_valid_o(w_valid_o), .m_w_ready_i(w_ready_i), .m_w_o(w),
    .m_b_valid_i(b_valid_i), .m_b_i('{id: b_id_i, error: b_error_i}),
    .fault_valid_o, .fault_ready_i, .fault_o(fault), .count_read_bytes_o(), .count_write_bytes_o()
  );
endmodule

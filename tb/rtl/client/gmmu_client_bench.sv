// SPDX-License-Identifier: Apache-2.0
// One client with its traffic engine, and (t_*) one through-port, with flat ports for C++: element 0 of
// the through-port's pairs is its read half. Aperture lookups are never answered, because no test uses
// the aperture.
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

  input  logic        reg_wr_i,
  input  logic        reg_rd_i,
  input  logic [2:0]  reg_word_i,
  input  logic [63:0] reg_data_i,
  output logic [63:0] reg_data_o,
  output logic        busy_o,
  output logic        done_o,

  output logic        xlate_req_valid_o,
  input  logic        xlate_req_ready_i,
  output logic [7:0]  xlate_req_tag_o,
  output logic [63:0] xlate_req_va_o,
  output logic [1:0]  xlate_req_access_o,
  input  logic        xlate_rsp_valid_i,
  output logic        xlate_rsp_ready_o,
  input  logic [7:0]  xlate_rsp_tag_i,
  input  logic        xlate_rsp_generation_i,
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
  input  logic [DataWidth-1:0] r_data_i,
  input  logic        r_error_i,
  input  logic        r_last_i,
  output logic        aw_valid_o,
  input  logic        aw_ready_i,
  output logic [7:0]  aw_id_o,
  output logic [63:0] aw_addr_o,
  output logic [7:0]  aw_len_o,
  output logic        w_valid_o,
  input  logic        w_ready_i,
  output logic [DataWidth-1:0] w_data_o,
  output logic [DataBytes-1:0] w_strb_o,
  output logic        w_last_o,
  input  logic        b_valid_i,
  input  logic [7:0]  b_id_i,
  input  logic        b_error_i,

  output logic        fault_valid_o,
  input  logic        fault_ready_i,
  output logic [63:0] fault_address_o,
  output logic [7:0]  fault_reason_o,

  output logic        t_idle_o,
  input  logic        t_ar_valid_i,
  output logic        t_ar_ready_o,
  input  logic [7:0]  t_ar_id_i,
  input  logic [63:0] t_ar_va_i,
  input  logic [7:0]  t_ar_len_i,
  input  logic [2:0]  t_ar_size_i,
  input  logic [1:0]  t_ar_burst_i,
  input  logic        t_ar_execute_i,
  output logic        t_r_valid_o,
  input  logic        t_r_ready_i,
  output logic [7:0]  t_r_id_o,
  output logic [DataWidth-1:0] t_r_data_o,
  output logic [1:0]  t_r_resp_o,
  output logic        t_r_last_o,
  input  logic        t_aw_valid_i,
  output logic        t_aw_ready_o,
  input  logic [7:0]  t_aw_id_i,
  input  logic [63:0] t_aw_va_i,
  input  logic [7:0]  t_aw_len_i,
  input  logic [2:0]  t_aw_size_i,
  input  logic [1:0]  t_aw_burst_i,
  input  logic        t_w_valid_i,
  output logic        t_w_ready_o,
  input  logic [DataWidth-1:0] t_w_data_i,
  input  logic [DataBytes-1:0] t_w_strb_i,
  output logic        t_b_valid_o,
  input  logic        t_b_ready_i,
  output logic [7:0]  t_b_id_o,
  output logic [1:0]  t_b_resp_o,

  output logic [1:0]  t_xq_valid_o,
  input  logic [1:0]  t_xq_ready_i,
  output logic [7:0]  t_xq_tag_o [2],
  output logic [63:0] t_xq_va_o [2],
  output logic [1:0]  t_xq_access_o [2],
  input  logic [1:0]  t_xs_valid_i,
  output logic [1:0]  t_xs_ready_o,
  input  logic [7:0]  t_xs_tag_i [2],
  input  logic        t_xs_generation_i [2],
  input  logic [63:0] t_xs_offset_i [2],
  input  logic        t_xs_zero_i [2],
  input  logic [7:0]  t_xs_fault_i [2],
  output logic [1:0]  t_done0_o [2],
  output logic [1:0]  t_done1_o [2],

  output logic        t_mar_valid_o,
  input  logic        t_mar_ready_i,
  output logic [7:0]  t_mar_id_o,
  output logic [63:0] t_mar_addr_o,
  output logic [7:0]  t_mar_len_o,
  input  logic        t_mr_valid_i,
  input  logic [7:0]  t_mr_id_i,
  input  logic [DataWidth-1:0] t_mr_data_i,
  input  logic        t_mr_error_i,
  input  logic        t_mr_last_i,
  output logic        t_maw_valid_o,
  input  logic        t_maw_ready_i,
  output logic [7:0]  t_maw_id_o,
  output logic [63:0] t_maw_addr_o,
  output logic [7:0]  t_maw_len_o,
  output logic        t_mw_valid_o,
  input  logic        t_mw_ready_i,
  output logic [DataWidth-1:0] t_mw_data_o,
  output logic [DataBytes-1:0] t_mw_strb_o,
  output logic        t_mw_last_o,
  input  logic        t_mb_valid_i,
  input  logic [7:0]  t_mb_id_i,
  input  logic        t_mb_error_i,

  output logic [1:0]  t_fault_valid_o,
  input  logic [1:0]  t_fault_ready_i,
  output logic [63:0] t_fault_address_o [2],
  output logic [7:0]  t_fault_reason_o [2],
  output logic [7:0]  t_fault_port_o [2]
);
  xlate_req_t     xq;
  xlate_rsp_t     xs;
  xlate_done_t    xd;
  ax_t            ar, aw;
  w_t             w;
  fault_info_t    fault;

  assign xlate_req_tag_o = xq.tag;
  assign xlate_req_va_o = xq.va;
  assign xlate_req_access_o = xq.access;
  assign xs = '{tag: xlate_rsp_tag_i, generation: xlate_rsp_generation_i,
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
  assign w_data_o = w.data;
  assign w_strb_o = w.strb;
  assign w_last_o = w.last;
  assign fault_address_o = fault.address;
  assign fault_reason_o = fault.reason;

  gmmu_client_port u_client (
    .port_i('0),
    .clk_i, .rst_i, .enable_i, .vram_bytes_i(64'h100000), .link_i('0), .idle_o,
    .reg_wr_i, .reg_rd_i, .reg_word_i, .reg_data_i, .reg_data_o, .busy_o, .done_o,
    .req_valid_i(1'b0), .req_ready_o(), .req_i('0), .w_valid_i(1'b0), .w_ready_o(), .w_i('0),
    .w_data_i('0), .rsp_valid_o(), .rsp_ready_i(1'b1), .rsp_o(), .rsp_data_o(),
    .xlate_req_valid_o, .xlate_req_ready_i, .xlate_req_o(xq),
    .xlate_rsp_valid_i, .xlate_rsp_ready_o, .xlate_rsp_i(xs), .xlate_done_o(xd),
    .ap_req_valid_o(), .ap_req_ready_i(1'b1), .ap_req_page_o(), .ap_rsp_valid_i(1'b0),
    .ap_rsp_i('0),
    .rd_req_o({ar_valid_o, ar}),
    .rd_rsp_i({ar_ready_i, r_valid_i, r_t'{id: r_id_i, data: r_data_i, error: r_error_i, last: r_last_i}}),
    .wr_req_o({aw_valid_o, aw, w_valid_o, w}),
    .wr_rsp_i({aw_ready_i, w_ready_i, b_valid_i, b_t'{id: b_id_i, error: b_error_i}}),
    .fault_valid_o, .fault_ready_i, .fault_o(fault), .count_read_bytes_o(), .count_write_bytes_o()
  );

  // ---- Through-port.
  xlate_req_t  [1:0] txq;
  xlate_rsp_t  [1:0] txs;
  xlate_done_t [1:0] txd;
  rd_req_t           t_rd_req [2];
  rd_rsp_t           t_rd_rsp [2];
  wr_req_t           t_wr_req [2];
  wr_rsp_t           t_wr_rsp [2];
  fault_info_t [1:0] tfault;

  for (genvar i = 0; i < 2; i++) begin : g_half
    assign t_xq_tag_o[i] = txq[i].tag;
    assign t_xq_va_o[i] = txq[i].va;
    assign t_xq_access_o[i] = txq[i].access;
    assign txs[i] = '{tag: t_xs_tag_i[i], generation: t_xs_generation_i[i],
                      gpa: '{target: TargetVram, adapter: '0,
                          offset: t_xs_offset_i[i][PaWidth-1:0]},
                      zero: t_xs_zero_i[i], coherent: 1'b1, fault: fault_e'(t_xs_fault_i[i]),
                      level: '0};
    assign t_done0_o[i] = txd[i].old0;
    assign t_done1_o[i] = txd[i].old1;
    assign t_rd_rsp[i] = '{ar_ready: i == 0 && t_mar_ready_i, r_valid: i == 0 && t_mr_valid_i,
        r: '{id: t_mr_id_i, data: t_mr_data_i, error: t_mr_error_i, last: t_mr_last_i}};
    assign t_wr_rsp[i] = '{aw_ready: i == 1 && t_maw_ready_i, w_ready: i == 1 && t_mw_ready_i,
        b_valid: i == 1 && t_mb_valid_i, b: '{id: t_mb_id_i, error: t_mb_error_i}};
    assign t_fault_address_o[i] = tfault[i].address;
    assign t_fault_reason_o[i] = tfault[i].reason;
    assign t_fault_port_o[i] = 8'(tfault[i].port);
  end
  assign t_mar_valid_o = t_rd_req[0].ar_valid;
  assign t_mar_id_o = t_rd_req[0].ar.id;
  assign t_mar_addr_o = 64'(t_rd_req[0].ar.addr);
  assign t_mar_len_o = t_rd_req[0].ar.len;
  assign t_maw_valid_o = t_wr_req[1].aw_valid;
  assign t_maw_id_o = t_wr_req[1].aw.id;
  assign t_maw_addr_o = 64'(t_wr_req[1].aw.addr);
  assign t_maw_len_o = t_wr_req[1].aw.len;
  assign t_mw_valid_o = t_wr_req[1].w_valid;
  assign t_mw_data_o = t_wr_req[1].w.data;
  assign t_mw_strb_o = t_wr_req[1].w.strb;
  assign t_mw_last_o = t_wr_req[1].w.last;

  a_read_half_never_writes: assert property (@(posedge clk_i)
    rst_i || (!t_wr_req[0].aw_valid && !t_wr_req[0].w_valid && !t_rd_req[1].ar_valid));

  gmmu_through u_through (
    .clk_i, .rst_i, .core_reset_i(1'b0), .port_i(port_t'(9)), .enable_i, .vram_bytes_i(64'h100000), .link_i('0), .idle_o(t_idle_o),
    .s_ar_valid_i(t_ar_valid_i), .s_ar_ready_o(t_ar_ready_o),
    .s_ar_i('{id: t_ar_id_i, va: t_ar_va_i, len: t_ar_len_i, size: t_ar_size_i,
              burst: t_ar_burst_i, space: 6'd1, execute: t_ar_execute_i}),
    .s_r_valid_o(t_r_valid_o), .s_r_ready_i(t_r_ready_i), .s_r_o({t_r_id_o, t_r_data_o, t_r_resp_o, t_r_last_o}),
    .s_aw_valid_i(t_aw_valid_i), .s_aw_ready_o(t_aw_ready_o),
    .s_aw_i('{id: t_aw_id_i, va: t_aw_va_i, len: t_aw_len_i, size: t_aw_size_i,
              burst: t_aw_burst_i, space: 6'd1, execute: 1'b0}),
    .s_w_valid_i(t_w_valid_i), .s_w_ready_o(t_w_ready_o), .s_w_data_i(t_w_data_i),
    .s_w_strb_i(t_w_strb_i),
    .s_b_valid_o(t_b_valid_o), .s_b_ready_i(t_b_ready_i), .s_b_o({t_b_id_o, t_b_resp_o}),
    .xlate_req_valid_o(t_xq_valid_o), .xlate_req_ready_i(t_xq_ready_i), .xlate_req_o(txq),
    .xlate_rsp_valid_i(t_xs_valid_i), .xlate_rsp_ready_o(t_xs_ready_o), .xlate_rsp_i(txs),
    .xlate_done_o(txd),
    .ap_req_valid_o(), .ap_req_ready_i(2'b11), .ap_req_page_o(), .ap_rsp_valid_i(2'b00),
    .ap_rsp_i('0),
    .rd_req_o(t_rd_req), .rd_rsp_i(t_rd_rsp), .wr_req_o(t_wr_req), .wr_rsp_i(t_wr_rsp),
    .fault_valid_o(t_fault_valid_o), .fault_ready_i(t_fault_ready_i), .fault_o(tfault),
    .count_read_bytes_o(), .count_write_bytes_o()
  );
endmodule

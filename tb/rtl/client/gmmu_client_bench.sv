// SPDX-License-Identifier: Apache-2.0
// One client with a traffic engine (its external port has signals x_*), one client without an
// engine (signals p_*), and one through-port (signals t_*). The two clients share the register
// inputs and the external request. Of the through-port's two-element ports, element 0 belongs to
// the read side. No test uses the aperture, so its lookups get no response.
module gmmu_client_bench
  import gmmu_pkg::*;
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

  input  logic        x_req_valid_i,
  output logic        x_req_ready_o,
  input  client_req_t x_req_i,
  input  logic        x_w_valid_i,
  output logic        x_w_ready_o,
  input  client_w_t   x_w_i,
  input  logic [63:0] x_w_data_i,
  output logic        x_rsp_valid_o,
  input  logic        x_rsp_ready_i,
  output client_rsp_t x_rsp_o,
  output logic [63:0] x_rsp_data_o,

  output logic        xlate_req_valid_o,
  input  logic        xlate_req_ready_i,
  output xlate_req_t  xlate_req_o,
  input  logic        xlate_rsp_valid_i,
  output logic        xlate_rsp_ready_o,
  input  xlate_rsp_t  xlate_rsp_i,
  output xlate_done_t xlate_done_o,
  output rd_req_t     rd_req_o,
  input  rd_rsp_t     rd_rsp_i,
  output wr_req_t     wr_req_o,
  input  wr_rsp_t     wr_rsp_i,
  output logic        fault_valid_o,
  input  logic        fault_ready_i,
  output fault_info_t fault_o,

  output logic        p_idle_o,
  output logic [63:0] p_reg_data_o,
  output logic        p_busy_o,
  output logic        p_done_o,
  input  logic        p_req_valid_i,
  output logic        p_req_ready_o,
  output logic        p_w_ready_o,
  output logic        p_rsp_valid_o,
  output logic        p_xq_valid_o,
  output xlate_req_t  p_xq_o,

  input  logic        t_core_reset_i,
  output logic        t_idle_o,
  input  logic        t_ar_valid_i,
  output logic        t_ar_ready_o,
  input  through_ax_t t_ar_i,
  output logic        t_r_valid_o,
  input  logic        t_r_ready_i,
  output sub_r_t      t_r_o,
  input  logic        t_aw_valid_i,
  output logic        t_aw_ready_o,
  input  through_ax_t t_aw_i,
  input  logic        t_w_valid_i,
  output logic        t_w_ready_o,
  input  logic [DataWidth-1:0] t_w_data_i,
  input  logic [DataBytes-1:0] t_w_strb_i,
  output logic        t_b_valid_o,
  input  logic        t_b_ready_i,
  output sub_b_t      t_b_o,

  output logic [1:0]  t_xq_valid_o,
  input  logic [1:0]  t_xq_ready_i,
  output xlate_req_t  t_xq_o [2],
  input  logic [1:0]  t_xs_valid_i,
  output logic [1:0]  t_xs_ready_o,
  input  xlate_rsp_t  t_xs_i [2],
  output xlate_done_t t_done_o [2],
  output rd_req_t     t_rd_req_o [2],
  input  rd_rsp_t     t_rd_rsp_i [2],
  output wr_req_t     t_wr_req_o [2],
  input  wr_rsp_t     t_wr_rsp_i [2],
  output logic [1:0]  t_fault_valid_o,
  input  logic [1:0]  t_fault_ready_i,
  output fault_info_t t_fault_o [2]
);
  gmmu_client_port u_client (
    .port_i('0),
    .clk_i, .rst_i, .enable_i, .vram_bytes_i(64'h100000), .link_i('0), .idle_o,
    .reg_wr_i, .reg_rd_i, .reg_word_i, .reg_data_i, .reg_data_o, .busy_o, .done_o,
    .req_valid_i(x_req_valid_i), .req_ready_o(x_req_ready_o), .req_i(x_req_i), .w_valid_i(x_w_valid_i),
    .w_ready_o(x_w_ready_o), .w_i(x_w_i), .w_data_i(x_w_data_i), .rsp_valid_o(x_rsp_valid_o),
    .rsp_ready_i(x_rsp_ready_i), .rsp_o(x_rsp_o), .rsp_data_o(x_rsp_data_o),
    .xlate_req_valid_o, .xlate_req_ready_i, .xlate_req_o,
    .xlate_rsp_valid_i, .xlate_rsp_ready_o, .xlate_rsp_i, .xlate_done_o,
    .ap_req_valid_o(), .ap_req_ready_i(1'b1), .ap_req_page_o(), .ap_rsp_valid_i(1'b0),
    .ap_rsp_i('0), .rd_req_o, .rd_rsp_i, .wr_req_o, .wr_rsp_i,
    .fault_valid_o, .fault_ready_i, .fault_o, .count_read_bytes_o(), .count_write_bytes_o()
  );

  gmmu_client_port #(.Traffic(1'b0)) u_plain (
    .port_i('0),
    .clk_i, .rst_i, .enable_i, .vram_bytes_i(64'h100000), .link_i('0), .idle_o(p_idle_o),
    .reg_wr_i, .reg_rd_i, .reg_word_i, .reg_data_i, .reg_data_o(p_reg_data_o), .busy_o(p_busy_o), .done_o(p_done_o),
    .req_valid_i(p_req_valid_i), .req_ready_o(p_req_ready_o), .req_i(x_req_i), .w_valid_i(1'b0),
    .w_ready_o(p_w_ready_o), .w_i('0), .w_data_i('0), .rsp_valid_o(p_rsp_valid_o), .rsp_ready_i(1'b1), .rsp_o(),
    .rsp_data_o(),
    .xlate_req_valid_o(p_xq_valid_o), .xlate_req_ready_i(1'b1), .xlate_req_o(p_xq_o),
    .xlate_rsp_valid_i(1'b0), .xlate_rsp_ready_o(), .xlate_rsp_i('0), .xlate_done_o(),
    .ap_req_valid_o(), .ap_req_ready_i(1'b1), .ap_req_page_o(), .ap_rsp_valid_i(1'b0),
    .ap_rsp_i('0), .rd_req_o(), .rd_rsp_i('0), .wr_req_o(), .wr_rsp_i('0),
    .fault_valid_o(), .fault_ready_i(1'b1), .fault_o(), .count_read_bytes_o(), .count_write_bytes_o()
  );

  a_read_half_never_writes: assert property (@(posedge clk_i)
    rst_i || (!t_wr_req_o[0].aw_valid && !t_wr_req_o[0].w_valid && !t_rd_req_o[1].ar_valid));

  gmmu_through u_through (
    .clk_i, .rst_i, .core_reset_i(t_core_reset_i), .port_i(port_t'(9)), .enable_i, .vram_bytes_i(64'h100000),
    .link_i('0), .idle_o(t_idle_o),
    .s_ar_valid_i(t_ar_valid_i), .s_ar_ready_o(t_ar_ready_o), .s_ar_i(t_ar_i),
    .s_r_valid_o(t_r_valid_o), .s_r_ready_i(t_r_ready_i), .s_r_o(t_r_o),
    .s_aw_valid_i(t_aw_valid_i), .s_aw_ready_o(t_aw_ready_o), .s_aw_i(t_aw_i),
    .s_w_valid_i(t_w_valid_i), .s_w_ready_o(t_w_ready_o), .s_w_data_i(t_w_data_i),
    .s_w_strb_i(t_w_strb_i),
    .s_b_valid_o(t_b_valid_o), .s_b_ready_i(t_b_ready_i), .s_b_o(t_b_o),
    .xlate_req_valid_o(t_xq_valid_o), .xlate_req_ready_i(t_xq_ready_i), .xlate_req_o({t_xq_o[1], t_xq_o[0]}),
    .xlate_rsp_valid_i(t_xs_valid_i), .xlate_rsp_ready_o(t_xs_ready_o), .xlate_rsp_i({t_xs_i[1], t_xs_i[0]}),
    .xlate_done_o({t_done_o[1], t_done_o[0]}),
    .ap_req_valid_o(), .ap_req_ready_i(2'b11), .ap_req_page_o(), .ap_rsp_valid_i(2'b00),
    .ap_rsp_i('0),
    .rd_req_o(t_rd_req_o), .rd_rsp_i(t_rd_rsp_i), .wr_req_o(t_wr_req_o), .wr_rsp_i(t_wr_rsp_i),
    .fault_valid_o(t_fault_valid_o), .fault_ready_i(t_fault_ready_i), .fault_o({t_fault_o[1], t_fault_o[0]}),
    .count_read_bytes_o(), .count_write_bytes_o()
  );
endmodule

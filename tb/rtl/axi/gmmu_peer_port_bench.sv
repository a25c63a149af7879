// SPDX-License-Identifier: Apache-2.0
// gmmu_peer_port with its default sizes ([0]) and with two slots ([1]), with flat ports for C++.
module gmmu_peer_port_bench
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        cut_i,
  input  logic [63:0] vram_bytes_i,
  output logic        idle_o [2],

  input  logic        s_ar_valid_i [2],
  output logic        s_ar_ready_o [2],
  input  logic        s_aw_valid_i [2],
  output logic        s_aw_ready_o [2],
  input  logic [7:0]  s_ar_id_i,
  input  logic [63:0] s_ar_addr_i,
  input  logic [7:0]  s_ar_len_i,
  input  logic [7:0]  s_aw_id_i,
  input  logic [63:0] s_aw_addr_i,
  input  logic [7:0]  s_aw_len_i,
  input  logic        s_w_valid_i [2],
  output logic        s_w_ready_o [2],
  input  logic [63:0] s_w_data_i,
  input  logic [7:0]  s_w_strb_i,
  input  logic        s_w_last_i,
  output logic        s_r_valid_o [2],
  output logic [7:0]  s_r_id_o    [2],
  output logic [63:0] s_r_data_o  [2],
  output logic [1:0]  s_r_resp_o  [2],
  output logic        s_r_last_o  [2],
  output logic        s_b_valid_o [2],
  output logic [7:0]  s_b_id_o    [2],
  output logic [1:0]  s_b_resp_o  [2],

  output logic        m_ar_valid_o [2],
  input  logic        m_ar_ready_i,
  output logic [7:0]  m_ar_id_o    [2],
  output logic [1:0]  m_ar_port_o  [2],
  output logic [63:0] m_ar_addr_o  [2],
  output logic [7:0]  m_ar_len_o   [2],
  input  logic        m_r_valid_i  [2],
  input  logic [7:0]  m_r_id_i,
  input  logic [63:0] m_r_data_i,
  input  logic        m_r_error_i,
  input  logic        m_r_last_i,
  output logic        m_aw_valid_o [2],
  input  logic        m_aw_ready_i,
  output logic [7:0]  m_aw_id_o    [2],
  output logic [1:0]  m_aw_port_o  [2],
  output logic [63:0] m_aw_addr_o  [2],
  output logic [7:0]  m_aw_len_o   [2],
  output logic        m_w_valid_o  [2],
  input  logic        m_w_ready_i,
  output logic [63:0] m_w_data_o   [2],
  output logic [7:0]  m_w_strb_o   [2],
  output logic        m_w_last_o   [2],
  input  logic        m_b_valid_i  [2],
  input  logic [7:0]  m_b_id_i,
  input  logic        m_b_error_i
);
  for (genvar n = 0; n < 2; n++) begin : g_size
    rd_req_t rd_req;
    wr_req_t wr_req;
    gmmu_peer_port #(.Slots(n == 0 ? 16 : 2)) u_peer (
      .clk_i, .rst_i, .cut_i, .vram_bytes_i, .idle_o(idle_o[n]),
      .s_ar_valid_i(s_ar_valid_i[n]), .s_ar_ready_o(s_ar_ready_o[n]),
      .s_ar_i('{id: s_ar_id_i, addr: s_ar_addr_i[PaWidth-1:0], len: s_ar_len_i, size: BeatSize, burst: BurstIncr}),
      .s_r_valid_o(s_r_valid_o[n]), .s_r_ready_i(1'b1), .s_r_o({s_r_id_o[n], s_r_data_o[n], s_r_resp_o[n], s_r_last_o[n]}),
      .s_aw_valid_i(s_aw_valid_i[n]), .s_aw_ready_o(s_aw_ready_o[n]),
      .s_aw_i('{id: s_aw_id_i, addr: s_aw_addr_i[PaWidth-1:0], len: s_aw_len_i, size: BeatSize, burst: BurstIncr}),
      .s_w_valid_i(s_w_valid_i[n]), .s_w_ready_o(s_w_ready_o[n]),
      .s_w_i('{data: s_w_data_i, strb: s_w_strb_i, last: s_w_last_i}),
      .s_b_valid_o(s_b_valid_o[n]), .s_b_ready_i(1'b1), .s_b_o({s_b_id_o[n], s_b_resp_o[n]}),
      .rd_req_o(rd_req),
      .rd_rsp_i('{ar_ready: m_ar_ready_i, r_valid: m_r_valid_i[n],
          r: '{id: m_r_id_i, data: m_r_data_i, error: m_r_error_i, last: m_r_last_i}}),
      .wr_req_o(wr_req),
      .wr_rsp_i('{aw_ready: m_aw_ready_i, w_ready: m_w_ready_i, b_valid: m_b_valid_i[n],
          b: '{id: m_b_id_i, error: m_b_error_i}})
    );
    assign m_ar_valid_o[n] = rd_req.ar_valid;
    assign m_aw_valid_o[n] = wr_req.aw_valid;
    assign m_w_valid_o[n] = wr_req.w_valid;
    assign m_ar_id_o[n] = rd_req.ar.id;
    assign m_ar_port_o[n] = rd_req.ar.port;
    assign m_ar_addr_o[n] = 64'(rd_req.ar.addr);
    assign m_ar_len_o[n] = rd_req.ar.len;
    assign m_aw_id_o[n] = wr_req.aw.id;
    assign m_aw_port_o[n] = wr_req.aw.port;
    assign m_aw_addr_o[n] = 64'(wr_req.aw.addr);
    assign m_aw_len_o[n] = wr_req.aw.len;
    assign m_w_data_o[n] = wr_req.w.data;
    assign m_w_strb_o[n] = wr_req.w.strb;
    assign m_w_last_o[n] = wr_req.w.last;
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// gmmu_peer_port at its default sizes ([0]) and with two slots ([1]), flat ports for C++.
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
    ax_t ar, aw;
    w_t  w;
    gmmu_peer_port #(.Slots(n == 0 ? 16 : 2)) u_peer (
      .clk_i, .rst_i, .cut_i, .vram_bytes_i, .idle_o(idle_o[n]),
      .s_ar_valid_i(s_ar_valid_i[n]), .s_ar_ready_o(s_ar_ready_o[n]), .s_ar_id_i,
      .s_ar_addr_i(s_ar_addr_i[PaWidth-1:0]), .s_ar_len_i,
      .s_r_valid_o(s_r_valid_o[n]), .s_r_id_o(s_r_id_o[n]), .s_r_data_o(s_r_data_o[n]),
      .s_r_resp_o(s_r_resp_o[n]), .s_r_last_o(s_r_last_o[n]),
      .s_aw_valid_i(s_aw_valid_i[n]), .s_aw_ready_o(s_aw_ready_o[n]), .s_aw_id_i,
      .s_aw_addr_i(s_aw_addr_i[PaWidth-1:0]), .s_aw_len_i,
      .s_w_valid_i(s_w_valid_i[n]), .s_w_ready_o(s_w_ready_o[n]),
      .s_w_i('{data: s_w_data_i, strb: s_w_strb_i, last: s_w_last_i}),
      .s_b_valid_o(s_b_valid_o[n]), .s_b_id_o(s_b_id_o[n]), .s_b_resp_o(s_b_resp_o[n]),
      .m_ar_valid_o(m_ar_valid_o[n]), .m_ar_ready_i, .m_ar_o(ar),
      .m_r_valid_i(m_r_valid_i[n]),
      .m_r_i('{id: m_r_id_i, data: m_r_data_i, error: m_r_error_i, last: m_r_last_i}),
      .m_aw_valid_o(m_aw_valid_o[n]), .m_aw_ready_i, .m_aw_o(aw),
      .m_w_valid_o(m_w_valid_o[n]), .m_w_ready_i, .m_w_o(w),
      .m_b_valid_i(m_b_valid_i[n]), .m_b_i('{id: m_b_id_i, error: m_b_error_i})
    );
    assign m_ar_id_o[n] = ar.id;
    assign m_ar_port_o[n] = ar.port;
    assign m_ar_addr_o[n] = 64'(ar.addr);
    assign m_ar_len_o[n] = ar.len;
    assign m_aw_id_o[n] = aw.id;
    assign m_aw_port_o[n] = aw.port;
    assign m_aw_addr_o[n] = 64'(aw.addr);
    assign m_aw_len_o[n] = aw.len;
    assign m_w_data_o[n] = w.data;
    assign m_w_strb_o[n] = w.strb;
    assign m_w_last_o[n] = w.last;
  end
endmodule

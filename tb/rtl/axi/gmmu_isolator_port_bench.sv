// SPDX-License-Identifier: Apache-2.0
// gmmu_isolator_port alone, instantiated twice, with flat ports for C++. Instance 0 has the default sizes;
// instance 1 can owe the data of at most one burst and counts to fifteen. Only instance small_i
// gets valid inputs.
module gmmu_isolator_port_bench
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        small_i,

  input  logic        close_i,
  input  logic        cut_i,
  input  logic        generation_i,
  output logic [1:0]  busy_o [2],
  output logic        owing_o [2],
  output logic        late_o [2],

  // Addresses: [0] AR, [1] AW.
  input  logic        ax_valid_i [2],
  input  logic [14:0] ax_id_i [2],
  input  logic [47:0] ax_addr_i [2],
  input  logic [7:0]  ax_len_i [2],
  input  logic [27:0] ax_user_i [2],
  output logic        ar_ready_o [2],
  output logic        aw_ready_o [2],
  input  logic        m_ax_ready_i [2],
  output logic        m_ar_valid_o [2],
  output logic        m_ar_generation_o [2],
  output logic [14:0] m_ar_id_o [2],
  output logic [47:0] m_ar_addr_o [2],
  output logic [7:0]  m_ar_len_o [2],
  output logic [27:0] m_ar_user_o [2],
  output logic        m_aw_valid_o [2],
  output logic        m_aw_generation_o [2],
  output logic [14:0] m_aw_id_o [2],
  output logic [47:0] m_aw_addr_o [2],
  output logic [7:0]  m_aw_len_o [2],
  output logic [27:0] m_aw_user_o [2],

  input  logic        w_valid_i,
  output logic        w_ready_o [2],
  input  logic [63:0] w_data_i,
  input  logic [7:0]  w_strb_i,
  input  logic        w_last_i,
  output logic        m_w_valid_o [2],
  input  logic        m_w_ready_i,
  output logic [63:0] m_w_data_o [2],
  output logic [7:0]  m_w_strb_o [2],
  output logic        m_w_last_o [2],

  input  logic        m_r_valid_i,
  output logic        m_r_ready_o [2],
  input  logic        m_r_generation_i,
  input  logic [14:0] m_r_id_i,
  input  logic [63:0] m_r_data_i,
  input  logic        m_r_error_i,
  input  logic        m_r_last_i,
  output logic        r_valid_o [2],
  input  logic        r_ready_i,
  output logic [14:0] r_id_o [2],
  output logic [63:0] r_data_o [2],
  output logic        r_error_o [2],
  output logic        r_last_o [2],

  input  logic        m_b_valid_i,
  output logic        m_b_ready_o [2],
  input  logic        m_b_generation_i,
  input  logic [14:0] m_b_id_i,
  input  logic        m_b_error_i,
  output logic        b_valid_o [2],
  input  logic        b_ready_i,
  output logic [14:0] b_id_o [2],
  output logic        b_error_o [2]
);
  edge_ax_t ar, aw;
  assign ar = '{id: ax_id_i[0], addr: ax_addr_i[0], len: ax_len_i[0], user: user_t'(ax_user_i[0])};
  assign aw = '{id: ax_id_i[1], addr: ax_addr_i[1], len: ax_len_i[1], user: user_t'(ax_user_i[1])};

  for (genvar s = 0; s < 2; s++) begin : g_size
    logic     shown;
    port_ax_t m_ar, m_aw;
    edge_r_t  r;
    edge_b_t  b;
    w_t       w;
    assign shown = small_i == (s == 1);
    gmmu_isolator_port #(.OwedDepth(s == 0 ? 32 : 1), .CountWidth(s == 0 ? 14 : 4)) u_port (
      .clk_i, .rst_i, .close_i, .cut_i, .generation_i, .busy_o(busy_o[s]), .owing_o(owing_o[s]),
      .late_o(late_o[s]),
      .ar_valid_i(ax_valid_i[0] && shown), .ar_ready_o(ar_ready_o[s]), .ar_i(ar),
      .r_valid_o(r_valid_o[s]), .r_ready_i, .r_o(r),
      .aw_valid_i(ax_valid_i[1] && shown), .aw_ready_o(aw_ready_o[s]), .aw_i(aw),
      .w_valid_i(w_valid_i && shown), .w_ready_o(w_ready_o[s]),
      .w_i('{data: DataWidth'(w_data_i), strb: DataBytes'(w_strb_i), last: w_last_i}),
      .b_valid_o(b_valid_o[s]), .b_ready_i, .b_o(b),
      .m_ar_valid_o(m_ar_valid_o[s]), .m_ar_ready_i(m_ax_ready_i[0]), .m_ar_o(m_ar),
      .m_r_valid_i(m_r_valid_i && shown), .m_r_ready_o(m_r_ready_o[s]),
      .m_r_i('{id: {m_r_generation_i, m_r_id_i}, data: DataWidth'(m_r_data_i),
          resp: m_r_error_i ? RespSlvErr : RespOkay, last: m_r_last_i}),
      .m_aw_valid_o(m_aw_valid_o[s]), .m_aw_ready_i(m_ax_ready_i[1]), .m_aw_o(m_aw),
      .m_w_valid_o(m_w_valid_o[s]), .m_w_ready_i, .m_w_o(w),
      .m_b_valid_i(m_b_valid_i && shown), .m_b_ready_o(m_b_ready_o[s]),
      .m_b_i('{id: {m_b_generation_i, m_b_id_i}, resp: m_b_error_i ? RespSlvErr : RespOkay}));
    assign {m_ar_generation_o[s], m_ar_id_o[s]} = m_ar.id;
    assign m_ar_addr_o[s] = m_ar.addr;
    assign m_ar_len_o[s] = m_ar.len;
    assign m_ar_user_o[s] = m_ar.user;
    assign {m_aw_generation_o[s], m_aw_id_o[s]} = m_aw.id;
    assign m_aw_addr_o[s] = m_aw.addr;
    assign m_aw_len_o[s] = m_aw.len;
    assign m_aw_user_o[s] = m_aw.user;
    assign m_w_data_o[s] = w.data[63:0];
    assign m_w_strb_o[s] = w.strb[7:0];
    assign m_w_last_o[s] = w.last;
    assign r_id_o[s] = r.id;
    assign r_data_o[s] = r.data[63:0];
    assign r_error_o[s] = r.error;
    assign r_last_o[s] = r.last;
    assign b_id_o[s] = b.id;
    assign b_error_o[s] = b.error;
  end
endmodule

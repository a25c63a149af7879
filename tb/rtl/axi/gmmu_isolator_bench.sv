// SPDX-License-Identifier: Apache-2.0
// The isolator with flat ports for C++ and a short time-out.
module gmmu_isolator_bench
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        silence_i,
  input  logic        reset_i,
  output logic        core_reset_o,
  output logic        stop_o,
  input  logic        stopped_i,
  output logic        resetting_o,
  output logic        closed_o,
  output logic        stale_o,
  output logic        silent_o,
  output logic        idle_o,
  output logic        late_o       [2],

  input  logic        ar_valid_i   [2],
  output logic        ar_ready_o   [2],
  input  logic [7:0]  ar_id_i      [2],
  input  logic [7:0]  ar_len_i     [2],
  output logic        r_valid_o    [2],
  input  logic        r_ready_i    [2],
  output logic [63:0] r_data_o     [2],
  output logic        r_last_o     [2],
  input  logic        aw_valid_i   [2],
  output logic        aw_ready_o   [2],
  input  logic [7:0]  aw_id_i      [2],
  input  logic [7:0]  aw_len_i     [2],
  input  logic        w_valid_i    [2],
  output logic        w_ready_o    [2],
  input  logic [63:0] w_data_i     [2],
  input  logic        w_last_i     [2],
  output logic        b_valid_o    [2],
  input  logic        b_ready_i    [2],
  output logic [7:0]  b_id_o       [2],

  output logic        m_ar_valid_o [2],
  input  logic        m_ar_ready_i [2],
  output logic [15:0] m_ar_id_o    [2],
  output logic [7:0]  m_ar_len_o   [2],
  input  logic        m_r_valid_i  [2],
  output logic        m_r_ready_o  [2],
  input  logic [15:0] m_r_id_i     [2],
  input  logic [63:0] m_r_data_i   [2],
  input  logic        m_r_last_i   [2],
  output logic        m_aw_valid_o [2],
  input  logic        m_aw_ready_i [2],
  output logic [15:0] m_aw_id_o    [2],
  output logic [7:0]  m_aw_len_o   [2],
  output logic        m_w_valid_o  [2],
  input  logic        m_w_ready_i  [2],
  output logic [63:0] m_w_data_o   [2],
  output logic        m_w_strb_o   [2],   // 1: any strobe is set
  output logic        m_w_last_o   [2],
  input  logic        m_b_valid_i  [2],
  output logic        m_b_ready_o  [2],
  input  logic [15:0] m_b_id_i     [2]
);
  logic     [1:0] ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready,
      b_valid, b_ready;
  edge_ax_t [1:0] ar, aw;
  port_ax_t [1:0] m_ar, m_aw;
  edge_r_t  [1:0] r;
  port_r_t  [1:0] m_r;
  w_t       [1:0] w, m_w;
  edge_b_t  [1:0] b;
  port_b_t  [1:0] m_b;
  logic     [1:0] late, m_ar_valid, m_ar_ready, m_r_valid, m_r_ready, m_aw_valid, m_aw_ready,
      m_w_valid, m_w_ready, m_b_valid, m_b_ready;

  function automatic edge_ax_t ax_of(logic [7:0] id, logic [7:0] len);
    edge_ax_t ax;
    ax = '0;
    ax.id = EdgeIdWidth'(id);
    ax.len = len;
    return ax;
  endfunction

  for (genvar p = 0; p < 2; p++) begin : g_port
    assign late_o[p] = late[p];
    assign ar_valid[p] = ar_valid_i[p];
    assign ar_ready_o[p] = ar_ready[p];
    assign ar[p] = ax_of(ar_id_i[p], ar_len_i[p]);
    assign r_valid_o[p] = r_valid[p];
    assign r_ready[p] = r_ready_i[p];
    assign r_data_o[p] = r[p].data[63:0];
    assign r_last_o[p] = r[p].last;
    assign aw_valid[p] = aw_valid_i[p];
    assign aw_ready_o[p] = aw_ready[p];
    assign aw[p] = ax_of(aw_id_i[p], aw_len_i[p]);
    assign w_valid[p] = w_valid_i[p];
    assign w_ready_o[p] = w_ready[p];
    assign w[p] = '{data: DataWidth'(w_data_i[p]), strb: '1, last: w_last_i[p]};
    assign b_valid_o[p] = b_valid[p];
    assign b_ready[p] = b_ready_i[p];
    assign b_id_o[p] = b[p].id[7:0];

    assign m_ar_valid_o[p] = m_ar_valid[p];
    assign m_ar_ready[p] = m_ar_ready_i[p];
    assign m_ar_id_o[p] = {7'd0, m_ar[p].id[EdgeIdWidth], m_ar[p].id[7:0]};
    assign m_ar_len_o[p] = m_ar[p].len;
    assign m_r_valid[p] = m_r_valid_i[p];
    assign m_r_ready_o[p] = m_r_ready[p];
    assign m_r[p] = '{id: {m_r_id_i[p][8], EdgeIdWidth'(m_r_id_i[p][7:0])}, data: DataWidth'(m_r_data_i[p]),
                      resp: RespOkay, last: m_r_last_i[p]};
    assign m_aw_valid_o[p] = m_aw_valid[p];
    assign m_aw_ready[p] = m_aw_ready_i[p];
    assign m_aw_id_o[p] = {7'd0, m_aw[p].id[EdgeIdWidth], m_aw[p].id[7:0]};
    assign m_aw_len_o[p] = m_aw[p].len;
    assign m_w_valid_o[p] = m_w_valid[p];
    assign m_w_ready[p] = m_w_ready_i[p];
    assign m_w_data_o[p] = m_w[p].data[63:0];
    assign m_w_strb_o[p] = m_w[p].strb != '0;
    assign m_w_last_o[p] = m_w[p].last;
    assign m_b_valid[p] = m_b_valid_i[p];
    assign m_b_ready_o[p] = m_b_ready[p];
    assign m_b[p] = '{id: {m_b_id_i[p][8], EdgeIdWidth'(m_b_id_i[p][7:0])}, resp: RespOkay};
  end

  gmmu_isolator #(.Timeout(64)) u_isolator (
    .clk_i, .rst_i, .silence_i, .reset_i, .core_reset_o, .stop_o, .stopped_i, .resetting_o, .closed_o, .stale_o, .silent_o, .idle_o,
    .late_o(late),
    .ar_valid_i(ar_valid), .ar_ready_o(ar_ready), .ar_i(ar),
    .r_valid_o(r_valid), .r_ready_i(r_ready), .r_o(r),
    .aw_valid_i(aw_valid), .aw_ready_o(aw_ready), .aw_i(aw),
    .w_valid_i(w_valid), .w_ready_o(w_ready), .w_i(w),
    .b_valid_o(b_valid), .b_ready_i(b_ready), .b_o(b),
    .m_ar_valid_o(m_ar_valid), .m_ar_ready_i(m_ar_ready), .m_ar_o(m_ar),
    .m_r_valid_i(m_r_valid), .m_r_ready_o(m_r_ready), .m_r_i(m_r),
    .m_aw_valid_o(m_aw_valid), .m_aw_ready_i(m_aw_ready), .m_aw_o(m_aw),
    .m_w_valid_o(m_w_valid), .m_w_ready_i(m_w_ready), .m_w_o(m_w),
    .m_b_valid_i(m_b_valid), .m_b_ready_o(m_b_ready), .m_b_i(m_b)
  );
endmodule

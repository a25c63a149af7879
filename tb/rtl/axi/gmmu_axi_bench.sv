// SPDX-License-Identifier: Apache-2.0
// The AXI mux with four requesters and flat ports for C++. Element 3 only reads, on the express
// path; element 2 only writes; element 1 is exempt from hold_i.
module gmmu_axi_bench
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  localparam int unsigned N = 4
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        host_enable_i,
  input  logic        hold_i,
  output logic        silent_o,
  output logic        idle_o,
  output logic        own_idle_o,

  input  logic        ar_valid_i [N],
  output logic        ar_ready_o [N],
  input  logic [7:0]  ar_id_i    [N],
  input  logic [1:0]  ar_port_i  [N],   // port_e
  input  logic [63:0] ar_addr_i  [N],
  input  logic [7:0]  ar_len_i   [N],
  input  logic        express_early_i,   // element 3's AR takes the fast path
  output logic        r_valid_o  [N],
  output logic [7:0]  r_id_o     [N],
  output logic [63:0] r_data_o   [N],
  output logic        r_error_o  [N],
  output logic        r_last_o   [N],
  input  logic        aw_valid_i [N],
  output logic        aw_ready_o [N],
  input  logic [7:0]  aw_id_i    [N],
  input  logic [1:0]  aw_port_i  [N],
  input  logic [63:0] aw_addr_i  [N],
  input  logic [7:0]  aw_len_i   [N],
  input  logic        w_valid_i  [N],
  output logic        w_ready_o  [N],
  input  logic [63:0] w_data_i   [N],
  input  logic        w_last_i   [N],
  output logic        b_valid_o  [N],
  output logic [7:0]  b_id_o     [N],
  output logic        b_error_o  [N],

  // Index 0 is VRAM, 1 host memory.
  output logic        m_ar_valid_o [2],
  input  logic        m_ar_ready_i [2],
  output logic [15:0] m_ar_id_o    [2],
  output logic [63:0] m_ar_addr_o  [2],
  output logic [7:0]  m_ar_len_o   [2],
  output logic [1:0]  m_ar_kind_o  [2],
  input  logic        m_r_valid_i  [2],
  output logic        m_r_ready_o  [2],
  input  logic [15:0] m_r_id_i     [2],
  input  logic [63:0] m_r_data_i   [2],
  input  logic        m_r_error_i  [2],
  input  logic        m_r_last_i   [2],
  output logic        m_aw_valid_o [2],
  input  logic        m_aw_ready_i [2],
  output logic [15:0] m_aw_id_o    [2],
  output logic [63:0] m_aw_addr_o  [2],
  output logic [7:0]  m_aw_len_o   [2],
  output logic [1:0]  m_aw_kind_o  [2],
  output logic        m_w_valid_o  [2],
  input  logic        m_w_ready_i  [2],
  output logic [63:0] m_w_data_o   [2],
  output logic        m_w_last_o   [2],
  input  logic        m_b_valid_i  [2],
  output logic        m_b_ready_o  [2],
  input  logic [15:0] m_b_id_i     [2],
  input  logic        m_b_error_i  [2]
);
  rd_req_t        rd_req [N];
  rd_rsp_t        rd_rsp [N];
  wr_req_t        wr_req [N];
  wr_rsp_t        wr_rsp [N];
  logic [1:0]     m_ar_valid, m_ar_ready, m_r_valid, m_r_ready, m_aw_valid, m_aw_ready;
  logic [1:0]     m_w_valid, m_w_ready, m_b_valid, m_b_ready;
  edge_ax_t [1:0] m_ar, m_aw;
  edge_r_t [1:0]  m_r;
  edge_b_t [1:0]  m_b;
  w_t [1:0]       m_w;

  function automatic ax_t ax_of(logic [7:0] id, logic [1:0] port, logic [63:0] addr,
                                logic [7:0] len);
    ax_t ax;
    ax = '0;
    ax.id = id;
    ax.port = port_e'(port);
    ax.addr = addr[PaWidth-1:0];
    ax.len = len;
    return ax;
  endfunction

  for (genvar i = 0; i < N; i++) begin : g_requester
    assign rd_req[i] = '{ar_valid: ar_valid_i[i], ar: ax_of(ar_id_i[i], ar_port_i[i], ar_addr_i[i], ar_len_i[i])};
    assign ar_ready_o[i] = rd_rsp[i].ar_ready;
    assign r_valid_o[i] = rd_rsp[i].r_valid;
    assign r_id_o[i] = rd_rsp[i].r.id;
    assign r_data_o[i] = rd_rsp[i].r.data[63:0];
    assign r_error_o[i] = rd_rsp[i].r.error;
    assign r_last_o[i] = rd_rsp[i].r.last;
    assign wr_req[i] = '{aw_valid: aw_valid_i[i], aw: ax_of(aw_id_i[i], aw_port_i[i], aw_addr_i[i], aw_len_i[i]),
        w_valid: w_valid_i[i], w: '{data: DataWidth'(w_data_i[i]), strb: '1, last: w_last_i[i]}};
    assign aw_ready_o[i] = wr_rsp[i].aw_ready;
    assign w_ready_o[i] = wr_rsp[i].w_ready;
    assign b_valid_o[i] = wr_rsp[i].b_valid;
    assign b_id_o[i] = wr_rsp[i].b.id;
    assign b_error_o[i] = wr_rsp[i].b.error;
  end
  for (genvar p = 0; p < 2; p++) begin : g_port
    assign m_ar_valid_o[p] = m_ar_valid[p];
    assign m_ar_ready[p] = m_ar_ready_i[p];
    assign m_ar_id_o[p] = 16'(m_ar[p].id);
    assign m_ar_addr_o[p] = 64'(m_ar[p].addr);
    assign m_ar_len_o[p] = m_ar[p].len;
    assign m_ar_kind_o[p] = m_ar[p].user.kind;
    assign m_r_valid[p] = m_r_valid_i[p];
    assign m_r_ready_o[p] = m_r_ready[p];
    assign m_r[p] = '{id: m_r_id_i[p][EdgeIdWidth-1:0], data: DataWidth'(m_r_data_i[p]),
        error: m_r_error_i[p],
                      last: m_r_last_i[p]};
    assign m_aw_valid_o[p] = m_aw_valid[p];
    assign m_aw_ready[p] = m_aw_ready_i[p];
    assign m_aw_id_o[p] = 16'(m_aw[p].id);
    assign m_aw_addr_o[p] = 64'(m_aw[p].addr);
    assign m_aw_len_o[p] = m_aw[p].len;
    assign m_aw_kind_o[p] = m_aw[p].user.kind;
    assign m_w_valid_o[p] = m_w_valid[p];
    assign m_w_ready[p] = m_w_ready_i[p];
    assign m_w_data_o[p] = m_w[p].data[63:0];
    assign m_w_last_o[p] = m_w[p].last;
    assign m_b_valid[p] = m_b_valid_i[p];
    assign m_b_ready_o[p] = m_b_ready[p];
    assign m_b[p] = '{id: m_b_id_i[p][EdgeIdWidth-1:0], error: m_b_error_i[p]};
  end

  gmmu_axi_mux #(
    .NumRequesters(N), .Readers(4'b1011), .Writers(4'b0111), .Exempt(4'b0010), .Express(3)
  ) u_mux (
    .clk_i, .rst_i, .host_enable_i, .hold_i, .silent_o,
    .rd_req_i(rd_req), .rd_rsp_o(rd_rsp), .express_early_i, .express_i(rd_req[3].ar),
    .wr_req_i(wr_req), .wr_rsp_o(wr_rsp),
    .ar_valid_o(m_ar_valid), .ar_ready_i(m_ar_ready), .ar_o(m_ar), .r_valid_i(m_r_valid),
    .r_ready_o(m_r_ready),
    .r_i(m_r), .aw_valid_o(m_aw_valid), .aw_ready_i(m_aw_ready), .aw_o(m_aw), .w_valid_o(m_w_valid),
    .w_ready_i(m_w_ready), .w_o(m_w), .b_valid_i(m_b_valid), .b_ready_o(m_b_ready), .b_i(m_b),
    .idle_o, .own_idle_o
  );
endmodule

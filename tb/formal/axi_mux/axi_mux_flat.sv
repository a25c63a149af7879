// SPDX-License-Identifier: Apache-2.0
// Flattened gmmu_axi_mux: one port per requester and channel, so that the properties can drive and observe them.
module axi_mux_flat
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned N = 3,
  parameter logic [N-1:0] Readers = '1,
  parameter logic [N-1:0] Writers = '1,
  parameter logic [N-1:0] Exempt = '0,
  parameter int unsigned Owed = 3,
  parameter int unsigned Depth = 16,
  parameter int unsigned Reserved = 8
) (
  input  logic           clk_i,
  input  logic           rst_i,
  input  logic           host_enable_i,
  input  logic           hold_i,
  output logic           silent_o,

  input  logic [N-1:0]   ar_valid_i,
  output logic [N-1:0]   ar_ready_o,
  input  ax_t  [N-1:0]   ar_i,
  input  logic           express_early_i,
  input  ax_t            express_i,
  output logic [N-1:0]   r_valid_o,
  output r_t   [N-1:0]   r_o,
  input  logic [N-1:0]   aw_valid_i,
  output logic [N-1:0]   aw_ready_o,
  input  ax_t  [N-1:0]   aw_i,
  input  logic [N-1:0]   w_valid_i,
  output logic [N-1:0]   w_ready_o,
  input  w_t   [N-1:0]   w_i,
  output logic [N-1:0]   b_valid_o,
  output b_t   [N-1:0]   b_o,

  output logic     [1:0] ar_valid_o,
  input  logic     [1:0] ar_ready_i,
  output edge_ax_t [1:0] ar_o,
  input  logic     [1:0] r_valid_i,
  output logic     [1:0] r_ready_o,
  input  edge_r_t  [1:0] r_i,
  output logic     [1:0] aw_valid_o,
  input  logic     [1:0] aw_ready_i,
  output edge_ax_t [1:0] aw_o,
  output logic     [1:0] w_valid_o,
  input  logic     [1:0] w_ready_i,
  output w_t       [1:0] w_o,
  input  logic     [1:0] b_valid_i,
  output logic     [1:0] b_ready_o,
  input  edge_b_t  [1:0] b_i,
  output logic           idle_o,
  output logic           own_idle_o
);
  rd_req_t rd_req [N];
  rd_rsp_t rd_rsp [N];
  wr_req_t wr_req [N];
  wr_rsp_t wr_rsp [N];

  for (genvar q = 0; q < N; q++) begin : g_requester
    assign rd_req[q] = {ar_valid_i[q], ar_i[q]};
    assign {ar_ready_o[q], r_valid_o[q], r_o[q]} = rd_rsp[q];
    assign wr_req[q] = {aw_valid_i[q], aw_i[q], w_valid_i[q], w_i[q]};
    assign {aw_ready_o[q], w_ready_o[q], b_valid_o[q], b_o[q]} = wr_rsp[q];
  end
  gmmu_axi_mux #(
    .NumRequesters(N), .Readers(Readers), .Writers(Writers), .Exempt(Exempt), .Owed(Owed), .Depth(Depth),
    .Reserved(Reserved)
  ) u_mux (
    .clk_i, .rst_i, .host_enable_i, .hold_i, .silent_o, .rd_req_i(rd_req), .rd_rsp_o(rd_rsp), .express_early_i,
    .express_i, .wr_req_i(wr_req), .wr_rsp_o(wr_rsp),
    .ar_valid_o, .ar_ready_i, .ar_o, .r_valid_i, .r_ready_o, .r_i, .aw_valid_o, .aw_ready_i, .aw_o, .w_valid_o,
    .w_ready_i, .w_o, .b_valid_i, .b_ready_o, .b_i, .idle_o, .own_idle_o);
endmodule

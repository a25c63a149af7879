// SPDX-License-Identifier: Apache-2.0
// gmmu_peer_port with its default sizes ([0]) and with two slots ([1]).
module gmmu_peer_port_bench
  import gmmu_axi_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        cut_i,
  input  logic [63:0] vram_bytes_i,
  output logic        idle_o [2],

  input  logic        s_ar_valid_i [2],
  output logic        s_ar_ready_o [2],
  input  sub_ax_t     s_ar_i,
  output logic        s_r_valid_o [2],
  output sub_r_t      s_r_o [2],
  input  logic        s_aw_valid_i [2],
  output logic        s_aw_ready_o [2],
  input  sub_ax_t     s_aw_i,
  input  logic        s_w_valid_i [2],
  output logic        s_w_ready_o [2],
  input  w_t          s_w_i,
  output logic        s_b_valid_o [2],
  output sub_b_t      s_b_o [2],

  output rd_req_t     rd_req_o [2],
  input  rd_rsp_t     rd_rsp_i [2],
  output wr_req_t     wr_req_o [2],
  input  wr_rsp_t     wr_rsp_i [2]
);
  for (genvar n = 0; n < 2; n++) begin : g_size
    gmmu_peer_port #(.Slots(n == 0 ? 16 : 2)) u_peer (
      .clk_i, .rst_i, .cut_i, .vram_bytes_i, .idle_o(idle_o[n]),
      .s_ar_valid_i(s_ar_valid_i[n]), .s_ar_ready_o(s_ar_ready_o[n]), .s_ar_i,
      .s_r_valid_o(s_r_valid_o[n]), .s_r_ready_i(1'b1), .s_r_o(s_r_o[n]),
      .s_aw_valid_i(s_aw_valid_i[n]), .s_aw_ready_o(s_aw_ready_o[n]), .s_aw_i,
      .s_w_valid_i(s_w_valid_i[n]), .s_w_ready_o(s_w_ready_o[n]), .s_w_i,
      .s_b_valid_o(s_b_valid_o[n]), .s_b_ready_i(1'b1), .s_b_o(s_b_o[n]),
      .rd_req_o(rd_req_o[n]), .rd_rsp_i(rd_rsp_i[n]), .wr_req_o(wr_req_o[n]), .wr_rsp_i(wr_rsp_i[n]));
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Two instances of gmmu_isolator_port. Instance 0 has the default sizes; in instance 1 only one
// burst may owe W beats, and the counters have four bits. Only instance small_i receives valid
// inputs.
module gmmu_isolator_port_bench
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       small_i,

  input  logic       close_i,
  input  logic       cut_i,
  input  logic       generation_i,
  output logic [1:0] busy_o       [2],
  output logic       owing_o      [2],
  output logic       late_o       [2],

  // Addresses: [0] AR, [1] AW.
  input  logic       ax_valid_i   [2],
  input  edge_ax_t   ax_i         [2],
  output logic       ax_ready_o   [2][2],
  output logic       m_ax_valid_o [2][2],
  input  logic       m_ax_ready_i [2],
  output port_ax_t   m_ax_o       [2][2],

  input  logic       w_valid_i,
  output logic       w_ready_o    [2],
  input  w_t         w_i,
  output logic       m_w_valid_o  [2],
  input  logic       m_w_ready_i,
  output w_t         m_w_o        [2],

  input  logic       m_r_valid_i,
  output logic       m_r_ready_o  [2],
  input  port_r_t    m_r_i,
  output logic       r_valid_o    [2],
  input  logic       r_ready_i,
  output edge_r_t    r_o          [2],

  input  logic       m_b_valid_i,
  output logic       m_b_ready_o  [2],
  input  port_b_t    m_b_i,
  output logic       b_valid_o    [2],
  input  logic       b_ready_i,
  output edge_b_t    b_o          [2]
);
  for (genvar s = 0; s < 2; s++) begin : g_size
    logic shown;
    assign shown = small_i == (s == 1);
    gmmu_isolator_port #(.OwedDepth(s == 0 ? 32 : 1), .CountWidth(s == 0 ? 14 : 4)) u_port (
      .clk_i, .rst_i, .close_i, .cut_i, .generation_i, .busy_o(busy_o[s]), .owing_o(owing_o[s]), .late_o(late_o[s]),
      .ar_valid_i(ax_valid_i[0] && shown), .ar_ready_o(ax_ready_o[s][0]), .ar_i(ax_i[0]),
      .r_valid_o(r_valid_o[s]), .r_ready_i, .r_o(r_o[s]),
      .aw_valid_i(ax_valid_i[1] && shown), .aw_ready_o(ax_ready_o[s][1]), .aw_i(ax_i[1]),
      .w_valid_i(w_valid_i && shown), .w_ready_o(w_ready_o[s]), .w_i,
      .b_valid_o(b_valid_o[s]), .b_ready_i, .b_o(b_o[s]),
      .m_ar_valid_o(m_ax_valid_o[s][0]), .m_ar_ready_i(m_ax_ready_i[0]), .m_ar_o(m_ax_o[s][0]),
      .m_r_valid_i(m_r_valid_i && shown), .m_r_ready_o(m_r_ready_o[s]), .m_r_i,
      .m_aw_valid_o(m_ax_valid_o[s][1]), .m_aw_ready_i(m_ax_ready_i[1]), .m_aw_o(m_ax_o[s][1]),
      .m_w_valid_o(m_w_valid_o[s]), .m_w_ready_i, .m_w_o(m_w_o[s]),
      .m_b_valid_i(m_b_valid_i && shown), .m_b_ready_o(m_b_ready_o[s]), .m_b_i);
  end
endmodule

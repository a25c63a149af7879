// SPDX-License-Identifier: Apache-2.0
// Five instances of gmmu_axi_ids, and gmmu_axi_wlast. Only instance size_i receives valid inputs.
// Widths of the memory-side ids:
//   instance 0: 4 bits
//   instance 1: 1 bit
//   instance 2: 2 bits, with at most three shared writes outstanding
//   instance 3: 16 bits (no id table)
//   instance 4: 3 bits, without a shared id
module gmmu_axi_ids_bench #(
  localparam int unsigned N = 5
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [2:0]  size_i,
  output logic        stray_o [N],

  // Addresses: [0] AR, [1] AW.
  input  logic        ax_valid_i [2],
  input  logic [15:0] ax_id_i [2],
  input  logic [31:0] ax_i [2],
  output logic        ar_ready_o [N],
  output logic        aw_ready_o [N],
  input  logic        m_ax_ready_i [2],
  output logic        m_ar_valid_o [N],
  output logic [15:0] m_ar_id_o [N],
  output logic [31:0] m_ar_o [N],
  output logic        m_aw_valid_o [N],
  output logic [15:0] m_aw_id_o [N],
  output logic [31:0] m_aw_o [N],

  input  logic        w_valid_i,
  input  logic [31:0] w_i,
  output logic        w_ready_o [N],
  input  logic        m_w_ready_i,
  output logic        m_w_valid_o [N],
  output logic [31:0] m_w_o [N],

  input  logic        m_r_valid_i,
  input  logic [15:0] m_r_id_i,
  input  logic [31:0] m_r_i,
  input  logic        m_r_last_i,
  output logic        m_r_ready_o [N],
  input  logic        r_ready_i,
  output logic        r_valid_o [N],
  output logic [15:0] r_id_o [N],
  output logic [31:0] r_o [N],
  output logic        r_last_o [N],

  input  logic        m_b_valid_i,
  input  logic [15:0] m_b_id_i,
  input  logic [31:0] m_b_i,
  output logic        m_b_ready_o [N],
  input  logic        b_ready_i,
  output logic        b_valid_o [N],
  output logic [15:0] b_id_o [N],
  output logic [31:0] b_o [N],

  // gmmu_axi_wlast
  input  logic        last_aw_i,
  input  logic [7:0]  last_len_i,
  input  logic        last_w_i,
  input  logic        last_i,
  output logic        last_wrong_o
);
  for (genvar s = 0; s < N; s++) begin : g_size
    localparam int unsigned Bits = s == 0 ? 4 : s == 1 ? 1 : s == 2 ? 2 : s == 3 ? 16 : 3;
    logic            shown;
    logic [Bits-1:0] ar_id, aw_id;
    assign shown = size_i == 3'(s);
    gmmu_axi_ids #(
      .IdBits(Bits), .UpBits(16), .AxWidth(32), .WWidth(32), .RWidth(32), .BWidth(32),
      .Shared(s != 4), .SharedId(15'h500), .CountWidth(s == 2 ? 2 : 5)
    ) u_ids (
      .clk_i, .rst_i, .stray_o(stray_o[s]),
      .s_ar_valid_i(ax_valid_i[0] && shown), .s_ar_ready_o(ar_ready_o[s]), .s_ar_id_i(ax_id_i[0]),
      .s_ar_i(ax_i[0]),
      .s_r_valid_o(r_valid_o[s]), .s_r_ready_i(r_ready_i), .s_r_id_o(r_id_o[s]), .s_r_o(r_o[s]),
      .s_r_last_o(r_last_o[s]),
      .s_aw_valid_i(ax_valid_i[1] && shown), .s_aw_ready_o(aw_ready_o[s]), .s_aw_id_i(ax_id_i[1]),
      .s_aw_i(ax_i[1]),
      .s_w_valid_i(w_valid_i && shown), .s_w_ready_o(w_ready_o[s]), .s_w_i(w_i),
      .s_b_valid_o(b_valid_o[s]), .s_b_ready_i(b_ready_i), .s_b_id_o(b_id_o[s]), .s_b_o(b_o[s]),
      .m_ar_valid_o(m_ar_valid_o[s]), .m_ar_ready_i(m_ax_ready_i[0]), .m_ar_id_o(ar_id),
      .m_ar_o(m_ar_o[s]),
      .m_r_valid_i(m_r_valid_i && shown), .m_r_ready_o(m_r_ready_o[s]), .m_r_id_i(m_r_id_i[Bits-1:0]),
      .m_r_i, .m_r_last_i,
      .m_aw_valid_o(m_aw_valid_o[s]), .m_aw_ready_i(m_ax_ready_i[1]), .m_aw_id_o(aw_id),
      .m_aw_o(m_aw_o[s]),
      .m_w_valid_o(m_w_valid_o[s]), .m_w_ready_i, .m_w_o(m_w_o[s]),
      .m_b_valid_i(m_b_valid_i && shown), .m_b_ready_o(m_b_ready_o[s]), .m_b_id_i(m_b_id_i[Bits-1:0]),
      .m_b_i
    );
    assign m_ar_id_o[s] = 16'(ar_id);
    assign m_aw_id_o[s] = 16'(aw_id);
  end

  gmmu_axi_wlast u_last (
    .clk_i, .rst_i, .aw_i(last_aw_i), .aw_len_i(last_len_i), .w_i(last_w_i), .w_last_i(last_i),
    .wrong_o(last_wrong_o)
  );
endmodule

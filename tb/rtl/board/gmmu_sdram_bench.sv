// SPDX-License-Identifier: Apache-2.0
// Three instances of gmmu_sdram with different clocks. Instance size_i runs; the others are held in
// reset.
//   instance 0: 80 MHz, CAS latency 2, one extra cycle of delay on dq, as on the board
//   instance 1: 25 MHz, CAS latency 2: most timings of the chip round up to one or two cycles
//   instance 2: 142.857 MHz, CAS latency 3, one extra cycle of delay on dq
module gmmu_sdram_bench
  import gmmu_axi_pkg::*;
#(
  localparam int unsigned N = 3
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [1:0]  size_i,
  output logic        initialized_o [N],

  input  logic        s_ar_valid_i,
  output logic        s_ar_ready_o [N],
  input  port_ax_t    s_ar_i,
  output logic        s_r_valid_o [N],
  input  logic        s_r_ready_i,
  output port_r_t     s_r_o [N],
  input  logic        s_aw_valid_i,
  output logic        s_aw_ready_o [N],
  input  port_ax_t    s_aw_i,
  input  logic        s_w_valid_i,
  output logic        s_w_ready_o [N],
  input  w_t          s_w_i,
  output logic        s_b_valid_o [N],
  input  logic        s_b_ready_i,
  output port_b_t     s_b_o [N],

  output logic        cke_o [N],
  output logic        csn_o [N],
  output logic        rasn_o [N],
  output logic        casn_o [N],
  output logic        wen_o [N],
  output logic [1:0]  ba_o [N],
  output logic [12:0] a_o [N],
  output logic [1:0]  dqm_o [N],
  input  logic [15:0] dq_i,
  output logic [15:0] dq_o [N],
  output logic        dq_oe_o [N]
);
  localparam int unsigned Clocks [N] = '{80_000, 25_000, 142_857};
  localparam int unsigned Latencies [N] = '{2, 2, 3};
  localparam int unsigned Captures [N] = '{3, 2, 4};

  for (genvar i = 0; i < N; ++i) begin : g_size
    gmmu_sdram #(.ClockKhz(Clocks[i]), .CasLatency(Latencies[i]), .CaptureCycles(Captures[i])) u_sdram (
      .clk_i, .rst_i(rst_i || size_i != 2'(i)), .initialized_o(initialized_o[i]),
      .s_ar_valid_i, .s_ar_ready_o(s_ar_ready_o[i]), .s_ar_i,
      .s_r_valid_o(s_r_valid_o[i]), .s_r_ready_i, .s_r_o(s_r_o[i]),
      .s_aw_valid_i, .s_aw_ready_o(s_aw_ready_o[i]), .s_aw_i, .s_w_valid_i, .s_w_ready_o(s_w_ready_o[i]), .s_w_i,
      .s_b_valid_o(s_b_valid_o[i]), .s_b_ready_i, .s_b_o(s_b_o[i]),
      .sdram_cke_o(cke_o[i]), .sdram_csn_o(csn_o[i]), .sdram_rasn_o(rasn_o[i]), .sdram_casn_o(casn_o[i]),
      .sdram_wen_o(wen_o[i]), .sdram_ba_o(ba_o[i]), .sdram_a_o(a_o[i]), .sdram_dqm_o(dqm_o[i]), .sdram_dq_i(dq_i),
      .sdram_dq_o(dq_o[i]), .sdram_dq_oe_o(dq_oe_o[i]));
  end
endmodule

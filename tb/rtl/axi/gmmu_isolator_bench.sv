// SPDX-License-Identifier: Apache-2.0
// The isolator with a short time-out. Index 0 is VRAM, 1 the host.
module gmmu_isolator_bench
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       silence_i,
  input  logic       reset_i,
  output logic       core_reset_o,
  output logic       stop_o,
  input  logic       stopped_i,
  output logic       resetting_o,
  output logic       closed_o,
  output logic       stale_o,
  output logic       silent_o,
  output logic       idle_o,

  input  logic       ar_valid_i   [2],
  output logic       ar_ready_o   [2],
  input  edge_ax_t   ar_i         [2],
  output logic       r_valid_o    [2],
  input  logic       r_ready_i    [2],
  output edge_r_t    r_o          [2],
  input  logic       aw_valid_i   [2],
  output logic       aw_ready_o   [2],
  input  edge_ax_t   aw_i         [2],
  input  logic       w_valid_i    [2],
  output logic       w_ready_o    [2],
  input  w_t         w_i          [2],
  output logic       b_valid_o    [2],
  input  logic       b_ready_i    [2],
  output edge_b_t    b_o          [2],

  output logic       m_ar_valid_o [2],
  input  logic       m_ar_ready_i [2],
  output port_ax_t   m_ar_o       [2],
  input  logic       m_r_valid_i  [2],
  output logic       m_r_ready_o  [2],
  input  port_r_t    m_r_i        [2],
  output logic       m_aw_valid_o [2],
  input  logic       m_aw_ready_i [2],
  output port_ax_t   m_aw_o       [2],
  output logic       m_w_valid_o  [2],
  input  logic       m_w_ready_i  [2],
  output w_t         m_w_o        [2],
  input  logic       m_b_valid_i  [2],
  output logic       m_b_ready_o  [2],
  input  port_b_t    m_b_i        [2]
);
  logic [1:0] unused_late;
`define PAIR(name) .name({name[1], name[0]})
  gmmu_isolator #(.Timeout(64)) u_isolator (
    .clk_i, .rst_i, .silence_i, .reset_i, .core_reset_o, .stop_o, .stopped_i, .resetting_o, .closed_o, .stale_o,
    .silent_o, .idle_o, .late_o(unused_late),
    `PAIR(ar_valid_i), `PAIR(ar_ready_o), `PAIR(ar_i), `PAIR(r_valid_o), `PAIR(r_ready_i), `PAIR(r_o),
    `PAIR(aw_valid_i), `PAIR(aw_ready_o), `PAIR(aw_i), `PAIR(w_valid_i), `PAIR(w_ready_o), `PAIR(w_i),
    `PAIR(b_valid_o), `PAIR(b_ready_i), `PAIR(b_o),
    `PAIR(m_ar_valid_o), `PAIR(m_ar_ready_i), `PAIR(m_ar_o), `PAIR(m_r_valid_i), `PAIR(m_r_ready_o), `PAIR(m_r_i),
    `PAIR(m_aw_valid_o), `PAIR(m_aw_ready_i), `PAIR(m_aw_o), `PAIR(m_w_valid_o), `PAIR(m_w_ready_i), `PAIR(m_w_o),
    `PAIR(m_b_valid_i), `PAIR(m_b_ready_o), `PAIR(m_b_i));
`undef PAIR
endmodule

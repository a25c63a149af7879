// SPDX-License-Identifier: Apache-2.0
// One client: an access unit that serves either its external port or its traffic engine.
//
// The external port is served while no traffic run is busy and enable_i is 1. A new run waits until
// the external accesses in flight have their responses. A run that writes overwrites the words of
// external writes whose requests have not been accepted, so software must start such a run only
// while there are no such writes. Traffic = 0: there is no traffic engine; its registers read 0 and
// ignore writes.
module gmmu_client_port
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter bit Traffic = 1'b1
) (
  input  logic           clk_i,
  input  logic           rst_i,
  input  port_t          port_i,       // constant: number of the translation port

  input  logic           enable_i,
  input  logic [63:0]    vram_bytes_i,
  input  link_cfg_t      link_i,
  output logic           idle_o,

  input  logic           reg_wr_i,     // registers: see gmmu_client_regs
  input  logic           reg_rd_i,
  input  logic [2:0]     reg_word_i,
  input  logic [63:0]    reg_data_i,
  output logic [63:0]    reg_data_o,
  output logic           busy_o,       // a traffic run is busy
  output logic           done_o,       // pulse: a traffic run is complete

  input  logic           req_valid_i,
  output logic           req_ready_o,
  input  client_req_t    req_i,
  input  logic           w_valid_i,
  output logic           w_ready_o,
  input  client_w_t      w_i,
  input  logic [63:0]    w_data_i,
  output logic           rsp_valid_o,
  input  logic           rsp_ready_i,
  output client_rsp_t    rsp_o,
  output logic [63:0]    rsp_data_o,

  output logic           xlate_req_valid_o,
  input  logic           xlate_req_ready_i,
  output xlate_req_t     xlate_req_o,
  input  logic           xlate_rsp_valid_i,
  output logic           xlate_rsp_ready_o,
  input  xlate_rsp_t     xlate_rsp_i,
  output xlate_done_t    xlate_done_o,

  output logic           ap_req_valid_o,
  input  logic           ap_req_ready_i,
  output pfn_t           ap_req_page_o,
  input  logic           ap_rsp_valid_i,
  input  aperture_rsp_t  ap_rsp_i,

  output rd_req_t        rd_req_o,
  input  rd_rsp_t        rd_rsp_i,
  output wr_req_t        wr_req_o,
  input  wr_rsp_t        wr_rsp_i,

  output logic           fault_valid_o,
  input  logic           fault_ready_i,
  output fault_info_t    fault_o,

  output logic [6:0]     count_read_bytes_o,
  output logic [6:0]     count_write_bytes_o
);
  logic        clk;   // gated clock: stopped while no access is in flight and no run advances
  logic        owner, taker_q, unit_idle, external, waiting;
  logic        t_req_valid, t_w_valid, u_req_valid, u_req_ready, u_w_valid, u_rsp_valid;
  client_req_t t_req;
  client_w_t   t_w;
  logic [63:0] t_w_data, t_w_mix;
  logic [57:0] rsp_line;

  logic           start;
  traffic_cfg_t   cfg;
  traffic_state_t state;

  if (Traffic) begin : g_traffic
    gmmu_client_regs u_regs (
      .clk_i(clk), .rst_i, .wr_i(reg_wr_i), .rd_i(reg_rd_i), .word_i(reg_word_i), .data_i(reg_data_i),
      .rd_data_o(reg_data_o), .start_o(start), .cfg_o(cfg), .state_i(state), .busy_o
    );

    gmmu_traffic u_traffic (
      .clk_i(clk), .rst_i, .enable_i, .start_i(start), .cfg_i(cfg), .state_o(state), .done_o,
      .unit_idle_i(unit_idle), .owner_o(owner), .waiting_o(waiting),
      .req_valid_o(t_req_valid), .req_ready_i(u_req_ready), .req_o(t_req),
      .w_valid_o(t_w_valid), .w_o(t_w), .w_data_o(t_w_data), .w_mix_o(t_w_mix),
      .rsp_valid_i(u_rsp_valid), .rsp_i(rsp_o), .rsp_data_i(rsp_data_o), .rsp_line_i(rsp_line),
      .fault_valid_i(fault_valid_o), .fault_i(fault_o)
    );
  end else begin : g_no_traffic
    logic unused_traffic;
    assign reg_data_o = '0;
    assign busy_o = 1'b0;
    assign done_o = 1'b0;
    assign start = 1'b0;
    assign cfg = '0;
    assign state = '0;
    assign owner = 1'b0;
    assign waiting = 1'b0;
    assign t_req_valid = 1'b0;
    assign t_req = '0;
    assign t_w_valid = 1'b0;
    assign t_w = '0;
    assign t_w_data = '0;
    assign t_w_mix = '0;
    assign unused_traffic = ^{reg_rd_i, reg_word_i, reg_data_i, cfg, state, rsp_line};
  end

  assign external = enable_i && !state.busy;
  assign u_req_valid = owner ? t_req_valid : external && req_valid_i;
  assign u_w_valid = owner ? t_w_valid : external && w_valid_i;
  assign req_ready_o = external && u_req_ready;
  assign w_ready_o = external;
  assign rsp_valid_o = u_rsp_valid && !taker_q;
  // taker_q lags owner by one cycle. This is safe: no response arrives in the first cycle of a run
  // or in the first cycle after it.
  always_ff @(posedge clk) taker_q <= owner && !rst_i;

  // External inputs are used only when they are valid, to save simulation time.
  client_req_t u_req;
  client_w_t   u_w;
  logic [63:0] u_w_data;
  always_comb begin
    u_req = t_req;
    if (!owner && req_valid_i) u_req = req_i;
    u_w = t_w;
    u_w_data = t_w_data ^ t_w_mix;
    if (!owner && w_valid_i) begin
      u_w = w_i;
      u_w_data = w_data_i;
    end
  end

  gmmu_client u_unit (
    .port_i,
    .clk_i(clk), .rst_i, .vram_bytes_i, .link_i, .ordered_i(taker_q),
    .first_only_i(taker_q), .idle_o(unit_idle),
    .req_valid_i(u_req_valid), .req_ready_o(u_req_ready), .req_i(u_req),
    .w_valid_i(u_w_valid), .w_i(u_w), .w_data_i(u_w_data),
    .w_strobe_i('1),
    .rsp_valid_o(u_rsp_valid), .rsp_ready_i(taker_q || rsp_ready_i), .rsp_o, .rsp_data_o,
    .rsp_line_o(rsp_line),
    .xlate_req_valid_o, .xlate_req_ready_i, .xlate_req_o,
    .xlate_rsp_valid_i, .xlate_rsp_ready_o, .xlate_rsp_i, .xlate_done_o,
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i,
    .rd_req_o, .rd_rsp_i, .wr_req_o, .wr_rsp_i,
    .fault_valid_o, .fault_ready_i, .fault_o, .count_read_bytes_o, .count_write_bytes_o
  );

  // While enable_i = 0 blocks a run and no access is in flight, no state changes, and the client is
  // idle. still_q is registered; a register write or a request clears idle_o in the same cycle.
  logic still_q, runs;
  assign runs = state.busy && enable_i;
  always_ff @(posedge clk) begin
    still_q <= !rst_i && unit_idle && !done_o && !start && !reg_wr_i && !req_valid_i && (!state.busy || waiting);
  end
  assign idle_o = still_q && !runs && !reg_wr_i && !req_valid_i;

  gmmu_sleep u_sleep (
    .clk_i, .rst_i, .clk_o(clk),
    .awake_i(!still_q || runs || reg_wr_i || reg_rd_i || req_valid_i || w_valid_i || xlate_rsp_valid_i
             || rd_rsp_i.r_valid || wr_rsp_i.b_valid)
  );
endmodule

// SPDX-License-Identifier: Apache-2.0
// Everything on a board except its pins, clock and memory: the GPU and the host link, which
// replaces PCI Express.
//
//   rst_i      power-on reset; clk_i is the GPU's clock, with a frequency of ClockHz
//   line_*     the serial line to the host (docs/board-link.md)
//   m_vram     AXI4 manager for VRAM, as in gmmu_gpu. vram_reset_o: the GPU drops its outstanding
//              VRAM accesses
//   vram_key_o value that is XORed with every 16 bits to or from the VRAM chip (board register 11)
//   leds_o     0: VRAM is ready, 1: a session is open, 2: frames arrive, 3: the GPU is busy, 7:4:
//              set by software
module gmmu_board
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter int unsigned ClockHz = 80_000_000,
  parameter int unsigned BitsPerSecond = 3_000_000,
  parameter longint unsigned VramBytes = 64'd33_554_432,
  parameter logic [63:0] Build = '0,
  parameter logic [63:0] Name = '0,
  parameter config_t Config = gmmu_config_pkg::Built
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     line_i,
  output logic                     line_o,
  output logic [7:0]               leds_o,

  input  logic                     vram_ready_i,
  output logic                     vram_reset_o,
  output logic [15:0]              vram_key_o,
  output logic                     m_vram_ar_valid_o,
  input  logic                     m_vram_ar_ready_i,
  output port_ax_t                 m_vram_ar_o,
  input  logic                     m_vram_r_valid_i,
  output logic                     m_vram_r_ready_o,
  input  port_r_t                  m_vram_r_i,
  output logic                     m_vram_aw_valid_o,
  input  logic                     m_vram_aw_ready_i,
  output port_ax_t                 m_vram_aw_o,
  output logic                     m_vram_w_valid_o,
  input  logic                     m_vram_w_ready_i,
  output w_t                       m_vram_w_o,
  input  logic                     m_vram_b_valid_i,
  output logic                     m_vram_b_ready_o,
  input  port_b_t                  m_vram_b_i
);
  // ---- The link.
  logic       up_valid, up_ready, down_valid, down_ready, open, opening, got, damaged, gap, again;
  logic [7:0] up, down;
  gmmu_link #(.ClockHz(ClockHz), .BitsPerSecond(BitsPerSecond)) u_link (
    .clk_i, .rst_i, .line_i, .line_o, .up_valid_i(up_valid), .up_ready_o(up_ready), .up_i(up),
    .down_valid_o(down_valid), .down_ready_i(down_ready), .down_o(down), .open_o(open), .reset_o(opening),
    .got_o(got), .damaged_o(damaged), .gap_o(gap), .again_o(again));

  // A new session resets the GPU and everything else behind the byte streams.
  logic begin_anew, rst_gpu, rst_ends;
  always_ff @(posedge clk_i) begin_anew <= rst_i || opening;
  gmmu_reset u_rst_gpu (.clk_i, .rst_i(begin_anew), .rst_o(rst_gpu));
  gmmu_reset u_rst_ends (.clk_i, .rst_i(begin_anew), .rst_o(rst_ends));
  gmmu_reset u_rst_vram (.clk_i, .rst_i(begin_anew), .rst_o(vram_reset_o));

  logic       request_valid, request_ready, r_valid, r_ready, unknown;
  logic [7:0] request;
  port_r_t    r;
  gmmu_link_down u_down (
    .clk_i, .rst_i(rst_ends), .valid_i(down_valid), .ready_o(down_ready), .data_i(down),
    .request_valid_o(request_valid), .request_ready_i(request_ready), .request_o(request),
    .r_valid_o(r_valid), .r_ready_i(r_ready), .r_o(r),
    .unknown_o(unknown));

  logic        reply_valid, reply_ready, reply_last, post_valid, post_ready, post_last;
  logic [7:0]  reply, post;
  gmmu_link_join u_join (
    .clk_i, .rst_i(rst_ends), .a_valid_i(reply_valid), .a_ready_o(reply_ready), .a_i(reply), .a_last_i(reply_last),
    .b_valid_i(post_valid), .b_ready_o(post_ready), .b_i(post), .b_last_i(post_last),
    .valid_o(up_valid), .ready_i(up_ready), .data_o(up));

  // ---- Accesses from the CPU.
  logic        reg_awvalid, reg_awready, reg_wvalid, reg_wready, reg_bvalid, reg_arvalid, reg_arready, reg_rvalid;
  logic [63:0] reg_rdata, win_rdata, data, board_data;
  logic [1:0]  reg_bresp, reg_rresp, win_bresp, win_rresp;
  logic        win_awvalid, win_awready, win_wvalid, win_wready, win_bvalid, win_arvalid, win_arready, win_rvalid;
  logic [31:0] address;
  logic [7:0]  strobes;
  logic [5:0]  board_index;
  logic        board_write, access_error;
  gmmu_link_access u_access (
    .clk_i, .rst_i(rst_ends), .request_valid_i(request_valid), .request_ready_o(request_ready), .request_i(request),
    .reply_valid_o(reply_valid), .reply_ready_i(reply_ready), .reply_o(reply), .reply_last_o(reply_last),
    .reg_awvalid_o(reg_awvalid), .reg_awready_i(reg_awready), .reg_wvalid_o(reg_wvalid), .reg_wready_i(reg_wready),
    .reg_bvalid_i(reg_bvalid), .reg_bresp_i(reg_bresp), .reg_arvalid_o(reg_arvalid), .reg_arready_i(reg_arready),
    .reg_rvalid_i(reg_rvalid), .reg_rdata_i(reg_rdata), .reg_rresp_i(reg_rresp),
    .win_awvalid_o(win_awvalid), .win_awready_i(win_awready), .win_wvalid_o(win_wvalid), .win_wready_i(win_wready),
    .win_bvalid_i(win_bvalid), .win_bresp_i(win_bresp), .win_arvalid_o(win_arvalid), .win_arready_i(win_arready),
    .win_rvalid_i(win_rvalid), .win_rdata_i(win_rdata), .win_rresp_i(win_rresp),
    .address_o(address), .strobes_o(strobes), .data_o(data), .board_index_o(board_index), .board_write_o(board_write),
    .board_data_i(board_data), .error_o(access_error));

  logic        bus_master, silence, silent, flr, resetting, irq, idle;
  logic [63:0] cycle;
  message_t    message;
  logic [3:0]  leds;
  gmmu_board_regs #(
    .ClockHz(ClockHz), .BitsPerSecond(BitsPerSecond), .VramBytes(VramBytes), .Build(Build), .Name(Name)
  ) u_regs (
    .clk_i, .rst_i, .session_i(rst_ends), .index_i(board_index), .write_i(board_write), .data_i(data), .data_o(board_data),
    .bus_master_o(bus_master), .silence_o(silence), .reset_o(flr), .leds_o(leds),
    .message_o(message), .cycle_o(cycle), .vram_key_o,
    .status_i({vram_ready_i, irq, idle, silent, resetting}), .count_i({access_error || unknown, again, gap, damaged}));

  // The frame LED stays lit for 2^23 cycles after a frame, about 100 ms at 80 MHz.
  logic [22:0] lit_q;
  always_ff @(posedge clk_i) begin
    if (got) lit_q <= '1;
    else if (lit_q != '0) lit_q <= lit_q - 1'b1;
    if (rst_i) lit_q <= '0;
    leds_o <= {leds, !idle, lit_q != '0, open, vram_ready_i};
  end

  // ---- Accesses from the GPU to the host.
  logic     ar_valid, ar_ready, aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready;
  port_ax_t ar, aw;
  w_t       w;
  port_b_t  b;
  gmmu_link_host_port u_host_port (
    .clk_i, .rst_i(rst_ends), .ar_valid_i(ar_valid), .ar_ready_o(ar_ready), .ar_i(ar),
    .aw_valid_i(aw_valid), .aw_ready_o(aw_ready), .aw_i(aw), .w_valid_i(w_valid), .w_ready_o(w_ready), .w_i(w),
    .b_valid_o(b_valid), .b_ready_i(b_ready), .b_o(b),
    .up_valid_o(post_valid), .up_ready_i(post_ready), .up_o(post), .up_last_o(post_last));

  gmmu_gpu #(.Config(Config)) u_gpu (
    .clk_i, .rst_i(rst_gpu), .cycle_i(cycle), .vram_bytes_i(VramBytes), .bus_master_i(bus_master),
    .silence_i(silence), .silent_o(silent), .reset_i(flr), .resetting_o(resetting),
    .message_i(message), .irq_o(irq), .idle_o(idle),
    .s_reg_awvalid_i(reg_awvalid), .s_reg_awready_o(reg_awready), .s_reg_awaddr_i(address[15:0]),
    .s_reg_wvalid_i(reg_wvalid), .s_reg_wready_o(reg_wready), .s_reg_wdata_i(data), .s_reg_wstrb_i(strobes),
    .s_reg_bvalid_o(reg_bvalid), .s_reg_bready_i(1'b1), .s_reg_bresp_o(reg_bresp),
    .s_reg_arvalid_i(reg_arvalid), .s_reg_arready_o(reg_arready), .s_reg_araddr_i(address[15:0]),
    .s_reg_rvalid_o(reg_rvalid), .s_reg_rready_i(1'b1), .s_reg_rdata_o(reg_rdata), .s_reg_rresp_o(reg_rresp),
    .s_win_awvalid_i(win_awvalid), .s_win_awready_o(win_awready), .s_win_awaddr_i(address),
    .s_win_wvalid_i(win_wvalid), .s_win_wready_o(win_wready), .s_win_wdata_i(data), .s_win_wstrb_i(strobes),
    .s_win_bvalid_o(win_bvalid), .s_win_bready_i(1'b1), .s_win_bresp_o(win_bresp),
    .s_win_arvalid_i(win_arvalid), .s_win_arready_o(win_arready), .s_win_araddr_i(address),
    .s_win_rvalid_o(win_rvalid), .s_win_rready_i(1'b1), .s_win_rdata_o(win_rdata), .s_win_rresp_o(win_rresp),
    .m_ar_valid_o({ar_valid, m_vram_ar_valid_o}), .m_ar_ready_i({ar_ready, m_vram_ar_ready_i}), .m_ar_o({ar, m_vram_ar_o}),
    .m_r_valid_i({r_valid, m_vram_r_valid_i}), .m_r_ready_o({r_ready, m_vram_r_ready_o}), .m_r_i({r, m_vram_r_i}),
    .m_aw_valid_o({aw_valid, m_vram_aw_valid_o}), .m_aw_ready_i({aw_ready, m_vram_aw_ready_i}), .m_aw_o({aw, m_vram_aw_o}),
    .m_w_valid_o({w_valid, m_vram_w_valid_o}), .m_w_ready_i({w_ready, m_vram_w_ready_i}), .m_w_o({w, m_vram_w_o}),
    .m_b_valid_i({b_valid, m_vram_b_valid_i}), .m_b_ready_o({b_ready, m_vram_b_ready_o}), .m_b_i({b, m_vram_b_i}),
    // There are no external clients, no through-port and no linked adapters.
    .cl_req_valid_i('0), .cl_req_ready_o(), .cl_req_i('0), .cl_w_valid_i('0), .cl_w_ready_o(), .cl_w_i('0), .cl_w_data_i('0),
    .cl_rsp_valid_o(), .cl_rsp_ready_i('1), .cl_rsp_o(), .cl_rsp_data_o(),
    .s_thr_ar_valid_i(1'b0), .s_thr_ar_ready_o(), .s_thr_ar_i('0), .s_thr_r_valid_o(), .s_thr_r_ready_i(1'b1), .s_thr_r_o(),
    .s_thr_aw_valid_i(1'b0), .s_thr_aw_ready_o(), .s_thr_aw_i('0), .s_thr_w_valid_i(1'b0), .s_thr_w_ready_o(),
    .s_thr_w_data_i('0), .s_thr_w_strb_i('0), .s_thr_b_valid_o(), .s_thr_b_ready_i(1'b1), .s_thr_b_o(),
    .s_peer_ar_valid_i(1'b0), .s_peer_ar_ready_o(), .s_peer_ar_i('0), .s_peer_r_valid_o(), .s_peer_r_ready_i(1'b1),
    .s_peer_r_o(), .s_peer_aw_valid_i(1'b0), .s_peer_aw_ready_o(), .s_peer_aw_i('0), .s_peer_w_valid_i(1'b0),
    .s_peer_w_ready_o(), .s_peer_w_i('0), .s_peer_b_valid_o(), .s_peer_b_ready_i(1'b1), .s_peer_b_o(),
    .ev_xlate_valid_o(), .ev_xlate_o(), .ev_inv_done_o(), .ev_inv_scope_o(), .ev_inv_space_o(), .ev_inv_start_o(),
    .ev_inv_end_o(), .ev_xlate_id_o(), .ev_valid_o(), .ev_o());
endmodule

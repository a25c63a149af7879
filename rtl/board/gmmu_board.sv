// SPDX-License-Identifier: Apache-2.0
// Everything on a board except its pins, clock and memory: the GPU, and the link to the host, which
// replaces PCI Express.
//
//   rst_i      power-on reset; clk_i is the GPU's clock, whose frequency is ClockHz
//   line_*     the serial line to the host (docs/board-link.md)
//   m_vram     AXI4 manager: VRAM, as in gmmu_gpu. vram_reset_o: the GPU drops its outstanding VRAM
//              accesses
//   vram_key_o value that is XORed with each 16 bits that enter or leave VRAM's chip (board register 11)
//   leds_o     0: VRAM is ready, 1: a session is open, 2: frames arrive, 3: the GPU is busy, 7:4: set by
//              software
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
  output logic                     m_vram_arvalid_o,
  input  logic                     m_vram_arready_i,
  output logic [PortIdWidth-1:0]   m_vram_arid_o,
  output logic [PaWidth-1:0]       m_vram_araddr_o,
  output logic [7:0]               m_vram_arlen_o,
  output logic [2:0]               m_vram_arsize_o,
  output logic [1:0]               m_vram_arburst_o,
  input  logic                     m_vram_rvalid_i,
  output logic                     m_vram_rready_o,
  input  logic [PortIdWidth-1:0]   m_vram_rid_i,
  input  logic [DataWidth-1:0]     m_vram_rdata_i,
  input  logic [1:0]               m_vram_rresp_i,
  input  logic                     m_vram_rlast_i,
  output logic                     m_vram_awvalid_o,
  input  logic                     m_vram_awready_i,
  output logic [PortIdWidth-1:0]   m_vram_awid_o,
  output logic [PaWidth-1:0]       m_vram_awaddr_o,
  output logic [7:0]               m_vram_awlen_o,
  output logic [2:0]               m_vram_awsize_o,
  output logic [1:0]               m_vram_awburst_o,
  output logic                     m_vram_wvalid_o,
  input  logic                     m_vram_wready_i,
  output logic [DataWidth-1:0]     m_vram_wdata_o,
  output logic [DataBytes-1:0]     m_vram_wstrb_o,
  output logic                     m_vram_wlast_o,
  input  logic                     m_vram_bvalid_i,
  output logic                     m_vram_bready_o,
  input  logic [PortIdWidth-1:0]   m_vram_bid_i,
  input  logic [1:0]               m_vram_bresp_i
);
  // ---- The link.
  logic       up_valid, up_ready, down_valid, down_ready, open, opening, got, damaged, gap, again;
  logic [7:0] up, down;
  gmmu_link #(.ClockHz(ClockHz), .BitsPerSecond(BitsPerSecond)) u_link (
    .clk_i, .rst_i, .line_i, .line_o, .up_valid_i(up_valid), .up_ready_o(up_ready), .up_i(up),
    .down_valid_o(down_valid), .down_ready_i(down_ready), .down_o(down), .open_o(open), .reset_o(opening),
    .got_o(got), .damaged_o(damaged), .gap_o(gap), .again_o(again));

  // Each session resets the GPU and everything else behind the streams.
  logic begin_anew, rst_gpu, rst_ends;
  always_ff @(posedge clk_i) begin_anew <= rst_i || opening;
  gmmu_reset u_rst_gpu (.clk_i, .rst_i(begin_anew), .rst_o(rst_gpu));
  gmmu_reset u_rst_ends (.clk_i, .rst_i(begin_anew), .rst_o(rst_ends));
  gmmu_reset u_rst_vram (.clk_i, .rst_i(begin_anew), .rst_o(vram_reset_o));

  logic                   request_valid, request_ready, r_valid, r_ready, r_last, unknown;
  logic [7:0]             request;
  logic [PortIdWidth-1:0] r_id;
  logic [63:0]            r_data;
  logic [1:0]             r_resp;
  gmmu_link_down u_down (
    .clk_i, .rst_i(rst_ends), .valid_i(down_valid), .ready_o(down_ready), .data_i(down),
    .request_valid_o(request_valid), .request_ready_i(request_ready), .request_o(request),
    .r_valid_o(r_valid), .r_ready_i(r_ready), .r_id_o(r_id), .r_data_o(r_data), .r_resp_o(r_resp), .r_last_o(r_last),
    .unknown_o(unknown));

  logic        reply_valid, reply_ready, reply_last, post_valid, post_ready, post_last;
  logic [7:0]  reply, post;
  gmmu_link_join u_join (
    .clk_i, .rst_i(rst_ends), .a_valid_i(reply_valid), .a_ready_o(reply_ready), .a_i(reply), .a_last_i(reply_last),
    .b_valid_i(post_valid), .b_ready_o(post_ready), .b_i(post), .b_last_i(post_last),
    .valid_o(up_valid), .ready_i(up_ready), .data_o(up));

  // ---- Accesses of the CPU.
  logic        reg_awvalid, reg_awready, reg_wvalid, reg_wready, reg_bvalid, reg_arvalid, reg_arready, reg_rvalid;
  logic [63:0] reg_rdata, win_rdata, data, board_data;
  logic [1:0]  reg_bresp, reg_rresp, win_bresp, win_rresp;
  logic        win_awvalid, win_awready, win_wvalid, win_wready, win_bvalid, win_arvalid, win_arready, win_rvalid;
  logic [31:0] address;
  logic [7:0]  strobes;
  logic [3:0]  board_index;
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

  logic        bus_master, msi_enable, silence, silent, flr, resetting, irq, idle;
  logic [63:0] msi_address, cycle;
  logic [31:0] msi_data;
  logic [3:0]  leds;
  gmmu_board_regs #(
    .ClockHz(ClockHz), .BitsPerSecond(BitsPerSecond), .VramBytes(VramBytes), .Build(Build), .Name(Name)
  ) u_regs (
    .clk_i, .rst_i, .session_i(rst_ends), .index_i(board_index), .write_i(board_write), .data_i(data), .data_o(board_data),
    .bus_master_o(bus_master), .msi_enable_o(msi_enable), .silence_o(silence), .reset_o(flr), .leds_o(leds),
    .msi_address_o(msi_address), .msi_data_o(msi_data), .cycle_o(cycle), .vram_key_o,
    .status_i({vram_ready_i, irq, idle, silent, resetting}), .count_i({access_error || unknown, again, gap, damaged}));

  // Frame LED: it stays lit for about 50 ms after each frame.
  logic [22:0] lit_q;
  always_ff @(posedge clk_i) begin
    if (got) lit_q <= '1;
    else if (lit_q != '0) lit_q <= lit_q - 1'b1;
    if (rst_i) lit_q <= '0;
    leds_o <= {leds, !idle, lit_q != '0, open, vram_ready_i};
  end

  // ---- The GPU's own accesses to the host.
  logic                     ar_valid, ar_ready, aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid, b_ready;
  logic [PortIdWidth-1:0]   ar_id, aw_id, b_id;
  logic [PaWidth-1:0]       ar_addr, aw_addr;
  logic [7:0]               ar_len, aw_len, w_strb;
  logic [$bits(user_t)-1:0] ar_user, aw_user;
  logic [63:0]              w_data;
  gmmu_link_host_port u_host_port (
    .clk_i, .rst_i(rst_ends),
    .arvalid_i(ar_valid), .arready_o(ar_ready), .arid_i(ar_id), .araddr_i(ar_addr), .arlen_i(ar_len), .aruser_i(ar_user),
    .awvalid_i(aw_valid), .awready_o(aw_ready), .awid_i(aw_id), .awaddr_i(aw_addr), .awlen_i(aw_len), .awuser_i(aw_user),
    .wvalid_i(w_valid), .wready_o(w_ready), .wdata_i(w_data), .wstrb_i(w_strb), .wlast_i(w_last),
    .bvalid_o(b_valid), .bready_i(b_ready), .bid_o(b_id),
    .up_valid_o(post_valid), .up_ready_i(post_ready), .up_o(post), .up_last_o(post_last));

  gmmu_gpu #(.Config(Config)) u_gpu (
    .clk_i, .rst_i(rst_gpu), .cycle_i(cycle), .vram_bytes_i(VramBytes), .bus_master_i(bus_master),
    .silence_i(silence), .silent_o(silent), .reset_i(flr), .resetting_o(resetting),
    .msi_enable_i(msi_enable), .msi_address_i(msi_address), .msi_data_i(msi_data), .irq_o(irq), .idle_o(idle),
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
    .m_vram_arvalid_o, .m_vram_arready_i, .m_vram_arid_o, .m_vram_araddr_o, .m_vram_arlen_o, .m_vram_arsize_o,
    .m_vram_arburst_o, .m_vram_rvalid_i, .m_vram_rready_o, .m_vram_rid_i, .m_vram_rdata_i, .m_vram_rresp_i,
    .m_vram_rlast_i, .m_vram_awvalid_o, .m_vram_awready_i, .m_vram_awid_o, .m_vram_awaddr_o, .m_vram_awlen_o,
    .m_vram_awsize_o, .m_vram_awburst_o, .m_vram_wvalid_o, .m_vram_wready_i, .m_vram_wdata_o, .m_vram_wstrb_o,
    .m_vram_wlast_o, .m_vram_bvalid_i, .m_vram_bready_o, .m_vram_bid_i, .m_vram_bresp_i,
    .m_host_arvalid_o(ar_valid), .m_host_arready_i(ar_ready), .m_host_arid_o(ar_id), .m_host_araddr_o(ar_addr),
    .m_host_arlen_o(ar_len), .m_host_arsize_o(), .m_host_arburst_o(), .m_host_aruser_o(ar_user),
    .m_host_rvalid_i(r_valid), .m_host_rready_o(r_ready), .m_host_rid_i(r_id), .m_host_rdata_i(r_data),
    .m_host_rresp_i(r_resp), .m_host_rlast_i(r_last),
    .m_host_awvalid_o(aw_valid), .m_host_awready_i(aw_ready), .m_host_awid_o(aw_id), .m_host_awaddr_o(aw_addr),
    .m_host_awlen_o(aw_len), .m_host_awsize_o(), .m_host_awburst_o(), .m_host_awuser_o(aw_user),
    .m_host_wvalid_o(w_valid), .m_host_wready_i(w_ready), .m_host_wdata_o(w_data), .m_host_wstrb_o(w_strb),
    .m_host_wlast_o(w_last), .m_host_bvalid_i(b_valid), .m_host_bready_o(b_ready), .m_host_bid_i(b_id),
    .m_host_bresp_i(2'd0),
    // No external client uses virtual addresses.
    .cl_req_valid_i('0), .cl_req_ready_o(), .cl_req_id_i('0), .cl_req_space_i('0), .cl_req_va_i('0),
    .cl_req_access_i('0), .cl_req_bytes_i('0), .cl_w_valid_i('0), .cl_w_ready_o(), .cl_w_id_i('0), .cl_w_word_i('0),
    .cl_w_data_i('0), .cl_rsp_valid_o(), .cl_rsp_ready_i('1), .cl_rsp_id_o(), .cl_rsp_last_o(), .cl_rsp_fault_o(),
    .cl_rsp_word_o(), .cl_rsp_data_o(),
    .s_thr_arvalid_i(1'b0), .s_thr_arready_o(), .s_thr_arid_i('0), .s_thr_araddr_i('0), .s_thr_arlen_i('0),
    .s_thr_arsize_i('0), .s_thr_arburst_i('0), .s_thr_arprot_i('0), .s_thr_aruser_i('0), .s_thr_rvalid_o(),
    .s_thr_rready_i(1'b1), .s_thr_rid_o(), .s_thr_rdata_o(), .s_thr_rresp_o(), .s_thr_rlast_o(),
    .s_thr_awvalid_i(1'b0), .s_thr_awready_o(), .s_thr_awid_i('0), .s_thr_awaddr_i('0), .s_thr_awlen_i('0),
    .s_thr_awsize_i('0), .s_thr_awburst_i('0), .s_thr_awuser_i('0), .s_thr_wvalid_i(1'b0), .s_thr_wready_o(),
    .s_thr_wdata_i('0), .s_thr_wstrb_i('0), .s_thr_bvalid_o(), .s_thr_bready_i(1'b1), .s_thr_bid_o(), .s_thr_bresp_o(),
    .s_peer_arvalid_i(1'b0), .s_peer_arready_o(), .s_peer_arid_i('0), .s_peer_araddr_i('0), .s_peer_arlen_i('0),
    .s_peer_arsize_i('0), .s_peer_arburst_i('0), .s_peer_rvalid_o(), .s_peer_rready_i(1'b1), .s_peer_rid_o(),
    .s_peer_rdata_o(), .s_peer_rresp_o(), .s_peer_rlast_o(), .s_peer_awvalid_i(1'b0), .s_peer_awready_o(),
    .s_peer_awid_i('0), .s_peer_awaddr_i('0), .s_peer_awlen_i('0), .s_peer_awsize_i('0), .s_peer_awburst_i('0),
    .s_peer_wvalid_i(1'b0), .s_peer_wready_o(), .s_peer_wdata_i('0), .s_peer_wstrb_i('0), .s_peer_wlast_i(1'b0),
    .s_peer_bvalid_o(), .s_peer_bready_i(1'b1), .s_peer_bid_o(), .s_peer_bresp_o(),
    .ev_xlate_valid_o(), .ev_xlate_o(), .ev_inv_done_o(), .ev_inv_scope_o(), .ev_inv_space_o(), .ev_inv_start_o(),
    .ev_inv_end_o(), .ev_xlate_id_o(), .ev_valid_o(), .ev_o());
endmodule

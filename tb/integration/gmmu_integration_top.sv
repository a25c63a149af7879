// SPDX-License-Identifier: Apache-2.0
// gmmu_gpu as the bench of tb/integration drives it: one ordinary ring and one privileged, no through-port, no links.
// s_reg and s_win have the names that AXI libraries look for. A channel of a memory port is one vector, and valid and
// ready of all its channels are one vector each way, since every signal that Python reads costs time.
module gmmu_integration_top
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter int unsigned NumClients = 1,
  parameter int unsigned TrafficEngines = 1,
  parameter int unsigned ThroughPorts = 0,
  parameter int unsigned NumSpaces = 16,
  parameter int unsigned NumRings = 2,
  parameter int unsigned L1Entries = 16,
  parameter int unsigned L2Entries = 512,
  parameter int unsigned L2Ways = 4,
  parameter int unsigned WalkCacheEntries = 16,
  parameter int unsigned NumWalks = 8,
  parameter int unsigned ReadsInFlight = 32,
  parameter int unsigned CounterWidth = 64,
  parameter int unsigned EventPort = 0,
  parameter int unsigned LinkPort = 0,
  localparam int unsigned UserBits = $bits(user_t),
  localparam int unsigned AddressBits = PortIdWidth + PaWidth + 8 + 3 + 2  // of AR and AW
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic [63:0] vram_bytes_i,
  input  logic        bus_master_i,
  input  logic        silence_i,
  input  logic        reset_i,
  output logic        silent_o,
  output logic        resetting_o,
  output logic        irq_o,
  output logic        idle_o,

  // {s_win, s_reg}, each {rvalid, bvalid, and the handshakes of R, B, AR, W, AW}
  output logic [13:0] lite_seen,

  input  logic        s_reg_awvalid,
  output logic        s_reg_awready,
  input  logic [15:0] s_reg_awaddr,
  input  logic        s_reg_wvalid,
  output logic        s_reg_wready,
  input  logic [63:0] s_reg_wdata,
  input  logic [7:0]  s_reg_wstrb,
  output logic        s_reg_bvalid,
  input  logic        s_reg_bready,
  output logic [1:0]  s_reg_bresp,
  input  logic        s_reg_arvalid,
  output logic        s_reg_arready,
  input  logic [15:0] s_reg_araddr,
  output logic        s_reg_rvalid,
  input  logic        s_reg_rready,
  output logic [63:0] s_reg_rdata,
  output logic [1:0]  s_reg_rresp,

  input  logic        s_win_awvalid,
  output logic        s_win_awready,
  input  logic [31:0] s_win_awaddr,
  input  logic        s_win_wvalid,
  output logic        s_win_wready,
  input  logic [63:0] s_win_wdata,
  input  logic [7:0]  s_win_wstrb,
  output logic        s_win_bvalid,
  input  logic        s_win_bready,
  output logic [1:0]  s_win_bresp,
  input  logic        s_win_arvalid,
  output logic        s_win_arready,
  input  logic [31:0] s_win_araddr,
  output logic        s_win_rvalid,
  input  logic        s_win_rready,
  output logic [63:0] s_win_rdata,
  output logic [1:0]  s_win_rresp,

  // Memory ports. out: {rready, bready, wvalid, awvalid, arvalid}; in: {rvalid, bvalid, wready, awready, arready}.
  // Addresses {user, id, addr, len, size, burst}, W {data, strb, last}, R {id, data, resp, last}, B {id, resp}.
  output logic [4:0]                                m_vram_out,
  input  logic [4:0]                                m_vram_in,
  output logic [UserBits+AddressBits-1:0]           m_vram_ar,
  output logic [UserBits+AddressBits-1:0]           m_vram_aw,
  output logic [DataWidth+DataBytes:0]              m_vram_w,
  input  logic [PortIdWidth+DataWidth+2:0]          m_vram_r,
  input  logic [PortIdWidth+1:0]                    m_vram_b,
  output logic [4:0]                                m_host_out,
  input  logic [4:0]                                m_host_in,
  output logic [UserBits+AddressBits-1:0]           m_host_ar,
  output logic [UserBits+AddressBits-1:0]           m_host_aw,
  output logic [DataWidth+DataBytes:0]              m_host_w,
  input  logic [PortIdWidth+DataWidth+2:0]          m_host_r,
  input  logic [PortIdWidth+1:0]                    m_host_b
);

  logic [63:0] cycle;
  always_ff @(posedge clk_i) cycle <= rst_i ? '0 : cycle + 64'd1;

  assign lite_seen = {
    s_win_rvalid, s_win_bvalid, s_win_rvalid && s_win_rready, s_win_bvalid && s_win_bready,
    s_win_arvalid && s_win_arready, s_win_wvalid && s_win_wready, s_win_awvalid && s_win_awready,
    s_reg_rvalid, s_reg_bvalid, s_reg_rvalid && s_reg_rready, s_reg_bvalid && s_reg_bready,
    s_reg_arvalid && s_reg_arready, s_reg_wvalid && s_reg_wready, s_reg_awvalid && s_reg_awready
  };

  assign m_vram_ar[AddressBits+:UserBits] = '0;
  assign m_vram_aw[AddressBits+:UserBits] = '0;

  gmmu_gpu #(
    .NumClients, .TrafficEngines, .ThroughPorts, .NumSpaces, .NumRings, .L1Entries, .L2Entries, .L2Ways,
    .WalkCacheEntries, .NumWalks, .ReadsInFlight, .CounterWidth, .EventPort, .LinkPort
  ) u_gpu (
    .clk_i, .rst_i,
    .cycle_i(cycle), .vram_bytes_i, .bus_master_i, .silence_i, .silent_o, .reset_i, .resetting_o,
    .msi_enable_i(1'b0), .msi_address_i('0), .msi_data_i('0), .irq_o, .idle_o,

    .s_reg_awvalid_i(s_reg_awvalid), .s_reg_awready_o(s_reg_awready), .s_reg_awaddr_i(s_reg_awaddr),
    .s_reg_wvalid_i(s_reg_wvalid), .s_reg_wready_o(s_reg_wready), .s_reg_wdata_i(s_reg_wdata),
    .s_reg_wstrb_i(s_reg_wstrb),
    .s_reg_bvalid_o(s_reg_bvalid), .s_reg_bready_i(s_reg_bready), .s_reg_bresp_o(s_reg_bresp),
    .s_reg_arvalid_i(s_reg_arvalid), .s_reg_arready_o(s_reg_arready), .s_reg_araddr_i(s_reg_araddr),
    .s_reg_rvalid_o(s_reg_rvalid), .s_reg_rready_i(s_reg_rready), .s_reg_rdata_o(s_reg_rdata),
    .s_reg_rresp_o(s_reg_rresp),

    .s_win_awvalid_i(s_win_awvalid), .s_win_awready_o(s_win_awready), .s_win_awaddr_i(s_win_awaddr),
    .s_win_wvalid_i(s_win_wvalid), .s_win_wready_o(s_win_wready), .s_win_wdata_i(s_win_wdata),
    .s_win_wstrb_i(s_win_wstrb),
    .s_win_bvalid_o(s_win_bvalid), .s_win_bready_i(s_win_bready), .s_win_bresp_o(s_win_bresp),
    .s_win_arvalid_i(s_win_arvalid), .s_win_arready_o(s_win_arready), .s_win_araddr_i(s_win_araddr),
    .s_win_rvalid_o(s_win_rvalid), .s_win_rready_i(s_win_rready), .s_win_rdata_o(s_win_rdata),
    .s_win_rresp_o(s_win_rresp),

    .m_vram_arvalid_o(m_vram_out[0]), .m_vram_arready_i(m_vram_in[0]),
    .m_vram_arid_o(m_vram_ar[61+:PortIdWidth]), .m_vram_araddr_o(m_vram_ar[13+:PaWidth]),
    .m_vram_arlen_o(m_vram_ar[12:5]), .m_vram_arsize_o(m_vram_ar[4:2]), .m_vram_arburst_o(m_vram_ar[1:0]),
    .m_vram_rvalid_i(m_vram_in[4]), .m_vram_rready_o(m_vram_out[4]),
    .m_vram_rid_i(m_vram_r[DataWidth+3+:PortIdWidth]), .m_vram_rdata_i(m_vram_r[3+:DataWidth]),
    .m_vram_rresp_i(m_vram_r[2:1]), .m_vram_rlast_i(m_vram_r[0]),
    .m_vram_awvalid_o(m_vram_out[1]), .m_vram_awready_i(m_vram_in[1]),
    .m_vram_awid_o(m_vram_aw[61+:PortIdWidth]), .m_vram_awaddr_o(m_vram_aw[13+:PaWidth]),
    .m_vram_awlen_o(m_vram_aw[12:5]), .m_vram_awsize_o(m_vram_aw[4:2]), .m_vram_awburst_o(m_vram_aw[1:0]),
    .m_vram_wvalid_o(m_vram_out[2]), .m_vram_wready_i(m_vram_in[2]),
    .m_vram_wdata_o(m_vram_w[DataBytes+1+:DataWidth]), .m_vram_wstrb_o(m_vram_w[1+:DataBytes]),
    .m_vram_wlast_o(m_vram_w[0]),
    .m_vram_bvalid_i(m_vram_in[3]), .m_vram_bready_o(m_vram_out[3]),
    .m_vram_bid_i(m_vram_b[2+:PortIdWidth]), .m_vram_bresp_i(m_vram_b[1:0]),

    .m_host_arvalid_o(m_host_out[0]), .m_host_arready_i(m_host_in[0]),
    .m_host_arid_o(m_host_ar[61+:PortIdWidth]), .m_host_araddr_o(m_host_ar[13+:PaWidth]),
    .m_host_arlen_o(m_host_ar[12:5]), .m_host_arsize_o(m_host_ar[4:2]), .m_host_arburst_o(m_host_ar[1:0]),
    .m_host_aruser_o(m_host_ar[AddressBits+:UserBits]),
    .m_host_rvalid_i(m_host_in[4]), .m_host_rready_o(m_host_out[4]),
    .m_host_rid_i(m_host_r[DataWidth+3+:PortIdWidth]), .m_host_rdata_i(m_host_r[3+:DataWidth]),
    .m_host_rresp_i(m_host_r[2:1]), .m_host_rlast_i(m_host_r[0]),
    .m_host_awvalid_o(m_host_out[1]), .m_host_awready_i(m_host_in[1]),
    .m_host_awid_o(m_host_aw[61+:PortIdWidth]), .m_host_awaddr_o(m_host_aw[13+:PaWidth]),
    .m_host_awlen_o(m_host_aw[12:5]), .m_host_awsize_o(m_host_aw[4:2]), .m_host_awburst_o(m_host_aw[1:0]),
    .m_host_awuser_o(m_host_aw[AddressBits+:UserBits]),
    .m_host_wvalid_o(m_host_out[2]), .m_host_wready_i(m_host_in[2]),
    .m_host_wdata_o(m_host_w[DataBytes+1+:DataWidth]), .m_host_wstrb_o(m_host_w[1+:DataBytes]),
    .m_host_wlast_o(m_host_w[0]),
    .m_host_bvalid_i(m_host_in[3]), .m_host_bready_o(m_host_out[3]),
    .m_host_bid_i(m_host_b[2+:PortIdWidth]), .m_host_bresp_i(m_host_b[1:0]),

    .cl_req_valid_i('0), .cl_req_ready_o(), .cl_req_id_i('0), .cl_req_space_i('0), .cl_req_va_i('0),
    .cl_req_access_i('0), .cl_req_bytes_i('0),
    .cl_w_valid_i('0), .cl_w_ready_o(), .cl_w_id_i('0), .cl_w_word_i('0), .cl_w_data_i('0),
    .cl_rsp_valid_o(), .cl_rsp_ready_i('1), .cl_rsp_id_o(), .cl_rsp_last_o(), .cl_rsp_fault_o(), .cl_rsp_word_o(),
    .cl_rsp_data_o(),

    .s_thr_arvalid_i(1'b0), .s_thr_arready_o(), .s_thr_arid_i('0), .s_thr_araddr_i('0), .s_thr_arlen_i('0),
    .s_thr_arsize_i('0), .s_thr_arburst_i('0), .s_thr_arprot_i('0), .s_thr_aruser_i('0),
    .s_thr_rvalid_o(), .s_thr_rready_i(1'b1), .s_thr_rid_o(), .s_thr_rdata_o(), .s_thr_rresp_o(), .s_thr_rlast_o(),
    .s_thr_awvalid_i(1'b0), .s_thr_awready_o(), .s_thr_awid_i('0), .s_thr_awaddr_i('0), .s_thr_awlen_i('0),
    .s_thr_awsize_i('0), .s_thr_awburst_i('0), .s_thr_awuser_i('0),
    .s_thr_wvalid_i(1'b0), .s_thr_wready_o(), .s_thr_wdata_i('0), .s_thr_wstrb_i('0),
    .s_thr_bvalid_o(), .s_thr_bready_i(1'b1), .s_thr_bid_o(), .s_thr_bresp_o(),

    .s_peer_arvalid_i(1'b0), .s_peer_arready_o(), .s_peer_arid_i('0), .s_peer_araddr_i('0), .s_peer_arlen_i('0),
    .s_peer_arsize_i('0), .s_peer_arburst_i('0),
    .s_peer_rvalid_o(), .s_peer_rready_i(1'b1), .s_peer_rid_o(), .s_peer_rdata_o(), .s_peer_rresp_o(),
    .s_peer_rlast_o(),
    .s_peer_awvalid_i(1'b0), .s_peer_awready_o(), .s_peer_awid_i('0), .s_peer_awaddr_i('0), .s_peer_awlen_i('0),
    .s_peer_awsize_i('0), .s_peer_awburst_i('0),
    .s_peer_wvalid_i(1'b0), .s_peer_wready_o(), .s_peer_wdata_i('0), .s_peer_wstrb_i('0), .s_peer_wlast_i(1'b0),
    .s_peer_bvalid_o(), .s_peer_bready_i(1'b1), .s_peer_bid_o(), .s_peer_bresp_o(),

    .ev_xlate_valid_o(), .ev_xlate_o(), .ev_inv_done_o(), .ev_inv_scope_o(), .ev_inv_space_o(), .ev_inv_start_o(),
    .ev_inv_end_o(), .ev_xlate_id_o(), .ev_valid_o(), .ev_o()
  );

endmodule

// SPDX-License-Identifier: Apache-2.0
// gmmu_gpu_axi as the bench of tb/integration drives it: one unprivileged and one privileged ring,
// no through-port, no links. A channel of a memory port is one vector, and valid and ready of all
// its channels are one vector each way, because each signal that Python reads costs time.
module gmmu_integration_top
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned IdBits = Config.IdBits,
  localparam int unsigned UserBits = $bits(user_t),
  localparam int unsigned AddressBits = IdBits + 4 + 3 + 4 + 1 + UserBits + PaWidth + 8 + 3 + 2  // bits of AR, AW
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
  // Addresses {id, cache, prot, qos, lock, user, addr, len, size, burst}, W {data, strb, last}, R {id, data, resp,
  // last}, B {id, resp}.
  output logic [4:0]                            m_vram_out,
  input  logic [4:0]                            m_vram_in,
  output logic [AddressBits-1:0]                m_vram_ar,
  output logic [AddressBits-1:0]                m_vram_aw,
  output logic [DataWidth+DataBytes:0]          m_vram_w,
  input  logic [IdBits+DataWidth+2:0]           m_vram_r,
  input  logic [IdBits+1:0]                     m_vram_b,
  output logic [4:0]                            m_host_out,
  input  logic [4:0]                            m_host_in,
  output logic [AddressBits-1:0]                m_host_ar,
  output logic [AddressBits-1:0]                m_host_aw,
  output logic [DataWidth+DataBytes:0]          m_host_w,
  input  logic [IdBits+DataWidth+2:0]           m_host_r,
  input  logic [IdBits+1:0]                     m_host_b
);

  logic [63:0] cycle;
  always_ff @(posedge clk_i) cycle <= rst_i ? '0 : cycle + 64'd1;

  assign lite_seen = {
    s_win_rvalid, s_win_bvalid, s_win_rvalid && s_win_rready, s_win_bvalid && s_win_bready,
    s_win_arvalid && s_win_arready, s_win_wvalid && s_win_wready, s_win_awvalid && s_win_awready,
    s_reg_rvalid, s_reg_bvalid, s_reg_rvalid && s_reg_rready, s_reg_bvalid && s_reg_bready,
    s_reg_arvalid && s_reg_arready, s_reg_wvalid && s_reg_wready, s_reg_awvalid && s_reg_awready
  };

  assign m_vram_ar[61+:UserBits] = '0;
  assign m_vram_aw[61+:UserBits] = '0;

  gmmu_gpu_axi #(.Config(Config)) u_gpu (
    .aclk(clk_i), .areset(rst_i), .cycle_i(cycle), .message_i('0),

    .m_vram_arvalid(m_vram_out[0]), .m_vram_arready(m_vram_in[0]),
    .m_vram_arid(m_vram_ar[101+:IdBits]), .m_vram_arcache(m_vram_ar[97+:4]), .m_vram_arprot(m_vram_ar[94+:3]),
    .m_vram_arqos(m_vram_ar[90+:4]),
    .m_vram_arlock(m_vram_ar[89]), .m_vram_araddr(m_vram_ar[13+:PaWidth]), .m_vram_arlen(m_vram_ar[12:5]),
    .m_vram_arsize(m_vram_ar[4:2]), .m_vram_arburst(m_vram_ar[1:0]),
    .m_vram_rvalid(m_vram_in[4]), .m_vram_rready(m_vram_out[4]), .m_vram_rid(m_vram_r[DataWidth+3+:IdBits]),
    .m_vram_rdata(m_vram_r[3+:DataWidth]), .m_vram_rresp(m_vram_r[2:1]), .m_vram_rlast(m_vram_r[0]),
    .m_vram_awvalid(m_vram_out[1]), .m_vram_awready(m_vram_in[1]),
    .m_vram_awid(m_vram_aw[101+:IdBits]), .m_vram_awcache(m_vram_aw[97+:4]), .m_vram_awprot(m_vram_aw[94+:3]),
    .m_vram_awqos(m_vram_aw[90+:4]),
    .m_vram_awlock(m_vram_aw[89]), .m_vram_awaddr(m_vram_aw[13+:PaWidth]), .m_vram_awlen(m_vram_aw[12:5]),
    .m_vram_awsize(m_vram_aw[4:2]), .m_vram_awburst(m_vram_aw[1:0]),
    .m_vram_wvalid(m_vram_out[2]), .m_vram_wready(m_vram_in[2]), .m_vram_wdata(m_vram_w[DataBytes+1+:DataWidth]),
    .m_vram_wstrb(m_vram_w[1+:DataBytes]), .m_vram_wlast(m_vram_w[0]),
    .m_vram_bvalid(m_vram_in[3]), .m_vram_bready(m_vram_out[3]), .m_vram_bid(m_vram_b[2+:IdBits]),
    .m_vram_bresp(m_vram_b[1:0]),

    .m_host_arvalid(m_host_out[0]), .m_host_arready(m_host_in[0]),
    .m_host_arid(m_host_ar[101+:IdBits]), .m_host_arcache(m_host_ar[97+:4]), .m_host_arprot(m_host_ar[94+:3]),
    .m_host_arqos(m_host_ar[90+:4]),
    .m_host_arlock(m_host_ar[89]), .m_host_aruser(m_host_ar[61+:UserBits]), .m_host_araddr(m_host_ar[13+:PaWidth]),
    .m_host_arlen(m_host_ar[12:5]),
    .m_host_arsize(m_host_ar[4:2]), .m_host_arburst(m_host_ar[1:0]),
    .m_host_rvalid(m_host_in[4]), .m_host_rready(m_host_out[4]), .m_host_rid(m_host_r[DataWidth+3+:IdBits]),
    .m_host_rdata(m_host_r[3+:DataWidth]), .m_host_rresp(m_host_r[2:1]), .m_host_rlast(m_host_r[0]),
    .m_host_awvalid(m_host_out[1]), .m_host_awready(m_host_in[1]),
    .m_host_awid(m_host_aw[101+:IdBits]), .m_host_awcache(m_host_aw[97+:4]), .m_host_awprot(m_host_aw[94+:3]),
    .m_host_awqos(m_host_aw[90+:4]),
    .m_host_awlock(m_host_aw[89]), .m_host_awuser(m_host_aw[61+:UserBits]), .m_host_awaddr(m_host_aw[13+:PaWidth]),
    .m_host_awlen(m_host_aw[12:5]),
    .m_host_awsize(m_host_aw[4:2]), .m_host_awburst(m_host_aw[1:0]),
    .m_host_wvalid(m_host_out[2]), .m_host_wready(m_host_in[2]), .m_host_wdata(m_host_w[DataBytes+1+:DataWidth]),
    .m_host_wstrb(m_host_w[1+:DataBytes]), .m_host_wlast(m_host_w[0]),
    .m_host_bvalid(m_host_in[3]), .m_host_bready(m_host_out[3]), .m_host_bid(m_host_b[2+:IdBits]),
    .m_host_bresp(m_host_b[1:0]),

    .cl_req_valid_i('0), .cl_req_ready_o(), .cl_req_id_i('0), .cl_req_space_i('0), .cl_req_va_i('0),
    .cl_req_access_i('0), .cl_req_bytes_i('0),
    .cl_w_valid_i('0), .cl_w_ready_o(), .cl_w_id_i('0), .cl_w_word_i('0), .cl_w_data_i('0),
    .cl_rsp_valid_o(), .cl_rsp_ready_i('1), .cl_rsp_id_o(), .cl_rsp_last_o(), .cl_rsp_fault_o(), .cl_rsp_word_o(),
    .cl_rsp_data_o(),

    .s_thr_arvalid(1'b0), .s_thr_arready(), .s_thr_arid('0), .s_thr_araddr('0), .s_thr_arlen('0),
    .s_thr_arsize('0), .s_thr_arburst('0), .s_thr_arprot('0), .s_thr_aruser('0),
    .s_thr_rvalid(), .s_thr_rready(1'b1), .s_thr_rid(), .s_thr_rdata(), .s_thr_rresp(), .s_thr_rlast(),
    .s_thr_awvalid(1'b0), .s_thr_awready(), .s_thr_awid('0), .s_thr_awaddr('0), .s_thr_awlen('0),
    .s_thr_awsize('0), .s_thr_awburst('0), .s_thr_awuser('0),
    .s_thr_wvalid(1'b0), .s_thr_wready(), .s_thr_wdata('0), .s_thr_wstrb('0), .s_thr_wlast(1'b0),
    .s_thr_bvalid(), .s_thr_bready(1'b1), .s_thr_bid(), .s_thr_bresp(),

    .s_peer_arvalid(1'b0), .s_peer_arready(), .s_peer_arid('0), .s_peer_araddr('0), .s_peer_arlen('0),
    .s_peer_arsize('0), .s_peer_arburst('0),
    .s_peer_rvalid(), .s_peer_rready(1'b1), .s_peer_rid(), .s_peer_rdata(), .s_peer_rresp(),
    .s_peer_rlast(),
    .s_peer_awvalid(1'b0), .s_peer_awready(), .s_peer_awid('0), .s_peer_awaddr('0), .s_peer_awlen('0),
    .s_peer_awsize('0), .s_peer_awburst('0),
    .s_peer_wvalid(1'b0), .s_peer_wready(), .s_peer_wdata('0), .s_peer_wstrb('0), .s_peer_wlast(1'b0),
    .s_peer_bvalid(), .s_peer_bready(1'b1), .s_peer_bid(), .s_peer_bresp(),

    .ev_xlate_valid_o(), .ev_xlate_o(), .ev_inv_done_o(), .ev_inv_scope_o(), .ev_inv_space_o(), .ev_inv_start_o(),
    .ev_inv_end_o(), .ev_xlate_id_o(), .ev_valid_o(), .ev_o(),
    .*  // control, registers and window
  );

endmodule

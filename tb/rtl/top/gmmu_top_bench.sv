// SPDX-License-Identifier: Apache-2.0
// The whole GPU in its wrapper with ids of 16 bits, which pass unchanged; the ports are those of
// gmmu_gpu. It is built with the profiles Bench and Small of rtl/pkg/sizes.json.
module gmmu_top_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  localparam int unsigned NumClients = gmmu_config_pkg::Built.NumClients,
  localparam int unsigned NumPorts = gmmu_config_pkg::Built.NumPorts
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic [63:0]              cycle_i,         // cycles since reset release
  input  logic [63:0]              vram_bytes_i,    // size of the VRAM behind m_vram
  input  logic                     bus_master_i,    // bit 2 of the PCI command register: m_host may send
  input  logic                     silence_i,       // bus-silence request: m_host stops and drains
  output logic                     silent_o,        // m_host begins no burst and awaits no response
  input  logic                     reset_i,         // pulse: function-level reset
  output logic                     resetting_o,
  input  logic                     msi_enable_i,
  input  logic [63:0]              msi_address_i,
  input  logic [31:0]              msi_data_i,
  output logic                     irq_o,
  output logic                     idle_o,

  input  logic                     s_reg_awvalid_i,
  output logic                     s_reg_awready_o,
  input  logic [15:0]              s_reg_awaddr_i,
  input  logic                     s_reg_wvalid_i,
  output logic                     s_reg_wready_o,
  input  logic [63:0]              s_reg_wdata_i,
  input  logic [7:0]               s_reg_wstrb_i,
  output logic                     s_reg_bvalid_o,
  input  logic                     s_reg_bready_i,
  output logic [1:0]               s_reg_bresp_o,
  input  logic                     s_reg_arvalid_i,
  output logic                     s_reg_arready_o,
  input  logic [15:0]              s_reg_araddr_i,
  output logic                     s_reg_rvalid_o,
  input  logic                     s_reg_rready_i,
  output logic [63:0]              s_reg_rdata_o,
  output logic [1:0]               s_reg_rresp_o,

  input  logic                     s_win_awvalid_i,
  output logic                     s_win_awready_o,
  input  logic [31:0]              s_win_awaddr_i,  // byte offset in BAR2
  input  logic                     s_win_wvalid_i,
  output logic                     s_win_wready_o,
  input  logic [63:0]              s_win_wdata_i,
  input  logic [7:0]               s_win_wstrb_i,
  output logic                     s_win_bvalid_o,
  input  logic                     s_win_bready_i,
  output logic [1:0]               s_win_bresp_o,
  input  logic                     s_win_arvalid_i,
  output logic                     s_win_arready_o,
  input  logic [31:0]              s_win_araddr_i,
  output logic                     s_win_rvalid_o,
  input  logic                     s_win_rready_i,
  output logic [63:0]              s_win_rdata_o,
  output logic [1:0]               s_win_rresp_o,

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
  input  logic [1:0]               m_vram_bresp_i,

  output logic                     m_host_arvalid_o,
  input  logic                     m_host_arready_i,
  output logic [PortIdWidth-1:0]   m_host_arid_o,
  output logic [PaWidth-1:0]       m_host_araddr_o,
  output logic [7:0]               m_host_arlen_o,
  output logic [2:0]               m_host_arsize_o,
  output logic [1:0]               m_host_arburst_o,
  output logic [$bits(user_t)-1:0] m_host_aruser_o,
  input  logic                     m_host_rvalid_i,
  output logic                     m_host_rready_o,
  input  logic [PortIdWidth-1:0]   m_host_rid_i,
  input  logic [DataWidth-1:0]     m_host_rdata_i,
  input  logic [1:0]               m_host_rresp_i,
  input  logic                     m_host_rlast_i,
  output logic                     m_host_awvalid_o,
  input  logic                     m_host_awready_i,
  output logic [PortIdWidth-1:0]   m_host_awid_o,
  output logic [PaWidth-1:0]       m_host_awaddr_o,
  output logic [7:0]               m_host_awlen_o,
  output logic [2:0]               m_host_awsize_o,
  output logic [1:0]               m_host_awburst_o,
  output logic [$bits(user_t)-1:0] m_host_awuser_o,
  output logic                     m_host_wvalid_o,
  input  logic                     m_host_wready_i,
  output logic [DataWidth-1:0]     m_host_wdata_o,
  output logic [DataBytes-1:0]     m_host_wstrb_o,
  output logic                     m_host_wlast_o,
  input  logic                     m_host_bvalid_i,
  output logic                     m_host_bready_o,
  input  logic [PortIdWidth-1:0]   m_host_bid_i,
  input  logic [1:0]               m_host_bresp_i,

  // External client ports. A client serves its port while its traffic engine is not busy. A
  // write sends its data first: beats of an id on cl_w, then the request. The id is below Slots and
  // unique among those outstanding. An access of up to 64 bytes never crosses a 64-byte line.
  // Answers come in any order of ids; read data comes in beats, the lowest first.
  input  logic [NumClients-1:0]           cl_req_valid_i,
  output logic [NumClients-1:0]           cl_req_ready_o,
  input  logic [NumClients*SlotLg2-1:0]   cl_req_id_i,
  input  logic [NumClients*6-1:0]         cl_req_space_i,
  input  logic [NumClients*64-1:0]        cl_req_va_i,
  input  logic [NumClients*2-1:0]         cl_req_access_i,
  input  logic [NumClients*7-1:0]         cl_req_bytes_i,   // 1 to 64
  input  logic [NumClients-1:0]           cl_w_valid_i,
  output logic [NumClients-1:0]           cl_w_ready_o,
  input  logic [NumClients*SlotLg2-1:0]   cl_w_id_i,
  input  logic [NumClients*3-1:0]         cl_w_word_i,      // 8-byte word of the line
  input  logic [NumClients*64-1:0]        cl_w_data_i,      // in the byte lanes of memory
  output logic [NumClients-1:0]           cl_rsp_valid_o,
  input  logic [NumClients-1:0]           cl_rsp_ready_i,
  output logic [NumClients*SlotLg2-1:0]   cl_rsp_id_o,
  output logic [NumClients-1:0]           cl_rsp_last_o,
  output logic [NumClients*8-1:0]         cl_rsp_fault_o,   // fault_e; if not 0, the answer is one beat without data
  output logic [NumClients*3-1:0]         cl_rsp_word_o,
  output logic [NumClients*64-1:0]        cl_rsp_data_o,

  // Through-port: an AXI4 manager's virtual addresses (gmmu_through). AxUSER is the address space.
  // Bursts are accepted while ctrl.enable is 1. Without ThroughPorts no ready is ever 1.
  input  logic                            s_thr_arvalid_i,
  output logic                            s_thr_arready_o,
  input  logic [ThroughIdWidth-1:0]       s_thr_arid_i,
  input  logic [63:0]                     s_thr_araddr_i,
  input  logic [7:0]                      s_thr_arlen_i,
  input  logic [2:0]                      s_thr_arsize_i,
  input  logic [1:0]                      s_thr_arburst_i,
  input  logic [2:0]                      s_thr_arprot_i,
  input  logic [5:0]                      s_thr_aruser_i,
  output logic                            s_thr_rvalid_o,
  input  logic                            s_thr_rready_i,
  output logic [ThroughIdWidth-1:0]       s_thr_rid_o,
  output logic [DataWidth-1:0]            s_thr_rdata_o,
  output logic [1:0]                      s_thr_rresp_o,
  output logic                            s_thr_rlast_o,
  input  logic                            s_thr_awvalid_i,
  output logic                            s_thr_awready_o,
  input  logic [ThroughIdWidth-1:0]       s_thr_awid_i,
  input  logic [63:0]                     s_thr_awaddr_i,
  input  logic [7:0]                      s_thr_awlen_i,
  input  logic [2:0]                      s_thr_awsize_i,
  input  logic [1:0]                      s_thr_awburst_i,
  input  logic [5:0]                      s_thr_awuser_i,
  input  logic                            s_thr_wvalid_i,
  output logic                            s_thr_wready_o,
  input  logic [DataWidth-1:0]            s_thr_wdata_i,
  input  logic [DataBytes-1:0]            s_thr_wstrb_i,
  output logic                            s_thr_bvalid_o,
  input  logic                            s_thr_bready_i,
  output logic [ThroughIdWidth-1:0]       s_thr_bid_o,
  output logic [1:0]                      s_thr_bresp_o,

  // VRAM for linked adapters: INCR bursts of the full bus width, never across 4 KiB. Without LinkPort
  // no ready is ever 1.
  input  logic                            s_peer_arvalid_i,
  output logic                            s_peer_arready_o,
  input  logic [IdWidth-1:0]              s_peer_arid_i,
  input  logic [PaWidth-1:0]              s_peer_araddr_i,
  input  logic [7:0]                      s_peer_arlen_i,
  input  logic [2:0]                      s_peer_arsize_i,
  input  logic [1:0]                      s_peer_arburst_i,
  output logic                            s_peer_rvalid_o,
  input  logic                            s_peer_rready_i,  // always 1
  output logic [IdWidth-1:0]              s_peer_rid_o,
  output logic [DataWidth-1:0]            s_peer_rdata_o,
  output logic [1:0]                      s_peer_rresp_o,
  output logic                            s_peer_rlast_o,
  input  logic                            s_peer_awvalid_i,
  output logic                            s_peer_awready_o,
  input  logic [IdWidth-1:0]              s_peer_awid_i,
  input  logic [PaWidth-1:0]              s_peer_awaddr_i,
  input  logic [7:0]                      s_peer_awlen_i,
  input  logic [2:0]                      s_peer_awsize_i,
  input  logic [1:0]                      s_peer_awburst_i,
  input  logic                            s_peer_wvalid_i,
  output logic                            s_peer_wready_o,
  input  logic [DataWidth-1:0]            s_peer_wdata_i,
  input  logic [DataBytes-1:0]            s_peer_wstrb_i,
  input  logic                            s_peer_wlast_i,
  output logic                            s_peer_bvalid_o,
  input  logic                            s_peer_bready_i,  // always 1
  output logic [IdWidth-1:0]              s_peer_bid_o,
  output logic [1:0]                      s_peer_bresp_o,

  // Event port. Each translation port has 192 bits: word 0 va; word 1 {zero[56], target[55:54],
  // adapter[53:48], gpa offset[47:0]}; word 2 {level[26:24], fault[23:16], access[9:8],
  // space[5:0]}.
  output logic [NumPorts-1:0]             ev_xlate_valid_o,
  output logic [NumPorts*192-1:0]         ev_xlate_o,
  // an invalidation (or flush by a changed root) has completed
  output logic                            ev_inv_done_o,
  output logic [1:0]                      ev_inv_scope_o,
  output logic [5:0]                      ev_inv_space_o,
  output logic [63:0]                     ev_inv_start_o,
  output logic [63:0]                     ev_inv_end_o,
  output logic [NumPorts*64-1:0]          ev_xlate_id_o,
  output logic [8:0]                      ev_valid_o,
  output logic [9*192-1:0]                ev_o
);
  // The tests drive no WLAST, so it is derived from AWLEN.
  logic [7:0] thr_left;
  always_ff @(posedge clk_i) begin
    if (s_thr_awvalid_i && s_thr_awready_o) thr_left <= s_thr_awlen_i;
    else if (s_thr_wvalid_i && s_thr_wready_o) thr_left <= thr_left - 8'd1;
  end

  function automatic config_t sizes();
    config_t c;
    c = gmmu_config_pkg::Built;
    c.IdBits = PortIdWidth;
    return c;
  endfunction
  gmmu_gpu_axi #(.Config(sizes())) u_gpu (
    .aclk(clk_i), .areset(rst_i),

    .s_reg_awvalid(s_reg_awvalid_i), .s_reg_awready(s_reg_awready_o), .s_reg_awaddr(s_reg_awaddr_i),
    .s_reg_wvalid(s_reg_wvalid_i), .s_reg_wready(s_reg_wready_o), .s_reg_wdata(s_reg_wdata_i),
    .s_reg_wstrb(s_reg_wstrb_i), .s_reg_bvalid(s_reg_bvalid_o), .s_reg_bready(s_reg_bready_i),
    .s_reg_bresp(s_reg_bresp_o), .s_reg_arvalid(s_reg_arvalid_i), .s_reg_arready(s_reg_arready_o),
    .s_reg_araddr(s_reg_araddr_i), .s_reg_rvalid(s_reg_rvalid_o), .s_reg_rready(s_reg_rready_i),
    .s_reg_rdata(s_reg_rdata_o), .s_reg_rresp(s_reg_rresp_o),

    .s_win_awvalid(s_win_awvalid_i), .s_win_awready(s_win_awready_o), .s_win_awaddr(s_win_awaddr_i),
    .s_win_wvalid(s_win_wvalid_i), .s_win_wready(s_win_wready_o), .s_win_wdata(s_win_wdata_i),
    .s_win_wstrb(s_win_wstrb_i), .s_win_bvalid(s_win_bvalid_o), .s_win_bready(s_win_bready_i),
    .s_win_bresp(s_win_bresp_o), .s_win_arvalid(s_win_arvalid_i), .s_win_arready(s_win_arready_o),
    .s_win_araddr(s_win_araddr_i), .s_win_rvalid(s_win_rvalid_o), .s_win_rready(s_win_rready_i),
    .s_win_rdata(s_win_rdata_o), .s_win_rresp(s_win_rresp_o),

    .m_vram_arvalid(m_vram_arvalid_o), .m_vram_arready(m_vram_arready_i),
    .m_vram_arid(m_vram_arid_o), .m_vram_araddr(m_vram_araddr_o), .m_vram_arlen(m_vram_arlen_o),
    .m_vram_arsize(m_vram_arsize_o), .m_vram_arburst(m_vram_arburst_o),
    .m_vram_rvalid(m_vram_rvalid_i), .m_vram_rready(m_vram_rready_o), .m_vram_rid(m_vram_rid_i),
    .m_vram_rdata(m_vram_rdata_i), .m_vram_rresp(m_vram_rresp_i), .m_vram_rlast(m_vram_rlast_i),
    .m_vram_awvalid(m_vram_awvalid_o), .m_vram_awready(m_vram_awready_i),
    .m_vram_awid(m_vram_awid_o), .m_vram_awaddr(m_vram_awaddr_o), .m_vram_awlen(m_vram_awlen_o),
    .m_vram_awsize(m_vram_awsize_o), .m_vram_awburst(m_vram_awburst_o),
    .m_vram_wvalid(m_vram_wvalid_o), .m_vram_wready(m_vram_wready_i), .m_vram_wdata(m_vram_wdata_o),
    .m_vram_wstrb(m_vram_wstrb_o), .m_vram_wlast(m_vram_wlast_o), .m_vram_bvalid(m_vram_bvalid_i),
    .m_vram_bready(m_vram_bready_o), .m_vram_bid(m_vram_bid_i), .m_vram_bresp(m_vram_bresp_i),
    .m_vram_arlock(), .m_vram_arcache(), .m_vram_arprot(), .m_vram_arqos(), .m_vram_awlock(),
    .m_vram_awcache(), .m_vram_awprot(), .m_vram_awqos(),

    .m_host_arvalid(m_host_arvalid_o), .m_host_arready(m_host_arready_i),
    .m_host_arid(m_host_arid_o), .m_host_araddr(m_host_araddr_o), .m_host_arlen(m_host_arlen_o),
    .m_host_arsize(m_host_arsize_o), .m_host_arburst(m_host_arburst_o),
    .m_host_aruser(m_host_aruser_o), .m_host_rvalid(m_host_rvalid_i),
    .m_host_rready(m_host_rready_o), .m_host_rid(m_host_rid_i), .m_host_rdata(m_host_rdata_i),
    .m_host_rresp(m_host_rresp_i), .m_host_rlast(m_host_rlast_i), .m_host_awvalid(m_host_awvalid_o),
    .m_host_awready(m_host_awready_i), .m_host_awid(m_host_awid_o), .m_host_awaddr(m_host_awaddr_o),
    .m_host_awlen(m_host_awlen_o), .m_host_awsize(m_host_awsize_o),
    .m_host_awburst(m_host_awburst_o), .m_host_awuser(m_host_awuser_o),
    .m_host_wvalid(m_host_wvalid_o), .m_host_wready(m_host_wready_i), .m_host_wdata(m_host_wdata_o),
    .m_host_wstrb(m_host_wstrb_o), .m_host_wlast(m_host_wlast_o), .m_host_bvalid(m_host_bvalid_i),
    .m_host_bready(m_host_bready_o), .m_host_bid(m_host_bid_i), .m_host_bresp(m_host_bresp_i),
    .m_host_arlock(), .m_host_arcache(), .m_host_arprot(), .m_host_arqos(), .m_host_awlock(),
    .m_host_awcache(), .m_host_awprot(), .m_host_awqos(),

    .s_thr_arvalid(s_thr_arvalid_i), .s_thr_arready(s_thr_arready_o), .s_thr_arid(s_thr_arid_i),
    .s_thr_araddr(s_thr_araddr_i), .s_thr_arlen(s_thr_arlen_i), .s_thr_arsize(s_thr_arsize_i),
    .s_thr_arburst(s_thr_arburst_i), .s_thr_arprot(s_thr_arprot_i), .s_thr_aruser(s_thr_aruser_i),
    .s_thr_rvalid(s_thr_rvalid_o), .s_thr_rready(s_thr_rready_i), .s_thr_rid(s_thr_rid_o),
    .s_thr_rdata(s_thr_rdata_o), .s_thr_rresp(s_thr_rresp_o), .s_thr_rlast(s_thr_rlast_o),
    .s_thr_awvalid(s_thr_awvalid_i), .s_thr_awready(s_thr_awready_o), .s_thr_awid(s_thr_awid_i),
    .s_thr_awaddr(s_thr_awaddr_i), .s_thr_awlen(s_thr_awlen_i), .s_thr_awsize(s_thr_awsize_i),
    .s_thr_awburst(s_thr_awburst_i), .s_thr_awuser(s_thr_awuser_i), .s_thr_wvalid(s_thr_wvalid_i),
    .s_thr_wready(s_thr_wready_o), .s_thr_wdata(s_thr_wdata_i), .s_thr_wstrb(s_thr_wstrb_i),
    .s_thr_bvalid(s_thr_bvalid_o), .s_thr_bready(s_thr_bready_i), .s_thr_bid(s_thr_bid_o),
    .s_thr_bresp(s_thr_bresp_o), .s_thr_wlast(thr_left == 8'd0),

    .s_peer_arvalid(s_peer_arvalid_i), .s_peer_arready(s_peer_arready_o),
    .s_peer_arid(s_peer_arid_i), .s_peer_araddr(s_peer_araddr_i), .s_peer_arlen(s_peer_arlen_i),
    .s_peer_arsize(s_peer_arsize_i), .s_peer_arburst(s_peer_arburst_i),
    .s_peer_rvalid(s_peer_rvalid_o), .s_peer_rready(s_peer_rready_i), .s_peer_rid(s_peer_rid_o),
    .s_peer_rdata(s_peer_rdata_o), .s_peer_rresp(s_peer_rresp_o), .s_peer_rlast(s_peer_rlast_o),
    .s_peer_awvalid(s_peer_awvalid_i), .s_peer_awready(s_peer_awready_o),
    .s_peer_awid(s_peer_awid_i), .s_peer_awaddr(s_peer_awaddr_i), .s_peer_awlen(s_peer_awlen_i),
    .s_peer_awsize(s_peer_awsize_i), .s_peer_awburst(s_peer_awburst_i),
    .s_peer_wvalid(s_peer_wvalid_i), .s_peer_wready(s_peer_wready_o), .s_peer_wdata(s_peer_wdata_i),
    .s_peer_wstrb(s_peer_wstrb_i), .s_peer_wlast(s_peer_wlast_i), .s_peer_bvalid(s_peer_bvalid_o),
    .s_peer_bready(s_peer_bready_i), .s_peer_bid(s_peer_bid_o), .s_peer_bresp(s_peer_bresp_o),

    .*
  );
endmodule

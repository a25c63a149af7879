// SPDX-License-Identifier: Apache-2.0
// gmmu_gpu for a user's design: its AXI ports have the standard names that tools and libraries
// expect, and m_vram and m_host have ids of IdBits bits. Wiring only; the comment above gmmu_gpu
// describes the ports. Ports that are not AXI keep their names.
//
//   aclk, areset  areset is synchronous and high for at least one edge
//   IdBits        2**IdBits reads and as many writes may be outstanding at a memory port; further
//                 ones wait (gmmu_axi_ids). 16: the GPU's own ids, {generation, requester, id}, and
//                 no register in between
//   AxCACHE       m_vram: 0011, Normal Non-cacheable Bufferable, since all accesses to VRAM pass
//                 this port. m_host: by AxUSER (host_cache of gmmu_axi_pkg)
//   AxPROT        010: unprivileged, non-secure, data. Page tables and IOMMU decide access rights;
//                 the GPU fetches no instructions from memory
//   AxLOCK, AxQOS 0: no exclusive access, no quality of service
//   ev_*          lanes 7 and 8 report a write when gmmu_axi_ids accepts it, with the GPU's own id
module gmmu_gpu_axi
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumClients = Config.NumClients,
  localparam int unsigned NumPorts = Config.NumPorts,
  localparam int unsigned IdBits = Config.IdBits
) (
  input  logic                          aclk,
  input  logic                          areset,

  input  logic [63:0]                   cycle_i,  // cycles since reset release
  input  logic [63:0]                   vram_bytes_i,  // size of the VRAM behind m_vram, a multiple of 4 KiB
  input  logic                          bus_master_i,  // bit 2 of the PCI command register: m_host may send
  input  logic                          silence_i,  // bus-silence request: m_host stops and drains
  output logic                          silent_o,  // m_host begins no burst and awaits no response
  input  logic                          reset_i,  // pulse: function-level reset
  output logic                          resetting_o,  // 1 until the reset has ended
  input  logic                          msi_enable_i,
  input  logic [63:0]                   msi_address_i,
  input  logic [31:0]                   msi_data_i,
  output logic                          irq_o,  // level: an enabled cause is set (int_status)
  output logic                          idle_o,

  input  logic                          s_reg_awvalid,
  output logic                          s_reg_awready,
  input  logic [15:0]                   s_reg_awaddr,
  input  logic                          s_reg_wvalid,
  output logic                          s_reg_wready,
  input  logic [63:0]                   s_reg_wdata,
  input  logic [7:0]                    s_reg_wstrb,
  output logic                          s_reg_bvalid,
  input  logic                          s_reg_bready,
  output logic [1:0]                    s_reg_bresp,
  input  logic                          s_reg_arvalid,
  output logic                          s_reg_arready,
  input  logic [15:0]                   s_reg_araddr,
  output logic                          s_reg_rvalid,
  input  logic                          s_reg_rready,
  output logic [63:0]                   s_reg_rdata,
  output logic [1:0]                    s_reg_rresp,

  input  logic                          s_win_awvalid,
  output logic                          s_win_awready,
  input  logic [31:0]                   s_win_awaddr,  // byte offset in BAR2
  input  logic                          s_win_wvalid,
  output logic                          s_win_wready,
  input  logic [63:0]                   s_win_wdata,
  input  logic [7:0]                    s_win_wstrb,
  output logic                          s_win_bvalid,
  input  logic                          s_win_bready,
  output logic [1:0]                    s_win_bresp,
  input  logic                          s_win_arvalid,
  output logic                          s_win_arready,
  input  logic [31:0]                   s_win_araddr,
  output logic                          s_win_rvalid,
  input  logic                          s_win_rready,
  output logic [63:0]                   s_win_rdata,
  output logic [1:0]                    s_win_rresp,

  output logic                          m_vram_arvalid,
  input  logic                          m_vram_arready,
  output logic [IdBits-1:0]             m_vram_arid,
  output logic [PaWidth-1:0]            m_vram_araddr,
  output logic [7:0]                    m_vram_arlen,
  output logic [2:0]                    m_vram_arsize,
  output logic [1:0]                    m_vram_arburst,
  output logic                          m_vram_arlock,
  output logic [3:0]                    m_vram_arcache,
  output logic [2:0]                    m_vram_arprot,
  output logic [3:0]                    m_vram_arqos,
  input  logic                          m_vram_rvalid,
  output logic                          m_vram_rready,
  input  logic [IdBits-1:0]             m_vram_rid,
  input  logic [DataWidth-1:0]          m_vram_rdata,
  input  logic [1:0]                    m_vram_rresp,
  input  logic                          m_vram_rlast,
  output logic                          m_vram_awvalid,
  input  logic                          m_vram_awready,
  output logic [IdBits-1:0]             m_vram_awid,
  output logic [PaWidth-1:0]            m_vram_awaddr,
  output logic [7:0]                    m_vram_awlen,
  output logic [2:0]                    m_vram_awsize,
  output logic [1:0]                    m_vram_awburst,
  output logic                          m_vram_awlock,
  output logic [3:0]                    m_vram_awcache,
  output logic [2:0]                    m_vram_awprot,
  output logic [3:0]                    m_vram_awqos,
  output logic                          m_vram_wvalid,
  input  logic                          m_vram_wready,
  output logic [DataWidth-1:0]          m_vram_wdata,
  output logic [DataBytes-1:0]          m_vram_wstrb,
  output logic                          m_vram_wlast,
  input  logic                          m_vram_bvalid,
  output logic                          m_vram_bready,
  input  logic [IdBits-1:0]             m_vram_bid,
  input  logic [1:0]                    m_vram_bresp,

  output logic                          m_host_arvalid,
  input  logic                          m_host_arready,
  output logic [IdBits-1:0]             m_host_arid,
  output logic [PaWidth-1:0]            m_host_araddr,
  output logic [7:0]                    m_host_arlen,
  output logic [2:0]                    m_host_arsize,
  output logic [1:0]                    m_host_arburst,
  output logic                          m_host_arlock,
  output logic [3:0]                    m_host_arcache,
  output logic [2:0]                    m_host_arprot,
  output logic [3:0]                    m_host_arqos,
  output logic [$bits(user_t)-1:0]      m_host_aruser,
  input  logic                          m_host_rvalid,
  output logic                          m_host_rready,
  input  logic [IdBits-1:0]             m_host_rid,
  input  logic [DataWidth-1:0]          m_host_rdata,
  input  logic [1:0]                    m_host_rresp,
  input  logic                          m_host_rlast,
  output logic                          m_host_awvalid,
  input  logic                          m_host_awready,
  output logic [IdBits-1:0]             m_host_awid,
  output logic [PaWidth-1:0]            m_host_awaddr,
  output logic [7:0]                    m_host_awlen,
  output logic [2:0]                    m_host_awsize,
  output logic [1:0]                    m_host_awburst,
  output logic                          m_host_awlock,
  output logic [3:0]                    m_host_awcache,
  output logic [2:0]                    m_host_awprot,
  output logic [3:0]                    m_host_awqos,
  output logic [$bits(user_t)-1:0]      m_host_awuser,
  output logic                          m_host_wvalid,
  input  logic                          m_host_wready,
  output logic [DataWidth-1:0]          m_host_wdata,
  output logic [DataBytes-1:0]          m_host_wstrb,
  output logic                          m_host_wlast,
  input  logic                          m_host_bvalid,
  output logic                          m_host_bready,
  input  logic [IdBits-1:0]             m_host_bid,
  input  logic [1:0]                    m_host_bresp,

  // Client ports, as in gmmu_gpu.
  input  logic [NumClients-1:0]         cl_req_valid_i,
  output logic [NumClients-1:0]         cl_req_ready_o,
  input  logic [NumClients*SlotLg2-1:0] cl_req_id_i,
  input  logic [NumClients*6-1:0]       cl_req_space_i,
  input  logic [NumClients*64-1:0]      cl_req_va_i,
  input  logic [NumClients*2-1:0]       cl_req_access_i,
  input  logic [NumClients*7-1:0]       cl_req_bytes_i,  // 1 to 64
  input  logic [NumClients-1:0]         cl_w_valid_i,
  output logic [NumClients-1:0]         cl_w_ready_o,
  input  logic [NumClients*SlotLg2-1:0] cl_w_id_i,
  input  logic [NumClients*3-1:0]       cl_w_word_i,  // 8-byte word of the line
  input  logic [NumClients*64-1:0]      cl_w_data_i,  // in the byte lanes of memory
  output logic [NumClients-1:0]         cl_rsp_valid_o,
  input  logic [NumClients-1:0]         cl_rsp_ready_i,
  output logic [NumClients*SlotLg2-1:0] cl_rsp_id_o,
  output logic [NumClients-1:0]         cl_rsp_last_o,
  output logic [NumClients*8-1:0]       cl_rsp_fault_o,  // fault_e; if not 0, the answer is one beat without data
  output logic [NumClients*3-1:0]       cl_rsp_word_o,
  output logic [NumClients*64-1:0]      cl_rsp_data_o,

  // Through-port, as in gmmu_gpu; a wrong WLAST fails an assertion in simulation and is otherwise
  // ignored.
  input  logic                          s_thr_arvalid,
  output logic                          s_thr_arready,
  input  logic [ThroughIdWidth-1:0]     s_thr_arid,
  input  logic [63:0]                   s_thr_araddr,
  input  logic [7:0]                    s_thr_arlen,
  input  logic [2:0]                    s_thr_arsize,
  input  logic [1:0]                    s_thr_arburst,
  input  logic [2:0]                    s_thr_arprot,
  input  logic [5:0]                    s_thr_aruser,
  output logic                          s_thr_rvalid,
  input  logic                          s_thr_rready,
  output logic [ThroughIdWidth-1:0]     s_thr_rid,
  output logic [DataWidth-1:0]          s_thr_rdata,
  output logic [1:0]                    s_thr_rresp,
  output logic                          s_thr_rlast,
  input  logic                          s_thr_awvalid,
  output logic                          s_thr_awready,
  input  logic [ThroughIdWidth-1:0]     s_thr_awid,
  input  logic [63:0]                   s_thr_awaddr,
  input  logic [7:0]                    s_thr_awlen,
  input  logic [2:0]                    s_thr_awsize,
  input  logic [1:0]                    s_thr_awburst,
  input  logic [5:0]                    s_thr_awuser,
  input  logic                          s_thr_wvalid,
  output logic                          s_thr_wready,
  input  logic [DataWidth-1:0]          s_thr_wdata,
  input  logic [DataBytes-1:0]          s_thr_wstrb,
  input  logic                          s_thr_wlast,
  output logic                          s_thr_bvalid,
  input  logic                          s_thr_bready,
  output logic [ThroughIdWidth-1:0]     s_thr_bid,
  output logic [1:0]                    s_thr_bresp,

  // VRAM for linked adapters, not a general AXI4 subordinate (gmmu_gpu). Without LinkPort no ready is ever 1.
  input  logic                          s_peer_arvalid,
  output logic                          s_peer_arready,
  input  logic [IdWidth-1:0]            s_peer_arid,
  input  logic [PaWidth-1:0]            s_peer_araddr,
  input  logic [7:0]                    s_peer_arlen,
  input  logic [2:0]                    s_peer_arsize,
  input  logic [1:0]                    s_peer_arburst,
  output logic                          s_peer_rvalid,
  input  logic                          s_peer_rready,  // always 1
  output logic [IdWidth-1:0]            s_peer_rid,
  output logic [DataWidth-1:0]          s_peer_rdata,
  output logic [1:0]                    s_peer_rresp,
  output logic                          s_peer_rlast,
  input  logic                          s_peer_awvalid,
  output logic                          s_peer_awready,
  input  logic [IdWidth-1:0]            s_peer_awid,
  input  logic [PaWidth-1:0]            s_peer_awaddr,
  input  logic [7:0]                    s_peer_awlen,
  input  logic [2:0]                    s_peer_awsize,
  input  logic [1:0]                    s_peer_awburst,
  input  logic                          s_peer_wvalid,
  output logic                          s_peer_wready,
  input  logic [DataWidth-1:0]          s_peer_wdata,
  input  logic [DataBytes-1:0]          s_peer_wstrb,
  input  logic                          s_peer_wlast,
  output logic                          s_peer_bvalid,
  input  logic                          s_peer_bready,  // always 1
  output logic [IdWidth-1:0]            s_peer_bid,
  output logic [1:0]                    s_peer_bresp,

  // Event port, as in gmmu_gpu.
  output logic [NumPorts-1:0]           ev_xlate_valid_o,
  output logic [NumPorts*192-1:0]       ev_xlate_o,
  output logic                          ev_inv_done_o,
  output logic [1:0]                    ev_inv_scope_o,
  output logic [5:0]                    ev_inv_space_o,
  output logic [63:0]                   ev_inv_start_o,
  output logic [63:0]                   ev_inv_end_o,
  output logic [NumPorts*64-1:0]        ev_xlate_id_o,
  output logic [8:0]                    ev_valid_o,
  output logic [9*192-1:0]              ev_o
);

  // The fields that gmmu_axi_ids passes. Size and burst are constants and bypass it.
  typedef struct packed {
    pa_t        addr;
    logic [7:0] len;
  } vram_ax_t;
  typedef struct packed {
    pa_t        addr;
    logic [7:0] len;
    user_t      user;
  } host_ax_t;
  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [1:0]           resp;
  } data_t;

  vram_ax_t               vram_ar, vram_aw;
  host_ax_t               host_ar, host_aw, out_ar, out_aw;
  w_t                     vram_w, host_w;
  data_t                  vram_r, host_r;
  logic [PortIdWidth-1:0] vram_arid, vram_awid, vram_rid, vram_bid;
  logic [PortIdWidth-1:0] host_arid, host_awid, host_rid, host_bid;
  logic [1:0]             vram_bresp, host_bresp;
  logic vram_arvalid, vram_arready, vram_awvalid, vram_awready, vram_wvalid, vram_wready,
      vram_rvalid, vram_rready, vram_rlast, vram_bvalid, vram_bready, vram_stray;
  logic host_arvalid, host_arready, host_awvalid, host_awready, host_wvalid, host_wready,
      host_rvalid, host_rready, host_rlast, host_bvalid, host_bready, host_stray;
  logic thr_wrong;

  gmmu_gpu #(.Config(Config)) u_gpu (
    .clk_i(aclk), .rst_i(areset),

    .s_reg_awvalid_i(s_reg_awvalid), .s_reg_awready_o(s_reg_awready), .s_reg_awaddr_i(s_reg_awaddr),
    .s_reg_wvalid_i(s_reg_wvalid), .s_reg_wready_o(s_reg_wready), .s_reg_wdata_i(s_reg_wdata),
    .s_reg_wstrb_i(s_reg_wstrb), .s_reg_bvalid_o(s_reg_bvalid), .s_reg_bready_i(s_reg_bready),
    .s_reg_bresp_o(s_reg_bresp), .s_reg_arvalid_i(s_reg_arvalid), .s_reg_arready_o(s_reg_arready),
    .s_reg_araddr_i(s_reg_araddr), .s_reg_rvalid_o(s_reg_rvalid), .s_reg_rready_i(s_reg_rready),
    .s_reg_rdata_o(s_reg_rdata), .s_reg_rresp_o(s_reg_rresp),

    .s_win_awvalid_i(s_win_awvalid), .s_win_awready_o(s_win_awready), .s_win_awaddr_i(s_win_awaddr),
    .s_win_wvalid_i(s_win_wvalid), .s_win_wready_o(s_win_wready), .s_win_wdata_i(s_win_wdata),
    .s_win_wstrb_i(s_win_wstrb), .s_win_bvalid_o(s_win_bvalid), .s_win_bready_i(s_win_bready),
    .s_win_bresp_o(s_win_bresp), .s_win_arvalid_i(s_win_arvalid), .s_win_arready_o(s_win_arready),
    .s_win_araddr_i(s_win_araddr), .s_win_rvalid_o(s_win_rvalid), .s_win_rready_i(s_win_rready),
    .s_win_rdata_o(s_win_rdata), .s_win_rresp_o(s_win_rresp),

    .m_vram_arvalid_o(vram_arvalid), .m_vram_arready_i(vram_arready), .m_vram_arid_o(vram_arid),
    .m_vram_araddr_o(vram_ar.addr), .m_vram_arlen_o(vram_ar.len), .m_vram_arsize_o(m_vram_arsize),
    .m_vram_arburst_o(m_vram_arburst), .m_vram_rvalid_i(vram_rvalid), .m_vram_rready_o(vram_rready),
    .m_vram_rid_i(vram_rid), .m_vram_rdata_i(vram_r.data), .m_vram_rresp_i(vram_r.resp),
    .m_vram_rlast_i(vram_rlast), .m_vram_awvalid_o(vram_awvalid), .m_vram_awready_i(vram_awready),
    .m_vram_awid_o(vram_awid), .m_vram_awaddr_o(vram_aw.addr), .m_vram_awlen_o(vram_aw.len),
    .m_vram_awsize_o(m_vram_awsize), .m_vram_awburst_o(m_vram_awburst),
    .m_vram_wvalid_o(vram_wvalid), .m_vram_wready_i(vram_wready), .m_vram_wdata_o(vram_w.data),
    .m_vram_wstrb_o(vram_w.strb), .m_vram_wlast_o(vram_w.last), .m_vram_bvalid_i(vram_bvalid),
    .m_vram_bready_o(vram_bready), .m_vram_bid_i(vram_bid), .m_vram_bresp_i(vram_bresp),

    .m_host_arvalid_o(host_arvalid), .m_host_arready_i(host_arready), .m_host_arid_o(host_arid),
    .m_host_araddr_o(host_ar.addr), .m_host_arlen_o(host_ar.len), .m_host_arsize_o(m_host_arsize),
    .m_host_arburst_o(m_host_arburst), .m_host_aruser_o(host_ar.user),
    .m_host_rvalid_i(host_rvalid), .m_host_rready_o(host_rready), .m_host_rid_i(host_rid),
    .m_host_rdata_i(host_r.data), .m_host_rresp_i(host_r.resp), .m_host_rlast_i(host_rlast),
    .m_host_awvalid_o(host_awvalid), .m_host_awready_i(host_awready), .m_host_awid_o(host_awid),
    .m_host_awaddr_o(host_aw.addr), .m_host_awlen_o(host_aw.len), .m_host_awsize_o(m_host_awsize),
    .m_host_awburst_o(m_host_awburst), .m_host_awuser_o(host_aw.user),
    .m_host_wvalid_o(host_wvalid), .m_host_wready_i(host_wready), .m_host_wdata_o(host_w.data),
    .m_host_wstrb_o(host_w.strb), .m_host_wlast_o(host_w.last), .m_host_bvalid_i(host_bvalid),
    .m_host_bready_o(host_bready), .m_host_bid_i(host_bid), .m_host_bresp_i(host_bresp),

    .s_thr_arvalid_i(s_thr_arvalid), .s_thr_arready_o(s_thr_arready), .s_thr_arid_i(s_thr_arid),
    .s_thr_araddr_i(s_thr_araddr), .s_thr_arlen_i(s_thr_arlen), .s_thr_arsize_i(s_thr_arsize),
    .s_thr_arburst_i(s_thr_arburst), .s_thr_arprot_i(s_thr_arprot), .s_thr_aruser_i(s_thr_aruser),
    .s_thr_rvalid_o(s_thr_rvalid), .s_thr_rready_i(s_thr_rready), .s_thr_rid_o(s_thr_rid),
    .s_thr_rdata_o(s_thr_rdata), .s_thr_rresp_o(s_thr_rresp), .s_thr_rlast_o(s_thr_rlast),
    .s_thr_awvalid_i(s_thr_awvalid), .s_thr_awready_o(s_thr_awready), .s_thr_awid_i(s_thr_awid),
    .s_thr_awaddr_i(s_thr_awaddr), .s_thr_awlen_i(s_thr_awlen), .s_thr_awsize_i(s_thr_awsize),
    .s_thr_awburst_i(s_thr_awburst), .s_thr_awuser_i(s_thr_awuser), .s_thr_wvalid_i(s_thr_wvalid),
    .s_thr_wready_o(s_thr_wready), .s_thr_wdata_i(s_thr_wdata), .s_thr_wstrb_i(s_thr_wstrb),
    .s_thr_bvalid_o(s_thr_bvalid), .s_thr_bready_i(s_thr_bready), .s_thr_bid_o(s_thr_bid),
    .s_thr_bresp_o(s_thr_bresp),

    .s_peer_arvalid_i(s_peer_arvalid), .s_peer_arready_o(s_peer_arready),
    .s_peer_arid_i(s_peer_arid), .s_peer_araddr_i(s_peer_araddr), .s_peer_arlen_i(s_peer_arlen),
    .s_peer_arsize_i(s_peer_arsize), .s_peer_arburst_i(s_peer_arburst),
    .s_peer_rvalid_o(s_peer_rvalid), .s_peer_rready_i(s_peer_rready), .s_peer_rid_o(s_peer_rid),
    .s_peer_rdata_o(s_peer_rdata), .s_peer_rresp_o(s_peer_rresp), .s_peer_rlast_o(s_peer_rlast),
    .s_peer_awvalid_i(s_peer_awvalid), .s_peer_awready_o(s_peer_awready),
    .s_peer_awid_i(s_peer_awid), .s_peer_awaddr_i(s_peer_awaddr), .s_peer_awlen_i(s_peer_awlen),
    .s_peer_awsize_i(s_peer_awsize), .s_peer_awburst_i(s_peer_awburst),
    .s_peer_wvalid_i(s_peer_wvalid), .s_peer_wready_o(s_peer_wready), .s_peer_wdata_i(s_peer_wdata),
    .s_peer_wstrb_i(s_peer_wstrb), .s_peer_wlast_i(s_peer_wlast), .s_peer_bvalid_o(s_peer_bvalid),
    .s_peer_bready_i(s_peer_bready), .s_peer_bid_o(s_peer_bid), .s_peer_bresp_o(s_peer_bresp),

    .*  // all other ports have the same names here
  );

  gmmu_axi_ids #(
    .IdBits(IdBits), .UpBits(PortIdWidth),
    .Shared(1'b1), .SharedId(EdgeIdWidth'(ReqWindow) << IdWidth),
    .AxWidth($bits(vram_ax_t)), .WWidth($bits(w_t)), .RWidth($bits(data_t)), .BWidth(2)
  ) u_vram_ids (
    .clk_i(aclk), .rst_i(areset), .stray_o(vram_stray),
    .s_ar_valid_i(vram_arvalid), .s_ar_ready_o(vram_arready), .s_ar_id_i(vram_arid),
    .s_ar_i(vram_ar),
    .s_r_valid_o(vram_rvalid), .s_r_ready_i(vram_rready), .s_r_id_o(vram_rid), .s_r_o(vram_r),
    .s_r_last_o(vram_rlast),
    .s_aw_valid_i(vram_awvalid), .s_aw_ready_o(vram_awready), .s_aw_id_i(vram_awid),
    .s_aw_i(vram_aw),
    .s_w_valid_i(vram_wvalid), .s_w_ready_o(vram_wready), .s_w_i(vram_w),
    .s_b_valid_o(vram_bvalid), .s_b_ready_i(vram_bready), .s_b_id_o(vram_bid),
    .s_b_o(vram_bresp),
    .m_ar_valid_o(m_vram_arvalid), .m_ar_ready_i(m_vram_arready), .m_ar_id_o(m_vram_arid),
    .m_ar_o({m_vram_araddr, m_vram_arlen}),
    .m_r_valid_i(m_vram_rvalid), .m_r_ready_o(m_vram_rready), .m_r_id_i(m_vram_rid),
    .m_r_i({m_vram_rdata, m_vram_rresp}), .m_r_last_i(m_vram_rlast),
    .m_aw_valid_o(m_vram_awvalid), .m_aw_ready_i(m_vram_awready), .m_aw_id_o(m_vram_awid),
    .m_aw_o({m_vram_awaddr, m_vram_awlen}),
    .m_w_valid_o(m_vram_wvalid), .m_w_ready_i(m_vram_wready),
    .m_w_o({m_vram_wdata, m_vram_wstrb, m_vram_wlast}),
    .m_b_valid_i(m_vram_bvalid), .m_b_ready_o(m_vram_bready), .m_b_id_i(m_vram_bid),
    .m_b_i(m_vram_bresp)
  );

  gmmu_axi_ids #(
    .IdBits(IdBits), .UpBits(PortIdWidth),
    .AxWidth($bits(host_ax_t)), .WWidth($bits(w_t)), .RWidth($bits(data_t)), .BWidth(2)
  ) u_host_ids (
    .clk_i(aclk), .rst_i(areset), .stray_o(host_stray),
    .s_ar_valid_i(host_arvalid), .s_ar_ready_o(host_arready), .s_ar_id_i(host_arid),
    .s_ar_i(host_ar),
    .s_r_valid_o(host_rvalid), .s_r_ready_i(host_rready), .s_r_id_o(host_rid), .s_r_o(host_r),
    .s_r_last_o(host_rlast),
    .s_aw_valid_i(host_awvalid), .s_aw_ready_o(host_awready), .s_aw_id_i(host_awid),
    .s_aw_i(host_aw),
    .s_w_valid_i(host_wvalid), .s_w_ready_o(host_wready), .s_w_i(host_w),
    .s_b_valid_o(host_bvalid), .s_b_ready_i(host_bready), .s_b_id_o(host_bid),
    .s_b_o(host_bresp),
    .m_ar_valid_o(m_host_arvalid), .m_ar_ready_i(m_host_arready), .m_ar_id_o(m_host_arid),
    .m_ar_o(out_ar),
    .m_r_valid_i(m_host_rvalid), .m_r_ready_o(m_host_rready), .m_r_id_i(m_host_rid),
    .m_r_i({m_host_rdata, m_host_rresp}), .m_r_last_i(m_host_rlast),
    .m_aw_valid_o(m_host_awvalid), .m_aw_ready_i(m_host_awready), .m_aw_id_o(m_host_awid),
    .m_aw_o(out_aw),
    .m_w_valid_o(m_host_wvalid), .m_w_ready_i(m_host_wready),
    .m_w_o({m_host_wdata, m_host_wstrb, m_host_wlast}),
    .m_b_valid_i(m_host_bvalid), .m_b_ready_o(m_host_bready), .m_b_id_i(m_host_bid),
    .m_b_i(m_host_bresp)
  );

  assign {m_vram_arlock, m_vram_awlock, m_host_arlock, m_host_awlock} = '0;
  assign {m_vram_arqos, m_vram_awqos, m_host_arqos, m_host_awqos} = '0;
  assign {m_vram_arprot, m_vram_awprot, m_host_arprot, m_host_awprot} = {4{AxProt}};
  assign {m_vram_arcache, m_vram_awcache} = {2{CacheBufferable}};
  assign {m_host_araddr, m_host_arlen, m_host_aruser} = out_ar;
  assign {m_host_awaddr, m_host_awlen, m_host_awuser} = out_aw;
  assign m_host_arcache = host_cache(out_ar.user.kind, out_ar.user.no_snoop);
  assign m_host_awcache = host_cache(out_aw.user.kind, out_aw.user.no_snoop);

  gmmu_axi_wlast u_thr_wlast (
    .clk_i(aclk), .rst_i(areset), .aw_i(s_thr_awvalid && s_thr_awready), .aw_len_i(s_thr_awlen),
    .w_i(s_thr_wvalid && s_thr_wready), .w_last_i(s_thr_wlast), .wrong_o(thr_wrong)
  );
  a_thr_wlast: assert property (@(posedge aclk) disable iff (areset) !thr_wrong);
  a_known_ids: assert property (@(posedge aclk) disable iff (areset) !vram_stray && !host_stray);
endmodule

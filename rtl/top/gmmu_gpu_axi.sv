// SPDX-License-Identifier: Apache-2.0
// gmmu_gpu with the AXI port names that tools and libraries expect, for use in a user's design;
// m_vram and m_host have ids of IdBits bits. It is wiring only; the comment above gmmu_gpu
// describes the ports. Ports that are not AXI keep their names.
//
//   aclk, areset  areset is synchronous and high for at least one edge
//   IdBits        at most 2**IdBits reads and 2**IdBits writes are outstanding at a memory port;
//                 further bursts wait (gmmu_axi_ids). 16: the GPU's own ids, {generation,
//                 requester, id}, without registers in between
//   AxCACHE       m_vram: 0011, Normal Non-cacheable Bufferable, since all accesses to VRAM use
//                 this port. m_host: depends on AxUSER (host_cache of gmmu_axi_pkg)
//   AxPROT        010: unprivileged, non-secure, data. Page tables and IOMMU decide access rights;
//                 the GPU fetches no instructions from memory
//   AxLOCK, AxQOS 0: no exclusive access, no quality of service
//   ev_*          lanes 7 and 8 report a write when gmmu_axi_ids accepts it, with the GPU's own id
module gmmu_gpu_axi
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::access_e;
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
  output logic                          silent_o,  // m_host starts no burst and awaits no response
  input  logic                          reset_i,  // pulse: function-level reset
  output logic                          resetting_o,  // 1 until the reset is complete
  input  message_t                      message_i,
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
  output logic [NumClients*8-1:0]       cl_rsp_fault_o,  // fault_e; if not 0: one beat without data
  output logic [NumClients*3-1:0]       cl_rsp_word_o,
  output logic [NumClients*64-1:0]      cl_rsp_data_o,

  // Through-port, as in gmmu_gpu. A wrong WLAST fails an assertion in simulation and is otherwise
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

  // VRAM for linked adapters, not a general AXI4 subordinate (gmmu_gpu). Without LinkPort, all
  // readys stay 0.
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

  // The fields that gmmu_axi_ids passes through besides the id.
  typedef struct packed {
    pa_t        addr;
    logic [7:0] len;
  } vram_ax_t;
  typedef struct packed {
    pa_t        addr;
    logic [7:0] len;
    user_t      user;
  } host_ax_t;

  // The GPU's memory ports: [0] m_vram, [1] m_host.
  logic     [1:0] ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready, stray;
  port_ax_t [1:0] ar, aw;
  port_r_t  [1:0] r;
  w_t       [1:0] w;
  port_b_t  [1:0] b;
  host_ax_t       out_ar, out_aw;
  logic           thr_wrong;
  client_req_t [NumClients-1:0] cl_req;
  client_w_t   [NumClients-1:0] cl_w;
  client_rsp_t [NumClients-1:0] cl_rsp;
  for (genvar i = 0; i < NumClients; i++) begin : g_client
    assign cl_req[i] = '{id: cl_req_id_i[SlotLg2*i +: SlotLg2], space: cl_req_space_i[6*i +: 6], va: cl_req_va_i[64*i +: 64],
                         access: access_e'(cl_req_access_i[2*i +: 2]), bytes: cl_req_bytes_i[7*i +: 7]};
    assign cl_w[i] = '{id: cl_w_id_i[SlotLg2*i +: SlotLg2], word: cl_w_word_i[3*i +: 3]};
    assign {cl_rsp_id_o[SlotLg2*i +: SlotLg2], cl_rsp_last_o[i], cl_rsp_fault_o[8*i +: 8], cl_rsp_word_o[3*i +: 3]} = cl_rsp[i];
  end

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

    .m_ar_valid_o(ar_valid), .m_ar_ready_i(ar_ready), .m_ar_o(ar), .m_r_valid_i(r_valid), .m_r_ready_o(r_ready), .m_r_i(r),
    .m_aw_valid_o(aw_valid), .m_aw_ready_i(aw_ready), .m_aw_o(aw), .m_w_valid_o(w_valid), .m_w_ready_i(w_ready), .m_w_o(w),
    .m_b_valid_i(b_valid), .m_b_ready_o(b_ready), .m_b_i(b),

    .cl_req_i(cl_req), .cl_w_i(cl_w), .cl_rsp_o(cl_rsp),

    .s_thr_ar_valid_i(s_thr_arvalid), .s_thr_ar_ready_o(s_thr_arready),
    .s_thr_ar_i('{id: s_thr_arid, va: s_thr_araddr, len: s_thr_arlen, size: s_thr_arsize, burst: s_thr_arburst,
                  space: s_thr_aruser, execute: s_thr_arprot[2]}),
    .s_thr_r_valid_o(s_thr_rvalid), .s_thr_r_ready_i(s_thr_rready),
    .s_thr_r_o({s_thr_rid, s_thr_rdata, s_thr_rresp, s_thr_rlast}),
    .s_thr_aw_valid_i(s_thr_awvalid), .s_thr_aw_ready_o(s_thr_awready),
    .s_thr_aw_i('{id: s_thr_awid, va: s_thr_awaddr, len: s_thr_awlen, size: s_thr_awsize, burst: s_thr_awburst,
                  space: s_thr_awuser, execute: 1'b0}),
    .s_thr_w_valid_i(s_thr_wvalid), .s_thr_w_ready_o(s_thr_wready), .s_thr_w_data_i(s_thr_wdata), .s_thr_w_strb_i(s_thr_wstrb),
    .s_thr_b_valid_o(s_thr_bvalid), .s_thr_b_ready_i(s_thr_bready), .s_thr_b_o({s_thr_bid, s_thr_bresp}),

    .s_peer_ar_valid_i(s_peer_arvalid), .s_peer_ar_ready_o(s_peer_arready),
    .s_peer_ar_i({s_peer_arid, s_peer_araddr, s_peer_arlen, s_peer_arsize, s_peer_arburst}),
    .s_peer_r_valid_o(s_peer_rvalid), .s_peer_r_ready_i(s_peer_rready),
    .s_peer_r_o({s_peer_rid, s_peer_rdata, s_peer_rresp, s_peer_rlast}),
    .s_peer_aw_valid_i(s_peer_awvalid), .s_peer_aw_ready_o(s_peer_awready),
    .s_peer_aw_i({s_peer_awid, s_peer_awaddr, s_peer_awlen, s_peer_awsize, s_peer_awburst}),
    .s_peer_w_valid_i(s_peer_wvalid), .s_peer_w_ready_o(s_peer_wready), .s_peer_w_i({s_peer_wdata, s_peer_wstrb, s_peer_wlast}),
    .s_peer_b_valid_o(s_peer_bvalid), .s_peer_b_ready_i(s_peer_bready), .s_peer_b_o({s_peer_bid, s_peer_bresp}),

    .*  // all other ports have the same names here
  );

  gmmu_axi_ids #(
    .IdBits(IdBits), .UpBits(PortIdWidth),
    .Shared(1'b1), .SharedId(EdgeIdWidth'(ReqWindow) << IdWidth),
    .AxWidth($bits(vram_ax_t)), .WWidth($bits(w_t)), .RWidth(DataWidth + 2), .BWidth(2)
  ) u_vram_ids (
    .clk_i(aclk), .rst_i(areset), .stray_o(stray[0]),
    .s_ar_valid_i(ar_valid[0]), .s_ar_ready_o(ar_ready[0]), .s_ar_id_i(ar[0].id), .s_ar_i({ar[0].addr, ar[0].len}),
    .s_r_valid_o(r_valid[0]), .s_r_ready_i(r_ready[0]), .s_r_id_o(r[0].id), .s_r_o({r[0].data, r[0].resp}),
    .s_r_last_o(r[0].last),
    .s_aw_valid_i(aw_valid[0]), .s_aw_ready_o(aw_ready[0]), .s_aw_id_i(aw[0].id), .s_aw_i({aw[0].addr, aw[0].len}),
    .s_w_valid_i(w_valid[0]), .s_w_ready_o(w_ready[0]), .s_w_i(w[0]),
    .s_b_valid_o(b_valid[0]), .s_b_ready_i(b_ready[0]), .s_b_id_o(b[0].id), .s_b_o(b[0].resp),
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
    .AxWidth($bits(host_ax_t)), .WWidth($bits(w_t)), .RWidth(DataWidth + 2), .BWidth(2)
  ) u_host_ids (
    .clk_i(aclk), .rst_i(areset), .stray_o(stray[1]),
    .s_ar_valid_i(ar_valid[1]), .s_ar_ready_o(ar_ready[1]), .s_ar_id_i(ar[1].id), .s_ar_i({ar[1].addr, ar[1].len, ar[1].user}),
    .s_r_valid_o(r_valid[1]), .s_r_ready_i(r_ready[1]), .s_r_id_o(r[1].id), .s_r_o({r[1].data, r[1].resp}),
    .s_r_last_o(r[1].last),
    .s_aw_valid_i(aw_valid[1]), .s_aw_ready_o(aw_ready[1]), .s_aw_id_i(aw[1].id), .s_aw_i({aw[1].addr, aw[1].len, aw[1].user}),
    .s_w_valid_i(w_valid[1]), .s_w_ready_o(w_ready[1]), .s_w_i(w[1]),
    .s_b_valid_o(b_valid[1]), .s_b_ready_i(b_ready[1]), .s_b_id_o(b[1].id), .s_b_o(b[1].resp),
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

  assign {m_vram_arsize, m_vram_arburst, m_vram_awsize, m_vram_awburst} = {2{BeatSize, BurstIncr}};
  assign {m_host_arsize, m_host_arburst, m_host_awsize, m_host_awburst} = {2{BeatSize, BurstIncr}};
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
  a_known_ids: assert property (@(posedge aclk) disable iff (areset) stray == '0);
  logic unused_bits;
  assign unused_bits = ^{ar[0].user, aw[0].user, s_thr_arprot[1:0]};
endmodule

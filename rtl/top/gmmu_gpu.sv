// SPDX-License-Identifier: Apache-2.0
// The GPU: MMU, paging engine, aperture map, client ports with their traffic engines, registers.
// All ports are flat vectors; arrays are concatenated with element 0 in the low bits.
//
//   s_reg   AXI4-Lite, 64 bit: BAR0. One access at a time; addresses above 64 KiB wrap. On s_reg
//           and s_win, AW, W and AR may arrive in any order: an AW without its W, or a W without
//           its AW, blocks no other access.
//   s_win   AXI4-Lite, 64 bit: BAR2, window onto VRAM at window_base. Accesses may be pipelined.
//   m_vram  AXI4 manager, DataWidth: VRAM.
//   m_host  AXI4 manager, DataWidth: host memory (logical addresses), interrupt messages (AxUSER
//           kind 2) and VRAM of linked adapters (kind 3, address {adapter[5:0], offset[41:0]}). B
//           may come in any order. B of kinds 0 to 2 means that PCI Express has accepted the write:
//           no later write becomes visible before it. B of kind 3 means that the data is in the
//           peer's VRAM.
//   s_peer  this GPU's VRAM for linked adapters: addresses are VRAM offsets, DataWidth. It accepts
//           only kind 3 bursts of another gmmu's m_host (gmmu_peer_port), not general AXI4.
//   ev_*    event port, for observation only.
//   idle_o  nothing is in flight, and no register, window, ring or client work is pending: until an
//           s_ or cl_ input changes, further cycles change only the time counters.
module gmmu_gpu
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_dma_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumClients = Config.NumClients,
  localparam int unsigned NumUnits = Config.NumUnits,
  localparam int unsigned NumPorts = Config.NumPorts
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic [63:0]              cycle_i,         // cycles since reset release
  input  logic [63:0]              vram_bytes_i,    // size of the VRAM behind m_vram, a multiple of 4 KiB
  input  logic                     bus_master_i,    // PCI bus master enable: m_host may send
  input  logic                     silence_i,       // bus-silence request: m_host stops and drains
  output logic                     silent_o,        // m_host starts no burst and awaits no response
  input  logic                     reset_i,         // pulse: function-level reset
  output logic                     resetting_o,     // 1 from rst_i or reset_i until the reset is complete
  input  message_t                 message_i,
  output logic                     irq_o,           // level: an enabled cause is set (int_status)
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

  // Memory ports: [0] m_vram, [1] m_host. The VRAM port ignores `user`.
  output logic     [1:0]           m_ar_valid_o,
  input  logic     [1:0]           m_ar_ready_i,
  output port_ax_t [1:0]           m_ar_o,
  input  logic     [1:0]           m_r_valid_i,
  output logic     [1:0]           m_r_ready_o,
  input  port_r_t  [1:0]           m_r_i,
  output logic     [1:0]           m_aw_valid_o,
  input  logic     [1:0]           m_aw_ready_i,
  output port_ax_t [1:0]           m_aw_o,
  output logic     [1:0]           m_w_valid_o,
  input  logic     [1:0]           m_w_ready_i,
  output w_t       [1:0]           m_w_o,
  input  logic     [1:0]           m_b_valid_i,
  output logic     [1:0]           m_b_ready_o,
  input  port_b_t  [1:0]           m_b_i,

  // External client ports. A client serves its port while its traffic engine is not busy. A write
  // first sends its data on cl_w, then its request. The id is below Slots and unique among
  // outstanding accesses. An access has up to 64 bytes and never crosses a 64-byte line. Responses
  // come in any order of ids; read data comes in beats, lowest address first.
  input  logic        [NumClients-1:0]       cl_req_valid_i,
  output logic        [NumClients-1:0]       cl_req_ready_o,
  input  client_req_t [NumClients-1:0]       cl_req_i,
  input  logic        [NumClients-1:0]       cl_w_valid_i,
  output logic        [NumClients-1:0]       cl_w_ready_o,
  input  client_w_t   [NumClients-1:0]       cl_w_i,
  input  logic        [NumClients-1:0][63:0] cl_w_data_i,      // in the byte lanes of memory
  output logic        [NumClients-1:0]       cl_rsp_valid_o,
  input  logic        [NumClients-1:0]       cl_rsp_ready_i,
  output client_rsp_t [NumClients-1:0]       cl_rsp_o,         // for a fault: one beat without data
  output logic        [NumClients-1:0][63:0] cl_rsp_data_o,

  // Through-port: serves an AXI4 manager's virtual addresses (gmmu_through). AxUSER is the address
  // space. Bursts are accepted while ctrl.enable is 1. Without ThroughPorts, all readys stay 0.
  input  logic                     s_thr_ar_valid_i,
  output logic                     s_thr_ar_ready_o,
  input  through_ax_t              s_thr_ar_i,
  output logic                     s_thr_r_valid_o,
  input  logic                     s_thr_r_ready_i,
  output sub_r_t                   s_thr_r_o,
  input  logic                     s_thr_aw_valid_i,
  output logic                     s_thr_aw_ready_o,
  input  through_ax_t              s_thr_aw_i,
  input  logic                     s_thr_w_valid_i,
  output logic                     s_thr_w_ready_o,
  input  logic [DataWidth-1:0]     s_thr_w_data_i,
  input  logic [DataBytes-1:0]     s_thr_w_strb_i,
  output logic                     s_thr_b_valid_o,
  input  logic                     s_thr_b_ready_i,
  output sub_b_t                   s_thr_b_o,

  // VRAM for linked adapters: INCR bursts of the full bus width, never across 4 KiB. Without
  // LinkPort, all readys stay 0.
  input  logic                     s_peer_ar_valid_i,
  output logic                     s_peer_ar_ready_o,
  input  sub_ax_t                  s_peer_ar_i,
  output logic                     s_peer_r_valid_o,
  input  logic                     s_peer_r_ready_i,  // always 1
  output sub_r_t                   s_peer_r_o,
  input  logic                     s_peer_aw_valid_i,
  output logic                     s_peer_aw_ready_o,
  input  sub_ax_t                  s_peer_aw_i,
  input  logic                     s_peer_w_valid_i,
  output logic                     s_peer_w_ready_o,
  input  w_t                       s_peer_w_i,
  output logic                     s_peer_b_valid_o,
  input  logic                     s_peer_b_ready_i,  // always 1
  output sub_b_t                   s_peer_b_o,

  // Event port. Each translation port has 192 bits: word 0 va; word 1 {zero[56], target[55:54],
  // adapter[53:48], gpa offset[47:0]}; word 2 {level[26:24], fault[23:16], access[9:8],
  // space[5:0]}.
  output logic [NumPorts-1:0]             ev_xlate_valid_o,
  output logic [NumPorts*192-1:0]         ev_xlate_o,
  // an invalidation, or the flush of a space whose configuration changed, has completed
  output logic                            ev_inv_done_o,
  output logic [1:0]                      ev_inv_scope_o,
  output logic [5:0]                      ev_inv_space_o,
  output logic [63:0]                     ev_inv_start_o,
  output logic [63:0]                     ev_inv_end_o,
  // {request id (tag), sequence} of each port's completed lookup; other events: see README.md
  output logic [NumPorts*64-1:0]          ev_xlate_id_o,
  output logic [8:0]                      ev_valid_o,
  output logic [9*192-1:0]                ev_o
);

  gmmu_parameter_check #(.Config(Config)) u_check ();

  // Requesters of the memory ports; README.md lists them.
  localparam int unsigned ReqPeer = ReqClients + NumUnits;  // with LinkPort
  localparam int unsigned NumRequesters = ReqPeer + Config.LinkPort;
  localparam logic [NumRequesters-1:0] Readers = NumRequesters'({{(NumUnits + 1){1'b1}}, 8'b0010_1111});
  localparam logic [NumRequesters-1:0] Writers = NumRequesters'({{(NumUnits + 1){1'b1}}, 8'b1111_0000});
  // The aperture map, the window and linked adapters use VRAM only; the fault log and interrupts
  // use the host port only.
  localparam logic [NumRequesters-1:0] Vram = ~NumRequesters'(8'b1100_0000);
  localparam logic [NumRequesters-1:0] Host = ~(NumRequesters'(8'b0010_0010) |
                                                NumRequesters'(Config.LinkPort) << ReqPeer);
  // ctrl.silence does not hold accesses from outside: the window and linked adapters.
  localparam logic [NumRequesters-1:0] Exempt = NumRequesters'(1) << ReqWindow |
                                                NumRequesters'(Config.LinkPort) << ReqPeer;

  localparam int unsigned PortFetch = NumUnits;
  localparam int unsigned PortRead = NumUnits + 1;
  localparam int unsigned PortWrite = NumUnits + 2;

  // ---- Channels of the requesters, and of the mux's memory ports ([0] VRAM, [1] host).
  rd_req_t        rd_req [NumRequesters];
  rd_rsp_t        rd_rsp [NumRequesters];
  wr_req_t        wr_req [NumRequesters];
  wr_rsp_t        wr_rsp [NumRequesters];
  logic [1:0]     mux_ar_valid, mux_ar_ready, mux_r_valid, mux_r_ready, mux_aw_valid, mux_aw_ready,
      mux_w_valid, mux_w_ready, mux_b_valid, mux_b_ready;
  edge_ax_t [1:0] mux_ar, mux_aw;
  w_t       [1:0] mux_w;
  edge_r_t  [1:0] mux_r;
  edge_b_t  [1:0] mux_b;
  logic           mux_idle, mux_own_idle, silence, held_silent, silent, stale;
  logic           core_rst, isolated, isolator_idle;
  logic [1:0]     unused_late;

  // Each block has its own reset register, one cycle behind core_rst.
  logic rst_mux, rst_regs, rst_port, rst_counters, rst_mmu, rst_aperture, rst_engine;
  logic [NumClients-1:0] rst_client;
  gmmu_reset u_rst [NumClients+5:0] (
    .clk_i, .rst_i(core_rst), .rst_o({rst_client, rst_engine, rst_aperture, rst_mmu, rst_counters, rst_regs, rst_mux}));
  // The software ports are not reset with the core.
  logic ports_stop, reg_port_stopped, window_stopped;
  gmmu_reset u_rst_port (.clk_i, .rst_i, .rst_o(rst_port));

  logic tables_early;   // the MMU's AR comes from register tables_ar
  ax_t  tables_ar;
  gmmu_axi_mux #(
    .NumRequesters(NumRequesters), .Readers(Readers), .Writers(Writers), .Vram(Vram), .Host(Host),
    .Exempt(Exempt), .Express(ReqTables)
  ) u_mux (
    .clk_i, .rst_i(rst_mux), .host_enable_i(bus_master_i), .hold_i(silence),
    .silent_o(held_silent),
    .rd_req_i(rd_req), .rd_rsp_o(rd_rsp), .express_early_i(tables_early), .express_i(tables_ar),
    .wr_req_i(wr_req), .wr_rsp_o(wr_rsp),
    .ar_valid_o(mux_ar_valid), .ar_ready_i(mux_ar_ready), .ar_o(mux_ar),
    .r_valid_i(mux_r_valid), .r_ready_o(mux_r_ready), .r_i(mux_r),
    .aw_valid_o(mux_aw_valid), .aw_ready_i(mux_aw_ready), .aw_o(mux_aw),
    .w_valid_o(mux_w_valid), .w_ready_i(mux_w_ready), .w_o(mux_w),
    .b_valid_i(mux_b_valid), .b_ready_o(mux_b_ready), .b_i(mux_b),
    .idle_o(mux_idle), .own_idle_o(mux_own_idle)
  );

  gmmu_isolator u_isolator (
    .clk_i, .rst_i, .silence_i, .reset_i, .core_reset_o(core_rst), .stop_o(ports_stop),
    .stopped_i(reg_port_stopped && window_stopped), .resetting_o, .closed_o(isolated), .silent_o,
    .stale_o(stale), .idle_o(isolator_idle), .late_o(unused_late),
    .ar_valid_i(mux_ar_valid), .ar_ready_o(mux_ar_ready), .ar_i(mux_ar),
    .r_valid_o(mux_r_valid), .r_ready_i(mux_r_ready), .r_o(mux_r),
    .aw_valid_i(mux_aw_valid), .aw_ready_o(mux_aw_ready), .aw_i(mux_aw),
    .w_valid_i(mux_w_valid), .w_ready_o(mux_w_ready), .w_i(mux_w),
    .b_valid_o(mux_b_valid), .b_ready_i(mux_b_ready), .b_o(mux_b),
    .m_ar_valid_o, .m_ar_ready_i, .m_ar_o, .m_r_valid_i, .m_r_ready_o, .m_r_i,
    .m_aw_valid_o, .m_aw_ready_i, .m_aw_o, .m_w_valid_o, .m_w_ready_i, .m_w_o, .m_b_valid_i, .m_b_ready_o, .m_b_i
  );

  // ---- Registers. An access that arrives during a reset waits.
  logic                        reg_wr_valid, reg_wr_ready, reg_port_idle, regs_idle;
  logic                        reg_rd, counters_busy;
  logic [15:0]                 reg_addr;
  logic [63:0]                 reg_wr_data, regs_data, counters_data;
  host_aperture_cfg_t          host_aperture;
  logic                        window_settled, window_idle, work_idle;
  logic                        enable;
  pa_t                         window_base, fault_base, aperture_base;
  logic                        int_clear;
  logic [5:0]                  int_clear_bits, int_enable, int_status;
  logic [3:0]                  fault_size_lg2;
  logic                        fault_enable;
  logic [15:0]                 fault_head, fault_tail, fault_dropped;
  logic [31:0]                 aperture_pages;
  link_cfg_t                   link;
  logic                        regs_aperture_flush, engine_aperture_flush, aperture_flush_done;
  ring_cfg_t   [Config.NumRings-1:0]  ring_cfg;
  ring_state_t [Config.NumRings-1:0]  ring_state;
  logic [NumClients-1:0]       client_wr, client_rd, client_done, client_idle;
  logic [2:0]                  client_word;
  logic [63:0]                 client_wr_data;
  logic [NumClients-1:0][63:0] client_rd_data;
  logic [1:0]                  ctl_valid, ctl_ready, ctl_done;
  mmu_ctl_t [1:0]              ctl;
  logic                        invalidated;
  logic [63:0]                 mmu_sizes;

  gmmu_reg_port #(.ReadCycles(4)) u_reg_port (
    .clk_i, .rst_i(rst_port),
    .awvalid_i(s_reg_awvalid_i), .awready_o(s_reg_awready_o), .awaddr_i(s_reg_awaddr_i),
    .wvalid_i(s_reg_wvalid_i), .wready_o(s_reg_wready_o), .wdata_i(s_reg_wdata_i),
    .wstrb_i(s_reg_wstrb_i),
    .bvalid_o(s_reg_bvalid_o), .bready_i(s_reg_bready_i), .bresp_o(s_reg_bresp_o),
    .arvalid_i(s_reg_arvalid_i), .arready_o(s_reg_arready_o), .araddr_i(s_reg_araddr_i),
    .rvalid_o(s_reg_rvalid_o), .rready_i(s_reg_rready_i), .rdata_o(s_reg_rdata_o),
    .rresp_o(s_reg_rresp_o),
    .wr_valid_o(reg_wr_valid), .wr_ready_i(reg_wr_ready), .addr_o(reg_addr),
    .wr_data_o(reg_wr_data),
    .rd_o(reg_rd), .rd_busy_i(counters_busy), .rd_data_i(regs_data | counters_data),
    .stop_i(ports_stop), .forget_i(rst_regs), .stopped_o(reg_port_stopped), .idle_o(reg_port_idle)
  );

  localparam cap0_t Cap0 = '{
    pa_bits: 8'(PaWidth), va_bits: 8'(VaWidth), bus_bytes: 8'(DataBytes), reads: 8'(Config.ReadsInFlight),
    rings: 8'(Config.NumRings), walks: 8'(Config.NumWalks), spaces: 8'(Config.NumSpaces), clients: 8'(NumClients)
  };
  localparam cap1_t Cap1 = '{
    reserved0: '0, walk_cache: 16'(Config.WalkCacheEntries), l2_ways: 8'(Config.L2Ways),
    l2_entries: 16'(Config.L2Entries), l1_entries: 16'(Config.L1Entries)
  };
  localparam int unsigned LargePages = Config.WalkCacheEntries * (MaxLevels - 1);
  localparam cap2_t Cap2 = '{
    client_slots: 8'(Slots), large_entries: 8'(LargePages > 255 ? 255 : LargePages), levels: 4'(MaxLevels),
    counter_bits: 7'(Config.CounterWidth), through_ports: 4'(Config.ThroughPorts), events: Config.EventPort != 0, patterns: 4'b0111,
    verify: 1'b1, traffic: 8'(Config.TrafficEngines), turn_down: Config.TurnDown != 0,
    host_aperture_lg2: 4'(HostApertureLg2), default: '0
  };

  gmmu_regs #(.Config(Config), .Cap0(Cap0), .Cap1(Cap1), .Cap2(Cap2)) u_regs (
    .clk_i, .rst_i(rst_regs),
    .wr_valid_i(reg_wr_valid), .wr_ready_o(reg_wr_ready), .addr_i(reg_addr),
    .wr_data_i(reg_wr_data),
    .rd_i(reg_rd), .rd_data_o(regs_data),
    .window_settled_i(window_settled), .vram_bytes_i, .cycle_i, .work_idle_i(work_idle),
    .sizes_i(mmu_sizes), .enable_o(enable), .silence_o(silence), .silent_i(silent),
    .window_base_o(window_base), .host_aperture_o(host_aperture),
    .int_clear_o(int_clear), .int_clear_bits_o(int_clear_bits), .int_enable_o(int_enable),
    .int_status_i(int_status),
    .fault_base_o(fault_base), .fault_size_lg2_o(fault_size_lg2), .fault_enable_o(fault_enable),
    .fault_head_o(fault_head), .fault_tail_i(fault_tail), .fault_dropped_i(fault_dropped),
    .aperture_base_o(aperture_base), .aperture_pages_o(aperture_pages),
    .aperture_flush_o(regs_aperture_flush), .link_o(link),
    .ring_o(ring_cfg), .ring_i(ring_state),
    .client_wr_o(client_wr), .client_rd_o(client_rd), .client_word_o(client_word),
    .client_data_o(client_wr_data), .client_data_i(client_rd_data),
    .ctl_valid_o(ctl_valid[0]), .ctl_ready_i(ctl_ready[0]), .ctl_o(ctl[0]),
    .ctl_done_i(ctl_done[0]),
    .invalidated_o(invalidated), .idle_o(regs_idle)
  );

  // ---- Window onto VRAM.
  gmmu_window u_window (
    .clk_i, .rst_i(rst_port), .base_i(window_base), .aperture_i(host_aperture), .hold_i(reg_wr_valid),
    .settled_o(window_settled), .stop_i(ports_stop), .stopped_o(window_stopped), .lose_i(rst_regs),
    .idle_o(window_idle),
    .s_awvalid_i(s_win_awvalid_i), .s_awready_o(s_win_awready_o), .s_awaddr_i(s_win_awaddr_i),
    .s_wvalid_i(s_win_wvalid_i), .s_wready_o(s_win_wready_o), .s_wdata_i(s_win_wdata_i),
    .s_wstrb_i(s_win_wstrb_i),
    .s_bvalid_o(s_win_bvalid_o), .s_bready_i(s_win_bready_i), .s_bresp_o(s_win_bresp_o),
    .s_arvalid_i(s_win_arvalid_i), .s_arready_o(s_win_arready_o), .s_araddr_i(s_win_araddr_i),
    .s_rvalid_o(s_win_rvalid_o), .s_rready_i(s_win_rready_i), .s_rdata_o(s_win_rdata_o),
    .s_rresp_o(s_win_rresp_o),
    .rd_req_o(rd_req[ReqWindow]), .rd_rsp_i(rd_rsp[ReqWindow]), .wr_req_o(wr_req[ReqWindow]),
    .wr_rsp_i(wr_rsp[ReqWindow])
  );

  // ---- MMU.
  logic         [NumPorts-1:0] xq_valid, xq_ready, xs_valid, xs_ready, ev_valid;
  xlate_req_t   [NumPorts-1:0] xq;
  logic         [NumUnits-1:0] uq_valid, uq_ready, us_valid, us_ready;
  xlate_req_t   [NumUnits-1:0] uq;
  xlate_rsp_t   [NumUnits-1:0] us;
  xlate_rsp_t   [NumPorts-1:0] xs;
  xlate_done_t  [NumPorts-1:0] xdone;
  xlate_event_t [NumPorts-1:0] ev;
  port_count_t  [NumPorts-1:0] port_count;
  mmu_count_t                  mmu_count;
  mmu_event_t                  mmu_event;
  logic                        mmu_ctl_valid, mmu_ctl_ready, mmu_ctl_done, mmu_idle, ctl_idle;
  mmu_ctl_t                    mmu_ctl;
  logic                        inv_done;
  scope_e                      inv_scope;
  space_t                      inv_space;
  logic [63:0]                 inv_start, inv_end;

  gmmu_ctl_arbiter u_ctl (
    .clk_i, .rst_i(rst_mmu),
    .valid_i(ctl_valid), .ready_o(ctl_ready), .ctl_i(ctl), .done_o(ctl_done),
    .valid_o(mmu_ctl_valid), .ready_i(mmu_ctl_ready), .ctl_o(mmu_ctl), .done_i(mmu_ctl_done),
    .idle_o(ctl_idle)
  );

  // Clients may be far from their L1 TLBs on the die, so register slices separate them. If a line
  // has several beats, half rate suffices.
  for (genvar i = 0; i < NumUnits; i++) begin : g_lookup
    gmmu_slice #(.Width($bits(xlate_rsp_t)), .Slow(LineBytes > DataBytes)) u_answer (
      .clk_i, .rst_i(rst_mmu), .valid_i(xs_valid[i]), .ready_o(xs_ready[i]), .data_i(xs[i]),
      .valid_o(us_valid[i]), .ready_i(us_ready[i]), .data_o(us[i])
    );
    gmmu_slice #(.Width($bits(xlate_req_t)), .Slow(LineBytes > DataBytes)) u_request (
      .clk_i, .rst_i(rst_mmu), .valid_i(uq_valid[i]), .ready_o(uq_ready[i]), .data_i(uq[i]),
      .valid_o(xq_valid[i]), .ready_i(xq_ready[i]), .data_o(xq[i])
    );
  end

  // Returns Config for the MMU. u_check reports L2Ways = 0; the 1 here only avoids a division by 0.
  function automatic config_t sizes_of_mmu();
    config_t c;
    c = Config;
    if (c.L2Ways == 0) c.L2Ways = 1;
    return c;
  endfunction
  gmmu_mmu #(.Config(sizes_of_mmu())) u_mmu (
    .clk_i, .rst_i(rst_mmu),
    .req_valid_i(xq_valid), .req_ready_o(xq_ready), .req_i(xq),
    .rsp_valid_o(xs_valid), .rsp_ready_i(xs_ready), .rsp_o(xs), .done_i(xdone),
    .ctl_valid_i(mmu_ctl_valid), .ctl_ready_o(mmu_ctl_ready), .ctl_i(mmu_ctl),
    .ctl_done_o(mmu_ctl_done),
    .rd_req_o(rd_req[ReqTables]), .rd_rsp_i(rd_rsp[ReqTables]), .ar_early_o(tables_early), .early_ar_o(tables_ar),
    .ev_valid_o(ev_valid), .ev_o(ev),
    .inv_valid_o(inv_done), .inv_scope_o(inv_scope), .inv_space_o(inv_space),
    .inv_start_o(inv_start), .inv_end_o(inv_end), .sizes_o(mmu_sizes),
    .mev_o(mmu_event), .port_count_o(port_count), .count_o(mmu_count), .idle_o(mmu_idle)
  );

  // ---- Aperture map: lookups of the access units, then engine fetch, read, write.
  logic [NumPorts-1:0] ap_valid, ap_ready, ap_rsp_valid;
  pfn_t [NumPorts-1:0] ap_page;
  aperture_rsp_t       ap_rsp;
  logic                ap_lookup, ap_hit, ap_idle;

  gmmu_aperture_map #(.Config(Config)) u_aperture (
    .clk_i, .rst_i(rst_aperture), .base_i(aperture_base), .pages_i(aperture_pages),
    .flush_i(regs_aperture_flush || engine_aperture_flush), .flush_done_o(aperture_flush_done),
    .req_valid_i(ap_valid), .req_ready_o(ap_ready), .req_page_i(ap_page),
    .rsp_valid_o(ap_rsp_valid), .rsp_o(ap_rsp),
    .rd_req_o(rd_req[ReqAperture]), .rd_rsp_i(rd_rsp[ReqAperture]),
    .lookup_o(ap_lookup), .hit_o(ap_hit), .idle_o(ap_idle)
  );

  // ---- Paging engine.
  logic              engine_idle, engine_busy, fence_irq, ring_error, preempted,
      count_entry;
  logic [1:0]        count_commands;
  logic [8:0]        count_engine_read, count_engine_write;
  logic        [NumUnits:0] fault_valid, fault_ready;  // access units, then the engine
  fault_info_t [NumUnits:0] fault;

  gmmu_engine #(.Config(Config)) u_engine (
    .clk_i, .rst_i(rst_engine), .enable_i(enable && bus_master_i), .cycle_i, .vram_bytes_i,
    .link_i(link), .idle_o(engine_idle),
    .ring_i(ring_cfg), .ring_o(ring_state), .fence_irq_o(fence_irq), .ring_error_o(ring_error),
    .preempted_o(preempted),
    .fetch_req_valid_o(xq_valid[PortFetch]), .fetch_req_ready_i(xq_ready[PortFetch]),
    .fetch_req_o(xq[PortFetch]),
    .fetch_rsp_valid_i(xs_valid[PortFetch]), .fetch_rsp_ready_o(xs_ready[PortFetch]),
    .fetch_rsp_i(xs[PortFetch]),
    .fetch_done_o(xdone[PortFetch]),
    .read_req_valid_o(xq_valid[PortRead]), .read_req_ready_i(xq_ready[PortRead]),
    .read_req_o(xq[PortRead]),
    .read_rsp_valid_i(xs_valid[PortRead]), .read_rsp_ready_o(xs_ready[PortRead]),
    .read_rsp_i(xs[PortRead]),
    .read_done_o(xdone[PortRead]),
    .write_req_valid_o(xq_valid[PortWrite]), .write_req_ready_i(xq_ready[PortWrite]),
    .write_req_o(xq[PortWrite]),
    .write_rsp_valid_i(xs_valid[PortWrite]), .write_rsp_ready_o(xs_ready[PortWrite]),
    .write_rsp_i(xs[PortWrite]),
    .write_done_o(xdone[PortWrite]),
    .ap_req_valid_o(ap_valid[PortWrite:PortFetch]), .ap_req_ready_i(ap_ready[PortWrite:PortFetch]),
    .ap_req_page_o(ap_page[PortWrite:PortFetch]),
    .ap_rsp_valid_i(ap_rsp_valid[PortWrite:PortFetch]), .ap_rsp_i(ap_rsp),
    .fetch_rd_req_o(rd_req[ReqFetch]), .fetch_rd_rsp_i(rd_rsp[ReqFetch]),
    .rd_req_o(rd_req[ReqRead]), .rd_rsp_i(rd_rsp[ReqRead]), .wr_req_o(wr_req[ReqWrite]), .wr_rsp_i(wr_rsp[ReqWrite]),
    .ctl_valid_o(ctl_valid[1]), .ctl_ready_i(ctl_ready[1]), .ctl_o(ctl[1]),
    .ctl_done_i(ctl_done[1]),
    .aperture_base_i(aperture_base), .aperture_pages_i(aperture_pages),
    .aperture_flush_o(engine_aperture_flush), .aperture_flush_done_i(aperture_flush_done),
    .fault_valid_o(fault_valid[NumUnits]), .fault_ready_i(fault_ready[NumUnits]),
    .fault_o(fault[NumUnits]),
    .count_entry_o(count_entry), .count_commands_o(count_commands),
    .count_read_bytes_o(count_engine_read), .count_write_bytes_o(count_engine_write),
    .busy_o(engine_busy)
  );

  // ---- Clients.
  logic [NumUnits-1:0][6:0]   client_read_bytes, client_write_bytes;
  logic [NumClients-1:0]      traffic_busy;

  for (genvar i = 0; i < NumClients; i++) begin : g_client
    gmmu_client_port #(.Traffic(i < Config.TrafficEngines)) u_port (
      .port_i(port_t'(i)),
      .clk_i, .rst_i(rst_client[i]), .enable_i(enable), .vram_bytes_i, .link_i(link),
      .idle_o(client_idle[i]),
      .reg_wr_i(client_wr[i]), .reg_rd_i(client_rd[i]), .reg_word_i(client_word),
      .reg_data_i(client_wr_data), .reg_data_o(client_rd_data[i]), .busy_o(traffic_busy[i]),
      .done_o(client_done[i]),
      .req_valid_i(cl_req_valid_i[i]), .req_ready_o(cl_req_ready_o[i]),
      .req_i(cl_req_i[i]),
      .w_valid_i(cl_w_valid_i[i]), .w_ready_o(cl_w_ready_o[i]),
      .w_i(cl_w_i[i]), .w_data_i(cl_w_data_i[i]),
      .rsp_valid_o(cl_rsp_valid_o[i]), .rsp_ready_i(cl_rsp_ready_i[i]),
      .rsp_o(cl_rsp_o[i]), .rsp_data_o(cl_rsp_data_o[i]),
      .xlate_req_valid_o(uq_valid[i]), .xlate_req_ready_i(uq_ready[i]), .xlate_req_o(uq[i]),
      .xlate_rsp_valid_i(us_valid[i]), .xlate_rsp_ready_o(us_ready[i]), .xlate_rsp_i(us[i]),
      .xlate_done_o(xdone[i]),
      .ap_req_valid_o(ap_valid[i]), .ap_req_ready_i(ap_ready[i]), .ap_req_page_o(ap_page[i]),
      .ap_rsp_valid_i(ap_rsp_valid[i]), .ap_rsp_i(ap_rsp),
      .rd_req_o(rd_req[ReqClients+i]), .rd_rsp_i(rd_rsp[ReqClients+i]), .wr_req_o(wr_req[ReqClients+i]),
      .wr_rsp_i(wr_rsp[ReqClients+i]),
      .fault_valid_o(fault_valid[i]), .fault_ready_i(fault_ready[i]), .fault_o(fault[i]),
      .count_read_bytes_o(client_read_bytes[i]), .count_write_bytes_o(client_write_bytes[i])
    );
  end

  // ---- Through-port: access units NumClients and NumClients + 1.
  logic through_idle;
  if (Config.ThroughPorts != 0) begin : g_through
    localparam int unsigned First = NumClients;
    gmmu_through u_through (
      .clk_i, .rst_i(rst_mux), .core_reset_i(core_rst), .port_i(port_t'(First)), .enable_i(enable), .vram_bytes_i,
      .link_i(link), .idle_o(through_idle),
      .s_ar_valid_i(s_thr_ar_valid_i), .s_ar_ready_o(s_thr_ar_ready_o), .s_ar_i(s_thr_ar_i),
      .s_r_valid_o(s_thr_r_valid_o), .s_r_ready_i(s_thr_r_ready_i), .s_r_o(s_thr_r_o),
      .s_aw_valid_i(s_thr_aw_valid_i), .s_aw_ready_o(s_thr_aw_ready_o), .s_aw_i(s_thr_aw_i),
      .s_w_valid_i(s_thr_w_valid_i), .s_w_ready_o(s_thr_w_ready_o), .s_w_data_i(s_thr_w_data_i), .s_w_strb_i(s_thr_w_strb_i),
      .s_b_valid_o(s_thr_b_valid_o), .s_b_ready_i(s_thr_b_ready_i), .s_b_o(s_thr_b_o),
      .xlate_req_valid_o(uq_valid[First+:2]), .xlate_req_ready_i(uq_ready[First+:2]),
      .xlate_req_o(uq[First+:2]),
      .xlate_rsp_valid_i(us_valid[First+:2]), .xlate_rsp_ready_o(us_ready[First+:2]),
      .xlate_rsp_i(us[First+:2]), .xlate_done_o(xdone[First+:2]),
      .ap_req_valid_o(ap_valid[First+:2]), .ap_req_ready_i(ap_ready[First+:2]),
      .ap_req_page_o(ap_page[First+:2]), .ap_rsp_valid_i(ap_rsp_valid[First+:2]),
      .ap_rsp_i(ap_rsp),
      .rd_req_o(rd_req[ReqClients+First+:2]), .rd_rsp_i(rd_rsp[ReqClients+First+:2]),
      .wr_req_o(wr_req[ReqClients+First+:2]), .wr_rsp_i(wr_rsp[ReqClients+First+:2]),
      .fault_valid_o(fault_valid[First+:2]), .fault_ready_i(fault_ready[First+:2]),
      .fault_o(fault[First+:2]),
      .count_read_bytes_o(client_read_bytes[First+:2]), .count_write_bytes_o(client_write_bytes[First+:2])
    );
  end else begin : g_no_through
    logic unused_through;
    assign through_idle = 1'b1;
    assign {s_thr_ar_ready_o, s_thr_r_valid_o, s_thr_r_o, s_thr_aw_ready_o, s_thr_w_ready_o, s_thr_b_valid_o, s_thr_b_o} = '0;
    assign unused_through = ^{s_thr_ar_valid_i, s_thr_ar_i, s_thr_r_ready_i, s_thr_aw_valid_i, s_thr_aw_i, s_thr_w_valid_i,
        s_thr_w_data_i, s_thr_w_strb_i, s_thr_b_ready_i};
  end

  // ---- VRAM for linked adapters. The core's reset only cuts the port off (cut_i).
  logic peer_idle;
  if (Config.LinkPort != 0) begin : g_peer
    gmmu_peer_port u_peer (
      .clk_i, .rst_i, .cut_i(rst_mux), .vram_bytes_i, .idle_o(peer_idle),
      .s_ar_valid_i(s_peer_ar_valid_i), .s_ar_ready_o(s_peer_ar_ready_o), .s_ar_i(s_peer_ar_i),
      .s_r_valid_o(s_peer_r_valid_o), .s_r_ready_i(s_peer_r_ready_i), .s_r_o(s_peer_r_o),
      .s_aw_valid_i(s_peer_aw_valid_i), .s_aw_ready_o(s_peer_aw_ready_o), .s_aw_i(s_peer_aw_i),
      .s_w_valid_i(s_peer_w_valid_i), .s_w_ready_o(s_peer_w_ready_o), .s_w_i(s_peer_w_i),
      .s_b_valid_o(s_peer_b_valid_o), .s_b_ready_i(s_peer_b_ready_i), .s_b_o(s_peer_b_o),
      .rd_req_o(rd_req[ReqPeer]), .rd_rsp_i(rd_rsp[ReqPeer]), .wr_req_o(wr_req[ReqPeer]), .wr_rsp_i(wr_rsp[ReqPeer])
    );
  end else begin : g_no_peer
    logic unused_peer;
    assign peer_idle = 1'b1;
    assign {s_peer_ar_ready_o, s_peer_r_valid_o, s_peer_r_o, s_peer_aw_ready_o, s_peer_w_ready_o, s_peer_b_valid_o,
            s_peer_b_o} = '0;
    assign unused_peer = ^{s_peer_ar_valid_i, s_peer_ar_i, s_peer_r_ready_i, s_peer_aw_valid_i, s_peer_aw_i,
        s_peer_w_valid_i, s_peer_w_i, s_peer_b_ready_i};
  end

  // ---- Fault log and interrupts.
  logic fault_logged, faults_idle, message_sent, interrupts_idle;

  gmmu_fault_log #(.Config(Config)) u_faults (
    .clk_i, .rst_i(rst_regs), .cycle_i, .open_i(bus_master_i),
    .enable_i(fault_enable), .base_i(fault_base), .size_lg2_i(fault_size_lg2), .head_i(fault_head),
    .tail_o(fault_tail), .dropped_o(fault_dropped),
    .fault_valid_i(fault_valid), .fault_ready_o(fault_ready), .fault_i(fault),
    .wr_req_o(wr_req[ReqFaults]), .wr_rsp_i(wr_rsp[ReqFaults]),
    .logged_o(fault_logged), .idle_o(faults_idle)
  );

  gmmu_interrupts u_interrupts (
    .clk_i, .rst_i(rst_regs),
    .causes_i('{preempted: preempted, invalidate: invalidated, client: client_done != '0, fault: fault_logged,
                ring_error: ring_error, fence: fence_irq, default: '0}),
    .clear_i(int_clear), .clear_bits_i(int_clear_bits),
    .enable_i(int_enable),
    .status_o(int_status), .irq_o,
    .bus_master_i, .message_i, .closed_i(isolated), .silence_i(silence),
    .wr_req_o(wr_req[ReqInterrupt]), .wr_rsp_i(wr_rsp[ReqInterrupt]),
    .sent_o(message_sent), .idle_o(interrupts_idle)
  );

  // ---- Tie-offs of the unused channels of requesters that only read or only write.
  assign {rd_req[ReqWrite], rd_req[ReqFaults], rd_req[ReqInterrupt]} = '0;
  assign {wr_req[ReqTables], wr_req[ReqAperture], wr_req[ReqFetch], wr_req[ReqRead]} = '0;
  logic unused_ways;
  assign unused_ways = ^{rd_rsp[ReqWrite], rd_rsp[ReqFaults], rd_rsp[ReqInterrupt],
      wr_rsp[ReqTables], wr_rsp[ReqAperture], wr_rsp[ReqFetch], wr_rsp[ReqRead]};

  // ---- Event port.
  gmmu_events #(.Config(Config)) u_events (
    .clk_i, .rst_i(rst_regs), .xlate_i(ev_valid), .xlate_event_i(ev), .xlate_rsp_i(xs),
    .mmu_i(mmu_event), .inv_done_i(inv_done), .inv_scope_i(inv_scope), .inv_space_i(inv_space),
    .inv_start_i(inv_start), .inv_end_i(inv_end),
    .entry_i(count_entry), .commands_i(count_commands),
    .fault_i(fault_valid & fault_ready), .fault_info_i(fault),
    .write_i(m_aw_valid_o & m_aw_ready_i), .write_ax_i(m_aw_o),
    .xlate_valid_o(ev_xlate_valid_o), .xlate_o(ev_xlate_o), .xlate_id_o(ev_xlate_id_o),
    .inv_done_o(ev_inv_done_o), .inv_scope_o(ev_inv_scope_o), .inv_space_o(ev_inv_space_o),
    .inv_start_o(ev_inv_start_o), .inv_end_o(ev_inv_end_o),
    .valid_o(ev_valid_o), .event_o(ev_o)
  );

  // ---- Counters.
  logic counts_idle;
  gmmu_counts #(.Config(Config)) u_counts (
    .clk_i, .rst_i(rst_counters), .port_i(port_count), .mmu_i(mmu_count), .ap_lookup_i(ap_lookup),
    .ap_hit_i(ap_hit), .entry_i(count_entry), .commands_i(count_commands),
    .engine_read_i(count_engine_read), .engine_write_i(count_engine_write),
    .engine_busy_i(engine_busy), .message_i(message_sent), .record_i(fault_logged),
    .unit_read_i(client_read_bytes), .unit_write_i(client_write_bytes),
    .units_busy_i(traffic_busy != '0),
    .bus_r_i(m_r_valid_i & m_r_ready_o), .bus_w_i(m_w_valid_o & m_w_ready_i),
    .bus_strb_i({m_w_o[1].strb, m_w_o[0].strb}), .idle_o(counts_idle),
    .rd_i(reg_rd), .addr_i(reg_addr), .rd_busy_o(counters_busy), .rd_data_o(counters_data)
  );

  // ---- Idle. Linked adapters' accesses are not work of this GPU.
  gmmu_idle #(.Parts(12 + NumClients), .Ports(4)) u_idle (
    .clk_i, .held_silent_i(held_silent), .stale_i(stale), .silent_o(silent),
    .parts_i({mux_own_idle, !stale, mmu_idle, ctl_idle, regs_idle, ap_idle, engine_idle, client_idle, through_idle,
              faults_idle, interrupts_idle, window_idle, !core_rst && !rst_mux}),
    .ports_i({mux_idle, reg_port_idle, peer_idle, counts_idle}), .isolator_i(isolator_idle),
    .offered_i({s_reg_awvalid_i, s_reg_wvalid_i, s_reg_arvalid_i, s_win_awvalid_i, s_win_wvalid_i, s_win_arvalid_i,
                cl_req_valid_i, cl_w_valid_i, s_thr_ar_valid_i, s_thr_aw_valid_i, s_thr_w_valid_i, s_peer_ar_valid_i,
                s_peer_aw_valid_i, s_peer_w_valid_i} != '0),
    .work_idle_o(work_idle), .idle_o
  );
endmodule

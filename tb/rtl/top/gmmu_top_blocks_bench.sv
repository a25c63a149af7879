// SPDX-License-Identifier: Apache-2.0
// The small blocks of rtl/top, unconnected: fault log, register port, window, registers, events.
// Index [0] is the size of the default GPU, [1] the smallest. Registers [2] have the largest size;
// events [2] are built without the event port. A port that a size does not have is constant.
module gmmu_top_blocks_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_dma_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  // Control arbiter.
  input  logic [1:0]  arb_valid_i,
  output logic [1:0]  arb_ready_o,
  input  mmu_ctl_t    arb_ctl_i [2],
  output logic [1:0]  arb_done_o,
  output logic        arb_valid_o,
  input  logic        arb_ready_i,
  output mmu_ctl_t    arb_ctl_o,
  input  logic        arb_done_i,
  output logic        arb_idle_o,

  // Interrupts.
  input  logic [5:0]  int_causes_i,
  input  logic        int_clear_i,
  input  logic [5:0]  int_clear_bits_i,
  input  logic [5:0]  int_enable_i,
  output logic [5:0]  int_status_o,
  output logic        int_irq_o,
  input  logic        int_open_i,     // 0: messages are held, and int_why_i is the reason
  input  logic [1:0]  int_why_i,      // no bus master, messages disabled, port closed, silence
  input  logic [63:0] int_address_i,
  input  logic [31:0] int_data_i,
  output wr_req_t     int_wr_req_o,
  input  wr_rsp_t     int_wr_rsp_i,
  output logic        int_sent_o,
  output logic        int_idle_o,

  // Fault logs with 5 and with 2 sources.
  input  logic [63:0] log_cycle_i,
  input  logic        log_open_i [2],
  input  logic        log_enable_i [2],
  input  logic [47:0] log_base_i [2],
  input  logic [3:0]  log_size_lg2_i [2],
  input  logic [15:0] log_head_i [2],
  output logic [15:0] log_tail_o [2],
  output logic [15:0] log_dropped_o [2],
  input  logic [4:0]  log_fault_valid_i [2],
  output logic [4:0]  log_fault_ready_o [2],
  input  fault_info_t log_fault_i [5],
  output wr_req_t     log_wr_req_o [2],
  input  wr_rsp_t     log_wr_rsp_i [2],
  output logic        log_logged_o [2],
  output logic        log_idle_o [2],

  // Register ports with ReadCycles 4 and 1.
  input  logic        reg_awvalid_i [2],
  output logic        reg_awready_o [2],
  input  logic [15:0] reg_awaddr_i [2],
  input  logic        reg_wvalid_i [2],
  output logic        reg_wready_o [2],
  input  logic [63:0] reg_wdata_i [2],
  input  logic [7:0]  reg_wstrb_i [2],
  output logic        reg_bvalid_o [2],
  input  logic        reg_bready_i [2],
  output logic [1:0]  reg_bresp_o [2],
  input  logic        reg_arvalid_i [2],
  output logic        reg_arready_o [2],
  input  logic [15:0] reg_araddr_i [2],
  output logic        reg_rvalid_o [2],
  input  logic        reg_rready_i [2],
  output logic [63:0] reg_rdata_o [2],
  output logic [1:0]  reg_rresp_o [2],
  output logic        reg_wr_valid_o [2],
  input  logic        reg_wr_ready_i [2],
  output logic [15:0] reg_addr_o [2],
  output logic [63:0] reg_wr_data_o [2],
  output logic        reg_rd_o [2],
  input  logic        reg_rd_busy_i [2],
  input  logic [63:0] reg_rd_data_i [2],
  input  logic        reg_stop_i [2],
  input  logic        reg_forget_i [2],
  output logic        reg_stopped_o [2],
  output logic        reg_idle_o [2],

  // Windows with 16 and with 2 slots.
  input  logic [47:0] win_base_i [2],
  input  logic        win_aperture_enable_i [2],
  input  logic [19:0] win_aperture_first_i [2],
  input  logic        win_aperture_set_i [2],
  input  logic [7:0]  win_aperture_index_i [2],
  input  logic        win_aperture_valid_i [2],
  input  logic [35:0] win_aperture_page_i [2],
  input  logic        win_hold_i [2],
  output logic        win_settled_o [2],
  input  logic        win_stop_i [2],
  output logic        win_stopped_o [2],
  input  logic        win_lose_i [2],
  output logic        win_idle_o [2],
  input  logic        win_awvalid_i [2],
  output logic        win_awready_o [2],
  input  logic [31:0] win_awaddr_i [2],
  input  logic        win_wvalid_i [2],
  output logic        win_wready_o [2],
  input  logic [63:0] win_wdata_i [2],
  input  logic [7:0]  win_wstrb_i [2],
  output logic        win_bvalid_o [2],
  input  logic        win_bready_i [2],
  output logic [1:0]  win_bresp_o [2],
  input  logic        win_arvalid_i [2],
  output logic        win_arready_o [2],
  input  logic [31:0] win_araddr_i [2],
  output logic        win_rvalid_o [2],
  input  logic        win_rready_i [2],
  output logic [63:0] win_rdata_o [2],
  output logic [1:0]  win_rresp_o [2],
  output rd_req_t     win_rd_req_o [2],
  input  rd_rsp_t     win_rd_rsp_i [2],
  output wr_req_t     win_wr_req_o [2],
  input  wr_rsp_t     win_wr_rsp_i [2],

  // Registers in three sizes, with 4, 1 and 64 clients, 16, 2 and 64 spaces, and 1, 1 and 4 rings.
  // The three sizes share the inputs that hold readable values.
  input  logic        regs_wr_valid_i [3],
  output logic        regs_wr_ready_o [3],
  input  logic [15:0] regs_addr_i [3],
  input  logic [63:0] regs_wr_data_i [3],
  input  logic        regs_rd_i [3],
  output logic [63:0] regs_rd_data_o [3],
  input  logic        regs_window_settled_i [3],
  input  logic [63:0] regs_vram_bytes_i,
  input  logic [63:0] regs_cycle_i,
  input  logic        regs_work_idle_i,
  output logic        regs_enable_o [3],
  output logic        regs_silence_o [3],
  input  logic        regs_silent_i,
  output logic [47:0] regs_window_base_o [3],
  output host_aperture_cfg_t regs_host_aperture_o [3],
  output logic        regs_int_clear_o [3],
  output logic [5:0]  regs_int_clear_bits_o [3],
  output logic [5:0]  regs_int_enable_o [3],
  input  logic [5:0]  regs_int_status_i,
  output logic [47:0] regs_fault_base_o [3],
  output logic [3:0]  regs_fault_size_lg2_o [3],
  output logic        regs_fault_enable_o [3],
  output logic [15:0] regs_fault_head_o [3],
  input  logic [15:0] regs_fault_tail_i,
  input  logic [15:0] regs_fault_dropped_i,
  output logic [47:0] regs_aperture_base_o [3],
  output logic [31:0] regs_aperture_pages_o [3],
  output logic        regs_aperture_flush_o [3],
  output link_cfg_t   regs_link_o [3],
  output ring_cfg_t   regs_ring_o [3][4],
  input  ring_state_t regs_ring_i [4],
  output logic [63:0] regs_client_wr_o [3],
  output logic [63:0] regs_client_rd_o [3],
  output logic [2:0]  regs_client_word_o [3],
  output logic [63:0] regs_client_data_o [3],
  // Client regs_client_from_i returns regs_client_data_i; all other clients return 0.
  input  logic [5:0]  regs_client_from_i [3],
  input  logic [63:0] regs_client_data_i [3],
  output logic        regs_ctl_valid_o [3],
  input  logic        regs_ctl_ready_i [3],
  output mmu_ctl_t    regs_ctl_o [3],
  input  logic        regs_ctl_done_i [3],
  output logic        regs_invalidated_o [3],
  output logic        regs_idle_o [3],

  // Event blocks with 7 ports, with 4 ports, and without the event port. They share the inputs.
  input  logic [6:0]  ev_xlate_i,
  input  tag_t        ev_tag_i [7],
  input  mmu_event_t  ev_mmu_i,
  input  logic        ev_inv_done_i,
  input  logic [63:0] ev_inv_start_i,
  input  logic [63:0] ev_inv_end_i,
  input  logic        ev_entry_i,
  input  logic [1:0]  ev_commands_i,
  input  logic        ev_fault_i,
  input  logic [1:0]  ev_write_i,
  input  port_ax_t    ev_write_ax_i [2],
  output logic [7*192-1:0] ev_xlate_o [3],
  output logic [7*64-1:0] ev_xlate_id_o [3],
  output logic [8:0]  ev_valid_o [3],
  output logic [9*192-1:0] ev_event_o [3]
);
  // ---- Blocks without size parameters.
  gmmu_ctl_arbiter u_arbiter (
    .clk_i, .rst_i, .valid_i(arb_valid_i), .ready_o(arb_ready_o), .ctl_i({arb_ctl_i[1], arb_ctl_i[0]}),
    .done_o(arb_done_o), .valid_o(arb_valid_o), .ready_i(arb_ready_i), .ctl_o(arb_ctl_o),
    .done_i(arb_done_i), .idle_o(arb_idle_o));

  gmmu_interrupts u_interrupts (
    .clk_i, .rst_i, .causes_i(64'(int_causes_i)), .clear_i(int_clear_i),
    .clear_bits_i(int_clear_bits_i), .enable_i(int_enable_i), .status_o(int_status_o),
    .irq_o(int_irq_o),
    .bus_master_i(int_open_i || int_why_i != 2'd0),
    .message_i('{enable: int_open_i || int_why_i != 2'd1, data: int_data_i, address: int_address_i}),
    .closed_i(!int_open_i && int_why_i == 2'd2), .silence_i(!int_open_i && int_why_i == 2'd3),
    .wr_req_o(int_wr_req_o), .wr_rsp_i(int_wr_rsp_i),
    .sent_o(int_sent_o), .idle_o(int_idle_o));

  // ---- Blocks in the default and in the smallest size.
  function automatic config_t log_sizes(int n);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumUnits = n == 0 ? 4 : 1;
    return c;
  endfunction
  fault_info_t [4:0] faults;
  assign faults = {log_fault_i[4], log_fault_i[3], log_fault_i[2], log_fault_i[1], log_fault_i[0]};
  for (genvar n = 0; n < 2; n++) begin : g_size
    localparam int unsigned Sources = n == 0 ? 5 : 2;
    logic [Sources-1:0] log_ready;
    assign log_fault_ready_o[n] = 5'(log_ready);
    gmmu_fault_log #(.Config(log_sizes(n))) u_log (
      .clk_i, .rst_i, .cycle_i(log_cycle_i), .open_i(log_open_i[n]), .enable_i(log_enable_i[n]),
      .base_i(log_base_i[n]), .size_lg2_i(log_size_lg2_i[n]), .head_i(log_head_i[n]),
      .tail_o(log_tail_o[n]), .dropped_o(log_dropped_o[n]),
      .fault_valid_i(log_fault_valid_i[n][Sources-1:0]), .fault_ready_o(log_ready),
      .fault_i(faults[Sources-1:0]),
      .wr_req_o(log_wr_req_o[n]), .wr_rsp_i(log_wr_rsp_i[n]),
      .logged_o(log_logged_o[n]), .idle_o(log_idle_o[n]));

    gmmu_reg_port #(.ReadCycles(n == 0 ? 4 : 1)) u_port (
      .clk_i, .rst_i, .awvalid_i(reg_awvalid_i[n]), .awready_o(reg_awready_o[n]),
      .awaddr_i(reg_awaddr_i[n]), .wvalid_i(reg_wvalid_i[n]), .wready_o(reg_wready_o[n]),
      .wdata_i(reg_wdata_i[n]), .wstrb_i(reg_wstrb_i[n]), .bvalid_o(reg_bvalid_o[n]),
      .bready_i(reg_bready_i[n]), .bresp_o(reg_bresp_o[n]), .arvalid_i(reg_arvalid_i[n]),
      .arready_o(reg_arready_o[n]), .araddr_i(reg_araddr_i[n]), .rvalid_o(reg_rvalid_o[n]),
      .rready_i(reg_rready_i[n]), .rdata_o(reg_rdata_o[n]), .rresp_o(reg_rresp_o[n]),
      .wr_valid_o(reg_wr_valid_o[n]), .wr_ready_i(reg_wr_ready_i[n]), .addr_o(reg_addr_o[n]),
      .wr_data_o(reg_wr_data_o[n]), .rd_o(reg_rd_o[n]), .rd_busy_i(reg_rd_busy_i[n]),
      .rd_data_i(reg_rd_data_i[n]), .stop_i(reg_stop_i[n]), .forget_i(reg_forget_i[n]),
      .stopped_o(reg_stopped_o[n]), .idle_o(reg_idle_o[n]));

    gmmu_window #(.SlotsLg2(n == 0 ? 4 : 1)) u_window (
      .clk_i, .rst_i, .base_i(win_base_i[n]),
      .aperture_i('{enable: win_aperture_enable_i[n], first: win_aperture_first_i[n], write: win_aperture_set_i[n],
                    entry: '{index: win_aperture_index_i[n],
                             entry: '{valid: win_aperture_valid_i[n], page: win_aperture_page_i[n]}}}),
      .hold_i(win_hold_i[n]),
      .settled_o(win_settled_o[n]), .stop_i(win_stop_i[n]), .stopped_o(win_stopped_o[n]),
      .lose_i(win_lose_i[n]), .idle_o(win_idle_o[n]),
      .s_awvalid_i(win_awvalid_i[n]), .s_awready_o(win_awready_o[n]),
      .s_awaddr_i(win_awaddr_i[n]), .s_wvalid_i(win_wvalid_i[n]), .s_wready_o(win_wready_o[n]),
      .s_wdata_i(win_wdata_i[n]), .s_wstrb_i(win_wstrb_i[n]), .s_bvalid_o(win_bvalid_o[n]),
      .s_bready_i(win_bready_i[n]), .s_bresp_o(win_bresp_o[n]), .s_arvalid_i(win_arvalid_i[n]),
      .s_arready_o(win_arready_o[n]), .s_araddr_i(win_araddr_i[n]),
      .s_rvalid_o(win_rvalid_o[n]), .s_rready_i(win_rready_i[n]), .s_rdata_o(win_rdata_o[n]),
      .s_rresp_o(win_rresp_o[n]),
      .rd_req_o(win_rd_req_o[n]), .rd_rsp_i(win_rd_rsp_i[n]), .wr_req_o(win_wr_req_o[n]), .wr_rsp_i(win_wr_rsp_i[n]));
  end

  // ---- Registers.
  ring_state_t [3:0] states;
  assign states = {regs_ring_i[3], regs_ring_i[2], regs_ring_i[1], regs_ring_i[0]};
  function automatic config_t regs_sizes(int n);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumClients = n == 0 ? 4 : n == 1 ? 1 : 64;
    c.TrafficEngines = n == 0 ? 4 : n == 1 ? 1 : 64;
    c.NumSpaces = n == 0 ? 16 : n == 1 ? 2 : 64;
    c.NumRings = n == 2 ? 4 : 1;
    c.TurnDown = 0;
    return c;
  endfunction
  for (genvar n = 0; n < 3; n++) begin : g_regs
    localparam config_t Sizes = regs_sizes(n);
    localparam int unsigned Clients = Sizes.NumClients;
    localparam int unsigned Rings = Sizes.NumRings;
    logic [Clients-1:0]       wr, rd;
    logic [Clients-1:0][63:0] client_data;
    ring_cfg_t [Rings-1:0]    rings;
    gmmu_regs #(
      .Config(Sizes),
      .Cap0(64'hA0A1_A2A3_A4A5_A6A7), .Cap1(64'hB0B1_B2B3_B4B5_B6B7),
      .Cap2(64'hC0C1_C2C3_C4C5_C6C7)
    ) u_regs (
      .clk_i, .rst_i, .wr_valid_i(regs_wr_valid_i[n]), .wr_ready_o(regs_wr_ready_o[n]),
      .addr_i(regs_addr_i[n]), .wr_data_i(regs_wr_data_i[n]), .rd_i(regs_rd_i[n]), .rd_data_o(regs_rd_data_o[n]),
      .window_settled_i(regs_window_settled_i[n]), .vram_bytes_i(regs_vram_bytes_i),
      .cycle_i(regs_cycle_i), .work_idle_i(regs_work_idle_i), .sizes_i('0), .enable_o(regs_enable_o[n]),
      .silence_o(regs_silence_o[n]), .silent_i(regs_silent_i),
      .window_base_o(regs_window_base_o[n]), .host_aperture_o(regs_host_aperture_o[n]), .int_clear_o(regs_int_clear_o[n]),
      .int_clear_bits_o(regs_int_clear_bits_o[n]), .int_enable_o(regs_int_enable_o[n]),
      .int_status_i(regs_int_status_i), .fault_base_o(regs_fault_base_o[n]),
      .fault_size_lg2_o(regs_fault_size_lg2_o[n]), .fault_enable_o(regs_fault_enable_o[n]),
      .fault_head_o(regs_fault_head_o[n]), .fault_tail_i(regs_fault_tail_i),
      .fault_dropped_i(regs_fault_dropped_i), .aperture_base_o(regs_aperture_base_o[n]),
      .aperture_pages_o(regs_aperture_pages_o[n]),
      .aperture_flush_o(regs_aperture_flush_o[n]), .link_o(regs_link_o[n]),
      .ring_o(rings), .ring_i(states[Rings-1:0]), .client_wr_o(wr), .client_rd_o(rd),
      .client_word_o(regs_client_word_o[n]), .client_data_o(regs_client_data_o[n]),
      .client_data_i(client_data), .ctl_valid_o(regs_ctl_valid_o[n]),
      .ctl_ready_i(regs_ctl_ready_i[n]), .ctl_o(regs_ctl_o[n]), .ctl_done_i(regs_ctl_done_i[n]),
      .invalidated_o(regs_invalidated_o[n]), .idle_o(regs_idle_o[n]));
    assign regs_client_wr_o[n] = 64'(wr);
    assign regs_client_rd_o[n] = 64'(rd);
    for (genvar c = 0; c < Clients; c++) begin : g_client
      assign client_data[c] = 32'(regs_client_from_i[n]) == c ? regs_client_data_i[n] : '0;
    end
    for (genvar i = 0; i < 4; i++) begin : g_ring
      if (i < Rings) begin : g_there
        assign regs_ring_o[n][i] = rings[i];
      end else begin : g_absent
        assign regs_ring_o[n][i] = '0;
      end
    end
  end

  // ---- Events. The faults are those of source 0 of the log.
  function automatic config_t event_sizes(int n);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.EventPort = n != 2;
    c.NumPorts = n == 1 ? 4 : 7;
    c.NumUnits = 0;  // a single source of faults
    return c;
  endfunction
  for (genvar n = 0; n < 3; n++) begin : g_events
    localparam int unsigned Ports = n == 1 ? 4 : 7;
    xlate_rsp_t [Ports-1:0] answers;
    for (genvar p = 0; p < Ports; p++) begin : g_port
      assign answers[p] = '{tag: ev_tag_i[p], fault: FaultNone, default: '0};
    end
    // Outputs that are only passed through, and the contents of xlate_o (0 here), are tested in the
    // whole GPU.
    gmmu_events #(.Config(event_sizes(n))) u_events (
      .clk_i, .rst_i, .xlate_i(ev_xlate_i[Ports-1:0]), .xlate_event_i('0), .xlate_rsp_i(answers),
      .mmu_i(ev_mmu_i),
      .inv_done_i(ev_inv_done_i), .inv_scope_i(ScopeGlobal), .inv_space_i('0),
      .inv_start_i(ev_inv_start_i), .inv_end_i(ev_inv_end_i),
      .entry_i(ev_entry_i), .commands_i(ev_commands_i), .fault_i(ev_fault_i),
      .fault_info_i(faults[0]), .write_i(ev_write_i), .write_ax_i({ev_write_ax_i[1], ev_write_ax_i[0]}),
      .xlate_valid_o(), .xlate_o(ev_xlate_o[n][192*Ports-1:0]), .xlate_id_o(ev_xlate_id_o[n][64*Ports-1:0]),
      .inv_done_o(), .inv_scope_o(), .inv_space_o(), .inv_start_o(), .inv_end_o(),
      .valid_o(ev_valid_o[n]), .event_o(ev_event_o[n]));
  end
endmodule

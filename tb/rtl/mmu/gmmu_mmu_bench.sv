// SPDX-License-Identifier: Apache-2.0
// Two MMUs with flat ports for C++: one with the default sizes, which can be turned down, and one with
// the smallest sizes and two ports. small_i, constant from reset on, selects the active
// one.
//
// like_i, constant from reset on, selects an MMU that was built with smaller sizes (1 to 3, g_like)
// and runs beside the default one. It gets the same inputs, except that a change of sizes becomes an
// invalidation of everything, so both behave the same once the default MMU is turned down to the
// other's sizes. differs_o: an output of the two differs in this cycle.
module gmmu_mmu_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  localparam int unsigned Ports = 5
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        small_i,
  input  logic [1:0]  like_i,
  output logic        differs_o,
  output logic [7:0]  data_words_o,

  input  logic        req_valid_i  [Ports],
  output logic        req_ready_o  [Ports],
  input  logic [7:0]  req_tag_i    [Ports],
  input  logic [5:0]  req_space_i  [Ports],
  input  logic [63:0] req_va_i     [Ports],
  input  logic [1:0]  req_access_i [Ports],
  output logic        rsp_valid_o  [Ports],
  input  logic        rsp_ready_i  [Ports],
  output logic [7:0]  rsp_tag_o    [Ports],
  output logic        rsp_generation_o  [Ports],
  output logic [1:0]  rsp_target_o [Ports],
  output logic [5:0]  rsp_adapter_o [Ports],
  output logic [63:0] rsp_offset_o [Ports],
  output logic        rsp_zero_o   [Ports],
  output logic        rsp_coherent_o [Ports],
  output logic [7:0]  rsp_fault_o  [Ports],
  output logic [2:0]  rsp_level_o  [Ports],
  input  logic [1:0]  done0_i      [Ports],
  input  logic [1:0]  done1_i      [Ports],
  output logic        ev_valid_o   [Ports],
  output logic [63:0] ev_va_o      [Ports],
  output logic [7:0]  ev_fault_o   [Ports],

  input  logic        ctl_valid_i,
  output logic        ctl_ready_o,
  input  logic [1:0]  ctl_op_i,
  input  logic [1:0]  ctl_scope_i,
  input  logic [5:0]  ctl_space_i,
  input  logic [63:0] ctl_start_i,
  input  logic [63:0] ctl_end_i,
  input  logic        ctl_enable_i,
  input  logic [1:0]  ctl_root_target_i,
  input  logic [63:0] ctl_root_i,
  input  logic [31:0] ctl_root_entries_i,
  input  logic [2:0]  ctl_levels_i,
  input  logic [23:0] ctl_bits_i,
  input  logic        ctl_dual_i,
  output logic        ctl_done_o,
  output logic        inv_valid_o,
  output logic [63:0] sizes_o,

  output logic        ar_valid_o,
  input  logic        ar_ready_i,
  output logic [7:0]  ar_id_o,
  output logic [1:0]  ar_port_o,
  output logic [63:0] ar_addr_o,
  output logic [7:0]  ar_len_o,
  input  logic        r_valid_i,
  output logic        r_ready_o,
  input  logic [7:0]  r_id_i,
  input  logic [63:0] r_word_i [8],  // the bus's words, lowest first
  input  logic        r_error_i,
  input  logic        r_last_i,

  // Counters since reset.
  output logic [63:0] lookups_o [Ports],
  output logic [63:0] hits_o    [Ports],
  output logic [63:0] misses_o  [Ports],
  output logic [63:0] merged_o  [Ports],
  output logic [63:0] faults_o  [Ports],
  output logic [63:0] cycles_o  [Ports],
  output logic [63:0] l2_lookups_o,
  output logic [63:0] l2_hits_o,
  output logic [63:0] l2_misses_o,
  output logic [63:0] l2_merged_o,
  output logic [63:0] l2_fills_o,
  output logic [63:0] walks_o,
  output logic [63:0] walks_ok_o,
  output logic [63:0] walks_fault_o,
  output logic [63:0] walks_redone_o,
  output logic [63:0] table_reads_o,
  output logic [63:0] wc_hits_o,
  output logic        idle_o
);
  localparam int unsigned Words = DataWidth / 64;

  logic         [Ports-1:0] req_valid, rsp_ready;
  xlate_req_t   [Ports-1:0] req;
  xlate_done_t  [Ports-1:0] done;
  mmu_ctl_t                 ctl;
  r_t                       r;

  logic         [1:0][Ports-1:0] req_ready, rsp_valid, ev_valid;
  xlate_rsp_t   [1:0][Ports-1:0] rsp;
  xlate_event_t [1:0][Ports-1:0] ev;
  port_count_t  [1:0][Ports-1:0] port_count;
  logic         [1:0]            ctl_ready, ctl_done, ar_valid, inv_valid, idle;
  ax_t          [1:0]            ar;
  mmu_count_t   [1:0]            count;

  assign data_words_o = 8'(Words);
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      req_valid[p] = req_valid_i[p];
      req[p] = '{tag: req_tag_i[p], space: req_space_i[p], va: req_va_i[p],
          access: access_e'(req_access_i[p])};
      rsp_ready[p] = rsp_ready_i[p];
      done[p] = '{old1: done1_i[p], old0: done0_i[p]};
      req_ready_o[p] = req_ready[small_i][p];
      rsp_valid_o[p] = rsp_valid[small_i][p];
      rsp_tag_o[p] = rsp[small_i][p].tag;
      rsp_generation_o[p] = rsp[small_i][p].generation;
      rsp_target_o[p] = rsp[small_i][p].gpa.target;
      rsp_adapter_o[p] = rsp[small_i][p].gpa.adapter;
      rsp_offset_o[p] = 64'(rsp[small_i][p].gpa.offset);
      rsp_zero_o[p] = rsp[small_i][p].zero;
      rsp_coherent_o[p] = rsp[small_i][p].coherent;
      rsp_fault_o[p] = rsp[small_i][p].fault;
      rsp_level_o[p] = rsp[small_i][p].level;
      ev_valid_o[p] = ev_valid[small_i][p];
      ev_va_o[p] = ev[small_i][p].va;
      ev_fault_o[p] = ev[small_i][p].fault;
    end
    ctl.op = mmu_op_e'(ctl_op_i);
    ctl.scope = scope_e'(ctl_scope_i);
    ctl.space = ctl_space_i;
    ctl.va_start = ctl_start_i;
    ctl.va_end = ctl_end_i;
    ctl.cfg.enable = ctl_enable_i;
    ctl.cfg.root = '{target: target_e'(ctl_root_target_i), adapter: '0,
        offset: ctl_root_i[PaWidth-1:0]};
    ctl.cfg.root_entries = ctl_root_entries_i;
    ctl.cfg.levels = ctl_levels_i;
    ctl.cfg.bits = ctl_bits_i;
    ctl.cfg.dual = ctl_dual_i;
    r.id = r_id_i;
    r.error = r_error_i;
    r.last = r_last_i;
    for (int unsigned w = 0; w < Words; w++) r.data[w*64 +: 64] = r_word_i[w];
  end
  assign ctl_ready_o = ctl_ready[small_i];
  assign ctl_done_o = ctl_done[small_i];
  assign inv_valid_o = inv_valid[small_i];
  assign ar_valid_o = ar_valid[small_i];
  assign ar_id_o = ar[small_i].id;
  assign ar_port_o = ar[small_i].port;
  assign ar_addr_o = 64'(ar[small_i].addr);
  assign ar_len_o = ar[small_i].len;
  assign r_ready_o = 1'b1;
  assign idle_o = idle[small_i];

  logic [63:0] unused_sizes;
  logic        ar_early;
  ax_t         early_ar;
  mmu_event_t  mev;
  rd_rsp_t     rd_rsp;
  assign rd_rsp = '{ar_ready: ar_ready_i && !small_i, r_valid: r_valid_i && !small_i, r: r};
  function automatic config_t built();
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumPorts = Ports;
    return c;
  endfunction
  gmmu_mmu #(.Config(built())) u_default (
    .clk_i, .rst_i,
    .req_valid_i(small_i ? '0 : req_valid), .req_ready_o(req_ready[0]), .req_i(req),
    .rsp_valid_o(rsp_valid[0]), .rsp_ready_i(small_i ? '0 : rsp_ready), .rsp_o(rsp[0]),
    .done_i(small_i ? '0 : done),
    .ctl_valid_i(ctl_valid_i && !small_i), .ctl_ready_o(ctl_ready[0]), .ctl_i(ctl),
    .ctl_done_o(ctl_done[0]),
    .rd_req_o({ar_valid[0], ar[0]}), .rd_rsp_i(rd_rsp), .ar_early_o(ar_early), .early_ar_o(early_ar),
    .ev_valid_o(ev_valid[0]), .ev_o(ev[0]), .inv_valid_o(inv_valid[0]),
    .inv_scope_o(), .inv_space_o(), .inv_start_o(), .inv_end_o(), .sizes_o(sizes_o), .mev_o(mev),
    .port_count_o(port_count[0]), .count_o(count[0]), .idle_o(idle[0]));

  localparam int unsigned SmallPorts = 2;
  function automatic config_t smallest();
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumSpaces = 2;
    c.L1Entries = 2;
    c.L2Entries = 32;
    c.L2Ways = 2;
    c.WalkCacheEntries = 2;
    c.NumWalks = 1;
    c.TurnDown = 0;
    c = gmmu_config_pkg::derive(c);
    c.NumPorts = SmallPorts;
    c.EnginePorts = SmallPorts;
    c.MissSlots = 2;
    c.EngineMissSlots = 2;
    c.MostSlots = 2;
    return c;
  endfunction
  gmmu_mmu #(.Config(smallest())) u_small (
    .clk_i, .rst_i,
    .req_valid_i(small_i ? req_valid[SmallPorts-1:0] : '0),
    .req_ready_o(req_ready[1][SmallPorts-1:0]),
    .req_i(req[SmallPorts-1:0]), .rsp_valid_o(rsp_valid[1][SmallPorts-1:0]),
    .rsp_ready_i(small_i ? rsp_ready[SmallPorts-1:0] : '0), .rsp_o(rsp[1][SmallPorts-1:0]),
    .done_i(small_i ? done[SmallPorts-1:0] : '0),
    .ctl_valid_i(ctl_valid_i && small_i), .ctl_ready_o(ctl_ready[1]), .ctl_i(ctl),
    .ctl_done_o(ctl_done[1]),
    .rd_req_o({ar_valid[1], ar[1]}), .rd_rsp_i({ar_ready_i && small_i, r_valid_i && small_i, r}), .ar_early_o(), .early_ar_o(),
    .ev_valid_o(ev_valid[1][SmallPorts-1:0]), .ev_o(ev[1][SmallPorts-1:0]),
    .inv_valid_o(inv_valid[1]),
    .inv_scope_o(), .inv_space_o(), .inv_start_o(), .inv_end_o(), .sizes_o(unused_sizes), .mev_o(),
    .port_count_o(port_count[1][SmallPorts-1:0]), .count_o(count[1]), .idle_o(idle[1]));
  // ---- MMUs built with the sizes to which the default MMU is turned down.
  typedef struct packed {
    logic        [Ports-1:0] req_ready, rsp_valid, ev_valid;
    xlate_rsp_t  [Ports-1:0] rsp;        // meaningful while rsp_valid is 1, like the other fields
    logic                    ctl_ready, ctl_done, inv_valid, ar_valid, ar_early, idle;
    ax_t                     ar;
    port_count_t [Ports-1:0] port_count;
    mmu_count_t              count;
    mmu_event_t              mev;
  } same_t;
  localparam int unsigned EngineRow = 10;  // number of the engine's row at the default sizes
  same_t [3:0] same;
  always_comb begin
    same[0] = '{req_ready: req_ready[0], rsp_valid: rsp_valid[0], ev_valid: ev_valid[0], rsp: rsp[0],
                ctl_ready: ctl_ready[0], ctl_done: ctl_done[0], inv_valid: inv_valid[0],
                ar_valid: ar_valid[0], ar_early: ar_early, idle: idle[0], ar: ar[0],
                port_count: port_count[0], count: count[0], mev: mev};
  end
  function automatic config_t like(int k);
    config_t c;
    c = gmmu_config_pkg::Built;
    c.L1Entries = k == 1 ? 4 : k == 2 ? 5 : 2;
    c.L2Entries = k == 1 ? 128 : k == 2 ? 64 : 32;
    c.L2Ways = k == 1 ? 2 : k == 2 ? 4 : 1;
    c.WalkCacheEntries = k == 1 ? 4 : k == 2 ? 8 : 2;
    c.NumWalks = k == 1 ? 2 : k == 2 ? 5 : 1;
    c.TurnDown = 0;
    c = gmmu_config_pkg::derive(c);
    c.NumPorts = Ports;
    return c;
  endfunction
  for (genvar k = 1; k < 4; k++) begin : g_like
    localparam int unsigned Walks = k == 1 ? 2 : k == 2 ? 5 : 1;
    localparam int unsigned OwnEngineRow = Walks < 4 ? Walks : Walks + 2;
    logic     clk, on;
    mmu_ctl_t own_ctl;
    rd_rsp_t  own_rsp;
    rd_req_t  own_req;
    assign on = like_i == 2'(k);
    assign clk = clk_i && on;
    always_comb begin
      own_ctl = ctl;
      if (ctl.op == CtlResize) {own_ctl.op, own_ctl.scope} = {CtlInvalidate, ScopeGlobal};
      own_rsp = rd_rsp;
      if (rd_rsp.r.id == IdWidth'(EngineRow)) own_rsp.r.id = IdWidth'(OwnEngineRow);
      same[k].ar = own_req.ar;
      if (own_req.ar.id == IdWidth'(OwnEngineRow)) same[k].ar.id = IdWidth'(EngineRow);
      same[k].ar_valid = own_req.ar_valid;
    end
    gmmu_mmu #(.Config(like(k))) u_like (
      .clk_i(clk), .rst_i, .req_valid_i(on ? req_valid : '0), .req_ready_o(same[k].req_ready), .req_i(req),
      .rsp_valid_o(same[k].rsp_valid), .rsp_ready_i(on ? rsp_ready : '0), .rsp_o(same[k].rsp),
      .done_i(on ? done : '0), .ctl_valid_i(ctl_valid_i && on && ctl_ready[0]), .ctl_ready_o(same[k].ctl_ready),
      .ctl_i(own_ctl), .ctl_done_o(same[k].ctl_done), .rd_req_o(own_req), .rd_rsp_i(own_rsp),
      .ar_early_o(same[k].ar_early), .early_ar_o(), .ev_valid_o(same[k].ev_valid), .ev_o(),
      .inv_valid_o(same[k].inv_valid), .inv_scope_o(), .inv_space_o(), .inv_start_o(), .inv_end_o(), .sizes_o(),
      .mev_o(same[k].mev), .port_count_o(same[k].port_count), .count_o(same[k].count), .idle_o(same[k].idle));
  end
  // Clears outputs that are undefined in this cycle, and row numbers of the event port, before the
  // comparison.
  function automatic same_t meant(same_t all);
    meant = all;
    for (int unsigned p = 0; p < Ports; p++) if (!all.rsp_valid[p]) meant.rsp[p] = '0;
    if (!all.ar_valid) meant.ar = '0;
    {meant.mev.walk_row, meant.mev.end_row, meant.mev.fill_row} = '0;
    if (!all.mev.walk_start) {meant.mev.port, meant.mev.slot, meant.mev.key} = '0;
    if (!all.mev.walk_end) meant.mev.end_key = '0;
    if (!all.mev.fill && !all.mev.evict) meant.mev.fill_key = '0;
    // With a fault, only the fault and its level are defined.
    for (int unsigned p = 0; p < Ports; p++) begin
      if (all.rsp[p].fault != FaultNone) {meant.rsp[p].gpa, meant.rsp[p].zero, meant.rsp[p].coherent} = '0;
    end
  endfunction
  assign differs_o = like_i != '0 && meant(same[0]) != meant(same[like_i]);

  assign req_ready[1][Ports-1:SmallPorts] = '0;
  assign rsp_valid[1][Ports-1:SmallPorts] = '0;
  assign ev_valid[1][Ports-1:SmallPorts] = '0;
  assign rsp[1][Ports-1:SmallPorts] = '0;
  assign ev[1][Ports-1:SmallPorts] = '0;
  assign port_count[1][Ports-1:SmallPorts] = '0;

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < Ports; p++) begin
      if (rst_i) begin
        lookups_o[p] <= '0;
        hits_o[p] <= '0;
        misses_o[p] <= '0;
        merged_o[p] <= '0;
        faults_o[p] <= '0;
        cycles_o[p] <= '0;
      end else begin
        lookups_o[p] <= lookups_o[p] + 64'(port_count[small_i][p].lookup);
        hits_o[p] <= hits_o[p] + 64'(port_count[small_i][p].hit);
        misses_o[p] <= misses_o[p] + 64'(port_count[small_i][p].miss);
        merged_o[p] <= merged_o[p] + 64'(port_count[small_i][p].merged);
        faults_o[p] <= faults_o[p] + 64'(port_count[small_i][p].fault);
        cycles_o[p] <= cycles_o[p] + 64'(port_count[small_i][p].outstanding);
      end
    end
    if (rst_i) begin
      l2_lookups_o <= '0;
      l2_hits_o <= '0;
      l2_misses_o <= '0;
      l2_merged_o <= '0;
      l2_fills_o <= '0;
      walks_o <= '0;
      walks_ok_o <= '0;
      walks_fault_o <= '0;
      walks_redone_o <= '0;
      table_reads_o <= '0;
      wc_hits_o <= '0;
    end else begin
      l2_lookups_o <= l2_lookups_o + 64'(count[small_i].l2_lookup);
      l2_hits_o <= l2_hits_o + 64'(count[small_i].l2_hit);
      l2_misses_o <= l2_misses_o + 64'(count[small_i].l2_miss);
      l2_merged_o <= l2_merged_o + 64'(count[small_i].l2_merged);
      l2_fills_o <= l2_fills_o + 64'(count[small_i].l2_fill);
      walks_o <= walks_o + 64'(count[small_i].walk);
      walks_ok_o <= walks_ok_o + 64'(count[small_i].walk_ok);
      walks_fault_o <= walks_fault_o + 64'(count[small_i].walk_fault);
      walks_redone_o <= walks_redone_o + 64'(count[small_i].walk_redone);
      table_reads_o <= table_reads_o + 64'(count[small_i].table_read);
      wc_hits_o <= wc_hits_o + 64'(count[small_i].wc_hit);
    end
  end
endmodule

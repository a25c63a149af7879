// SPDX-License-Identifier: Apache-2.0
// Two MMUs: one with the default sizes, which can be reduced at run time, and one with the smallest
// sizes and two ports. small_i selects the active MMU and is constant after reset.
//
// like_i selects an MMU that was built with smaller sizes (1 to 3, see g_like) and runs beside the
// default one; it is also constant after reset. Both receive the same inputs, except that a change
// of sizes reaches the smaller MMU as an invalidation of everything. Once the default MMU is
// reduced to the same sizes, both must behave alike. differs_o: an output of the two MMUs differs
// in this cycle.
module gmmu_mmu_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  localparam int unsigned Ports = 5
) (
  input  logic         clk_i,
  input  logic         rst_i,
  input  logic         small_i,
  input  logic [1:0]   like_i,
  output logic         differs_o,
  output logic [7:0]   data_words_o,

  input  logic         req_valid_i [Ports],
  output logic         req_ready_o [Ports],
  input  xlate_req_t   req_i [Ports],
  output logic         rsp_valid_o [Ports],
  input  logic         rsp_ready_i [Ports],
  output xlate_rsp_t   rsp_o [Ports],
  input  xlate_done_t  done_i [Ports],
  output logic         ev_valid_o [Ports],
  output xlate_event_t ev_o [Ports],

  input  logic         ctl_valid_i,
  output logic         ctl_ready_o,
  input  mmu_ctl_t     ctl_i,
  output logic         ctl_done_o,
  output logic         inv_valid_o,
  output logic [63:0]  sizes_o,

  output rd_req_t      rd_req_o,
  input  logic         ar_ready_i,
  input  logic         r_valid_i,
  input  logic [7:0]   r_id_i,
  input  logic [63:0]  r_word_i [8],  // the words of the bus, lowest first
  input  logic         r_error_i,
  input  logic         r_last_i,

  output port_count_t  port_count_o [Ports],
  output mmu_count_t   count_o,
  output logic         idle_o
);
  localparam int unsigned Words = DataWidth / 64;
  assign data_words_o = 8'(Words);

  logic         [Ports-1:0] req_valid, rsp_ready;
  xlate_req_t   [Ports-1:0] req;
  xlate_done_t  [Ports-1:0] done;
  r_t                       r;

  // Outputs of the default MMU [0] and of the small one [1].
  logic         [1:0][Ports-1:0] req_ready, rsp_valid, ev_valid;
  xlate_rsp_t   [1:0][Ports-1:0] rsp;
  xlate_event_t [1:0][Ports-1:0] ev;
  port_count_t  [1:0][Ports-1:0] port_count;
  logic         [1:0]            ctl_ready, ctl_done, inv_valid, idle;
  rd_req_t      [1:0]            rd_req;
  rd_rsp_t      [1:0]            rd_rsp;
  mmu_count_t   [1:0]            count;

  for (genvar p = 0; p < Ports; p++) begin : g_port
    assign req_valid[p] = req_valid_i[p];
    assign req[p] = req_i[p];
    assign rsp_ready[p] = rsp_ready_i[p];
    assign done[p] = done_i[p];
    assign req_ready_o[p] = req_ready[small_i][p];
    assign rsp_valid_o[p] = rsp_valid[small_i][p];
    assign rsp_o[p] = rsp[small_i][p];
    assign ev_valid_o[p] = ev_valid[small_i][p];
    assign ev_o[p] = ev[small_i][p];
    assign port_count_o[p] = port_count[small_i][p];
  end
  always_comb begin
    r.id = r_id_i;
    r.error = r_error_i;
    r.last = r_last_i;
    for (int unsigned w = 0; w < Words; w++) r.data[w*64 +: 64] = r_word_i[w];
    for (int s = 0; s < 2; s++) begin
      rd_rsp[s] = '{ar_ready: ar_ready_i && small_i == (s == 1), r_valid: r_valid_i && small_i == (s == 1), r: r};
    end
  end
  assign ctl_ready_o = ctl_ready[small_i];
  assign ctl_done_o = ctl_done[small_i];
  assign inv_valid_o = inv_valid[small_i];
  assign rd_req_o = rd_req[small_i];
  assign count_o = count[small_i];
  assign idle_o = idle[small_i];

  logic       ar_early;
  mmu_event_t mev;
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
    .ctl_valid_i(ctl_valid_i && !small_i), .ctl_ready_o(ctl_ready[0]), .ctl_i, .ctl_done_o(ctl_done[0]),
    .rd_req_o(rd_req[0]), .rd_rsp_i(rd_rsp[0]), .ar_early_o(ar_early), .early_ar_o(),
    .ev_valid_o(ev_valid[0]), .ev_o(ev[0]), .inv_valid_o(inv_valid[0]),
    .inv_scope_o(), .inv_space_o(), .inv_start_o(), .inv_end_o(), .sizes_o, .mev_o(mev),
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
    .req_valid_i(small_i ? req_valid[SmallPorts-1:0] : '0), .req_ready_o(req_ready[1][SmallPorts-1:0]),
    .req_i(req[SmallPorts-1:0]), .rsp_valid_o(rsp_valid[1][SmallPorts-1:0]),
    .rsp_ready_i(small_i ? rsp_ready[SmallPorts-1:0] : '0), .rsp_o(rsp[1][SmallPorts-1:0]),
    .done_i(small_i ? done[SmallPorts-1:0] : '0),
    .ctl_valid_i(ctl_valid_i && small_i), .ctl_ready_o(ctl_ready[1]), .ctl_i, .ctl_done_o(ctl_done[1]),
    .rd_req_o(rd_req[1]), .rd_rsp_i(rd_rsp[1]), .ar_early_o(), .early_ar_o(),
    .ev_valid_o(ev_valid[1][SmallPorts-1:0]), .ev_o(ev[1][SmallPorts-1:0]), .inv_valid_o(inv_valid[1]),
    .inv_scope_o(), .inv_space_o(), .inv_start_o(), .inv_end_o(), .sizes_o(), .mev_o(),
    .port_count_o(port_count[1][SmallPorts-1:0]), .count_o(count[1]), .idle_o(idle[1]));

  // ---- Reference MMUs, built at the sizes to which the default MMU is reduced at run time.
  typedef struct packed {
    logic        [Ports-1:0] req_ready, rsp_valid, ev_valid;
    xlate_rsp_t  [Ports-1:0] rsp;        // each field is defined only while its valid is set
    logic                    ctl_ready, ctl_done, inv_valid, ar_valid, ar_early, idle;
    ax_t                     ar;
    port_count_t [Ports-1:0] port_count;
    mmu_count_t              count;
    mmu_event_t              mev;
  } same_t;
  localparam int unsigned EngineRow = 10;  // index of the engine's row with default sizes
  same_t [3:0] same;
  always_comb begin
    same[0] = '{req_ready: req_ready[0], rsp_valid: rsp_valid[0], ev_valid: ev_valid[0], rsp: rsp[0],
                ctl_ready: ctl_ready[0], ctl_done: ctl_done[0], inv_valid: inv_valid[0],
                ar_valid: rd_req[0].ar_valid, ar_early: ar_early, idle: idle[0], ar: rd_req[0].ar,
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
      own_ctl = ctl_i;
      if (ctl_i.op == CtlResize) {own_ctl.op, own_ctl.scope} = {CtlInvalidate, ScopeGlobal};
      own_rsp = rd_rsp[0];
      if (rd_rsp[0].r.id == IdWidth'(EngineRow)) own_rsp.r.id = IdWidth'(OwnEngineRow);
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
  // Returns `all` for the comparison: clears the outputs that are undefined in this cycle, and the
  // event port's row numbers.
  function automatic same_t meant(same_t all);
    meant = all;
    for (int unsigned p = 0; p < Ports; p++) if (!all.rsp_valid[p]) meant.rsp[p] = '0;
    if (!all.ar_valid) meant.ar = '0;
    {meant.mev.walk_row, meant.mev.end_row, meant.mev.fill_row} = '0;
    if (!all.mev.walk_start) {meant.mev.port, meant.mev.slot, meant.mev.key} = '0;
    if (!all.mev.walk_end) meant.mev.end_key = '0;
    if (!all.mev.fill && !all.mev.evict) meant.mev.fill_key = '0;
    // If a lookup faults, only the fault and its level are defined.
    for (int unsigned p = 0; p < Ports; p++) begin
      if (all.rsp[p].fault != FaultNone) {meant.rsp[p].gpa, meant.rsp[p].zero, meant.rsp[p].coherent} = '0;
    end
  endfunction
  assign differs_o = like_i != '0 && meant(same[0]) != meant(same[like_i]);
endmodule

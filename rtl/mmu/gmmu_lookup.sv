// SPDX-License-Identifier: Apache-2.0
// The shared levels' pipeline: L2 TLB, large array, walk cache and space table are searched
// together, one operation a cycle, three stages. What a lookup becomes is decided in the last: hit,
// joined or began a walk, or waits for a row.
//
//   lookup     from the ports, in turn
//   restart    a row whose walk has to be done again asks for its start
//   probe      the fill unit asks for the ways of a block
//   start      out: the walk in start_row_o (new or restarted) begins here. In the same cycle as
//              begin or restart
//   search     the walk table's answer to search_key_o, combinational
//   walk msg   message of the walk table; it has the bus before a lookup's, which then waits
//   hold_i     no lookup, replay or restart enters; probes go on. quiet_o: nothing is in the
//              pipeline or on the bus
//
// A lookup that needs a row when none is free goes to a queue, which is served in order and before
// newcomers; its miss slot bounds it, so that the queue never overflows. The paging engine's ports
// may take a row past the queue as long as they own none, and clients leave the last row to an
// engine that owns none.
module gmmu_lookup
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned NumPorts = 7,
  parameter int unsigned NumSpaces = 16,
  parameter int unsigned L2Entries = 512,
  parameter int unsigned L2Ways = 4,
  parameter int unsigned LargeEntries = 8,
  parameter int unsigned WalkCacheEntries = 16,
  parameter int unsigned MissSlots = 8
) (
  input  logic                    clk_i,
  input  logic                    rst_i,

  input  logic    [NumPorts-1:0]  lookup_valid_i,
  output logic    [NumPorts-1:0]  lookup_ready_o,
  input  lookup_t [NumPorts-1:0]  lookup_i,
  output logic                    msg_valid_o,
  output msg_t                    msg_o,

  output key_t                    search_key_o,
  input  logic                    search_hit_i,    // a row walks for this line
  input  row_t                    search_row_i,
  input  logic                    row_free_i,      // a row is free
  input  logic                    rows_free_i,     // two rows are free
  input  logic                    row_engine_i,    // the engine owns a row
  input  row_t                    row_next_i,      // the free row that begins next
  output logic                    begin_o,
  output logic                    begin_engine_o,
  output logic                    restart_o,
  output row_t                    start_row_o,
  output start_t                  start_o,
  output shape_t                  shape_o,

  input  logic                    restart_valid_i,
  output logic                    restart_ready_o,
  input  row_t                    restart_row_i,
  input  key_t                    restart_key_i,

  input  logic                    walk_valid_i,    // taken in the same cycle
  input  msg_t                    walk_msg_i,
  // with the message: a translation of an upper level
  input  logic                    large_valid_i,
  input  vpn_t                    large_keep_i,
  input  logic                    wc_write_i,
  input  wc_write_t               wc_data_i,

  input  logic                    probe_valid_i,
  output logic                    probe_ready_o,
  input  key_t                    probe_key_i,
  output logic                    probed_o,        // one cycle: the results below
  output logic [L2Ways-1:0]       probed_same_o,
  output logic [L2Ways-1:0][15:0] probed_present_o,
  input  logic [L2Ways-1:0]       tag_write_i,
  input  logic [L2Ways-1:0]       data_write_i,
  input  key_t                    fill_key_i,
  input  logic [15:0]             fill_present_i,
  input  page_t                   fill_page_i,

  input  logic                    hold_i,
  output logic                    quiet_o,
  input  kill_t                   kill_i,
  input  sweep_t                  sweep_i,
  input  logic                    space_write_i,
  input  space_t                  space_i,
  input  space_row_t              space_row_i,

  output logic                    count_hit_o,
  output logic                    count_miss_o,
  output logic                    count_merged_o,
  output logic                    count_wc_lookup_o,
  output logic                    count_wc_hit_o,
  output logic                    idle_o
);
  typedef enum logic [1:0] {OpLookup, OpReplay, OpRestart, OpProbe} op_e;
  typedef struct packed {
    op_e     kind;
    row_t    row;
    lookup_t what;
  } op_t;

  function automatic logic is_engine(port_t port);
    return 32'(port) + 3 >= NumPorts;
  endfunction

  // Stage 0: choose.
  logic    move;                  // stages 1 and 2 advance
  logic    enter;
  op_t     op_in;
  logic [NumPorts-1:0] grant;
  logic [$clog2(NumPorts)-1:0] grant_index;
  lookup_t chosen;
  logic    replay_wanted, replay_busy_q;
  logic    waiting_valid, waiting_pop, waiting_push, waiting_ready;
  lookup_t waiting;
  logic    newcomer;

  // Stage 1: RAM outputs stand.
  logic       s1_valid_q;
  op_t        s1_q;
  space_row_t space;
  logic [L2Ways-1:0]       s1_hit, s1_same;
  logic [L2Ways-1:0][15:0] s1_present;
  page_t [L2Ways-1:0]      s1_page;
  logic       s1_large_hit;
  page_t      s1_large_page;

  // Stage 2: decide.
  logic       s2_valid_q;
  op_t        s2_q;
  logic [L2Ways-1:0]       s2_hit_q, s2_same_q;
  logic [L2Ways-1:0][15:0] s2_present_q;
  page_t [L2Ways-1:0]      s2_page_q;
  logic       s2_large_hit_q;
  page_t      s2_large_page_q;
  logic       s2_enable_q, s2_beyond_q;
  level_t     s2_top_q;
  pfn_t       s2_root_q;
  target_e    s2_target_q;
  logic [13:0] s2_entries_q;
  vpn_t       s2_index_q;
  logic [MaxLevels-1:0][5:0] s2_shift_q;
  logic [MaxLevels-1:0][3:0] s2_bits_q;
  logic       wc_hit, wc_vram;
  level_t     wc_level;
  pfn_t       wc_pfn;

  assign move = !walk_valid_i;

  // A waiting lookup is tried again when a row of its kind may be had.
  assign replay_wanted = waiting_valid && !replay_busy_q && !hold_i
      && (rows_free_i || (row_free_i && (row_engine_i || is_engine(waiting.port))));

  gmmu_rr_arbiter #(.N(NumPorts)) u_turn (
    .clk_i, .rst_i, .req_i(lookup_valid_i), .advance_i(newcomer), .gnt_o(grant),
    .index_o(grant_index));
  assign chosen = lookup_i[grant_index];

  assign probe_ready_o = move;
  assign restart_ready_o = move && !probe_valid_i && !hold_i;
  assign newcomer = move && !hold_i && !probe_valid_i && !restart_valid_i && !replay_wanted
      && lookup_valid_i != '0;
  assign lookup_ready_o = newcomer ? grant : '0;

  always_comb begin
    enter = 1'b1;
    op_in = '{kind: OpLookup, row: '0, what: chosen};
    if (probe_valid_i) begin
      op_in.kind = OpProbe;
      op_in.what.key = probe_key_i;
    end else if (restart_valid_i && !hold_i) begin
      op_in.kind = OpRestart;
      op_in.row = restart_row_i;
      op_in.what.key = restart_key_i;
    end else if (replay_wanted) begin
      op_in.kind = OpReplay;
      op_in.what = waiting;
    end else begin
      enter = !hold_i && lookup_valid_i != '0;
    end
  end

  gmmu_fifo #(.Width($bits(lookup_t)), .Depth(NumPorts * MissSlots)) u_waiting (
    .clk_i, .rst_i, .valid_i(waiting_push), .ready_o(waiting_ready), .data_i(s2_q.what),
    .valid_o(waiting_valid), .ready_i(waiting_pop), .data_o(waiting));

  gmmu_space_table #(.NumSpaces(NumSpaces)) u_spaces (
    .clk_i, .rst_i,
    .read_i(kill_i.valid || (move && enter)),
    .read_space_i(kill_i.valid ? kill_i.space : op_in.what.key.space), .row_o(space),
    .write_i(space_write_i), .write_space_i(space_i), .row_i(space_row_i));

  gmmu_l2_ram #(.Entries(L2Entries), .Ways(L2Ways)) u_l2 (
    .clk_i, .rst_i, .read_i(move && enter), .read_key_i(op_in.what.key),
    .hit_o(s1_hit), .same_o(s1_same), .present_o(s1_present), .page_o(s1_page),
    .tag_write_i, .data_write_i, .write_key_i(fill_key_i), .present_i(fill_present_i),
    .page_i(fill_page_i),
    .sweep_i);

  gmmu_large #(.Entries(LargeEntries)) u_large (
    .clk_i, .rst_i, .search_i(s1_q.what.key), .hit_o(s1_large_hit), .page_o(s1_large_page),
    .fill_valid_i(large_valid_i), .fill_key_i(walk_msg_i.key), .fill_keep_i(large_keep_i),
    .fill_page_i(walk_msg_i.page), .sweep_i);

  gmmu_walk_cache #(.Entries(WalkCacheEntries)) u_walk_cache (
    .clk_i, .rst_i, .enable_i(move), .key_i(s1_q.what.key), .top_i(space.top), .keep_i(space.keep),
    .hit_o(wc_hit), .level_o(wc_level), .pfn_o(wc_pfn), .vram_o(wc_vram),
    .index_o(shape_o.wc_index),
    .write_i(wc_write_i), .data_i(wc_data_i), .kill_i, .sweep_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
    end else if (move) begin
      s1_valid_q <= enter;
      s2_valid_q <= s1_valid_q;
    end
    if (move) begin
      s1_q <= op_in;
      s2_q <= s1_q;
      s2_hit_q <= s1_hit;
      s2_same_q <= s1_same;
      s2_present_q <= s1_present;
      s2_page_q <= s1_page;
      s2_large_hit_q <= s1_large_hit;
      s2_large_page_q <= s1_large_page;
      s2_enable_q <= space.enable;
      s2_beyond_q <= s1_q.what.key.high || (s1_q.what.key.vpn & space.beyond) != '0;
      s2_top_q <= space.top;
      s2_root_q <= space.root;
      s2_target_q <= space.root_target;
      s2_entries_q <= space.root_entries;
      s2_index_q <= s1_q.what.key.vpn >> space.shift[space.top];
      s2_shift_q <= space.shift;
      s2_bits_q <= space.bits;
    end
  end

  // Stage 2: where a walk would start.
  assign shape_o.shift = s2_shift_q;
  assign shape_o.bits = s2_bits_q;
  always_comb begin
    start_o.fault = FaultNone;
    start_o.level = s2_top_q;
    start_o.pfn = s2_root_q;
    start_o.vram = s2_target_q == TargetVram;
    start_o.index_known = 1'b1;
    start_o.index = s2_index_q[12:0];
    if (!s2_enable_q) start_o.fault = FaultSpaceDisabled;
    else if (s2_beyond_q) start_o.fault = FaultVaRange;
    else if (s2_index_q >= vpn_t'(s2_entries_q)) start_o.fault = FaultRootBound;
    else if (s2_target_q != TargetVram && s2_target_q != TargetSystem) start_o.fault =
        FaultEntryReserved;
    else if (wc_hit) begin
      start_o.level = wc_level - 1'b1;
      start_o.pfn = wc_pfn;
      start_o.vram = wc_vram;
      start_o.index_known = 1'b0;
    end
  end

  // Stage 2: what becomes of the lookup.
  logic    decide, hit, joins, may_begin, engine, fails;
  page_t   hit_page;

  assign search_key_o = s2_q.what.key;
  assign engine = is_engine(s2_q.what.port);
  assign decide = s2_valid_q && move && (s2_q.kind == OpLookup || s2_q.kind == OpReplay);
  assign hit = s2_hit_q != '0 || s2_large_hit_q;
  assign joins = !hit && search_hit_i;
  assign may_begin = (s2_q.kind == OpReplay || !waiting_valid)
      ? rows_free_i || (row_free_i && (engine || row_engine_i))
      : row_free_i && engine && !row_engine_i;
  assign begin_o = decide && !hit && !joins && may_begin;
  assign begin_engine_o = engine;
  assign fails = !hit && !joins && !may_begin;
  assign restart_o = s2_valid_q && move && s2_q.kind == OpRestart;
  assign start_row_o = restart_o ? s2_q.row : row_next_i;
  assign waiting_push = decide && fails && s2_q.kind == OpLookup;
  assign waiting_pop = decide && !fails && s2_q.kind == OpReplay;

  always_comb begin
    hit_page = s2_hit_q == '0 ? s2_large_page_q : '0;
    for (int unsigned w = 0; w < L2Ways; w++) begin
      if (s2_hit_q[w]) hit_page |= s2_page_q[w];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      msg_valid_o <= 1'b0;
      replay_busy_q <= 1'b0;
    end else begin
      msg_valid_o <= walk_valid_i || (decide && !fails);
      if (move && enter && op_in.kind == OpReplay) replay_busy_q <= 1'b1;
      else if (decide && s2_q.kind == OpReplay) replay_busy_q <= 1'b0;
    end

    if (walk_valid_i) begin
      msg_o <= walk_msg_i;
    end else begin
      msg_o.kind <= hit ? MsgHit : joins ? MsgJoined : MsgBegan;
      msg_o.port <= s2_q.what.port;
      msg_o.slot <= s2_q.what.slot;
      msg_o.row <= joins ? search_row_i : row_next_i;
      msg_o.answer <= 1'b0;
      msg_o.release_row <= 1'b0;
      msg_o.key <= s2_q.what.key;
      msg_o.page <= hit_page;
      msg_o.fault <= FaultNone;
    end
  end

  assign probed_o = s2_valid_q && move && s2_q.kind == OpProbe;
  assign probed_same_o = s2_same_q;
  assign probed_present_o = s2_present_q;

  assign count_hit_o = decide && hit;
  assign count_merged_o = decide && joins;
  assign count_miss_o = begin_o;
  assign count_wc_lookup_o = (begin_o || restart_o) && start_o.fault == FaultNone;
  assign count_wc_hit_o = count_wc_lookup_o && wc_hit;
  assign quiet_o = !s1_valid_q && !s2_valid_q && !msg_valid_o && !walk_valid_i;
  assign idle_o = quiet_o && !waiting_valid && lookup_valid_i == '0;

  a_room: assert property (@(posedge clk_i) disable iff (rst_i) !waiting_push || waiting_ready);
endmodule

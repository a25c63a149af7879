// SPDX-License-Identifier: Apache-2.0
// The shared levels' pipeline: L2 TLB, large array, walk cache and space table are searched
// together, one operation a cycle, three stages that never stall. What a lookup becomes is decided
// in the last: hit, joined or began a walk, or waits for a row.
//
//   lookup     from the ports, in turn
//   restart    a row whose walk has to be done again asks for its start
//   probe      the fill unit asks for the ways of a block; taken at once
//   again      a lookup that joined a walk and has to be done again
//   start      out: the walk in start_row_o (new or restarted) begins here. In the same cycle as
//              begin or restart
//   search     the walk table's answer to search_key_o, combinational
//   tell       answers of walks: they have the bus when no hit has it. One that has waited for some
//              cycles stops newcomers for one
//   msg        answers to the ports; late and later: what the messages of one and of two cycles
//              before said
//   hold_i     no lookup, replay or restart enters; probes go on. quiet_o: nothing is in the
//              pipeline or on the bus
//
// A lookup that needs a row when none is free goes to a queue, which is served before newcomers;
// its miss slot bounds it, so that the queue never overflows. The engine's row is taken only by
// lookups of the paging engine's ports, which may take it past the queue.
//
// A walk fetches the whole line of leaf entries (wide) when the port's miss before was in the same
// or in a neighbouring line, when the L2 holds another page of the line, or when a narrow walk for
// another page of it is under way; otherwise it fetches one entry.
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
  parameter int unsigned MissSlots = 32
) (
  input  logic                    clk_i,
  input  logic                    rst_i,

  input  logic    [NumPorts-1:0]  lookup_valid_i,
  output logic    [NumPorts-1:0]  lookup_ready_o,
  input  lookup_t [NumPorts-1:0]  lookup_i,
  output logic                    msg_valid_o,
  output msg_t                    msg_o,
  output known_t                  late_o,
  output known_t                  later_o,

  output key_t                    search_key_o,
  input  logic                    search_hit_i,    // a row walks for this page
  input  logic                    search_near_i,   // a row walks for another page of this line
  input  logic                    row_free_i,      // a row for anybody is free
  input  logic                    row_engine_i,    // the engine's row is free
  input  logic [1:0]              rows_soon_i,     // rows for anybody that are free or all but; to 3
  output logic                    begin_o,
  output logic                    begin_wide_o,
  output logic                    begin_engine_o,  // in the engine's row
  output logic                    join_o,          // the row of search_hit_i
  output lookup_t                 what_o,          // who begins or joins
  output logic                    restart_o,
  output row_t                    restart_row_o,
  output start_t                  start_o,

  input  logic                    restart_valid_i,
  output logic                    restart_ready_o,
  input  row_t                    restart_row_i,
  input  key_t                    restart_key_i,

  input  logic                    again_valid_i,
  output logic                    again_ready_o,
  input  lookup_t                 again_i,

  input  logic                    tell_valid_i,
  output logic                    tell_ready_o,
  input  msg_t                    tell_i,
  input  logic                    tell_large_i,    // a translation of an upper level, to be kept
  input  logic [5:0]              tell_shift_i,
  input  logic                    wc_write_i,
  input  wc_write_t               wc_data_i,

  input  logic                    probe_valid_i,
  input  key_t                    probe_key_i,
  output logic                    probed_o,        // one cycle: the results below
  output logic [L2Ways-1:0]       probed_same_o,
  output logic [L2Ways-1:0]       probed_empty_o,
  output logic [15:0]             probed_present_o,
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
    logic    dense;  // of a replay: the walk will be wide
    lookup_t what;
  } op_t;
  typedef struct packed {
    logic    dense;
    lookup_t what;
  } wait_t;

  function automatic logic is_engine(port_t port);
    return 32'(port) + 3 >= NumPorts;
  endfunction

  // Stage 0: choose.
  logic    enter;
  op_t     op_in;
  logic [NumPorts-1:0] grant;
  logic [$clog2(NumPorts)-1:0] grant_index;
  lookup_t chosen;
  logic    replay_wanted, replay, newcomer, bubble;
  logic    waiting_valid, waiting_push, waiting_ready, waiting_empty;
  logic    queue_valid, queue_empty, dense;
  wait_t   waiting, waiting_new, queue_head;

  // Stage 1: RAM outputs stand.
  logic       s1_valid_q;
  op_t        s1_q;
  space_row_t space;
  logic [L2Ways-1:0] s1_same, s1_empty;
  logic [15:0] s1_present;
  logic       s1_hit, s1_line, s1_large_hit, large_wants;
  page_t      s1_page, s1_large_page;

  // Stage 2: decide.
  logic       s2_valid_q;
  op_t        s2_q;
  logic [L2Ways-1:0] s2_same_q, s2_empty_q;
  logic [15:0] s2_present_q;
  logic       s2_hit_q, s2_line_q, s2_close_q;
  page_t      s2_page_q;
  logic       s2_enable_q, s2_beyond_q;
  level_t     s2_top_q;
  pfn_t       s2_root_q;
  target_e    s2_target_q;
  logic [13:0] s2_entries_q;
  vpn_t       s2_index_q;
  shape_t     s2_shape_q;
  logic       wc_hit, wc_vram;
  level_t     wc_level;
  pfn_t       wc_pfn;

  // Waiting lookups are tried again, as many as rows may be had.
  logic s1_replay, s2_replay, s3_replay;
  logic [1:0] replays;
  assign s1_replay = s1_valid_q && s1_q.kind == OpReplay;
  assign s2_replay = s2_valid_q && s2_q.kind == OpReplay;
  assign replays = 2'(s1_replay) + 2'(s2_replay) + 2'(s3_replay);
  assign replay_wanted = waiting_valid && (rows_soon_i > replays
      || (replays == '0 && row_engine_i && is_engine(waiting.what.port)));

  gmmu_rr_arbiter #(.N(NumPorts)) u_turn (
    .clk_i, .rst_i, .req_i(lookup_valid_i), .advance_i(newcomer), .gnt_o(grant),
    .index_o(grant_index));
  assign chosen = lookup_i[grant_index];

  assign restart_ready_o = !probe_valid_i && !hold_i;
  assign replay = restart_ready_o && !restart_valid_i && !bubble && replay_wanted;
  assign newcomer = restart_ready_o && !restart_valid_i && !bubble && !replay_wanted
      && lookup_valid_i != '0;
  assign lookup_ready_o = newcomer ? grant : '0;

  always_comb begin
    enter = 1'b1;
    op_in = '{kind: OpLookup, row: '0, dense: 1'b0, what: chosen};
    if (probe_valid_i) begin
      op_in.kind = OpProbe;
      op_in.what.key = probe_key_i;
    end else if (restart_valid_i && !hold_i) begin
      op_in.kind = OpRestart;
      op_in.row = restart_row_i;
      op_in.what.key = restart_key_i;
    end else if (replay_wanted) begin
      op_in.kind = OpReplay;
      op_in.dense = waiting.dense;
      op_in.what = waiting.what;
      enter = replay;
    end else begin
      enter = newcomer;
    end
  end

  // Lookups that failed have the queue first; those that have to be done again wait for a gap.
  assign again_ready_o = !waiting_push;
  assign waiting_new = waiting_push ? '{dense: dense, what: s2_q.what}
      : '{dense: 1'b1, what: again_i};
  gmmu_ram_fifo #(.Width($bits(wait_t)), .Depth(NumPorts * MissSlots)) u_waiting (
    .clk_i, .rst_i, .valid_i(waiting_push || again_valid_i), .ready_o(waiting_ready),
    .data_i(waiting_new), .valid_o(queue_valid), .ready_i(!waiting_valid || replay),
    .data_o(queue_head), .empty_o(queue_empty));
  assign waiting_empty = queue_empty && !waiting_valid;
  always_ff @(posedge clk_i) begin  // a block RAM's output is late in its cycle
    if (rst_i) waiting_valid <= 1'b0;
    else if (!waiting_valid || replay) waiting_valid <= queue_valid;
    if ((!waiting_valid || replay) && queue_valid) waiting <= queue_head;
  end

  gmmu_space_table #(.NumSpaces(NumSpaces)) u_spaces (
    .clk_i, .rst_i, .read_i(kill_i.valid || enter),
    .read_space_i(kill_i.valid ? kill_i.space : op_in.what.key.space), .row_o(space),
    .write_i(space_write_i), .write_space_i(space_i), .row_i(space_row_i));

  gmmu_l2_ram #(.Entries(L2Entries), .Ways(L2Ways)) u_l2 (
    .clk_i, .rst_i, .read_i(enter), .read_key_i(op_in.what.key),
    .hit_o(s1_hit), .page_o(s1_page), .same_o(s1_same), .empty_o(s1_empty),
    .present_o(s1_present),
    .tag_write_i, .data_write_i, .write_key_i(fill_key_i), .present_i(fill_present_i),
    .page_i(fill_page_i), .sweep_i);
  assign s1_line = s1_q.what.key.vpn[3] ? s1_present[15:8] != '0 : s1_present[7:0] != '0;

  gmmu_large #(.Entries(LargeEntries)) u_large (
    .clk_i, .rst_i, .search_used_i(s1_valid_q), .search_i(s1_q.what.key), .hit_o(s1_large_hit),
    .page_o(s1_large_page), .fill_valid_i(tell_valid_i && tell_ready_o && tell_large_i),
    .fill_key_i(tell_i.key), .fill_shift_i(tell_shift_i), .fill_page_i(tell_i.page),
    .wants_o(large_wants), .kill_i, .sweep_i);

  gmmu_walk_cache #(.Entries(WalkCacheEntries)) u_walk_cache (
    .clk_i, .rst_i, .enable_i(s1_valid_q), .key_i(s1_q.what.key), .top_i(space.top), .keep_i(space.keep),
    .hit_o(wc_hit), .level_o(wc_level), .pfn_o(wc_pfn), .vram_o(wc_vram),
    .write_i(wc_write_i), .data_i(wc_data_i), .kill_i, .sweep_i);

  // Lines of the ports' misses before: their low bits are a hint, nothing more.
  localparam int unsigned HintWidth = 10;
  typedef logic [HintWidth-1:0] hint_t;
  hint_t hint, hint_new, hint_apart;
  logic  s1_lookup;
  assign s1_lookup = s1_valid_q && s1_q.kind == OpLookup;
  assign hint_new = hint_t'(s1_q.what.key.vpn >> 3);
  assign hint_apart = hint_new - hint;
  gmmu_lutram #(.Width(HintWidth), .Depth(NumPorts)) u_hints (
    .clk_i, .write_i(s1_lookup), .write_addr_i($clog2(NumPorts)'(s1_q.what.port)),
    .data_i(hint_new), .read_addr_i($clog2(NumPorts)'(s1_q.what.port)), .data_o(hint));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
    end else begin
      s1_valid_q <= enter;
      s2_valid_q <= s1_valid_q;
    end
    if (enter) s1_q <= op_in;
    if (s1_valid_q) begin
      s2_q <= s1_q;
      s2_hit_q <= s1_hit || s1_large_hit;
      s2_page_q <= s1_hit ? s1_page : s1_large_page;
      s2_same_q <= s1_same;
      s2_empty_q <= s1_empty;
      s2_present_q <= s1_present;
      s2_line_q <= s1_line;
      s2_close_q <= hint_apart == '0 || hint_apart == hint_t'(1) || hint_apart == '1;
      s2_enable_q <= space.enable;
      s2_beyond_q <= s1_q.what.key.high || (s1_q.what.key.vpn & space.beyond) != '0;
      s2_top_q <= space.top;
      s2_root_q <= space.root;
      s2_target_q <= space.root_target;
      s2_entries_q <= space.root_entries;
      s2_index_q <= s1_q.what.key.vpn >> space.shift[space.top];
      s2_shape_q <= '{shift: space.shift, bits: space.bits};
    end
  end

  // Stage 2: where a walk would start.
  start_t start;
  always_comb begin
    start.cause = '0;
    start.level = s2_top_q;
    start.pfn = s2_root_q;
    start.vram = s2_target_q == TargetVram;
    start.index_known = 1'b1;
    start.index = s2_index_q[12:0];
    if (wc_hit) begin
      start.level = wc_level - 1'b1;
      start.pfn = wc_pfn;
      start.vram = wc_vram;
      start.index_known = 1'b0;
    end
    if (!s2_enable_q) start.cause = cause_t'(FaultSpaceDisabled);
    else if (s2_beyond_q) start.cause = cause_t'(FaultVaRange);
    else if (s2_index_q >= vpn_t'(s2_entries_q)) start.cause = cause_t'(FaultRootBound);
    else if (s2_target_q != TargetVram && s2_target_q != TargetSystem) begin
      start.cause = cause_t'(FaultEntryReserved);
    end
    if (start.cause != '0) start.level = s2_top_q;
    start.shift = s2_shape_q.shift[start.level];
    start.bits = s2_shape_q.bits[start.level];
  end

  // Stage 2: what becomes of the lookup.
  logic decide, joins, free, engine, fails, begins, s3_wc_hit_q;
  assign search_key_o = s1_q.what.key;
  assign engine = is_engine(s2_q.what.port);
  assign decide = s2_valid_q && (s2_q.kind == OpLookup || s2_q.kind == OpReplay);
  assign joins = !s2_hit_q && search_hit_i;
  assign free = row_free_i && (s2_q.kind == OpReplay || (waiting_empty && !s1_replay));
  assign dense = s2_q.dense || (s2_q.kind == OpLookup && s2_close_q);
  assign fails = !s2_hit_q && !joins && !free && !(engine && row_engine_i);
  assign begins = decide && !s2_hit_q && !joins && !fails;
  assign waiting_push = decide && fails;

  // Stage 3: it begins, joins or restarts.
  always_ff @(posedge clk_i) begin
    begin_o <= !rst_i && begins;
    join_o <= !rst_i && decide && joins;
    restart_o <= !rst_i && s2_valid_q && s2_q.kind == OpRestart;
    s3_replay <= !rst_i && s2_replay;
    begin_wide_o <= dense || s2_line_q || search_near_i;
    begin_engine_o <= !free;
    what_o <= s2_q.what;
    restart_row_o <= s2_q.row;
    start_o <= start;
    s3_wc_hit_q <= wc_hit;
    count_hit_o <= !rst_i && decide && s2_hit_q;
  end

  // The bus: a hit first, else what a walk tells.
  logic hit_valid_q;
  msg_t hit_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) hit_valid_q <= 1'b0;
    else hit_valid_q <= decide && s2_hit_q;
    if (decide && s2_hit_q) begin
      hit_q <= '{port: s2_q.what.port, slot: s2_q.what.slot, merged: 1'b0, key: s2_q.what.key,
                 page: s2_page_q, cause: '0};
    end
  end
  assign msg_valid_o = hit_valid_q || tell_valid_i;
  assign msg_o = hit_valid_q ? hit_q : tell_i;
  assign tell_ready_o = !hit_valid_q;
  always_ff @(posedge clk_i) begin
    if (msg_valid_o) late_o <= '{key: msg_o.key, page: msg_o.page};
    later_o <= late_o;
  end

  logic [2:0] waited_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || !tell_valid_i || tell_ready_o) waited_q <= '0;
    else if (waited_q != '1) waited_q <= waited_q + 1'b1;
  end
  assign bubble = waited_q[2] || large_wants;

  assign probed_o = s2_valid_q && s2_q.kind == OpProbe;
  assign probed_same_o = s2_same_q;
  assign probed_empty_o = s2_empty_q;
  assign probed_present_o = s2_present_q;

  assign count_merged_o = join_o;
  assign count_miss_o = begin_o;
  assign count_wc_lookup_o = (begin_o || restart_o) && start_o.cause == '0;
  assign count_wc_hit_o = count_wc_lookup_o && s3_wc_hit_q;
  assign quiet_o = !s1_valid_q && !s2_valid_q && !begin_o && !join_o && !restart_o && !msg_valid_o && !large_wants;
  assign idle_o = quiet_o && waiting_empty && lookup_valid_i == '0;

  a_room: assert property (@(posedge clk_i) disable iff (rst_i)
    !(waiting_push || again_valid_i) || waiting_ready);
endmodule

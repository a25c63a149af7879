// SPDX-License-Identifier: Apache-2.0
// The pipeline of the shared levels. It searches the L2 TLB, the walk cache (which holds the large
// pages) and the space table in parallel, takes one operation per cycle and never stalls. In the
// decide stage, the second to last, a lookup hits, joins a walk, begins one or waits for a row.
//
//   lookup     from the ports. A port announces a lookup one cycle ahead, with its key:
//              lookup_hint_i if it may offer one, lookup_pending_i if it will. lookup_ready_o is
//              registered: the turn is granted a cycle ahead, first to ports with a pending lookup,
//              and among these to the least recently served one
//   restart    a row whose walk must be repeated requests a new starting point
//   probe      the fill unit asks which ways hold a block; accepted at once. The key is held for
//              one more cycle
//   again      a lookup that joined a walk and must be replayed
//   search     the walk table returns the result for search_key_o one cycle later
//   begin, join, restart, start   registered, one cycle after the search result: lookup what_o
//                                 begins a walk (begin_engine_o: in the engine's row) or joins one,
//                                 or the walk of restart_row_o is repeated, from start_o on
//   tell       responses of walks, which use the message bus in cycles without a hit. A response
//              that has waited for some cycles blocks new lookups for one cycle
//   msg        responses to the ports; msg_valid_o is one-hot by port. later: the translation in
//              the message of two cycles ago
//   hold_i     from the third cycle on, no lookup, replay or restart enters; probes continue.
//              quiet_o: the pipeline and the message bus are empty
//   kill_i     only while the pipeline is empty; it also loads the sweep's key and the masks of the
//              key's space
//   sweep_i    each step takes effect within five cycles; the scope is stable from the kill until
//              the last step has taken effect. A sweep of a range may drop all of the smallest
//              aligned block of 4^n pages that contains the range
//   use_i      with TurnDown, the sizes in use
//
// A lookup that needs a row when none is free enters a queue, which is served before new lookups.
// Each queued lookup holds a miss slot, so the queue never overflows. Only lookups of the paging
// engine's ports may use the engine's row; they may bypass the queue for it.
//
// A walk is wide (fetches the whole line of leaf entries) if the port's previous miss was in the
// same or a neighbouring line, if the L2 holds another page of the line, or if a narrow walk for
// another page of the line is in progress. Otherwise it is narrow and fetches one entry.
module gmmu_lookup
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumPorts = Config.NumPorts,
  localparam int unsigned EnginePorts = Config.EnginePorts,
  localparam int unsigned NumSpaces = Config.NumSpaces,
  localparam int unsigned MissSlots = Config.MostSlots
) (
  input  logic                    clk_i,
  input  logic                    rst_i,

  input  logic    [NumPorts-1:0]  lookup_hint_i,
  input  logic    [NumPorts-1:0]  lookup_pending_i,
  input  key_t    [NumPorts-1:0]  lookup_key_i,
  input  logic    [NumPorts-1:0]  lookup_valid_i,
  output logic    [NumPorts-1:0]  lookup_ready_o,
  input  asker_t  [NumPorts-1:0]  lookup_i,
  output logic    [NumPorts-1:0]  msg_valid_o,
  output msg_t                    msg_o,
  output translation_t            later_o,

  output key_t                    search_key_o,
  input  logic                    search_hit_i,    // a row that walks for this page can be joined
  input  logic                    search_near_i,   // a row walks for another page of this line
  input  logic                    row_free_i,      // a shared row is free
  input  logic                    row_engine_i,    // the engine's row is free
  input  logic [1:0]              rows_early_i,    // shared rows free now or soon, at most 3
  output logic                    begin_o,
  output logic                    begin_wide_o,
  output logic                    begin_engine_o,  // begin in the engine's row
  output logic                    join_o,          // join the row of search_hit_i
  output lookup_t                 what_o,          // the lookup that begins or joins a walk
  output logic                    restart_o,
  output row_t                    restart_row_o,
  output start_t                  start_o,

  input  logic                    restart_valid_i,
  output logic                    restart_ready_o,
  input  row_t                    restart_row_i,
  input  key_t                    restart_key_i,
  input  logic                    restart_second_i,  // restart for the 4 KiB half of a pair
  input  logic                    restart_wide_i,    // the row fetches a line

  input  logic                    again_valid_i,
  output logic                    again_ready_o,
  input  lookup_t                 again_i,

  input  logic                    tell_valid_i,
  output logic                    tell_ready_o,
  input  msg_t                    tell_i,
  input  logic                    tell_large_i,    // tell_i is a large page, for the walk cache
  input  logic [5:0]              tell_shift_i,
  input  logic                    wc_write_i,
  input  wc_write_t               wc_data_i,

  input  logic                    probe_valid_i,
  input  key_t                    probe_key_i,
  output logic                    probed_o,        // pulse: the results below are valid
  output logic [Config.L2Ways-1:0] probed_same_o,
  output logic [Config.L2Ways-1:0]       probed_empty_o,
  output logic [15:0]             probed_present_o,
  input  logic [Config.L2Ways-1:0]       tag_write_i,
  input  logic [Config.L2Ways-1:0]       data_write_i,
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
  input  use_t                    use_i,

  output logic                    count_hit_o,
  output logic                    count_miss_o,
  output logic                    count_merged_o,
  output logic                    count_wc_lookup_o,
  output logic                    count_wc_hit_o,
  output logic                    idle_o
);
  typedef enum logic [1:0] {OpLookup, OpReplay, OpRestart, OpProbe} op_e;  // OpLookup must be 0
  typedef struct packed {
    op_e     kind;
    row_t    row;
    logic    dense;  // replay: the walk will be wide; restart: the row is wide
    logic    second; // restart: for the 4 KiB half of a pair
    lookup_t what;
  } op_t;
  typedef struct packed {
    logic    dense;
    logic    engine;  // the port belongs to the paging engine
    lookup_t what;
  } wait_t;

  function automatic logic is_engine(port_t port);
    return 32'(port) + EnginePorts >= NumPorts;
  endfunction

  // Stage 0: choose the next operation.
  logic    hold_q, probe_q;
  logic    restart_may_q, replay_may_q;
  op_t     own_d;
  logic [NumPorts-1:0] turn_d;
  logic    own_any, replay, restart, bubble, newcomer;
  logic    waiting_valid, waiting_ready;
  wait_t   waiting, waiting_new;
  logic    popped_q;
  logic    dense;

  logic clk;   // clock of all stages after arbitration; stopped while no operation arrives

  // The address stage reads the RAMs; for a kill it reads the row of the space. Register `own`
  // holds every operation except a new lookup, of which only the key is registered: its valid bit
  // and slot arrive in this stage.
  logic    own_valid_q, own_any_q, op_read;
  op_t     own_q;
  logic [NumPorts-1:0] turn_q;
  asker_t     chosen;
  key_t       op_key_q;
  keep_t      op_keep;
  logic [5:0] op_root_shift;
  logic       op_dual;
  key_t       op_search;

  // Stage 1: RAM outputs are valid.
  logic       s1_valid_q;
  op_t        s1_q;
  space_row_t space;
  logic       s1_high_q;
  logic [19:0] s1_index_q;  // page number bits that can be part of the root's index
  logic [2:0] s1_shift_q;

  // Stage 2: decide.
  logic       s2_valid_q, s2_hit, s2_l2_hit, s2_large, s2_line, s2_close_q;
  logic       s2_decide_q, s2_engine_q, s2_replay_q;
  logic [NumPorts-1:0] s2_port_q;
  op_t        s2_q;
  logic [Config.L2Ways-1:0] s2_same, s2_empty;
  logic [15:0] s2_present;
  page_t      s2_l2_page, s2_wc_page;
  logic       s2_enable_q, s2_beyond;
  vpn_t       s2_beyond_q;
  level_t     s2_top_q;
  pfn_t       s2_root_q;
  target_e    s2_target_q;
  logic [13:0] s2_entries_q;
  logic [12:0] s2_index_q;
  shape_t     s2_shape_q;
  logic [5:0] s2_root_shift_q;
  logic [3:0] s2_root_bits_q;
  logic [MaxLevels-1:1] wc_hit;  // one-hot
  logic       wc_vram, wc_k64, wc_kept, s2_has_64k_q, s2_pair_q;
  logic       s3_valid_q, s3_push_q, s3_dense_q, s3_engine_q;

  // There are never more replays in flight than rows that may be free.
  logic s1_lookup, s1_replay, own_replay;
  assign s1_lookup = s1_valid_q && s1_q.kind == OpLookup;
  logic [2:0] replays_q;  // number of replays from register `own` to stage 3
  assign own_replay = own_valid_q && own_q.kind == OpReplay;
  assign s1_replay = s1_valid_q && s1_q.kind == OpReplay;
  // row_q and row_engine_q are registered, and already account for a replay in this cycle.
  logic row_q, row_engine_q;
  always_ff @(posedge clk) begin
    replays_q <= 3'(replay) + 3'(own_replay) + 3'(s1_replay) + 3'(s2_replay_q);
    row_q <= replay ? 4'(rows_early_i) > 4'(replays_q) + 4'd1 : 4'(rows_early_i) > 4'(replays_q);
    row_engine_q <= !replay && replays_q == '0 && row_engine_i;
  end
  assign restart_ready_o = restart_may_q;
  assign restart = restart_may_q && restart_valid_i;
  assign replay = replay_may_q && !restart_valid_i && waiting_valid
      && (row_q || (row_engine_q && waiting.engine));

  assign own_any = probe_q || restart || replay || kill_i.valid;
  always_comb begin  // At most one source is active; the others are 0, so that they can be ORed.
    own_d = '0;
    own_d.kind = op_e'({probe_q || restart, probe_q || replay});
    own_d.row = restart_row_i;
    own_d.second = restart && restart_second_i;
    own_d.dense = (replay && waiting.dense) || (restart && restart_wide_i);
    own_d.what = waiting.what & {$bits(lookup_t){replay}};
    // The sweep after a kill matches entries with the kill's key.
    own_d.what.key |= (probe_key_i & {$bits(key_t){probe_q}}) | (restart_key_i & {$bits(key_t){restart}})
        | ({kill_i.space, sweep_i.first, 1'b0} & {$bits(key_t){kill_i.valid}});
  end

  // Ports take turns: ahead_q[i][j], i < j, means that i precedes j. A served port goes last. The
  // port with the current turn may have no further lookup in the next cycle, so its pending bit is
  // masked.
  logic [NumPorts-1:0][NumPorts-1:0] ahead_q;
  logic [NumPorts-1:0] pending, hint, grant;
  // A port whose lookup found no free row gets a turn only every eighth cycle, until one of its
  // waiting lookups is replayed: its next lookups would most likely find no free row either, and
  // each would pass through the pipeline twice. The engine has its own row and is exempt.
  logic [NumPorts-1:0] held_q, held;
  logic [2:0] beat_q;
  assign held = beat_q == '1 ? '0 : held_q;
  // (* keep *) preserves this split, so that late signals pass few LUTs.
  localparam int unsigned Twos = (NumPorts + 1) / 2;
  localparam int unsigned Threes = (NumPorts + 2) / 3;
  (* keep *) logic [Twos-1:0] took;
  assign pending = lookup_pending_i & ~turn_q & ~held;
  assign hint = lookup_hint_i & ~held;
  always_comb begin
    took = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      if (lookup_valid_i[i] && lookup_ready_o[i]) took[i/2] = 1'b1;
    end
  end
  assign newcomer = took != '0;
  assign lookup_ready_o = turn_q;
  for (genvar i = 0; i < NumPorts; i++) begin : g_grant
    logic [NumPorts-1:0] earlier;
    (* keep *) logic [Threes-1:0] behind;
    for (genvar j = 0; j < NumPorts; j++) begin : g_before
      assign earlier[j] = j < i ? ahead_q[j][i] : j > i && !ahead_q[i][j];
      always_ff @(posedge clk_i) begin
        if (rst_i || j <= i) ahead_q[i][j] <= 1'b1;
        else if (turn_q[i]) ahead_q[i][j] <= 1'b0;
        else if (turn_q[j]) ahead_q[i][j] <= 1'b1;
      end
    end
    always_comb begin
      behind = '0;
      for (int unsigned j = 0; j < NumPorts; j++) begin
        if (hint[j] && earlier[j]) behind[j/3] = 1'b1;
      end
    end
    assign grant[i] = (pending[i] && (pending & earlier) == '0)
        || (pending == '0 && hint[i] && behind == '0);
  end
  assign turn_d = probe_q || restart || replay || hold_q || bubble ? '0 : grant;
  key_t op_key;
  always_comb begin
    op_key = own_d.what.key;
    chosen = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      op_key |= lookup_key_i[i] & {$bits(key_t){turn_d[i]}};
      chosen |= lookup_i[i] & {$bits(asker_t){turn_q[i]}};
    end
  end

  assign op_read = own_any_q || turn_q != '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      own_valid_q <= 1'b0;
      own_any_q <= 1'b0;
      turn_q <= '0;
    end else begin
      own_valid_q <= probe_q || restart || replay;
      own_any_q <= own_any;
      turn_q <= turn_d;
    end
    hold_q <= hold_i;
    probe_q <= probe_valid_i && !rst_i;
    restart_may_q <= !probe_valid_i && !hold_i && !rst_i;
    // A lookup leaves the queue one cycle after its replay, so replays never directly follow.
    replay_may_q <= !probe_valid_i && !hold_i && !rst_i && !bubble && !replay;
    if (rst_i) own_q <= '0;
    else own_q <= own_d;
    // op_key_q is reset because the first sweep selects its rows with it.
    if (rst_i) op_key_q <= '0;
    else if (own_any || turn_d != '0) op_key_q <= op_key;
  end

  // Lookups that found no free row enter the queue first. Lookups that the walk table returns for
  // replay (again_*) wait for a cycle without such a lookup.
  assign again_ready_o = !s3_push_q;
  assign waiting_new = s3_push_q ? '{dense: s3_dense_q, engine: s3_engine_q, what: what_o}
      : '{dense: 1'b1, engine: is_engine(again_i.port), what: again_i};
  localparam int unsigned WaitingDepth = 2**$clog2(NumPorts * MissSlots);
  gmmu_fifo_ram #(.Width($bits(wait_t)), .Depth(WaitingDepth)) u_waiting (
    .clk_i(clk), .rst_i, .valid_i(s3_push_q || again_valid_i), .ready_o(waiting_ready),
    .data_i(waiting_new), .valid_o(waiting_valid), .ready_i(popped_q), .data_o(waiting));
  // A new lookup may begin a walk only if no earlier lookup waits or is being replayed.
  logic [$clog2(WaitingDepth+1)-1:0] waiting_count_q;
  logic waiting_none_q, pushed_q;
  always_ff @(posedge clk) begin
    if (rst_i) begin
      waiting_count_q <= '0;
      waiting_none_q <= 1'b1;
      pushed_q <= 1'b0;
      popped_q <= 1'b0;
    end else begin
      pushed_q <= s3_push_q || again_valid_i;
      popped_q <= replay;
      waiting_count_q <= waiting_count_q + $bits(waiting_count_q)'(pushed_q)
          - $bits(waiting_count_q)'(popped_q);
      waiting_none_q <= waiting_count_q == '0 && !pushed_q && !s3_push_q && !again_valid_i
          && !own_replay;
    end
  end

  sweep_step_t sweep;
  gmmu_sweep u_sweep (.clk_i(clk), .rst_i, .sweep_i, .step_o(sweep));

  space_t fill_space;
  logic   fill_dual;
  gmmu_space_table #(.Config(Config)) u_spaces (
    .clk_i(clk), .rst_i, .read_i(op_read), .read_space_i(op_key_q.space), .keep_o(op_keep),
    .root_shift_o(op_root_shift), .dual_o(op_dual), .row_o(space),
    .other_space_i(fill_space), .other_dual_o(fill_dual),
    .write_i(space_write_i), .write_space_i(space_i), .row_i(space_row_i));

  assign op_search = '{space: op_key_q.space, vpn: op_key_q.vpn,
                       high: op_key_q.high || 32'(op_key_q.space) >= NumSpaces};
  gmmu_l2_ram #(.Config(Config)) u_l2 (
    .clk_i(clk), .rst_i, .read_i(op_read), .read_key_i(op_search),
    .hit_o(s2_l2_hit), .line_o(s2_line), .page_o(s2_l2_page), .same_o(s2_same),
    .empty_o(s2_empty), .present_o(s2_present),
    .tag_write_i, .data_write_i, .write_key_i(fill_key_i), .present_i(fill_present_i),
    .page_i(fill_page_i), .sweep_i(sweep), .use_i);

  gmmu_walk_cache #(.Config(Config)) u_walk_cache (
    .clk_i(clk), .rst_i, .read_i(op_read), .key_i(op_search), .keep_i(op_keep),
    .half_i(op_dual && !own_q.second), .leaves_i(!s1_high_q && (s1_lookup || s1_replay)),
    .hit_o(wc_hit), .large_o(s2_large), .page_o(s2_wc_page), .vram_o(wc_vram), .k64_o(wc_k64),
    .write_i(wc_write_i), .data_i(wc_data_i),
    .fill_i(tell_valid_i && tell_ready_o && tell_large_i),
    .fill_what_i('{key: tell_i.key, page: tell_i.page}), .fill_shift_i(tell_shift_i),
    .fill_space_o(fill_space), .fill_dual_i(fill_dual), .kept_o(wc_kept),
    .kill_i(kill_i.valid), .sweep_i(sweep), .use_i);

  // The low bits of the line of each port's previous miss: enough to guess if a wide walk pays.
  localparam int unsigned HintWidth = 10;
  typedef logic [HintWidth-1:0] hint_t;
  hint_t hint_old, hint_new, hint_apart;
  assign hint_new = hint_t'(s1_q.what.key.vpn >> 3);
  assign hint_apart = hint_new - hint_old;
  gmmu_lutram #(.Width(HintWidth), .Depth(NumPorts)) u_hints (
    .clk_i(clk), .write_i(s1_lookup), .write_addr_i($clog2(NumPorts)'(s1_q.what.port)),
    .data_i(hint_new), .read_addr_i($clog2(NumPorts)'(s1_q.what.port)), .data_o(hint_old));

  always_ff @(posedge clk) begin
    if (rst_i) begin
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
      s2_decide_q <= 1'b0;
      s2_replay_q <= 1'b0;
    end else begin
      s1_valid_q <= own_valid_q || newcomer;
      s2_valid_q <= s1_valid_q;
      s2_decide_q <= s1_lookup || s1_replay;
      s2_replay_q <= s1_replay;
    end
    if (op_read) begin
      s1_q <= own_q;
      s1_q.what.key <= op_key_q;
      s1_q.what.port <= own_q.what.port | chosen.port;
      s1_q.what.slot <= own_q.what.slot | chosen.slot;
      // The root's index is shifted in two steps: first by a multiple of eight, then by the rest.
      s1_index_q <= 20'(op_key_q.vpn >> {op_root_shift[5:3], 3'd0});
      s1_high_q <= op_search.high;
      s1_shift_q <= op_root_shift[2:0];
    end
    if (s1_valid_q) begin
      s2_q <= s1_q;
      s2_engine_q <= is_engine(s1_q.what.port);
      for (int unsigned p = 0; p < NumPorts; p++) s2_port_q[p] <= s1_q.what.port == port_t'(p);
      s2_close_q <= hint_apart == '0 || hint_apart == hint_t'(1) || hint_apart == '1;
      s2_enable_q <= space.enable;
      s2_beyond_q <= space.beyond;
      s2_top_q <= space.top;
      s2_root_q <= space.root;
      s2_target_q <= space.root_target;
      s2_entries_q <= space.root_entries;
      s2_index_q <= 13'(s1_index_q >> s1_shift_q);
      s2_root_shift_q <= space.root_shift;
      s2_root_bits_q <= space.root_bits;
      s2_shape_q <= '{dual: space.dual, bits_64k: space.bits_64k, shift: space.shift,
                      bits: space.bits};
      s2_has_64k_q <= space.has_64k;
      s2_pair_q <= space.dual && space.top == 1;
    end
  end

  // Stage 2: where a walk would start: at the root, or at the table that the walk cache found.
  start_t start;
  logic   wc_any;
  assign wc_any = wc_hit != '0;
  assign s2_beyond = s2_q.what.key.high || (s2_q.what.key.vpn & s2_beyond_q) != '0;
  always_comb begin
    start.cause = '0;
    if (!s2_enable_q) start.cause = cause_t'(FaultSpaceDisabled);
    else if (s2_beyond) start.cause = cause_t'(FaultVaRange);
    else if (14'(s2_index_q) >= s2_entries_q) start.cause = cause_t'(FaultRootBound);
    else if (s2_target_q != TargetVram && s2_target_q != TargetSystem) begin
      start.cause = cause_t'(FaultEntryReserved);
    end
    start.index_valid = !wc_any;
    start.index = s2_pair_q ? {s2_index_q[11:0], !s2_q.second} : s2_index_q;
    start.dual = s2_shape_q.dual;
    start.has_64k = s2_has_64k_q;
    start.half = !s2_q.second;
    start.k64 = wc_k64 && start.cause == '0;
    start.level = wc_any && start.cause == '0 ? '0 : s2_top_q;
    start.pfn = wc_any ? s2_wc_page.pfn : s2_root_q;
    start.vram = wc_any ? wc_vram : s2_target_q == TargetVram;
    start.shift = wc_any ? '0 : s2_root_shift_q;
    start.bits = wc_any ? '0 : s2_root_bits_q;
    for (int unsigned l = 1; l < MaxLevels; l++) begin
      if (wc_hit[l]) begin
        if (start.cause == '0) start.level |= level_t'(l - 1);
        start.shift |= l == 1 && wc_k64 ? 6'd4 : s2_shape_q.shift[l-1];
        start.bits |= l == 1 && wc_k64 ? s2_shape_q.bits_64k : s2_shape_q.bits[l-1];
      end
    end
  end

  // Stage 2: decide what the lookup does.
  logic decide, joins, free, engine, fails, begins, s3_wc_hit_q;
  assign search_key_o = s1_q.what.key;
  assign s2_hit = s2_l2_hit || s2_large;
  assign engine = s2_engine_q;
  assign decide = s2_decide_q;
  assign joins = !s2_hit && search_hit_i;
  // waiting_none_q stays 0 until a replay has reached this stage.
  assign free = row_free_i && (s2_replay_q || (waiting_none_q && !s3_push_q));
  assign dense = s2_q.dense || (!s2_replay_q && s2_close_q);
  assign fails = !s2_hit && !joins && !free && !(engine && row_engine_i);
  assign begins = decide && !s2_hit && !joins && !fails;

  always_ff @(posedge clk_i) begin
    if (rst_i || (turn_q & held_q) != '0) beat_q <= '0;
    else if (beat_q != '1) beat_q <= beat_q + 1'b1;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (rst_i || (replay && waiting.what.port == port_t'(p))) held_q[p] <= 1'b0;
      else if (decide && fails && !engine && s2_port_q[p]) held_q[p] <= 1'b1;
    end
  end

  // Stage 3: the lookup begins a walk, joins one or enters the queue; or a walk restarts.
  always_ff @(posedge clk) begin
    begin_o <= !rst_i && begins;
    join_o <= !rst_i && decide && joins;
    restart_o <= !rst_i && s2_valid_q && s2_q.kind == OpRestart;
    s3_valid_q <= !rst_i && s2_valid_q;
    s3_push_q <= !rst_i && decide && fails;
    if (s2_valid_q) begin
      begin_wide_o <= s2_decide_q ? dense || s2_line || search_near_i : s2_q.dense;
      begin_engine_o <= !free;
      what_o <= s2_q.what;
      restart_row_o <= s2_q.row;
      start_o <= start;
      s3_wc_hit_q <= wc_any;
      s3_dense_q <= dense;
      s3_engine_q <= s2_engine_q;
    end
  end

  // The message bus: a hit has priority over a walk's response.
  logic hit_valid_q;
  logic [NumPorts-1:0] hit_port_q;
  msg_t hit_q;
  always_ff @(posedge clk) begin
    hit_valid_q <= !rst_i && decide && s2_hit;
    tell_ready_o <= rst_i || !(decide && s2_hit);
    hit_port_q <= !rst_i && decide && s2_hit ? s2_port_q : '0;
    if (s2_valid_q) begin
      hit_q <= '{port: s2_q.what.port, slot: s2_q.what.slot, merged: 1'b0, key: s2_q.what.key,
                 page: s2_l2_hit ? s2_l2_page : s2_wc_page, cause: '0};
    end
  end
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      msg_valid_o[p] = hit_port_q[p]
          || (tell_ready_o && tell_valid_i && tell_i.port == port_t'(p));
    end
  end
  always_comb begin
    msg_o = hit_valid_q ? hit_q : tell_i;
    // The slot has the longest path in the ports, so the register with less fanout selects it.
    msg_o.slot = tell_ready_o ? tell_i.slot : hit_q.slot;
  end
  translation_t late_q;
  logic         said_q;
  always_ff @(posedge clk) begin
    said_q <= hit_valid_q || tell_valid_i;
    if (hit_valid_q || tell_valid_i) late_q <= '{key: msg_o.key, page: msg_o.page};
    if (said_q) later_o <= late_q;
  end

  logic [2:0] waited_q;
  always_ff @(posedge clk) begin
    if (rst_i || !tell_valid_i || tell_ready_o) waited_q <= '0;
    else if (waited_q != '1) waited_q <= waited_q + 1'b1;
  end
  assign bubble = waited_q[2];

  always_ff @(posedge clk) begin
    probed_o <= !rst_i && s2_valid_q && s2_q.kind == OpProbe;
    probed_same_o <= s2_same;
    probed_empty_o <= s2_empty;
    probed_present_o <= s2_present;
  end

  // lookup_hint_i does not wake this clock: turns are granted on clk_i.
  gmmu_sleep u_sleep (
    .clk_i, .rst_i, .clk_o(clk),
    .awake_i(newcomer || own_any || own_any_q || own_valid_q || again_valid_i || tell_valid_i || wc_write_i
             || data_write_i != '0 || tag_write_i != '0 || sweep_i.valid || space_write_i || !waiting_none_q)
  );

  assign count_hit_o = hit_valid_q;
  assign count_merged_o = join_o;
  assign count_miss_o = begin_o;
  assign count_wc_lookup_o = (begin_o || restart_o) && start_o.cause == '0;
  assign count_wc_hit_o = count_wc_lookup_o && s3_wc_hit_q;
  assign quiet_o = !probe_q && !own_valid_q && !s1_valid_q && !s2_valid_q && !s3_valid_q
      && !hit_valid_q && !tell_valid_i && !wc_kept;
  assign idle_o = quiet_o && waiting_none_q && waiting_count_q == '0;

  logic unused_bits;  // unused fields, such as space.keep (see keep_o of u_spaces)
  assign unused_bits = ^{space, s2_wc_page, kill_i, own_q.what.key};

  a_room: assert property (@(posedge clk_i) disable iff (rst_i)
    !(s3_push_q || again_valid_i) || waiting_ready);
endmodule

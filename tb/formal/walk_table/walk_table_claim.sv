// SPDX-License-Identifier: Apache-2.0
// Properties of gmmu_walk_table and its sub-blocks at their ports, while the neighbouring blocks do
// anything that their contracts allow. Every lookup that starts or joins a walk receives exactly
// one response or is sent back exactly once. A row is not reused while the lookup that started its
// walk waits. Entries read before a kill are not returned, filled or cached, and stale_o is set
// while such a read is in flight. Each row has at most one read in flight, and at most NumWalks
// rows have one, not counting the row that is reserved for the paging engine.
module walk_table_claim
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned NumWalks = 1,
  parameter int unsigned SpareRows = 1,
  // Without faults, holds, kills or a slow memory the state space is smaller, so the proof covers
  // more cycles.
  parameter bit          Calm = 1'b0,
  localparam int unsigned Rows = NumWalks + SpareRows + 1,
  localparam int unsigned RowWidth = $clog2(Rows)
) (
  input logic                clk_i,
  input logic                rst_i,

  input logic                search_i,     // a lookup arrives
  input logic [1:0]          who_i,        // {port, slot}
  input logic [3:0]          page_i,       // lowest bits of the page number
  input logic                space_i,
  input logic                begin_i,      // the decision, two cycles after search_i
  input logic                begin_engine_i,
  input logic                begin_wide_i,
  input logic                join_i,
  input logic                restart_i,
  input logic [RowWidth-1:0] restart_row_i,
  input logic                start_fault_i,
  input logic [1:0]          start_level_i,
  input logic                start_index_valid_i,
  input logic [2:0]          start_index_i,
  input logic                restart_ready_i,
  input logic                ar_ready_i,
  input logic                r_valid_i,
  input logic [RowWidth-1:0] r_id_i,
  input logic                r_error_i,
  input logic [63:0]         r_word_i,
  input logic                tell_ready_i,
  input logic                again_ready_i,
  input logic                fill_ready_i,
  input logic                fill_done_i,
  input logic                hold_i,
  input logic                kill_i,
  input logic                kill_all_i,
  input logic                kill_space_i
);
  typedef logic [RowWidth-1:0] index_t;

  logic      restart_second, restart_wide;
  logic      ran, search_hit, search_near, row_free, row_engine, restart_valid, ar_valid;
  logic      tell_valid, tell_large, tell_narrow, again_valid, wc_write, line_valid, fill_valid;
  logic      stale, quiet, count_ok, count_fault, count_read, idle, free_fill;
  logic [1:0] rows_early;
  logic [2:0] line_beat;
  logic [5:0] tell_shift, count_issue, count_memory, count_rows;
  row_t      tell_row, begin_row, restart_row, line_row, start_row, filling_row_q, end_row;
  key_t      search_key, key1_q, key, restart_key, end_key;
  logic      ends, search1_q, search2_q, hit_q, free_q, engine_q;
  logic [1:0] who1_q, who;
  logic [DataWidth-1:0] line_data;
  lookup_t   what, again;
  start_t    start;
  ax_t       ar;
  r_t        r;
  msg_t      tell;
  wc_write_t wc;
  line_t     fill;
  kill_t     kill;

  gmmu_reset_props u_reset (.clk_i, .rst_i, .ran_o(ran));

  always_comb begin
    search_key = '0;
    search_key.space = space_t'(space_i);
    search_key.vpn[3:0] = page_i;
    what = '{port: port_t'(who[1]), slot: slot_t'(who[0]), key: key};
    start_row = restart_i ? row_t'(restart_row_i) : begin_row;
    start = '0;
    start.cause = start_fault_i ? cause_t'(FaultSpaceDisabled) : '0;
    start.level = level_t'(start_level_i);
    start.vram = 1'b1;
    start.index_valid = start_index_valid_i;
    start.index = 13'(start_index_i);
    start.shift = 6'(start_level_i) * 6'd9;
    start.bits = 4'd9;
    kill = '{valid: kill_i, all: kill_all_i, space: space_t'(kill_space_i)};
  end

  // Holds a lookup and its search result until the decision.
  always_ff @(posedge clk_i) begin
    search1_q <= search_i && !rst_i;
    key1_q <= search_key;
    who1_q <= who_i;
    search2_q <= search1_q && !rst_i;
    key <= key1_q;
    who <= who1_q;
    hit_q <= search_hit;
    free_q <= row_free;
    engine_q <= row_engine;
  end

  function automatic config_t sizes();
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumSpaces = 2;
    c.NumWalks = NumWalks;
    c.NumPorts = 2;
    c.MissSlots = 2;
    c.EngineMissSlots = 2;
    c.MostSlots = 2;
    c.SpareRows = SpareRows;
    c.WalkRows = Rows;
    c.TurnDown = 0;
    return c;
  endfunction
  gmmu_walk_table #(.Config(sizes())) u_table (
    .clk_i, .rst_i, .search_key_i(search_key), .search_hit_o(search_hit), .search_near_o(search_near),
    .row_free_o(row_free), .row_engine_o(row_engine), .rows_early_o(rows_early),
    .begin_i, .begin_wide_i, .begin_engine_i, .begin_row_o(begin_row), .join_i, .what_i(what),
    .restart_i, .restart_row_i(row_t'(restart_row_i)), .start_i(start), .restart_valid_o(restart_valid), .restart_ready_i,
    .restart_row_o(restart_row), .restart_key_o(restart_key), .restart_second_o(restart_second),
    .restart_wide_o(restart_wide), .ar_valid_o(ar_valid), .ar_ready_i,
    .ar_o(ar), .ar_early_o(), .early_ar_o(), .r_valid_i, .r_i(r), .tell_valid_o(tell_valid), .tell_ready_i, .tell_o(tell),
    .tell_large_o(tell_large), .tell_narrow_o(tell_narrow), .tell_shift_o(tell_shift), .tell_row_o(tell_row),
    .again_valid_o(again_valid), .again_ready_i, .again_o(again), .wc_write_o(wc_write),
    .wc_data_o(wc), .line_valid_o(line_valid), .line_row_o(line_row), .line_beat_o(line_beat), .line_data_o(line_data),
    .fill_valid_o(fill_valid), .fill_ready_i, .fill_o(fill), .fill_done_i,
    .fill_done_row_i(filling_row_q), .end_o(ends), .end_row_o(end_row), .end_key_o(end_key), .hold_i, .kill_i(kill), .stale_o(stale), .quiet_o(quiet),
    .space_write_i(1'b0), .space_i('0), .shape_i('0), .use_i('0), .count_ok_o(count_ok),
    .count_fault_o(count_fault), .count_read_o(count_read), .count_issue_o(count_issue),
    .count_memory_o(count_memory), .count_rows_o(count_rows), .still_o(), .idle_o(idle));

  // ---- The memory returns one burst per row; beats for different rows may come in any order.
  logic [Rows-1:0]      open_q;
  logic [Rows-1:0][7:0] left_q;    // beats left after the next beat
  always_comb begin
    r = '0;
    r.id = IdWidth'(r_id_i);
    r.data = {(DataWidth / 64){r_word_i}};
    r.error = r_error_i;
    r.last = left_q[r_id_i] == '0;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= '0;
    end else begin
      if (r_valid_i && r.last) open_q[r_id_i] <= 1'b0;
      if (ar_valid && ar_ready_i) open_q[index_t'(ar.id)] <= 1'b1;
    end
    if (r_valid_i) left_q[r_id_i] <= left_q[r_id_i] - 8'd1;
    if (ar_valid && ar_ready_i) left_q[index_t'(ar.id)] <= ar.len;
  end
  m_memory: assume property (@(posedge clk_i) disable iff (rst_i)
    !r_valid_i || (32'(r_id_i) < Rows && open_q[r_id_i]));

  // ---- The pipeline: at most one of begin, join and restart per cycle, depending on the search.
  logic [3:0]      waits_q;        // indexed by lookup: no response yet, and not sent back
  logic [Rows-1:0] starting_q;     // rows that have requested the start of their walk
  logic [Rows-1:0] restart_wide_q; // for each row: the walk to be started fetches a whole line
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      starting_q <= '0;
    end else begin
      if (restart_i) starting_q[restart_row_i] <= 1'b0;
      if (restart_valid && restart_ready_i) starting_q[index_t'(restart_row)] <= 1'b1;
    end
    if (restart_valid && restart_ready_i) restart_wide_q[index_t'(restart_row)] <= restart_wide;
  end
  m_pipeline: assume property (@(posedge clk_i) disable iff (rst_i)
    32'(begin_i) + 32'(join_i) + 32'(restart_i) <= 1
    && (!(begin_i || join_i) || (search2_q && !waits_q[who]))
    && (!begin_i || (!hit_q && (begin_engine_i ? engine_q && !free_q : free_q)))
    && (!join_i || hit_q)
    && (!restart_i || (32'(restart_row_i) < Rows && starting_q[restart_row_i]
                       && begin_wide_i == restart_wide_q[restart_row_i]))
    && start_level_i != 2'd3 && (!hold_i || !restart_ready_i));

  // ---- The fill unit processes one line at a time.
  logic filling_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) filling_q <= 1'b0;
    else filling_q <= (fill_valid && fill_ready_i) || (filling_q && !fill_done_i);
    if (fill_valid && fill_ready_i) filling_row_q <= fill.row;
  end
  assign free_fill = !filling_q;
  m_fill: assume property (@(posedge clk_i) disable iff (rst_i)
    (!fill_ready_i || free_fill) && (!fill_done_i || filling_q));

  // The control block asserts a kill only after pipeline, responses and fill unit have been empty
  // and held, with a stable scope, for at least one cycle.
  logic kill_space_q, kill_all_q, held, held_q;
  assign held = hold_i && quiet && !filling_q && starting_q == '0 && !search_i && !search1_q
      && !search2_q && !restart_i;
  always_ff @(posedge clk_i) begin
    kill_space_q <= kill_space_i;
    kill_all_q <= kill_all_i;
    held_q <= held && !rst_i;
  end
  m_kill: assume property (@(posedge clk_i) disable iff (rst_i)
    !kill_i || (held && held_q && kill_space_i == kill_space_q && kill_all_i == kill_all_q));

  m_calm: assume property (@(posedge clk_i) disable iff (rst_i)
    !Calm || (!kill_i && !hold_i && !restart_i && !start_fault_i && !r_error_i && r_word_i == 64'd1
              && !space_i && !begin_engine_i && start_level_i == '0 && again_ready_i
              && (!open_q[0] || r_valid_i)));

  // ---- Lookups.
  logic [1:0]      told, back;
  logic [3:0][RowWidth-1:0] row_of_q;    // row of the walk that each lookup started
  logic [3:0]      began_q;
  assign told = {tell.port[0], tell.slot[0]};
  assign back = {again.port[0], again.slot[0]};
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      waits_q <= '0;
    end else begin
      if (tell_valid && tell_ready_i) waits_q[told] <= 1'b0;
      if (again_valid && again_ready_i) waits_q[back] <= 1'b0;
      if (begin_i || join_i) waits_q[who] <= 1'b1;
    end
    if (begin_i || join_i) begin
      began_q[who] <= begin_i;
      row_of_q[who] <= index_t'(start_row);
    end
  end
  a_answered_once: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || ((!tell_valid || waits_q[told]) && (!again_valid || waits_q[back])
             && !(tell_valid && again_valid && told == back)));
  a_who_began_is_answered: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && tell_valid) || tell.merged != began_q[told]);
  a_who_began_is_not_sent_back: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && again_valid) || !began_q[back]);
  a_nobody_is_forgotten: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && idle) || waits_q == '0);
  logic kept;
  always_comb begin
    kept = 1'b1;
    for (int unsigned w = 0; w < 4; w++) begin
      if (waits_q[w] && began_q[w] && row_of_q[w] == index_t'(start_row)
          && !(tell_valid && told == 2'(w))) kept = 1'b0;   // the valid response ends the wait
    end
  end
  a_row_is_kept: assert property (@(posedge clk_i) disable iff (rst_i) !(ran && begin_i) || kept);

  // ---- Kills. dirty_q: the space of the row was killed after the row's reads had begun.
  logic [Rows-1:0] space_q, dirty_q, due_q;
  index_t          beat_row_q, judge_row_q, cached_row_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Rows; i++) begin
      if (rst_i) dirty_q[i] <= 1'b0;
      else if (kill_i && (kill_all_i || kill_space_i == space_q[i])) dirty_q[i] <= 1'b1;
      else if ((begin_i || restart_i) && 32'(start_row) == i) dirty_q[i] <= 1'b0;
      if (begin_i && 32'(start_row) == i) space_q[i] <= key.space[0];
    end
    due_q <= rst_i ? '0 : open_q & dirty_q;  // stale_o refers to the previous cycle
    beat_row_q <= r_id_i;
    judge_row_q <= beat_row_q;
    cached_row_q <= judge_row_q;
  end
  a_stale_fills_nothing: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && fill_valid) || !dirty_q[index_t'(fill.row)]);
  a_stale_is_not_cached: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && wc_write) || !dirty_q[cached_row_q]);
  a_stale_is_not_answered: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && tell_valid && !tell.merged) || !dirty_q[row_of_q[told]]);
  a_stale_is_said: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || (due_q & open_q & dirty_q) == '0 || stale);

  // ---- Reads.
  a_one_read: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && ar_valid) || (32'(ar.id) < Rows
      && (!open_q[index_t'(ar.id)] || (r_valid_i && r.last && r_id_i == index_t'(ar.id)))));
  a_reads_at_once: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || $countones(open_q[Rows-2:0]) <= NumWalks);
  gmmu_stream_props #(.Width($bits(ax_t))) u_ar (
    .clk_i, .rst_i, .valid_i(ar_valid), .ready_i(ar_ready_i), .payload_i(ar));
  gmmu_stream_props #(.Width($bits(port_t) + $bits(slot_t) + 1)) u_tell (
    .clk_i, .rst_i, .valid_i(tell_valid), .ready_i(tell_ready_i),
    .payload_i({tell.port, tell.slot, tell.merged}));

  c_merged: cover property (@(posedge clk_i) disable iff (rst_i) ran && tell_valid && tell.merged);
  c_again: cover property (@(posedge clk_i) disable iff (rst_i)
    ran && (Calm || (again_valid && again_ready_i)));
  c_fill_done: cover property (@(posedge clk_i) disable iff (rst_i) ran && fill_done_i);
  c_descends: cover property (@(posedge clk_i) disable iff (rst_i) ran && (Calm || wc_write));
  c_restarts: cover property (@(posedge clk_i) disable iff (rst_i) ran && (Calm || restart_i));
  c_stale_read: cover property (@(posedge clk_i) disable iff (rst_i)
    ran && (Calm || (open_q & dirty_q) != '0));

  logic unused;
  assign unused = ^{search_near, tell_row, line_data, ends, end_row, end_key, rows_early, restart_key, restart_second, tell, tell_large, tell_narrow, tell_shift,
      again, wc, line_valid, line_row, line_beat, fill, count_ok, count_fault, count_read,
      count_issue, count_memory, count_rows, ar, what, r};
endmodule

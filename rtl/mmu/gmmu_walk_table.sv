// SPDX-License-Identifier: Apache-2.0
// The table of walks, one row per walk, with its shared units: search, index unit, read issue,
// entry check, responses. The last row is reserved for the paging engine; all ports share the other
// rows. At most NumWalks shared rows have a read in flight. The SpareRows additional rows wait for
// another row's read to complete, or hold a line until it is entered.
//
//   search           a key. In the next cycle, search_hit_o: a row walks for the page;
//                    search_near_o: a row walks for another page of its line. A wide row fetches a
//                    line of eight entries, a narrow one only its own entry
//   row_free, row_engine   a row is free for the lookup whose search result is valid now
//   begin, join      the decision about that lookup, one cycle after its search result: either a
//                    row (begin_row_o; begin_engine_i: the engine's row) begins a walk at start_i,
//                    or the lookup joins the row that the search found
//   restart          row restart_row_i repeats its walk from start_i; begin_wide_i is the row's
//                    restart_wide_o
//   ar, r            table reads, id = row, one burst per row
//   tell             responses (gmmu_walk_tell); again: lookups that must be replayed
//   fill             a row whose line is ready to be entered; none is offered during hold_i
//   hold_i           from the next cycle on, no responses leave
//   kill_i           allowed only while everything is held and empty; its scope is stable at least
//                    one cycle earlier. Rows in the scope become stale: they fill nothing, and
//                    repeat the walk when their read completes. Lookups that joined a row after its
//                    first response are replayed
//   stale_o          a read of a stale row was in flight in the previous cycle
//   use_i            with TurnDown, the number of concurrent reads and the shared rows in use; it
//                    changes only while everything is held
//
// A row responds to the lookup that began it as soon as its entry arrives, and to joined lookups
// when its line is complete. When all its lookups have responses and its line is entered, the row
// accepts no more lookups and becomes free. Outputs are at most a few LUTs behind registers.
module gmmu_walk_table
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumPorts = Config.NumPorts,
  localparam int unsigned NumWalks = Config.NumWalks,
  localparam int unsigned SpareRows = Config.SpareRows,
  localparam int unsigned MissSlots = Config.MostSlots,
  localparam bit          TurnDown = Config.TurnDown != 0
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  key_t       search_key_i,
  output logic       search_hit_o,
  output logic       search_near_o,
  output logic       row_free_o,
  output logic       row_engine_o,
  output logic [1:0] rows_early_o,

  input  logic       begin_i,
  input  logic       begin_wide_i,
  input  logic       begin_engine_i,
  output row_t       begin_row_o,
  input  logic       join_i,
  input  lookup_t    what_i,
  input  logic       restart_i,
  input  row_t       restart_row_i,
  input  start_t     start_i,

  output logic       restart_valid_o,
  input  logic       restart_ready_i,
  output row_t       restart_row_o,
  output key_t       restart_key_o,
  output logic       restart_second_o,    // repeats the walk for the 4 KiB half of a pair
  output logic       restart_wide_o,      // the row fetches a line

  output logic       ar_valid_o,
  input  logic       ar_ready_i,
  output ax_t        ar_o,
  output logic       ar_early_o,    // the request comes from register early_ar_o
  output ax_t        early_ar_o,
  input  logic       r_valid_i,
  input  r_t         r_i,

  output logic       tell_valid_o,
  input  logic       tell_ready_i,
  output msg_t       tell_o,
  output logic       tell_large_o,
  output logic       tell_narrow_o,
  output logic [5:0] tell_shift_o,
  output row_t       tell_row_o,
  output logic       again_valid_o,
  input  logic       again_ready_i,
  output lookup_t    again_o,
  output logic       wc_write_o,
  output wc_write_t  wc_data_o,

  output logic                 line_valid_o,
  output row_t                 line_row_o,
  output logic [2:0]           line_beat_o,
  output logic [DataWidth-1:0] line_data_o,
  output logic                 fill_valid_o,
  input  logic                 fill_ready_i,
  output line_t                fill_o,
  input  logic                 fill_done_i,
  input  row_t                 fill_done_row_i,

  output logic       end_o,         // a row has become free
  output row_t       end_row_o,
  output key_t       end_key_o,
  input  logic       hold_i,
  input  kill_t      kill_i,
  output logic       stale_o,
  output logic       quiet_o,       // no response is in flight
  input  logic       space_write_i,
  input  space_t     space_i,
  input  shape_t     shape_i,
  input  use_t       use_i,

  output logic       count_ok_o,
  output logic       count_fault_o,
  output logic       count_read_o,
  output logic [5:0] count_issue_o,
  output logic [5:0] count_memory_o,
  output logic [5:0] count_rows_o,
  output logic       still_o,       // no state changes until a lookup, an R beat or a kill arrives
  output logic       idle_o
);
  localparam int unsigned Shared = NumWalks + SpareRows;  // rows that all ports share
  localparam int unsigned Rows = Shared + 1;
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned WordsPerBeat = DataWidth / 64;
  localparam int unsigned WaiterWidth = $clog2(NumPorts) + $clog2(MissSlots);
  typedef logic [Rows-1:0] rows_t;        // one bit per row
  localparam rows_t Engine = rows_t'(1) << Shared;
  typedef logic [RowWidth-1:0] index_t;
  typedef logic [WaiterWidth-1:0] waiter_t;

  // begun_t: the first entry that a walk reads. below_t: the target of the latest pointer.
  typedef struct packed {
    level_t level;
    logic   k64;
    logic   dual;
    logic   has_64k;
    logic   half;
  } begun_t;
  typedef struct packed {
    level_t level;
    logic   k64;
  } below_t;

  function automatic index_t number_of(rows_t rows);
    index_t number;
    number = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      if (rows[i]) number |= index_t'(i);
    end
    return number;
  endfunction
  // lowest: one-hot lowest set bit. several: two or more bits set. Groups of four shorten the path.
  function automatic rows_t lowest(rows_t rows);
    localparam int unsigned Groups = (Rows + 3) / 4;
    logic [Groups*4-1:0] all;
    logic [Groups-1:0]   groups;
    logic                lower;
    all = (Groups*4)'(rows);
    for (int unsigned g = 0; g < Groups; g++) groups[g] = |all[g*4 +: 4];
    for (int unsigned i = 0; i < Rows; i++) begin
      lower = |(groups & Groups'((1 << (i / 4)) - 1)) || |(all[i/4*4 +: 4] & 4'((1 << (i % 4)) - 1));
      lowest[i] = rows[i] && !lower;
    end
  endfunction
  function automatic logic several(rows_t rows);
    localparam int unsigned Groups = (Rows + 3) / 4;
    logic [Groups*4-1:0] all;
    logic [3:0]          four;
    logic                any;
    all = (Groups*4)'(rows);
    any = 1'b0;
    several = 1'b0;
    for (int unsigned g = 0; g < Groups; g++) begin
      four = all[g*4 +: 4];
      several |= (four & (four - 4'd1)) != '0 || (any && four != '0);
      any |= four != '0;
    end
  endfunction
  // Counts the set bits, up to 3. It adds groups of four to shorten the path.
  function automatic logic [1:0] few(logic [Shared-1:0] rows);
    localparam int unsigned Groups = (Shared + 3) / 4;
    logic [Groups*4-1:0] all;
    logic [3:0]          four;
    logic [2:0]          sum, more;
    all = (Groups*4)'(rows);
    sum = '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      four = all[g*4 +: 4];
      more[0] = four != '0;
      more[1] = (four & (four - 4'd1)) != '0;
      more[2] = &four[2:0] || &four[3:1] || (four[3] && four[0] && (four[2] || four[1]));
      sum = {sum[2] || more[2] || (sum[1] && more[0]) || (sum[0] && more[1]),
             sum[1] || more[1] || (sum[0] && more[0]), sum[0] || more[0]};
    end
    return {sum[1], sum[1] ? sum[2] : sum[0]};
  endfunction

  // Returns whether the index for the next level is computed while this level is read. It is not
  // for the 64 KiB half of a pair, which can only point to a 64 KiB table.
  function automatic logic looks_ahead(level_t level, logic half);
    return level != '0 && !(half && level == 1);
  endfunction

  // ---- The rows. A row that is not in free_q, restart_q, issue_q, reads_q or done_q waits for its
  // start.
  rows_t free_q;
  rows_t restart_q;         // the row must request a starting point for its walk
  rows_t issue_q;           // the row's read is waiting to be sent
  rows_t parked_q;          // the read is prepared, and waits for another row's read to complete
  rows_t reads_q;           // the row's read is in flight
  rows_t done_q;            // the row has no more reads
  rows_t stale_q;           // the row's read in flight predates the latest kill
  rows_t answered_q;        // the lookup that began the walk has its response
  rows_t chain_q;           // other lookups have joined this row's walk
  rows_t wide_q;
  rows_t fill_q;            // the line has yet to be entered into the L2
  rows_t filling_q;         // the line is being entered
  rows_t drop_q;            // the line must not be used
  rows_t second_q;          // the walk is for the 4 KiB half of a pair: the 64 KiB half is empty
  rows_t below_q;           // the pointer to the row's table comes from an entry, not from start_i
  rows_t ahead_q;           // the index for the next lower level has yet to be computed
  rows_t ready_q;           // the index for the next lower level is known

  // Events of this cycle.
  rows_t begin_rows, start_rows, joined, match, picked, kept, asked, filling, filled, jobs, killed;
  rows_t here, judged_q, ends, redo, down, nothing, over, answers, ending, open, soon;
  logic  good, start_sent, start_sent_q, start_parked, start_known_q, starts_ahead_q, asks_ahead;
  logic  descend_sent, job_done, job_read, job_parked, parked_sent, full_q;
  logic  last_q, error_q, descends_q, nothing_q, k64_q, sent_q, answered_now_q, big_q, ahead_now_q;
  logic  upper_q, below_write, fact_q;
  index_t judge_row_q, fact_row_q;
  below_t below;
  logic [5:0] shape_shift;
  logic [2:0] shape_line;
  rows_t start_rows_q, sent_start, sent_job, sent_parked, ahead_start, ahead_job, ahead_done, want;
  rows_t  fill_rows_q, tell_rows_q, tell_left_q, tell_asks, tell_some;
  index_t tell_row_q;
  logic   fill_out_q, tell_ready, tell_begin, tell_chain, tell_next, tell_more_q;
  assign good = start_i.cause == '0;
  // A row that sends its read at its start is in issue_q for one cycle, until sent_start clears it.
  assign sent_start = start_sent_q ? start_rows_q : '0;
  assign ahead_start = start_known_q && starts_ahead_q ? start_rows_q : '0;
  assign sent_job = job_done && job_read && !job_parked ? jobs : '0;
  assign ahead_job = job_done && job_read && asks_ahead ? jobs : '0;
  assign sent_parked = parked_sent ? parked_q : '0;
  assign want = issue_q & ~parked_q;
  assign ahead_done = job_done && !job_read ? jobs : '0;

  // When a row's read ends, the row repeats its walk (if stale), reads the next level, or is done.
  assign ends = last_q ? judged_q : '0;
  // It also repeats the walk if the read ends in the cycle of a kill and no next read was sent.
  assign redo = ends & (stale_q | (sent_q ? '0 : killed));
  assign down = descends_q ? ends & ~redo : '0;
  assign nothing = nothing_q ? ends & ~redo : '0;
  assign over = descends_q || nothing_q ? '0 : ends & ~redo;
  assign answers = answered_q | (answered_now_q ? judged_q : '0);

  always_ff @(posedge clk_i) begin
    start_sent_q <= start_sent && !rst_i;
    start_known_q <= (start_sent || start_parked) && !rst_i;
    start_rows_q <= start_rows;
    starts_ahead_q <= looks_ahead(start_i.level, start_i.dual && start_i.half);
    free_q <= (free_q & ~begin_rows) | ending;
    restart_q <= (restart_q & ~asked) | (redo & ~answered_q) | nothing
        | (killed & (issue_q | (done_q & ~answered_q)));
    issue_q <= (issue_q & ~sent_start & ~sent_job & ~sent_parked & ~killed) | (good ? start_rows : '0)
        | (sent_q ? '0 : down);
    parked_q <= kill_i.valid ? '0 : (parked_q & ~sent_parked) | (start_parked ? start_rows : '0)
        | (job_parked ? jobs : '0);
    reads_q <= (reads_q & ~ends) | sent_start | sent_job | sent_parked | (sent_q ? down : '0);
    done_q <= (good ? '0 : start_rows) | (redo & answered_q) | over
        | (done_q & ~ending & ~(killed & ~answered_q));
    stale_q <= (stale_q & ~redo) | (killed & ((reads_q & ~ends) | down));
    answered_q <= (answers | picked) & ~free_q;
    chain_q <= joined | (chain_q & ~picked & ~free_q);
    for (int unsigned i = 0; i < Rows; i++) begin
      if (begin_rows[i]) wide_q[i] <= begin_wide_i;
    end
    // A line is not entered if it is stale or has an error, or if its block is entered as one page.
    fill_q <= (good && begin_wide_i ? start_rows : '0)
        | (fill_q & ~filling & ~redo & ~killed
           & ~(error_q || (answered_now_q && big_q) || (upper_q && !descends_q) ? judged_q : '0));
    filling_q <= filling | (filling_q & ~filled);
    drop_q <= ~start_rows
        & (drop_q | (error_q ? judged_q : '0) | redo | (killed & done_q));
    second_q <= (second_q | nothing) & ~redo & ~killed & ~free_q;
    below_q <= (below_q | down) & ~start_rows;
    ahead_q <= ((ahead_q & ~ends & ~ahead_done) | ahead_start | ahead_job
        | (sent_q && ahead_now_q ? down : '0)) & ~killed;
    // The index of a job's read overwrites the one computed ahead while the row was parked.
    ready_q <= (ready_q | ahead_done) & ~ends & ~killed & ~ahead_job;
    if (rst_i) begin
      free_q <= '1;
      restart_q <= '0;
      issue_q <= '0;
      parked_q <= '0;
      reads_q <= '0;
      done_q <= '0;
      stale_q <= '0;
      filling_q <= '0;
      ahead_q <= '0;
      ready_q <= '0;
    end
  end

  // under_q: shared rows with a read in flight, including rows that send their next read at once.
  logic [$clog2(NumWalks+1)-1:0] under_q, under;
  logic more, less;
  assign more = (start_sent && (start_rows & Engine) == '0) || ((sent_job | sent_parked) & ~Engine) != '0;
  assign less = !sent_q && (ends & ~Engine) != '0;
  always_comb begin
    under = under_q;
    if (more && !less) under = under_q + 1'b1;
    if (less && !more) under = under_q - 1'b1;
  end
  always_ff @(posedge clk_i) begin
    under_q <= rst_i ? '0 : under;
    full_q <= !rst_i && (TurnDown ? 6'(under) >= use_i.walks : 32'(under) == NumWalks);
  end

  rows_t in_scope_q, open_q, want_restart, want_fill, want_tell;
  key_t [Rows-1:0] keys;
  // Spaces are compared two bits at a time; (* keep *) preserves this, so comparators stay small.
  localparam int unsigned SpacePairs = ($bits(space_t) + 1) / 2;
  (* keep *) logic [Rows-1:0][SpacePairs-1:0] in_space;
  always_comb begin
    for (int unsigned i = 0; i < Rows; i++) begin
      for (int unsigned p = 0; p < SpacePairs; p++) begin
        in_space[i][p] = 2'((keys[i].space ^ kill_i.space) >> (2 * p)) == '0;
      end
    end
  end
  always_comb begin
    want_restart = restart_valid_o ? '0 : restart_q;
    want_fill = fill_out_q ? '0 : done_q & fill_q;
    want_tell = done_q & (~answered_q | chain_q);
    killed = kill_i.valid ? in_scope_q : '0;
    filled = fill_done_i ? rows_t'(1) << fill_done_row_i : '0;
    // A row whose reads are complete can be joined only if its line goes into the L2, else a
    // replayed lookup could join it repeatedly. A lookup joins two cycles after finding it open.
    open = ~free_q & ~drop_q & (fill_q | (filling_q & ~filled) | (~done_q & ~over));
  end
  always_ff @(posedge clk_i) begin
    stale_o <= stale_q != '0 && !rst_i;
    open_q <= open;
    for (int unsigned i = 0; i < Rows; i++) in_scope_q[i] <= kill_i.all || &in_space[i];
  end

  // ---- Lookups: search, begin, join.
  index_t  start_row, join_row;
  waiter_t waiter;      // the lookup that begins or joins a walk
  logic    starts, join_chain;
  begun_t  begun;
  assign waiter = {$clog2(NumPorts)'(what_i.port), $clog2(MissSlots)'(what_i.slot)};
  assign starts = begin_i || restart_i;
  assign joined = join_i ? match : '0;
  assign join_row = number_of(match);
  assign start_rows = begin_rows | (restart_i ? rows_t'(1) << restart_row_i : '0);
  assign start_row = begin_i ? index_t'(begin_row_o) : index_t'(restart_row_i);
  assign begun = '{level: start_i.level, k64: start_i.k64, dual: start_i.dual,
                   has_64k: start_i.has_64k, half: start_i.half};
  // tell_ready (gmmu_walk_tell accepts tell_rows_q's chain) is late: it selects one of two results.
  assign join_chain = tell_ready ? (match & chain_q & ~tell_rows_q) != '0 : (match & chain_q) != '0;

  gmmu_walk_search #(.Config(Config)) u_search (
    .clk_i, .search_i(search_key_i), .hit_o(search_hit_o), .near_o(search_near_o),
    .match_o(match), .begin_i, .begin_rows_i(begin_rows), .key_i(what_i.key), .wide_i(begin_wide_i),
    .free_i(free_q), .open_i(open), .wide_rows_i(wide_q), .keys_o(keys));

  // ---- next_q (if next_valid_q) is the row that begins next. two_q: another row is free.
  logic [Shared-1:0]   next_q, rest, begins_any, used;
  assign used = TurnDown ? use_i.rows[Shared-1:0] : '1;
  logic                next_valid_q, two_q, takes, moves;
  rows_t               ended_q;
  assign takes = begin_i && !begin_engine_i;
  assign begin_rows = {begin_i && begin_engine_i, takes ? next_q : '0};
  assign begin_row_o = begin_engine_i ? row_t'(Shared) : row_t'(number_of({1'b0, next_q}));
  assign row_free_o = takes ? two_q : next_valid_q;
  assign row_engine_o = free_q[Shared] && !ended_q[Shared] && !(begin_i && begin_engine_i);
  assign rest = free_q[Shared-1:0] & used & ~next_q;
  assign moves = takes || !next_valid_q;
  assign begins_any = takes ? next_q : '0;
  always_ff @(posedge clk_i) begin
    if (rst_i || (TurnDown && use_i.set)) begin
      next_valid_q <= 1'b0;
      two_q <= 1'b0;
      next_q <= '0;
    end else begin
      if (moves) next_q <= Shared'(lowest({1'b0, rest}));
      next_valid_q <= moves ? rest != '0 : 1'b1;
      two_q <= moves ? several({1'b0, rest}) : rest != '0;
    end
    rows_early_o <= few(used & ((free_q[Shared-1:0] & ~begins_any) | soon[Shared-1:0]));
  end

  // ---- At most one row becomes free per cycle, so that the event port can report each, and only
  // when no lookup in the pipeline may have found it open. soon: rows about to become free.
  rows_t closes;
  assign closes = done_q & answered_q & ~chain_q & ~fill_q & ~filling_q & ~kept & ~joined & ~open_q;
  assign ending = lowest(closes);
  assign soon = closes | (over & answers & ~chain_q & ~fill_q);
  always_ff @(posedge clk_i) begin
    ended_q <= rst_i ? '0 : ending;
    end_o <= ended_q != '0 && !rst_i;
    end_row_o <= row_t'(number_of(ended_q));
  end
  gmmu_ram_block #(.Width($bits(key_t)), .Depth(Rows)) u_end_keys (
    .clk_i, .read_i(1'b1), .read_addr_i(number_of(ended_q)), .data_o(end_key_o),
    .write_i(begin_i), .write_addr_i(start_row), .data_i(what_i.key));

  // ---- The service unit handles one row at a time: it requests a starting point, has the line
  // entered, or has an index computed. Rows that request at the same time are all served, from the
  // lowest up, before any later request.
  rows_t  service_q, service_left_q, service_asks, service_some;
  index_t service_row_q;
  logic   job, job_busy, fill_load, restart_load, service_next, service_more_q, service_half;
  key_t   service_key;
  level_t service_level, job_level;
  begun_t service_begun;
  below_t service_below;
  logic   service_is_below, service_k64, job_wide;
  logic [2:0] service_line;
  // A row that started in the previous cycle may have sent its read already, so it is masked.
  assign jobs = service_q & ((want & ~start_rows_q) | ahead_q);
  assign job = jobs != '0;
  assign job_read = (service_q & want) != '0;
  assign restart_load = (service_q & want_restart) != '0;
  assign fill_load = (service_q & want_fill) != '0;
  assign service_next = job_busy ? job_done : !job;
  // While a read is parked, other shared rows do not request: their reads would queue behind it.
  assign service_asks = (want_restart | want_fill | (want & (parked_q != '0 ? Engine : '1)) | ahead_q)
      & ~service_q;
  assign service_some = service_more_q ? service_left_q : service_asks;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      service_q <= '0;
      service_left_q <= '0;
      service_more_q <= 1'b0;
    end else if (service_next) begin
      service_q <= lowest(service_some);
      service_left_q <= service_some & ~lowest(service_some);
      service_more_q <= several(service_some);
    end
    if (service_next) service_row_q <= number_of(lowest(service_some));
  end
  gmmu_lutram #(.Width($bits(key_t)), .Depth(Rows)) u_service_keys (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(what_i.key),
    .read_addr_i(service_row_q), .data_o(service_key));
  gmmu_lutram #(.Width($bits(begun_t)), .Depth(Rows)) u_service_begun (
    .clk_i, .write_i(starts), .write_addr_i(start_row), .data_i(begun),
    .read_addr_i(service_row_q), .data_o(service_begun));
  gmmu_lutram #(.Width($bits(below_t)), .Depth(Rows)) u_service_below (
    .clk_i, .write_i(below_write), .write_addr_i(judge_row_q), .data_i(below),
    .read_addr_i(service_row_q), .data_o(service_below));
  gmmu_lutram #(.Width(3), .Depth(Rows)) u_service_lines (
    .clk_i, .write_i(fact_q), .write_addr_i(fact_row_q), .data_i(shape_line),
    .read_addr_i(service_row_q), .data_o(service_line));
  assign service_is_below = (service_q & below_q) != '0;
  assign service_level = service_is_below ? service_below.level : service_begun.level;
  assign service_k64 = service_is_below ? service_below.k64 : service_begun.k64;
  assign service_half = service_begun.dual && service_begun.half;
  assign job_level = service_k64 ? LevelLeaf64 : service_level - level_t'(!job_read);
  assign job_wide = (service_q & wide_q) != '0 && service_level == '0 && !service_k64;
  assign asks_ahead = looks_ahead(service_level, service_half);

  // Restarts and fills are registered.
  assign asked = restart_load ? service_q : '0;
  assign fill_valid_o = fill_out_q && !hold_i;
  assign filling = fill_valid_o && fill_ready_i ? fill_rows_q : '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) restart_valid_o <= 1'b0;
    else restart_valid_o <= restart_valid_o ? !restart_ready_i : restart_load;
    if (rst_i || kill_i.valid) fill_out_q <= 1'b0;
    else fill_out_q <= fill_out_q ? !(fill_valid_o && fill_ready_i) : fill_load;
    if (!restart_valid_o) begin
      restart_row_o <= row_t'(service_row_q);
      restart_key_o <= service_key;
      restart_second_o <= (service_q & second_q) != '0;
      restart_wide_o <= (service_q & wide_q) != '0;
    end
    if (kill_i.valid) restart_second_o <= 1'b0;   // a row in the scope reads both halves again
    if (!fill_out_q) begin
      fill_rows_q <= service_q;
      fill_o <= '{row: row_t'(service_row_q), key: service_key, line: service_line};
    end
  end

  // ---- Handling of a beat. Outputs needed in the same cycle are combinational.
  index_t     beat_row;
  key_t       beat_key;
  waiter_t    beat_who;
  begun_t     beat_begun;
  below_t     beat_below;
  level_t     level;
  logic       beat_is_below, beat_wide, beat_ready, beat_stale, k64, leaf, half_64k, takes_4k, own;
  logic [2:0] own_word, lane, beat;
  logic [2:0] beats_q [Rows];     // number of each row's next beat
  logic [63:0] word;
  pte_verdict_t entry;
  page_t      direct_page;
  cause_t     direct_cause;
  logic       to_4k, to_64k, takes_64k, halves, direct, direct_taken;
  assign beat_row = r_i.id[RowWidth-1:0];
  always_comb begin
    beat = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      here[i] = beat_row == index_t'(i);
      if (here[i]) beat |= beats_q[i];
    end
  end
  gmmu_lutram #(.Width($bits(key_t) + WaiterWidth), .Depth(Rows)) u_beat_keys (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i({what_i.key, waiter}),
    .read_addr_i(beat_row), .data_o({beat_key, beat_who}));
  gmmu_lutram #(.Width($bits(begun_t)), .Depth(Rows)) u_beat_begun (
    .clk_i, .write_i(starts), .write_addr_i(start_row), .data_i(begun),
    .read_addr_i(beat_row), .data_o(beat_begun));
  gmmu_lutram #(.Width($bits(below_t)), .Depth(Rows)) u_beat_below (
    .clk_i, .write_i(below_write), .write_addr_i(judge_row_q), .data_i(below),
    .read_addr_i(beat_row), .data_o(beat_below));
  assign beat_is_below = (here & below_q) != '0;
  assign beat_wide = (here & wide_q) != '0;
  assign beat_ready = (here & ready_q) != '0;
  assign beat_stale = (here & stale_q) != '0;
  assign level = beat_is_below ? beat_below.level : beat_begun.level;
  assign k64 = beat_is_below ? beat_below.k64 : beat_begun.k64;
  assign leaf = level == '0 && !k64;
  always_comb begin
    word = r_i.data[63:0];
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      if (WordsPerBeat > 1 && 32'(lane) % WordsPerBeat == i) word = r_i.data[i*64 +: 64];
    end
  end
  // takes_*: kinds of table that the entry may point to. half_64k: it is the 64 KiB half of a pair.
  assign half_64k = beat_begun.dual && beat_begun.half && level == 1;
  assign takes_4k = level != '0 && !half_64k;
  assign takes_64k = level == 1 && beat_begun.has_64k && !(beat_begun.dual && !beat_begun.half);
  assign halves = beat_begun.dual && beat_begun.half && (k64 || level == 1);
  assign to_4k = !r_i.error && names_table(word, 1'b0);
  assign to_64k = !r_i.error && names_table(word, 1'b1) && takes_64k;
  // own: the beat contains the row's own entry. Only leaf entries give a direct response: for a
  // large page, the page number must still be assembled.
  assign own = !leaf || !beat_wide || beat == 3'(32'(own_word) / WordsPerBeat);
  assign direct = r_valid_i && leaf && own && !beat_stale;
  assign entry = decode(word, FormLeaf);
  assign direct_page = page_of(entry, '0, 1'b1, beat_key.vpn, '1, beat_begun.has_64k);
  assign direct_cause = r_i.error ? cause_t'(FaultTableRead) : cause_t'(entry.fault);

  // ---- One cycle later: the decoded beat.
  logic        own_q, dual_q, judged_any_q, line_q;
  level_t      level_q;
  form_e       form_q;
  logic [2:0]  beat_q;
  logic [63:0] word_q;
  logic [DataWidth-1:0] data_q;
  key_t        judge_key_q;
  pte_entry_t  pointer;
  logic        unused_pointer;
  always_ff @(posedge clk_i) begin
    judged_q <= r_valid_i && !rst_i ? here : '0;
    judged_any_q <= r_valid_i && !rst_i;
    judge_row_q <= beat_row;
    judge_key_q <= beat_key;
    last_q <= r_i.last;
    error_q <= r_i.error;
    descends_q <= (to_4k && takes_4k) || to_64k;
    k64_q <= to_64k;
    nothing_q <= halves && !r_i.error && is_nothing(word);
    sent_q <= descend_sent;
    answered_now_q <= direct_taken;
    big_q <= direct_page.big;
    ahead_now_q <= looks_ahead(level - 1'b1, beat_begun.dual && beat_begun.half) && level != '0;
    level_q <= level;
    upper_q <= !leaf;
    own_q <= own;
    dual_q <= beat_begun.dual;
    form_q <= leaf ? FormLeaf : k64 ? FormLeaf64 : half_64k ? FormHalf64 : FormUpper;
    line_q <= leaf && beat_wide;
    beat_q <= beat;
    word_q <= word;
    data_q <= r_i.data;
    for (int unsigned i = 0; i < Rows; i++) begin
      if (rst_i) beats_q[i] <= '0;
      else if (r_valid_i && here[i]) beats_q[i] <= r_i.last ? '0 : beat + 1'b1;
    end
  end
  assign pointer = pte_entry_t'(word_q);
  assign unused_pointer = ^pointer;
  assign below_write = judged_any_q && descends_q;
  assign below = '{level: level_q - 1'b1, k64: k64_q};
  assign line_valid_o = judged_any_q;
  assign line_row_o = row_t'(judge_row_q);
  assign line_beat_o = line_q ? beat_q : '0;
  assign line_data_o = line_q ? data_q : {WordsPerBeat{word_q}};

  // ---- Two cycles later, when the level's shift is known: the facts of the row's entry, and the
  // pointer for the walk cache. A kill discards pointers.
  logic        fact_error_q, pointer_q, wc_valid_q;
  level_t      fact_level_q;
  form_e       fact_form_q;
  wc_write_t   wc_q, pointer_what_q;
  assign wc_write_o = wc_valid_q;
  assign wc_data_o = wc_q;
  always_ff @(posedge clk_i) begin
    fact_q <= judged_any_q && own_q && !rst_i;
    fact_row_q <= judge_row_q;
    fact_error_q <= error_q;
    fact_level_q <= level_q;
    fact_form_q <= form_q;
    pointer_q <= down != '0 && !kill_i.valid && !rst_i;
    pointer_what_q <= '{level: level_q, space: judge_key_q.space, tag: judge_key_q.vpn,
                        pfn: pointer.page[PfnWidth-1:0], vram: target_e'(pointer.target) == TargetVram,
                        k64: k64_q, half: k64_q && dual_q};
    wc_valid_q <= pointer_q && !kill_i.valid && !rst_i;
    wc_q <= pointer_what_q;
    wc_q.tag <= pointer_what_q.tag & keep_mask(shape_shift);
  end

  // ---- Reads.
  logic read_level_low;
  assign read_level_low = level[0];
  gmmu_walk_read #(.Config(Config)) u_read (
    .clk_i, .rst_i, .kill_i(kill_i.valid),
    .beat_i(r_valid_i && beat_ready), .beat_row_i(beat_row), .beat_low_i(read_level_low),
    .own_o(own_word), .lane_o(lane), .descend_i(to_4k), .descend_pfn_i(entry.pfn),
    .descend_vram_i(entry.target == TargetVram), .descend_line_i(beat_wide && level == 1),
    .descend_sent_o(descend_sent),
    .start_valid_i(starts), .start_row_i(start_row), .start_vpn_i(what_i.key.vpn), .start_i,
    .start_line_i(begin_wide_i && start_i.level == '0 && !start_i.k64),
    .start_engine_i((start_rows & Engine) != '0), .start_sent_o(start_sent),
    .start_parked_o(start_parked),
    .job_i(job), .job_row_i(service_row_q), .job_key_i(service_key), .job_level_i(job_level),
    .job_half_i(service_begun.half), .job_read_i(job_read), .job_line_i(job_wide),
    .job_below_i(service_is_below), .job_engine_i((service_q & Engine) != '0),
    .job_done_o(job_done), .job_parked_o(job_parked), .job_busy_o(job_busy), .full_i(full_q),
    .parked_sent_o(parked_sent),
    .abort_i(kill_i.valid || (ends & service_q) != '0),
    .table_write_i(below_write), .table_row_i(judge_row_q),
    .table_pfn_i(pointer.page[PfnWidth-1:0]), .table_vram_i(target_e'(pointer.target) == TargetVram),
    .shape_space_i(beat_key.space), .shape_level_i(k64 ? LevelLeaf64 : level),
    .shape_shift_o(shape_shift), .shape_line_o(shape_line),
    .write_i(space_write_i), .write_space_i(space_i), .write_shape_i(shape_i),
    .ar_valid_o, .ar_ready_i, .ar_o, .ar_early_o, .early_ar_o);

  // ---- Responses.
  assign tell_begin = (tell_rows_q & done_q & ~answered_q) != '0;
  assign tell_chain = (tell_rows_q & done_q & chain_q) != '0;
  assign tell_next = tell_ready || tell_rows_q == '0;
  assign picked = tell_ready ? tell_rows_q & done_q : '0;
  assign tell_asks = want_tell & ~tell_rows_q;
  assign tell_some = tell_more_q ? tell_left_q : tell_asks;
  always_ff @(posedge clk_i) begin
    if (rst_i || hold_i) begin
      tell_rows_q <= '0;
      tell_left_q <= '0;
      tell_more_q <= 1'b0;
    end else if (tell_next) begin
      tell_rows_q <= lowest(tell_some);
      tell_left_q <= tell_some & ~lowest(tell_some);
      tell_more_q <= several(tell_some);
    end
    if (tell_next) tell_row_q <= number_of(lowest(tell_some));
  end
  gmmu_walk_tell #(.Config(Config)) u_tell (
    .clk_i, .rst_i,
    .begin_i, .start_row_i(start_row), .begin_key_i(what_i.key), .waiter_i(waiter),
    .start_i(starts), .start_cause_i(start_i.cause), .start_level_i(start_i.level),
    .start_block_ok_i(start_i.has_64k),
    .fact_i(fact_q), .fact_row_i(fact_row_q), .fact_error_i(fact_error_q),
    .fact_level_i(fact_level_q), .fact_form_i(fact_form_q), .fact_shift_i(shape_shift),
    .fact_line_i(shape_line),
    .line_valid_i(line_valid_o), .line_row_i(judge_row_q), .line_beat_i(line_beat_o),
    .line_data_i(line_data_o),
    .direct_valid_i(direct), .direct_take_o(direct_taken), .direct_row_i(beat_row),
    .direct_who_i(beat_who), .direct_key_i(beat_key), .direct_page_i(direct_page),
    .direct_cause_i(direct_cause), .direct_wide_i(beat_wide),
    .join_i, .join_row_i(join_row), .join_sub_i(what_i.key.vpn[2:0]), .join_chain_i(join_chain),
    .row_valid_i(tell_begin || tell_chain), .row_ready_o(tell_ready), .row_i(tell_row_q),
    .rows_i(tell_rows_q), .row_begin_i(tell_begin), .row_chain_i(tell_chain),
    .wide_rows_i(wide_q), .drop_rows_i(drop_q),
    .tell_valid_o, .tell_ready_i, .tell_o, .tell_large_o, .tell_narrow_o, .tell_shift_o,
    .tell_row_o, .again_valid_o, .again_ready_i, .again_o,
    .count_ok_o, .count_fault_o, .hold_i, .kept_o(kept), .quiet_o);

  // ---- Inputs of the performance counters, registered.
  always_ff @(posedge clk_i) begin
    count_issue_o <= 6'($countones(issue_q));
    count_memory_o <= 6'($countones(reads_q));
    count_rows_o <= 6'($countones(~free_q));
    count_read_o <= !rst_i && ar_valid_o && ar_ready_i;
  end
  assign still_o = (restart_q | want | done_q | ahead_q | filling_q | service_q | tell_rows_q | judged_q) == '0
      && !restart_valid_o && !fill_out_q && !ar_valid_o && !again_valid_o && quiet_o;
  assign idle_o = &free_q && quiet_o;

  logic unused_bits;
  assign unused_bits = ^{keys, what_i, fill_done_row_i, restart_row_i, r_i.id, soon, service_begun,
      judge_key_q, use_i};

  a_expected: assert property (@(posedge clk_i) disable iff (rst_i) !r_valid_i
      || (here & (reads_q | sent_start)) != '0);
  a_full: assert property (@(posedge clk_i) disable iff (rst_i)
    !(more && full_q && !less) && !(less && under_q == '0) && $onehot0(parked_q) && (parked_q & Engine) == '0);
  a_in_use: assert property (@(posedge clk_i) disable iff (rst_i)
    (begin_rows & ~Engine & ~rows_t'(used)) == '0 && !(TurnDown && use_i.set && begin_i));
  a_quiet_kill: assert property (@(posedge clk_i) disable iff (rst_i)
    !kill_i.valid || !(begin_i || restart_i || join_i || tell_valid_o || picked != '0
        || filling != '0 || fill_done_i));
endmodule

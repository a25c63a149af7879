// SPDX-License-Identifier: Apache-2.0
// The walks under way, one row each, driven by shared step logic: index unit, read issue, entry
// judgement. Rows 0 to NumWalks - 1 serve everybody, row NumWalks only the paging engine.
//
//   begin, restart   from the lookup pipeline: row start_row_i starts as start_i says (restart: it
//                    walks again)
//   join             a lookup waits for row join_row_i
//   search           combinational: the row that walks for a page. A wide row fetches the line of
//                    eight entries, a narrow one its own entry only
//   ar, r            table reads, id = row, one burst a row. A beat is judged in the cycle in which
//                    it comes
//   tell             answers (gmmu_walk_tell); again: lookups that have to be done again
//   fill             a row whose line can be entered; none is offered while hold_i
//   kill_i           rows of the scope are stale: they fill nothing and walk again once their read
//                    is over; lookups that joined a row that was answered are done again
//   stale_o          a read of a stale row is still under way
//
// A row answers who began it as soon as its own entry is known; the others when its line is
// complete. It is closed to lookups, and then free, when all have their answers and the line is
// entered.
module gmmu_walk_table
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
#(
  parameter int unsigned NumPorts = 7,
  parameter int unsigned NumSpaces = 16,
  parameter int unsigned NumWalks = 8,
  parameter int unsigned MissSlots = 32
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  key_t       search_key_i,
  output logic       search_hit_o,
  output logic       search_near_o,
  output logic       row_free_o,
  output logic       row_engine_o,
  output logic [1:0] rows_soon_o,
  output row_t       row_next_o,

  input  logic       begin_i,
  input  logic       begin_wide_i,
  input  logic       join_i,
  input  lookup_t    what_i,
  input  logic       restart_i,
  input  row_t       start_row_i,
  input  start_t     start_i,

  output logic       restart_valid_o,
  input  logic       restart_ready_i,
  output row_t       restart_row_o,
  output key_t       restart_key_o,

  output logic       ar_valid_o,
  input  logic       ar_ready_i,
  output ax_t        ar_o,
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

  output logic                  line_valid_o,
  output row_t                  line_row_o,
  output logic [2:0]            line_beat_o,
  output logic                  fill_valid_o,
  input  logic                  fill_ready_i,
  output line_t                 fill_o,
  input  logic                  fill_done_i,
  input  row_t                  fill_done_row_i,

  output logic       end_o,         // a row becomes free
  output row_t       end_row_o,
  output key_t       end_key_o,
  input  logic       hold_i,
  input  kill_t      kill_i,
  output logic       stale_o,
  output logic       quiet_o,       // nothing is being told
  input  logic       space_write_i,
  input  space_t     space_i,
  input  shape_t     shape_i,

  output logic       count_ok_o,
  output logic       count_fault_o,
  output logic       count_read_o,
  output logic [5:0] count_issue_o,
  output logic [5:0] count_memory_o,
  output logic [5:0] count_rows_o,
  output logic       idle_o
);
  localparam int unsigned Rows = NumWalks + 1;
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned WordsPerBeat = DataWidth / 64;
  localparam int unsigned LineBeats = 8 / WordsPerBeat;
  localparam int unsigned WaiterWidth = $clog2(NumPorts) + $clog2(MissSlots);
  typedef logic [RowWidth-1:0] index_t;
  typedef logic [WaiterWidth-1:0] waiter_t;

  function automatic waiter_t waiter_of(port_t port, slot_t slot);
    logic unused_bits;
    unused_bits = ^{port, slot};
    return {$clog2(NumPorts)'(port), $clog2(MissSlots)'(slot)};
  endfunction

  // Restart: has to ask for its start. Starting: asked. Issue: wants a read. Read: read under way.
  // Done: the reads are over. Close: nobody joins any more.
  typedef enum logic [2:0] {StFree, StRestart, StStarting, StIssue, StRead, StDone, StClose} state_e;
  typedef struct packed {
    state_e      state;
    logic        wide;
    logic        stale;
    logic        answered;    // who began it has its answer
    logic        fill;        // the line has to be entered
    logic        filling;     // it is being entered
    logic        drop;        // the line is not to be used
    logic        error;       // the own entry's read was an error
    level_t      level;       // of the entry to read, or being read
    logic        below;       // the table was named by an entry, not by the start
    logic        known;       // the step of the next read is in the RAM
    logic        asked;
    logic [2:0]  beat;        // of the read under way
    logic        chain;       // lookups have joined
  } walk_t;
  // The rest of a row lies in LUT RAM, one copy for each reader.
  typedef struct packed {
    logic [5:0]  shift;
    logic [3:0]  bits;
    logic [12:0] index;
  } step_t;                   // by row and the level's lowest bit
  typedef struct packed {
    pfn_t        pfn;
    logic        vram;
  } table_t;                  // two banks: named by the start, named by an entry

  walk_t walk_q [Rows], walk_d [Rows];
  key_t  key_q [Rows];

  // The read of a table's entry, or of the line that holds it.
  function automatic ax_t table_read(index_t row, logic vram, pfn_t pfn, logic [12:0] index,
      logic line);
    ax_t ax;
    ax.id = IdWidth'(row);
    ax.port = vram ? PortVram : PortHost;
    ax.addr = {pfn + pfn_t'(index[12:9]), index[8:3], line ? 3'd0 : index[2:0], 3'd0};
    ax.len = line ? 8'(LineBeats - 1) : 8'd0;
    ax.user = '0;
    return ax;
  endfunction

  // A walk whose read is on its way.
  function automatic walk_t issued(walk_t walk);
    walk_t next;
    next = walk;
    next.state = StRead;
    next.beat = '0;
    next.error = 1'b0;
    next.drop = 1'b0;
    next.fill = walk.level == '0 && walk.wide;
    next.known = walk.level == '0;  // nothing is below
    next.asked = 1'b0;
    return next;
  endfunction

  logic         descends;  // the entry that comes names the next table
  pte_verdict_t entry;
  waiter_t waiter;      // who begins or joins
  logic    join_chain;  // somebody has joined the row before
  logic    index_begin, index_done, index_again, index_write;
  row_t    index_done_row, index_again_row;

  // ---- Rows by what they want.
  logic [Rows-1:0] is_free, closing, ending, first_free, line_match, match, lowest_match, joined;
  logic [Rows-1:0] want_restart, want_read, want_index, want_tell, want_fill;
  logic [Rows-1:0] got_restart, got_read, got_index, got_tell, got_fill;
  index_t          search_row, restart_index, read_index, index_index, tell_index, fill_index;
  logic [Rows-1:0] killed;
  logic            tell_busy;
  row_t            tell_row;
  logic            ar_free, ar_load, ar_descend, ar_start, ar_index, fill_take, tell_take;

  always_comb begin
    row_next_o = '0;
    stale_o = 1'b0;
    count_issue_o = '0;
    count_memory_o = '0;
    count_rows_o = '0;
    rows_soon_o = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      is_free[i] = walk_q[i].state == StFree;
      closing[i] = walk_q[i].state == StClose && !walk_q[i].chain
          && !(tell_busy && tell_row == row_t'(i));
      want_restart[i] = walk_q[i].state == StRestart;
      want_read[i] = walk_q[i].state == StIssue && walk_q[i].known && !walk_q[i].stale;
      want_index[i] = (walk_q[i].state == StIssue || walk_q[i].state == StRead)
          && !walk_q[i].known && !walk_q[i].asked;
      want_tell[i] = (walk_q[i].state == StDone || walk_q[i].state == StClose)
          && (!walk_q[i].answered || walk_q[i].chain);
      want_fill[i] = walk_q[i].state == StDone && walk_q[i].fill;
      killed[i] = kill_i.valid && !is_free[i] && (kill_i.all || kill_i.space == key_q[i].space);
      stale_o |= walk_q[i].stale;
      count_issue_o += 6'(walk_q[i].state == StIssue);
      count_memory_o += 6'(walk_q[i].state == StRead);
      count_rows_o += 6'(!is_free[i]);
      if (first_free[i]) row_next_o |= row_t'(i);
    end
    for (int unsigned i = 0; i < NumWalks; i++) begin
      if ((is_free[i] || closing[i]) && rows_soon_o != '1) rows_soon_o += 2'd1;
    end
  end
  // Apart from the rest: it depends on the lookup of this cycle.
  always_comb begin
    for (int unsigned i = 0; i < Rows; i++) begin
      line_match[i] = !is_free[i] && key_q[i].space == search_key_i.space
          && key_q[i].high == search_key_i.high
          && key_q[i].vpn[VpnWidth-1:3] == search_key_i.vpn[VpnWidth-1:3];
      // Not once its reads are over, unless the line goes into the L2: who is sent back by a row
      // must not find it again for ever.
      match[i] = line_match[i] && walk_q[i].state != StClose && !walk_q[i].drop
          && (walk_q[i].state != StDone || walk_q[i].fill || walk_q[i].filling)
          && (walk_q[i].wide || key_q[i].vpn[2:0] == search_key_i.vpn[2:0]);
    end
  end
  // One row a cycle becomes free, so that the event port sees each.
  assign ending = closing & (~closing + 1'b1);
  assign end_o = closing != '0;
  always_comb begin
    end_row_o = '0;
    end_key_o = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      if (ending[i]) begin
        end_row_o |= row_t'(i);
        end_key_o |= key_q[i];
      end
    end
  end
  assign first_free = is_free & (~is_free + 1'b1) & {1'b0, {NumWalks{1'b1}}};
  assign lowest_match = match & (~match + 1'b1);
  always_comb begin
    search_row = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      if (lowest_match[i]) search_row |= index_t'(i);
    end
  end
  assign joined = join_i ? lowest_match : '0;
  // A chain that is picked up in this cycle is not there for who joins now.
  assign waiter = waiter_of(what_i.port, what_i.slot);
  assign join_chain = walk_q[search_row].chain && !(tell_take && tell_index == search_row);
  assign row_free_o = is_free[NumWalks-1:0] != '0;
  assign row_engine_o = is_free[NumWalks];
  assign search_hit_o = match != '0;
  assign search_near_o = line_match != '0;
  assign idle_o = &is_free && quiet_o;

  gmmu_rr_arbiter #(.N(Rows)) u_restart (
    .clk_i, .rst_i, .req_i(want_restart), .advance_i(restart_ready_i), .gnt_o(got_restart),
    .index_o(restart_index));
  gmmu_rr_arbiter #(.N(Rows)) u_read (
    .clk_i, .rst_i, .req_i(want_read), .advance_i(ar_load), .gnt_o(got_read), .index_o(read_index));
  gmmu_rr_arbiter #(.N(Rows)) u_index (
    .clk_i, .rst_i, .req_i(want_index), .advance_i(1'b1), .gnt_o(got_index), .index_o(index_index));
  gmmu_rr_arbiter #(.N(Rows)) u_tell_turn (
    .clk_i, .rst_i, .req_i(want_tell), .advance_i(tell_take), .gnt_o(got_tell),
    .index_o(tell_index));
  gmmu_rr_arbiter #(.N(Rows)) u_fill (
    .clk_i, .rst_i, .req_i(want_fill), .advance_i(fill_take), .gnt_o(got_fill),
    .index_o(fill_index));

  // What lies in LUT RAM.
  localparam int unsigned KeyWidth = $bits(key_t);
  index_t  r_row, pick_row, start_row;
  key_t    r_key, index_key, tell_key;
  step_t   r_step, r_next, pick_step, tell_step, fill_step, step_new;
  table_t  pick_started, pick_named, pick_table;
  waiter_t r_who, tell_who, tell_head, tell_tail, join_tail;
  cause_t  tell_cause;
  logic    r_low, pick_low, tell_low;  // lowest bits of levels
  logic    step_write, start_step;
  index_t  step_row;
  logic    step_low;
  assign r_row = index_t'(r_i.id);
  assign start_row = index_t'(start_row_i);
  assign r_low = walk_q[r_row].level[0];
  assign pick_low = walk_q[pick_row].level[0];
  assign tell_low = walk_q[tell_index].level[0];

  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_restart (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(search_key_i),
    .read_addr_i(restart_index), .data_o(restart_key_o));
  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_index (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(search_key_i),
    .read_addr_i(index_index), .data_o(index_key));
  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_tell (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(search_key_i),
    .read_addr_i(tell_index), .data_o(tell_key));
  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_fill (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(search_key_i),
    .read_addr_i(fill_index), .data_o(fill_o.key));
  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_r (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(search_key_i),
    .read_addr_i(r_row), .data_o(r_key));

  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_who_r (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(waiter),
    .read_addr_i(r_row), .data_o(r_who));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_who_tell (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(waiter),
    .read_addr_i(tell_index), .data_o(tell_who));
  gmmu_lutram #(.Width(4), .Depth(Rows)) u_cause_tell (
    .clk_i, .write_i(begin_i || restart_i), .write_addr_i(start_row), .data_i(start_i.cause),
    .read_addr_i(tell_index), .data_o(tell_cause));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_head (
    .clk_i, .write_i(join_i && !join_chain), .write_addr_i(search_row), .data_i(waiter),
    .read_addr_i(tell_index), .data_o(tell_head));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_tail_tell (
    .clk_i, .write_i(join_i), .write_addr_i(search_row), .data_i(waiter),
    .read_addr_i(tell_index), .data_o(tell_tail));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_tail_join (
    .clk_i, .write_i(join_i), .write_addr_i(search_row), .data_i(waiter),
    .read_addr_i(search_row), .data_o(join_tail));

  gmmu_lutram #(.Width($bits(step_t)), .Depth(2**(RowWidth+1))) u_step_r (
    .clk_i, .write_i(step_write), .write_addr_i({step_row, step_low}), .data_i(step_new),
    .read_addr_i({r_row, r_low}), .data_o(r_step));
  gmmu_lutram #(.Width($bits(step_t)), .Depth(2**(RowWidth+1))) u_step_next (
    .clk_i, .write_i(step_write), .write_addr_i({step_row, step_low}), .data_i(step_new),
    .read_addr_i({r_row, !r_low}), .data_o(r_next));
  gmmu_lutram #(.Width($bits(step_t)), .Depth(2**(RowWidth+1))) u_step_pick (
    .clk_i, .write_i(step_write), .write_addr_i({step_row, step_low}), .data_i(step_new),
    .read_addr_i({pick_row, pick_low}), .data_o(pick_step));
  gmmu_lutram #(.Width($bits(step_t)), .Depth(2**(RowWidth+1))) u_step_tell (
    .clk_i, .write_i(step_write), .write_addr_i({step_row, step_low}), .data_i(step_new),
    .read_addr_i({tell_index, tell_low}), .data_o(tell_step));
  gmmu_lutram #(.Width($bits(step_t)), .Depth(2**(RowWidth+1))) u_step_fill (
    .clk_i, .write_i(step_write), .write_addr_i({step_row, step_low}), .data_i(step_new),
    .read_addr_i({fill_index, 1'b0}), .data_o(fill_step));

  gmmu_lutram #(.Width($bits(table_t)), .Depth(Rows)) u_table_start (
    .clk_i, .write_i(begin_i || restart_i), .write_addr_i(start_row),
    .data_i({start_i.pfn, start_i.vram}), .read_addr_i(pick_row), .data_o(pick_started));
  gmmu_lutram #(.Width($bits(table_t)), .Depth(Rows)) u_table_entry (
    .clk_i, .write_i(r_valid_i && descends), .write_addr_i(r_row),
    .data_i({entry.pfn, entry.target == TargetVram}), .read_addr_i(pick_row),
    .data_o(pick_named));
  assign pick_table = walk_q[pick_row].below ? pick_named : pick_started;

  assign restart_valid_o = want_restart != '0;
  assign restart_row_o = row_t'(restart_index);

  // ---- Indices.
  logic [12:0] index_new;
  logic [5:0]  shift_new;
  logic [3:0]  bits_new;
  // A step comes from the start, or from the index unit, which otherwise is asked again.
  assign start_step = (begin_i || restart_i) && start_i.index_known;
  assign step_write = start_step || index_write;
  // An index that comes when its row needs none any more is forgotten: its place may be in use.
  assign index_write = index_done && walk_q[index_t'(index_done_row)].asked && !start_step
      && (walk_q[index_t'(index_done_row)].state == StIssue
          || walk_q[index_t'(index_done_row)].state == StRead);
  assign step_row = start_step ? start_row : index_t'(index_done_row);
  assign step_low = start_step ? start_i.level[0]
      : walk_q[step_row].level[0] ^ (walk_q[step_row].state == StRead);
  assign step_new = start_step ? '{shift: start_i.shift, bits: start_i.bits, index: start_i.index}
      : '{shift: shift_new, bits: bits_new, index: index_new};
  assign index_begin = (begin_i || restart_i) && start_i.cause == '0 && !start_i.index_known;
  gmmu_walk_index #(.NumSpaces(NumSpaces)) u_walk_index (
    .clk_i, .rst_i, .ask_i(want_index != '0), .ask_row_i(row_t'(index_index)),
    .ask_key_i(index_key),
    .ask_level_i(walk_q[index_index].level - level_t'(walk_q[index_index].state == StRead)),
    .begin_i(index_begin), .begin_row_i(start_row_i), .begin_vpn_i(search_key_i.vpn),
    .begin_shift_i(start_i.shift), .begin_bits_i(start_i.bits),
    .done_o(index_done), .done_row_o(index_done_row), .index_o(index_new), .shift_o(shift_new),
    .bits_o(bits_new), .again_o(index_again), .again_row_o(index_again_row),
    .write_i(space_write_i), .write_space_i(space_i), .write_shape_i(shape_i));

  // ---- Judgement of the beat that comes.
  walk_t        r_walk;
  logic         wanted, final_word;
  logic [63:0]  word;
  vpn_t         r_keep;
  page_t        r_page;
  cause_t       r_cause;
  logic [2:0]   r_word;
  assign r_walk = walk_q[r_row];
  assign r_keep = keep_mask(r_step.shift);
  assign r_word = r_step.index[2:0];
  always_comb begin
    word = r_i.data[63:0];
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      if (32'(r_word) % WordsPerBeat == i) word = r_i.data[i*64 +: 64];
    end
    wanted = r_walk.level != '0 || !r_walk.wide
        || r_walk.beat == r_word / 3'(WordsPerBeat % 8) || WordsPerBeat == 8;
  end
  // Only leaf entries are answered directly: for those above, the page has to be put together.
  assign entry = decode(word, '0, '0);
  assign r_page = page_of(entry, '0, r_key.vpn, '1, r_step.bits >= 4'd4);
  assign r_cause = r_i.error ? cause_t'(FaultTableRead) : cause_t'(entry.fault);
  assign descends = r_walk.level != '0 && !r_i.error && names_table(word);
  assign final_word = r_valid_i && wanted && !r_walk.stale && r_walk.level == '0;

  // A narrow read's entry lies where it would lie in its line.
  assign line_valid_o = r_valid_i;
  assign line_row_o = row_t'(r_row);
  assign line_beat_o = r_walk.level == '0 && r_walk.wide ? r_walk.beat
      : 3'(32'(r_word) / WordsPerBeat);

  // ---- Read issue.
  walk_t picked;
  assign ar_free = !ar_valid_o || ar_ready_i;
  assign ar_load = ar_free && want_read != '0 && !kill_i.valid;
  assign pick_row = want_read != '0 ? read_index : index_t'(index_done_row);
  assign picked = walk_q[pick_row];
  // Shortcuts into an idle read channel: the next level's read at once when a pointer comes, the
  // first one at the start or when its index comes.
  assign ar_descend = ar_free && want_read == '0 && !kill_i.valid && r_valid_i && !r_walk.stale
      && descends && r_walk.known;
  assign ar_start = ar_free && want_read == '0 && !ar_descend && (begin_i || restart_i)
      && start_i.cause == '0 && start_i.index_known;
  assign ar_index = ar_free && want_read == '0 && !ar_descend && !ar_start && !kill_i.valid
      && index_write && picked.state == StIssue;
  always_ff @(posedge clk_i) begin
    if (rst_i) ar_valid_o <= 1'b0;
    else if (ar_free) ar_valid_o <= ar_load || ar_descend || ar_start || ar_index;
    if (ar_free) begin
      if (ar_descend) ar_o <= table_read(r_row, entry.target == TargetVram, entry.pfn,
          r_next.index, r_walk.level == 1 && r_walk.wide);
      else if (ar_start) ar_o <= table_read(start_row, start_i.vram, start_i.pfn,
          start_i.index, 1'b0);
      else ar_o <= table_read(pick_row, pick_table.vram, pick_table.pfn,
          want_read != '0 ? pick_step.index : index_new, picked.level == '0 && picked.wide);
    end
  end
  assign count_read_o = ar_valid_o && ar_ready_i;

  // A pointer on the way down goes to the walk cache one cycle later.
  always_ff @(posedge clk_i) begin
    if (rst_i) wc_write_o <= 1'b0;
    else wc_write_o <= r_valid_i && descends && !r_walk.stale && !kill_i.valid;
    if (r_valid_i) begin
      wc_data_o <= '{level: r_walk.level, space: r_key.space, tag: r_key.vpn & r_keep,
                     pfn: entry.pfn, vram: entry.target == TargetVram};
    end
  end

  // ---- Answers.
  walk_t telling;
  logic  direct_take, tell_ready;
  assign telling = walk_q[tell_index];
  gmmu_walk_tell #(.NumPorts(NumPorts), .NumWalks(NumWalks), .MissSlots(MissSlots)) u_tell (
    .clk_i, .rst_i,
    .line_valid_i(line_valid_o), .line_row_i(line_row_o), .line_beat_i(line_beat_o),
    .line_data_i(r_i.data),
    .direct_valid_i(final_word), .direct_take_o(direct_take), .direct_who_i(r_who),
    .direct_key_i(r_key), .direct_page_i(r_page), .direct_cause_i(r_cause),
    .direct_wide_i(r_walk.wide), .direct_shift_i(r_step.shift),
    .join_i, .join_who_i(waiter), .join_sub_i(what_i.key.vpn[2:0]), .join_chain_i(join_chain),
    .join_tail_i(join_tail),
    .row_valid_i(want_tell != '0), .row_ready_o(tell_ready), .row_i(row_t'(tell_index)),
    .row_key_i(tell_key), .row_level_i(telling.level), .row_shift_i(tell_step.shift),
    .row_bits_i(tell_step.bits), .row_word_i(tell_step.index[2:0]), .row_wide_i(telling.wide),
    .row_drop_i(telling.drop), .row_error_i(telling.error), .row_cause_i(tell_cause),
    .row_begin_i(!telling.answered), .row_who_i(tell_who),
    .row_chain_i(telling.chain), .row_head_i(tell_head), .row_tail_i(tell_tail),
    .tell_valid_o, .tell_ready_i, .tell_o, .tell_large_o, .tell_narrow_o, .tell_shift_o,
    .tell_row_o,
    .again_valid_o, .again_ready_i, .again_o,
    .count_ok_o, .count_fault_o, .hold_i, .busy_o(tell_busy), .busy_row_o(tell_row), .quiet_o);
  assign tell_take = tell_ready && want_tell != '0;

  // ---- Fills.
  assign fill_valid_o = want_fill != '0 && !hold_i;
  assign fill_take = fill_valid_o && fill_ready_i;
  assign fill_o.row = row_t'(fill_index);
  assign fill_o.line = ~(3'b111 << (fill_step.bits > 4'd3 ? 2'd3 : fill_step.bits[1:0]));

  // ---- Next state, in the order of the events' precedence; a kill is last.
  always_comb begin
    walk_d = walk_q;

    for (int unsigned i = 0; i < Rows; i++) begin
      // Lookups that join or have been picked up to be answered.
      if (tell_take && got_tell[i]) begin
        walk_d[i].answered = 1'b1;
        walk_d[i].chain = 1'b0;
      end
      if (joined[i]) walk_d[i].chain = 1'b1;

      // Indices.
      if (want_index[i] && got_index[i]) walk_d[i].asked = 1'b1;
      if (index_again && index_again_row == row_t'(i)) walk_d[i].asked = 1'b0;
      if (index_done && index_done_row == row_t'(i) && walk_q[i].asked) begin
        walk_d[i].known = index_write;
        walk_d[i].asked = 1'b0;
        if (ar_index) walk_d[i] = issued(walk_d[i]);
      end

      if (ar_load && got_read[i]) walk_d[i] = issued(walk_d[i]);

      // A beat.
      if (r_valid_i && r_row == index_t'(i)) begin
        walk_d[i].beat = walk_q[i].beat + 1'b1;
        if (r_i.error) begin
          walk_d[i].drop = 1'b1;
          walk_d[i].fill = 1'b0;
        end
        if (wanted) walk_d[i].error = r_i.error;
        if (final_word && direct_take) walk_d[i].answered = 1'b1;
        // A whole block is entered from the one entry.
        if (final_word && direct_take && r_page.big) walk_d[i].fill = 1'b0;
        if (r_i.last) begin
          if (walk_q[i].stale) begin
            walk_d[i].stale = 1'b0;
            walk_d[i].drop = 1'b1;
            walk_d[i].fill = 1'b0;
            walk_d[i].state = walk_q[i].answered ? StDone : StRestart;
          end else if (descends) begin
            walk_d[i].state = StIssue;
            walk_d[i].level = walk_q[i].level - 1'b1;
            walk_d[i].below = 1'b1;
            if (ar_descend) walk_d[i] = issued(walk_d[i]);
          end else begin
            walk_d[i].state = StDone;
          end
        end
      end

      // The end. A row that has nothing left to do closes at once.
      if (fill_take && got_fill[i]) begin
        walk_d[i].fill = 1'b0;
        walk_d[i].filling = 1'b1;
      end
      if (fill_done_i && fill_done_row_i == row_t'(i)) walk_d[i].filling = 1'b0;
      if (walk_d[i].state == StDone && walk_d[i].answered && !walk_d[i].chain && !walk_d[i].fill
          && !walk_d[i].filling) walk_d[i].state = StClose;
      if (ending[i]) walk_d[i].state = StFree;

      if (restart_ready_i && got_restart[i]) walk_d[i].state = StStarting;
      if ((begin_i || restart_i) && start_row_i == row_t'(i)) begin
        walk_d[i].state = start_i.cause == '0 ? StIssue : StDone;
        walk_d[i].stale = 1'b0;
        walk_d[i].answered = 1'b0;
        walk_d[i].fill = 1'b0;
        walk_d[i].filling = 1'b0;
        walk_d[i].drop = 1'b0;
        walk_d[i].error = 1'b0;
        walk_d[i].level = start_i.level;
        walk_d[i].below = 1'b0;
        walk_d[i].known = start_i.index_known;
        walk_d[i].asked = !start_i.index_known;
        if (begin_i) begin
          walk_d[i].wide = begin_wide_i;
          walk_d[i].chain = 1'b0;
        end
        if (ar_start) walk_d[i] = issued(walk_d[i]);
      end

      if (killed[i]) begin
        unique case (walk_d[i].state)
          StIssue: walk_d[i].state = StRestart;
          StRead: walk_d[i].stale = 1'b1;
          StDone, StClose: begin
            walk_d[i].drop = 1'b1;
            walk_d[i].fill = 1'b0;
            if (!walk_d[i].answered) walk_d[i].state = StRestart;
          end
          default: ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    walk_q <= walk_d;
    if (rst_i) begin
      for (int unsigned i = 0; i < Rows; i++) begin
        walk_q[i].state <= StFree;
        walk_q[i].stale <= 1'b0;
      end
    end
    for (int unsigned i = 0; i < Rows; i++) begin
      if (begin_i && start_row_i == row_t'(i)) key_q[i] <= search_key_i;
    end
  end

  logic unused_bits;  // fields of picked rows that their pickers do not need
  assign unused_bits = ^{picked, r_walk, r_key, telling, r_i, what_i.key, r_step, r_next, pick_step,
      tell_step, fill_step, entry};

  a_expected: assert property (@(posedge clk_i) disable iff (rst_i) !r_valid_i
      || r_walk.state == StRead);
  a_quiet_kill: assert property (@(posedge clk_i) disable iff (rst_i)
    !kill_i.valid || !(begin_i || restart_i || join_i || tell_valid_o || tell_take || fill_take
        || fill_done_i));
endmodule

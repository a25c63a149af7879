// SPDX-License-Identifier: Apache-2.0
// The walks under way, one row each, and what works for all of them: search, index unit, read issue,
// judgement of entries, answers. Rows 0 to NumWalks - 1 serve everybody, row NumWalks only the
// paging engine.
//
//   search           a key; search_hit_o, search_near_o answer it in the next cycle (a row walks for
//                    the page; for another page of its line). A wide row fetches the line of eight
//                    entries, a narrow one its own entry only
//   row_free, row_engine   a row may begin for the lookup whose search is answered in this cycle
//   begin, join      what becomes of that lookup, one cycle after the answer: a row starts as start_i
//                    says (begin_row_o; begin_engine_i: the engine's), or it waits for the row that
//                    was found
//   restart          row restart_row_i walks again, as start_i says
//   ar, r            table reads, id = row, one burst a row
//   tell             answers (gmmu_walk_tell); again: lookups that have to be done again
//   fill             a row whose line can be entered; none is offered while hold_i
//   hold_i           no answers from the next cycle on
//   kill_i           when all is held and dry, and its scope stands, from the cycle before at least.
//                    Rows of the scope are stale: they fill nothing and walk again once their read
//                    is over; lookups that joined a row that was answered are done again
//   stale_o          a read of a stale row is still under way; of the cycle before
//
// A row answers who began it as soon as its own entry has come; the others when its line is
// complete. It is closed to lookups, and then free, when all have their answers and the line is
// entered. Outputs come from registers, or from few LUTs behind them.
module gmmu_walk_table
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
  import gmmu_walk_pkg::*;
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
  output logic       restart_second_o,    // for the 4 KiB half of a pair

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
  output logic       quiet_o,       // no answer is on its way
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
  localparam int unsigned WaiterWidth = $clog2(NumPorts) + $clog2(MissSlots);
  typedef logic [Rows-1:0] rows_t;        // one bit a row
  typedef logic [WaiterWidth-1:0] waiter_t;

  function automatic waiter_t waiter_of(port_t port, slot_t slot);
    logic unused_bits;
    unused_bits = ^{port, slot};
    return {$clog2(NumPorts)'(port), $clog2(MissSlots)'(slot)};
  endfunction
  function automatic row_t number_of(rows_t rows);
    row_t number;
    number = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      if (rows[i]) number |= row_t'(i);
    end
    return number;
  endfunction

  walk_t [Rows-1:0] walk;
  key_t  [Rows-1:0] keys;

  // ---- Rows by what they are and what they want.
  rows_t is_free, is_open, is_wide, is_issue, is_read, is_below, reads_line, closes, closing_q;
  rows_t killed, in_space_q;
  rows_t want_restart, want_read, want_index, want_tell, want_fill;
  rows_t match, joined, begin_rows, start_rows, ending, kept, filled;
  logic  starts, stale;
  rows_t sent;           // the read is on its way since the cycle before

  always_comb begin
    stale = 1'b0;
    for (int unsigned i = 0; i < Rows; i++) begin
      stale |= walk[i].stale;
      is_free[i] = walk[i].state[Free];
      is_wide[i] = walk[i].wide;
      is_issue[i] = walk[i].state[Issue];
      is_read[i] = walk[i].state[Read];
      is_below[i] = walk[i].below;
      reads_line[i] = !walk[i].upper && walk[i].wide;
      // A row cannot be joined once its reads are over, unless its line goes into the L2: a lookup
      // that a row sends back must not join the same row again and again.
      is_open[i] = !is_free[i] && !walk[i].drop
          && (!walk[i].state[Done] || walk[i].fill || walk[i].filling);
      closes[i] = walk[i].state[Done] && walk[i].answered && !walk[i].chain && !walk[i].fill
          && !walk[i].filling && !walk[i].asked && !kept[i] && !joined[i]
          && !ending[i];
      want_restart[i] = walk[i].state[Restart] && !walk[i].asked;
      want_read[i] = is_issue[i] && walk[i].index_valid && !sent[i];
      want_index[i] = (is_issue[i] || is_read[i]) && !walk[i].index_valid && !walk[i].asked;
      want_tell[i] = walk[i].state[Done] && (!walk[i].answered || walk[i].chain);
      want_fill[i] = walk[i].state[Done] && walk[i].fill;
      killed[i] = kill_i.valid && !is_free[i] && (kill_i.all || in_space_q[i]);
      filled[i] = fill_done_i && fill_done_row_i == row_t'(i);
    end
  end

  // A row with nothing left to do stays so: nobody can join it any more.
  always_ff @(posedge clk_i) begin
    closing_q <= rst_i ? '0 : closes;
    stale_o <= stale && !rst_i;
    for (int unsigned i = 0; i < Rows; i++) in_space_q[i] <= kill_i.space == keys[i].space;
  end

  // ---- Lookups: search, begin, join.
  row_t    start_row;
  waiter_t waiter;      // who begins or joins
  assign waiter = waiter_of(what_i.port, what_i.slot);
  assign starts = begin_i || restart_i;
  assign joined = join_i ? match : '0;
  assign start_rows = begin_rows | (restart_i ? rows_t'(1) << restart_row_i : '0);
  assign start_row = begin_i ? begin_row_o : restart_row_i;

  gmmu_walk_search #(.Rows(Rows)) u_search (
    .clk_i, .search_i(search_key_i), .hit_o(search_hit_o), .near_o(search_near_o),
    .match_o(match), .begin_i, .begin_rows_i(begin_rows), .key_i(what_i.key), .wide_i(begin_wide_i),
    .free_i(is_free), .open_i(is_open), .wide_rows_i(is_wide), .keys_o(keys));

  gmmu_walk_free #(.NumWalks(NumWalks)) u_free (
    .clk_i, .rst_i, .free_i(is_free), .closing_i(closing_q), .joined_i(joined), .row_free_o, .row_engine_o,
    .rows_early_o, .begin_i, .begin_engine_i, .begin_rows_o(begin_rows), .begin_row_o,
    .end_rows_o(ending), .end_o, .end_row_o);

  // ---- Rows whose turn it is.
  rows_t restart_rows, read_rows, index_rows, tell_rows, fill_rows, restart_out, fill_out;
  rows_t read_kept;
  row_t  restart_pick, read_pick, index_pick, tell_pick, fill_pick;
  logic  restart_load, read_ready, tell_ready, fill_load, tell_take;
  gmmu_walk_pick #(.Rows(Rows)) u_restart (
    .clk_i, .rst_i, .clear_i(kill_i.valid), .req_i(want_restart & ~restart_out),
    .take_i(restart_load), .pick_o(restart_rows), .row_o(restart_pick));
  gmmu_walk_pick #(.Rows(Rows)) u_read_turn (
    .clk_i, .rst_i, .clear_i(kill_i.valid), .req_i(want_read & ~read_kept),
    .take_i(read_ready), .pick_o(read_rows), .row_o(read_pick));
  gmmu_walk_pick #(.Rows(Rows)) u_index_turn (
    .clk_i, .rst_i, .clear_i(kill_i.valid), .req_i(want_index),
    .take_i(1'b1), .pick_o(index_rows), .row_o(index_pick));
  gmmu_walk_pick #(.Rows(Rows)) u_tell_turn (
    .clk_i, .rst_i, .clear_i(hold_i), .req_i(want_tell),
    .take_i(tell_ready), .pick_o(tell_rows), .row_o(tell_pick));
  gmmu_walk_pick #(.Rows(Rows)) u_fill_turn (
    .clk_i, .rst_i, .clear_i(kill_i.valid), .req_i(want_fill & ~fill_out),
    .take_i(fill_load), .pick_o(fill_rows), .row_o(fill_pick));
  assign tell_take = tell_rows != '0 && tell_ready;

  // ---- Restarts and fills leave by a register.
  key_t       restart_key, fill_key;
  logic [2:0] fill_line;
  rows_t      restarted, filling;
  logic       fill_out_q, restart_second;
  assign restart_load = !restart_valid_o;
  always_comb begin
    restart_second = 1'b0;
    for (int unsigned i = 0; i < Rows; i++) restart_second |= restart_rows[i] && walk[i].second;
  end
  assign restarted = restart_ready_i ? restart_out : '0;
  assign restart_row_o = number_of(restart_out);
  assign fill_valid_o = fill_out_q && !hold_i;
  assign fill_load = !fill_out_q;
  assign filling = fill_valid_o && fill_ready_i ? fill_out : '0;
  assign fill_o.row = number_of(fill_out);
  always_ff @(posedge clk_i) begin
    if (rst_i || kill_i.valid) begin
      restart_valid_o <= 1'b0;
      restart_out <= '0;
      fill_out_q <= 1'b0;
      fill_out <= '0;
    end else begin
      if (restart_load || restart_ready_i) begin
        restart_valid_o <= restart_load && restart_rows != '0;
        restart_out <= restart_load ? restart_rows : '0;
      end
      if (fill_load || (fill_valid_o && fill_ready_i)) begin
        fill_out_q <= fill_load && fill_rows != '0;
        fill_out <= fill_load ? fill_rows : '0;
      end
    end
    if (restart_load) begin
      restart_key_o <= restart_key;
      restart_second_o <= restart_second;
    end
    if (fill_load) begin
      fill_o.key <= fill_key;
      fill_o.line <= fill_line;
    end
  end

  // ---- Beats.
  rows_t    beat_rows, judged_rows;
  row_t     beat_row, judge_row;
  logic     beat_low, block_ok, descend, descend_sent, beat_vram, next_line, direct, direct_take;
  logic     direct_wide, judge_low, table_write, table_vram;
  logic [2:0]  beat_word, judge_word;
  logic [5:0]  judge_shift;
  logic [12:0] latest;
  pfn_t     beat_pfn, table_pfn;
  page_t    page;
  cause_t   cause;
  key_t     beat_key;
  waiter_t  beat_who;
  verdict_t verdict;
  gmmu_walk_judge #(.Rows(Rows)) u_judge (
    .clk_i, .rst_i, .kill_i(kill_i.valid), .r_valid_i, .r_i, .walk_i(walk),
    .beat_rows_o(beat_rows), .beat_row_o(beat_row), .beat_low_o(beat_low),
    .beat_word_i(beat_word), .block_ok_i(block_ok), .key_i(beat_key),
    .descend_o(descend), .descend_sent_i(descend_sent), .pfn_o(beat_pfn), .vram_o(beat_vram),
    .next_line_o(next_line), .direct_o(direct), .direct_take_i(direct_take), .page_o(page),
    .cause_o(cause), .wide_o(direct_wide),
    .judged_rows_o(judged_rows), .verdict_o(verdict), .judge_row_o(judge_row),
    .judge_low_o(judge_low), .judge_shift_i(judge_shift), .judge_word_i(judge_word),
    .line_valid_o, .line_beat_o, .line_data_o, .table_write_o(table_write),
    .table_pfn_o(table_pfn), .table_vram_o(table_vram), .wc_write_o, .wc_data_o);
  assign line_row_o = judge_row;

  // ---- Indices.
  rows_t       early_rows, index_done_rows, index_again, asked, is_mispredicted;
  logic        index_done, index_held, index_low, index_half;
  logic [12:0] index_new, read_latest;
  logic [5:0]  shift_new, tell_shift;
  logic [3:0]  bits_new;
  logic        tell_block_ok, tell_low;
  logic [2:0]  tell_line, tell_word;
  level_t      index_level, tell_level;
  key_t        index_key;
  // A row whose read has just ended otherwise has no index below any more.
  assign asked = index_rows & want_index;
  // The step of a start is written one cycle later, when nobody has read it yet.
  row_t  start_row_q;
  logic  start_step_q, start_low_q;
  step_t start_q;
  always_ff @(posedge clk_i) begin
    start_step_q <= !rst_i && starts && start_i.index_valid;
    start_row_q <= start_row;
    start_low_q <= start_i.level[0];
    start_q <= step_of(start_i.shift, start_i.bits, start_i.index);
  end
  always_comb begin
    index_level = '0;
    index_half = 1'b0;
    for (int unsigned i = 0; i < Rows; i++) begin
      is_mispredicted[i] = walk[i].mispredicted;
      if (index_rows[i]) begin
        index_half |= !walk[i].second;
        index_level |= (is_read[i] ? is_half_64k(walk[i]) : walk[i].k64) ? LevelLeaf64
            : walk[i].level - level_t'(is_read[i]);
      end
    end
  end
  gmmu_walk_index #(.NumSpaces(NumSpaces), .Rows(Rows)) u_walk_index (
    .clk_i, .rst_i, .ask_i(asked != '0), .ask_rows_i(asked), .ask_key_i(index_key),
    .ask_level_i(index_level), .ask_half_i(index_half),
    .begin_i(starts && start_i.cause == '0 && !start_i.index_valid), .begin_rows_i(start_rows),
    .begin_vpn_i(what_i.key.vpn), .begin_low_i(start_i.level[0]),
    .begin_pair_i(start_i.dual && start_i.level == 1), .begin_half_i(start_i.half),
    .begin_shift_i(start_i.shift), .begin_bits_i(start_i.bits),
    .early_rows_o(early_rows),
    .done_o(index_done), .hold_i(start_step_q), .done_rows_o(index_done_rows),
    .done_low_o(index_low), .index_o(index_new), .shift_o(shift_new), .bits_o(bits_new),
    .again_o(index_again), .held_o(index_held), .clear_i(kill_i.valid),
    .write_i(space_write_i), .write_space_i(space_i), .write_shape_i(shape_i));

  gmmu_walk_step #(.Rows(Rows)) u_step (
    .clk_i, .start_i(start_step_q), .start_row_i(start_row_q), .start_low_i(start_low_q),
    .start_step_i(start_q),
    .index_i(index_done), .index_row_i(number_of(index_done_rows)), .index_low_i(index_low),
    .index_step_i(step_of(shift_new, bits_new, index_new)),
    .beat_row_i(beat_row), .beat_low_i(beat_low), .beat_word_o(beat_word),
    .beat_latest_o(latest), .beat_block_ok_o(block_ok),
    .read_row_i(read_pick), .read_latest_o(read_latest),
    .fill_row_i(fill_pick), .fill_line_o(fill_line),
    .judge_row_i(judge_row), .judge_low_i(judge_low), .judge_shift_o(judge_shift),
    .judge_word_o(judge_word), .tell_row_i(tell_pick), .tell_low_i(tell_low),
    .tell_shift_o(tell_shift), .tell_block_ok_o(tell_block_ok), .tell_line_o(tell_line),
    .tell_word_o(tell_word));

  // ---- Reads.
  gmmu_walk_read #(.Rows(Rows)) u_read (
    .clk_i, .rst_i, .kill_i(kill_i.valid),
    .descend_i(descend), .descend_sent_o(descend_sent), .descend_row_i(beat_row),
    .descend_pfn_i(beat_pfn), .descend_vram_i(beat_vram), .descend_index_i(latest),
    .descend_line_i(next_line),
    .start_valid_i(starts), .start_row_i(start_row), .start_rows_i(start_rows), .start_i,
    .early_rows_i(early_rows & is_issue & ~is_mispredicted), .early_held_i(index_held),
    .early_index_i(index_new),
    .row_ready_o(read_ready), .rows_i(read_rows), .row_i(read_pick),
    .row_index_i(read_latest), .below_i(is_below), .line_i(reads_line), .kept_o(read_kept),
    .sent_o(sent),
    .table_write_i(table_write), .table_row_i(judge_row), .table_pfn_i(table_pfn),
    .table_vram_i(table_vram), .ar_valid_o, .ar_ready_i, .ar_o);

  // ---- Keys and lookups of the rows.
  waiter_t tell_who, tell_head, tell_tail, join_tail;
  cause_t  tell_cause;
  key_t    tell_key;
  walk_t   telling;
  form_e   tell_form;
  rows_t   chained;
  logic    join_chain;
  always_comb begin
    telling = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      chained[i] = walk[i].chain;
      if (tell_rows[i]) telling |= walk[i];
    end
  end
  assign tell_level = telling.level;
  assign tell_form = !telling.upper ? FormLeaf : telling.k64 ? FormLeaf64
      : is_half_64k(telling) ? FormHalf64 : FormUpper;
  assign tell_low = telling.level[0];
  gmmu_walk_waiters #(.Rows(Rows), .WaiterWidth(WaiterWidth)) u_waiters (
    .clk_i, .begin_i, .starts_i(starts), .start_row_i(start_row), .key_i(what_i.key),
    .waiter_i(waiter), .cause_i(start_i.cause),
    .join_i, .join_rows_i(match), .chained_i(chained), .join_chain_o(join_chain),
    .join_tail_o(join_tail),
    .restart_row_i(restart_pick), .restart_key_o(restart_key),
    .index_row_i(index_pick), .index_key_o(index_key),
    .fill_row_i(fill_pick), .fill_key_o(fill_key), .end_row_i(end_row_o), .end_key_o,
    .beat_row_i(beat_row), .beat_key_o(beat_key), .beat_who_o(beat_who),
    .tell_ready_i(tell_ready), .tell_rows_i(tell_rows), .tell_row_i(tell_pick),
    .tell_key_o(tell_key), .tell_who_o(tell_who), .tell_cause_o(tell_cause),
    .tell_head_o(tell_head), .tell_tail_o(tell_tail));

  // ---- Answers.
  gmmu_walk_tell #(.NumPorts(NumPorts), .Rows(Rows), .MissSlots(MissSlots)) u_tell (
    .clk_i, .rst_i,
    .line_valid_i(line_valid_o), .line_row_i(line_row_o), .line_beat_i(line_beat_o),
    .line_data_i(line_data_o),
    .direct_valid_i(direct), .direct_take_o(direct_take), .direct_row_i(beat_row),
    .direct_rows_i(beat_rows), .direct_who_i(beat_who), .direct_key_i(beat_key),
    .direct_page_i(page), .direct_cause_i(cause), .direct_wide_i(direct_wide),
    .join_i, .join_who_i(waiter), .join_sub_i(what_i.key.vpn[2:0]), .join_chain_i(join_chain),
    .join_tail_i(join_tail),
    .row_valid_i(tell_rows != '0), .row_ready_o(tell_ready), .row_i(tell_pick), .rows_i(tell_rows),
    .row_key_i(tell_key), .row_level_i(tell_level), .row_form_i(tell_form), .row_shift_i(tell_shift),
    .row_block_ok_i(tell_block_ok), .row_line_i(tell_line), .row_word_i(tell_word),
    .row_wide_i(telling.wide), .row_drop_i(telling.drop), .row_error_i(telling.error),
    .row_cause_i(tell_cause), .row_begin_i(!telling.answered), .row_who_i(tell_who),
    .row_chain_i(telling.chain), .row_head_i(tell_head), .row_tail_i(tell_tail),
    .tell_valid_o, .tell_ready_i, .tell_o, .tell_large_o, .tell_narrow_o, .tell_shift_o,
    .tell_row_o, .again_valid_o, .again_ready_i, .again_o,
    .count_ok_o, .count_fault_o, .hold_i, .kept_o(kept), .quiet_o);

  // ---- The rows.
  for (genvar i = 0; i < Rows; i++) begin : g_row
    gmmu_walk_row u_row (
      .clk_i, .rst_i,
      .begin_i(begin_rows[i]), .restart_i(restart_i && restart_row_i == row_t'(i)),
      .wide_i(begin_wide_i), .start_i,
      .join_i(joined[i]), .picked_i(tell_ready && tell_rows[i]),
      .asked_i(asked[i]), .again_i(index_again[i]), .index_i(index_done && index_done_rows[i]),
      .word_i(index_new[2:0]), .sent_i(sent[i]),
      .beat_i(beat_rows[i]), .judged_i(judged_rows[i]), .verdict_i(verdict),
      .filling_i(filling[i]), .filled_i(filled[i]), .restarted_i(restarted[i]),
      .end_i(ending[i] && !joined[i]), .kill_i(kill_i.valid), .killed_i(killed[i]), .walk_o(walk[i]));
  end

  // ---- Observation, one cycle late.
  always_ff @(posedge clk_i) begin
    logic [5:0] issue, memory, rows;
    issue = '0;
    memory = '0;
    rows = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      issue += 6'(is_issue[i]);
      memory += 6'(is_read[i]);
      rows += 6'(!is_free[i]);
    end
    count_issue_o <= issue;
    count_memory_o <= memory;
    count_rows_o <= rows;
    count_read_o <= !rst_i && ar_valid_o && ar_ready_i;
  end
  assign idle_o = &is_free && quiet_o;

  logic unused_bits;
  assign unused_bits = ^{index_key, telling, what_i, restart_pick, read_pick, index_pick, tell_pick, fill_pick};

  a_expected: assert property (@(posedge clk_i) disable iff (rst_i) !r_valid_i
      || (beat_rows & is_read) != '0);
  a_quiet_kill: assert property (@(posedge clk_i) disable iff (rst_i)
    !kill_i.valid || !(begin_i || restart_i || join_i || tell_valid_o || tell_take
        || filling != '0 || fill_done_i));
endmodule

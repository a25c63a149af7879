// SPDX-License-Identifier: Apache-2.0
// The walks under way, one row each, driven by shared step logic: index unit, read issue, entry
// judgement, messages.
//
//   begin, restart   from the lookup pipeline: row start_row_i starts as start_i says (restart: it
//                    walks again)
//   search           combinational: the row that walks for a line of eight pages
//   ar, r            table reads, id = row. Upper levels read one entry, the leaf level its 64-byte
//                    line. A beat is judged in the cycle in which it comes
//   msg              answers and releases (gmmu_mmu_pkg), taken in the cycle of the offer; none
//                    while hold_i
//   fill             a row whose line can be entered; none is offered while hold_i
//   kill_i           rows of the scope are stale: they fill nothing and walk again once their read
//                    is over
//   stale_o          a read of a stale row is still under way
//
// A row answers as soon as its entry is known and is released when its line is entered. A row whose
// answer has been delivered when it becomes stale is released without a fill; other lookups that
// wait for it ask again.
module gmmu_walk_table
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
#(
  parameter int unsigned NumWalks = 8
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  key_t       search_key_i,
  output logic       search_hit_o,
  output row_t       search_row_o,
  output logic       row_free_o,
  output logic       rows_free_o,
  output logic       row_engine_o,
  output row_t       row_next_o,

  input  logic       begin_i,
  input  logic       begin_engine_i,
  input  logic       restart_i,
  input  row_t       start_row_i,
  input  start_t     start_i,
  input  shape_t     shape_i,

  output logic       restart_valid_o,
  input  logic       restart_ready_i,
  output row_t       restart_row_o,
  output key_t       restart_key_o,

  output logic       ar_valid_o,
  input  logic       ar_ready_i,
  output ax_t        ar_o,
  input  logic       r_valid_i,
  input  r_t         r_i,

  output logic       msg_valid_o,
  output msg_t       msg_o,
  output logic       large_valid_o,
  output vpn_t       large_keep_o,
  output logic       wc_write_o,
  output wc_write_t  wc_data_o,

  output logic       line_valid_o,
  output row_t       line_row_o,
  output logic [2:0] line_beat_o,
  output logic       fill_valid_o,
  input  logic       fill_ready_i,
  output row_t       fill_row_o,
  output key_t       fill_key_o,
  output page_t      fill_page_o,
  // ones: index bits within a line, fewer than three for the smallest tables
  output logic [2:0] fill_line_o,
  input  logic       fill_done_i,
  input  row_t       fill_done_row_i,

  input  logic       hold_i,
  input  kill_t      kill_i,
  output logic       stale_o,

  output logic       count_ok_o,
  output logic       count_fault_o,
  output logic       count_read_o,
  output logic [5:0] count_issue_o,
  output logic [5:0] count_memory_o,
  output logic [5:0] count_rows_o,
  output logic       idle_o
);
  localparam int unsigned RowWidth = NumWalks > 1 ? $clog2(NumWalks) : 1;
  localparam int unsigned WordsPerBeat = DataWidth / 64;
  localparam int unsigned LineBeats = 8 / WordsPerBeat;
  typedef logic [RowWidth-1:0] index_t;

  // Restart: has to ask for its start. Starting: asked. Issue: wants a read. Read: read under way.
  // Fill: line complete, to be entered. Filling: being entered. End: to be released.
  typedef enum logic [2:0] {StFree, StRestart, StStarting, StIssue, StRead, StFill, StFilling,
      StEnd} state_e;
  typedef struct packed {
    state_e      state;
    logic        engine;
    logic        stale;
    logic        answer;      // result is known and not delivered
    logic        answered;    // result was delivered
    level_t      level;       // of the entry to read, or being read
    pfn_t        pfn;         // table that holds it
    logic        vram;
    logic [12:0] index;       // of index_level
    level_t      index_level;
    logic        index_known;
    logic        index_asked;
    logic [2:0]  word;        // entry within its line
    logic [2:0]  beat;        // of the read under way
    logic        error;       // a beat of it was an error
    logic        descend;     // the entry named a table
    fault_e      fault;
    page_t       page;
  } walk_t;

  walk_t               walk_q [NumWalks], walk_d [NumWalks];
  key_t                key_q [NumWalks];
  shape_t              shape_q [NumWalks];

  // The read of a table's entry, or of the line that holds it.
  function automatic ax_t table_read(index_t row, logic vram, pfn_t pfn, logic [12:0] index,
      logic leaf);
    ax_t ax;
    ax.id = IdWidth'(row);
    ax.port = vram ? PortVram : PortHost;
    ax.addr = {pfn + pfn_t'(index[12:9]), index[8:3], leaf ? 3'd0 : index[2:0], 3'd0};
    ax.len = leaf ? 8'(LineBeats - 1) : 8'd0;
    ax.user = '0;
    return ax;
  endfunction

  // A walk whose read is on its way.
  function automatic walk_t issued(walk_t walk);
    walk_t next;
    next = walk;
    next.state = StRead;
    next.word = walk.index[2:0];
    next.beat = '0;
    next.error = 1'b0;
    next.descend = 1'b0;
    if (walk.level != '0) begin
      next.index_level = walk.level - 1'b1;
      next.index_known = 1'b0;
    end
    return next;
  endfunction

  // Rows by what they want.
  logic [NumWalks-1:0] is_free, first_free, owned, match, lowest_match;
  logic [NumWalks-1:0] want_restart, want_read, want_index, want_msg, want_fill;
  logic [NumWalks-1:0] got_restart, got_read, got_index, got_msg, got_fill;
  index_t              restart_index, read_index, index_index, msg_index, fill_index;
  logic [NumWalks-1:0] killed;
  logic                ar_free, ar_load, ar_descend, ar_start, fill_take;

  always_comb begin
    row_next_o = '0;
    search_row_o = '0;
    stale_o = 1'b0;
    count_issue_o = '0;
    count_memory_o = '0;
    count_rows_o = '0;
    for (int unsigned i = 0; i < NumWalks; i++) begin
      is_free[i] = walk_q[i].state == StFree;
      owned[i] = !is_free[i] && walk_q[i].engine;
      match[i] = !is_free[i] && key_q[i].space == search_key_i.space
          && key_q[i].high == search_key_i.high
          && key_q[i].vpn[VpnWidth-1:3] == search_key_i.vpn[VpnWidth-1:3];
      want_restart[i] = walk_q[i].state == StRestart;
      want_read[i] = walk_q[i].state == StIssue && walk_q[i].index_known && !walk_q[i].stale;
      want_index[i] = (walk_q[i].state == StIssue || walk_q[i].state == StRead)
          && !walk_q[i].index_known && !walk_q[i].index_asked;
      want_msg[i] = walk_q[i].answer || walk_q[i].state == StEnd;
      want_fill[i] = walk_q[i].state == StFill;
      killed[i] = kill_i.valid && !is_free[i] && (kill_i.all || kill_i.space == key_q[i].space);
      stale_o |= walk_q[i].stale;
      count_issue_o += 6'(walk_q[i].state == StIssue);
      count_memory_o += 6'(walk_q[i].state == StRead);
      count_rows_o += 6'(!is_free[i]);
      if (first_free[i]) row_next_o |= row_t'(i);
      if (lowest_match[i]) search_row_o |= row_t'(i);
    end
  end
  assign first_free = is_free & (~is_free + 1'b1);
  assign lowest_match = match & (~match + 1'b1);
  assign row_free_o = is_free != '0;
  // A single row serves everybody in turn: walks end without anybody's help.
  assign rows_free_o = NumWalks == 1 ? row_free_o : (is_free & ~first_free) != '0;
  assign row_engine_o = owned != '0;
  assign search_hit_o = match != '0;
  assign idle_o = &is_free;

  gmmu_rr_arbiter #(.N(NumWalks)) u_restart (
    .clk_i, .rst_i, .req_i(want_restart), .advance_i(restart_ready_i), .gnt_o(got_restart),
    .index_o(restart_index));
  gmmu_rr_arbiter #(.N(NumWalks)) u_read (
    .clk_i, .rst_i, .req_i(want_read), .advance_i(ar_load), .gnt_o(got_read), .index_o(read_index));
  gmmu_rr_arbiter #(.N(NumWalks)) u_index (
    .clk_i, .rst_i, .req_i(want_index), .advance_i(1'b1), .gnt_o(got_index), .index_o(index_index));
  gmmu_rr_arbiter #(.N(NumWalks)) u_msg (
    .clk_i, .rst_i, .req_i(want_msg), .advance_i(msg_valid_o), .gnt_o(got_msg),
    .index_o(msg_index));
  gmmu_rr_arbiter #(.N(NumWalks)) u_fill (
    .clk_i, .rst_i, .req_i(want_fill), .advance_i(fill_take), .gnt_o(got_fill),
    .index_o(fill_index));

  assign restart_valid_o = want_restart != '0;
  assign restart_row_o = row_t'(restart_index);
  assign restart_key_o = key_q[restart_index];

  // Index unit: two stages. The index below a read is computed while the read is under way.
  logic        shift_valid_q;
  index_t      shift_row_q;
  vpn_t        shift_vpn_q;
  logic [5:0]  shift_by_q;
  logic [3:0]  shift_bits_q;
  logic [12:0] shift_index;
  assign shift_index = 13'(shift_vpn_q >> shift_by_q) & 13'(~(14'h3fff << shift_bits_q));
  always_ff @(posedge clk_i) begin
    if (rst_i) shift_valid_q <= 1'b0;
    else shift_valid_q <= want_index != '0;
    shift_row_q <= index_index;
    shift_vpn_q <= key_q[index_index].vpn;
    shift_by_q <= shape_q[index_index].shift[walk_q[index_index].index_level];
    shift_bits_q <= shape_q[index_index].bits[walk_q[index_index].index_level];
  end

  // Judgement of the beat that comes.
  index_t       r_row;
  walk_t        r_walk;
  key_t         r_key;
  logic         wanted;
  logic [63:0]  word;
  vpn_t         r_keep, r_span;     // span: page number bits inside the page
  pte_verdict_t entry;
  page_t        r_page;
  logic         promise;  // a contiguous entry that may stand for its block
  assign r_row = index_t'(r_i.id);
  assign r_walk = walk_q[r_row];
  assign r_key = key_q[r_row];
  assign r_span = ~r_keep;
  assign r_keep = keep_mask(shape_q[r_row].shift[r_walk.level]);
  always_comb begin
    word = r_i.data[63:0];
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      if (32'(r_walk.word) % WordsPerBeat == i) word = r_i.data[i*64 +: 64];
    end
    wanted = r_walk.level != '0 || r_walk.beat == r_walk.word / 3'(WordsPerBeat % 8)
        || WordsPerBeat == 8;
  end
  assign entry = decode(word, r_walk.level, pfn_t'(r_span));
  assign promise = entry.contiguous && entry.pfn[3:0] == r_key.vpn[3:0]
      && shape_q[r_row].bits[0] >= 4'd4;
  assign r_page = '{pfn: entry.pfn | (pfn_t'(r_key.vpn) & pfn_t'(r_span)), target: entry.target,
                    adapter: entry.adapter, zero: entry.zero, coherent: entry.coherent,
                        read_only: entry.read_only,
                    no_execute: entry.no_execute, big: r_walk.level == '0 ? promise
                        : r_keep[3:0] == '0,
                    level: r_walk.level};

  assign line_valid_o = r_valid_i && r_walk.level == '0;
  assign line_row_o = row_t'(r_row);
  assign line_beat_o = r_walk.beat;

  // Read issue.
  walk_t reading;
  assign ar_free = !ar_valid_o || ar_ready_i;
  assign ar_load = ar_free && want_read != '0 && !kill_i.valid;
  assign reading = walk_q[read_index];
  always_ff @(posedge clk_i) begin
    if (rst_i) ar_valid_o <= 1'b0;
    else if (ar_free) ar_valid_o <= ar_load || ar_descend || ar_start;
    if (ar_free) begin
      if (ar_load) ar_o <= table_read(read_index, reading.vram, reading.pfn, reading.index,
          reading.level == '0);
      else if (ar_descend) ar_o <= table_read(r_row, entry.target == TargetVram, entry.pfn,
          r_walk.index, r_walk.level == 1);
      else ar_o <= table_read(index_t'(start_row_i), start_i.vram, start_i.pfn, start_i.index,
          start_i.level == '0);
    end
  end
  assign count_read_o = ar_valid_o && ar_ready_i;

  // A pointer on the way down goes to the walk cache one cycle later.
  always_ff @(posedge clk_i) begin
    if (rst_i) wc_write_o <= 1'b0;
    else wc_write_o <= r_valid_i && r_walk.level != '0 && !r_i.error
        && entry.fault == FaultNone && entry.table_next
        && !r_walk.stale && !kill_i.valid;
    wc_data_o.level <= r_walk.level;
    wc_data_o.index <= r_walk.level == '0 ? '0 : shape_q[r_row].wc_index[r_walk.level];
    wc_data_o.space <= r_key.space;
    wc_data_o.tag <= r_key.vpn & r_keep;
    wc_data_o.pfn <= entry.pfn;
    wc_data_o.vram <= entry.target == TargetVram;
  end

  // Messages.
  walk_t telling;
  assign telling = walk_q[msg_index];
  assign msg_valid_o = want_msg != '0 && !hold_i;
  assign msg_o = '{kind: MsgWalk, port: '0, slot: '0, row: row_t'(msg_index),
      answer: telling.answer,
                   release_row: telling.state == StEnd, key: key_q[msg_index], page: telling.page,
                   fault: telling.fault};
  assign large_valid_o = msg_valid_o && telling.answer && telling.fault == FaultNone
      && telling.level != '0;
  assign large_keep_o = keep_mask(shape_q[msg_index].shift[telling.level]);
  assign count_ok_o = msg_valid_o && telling.answer && telling.fault == FaultNone;
  assign count_fault_o = msg_valid_o && telling.answer && telling.fault != FaultNone;

  // Fills.
  assign fill_valid_o = want_fill != '0 && !hold_i;
  assign fill_take = fill_valid_o && fill_ready_i;
  assign fill_row_o = row_t'(fill_index);
  assign fill_key_o = key_q[fill_index];
  assign fill_page_o = walk_q[fill_index].page;
  assign fill_line_o = ~(3'b111 << (shape_q[fill_index].bits[0] > 4'd3 ? 2'd3
      : shape_q[fill_index].bits[0][1:0]));

  // Shortcuts into an idle read channel: the next level's read at once when a pointer comes, the
  // first one at the start.
  assign ar_descend = ar_free && want_read == '0 && !kill_i.valid && r_valid_i && !r_i.error
      && !r_walk.stale
      && entry.fault == FaultNone && entry.table_next && r_walk.index_known;
  assign ar_start = ar_free && want_read == '0 && !ar_descend && (begin_i || restart_i)
      && start_i.fault == FaultNone
      && start_i.index_known;

  // Next state, in the order of the events' precedence; a kill is last.
  always_comb begin
    walk_d = walk_q;

    for (int unsigned i = 0; i < NumWalks; i++) begin
      if (want_index[i] && got_index[i]) walk_d[i].index_asked = 1'b1;
      if (shift_valid_q && shift_row_q == index_t'(i)) begin
        walk_d[i].index = shift_index;
        walk_d[i].index_known = 1'b1;
        walk_d[i].index_asked = 1'b0;
      end

      if (ar_load && got_read[i]) walk_d[i] = issued(walk_d[i]);

      if (r_valid_i && r_row == index_t'(i)) begin
        walk_d[i].beat = walk_q[i].beat + 1'b1;
        walk_d[i].error = walk_q[i].error || r_i.error;
        if (wanted && !walk_q[i].stale) begin
          walk_d[i].page = r_page;
          walk_d[i].fault = r_i.error ? FaultTableRead : entry.fault;
          if (!r_i.error && entry.fault == FaultNone && entry.table_next) begin
            walk_d[i].descend = 1'b1;
            walk_d[i].pfn = entry.pfn;
            walk_d[i].vram = entry.target == TargetVram;
          end else begin
            walk_d[i].answer = 1'b1;
          end
        end
        if (r_i.last) begin
          if (walk_q[i].stale) begin
            walk_d[i].stale = 1'b0;
            walk_d[i].state = walk_q[i].answered ? StEnd : StRestart;
          end else if (walk_d[i].descend) begin
            walk_d[i].state = StIssue;
            walk_d[i].level = walk_q[i].level - 1'b1;
            if (ar_descend) walk_d[i] = issued(walk_d[i]);
          end else if (walk_q[i].level == '0 && walk_d[i].fault == FaultNone
              && !walk_d[i].error) begin
            walk_d[i].state = StFill;
          end else begin
            walk_d[i].state = StEnd;
          end
        end
      end

      if (fill_take && got_fill[i]) walk_d[i].state = StFilling;
      if (fill_done_i && fill_done_row_i == row_t'(i)) walk_d[i].state = StEnd;
      if (restart_ready_i && got_restart[i]) walk_d[i].state = StStarting;

      if (msg_valid_o && got_msg[i]) begin
        if (walk_q[i].answer) begin
          walk_d[i].answer = 1'b0;
          walk_d[i].answered = 1'b1;
        end
        if (walk_q[i].state == StEnd) walk_d[i].state = StFree;
      end

      if ((begin_i || restart_i) && start_row_i == row_t'(i)) begin
        walk_d[i].state = start_i.fault == FaultNone ? StIssue : StEnd;
        walk_d[i].answer = start_i.fault != FaultNone;
        walk_d[i].answered = 1'b0;
        walk_d[i].stale = 1'b0;
        walk_d[i].fault = start_i.fault;
        walk_d[i].page = '0;
        walk_d[i].page.level = start_i.level;
        walk_d[i].level = start_i.level;
        walk_d[i].pfn = start_i.pfn;
        walk_d[i].vram = start_i.vram;
        walk_d[i].index = start_i.index;
        walk_d[i].index_level = start_i.level;
        walk_d[i].index_known = start_i.index_known;
        walk_d[i].index_asked = 1'b0;
        if (begin_i) walk_d[i].engine = begin_engine_i;
        if (ar_start) walk_d[i] = issued(walk_d[i]);
      end

      if (killed[i]) begin
        walk_d[i].answer = 1'b0;
        unique case (walk_d[i].state)
          StIssue: walk_d[i].state = StRestart;
          StRead: walk_d[i].stale = 1'b1;
          StFill, StEnd: walk_d[i].state = walk_q[i].answered ? StEnd : StRestart;
          default: ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    walk_q <= walk_d;
    if (rst_i) begin
      for (int unsigned i = 0; i < NumWalks; i++) begin
        walk_q[i].state <= StFree;
        walk_q[i].answer <= 1'b0;
        walk_q[i].stale <= 1'b0;
      end
    end
    for (int unsigned i = 0; i < NumWalks; i++) begin
      if (begin_i && start_row_i == row_t'(i)) key_q[i] <= search_key_i;
      if ((begin_i || restart_i) && start_row_i == row_t'(i)) shape_q[i] <= shape_i;
    end
  end

  logic unused_bits;  // fields of picked rows that their pickers do not need
  assign unused_bits = ^{reading, r_walk, r_key, telling, r_i};

  a_expected: assert property (@(posedge clk_i) disable iff (rst_i) !r_valid_i
      || r_walk.state == StRead);
  a_quiet_kill: assert property (@(posedge clk_i) disable iff (rst_i)
    !kill_i.valid || !(begin_i || restart_i || msg_valid_o || fill_take || fill_done_i));
endmodule

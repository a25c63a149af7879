// SPDX-License-Identifier: Apache-2.0
// Answers the lookups of the walks: the one that began a walk directly from the beat with its entry,
// or later from the fetched line; those that joined it from that line, one every other cycle.
//
//   line       beats of reads, any order of rows
//   direct     an own entry comes in this cycle (gmmu_walk_answer). Not while hold_i
//   join       a lookup is linked behind the last one of its row (join_chain_i: there is one)
//   row        a row that has lookups to be answered: who began it (row_begin_i), then the chain. It
//              is taken with all of them; who joins later begins a new chain
//   tell       answers; large: the translation of an upper level, for the large array, with its
//              shift; narrow: a leaf page that no fill of a line brings into the L2
//   again      a lookup that the row cannot answer: it has to be done again. A fault goes only to
//              who began the walk: who joined may have been accepted after the entry at fault was
//              read (and made valid)
//   count      one cycle after an answer to who began a walk is taken
//   kept_o     rows that have to be kept: in hand, or their answer is not taken
//   quiet_o    no answer is on its way
module gmmu_walk_tell
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
#(
  parameter int unsigned NumPorts = 7,
  parameter int unsigned Rows = 9,
  parameter int unsigned MissSlots = 32,
  localparam int unsigned SlotBits = $clog2(MissSlots),
  localparam int unsigned WaiterWidth = $clog2(NumPorts) + SlotBits
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic                   line_valid_i,
  input  row_t                   line_row_i,
  input  logic [2:0]             line_beat_i,
  input  logic [DataWidth-1:0]   line_data_i,

  input  logic                   direct_valid_i,
  output logic                   direct_take_o,
  input  row_t                   direct_row_i,
  input  logic [Rows-1:0]        direct_rows_i,
  input  logic [WaiterWidth-1:0] direct_who_i,
  input  key_t                   direct_key_i,
  input  page_t                  direct_page_i,
  input  cause_t                 direct_cause_i,
  input  logic                   direct_wide_i,

  input  logic                   join_i,
  input  logic [WaiterWidth-1:0] join_who_i,
  input  logic [2:0]             join_sub_i,
  input  logic                   join_chain_i,
  input  logic [WaiterWidth-1:0] join_tail_i,

  input  logic                   row_valid_i,
  output logic                   row_ready_o,
  input  row_t                   row_i,
  input  logic [Rows-1:0]        rows_i,
  input  key_t                   row_key_i,
  input  level_t                 row_level_i,
  input  form_e                  row_form_i,    // of its entry; not FormLeaf: read by itself
  input  logic [5:0]             row_shift_i,
  input  logic                   row_block_ok_i,
  input  logic [2:0]             row_line_i,
  input  logic [2:0]             row_word_i,
  input  logic                   row_wide_i,
  input  logic                   row_drop_i,
  input  logic                   row_error_i,
  input  cause_t                 row_cause_i,
  input  logic                   row_begin_i,
  input  logic [WaiterWidth-1:0] row_who_i,
  input  logic                   row_chain_i,
  input  logic [WaiterWidth-1:0] row_head_i,
  input  logic [WaiterWidth-1:0] row_tail_i,

  output logic                   tell_valid_o,
  input  logic                   tell_ready_i,
  output msg_t                   tell_o,
  output logic                   tell_large_o,
  output logic                   tell_narrow_o,
  output logic [5:0]             tell_shift_o,
  output row_t                   tell_row_o,
  output logic                   again_valid_o,
  input  logic                   again_ready_i,
  output lookup_t                again_o,

  output logic                   count_ok_o,
  output logic                   count_fault_o,
  input  logic                   hold_i,
  output logic [Rows-1:0]        kept_o,
  output logic                   quiet_o
);
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned WordsPerBeat = DataWidth / 64;
  localparam int unsigned Beats = 8 / WordsPerBeat;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 0;
  localparam int unsigned LineWidth = RowWidth + BeatWidth;
  typedef logic [WaiterWidth-1:0] waiter_t;
  typedef logic [LineWidth-1:0] address_t;

  function automatic address_t beat_address(row_t row, logic [2:0] beat);
    return address_t'((32'(row) << BeatWidth) | 32'(beat));
  endfunction
  function automatic port_t port_of(waiter_t who);
    logic unused_bits;
    unused_bits = ^who;
    return port_t'(who[WaiterWidth-1:SlotBits]);
  endfunction
  function automatic slot_t slot_of(waiter_t who);
    logic unused_bits;
    unused_bits = ^who;
    return slot_t'(who[SlotBits-1:0]);
  endfunction

  // The row in hand.
  typedef enum logic [1:0] {StIdle, StBegin, StChain, StLast} state_e;
  state_e          state_q;
  logic            idle_q;  // state_q is StIdle
  row_t            row_q;
  logic [Rows-1:0] rows_q, answer_rows;
  key_t            key_q;
  level_t          level_q;
  form_e           form_q;
  logic [5:0]      shift_q;
  logic [2:0]      line_q, word_q;
  logic            block_ok_q, wide_q, drop_q, error_q, chain_q;
  cause_t          cause_q;
  waiter_t         who_q, head_q, tail_q;

  // Links, by waiter: the page in the line, and who comes next.
  waiter_t    link_address, next;
  logic [2:0] sub;
  logic       link_read, advance, take;

  gmmu_ram_block #(.Width(3), .Depth(2**WaiterWidth)) u_sub (
    .clk_i, .read_i(link_read), .read_addr_i(link_address), .data_o(sub),
    .write_i(join_i), .write_addr_i(join_who_i), .data_i(join_sub_i));
  gmmu_ram_block #(.Width(WaiterWidth), .Depth(2**WaiterWidth)) u_next (
    .clk_i, .read_i(link_read), .read_addr_i(link_address), .data_o(next),
    .write_i(join_i && join_chain_i), .write_addr_i(join_tail_i), .data_i(join_who_i));

  assign row_ready_o = idle_q;
  assign take = row_ready_o && row_valid_i;
  assign link_read = idle_q || (state_q == StChain && advance);
  assign link_address = idle_q ? row_head_i : next;

  // The line, by row. A narrow row's entry stands at its own word.
  logic                 line_read;
  logic [2:0]           line_mask, line_word;
  logic [DataWidth-1:0] beat_data;
  assign line_mask = form_q != FormLeaf || state_q == StBegin ? '0 : line_q;
  assign line_word = (word_q & ~line_mask) | (sub & line_mask);
  assign line_read = advance;
  gmmu_ram_apart #(.Width(DataWidth), .Depth(2**LineWidth)) u_lines (
    .clk_i, .read_i(line_read), .read_addr_i(beat_address(row_q, 3'(32'(line_word) / WordsPerBeat))),
    .data_o(beat_data),
    .write_i(line_valid_i), .write_addr_i(beat_address(line_row_i, line_beat_i)),
    .data_i(line_data_i));

  // The lookup whose entry stands at the line's output.
  logic        q_valid_q, q_begin_q, entry_ready, entry_idle, answer_quiet;
  waiter_t     q_who_q;
  logic [2:0]  q_sub_q, q_word_q;
  logic [63:0] word;
  always_comb begin
    word = beat_data[63:0];
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      if (32'(q_word_q) % WordsPerBeat == i) word = beat_data[i*64 +: 64];
    end
  end
  assign advance = !q_valid_q || entry_ready;

  gmmu_walk_answer #(.Rows(Rows)) u_answer (
    .clk_i, .rst_i, .hold_i,
    .direct_valid_i, .direct_take_o, .direct_row_i, .direct_rows_i,
    .direct_port_i(port_of(direct_who_i)), .direct_slot_i(slot_of(direct_who_i)),
    .direct_key_i, .direct_page_i, .direct_cause_i, .direct_wide_i,
    .entry_valid_i(q_valid_q), .entry_ready_o(entry_ready), .entry_idle_o(entry_idle),
    .entry_begin_i(q_begin_q), .entry_port_i(port_of(q_who_q)), .entry_slot_i(slot_of(q_who_q)),
    .entry_sub_i(q_sub_q), .entry_word_i(word),
    .row_i(row_q), .rows_i(rows_q), .row_key_i(key_q), .row_level_i(level_q), .row_form_i(form_q),
    .row_shift_i(shift_q), .row_block_ok_i(block_ok_q), .row_line_i(line_q), .row_wide_i(wide_q),
    .row_drop_i(drop_q), .row_error_i(error_q), .row_cause_i(cause_q),
    .tell_valid_o, .tell_ready_i, .tell_o, .tell_large_o, .tell_narrow_o, .tell_shift_o,
    .tell_row_o, .again_valid_o, .again_ready_i, .again_o,
    .count_ok_o, .count_fault_o, .kept_o(answer_rows), .quiet_o(answer_quiet));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
      idle_q <= 1'b1;
      q_valid_q <= 1'b0;
    end else begin
      unique case (state_q)
        StIdle: begin
          if (take) state_q <= row_begin_i ? StBegin : StChain;
          idle_q <= !take;
        end
        StBegin: if (advance) state_q <= chain_q ? StChain : StLast;
        StChain: if (advance && head_q == tail_q) state_q <= StLast;
        default: begin  // StLast
          if (!q_valid_q && entry_idle) state_q <= StIdle;
          idle_q <= !q_valid_q && entry_idle;
        end
      endcase
      if (advance) q_valid_q <= state_q == StBegin || state_q == StChain;
    end

    if (idle_q) begin
      row_q <= row_i;
      rows_q <= rows_i;
      key_q <= row_key_i;
      level_q <= row_level_i;
      form_q <= row_form_i;
      shift_q <= row_shift_i;
      block_ok_q <= row_block_ok_i;
      line_q <= row_line_i;
      word_q <= row_word_i;
      wide_q <= row_wide_i;
      drop_q <= row_drop_i;
      error_q <= row_error_i;
      cause_q <= row_cause_i;
      who_q <= row_who_i;
      chain_q <= row_chain_i;
      head_q <= row_head_i;
      tail_q <= row_tail_i;
    end else if (state_q == StChain && advance) begin
      head_q <= next;
    end

    if (advance) begin
      q_begin_q <= state_q == StBegin;
      q_who_q <= state_q == StBegin ? who_q : head_q;
      q_sub_q <= state_q == StBegin ? key_q.vpn[2:0] : sub;
      q_word_q <= line_word;
    end
  end

  assign kept_o = answer_rows | (idle_q ? '0 : rows_q);
  assign quiet_o = idle_q && !q_valid_q && answer_quiet;

  if ((MissSlots & (MissSlots - 1)) != 0 || NumPorts < 2) begin : g_illegal
    $fatal(1, "gmmu_walk_tell: MissSlots must be a power of two, NumPorts at least 2");
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Answers of the walks on their way out: direct ones, and those of the row in hand, each with a
// register in front of the port.
//
//   direct   an own entry comes in this cycle. Its data are taken whatever it is, if there is room;
//            only direct_valid_i says that it is to be told; direct_take_o: it will be. Not while
//            hold_i
//   entry    a lookup of the row in hand and the word with its entry. The row's data (row_*) stand
//            until entry_idle_o. word and what belongs to it are taken whenever entry_ready_o
//   tell, again, count, quiet_o   as gmmu_walk_tell has them; kept_o too, without the row in hand
module gmmu_walk_answer
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
#(
  parameter int unsigned Rows = 9
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            hold_i,

  input  logic            direct_valid_i,
  output logic            direct_take_o,
  input  row_t            direct_row_i,
  input  logic [Rows-1:0] direct_rows_i,
  input  port_t           direct_port_i,
  input  slot_t           direct_slot_i,
  input  key_t            direct_key_i,
  input  page_t           direct_page_i,
  input  cause_t          direct_cause_i,
  input  logic            direct_wide_i,

  input  logic            entry_valid_i,
  output logic            entry_ready_o,
  output logic            entry_idle_o,
  input  logic            entry_begin_i,   // who began the walk
  input  port_t           entry_port_i,
  input  slot_t           entry_slot_i,
  input  logic [2:0]      entry_sub_i,
  input  logic [63:0]     entry_word_i,
  input  row_t            row_i,
  input  logic [Rows-1:0] rows_i,
  input  key_t            row_key_i,
  input  level_t          row_level_i,
  input  logic [5:0]      row_shift_i,
  input  logic            row_promised_i,
  input  logic [2:0]      row_line_i,
  input  logic            row_wide_i,
  input  logic            row_drop_i,
  input  logic            row_error_i,
  input  cause_t          row_cause_i,

  output logic            tell_valid_o,
  input  logic            tell_ready_i,
  output msg_t            tell_o,
  output logic            tell_large_o,
  output logic            tell_narrow_o,
  output logic [5:0]      tell_shift_o,
  output row_t            tell_row_o,
  output logic            again_valid_o,
  input  logic            again_ready_i,
  output lookup_t         again_o,

  output logic            count_ok_o,
  output logic            count_fault_o,
  output logic [Rows-1:0] kept_o,
  output logic            quiet_o
);
  typedef struct packed {
    msg_t msg;
    logic narrow;
    row_t row;
  } answer_t;

  // ---- Direct.
  logic            direct_q, first_q, direct_free;   // first_q: the direct answer is on offer
  answer_t         direct_answer_q;
  logic [Rows-1:0] direct_rows_q;
  assign direct_free = !direct_q || (tell_ready_i && first_q);
  assign direct_take_o = direct_valid_i && direct_free && !hold_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) direct_q <= 1'b0;
    else if (direct_free) direct_q <= direct_take_o;
    if (direct_free) begin
      direct_rows_q <= direct_rows_i;
      direct_answer_q <= '{
        msg: '{port: direct_port_i, slot: direct_slot_i, merged: 1'b0, key: direct_key_i,
               page: direct_page_i, cause: direct_cause_i},
        narrow: direct_cause_i == '0 && (!direct_wide_i || direct_page_i.big),
        row: direct_row_i};
    end
  end

  // ---- The entry in hand.
  logic            entry_q, begin_q, told_free;
  port_t           port_q;
  slot_t           slot_q;
  logic [2:0]      sub_q;
  logic [63:0]     word_q;
  vpn_t            keep_q;
  pfn_t            span;     // page number bits inside the page
  pte_verdict_t    entry;
  key_t            key;
  page_t           page;
  cause_t          cause;
  logic            same_table, crooked;
  pte_entry_t      form;
  assign entry_ready_o = !entry_q || told_free;
  assign entry_idle_o = !entry_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) entry_q <= 1'b0;
    else if (entry_ready_o) entry_q <= entry_valid_i;
    if (entry_ready_o) begin
      begin_q <= entry_begin_i;
      port_q <= entry_port_i;
      slot_q <= entry_slot_i;
      sub_q <= entry_sub_i;
      word_q <= entry_word_i;
    end
    keep_q <= keep_mask(row_shift_i);
  end
  assign span = pfn_t'(vpn_t'(~keep_q));
  // Whether a large page is aligned is told apart from the rest: it takes longest.
  assign form = pte_entry_t'(word_q);
  assign entry = decode(word_q, row_level_i, '0);
  assign crooked = form.valid && !form.zero && form.large_ && row_level_i != '0
      && (entry.pfn & span) != '0 && row_cause_i == '0 && !row_error_i;
  always_comb begin
    key = row_key_i;
    key.vpn[2:0] = sub_q;
  end
  assign page = page_of(entry, row_level_i, key.vpn, keep_q, row_promised_i);
  assign same_table = ((sub_q ^ row_key_i.vpn[2:0]) & ~(row_level_i == '0 ? row_line_i : '0)) == '0;
  always_comb begin
    cause = row_cause_i;
    if (row_cause_i == '0) begin
      cause = row_error_i ? cause_t'(FaultTableRead) : cause_t'(entry.fault);
    end
  end

  // ---- What becomes of it. A fault goes only to who began the walk.
  logic            told_q, fits_q, crooked_q, large_q, answers;
  answer_t         told_answer_q;
  logic [Rows-1:0] told_rows_q;
  logic [5:0]      shift_q;
  assign answers = !told_answer_q.msg.merged || (fits_q && !crooked_q);
  assign told_free = !told_q || (answers ? tell_ready_i && !first_q : again_ready_i);
  always_ff @(posedge clk_i) begin
    if (rst_i) told_q <= 1'b0;
    else if (told_free) told_q <= entry_q;
    if (told_free) begin
      fits_q <= !row_drop_i && cause == '0 && same_table;
      crooked_q <= crooked;
      large_q <= begin_q && cause == '0 && row_level_i != '0;
      told_rows_q <= rows_i;
      shift_q <= row_shift_i;
      told_answer_q <= '{
        msg: '{port: port_q, slot: slot_q, merged: !begin_q, key: key, page: page, cause: cause},
        narrow: begin_q && cause == '0 && row_level_i == '0 && (!row_wide_i || page.big),
        row: row_i};
    end
  end

  // ---- The port. An offer that stands stays the same.
  answer_t offer;
  logic    taken;
  assign tell_valid_o = direct_q || (told_q && answers);
  always_comb begin
    offer = first_q ? direct_answer_q : told_answer_q;
    if (!first_q && crooked_q) offer.msg.cause |= cause_t'(FaultEntryReserved);
  end
  assign tell_o = offer.msg;
  assign tell_narrow_o = offer.narrow;
  assign tell_row_o = offer.row;
  assign tell_large_o = large_q && !crooked_q && !first_q;
  assign tell_shift_o = shift_q;
  assign again_valid_o = told_q && !answers;
  assign again_o = '{port: told_answer_q.msg.port, slot: told_answer_q.msg.slot,
                     key: told_answer_q.msg.key};
  assign taken = tell_valid_o && tell_ready_i;
  always_ff @(posedge clk_i) begin
    if (!tell_valid_o || tell_ready_i) first_q <= direct_take_o || (direct_q && !first_q);
    count_ok_o <= !rst_i && taken && !offer.msg.merged && offer.msg.cause == '0;
    count_fault_o <= !rst_i && taken && !offer.msg.merged && offer.msg.cause != '0;
  end
  assign kept_o = (direct_q ? direct_rows_q : '0) | (told_q ? told_rows_q : '0);
  assign quiet_o = !direct_q && !entry_q && !told_q;

  logic unused_bits;  // judged by decode
  assign unused_bits = ^form;
endmodule

// SPDX-License-Identifier: Apache-2.0
// Answers of the walks on their way out: those of the row in hand, else direct ones.
//
//   direct   the own entry of a row comes in this cycle. Its data are loaded in any case if there is
//            room; direct_valid_i says that it is an answer, and direct_take_o that it goes out
//            (else its row answers later). Not while hold_i
//   entry    a lookup of the row in hand and the word with its entry. The row's data (row_*) stand
//            until entry_idle_o. word and what belongs to it are taken whenever entry_ready_o,
//            which comes from a register: one every other cycle
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
  input  form_e           row_form_i,      // of the entry
  input  logic [5:0]      row_shift_i,
  input  logic            row_block_ok_i,
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

  // ---- The entry in hand.
  logic            entry_q, begin_q, staged_valid_q, good_q;
  form_e           form_q;
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
  logic            same_table, crooked, tell_free, no_cause;
  pte_entry_t      form;
  assign entry_ready_o = !entry_q;
  assign entry_idle_o = !entry_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) entry_q <= 1'b0;
    else entry_q <= entry_q ? staged_valid_q : entry_valid_i;
    if (entry_ready_o) begin
      begin_q <= entry_begin_i;
      port_q <= entry_port_i;
      slot_q <= entry_slot_i;
      sub_q <= entry_sub_i;
      word_q <= entry_word_i;
    end
    keep_q <= keep_mask(row_shift_i);
    form_q <= row_form_i;
    good_q <= row_cause_i == '0 && !row_error_i;
  end
  assign span = pfn_t'(vpn_t'(~keep_q));
  // The alignment of a large page is checked apart from the rest, since it takes longest.
  assign form = pte_entry_t'(word_q);
  assign entry = decode(word_q, form_q);
  assign crooked = form.valid && !form.zero && form.large_ && form_q == FormUpper
      && (entry.pfn & span) != '0 && good_q;
  always_comb begin
    key = row_key_i;
    key.vpn[2:0] = sub_q;
  end
  assign page = page_of(entry, row_level_i, form_q == FormLeaf, key.vpn, keep_q, row_block_ok_i);
  // A 64 KiB entry is right for all that its row's line can be asked for.
  assign same_table = form_q == FormLeaf64
      || ((sub_q ^ row_key_i.vpn[2:0]) & ~(form_q == FormLeaf ? row_line_i : '0)) == '0;
  always_comb begin
    cause = row_cause_i;
    if (row_cause_i == '0) begin
      cause = row_error_i ? cause_t'(FaultTableRead) : cause_t'(entry.fault);
    end
    no_cause = good_q && entry.fault == FaultNone;
  end

  // ---- What becomes of it. A fault goes only to who began the walk.
  logic            fits_q, crooked_q, large_q, answers, staged_goes;
  answer_t         staged_q;
  logic [Rows-1:0] staged_rows_q;
  logic [5:0]      shift_q;
  assign answers = !staged_q.msg.merged || (fits_q && !crooked_q);
  assign staged_goes = staged_valid_q && answers;
  always_ff @(posedge clk_i) begin
    if (rst_i) staged_valid_q <= 1'b0;
    else if (staged_valid_q) staged_valid_q <= !(answers ? tell_free : again_ready_i);
    else staged_valid_q <= entry_q;
    if (!staged_valid_q) begin
      fits_q <= !row_drop_i && no_cause && same_table;
      crooked_q <= crooked;
      large_q <= begin_q && no_cause && (form_q == FormUpper || form_q == FormHalf64);
      staged_rows_q <= rows_i;
      shift_q <= row_shift_i;
      staged_q <= '{
        msg: '{port: port_q, slot: slot_q, merged: !begin_q, key: key, page: page, cause: cause},
        narrow: begin_q && no_cause && (form_q == FormLeaf64
            || (form_q == FormLeaf && (!row_wide_i || page.big))),
        row: row_i};
    end
  end
  assign again_valid_o = staged_valid_q && !answers;
  assign again_o = '{port: staged_q.msg.port, slot: staged_q.msg.slot,
                     key: staged_q.msg.key};

  // ---- The port: from there, or else directly.
  answer_t         offer_q, direct_answer;
  logic [Rows-1:0] offer_rows_q;
  logic            taken;
  assign tell_free = !tell_valid_o || tell_ready_i;
  assign direct_take_o = direct_valid_i && tell_free && !staged_goes && !hold_i;
  assign direct_answer = '{
    msg: '{port: direct_port_i, slot: direct_slot_i, merged: 1'b0, key: direct_key_i,
           page: direct_page_i, cause: direct_cause_i},
    narrow: direct_cause_i == '0 && (!direct_wide_i || direct_page_i.big),
    row: direct_row_i};
  assign tell_o = offer_q.msg;
  assign tell_narrow_o = offer_q.narrow;
  assign tell_row_o = offer_q.row;
  assign taken = tell_valid_o && tell_ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) tell_valid_o <= 1'b0;
    else if (tell_free) tell_valid_o <= staged_goes || direct_take_o;
    if (tell_free) begin
      offer_q <= staged_goes ? staged_q : direct_answer;
      if (staged_goes && crooked_q) begin
        offer_q.msg.cause <= staged_q.msg.cause | cause_t'(FaultEntryReserved);
      end
      offer_rows_q <= staged_goes ? staged_rows_q : direct_rows_i;
      tell_large_o <= staged_goes && large_q && !crooked_q;
      tell_shift_o <= shift_q;
    end
    count_ok_o <= !rst_i && taken && !offer_q.msg.merged && offer_q.msg.cause == '0;
    count_fault_o <= !rst_i && taken && !offer_q.msg.merged && offer_q.msg.cause != '0;
  end
  assign kept_o = (tell_valid_o ? offer_rows_q : '0) | (staged_valid_q ? staged_rows_q : '0);
  assign quiet_o = !tell_valid_o && !entry_q && !staged_valid_q;

  logic unused_bits;  // judged by decode
  assign unused_bits = ^form;
endmodule

// SPDX-License-Identifier: Apache-2.0
// One translation port: L1 TLB, miss slots, answers.
//
//   req, rsp, done   the port (gmmu_pkg). A hit is answered two cycles after its request is
//                    accepted; hits pass misses as long as a miss slot is free
//   lookup           a miss that asks the shared levels; the answer comes as a message
//   msg              messages of the shared levels, never refused
//   kill             drops entries and finished misses of the scope; hits in flight keep their old
//                    generation
//   generation_i     drain generation that answers made now belong to
//   drained_o        by generation: no answer made in it is still in use
module gmmu_l1
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Entries = 16,
  parameter int unsigned Slots = 8
) (
  input  logic         clk_i,
  input  logic         rst_i,
  input  port_t       port_i,        // constant: its number, for lookups and their answers

  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  xlate_req_t   req_i,
  output logic         rsp_valid_o,
  input  logic         rsp_ready_i,
  output xlate_rsp_t   rsp_o,
  input  xlate_done_t  done_i,

  output logic         lookup_valid_o,
  input  logic         lookup_ready_i,
  output lookup_t      lookup_o,
  input  logic         msg_valid_i,
  input  msg_t         msg_i,

  input  kill_t        kill_i,
  input  logic         generation_i,
  output logic [1:0]   drained_o,

  output logic         ev_valid_o,
  output xlate_event_t ev_o,
  output port_count_t  count_o,
  output logic         idle_o
);
  // An answer before it leaves: what the port sees and what the event port sees beside it.
  typedef struct packed {
    xlate_rsp_t  rsp;
    space_t      space;
    access_e     access;
    logic [63:0] va;
  } answer_t;

  function automatic answer_t compose(xlate_req_t req, page_t page, fault_e walk_fault, logic gen);
    answer_t answer;
    fault_e fault;
    fault = walk_fault;
    if (walk_fault == FaultNone && !page.zero) begin
      if (req.access == AccessWrite && page.read_only) fault = FaultWriteProtect;
      else if (req.access == AccessExecute && page.no_execute) fault = FaultExecuteProtect;
    end
    answer.space = req.space;
    answer.access = req.access;
    answer.va = req.va;
    answer.rsp.tag = req.tag;
    answer.rsp.epoch = gen;
    answer.rsp.gpa.target = page.target;
    answer.rsp.gpa.adapter = page.adapter;
    answer.rsp.gpa.offset = {page.pfn[PfnWidth-1:4],
        page.big ? req.va[PageLg2+3:PageLg2] : page.pfn[3:0], req.va[PageLg2-1:0]};
    answer.rsp.zero = page.zero;
    answer.rsp.coherent = page.coherent;
    answer.rsp.fault = fault;
    answer.rsp.level = page.level;
    return answer;
  endfunction

  // Stage A: the entries are searched for the request, or for a translation about to be entered.
  logic               fill_valid_q;
  key_t               fill_key_q;
  page_t              fill_page_q;
  key_t               search;
  logic [Entries-1:0] found;   // at most one bit
  logic [Entries-1:0] changed;
  page_t              entry_page;

  // Stage B: the request and its hit.
  logic               b_valid_q;
  xlate_req_t         b_req_q;
  logic [Entries-1:0] b_hit_q;
  logic               b_high, b_hit, b_leave, b_answer, b_miss;

  // Slots and the way out.
  logic               slot_free, slot_answer_valid, slot_answer_take, slot_merged, slots_idle;
  xlate_req_t         slot_req;
  page_t              slot_page;
  fault_e             slot_fault;
  logic               msg_fill;
  logic               out_ready, push;
  answer_t            answer, head;
  logic               room;  // the count of answers in use is far from its end
  logic [7:0]         outstanding_q;

  assign search = fill_valid_q ? fill_key_q
      : '{space: req_i.space, vpn: req_i.va[VaWidth-1:PageLg2], high: (req_i.va >> VaWidth) != '0};
  assign req_ready_o = !fill_valid_q && room && (!b_valid_q || b_leave);

  gmmu_l1_entries #(.Entries(Entries)) u_entries (
    .clk_i, .rst_i, .search_valid_i(fill_valid_q || req_valid_i), .search_i(search),
    .found_o(found), .kill_i, .changed_o(changed),
    .fill_valid_i(fill_valid_q), .fill_key_i(fill_key_q), .fill_page_i(fill_page_q),
    .select_i(b_hit_q), .page_o(entry_page));

  assign b_high = (b_req_q.va >> VaWidth) != '0;
  assign b_hit = b_hit_q != '0;
  assign b_answer = b_valid_q && b_hit && out_ready && !slot_answer_valid;
  assign b_miss = b_valid_q && !b_hit && slot_free;
  assign b_leave = b_answer || b_miss;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      b_valid_q <= 1'b0;
      fill_valid_q <= 1'b0;
    end else begin
      if (req_ready_o) b_valid_q <= req_valid_i;
      else if (b_leave) b_valid_q <= 1'b0;
      fill_valid_q <= msg_fill && !kill_i.valid;
    end
    if (req_ready_o) begin
      b_req_q <= req_i;
      b_hit_q <= search.high ? '0 : found & ~changed;
    end else begin
      b_hit_q <= b_hit_q & ~changed;
    end
    fill_key_q <= msg_i.key;
    fill_page_q <= msg_i.page;
  end

  gmmu_l1_slots #(.Slots(Slots)) u_slots (
    .clk_i, .rst_i, .port_i,
    .alloc_i(b_miss), .alloc_ready_o(slot_free), .alloc_req_i(b_req_q), .alloc_high_i(b_high),
    .lookup_valid_o, .lookup_ready_i, .lookup_o, .msg_valid_i, .msg_i, .fill_o(msg_fill), .kill_i,
    .answer_valid_o(slot_answer_valid), .answer_take_i(slot_answer_take), .answer_req_o(slot_req),
    .answer_page_o(slot_page), .answer_fault_o(slot_fault), .answer_merged_o(slot_merged),
    .idle_o(slots_idle));

  assign slot_answer_take = slot_answer_valid && out_ready;
  assign push = slot_answer_take || b_answer;
  assign answer = slot_answer_valid ? compose(slot_req, slot_page, slot_fault, generation_i)
                                    : compose(b_req_q, entry_page, FaultNone, generation_i);

  gmmu_fifo #(.Width($bits(answer_t)), .Depth(2)) u_out (
    .clk_i, .rst_i, .valid_i(push), .ready_o(out_ready), .data_i(answer),
    .valid_o(rsp_valid_o), .ready_i(rsp_ready_i), .data_o(head));

  assign rsp_o = head.rsp;
  assign ev_valid_o = rsp_valid_o && rsp_ready_i;
  assign ev_o = '{space: head.space, access: head.access, va: head.va, gpa: head.rsp.gpa,
      zero: head.rsp.zero,
                  fault: head.rsp.fault, level: head.rsp.level};

  gmmu_l1_drain u_drain (.clk_i, .rst_i, .made_i(push), .generation_i, .done_i, .drained_o,
      .room_o(room));

  logic faulty;
  assign faulty = answer.rsp.fault != FaultNone;
  assign count_o.lookup = req_valid_i && req_ready_o;
  assign count_o.hit = b_answer && !faulty;
  assign count_o.miss = slot_answer_take && !faulty && !slot_merged;
  assign count_o.merged = slot_answer_take && !faulty && slot_merged;
  assign count_o.fault = push && faulty;
  assign count_o.outstanding = outstanding_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) outstanding_q <= '0;
    else if (count_o.lookup && !push) outstanding_q <= outstanding_q + 1'b1;
    else if (push && !count_o.lookup) outstanding_q <= outstanding_q - 1'b1;
  end

  assign idle_o = !b_valid_q && !fill_valid_q && slots_idle && !rsp_valid_o && drained_o == 2'b11;
endmodule

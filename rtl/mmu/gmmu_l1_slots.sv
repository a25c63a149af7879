// SPDX-License-Identifier: Apache-2.0
// Miss slots of one port: each holds a lookup that the L1 could not answer until its answer is
// made.
//
//   alloc    a miss takes a slot (alloc_ready_o comes from registers)
//   lookup   slots ask the shared levels in turn; an offer stands until it is taken
//   msg      what became of it (gmmu_mmu_pkg). fill_o: the message carries a page for this port's
//            L1
//   kill     finished but unanswered lookups of the scope ask again
//   answer   a finished lookup; it stands until taken, or until a kill takes it back. It may be one
//            that msg finishes now
//
// A fault goes only to the lookup that began the walk: whoever joined may have been accepted after
// the entry at fault was read (and made valid), and asks again.
//
// Results lie in a RAM by slot. When a walk ends, all slots that wait for exactly its page share
// one result; a slot is not used again while its result is shared.
module gmmu_l1_slots
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Slots = 8
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  port_t     port_i,        // constant: its number, for lookups and their answers

  input  logic       alloc_i,
  output logic       alloc_ready_o,
  input  xlate_req_t alloc_req_i,
  input  logic       alloc_high_i,

  output logic       lookup_valid_o,
  input  logic       lookup_ready_i,
  output lookup_t    lookup_o,
  input  logic       msg_valid_i,
  input  msg_t       msg_i,
  output logic       fill_o,
  input  kill_t      kill_i,

  output logic       answer_valid_o,
  input  logic       answer_take_i,
  output xlate_req_t answer_req_o,
  output page_t      answer_page_o,
  output fault_e     answer_fault_o,
  output logic       answer_merged_o,

  output logic       idle_o
);
  localparam int unsigned IndexWidth = Slots > 1 ? $clog2(Slots) : 1;
  typedef logic [IndexWidth-1:0] index_t;

  // Ask: has to ask. Asked: the shared levels have the question. Wait: waits for a row. Ready:
  // result known.
  typedef enum logic [2:0] {StFree, StAsk, StAsked, StWait, StReady} state_e;
  state_e                  state_q [Slots], state_d [Slots];
  space_t                  space_q [Slots];
  logic [2:0]              sub_q [Slots];     // page within the 32 KiB line of entries that a walk fetches
  row_t                    row_q [Slots];
  index_t                  result_q [Slots];  // where the result lies
  logic   [Slots-1:0]      merged_q;

  logic [Slots-1:0] usable, shared, alloc_slot, ask, ask_slot, ready, ready_slot, exact, exact_first,
      msg_slot, waits;
  index_t           alloc_index, ask_index, ready_index, exact_index;
  logic             ask_take, lookup_free, pass;

  // Slots by state. A slot is usable when it is free and nobody shares its result.
  always_comb begin
    usable = '0;
    shared = '0;
    waits = '0;
    exact = '0;
    msg_slot = '0;
    for (int unsigned i = 0; i < Slots; i++) begin
      usable[i] = state_q[i] == StFree;
      ask[i] = state_q[i] == StAsk;
      ready[i] = state_q[i] == StReady;
      if (ready[i]) shared[result_q[i]] = 1'b1;
    end
    usable &= ~shared;
    if (msg_valid_i && msg_i.kind == MsgWalk) begin
      for (int unsigned i = 0; i < Slots; i++) begin
        waits[i] = state_q[i] == StWait && row_q[i] == msg_i.row;
        exact[i] = waits[i] && msg_i.answer && sub_q[i] == msg_i.key.vpn[2:0]
            && (msg_i.fault == FaultNone || !merged_q[i]);
      end
    end else if (msg_valid_i && msg_i.port == port_i) begin
      msg_slot[index_t'(msg_i.slot)] = 1'b1;
    end
  end
  assign alloc_ready_o = usable != '0;
  assign alloc_slot = usable & (~usable + 1'b1);
  assign exact_first = exact & (~exact + 1'b1);

  always_comb begin
    alloc_index = '0;
    exact_index = '0;
    for (int unsigned i = 0; i < Slots; i++) begin
      if (alloc_slot[i]) alloc_index |= index_t'(i);
      if (exact_first[i]) exact_index |= index_t'(i);
    end
  end

  // The question: a slot in turn, or a miss that has just come when none waits.
  assign lookup_free = !lookup_valid_o || lookup_ready_i;
  assign ask_take = lookup_free && ask != '0;
  assign pass = lookup_free && ask == '0 && alloc_i;
  gmmu_rr_arbiter #(.N(Slots)) u_ask (
    .clk_i, .rst_i, .req_i(ask), .advance_i(ask_take), .gnt_o(ask_slot), .index_o(ask_index));

  // The answer: a finished slot in turn, or, when there is none, the one that the message has just
  // finished.
  logic   result_write, direct;
  index_t result_index, leaving_index;
  page_t  result_page;
  fault_e result_fault;
  logic [Slots-1:0] leaving;
  gmmu_rr_arbiter #(.N(Slots)) u_ready (
    .clk_i, .rst_i, .req_i(ready), .advance_i(answer_take_i && !direct), .gnt_o(ready_slot),
    .index_o(ready_index));
  assign direct = ready == '0 && result_write;
  assign leaving = direct ? msg_slot | exact_first : ready_slot;
  assign leaving_index = direct ? result_index : ready_index;
  assign answer_valid_o = ready != '0 || direct;
  assign answer_merged_o = (merged_q & leaving) != '0;
  assign answer_page_o = direct ? msg_i.page : result_page;
  assign answer_fault_o = direct ? msg_i.fault : result_fault;

  xlate_req_t ask_req;
  logic       ask_high;
  gmmu_lutram #(.Width($bits(xlate_req_t)), .Depth(Slots)) u_req_answer (
    .clk_i, .write_i(alloc_i), .write_addr_i(alloc_index), .data_i(alloc_req_i),
    .read_addr_i(leaving_index), .data_o(answer_req_o));
  gmmu_lutram #(.Width($bits(xlate_req_t)), .Depth(Slots)) u_req_ask (
    .clk_i, .write_i(alloc_i), .write_addr_i(alloc_index), .data_i(alloc_req_i),
    .read_addr_i(ask_index), .data_o(ask_req));
  assign ask_high = (ask_req.va >> VaWidth) != '0;

  logic unused_bits;  // tag and access stay with the slot
  assign unused_bits = ^ask_req;

  assign result_write = exact != '0 || (msg_slot != '0 && msg_i.kind == MsgHit);
  assign result_index = exact != '0 ? exact_index : index_t'(msg_i.slot);
  gmmu_lutram #(.Width($bits(page_t) + $bits(fault_e)), .Depth(Slots)) u_result (
    .clk_i, .write_i(result_write), .write_addr_i(result_index), .data_i({msg_i.page, msg_i.fault}),
    .read_addr_i(result_q[ready_index]), .data_o({result_page, result_fault}));
  assign fill_o = result_write && msg_i.fault == FaultNone;

  always_comb begin
    state_d = state_q;
    for (int unsigned i = 0; i < Slots; i++) begin
      if (msg_slot[i]) state_d[i] = msg_i.kind == MsgHit ? StReady : StWait;
      if (waits[i] && msg_i.release_row) state_d[i] = StAsk;
      if (exact[i]) state_d[i] = StReady;
      if (state_q[i] == StReady && kill_i.valid && (kill_i.all
          || kill_i.space == space_q[i])) state_d[i] = StAsk;
      if (answer_take_i && leaving[i]) state_d[i] = StFree;
      if (ask_take && ask_slot[i]) state_d[i] = StAsked;
      if (alloc_i && alloc_slot[i]) state_d[i] = pass ? StAsked : StAsk;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      for (int unsigned i = 0; i < Slots; i++) state_q[i] <= StFree;
      lookup_valid_o <= 1'b0;
    end else begin
      state_q <= state_d;
      if (lookup_free) lookup_valid_o <= ask_take || pass;
    end

    if (alloc_i || msg_valid_i) begin
      for (int unsigned i = 0; i < Slots; i++) begin
        if (alloc_i && alloc_slot[i]) begin
          space_q[i] <= alloc_req_i.space;
          sub_q[i] <= alloc_req_i.va[PageLg2+2:PageLg2];
          merged_q[i] <= 1'b0;
        end
        if (msg_slot[i] && msg_i.kind != MsgHit) begin
          row_q[i] <= msg_i.row;
          merged_q[i] <= msg_i.kind == MsgJoined;
        end
        if (msg_slot[i]) result_q[i] <= index_t'(i);
        if (exact[i]) result_q[i] <= exact_index;
      end
    end

    if (ask_take || pass) begin
      lookup_o.port <= port_i;
      lookup_o.slot <= ask != '0 ? slot_t'(ask_index) : slot_t'(alloc_index);
      lookup_o.key <= ask != '0 ? '{space: ask_req.space, vpn: ask_req.va[VaWidth-1:PageLg2],
          high: ask_high}
          : '{space: alloc_req_i.space, vpn: alloc_req_i.va[VaWidth-1:PageLg2], high: alloc_high_i};
    end
  end

  always_comb begin
    idle_o = 1'b1;
    for (int unsigned i = 0; i < Slots; i++) idle_o &= state_q[i] == StFree;
  end

  a_alloc: assert property (@(posedge clk_i) disable iff (rst_i) !alloc_i || alloc_ready_o);
endmodule

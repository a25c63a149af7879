// SPDX-License-Identifier: Apache-2.0
// One translation port: L1 TLB, miss slots, answers.
//
//   req, rsp, done   the port (gmmu_pkg). A hit is answered two cycles after its request is
//                    accepted. Hits pass misses; while no miss slot is free, requests are accepted
//                    every other cycle at most, and a miss stops the port. A new entry may hold up
//                    a request for a cycle
//   lookup           a miss that asks the shared levels. A cycle ahead lookup_hint_o says that one
//                    may be offered, lookup_pending_o that one stands
//   msg              answers of the shared levels to this port, never refused
//   later            the message of two cycles ago, which the L1 may enter
//   kill             drops entries of the scope; answers that were made keep their generation
//   generation_i     drain generation that answers made now belong to. An answer is made when it
//                    hits, or when its message comes
//   drained_o        by generation: no answer made in it is still in use
module gmmu_l1
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Entries = 16,
  parameter int unsigned Slots = 32,
  parameter int unsigned NumSpaces = 16,
  parameter bit          EventPort = 1  // 0: the event port is left out
) (
  input  logic         clk_i,
  input  logic         rst_i,
  input  port_t        port_i,        // constant: its number, for lookups and their answers

  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  xlate_req_t   req_i,
  output logic         rsp_valid_o,
  input  logic         rsp_ready_i,
  output xlate_rsp_t   rsp_o,
  input  xlate_done_t  done_i,

  output logic         lookup_hint_o,
  output logic         lookup_pending_o,
  output logic         lookup_valid_o,
  input  logic         lookup_ready_i,
  output lookup_t      lookup_o,
  input  logic         msg_valid_i,
  input  msg_t         msg_i,
  input  translation_t later_i,

  input  kill_t        kill_i,
  input  logic         generation_i,
  output logic [1:0]   drained_o,

  output logic         ev_valid_o,
  output xlate_event_t ev_o,
  output port_count_t  count_o,
  output logic         idle_o
);
  localparam int unsigned SlotBits = $clog2(Slots);
  typedef logic [SlotBits-1:0] index_t;
  typedef logic [PageLg2-1:0] offset_t;
  typedef struct packed {  // what a slot keeps, beside the access
    tag_t    tag;
    offset_t offset;
  } kept_t;
  typedef struct packed {  // an answer of the shared levels that waits to leave
    index_t slot;
    logic   generation;
    logic   merged;
    cause_t cause;
    page_t  page;
  } result_t;
  typedef struct packed {  // an answer as it leaves
    tag_t       tag;
    logic       generation;
    target_e    target;
    logic [5:0] adapter;
    pfn_t       pfn;
    offset_t    offset;
    logic       zero;
    logic       coherent;
    cause_t     cause;
    access_e    access;      // and what forbids one: judged behind the queue
    logic       read_only;
    logic       no_execute;
    level_t     level;
  } answer_t;
  typedef struct packed {  // what the event port sees beside it
    key_t    key;
  } seen_t;

  // ---- Stage A: the request, or a fill, searches the entries.
  logic    accept, in_range, fill_q, no_fill_q, write_q;  // no_fill_q: no fill; for the entries
  logic [1:0] skipped_q;
  logic    room, out_room, tight, calm_q;
  key_t    req_key;
  assign req_key = '{space: req_i.space, vpn: req_i.va[VaWidth-1:PageLg2],
                     high: (req_i.va >> VaWidth) != '0};
  assign accept = req_valid_i && req_ready_o;
  assign in_range = !req_key.high && 32'(req_key.space) < NumSpaces;

  // ---- Stage B: the request and what it found. It is near (an entry's short tag agreed), or far:
  // a miss for certain. A hit leaves in its only cycle. That the rest of a near one's tag agrees
  // (found) is known late: data are chosen, and written, before.
  logic [(Entries+3)/4-1:0] near, far;
  logic    found, b_valid_q, b_near, b_data, b_hit, b_stays, may_alloc, alloc;
  tag_t    b_tag_q;
  access_e b_access_q;
  offset_t b_offset_q;
  key_t    b_key_q;
  page_t   b_page;

  gmmu_l1_entries #(.Entries(Entries), .NumSpaces(NumSpaces)) u_entries (
    .clk_i, .rst_i, .look_i(req_valid_i), .accept_i(accept && in_range), .search_key_i(req_key),
    .near_o(near), .far_o(far), .b_key_i(b_key_q), .hit_o(found), .page_o(b_page),
    .fill_i(!no_fill_q), .fill_next_i(msg_i.key), .fill_next_big_i(msg_i.page.big),
    .write_i(write_q), .write_what_i(later_i), .kill_i);

  // ---- Slots and questions. A far miss is offered at once; if it is not taken it waits behind
  // those before it, as a near one does. The queue hears of it a cycle later.
  logic    slot_one, ask_valid, ask_room, ask_push_q, release_q;
  index_t  slot, ask_in_q, result_slot, release_slot_q;
  key_t    ask_key_q;
  kept_t   kept;
  lookup_t b_lookup, asked;

  assign b_near = near != '0;
  assign b_data = far != '1;  // as b_near
  assign b_hit = b_near && found;
  assign tight = !slot_one || !ask_room;
  assign may_alloc = b_valid_q && !tight;
  assign alloc = !tight && b_valid_q && !b_hit;
  assign b_stays = tight && b_valid_q && !b_hit;
  assign b_lookup = '{port: port_i, slot: slot_t'(slot), key: b_key_q};
  assign lookup_valid_o = ask_valid || (b_valid_q && slot_one && !b_near);  // none waits: ask_room
  assign lookup_o = ask_valid ? asked : b_lookup;
  assign lookup_hint_o = req_valid_i || b_valid_q || ask_push_q || ask_valid;
  assign lookup_pending_o = ask_push_q || ask_valid;
  // A request may follow another only if that one leaves stage B even if it is a miss.
  assign req_ready_o = calm_q && !fill_q && !(tight && b_valid_q);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ask_push_q <= 1'b0;
    end else begin
      ask_push_q <= alloc && !(!b_near && !ask_valid && lookup_ready_i);
    end
    ask_in_q <= slot;
    ask_key_q <= b_key_q;
  end

  gmmu_l1_slots #(.Slots(Slots), .Width($bits(kept_t))) u_slots (
    .clk_i, .rst_i, .may_i(may_alloc), .alloc_i(alloc),
    .alloc_data_i({b_tag_q, b_offset_q}), .slot_o(slot), .one_o(slot_one),
    .read_slot_i(result_slot), .read_data_o(kept), .release_i(release_q),
    .release_slot_i(release_slot_q));

  logic [SlotBits+$bits(key_t)-1:0] ask_head;
  index_t ask_slot;
  key_t   ask_key;
  gmmu_l1_out #(.Width(SlotBits + $bits(key_t)), .Depth(16)) u_asks (
    .clk_i, .rst_i, .may_i(ask_push_q), .valid_i(ask_push_q), .room_o(ask_room),
    .data_i({ask_in_q, ask_key_q}), .valid_o(ask_valid), .ready_i(lookup_ready_i), .data_o(ask_head));
  assign {ask_slot, ask_key} = ask_head;
  assign asked = '{port: port_i, slot: slot_t'(ask_slot), key: ask_key};

  // ---- Results: they leave when no near request has the way out. Those that had to wait leave when
  // no new request has it, before others.
  logic    mine, res_take, held_valid, held_push_q, held_ready, held_turn, held_take, accept_q;
  result_t arriving, held_in_q, held, result;
  key_t    held_in_key_q, held_key, result_key;

  assign mine = msg_valid_i;
  always_comb begin
    arriving = '{slot: index_t'(msg_i.slot), generation: generation_i, merged: msg_i.merged,
                 cause: msg_i.cause, page: msg_i.page};
    // what of the page forbids an access
    if (msg_i.cause != '0 || msg_i.page.zero) begin
      {arriving.page.read_only, arriving.page.no_execute} = '0;
    end
  end
  assign held_turn = held_valid && !accept_q;
  assign held_take = !accept_q && out_room;
  assign res_take = !b_near && out_room && (held_turn || mine);
  // One cycle later, because the decision that they wait comes late.
  always_ff @(posedge clk_i) begin
    release_q <= res_take && !rst_i;
    release_slot_q <= result_slot;
    held_push_q <= mine && (held_turn || b_near || !out_room) && !rst_i;
    held_in_q <= arriving;
    held_in_key_q <= msg_i.key;
  end
  assign result = held_turn ? held : arriving;
  assign result_key = held_turn ? held_key : msg_i.key;
  assign result_slot = result.slot;

  localparam int unsigned HeldWidth = $bits(result_t) + (EventPort ? $bits(key_t) : 0);
  logic [HeldWidth-1:0] held_word;
  gmmu_fifo_ram #(.Width(HeldWidth), .Depth(Slots < 4 ? 4 : Slots)) u_held (
    .clk_i, .rst_i, .valid_i(held_push_q), .ready_o(held_ready),
    .data_i(HeldWidth'({held_in_key_q, held_in_q})),
    .valid_o(held_valid), .ready_i(held_take), .data_o(held_word));
  assign held = held_word[$bits(result_t)-1:0];
  if (EventPort) begin : g_held_key
    assign held_key = held_word[$bits(result_t) +: $bits(key_t)];
  end else begin : g_no_key
    assign held_key = '0;
  end

  // ---- The answer: a near request's, or a result. Permissions are judged as it leaves; a page with
  // a cause, and a zero page, forbids nothing.
  function automatic cause_t judged(answer_t answer);
    logic unused_bits;
    unused_bits = ^answer;
    if (answer.access == AccessWrite && answer.read_only) return cause_t'(FaultWriteProtect);
    if (answer.access == AccessExecute && answer.no_execute) return cause_t'(FaultExecuteProtect);
    return answer.cause;
  endfunction
  answer_t answer, head;
  seen_t   seen, head_seen;
  page_t   page;
  logic    push;

  assign push = b_near ? found : res_take;
  assign page = b_data ? b_page : result.page;
  // What the slots keep of the accesses is read for the two results before one is chosen.
  logic [1:0][$bits(access_e)-1:0] res_access;
  for (genvar i = 0; i < 2; i++) begin : g_access
    result_t one;
    assign one = i == 0 ? arriving : held;
    gmmu_lutram #(.Width($bits(access_e)), .Depth(Slots)) u_access (
      .clk_i, .write_i(may_alloc), .write_addr_i(slot), .data_i(b_access_q),
      .read_addr_i(one.slot), .data_o(res_access[i]));
    logic unused_one;
    assign unused_one = ^one;
  end
  always_comb begin
    answer = '{tag: b_data ? b_tag_q : kept.tag,
               generation: b_data ? generation_i : result.generation,
               target: page.target, adapter: page.adapter,
               pfn: {page.pfn[PfnWidth-1:4],
                     b_data && b_page.big ? b_key_q.vpn[3:0] : page.pfn[3:0]},
               offset: b_data ? b_offset_q : kept.offset,
               zero: page.zero, coherent: page.coherent, cause: b_data ? '0 : result.cause,
               access: b_data ? b_access_q : access_e'(res_access[held_turn]),
               read_only: page.read_only, no_execute: page.no_execute, level: page.level};
    seen = '{key: b_data ? b_key_q : result_key};
  end

  localparam int unsigned OutWidth = $bits(answer_t) + (EventPort ? $bits(seen_t) : 0);
  logic [OutWidth-1:0] out_word;
  gmmu_l1_out #(.Width(OutWidth)) u_out (
    .clk_i, .rst_i, .may_i(b_valid_q || held_valid || mine), .valid_i(push),
    .room_o(out_room), .data_i(OutWidth'({seen, answer})),
    .valid_o(rsp_valid_o), .ready_i(rsp_ready_i), .data_o(out_word));
  assign head = out_word[$bits(answer_t)-1:0];
  if (EventPort) begin : g_seen
    assign head_seen = out_word[$bits(answer_t) +: $bits(seen_t)];
  end else begin : g_unseen
    assign head_seen = '0;
  end

  assign rsp_o = '{tag: head.tag, generation: head.generation,
                   gpa: '{target: head.target, adapter: head.adapter,
                          offset: {head.pfn, head.offset}},
                   zero: head.zero, coherent: head.coherent, fault: fault_e'(8'(judged(head))),
                   level: head.level};
  assign ev_valid_o = EventPort && rsp_valid_o && rsp_ready_i;
  always_comb begin
    ev_o = '{space: head_seen.key.space, access: head.access,
             va: 64'({head_seen.key.vpn, head.offset}), gpa: rsp_o.gpa, zero: rsp_o.zero,
             fault: rsp_o.fault, level: rsp_o.level};
    if (head_seen.key.high) ev_o.va[63:VaWidth] = '1;
  end

  gmmu_l1_drain u_drain (.clk_i, .rst_i, .made_i({b_hit, mine}), .generation_i,
      .done_i, .drained_o, .room_o(room));

  // A result that hits hold up for eight cycles stops requests until it has left. A fill has the
  // search for a cycle: after one in which no request came, or when the three before were dropped.
  // Not right behind another, which it may be equal to.
  logic [2:0] waited_q;
  logic [7:0] outstanding_q;
  logic       fill_wanted, fill_d, push_q;
  assign fill_wanted = mine && msg_i.cause == '0 && !kill_i.valid;
  assign fill_d = fill_wanted && !fill_q && (!req_valid_i || skipped_q == '1);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      b_valid_q <= 1'b0;
      fill_q <= 1'b0;
      no_fill_q <= 1'b1;
      write_q <= 1'b0;
      skipped_q <= '0;
      waited_q <= '0;
      calm_q <= 1'b1;
      outstanding_q <= '0;
      accept_q <= 1'b0;
      push_q <= 1'b0;
    end else begin
      b_valid_q <= accept || b_stays;
      fill_q <= fill_d;
      no_fill_q <= !fill_d;
      write_q <= fill_q && !kill_i.valid;
      if (fill_d) skipped_q <= '0;
      else if (fill_wanted && skipped_q != '1) skipped_q <= skipped_q + 1'b1;
      if (!held_valid || held_take) waited_q <= '0;
      else if (waited_q != '1) waited_q <= waited_q + 1'b1;
      calm_q <= room && out_room && !(held_valid && !held_take && waited_q >= 3'd6);
      accept_q <= accept;
      push_q <= push;
      outstanding_q <= outstanding_q + 8'(accept_q) - 8'(push_q);
    end
    if (accept) begin
      b_tag_q <= req_i.tag;
      b_access_q <= req_i.access;
      b_offset_q <= req_i.va[PageLg2-1:0];
      b_key_q <= req_key;
    end
  end

  // Events are counted two cycles later.
  logic    hit_q, take_q, merged_q, bad;
  answer_t made_q;
  assign bad = judged(made_q) != '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      hit_q <= 1'b0;
      take_q <= 1'b0;
      count_o <= '0;
    end else begin
      hit_q <= b_hit;
      take_q <= res_take;
      count_o <= '{lookup: accept_q, hit: hit_q && !bad, miss: take_q && !bad && !merged_q,
                   merged: take_q && !bad && merged_q, fault: (hit_q || take_q) && bad,
                   outstanding: outstanding_q};
    end
    merged_q <= result.merged;
    made_q <= answer;
  end
  assign idle_o = !b_valid_q && !fill_q && !write_q && !accept_q && outstanding_q == '0
      && !rsp_valid_o && drained_o == 2'b11;

  logic unused_bits;
  assign unused_bits = ^{seen, msg_i.port, result, result_key, page, b_page};

  a_held: assert property (@(posedge clk_i) disable iff (rst_i) !held_push_q || held_ready);
  a_follow: assert property (@(posedge clk_i) disable iff (rst_i)
    !(accept && b_valid_q) || b_hit || alloc);
endmodule

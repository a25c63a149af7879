// SPDX-License-Identifier: Apache-2.0
// The L1 TLB, miss slots and responses of one translation port, or of several ports (Sources).
//
//   source           the port (0 to Sources - 1) of a request or response; its port number is
//                    port_i + source. done, drained and count are kept per source
//   req, rsp, done   the port's handshakes (gmmu_pkg). A hit gets its response two cycles after its
//                    request is accepted. A hit may overtake a miss. While no miss slot is free, or
//                    a miss waits to be accepted, a request is accepted at most every other cycle,
//                    and the next miss stalls the port. A fill may delay a request by one cycle.
//                    After a reset, the first request is accepted only after a sweep
//   lookup           a miss that is offered to the shared levels. lookup_key_o announces its key
//                    one cycle ahead; in that cycle lookup_hint_o is 1 if a lookup may follow, and
//                    lookup_pending_o if one will. A lookup is offered only if its key was
//                    announced
//   msg              responses from the shared levels to this port, never stalled. A response
//                    leaves in the cycle of its message if no other response is pending
//   late, later,     the messages of one cycle ago (late_hint_i: only the hash), of two cycles ago
//   last             (later_i) and of three (last_i, last_hint_i); the L1 may store them
//   sweep            drops the entries in the scope. No message may arrive during the sweep or in
//                    the four cycles before it. Waiting responses keep their generation
//   use_size,        use_size_i: with TurnDown, the entries in use; use_set_i pulses when
//   use_set          use_size_i has changed
//   generation_i     drain generation of the hits found and the messages received in this cycle
//   drained_o        bit g: no response of drain generation g is in use
module gmmu_l1
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  parameter int unsigned Sources = 1,
  localparam int unsigned Entries = Config.L1Entries,
  localparam int unsigned Slots = Config.MissSlots,
  localparam int unsigned NumSpaces = Config.NumSpaces,
  localparam bit          EventPort = Config.EventPort != 0
) (
  input  logic         clk_i,
  input  logic         rst_i,
  input  port_t        port_i,        // constant: port number of source 0

  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  xlate_req_t   req_i,
  input  logic [1:0]   req_source_i,
  output logic         rsp_valid_o,
  input  logic         rsp_ready_i,
  output xlate_rsp_t   rsp_o,
  output logic [1:0]   rsp_source_o,
  input  xlate_done_t  done_i [Sources],

  output logic         lookup_hint_o,
  output logic         lookup_pending_o,
  output key_t         lookup_key_o,
  output logic         lookup_valid_o,
  input  logic         lookup_ready_i,
  output asker_t       lookup_o,
  input  logic         msg_valid_i,
  input  msg_t         msg_i,
  input  hint_t        late_hint_i,
  input  translation_t later_i,
  input  translation_t last_i,
  input  hint_t        last_hint_i,

  input  sweep_t       sweep_i,
  input  l1_use_t      use_size_i,
  input  logic         use_set_i,
  input  logic         generation_i,
  output logic [1:0]   drained_o,

  output xlate_event_t ev_o,          // event of the response, valid with rsp_valid_o
  output port_count_t  count_o [Sources],
  output logic         few_o,         // at most four slots are free besides slot_q (Slots >= 8 only)
  output logic         idle_o
);
  localparam int unsigned SlotBits = $clog2(Slots);
  localparam int unsigned IndexWidth = $clog2(Entries);
  typedef logic [SlotBits-1:0] index_t;
  localparam int unsigned TagWidth = $bits(tag_t) + (Sources > 1 ? 2 : 0);
  typedef logic [TagWidth-1:0] long_tag_t;  // source and tag together
  typedef struct packed {  // the fields of a lookup that are stored in its miss slot
    long_tag_t          tag;
    logic [PageLg2-1:0] offset;
  } kept_t;
  typedef struct packed {  // a response from the shared levels
    index_t  slot;
    logic    generation;
    logic    merged;
    cause_t  cause;
    page_t   page;
    access_e access;       // for the event port
    key_t    key;
  } result_t;
  typedef struct packed {  // a hit that waits to leave; its page is read when it leaves
    kept_t                 kept;
    access_e               access;
    logic                  generation;
    logic [3:0]            low;    // page number within the block
    logic [IndexWidth-1:0] entry;
  } hit_t;

  // ---- Stage A: a request, or a fill, looks up its hints.
  logic accept, in_range, fill_q, place_q, write_q, ready_q, tight;
  key_t req_key;
  assign req_key = '{space: req_i.space, vpn: req_i.va[VaWidth-1:PageLg2],
                     high: (req_i.va >> VaWidth) != '0};
  assign in_range = !req_key.high && 32'(req_key.space) < NumSpaces;
  assign accept = req_valid_i && req_ready_o;

  // ---- Stage B compares the request with the entry that its hint selects. A near request has a
  // hint; whether it hits is known late in the cycle. A far request has no hint and surely misses.
  logic  b_valid_q, b_near, b_found, b_hit, b_stays, b_push;
  logic  slot_one_q, ask_valid_q, hit_valid_q, spare_valid_q;
  logic [IndexWidth-1:0] b_entry;
  kept_t b_kept_q;
  access_e b_access_q, slot_access;
  key_t  b_key_q;
  hit_t  hit_q, spare_q;
  page_t hit_page;

  gmmu_l1_entries #(.Config(Config)) u_entries (
    .clk_i, .rst_i, .look_i(req_valid_i), .accept_i(accept && in_range), .search_key_i(req_key),
    .stay_i(b_valid_q && tight), .near_o(b_near), .index_o(b_entry), .key_i(b_key_q),
    .hit_o(b_found), .page_index_i(hit_q.entry), .page_o(hit_page),
    .fill_i(fill_q), .fill_hint_i(late_hint_i), .place_i(place_q), .place_what_i(later_i),
    .write_i(write_q), .write_what_i(last_i), .write_hint_i(last_hint_i),
    .use_i({spare_valid_q, hit_valid_q}), .use_index_i('{hit_q.entry, spare_q.entry}), .sweep_i,
    .use_size_i, .use_set_i);

  // A request is accepted only if the request in stage B will leave that stage in this cycle, hit
  // or miss.
  assign tight = !slot_one_q || ask_valid_q || spare_valid_q;
  assign req_ready_o = ready_q && !fill_q && !(tight && b_valid_q);
  assign b_hit = b_near && b_found;
  assign b_push = b_valid_q && b_hit && !spare_valid_q;
  assign b_stays = b_valid_q && (b_hit ? spare_valid_q : !slot_one_q || ask_valid_q);
  always_ff @(posedge clk_i) begin
    if (rst_i) b_valid_q <= 1'b0;
    else b_valid_q <= accept || b_stays;
    if (accept) begin
      b_kept_q <= '{tag: long_tag_t'({req_source_i, req_i.tag}), offset: req_i.va[PageLg2-1:0]};
      b_access_q <= req_i.access;
      b_key_q <= req_key;
    end
  end

  // ---- Misses. A far miss is offered in stage B. If it is not accepted, it waits in the ask
  // registers, as every near miss does, with slot slot_q, which stage B has already written. The
  // key of the next offer is announced a cycle ahead: the key of the waiting miss if it stays; else
  // the key of stage B's request if it certainly misses and stays; else the key of the new request,
  // in case stage B's request hits.
  logic   offered, taken, release_q, b_far, b_misses, ask_stays, b_told_q, ask_told_q;
  index_t slot_q, result_slot, release_slot_q;
  key_t   ask_key_q;
  kept_t  kept;
  logic [1:0] ask_source_q, offered_source, b_source, msg_source;
  assign b_source = 2'(b_kept_q.tag >> $bits(tag_t));
  assign msg_source = Sources > 1 ? 2'(msg_i.port - port_i) : '0;
  assign b_far = b_valid_q && !b_near;
  assign offered = ask_valid_q ? ask_told_q : b_far && b_told_q && slot_one_q;
  assign taken = offered && lookup_ready_i;
  assign ask_stays = ask_valid_q && !(ask_told_q && lookup_ready_i);
  assign b_misses = b_far && (ask_valid_q || !(b_told_q && slot_one_q && lookup_ready_i));
  assign lookup_valid_o = offered;
  assign offered_source = ask_valid_q ? ask_source_q : b_source;
  assign lookup_o = '{port: Sources > 1 ? port_i + port_t'(offered_source) : port_i,
                      slot: slot_t'(slot_q)};
  assign lookup_key_o = ask_stays ? ask_key_q : b_misses ? b_key_q : req_key;
  assign lookup_pending_o = ask_stays || (b_misses && slot_one_q);
  assign lookup_hint_o = lookup_pending_o || b_misses || req_valid_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) ask_valid_q <= 1'b0;
    else if (ask_valid_q) ask_valid_q <= ask_stays;
    else ask_valid_q <= b_valid_q && slot_one_q && !b_hit && !taken;
    if (!ask_valid_q) ask_key_q <= b_key_q;
    if (!ask_valid_q) ask_source_q <= b_source;
    ask_told_q <= ask_stays || (b_misses && !ask_valid_q);
    b_told_q <= !ask_stays && (b_misses ? ask_valid_q : accept);
  end

  // ---- Miss slots (MSHRs). A slot stores the tag, offset and access of a lookup until its
  // response arrives; the rest travels with the lookup. Free slots wait in a FIFO; slot_q is the
  // next to use (slot_one_q: valid). Stage B writes it speculatively, and only a miss keeps it. A
  // released slot is free after two cycles. No slot is free in the first cycles after a reset.
  logic [SlotBits:0] free_write_q, free_read_q;  // one bit wider than a slot number
  logic              free_ready_q;               // every slot number has entered the FIFO
  logic              free_more, slot_load, may;
  index_t            free_next;
  logic [$bits(access_e)-1:0] access_word;
  assign may = b_valid_q && slot_one_q && !ask_valid_q;
  assign free_more = free_ready_q && free_write_q != free_read_q;
  assign slot_load = taken || !slot_one_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      free_write_q <= '0;
      free_read_q <= '0;
      free_ready_q <= 1'b0;
      slot_one_q <= 1'b0;
    end else begin
      if (release_q || !free_ready_q) free_write_q <= free_write_q + 1'b1;
      if (index_t'(free_write_q) == '1) free_ready_q <= 1'b1;
      if (slot_load && free_more) free_read_q <= free_read_q + 1'b1;
      if (slot_load) slot_one_q <= free_more;
    end
    if (slot_load) slot_q <= free_next;
    few_o <= Slots >= 8 && free_write_q - free_read_q <= (SlotBits + 1)'(4);
  end
  gmmu_lutram #(.Width(SlotBits), .Depth(Slots)) u_free (
    .clk_i, .write_i(release_q || !free_ready_q), .write_addr_i(index_t'(free_write_q)),
    .data_i(free_ready_q ? release_slot_q : index_t'(free_write_q)),
    .read_addr_i(index_t'(free_read_q)), .data_o(free_next));
  gmmu_lutram #(.Width($bits(kept_t)), .Depth(Slots)) u_kept (
    .clk_i, .write_i(may), .write_addr_i(slot_q), .data_i(b_kept_q),
    .read_addr_i(result_slot), .data_o(kept));
  gmmu_lutram #(.Width($bits(access_e)), .Depth(Slots)) u_access (
    .clk_i, .write_i(may), .write_addr_i(slot_q), .data_i(b_access_q),
    .read_addr_i(index_t'(msg_i.slot)), .data_o(access_word));
  assign slot_access = access_e'(access_word);

  // Returns `cause`, or the protection fault that `access` to page `what` raises. A zero page never
  // faults. `access` arrives late in the cycle, so it is used last.
  function automatic cause_t judged(access_e access, page_t what, cause_t cause);
    logic unused_bits, allows, write, execute;
    unused_bits = ^what;
    allows = what.zero || cause != '0;
    write = what.read_only && !allows;
    execute = what.no_execute && !allows;
    return cause | (access == AccessWrite && write ? cause_t'(FaultWriteProtect) : '0)
        | (access == AccessExecute && execute ? cause_t'(FaultExecuteProtect) : '0);
  endfunction

  // ---- Results are checked as they arrive. Each is written to a FIFO speculatively, and stays
  // there if it cannot leave in the same cycle. Waiting results leave before hits, but never
  // replace a response that has already been offered.
  localparam int unsigned HeldBits = SlotBits < 3 ? 3 : SlotBits;
  logic [HeldBits:0] held_write_q, held_read_q, held_count;  // one bit wider than an address
  logic    held_valid_q, held_push, held_pop, stuck_q, by_hit, take;
  result_t arriving, held, result;
  assign arriving = '{slot: index_t'(msg_i.slot), generation: generation_i, merged: msg_i.merged,
                      cause: judged(slot_access, msg_i.page, msg_i.cause),
                      page: msg_i.page, access: slot_access, key: msg_i.key};
  assign by_hit = hit_valid_q && (stuck_q || !held_valid_q);
  assign rsp_valid_o = hit_valid_q || held_valid_q || msg_valid_i;
  assign take = rsp_valid_o && rsp_ready_i;

  // Without the event port, access and key are not stored.
  localparam int unsigned SeenWidth = EventPort ? 0 : $bits(access_e) + $bits(key_t);
  localparam int unsigned HeldWidth = $bits(result_t) - SeenWidth;
  logic [HeldWidth-1:0] held_word;
  gmmu_lutram #(.Width(HeldWidth), .Depth(2**HeldBits)) u_held (
    .clk_i, .write_i(msg_valid_i), .write_addr_i(HeldBits'(held_write_q)),
    .data_i(HeldWidth'(arriving >> SeenWidth)),
    .read_addr_i(HeldBits'(held_read_q)), .data_o(held_word));
  assign held = $bits(result_t)'(held_word) << SeenWidth;
  assign held_push = msg_valid_i && (hit_valid_q || held_valid_q || !rsp_ready_i);
  assign held_pop = held_valid_q && !by_hit && rsp_ready_i;
  assign held_count = held_write_q - held_read_q;
  assign result = held_valid_q ? held : arriving;
  assign result_slot = result.slot;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      held_write_q <= '0;
      held_read_q <= '0;
      held_valid_q <= 1'b0;
    end else begin
      if (held_push) held_write_q <= held_write_q + 1'b1;
      if (held_pop) held_read_q <= held_read_q + 1'b1;
      held_valid_q <= held_push || held_count > (HeldBits + 1)'(held_pop);
    end
    stuck_q <= by_hit && !rsp_ready_i && !rst_i;
    release_q <= take && !by_hit && !rst_i;
    release_slot_q <= result_slot;
  end

  // ---- Hits wait in two registers.
  hit_t b_out;
  logic hit_free;
  assign b_out = '{kept: b_kept_q, access: b_access_q, generation: generation_i, low: b_key_q.vpn[3:0], entry: b_entry};
  assign hit_free = !hit_valid_q || (by_hit && rsp_ready_i);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      hit_valid_q <= 1'b0;
      spare_valid_q <= 1'b0;
    end else if (hit_free) begin
      hit_valid_q <= spare_valid_q || b_push;
      spare_valid_q <= 1'b0;
    end else begin
      spare_valid_q <= spare_valid_q || b_push;
    end
    if (hit_free) hit_q <= spare_valid_q ? spare_q : b_out;
    if (!spare_valid_q) spare_q <= b_out;
  end

  // ---- The response.
  page_t  page;
  kept_t  asked;
  cause_t cause;
  assign page = by_hit ? hit_page : result.page;
  assign asked = by_hit ? hit_q.kept : kept;
  assign cause = by_hit ? judged(hit_q.access, hit_page, '0) : result.cause;
  always_comb begin
    rsp_o = '{tag: tag_t'(asked.tag), generation: by_hit ? hit_q.generation : result.generation,
              gpa: '{target: page.target, adapter: page.adapter, offset: {page.pfn, asked.offset}},
              zero: page.zero, coherent: page.coherent, fault: fault_e'(8'(cause)),
              level: page.level};
    if (by_hit && hit_page.big) rsp_o.gpa.offset[PageLg2 +: 4] = hit_q.low;
  end

  assign rsp_source_o = 2'(asked.tag >> $bits(tag_t));
  if (EventPort) begin : g_event
    key_t hit_key_q, spare_key_q, key;
    always_ff @(posedge clk_i) begin
      if (hit_free) hit_key_q <= spare_valid_q ? spare_key_q : b_key_q;
      if (!spare_valid_q) spare_key_q <= b_key_q;
    end
    assign key = by_hit ? hit_key_q : result.key;
    always_comb begin
      ev_o = '{space: key.space, access: by_hit ? hit_q.access : result.access,
               va: 64'({key.vpn, asked.offset}), gpa: rsp_o.gpa, zero: rsp_o.zero,
               fault: rsp_o.fault, level: rsp_o.level};
      if (key.high) ev_o.va[63:VaWidth] = '1;
    end
  end else begin : g_no_event
    assign ev_o = '0;
  end

  // ---- Per source: the number of responses in use, by drain generation, and the port's events.
  // Requests are accepted only while all counters are less than half full; the upper half has room
  // for the responses to all requests already accepted.
  localparam int unsigned UseWidth = SlotBits + 3;
  logic [Sources-1:0] room_q, out;
  logic [1:0]         drained_q [Sources];  // [g]: no response of generation g in use, 3 cycles ago
  logic               generation_q;
  logic               accept_q, take_q, hit_take_q, merged_q, bad;
  cause_t             cause_q;
  logic [1:0]         take_source_q;
  always_ff @(posedge clk_i) begin
    accept_q <= accept && !rst_i;
    take_q <= take && !rst_i;
    hit_take_q <= by_hit;
    merged_q <= result.merged;
    cause_q <= cause;
    take_source_q <= rsp_source_o;
    generation_q <= generation_i;
  end
  assign bad = cause_q != '0;
  for (genvar i = 0; i < Sources; i++) begin : g_source
    // The responses made and returned in a cycle are summed first and counted in the next cycle.
    // made_q delays the number made by one more cycle, because it is known late. No response can be
    // returned before it has been counted.
    logic [1:0]      made_q, made, half;
    logic [1:0][1:0] back;  // by generation
    assign made = {1'b0, made_q[1]} + {1'b0, made_q[0]};
    assign back = done_i[i];
    always_ff @(posedge clk_i) begin
      made_q <= rst_i ? '0 : {b_push && b_source == 2'(i), msg_valid_i && msg_source == 2'(i)};
      room_q[i] <= rst_i || half == '0;
    end
    for (genvar g = 0; g < 2; g++) begin : g_generation
      logic signed [3:0]   change_q;
      logic [UseWidth-1:0] use_q;
      logic [1:0]          more;
      assign more = generation_q == 1'(g) ? made : '0;
      assign half[g] = use_q[UseWidth-1];
      always_ff @(posedge clk_i) begin
        change_q <= rst_i ? '0 : 4'(more) - 4'(back[g]);
        use_q <= rst_i ? '0 : use_q + UseWidth'(change_q);
        drained_q[i][g] <= rst_i || (use_q == '0 && change_q == '0 && made_q == '0);
      end
      a_given_back_once: assert property (@(posedge clk_i) disable iff (rst_i)
        UseWidth'(back[g]) <= use_q + UseWidth'(change_q) + UseWidth'(more));
    end

    logic       came, went;
    logic [7:0] outstanding_q;
    assign came = accept_q && b_source == 2'(i);
    assign went = take_q && take_source_q == 2'(i);
    assign out[i] = outstanding_q == '0;
    always_ff @(posedge clk_i) begin
      if (rst_i) outstanding_q <= '0;
      else if (came != went) outstanding_q <= outstanding_q + {{7{went}}, 1'b1};
      if (rst_i) begin
        count_o[i] <= '0;
      end else begin
        count_o[i] <= '{lookup: came, hit: went && !bad && hit_take_q,
                        miss: went && !bad && !hit_take_q && !merged_q,
                        merged: went && !bad && !hit_take_q && merged_q, fault: went && bad,
                        outstanding: outstanding_q};
      end
    end
  end
  always_comb begin
    drained_o = 2'b11;
    for (int unsigned i = 0; i < Sources; i++) drained_o &= drained_q[i];
  end

  // ---- A fill occupies the hint read port for one cycle. It needs a cycle without a request
  // before it, unless seven fills have been dropped, and never directly follows another fill.
  logic [2:0] skipped_q;
  logic       fill_wanted, fill_d, swept_q;
  assign fill_wanted = msg_valid_i && msg_i.cause == '0;
  assign fill_d = fill_wanted && !fill_q && !place_q && (!req_valid_i || skipped_q == '1);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fill_q <= 1'b0;
      place_q <= 1'b0;
      write_q <= 1'b0;
      skipped_q <= '0;
      swept_q <= 1'b0;
      ready_q <= 1'b0;
    end else begin
      fill_q <= fill_d;
      place_q <= fill_q;
      write_q <= place_q;
      if (fill_d) skipped_q <= '0;
      else if (fill_wanted && skipped_q != '1) skipped_q <= skipped_q + 1'b1;
      if (sweep_i.valid && 32'(sweep_i.index) == Entries - 1) swept_q <= 1'b1;
      ready_q <= swept_q && room_q == '1;
    end
  end

  assign idle_o = !b_valid_q && !fill_q && !place_q && !write_q && !accept_q && out == '1
      && !rsp_valid_o && drained_o == 2'b11;

  logic unused_bits;
  assign unused_bits = ^{msg_i, req_source_i, port_i, take_source_q, result, held, page, hit_page, later_i, last_i, sweep_i};

  a_follow: assert property (@(posedge clk_i) disable iff (rst_i) !(accept && b_stays));
  a_far: assert property (@(posedge clk_i) disable iff (rst_i) !(taken && b_hit && !ask_valid_q));
  a_quiet: assert property (@(posedge clk_i) disable iff (rst_i)
    !(sweep_i.valid && (msg_valid_i || fill_q || place_q || write_q)));
  a_slot: assert property (@(posedge clk_i) disable iff (rst_i) !taken || slot_one_q);
  a_release: assert property (@(posedge clk_i) disable iff (rst_i)
    !release_q || (free_ready_q && free_write_q - free_read_q != (SlotBits + 1)'(Slots)));
  a_held: assert property (@(posedge clk_i) disable iff (rst_i)
    !msg_valid_i || held_count < (HeldBits + 1)'(2**HeldBits));

  if (Slots < 2 || Slots > 64 || (Slots & (Slots - 1)) != 0) begin : g_illegal
    $fatal(1, "gmmu_l1: Slots must be a power of two from 2 to 64");
  end
endmodule

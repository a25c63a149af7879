// SPDX-License-Identifier: Apache-2.0
// Access unit of one client: translates, routes and performs up to Slots accesses at once.
//
//   req      one access; its id names the slot that it occupies until the last beat of its answer
//            is taken
//   w        words of a write, before its request is offered
//   rsp      answers by id in any order, or, while ordered_i is 1, by ascending id from 0 on
//            (modulo Slots)
//   xlate    one lookup an access, tag = id; every answer is given back by done_o once: with the
//            last R, with B, or at once for faults and zero pages
//   fault    one record a faulted access; while ordered_i is 1 only the first one
//
// Zero pages: reads answer zeros, writes are dropped. A bus error answers FaultBusRead or
// FaultBusWrite. R and B are always taken: data lands in the slot that the request reserved.
module gmmu_client
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_i,
  input  port_t         port_i,       // constant: the translation port's number

  input  logic [63:0]   vram_bytes_i,
  input  logic          ordered_i,
  output logic          idle_o,       // no slot is occupied

  input  logic          req_valid_i,
  output logic          req_ready_o,
  input  client_req_t   req_i,
  input  logic          w_valid_i,
  output logic          w_ready_o,
  input  client_w_t     w_i,
  output logic          rsp_valid_o,
  input  logic          rsp_ready_i,
  output client_rsp_t   rsp_o,

  output logic          xlate_req_valid_o,
  input  logic          xlate_req_ready_i,
  output xlate_req_t    xlate_req_o,
  input  logic          xlate_rsp_valid_i,
  output logic          xlate_rsp_ready_o,
  input  xlate_rsp_t    xlate_rsp_i,
  output xlate_done_t   xlate_done_o,

  output logic          ap_req_valid_o,
  input  logic          ap_req_ready_i,
  output pfn_t          ap_req_page_o,
  input  logic          ap_rsp_valid_i,
  input  aperture_rsp_t ap_rsp_i,

  output logic          ar_valid_o,
  input  logic          ar_ready_i,
  output ax_t           ar_o,
  input  logic          r_valid_i,
  input  r_t            r_i,
  output logic          aw_valid_o,
  input  logic          aw_ready_i,
  output ax_t           aw_o,
  output logic          w_valid_o,
  input  logic          w_ready_i,
  output w_t            w_o,
  input  logic          b_valid_i,
  input  b_t            b_i,

  output logic          fault_valid_o,
  input  logic          fault_ready_i,
  output fault_info_t   fault_o,

  output logic [6:0]    count_read_bytes_o,   // bytes of the access answered in this cycle
  output logic [6:0]    count_write_bytes_o
);
  localparam int unsigned WordsPerBeat = DataBytes / 8;
  localparam int unsigned BeatsPerLine = LineBytes / DataBytes;
  localparam int unsigned BeatWidth = BeatsPerLine > 1 ? $clog2(BeatsPerLine) : 1;
  localparam int unsigned RowDepth = Slots * BeatsPerLine;
  localparam int unsigned RowWidth = $clog2(RowDepth);
  localparam int unsigned ByteLg2 = $clog2(DataBytes);

  function automatic logic [RowWidth-1:0] row_of(slot_t slot, logic [5:0] offset);
    return RowWidth'({slot, offset} >> ByteLg2);
  endfunction

  // ---- Requests: remembered by slot, sent to the MMU.
  typedef struct packed {
    space_t      space;
    logic [63:0] va;
    access_e     access;
    logic [6:0]  bytes;
  } info_t;

  logic       accept, skid_ready;
  xlate_req_t lookup;
  info_t      info_in, info_rsp, info_pick;
  logic [Slots-1:0] busy_q;

  assign accept = req_valid_i && req_ready_o;
  assign req_ready_o = skid_ready;
  assign info_in = '{space: req_i.space, va: req_i.va, access: req_i.access, bytes: req_i.bytes};
  assign lookup = '{tag: tag_t'(req_i.id), space: req_i.space, va: req_i.va, access: req_i.access};

  gmmu_skid #(.Width($bits(xlate_req_t))) u_lookup (
    .clk_i, .rst_i,
    .valid_i(req_valid_i), .ready_o(skid_ready), .data_i(lookup),
    .valid_o(xlate_req_valid_o), .ready_i(xlate_req_ready_i), .data_o(xlate_req_o)
  );

  // ---- Translations: faults and zero pages end here, the rest goes to the router.
  typedef struct packed {
    slot_t      slot;
    logic       write;
    logic [6:0] bytes;
  } route_tag_t;
  typedef struct packed {
    fault_e fault;
    level_t level;
    logic   zero;
  } verdict_t;

  slot_t      rsp_slot, pick_slot;
  logic       rsp_ends, rsp_take, route_in_ready;
  route_tag_t tag_in, tag_out;
  verdict_t   verdict_in, verdict;
  logic [6:0] bytes_m1;

  assign rsp_slot = xlate_rsp_i.tag[SlotLg2-1:0];
  assign rsp_ends = xlate_rsp_i.fault != FaultNone || xlate_rsp_i.zero;
  assign xlate_rsp_ready_o = route_in_ready;
  assign rsp_take = xlate_rsp_valid_i && xlate_rsp_ready_o;
  assign verdict_in = '{fault: xlate_rsp_i.fault, level: xlate_rsp_i.level, zero: xlate_rsp_i.zero};
  assign tag_in = '{slot: rsp_slot, write: info_rsp.access == AccessWrite, bytes: info_rsp.bytes};
  assign bytes_m1 = info_rsp.bytes - 7'd1;

  gmmu_lutram #(.Width($bits(info_t)), .Depth(Slots)) u_info_rsp (
    .clk_i, .write_i(accept), .write_addr_i(req_i.id), .data_i(info_in), .read_addr_i(rsp_slot),
    .data_o(info_rsp)
  );
  gmmu_lutram #(.Width($bits(info_t)), .Depth(Slots)) u_info_pick (
    .clk_i, .write_i(accept), .write_addr_i(req_i.id), .data_i(info_in), .read_addr_i(pick_slot),
    .data_o(info_pick)
  );
  gmmu_lutram #(.Width($bits(verdict_t)), .Depth(Slots)) u_verdicts (
    .clk_i, .write_i(rsp_take), .write_addr_i(rsp_slot), .data_i(verdict_in),
    .read_addr_i(pick_slot), .data_o(verdict)
  );

  logic   route_valid, route_take, route_coherent, route_ends;
  port_e  route_port;
  pa_t    route_addr;
  fault_e route_fault, route_fault_pick;

  gmmu_route #(.TagWidth($bits(route_tag_t)), .Depth(4)) u_route (
    .clk_i, .rst_i, .vram_bytes_i,
    .valid_i(xlate_rsp_valid_i && !rsp_ends), .ready_o(route_in_ready),
    .tag_i(tag_in), .gpa_i(xlate_rsp_i.gpa), .coherent_i(xlate_rsp_i.coherent),
    .bytes_m1_i({1'b0, bytes_m1}),
    .valid_o(route_valid), .ready_i(route_take), .tag_o(tag_out), .port_o(route_port),
    .addr_o(route_addr),
    .coherent_o(route_coherent), .fault_o(route_fault),
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i
  );

  // ---- Bus requests.
  logic [5:0] last_byte;
  logic       burst_ready;
  ax_t        ax;

  assign route_ends = route_fault != FaultNone;
  assign last_byte = route_addr[5:0] + tag_out.bytes[5:0] - 6'd1;
  always_comb begin
    ax = '0;
    ax.id = IdWidth'(tag_out.slot);
    ax.port = route_port;
    ax.addr = route_addr;
    ax.len = 8'(last_byte >> ByteLg2) - 8'(route_addr[5:0] >> ByteLg2);
    ax.user.no_snoop = !route_coherent;
  end
  assign ar_o = ax;
  assign aw_o = ax;
  assign ar_valid_o = route_valid && !route_ends && !tag_out.write;
  assign aw_valid_o = route_valid && !route_ends && tag_out.write && burst_ready;
  assign route_take = route_valid && (route_ends || (tag_out.write ? aw_ready_i && burst_ready
      : ar_ready_i));

  gmmu_lutram #(.Width($bits(fault_e)), .Depth(Slots)) u_route_faults (
    .clk_i, .write_i(route_valid), .write_addr_i(tag_out.slot), .data_i(route_fault),
    .read_addr_i(pick_slot), .data_o({route_fault_pick})
  );

  // ---- Write data: words wait in their slot; bursts follow their AW.
  typedef struct packed {
    slot_t      slot;
    logic [5:0] first;
    logic [5:0] last;
  } burst_t;

  burst_t               burst_in, burst;
  logic                 burst_valid, burst_end;
  logic [BeatWidth-1:0] w_beat_q;
  logic [5:0]           w_first, w_offset;    // first byte of the current beat's line offset
  logic [RowWidth-1:0]  w_row;

  assign burst_in = '{slot: tag_out.slot, first: route_addr[5:0], last: last_byte};
  gmmu_fifo #(.Width($bits(burst_t)), .Depth(4)) u_bursts (
    .clk_i, .rst_i,
    .valid_i(aw_valid_o && aw_ready_i), .ready_o(burst_ready), .data_i(burst_in),
    .valid_o(burst_valid), .ready_i(burst_end), .data_o(burst)
  );

  assign w_ready_o = 1'b1;
  assign w_first = (burst.first >> ByteLg2) << ByteLg2;
  assign w_offset = w_first + (6'(w_beat_q) << (BeatsPerLine > 1 ? ByteLg2 : 0));
  assign w_row = row_of(burst.slot, w_offset);
  assign w_valid_o = burst_valid;
  assign w_o.last = (w_offset >> ByteLg2) == (burst.last >> ByteLg2);
  for (genvar i = 0; i < DataBytes; i++) begin : g_strobe
    logic [5:0] at;
    assign at = w_offset + 6'(i);
    assign w_o.strb[i] = at >= burst.first && at <= burst.last;
  end
  for (genvar i = 0; i < WordsPerBeat; i++) begin : g_write_words
    gmmu_lutram #(.Width(64), .Depth(RowDepth)) u_words (
      .clk_i,
      .write_i(w_valid_i && (WordsPerBeat == 1 || (32'(w_i.word) % WordsPerBeat) == i)),
      .write_addr_i(row_of(w_i.id, {w_i.word, 3'd0})), .data_i(w_i.data),
      .read_addr_i(w_row), .data_o(w_o.data[64*i +: 64])
    );
  end
  assign burst_end = w_valid_o && w_ready_i && w_o.last;
  always_ff @(posedge clk_i) begin
    if (rst_i || burst_end) w_beat_q <= '0;
    else if (w_valid_o && w_ready_i) w_beat_q <= w_beat_q + 1'b1;
  end

  // ---- Read data lands in its slot.
  slot_t                   r_slot, b_slot;
  logic [BeatWidth-1:0]    r_beat_q [Slots];   // beats landed of each slot's burst
  logic [BeatWidth-1:0]    r_first_q [Slots];  // line beat of the burst's first one
  logic [RowWidth-1:0]     r_row, pick_row;
  logic [DataWidth-1:0]    landed;
  logic [5:0]              r_offset;

  assign r_slot = r_i.id[SlotLg2-1:0];
  assign b_slot = b_i.id[SlotLg2-1:0];
  assign r_offset = 6'(r_first_q[r_slot] + r_beat_q[r_slot]) << (BeatsPerLine > 1 ? ByteLg2 : 0);
  assign r_row = row_of(r_slot, r_offset);

  gmmu_lutram #(.Width(DataWidth), .Depth(RowDepth)) u_landing (
    .clk_i, .write_i(r_valid_i), .write_addr_i(r_row), .data_i(r_i.data), .read_addr_i(pick_row),
    .data_o(landed)
  );
  always_ff @(posedge clk_i) begin
    if (r_valid_i) r_beat_q[r_slot] <= r_beat_q[r_slot] + 1'b1;
    if (ar_valid_o) begin
      r_beat_q[tag_out.slot] <= '0;
      r_first_q[tag_out.slot] <= BeatWidth'(route_addr[5:0] >> ByteLg2);
    end
  end

  // ---- Ends of accesses.
  logic [Slots-1:0] complete_q, route_fault_q, bus_error_q, epoch_q;
  logic             end_rsp, end_route, end_r, end_b;
  count_t           owed0_q, owed1_q;          // answers to give back, by generation
  logic [2:0]       ended0, ended1;
  logic [1:0]       give0, give1;

  assign end_rsp = rsp_take && rsp_ends;
  assign end_route = route_take && route_ends;
  assign end_r = r_valid_i && r_i.last;
  assign end_b = b_valid_i;
  assign ended1 = 3'(end_rsp && xlate_rsp_i.epoch) + 3'(end_route && epoch_q[tag_out.slot]) +
                  3'(end_r && epoch_q[r_slot]) + 3'(end_b && epoch_q[b_slot]);
  assign ended0 = 3'(end_rsp && !xlate_rsp_i.epoch) + 3'(end_route && !epoch_q[tag_out.slot]) +
                  3'(end_r && !epoch_q[r_slot]) + 3'(end_b && !epoch_q[b_slot]);
  assign give0 = owed0_q > count_t'(3) ? 2'd3 : owed0_q[1:0];
  assign give1 = owed1_q > count_t'(3) ? 2'd3 : owed1_q[1:0];
  assign xlate_done_o = '{old1: give1, old0: give0};

  // ---- Answers, one word a cycle.
  logic [Slots-1:0] pickable, pick_grant;
  slot_t            pick_index, next_q;
  logic             pick_load, pick_valid_q, pick_end, muted_q, logged_q, out_ready;
  logic [2:0]       pick_word_q, pick_last_word, pick_word;
  logic             pick_first_q, faulted, one_beat, log_now;
  fault_e           reason;
  client_rsp_t      out;
  logic [5:0]       pick_last_byte;

  always_comb begin
    pickable = complete_q;
    if (ordered_i) pickable = complete_q & (Slots'(1) << next_q);
  end
  gmmu_rr_arbiter #(.N(Slots)) u_pick (
    .clk_i, .rst_i, .req_i(pickable), .advance_i(pick_load), .gnt_o(pick_grant),
    .index_o(pick_index)
  );
  assign pick_load = pickable != '0 && (!pick_valid_q || pick_end);

  always_comb begin
    reason = FaultNone;
    if (verdict.fault != FaultNone) reason = verdict.fault;
    else if (!verdict.zero && route_fault_q[pick_slot]) reason = route_fault_pick;
    else if (!verdict.zero && bus_error_q[pick_slot])
      reason = info_pick.access == AccessWrite ? FaultBusWrite : FaultBusRead;
  end
  assign faulted = reason != FaultNone;
  assign one_beat = faulted || info_pick.access == AccessWrite;
  assign pick_last_byte = info_pick.va[5:0] + info_pick.bytes[5:0] - 6'd1;
  assign pick_last_word = pick_last_byte[5:3];
  assign pick_word = pick_first_q ? info_pick.va[5:3] : pick_word_q;
  assign pick_row = row_of(pick_slot, {pick_word, 3'd0});

  // The fault's record is taken before its answer is given.
  assign log_now = pick_valid_q && faulted && !muted_q && !logged_q;
  assign fault_valid_o = log_now;
  assign fault_o = '{reason: reason, space: info_pick.space, port: port_i,
      access: info_pick.access,
                     level: verdict.fault != FaultNone ? verdict.level : '0, physical: 1'b0,
                         fence: '0,
                     address: info_pick.va};

  always_comb begin
    out = '{id: pick_slot, last: one_beat || pick_word == pick_last_word, fault: reason,
        word: pick_word, data: '0};
    if (!one_beat && !verdict.zero) out.data = landed[64 * (32'(pick_word) % WordsPerBeat) +: 64];
  end
  assign pick_end = pick_valid_q && !log_now && out_ready && out.last;

  gmmu_skid #(.Width($bits(client_rsp_t))) u_out (
    .clk_i, .rst_i,
    .valid_i(pick_valid_q && !log_now), .ready_o(out_ready), .data_i(out),
    .valid_o(rsp_valid_o), .ready_i(rsp_ready_i), .data_o(rsp_o)
  );

  assign count_read_bytes_o = pick_end && !faulted && info_pick.access != AccessWrite
      ? info_pick.bytes : '0;
  assign count_write_bytes_o = pick_end && !faulted && info_pick.access == AccessWrite
      ? info_pick.bytes : '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= '0;
      complete_q <= '0;
      owed0_q <= '0;
      owed1_q <= '0;
      pick_valid_q <= 1'b0;
      next_q <= '0;
      muted_q <= 1'b0;
      logged_q <= 1'b0;
    end else begin
      // busy: from the request to the last beat of the answer.
      if (rsp_valid_o && rsp_ready_i && rsp_o.last) busy_q[rsp_o.id] <= 1'b0;
      if (accept) busy_q[req_i.id] <= 1'b1;

      if (pick_load) complete_q[pick_index] <= 1'b0;
      if (end_rsp) complete_q[rsp_slot] <= 1'b1;
      if (end_route) complete_q[tag_out.slot] <= 1'b1;
      if (end_r) complete_q[r_slot] <= 1'b1;
      if (end_b) complete_q[b_slot] <= 1'b1;

      owed0_q <= owed0_q - count_t'(give0) + count_t'(ended0);
      owed1_q <= owed1_q - count_t'(give1) + count_t'(ended1);

      if (pick_load) pick_valid_q <= 1'b1;
      else if (pick_end) pick_valid_q <= 1'b0;

      if (!ordered_i) next_q <= '0;
      else if (pick_load) next_q <= next_q + 1'b1;

      if (!ordered_i) muted_q <= 1'b0;
      else if (pick_end && faulted) muted_q <= 1'b1;
      if (log_now && fault_ready_i) logged_q <= 1'b1;
      else if (pick_end) logged_q <= 1'b0;
    end

    if (pick_load) begin
      pick_slot <= pick_index;
      pick_first_q <= 1'b1;
    end else if (pick_valid_q && !log_now && out_ready) begin
      pick_first_q <= 1'b0;
    end
    if (pick_valid_q && !log_now && out_ready) pick_word_q <= pick_word + 3'd1;

    if (rsp_take) begin
      epoch_q[rsp_slot] <= xlate_rsp_i.epoch;
      route_fault_q[rsp_slot] <= 1'b0;
      bus_error_q[rsp_slot] <= 1'b0;
    end
    if (end_route) route_fault_q[tag_out.slot] <= 1'b1;
    if (r_valid_i && r_i.error) bus_error_q[r_slot] <= 1'b1;
    if (b_valid_i && b_i.error) bus_error_q[b_slot] <= 1'b1;
  end

  assign idle_o = busy_q == '0 && owed0_q == '0 && owed1_q == '0 && !req_valid_i;

  logic unused_bits;
  assign unused_bits = ^{xlate_rsp_i.tag, r_i.id, b_i.id, pick_grant, info_rsp, pick_last_byte};
endmodule

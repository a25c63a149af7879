// SPDX-License-Identifier: Apache-2.0
// Prefetches a range of 8-byte words (a ring entry or a paging buffer) in aligned chunks of 64
// bytes. Up to Chunks chunks are in flight. Addresses are translated one at a time, which is fast
// enough: a chunk has eight words, and its translation takes less time than the command processor
// needs to consume them. Sixteen chunks in flight cover a latency of 100 cycles at four words every
// five cycles.
//
//   request   the address of the range's first byte, 8-byte aligned, and the low address bits of
//             its last byte; the range is shorter than 2^32 bytes. The next range is accepted after
//             the last word of the current one.
//   words     in order. One of two consumers accepts them at a time. error_o is set, without
//             valid_o, if the next word could not be read; fault_o is the reason. error_o stays set
//             until abort_i, and no further word follows.
//   abort_i   (level) abandons the range; quiet_o: nothing is in flight, and all state is cleared
// Addresses are checked as in gmmu_dma_path. The slot number is the AXI id. A slot is reserved
// before its read is sent, so R never waits.
module gmmu_dma_fetch
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Chunks = 16,        // a power of two, 2 to 128
  localparam int unsigned EndWidth = 33
) (
  input  logic                clk_i,
  input  logic                rst_i,

  input  logic [63:0]         vram_bytes_i,
  input  link_cfg_t           link_i,
  output logic                awake_o,       // 0: no state changes in this cycle (gmmu_sleep)
  input  logic                abort_i,
  output logic                quiet_o,

  input  logic                job_valid_i,
  output logic                job_ready_o,
  input  place_t              job_place_i,
  input  logic [EndWidth-1:0] job_end_i,

  output logic                valid_o,
  input  logic                ready_i,
  input  logic                other_ready_i,
  output logic [63:0]         word_o,
  output logic                error_o,
  output dma_fault_t          fault_o,

  output logic                req_valid_o,
  input  logic                req_ready_i,
  output xlate_req_t          req_o,
  input  logic                rsp_valid_i,
  output logic                rsp_ready_o,
  input  xlate_rsp_t          rsp_i,
  output xlate_done_t         done_o,

  output logic                ap_req_valid_o,
  input  logic                ap_req_ready_i,
  output pfn_t                ap_req_page_o,
  input  logic                ap_rsp_valid_i,
  input  aperture_rsp_t       ap_rsp_i,

  output rd_req_t             rd_req_o,
  input  rd_rsp_t             rd_rsp_i
);
  localparam int unsigned TagWidth = $clog2(Chunks);
  localparam int unsigned ChunkLg2 = $clog2(LineBytes);
  localparam int unsigned WordWidth = ChunkLg2 - 3;
  localparam int unsigned LaneLg2 = $clog2(DataBytes);
  localparam int unsigned BeatLg2 = ChunkLg2 - LaneLg2;      // 0: a chunk is a single beat
  localparam int unsigned BeatWidth = BeatLg2 > 0 ? BeatLg2 : 1;
  typedef logic [TagWidth-1:0] slot_t;
  typedef logic [WordWidth-1:0] word_t;
  typedef logic [BeatWidth-1:0] beat_t;

  // Chunks are translated, checked and requested one at a time.
  typedef enum logic [2:0] {
    StateNext,         // wait for a chunk and a free slot
    StateAsk,          // request the translation of the chunk's address
    StateAnswer,
    StateJudge,        // check the address
    StateCheck,
    StateAperture,     // look up the aperture page
    StateMapped,
    StateSend          // send AR
  } state_e;
  state_e              state_q;
  logic                busy_q, last, step, ended, job_taken, started, clear;
  place_t              place_q;              // first byte of the chunk
  logic [EndWidth-1:0] end_q;
  logic [TagWidth:0]   alloc_q, drain_q;     // slot numbers with one extra (wrap) bit
  slot_t               slot_q, drain_slot;   // slot_q: slot of the current chunk
  logic                start;
  assign drain_slot = drain_q[TagWidth-1:0];
  assign last = place_q.address[EndWidth-1:ChunkLg2] == end_q[EndWidth-1:ChunkLg2];

  // The current chunk's translated address and check results.
  logic       virt_q, generation_q, ends_q, zero_q, coherent_q, absent_q, past_end_q, r_last, fails;
  target_e    target_q;
  logic [5:0] adapter_q;
  pfn_t       page_q;
  fault_e     fault_q;
  level_t     level_q;
  always_ff @(posedge clk_i) begin
    absent_q <= target_q == TargetPeer &&
                (adapter_q >= 6'(link_i.adapters) || adapter_q == 6'(link_i.own) ||
                 page_q[PfnWidth-1:PeerWidth-PageLg2] != '0);
    past_end_q <= target_q == TargetVram && vram_bytes_i[63:PaWidth] == '0 &&
                  page_q >= vram_bytes_i[PaWidth-1:PageLg2];
  end
  assign fails = (ends_q && !zero_q) || (!ends_q && (absent_q || past_end_q));
  // A chunk that fails the checks or is a zero page is not read. Its slot is marked in a cycle in
  // which no last R beat arrives.
  assign ended = state_q == StateCheck && (ends_q || absent_q || past_end_q) && !r_last;
  assign start = state_q == StateNext && busy_q && !abort_i &&
                 (alloc_q ^ drain_q) != {1'b1, slot_t'(0)};
  assign step = ended || (state_q == StateSend && rd_rsp_i.ar_ready);

  assign req_valid_o = state_q == StateAsk;
  assign req_o = '{tag: '0, space: place_q.space, va: place_q.address, access: AccessRead};
  assign rsp_ready_o = state_q == StateAnswer;
  assign ap_req_valid_o = state_q == StateAperture;
  assign ap_req_page_o = page_q;
  assign job_ready_o = !busy_q && state_q == StateNext && drain_q == alloc_q && started;
  assign job_taken = job_valid_i && job_ready_o && !abort_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateNext;
      busy_q <= 1'b0;
      alloc_q <= '0;
    end else begin
      unique case (state_q)
        StateNext: if (start) state_q <= place_q.physical ? StateJudge : StateAsk;
        StateAsk: if (req_ready_i) state_q <= StateAnswer;
        StateAnswer: if (rsp_valid_i) state_q <= StateJudge;
        StateJudge: state_q <= StateCheck;
        StateCheck:
          if (ends_q || absent_q || past_end_q) begin
            if (ended) state_q <= StateNext;
          end else begin
            state_q <= target_q == TargetAperture ? StateAperture : StateSend;
          end
        StateAperture: if (ap_req_ready_i) state_q <= StateMapped;
        StateMapped:
          if (ap_rsp_valid_i) state_q <= ap_rsp_i.fault != FaultNone ? StateCheck : StateSend;
        default: if (rd_rsp_i.ar_ready) state_q <= StateNext;
      endcase
      if (job_taken) busy_q <= 1'b1;
      else if ((step && (last || fails)) || (state_q == StateNext && abort_i)) busy_q <= 1'b0;
      if (start) alloc_q <= alloc_q + 1'b1;
    end

    if (job_taken) begin
      place_q <= job_place_i;
      end_q <= job_end_i;
    end else if (step) begin
      place_q.address <= {place_q.address[63:ChunkLg2] + (64 - ChunkLg2)'(1), ChunkLg2'(0)};
    end
    if (start) begin
      slot_q <= alloc_q[TagWidth-1:0];
      virt_q <= !place_q.physical;
      ends_q <= 1'b0;
      zero_q <= 1'b0;
      coherent_q <= 1'b1;
      target_q <= place_q.target;
      adapter_q <= '0;
      page_q <= place_q.address[PaWidth-1:PageLg2];
    end
    // These registers load in every cycle of the state; the values from the response cycle remain.
    if (state_q == StateAnswer) begin
      generation_q <= rsp_i.generation;
      ends_q <= rsp_i.fault != FaultNone || rsp_i.zero;
      zero_q <= rsp_i.zero && rsp_i.fault == FaultNone;
      coherent_q <= rsp_i.coherent;
      target_q <= rsp_i.gpa.target;
      adapter_q <= rsp_i.gpa.adapter;
      page_q <= rsp_i.gpa.offset[PaWidth-1:PageLg2];
      fault_q <= rsp_i.fault;
      level_q <= rsp_i.level;
    end
    if (state_q == StateMapped) begin
      ends_q <= ap_rsp_i.fault != FaultNone;
      coherent_q <= ap_rsp_i.coherent;
      target_q <= TargetSystem;
      page_q <= ap_rsp_i.page;
      fault_q <= ap_rsp_i.fault;
      level_q <= '0;
    end
    if (state_q == StateCheck && !ends_q) begin
      if (absent_q) fault_q <= FaultPeerAbsent;
      if (past_end_q) fault_q <= FaultVramRange;
      if (absent_q || past_end_q) level_q <= '0;
    end
  end

  always_comb begin
    rd_req_o.ar = '{id: IdWidth'(slot_q), port: PortHost,
             addr: {page_q, place_q.address[PageLg2-1:0]}, len: '0,
             user: '{no_snoop: !coherent_q, kind: KindLogical, default: '0}};
    if (target_q == TargetVram) rd_req_o.ar.port = PortVram;
    if (target_q == TargetPeer) begin
      rd_req_o.ar.port = PortPeer;
      rd_req_o.ar.addr[PaWidth-1:PeerWidth] = adapter_q;
    end
    if (BeatLg2 > 0)
      rd_req_o.ar.len = 8'(BeatWidth'((end_q[ChunkLg2-1:0] | {ChunkLg2{!last}}) >> LaneLg2) -
                    BeatWidth'(place_q.address[ChunkLg2-1:0] >> LaneLg2));
  end
  assign rd_req_o.ar_valid = state_q == StateSend;

  // Landing, one cycle after R. Each slot stores the number of its next beat, and whether an
  // earlier beat had an error; both are 0 between bursts. A range may start in the middle of a
  // chunk.
  logic  r_valid_q, r_bad, r_error, marked, mark_ended, mark_bad;
  r_t    r_q;
  slot_t r_slot, start_slot;
  beat_t r_beat;
  logic [1:0] r_lent;                        // {virtual, generation}
  always_ff @(posedge clk_i) begin
    r_valid_q <= rd_rsp_i.r_valid && !rst_i;
    r_last <= rd_rsp_i.r_valid && rd_rsp_i.r.last && !rst_i;
    if (rd_rsp_i.r_valid) r_q <= rd_rsp_i.r;
  end
  assign r_slot = slot_t'(r_q.id);
  assign r_bad = r_error || r_q.error;
  gmmu_dma_marks #(.Slots(Chunks), .Bits(2)) u_done (        // bits: {no read was issued, failed}
    .clk_i, .rst_i, .alloc_i(alloc_q), .started_o(started), .start_slot_o(start_slot),
    .mark_i(r_last || ended), .mark_slot_i(r_last ? r_slot : slot_q),
    .mark_bits_i(r_last ? {1'b0, r_bad} : {1'b1, fails}),
    .look_i(drain_q), .marked_o(marked), .bits_o({mark_ended, mark_bad}));
  gmmu_lutram #(.Width(BeatWidth + 1), .Depth(Chunks)) u_beat (
    .clk_i, .write_i(r_valid_q || !started), .write_addr_i(started ? r_slot : start_slot),
    .data_i(started && !r_q.last ? {r_bad, r_beat + beat_t'(1)} : '0),
    .read_addr_i(r_slot), .data_o({r_error, r_beat}));
  gmmu_lutram #(.Width(2), .Depth(Chunks)) u_lent (
    .clk_i, .write_i(step), .write_addr_i(slot_q), .data_i({virt_q, generation_q}),
    .read_addr_i(r_slot), .data_o(r_lent));

  // Output of words. For every word, its whole beat is read from RAM.
  logic  good, read, landed_q, landed_zero_q, out_free, drained;
  word_t word_q;                             // index of the next word in its chunk
  logic [DataWidth-1:0] landed;
  logic [63:0]          picked;
  beat_t                read_beat;
  assign good = drain_q != alloc_q && marked && !mark_bad;
  assign read = good && (!landed_q || out_free);
  assign drained = !busy_q && drain_q + 1'b1 == alloc_q && word_q == end_q[ChunkLg2-1:3];
  if (BeatLg2 > 0) begin : g_beats
    beat_t first_q;                          // index in its chunk of the range's first beat
    assign read_beat = beat_t'(word_q >> (LaneLg2 - 3)) - first_q;
    always_ff @(posedge clk_i) begin
      if (job_taken) first_q <= beat_t'(job_place_i.address[ChunkLg2-1:0] >> LaneLg2);
      else if (read && &word_q) first_q <= '0;
    end
  end else begin : g_one_beat
    assign read_beat = '0;
  end
  gmmu_ram_apart #(.Width(DataWidth), .Depth(Chunks << BeatWidth)) u_landing (
    .clk_i,
    .read_i(read), .read_addr_i({drain_slot, read_beat}), .data_o(landed),
    .write_i(r_valid_q), .write_addr_i({r_slot, r_beat}), .data_i(r_q.data));
  if (LaneLg2 > 3) begin : g_pick
    logic [LaneLg2-4:0] pick_q;              // index of the word in its beat
    always_ff @(posedge clk_i) if (read) pick_q <= word_q[LaneLg2-4:0];
    assign picked = landed[64*pick_q+:64];
  end else begin : g_whole
    assign picked = landed;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) drain_q <= '0;
    else if (clear) drain_q <= alloc_q;
    else if (read && (&word_q || drained)) drain_q <= drain_q + 1'b1;
    if (job_taken) word_q <= job_place_i.address[ChunkLg2-1:3];
    else if (read) word_q <= word_q + word_t'(1);
    if (rst_i || clear) begin
      landed_q <= 1'b0;
      error_o <= 1'b0;
    end else begin
      landed_q <= read || (landed_q && !out_free);
      // error_o is set when all words before the failed chunk have been consumed.
      error_o <= drain_q != alloc_q && marked && mark_bad && !landed_q && !valid_o;
    end
    if (read) landed_zero_q <= mark_ended;
  end
  gmmu_skid #(.Width(64)) u_word (
    .clk_i, .rst_i(rst_i || clear),
    .valid_i(landed_q), .ready_o(out_free), .data_i(landed_zero_q ? '0 : picked),
    .valid_o, .ready_i(ready_i || other_ready_i), .data_o(word_o));

  // The fault of the failed chunk. mark_ended: the chunk's address failed the checks, so the chunk
  // was not read.
  place_t fault_place;
  gmmu_ram_block #(.Width($bits(place_t)), .Depth(Chunks)) u_place (
    .clk_i, .write_i(step), .write_addr_i(slot_q), .data_i(place_q),
    .read_i(drain_q != alloc_q && marked && mark_bad), .read_addr_i(drain_slot),
    .data_o(fault_place));
  assign fault_o = '{reason: mark_ended ? fault_q : FaultBusRead, access: AccessRead,
                     level: mark_ended ? level_q : level_t'(0), place: fault_place};

  // Returns of translations, and the number of reads in flight.
  logic [TagWidth:0] pending_q;
  logic              issued, back_early, back_read;
  assign issued = rd_req_o.ar_valid && rd_rsp_i.ar_ready;
  assign back_early = ended && virt_q;
  assign back_read = r_last && r_lent[1];
  assign clear = abort_i && quiet_o;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pending_q <= '0;
      done_o <= '0;
      quiet_o <= 1'b0;
    end else begin
      if (issued && !r_last) pending_q <= pending_q + 1'b1;
      if (r_last && !issued) pending_q <= pending_q - 1'b1;
      done_o.old0 <= 2'(back_early && !generation_q) + 2'(back_read && !r_lent[0]);
      done_o.old1 <= 2'(back_early && generation_q) + 2'(back_read && r_lent[0]);
      quiet_o <= abort_i && state_q == StateNext && pending_q == '0;
    end
  end

  assign awake_o = !started || state_q != StateNext || start || job_valid_i || abort_i || quiet_o || rd_rsp_i.r_valid || r_valid_q
      || r_last || read || (landed_q && out_free) || (valid_o && (ready_i || other_ready_i)) || done_o != '0
      || (drain_q != alloc_q && marked && mark_bad && !error_o);

  logic unused;
  assign unused = ^{8'(r_q.id), vram_bytes_i[PageLg2-1:0], rsp_i.tag,
                    rsp_i.gpa.offset[PageLg2-1:0]};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Reads ranges of memory, many bursts at once, and hands the bytes out in order.
//
//   job       a range of length bytes (not 0); label comes back with its beats
//   slots     Each burst takes the next landing slot (a ring of Slots) before its address is
//             translated, so R never waits. Lookups, reads and data come back in any order; slots
//             are emptied in order, each when complete.
//   output    one bus beat as it lies in memory: mask_o marks the bytes of the range, last_o the
//             range's last beat. Zero pages give zeros.
//   fault     fault_valid_o stands when the oldest slot failed; fault_label_o names its range.
//             Nothing after it comes out. drained_o: all beats before it have left.
//   stop_i    no new burst, from the next cycle on. quiet_o, while it stands: every burst issued has
//             its data (or failed), every translation is given back. clear_i, only when quiet,
//             forgets everything.
// The slot number is the AXI id and the translation tag. Whether a slot's data is here is a mark in
// LUT RAM (gmmu_dma_marks).
module gmmu_dma_read
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Slots = 32,        // a power of two, 2 to 128
  parameter int unsigned MaxBurst = 128,    // bytes
  parameter int unsigned LabelWidth = 8,
  parameter bit          Slow = 1'b0        // a burst every other cycle
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic [63:0]           vram_bytes_i,
  input  link_cfg_t             link_i,
  input  logic                  stop_i,
  input  logic                  clear_i,
  output logic                  quiet_o,

  input  logic                  job_valid_i,
  output logic                  job_ready_o,
  input  place_t                job_place_i,
  input  logic [47:0]           job_length_i,
  input  logic [LabelWidth-1:0] job_label_i,

  output logic                  req_valid_o,
  input  logic                  req_ready_i,
  output xlate_req_t            req_o,
  input  logic                  rsp_valid_i,
  output logic                  rsp_ready_o,
  input  xlate_rsp_t            rsp_i,
  output xlate_done_t           done_o,

  output logic                  ap_req_valid_o,
  input  logic                  ap_req_ready_i,
  output pfn_t                  ap_req_page_o,
  input  logic                  ap_rsp_valid_i,
  input  aperture_rsp_t         ap_rsp_i,

  output logic                  ar_valid_o,
  input  logic                  ar_ready_i,
  output ax_t                   ar_o,
  input  logic                  r_valid_i,
  input  r_t                    r_i,

  output logic                  valid_o,
  input  logic                  ready_i,
  output logic [DataWidth-1:0]  data_o,
  output logic [DataBytes-1:0]  mask_o,
  output logic                  last_o,
  output logic [LabelWidth-1:0] label_o,

  output logic                  fault_valid_o,
  output dma_fault_t            fault_o,
  output logic [LabelWidth-1:0] fault_label_o,
  output logic                  drained_o,

  output logic [8:0]            count_bytes_o   // read from memory, counted when handed out
);
  localparam int unsigned TagWidth = $clog2(Slots);
  localparam int unsigned LaneLg2 = $clog2(DataBytes);
  localparam int unsigned Beats = MaxBurst > DataBytes ? MaxBurst / DataBytes : 1;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 1;
  localparam int unsigned OutDepth = 8;
  localparam int unsigned SpanWidth = BeatWidth + LaneLg2;
  if (DataBytes > MaxBurst) begin : g_illegal
    $fatal(1, "gmmu_dma_read: MaxBurst must be at least one bus beat");
  end
  typedef logic [TagWidth-1:0] slot_t;
  typedef logic [BeatWidth-1:0] beat_t;

  logic reset;
  assign reset = rst_i || clear_i;

  // Bursts into slots.
  logic                  burst_valid, burst_ready, burst_last, path_ready, started;
  place_t                burst_place;
  logic [7:0]            burst_bytes_m1;
  logic [LabelWidth-1:0] burst_label;
  gmmu_dma_split #(.Chunk(MaxBurst), .UserWidth(LabelWidth), .Slow(Slow)) u_split (
    .clk_i, .rst_i(reset),
    .valid_i(job_valid_i), .ready_o(job_ready_o), .place_i(job_place_i), .length_i(job_length_i),
    .user_i(job_label_i),
    .valid_o(burst_valid), .ready_i(burst_ready), .place_o(burst_place),
    .bytes_m1_o(burst_bytes_m1), .last_o(burst_last), .user_o(burst_label));

  // R, one cycle after it came.
  slot_t r_slot, result_tag;
  logic  r_valid_q, r_last;
  r_t    r_q;
  always_ff @(posedge clk_i) begin
    r_valid_q <= r_valid_i && !rst_i;
    r_last <= r_valid_i && r_i.last && !rst_i;
    r_q <= r_i;
  end
  assign r_slot = slot_t'(r_q.id);

  // Slots are given out (alloc), looked at for their data (look), and free again (drain).
  logic [TagWidth:0] alloc_q, look_q, drain_q;   // one bit more than a slot number
  logic [TagWidth:0] used_q;
  logic              slot_free_q, offer, take, freed;
  slot_t             alloc_slot, look_slot, drain_slot;
  assign alloc_slot = alloc_q[TagWidth-1:0];
  assign look_slot = look_q[TagWidth-1:0];
  assign drain_slot = drain_q[TagWidth-1:0];
  always_ff @(posedge clk_i) begin
    if (reset) begin
      used_q <= '0;
      slot_free_q <= 1'b0;
    end else begin
      if (take && !freed) used_q <= used_q + 1'b1;
      if (freed && !take) used_q <= used_q - 1'b1;
      slot_free_q <= started && !stop_i && (freed || used_q < (TagWidth + 1)'(Slots - 1) ||
                                 (used_q == (TagWidth + 1)'(Slots - 1) && !take));
    end
  end
  assign offer = burst_valid && slot_free_q;
  assign burst_ready = slot_free_q && path_ready;
  assign take = burst_valid && burst_ready;

  // What the beats of a slot look like; span: its last byte, counted from the first beat's lane 0.
  typedef struct packed {
    logic [LaneLg2-1:0]    lane;
    logic [SpanWidth-1:0]  span;
    logic                  last;
    logic [LabelWidth-1:0] label;
  } shape_t;
  shape_t               burst_shape, look_shape, head_q;
  beat_t                result_len;
  logic [SpanWidth-1:0] burst_span;
  assign burst_span = SpanWidth'(burst_bytes_m1) + SpanWidth'(burst_place.address[LaneLg2-1:0]);
  assign burst_shape = '{lane: burst_place.address[LaneLg2-1:0], span: burst_span,
                         last: burst_last, label: burst_label};
  gmmu_lutram #(.Width($bits(shape_t)), .Depth(Slots)) u_shape (
    .clk_i, .write_i(take), .write_addr_i(alloc_slot), .data_i(burst_shape),
    .read_addr_i(look_slot), .data_o(look_shape));
  gmmu_lutram #(.Width(BeatWidth), .Depth(Slots)) u_len (
    .clk_i, .write_i(take), .write_addr_i(alloc_slot), .data_i(beat_t'(burst_span >> LaneLg2)),
    .read_addr_i(result_tag), .data_o(result_len));

  // Addresses.
  logic   result_valid, result_ready, result_virt, result_generation, result_coherent, result_ends;
  logic   unused_zero;
  port_e  result_port;
  pa_t    result_addr;
  fault_e result_fault;
  level_t result_level;
  gmmu_dma_path #(.Tags(Slots), .Access(AccessRead), .Slow(Slow)) u_path (
    .clk_i, .rst_i, .vram_bytes_i, .link_i,
    .valid_i(offer), .ready_o(path_ready), .tag_i(alloc_slot),
    .place_i(burst_place),
    .req_valid_o, .req_ready_i, .req_o, .rsp_valid_i, .rsp_ready_o, .rsp_i,
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i,
    .valid_o(result_valid), .ready_i(result_ready), .tag_o(result_tag), .virt_o(result_virt),
    .generation_o(result_generation), .zero_o(unused_zero), .ends_o(result_ends), .port_o(result_port),
    .addr_o(result_addr),
    .coherent_o(result_coherent), .fault_o(result_fault), .level_o(result_level));

  logic ended_early;                          // no read will be issued for this slot
  logic ar_free;
  ax_t  result_ar;
  // One slot is marked a cycle: what ends early lets the last beat of another go first.
  assign result_ready = result_ends ? !r_last : ar_free;
  assign ended_early = result_valid && result_ready && result_ends;
  assign result_ar = '{id: IdWidth'(result_tag), port: result_port, addr: result_addr,
                       len: 8'(result_len),
                       user: '{no_snoop: !result_coherent, kind: KindLogical, default: '0}};
  gmmu_slice #(.Width($bits(ax_t)), .Slow(Slow)) u_ar (
    .clk_i, .rst_i,
    .valid_i(result_valid && !result_ends), .ready_o(ar_free), .data_i(result_ar),
    .valid_o(ar_valid_o), .ready_i(ar_ready_i), .data_o(ar_o));

  // Where a failing burst was to go and why it did not: looked at only when it is the oldest.
  typedef struct packed {
    fault_e fault;
    level_t level;
  } cause_t;
  cause_t     head_cause;
  place_t     head_place;
  logic [1:0] r_lent;                         // {virtual, generation}
  gmmu_ram_apart #(.Width($bits(place_t)), .Depth(Slots)) u_place (
    .clk_i, .write_i(take), .write_addr_i(alloc_slot), .data_i(burst_place),
    .read_i(1'b1), .read_addr_i(drain_slot), .data_o(head_place));
  gmmu_ram_apart #(.Width($bits(cause_t)), .Depth(Slots)) u_cause (
    .clk_i, .write_i(ended_early), .write_addr_i(result_tag),
    .data_i({result_fault, result_level}),
    .read_i(1'b1), .read_addr_i(drain_slot), .data_o(head_cause));
  gmmu_lutram #(.Width(2), .Depth(Slots)) u_lent (
    .clk_i, .write_i(result_valid && result_ready), .write_addr_i(result_tag),
    .data_i({result_virt, result_generation}), .read_addr_i(r_slot), .data_o(r_lent));

  // Landing. Each slot's next beat and whether one of them was an error; 0 between bursts.
  logic  r_bad, r_error, look_marked, look_ended, look_bad;
  beat_t r_beat;
  slot_t start_slot;
  assign r_bad = r_error || r_q.error;
  gmmu_dma_marks #(.Slots(Slots), .Bits(2)) u_done (   // {no read was issued, failed}
    .clk_i, .rst_i, .alloc_i(alloc_q), .started_o(started), .start_slot_o(start_slot),
    .mark_i(r_last || ended_early), .mark_slot_i(r_last ? r_slot : result_tag),
    .mark_bits_i(r_last ? {1'b0, r_bad} : {1'b1, result_fault != FaultNone}),
    .look_i(look_q), .marked_o(look_marked), .bits_o({look_ended, look_bad}));
  gmmu_lutram #(.Width(BeatWidth + 1), .Depth(Slots)) u_beat (
    .clk_i, .write_i(r_valid_q || !started), .write_addr_i(started ? r_slot : start_slot),
    .data_i(started && !r_q.last ? {r_bad, r_beat + beat_t'(1)} : '0),
    .read_addr_i(r_slot), .data_o({r_error, r_beat}));

  // Draining: one beat read a cycle while the output has a place for it. The oldest slot's shape and
  // mark are in registers; those of the next are read while its last beat is.
  logic                 step, step_last, load, look, seen, unseen_q, room_q;   // unseen: look_q != alloc_q
  logic                 head_valid_q, head_good_q, head_ended_q, head_bad_q;   // good: valid, not bad
  beat_t                step_q, left_q;       // left_q: beats after this one; step_last: none
  logic [$clog2(OutDepth+1)-1:0] credit_q;    // room_q: it is not 0
  assign step = head_good_q && room_q;
  assign freed = step && step_last;
  assign load = !head_valid_q || freed;
  assign seen = unseen_q && look_marked;
  assign look = seen && load;

  logic                 out_pop, out_pop_q, landed_q, landed_zero_q, landed_last_q;
  logic [DataWidth-1:0] landed;
  logic [DataBytes-1:0] step_mask, landed_mask_q;
  logic [LabelWidth-1:0] landed_label_q;
  gmmu_ram_apart #(.Width(DataWidth), .Depth(Slots << BeatWidth)) u_landing (
    .clk_i,
    .read_i(step), .read_addr_i({drain_slot, step_q}), .data_o(landed),
    .write_i(r_valid_q), .write_addr_i({r_slot, r_beat}), .data_i(r_q.data));

  always_comb begin
    for (int unsigned lane = 0; lane < DataBytes; lane++)
      step_mask[lane] = (step_q != '0 || lane >= 32'(head_q.lane)) &&
                        (!step_last || lane <= 32'(head_q.span[LaneLg2-1:0]));
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      alloc_q <= '0;
      look_q <= '0;
      drain_q <= '0;
    end else begin
      if (take) alloc_q <= alloc_q + 1'b1;
      if (clear_i) look_q <= alloc_q;
      else if (look) look_q <= look_q + 1'b1;
      if (clear_i) drain_q <= alloc_q;
      else if (freed) drain_q <= drain_q + 1'b1;
    end
    if (load) begin
      head_q <= look_shape;
      head_ended_q <= look_ended;
      head_bad_q <= look_bad;
      left_q <= look_shape.span[SpanWidth-1:LaneLg2];
      step_last <= look_shape.span[SpanWidth-1:LaneLg2] == '0;
    end else if (step) begin
      left_q <= left_q - beat_t'(1);
      step_last <= left_q == beat_t'(1);
    end
    if (reset) unseen_q <= 1'b0;
    else if (take) unseen_q <= 1'b1;
    else if (look) unseen_q <= look_q + 1'b1 != alloc_q;
    if (reset) begin
      head_valid_q <= 1'b0;
      head_good_q <= 1'b0;
      out_pop_q <= 1'b0;
      step_q <= '0;
      landed_q <= 1'b0;
      credit_q <= ($clog2(OutDepth+1))'(OutDepth);
      room_q <= 1'b1;
    end else begin
      if (step) step_q <= step_last ? '0 : step_q + beat_t'(1);
      if (load) head_valid_q <= seen;
      if (load) head_good_q <= seen && !look_bad;
      landed_q <= step;
      out_pop_q <= out_pop;
      if (step && !out_pop_q) credit_q <= credit_q - 1'b1;
      if (out_pop_q && !step) credit_q <= credit_q + 1'b1;
      room_q <= out_pop_q || credit_q > ($clog2(OutDepth+1))'(1) ||
                (credit_q == ($clog2(OutDepth+1))'(1) && !step);
    end
    landed_mask_q <= step_mask;
    landed_zero_q <= head_ended_q;
    landed_last_q <= step_last && head_q.last;
    landed_label_q <= head_q.label;
  end

  logic out_ready_unused;                     // credits keep a place
  gmmu_fifo #(.Width(DataWidth + DataBytes + 1 + LabelWidth), .Depth(OutDepth)) u_out (
    .clk_i, .rst_i(reset),
    .valid_i(landed_q), .ready_o(out_ready_unused),
    .data_i({landed_zero_q ? '0 : landed, landed_mask_q, landed_last_q, landed_label_q}),
    .valid_o, .ready_i, .data_o({data_o, mask_o, last_o, label_o}));
  assign out_pop = valid_o && ready_i;

  // The oldest slot failed: its place and cause are read in the cycle in which that is seen.
  logic ended_q;
  always_ff @(posedge clk_i) begin
    if (reset) fault_valid_o <= 1'b0;
    else fault_valid_o <= head_valid_q && head_bad_q;
    ended_q <= head_ended_q;
    fault_label_o <= head_q.label;
  end
  assign fault_o = '{reason: ended_q ? head_cause.fault : FaultBusRead, access: AccessRead,
                     level: ended_q ? head_cause.level : level_t'(0), place: head_place};
  assign drained_o = credit_q == ($clog2(OutDepth+1))'(OutDepth);

  logic [8:0] step_bytes;
  assign step_bytes = 9'(head_q.span) - 9'(head_q.lane) + 9'd1;
  always_ff @(posedge clk_i) begin
    count_bytes_o <= step && step_last && !head_ended_q && !rst_i ? step_bytes : 9'd0;
  end

  // Translations given back; bursts without their end, which is counted a cycle late.
  logic [TagWidth:0] pending_q;
  logic [1:0]        gone_q;
  logic              back_early, back_read;
  assign back_early = ended_early && result_virt;
  assign back_read = r_last && r_lent[1];
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pending_q <= '0;
      gone_q <= '0;
      done_o <= '0;
    end else begin
      gone_q <= 2'(ended_early) + 2'(r_last);
      pending_q <= pending_q + (TagWidth + 1)'(take) - (TagWidth + 1)'(gone_q);
      done_o.old0 <= 2'(back_early && !result_generation) + 2'(back_read && !r_lent[0]);
      done_o.old1 <= 2'(back_early && result_generation) + 2'(back_read && r_lent[0]);
    end
  end
  always_ff @(posedge clk_i) quiet_o <= pending_q == '0 && !take && stop_i && !rst_i;

  logic unused;
  assign unused = ^{out_ready_unused, unused_zero, burst_bytes_m1, 8'(r_q.id)};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Reads ranges of memory with many bursts in flight, and outputs their bytes in order.
//
//   job       a range (see gmmu_dma_split); its label is output with its beats
//   slots     Each burst occupies the next landing slot (in a ring of Slots) before its address is
//             translated, so R never waits. Translations and data arrive in any order; reads are
//             sent in order, and complete slots are emptied in order.
//   output    one bus beat in memory layout: mask_o marks the bytes of the range, last_o the last
//             beat of the range. Bytes of zero pages are 0.
//   fault     fault_valid_o rises when the oldest slot has failed; fault_label_o is the label of
//             its range. No later beat is output. drained_o: all beats before the failed slot have
//             been accepted.
//   stop_i    From the next cycle on, no new burst starts. quiet_o, during stop_i: all sent bursts
//             have their data (or have failed), and all translations were returned. clear_i, only
//             while quiet, clears all state.
// The slot number is the AXI id and the translation tag. A mark in LUT RAM (gmmu_dma_marks) shows
// that a slot's data has arrived.
module gmmu_dma_read
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Slots = 32,        // a power of two, 2 to 128
  parameter int unsigned MaxBurst = 128,    // bytes
  parameter int unsigned LabelWidth = 8
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
  input  end_t                  job_end_i,
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

  output rd_req_t               rd_req_o,
  input  rd_rsp_t               rd_rsp_i,

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

  // bytes read from memory, counted when they are output
  output logic [8:0]            count_bytes_o
);
  localparam int unsigned TagWidth = $clog2(Slots);
  localparam int unsigned LaneLg2 = $clog2(DataBytes);
  localparam int unsigned Beats = MaxBurst > DataBytes ? MaxBurst / DataBytes : 1;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 1;
  localparam int unsigned ChunkLg2 = $clog2(MaxBurst);
  if (DataBytes > MaxBurst) begin : g_illegal
    $fatal(1, "gmmu_dma_read: MaxBurst must be at least one bus beat");
  end
  typedef logic [TagWidth-1:0] slot_t;
  typedef logic [BeatWidth-1:0] beat_t;
  typedef logic [LaneLg2-1:0] lane_t;

  logic reset;
  assign reset = rst_i || clear_i;

  // Bursts enter slots.
  logic                  burst_valid, burst_ready, burst_last, path_ready;
  place_t                burst_place;
  logic [ChunkLg2-1:0]   burst_stop;
  logic [LabelWidth-1:0] burst_label;
  gmmu_dma_split #(.Chunk(MaxBurst), .UserWidth(LabelWidth)) u_split (
    .clk_i, .rst_i(reset),
    .valid_i(job_valid_i), .ready_o(job_ready_o), .place_i(job_place_i), .end_i(job_end_i),
    .user_i(job_label_i),
    .valid_o(burst_valid), .ready_i(burst_ready), .place_o(burst_place), .stop_o(burst_stop),
    .last_o(burst_last), .user_o(burst_label));

  // The R beat, registered.
  slot_t r_slot;
  logic  r_valid_q, r_last;
  r_t    r_q;
  always_ff @(posedge clk_i) begin
    r_valid_q <= rd_rsp_i.r_valid && !rst_i;
    r_last <= rd_rsp_i.r_valid && rd_rsp_i.r.last && !rst_i;
    if (rd_rsp_i.r_valid) r_q <= rd_rsp_i.r;
  end
  assign r_slot = slot_t'(r_q.id);

  // Slots are allocated (alloc), checked for their data (look) and emptied (drain).
  logic [TagWidth:0] alloc_q, look_q, drain_q;   // one bit wider than a slot number
  logic [TagWidth:0] used_q;
  logic              started, slot_free_q, take, freed, unseen_q;   // unseen_q: look_q != alloc_q
  slot_t             drain_slot;
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
  assign burst_ready = slot_free_q && path_ready;
  assign take = burst_valid && burst_ready;

  // The layout of a slot's beats, which is read from RAM before the slot is checked.
  typedef struct packed {
    lane_t                 lane;             // lane of the first byte in the first beat
    beat_t                 beats_m1;
    lane_t                 stop;             // lane of the last byte in the last beat
    logic                  last;
    logic [LabelWidth-1:0] label;
  } shape_t;
  shape_t burst_shape, look_shape;
  // look_more: another slot follows; peeked_q: look_shape is valid
  logic   look, look_more, peek, peeked_q;
  logic [TagWidth:0] look_next;
  if (ChunkLg2 > LaneLg2) begin : g_beats
    assign burst_shape.beats_m1 = burst_stop[ChunkLg2-1:LaneLg2] -
                                  burst_place.address[ChunkLg2-1:LaneLg2];
  end else begin : g_one_beat
    assign burst_shape.beats_m1 = '0;
  end
  assign burst_shape.lane = burst_place.address[LaneLg2-1:0];
  assign burst_shape.stop = burst_stop[LaneLg2-1:0];
  assign burst_shape.last = burst_last;
  assign burst_shape.label = burst_label;
  gmmu_ram_block #(.Width($bits(shape_t)), .Depth(Slots)) u_shape (
    .clk_i, .write_i(take), .write_addr_i(alloc_q[TagWidth-1:0]), .data_i(burst_shape),
    .read_i(peek), .read_addr_i(look ? look_next[TagWidth-1:0] : look_q[TagWidth-1:0]),
    .data_o(look_shape));
  assign look_next = look_q + 1'b1;
  assign look_more = look_next != alloc_q;
  assign peek = look ? look_more : unseen_q && !peeked_q;

  // Addresses, in order. A slot without an access (zero page or fault) sends no read and is marked
  // here. At most one slot is marked per cycle; a slot whose last R beat arrives has priority.
  logic   result_valid, result_ready, result_take, result_virt, result_generation, result_coherent;
  logic   result_zero, result_ends, result_fails, path_empty, ended_early;
  slot_t  result_slot;
  beat_t  result_len;
  port_e  result_port;
  pa_t    result_addr;
  fault_e result_fault;
  level_t result_level;
  gmmu_dma_path #(.Slots(Slots), .Access(AccessRead), .UserWidth(BeatWidth)) u_path (
    .clk_i, .rst_i, .vram_bytes_i, .link_i,
    .valid_i(burst_valid && slot_free_q), .ready_o(path_ready), .place_i(burst_place),
    .user_i(burst_shape.beats_m1), .alloc_o(alloc_q),
    .req_valid_o, .req_ready_i, .req_o, .rsp_valid_i, .rsp_ready_o, .rsp_i,
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i,
    .valid_o(result_valid), .ready_i(result_ready), .slot_o(result_slot), .user_o(result_len),
    .virt_o(result_virt), .generation_o(result_generation), .zero_o(result_zero),
    .ends_o(result_ends), .port_o(result_port), .addr_o(result_addr), .coherent_o(result_coherent),
    .fault_o(result_fault), .level_o(result_level), .empty_o(path_empty));
  assign result_ready = result_ends ? !r_last : rd_rsp_i.ar_ready;
  assign result_take = result_valid && result_ready;
  assign ended_early = result_valid && result_ends && !r_last;
  assign result_fails = result_ends && !result_zero;
  assign rd_req_o.ar_valid = result_valid && !result_ends;
  assign rd_req_o.ar = '{id: IdWidth'(result_slot), port: result_port, addr: result_addr,
                  len: 8'(result_len),
                  user: '{no_snoop: !result_coherent, kind: KindLogical, default: '0}};

  // head_place: first byte of the oldest burst, if it failed. cause_q: the first fault of the
  // checks.
  typedef struct packed {
    fault_e fault;
    level_t level;
  } cause_t;
  cause_t     cause_q;
  logic       failed_q, head_failed;
  place_t     head_place;
  logic [1:0] r_lent;                         // {virtual, generation}
  gmmu_ram_block #(.Width($bits(place_t)), .Depth(Slots)) u_place (
    .clk_i, .write_i(take), .write_addr_i(alloc_q[TagWidth-1:0]), .data_i(burst_place),
    .read_i(head_failed && !fault_valid_o), .read_addr_i(drain_slot), .data_o(head_place));
  gmmu_ram_block #(.Width(2), .Depth(Slots)) u_lent (
    .clk_i, .write_i(result_take), .write_addr_i(result_slot),
    .data_i({result_virt, result_generation}),
    .read_i(rd_rsp_i.r_valid && rd_rsp_i.r.last), .read_addr_i(slot_t'(rd_rsp_i.r.id)), .data_o(r_lent));
  always_ff @(posedge clk_i) begin
    if (reset) failed_q <= 1'b0;
    else if (result_valid && result_fails) failed_q <= 1'b1;
    if (result_valid && result_fails && !failed_q) cause_q <= {result_fault, result_level};
  end

  // Landing. Each slot stores the number of its next beat, and whether an earlier beat had an
  // error; both are 0 between bursts.
  logic  r_bad, r_error, look_marked, look_ended, look_bad;
  beat_t r_beat;
  slot_t start_slot;
  assign r_bad = r_error || r_q.error;
  gmmu_dma_marks #(.Slots(Slots), .Bits(2)) u_done (   // bits: {no read was issued, failed}
    .clk_i, .rst_i, .alloc_i(alloc_q), .started_o(started), .start_slot_o(start_slot),
    .mark_i(r_last || ended_early), .mark_slot_i(r_last ? r_slot : result_slot),
    .mark_bits_i(r_last ? {1'b0, r_bad} : {1'b1, result_fails}),
    .look_i(look_q), .marked_o(look_marked), .bits_o({look_ended, look_bad}));
  gmmu_lutram #(.Width(BeatWidth + 1), .Depth(Slots)) u_beat (
    .clk_i, .write_i(r_valid_q || !started), .write_addr_i(started ? r_slot : start_slot),
    .data_i(started && !r_q.last ? {r_bad, r_beat + beat_t'(1)} : '0),
    .read_addr_i(r_slot), .data_o({r_error, r_beat}));

  // Draining: one beat is read per cycle while the output has space. Registers hold the shapes and
  // marks of the two oldest slots.
  typedef struct packed {
    shape_t shape;
    logic   single;    // the burst has one beat
    logic   ended;
    logic   bad;
  } head_t;
  head_t head, looked;
  logic  step, step_last, head_ready, head_valid, head_good;   // head_good: valid and not failed
  logic  first_q, last_q;                     // the next beat is the slot's first (first_q) or last (last_q)
  beat_t step_q, left_q;  // left_q: beats after the current one; undefined at the first beat
  logic  landed_q, landed_zero_q, landed_last_q, out_free;
  logic [DataWidth-1:0]  landed;
  logic [DataBytes-1:0]  step_mask, landed_mask_q;
  logic [LabelWidth-1:0] landed_label_q;
  assign out_free = !valid_o || ready_i;
  assign look = peeked_q && look_marked && head_ready;
  assign looked = '{shape: look_shape, single: look_shape.beats_m1 == '0, ended: look_ended, bad: look_bad};
  gmmu_skid #(.Width($bits(head_t))) u_head (
    .clk_i, .rst_i(reset), .valid_i(look), .ready_o(head_ready), .data_i(looked),
    .valid_o(head_valid), .ready_i(freed), .data_o(head));
  assign head_good = head_valid && !head.bad;
  assign step = head_good && (!landed_q || out_free);
  assign step_last = first_q ? head.single : last_q;
  assign freed = step && step_last;
  gmmu_ram_apart #(.Width(DataWidth), .Depth(Slots << BeatWidth)) u_landing (
    .clk_i,
    .read_i(step), .read_addr_i({drain_slot, step_q}), .data_o(landed),
    .write_i(r_valid_q), .write_addr_i({r_slot, r_beat}), .data_i(r_q.data));

  always_comb begin
    for (int unsigned lane = 0; lane < DataBytes; lane++)
      step_mask[lane] = (!first_q || lane >= 32'(head.shape.lane)) &&
                        (!step_last || lane <= 32'(head.shape.stop));
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      look_q <= '0;
      drain_q <= '0;
    end else begin
      if (clear_i) look_q <= alloc_q;
      else if (look) look_q <= look_next;
      if (clear_i) drain_q <= alloc_q;
      else if (freed) drain_q <= drain_q + 1'b1;
    end
    if (reset) begin
      unseen_q <= 1'b0;
      peeked_q <= 1'b0;
      step_q <= '0;
      first_q <= 1'b1;
      landed_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (take) unseen_q <= 1'b1;
      else if (look) unseen_q <= look_more;
      peeked_q <= peek || (peeked_q && !look);
      if (step) step_q <= step_last ? '0 : step_q + beat_t'(1);
      if (step) first_q <= step_last;
      landed_q <= step || (landed_q && !out_free);
      if (out_free) valid_o <= landed_q;
    end
    if (step) begin
      left_q <= (first_q ? head.shape.beats_m1 : left_q) - beat_t'(1);
      last_q <= (first_q ? head.shape.beats_m1 : left_q) == beat_t'(1);
      landed_mask_q <= step_mask;
      landed_zero_q <= head.ended;
      landed_last_q <= step_last && head.shape.last;
      landed_label_q <= head.shape.label;
    end
    if (out_free && landed_q) begin
      data_o <= landed_zero_q ? '0 : landed;
      mask_o <= landed_mask_q;
      last_o <= landed_last_q;
      label_o <= landed_label_q;
    end
  end

  // If the oldest slot failed, its place is read in the cycle in which the failure is found.
  assign head_failed = head_valid && head.bad;
  always_ff @(posedge clk_i) begin
    if (reset) fault_valid_o <= 1'b0;
    else fault_valid_o <= head_failed;
  end
  assign fault_label_o = head.shape.label;
  assign fault_o = '{reason: head.ended ? cause_q.fault : FaultBusRead, access: AccessRead,
                     level: head.ended ? cause_q.level : level_t'(0), place: head_place};
  assign drained_o = !landed_q && !valid_o;

  logic [8:0] step_bytes;
  assign step_bytes = 9'({head.shape.beats_m1, head.shape.stop}) - 9'(head.shape.lane) + 9'd1;
  always_ff @(posedge clk_i) begin
    count_bytes_o <= step && step_last && !head.ended && !rst_i ? step_bytes : 9'd0;
  end

  // Returns of translations, and the number of reads in flight.
  logic [TagWidth:0] pending_q;
  logic              back_early, back_read, issued;
  assign back_early = ended_early && result_virt;
  assign back_read = r_last && r_lent[1];
  assign issued = rd_req_o.ar_valid && rd_rsp_i.ar_ready;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pending_q <= '0;
      done_o <= '0;
    end else begin
      if (issued && !r_last) pending_q <= pending_q + 1'b1;
      if (r_last && !issued) pending_q <= pending_q - 1'b1;
      done_o.old0 <= 2'(back_early && !result_generation) + 2'(back_read && !r_lent[0]);
      done_o.old1 <= 2'(back_early && result_generation) + 2'(back_read && r_lent[0]);
    end
    quiet_o <= path_empty && pending_q == '0 && !take && stop_i && !rst_i;
  end

  logic unused;
  assign unused = ^{8'(r_q.id), 8'(rd_rsp_i.r.id)};
endmodule

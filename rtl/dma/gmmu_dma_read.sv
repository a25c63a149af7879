// SPDX-License-Identifier: Apache-2.0
// Reads ranges of memory, many bursts at once, and hands the bytes out in order.
//
//   job       a range of length bytes (not 0); label comes back with its beats
//   slots     each burst takes the next landing slot (a ring of Slots) before its address is looked
//             up, so R never waits. Lookups, reads and data come back in any order; slots are
//             emptied in order, each when complete.
//   output    one bus beat as it lies in memory: mask_o marks the bytes of the range, last_o the
//             range's last beat. Zero pages give zeros.
//   fault     fault_valid_o stands when the oldest slot failed; fault_label_o names its range.
//             Nothing after it comes out. drained_o: all beats before it have left.
//   stop_i    no new burst. quiet_o: every burst issued has its data (or failed), every translation
//             is given back. clear_i, only when quiet, forgets everything.
// The slot number is the AXI id and the translation tag.
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
  localparam int unsigned OutDepth = 4;
  if (DataBytes > MaxBurst) begin : g_illegal
    $fatal(1, "gmmu_dma_read: MaxBurst must be at least one bus beat");
  end
  typedef logic [TagWidth-1:0] slot_t;
  typedef logic [BeatWidth-1:0] beat_t;

  logic reset;
  assign reset = rst_i || clear_i;

  // Bursts into slots.
  logic                  burst_valid, burst_ready, burst_last, path_ready;
  place_t                burst_place;
  logic [7:0]            burst_bytes_m1;
  logic [LabelWidth-1:0] burst_label;
  gmmu_dma_split #(.Chunk(MaxBurst), .UserWidth(LabelWidth)) u_split (
    .clk_i, .rst_i(reset),
    .valid_i(job_valid_i), .ready_o(job_ready_o), .place_i(job_place_i), .length_i(job_length_i),
    .user_i(job_label_i),
    .valid_o(burst_valid), .ready_i(burst_ready), .place_o(burst_place),
    .bytes_m1_o(burst_bytes_m1), .last_o(burst_last), .user_o(burst_label));

  logic [TagWidth:0] alloc_q, drain_q;        // one bit more than a slot number
  logic              slot_free, take;
  slot_t             alloc_slot, drain_slot;
  assign alloc_slot = alloc_q[TagWidth-1:0];
  assign drain_slot = drain_q[TagWidth-1:0];
  assign slot_free = alloc_slot != drain_slot || alloc_q[TagWidth] == drain_q[TagWidth];
  assign burst_ready = slot_free && path_ready && !stop_i;
  assign take = burst_valid && burst_ready;

  typedef struct packed {
    place_t                place;
    logic [7:0]            bytes_m1;
    logic                  last;
    logic [LabelWidth-1:0] label;
  } slot_info_t;
  slot_info_t info_mem [Slots];
  logic [7:0] bytes_m1_mem [Slots];           // again, for the AR
  always_ff @(posedge clk_i) begin
    if (take) begin
      info_mem[alloc_slot] <= '{place: burst_place, bytes_m1: burst_bytes_m1, last: burst_last,
                                label: burst_label};
      bytes_m1_mem[alloc_slot] <= burst_bytes_m1;
    end
  end

  // Addresses.
  logic   result_valid, result_ready, result_virt, result_epoch, result_zero, result_coherent;
  slot_t  result_tag;
  port_e  result_port;
  pa_t    result_addr;
  fault_e result_fault;
  level_t result_level;
  gmmu_dma_path #(.Tags(Slots), .Access(AccessRead)) u_path (
    .clk_i, .rst_i, .vram_bytes_i,
    .valid_i(burst_valid && slot_free && !stop_i), .ready_o(path_ready), .tag_i(alloc_slot),
    .place_i(burst_place), .bytes_m1_i(burst_bytes_m1),
    .req_valid_o, .req_ready_i, .req_o, .rsp_valid_i, .rsp_ready_o, .rsp_i,
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i,
    .valid_o(result_valid), .ready_i(result_ready), .tag_o(result_tag), .virt_o(result_virt),
    .epoch_o(result_epoch), .zero_o(result_zero), .port_o(result_port), .addr_o(result_addr),
    .coherent_o(result_coherent), .fault_o(result_fault), .level_o(result_level));

  logic result_ends, ended_early;             // no read will be issued for this slot
  assign result_ends = result_fault != FaultNone || result_zero;
  assign result_ready = result_ends || !ar_valid_o || ar_ready_i;
  assign ended_early = result_valid && result_ends;

  logic [7:0] result_bytes_m1;
  assign result_bytes_m1 = bytes_m1_mem[result_tag];
  logic [8:0] result_span;                    // last byte, counted from the first beat's lane 0
  assign result_span = 9'(result_addr[LaneLg2-1:0]) + 9'(result_bytes_m1);
  always_ff @(posedge clk_i) begin
    if (rst_i) ar_valid_o <= 1'b0;
    else if (!ar_valid_o || ar_ready_i) ar_valid_o <= result_valid && !result_ends;
    if (!ar_valid_o || ar_ready_i)
      ar_o <= '{id: IdWidth'(result_tag), port: result_port, addr: result_addr,
                len: 8'(result_span[8:LaneLg2]),
                user: '{no_snoop: !result_coherent, kind: KindLogical, default: '0}};
  end

  typedef struct packed {
    fault_e fault;
    level_t level;
  } cause_t;
  cause_t     cause_mem [Slots];
  logic [1:0] lent_mem [Slots];               // {virtual, epoch}
  always_ff @(posedge clk_i) begin
    if (result_valid) begin
      cause_mem[result_tag] <= '{fault: result_fault, level: result_level};
      lent_mem[result_tag] <= {result_virt, result_epoch};
    end
  end

  // Landing.
  slot_t                  r_slot;
  logic                   r_last;
  logic [Slots-1:0]       done_q, zero_q, fault_q, error_q;
  beat_t [Slots-1:0]      beat_q;             // next beat of each slot
  assign r_slot = slot_t'(r_i.id);
  assign r_last = r_valid_i && r_i.last;

  always_ff @(posedge clk_i) begin
    if (reset) begin
      done_q <= '0;
      beat_q <= '0;
    end else begin
      if (take) done_q[alloc_slot] <= 1'b0;
      if (ended_early) done_q[result_tag] <= 1'b1;
      if (r_last) done_q[r_slot] <= 1'b1;
      if (r_valid_i) beat_q[r_slot] <= r_i.last ? '0 : beat_q[r_slot] + beat_t'(1);
    end
    if (take) begin
      zero_q[alloc_slot] <= 1'b0;
      fault_q[alloc_slot] <= 1'b0;
      error_q[alloc_slot] <= 1'b0;
    end
    if (ended_early) begin
      zero_q[result_tag] <= result_zero;
      fault_q[result_tag] <= !result_zero;
    end
    if (r_valid_i && r_i.error) error_q[r_slot] <= 1'b1;
  end

  // Draining: one beat read a cycle while the output has a place for it.
  slot_info_t               head;
  beat_t                    step_q, head_last_step;
  logic                     head_done, head_bad, step, step_last;
  logic [$clog2(OutDepth+1)-1:0] credit_q;
  logic [8:0]               head_span;
  logic [LaneLg2-1:0]       head_lane;
  assign head = info_mem[drain_slot];
  assign head_lane = head.place.address[LaneLg2-1:0];
  assign head_span = 9'(head_lane) + 9'(head.bytes_m1);
  assign head_last_step = beat_t'(head_span >> LaneLg2);
  assign head_done = alloc_q != drain_q && done_q[drain_slot];
  assign head_bad = fault_q[drain_slot] || error_q[drain_slot];
  assign step = head_done && !head_bad && credit_q != '0;
  assign step_last = step_q == head_last_step;

  logic                 out_pop, landed_q, landed_zero_q, landed_last_q;
  logic [DataWidth-1:0] landed;
  logic [DataBytes-1:0] step_mask, landed_mask_q;
  logic [LabelWidth-1:0] landed_label_q;
  gmmu_ram_1r1w #(.Width(DataWidth), .Depth(Slots << BeatWidth)) u_landing (
    .clk_i,
    .read_i(step), .read_addr_i({drain_slot, step_q}), .data_o(landed),
    .write_i(r_valid_i), .write_addr_i({r_slot, beat_q[r_slot]}), .data_i(r_i.data));

  always_comb begin
    for (int unsigned lane = 0; lane < DataBytes; lane++)
      step_mask[lane] = (step_q != '0 || lane >= 32'(head_lane)) &&
                        (!step_last || lane <= 32'(head_span[LaneLg2-1:0]));
  end

  always_ff @(posedge clk_i) begin
    if (reset) begin
      alloc_q <= '0;
      drain_q <= '0;
      step_q <= '0;
      landed_q <= 1'b0;
      credit_q <= ($clog2(OutDepth+1))'(OutDepth);
    end else begin
      if (take) alloc_q <= alloc_q + 1'b1;
      if (step) step_q <= step_last ? '0 : step_q + beat_t'(1);
      if (step && step_last) drain_q <= drain_q + 1'b1;
      landed_q <= step;
      if (step && !out_pop) credit_q <= credit_q - 1'b1;
      if (out_pop && !step) credit_q <= credit_q + 1'b1;
    end
    landed_mask_q <= step_mask;
    landed_zero_q <= zero_q[drain_slot];
    landed_last_q <= step_last && head.last;
    landed_label_q <= head.label;
  end

  logic out_ready_unused;                     // credits keep a place
  gmmu_fifo #(.Width(DataWidth + DataBytes + 1 + LabelWidth), .Depth(OutDepth)) u_out (
    .clk_i, .rst_i(reset),
    .valid_i(landed_q), .ready_o(out_ready_unused),
    .data_i({landed_zero_q ? '0 : landed, landed_mask_q, landed_last_q, landed_label_q}),
    .valid_o, .ready_i, .data_o({data_o, mask_o, last_o, label_o}));
  assign out_pop = valid_o && ready_i;

  assign fault_valid_o = head_done && head_bad;
  assign fault_label_o = head.label;
  assign fault_o = '{reason: fault_q[drain_slot] ? cause_mem[drain_slot].fault : FaultBusRead,
                     access: AccessRead,
                     level: fault_q[drain_slot] ? cause_mem[drain_slot].level : level_t'(0),
                     place: head.place};
  assign drained_o = credit_q == ($clog2(OutDepth+1))'(OutDepth);

  always_ff @(posedge clk_i) begin
    count_bytes_o <= step && step_last && !zero_q[drain_slot] && !rst_i ? 9'(head.bytes_m1) + 9'd1
                                                                        : 9'd0;
  end

  // Translations given back; bursts without their end.
  logic [TagWidth:0] pending_q;
  logic [1:0]        r_lent;
  logic              back_early, back_read;
  assign r_lent = lent_mem[r_slot];
  assign back_early = ended_early && result_virt;
  assign back_read = r_last && r_lent[1];
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pending_q <= '0;
      done_o <= '0;
    end else begin
      pending_q <= pending_q + (TagWidth + 1)'(take) - (TagWidth + 1)'(ended_early) -
                   (TagWidth + 1)'(r_last);
      done_o.old0 <= 2'(back_early && !result_epoch) + 2'(back_read && !r_lent[0]);
      done_o.old1 <= 2'(back_early && result_epoch) + 2'(back_read && r_lent[0]);
    end
  end
  assign quiet_o = pending_q == '0;

  logic unused;
  assign unused = ^{out_ready_unused, 8'(r_i.id), result_span[LaneLg2-1:0]};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Writes ranges of memory: addresses are looked up ahead, each burst leaves when its data is here.
//
//   job       a range of length bytes (not 0) under a job id; its beats follow on data, in the
//             order of the jobs
//   slots     each burst takes the next slot (a ring of Slots) and its address is looked up at
//             once. Bursts leave in order: AW when all beats are in the data FIFO, then W without a
//             gap. Zero pages swallow their beats. B comes in any order; slots retire in order.
//   retired_o the last burst of a job has its B (or was dropped)
//   fault     fault_valid_o stands after the first burst, in order, that failed. After it no AW is
//             issued.
//   stuck_o   from a register: the oldest burst lacks data, none came, and everything issued before
//             it has retired
//   stop_i    give up: no AW is issued, bursts not issued retire without effect. quiet_o, while it
//             stands: nothing is left. clear_i, only when quiet, forgets everything.
// The slot number is the AXI id and the translation tag.
module gmmu_dma_write
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Slots = 64,        // a power of two, 2 to 256
  parameter int unsigned MaxBurst = 128     // bytes
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic [63:0]          vram_bytes_i,
  input  link_cfg_t            link_i,
  input  logic                 stop_i,
  input  logic                 clear_i,
  output logic                 quiet_o,
  output logic                 stuck_o,

  input  logic                 job_valid_i,
  output logic                 job_ready_o,
  input  place_t               job_place_i,
  input  logic [47:0]          job_length_i,
  input  job_id_t              job_id_i,

  input  logic                 data_valid_i,
  output logic                 data_ready_o,
  input  logic [DataWidth-1:0] data_i,
  input  logic [DataBytes-1:0] strb_i,

  output logic                 req_valid_o,
  input  logic                 req_ready_i,
  output xlate_req_t           req_o,
  input  logic                 rsp_valid_i,
  output logic                 rsp_ready_o,
  input  xlate_rsp_t           rsp_i,
  output xlate_done_t          done_o,

  output logic                 ap_req_valid_o,
  input  logic                 ap_req_ready_i,
  output pfn_t                 ap_req_page_o,
  input  logic                 ap_rsp_valid_i,
  input  aperture_rsp_t        ap_rsp_i,

  output logic                 aw_valid_o,
  input  logic                 aw_ready_i,
  output ax_t                  aw_o,
  output logic                 w_valid_o,
  input  logic                 w_ready_i,
  output w_t                   w_o,
  input  logic                 b_valid_i,
  input  b_t                   b_i,

  output logic                 retired_o,
  output logic                 fault_valid_o,
  output dma_fault_t           fault_o,
  output job_id_t              fault_job_o,

  output logic [8:0]           count_bytes_o   // written to memory, counted at retirement
);
  localparam int unsigned TagWidth = $clog2(Slots);
  localparam int unsigned LaneLg2 = $clog2(DataBytes);
  localparam int unsigned Beats = MaxBurst > DataBytes ? MaxBurst / DataBytes : 1;
  localparam int unsigned BeatWidth = $clog2(Beats + 1);
  localparam int unsigned DataDepth = 4 * Beats;              // behind it three beats more
  localparam int unsigned DataCount = $clog2(DataDepth + 4);
  typedef logic [TagWidth-1:0] slot_t;
  typedef logic [BeatWidth-1:0] beat_t;

  logic reset;
  assign reset = rst_i || clear_i;

  // Bursts into slots.
  logic       burst_valid, burst_ready, burst_last, path_ready, take, started;
  place_t     burst_place;
  logic [7:0] burst_bytes_m1;
  job_id_t    burst_job;
  gmmu_dma_split #(.Chunk(MaxBurst), .UserWidth($bits(job_id_t))) u_split (
    .clk_i, .rst_i(reset),
    .valid_i(job_valid_i), .ready_o(job_ready_o), .place_i(job_place_i), .length_i(job_length_i),
    .user_i(job_id_i),
    .valid_o(burst_valid), .ready_i(burst_ready), .place_o(burst_place),
    .bytes_m1_o(burst_bytes_m1), .last_o(burst_last), .user_o(burst_job));

  // B, one cycle after it came.
  logic b_valid_q, b_error_q;
  slot_t b_slot_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) b_valid_q <= 1'b0;
    else b_valid_q <= b_valid_i;
    b_slot_q <= slot_t'(b_i.id);
    b_error_q <= b_i.error;
  end

  // A ring of slots: given out, issued, retired. seek_q: the next whose address may be known; look_q:
  // the next whose address is read for issue.
  logic [TagWidth:0] alloc_q, seek_q, look_q, issue_q, retire_q;   // one bit more than a slot number
  slot_t             alloc_slot, look_slot, retire_slot;
  logic [TagWidth:0] used_q;
  logic              offer, slot_free_q, retire;
  assign alloc_slot = alloc_q[TagWidth-1:0];
  assign look_slot = look_q[TagWidth-1:0];
  assign retire_slot = retire_q[TagWidth-1:0];
  always_ff @(posedge clk_i) begin
    if (reset) begin
      used_q <= '0;
      slot_free_q <= 1'b0;
    end else begin
      if (take && !retire) used_q <= used_q + 1'b1;
      if (retire && !take) used_q <= used_q - 1'b1;
      slot_free_q <= started && !stop_i && (retire || used_q < (TagWidth + 1)'(Slots - 1) ||
                                 (used_q == (TagWidth + 1)'(Slots - 1) && !take));
    end
  end
  assign offer = burst_valid && slot_free_q;
  assign burst_ready = slot_free_q && path_ready;
  assign take = burst_valid && burst_ready;

  // Addresses, in any order.
  typedef struct packed {
    logic   zero;
    port_e  port;
    pa_t    addr;
    logic   coherent;
    fault_e fault;
    level_t level;
  } result_t;
  logic    result_valid, result_virt, result_generation, result_ends;
  slot_t   result_tag;
  result_t result;
  gmmu_dma_path #(.Tags(Slots), .Access(AccessWrite)) u_path (
    .clk_i, .rst_i, .vram_bytes_i, .link_i,
    .valid_i(offer), .ready_o(path_ready), .tag_i(alloc_slot),
    .place_i(burst_place),
    .req_valid_o, .req_ready_i, .req_o, .rsp_valid_i, .rsp_ready_o, .rsp_i,
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i,
    .valid_o(result_valid), .ready_i(1'b1), .tag_o(result_tag), .virt_o(result_virt),
    .generation_o(result_generation), .zero_o(result.zero), .ends_o(result_ends), .port_o(result.port),
    .addr_o(result.addr),
    .coherent_o(result.coherent), .fault_o(result.fault), .level_o(result.level));

  // The next burst in order whose address is known is found in one step and read from RAM in another,
  // while the one before is issued.
  logic    seek, seek_marked, seek_free, look_valid, look, have_q, consume;
  logic    unsought_q;                        // seek_q != alloc_q
  logic    seek_zero, seek_bad, look_zero, look_bad, issue_zero_q, issue_bad_q, good_q, unused_started;
  slot_t   unused_start, unused_start_done;
  result_t found;
  beat_t   seek_beats_m1, look_beats_m1, issue_beats_m1;
  gmmu_dma_marks #(.Slots(Slots), .Bits(2)) u_ready (      // the address is known; {zero, fault}
    .clk_i, .rst_i, .alloc_i(alloc_q), .started_o(started), .start_slot_o(unused_start),
    .mark_i(result_valid), .mark_slot_i(result_tag),
    .mark_bits_i({result.zero, result_ends && !result.zero}),
    .look_i(seek_q), .marked_o(seek_marked), .bits_o({seek_zero, seek_bad}));
  gmmu_ram_apart #(.Width($bits(result_t)), .Depth(Slots)) u_result (
    .clk_i, .write_i(result_valid), .write_addr_i(result_tag), .data_i(result),
    .read_i(look), .read_addr_i(look_slot), .data_o(found));
  logic [8:0] burst_span;
  assign burst_span = 9'(burst_place.address[LaneLg2-1:0]) + 9'(burst_bytes_m1);
  gmmu_lutram #(.Width(BeatWidth), .Depth(Slots)) u_beats (
    .clk_i, .write_i(take), .write_addr_i(alloc_slot), .data_i(beat_t'(burst_span >> LaneLg2)),
    .read_addr_i(seek_q[TagWidth-1:0]), .data_o(seek_beats_m1));
  assign seek = unsought_q && seek_marked;
  always_ff @(posedge clk_i) begin
    if (reset) unsought_q <= 1'b0;
    else if (take) unsought_q <= 1'b1;
    else if (seek && seek_free) unsought_q <= seek_q + 1'b1 != alloc_q;
  end
  gmmu_skid #(.Width(2 + BeatWidth)) u_found (
    .clk_i, .rst_i(reset),
    .valid_i(seek), .ready_o(seek_free), .data_i({seek_zero, seek_bad, seek_beats_m1}),
    .valid_o(look_valid), .ready_i(!have_q || consume),
    .data_o({look_zero, look_bad, look_beats_m1}));
  assign look = look_valid && (!have_q || consume);
  always_ff @(posedge clk_i) begin
    if (rst_i || clear_i) begin
      have_q <= 1'b0;
      good_q <= 1'b0;
    end else if (look || consume) begin
      have_q <= look;
      good_q <= look && !look_bad;
    end
    if (look) begin
      issue_beats_m1 <= look_beats_m1;
      issue_zero_q <= look_zero;
      issue_bad_q <= look_bad;
    end
  end

  // Data. here_q counts beats in the FIFO that no burst has claimed, a cycle late; the burst that is
  // read for issue claims its beats at once, so that below 0 it waits for some.
  logic                 beat_valid, beat_ready, pushed_q, go, fifo_ready;
  logic [DataWidth-1:0] beat_data;
  logic [DataBytes-1:0] beat_strb;
  logic [DataCount:0]   here_q, here_claimed;
  gmmu_fifo_ram #(.Width(DataWidth + DataBytes), .Depth(DataDepth), .Sliced(1'b1)) u_data (
    .clk_i, .rst_i(reset),
    .valid_i(data_valid_i), .ready_o(fifo_ready), .data_i({data_i, strb_i}),
    .valid_o(beat_valid), .ready_i(beat_ready), .data_o({beat_data, beat_strb}));
  assign data_ready_o = fifo_ready;
  always_ff @(posedge clk_i) pushed_q <= data_valid_i && fifo_ready && !reset;
  assign here_claimed = here_q - (DataCount + 1)'(look_beats_m1) - (DataCount + 1)'(!pushed_q);

  // Issue: the oldest burst with address and data goes to the stage, whose AW stands until it is
  // taken.
  logic  head_fault, enough, stuck_q, stage_done, stopped_q, stage_valid, stage_free;
  logic  stage_drop, run_ready, issued_all_q;
  logic  abandon;
  ax_t   issue_aw;
  assign head_fault = have_q && issue_bad_q;
  assign enough = !here_q[DataCount];
  assign go = good_q && enough && !stopped_q && !stop_i && stage_free;
  assign consume = go || abandon;
  assign issue_aw = '{id: IdWidth'(issue_q[TagWidth-1:0]), port: found.port, addr: found.addr,
                      len: 8'(issue_beats_m1),
                      user: '{no_snoop: !found.coherent, kind: KindLogical, default: '0}};
  gmmu_skid #(.Width(1 + $bits(ax_t))) u_stage (
    .clk_i, .rst_i(reset),
    .valid_i(go), .ready_o(stage_free), .data_i({issue_zero_q, issue_aw}),
    .valid_o(stage_valid), .ready_i(stage_done), .data_o({stage_drop, aw_o}));
  assign stage_done = run_ready && (stage_drop ? !b_valid_q : aw_ready_i);
  assign aw_valid_o = stage_valid && !stage_drop && run_ready;

  always_ff @(posedge clk_i) begin
    if (reset) begin
      here_q <= '0;
      stuck_q <= 1'b0;
      issued_all_q <= 1'b0;
    end else begin
      stuck_q <= have_q && !head_fault && !enough && !consume && retire_q == issue_q && !pushed_q &&
                 !data_valid_i;
      issued_all_q <= retire_q == issue_q && !go;
      if (look) here_q <= here_claimed;
      else if (pushed_q) here_q <= here_q + (DataCount + 1)'(1);
    end
  end

  // W: runs of beats in the order of AW; the one at work in registers.
  logic  run_waits, next_drop, run_load, run_valid_q, run_drop_q, run_last_q;
  beat_t next_beats_m1, run_left_q;           // left: beats after this one; last: none
  gmmu_fifo #(.Width(BeatWidth + 1), .Depth(4)) u_runs (
    .clk_i, .rst_i(reset),
    .valid_i(stage_valid && stage_done), .ready_o(run_ready),
    .data_i({stage_drop, beat_t'(aw_o.len)}),
    .valid_o(run_waits), .ready_i(run_load), .data_o({next_drop, next_beats_m1}));
  assign w_valid_o = run_valid_q && !run_drop_q && beat_valid;
  assign w_o = '{data: beat_data, strb: beat_strb, last: run_last_q};
  assign beat_ready = run_valid_q && (run_drop_q || w_ready_i);
  assign run_load = !run_valid_q || (beat_valid && beat_ready && run_last_q);
  always_ff @(posedge clk_i) begin
    if (reset) run_valid_q <= 1'b0;
    else if (run_load) run_valid_q <= run_waits;
    if (run_load) begin
      run_drop_q <= next_drop;
      run_left_q <= next_beats_m1;
      run_last_q <= next_beats_m1 == '0;
    end else if (beat_valid && beat_ready) begin
      run_left_q <= run_left_q - beat_t'(1);
      run_last_q <= run_left_q == beat_t'(1);
    end
  end

  // Retirement in order: B here, dropped, or, when giving up, never issued. Each slot is marked
  // once: those without a B, in a cycle without a B, when they leave the stage or are given up.
  typedef struct packed {
    logic       last;
    logic [7:0] bytes_m1;
  } slot_info_t;
  typedef struct packed {
    logic virt;
    logic generation;
  } lent_t;
  logic       drops, oldest_done, dropped, b_error, ended, failed;
  slot_t      mark_slot;
  logic [TagWidth:0] judge_q;
  slot_info_t burst_info, retire_info;
  lent_t      lent;
  assign burst_info = '{last: burst_last, bytes_m1: burst_bytes_m1};
  gmmu_lutram #(.Width($bits(slot_info_t)), .Depth(Slots)) u_info (
    .clk_i, .write_i(take), .write_addr_i(alloc_slot), .data_i(burst_info),
    .read_addr_i(judge_q[TagWidth-1:0]), .data_o(retire_info));
  gmmu_lutram #(.Width($bits(lent_t)), .Depth(Slots)) u_lent (
    .clk_i, .write_i(result_valid), .write_addr_i(result_tag),
    .data_i({result_virt, result_generation}),
    .read_addr_i(judge_q[TagWidth-1:0]), .data_o(lent));
  assign drops = stage_valid && stage_drop && stage_done;
  always_comb begin
    mark_slot = retire_slot;
    if (stage_valid) mark_slot = slot_t'(aw_o.id);
    if (b_valid_q) mark_slot = b_slot_q;
  end
  gmmu_dma_marks #(.Slots(Slots), .Bits(2)) u_done (       // {dropped, failed}
    .clk_i, .rst_i, .alloc_i(alloc_q), .started_o(unused_started), .start_slot_o(unused_start_done),
    .mark_i(b_valid_q || drops || abandon), .mark_slot_i(mark_slot),
    .mark_bits_i({!b_valid_q, b_valid_q && b_error_q}),
    .look_i(judge_q), .marked_o(oldest_done), .bits_o({dropped, b_error}));
  // A slot that is over goes into a register, and retires from there in the next cycle. judge_q: the
  // oldest slot that is not in it.
  logic       over_q, dropped_q, b_error_of_q, unjudged_q;   // unjudged: judge_q != issue_q
  slot_info_t retire_info_q;
  lent_t      lent_q;
  assign ended = unjudged_q && oldest_done;
  always_ff @(posedge clk_i) begin
    if (rst_i) unjudged_q <= 1'b0;
    else if (go) unjudged_q <= 1'b1;
    else if (ended) unjudged_q <= judge_q + 1'b1 != issue_q;
    over_q <= ended && !reset;
    dropped_q <= dropped;
    b_error_of_q <= b_error;
    retire_info_q <= retire_info;
    lent_q <= lent;
  end
  assign abandon = stop_i && have_q && issued_all_q && !b_valid_q;
  assign retire = over_q || abandon;
  lent_t retire_lent;
  assign retire_lent = over_q ? lent_q : lent;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      alloc_q <= '0;
      seek_q <= '0;
      look_q <= '0;
      issue_q <= '0;
      retire_q <= '0;
      judge_q <= '0;
      done_o <= '0;
      retired_o <= 1'b0;
      count_bytes_o <= '0;
    end else begin
      if (take) alloc_q <= alloc_q + 1'b1;
      if (seek && seek_free) seek_q <= seek_q + 1'b1;
      if (look) look_q <= look_q + 1'b1;
      if (consume) issue_q <= issue_q + 1'b1;
      if (retire) retire_q <= retire_q + 1'b1;
      if (ended || abandon) judge_q <= judge_q + 1'b1;
      done_o.old0 <= 2'(retire && retire_lent.virt && !retire_lent.generation);
      done_o.old1 <= 2'(retire && retire_lent.virt && retire_lent.generation);
      retired_o <= retire && !abandon && !failed && retire_info_q.last;
      count_bytes_o <= over_q && !dropped_q && !b_error_of_q ? 9'(retire_info_q.bytes_m1) + 9'd1
                                                             : 9'd0;
    end
  end

  // The first failure in order: of a B at retirement, of an address when all before it has retired.
  // Where it was to go is read in the cycle in which that is seen.
  logic    address_failed, address_fault_q;
  place_t  fault_place;
  fault_e  cause_q;
  level_t  level_q;
  assign failed = over_q && b_error_of_q;
  assign address_failed = head_fault && issued_all_q && !stop_i;
  gmmu_ram_apart #(.Width($bits(place_t) + $bits(job_id_t)), .Depth(Slots)) u_place (
    .clk_i, .write_i(take), .write_addr_i(alloc_slot), .data_i({burst_place, burst_job}),
    .read_i(!fault_valid_o), .read_addr_i(retire_slot),
    .data_o({fault_place, fault_job_o}));
  always_ff @(posedge clk_i) begin
    if (reset) begin
      stopped_q <= 1'b0;
      fault_valid_o <= 1'b0;
    end else begin
      if ((b_valid_q && b_error_q) || head_fault) stopped_q <= 1'b1;
      if (failed || address_failed) fault_valid_o <= 1'b1;
    end
    if (!fault_valid_o) begin
      address_fault_q <= !failed;
      cause_q <= found.fault;
      level_q <= found.level;
    end
  end
  assign fault_o = '{reason: address_fault_q ? cause_q : FaultBusWrite, access: AccessWrite,
                     level: address_fault_q ? level_q : level_t'(0), place: fault_place};

  assign stuck_o = stuck_q;
  always_ff @(posedge clk_i) quiet_o <= retire_q == alloc_q && !take && stop_i && !rst_i;

  logic unused;
  assign unused = ^{unused_started, found.zero, unused_start, unused_start_done, 8'(b_i.id)};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Writes ranges of memory. Addresses are translated ahead, and a burst is sent when its data has
// arrived.
//
//   job       a range (see gmmu_dma_split) with a job id and a kind; its beats follow on data_i, in
//             the order of the jobs
//   shape     the bursts in order, with the layout that their beats must have on data_i (shape_t)
//   slots     Each burst occupies the next slot (in a ring of Slots), and its address is translated
//             at once. Bursts are sent in order: AW when all beats are in the data FIFO, then W
//             without gaps. Beats for a zero page are dropped. B arrives in any order; slots retire
//             in order.
//   retired_o The B of a job's last burst has arrived, or that burst was dropped.
//   fault     fault_valid_o rises at the first burst, in order, that fails, and stays set. No later
//             AW is sent.
//   stuck_o   registered: the oldest burst waits for data, the data FIFO is empty, and all earlier
//             bursts have retired
//   stop_i    abandons the jobs: no AW is sent, and unsent bursts retire without effect. quiet_o,
//             during stop_i: all slots have retired. clear_i, only while quiet, clears all state.
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
  input  end_t                 job_end_i,
  input  job_id_t              job_id_i,
  input  logic                 job_kind_i,

  output logic                 shape_valid_o,
  input  logic                 shape_ready_i,
  output shape_t               shape_o,
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

  output wr_req_t              wr_req_o,
  input  wr_rsp_t              wr_rsp_i,

  output logic                 retired_o,
  output logic                 fault_valid_o,
  output dma_fault_t           fault_o,
  output job_id_t              fault_job_o,

  output logic [8:0]           count_bytes_o   // bytes written to memory, counted when they retire
);
  localparam int unsigned TagWidth = $clog2(Slots);
  localparam int unsigned LaneLg2 = $clog2(DataBytes);
  localparam int unsigned ChunkLg2 = $clog2(MaxBurst);
  localparam int unsigned Beats = MaxBurst > DataBytes ? MaxBurst / DataBytes : 1;
  localparam int unsigned BeatWidth = $clog2(Beats + 1);
  localparam int unsigned DataDepth = 4 * Beats;  // plus three beats in output registers
  localparam int unsigned DataCount = $clog2(DataDepth + 4);
  typedef logic [TagWidth-1:0] slot_t;
  typedef logic [BeatWidth-1:0] beat_t;

  logic reset;
  assign reset = rst_i || clear_i;

  // Bursts enter slots.
  logic                burst_valid, burst_ready, burst_last, burst_kind, path_ready, take, started;
  place_t              burst_place;
  logic [ChunkLg2-1:0] burst_stop;
  job_id_t             burst_job;
  gmmu_dma_split #(.Chunk(MaxBurst), .UserWidth(1 + $bits(job_id_t))) u_split (
    .clk_i, .rst_i(reset),
    .valid_i(job_valid_i), .ready_o(job_ready_o), .place_i(job_place_i), .end_i(job_end_i),
    .user_i({job_kind_i, job_id_i}),
    .valid_o(burst_valid), .ready_i(burst_ready), .place_o(burst_place), .stop_o(burst_stop),
    .last_o(burst_last), .user_o({burst_kind, burst_job}));

  // The B response, registered.
  logic b_valid_q, b_error_q;
  slot_t b_slot_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) b_valid_q <= 1'b0;
    else b_valid_q <= wr_rsp_i.b_valid;
    b_slot_q <= slot_t'(wr_rsp_i.b.id);
    b_error_q <= wr_rsp_i.b.error;
  end

  // The ring of slots. A slot is allocated, its shape is output for the feeder, it is issued (or
  // dropped), and it retires.
  logic [TagWidth:0] alloc_q, feed_q, issue_q, retire_q;   // one bit wider than a slot number
  slot_t             alloc_slot, issue_slot, retire_slot;
  logic [TagWidth:0] used_q;
  logic              slot_free_q, retire;
  assign alloc_slot = alloc_q[TagWidth-1:0];
  assign issue_slot = issue_q[TagWidth-1:0];
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
  assign burst_ready = slot_free_q && path_ready;
  assign take = burst_valid && burst_ready;

  shape_t burst_shape;
  if (ChunkLg2 > LaneLg2) begin : g_beats
    assign burst_shape.beats_m1 = beats_t'(burst_stop[ChunkLg2-1:LaneLg2]) -
                                  beats_t'(burst_place.address[ChunkLg2-1:LaneLg2]);
  end else begin : g_one_beat
    assign burst_shape.beats_m1 = '0;
  end
  assign burst_shape.kind = burst_kind;
  assign burst_shape.lane = burst_place.address[LaneLg2-1:0];
  assign burst_shape.stop = burst_stop[LaneLg2-1:0];
  assign burst_shape.last = burst_last;

  // Shapes are output in slot order.
  logic unfed_q, feed;                        // unfed_q: feed_q != alloc_q
  assign feed = unfed_q && (!shape_valid_o || shape_ready_i);
  gmmu_ram_block #(.Width($bits(shape_t)), .Depth(Slots)) u_shape (
    .clk_i, .write_i(take), .write_addr_i(alloc_slot), .data_i(burst_shape),
    .read_i(feed), .read_addr_i(feed_q[TagWidth-1:0]), .data_o(shape_o));
  always_ff @(posedge clk_i) begin
    if (reset) begin
      unfed_q <= 1'b0;
      shape_valid_o <= 1'b0;
    end else begin
      if (take) unfed_q <= 1'b1;
      else if (feed) unfed_q <= feed_q + 1'b1 != alloc_q;
      shape_valid_o <= feed || (shape_valid_o && !shape_ready_i);
    end
    if (rst_i) feed_q <= '0;
    else if (clear_i) feed_q <= alloc_q;
    else if (feed) feed_q <= feed_q + 1'b1;
  end

  // Addresses, in order. A register slice decouples the address path from the bus.
  typedef struct packed {
    slot_t  slot;
    beat_t  beats_m1;
    logic   virt;
    logic   generation;
    logic   zero;
    logic   ends;
    port_e  port;
    pa_t    addr;
    logic   coherent;
    fault_e fault;
    level_t level;
  } known_t;
  known_t known, found;
  logic   found_valid, found_ready;
  logic   have, consume, virt, generation, zero, ends, coherent, path_empty;
  slot_t  have_slot;
  port_e  port;
  pa_t    addr;
  fault_e cause;
  level_t level;
  beat_t  beats_m1;
  gmmu_dma_path #(.Slots(Slots), .Access(AccessWrite), .UserWidth(BeatWidth)) u_path (
    .clk_i, .rst_i, .vram_bytes_i, .link_i,
    .valid_i(burst_valid && slot_free_q), .ready_o(path_ready), .place_i(burst_place),
    .user_i(beat_t'(burst_shape.beats_m1)), .alloc_o(alloc_q),
    .req_valid_o, .req_ready_i, .req_o, .rsp_valid_i, .rsp_ready_o, .rsp_i,
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i,
    .valid_o(found_valid), .ready_i(found_ready), .slot_o(found.slot), .user_o(found.beats_m1), .virt_o(found.virt),
    .generation_o(found.generation), .zero_o(found.zero), .ends_o(found.ends), .port_o(found.port),
    .addr_o(found.addr), .coherent_o(found.coherent), .fault_o(found.fault), .level_o(found.level),
    .empty_o(path_empty));
  gmmu_skid #(.Width($bits(known_t))) u_known (
    .clk_i, .rst_i, .valid_i(found_valid), .ready_o(found_ready), .data_i(found),
    .valid_o(have), .ready_i(consume), .data_o(known));
  assign {have_slot, beats_m1, virt, generation, zero, ends, port, addr, coherent, cause, level} = known;

  // Beats. here_q: number of beats in the FIFO that are not claimed by a burst, one cycle late.
  logic                 beat_valid, beat_ready, pushed_q, go, fifo_ready, enough;
  logic [DataWidth-1:0] beat_data;
  logic [DataBytes-1:0] beat_strb;
  logic [DataCount-1:0] here_q;
  gmmu_fifo_ram #(.Width(DataWidth + DataBytes), .Depth(DataDepth)) u_data (
    .clk_i, .rst_i(reset),
    .valid_i(data_valid_i), .ready_o(fifo_ready), .data_i({data_i, strb_i}),
    .valid_o(beat_valid), .ready_i(beat_ready), .data_o({beat_data, beat_strb}));
  assign data_ready_o = fifo_ready;
  always_ff @(posedge clk_i) pushed_q <= data_valid_i && fifo_ready && !reset;
  assign enough = here_q > DataCount'(beats_m1);

  // When its address and data are present, the oldest burst enters a register slice, which drives
  // AW. Each slot is marked exactly once: at its B, when its burst is dropped (and enters the
  // slice), or when it is abandoned. The last two happen only in a cycle without a B.
  logic head_fault, stuck_q, stage_done, stopped_q, stage_valid, stage_ready;
  logic stage_drop, run_ready, issued_all_q, dropped;
  logic abandon;
  ax_t  issue_aw;
  assign head_fault = have && ends && !zero;
  assign dropped = go && zero;
  assign go = have && enough && !head_fault && !stopped_q && !stop_i && stage_ready &&
              !(zero && b_valid_q);
  assign abandon = have && stop_i && !b_valid_q;
  assign consume = go || abandon;
  assign issue_aw = '{id: IdWidth'(have_slot), port: port, addr: addr,
                      len: 8'(beats_m1),
                      user: '{no_snoop: !coherent, kind: KindLogical, default: '0}};
  gmmu_skid #(.Width(1 + $bits(ax_t))) u_stage (
    .clk_i, .rst_i(reset), .valid_i(go), .ready_o(stage_ready), .data_i({zero, issue_aw}),
    .valid_o(stage_valid), .ready_i(stage_done), .data_o({stage_drop, wr_req_o.aw}));
  assign stage_done = run_ready && (stage_drop || wr_rsp_i.aw_ready);
  assign wr_req_o.aw_valid = stage_valid && !stage_drop && run_ready;

  always_ff @(posedge clk_i) begin
    if (reset) begin
      here_q <= '0;
      stuck_q <= 1'b0;
      issued_all_q <= 1'b0;
    end else begin
      stuck_q <= have && !head_fault && !enough && retire_q == issue_q && !pushed_q &&
                 !data_valid_i;
      issued_all_q <= retire_q == issue_q && !go;
      here_q <= here_q + DataCount'(pushed_q) - (go ? DataCount'(beats_m1) + DataCount'(1) : '0);
    end
  end

  // W: the beats of each burst, in the order of AW. Registers describe the burst whose beats are
  // being sent.
  logic  run_waits, next_drop, run_load, run_valid_q, run_drop_q, run_last_q;
  beat_t next_beats_m1, run_left_q;           // run_left_q: beats after the current one
  gmmu_fifo #(.Width(BeatWidth + 1), .Depth(4)) u_runs (
    .clk_i, .rst_i(reset),
    .valid_i(stage_valid && stage_done), .ready_o(run_ready),
    .data_i({stage_drop, beat_t'(wr_req_o.aw.len)}),
    .valid_o(run_waits), .ready_i(run_load), .data_o({next_drop, next_beats_m1}));
  assign wr_req_o.w_valid = run_valid_q && !run_drop_q && beat_valid;
  assign wr_req_o.w = '{data: beat_data, strb: beat_strb, last: run_last_q};
  assign beat_ready = run_valid_q && (run_drop_q || wr_rsp_i.w_ready);
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

  // In-order retirement. A slot retires after its B, or after its burst was dropped or abandoned.
  // When the mark of the oldest slot is checked, its other data is read from RAM; the slot retires
  // one cycle later.
  typedef struct packed {
    logic                last;
    logic [ChunkLg2-1:0] bytes_m1;
  } slot_info_t;
  typedef struct packed {
    logic virt;
    logic generation;
  } lent_t;
  logic       done, done_none, done_bad, ended, failed, unjudged_q;   // unjudged_q: judge_q != issue_q
  logic [TagWidth:0] judge_q;
  slot_t      unused_start, judge_slot;
  slot_info_t burst_info, retire_info;
  lent_t      lent;
  assign judge_slot = judge_q[TagWidth-1:0];
  assign burst_info = '{last: burst_last,
                        bytes_m1: burst_stop - burst_place.address[ChunkLg2-1:0]};
  gmmu_ram_block #(.Width($bits(slot_info_t)), .Depth(Slots)) u_info (
    .clk_i, .write_i(take), .write_addr_i(alloc_slot), .data_i(burst_info),
    .read_i(ended), .read_addr_i(judge_slot), .data_o(retire_info));
  gmmu_ram_block #(.Width($bits(lent_t)), .Depth(Slots)) u_lent (
    .clk_i, .write_i(consume), .write_addr_i(issue_slot), .data_i({virt, generation}),
    .read_i(ended), .read_addr_i(judge_slot), .data_o(lent));
  gmmu_dma_marks #(.Slots(Slots), .Bits(2)) u_done (       // bits: {no B, failed or abandoned}
    .clk_i, .rst_i, .alloc_i(alloc_q), .started_o(started), .start_slot_o(unused_start),
    .mark_i(b_valid_q || dropped || abandon), .mark_slot_i(b_valid_q ? b_slot_q : issue_slot),
    .mark_bits_i(b_valid_q ? {1'b0, b_error_q} : {1'b1, abandon}),
    .look_i(judge_q), .marked_o(done), .bits_o({done_none, done_bad}));
  assign ended = unjudged_q && done;
  logic retire_none_q, retire_bad_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      issue_q <= '0;
      retire_q <= '0;
      judge_q <= '0;
      unjudged_q <= 1'b0;
      retire <= 1'b0;
      done_o <= '0;
      retired_o <= 1'b0;
      count_bytes_o <= '0;
    end else begin
      if (consume) issue_q <= issue_q + 1'b1;
      if (ended) judge_q <= judge_q + 1'b1;
      if (consume) unjudged_q <= 1'b1;
      else if (ended) unjudged_q <= judge_q + 1'b1 != issue_q;
      retire <= ended;
      if (retire) retire_q <= retire_q + 1'b1;
      done_o.old0 <= 2'(retire && lent.virt && !lent.generation);
      done_o.old1 <= 2'(retire && lent.virt && lent.generation);
      retired_o <= retire && !retire_bad_q && retire_info.last;
      count_bytes_o <= retire && !retire_none_q && !retire_bad_q ? 9'(retire_info.bytes_m1) + 9'd1
                                                                 : 9'd0;
    end
    retire_none_q <= done_none;
    retire_bad_q <= done_bad;
  end

  // The first failure in order: a B error at retirement, or an address fault once all earlier
  // bursts have retired. The burst's place is read from RAM in the cycle in which the failure is
  // found.
  logic    address_failed, address_fault_q;
  place_t  fault_place;
  fault_e  cause_q;
  level_t  level_q;
  assign failed = retire && retire_bad_q && !retire_none_q;
  assign address_failed = head_fault && issued_all_q && !stop_i;
  gmmu_ram_block #(.Width($bits(place_t) + $bits(job_id_t)), .Depth(Slots)) u_place (
    .clk_i, .write_i(take), .write_addr_i(alloc_slot), .data_i({burst_place, burst_job}),
    .read_i((failed || address_failed) && !fault_valid_o), .read_addr_i(retire_slot),
    .data_o({fault_place, fault_job_o}));
  always_ff @(posedge clk_i) begin
    if (reset) begin
      stopped_q <= 1'b0;
      fault_valid_o <= 1'b0;
    end else begin
      if ((b_valid_q && b_error_q) || head_fault) stopped_q <= 1'b1;
      if (failed || address_failed) fault_valid_o <= 1'b1;
    end
    if ((failed || address_failed) && !fault_valid_o) begin
      address_fault_q <= !failed;
      cause_q <= cause;
      level_q <= level;
    end
  end
  assign fault_o = '{reason: address_fault_q ? cause_q : FaultBusWrite, access: AccessWrite,
                     level: address_fault_q ? level_q : level_t'(0), place: fault_place};

  assign stuck_o = stuck_q;
  always_ff @(posedge clk_i)
    quiet_o <= retire_q == alloc_q && !take && stop_i && !rst_i;

  logic unused;
  assign unused = ^{unused_start, path_empty, 8'(wr_rsp_i.b.id)};
endmodule

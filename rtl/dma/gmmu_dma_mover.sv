// SPDX-License-Identifier: Apache-2.0
// The transfer engine: turns jobs into memory writes. Jobs overlap. If one fails, all earlier jobs
// are complete, but later jobs may have started.
//
//   job       see job_t; accepted while there is space. retired_o pulses when all B of a job have
//             arrived; after a failure it may also pulse for the failed job and for later jobs.
//   words     inline words of SourceWords jobs; words_dead_i: no more words follow
//   idle_o    no job is in progress and no fault is pending
//   fault     the first job, in job order, that failed. Jobs before it are complete, jobs after it
//             may have started; nothing is in flight when fault_valid_o rises. Reason FaultNone:
//             the inline words ran out, and the job id is undefined. fault_ready_i clears the
//             fault; new jobs are accepted afterwards.
//   kill_i    aborts all jobs without a fault. Hold it until idle_o.
//
//   job ─┬─► read splitter ► lookups ► AR … R ► landing slots ► realigner ─┐
//        ├─► patterns, words ──────────────────────────────────────────► feed ► data FIFO ► W
//        └─► write splitter ─┬─► shapes of the bursts ─────────────────────┘
//                            └─► lookups ► slots ──────────────────────────────────────► AW … B
module gmmu_dma_mover
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned ReadsInFlight = Config.ReadsInFlight,
  parameter int unsigned MaxBurst = 128
) (
  input  logic          clk_i,
  input  logic          rst_i,

  input  logic [63:0]   vram_bytes_i,
  input  link_cfg_t     link_i,

  input  logic          job_valid_i,
  output logic          job_ready_o,
  input  job_t          job_i,
  input  logic          word_valid_i,
  output logic          word_ready_o,
  input  logic [63:0]   word_i,
  input  logic          words_dead_i,
  input  logic          kill_i,
  output logic          idle_o,
  output logic          retired_o,

  output logic          fault_valid_o,
  input  logic          fault_ready_i,
  output dma_fault_t    fault_o,
  output job_id_t       fault_job_o,

  output logic          read_req_valid_o,
  input  logic          read_req_ready_i,
  output xlate_req_t    read_req_o,
  input  logic          read_rsp_valid_i,
  output logic          read_rsp_ready_o,
  input  xlate_rsp_t    read_rsp_i,
  output xlate_done_t   read_done_o,
  output logic          write_req_valid_o,
  input  logic          write_req_ready_i,
  output xlate_req_t    write_req_o,
  input  logic          write_rsp_valid_i,
  output logic          write_rsp_ready_o,
  input  xlate_rsp_t    write_rsp_i,
  output xlate_done_t   write_done_o,

  output logic [1:0]    ap_req_valid_o,      // [0] read, [1] write
  input  logic [1:0]    ap_req_ready_i,
  output pfn_t [1:0]    ap_req_page_o,
  input  logic [1:0]    ap_rsp_valid_i,
  input  aperture_rsp_t ap_rsp_i,

  output rd_req_t       rd_req_o,
  input  rd_rsp_t       rd_rsp_i,
  output wr_req_t       wr_req_o,
  input  wr_rsp_t       wr_rsp_i,

  output logic [8:0]    count_read_bytes_o,
  output logic [8:0]    count_write_bytes_o
);
  localparam int unsigned LaneLg2 = $clog2(DataBytes);
  localparam int unsigned WriteSlots = 2 * ReadsInFlight;
  // Maximum number of jobs in progress: enough small jobs to fill the pipeline from a read's AR to
  // the write's B. At most 255, because a job id has 8 bits.
  localparam int unsigned MaxJobs = ReadsInFlight > 32 ? 255 : 4 * ReadsInFlight;
  localparam int unsigned JobCount = $clog2(MaxJobs + 1);
  if (ReadsInFlight < 2 || ReadsInFlight > 128 || (1 << $clog2(ReadsInFlight)) != ReadsInFlight)
  begin : g_illegal_reads
    $fatal(1, "gmmu_dma_mover: ReadsInFlight must be a power of two from 2 to 128");
  end
  if (MaxBurst < 64 || MaxBurst > 256 || (1 << $clog2(MaxBurst)) != MaxBurst)
  begin : g_illegal_burst
    $fatal(1, "gmmu_dma_mover: MaxBurst must be 64, 128 or 256");
  end

  typedef enum logic [1:0] {
    StateRun,
    StateDrain,      // send no more bursts and wait until none is in flight
    StateFault       // offer the fault
  } state_e;
  state_e state_q;
  logic   stop_q, stop_next, clear, reset;   // stop_q: state_q is not StateRun
  assign reset = rst_i || clear;

  // All units that a job needs accept it in the same cycle.
  logic copy, accept, read_ready, write_ready, make_ready, accepted_q;
  logic [JobCount-1:0] jobs_q;               // number of jobs in progress, one cycle late
  assign copy = job_i.source == SourceCopy;
  logic closed_q;  // stopped or nearly full; it is two cycles late, so the limit is MaxJobs - 3
  assign job_ready_o = write_ready && (copy ? read_ready : make_ready) && !closed_q;
  assign accept = job_valid_i && job_ready_o;

  always_ff @(posedge clk_i) begin
    if (reset) begin
      accepted_q <= 1'b0;
      jobs_q <= '0;
      idle_o <= 1'b0;
    end else begin
      accepted_q <= accept;
      if (accepted_q && !retired_o) jobs_q <= jobs_q + JobCount'(1);
      if (retired_o && !accepted_q) jobs_q <= jobs_q - JobCount'(1);
      idle_o <= jobs_q == '0 && !accepted_q && !accept && state_q == StateRun;
    end
    closed_q <= (stop_next || jobs_q >= JobCount'(MaxJobs - 3) || kill_i) && !rst_i;
  end

  // Reads.
  typedef struct packed {
    job_id_t            id;
    logic [LaneLg2-1:0] shift;
  } read_label_t;
  read_label_t job_label, label, fault_label;
  assign job_label = '{id: job_i.id,
                       shift: job_i.dst.address[LaneLg2-1:0] - job_i.src.address[LaneLg2-1:0]};

  logic                 read_valid, read_take, read_last;
  logic                 read_fault_valid, read_drained, read_quiet;
  logic [DataWidth-1:0] read_data;
  logic [DataBytes-1:0] read_mask;
  dma_fault_t           read_fault;
  gmmu_dma_read #(.Slots(ReadsInFlight), .MaxBurst(MaxBurst), .LabelWidth($bits(read_label_t)))
  u_read (
    .clk_i, .rst_i, .vram_bytes_i, .link_i, .stop_i(stop_q), .clear_i(clear), .quiet_o(read_quiet),
    .job_valid_i(accept && copy), .job_ready_o(read_ready), .job_place_i(job_i.src),
    .job_end_i(job_i.src_end), .job_label_i(job_label),
    .req_valid_o(read_req_valid_o), .req_ready_i(read_req_ready_i), .req_o(read_req_o),
    .rsp_valid_i(read_rsp_valid_i), .rsp_ready_o(read_rsp_ready_o), .rsp_i(read_rsp_i),
    .done_o(read_done_o),
    .ap_req_valid_o(ap_req_valid_o[0]), .ap_req_ready_i(ap_req_ready_i[0]),
    .ap_req_page_o(ap_req_page_o[0]), .ap_rsp_valid_i(ap_rsp_valid_i[0]), .ap_rsp_i,
    .rd_req_o, .rd_rsp_i,
    .valid_o(read_valid), .ready_i(read_take), .data_o(read_data), .mask_o(read_mask),
    .last_o(read_last), .label_o(label),
    .fault_valid_o(read_fault_valid), .fault_o(read_fault), .fault_label_o(fault_label),
    .drained_o(read_drained), .count_bytes_o(count_read_bytes_o));

  logic                 moved_valid, moved_ready, moved_all;
  logic [DataWidth-1:0] moved_data;
  gmmu_dma_realign u_realign (
    .clk_i, .rst_i(reset),
    .valid_i(read_valid), .ready_o(read_take), .data_i(read_data), .mask_i(read_mask),
    .last_i(read_last), .shift_i(label.shift),
    .valid_o(moved_valid), .ready_i(moved_ready), .data_o(moved_data), .idle_o(moved_all));

  // The beats of the write bursts, in order.
  logic                 shape_valid, shape_ready, data_valid, data_ready, copies, starved;
  shape_t               shape;
  logic [DataWidth-1:0] data;
  logic [DataBytes-1:0] strb;
  gmmu_dma_feed #(.MaxBurst(MaxBurst)) u_feed (
    .clk_i, .rst_i(reset),
    .job_valid_i(accept && !copy), .job_ready_o(make_ready), .job_source_i(job_i.source),
    .job_lane_i(job_i.dst.address[1:0]), .job_value_i(job_i.value),
    .job_step_i(job_i.step),
    .shape_valid_i(shape_valid), .shape_ready_o(shape_ready), .shape_i(shape),
    .copy_valid_i(moved_valid), .copy_ready_o(moved_ready), .copy_data_i(moved_data),
    .word_valid_i, .word_ready_o, .word_i, .copies_o(copies), .starved_o(starved),
    .valid_o(data_valid), .ready_i(data_ready), .data_o(data), .strb_o(strb));

  // Writes.
  logic       write_quiet, write_stuck, write_fault_valid;
  dma_fault_t write_fault;
  job_id_t    write_fault_job;
  gmmu_dma_write #(.Slots(WriteSlots), .MaxBurst(MaxBurst)) u_write (
    .clk_i, .rst_i, .vram_bytes_i, .link_i, .stop_i(stop_q), .clear_i(clear), .quiet_o(write_quiet),
    .stuck_o(write_stuck),
    .job_valid_i(accept), .job_ready_o(write_ready), .job_place_i(job_i.dst),
    .job_end_i(job_i.dst_end), .job_id_i(job_i.id),
    .job_kind_i(!copy), .shape_valid_o(shape_valid), .shape_ready_i(shape_ready),
    .shape_o(shape), .data_valid_i(data_valid), .data_ready_o(data_ready), .data_i(data),
    .strb_i(strb),
    .req_valid_o(write_req_valid_o), .req_ready_i(write_req_ready_i), .req_o(write_req_o),
    .rsp_valid_i(write_rsp_valid_i), .rsp_ready_o(write_rsp_ready_o), .rsp_i(write_rsp_i),
    .done_o(write_done_o),
    .ap_req_valid_o(ap_req_valid_o[1]), .ap_req_ready_i(ap_req_ready_i[1]),
    .ap_req_page_o(ap_req_page_o[1]), .ap_rsp_valid_i(ap_rsp_valid_i[1]), .ap_rsp_i,
    .wr_req_o, .wr_rsp_i,
    .retired_o, .fault_valid_o(write_fault_valid), .fault_o(write_fault),
    .fault_job_o(write_fault_job), .count_bytes_o(count_write_bytes_o));

  // Failures. A write's fault is reported only when all earlier writes have retired, so it is the
  // first one in order. A read's fault, or a lack of inline words, is reported when no data is left
  // between source and writer, all earlier bursts have retired and the writer waits for data.
  logic source_dead, dead_end_q;
  assign source_dead = (copies && read_fault_valid && read_drained && moved_all) ||
                       (words_dead_i && starved);
  always_ff @(posedge clk_i) dead_end_q <= source_dead && write_stuck && !reset;
  assign clear = state_q == StateDrain && read_quiet && write_quiet;
  assign fault_valid_o = state_q == StateFault;

  logic killed_q;
  always_comb begin
    unique case (state_q)
      StateRun: stop_next = write_fault_valid || dead_end_q || (kill_i && jobs_q != '0);
      StateDrain: stop_next = !(clear && killed_q);
      default: stop_next = !fault_ready_i;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateRun;
      stop_q <= 1'b0;
    end else begin
      stop_q <= stop_next;
      unique case (state_q)
        StateRun: if (stop_next) state_q <= StateDrain;
        StateDrain: if (clear) state_q <= killed_q ? StateRun : StateFault;
        default: if (fault_ready_i) state_q <= StateRun;
      endcase
    end
    if (state_q == StateRun) begin
      killed_q <= kill_i && !write_fault_valid && !dead_end_q;
      if (write_fault_valid) begin
        fault_o <= write_fault;
        fault_job_o <= write_fault_job;
      end else begin
        fault_o <= read_fault;
        if (!copies) fault_o.reason <= FaultNone;
        fault_job_o <= fault_label.id;
      end
    end
  end
  logic unused;
  assign unused = ^{fault_label.shift, label.id};
endmodule

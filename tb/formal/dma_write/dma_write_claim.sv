// SPDX-License-Identifier: Apache-2.0
// Properties of gmmu_dma_write at its ports: W has as many beats as AW specifies; AW leaves only when its data has
// arrived; ids are unique; each slot retires once, in order, after its B, and returns its translation.
//
// Virtual = 1 excludes physical addresses and limits a job to one burst, so that each retirement is visible at the
// ports: in done_o and, for the job, in retired_o. Physical = 1 excludes virtual addresses and
// therefore zero pages, whose beats are dropped between the bursts on W.
module dma_write_claim
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Slots = 2,
  parameter int unsigned MaxBurst = 16,
  parameter bit          Virtual = 0,
  parameter bit          Physical = 0,
  localparam int unsigned SlotWidth = $clog2(Slots)
) (
  input logic          clk_i,
  input logic          rst_i,

  input logic          stop_i,
  input logic          clear_i,
  input logic          job_valid_i,
  input logic          job_physical_i,
  input target_e       job_target_i,
  input logic [4:0]    job_address_i,
  input logic [4:0]    job_length_i,
  input logic          data_valid_i,
  input logic          req_ready_i,
  input logic          rsp_valid_i,
  input logic [SlotWidth-1:0] rsp_tag_i,
  input logic          rsp_generation_i,
  input logic          rsp_zero_i,
  input logic          rsp_fault_i,
  input target_e       rsp_target_i,
  input logic          rsp_page_i,
  input logic          ap_req_ready_i,
  input logic          ap_rsp_valid_i,
  input logic          ap_rsp_fault_i,
  input logic          aw_ready_i,
  input logic          w_ready_i,
  input logic          b_valid_i,
  input logic [SlotWidth-1:0] b_id_i,
  input logic          b_error_i
);
  localparam int unsigned Beats = MaxBurst / DataBytes;
  typedef logic [SlotWidth-1:0] slot_t;

  logic          ran, quiet, stuck, job_ready, data_ready, req_valid, rsp_ready, ap_req_valid;
  logic          aw_valid, w_valid, retired, fault_valid;
  place_t        place;
  xlate_req_t    req;
  xlate_done_t   done;
  pfn_t          ap_req_page;
  ax_t           aw;
  w_t            w;
  dma_fault_t    fault;
  logic          shape_valid;
  shape_t        shape;
  job_id_t       fault_job;
  logic [8:0]    count_bytes;
  xlate_rsp_t    rsp;
  aperture_rsp_t ap_rsp;
  b_t            b;
  logic [Slots-1:0][11:0] asked_q;   // by slot: page offset of the translation request

  gmmu_reset_props u_reset (.clk_i, .rst_i, .ran_o(ran));

  // Jobs of up to 31 bytes begin in the last 32 bytes of a page, so that some cross the page
  // boundary.
  always_comb begin
    place = '0;
    place.physical = (job_physical_i || Physical) && !Virtual;
    place.target = job_target_i;
    place.address = 64'({7'h7f, job_address_i});
  end
  gmmu_dma_write #(.Slots(Slots), .MaxBurst(MaxBurst)) u_write (
    .clk_i, .rst_i, .vram_bytes_i(64'h4000_0000), .link_i('0), .stop_i, .clear_i, .quiet_o(quiet),
    .stuck_o(stuck),
    .job_valid_i, .job_ready_o(job_ready), .job_place_i(place), .job_end_i(end_t'(place.address + 64'(job_length_i) - 64'd1)),
    .job_id_i('0), .job_kind_i('0), .shape_valid_o(shape_valid), .shape_ready_i(1'b1), .shape_o(shape),
    .data_valid_i, .data_ready_o(data_ready), .data_i('0), .strb_i('1),
    .req_valid_o(req_valid), .req_ready_i, .req_o(req), .rsp_valid_i, .rsp_ready_o(rsp_ready),
    .rsp_i(rsp), .done_o(done),
    .ap_req_valid_o(ap_req_valid), .ap_req_ready_i, .ap_req_page_o(ap_req_page), .ap_rsp_valid_i,
    .ap_rsp_i(ap_rsp),
    .wr_req_o({aw_valid, aw, w_valid, w}),
    .wr_rsp_i({aw_ready_i, w_ready_i, b_valid_i, b}),
    .retired_o(retired), .fault_valid_o(fault_valid), .fault_o(fault), .fault_job_o(fault_job),
    .count_bytes_o(count_bytes));

  // ---- The environment.
  gmmu_stream_props #(.Width($bits(place_t) + 5), .Assert(0)) u_job (
    .clk_i, .rst_i, .valid_i(job_valid_i), .ready_i(job_ready), .payload_i({place, job_length_i}));
  m_length: assume property (@(posedge clk_i) disable iff (rst_i)
    !job_valid_i || (job_length_i != '0
      && (!Virtual || 32'(job_address_i[$clog2(MaxBurst)-1:0]) + 32'(job_length_i) <= MaxBurst)));

  // The user of the unit stops it by asserting stop_i until nothing is in flight, and only then
  // asserts clear_i.
  logic stop_q, clear_q;
  always_ff @(posedge clk_i) begin
    stop_q <= stop_i && !rst_i;
    clear_q <= clear_i && !rst_i;
  end
  m_stop: assume property (@(posedge clk_i) disable iff (rst_i)
    (!(ran && stop_q && !clear_q) || stop_i) && (!clear_i || (stop_i && quiet && !job_valid_i)));

  if (Physical) begin : g_physical
    m_silent: assume property (@(posedge clk_i) disable iff (rst_i) !rsp_valid_i);
    a_asks_nothing: assert property (@(posedge clk_i) disable iff (rst_i) !ran || !req_valid);
  end else begin : g_virtual
    gmmu_xlate_props #(.Tags(Slots), .AssumeMmu(1)) u_xlate (
      .clk_i, .rst_i, .req_valid_i(req_valid), .req_ready_i, .req_i(req),
      .rsp_valid_i, .rsp_ready_i(rsp_ready), .rsp_i(rsp), .done_i(done));
  end
  // A translation keeps the offset within the page.
  always_ff @(posedge clk_i) begin
    if (req_valid && req_ready_i) asked_q[slot_t'(req.tag)] <= req.va[11:0];
  end
  always_comb begin
    rsp = '0;
    rsp.tag = tag_t'(rsp_tag_i);
    rsp.generation = rsp_generation_i;
    rsp.gpa.target = rsp_target_i;
    rsp.gpa.offset = pa_t'({rsp_page_i, asked_q[rsp_tag_i]});
    rsp.zero = rsp_zero_i;
    rsp.fault = rsp_fault_i ? FaultEntryInvalid : FaultNone;
    ap_rsp = '0;
    ap_rsp.fault = ap_rsp_fault_i ? FaultApertureRange : FaultNone;
    b.id = IdWidth'(b_id_i);
    b.error = b_error_i;
  end

  // The aperture map responds to its requests in order.
  logic [3:0] pages_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) pages_q <= '0;
    else pages_q <= pages_q + 4'(ap_req_valid && ap_req_ready_i) - 4'(ap_rsp_valid_i);
  end
  m_aperture: assume property (@(posedge clk_i) disable iff (rst_i)
    !ap_rsp_valid_i || pages_q != '0);

  // ---- AXI.
  gmmu_axi_write_props #(.Ids(Slots), .AwFirst(1), .AssumeAnswers(1), .BeatWidth(4)) u_axi (
    .clk_i, .rst_i, .req_i({aw_valid, aw, w_valid, w}), .rsp_i({aw_ready_i, w_ready_i, b_valid_i, b}));

  // Beats owed to accepted AWs are valid regardless of the data stream. They can be delayed only by one cycle for the
  // queue of bursts, and by the beats of zero pages ahead of them.
  localparam int unsigned Gap = Physical ? 1 : 5 * Beats + 2;
  logic [7:0] owed_q, gap_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      owed_q <= '0;
      gap_q <= '0;
    end else begin
      owed_q <= owed_q + (aw_valid && aw_ready_i ? 8'(aw.len) + 8'd1 : 8'd0)
                       - 8'(w_valid && w_ready_i);
      gap_q <= owed_q == '0 || w_valid ? '0 : gap_q + 8'd1;
    end
  end
  a_data_is_here: assert property (@(posedge clk_i) disable iff (rst_i) gap_q <= 8'(Gap));

  // ---- Retirement.
  a_one_generation: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || 32'(done.old0) + 32'(done.old1) <= 1);
  if (!Physical) begin : g_zero
    c_zero_page: cover property (@(posedge clk_i) disable iff (rst_i)
      ran && rsp_valid_i && rsp_ready && rsp.zero && rsp.fault == FaultNone);
  end
  c_fault: cover property (@(posedge clk_i) disable iff (rst_i) ran && fault_valid);
  logic gave_up_q;
  always_ff @(posedge clk_i) gave_up_q <= !rst_i && (gave_up_q || clear_i);
  c_goes_on: cover property (@(posedge clk_i) disable iff (rst_i) ran && gave_up_q && aw_valid);
  c_retired: cover property (@(posedge clk_i) disable iff (rst_i) ran && retired);

  if (Virtual) begin : g_slots
    // By slot: translation received, its generation, AW accepted and B outstanding, zero page, B
    // received without an error.
    logic [Slots-1:0] answered_q, generation_q, waits_q, zero_q, good_q;
    slot_t            oldest_q;
    logic             retire;
    assign retire = done.old0 != '0 || done.old1 != '0;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        answered_q <= '0;
        waits_q <= '0;
        oldest_q <= '0;
      end else begin
        if (retire) oldest_q <= oldest_q + 1'b1;
        if (retire) answered_q[oldest_q] <= 1'b0;
        if (rsp_valid_i && rsp_ready) answered_q[slot_t'(rsp.tag)] <= 1'b1;
        if (b_valid_i) waits_q[slot_t'(b.id)] <= 1'b0;
        if (aw_valid && aw_ready_i) waits_q[slot_t'(aw.id)] <= 1'b1;
      end
      if (retire) good_q[oldest_q] <= 1'b0;
      if (rsp_valid_i && rsp_ready) begin
        generation_q[slot_t'(rsp.tag)] <= rsp.generation;
        zero_q[slot_t'(rsp.tag)] <= rsp.zero && rsp.fault == FaultNone;
        good_q[slot_t'(rsp.tag)] <= 1'b0;
      end
      if (b_valid_i) good_q[slot_t'(b.id)] <= !b.error;
    end
    a_has_its_answer: assert property (@(posedge clk_i) disable iff (rst_i)
      !(ran && retire) || (answered_q[oldest_q] && !waits_q[oldest_q]));
    a_its_generation: assert property (@(posedge clk_i) disable iff (rst_i)
      !(ran && retire) || generation_q[oldest_q] == (done.old1 != '0));
    a_job_done: assert property (@(posedge clk_i) disable iff (rst_i)
      !(ran && retired) || (retire && (good_q[oldest_q] || zero_q[oldest_q])));
    a_all_given_back: assert property (@(posedge clk_i) disable iff (rst_i)
      !(ran && quiet && !retire) || answered_q == '0);
    c_out_of_order: cover property (@(posedge clk_i) disable iff (rst_i)
      ran && b_valid_i && slot_t'(b.id) != oldest_q && waits_q[oldest_q]);
  end

  logic unused;
  assign unused = ^{stuck, data_ready, ap_req_page, w, fault, fault_job, count_bytes, shape_valid, shape};
endmodule

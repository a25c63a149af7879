// SPDX-License-Identifier: Apache-2.0
// Fetches a range of 8-byte words (a ring entry, a paging buffer) ahead of their use, in chunks of
// 64 bytes, of which Chunks may be in flight.
//
//   request   place 8-byte aligned, bytes a multiple of 8, not 0; one range at a time (the next
//             after its last word)
//   words     in order, taken by either of two takers, one at a time. error_o, without valid_o: the
//             next one could not be read, fault_o says why; this stands until abort_i, nothing
//             follows.
//   abort_i   (level) give the range up: quiet_o says when nothing is in flight and all is
//             forgotten
module gmmu_dma_fetch
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Chunks = 8
) (
  input  logic          clk_i,
  input  logic          rst_i,

  input  logic [63:0]   vram_bytes_i,
  input  link_cfg_t     link_i,
  input  logic          abort_i,
  output logic          quiet_o,

  input  logic          job_valid_i,
  output logic          job_ready_o,
  input  place_t        job_place_i,
  input  logic [31:0]   job_bytes_i,

  output logic          valid_o,
  input  logic          ready_i,
  input  logic          other_ready_i,
  output logic [63:0]   word_o,
  output logic          error_o,
  output dma_fault_t    fault_o,

  output logic          req_valid_o,
  input  logic          req_ready_i,
  output xlate_req_t    req_o,
  input  logic          rsp_valid_i,
  output logic          rsp_ready_o,
  input  xlate_rsp_t    rsp_i,
  output xlate_done_t   done_o,

  output logic          ap_req_valid_o,
  input  logic          ap_req_ready_i,
  output pfn_t          ap_req_page_o,
  input  logic          ap_rsp_valid_i,
  input  aperture_rsp_t ap_rsp_i,

  output logic          ar_valid_o,
  input  logic          ar_ready_i,
  output ax_t           ar_o,
  input  logic          r_valid_i,
  input  r_t            r_i
);
  localparam int unsigned BeatWords = DataBytes / 8;

  logic                 beat_valid, beat_ready, fault_valid, drained, clear, read_quiet;
  logic [DataWidth-1:0] beat;
  logic [DataBytes-1:0] mask;
  logic                 unused_last, unused_label, unused_fault_label;
  logic [8:0]           unused_count;
  dma_fault_t           fault;
  assign clear = abort_i && read_quiet;
  assign quiet_o = read_quiet;
  gmmu_dma_read #(.Slots(Chunks), .MaxBurst(LineBytes), .LabelWidth(1), .Slow(1'b1)) u_read (
    .clk_i, .rst_i, .vram_bytes_i, .link_i, .stop_i(abort_i), .clear_i(clear), .quiet_o(read_quiet),
    .job_valid_i(job_valid_i && !abort_i), .job_ready_o, .job_place_i,
    .job_length_i({16'd0, job_bytes_i}), .job_label_i(1'b0),
    .req_valid_o, .req_ready_i, .req_o, .rsp_valid_i, .rsp_ready_o, .rsp_i, .done_o,
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i,
    .ar_valid_o, .ar_ready_i, .ar_o, .r_valid_i, .r_i,
    .valid_o(beat_valid), .ready_i(beat_ready), .data_o(beat), .mask_o(mask),
    .last_o(unused_last), .label_o(unused_label),
    .fault_valid_o(fault_valid), .fault_o(fault), .fault_label_o(unused_fault_label),
    .drained_o(drained), .count_bytes_o(unused_count));

  // Words of the beat, lowest first.
  logic [BeatWords-1:0] used_q, left;        // already handed out; still to be handed out
  logic [BeatWords-1:0] pick;                // the lowest of them
  logic [63:0]          picked;
  logic                 picked_ready, shown;
  always_comb begin
    for (int unsigned w = 0; w < BeatWords; w++) left[w] = mask[8*w] && !used_q[w];
    pick = left & (~left + BeatWords'(1));
    picked = '0;
    for (int unsigned w = 0; w < BeatWords; w++) if (pick[w]) picked |= beat[64*w+:64];
  end
  assign beat_ready = picked_ready && (left ^ pick) == '0;
  always_ff @(posedge clk_i) begin
    if (rst_i || clear || (beat_valid && beat_ready)) used_q <= '0;
    else if (beat_valid && picked_ready) used_q <= used_q | pick;
  end

  gmmu_skid #(.Width(64)) u_word (
    .clk_i, .rst_i(rst_i || clear),
    .valid_i(beat_valid), .ready_o(picked_ready), .data_i(picked),
    .valid_o(shown), .ready_i(ready_i || other_ready_i), .data_o(word_o));

  // The fault shows when the words before it have been handed out.
  logic failed_q;
  always_ff @(posedge clk_i) fault_o <= fault;
  always_ff @(posedge clk_i)
    failed_q <= fault_valid && drained && !beat_valid && !shown && picked_ready && !rst_i && !clear;
  assign error_o = failed_q;
  assign valid_o = shown;

  logic unused;
  assign unused = ^{unused_last, unused_label, unused_fault_label, unused_count, mask};
endmodule

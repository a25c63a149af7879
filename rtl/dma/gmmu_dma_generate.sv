// SPDX-License-Identifier: Apache-2.0
// Makes the bytes of jobs that do not read memory: patterns and table words.
//
//   job      source other than SourceCopy, destination lanes, length (not 0), value, step
//            (gmmu_dma_pkg::source_e)
//   words    the inline stream of SourceWords; ready only for the words of such a job
//   output   every destination beat of the job once, in order
//   starved_o  a SourceWords job is at work and waits for its next word
module gmmu_dma_generate
  import gmmu_pkg::*;
  import gmmu_dma_pkg::*;
#(
  localparam int unsigned LaneLg2 = $clog2(DataBytes)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 job_valid_i,
  output logic                 job_ready_o,
  input  source_e              job_source_i,
  input  logic [LaneLg2-1:0]   job_lane_i,
  input  logic [47:0]          job_length_i,
  input  logic [63:0]          job_value_i,
  input  logic [63:0]          job_step_i,

  input  logic                 word_valid_i,
  output logic                 word_ready_o,
  input  logic [63:0]          word_i,
  output logic                 starved_o,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [DataWidth-1:0] data_o,
  output logic [DataBytes-1:0] strb_o,
  output logic                 last_o
);
  logic               active_q, free_q, wait_q;  // free: needs no word; wait: active, needs words
  logic               pattern_q, words_q, steps_q, pair_q;   // the source
  logic [LaneLg2-1:0] lane_q, end_q;        // of the next byte, of the last byte in the last beat
  logic [48-LaneLg2:0] beats_q;             // after this one
  logic               last_q;               // this beat is the last
  logic [63:0]        value_q, step_q;
  assign job_ready_o = !active_q;

  // A step gives a beat (pattern), or one word of a beat.
  logic                 have, step, ends_beat, word_ends;
  logic [LaneLg2-1:0]   stop;               // the step's last lane
  logic [63:0]          word;
  logic [31:0]          turned;             // the pattern as it lies on lanes 0 to 3
  logic [DataBytes-1:0] step_mask;
  logic [DataWidth-1:0] step_data, beat_q;
  logic [DataBytes-1:0] beat_mask_q;
  assign have = free_q || (wait_q && word_valid_i);
  assign stop = !pattern_q ? lane_q | LaneLg2'(7) : last_q ? end_q : '1;
  assign ends_beat = pattern_q || word_ends;
  assign word_ends = (lane_q | LaneLg2'(7)) == '1 || (last_q && (lane_q | LaneLg2'(7)) == end_q);
  assign word = words_q ? word_i : value_q;

  always_comb begin
    for (int unsigned lane = 0; lane < DataBytes; lane++) begin
      step_mask[lane] = lane >= 32'(lane_q) && lane <= 32'(stop);
      step_data[8*lane+:8] = pattern_q ? turned[8*(lane%4)+:8] : word[8*(lane%8)+:8];
    end
    for (int unsigned lane = 0; lane < DataBytes; lane++)
      data_o[8*lane+:8] = beat_mask_q[lane] ? beat_q[8*lane+:8] : step_data[8*lane+:8];
  end
  assign turned = value_q[31:0];            // turned when the job is taken
  assign strb_o = beat_mask_q | step_mask;
  assign valid_o = have && ends_beat;
  assign last_o = last_q;
  assign step = have && (!ends_beat || ready_i);
  assign word_ready_o = wait_q && (!word_ends || ready_i);
  assign starved_o = wait_q && !word_valid_i;

  logic [31:0] pattern_in;                  // byte i of the destination is pattern byte i mod 4
  always_comb begin
    for (int unsigned lane = 0; lane < 4; lane++)
      pattern_in[8*lane+:8] = job_value_i[8*32'(2'(2'(lane) - job_lane_i[1:0]))+:8];
  end

  logic [48:0] span;                        // of the job's last byte, from its first beat's lane 0
  assign span = 49'(job_length_i) + 49'(job_lane_i) - 49'd1;
  logic [LaneLg2+1:0] low_span;             // is it one beat? not from the sum of all bits
  logic               single;
  assign low_span = (LaneLg2 + 2)'(job_length_i[LaneLg2:0]) + (LaneLg2 + 2)'(job_lane_i) -
                    (LaneLg2 + 2)'(1);
  logic unused;
  assign unused = ^low_span[LaneLg2-1:0];
  assign single = job_length_i[47:LaneLg2+1] == '0 && low_span[LaneLg2+1:LaneLg2] == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= 1'b0;
      free_q <= 1'b0;
      wait_q <= 1'b0;
      beat_mask_q <= '0;
    end else begin
      if (job_ready_o) begin
        active_q <= job_valid_i;
        free_q <= job_valid_i && job_source_i != SourceWords;
        wait_q <= job_valid_i && job_source_i == SourceWords;
      end else if (step && ends_beat && last_q) begin
        active_q <= 1'b0;
        free_q <= 1'b0;
        wait_q <= 1'b0;
      end
      if (step) beat_mask_q <= ends_beat ? '0 : strb_o;
    end
    if (step) beat_q <= data_o;
    if (job_ready_o) begin
      pattern_q <= job_source_i == SourcePattern;
      words_q <= job_source_i == SourceWords;
      steps_q <= job_source_i == SourceSteps;
      pair_q <= job_source_i == SourcePair;
      lane_q <= job_lane_i;
      end_q <= span[LaneLg2-1:0];
      beats_q <= span[48:LaneLg2];
      last_q <= single;
      value_q <= job_source_i == SourcePattern ? {32'd0, pattern_in} : job_value_i;
      step_q <= job_step_i;
    end else if (step) begin
      lane_q <= stop + LaneLg2'(1);
      if (ends_beat) begin
        beats_q <= beats_q - (49 - LaneLg2)'(1);
        last_q <= beats_q == (49 - LaneLg2)'(1);
      end
      if (steps_q) value_q <= value_q + step_q;
      if (pair_q) value_q <= step_q;
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Supplies the beats of the writer's bursts. The beats of a copy come from memory; those of other
// jobs, patterns and 8-byte words, are generated here.
//
//   job      a job whose source is not SourceCopy: its source (gmmu_dma_pkg::source_e), value and
//            step. One job at a time; it is accepted before its first burst is offered.
//   shape    the bursts, in order (gmmu_dma_write)
//   copy     the beats of copies, aligned to the destination; accepted only during a burst of a
//            copy
//   word     the inline words of SourceWords; accepted only during a burst of such a job
//   output   every beat of every burst once, in order; strb_o marks the bytes that belong to the
//            burst
//   copies_o, starved_o   a burst of a copy is in progress; a burst of SourceWords waits for a word
module gmmu_dma_feed
  import gmmu_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned MaxBurst = 128
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 job_valid_i,
  output logic                 job_ready_o,
  input  source_e              job_source_i,
  input  logic [1:0]           job_lane_i,           // byte lane of the job's first byte, modulo 4
  input  logic [63:0]          job_value_i,
  input  logic [63:0]          job_step_i,

  input  logic                 shape_valid_i,
  output logic                 shape_ready_o,
  input  shape_t               shape_i,

  input  logic                 copy_valid_i,
  output logic                 copy_ready_o,
  input  logic [DataWidth-1:0] copy_data_i,
  input  logic                 word_valid_i,
  output logic                 word_ready_o,
  input  logic [63:0]          word_i,

  output logic                 copies_o,
  output logic                 starved_o,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [DataWidth-1:0] data_o,
  output logic [DataBytes-1:0] strb_o
);
  localparam int unsigned Beats = MaxBurst > DataBytes ? MaxBurst / DataBytes : 1;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 1;
  typedef logic [BeatWidth-1:0] beat_t;

  // The burst in progress and its next beat.
  logic  busy_q, make_q, job_last_q, last_q, load, beat_done;   // last_q: last beat of the burst
  // lane_q: first lane of the beat; stop_q: last lane of the last beat
  lane_t lane_q, stop_q, stop;
  beat_t left_q;                                                 // beats after the current one
  assign load = !busy_q || (beat_done && last_q);
  assign shape_ready_o = load;
  assign beat_done = valid_o && ready_i;
  assign stop = stop_q | {$bits(lane_t){!last_q}};
  always_comb begin
    for (int unsigned lane = 0; lane < DataBytes; lane++)
      strb_o[lane] = lane >= 32'(lane_q) && lane <= 32'(stop);
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) busy_q <= 1'b0;
    else if (load) busy_q <= shape_valid_i;
    if (load) begin
      if (shape_valid_i) begin
        make_q <= shape_i.kind;
        job_last_q <= shape_i.last;
        lane_q <= shape_i.lane;
        stop_q <= shape_i.stop;
        left_q <= beat_t'(shape_i.beats_m1);
        last_q <= beat_t'(shape_i.beats_m1) == '0;
      end
    end else if (beat_done) begin
      lane_q <= '0;
      left_q <= left_q - beat_t'(1);
      last_q <= left_q == beat_t'(1);
    end
  end

  // The job in progress. Byte i of the destination is pattern byte i mod 4: the pattern is rotated
  // to the destination's lanes when the job is accepted. The other sources have aligned
  // destinations and are not rotated.
  logic        given_q, pattern_q, words_q, word_step, all_made;
  logic [63:0] value_q, step_q, word;
  logic [31:0] turned;
  assign job_ready_o = !given_q;
  always_comb begin
    for (int unsigned lane = 0; lane < 4; lane++)
      turned[8*lane+:8] = job_value_i[8*32'(2'(2'(lane) - job_lane_i))+:8];
  end
  assign word = words_q ? word_i : value_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) given_q <= 1'b0;
    else if (job_ready_o) given_q <= job_valid_i;
    else if (make_q && beat_done && last_q && job_last_q) given_q <= 1'b0;
    if (job_ready_o) begin
      if (job_valid_i) begin
        pattern_q <= job_source_i == SourcePattern;
        words_q <= job_source_i == SourceWords;
        value_q <= {job_value_i[63:32] | (turned & {32{job_source_i == SourcePattern}}), turned};
        step_q <= job_step_i;
      end
    end else if (word_step && !pattern_q) begin
      value_q <= value_q + step_q;
    end
  end

  // A beat of several words is built word by word. A register holds all words but the last.
  logic [DataWidth-1:0] made;
  if (DataBytes > 8) begin : g_words
    localparam int unsigned PlaceWidth = $bits(lane_t) - 3;
    logic [PlaceWidth-1:0] place, place_q;    // index of the next word in the beat
    logic                  begun_q;
    logic [DataWidth-1:0]  made_q;
    assign place = begun_q ? place_q : lane_q[$bits(lane_t)-1:3];
    assign all_made = pattern_q || place == stop[$bits(lane_t)-1:3];
    always_comb begin
      made = made_q;
      for (int unsigned n = 0; n < DataBytes / 8; n++)
        if (pattern_q || 32'(place) == n) made[64*n+:64] = word;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begun_q <= 1'b0;
      else if (word_step) begun_q <= !all_made;
      if (word_step) begin
        place_q <= place + PlaceWidth'(1);
        made_q <= made;
      end
    end
  end else begin : g_word
    assign all_made = 1'b1;
    assign made = word;
  end

  logic makes, has_word;
  assign makes = busy_q && make_q;
  assign has_word = !words_q || word_valid_i;
  assign copies_o = busy_q && !make_q;
  assign starved_o = makes && words_q && !word_valid_i;
  assign valid_o = busy_q && (make_q ? has_word && all_made : copy_valid_i);
  assign data_o = make_q ? made : copy_data_i;
  assign copy_ready_o = copies_o && ready_i;
  assign word_step = makes && has_word && (!all_made || ready_i);
  assign word_ready_o = makes && words_q && (!all_made || ready_i);
endmodule

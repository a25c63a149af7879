// SPDX-License-Identifier: Apache-2.0
// Writes fault records (rdl: fault_record, 32 bytes, one burst) to the fault queue in host memory.
//
//   fault    one stream per source, served round robin. The last source is the paging engine; only
//            its faults have a fence. A fault is copied into the record word by word and then
//            accepted. While the bus is closed (open_i = 0), records are accepted and dropped, so
//            that no source waits for the bus.
//   queue    tail_o is the index of the next record, modulo the size; it advances after the B of
//            the record. If the next index is the head, the queue is full: the record is dropped
//            and counted (saturating). A record whose write gets a bus error, or whose address
//            exceeds 48 bits, is also dropped and counted; the tail does not move, and the next
//            record is written at the same index. enable_i = 0: records are dropped, but still
//            consume sequence numbers. The tail is kept while the queue is off; enabling it reduces
//            the tail modulo the size.
//   logged_o pulses when the tail advances.
//   base_i   is 4 KiB aligned.
module gmmu_fault_log
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned Sources = Config.NumUnits + 1
) (
  input  logic                       clk_i,
  input  logic                       rst_i,

  input  logic [63:0]                cycle_i,
  input  logic                       open_i,
  input  logic                       enable_i,
  input  pa_t                        base_i,
  input  logic [3:0]                 size_lg2_i,
  input  logic [15:0]                head_i,
  output logic [15:0]                tail_o,
  output logic [15:0]                dropped_o,

  input  logic        [Sources-1:0]  fault_valid_i,
  output logic        [Sources-1:0]  fault_ready_o,
  input  fault_info_t [Sources-1:0]  fault_i,

  output wr_req_t                    wr_req_o,
  input  wr_rsp_t                    wr_rsp_i,

  output logic                       logged_o,
  output logic                       idle_o
);
  logic clk;   // gated clock: stopped while there is no fault
  localparam int unsigned RecordBytes = 32;
  localparam int unsigned Beats = DataBytes >= RecordBytes ? 1 : RecordBytes / DataBytes;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 1;

  typedef enum logic [1:0] {StateEmpty, StateCopy, StateWrite, StateAnswer} state_e;
  state_e             state_q;
  logic [Sources-1:0] grant, chosen_q;   // one-hot or zero: source of the next record
  logic [(Sources > 1 ? $clog2(Sources) : 1)-1:0] unused_index;
  logic               choose, start, take, refuse, judge, drop, lost, moves, reduces, beat;

  // ---- The next source is selected while a record is written. While the bus is closed, a waiting
  // record is dropped, except in a cycle in which another record completes: at most one record is
  // dropped per cycle.
  gmmu_rr_arbiter #(.N(Sources)) u_arbiter (
    .clk_i(clk), .rst_i, .req_i(fault_valid_i), .advance_i(choose), .gnt_o(grant), .index_o(unused_index)
  );
  logic       open_q;
  logic [3:0] step_q;                    // bit i: word i is in the staging registers
  assign choose = chosen_q == '0 && fault_valid_i != '0;
  assign start = chosen_q != '0 && state_q == StateEmpty;
  assign refuse = chosen_q != '0 && !open_q &&
                  (state_q == StateWrite || (state_q == StateAnswer && !wr_rsp_i.b_valid));
  assign take = step_q[2] || refuse;
  assign fault_ready_o = take ? chosen_q : '0;

  // ---- The copy. At most one staged word is not 0 in a cycle, so the words are ORed into the
  // record.
  logic [31:0]                       sequence_q, sequence_word_q;
  logic [63:0]                       cycle_word_q;
  fault_record_what_t [Sources-1:0]  what, what_word_q;
  logic [Sources-1:0][63:0]          address_word_q;
  // shifts down: words enter at the top, beats leave at the bottom
  logic [RecordBytes/8-1:0][63:0]    record_q;

  for (genvar s = 0; s < Sources; s++) begin : g_what
    assign what[s] = '{fence: s == Sources - 1 ? fault_i[s].fence : '0, physical: fault_i[s].physical,
        level: fault_i[s].level, reserved0: '0, access: fault_i[s].access, port_index: 8'(fault_i[s].port),
        space: 8'(fault_i[s].space), reason: fault_i[s].reason};
  end

  function automatic logic [63:0] staged();
    logic [63:0] word;
    word = cycle_word_q | 64'(sequence_word_q);
    for (int unsigned s = 0; s < Sources; s++) word |= address_word_q[s] | what_word_q[s];
    return word;
  endfunction

  always_ff @(posedge clk) begin
    if (start || step_q != '0) begin
      for (int unsigned s = 0; s < Sources; s++) begin
        if (start && chosen_q[s]) what_word_q[s] <= what[s];
        else what_word_q[s] <= '0;
        if (step_q[0] && chosen_q[s]) address_word_q[s] <= fault_i[s].address;
        else address_word_q[s] <= '0;
      end
      if (step_q[1]) cycle_word_q <= cycle_i;
      else cycle_word_q <= '0;
      if (step_q[2]) sequence_word_q <= sequence_q;
      else sequence_word_q <= '0;
    end
    if (step_q != '0 || (beat && DataWidth == 64)) record_q <= {staged(), record_q[3:1]};
    else if (beat) record_q <= record_q >> DataWidth;
  end

  // ---- Write of the record.
  logic                 aw_q, w_q, enable_in_q, enable_next_q, enable_q, full_q, past, past_q;
  logic [BeatWidth-1:0] beat_q;
  logic [15:0]          mask_q, next_tail_q;

  assign judge = step_q[3];
  assign drop = !enable_in_q || !enable_q || full_q || past_q || !open_q;
  assign lost = refuse || (judge && enable_q && enable_in_q && drop) ||
                (state_q == StateAnswer && wr_rsp_i.b_valid && wr_rsp_i.b.error);
  assign moves = state_q == StateAnswer && wr_rsp_i.b_valid && !wr_rsp_i.b.error;
  assign reduces = state_q == StateEmpty && enable_next_q && !enable_q;
  assign beat = w_q && wr_rsp_i.w_ready;

  assign wr_req_o.aw_valid = aw_q;
  assign wr_req_o.w_valid = w_q;
  always_comb begin
    wr_req_o.aw = '0;
    wr_req_o.aw.port = PortHost;
    {past, wr_req_o.aw.addr[PaWidth-1:12]} = {1'b0, base_i[PaWidth-1:12]} + (PaWidth - 11)'(tail_o[15:7]);
    wr_req_o.aw.addr[11:5] = tail_o[6:0];
    wr_req_o.aw.len = 8'(Beats - 1);
  end

  if (DataBytes <= RecordBytes) begin : g_narrow
    assign wr_req_o.w = '{data: record_q[DataWidth/64-1:0], strb: '1, last: 32'(beat_q) == Beats - 1};
  end else begin : g_wide
    assign wr_req_o.w.data = {2{record_q}};
    assign wr_req_o.w.strb = tail_o[0] ? {{RecordBytes{1'b1}}, {RecordBytes{1'b0}}}
        : {{RecordBytes{1'b0}}, {RecordBytes{1'b1}}};
    assign wr_req_o.w.last = 1'b1;
  end

  always_ff @(posedge clk) begin
    open_q <= open_i;
    mask_q <= ~(16'hffff << size_lg2_i);
    // While the queue is off, this is the tail modulo the size.
    next_tail_q <= (tail_o + 16'(enable_q)) & mask_q;
    full_q <= next_tail_q == (head_i & mask_q);
    past_q <= past;
    if (beat) beat_q <= beat_q + 1'b1;
    if (rst_i) begin
      state_q <= StateEmpty;
      chosen_q <= '0;
      step_q <= '0;
      sequence_q <= '0;
      tail_o <= '0;
      dropped_o <= '0;
      enable_in_q <= 1'b0;
      enable_next_q <= 1'b0;
      enable_q <= 1'b0;
      aw_q <= 1'b0;
      w_q <= 1'b0;
      beat_q <= '0;
      logged_o <= 1'b0;
    end else begin
      enable_in_q <= enable_i;
      enable_next_q <= enable_in_q && enable_i;
      if (state_q == StateEmpty) enable_q <= enable_next_q;
      logged_o <= moves;
      if (moves || reduces) tail_o <= next_tail_q;
      if (take) sequence_q <= sequence_q + 1'b1;
      if (lost && dropped_o != '1) dropped_o <= dropped_o + 1'b1;
      if (take) chosen_q <= '0;
      else if (choose) chosen_q <= grant;
      step_q <= {step_q[2:0], start};

      if (wr_rsp_i.aw_ready) aw_q <= 1'b0;
      if (beat && wr_req_o.w.last) w_q <= 1'b0;
      unique case (state_q)
        StateEmpty: if (start) state_q <= StateCopy;
        StateCopy: begin
          if (judge && drop) state_q <= StateEmpty;
          else if (judge) begin
            state_q <= StateWrite;
            aw_q <= 1'b1;
            w_q <= 1'b1;
          end
        end
        StateWrite: begin
          if ((!aw_q || wr_rsp_i.aw_ready) && (!w_q || (wr_rsp_i.w_ready && wr_req_o.w.last))) state_q <= StateAnswer;
        end
        default: if (wr_rsp_i.b_valid) state_q <= StateEmpty;
      endcase
    end
  end

  assign idle_o = state_q == StateEmpty && fault_valid_i == '0 && chosen_q == '0 && !logged_o &&
      enable_q == enable_i && enable_next_q == enable_i;

  gmmu_sleep u_sleep (.clk_i, .rst_i, .clk_o(clk), .awake_i(!idle_o || wr_rsp_i.b_valid));
  for (genvar s = 0; s < Sources - 1; s++) begin : g_unit
    a_no_fence: assert property (@(posedge clk_i) disable iff (rst_i)
      !fault_valid_i[s] || fault_i[s].fence == '0);
  end
  logic unused_bits;  // base_i is aligned; clients' faults have no fence
  assign unused_bits = ^{base_i[11:0], fault_i, wr_rsp_i.b.id};
endmodule

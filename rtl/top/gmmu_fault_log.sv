// SPDX-License-Identifier: Apache-2.0
// Writes fault records (rdl: fault_record, 32 bytes, one burst) to the fault queue in host memory.
//
//   fault    one stream a source, round robin. While the bus is closed (open_i = 0) records are
//            taken and dropped, so that no source waits for the bus.
//   queue    tail_o is the next record's index, modulo the size; it moves after the record's B.
//            Full when the next index is the head: the record is dropped and counted (saturating).
//            A record whose write the bus answers with an error, or that would lie past 48 bits, is
//            dropped and counted too, and the next one takes its place. The tail stands.
//            enable_i = 0: records are only numbered. The tail keeps its place while the queue is
//            off; enabling reduces it modulo the size.
//   logged_o pulses with the tail's move.
module gmmu_fault_log
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Sources = 5
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

  output logic                       aw_valid_o,
  input  logic                       aw_ready_i,
  output ax_t                        aw_o,
  output logic                       w_valid_o,
  input  logic                       w_ready_i,
  output w_t                         w_o,
  input  logic                       b_valid_i,
  input  logic                       b_error_i,

  output logic                       logged_o,
  output logic                       idle_o
);
  localparam int unsigned RecordBytes = 32;
  localparam int unsigned Beats = DataBytes >= RecordBytes ? 1 : RecordBytes / DataBytes;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 1;
  localparam int unsigned SourceWidth = Sources > 1 ? $clog2(Sources) : 1;

  localparam logic [1:0] Settle = 2'd2;

  typedef struct packed {
    fault_info_t fault;
    logic [63:0] cycle;
    logic [31:0] sequence_number;
  } entry_t;

  logic [Sources-1:0]     grant;
  logic [Sources-1:0]     chosen_q;          // one-hot or zero
  logic [SourceWidth-1:0] index, index_q;
  logic                   open_q;
  logic [63:0]            cycle_q;
  logic                   choose, take, queue_ready, head_valid, head_take;
  logic [31:0]            sequence_q;
  entry_t                 entry, record;

  gmmu_rr_arbiter #(.N(Sources)) u_arbiter (
    .clk_i, .rst_i, .req_i(fault_valid_i), .advance_i(choose), .gnt_o(grant), .index_o(index)
  );
  // A source is chosen in one cycle and its record taken in the next. While the bus is closed a full
  // queue takes it too, to drop it, but not in a cycle that drops its head: no cycle drops two.
  assign choose = chosen_q == '0 && fault_valid_i != '0;
  assign take = chosen_q != '0 && (queue_ready || (!open_q && !head_take));
  assign fault_ready_o = take ? chosen_q : '0;
  always_ff @(posedge clk_i) begin
    if (rst_i || take) chosen_q <= '0;
    else if (choose) chosen_q <= grant;
    index_q <= choose ? index : index_q;
    open_q <= open_i;
    cycle_q <= cycle_i;
  end
  assign entry = '{fault: fault_i[index_q], cycle: cycle_q, sequence_number: sequence_q};

  gmmu_slice #(.Width($bits(entry_t)), .Slow(1'b1)) u_queue (
    .clk_i, .rst_i,
    .valid_i(take && queue_ready), .ready_o(queue_ready), .data_i(entry),
    .valid_o(head_valid), .ready_i(head_take), .data_o(record)
  );

  typedef enum logic [1:0] {StateIdle, StateWrite, StateAnswer} state_e;
  state_e               state_q;
  logic                 aw_q, w_q, enable_q;
  logic [BeatWidth-1:0] beat_q;
  logic [15:0]          mask_q, next_tail_q;
  logic                 enable_in_q, full_q, past, past_q, judge, drop, lost;
  logic [1:0]           settle_q;      // cycles until full_q knows the present tail

  always_ff @(posedge clk_i) begin
    enable_in_q <= enable_i && !rst_i;
    mask_q <= (16'd1 << size_lg2_i) - 16'd1;
    next_tail_q <= (tail_o + 16'd1) & mask_q;
    full_q <= next_tail_q == (head_i & mask_q);
    past_q <= past;
  end
  assign judge = state_q == StateIdle && head_valid && settle_q == '0;
  assign drop = !enable_in_q || !enable_q || full_q || past_q || !open_q;
  assign lost = (take && !queue_ready) ||
                (judge && enable_q && enable_in_q && (full_q || past_q || !open_q)) ||
                (state_q == StateAnswer && b_valid_i && b_error_i);
  assign head_take = (judge && drop) || (state_q == StateAnswer && b_valid_i);

  logic [255:0] bytes;
  fault_record_what_t what;
  fault_info_t f;
  assign f = record.fault;
  assign what = '{fence: f.fence, physical: f.physical, level: f.level, reserved0: '0,
      access: f.access,
                  port_index: 8'(f.port), space: 8'(f.space), reason: f.reason};
  assign bytes = {32'd0, record.sequence_number, record.cycle, f.address, what};

  assign aw_valid_o = aw_q;
  assign w_valid_o = w_q;
  always_comb begin
    aw_o = '0;
    aw_o.port = PortHost;
    {past, aw_o.addr} = {1'b0, base_i} + (PaWidth + 1)'({tail_o, 5'd0});
    aw_o.len = 8'(Beats - 1);
  end

  if (DataBytes < RecordBytes) begin : g_narrow
    assign w_o = '{data: bytes[DataWidth * 32'(beat_q) +: DataWidth], strb: '1,
        last: 32'(beat_q) == Beats - 1};
  end else if (DataBytes == RecordBytes) begin : g_equal
    assign w_o = '{data: bytes, strb: '1, last: 1'b1};
  end else begin : g_wide
    assign w_o.data = {2{bytes}};
    assign w_o.strb = tail_o[0] ? {{RecordBytes{1'b1}}, {RecordBytes{1'b0}}}
        : {{RecordBytes{1'b0}}, {RecordBytes{1'b1}}};
    assign w_o.last = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateIdle;
      sequence_q <= '0;
      tail_o <= '0;
      dropped_o <= '0;
      enable_q <= 1'b0;
      aw_q <= 1'b0;
      w_q <= 1'b0;
      logged_o <= 1'b0;
      settle_q <= Settle;
    end else begin
      logged_o <= 1'b0;
      if (take) sequence_q <= sequence_q + 1'b1;
      if (lost && dropped_o != '1) dropped_o <= dropped_o + 1'b1;

      unique case (state_q)
        StateIdle: begin
          enable_q <= enable_in_q;
          if (settle_q != '0) settle_q <= settle_q - 1'b1;
          if (enable_in_q && !enable_q) begin
            tail_o <= tail_o & mask_q;
            settle_q <= Settle;
          end
          beat_q <= '0;
          if (judge && !drop) begin
            state_q <= StateWrite;
            aw_q <= 1'b1;
            w_q <= 1'b1;
          end
        end
        StateWrite: begin
          if (aw_ready_i) aw_q <= 1'b0;
          if (w_q && w_ready_i) begin
            beat_q <= beat_q + 1'b1;
            if (w_o.last) w_q <= 1'b0;
          end
          if ((!aw_q || aw_ready_i) && (!w_q || (w_ready_i && w_o.last))) state_q <= StateAnswer;
        end
        default: begin
          if (b_valid_i) begin
            state_q <= StateIdle;
            settle_q <= Settle;
            if (!b_error_i) begin
              tail_o <= next_tail_q;
              logged_o <= 1'b1;
            end
          end
        end
      endcase
    end
  end

  assign idle_o = state_q == StateIdle && !head_valid && fault_valid_i == '0 && chosen_q == '0 &&
      !logged_o && enable_q == enable_i && settle_q == '0;
endmodule

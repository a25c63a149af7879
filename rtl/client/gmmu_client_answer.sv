// SPDX-License-Identifier: Apache-2.0
// Answers of one client: chooses ended accesses, reads their data and gives it word by word.
//
//   req      a request was accepted: what its answer must know
//   end      an access has ended (gmmu_client_ends)
//   read     a row of landed data; row_data_i one cycle later
//   rsp      in the order of the ends, or, while ordered_i is 1, by ascending id from 0 on (modulo
//            Slots). ordered_i changes only while no access is in flight.
//   fault    one record a faulted access, before its answer; while first_only_i is 1 only the first
//   clear    a sweep over all slots after reset, before the first access
module gmmu_client_answer
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter int unsigned WordBytes = 8,   // 8 to DataBytes
  localparam int unsigned BeatsPerLine = LineBytes / DataBytes,
  localparam int unsigned RowWidth = $clog2(Slots * BeatsPerLine)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  port_t                  port_i,
  input  logic                   ordered_i,
  input  logic                   first_only_i,
  input  logic                   clear_i,
  input  slot_t                  clear_slot_i,

  input  logic                   req_valid_i,
  input  client_req_t            req_i,
  input  logic                   end_valid_i,
  input  client_end_t            end_i,

  output logic                   read_o,
  output logic [RowWidth-1:0]    read_row_o,
  input  logic [DataWidth-1:0]   row_data_i,

  output logic                   rsp_valid_o,
  input  logic                   rsp_ready_i,
  output client_rsp_t            rsp_o,
  output logic [8*WordBytes-1:0] rsp_data_o,
  output logic [57:0]            rsp_line_o,     // va of the access, lines

  output logic                   fault_valid_o,
  input  logic                   fault_ready_i,
  output fault_info_t            fault_o,

  output logic [6:0]             count_read_bytes_o,
  output logic [6:0]             count_write_bytes_o
);
  localparam int unsigned WordLg2 = $clog2(WordBytes);
  localparam int unsigned ByteLg2 = $clog2(DataBytes);
  localparam int unsigned Banks = DataBytes / WordBytes;

  // ---- Which access is next. Ordered: its slot's set and clear bits differ. Each has one writer.
  logic  set_next, clear_next, clear_end, order_valid, pickable, load, unused_order_ready;
  slot_t next_q, order_slot, candidate;

  gmmu_lutram #(.Width(1), .Depth(Slots)) u_set (
    .clk_i, .write_i(clear_i || (end_valid_i && ordered_i)),
    .write_addr_i(clear_i ? clear_slot_i : end_i.slot), .data_i(!clear_i && !clear_end),
    .read_addr_i(next_q), .data_o(set_next)
  );
  gmmu_lutram #(.Width(1), .Depth(Slots)) u_clear (
    .clk_i, .write_i(clear_i || (load && ordered_i)),
    .write_addr_i(clear_i ? clear_slot_i : next_q), .data_i(!clear_i && set_next),
    .read_addr_i(next_q), .data_o(clear_next)
  );
  gmmu_lutram #(.Width(1), .Depth(Slots)) u_clear_end (
    .clk_i, .write_i(clear_i || (load && ordered_i)),
    .write_addr_i(clear_i ? clear_slot_i : next_q), .data_i(!clear_i && set_next),
    .read_addr_i(end_i.slot), .data_o(clear_end)
  );
  gmmu_fifo #(.Width(SlotLg2), .Depth(Slots)) u_order (
    .clk_i, .rst_i,
    .valid_i(end_valid_i && !ordered_i), .ready_o(unused_order_ready), .data_i(end_i.slot),
    .valid_o(order_valid), .ready_i(load && !ordered_i), .data_o(order_slot)
  );
  assign pickable = ordered_i ? set_next != clear_next : order_valid;
  assign candidate = ordered_i ? next_q : order_slot;

  // ---- What is known about it.
  typedef struct packed {
    space_t      space;
    logic [63:0] va;
    access_e     access;
    logic [6:0]  bytes;
  } info_t;

  typedef struct packed {
    logic       faulted;
    logic [4:0] fault;
    level_t     level;
    logic       zero;
  } verdict_t;
  // Words of the answer: few bits, which decide at once (a block RAM's output comes late).
  typedef struct packed {
    logic        write;
    logic [2:0]  first;
    logic [2:0]  last;
  } plan_t;

  logic        pick_valid_q, pick_end, first_q, faulted, one_beat, last, log_now, forward;
  logic        muted_q, logged_q;
  slot_t       pick_q;
  fault_e      reason;
  info_t       info_in, info;
  verdict_t    verdict_in, verdict;
  plan_t       plan_in, plan;
  logic [2:0]  word, word_q;
  logic [5:0]  last_byte;                        // of the request

  assign info_in = '{space: req_i.space, va: req_i.va, access: req_i.access, bytes: req_i.bytes};
  gmmu_ram_1r1w #(.Width($bits(info_t)), .Depth(Slots)) u_info (
    .clk_i, .read_i(load), .read_addr_i(candidate), .data_o(info),
    .write_i(req_valid_i), .write_addr_i(req_i.id), .data_i(info_in)
  );
  assign last_byte = req_i.va[5:0] + req_i.bytes[5:0] - 6'd1;
  assign plan_in = '{write: req_i.access == AccessWrite, first: 3'(req_i.va[5:0] >> WordLg2),
                     last: 3'(last_byte >> WordLg2)};
  gmmu_lutram #(.Width($bits(plan_t)), .Depth(Slots)) u_plans (
    .clk_i, .write_i(req_valid_i), .write_addr_i(req_i.id), .data_i(plan_in),
    .read_addr_i(pick_q), .data_o(plan)
  );
  assign verdict_in = '{faulted: end_i.fault != FaultNone, fault: end_i.fault[4:0],
                        level: end_i.level, zero: end_i.zero};
  gmmu_lutram #(.Width($bits(verdict_t)), .Depth(Slots)) u_verdicts (
    .clk_i, .write_i(end_valid_i), .write_addr_i(end_i.slot), .data_i(verdict_in),
    .read_addr_i(pick_q), .data_o(verdict)
  );

  assign load = pickable && (!pick_valid_q || pick_end);
  assign faulted = verdict.faulted;
  assign reason = fault_e'({3'd0, verdict.fault});
  assign one_beat = faulted || plan.write;
  assign word = first_q ? plan.first : word_q;
  assign last = one_beat || word == plan.last;
  assign pick_end = pick_valid_q && forward && last;

  // The fault's record is taken before its answer is given.
  assign log_now = pick_valid_q && faulted && !muted_q && !logged_q;
  assign fault_valid_o = log_now;
  assign fault_o = '{reason: reason, space: info.space, port: port_i, access: info.access,
                     level: verdict.level, physical: 1'b0, fence: '0, address: info.va};

  // ---- Stage of the data RAM, then of the output.
  logic        data_valid_q, data_ready, data_zero_q;
  client_rsp_t data_rsp_q;
  logic [57:0] data_line_q;
  logic [8*WordBytes-1:0] data_word;

  assign data_ready = !rsp_valid_o || rsp_ready_i;
  assign forward = !log_now && (!data_valid_q || data_ready);
  assign read_o = pick_valid_q && forward;
  assign read_row_o = RowWidth'({pick_q, 6'(word) << WordLg2} >> ByteLg2);
  if (Banks > 1) begin : g_bank
    assign data_word = row_data_i[8*WordBytes*(32'(data_rsp_q.word) % Banks) +: 8*WordBytes];
  end else begin : g_row
    assign data_word = row_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pick_valid_q <= 1'b0;
      data_valid_q <= 1'b0;
      rsp_valid_o <= 1'b0;
      next_q <= '0;
      muted_q <= 1'b0;
      logged_q <= 1'b0;
    end else begin
      if (load) pick_valid_q <= 1'b1;
      else if (pick_end) pick_valid_q <= 1'b0;
      if (!ordered_i) next_q <= '0;
      else if (load) next_q <= next_q + 1'b1;
      if (!first_only_i) muted_q <= 1'b0;
      else if (pick_end && faulted) muted_q <= 1'b1;
      if (log_now && fault_ready_i) logged_q <= 1'b1;
      else if (pick_end) logged_q <= 1'b0;
      if (!data_valid_q || data_ready) data_valid_q <= pick_valid_q && !log_now;
      if (data_ready) rsp_valid_o <= data_valid_q;
    end
    if (load) begin
      pick_q <= candidate;
      first_q <= 1'b1;
    end else if (read_o) begin
      first_q <= 1'b0;
    end
    if (read_o) begin
      word_q <= word + 3'd1;
      data_rsp_q <= '{id: pick_q, last: last, fault: reason, word: word};
      data_zero_q <= one_beat || verdict.zero;
      data_line_q <= info.va[63:6];
    end
    if (data_valid_q && data_ready) begin
      rsp_o <= data_rsp_q;
      rsp_line_o <= data_line_q;
      rsp_data_o <= data_zero_q ? '0 : data_word;
    end
  end

  always_ff @(posedge clk_i) begin
    count_read_bytes_o <= pick_end && !faulted && !plan.write && !rst_i ? info.bytes : '0;
    count_write_bytes_o <= pick_end && !faulted && plan.write && !rst_i ? info.bytes : '0;
  end

  logic unused_bits;
  assign unused_bits = ^{unused_order_ready, end_i.fault[7:5], last_byte};
endmodule

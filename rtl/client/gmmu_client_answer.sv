// SPDX-License-Identifier: Apache-2.0
// Responses of one client: selects complete accesses, reads their data and outputs it word by word.
//
//   req      a request is offered; stores the fields that its response needs
//   end      an access is complete (gmmu_client_ends)
//   read     reads a row of received data; row_data_i is valid one cycle later
//   rsp      in the order of completion or, while ordered_i is 1, in ascending id order from 0
//            (modulo Slots). ordered_i may change only while no access is in flight.
//   fault    one record per faulted access, before its response, or only the first record while
//            first_only_i is 1. Valid and record come from registers
//   clear    sweeps all slots after reset, before the first access
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
  output logic [57:0]            rsp_line_o,     // line number (va / 64) of the access

  output logic                   fault_valid_o,
  input  logic                   fault_ready_i,
  output fault_info_t            fault_o,

  output logic [6:0]             count_read_bytes_o,
  output logic [6:0]             count_write_bytes_o
);
  localparam int unsigned WordLg2 = $clog2(WordBytes);
  localparam int unsigned ByteLg2 = $clog2(DataBytes);
  localparam int unsigned Banks = DataBytes / WordBytes;

  // ---- Selection of the next access. In ordered mode, a slot's access is complete if its set and
  // clear bits differ; each bit has one writer.
  logic  set_next, clear_next, clear_end, order_valid, pickable, pick_ready, load;
  logic  unused_order_ready;
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
    .valid_o(order_valid), .ready_i(pick_ready && !ordered_i), .data_o(order_slot)
  );
  assign pickable = ordered_i ? set_next != clear_next : order_valid;
  assign candidate = ordered_i ? next_q : order_slot;
  assign load = pickable && pick_ready;

  // ---- Fields stored per slot, read for the selected access.
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
  // The words of the response.
  typedef struct packed {
    logic        write;
    logic [2:0]  first;
    logic [2:0]  last;
  } plan_t;
  typedef struct packed {
    slot_t    slot;
    plan_t    plan;
    verdict_t verdict;
  } pick_t;

  info_t      info_in, info;
  verdict_t   verdict_in;
  plan_t      plan_in;
  pick_t      pick_in, pick;
  logic [5:0] last_byte;                         // line offset of the request's last byte

  assign last_byte = req_i.va[5:0] + req_i.bytes[5:0] - 6'd1;
  assign plan_in = '{write: req_i.access == AccessWrite, first: 3'(req_i.va[5:0] >> WordLg2),
                     last: 3'(last_byte >> WordLg2)};
  gmmu_lutram #(.Width($bits(plan_t)), .Depth(Slots)) u_plans (
    .clk_i, .write_i(req_valid_i), .write_addr_i(req_i.id), .data_i(plan_in),
    .read_addr_i(candidate), .data_o(pick_in.plan)
  );
  assign verdict_in = '{faulted: end_i.fault != FaultNone, fault: end_i.fault[4:0],
                        level: end_i.level, zero: end_i.zero};
  gmmu_lutram #(.Width($bits(verdict_t)), .Depth(Slots)) u_verdicts (
    .clk_i, .write_i(end_valid_i), .write_addr_i(end_i.slot), .data_i(verdict_in),
    .read_addr_i(candidate), .data_o(pick_in.verdict)
  );
  assign pick_in.slot = candidate;

  // ---- The words of the selected access, one per cycle.
  logic       pick_valid, pick_end, first_q, one_beat, last, read, take;
  logic       data_valid_q, data_go, data_log_q, data_write_q, data_zero_q;
  logic [2:0] word, word_q;

  gmmu_skid #(.Width($bits(pick_t))) u_pick (
    .clk_i, .rst_i, .valid_i(pickable), .ready_o(pick_ready), .data_i(pick_in),
    .valid_o(pick_valid), .ready_i(pick_end), .data_o(pick)
  );
  assign one_beat = pick.verdict.faulted || pick.plan.write;
  assign word = first_q ? pick.plan.first : word_q;
  assign last = one_beat || word == pick.plan.last;
  assign take = !data_valid_q || data_go;  // the data stage is free or becomes free
  assign read = pick_valid && take;
  assign pick_end = read && last;
  assign read_o = read;
  assign read_row_o = RowWidth'({pick.slot, 6'(word) << WordLg2} >> ByteLg2);

  assign info_in = '{space: req_i.space, va: req_i.va, access: req_i.access, bytes: req_i.bytes};
  gmmu_ram_block #(.Width($bits(info_t)), .Depth(Slots)) u_info (
    .clk_i, .read_i(read), .read_addr_i(pick.slot), .data_o(info),
    .write_i(req_valid_i), .write_addr_i(req_i.id), .data_i(info_in)
  );

  // ---- The data RAM stage and the output stage. The fault record of an access is accepted before
  // its response is offered.
  client_rsp_t            data_rsp_q;
  level_t                 data_level_q;
  logic                   out_ready, muted_q, counts;
  logic [1:0]             counts_q;              // [0] count a read's bytes, [1] a write's
  logic [6:0]             bytes_q;
  logic [8*WordBytes-1:0] data_word;

  assign out_ready = !rsp_valid_o || rsp_ready_i;
  assign data_go = !data_log_q && out_ready;
  assign counts = data_valid_q && data_go && data_rsp_q.last && data_rsp_q.fault == FaultNone &&
      !rst_i;
  if (Banks > 1) begin : g_bank
    assign data_word = row_data_i[8*WordBytes*(32'(data_rsp_q.word) % Banks) +: 8*WordBytes];
  end else begin : g_row
    assign data_word = row_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= 1'b1;
      data_valid_q <= 1'b0;
      data_log_q <= 1'b0;
      rsp_valid_o <= 1'b0;
      fault_valid_o <= 1'b0;
      next_q <= '0;
      muted_q <= 1'b0;
    end else begin
      if (!ordered_i) next_q <= '0;
      else if (load) next_q <= next_q + 1'b1;
      if (read) first_q <= last;
      if (take) data_valid_q <= pick_valid;
      // No word is loaded while a fault record has not been accepted.
      if (take) data_log_q <= pick_valid && pick.verdict.faulted && !muted_q;
      else if (fault_valid_o && fault_ready_i) data_log_q <= 1'b0;
      if (!first_only_i) muted_q <= 1'b0;
      else if (data_log_q) muted_q <= 1'b1;
      fault_valid_o <= fault_valid_o ? !fault_ready_i : data_valid_q && data_log_q;
      if (out_ready) rsp_valid_o <= data_valid_q && !data_log_q;
    end
    if (read) begin
      word_q <= word + 3'd1;
      data_rsp_q <= '{id: pick.slot, last: last, fault: fault_e'({3'd0, pick.verdict.fault}),
                      word: word};
      data_level_q <= pick.verdict.level;
      data_write_q <= pick.plan.write;
      data_zero_q <= one_beat || pick.verdict.zero;
    end
    if (data_log_q && !fault_valid_o) begin
      fault_o <= '{reason: data_rsp_q.fault, space: info.space, port: port_i, access: info.access,
                   level: data_level_q, physical: 1'b0, fence: '0, address: info.va};
    end
    if (out_ready && data_valid_q) begin
      rsp_o <= data_rsp_q;
      rsp_line_o <= info.va[63:6];
      rsp_data_o <= data_zero_q ? '0 : data_word;
    end
    bytes_q <= info.bytes;
    counts_q <= {counts && data_write_q, counts && !data_write_q};
    count_read_bytes_o <= bytes_q & {7{counts_q[0]}};
    count_write_bytes_o <= bytes_q & {7{counts_q[1]}};
  end

  logic unused_bits;
  assign unused_bits = ^{unused_order_ready, end_i.fault[7:5], last_byte};
endmodule

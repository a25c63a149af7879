// SPDX-License-Identifier: Apache-2.0
// Read half of the through-port: splits each AR at 64-byte lines into accesses of a gmmu_client,
// and assembles R from their responses.
//
//   ar, r   AXI4. R follows the order of AR. A narrow beat returns all byte lanes of its bus word.
//           Beats of a line that faulted, and all beats of an illegal burst (see through_legal),
//           have SLVERR and no data.
//   req     one access per line, with ascending ids; responses come in that order (the unit's
//           ordered_i is 1)
module gmmu_through_read
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter int unsigned Bursts = 32       // maximum number of incomplete bursts
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      enable_i,    // 0: no AR is accepted
  output logic                      idle_o,

  input  logic                      ar_valid_i,
  output logic                      ar_ready_o,
  input  through_ax_t               ar_i,
  output logic                      r_valid_o,
  input  logic                      r_ready_i,
  output logic [ThroughIdWidth-1:0] r_id_o,
  output logic [DataWidth-1:0]      r_data_o,
  output logic [1:0]                r_resp_o,
  output logic                      r_last_o,

  output logic                      req_valid_o,
  input  logic                      req_ready_i,
  output client_req_t               req_o,
  input  logic                      rsp_valid_i,
  output logic                      rsp_ready_o,
  input  client_rsp_t               rsp_i,
  input  logic [DataWidth-1:0]      rsp_data_i
);
  localparam int unsigned ByteLg2 = $clog2(DataBytes);

  // ---- Accesses of the current burst.
  logic        active_q, take, fire, chunk_last, legal;
  through_ax_t ax_q;                       // va: start of the next access
  logic [14:0] left_q, bytes;              // left_q: remaining bytes of the burst
  logic [6:0]  room_in_line, chunk;
  count_t      in_flight_q;
  slot_t       id_q;

  assign legal = through_legal(ar_i.burst, ar_i.size);
  assign bytes = (15'(ar_i.len) + 15'd1) << ar_i.size;
  assign room_in_line = 7'd64 - {1'b0, ax_q.va[5:0]};
  assign chunk_last = left_q <= 15'(room_in_line);
  assign chunk = chunk_last ? left_q[6:0] : room_in_line;
  assign req_valid_o = active_q && in_flight_q != count_t'(Slots);
  assign req_o = '{id: id_q, space: ax_q.space, va: ax_q.va,
                   access: ax_q.execute ? AccessExecute : AccessRead, bytes: chunk};
  assign fire = req_valid_o && req_ready_i;

  // ---- Bursts whose last R beat has not been sent.
  typedef struct packed {
    logic [ThroughIdWidth-1:0] id;
    logic [5:0]                at;         // line offset of the first beat
    logic [7:0]                len;
    logic [2:0]                size;
    logic                      legal;
  } burst_t;

  burst_t burst_in, burst;
  logic   burst_ready, burst_valid, burst_end;

  assign burst_in = '{id: ar_i.id, at: ar_i.va[5:0], len: ar_i.len, size: ar_i.size, legal: legal};
  assign ar_ready_o = enable_i && burst_ready && !active_q;
  assign take = ar_valid_i && ar_ready_o;
  gmmu_fifo #(.Width($bits(burst_t)), .Depth(Bursts)) u_bursts (
    .clk_i, .rst_i,
    .valid_i(take), .ready_o(burst_ready), .data_i(burst_in),
    .valid_o(burst_valid), .ready_i(burst_end), .data_o(burst)
  );

  // ---- R. A response covers one bus word; a faulted response covers the rest of its line.
  logic       first_q, faulted, beat_valid, beat_ready, beat_last, consume;
  logic [5:0] at_q, at;
  logic [6:0] next;
  logic [7:0] beat_q;

  assign at = first_q ? burst.at : at_q;
  assign next = through_next(at, burst.size);
  assign faulted = rsp_i.fault != FaultNone;
  assign beat_valid = burst_valid && (!burst.legal || rsp_valid_i);
  assign beat_last = beat_q == burst.len;
  always_comb begin
    consume = beat_last || next[6];
    if (!faulted && next[6:0] >> ByteLg2 != {1'b0, at} >> ByteLg2) consume = 1'b1;
  end
  assign rsp_ready_o = burst_valid && burst.legal && beat_ready && consume;
  assign burst_end = beat_valid && beat_ready && beat_last;

  logic [1:0] resp;
  assign resp = !burst.legal || faulted ? RespSlvErr : RespOkay;
  gmmu_skid #(.Width(ThroughIdWidth + DataWidth + 3)) u_r (
    .clk_i, .rst_i,
    .valid_i(beat_valid), .ready_o(beat_ready),
    .data_i({burst.id, resp == RespOkay ? rsp_data_i : '0, resp, beat_last}),
    .valid_o(r_valid_o), .ready_i(r_ready_i), .data_o({r_id_o, r_data_o, r_resp_o, r_last_o})
  );

  logic retire;
  assign retire = rsp_valid_i && rsp_ready_o && rsp_i.last;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= 1'b0;
      in_flight_q <= '0;
      id_q <= '0;
      first_q <= 1'b1;
      beat_q <= '0;
    end else begin
      if (take) active_q <= legal;
      else if (fire && chunk_last) active_q <= 1'b0;
      if (fire) id_q <= id_q + 1'b1;
      if (fire && !retire) in_flight_q <= in_flight_q + 1'b1;
      if (retire && !fire) in_flight_q <= in_flight_q - 1'b1;
      if (beat_valid && beat_ready) begin
        first_q <= beat_last;
        beat_q <= beat_last ? '0 : beat_q + 1'b1;
      end
    end
    if (take) begin
      ax_q <= ar_i;
      left_q <= bytes - (15'(ar_i.va[5:0]) & ((15'd1 << ar_i.size) - 15'd1));
    end else if (fire) begin
      ax_q.va <= {ax_q.va[63:6] + 58'd1, 6'd0};
      left_q <= left_q - 15'(chunk);
    end
    if (beat_valid && beat_ready) at_q <= next[5:0];
  end

  assign idle_o = !active_q && !burst_valid && !r_valid_o && !(ar_valid_i && enable_i);

  logic unused_bits;
  assign unused_bits = ^{rsp_i.id, rsp_i.word, ax_q};
endmodule

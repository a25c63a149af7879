// SPDX-License-Identifier: Apache-2.0
// Write half of the through-port: merges W beats into bus words (rows) and 64-byte lines. Each line
// becomes one access of a gmmu_client, and B is formed from the responses.
//
//   aw, w, b  AXI4. W is accepted only after its AW. B follows the order of AW, with SLVERR if a
//             line of the burst faulted (the other lines are written). An illegal burst (see
//             through_legal) writes nothing and gets SLVERR.
//   word      rows of a line with their strobes, sent before the line's request
//   req       one access per line, with ascending ids; responses come in that order (the unit's
//             ordered_i is 1)
module gmmu_through_write
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      enable_i,    // 0: no AW is accepted
  output logic                      idle_o,

  input  logic                      aw_valid_i,
  output logic                      aw_ready_o,
  input  through_ax_t               aw_i,
  input  logic                      w_valid_i,
  output logic                      w_ready_o,
  input  logic [DataWidth-1:0]      w_data_i,
  input  logic [DataBytes-1:0]      w_strb_i,
  output logic                      b_valid_o,
  input  logic                      b_ready_i,
  output logic [ThroughIdWidth-1:0] b_id_o,
  output logic [1:0]                b_resp_o,

  output logic                      word_valid_o,
  output client_w_t                 word_o,
  output logic [DataWidth-1:0]      word_data_o,
  output logic [DataBytes-1:0]      word_strobe_o,
  output logic                      req_valid_o,
  input  logic                      req_ready_i,
  output client_req_t               req_o,
  input  logic                      rsp_valid_i,
  output logic                      rsp_ready_o,
  input  client_rsp_t               rsp_i
);
  localparam int unsigned ByteLg2 = $clog2(DataBytes);

  // ---- The current burst.
  logic        active_q, legal_q, take, beat, beat_last, row_end, line_end;
  through_ax_t ax_q;  // va: start of the current access; len: remaining beats - 1
  logic [5:0]  at_q;                       // line offset of the current beat
  logic [6:0]  next;
  logic        refuse_q;                   // the B of an illegal burst is pending

  // ---- Merged lanes of the current row.
  logic [DataWidth-1:0] row_q, row;
  logic [DataBytes-1:0] strobe_q, strobe;

  // ---- Accesses.
  logic        req_q, fire, retire, room;
  client_req_t request_q;
  slot_t       id_q;
  count_t      in_flight_q;  // number of accesses in flight, without the current line and req_q
  typedef struct packed {
    logic [ThroughIdWidth-1:0] id;
    logic                      last;       // last line of its burst
  } note_t;
  note_t       note_in, note;

  assign aw_ready_o = enable_i && !active_q && !refuse_q;
  assign take = aw_valid_i && aw_ready_o;

  assign fire = req_q && req_ready_i;
  assign room = in_flight_q < count_t'(Slots - 1);
  assign w_ready_o = active_q && (!legal_q || (room && (!req_q || req_ready_i)));
  assign beat = w_valid_i && w_ready_o;
  assign beat_last = ax_q.len == '0;
  assign next = through_next(at_q, ax_q.size);
  assign row_end = beat_last || next >> ByteLg2 != {1'b0, at_q} >> ByteLg2;
  assign line_end = beat_last || next[6];

  always_comb begin
    row = row_q;
    for (int unsigned i = 0; i < DataBytes; i++) begin
      if (w_strb_i[i]) row[8*i +: 8] = w_data_i[8*i +: 8];
    end
  end
  assign strobe = strobe_q | w_strb_i;

  assign word_valid_o = beat && legal_q && row_end;
  assign word_o = '{id: id_q, word: 3'(at_q >> ByteLg2)};
  assign word_data_o = row;
  assign word_strobe_o = strobe;

  assign note_in = '{id: ax_q.id, last: beat_last};
  gmmu_lutram #(.Width($bits(note_t)), .Depth(Slots)) u_notes (
    .clk_i, .write_i(beat && line_end && legal_q), .write_addr_i(id_q), .data_i(note_in),
    .read_addr_i(rsp_i.id), .data_o(note)
  );

  // ---- B is sent after the response to the last line of its burst.
  logic failed_q, failed, b_in_valid, b_in_ready, refuse;
  logic [ThroughIdWidth-1:0] b_id;

  assign failed = failed_q || rsp_i.fault != FaultNone;
  assign refuse = refuse_q && in_flight_q == '0 && !req_q && !rsp_valid_i;
  assign b_in_valid = refuse || (rsp_valid_i && note.last);
  assign b_id = refuse ? ax_q.id : note.id;
  assign rsp_ready_o = !note.last || b_in_ready;
  assign retire = rsp_valid_i && rsp_ready_o;
  gmmu_skid #(.Width(ThroughIdWidth + 2)) u_b (
    .clk_i, .rst_i,
    .valid_i(b_in_valid), .ready_o(b_in_ready),
    .data_i({b_id, refuse || failed ? RespSlvErr : RespOkay}),
    .valid_o(b_valid_o), .ready_i(b_ready_i), .data_o({b_id_o, b_resp_o})
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      active_q <= 1'b0;
      refuse_q <= 1'b0;
      strobe_q <= '0;
      req_q <= 1'b0;
      id_q <= '0;
      in_flight_q <= '0;
      failed_q <= 1'b0;
    end else begin
      if (take) active_q <= 1'b1;
      else if (beat && beat_last) active_q <= 1'b0;
      if (beat && beat_last && !legal_q) refuse_q <= 1'b1;
      else if (refuse && b_in_ready) refuse_q <= 1'b0;

      if (beat) strobe_q <= row_end || !legal_q ? '0 : strobe;
      if (beat && line_end && legal_q) begin
        req_q <= 1'b1;
        id_q <= id_q + 1'b1;
      end else if (fire) begin
        req_q <= 1'b0;
      end
      if (fire && !retire) in_flight_q <= in_flight_q + 1'b1;
      if (retire && !fire) in_flight_q <= in_flight_q - 1'b1;
      if (retire) failed_q <= !note.last && failed;
    end

    if (take) begin
      ax_q <= aw_i;
      at_q <= aw_i.va[5:0];
      legal_q <= through_legal(aw_i.burst, aw_i.size);
    end else if (beat) begin
      at_q <= next[5:0];
      ax_q.len <= ax_q.len - 8'd1;
      if (line_end) ax_q.va <= {ax_q.va[63:6] + 58'd1, 6'd0};
    end
    if (beat) row_q <= row;
    if (beat && line_end && legal_q) begin
      request_q <= '{id: id_q, space: ax_q.space, va: ax_q.va, access: AccessWrite,
                     bytes: next - {1'b0, ax_q.va[5:0]}};
    end
  end

  assign req_valid_o = req_q;
  assign req_o = request_q;
  assign idle_o = !active_q && !refuse_q && !req_q && in_flight_q == '0 && !b_valid_o &&
      !(aw_valid_i && enable_i);

  logic unused_bits;
  assign unused_bits = ^{rsp_i.id, rsp_i.word, rsp_i.last, ax_q};
endmodule

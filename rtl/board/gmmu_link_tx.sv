// SPDX-License-Identifier: Apache-2.0
// Packs a byte stream into frames and stores them until they are acknowledged. It also sends frames
// without payload.
//
//   stream     bytes of the payload. A frame is closed when it is full, or when no byte was offered
//              for some cycles and nothing else waits to be sent
//   ack_i      a good frame of the session: the host has received every frame before ack_number_i
//              and has space for ack_room_i frames from that number on. With nak_i, frames are
//              retransmitted from ack_number_i on
//   say_i      pulse: a frame must be sent, with or without payload. say_nak_i with say_i: the
//              frame requests a retransmission
//   session_i, wanted_i, room_i   fields of the frame header. Without a session, only an
//                                 announcement is sent every KeepAlive cycles
//   out        bytes for the serial line
module gmmu_link_tx
  import gmmu_link_pkg::*;
#(
  parameter int unsigned KeepAlive = 1 << 17   // cycles, a power of two
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,

  input  logic       ack_i,
  input  logic [7:0] ack_number_i,
  input  logic [3:0] ack_room_i,
  input  logic       nak_i,
  input  logic       say_i,
  input  logic       say_nak_i,

  input  logic [7:0] session_i,    // 0: no session
  input  logic [7:0] wanted_i,     // number of the next frame expected from the host
  input  logic [3:0] room_i,       // number of frames that the receiver has space for
  output logic       again_o,      // pulse: a frame is retransmitted

  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [7:0] out_o
);
  localparam int unsigned SlotLg2 = $clog2(MaxFrames);
  localparam int unsigned PayLg2 = $clog2(MaxPayload);
  localparam int unsigned AliveLg2 = $clog2(KeepAlive);
  localparam logic [4:0] Quiet = 5'd31;   // cycles without an offer after which a frame is closed

  typedef enum logic [2:0] {Rest, Sum, Scan, Code, Send, End} state_e;
  state_e          state_q;
  header_t         header_q;
  logic [SlotLg2-1:0] slot_q;     // slot of the current frame

  // ---- Frames in [acked_q, fill_q) are closed, frame fill_q is being filled, frame sent_q is sent
  // next, and frames from made_q on have never been sent.
  logic [7:0]      acked_q, fill_q, sent_q, made_q, limit_q;
  logic [PayLg2:0] filled_q;      // number of bytes in frame fill_q
  logic [4:0]      quiet_q;
  logic            push, close, resting;
  logic [PayLg2:0] length;
  logic [7:0]      outstanding;
  assign outstanding = fill_q - acked_q;
  assign push = valid_i && ready_o;
  assign close = filled_q == (PayLg2 + 1)'(MaxPayload) || (filled_q != '0 && quiet_q == Quiet && !valid_i &&
      resting && sent_q == fill_q);

  gmmu_lutram #(.Width(PayLg2 + 1), .Depth(MaxFrames)) u_lengths (
    .clk_i, .read_addr_i(sent_q[SlotLg2-1:0]), .data_o(length),
    .write_i(close), .write_addr_i(fill_q[SlotLg2-1:0]), .data_i(filled_q));

  logic              read;
  logic [8:0]      place_q, last; // place_q: position in the body; last: end of the body
  logic [PayLg2-1:0] index;       // index within the payload
  logic [7:0]        stored;
  gmmu_ram_block #(.Width(8), .Depth(MaxFrames * MaxPayload)) u_payloads (
    .clk_i, .read_i(read), .read_addr_i({slot_q, index}), .data_o(stored),
    .write_i(push), .write_addr_i({fill_q[SlotLg2-1:0], filled_q[PayLg2-1:0]}), .data_i);

  // ---- Requests to send a frame: say_i pulses and the keep-alive timer.
  logic            say_q, nak_q, due;
  logic [AliveLg2:0] alive_q;
  assign due = alive_q[AliveLg2];

  logic [PayLg2:0] bytes_q;       // number of payload bytes
  logic [31:0]     crc_q;
  logic [1:0]      age_q;         // cycles since place_q was set, at most 2
  logic            have;          // body_q is the byte at place_q
  logic [8:0]      from_q;        // start of the COBS block
  logic [7:0]      code_q, left_q;
  logic            more_q;        // another block follows
  logic [7:0]      body, body_q;
  logic            announce_q;
  assign last = 9'(bytes_q) + 9'(HeaderBytes + CrcBytes);
  assign resting = state_q == Rest;

  // The byte at place_q is in `body` one cycle after place_q is set, and in body_q one cycle after
  // that.
  assign have = age_q == 2'd2;
  logic [1:0] low;
  assign index = PayLg2'(place_q - 9'(HeaderBytes));
  assign low = 2'(place_q - 9'(bytes_q));
  assign read = 1'b1;
  always_comb begin
    if (place_q < 9'(HeaderBytes)) body = header_q[8*place_q[1:0] +: 8];
    else if (place_q >= last - 9'(CrcBytes)) body = ~crc_q[8*low +: 8];
    else if (announce_q) body = Magic[place_q[2:0] - 3'd4];
    else body = stored;
  end

  logic       can_send;
  logic [7:0] allowed;            // number of frames up to the limit; negative beyond it
  assign allowed = limit_q - sent_q;
  assign can_send = sent_q != fill_q && allowed != '0 && !allowed[7] && session_i != '0;

  always_ff @(posedge clk_i) begin
    // The stream.
    if (push) filled_q <= filled_q + 1'b1;
    quiet_q <= valid_i ? '0 : quiet_q == Quiet ? Quiet : quiet_q + 1'b1;
    ready_o <= session_i != '0 && !close && outstanding < 8'(MaxFrames) &&
        filled_q + (PayLg2 + 1)'(push) < (PayLg2 + 1)'(MaxPayload);
    if (close) begin
      fill_q <= fill_q + 1'b1;
      filled_q <= '0;
      ready_o <= 1'b0;
    end

    // The current frame.
    again_o <= 1'b0;
    body_q <= body;
    if (!have) age_q <= age_q + 1'b1;
    if (say_i) say_q <= 1'b1;
    if (say_i && say_nak_i) nak_q <= 1'b1;
    if (!due) alive_q <= alive_q + 1'b1;
    unique case (state_q)
      Rest: begin
        slot_q <= sent_q[SlotLg2-1:0];
        bytes_q <= can_send ? length : session_i == '0 ? (PayLg2 + 1)'(6) : '0;
        announce_q <= session_i == '0;
        header_q <= '{session: session_i, number: sent_q, ack: wanted_i, room: room_i, nak: nak_q,
                      kind: session_i == '0 ? FrameAnnounce : FrameData};
        crc_q <= CrcStart;
        place_q <= '0;
        age_q <= '0;
        if (can_send || say_q || due) begin
          state_q <= Sum;
          say_q <= say_i;
          nak_q <= say_i && say_nak_i;
          alive_q <= '0;
          if (can_send) begin
            sent_q <= sent_q + 1'b1;
            if (sent_q == made_q) made_q <= made_q + 1'b1;
            else again_o <= 1'b1;
          end
        end
      end
      Sum: begin
        if (have) begin
          age_q <= '0;
          if (place_q == last - 9'(CrcBytes)) begin
            state_q <= Scan;
            place_q <= '0;
            from_q <= '0;
            code_q <= 8'd1;
          end else begin
            crc_q <= crc_byte(crc_q, body_q);
            place_q <= place_q + 1'b1;
          end
        end
      end
      Scan: begin   // count the bytes of a block
        if (have) begin
          age_q <= '0;
          more_q <= 1'b1;
          if (place_q == last) begin
            more_q <= 1'b0;
            state_q <= Code;
          end else if (code_q == 8'hFF) begin
            state_q <= Code;
          end else if (body_q == '0) begin
            state_q <= Code;
          end else begin
            code_q <= code_q + 1'b1;
            place_q <= place_q + 1'b1;
          end
        end
      end
      Code: begin
        place_q <= from_q;
        left_q <= code_q - 1'b1;
        age_q <= '0;
        if (out_ready_i) state_q <= Send;
      end
      Send: begin
        if (left_q == '0) begin
          age_q <= '0;
          if (code_q != 8'hFF) place_q <= place_q + 1'b1;   // skip the zero byte
          from_q <= code_q != 8'hFF ? place_q + 1'b1 : place_q;
          code_q <= 8'd1;
          state_q <= more_q ? Scan : End;
        end else if (have && out_ready_i) begin
          age_q <= '0;
          left_q <= left_q - 1'b1;
          place_q <= place_q + 1'b1;
        end
      end
      default: if (out_ready_i) state_q <= Rest;
    endcase

    // Acknowledgements from the host.
    if (ack_i) begin
      // An acknowledgement of a frame that has never been sent is ignored.
      if (ack_number_i - acked_q <= made_q - acked_q) begin
        acked_q <= ack_number_i;
        limit_q <= ack_number_i + 8'(ack_room_i);
        if (nak_i) sent_q <= ack_number_i;
        else if (sent_q - acked_q < ack_number_i - acked_q) sent_q <= ack_number_i;
      end
    end

    if (rst_i) begin
      acked_q <= '0;
      fill_q <= '0;
      sent_q <= '0;
      made_q <= '0;
      limit_q <= '0;
      filled_q <= '0;
      quiet_q <= '0;
      ready_o <= 1'b0;
      say_q <= 1'b0;
      nak_q <= 1'b0;
      again_o <= 1'b0;
    end
    // A frame that is on the line when a session starts is cut off. The receiver drops it because
    // of its session number.
    if (rst_i && state_q != Rest) state_q <= End;
  end

  assign out_valid_o = state_q == Code || (state_q == Send && have && left_q != '0) || state_q == End;
  assign out_o = state_q == Code ? code_q : state_q == Send ? body_q : '0;
endmodule

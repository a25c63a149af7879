// SPDX-License-Identifier: Apache-2.0
// The board's end of the link: two byte streams over a serial line. While a session lasts, no byte
// is lost, duplicated or corrupted (docs/board-link.md).
//
//   up, down   the streams to and from the host; valid and data come from registers and are held
//              until accepted
//   open_o     a session is open
//   reset_o    1 for some cycles when the host opens a session, to reset everything behind the
//              streams
//   counts     pulses for a damaged frame (damaged_o), a frame out of sequence (gap_o) and a
//              retransmitted frame (again_o); got_o pulses for a good frame
module gmmu_link
  import gmmu_link_pkg::*;
#(
  parameter int unsigned ClockHz = 80_000_000,
  parameter int unsigned BitsPerSecond = 3_000_000,
  parameter int unsigned KeepAlive = 1 << 17
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       line_i,
  output logic       line_o,

  input  logic       up_valid_i,
  output logic       up_ready_o,
  input  logic [7:0] up_i,
  output logic       down_valid_o,
  input  logic       down_ready_i,
  output logic [7:0] down_o,

  output logic       open_o,
  output logic       reset_o,
  output logic       got_o,
  output logic       damaged_o,
  output logic       gap_o,
  output logic       again_o
);
  logic       in_valid, in_broken, out_valid, out_ready, line_valid, line_ready, pay_valid, frame_end, good, hello;
  logic [7:0] in_byte, out_byte, line_byte, pay, hello_session;
  header_t    header;
  logic [8:0] length;

  gmmu_serial_rx #(.ClockHz(ClockHz), .BitsPerSecond(BitsPerSecond)) u_serial_rx (
    .clk_i, .rst_i, .line_i, .valid_o(in_valid), .broken_o(in_broken), .data_o(in_byte));
  gmmu_serial_tx #(.ClockHz(ClockHz), .BitsPerSecond(BitsPerSecond)) u_serial_tx (
    .clk_i, .rst_i, .valid_i(line_valid), .ready_o(line_ready), .data_i(line_byte), .line_o);
  // The next frame is built while the last bytes of the current one are sent.
  gmmu_fifo_ram #(.Width(8), .Depth(128)) u_ahead (
    .clk_i, .rst_i, .valid_i(out_valid), .ready_o(out_ready), .data_i(out_byte),
    .valid_o(line_valid), .ready_i(line_ready), .data_o(line_byte));
  gmmu_link_rx u_rx (
    .clk_i, .rst_i, .byte_valid_i(in_valid), .byte_broken_i(in_broken), .byte_i(in_byte),
    .pay_valid_o(pay_valid), .pay_o(pay), .end_o(frame_end), .good_o(good), .header_o(header), .length_o(length),
    .hello_o(hello), .session_o(hello_session));

  // ---- The session.
  logic [7:0] session_q, wanted_q;
  logic [3:0] opening_q;          // remaining cycles of reset_o
  logic       begun_q;            // pulse: reset_o has fallen
  assign open_o = session_q != '0;
  assign reset_o = opening_q != '0;

  logic       fresh_q;            // the session has not accepted a frame from the host yet
  // hear: a hello has arrived; opens: it opens a session (a repeated hello does not)
  logic       hear, opens;
  assign hear = frame_end && hello;
  assign opens = hear && !(session_q == hello_session && fresh_q);

  // ---- Classification of a frame.
  logic       ours, numbered, ahead, take;
  logic [3:0] room;
  logic [7:0] distance;           // number of this frame minus the expected number
  assign ours = frame_end && good && header.session == session_q && open_o && header.kind == FrameData;
  assign numbered = length != '0;
  assign distance = header.number - wanted_q;
  assign ahead = distance != '0 && !distance[7];
  assign take = ours && numbered && distance == '0 && room != '0;

  logic asked_q;  // a retransmission was requested, and the expected frame is still missing
  logic ask, say;
  assign ask = (ours && (numbered ? (ahead && !asked_q) : ahead)) || (frame_end && !good && open_o && !asked_q);
  assign say = begun_q || hear || ask || (ours && numbered);

  gmmu_link_store u_store (
    .clk_i, .rst_i(reset_o || rst_i), .write_i(pay_valid), .data_i(pay), .keep_i(frame_end),
    .keep_bytes_i(take ? length : '0), .room_o(room), .valid_o(down_valid_o), .ready_i(down_ready_i), .data_o(down_o));

  // room fell below 4; when it is 4 or more again, a frame is sent to announce it
  logic said_room_q;
  gmmu_link_tx #(.KeepAlive(KeepAlive)) u_tx (
    .clk_i, .rst_i(reset_o || rst_i), .valid_i(up_valid_i), .ready_o(up_ready_o), .data_i(up_i),
    .ack_i(ours), .ack_number_i(header.ack), .ack_room_i(header.room), .nak_i(header.nak),
    .say_i(say || (said_room_q && room >= 4'd4)), .say_nak_i(ask), .session_i(session_q), .wanted_i(wanted_q), .room_i(room), .again_o,
    .out_valid_o(out_valid), .out_ready_i(out_ready), .out_o(out_byte));

  always_ff @(posedge clk_i) begin
    got_o <= ours || hear;
    damaged_o <= frame_end && !good;
    gap_o <= ours && numbered && distance != '0;
    begun_q <= opening_q == 4'd1;
    if (opening_q != '0) opening_q <= opening_q - 1'b1;
    if (take) begin
      wanted_q <= wanted_q + 1'b1;
      asked_q <= 1'b0;
      fresh_q <= 1'b0;
    end else if (ask) begin
      asked_q <= 1'b1;
    end
    if (room < 4'd4) said_room_q <= 1'b1;
    else if (said_room_q) said_room_q <= 1'b0;
    if (opens) begin
      fresh_q <= 1'b1;
      session_q <= hello_session;
      wanted_q <= '0;
      asked_q <= 1'b0;
      opening_q <= '1;
    end
    if (rst_i) begin
      session_q <= '0;
      wanted_q <= '0;
      asked_q <= 1'b0;
      opening_q <= '0;
      begun_q <= 1'b0;
      said_room_q <= 1'b0;
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Decodes the bytes from the line into frames: COBS, header, payload, CRC.
//
//   in        one byte per byte_valid_i; a broken byte makes its frame invalid
//   payload   every byte of the body after the header, with pay_valid_o; the last four are the CRC
//   end_o     pulses one cycle after the zero byte that ends a frame, with the frame's header,
//             payload length and validity (good_o: COBS correct, not too long, CRC correct). Two
//             zero bytes in a row do not form a frame
//   hello_o   with end_o: the frame is a good hello of this protocol version; session_o is the
//             session to open
module gmmu_link_rx
  import gmmu_link_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       byte_valid_i,
  input  logic       byte_broken_i,
  input  logic [7:0] byte_i,

  output logic       pay_valid_o,
  output logic [7:0] pay_o,
  output logic       end_o,
  output logic       good_o,
  output header_t    header_o,
  output logic [8:0] length_o,    // number of payload bytes
  output logic       hello_o,
  output logic [7:0] session_o
);
  localparam logic [8:0] MostBytes = 9'(HeaderBytes + MaxPayload + CrcBytes);

  // COBS: the remaining bytes of a block, and the zero between two blocks.
  logic [7:0] left_q;
  logic       zero_q;         // a zero precedes the next block
  logic       any_q, bad_q;   // any_q: a frame has started; bad_q: it is damaged
  logic       take;           // the body gets a byte in this cycle
  logic [7:0] body;
  logic       ends;
  assign ends = byte_valid_i && byte_i == '0;
  assign take = byte_valid_i && !ends && (left_q != '0 || zero_q);
  assign body = left_q != '0 ? byte_i : '0;

  // One cycle later: the body byte, and whether the frame is complete.
  logic       take_q, ends_q, fine_q;
  logic [7:0] body_q;
  logic [8:0] count_q;        // number of body bytes before body_q
  logic [31:0] crc_q;
  logic       magic_q;        // the payload matches a hello so far
  assign pay_valid_o = take_q && count_q >= 9'(HeaderBytes) && count_q < MostBytes;
  assign pay_o = body_q;

  always_ff @(posedge clk_i) begin
    take_q <= take;
    body_q <= body;
    ends_q <= ends && any_q;
    fine_q <= !bad_q && left_q == '0;
    if (byte_valid_i) begin
      any_q <= !ends;
      if (left_q != '0) left_q <= left_q - 1'b1;
      else begin
        left_q <= byte_i - 1'b1;
        zero_q <= byte_i != 8'hFF;
      end
      if (ends) begin
        left_q <= '0;
        zero_q <= 1'b0;
        bad_q <= 1'b0;
      end
    end
    if (byte_broken_i) begin
      bad_q <= 1'b1;
      any_q <= 1'b1;
    end

    if (take_q) begin
      crc_q <= crc_byte(crc_q, body_q);
      if (count_q != '1) count_q <= count_q + 1'b1;
      if (count_q < 9'(HeaderBytes)) header_o <= {body_q, header_o[31:8]};
      else if (count_q < 9'(HeaderBytes + 6)) magic_q <= magic_q && body_q == Magic[3'(count_q - 9'(HeaderBytes))];
      else if (count_q == 9'(HeaderBytes + 6)) session_o <= body_q;
    end
    end_o <= 1'b0;
    if (ends_q) begin
      end_o <= 1'b1;
      good_o <= fine_q && crc_q == CrcGood && count_q >= 9'(HeaderBytes + CrcBytes) && count_q <= MostBytes;
      length_o <= count_q - 9'(HeaderBytes + CrcBytes);
      hello_o <= fine_q && crc_q == CrcGood && magic_q && count_q == 9'(HeaderBytes + 7 + CrcBytes) &&
          header_o.session == '0 && header_o.kind == FrameHello && session_o != '0;
      crc_q <= CrcStart;
      count_q <= '0;
      magic_q <= 1'b1;
    end
    if (rst_i) begin
      take_q <= 1'b0;
      ends_q <= 1'b0;
      end_o <= 1'b0;
      left_q <= '0;
      zero_q <= 1'b0;
      any_q <= 1'b0;
      bad_q <= 1'b0;
      count_q <= '0;
      crc_q <= CrcStart;
      magic_q <= 1'b1;
    end
  end
endmodule

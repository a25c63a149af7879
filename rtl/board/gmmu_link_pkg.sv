// SPDX-License-Identifier: Apache-2.0
// Constants of the link between board and host; docs/board-link.md explains them.
package gmmu_link_pkg;
  localparam int unsigned MaxPayload = 256;   // maximum number of payload bytes per frame
  localparam int unsigned MaxFrames = 8;  // maximum number of unacknowledged frames with payload
  localparam int unsigned HeaderBytes = 4;
  localparam int unsigned CrcBytes = 4;
  localparam logic [7:0]  Version = 8'd2;

  typedef enum logic [2:0] {FrameData, FrameHello, FrameAnnounce} frame_e;

  // little-endian on the line; fields are listed from byte 3 down to byte 0
  typedef struct packed {
    logic [2:0] kind;
    logic       nak;
    logic [3:0] room;
    logic [7:0] ack;
    logic [7:0] number;
    logic [7:0] session;
  } header_t;

  // Start of the payload of a hello or an announcement; byte 0 is sent first.
  localparam logic [5:0][7:0] Magic = {Version, "B", "U", "M", "M", "G"};

  // First byte of a message.
  localparam logic [7:0] UpRead = 8'h01;
  localparam logic [7:0] UpWrite = 8'h02;
  localparam logic [7:0] UpAnswer = 8'h03;
  localparam logic [7:0] UpRoom = 8'h04;
  localparam logic [7:0] DownRegisterWrite = 8'h11;
  localparam logic [7:0] DownRegisterRead = 8'h12;
  localparam logic [7:0] DownWindowWrite = 8'h13;
  localparam logic [7:0] DownWindowRead = 8'h14;
  localparam logic [7:0] DownBoardWrite = 8'h15;
  localparam logic [7:0] DownBoardRead = 8'h16;
  localparam logic [7:0] DownCompletion = 8'h17;

  // Returns the CRC-32C after one more byte. It starts with all ones, and its complement is sent.
  // The CRC over a body including its CRC bytes is CrcGood.
  localparam logic [31:0] CrcStart = 32'hFFFF_FFFF;
  localparam logic [31:0] CrcGood = 32'hB798_B438;
  function automatic logic [31:0] crc_byte(logic [31:0] crc, logic [7:0] data);
    logic [31:0] value;
    value = crc ^ 32'(data);
    for (int unsigned i = 0; i < 8; i++) value = {1'b0, value[31:1]} ^ (value[0] ? 32'h82F6_3B78 : 32'd0);
    return value;
  endfunction
endpackage

// SPDX-License-Identifier: Apache-2.0
// The board registers that docs/board-link.md describes.
//
//   index_i, data_o   read: data_o is the register at index_i, one cycle later
//   write_i           writes data_i to the register at index_i
//   reset_o           pulse: software requests a function-level reset
//   counts            pulses to count. Only rst_i (power-on) clears the counts; session_i (a
//                     session is being opened) clears the other registers
module gmmu_board_regs
  import gmmu_pkg::*;
  import gmmu_link_pkg::*;
#(
  parameter int unsigned ClockHz = 80_000_000,
  parameter int unsigned BitsPerSecond = 3_000_000,
  parameter longint unsigned VramBytes = 64'd33_554_432,
  parameter logic [63:0] Build = '0,
  parameter logic [63:0] Name = '0       // board name, first character in the lowest byte
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        session_i,

  input  logic [5:0]  index_i,
  input  logic        write_i,
  input  logic [63:0] data_i,
  output logic [63:0] data_o,

  output logic        bus_master_o,
  output logic        silence_o,
  output logic        reset_o,
  output logic [3:0]  leds_o,
  output message_t    message_o,
  output logic [63:0] cycle_o,
  output logic [15:0] vram_key_o,
  input  logic [4:0]  status_i,     // {VRAM ready, irq, idle, silent, resetting}

  input  logic [3:0]  count_i       // {access error, frame retransmitted, sequence gap, damaged frame}
);
  localparam logic [63:0] Identity = {Version, "D", "R", "B", "U", "M", "M", "G"};

  // message_t as 64-bit words, the lowest first: registers 16 and up.
  localparam int unsigned MessageWords = ($bits(message_t) + 63) / 64;
  localparam int unsigned FirstMessage = 16;
  localparam logic [MessageWords-1:0][63:0] MessageBits = '1 >> (64 * MessageWords - $bits(message_t));

  logic [7:0]  control_q;
  logic [MessageWords-1:0][63:0] message_q;
  logic [15:0] count_q [4];
  assign bus_master_o = control_q[0];
  assign message_o = message_t'(message_q);
  assign silence_o = control_q[2];
  assign leds_o = control_q[7:4];

  always_ff @(posedge clk_i) begin
    cycle_o <= cycle_o + 1'b1;
    reset_o <= 1'b0;
    if (write_i) begin
      unique case (index_i)
        6'd5: begin
          control_q <= {data_i[7:4], 1'b0, data_i[2], 1'b0, data_i[0]};
          reset_o <= data_i[3];
        end
        6'd11: vram_key_o <= data_i[15:0];
        default: ;
      endcase
      for (int unsigned i = 0; i < MessageWords; ++i) if (index_i == 6'(FirstMessage + i)) message_q[i] <= data_i & MessageBits[i];
    end
    for (int unsigned i = 0; i < 4; i++) if (count_i[i] && count_q[i] != '1) count_q[i] <= count_q[i] + 1'b1;
    if (rst_i || session_i) begin
      cycle_o <= '0;
      control_q <= '0;
      message_q <= '0;
      vram_key_o <= '0;
      reset_o <= 1'b0;
    end
    if (rst_i) count_q <= '{default: '0};

    unique case (index_i)
      6'd0: data_o <= Identity;
      6'd1: data_o <= Build;
      6'd2: data_o <= {32'(BitsPerSecond), 32'(ClockHz)};
      6'd3: data_o <= VramBytes;
      6'd4: data_o <= cycle_o;
      6'd5: data_o <= 64'(control_q);
      6'd8: data_o <= 64'(status_i);
      6'd9: data_o <= {count_q[3], count_q[2], count_q[1], count_q[0]};
      6'd10: data_o <= Name;
      6'd11: data_o <= 64'(vram_key_o);
      default: data_o <= '0;
    endcase
    for (int unsigned i = 0; i < MessageWords; ++i) if (index_i == 6'(FirstMessage + i)) data_o <= message_q[i];
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// UART transmitter: 8 data bits, no parity, 1 stop bit.
//
//   ready_o   registered: 1 while the one-byte buffer is empty. The buffered byte follows the byte
//             on the line without a gap
//   line_o    the TX pin, registered; 1 while idle
module gmmu_serial_tx #(
  parameter int unsigned ClockHz = 80_000_000,
  parameter int unsigned BitsPerSecond = 3_000_000
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  output logic       line_o
);
  localparam logic [19:0] Step = 20'((64'd1048576 * 64'(BitsPerSecond) + 64'(ClockHz / 2)) / 64'(ClockHz));

  logic        waits_q;     // next_q holds a byte to send
  logic [7:0]  next_q;
  logic [8:0]  bits_q;      // bits after the current one, lowest first; filled with ones
  logic [3:0]  left_q;      // remaining bits, including the current one
  logic [19:0] phase_q;
  logic [20:0] next_phase;
  logic        turn;        // the current bit is complete, or the line is idle
  assign next_phase = 21'(phase_q) + 21'(Step);
  assign turn = left_q == '0 || next_phase[20];
  assign ready_o = !waits_q;

  always_ff @(posedge clk_i) begin
    if (!waits_q) next_q <= data_i;
    phase_q <= left_q == '0 ? '0 : next_phase[19:0];
    if (turn) begin
      line_o <= bits_q[0];
      bits_q <= {1'b1, bits_q[8:1]};
      if (left_q <= 4'd1 && waits_q) begin
        line_o <= 1'b0;
        bits_q <= {1'b1, next_q};
      end
    end
    if (rst_i) begin
      waits_q <= 1'b0;
      left_q <= '0;
      line_o <= 1'b1;
      bits_q <= '1;
    end else begin
      if (valid_i && ready_o) waits_q <= 1'b1;
      if (turn) begin
        left_q <= left_q == '0 ? '0 : left_q - 1'b1;
        if (left_q <= 4'd1 && waits_q) begin
          left_q <= 4'd10;
          waits_q <= 1'b0;
        end
      end
    end
  end
endmodule

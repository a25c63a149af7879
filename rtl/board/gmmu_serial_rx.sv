// SPDX-License-Identifier: Apache-2.0
// UART receiver: 8 data bits, no parity, 1 stop bit. A bit must last at least 3 cycles.
//
//   line_i    the RX pin, not synchronized
//   valid_o   pulses for each byte, with data_o, in the middle of the stop bit. If the stop bit is
//             0, the byte is discarded: broken_o pulses instead
module gmmu_serial_rx #(
  parameter int unsigned ClockHz = 80_000_000,
  parameter int unsigned BitsPerSecond = 3_000_000
) (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       line_i,
  output logic       valid_o,
  output logic       broken_o,
  output logic [7:0] data_o
);
  // The fraction of a bit per cycle. phase_q accumulates it; a carry marks the middle of a bit.
  localparam logic [19:0] Step = 20'((64'd1048576 * 64'(BitsPerSecond) + 64'(ClockHz / 2)) / 64'(ClockHz));

  logic [2:0]  line_q;      // [0] and [1] synchronize
  logic        run_q;
  logic [19:0] phase_q;
  logic [3:0]  left_q;      // remaining bits, including start and stop bit
  logic [20:0] next_phase;
  assign next_phase = 21'(phase_q) + 21'(Step);

  always_ff @(posedge clk_i) begin
    line_q <= {line_q[1:0], line_i};
    phase_q <= next_phase[19:0];
    valid_o <= 1'b0;
    broken_o <= 1'b0;
    if (!run_q) begin
      phase_q <= 20'h80000;
      left_q <= 4'd10;
      run_q <= line_q[2] && !line_q[1];
    end else if (next_phase[20]) begin
      left_q <= left_q - 1'b1;
      data_o <= {line_q[1], data_o[7:1]};
      // a start bit must still be low here, otherwise it was a glitch
      if (left_q == 4'd10) run_q <= !line_q[1];
      if (left_q == 4'd1) begin
        run_q <= 1'b0;
        data_o <= data_o;
        valid_o <= line_q[1];
        broken_o <= !line_q[1];
      end
    end
    if (rst_i) begin
      line_q <= '1;
      run_q <= 1'b0;
      valid_o <= 1'b0;
      broken_o <= 1'b0;
    end
  end
endmodule

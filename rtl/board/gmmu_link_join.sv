// SPDX-License-Identifier: Apache-2.0
// Merges two streams of messages, one message at a time. They alternate if both offer a message.
//
//   a, b    bytes; last_i marks the last byte of a message. An offer stays until it is accepted
//   out     bytes, from registers
module gmmu_link_join (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       a_valid_i,
  output logic       a_ready_o,
  input  logic [7:0] a_i,
  input  logic       a_last_i,
  input  logic       b_valid_i,
  output logic       b_ready_o,
  input  logic [7:0] b_i,
  input  logic       b_last_i,

  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o
);
  // inside_q: inside a message; of_b_q: the current or last message is from b
  logic inside_q, of_b_q;
  logic free, b;
  assign b = inside_q ? of_b_q : b_valid_i && !(a_valid_i && of_b_q);
  assign free = !valid_o || ready_i;
  assign a_ready_o = free && !b;
  assign b_ready_o = free && b;

  always_ff @(posedge clk_i) begin
    if (free) begin
      valid_o <= b ? b_valid_i : a_valid_i;
      data_o <= b ? b_i : a_i;
      if (b ? b_valid_i : a_valid_i) begin
        inside_q <= !(b ? b_last_i : a_last_i);
        of_b_q <= b;
      end
    end
    if (rst_i) begin
      valid_o <= 1'b0;
      inside_q <= 1'b0;
      of_b_q <= 1'b0;
    end
  end
endmodule

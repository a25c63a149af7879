// SPDX-License-Identifier: Apache-2.0
// The last words of a port: a FIFO of four in LUT RAM.
//
//   valid_i   a word comes; the caller looked at room_o or spare_o
//   room_o    from registers: a word may come in this cycle and another in the next
//   valid_o   a word written at one edge shows in the next cycle and stands until taken
module gmmu_l1_out #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             valid_i,
  output logic             room_o,
  input  logic [Width-1:0] data_i,

  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  logic [1:0] write_q, read_q;
  logic [2:0] count_q;
  logic       pop;

  assign room_o = count_q <= 3'd2;
  assign valid_o = count_q != '0;
  assign pop = valid_o && ready_i;

  gmmu_lutram #(.Width(Width), .Depth(4)) u_words (
    .clk_i, .write_i(valid_i), .write_addr_i(write_q), .data_i,
    .read_addr_i(read_q), .data_o);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
    end else begin
      if (valid_i) write_q <= write_q + 1'b1;
      if (pop) read_q <= read_q + 1'b1;
      count_q <= count_q + 3'(valid_i) - 3'(pop);
    end
  end

  a_room: assert property (@(posedge clk_i) disable iff (rst_i) !valid_i || count_q != 3'd4);
endmodule

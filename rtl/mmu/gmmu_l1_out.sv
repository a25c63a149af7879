// SPDX-License-Identifier: Apache-2.0
// A short FIFO of a port, in LUT RAM, for words whose valid bit comes late in the cycle: the port's
// answers, and its lookups to the shared levels.
//
//   may_i     a word may come: data_i is written
//   valid_i   it comes; only with may_i. Words may come in a cycle in which room_o is 1 and in the
//             two behind it
//   room_o    from a register: one cycle ago there was place for five words more
//   valid_o   from a register; a word written at one edge shows in the next cycle and stands until
//             taken
module gmmu_l1_out #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 8   // a power of two, 8 or more
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             may_i,
  input  logic             valid_i,
  output logic             room_o,
  input  logic [Width-1:0] data_i,

  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef logic [AddrWidth:0] pointer_t;  // one bit more than an address

  pointer_t write_q, read_q, count;
  logic     pop;

  assign pop = valid_o && ready_i;
  assign count = write_q - read_q;

  gmmu_lutram #(.Width(Width), .Depth(Depth)) u_words (
    .clk_i, .write_i(may_i), .write_addr_i(write_q[AddrWidth-1:0]), .data_i,
    .read_addr_i(read_q[AddrWidth-1:0]), .data_o);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      {valid_o, room_o} <= 2'b01;
    end else begin
      if (valid_i) write_q <= write_q + 1'b1;
      if (pop) read_q <= read_q + 1'b1;
      valid_o <= valid_i || count > pointer_t'(1) || (count == pointer_t'(1) && !pop);
      room_o <= count <= pointer_t'(Depth - 5);
    end
  end

  a_room: assert property (@(posedge clk_i) disable iff (rst_i)
    !may_i || count < pointer_t'(Depth));
  a_may: assert property (@(posedge clk_i) disable iff (rst_i) !valid_i || may_i);

  if (Depth < 8 || (Depth & (Depth - 1)) != 0) begin : g_illegal
    $fatal(1, "gmmu_l1_out: Depth must be a power of two, 8 or more");
  end
endmodule

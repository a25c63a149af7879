// SPDX-License-Identifier: Apache-2.0
// Miss slots of one port: what the port alone has to know of a lookup until its answer comes. The
// rest travels with the question and its answer.
//
//   alloc     a miss takes slot_o; only while one_o
//   one_o     a slot is free; from registers
//   read      combinational: what was kept in read_slot_i; release_i frees it at the edge
module gmmu_l1_slots #(
  parameter int unsigned Slots = 32,
  parameter int unsigned Width = 22,
  localparam int unsigned IndexWidth = $clog2(Slots)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic                  alloc_i,
  input  logic [Width-1:0]      alloc_data_i,
  output logic [IndexWidth-1:0] slot_o,
  output logic                  one_o,

  input  logic [IndexWidth-1:0] read_slot_i,
  output logic [Width-1:0]      read_data_o,
  input  logic                  release_i,
  output logic                  idle_o
);
  localparam int unsigned CountWidth = $clog2(Slots + 1);
  localparam logic [IndexWidth-1:0] Last = IndexWidth'(Slots - 1);

  logic [CountWidth-1:0] free_q, fresh_q;  // free slots; those that were never used
  logic [IndexWidth-1:0] write_q, read_q, reused;
  logic                  fresh;

  assign fresh = fresh_q != '0;
  assign slot_o = fresh ? IndexWidth'(CountWidth'(Slots) - fresh_q) : reused;
  assign one_o = free_q != '0;
  assign idle_o = free_q == CountWidth'(Slots);

  gmmu_lutram #(.Width(IndexWidth), .Depth(Slots)) u_free (
    .clk_i, .write_i(release_i), .write_addr_i(write_q), .data_i(read_slot_i),
    .read_addr_i(read_q), .data_o(reused));
  gmmu_lutram #(.Width(Width), .Depth(Slots)) u_kept (
    .clk_i, .write_i(alloc_i), .write_addr_i(slot_o), .data_i(alloc_data_i),
    .read_addr_i(read_slot_i), .data_o(read_data_o));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      free_q <= CountWidth'(Slots);
      fresh_q <= CountWidth'(Slots);
      write_q <= '0;
      read_q <= '0;
    end else begin
      free_q <= free_q + CountWidth'(release_i) - CountWidth'(alloc_i);
      if (alloc_i && fresh) fresh_q <= fresh_q - 1'b1;
      if (alloc_i && !fresh) read_q <= read_q == Last ? '0 : read_q + 1'b1;
      if (release_i) write_q <= write_q == Last ? '0 : write_q + 1'b1;
    end
  end

  a_alloc: assert property (@(posedge clk_i) disable iff (rst_i) !alloc_i || one_o);
  a_release: assert property (@(posedge clk_i) disable iff (rst_i) !release_i || !idle_o);

  if (Slots < 2 || Slots > 64) begin : g_illegal
    $fatal(1, "gmmu_l1_slots: Slots must be from 2 to 64");
  end
endmodule

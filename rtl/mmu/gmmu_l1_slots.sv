// SPDX-License-Identifier: Apache-2.0
// Miss slots (MSHRs) of one port: they keep what only the port needs of a lookup until its answer
// comes. The rest travels with the lookup and its answer.
//
//   one_o     a slot is free, and slot_o says which; both from registers
//   may       a miss may take slot_o: what it keeps is written; only while one_o
//   alloc     it takes it, with what was written last
//   few_o     from a register: four slots or fewer are free; 0 if there are fewer than eight at all
//   read      combinational: what was kept in read_slot_i
//   release   frees release_slot_i
//
// A slot that was released can be taken two cycles later; none in the first cycles after a reset.
module gmmu_l1_slots #(
  parameter int unsigned Slots = 32,  // a power of two
  parameter int unsigned Width = 22,
  localparam int unsigned IndexWidth = $clog2(Slots)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic                  may_i,
  input  logic                  alloc_i,
  input  logic [Width-1:0]      alloc_data_i,
  output logic [IndexWidth-1:0] slot_o,
  output logic                  one_o,
  output logic                  few_o,

  input  logic [IndexWidth-1:0] read_slot_i,
  output logic [Width-1:0]      read_data_o,
  input  logic                  release_i,
  input  logic [IndexWidth-1:0] release_slot_i
);
  logic [IndexWidth:0]   write_q, read_q;  // one bit more than a slot's number
  logic [IndexWidth-1:0] next;
  logic                  ready_q;          // all slots were written once
  logic                  more, load;

  assign more = ready_q && write_q != read_q;
  assign load = alloc_i || !one_o;

  gmmu_lutram #(.Width(IndexWidth), .Depth(Slots)) u_free (
    .clk_i, .write_i(release_i || !ready_q), .write_addr_i(write_q[IndexWidth-1:0]),
    .data_i(ready_q ? release_slot_i : write_q[IndexWidth-1:0]),
    .read_addr_i(read_q[IndexWidth-1:0]), .data_o(next));
  gmmu_lutram #(.Width(Width), .Depth(Slots)) u_kept (
    .clk_i, .write_i(may_i), .write_addr_i(slot_o), .data_i(alloc_data_i),
    .read_addr_i(read_slot_i), .data_o(read_data_o));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      ready_q <= 1'b0;
      one_o <= 1'b0;
    end else begin
      if (release_i || !ready_q) write_q <= write_q + 1'b1;
      if (write_q[IndexWidth-1:0] == '1) ready_q <= 1'b1;
      if (load && more) read_q <= read_q + 1'b1;
      if (load) one_o <= more;
    end
    if (load) slot_o <= next;
    few_o <= Slots >= 8 && write_q - read_q <= (IndexWidth + 1)'(4);
  end

  a_may: assert property (@(posedge clk_i) disable iff (rst_i) !may_i || one_o);
  a_alloc: assert property (@(posedge clk_i) disable iff (rst_i) !alloc_i || one_o);
  a_release: assert property (@(posedge clk_i) disable iff (rst_i)
    !release_i || (ready_q && write_q - read_q != {1'b1, {IndexWidth{1'b0}}}));

  if (Slots < 2 || Slots > 64 || (Slots & (Slots - 1)) != 0) begin : g_illegal
    $fatal(1, "gmmu_l1_slots: Slots must be a power of two from 2 to 64");
  end
endmodule

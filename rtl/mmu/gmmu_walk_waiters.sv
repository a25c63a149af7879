// SPDX-License-Identifier: Apache-2.0
// Who waits for the rows, and what for, in LUT RAM: by row its key, who began it, why it could not
// start, and the first and the last of those that joined. One copy for each reader.
//
//   begin, starts   a row gets a key and who begins it; its cause (at a restart too)
//   join            a lookup joins the row of join_rows_i. join_chain_o: behind join_tail_o
//   tell_ready_i    the row of tell_rows_i is picked up to be answered in this cycle: its chain is
//                   not there for who joins now
module gmmu_walk_waiters
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Rows = 9,
  parameter int unsigned WaiterWidth = 8
) (
  input  logic                   clk_i,

  input  logic                   begin_i,
  input  logic                   starts_i,
  input  row_t                   start_row_i,
  input  key_t                   key_i,
  input  logic [WaiterWidth-1:0] waiter_i,
  input  cause_t                 cause_i,
  input  logic                   join_i,
  input  logic [Rows-1:0]        join_rows_i,
  input  logic [Rows-1:0]        chained_i,     // rows that lookups have joined
  output logic                   join_chain_o,
  output logic [WaiterWidth-1:0] join_tail_o,

  input  row_t                   restart_row_i,
  output key_t                   restart_key_o,
  input  row_t                   index_row_i,
  output key_t                   index_key_o,
  input  row_t                   fill_row_i,
  output key_t                   fill_key_o,
  input  row_t                   end_row_i,
  output key_t                   end_key_o,
  input  row_t                   beat_row_i,
  output key_t                   beat_key_o,
  output logic [WaiterWidth-1:0] beat_who_o,
  input  logic                   tell_ready_i,
  input  logic [Rows-1:0]        tell_rows_i,
  input  row_t                   tell_row_i,
  output key_t                   tell_key_o,
  output logic [WaiterWidth-1:0] tell_who_o,
  output cause_t                 tell_cause_o,
  output logic [WaiterWidth-1:0] tell_head_o,
  output logic [WaiterWidth-1:0] tell_tail_o
);
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned KeyWidth = $bits(key_t);
  typedef logic [RowWidth-1:0] index_t;

  index_t start_row, tell_row, join_row;
  assign start_row = index_t'(start_row_i);
  assign tell_row = index_t'(tell_row_i);

  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_restart (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(key_i),
    .read_addr_i(index_t'(restart_row_i)), .data_o(restart_key_o));
  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_index (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(key_i),
    .read_addr_i(index_t'(index_row_i)), .data_o(index_key_o));
  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_fill (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(key_i),
    .read_addr_i(index_t'(fill_row_i)), .data_o(fill_key_o));
  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_end (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(key_i),
    .read_addr_i(index_t'(end_row_i)), .data_o(end_key_o));
  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_beat (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(key_i),
    .read_addr_i(index_t'(beat_row_i)), .data_o(beat_key_o));
  gmmu_lutram #(.Width(KeyWidth), .Depth(Rows)) u_key_tell (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(key_i),
    .read_addr_i(index_t'(tell_row_i)), .data_o(tell_key_o));

  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_who_beat (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(waiter_i),
    .read_addr_i(index_t'(beat_row_i)), .data_o(beat_who_o));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_who_tell (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row), .data_i(waiter_i),
    .read_addr_i(tell_row), .data_o(tell_who_o));
  gmmu_lutram #(.Width(4), .Depth(Rows)) u_cause (
    .clk_i, .write_i(starts_i), .write_addr_i(start_row), .data_i(cause_i),
    .read_addr_i(tell_row), .data_o(tell_cause_o));

  // Both ways at once: the chain is picked up, or not.
  logic chain_any, chain_other;
  always_comb begin
    join_row = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      if (join_rows_i[i]) join_row |= index_t'(i);
    end
  end
  assign chain_any = (join_rows_i & chained_i) != '0;
  assign chain_other = (join_rows_i & chained_i & ~tell_rows_i) != '0;
  assign join_chain_o = tell_ready_i ? chain_other : chain_any;

  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_head (
    .clk_i, .write_i(join_i && !join_chain_o), .write_addr_i(join_row), .data_i(waiter_i),
    .read_addr_i(tell_row), .data_o(tell_head_o));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_tail_tell (
    .clk_i, .write_i(join_i), .write_addr_i(join_row), .data_i(waiter_i),
    .read_addr_i(tell_row), .data_o(tell_tail_o));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_tail_join (
    .clk_i, .write_i(join_i), .write_addr_i(join_row), .data_i(waiter_i),
    .read_addr_i(join_row), .data_o(join_tail_o));

  logic unused_bits;
  assign unused_bits = ^{start_row_i, restart_row_i, index_row_i, fill_row_i, end_row_i, beat_row_i,
      tell_row_i};
endmodule

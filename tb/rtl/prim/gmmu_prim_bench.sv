// SPDX-License-Identifier: Apache-2.0
// The primitives, each with a typical size and with its smallest. All RAMs share their inputs, and
// so do all arbiters.
module gmmu_prim_bench (
  input  logic        clk_i,
  input  logic        rst_i,

  // FIFOs and skid, in this order: gmmu_fifo of depth 5 and 1, gmmu_fifo_ram of depth 8 and 4,
  // gmmu_skid.
  input  logic        valid_i [5],
  output logic        ready_o [5],
  input  logic [31:0] data_i [5],
  output logic        valid_o [5],
  input  logic        ready_i [5],
  output logic [31:0] data_o [5],

  // gmmu_fifo_room of depth 8 with a writer that decides two cycles ahead, hence Margin 4.
  output logic        room_o,
  output logic        late_ready_o,
  input  logic        late_valid_i,
  input  logic [31:0] late_data_i,
  output logic        late_valid_o,
  input  logic        late_ready_i,
  output logic [31:0] late_data_o,

  // A counter that is clocked by gmmu_sleep.
  input  logic        awake_i,
  output logic [31:0] edges_o,

  // Arbiters with 5 requesters and with 1.
  input  logic [4:0]  req_i,
  input  logic        advance_i,
  output logic [4:0]  gnt_o [2],
  output logic [2:0]  index_o [2],

  // RAMs: gmmu_lutram with 12 and with 2 words, gmmu_ram_1r1w with 12 and with 2 words.
  input  logic        write_i,
  input  logic [3:0]  write_addr_i,
  input  logic        read_i,
  input  logic [3:0]  read_addr_i,
  output logic [31:0] ram_o [4]
);
  gmmu_fifo #(.Width(32), .Depth(5)) u_fifo (
    .clk_i, .rst_i, .valid_i(valid_i[0]), .ready_o(ready_o[0]), .data_i(data_i[0]),
    .valid_o(valid_o[0]), .ready_i(ready_i[0]), .data_o(data_o[0]));
  gmmu_fifo #(.Width(32), .Depth(1)) u_fifo_one (
    .clk_i, .rst_i, .valid_i(valid_i[1]), .ready_o(ready_o[1]), .data_i(data_i[1]),
    .valid_o(valid_o[1]), .ready_i(ready_i[1]), .data_o(data_o[1]));
  gmmu_fifo_ram #(.Width(32), .Depth(8)) u_fifo_ram (
    .clk_i, .rst_i, .valid_i(valid_i[2]), .ready_o(ready_o[2]), .data_i(data_i[2]),
    .valid_o(valid_o[2]), .ready_i(ready_i[2]), .data_o(data_o[2]));
  gmmu_fifo_ram #(.Width(32), .Depth(4)) u_fifo_ram_four (
    .clk_i, .rst_i, .valid_i(valid_i[3]), .ready_o(ready_o[3]), .data_i(data_i[3]),
    .valid_o(valid_o[3]), .ready_i(ready_i[3]), .data_o(data_o[3]));
  gmmu_skid #(.Width(32)) u_skid (
    .clk_i, .rst_i, .valid_i(valid_i[4]), .ready_o(ready_o[4]), .data_i(data_i[4]),
    .valid_o(valid_o[4]), .ready_i(ready_i[4]), .data_o(data_o[4]));

  gmmu_fifo_room #(.Width(32), .Depth(8), .Margin(4)) u_fifo_room (
    .clk_i, .rst_i, .room_o, .ready_o(late_ready_o), .valid_i(late_valid_i), .data_i(late_data_i),
    .valid_o(late_valid_o), .ready_i(late_ready_i), .data_o(late_data_o));

  logic slept_clk;
  gmmu_sleep u_sleep (.clk_i, .rst_i, .awake_i, .clk_o(slept_clk));
  always_ff @(posedge slept_clk) edges_o <= rst_i ? '0 : edges_o + 1;

  gmmu_rr_arbiter #(.N(5)) u_arbiter (
    .clk_i, .rst_i, .req_i, .advance_i, .gnt_o(gnt_o[0]), .index_o(index_o[0]));
  logic index_one;
  gmmu_rr_arbiter #(.N(1)) u_arbiter_one (
    .clk_i, .rst_i, .req_i(req_i[0]), .advance_i, .gnt_o(gnt_o[1][0]), .index_o(index_one));
  assign gnt_o[1][4:1] = '0;
  assign index_o[1] = 3'(index_one);

  gmmu_lutram #(.Width(32), .Depth(12)) u_lutram (
    .clk_i, .write_i, .write_addr_i, .data_i(data_i[0]), .read_addr_i, .data_o(ram_o[0]));
  gmmu_lutram #(.Width(32), .Depth(2)) u_lutram_two (
    .clk_i, .write_i, .write_addr_i(write_addr_i[0]), .data_i(data_i[0]),
    .read_addr_i(read_addr_i[0]), .data_o(ram_o[1]));
  gmmu_ram_1r1w #(.Width(32), .Depth(12)) u_ram (
    .clk_i, .read_i, .read_addr_i, .data_o(ram_o[2]), .write_i, .write_addr_i,
    .data_i(data_i[0]));
  gmmu_ram_1r1w #(.Width(32), .Depth(2)) u_ram_two (
    .clk_i, .read_i, .read_addr_i(read_addr_i[0]), .data_o(ram_o[3]), .write_i,
    .write_addr_i(write_addr_i[0]), .data_i(data_i[0]));
endmodule

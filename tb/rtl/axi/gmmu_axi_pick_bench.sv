// SPDX-License-Identifier: Apache-2.0
// gmmu_axi_pick of five requesters with their gmmu_axi_heads (element 4 is slow), and one of a
// single requester, with flat ports for C++. The slices are in C++.
module gmmu_axi_pick_bench #(
  localparam int unsigned N = 5,
  localparam int unsigned Width = 32
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        push_i [N],
  input  logic        host_i [N],
  input  logic [4:0]  may_i [2],
  input  logic [31:0] data_i [N],
  input  logic [1:0]  room_i,
  output logic [4:0]  candidate_o [2],
  output logic [4:0]  take_o [2],
  output logic [1:0]  go_o,
  output logic [2:0]  index_o [2],
  output logic [31:0] data_o [2],

  // The single requester: push_i[0], host_i[0], may_i[*][0] and room_i are its as well.
  output logic [1:0]  one_take_o,
  output logic [1:0]  one_go_o
);
  logic [N-1:0][1:0]            first, second;
  logic [N-1:0][Width-1:0]      data;
  logic [N-1:0]                 pop;
  logic [1:0][N-1:0]            take, candidate, may;
  logic [1:0][2:0]              index;
  logic [1:0][Width-1:0]        word, unused_word;
  logic [1:0]                   unused_busy, unused_one_busy;

  for (genvar i = 0; i < N; i++) begin : g_requester
    gmmu_axi_heads #(.Slow(i == 4)) u_heads (
      .clk_i, .rst_i, .push_i(push_i[i]), .host_i(host_i[i]), .pop_i(pop[i]), .first_o(first[i]),
      .second_o(second[i])
    );
    assign data[i] = data_i[i];
  end
  gmmu_axi_pick #(.N(N), .Width(Width)) u_pick (
    .clk_i, .rst_i, .first_i(first), .second_i(second), .may_i(may), .data_i(data), .room_i,
    .busy_o(unused_busy), .candidate_o(candidate), .pop_o(pop), .take_o(take), .go_o, .index_o(index), .data_o(word)
  );
  for (genvar p = 0; p < 2; p++) begin : g_port
    assign may[p] = may_i[p];
    assign candidate_o[p] = candidate[p];
    assign take_o[p] = take[p];
    assign index_o[p] = index[p];
    assign data_o[p] = word[p];
  end

  logic [0:0][1:0]       one_first, one_second;
  logic [0:0]            one_pop;
  logic [1:0][0:0]       one_take, unused_index, unused_candidate;
  gmmu_axi_heads u_one_heads (
    .clk_i, .rst_i, .push_i(push_i[0]), .host_i(host_i[0]), .pop_i(one_pop[0]),
    .first_o(one_first[0]), .second_o(one_second[0])
  );
  gmmu_axi_pick #(.N(1), .Width(Width)) u_one (
    .clk_i, .rst_i, .first_i(one_first), .second_i(one_second), .may_i({may_i[1][0], may_i[0][0]}),
    .data_i(data[0]), .room_i, .busy_o(unused_one_busy),
    .candidate_o(unused_candidate), .pop_o(one_pop), .take_o(one_take), .go_o(one_go_o),
    .index_o(unused_index), .data_o(unused_word)
  );
  assign one_take_o = one_take;
endmodule

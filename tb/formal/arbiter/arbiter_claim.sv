// SPDX-License-Identifier: Apache-2.0
// gmmu_rr_arbiter issues at most one grant, to a requester. A requester that keeps its request asserted sees at most N
// - 1 grants to others before its own.
module arbiter_claim #(
  parameter int unsigned N = 4,
  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1,
  localparam int unsigned CountWidth = $clog2(N + 1)
) (
  input logic         clk_i,
  input logic         rst_i,
  input logic [N-1:0] req_i,
  input logic         advance_i
);
  logic                  ran;
  logic [N-1:0]          gnt;
  logic [IndexWidth-1:0] index;

  gmmu_reset_props u_reset (.clk_i, .rst_i, .ran_o(ran));
  gmmu_rr_arbiter #(.N(N)) u_arbiter (
    .clk_i, .rst_i, .req_i, .advance_i, .gnt_o(gnt), .index_o(index));

  // For each requester: the number of grants to other requesters since it asserted its request.
  logic [N-1:0][CountWidth-1:0] passed_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < N; i++) begin
      if (rst_i || !req_i[i] || (advance_i && gnt[i])) passed_q[i] <= '0;
      else if (advance_i) passed_q[i] <= passed_q[i] + 1'b1;
    end
  end

  a_one: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || (gnt & (gnt - 1'b1)) == '0);
  a_asked: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || ((gnt & ~req_i) == '0 && (gnt != '0) == (req_i != '0)));
  a_index: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || (req_i == '0 ? index == '0 : gnt == N'(1) << index));
  for (genvar i = 0; i < N; i++) begin : g_requester
    a_fair: assert property (@(posedge clk_i) disable iff (rst_i)
      !ran || passed_q[i] < CountWidth'(N));
    c_waits_longest: cover property (@(posedge clk_i) disable iff (rst_i)
      ran && passed_q[i] == CountWidth'(N - 1) && gnt[i] && advance_i);
  end
endmodule

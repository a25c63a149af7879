// SPDX-License-Identifier: Apache-2.0
// Round robin arbiter. The grant is combinational from the requests and a registered mask.
//
//   gnt_o      one-hot, or zero if there is no request: the first requester after the previous
//              winner (the grant at the latest advance_i)
//   index_o    number of the granted requester, or 0 if there is none
//   advance_i  the grant was used: the next search starts after the granted requester
module gmmu_rr_arbiter #(
  parameter int unsigned N = 2,
  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic [N-1:0]          req_i,
  input  logic                  advance_i,
  output logic [N-1:0]          gnt_o,
  output logic [IndexWidth-1:0] index_o
);
  logic [N-1:0] behind_q;  // mask of the requesters after the previous winner
  // _before: a lower-numbered requester also requests
  logic [N-1:0] masked, masked_before, any_before;

  // Both searches run in parallel, each as a tree per requester, without a carry chain.
  assign masked = req_i & behind_q;
  for (genvar i = 0; i < N; i++) begin : g_before
    localparam logic [N-1:0] Lower = ~({N{1'b1}} << i);
    assign masked_before[i] = (masked & Lower) != '0;
    assign any_before[i] = (req_i & Lower) != '0;
    assign gnt_o[i] = masked[i] ? !masked_before[i]
        : req_i[i] && !any_before[i] && masked == '0;
  end

  always_comb begin
    index_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (gnt_o[i]) index_o |= IndexWidth'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) behind_q <= '0;
    else if (advance_i && req_i != '0) behind_q <= masked != '0 ? masked_before : any_before;
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Round robin arbiter. The grant is combinational from the requests and a registered mask.
//
//   gnt_o      one-hot (or zero without a request): the first requester after the last one that was
//              advanced past
//   index_o    the granted requester's number (0 without a request)
//   advance_i  the grant was used: the next search begins behind it
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
  logic [N-1:0] behind_q;  // ones: requesters behind the last winner
  logic [N-1:0] masked, masked_first, masked_behind, any_first, any_behind;

  // -x has the lowest one of x and, above it, the complement of x.
  assign masked = req_i & behind_q;
  assign masked_behind = masked ^ (~masked + 1'b1);
  assign any_behind = req_i ^ (~req_i + 1'b1);
  assign masked_first = masked & (~masked + 1'b1);
  assign any_first = req_i & (~req_i + 1'b1);
  assign gnt_o = masked != '0 ? masked_first : any_first;

  always_comb begin
    index_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (gnt_o[i]) index_o |= IndexWidth'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) behind_q <= '0;
    else if (advance_i && req_i != '0) behind_q <= masked != '0 ? masked_behind : any_behind;
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Contract of requests whose replies have no ready: a request holds valid until accepted; a reply comes only for a
// request accepted earlier, and at most Most requests wait for their replies.
module gmmu_reply_props #(
  parameter int unsigned Width = 1,
  parameter int unsigned Most = 256,
  localparam int unsigned CountWidth = $clog2(Most + 2)
) (
  input logic             clk_i,
  input logic             rst_i,

  input logic             req_valid_i,
  input logic             req_ready_i,
  input logic [Width-1:0] req_i,
  input logic             rsp_valid_i
);
  logic [CountWidth-1:0] waiting_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) waiting_q <= '0;
    else waiting_q <= waiting_q + CountWidth'(req_valid_i && req_ready_i) - CountWidth'(rsp_valid_i);
  end

  gmmu_stream_props #(.Width(Width)) u_req (
    .clk_i, .rst_i, .valid_i(req_valid_i), .ready_i(req_ready_i), .payload_i(req_i));
  a_asked: assert property (@(posedge clk_i) disable iff (rst_i) !rsp_valid_i || waiting_q != '0);
  a_most: assert property (@(posedge clk_i) disable iff (rst_i) waiting_q <= CountWidth'(Most));
  c_replied: cover property (@(posedge clk_i) disable iff (rst_i) rsp_valid_i);
  c_two_wait: cover property (@(posedge clk_i) disable iff (rst_i) waiting_q >= CountWidth'(2));
endmodule

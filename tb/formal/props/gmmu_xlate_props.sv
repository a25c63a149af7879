// SPDX-License-Identifier: Apache-2.0
// Contract of one translation port: lookups, responses, and the return of each response once the
// user no longer uses the translation. The types are from gmmu_pkg.
//
//   user   holds a lookup until accepted; a tag has one outstanding lookup; a response is returned once, after it
//          arrived, with the generation that it carried
//   MMU    holds a response until accepted; its lookup was accepted and has had no response
//
// Each side is asserted, or assumed (for proofs of the other side). Tags are below Tags.
module gmmu_xlate_props
  import gmmu_pkg::*;
#(
  parameter int unsigned Tags = 256,      // a power of two
  parameter bit          AssumeUser = 0,
  parameter bit          AssumeMmu = 0,
  localparam int unsigned CountWidth = $clog2(Tags + 1) + 2
) (
  input logic        clk_i,
  input logic        rst_i,

  input logic        req_valid_i,
  input logic        req_ready_i,
  input xlate_req_t  req_i,
  input logic        rsp_valid_i,
  input logic        rsp_ready_i,
  input xlate_rsp_t  rsp_i,
  input xlate_done_t done_i
);
  localparam int unsigned IdxWidth = Tags > 1 ? $clog2(Tags) : 1;
  typedef logic [IdxWidth-1:0] idx_t;

  logic            ask, answer;
  idx_t            req_tag, rsp_tag;
  logic [Tags-1:0] open_q;                     // by tag: lookup accepted, response outstanding
  logic [1:0][CountWidth-1:0] held_q, held;    // responses not yet returned, by generation
  assign ask = req_valid_i && req_ready_i;
  assign answer = rsp_valid_i && rsp_ready_i;
  assign req_tag = idx_t'(req_i.tag);
  assign rsp_tag = idx_t'(rsp_i.tag);

  always_comb begin
    held = held_q;
    if (answer) held[rsp_i.generation] = held[rsp_i.generation] + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= '0;
      held_q <= '0;
    end else begin
      if (answer) open_q[rsp_tag] <= 1'b0;
      if (ask) open_q[req_tag] <= 1'b1;
      held_q[0] <= held[0] - CountWidth'(done_i.old0);
      held_q[1] <= held[1] - CountWidth'(done_i.old1);
    end
  end

  gmmu_stream_props #(.Width($bits(xlate_req_t)), .Assert(!AssumeUser)) u_req (
    .clk_i, .rst_i, .valid_i(req_valid_i), .ready_i(req_ready_i), .payload_i(req_i));
  gmmu_stream_props #(.Width($bits(xlate_rsp_t)), .Assert(!AssumeMmu)) u_rsp (
    .clk_i, .rst_i, .valid_i(rsp_valid_i), .ready_i(rsp_ready_i), .payload_i(rsp_i));

  logic tag_free, given_back, of_lookup;
  assign tag_free = !ask || (32'(req_i.tag) < Tags
      && (!open_q[req_tag] || (answer && rsp_tag == req_tag)));
  assign given_back = CountWidth'(done_i.old0) <= held[0] && CountWidth'(done_i.old1) <= held[1];
  assign of_lookup = !rsp_valid_i || (32'(rsp_i.tag) < Tags && open_q[rsp_tag]);

  if (AssumeUser) begin : g_assume_user
    m_tag_free: assume property (@(posedge clk_i) disable iff (rst_i) tag_free);
    m_given_back: assume property (@(posedge clk_i) disable iff (rst_i) given_back);
  end else begin : g_assert_user
    a_tag_free: assert property (@(posedge clk_i) disable iff (rst_i) tag_free);
    a_given_back: assert property (@(posedge clk_i) disable iff (rst_i) given_back);
  end
  if (AssumeMmu) begin : g_assume_mmu
    m_of_lookup: assume property (@(posedge clk_i) disable iff (rst_i) of_lookup);
  end else begin : g_assert_mmu
    a_of_lookup: assert property (@(posedge clk_i) disable iff (rst_i) of_lookup);
  end
  c_out_of_order: cover property (@(posedge clk_i) disable iff (rst_i)
    answer && (open_q & (open_q - 1'b1)) != '0);
endmodule

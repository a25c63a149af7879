// SPDX-License-Identifier: Apache-2.0
// Contract of AXI4 reads inside the GPU: AR and R of one requester. The types are from
// gmmu_axi_pkg.
//
//   requester    holds AR until accepted; ids are below Ids and unique among those outstanding; no burst crosses 4 KiB
//   other side   sends R only for an accepted burst, with the number of beats that AR specifies, and LAST
//
// R has no ready: space for it is reserved. Beats of different bursts may interleave.
module gmmu_axi_read_props
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Ids = 256,       // a power of two
  parameter bit          Pages = 1,       // 0 if addresses have no meaning at the bound block
  localparam int unsigned IdxWidth = Ids > 1 ? $clog2(Ids) : 1
) (
  input logic    clk_i,
  input logic    rst_i,

  input rd_req_t req_i,
  input rd_rsp_t rsp_i
);
  typedef logic [IdxWidth-1:0] idx_t;
  logic            ar_take;
  idx_t            ar_id, r_id;
  logic [Ids-1:0]  open_q;               // for each id: AR accepted, last beat outstanding
  logic [7:0]      left_q [Ids];         // for each id: beats left after the next beat
  logic [12:0]     bytes;
  assign ar_take = req_i.ar_valid && rsp_i.ar_ready;
  assign ar_id = idx_t'(req_i.ar.id);
  assign r_id = idx_t'(rsp_i.r.id);
  assign bytes = (13'(req_i.ar.len) + 13'd1) << $clog2(DataBytes);

  gmmu_stream_props #(.Width($bits(ax_t))) u_ar (
    .clk_i, .rst_i, .valid_i(req_i.ar_valid), .ready_i(rsp_i.ar_ready), .payload_i(req_i.ar));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= '0;
    end else begin
      if (rsp_i.r_valid && rsp_i.r.last) open_q[r_id] <= 1'b0;
      if (ar_take) open_q[ar_id] <= 1'b1;
    end
    if (rsp_i.r_valid) left_q[r_id] <= left_q[r_id] - 8'd1;
    if (ar_take) left_q[ar_id] <= req_i.ar.len;
  end

  a_id: assert property (@(posedge clk_i) disable iff (rst_i)
    !req_i.ar_valid || (32'(req_i.ar.id) < Ids
        && (!open_q[ar_id] || (rsp_i.r_valid && rsp_i.r.last && r_id == ar_id))));
  a_page: assert property (@(posedge clk_i) disable iff (rst_i)
    !(Pages && req_i.ar_valid) || 13'(req_i.ar.addr[11:0] & ~12'(DataBytes - 1)) + bytes <= 13'd4096);
  a_answer: assert property (@(posedge clk_i) disable iff (rst_i)
    !rsp_i.r_valid || (32'(rsp_i.r.id) < Ids && open_q[r_id] && rsp_i.r.last == (left_q[r_id] == '0)));
  c_two_outstanding: cover property (@(posedge clk_i) disable iff (rst_i)
    rsp_i.r_valid && (open_q & (open_q - 1'b1)) != '0);

  logic unused;
  assign unused = ^{req_i, rsp_i};
endmodule

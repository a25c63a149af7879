// SPDX-License-Identifier: Apache-2.0
// Contracts of the streams at gmmu_axi_mux: the requesters' streams (with the ids, lengths and LAST
// of writes), and both sides of the memory ports.
module gmmu_axi_mux_props
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned NumRequesters = 12,
  parameter logic [NumRequesters-1:0] Readers = '1,
  parameter logic [NumRequesters-1:0] Writers = '1,
  parameter logic [NumRequesters-1:0] OneId = '0,   // requesters whose writes share one id
  parameter bit          Pages = 1
) (
  input logic           clk_i,
  input logic           rst_i,

  input rd_req_t        rd_req_i [NumRequesters],
  input rd_rsp_t        rd_rsp_o [NumRequesters],
  input wr_req_t        wr_req_i [NumRequesters],
  input wr_rsp_t        wr_rsp_o [NumRequesters],
  input logic     [1:0] ar_valid_o,
  input logic     [1:0] ar_ready_i,
  input edge_ax_t [1:0] ar_o,
  input logic     [1:0] r_valid_i,
  input logic     [1:0] r_ready_o,
  input edge_r_t  [1:0] r_i,
  input logic     [1:0] aw_valid_o,
  input logic     [1:0] aw_ready_i,
  input edge_ax_t [1:0] aw_o,
  input logic     [1:0] w_valid_o,
  input logic     [1:0] w_ready_i,
  input w_t       [1:0] w_o,
  input logic     [1:0] b_valid_i,
  input logic     [1:0] b_ready_o,
  input edge_b_t  [1:0] b_i
);
  for (genvar q = 0; q < NumRequesters; q++) begin : g_requester
    if (Readers[q]) begin : g_reads
      gmmu_stream_props #(.Width($bits(ax_t))) u_ar (
        .clk_i, .rst_i, .valid_i(rd_req_i[q].ar_valid), .ready_i(rd_rsp_o[q].ar_ready), .payload_i(rd_req_i[q].ar));
    end
    if (Writers[q]) begin : g_writes
      gmmu_axi_write_props #(.Ids(256), .Pages(Pages), .OneId(OneId[q])) u_writes (
        .clk_i, .rst_i, .req_i(wr_req_i[q]), .rsp_i(wr_rsp_o[q]));
    end
  end
  for (genvar p = 0; p < 2; p++) begin : g_port
    gmmu_stream_props #(.Width($bits(edge_ax_t))) u_ar (
      .clk_i, .rst_i, .valid_i(ar_valid_o[p]), .ready_i(ar_ready_i[p]), .payload_i(ar_o[p]));
    gmmu_stream_props #(.Width($bits(edge_ax_t))) u_aw (
      .clk_i, .rst_i, .valid_i(aw_valid_o[p]), .ready_i(aw_ready_i[p]), .payload_i(aw_o[p]));
    gmmu_stream_props #(.Width($bits(w_t))) u_w (
      .clk_i, .rst_i, .valid_i(w_valid_o[p]), .ready_i(w_ready_i[p]), .payload_i(w_o[p]));
    gmmu_stream_props #(.Width($bits(edge_r_t))) u_r (
      .clk_i, .rst_i, .valid_i(r_valid_i[p]), .ready_i(r_ready_o[p]), .payload_i(r_i[p]));
    gmmu_stream_props #(.Width($bits(edge_b_t))) u_b (
      .clk_i, .rst_i, .valid_i(b_valid_i[p]), .ready_i(b_ready_o[p]), .payload_i(b_i[p]));
  end
endmodule

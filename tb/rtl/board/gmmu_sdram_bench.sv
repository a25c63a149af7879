// SPDX-License-Identifier: Apache-2.0
// gmmu_sdram with three clocks; size_i selects one, the others stay in reset.
// 0   80 MHz, CAS latency 2, one more cycle of delay on dq, as on the board
//   1   25 MHz, CAS latency 2: most timings of the chip are one or two cycles
//   2   142.857 MHz, CAS latency 3, one more cycle of delay on dq
module gmmu_sdram_bench
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic [1:0]             size_i,
  output logic                   initialized_o,

  input  logic                   s_arvalid_i,
  output logic                   s_arready_o,
  input  logic [PortIdWidth-1:0] s_arid_i,
  input  logic [PaWidth-1:0]     s_araddr_i,
  input  logic [7:0]             s_arlen_i,
  output logic                   s_rvalid_o,
  input  logic                   s_rready_i,
  output logic [PortIdWidth-1:0] s_rid_o,
  output logic [DataWidth-1:0]   s_rdata_o,
  output logic [1:0]             s_rresp_o,
  output logic                   s_rlast_o,
  input  logic                   s_awvalid_i,
  output logic                   s_awready_o,
  input  logic [PortIdWidth-1:0] s_awid_i,
  input  logic [PaWidth-1:0]     s_awaddr_i,
  input  logic [7:0]             s_awlen_i,
  input  logic                   s_wvalid_i,
  output logic                   s_wready_o,
  input  logic [DataWidth-1:0]   s_wdata_i,
  input  logic [DataBytes-1:0]   s_wstrb_i,
  input  logic                   s_wlast_i,
  output logic                   s_bvalid_o,
  input  logic                   s_bready_i,
  output logic [PortIdWidth-1:0] s_bid_o,
  output logic [1:0]             s_bresp_o,

  output logic                   cke_o,
  output logic                   csn_o,
  output logic                   rasn_o,
  output logic                   casn_o,
  output logic                   wen_o,
  output logic [1:0]             ba_o,
  output logic [12:0]            a_o,
  output logic [1:0]             dqm_o,
  input  logic [15:0]            dq_i,
  output logic [15:0]            dq_o,
  output logic                   dq_oe_o
);
  localparam int unsigned Sizes = 3;
  localparam int unsigned Clocks [Sizes] = '{80_000, 25_000, 142_857};
  localparam int unsigned Latencies [Sizes] = '{2, 2, 3};
  localparam int unsigned Captures [Sizes] = '{3, 2, 4};

  typedef struct packed {
    logic                   initialized, arready, rvalid;
    logic [PortIdWidth-1:0] rid;
    logic [DataWidth-1:0]   rdata;
    logic [1:0]             rresp;
    logic                   rlast, awready, wready, bvalid;
    logic [PortIdWidth-1:0] bid;
    logic [1:0]             bresp;
    logic                   cke, csn, rasn, casn, wen;
    logic [1:0]             ba;
    logic [12:0]            a;
    logic [1:0]             dqm;
    logic [15:0]            dq;
    logic                   dq_oe;
  } out_t;
  out_t out [Sizes];

  for (genvar i = 0; i < Sizes; ++i) begin : g_size
    gmmu_sdram #(.ClockKhz(Clocks[i]), .CasLatency(Latencies[i]), .CaptureCycles(Captures[i])) u_sdram (
      .clk_i, .rst_i(rst_i || size_i != 2'(i)), .initialized_o(out[i].initialized),
      .s_ar_valid_i(s_arvalid_i), .s_ar_ready_o(out[i].arready), .s_ar_i({s_arid_i, s_araddr_i, s_arlen_i, user_t'(0)}),
      .s_r_valid_o(out[i].rvalid), .s_r_ready_i(s_rready_i), .s_r_o({out[i].rid, out[i].rdata, out[i].rresp, out[i].rlast}),
      .s_aw_valid_i(s_awvalid_i), .s_aw_ready_o(out[i].awready), .s_aw_i({s_awid_i, s_awaddr_i, s_awlen_i, user_t'(0)}),
      .s_w_valid_i(s_wvalid_i), .s_w_ready_o(out[i].wready), .s_w_i({s_wdata_i, s_wstrb_i, s_wlast_i}),
      .s_b_valid_o(out[i].bvalid), .s_b_ready_i(s_bready_i), .s_b_o({out[i].bid, out[i].bresp}),
      .sdram_cke_o(out[i].cke), .sdram_csn_o(out[i].csn), .sdram_rasn_o(out[i].rasn),
      .sdram_casn_o(out[i].casn), .sdram_wen_o(out[i].wen), .sdram_ba_o(out[i].ba), .sdram_a_o(out[i].a),
      .sdram_dqm_o(out[i].dqm), .sdram_dq_i(dq_i), .sdram_dq_o(out[i].dq), .sdram_dq_oe_o(out[i].dq_oe)
    );
  end
  assign {initialized_o, s_arready_o, s_rvalid_o, s_rid_o, s_rdata_o, s_rresp_o, s_rlast_o, s_awready_o, s_wready_o,
          s_bvalid_o, s_bid_o, s_bresp_o, cke_o, csn_o, rasn_o, casn_o, wen_o, ba_o, a_o, dqm_o, dq_o,
          dq_oe_o} = out[size_i];
endmodule

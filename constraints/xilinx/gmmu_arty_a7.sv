// SPDX-License-Identifier: Apache-2.0
// Arty A7-100T (XC7A100T): the top of this board, with VRAM in block RAM. It was never built or run.
module gmmu_arty_a7 #(
  parameter int unsigned BitsPerSecond = 3_000_000,
  parameter logic [63:0] Build = '0
) (
  input  logic       clk_100mhz,
  input  logic       ck_rstn,        // button RESET, low when pressed
  input  logic       uart_txd_in,    // data from the host
  output logic       uart_rxd_out,
  output logic [3:0] led
);
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  localparam int unsigned ClockHz = 80_000_000;
  localparam int unsigned VramBytes = 262_144;
  localparam logic [63:0] Name = {8'd0, 8'd0, 8'd0, 8'd0, "y", "t", "r", "a"};

  // ---- Clock: 100 MHz x 8 / 10.
  logic clk, fast, feedback, locked;
  MMCME2_BASE #(.CLKIN1_PERIOD(10.0), .CLKFBOUT_MULT_F(8.0), .CLKOUT0_DIVIDE_F(10.0)) u_mmcm (
    .CLKIN1(clk_100mhz), .CLKFBIN(feedback), .CLKFBOUT(feedback), .CLKOUT0(fast), .LOCKED(locked), .RST(1'b0), .PWRDWN(1'b0),
    .CLKFBOUTB(), .CLKOUT0B(), .CLKOUT1(), .CLKOUT1B(), .CLKOUT2(), .CLKOUT2B(), .CLKOUT3(), .CLKOUT3B(), .CLKOUT4(),
    .CLKOUT5(), .CLKOUT6());
  BUFG u_clk (.I(fast), .O(clk));

  // ---- Reset is held while the clock is not locked or the button is pressed, and for 16 more cycles.
  logic [1:0] calm_q;
  logic [3:0] wait_q;
  logic       rst_q;
  always_ff @(posedge clk) begin
    calm_q <= {calm_q[0], locked && ck_rstn};
    if (!calm_q[1]) wait_q <= '1;
    else if (wait_q != '0) wait_q <= wait_q - 1'b1;
    rst_q <= !calm_q[1] || wait_q != '0;
  end

  logic                   vram_reset, ar_valid, ar_ready, r_valid, r_ready, r_last, aw_valid, aw_ready, w_valid, w_ready, w_last;
  logic                   b_valid, b_ready;
  logic [PortIdWidth-1:0] ar_id, r_id, aw_id, b_id;
  logic [PaWidth-1:0]     ar_addr, aw_addr;
  logic [7:0]             ar_len, w_strb, leds;
  logic [63:0]            r_data, w_data;
  gmmu_bram_vram #(.Bytes(VramBytes)) u_vram (
    .clk_i(clk), .rst_i(vram_reset), .arvalid_i(ar_valid), .arready_o(ar_ready), .arid_i(ar_id), .araddr_i(ar_addr),
    .arlen_i(ar_len), .rvalid_o(r_valid), .rready_i(r_ready), .rid_o(r_id), .rdata_o(r_data), .rlast_o(r_last),
    .awvalid_i(aw_valid), .awready_o(aw_ready), .awid_i(aw_id), .awaddr_i(aw_addr), .wvalid_i(w_valid), .wready_o(w_ready),
    .wdata_i(w_data), .wstrb_i(w_strb), .wlast_i(w_last), .bvalid_o(b_valid), .bready_i(b_ready), .bid_o(b_id));

  gmmu_board #(.ClockHz(ClockHz), .BitsPerSecond(BitsPerSecond), .VramBytes(64'(VramBytes)), .Build(Build), .Name(Name)) u_board (
    .clk_i(clk), .rst_i(rst_q), .line_i(uart_txd_in), .line_o(uart_rxd_out), .leds_o(leds), .vram_ready_i(1'b1),
    .vram_reset_o(vram_reset),
    .m_vram_arvalid_o(ar_valid), .m_vram_arready_i(ar_ready), .m_vram_arid_o(ar_id), .m_vram_araddr_o(ar_addr),
    .m_vram_arlen_o(ar_len), .m_vram_arsize_o(), .m_vram_arburst_o(), .m_vram_rvalid_i(r_valid), .m_vram_rready_o(r_ready),
    .m_vram_rid_i(r_id), .m_vram_rdata_i(r_data), .m_vram_rresp_i(2'd0), .m_vram_rlast_i(r_last),
    .m_vram_awvalid_o(aw_valid), .m_vram_awready_i(aw_ready), .m_vram_awid_o(aw_id), .m_vram_awaddr_o(aw_addr),
    .m_vram_awlen_o(), .m_vram_awsize_o(), .m_vram_awburst_o(), .m_vram_wvalid_o(w_valid), .m_vram_wready_i(w_ready),
    .m_vram_wdata_o(w_data), .m_vram_wstrb_o(w_strb), .m_vram_wlast_o(w_last), .m_vram_bvalid_i(b_valid),
    .m_vram_bready_o(b_ready), .m_vram_bid_i(b_id), .m_vram_bresp_i(2'd0));
  assign led = leds[3:0];
  logic unused_leds;
  assign unused_leds = ^leds[7:4];
endmodule

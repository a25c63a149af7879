// SPDX-License-Identifier: Apache-2.0
// ULX3S: Lattice LFE5U-85F, 25 MHz oscillator, 32 MiB of SDR SDRAM, FT231X. Pins are in constraints/ulx3s/pins.lpf.
//
// One 80 MHz clock drives the whole design. The SDRAM's clock is 9.4 ns late (README.md, Clocks); all
// its signals are registered in the I/O cells.
module gmmu_ulx3s #(
  parameter int unsigned BitsPerSecond = 3_000_000,
  parameter logic [63:0] Build = '0
) (
  input  logic        clk_25mhz,
  input  logic [6:0]  btn,            // [1], FIRE1: reset
  output logic [7:0]  led,
  input  logic        ftdi_txd,       // from the host
  output logic        ftdi_rxd,
  output logic        wifi_gpio0,     // 1: the ESP32 leaves the board alone

  output logic        sdram_clk,
  output logic        sdram_cke,
  output logic        sdram_csn,
  output logic        sdram_rasn,
  output logic        sdram_casn,
  output logic        sdram_wen,
  output logic [1:0]  sdram_ba,
  output logic [12:0] sdram_a,
  output logic [1:0]  sdram_dqm,
  inout  wire  [15:0] sdram_d
);
  import gmmu_axi_pkg::*;
  import gmmu_pkg::*;
  localparam int unsigned ClockHz = 80_000_000;
  localparam logic [63:0] Name = {8'd0, 8'd0, 8'd0, "s", "3", "x", "l", "u"};

  // ---- Clocks: 25 MHz / 5 x 16; the PLL's oscillator runs at 560 MHz. The SDRAM's clock is three
  // quarters of a period late. The numbers come from ecppll for 80 MHz and 80 MHz at 270 degrees.
  logic clk, clk_late, locked;
  EHXPLLL #(
    .CLKI_DIV(5), .CLKFB_DIV(16), .CLKOP_DIV(7), .CLKOP_ENABLE("ENABLED"), .CLKOP_CPHASE(3), .CLKOP_FPHASE(0),
    .CLKOS_DIV(7), .CLKOS_ENABLE("ENABLED"), .CLKOS_CPHASE(8), .CLKOS_FPHASE(2), .FEEDBK_PATH("CLKOP"),
    .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED"),
    .PLLRST_ENA("DISABLED"), .INTFB_WAKE("DISABLED")
  ) u_pll (
    .CLKI(clk_25mhz), .CLKFB(clk), .CLKOP(clk), .CLKOS(clk_late), .LOCK(locked), .RST(1'b0), .STDBY(1'b0),
    .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0), .ENCLKOS(1'b0));

  // ---- Reset is held while the PLL is not locked or the button is pressed, and for 16 cycles after that.
  logic [1:0] calm_q;
  logic [3:0] wait_q;
  logic       rst_q;
  always_ff @(posedge clk) begin
    calm_q <= {calm_q[0], locked && !btn[1]};
    if (!calm_q[1]) wait_q <= '1;
    else if (wait_q != '0) wait_q <= wait_q - 1'b1;
    rst_q <= !calm_q[1] || wait_q != '0;
  end

  // ---- VRAM.
  logic vram_ready, vram_reset;
  logic [15:0] vram_key;
  logic ar_valid, ar_ready, r_valid, r_ready, r_last, aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid, b_ready;
  logic [PortIdWidth-1:0] ar_id, r_id, aw_id, b_id;
  logic [PaWidth-1:0]     ar_addr, aw_addr;
  logic [7:0]             ar_len, aw_len;
  logic [DataWidth-1:0]   r_data, w_data;
  logic [DataBytes-1:0]   w_strb;
  logic [1:0]             r_resp, b_resp;
  logic        cke, csn, rasn, casn, wen, dq_oe;
  logic [1:0]  ba, dqm;
  logic [12:0] a;
  logic [15:0] dq_in, dq_out;
  gmmu_sdram #(.ClockKhz(ClockHz / 1000), .CasLatency(2), .CaptureCycles(5)) u_sdram (
    .clk_i(clk), .rst_i(vram_reset), .initialized_o(vram_ready),
    .s_arvalid_i(ar_valid), .s_arready_o(ar_ready), .s_arid_i(ar_id), .s_araddr_i(ar_addr), .s_arlen_i(ar_len),
    .s_rvalid_o(r_valid), .s_rready_i(r_ready), .s_rid_o(r_id), .s_rdata_o(r_data), .s_rresp_o(r_resp),
    .s_rlast_o(r_last), .s_awvalid_i(aw_valid), .s_awready_o(aw_ready), .s_awid_i(aw_id), .s_awaddr_i(aw_addr),
    .s_awlen_i(aw_len), .s_wvalid_i(w_valid), .s_wready_o(w_ready), .s_wdata_i(w_data), .s_wstrb_i(w_strb),
    .s_wlast_i(w_last), .s_bvalid_o(b_valid), .s_bready_i(b_ready), .s_bid_o(b_id), .s_bresp_o(b_resp),
    .sdram_cke_o(cke), .sdram_csn_o(csn), .sdram_rasn_o(rasn), .sdram_casn_o(casn), .sdram_wen_o(wen),
    .sdram_ba_o(ba), .sdram_a_o(a), .sdram_dqm_o(dqm), .sdram_dq_i(dq_in), .sdram_dq_o(dq_out), .sdram_dq_oe_o(dq_oe));

  assign wifi_gpio0 = 1'b1;

  ODDRX1F u_clk (.SCLK(clk_late), .RST(1'b0), .D0(1'b1), .D1(1'b0), .Q(sdram_clk));
  // From power-on until up_q is set, CKE is low and the chip is not selected.
  localparam int unsigned Outs = 18;
  logic [Outs-1:0] outs, pins;
  logic [3:0]      high_outs, high_pins;
  logic up_q;   // the controller has been reset; its outputs are undefined before
  initial up_q = 1'b0;
  always @(posedge clk) if (vram_reset) up_q <= 1'b1;
  assign outs = {cke && up_q, ba, a, dqm};
  assign {sdram_cke, sdram_ba, sdram_a, sdram_dqm} = pins;
  assign high_outs = {csn, rasn, casn, wen} | {4{!up_q}};
  assign {sdram_csn, sdram_rasn, sdram_casn, sdram_wen} = high_pins;
  for (genvar i = 0; i < Outs; i++) begin : g_out
    OFS1P3DX u_q (.SCLK(clk), .SP(1'b1), .CD(1'b0), .D(outs[i]), .Q(pins[i]));
  end
  for (genvar i = 0; i < 4; i++) begin : g_high
    OFS1P3BX u_q (.SCLK(clk), .SP(1'b1), .PD(1'b0), .D(high_outs[i]), .Q(high_pins[i]));
  end
  for (genvar i = 0; i < 16; i++) begin : g_dq
    logic off_q, out, in, in_q;
    always_ff @(posedge clk) off_q <= !dq_oe;
    OFS1P3DX u_out (.SCLK(clk), .SP(1'b1), .CD(1'b0), .D(dq_out[i] ^ vram_key[i]), .Q(out));
    BB u_pin (.I(out), .T(off_q), .O(in), .B(sdram_d[i]));
    IFS1P3DX u_in (.SCLK(clk), .SP(1'b1), .CD(1'b0), .D(in), .Q(in_q));
    assign dq_in[i] = in_q ^ vram_key[i];
  end

  // ---- The GPU and the link.
  gmmu_board #(.ClockHz(ClockHz), .BitsPerSecond(BitsPerSecond), .Build(Build), .Name(Name)) u_board (
    .clk_i(clk), .rst_i(rst_q), .line_i(ftdi_txd), .line_o(ftdi_rxd), .leds_o(led), .vram_ready_i(vram_ready),
    .vram_reset_o(vram_reset), .vram_key_o(vram_key),
    .m_vram_arvalid_o(ar_valid), .m_vram_arready_i(ar_ready), .m_vram_arid_o(ar_id), .m_vram_araddr_o(ar_addr),
    .m_vram_arlen_o(ar_len), .m_vram_arsize_o(), .m_vram_arburst_o(), .m_vram_rvalid_i(r_valid),
    .m_vram_rready_o(r_ready), .m_vram_rid_i(r_id), .m_vram_rdata_i(r_data), .m_vram_rresp_i(r_resp),
    .m_vram_rlast_i(r_last), .m_vram_awvalid_o(aw_valid), .m_vram_awready_i(aw_ready), .m_vram_awid_o(aw_id),
    .m_vram_awaddr_o(aw_addr), .m_vram_awlen_o(aw_len), .m_vram_awsize_o(), .m_vram_awburst_o(),
    .m_vram_wvalid_o(w_valid), .m_vram_wready_i(w_ready), .m_vram_wdata_o(w_data), .m_vram_wstrb_o(w_strb),
    .m_vram_wlast_o(w_last), .m_vram_bvalid_i(b_valid), .m_vram_bready_o(b_ready), .m_vram_bid_i(b_id),
    .m_vram_bresp_i(b_resp));

  logic unused_buttons;
  assign unused_buttons = ^{btn[6:2], btn[0]};
endmodule

// SPDX-License-Identifier: Apache-2.0
// ULX3S: Lattice LFE5U-85F, 25 MHz oscillator, 32 MiB of SDR SDRAM, FT231X. Pins are in constraints/ulx3s/pins.lpf.
//
// One 80 MHz clock drives the whole design. The clock of the SDRAM lags by 9.4 ns (README.md,
// Clocks); all its signals are registered in the I/O cells.
module gmmu_ulx3s #(
  parameter int unsigned BitsPerSecond = 3_000_000,
  parameter logic [63:0] Build = '0
) (
  input  logic        clk_25mhz,
  input  logic [6:0]  btn,            // [1], button FIRE1: reset
  output logic [7:0]  led,
  input  logic        ftdi_txd,       // from the host
  output logic        ftdi_rxd,
  output logic        wifi_gpio0,     // 1: keeps the ESP32 from taking over the board

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

  // ---- Clocks: 25 MHz / 5 x 16; the PLL's oscillator runs at 560 MHz. The SDRAM's clock lags by
  // three quarters of a period. ecppll computed the dividers and phases for 80 MHz, and for 80 MHz
  // at 270 degrees.
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

  // ---- Reset lasts while the PLL is not locked or the button is pressed, and for 16 more cycles.
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
  logic ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready;
  port_ax_t    ar, aw;
  port_r_t     r;
  w_t          w;
  port_b_t     b;
  logic        cke, csn, rasn, casn, wen, dq_oe;
  logic [1:0]  ba, dqm;
  logic [12:0] a;
  logic [15:0] dq_in, dq_out;
  gmmu_sdram #(.ClockKhz(ClockHz / 1000), .CasLatency(2), .CaptureCycles(5)) u_sdram (
    .clk_i(clk), .rst_i(vram_reset), .initialized_o(vram_ready),
    .s_ar_valid_i(ar_valid), .s_ar_ready_o(ar_ready), .s_ar_i(ar), .s_r_valid_o(r_valid), .s_r_ready_i(r_ready), .s_r_o(r),
    .s_aw_valid_i(aw_valid), .s_aw_ready_o(aw_ready), .s_aw_i(aw), .s_w_valid_i(w_valid), .s_w_ready_o(w_ready), .s_w_i(w),
    .s_b_valid_o(b_valid), .s_b_ready_i(b_ready), .s_b_o(b),
    .sdram_cke_o(cke), .sdram_csn_o(csn), .sdram_rasn_o(rasn), .sdram_casn_o(casn), .sdram_wen_o(wen),
    .sdram_ba_o(ba), .sdram_a_o(a), .sdram_dqm_o(dqm), .sdram_dq_i(dq_in), .sdram_dq_o(dq_out), .sdram_dq_oe_o(dq_oe));

  assign wifi_gpio0 = 1'b1;

  ODDRX1F u_clk (.SCLK(clk_late), .RST(1'b0), .D0(1'b1), .D1(1'b0), .Q(sdram_clk));
  // From power-on until up_q is set, CKE is low and the chip is not selected.
  localparam int unsigned Outs = 18;
  logic [Outs-1:0] outs, pins;
  logic [3:0]      high_outs, high_pins;
  logic up_q;   // the controller has been reset; before that, its outputs are undefined
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
    .m_vram_ar_valid_o(ar_valid), .m_vram_ar_ready_i(ar_ready), .m_vram_ar_o(ar),
    .m_vram_r_valid_i(r_valid), .m_vram_r_ready_o(r_ready), .m_vram_r_i(r),
    .m_vram_aw_valid_o(aw_valid), .m_vram_aw_ready_i(aw_ready), .m_vram_aw_o(aw),
    .m_vram_w_valid_o(w_valid), .m_vram_w_ready_i(w_ready), .m_vram_w_o(w),
    .m_vram_b_valid_i(b_valid), .m_vram_b_ready_o(b_ready), .m_vram_b_i(b));

  logic unused_buttons;
  assign unused_buttons = ^{btn[6:2], btn[0]};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Top module for the Arty A7-100T (XC7A100T), with VRAM in block RAM. It has never been built or
// run.
module gmmu_arty_a7 #(
  parameter int unsigned BitsPerSecond = 3_000_000,
  parameter logic [63:0] Build = '0
) (
  input  logic       clk_100mhz,
  input  logic       ck_rstn,        // button RESET, low while pressed
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

  // ---- Reset lasts while the MMCM is not locked or the button is pressed, and for 16 more cycles.
  logic [1:0] calm_q;
  logic [3:0] wait_q;
  logic       rst_q;
  always_ff @(posedge clk) begin
    calm_q <= {calm_q[0], locked && ck_rstn};
    if (!calm_q[1]) wait_q <= '1;
    else if (wait_q != '0) wait_q <= wait_q - 1'b1;
    rst_q <= !calm_q[1] || wait_q != '0;
  end

  logic       vram_reset, ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready;
  port_ax_t   ar, aw;
  port_r_t    r;
  w_t         w;
  port_b_t    b;
  logic [7:0] leds;
  gmmu_bram_vram #(.Bytes(VramBytes)) u_vram (
    .clk_i(clk), .rst_i(vram_reset), .ar_valid_i(ar_valid), .ar_ready_o(ar_ready), .ar_i(ar),
    .r_valid_o(r_valid), .r_ready_i(r_ready), .r_o(r), .aw_valid_i(aw_valid), .aw_ready_o(aw_ready), .aw_i(aw),
    .w_valid_i(w_valid), .w_ready_o(w_ready), .w_i(w), .b_valid_o(b_valid), .b_ready_i(b_ready), .b_o(b));

  gmmu_board #(.ClockHz(ClockHz), .BitsPerSecond(BitsPerSecond), .VramBytes(64'(VramBytes)), .Build(Build), .Name(Name)) u_board (
    .clk_i(clk), .rst_i(rst_q), .line_i(uart_txd_in), .line_o(uart_rxd_out), .leds_o(leds), .vram_ready_i(1'b1),
    .vram_reset_o(vram_reset),
    .m_vram_ar_valid_o(ar_valid), .m_vram_ar_ready_i(ar_ready), .m_vram_ar_o(ar),
    .m_vram_r_valid_i(r_valid), .m_vram_r_ready_o(r_ready), .m_vram_r_i(r),
    .m_vram_aw_valid_o(aw_valid), .m_vram_aw_ready_i(aw_ready), .m_vram_aw_o(aw),
    .m_vram_w_valid_o(w_valid), .m_vram_w_ready_i(w_ready), .m_vram_w_o(w),
    .m_vram_b_valid_i(b_valid), .m_vram_b_ready_o(b_ready), .m_vram_b_i(b));
  assign led = leds[3:0];
  logic unused_leds;
  assign unused_leds = ^leds[7:4];
endmodule

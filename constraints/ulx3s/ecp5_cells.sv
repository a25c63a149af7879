// SPDX-License-Identifier: Apache-2.0
// Simulation models of the FPGA cells that gmmu_ulx3s instantiates. Synthesis uses only their
// names. Sources: Lattice FPGA-TN-02200 (PLL), FPGA-TN-02032 (I/O registers).

// The PLL passes its input through: simulations drive the oscillator pin with the GPU's clock. The
// frequency of a real PLL is CLKI / CLKI_DIV x CLKFB_DIV. CLKOS is the inverted input, a phase of
// 180 degrees; the simulation of the pins adds the rest.
module EHXPLLL #(
  parameter int CLKI_DIV = 1,
  parameter int CLKFB_DIV = 1,
  parameter int CLKOP_DIV = 1,
  parameter CLKOP_ENABLE = "ENABLED",
  parameter int CLKOP_CPHASE = 0,
  parameter int CLKOP_FPHASE = 0,
  parameter int CLKOS_DIV = 1,
  parameter CLKOS_ENABLE = "ENABLED",
  parameter int CLKOS_CPHASE = 0,
  parameter int CLKOS_FPHASE = 0,
  parameter FEEDBK_PATH = "CLKOP",
  parameter OUTDIVIDER_MUXA = "DIVA",
  parameter OUTDIVIDER_MUXB = "DIVB",
  parameter STDBY_ENABLE = "DISABLED",
  parameter DPHASE_SOURCE = "DISABLED",
  parameter PLLRST_ENA = "DISABLED",
  parameter INTFB_WAKE = "DISABLED"
) (
  input  logic CLKI,
  input  logic CLKFB,
  input  logic RST,
  input  logic STDBY,
  input  logic PHASESEL0,
  input  logic PHASESEL1,
  input  logic PHASEDIR,
  input  logic PHASESTEP,
  input  logic PHASELOADREG,
  input  logic PLLWAKESYNC,
  input  logic ENCLKOP,
  input  logic ENCLKOS,
  output logic CLKOP,
  output logic CLKOS,
  output logic LOCK
);
  assign CLKOP = CLKI;
  assign CLKOS = !CLKI;
  assign LOCK = 1'b1;
endmodule

// A DDR output: D0 while the clock is 1, D1 while it is 0; both are sampled at the rising edge.
module ODDRX1F (
  input  logic SCLK,
  input  logic RST,
  input  logic D0,
  input  logic D1,
  output logic Q
);
  logic d0_q, d1_q;
  always_ff @(posedge SCLK) begin
    d0_q <= RST ? 1'b0 : D0;
    d1_q <= RST ? 1'b0 : D1;
  end
  assign Q = SCLK ? d0_q : d1_q;
endmodule

// I/O registers. They have their reset values after configuration.
module OFS1P3DX (
  input  logic SCLK,
  input  logic SP,
  input  logic CD,
  input  logic D,
  output logic Q
);
  initial Q = 1'b0;
  always @(posedge SCLK) if (CD) Q <= 1'b0; else if (SP) Q <= D;
endmodule

module OFS1P3BX (
  input  logic SCLK,
  input  logic SP,
  input  logic PD,
  input  logic D,
  output logic Q
);
  initial Q = 1'b1;
  always @(posedge SCLK) if (PD) Q <= 1'b1; else if (SP) Q <= D;
endmodule

module IFS1P3DX (
  input  logic SCLK,
  input  logic SP,
  input  logic CD,
  input  logic D,
  output logic Q
);
  initial Q = 1'b0;
  always @(posedge SCLK) if (CD) Q <= 1'b0; else if (SP) Q <= D;
endmodule

// A bidirectional pin, driven while T is 0.
module BB (
  input  logic I,
  input  logic T,
  output logic O,
  inout  wire  B
);
  assign B = T ? 1'bz : I;
  assign O = B;
endmodule

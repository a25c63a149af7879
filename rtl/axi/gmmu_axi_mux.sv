// SPDX-License-Identifier: Apache-2.0
// Joins the GPU's requesters to its two memory ports.
//
//   requesters  ax_t.port names the memory port of a burst (PortPeer never arrives). W beats follow the requester's
//               own AW order. R and B need no ready: their places are reserved before AR or AW.
//   edge        id = {requester, its own id}. AR, AW round robin. W in the order of AW. B and R in any order.
//   order       a requester's AW that was accepted earlier leaves earlier on the same memory port.
//   host_enable_i = 0: no new AR or AW leaves by the host port; what has left is finished.
//
// Registered at every input and output; one beat a cycle on every channel.
module gmmu_axi_mux
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned NumRequesters = 12,
  parameter int unsigned OwnerDepth = 16    // AWs a memory port may be ahead of their W beats
) (
  input  logic                          clk_i,
  input  logic                          rst_i,

  input  logic                          host_enable_i,

  input  logic     [NumRequesters-1:0]  ar_valid_i,
  output logic     [NumRequesters-1:0]  ar_ready_o,
  input  ax_t      [NumRequesters-1:0]  ar_i,
  output logic     [NumRequesters-1:0]  r_valid_o,
  output r_t       [NumRequesters-1:0]  r_o,
  input  logic     [NumRequesters-1:0]  aw_valid_i,
  output logic     [NumRequesters-1:0]  aw_ready_o,
  input  ax_t      [NumRequesters-1:0]  aw_i,
  input  logic     [NumRequesters-1:0]  w_valid_i,
  output logic     [NumRequesters-1:0]  w_ready_o,
  input  w_t       [NumRequesters-1:0]  w_i,
  output logic     [NumRequesters-1:0]  b_valid_o,
  output b_t       [NumRequesters-1:0]  b_o,

  // Memory ports: [0] VRAM, [1] host.
  output logic     [1:0]                ar_valid_o,
  input  logic     [1:0]                ar_ready_i,
  output edge_ax_t [1:0]                ar_o,
  input  logic     [1:0]                r_valid_i,
  output logic     [1:0]                r_ready_o,
  input  edge_r_t  [1:0]                r_i,
  output logic     [1:0]                aw_valid_o,
  input  logic     [1:0]                aw_ready_i,
  output edge_ax_t [1:0]                aw_o,
  output logic     [1:0]                w_valid_o,
  input  logic     [1:0]                w_ready_i,
  output w_t       [1:0]                w_o,
  input  logic     [1:0]                b_valid_i,
  output logic     [1:0]                b_ready_o,
  input  edge_b_t  [1:0]                b_i,

  output logic                          idle_o       // no burst accepted here still waits to leave
);
endmodule

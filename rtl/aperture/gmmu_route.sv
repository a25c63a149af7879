// SPDX-License-Identifier: Apache-2.0
// Sends one access path's GPU physical addresses to memory ports; the last check before the bus.
//
//   input    one access: address, bytes - 1, coherent bit of the translation, a tag that comes back. The access
//            never crosses a 4 KiB boundary.
//   output   in the order of the input: memory port, byte address there, coherent bit, fault. With a fault the
//            access must not be issued and port and address mean nothing.
//   lookups  accesses to the aperture ask gmmu_aperture_map (req then rsp, in order, at most Depth outstanding;
//            the answer has its place reserved, so it needs no ready).
//
// Checks: VRAM, last byte below vram_bytes_i, else FaultVramRange. Peer: FaultPeerAbsent. Aperture: what the map says.
// System addresses pass. One access a cycle; an aperture access holds back only those behind it on the same path.
module gmmu_route
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned TagWidth = 8,
  parameter int unsigned Depth = 8
) (
  input  logic                clk_i,
  input  logic                rst_i,

  input  logic [63:0]         vram_bytes_i,

  input  logic                valid_i,
  output logic                ready_o,
  input  logic [TagWidth-1:0] tag_i,
  input  gpa_t                gpa_i,
  input  logic                coherent_i,
  input  logic [7:0]          bytes_m1_i,

  output logic                valid_o,
  input  logic                ready_i,
  output logic [TagWidth-1:0] tag_o,
  output port_e               port_o,
  output pa_t                 addr_o,
  output logic                coherent_o,
  output fault_e              fault_o,

  output logic                ap_req_valid_o,
  input  logic                ap_req_ready_i,
  output pfn_t                ap_req_page_o,
  input  logic                ap_rsp_valid_i,
  input  aperture_rsp_t       ap_rsp_i
);
endmodule

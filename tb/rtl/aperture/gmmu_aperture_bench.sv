// SPDX-License-Identifier: Apache-2.0
// Two routers that share an aperture map.
module gmmu_aperture_bench
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
#(
  localparam int unsigned N = 2
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [63:0] vram_bytes_i,
  input  link_cfg_t   link_i,
  input  pa_t         base_i,
  input  logic [31:0] pages_i,
  input  logic        flush_i,
  output logic        flush_done_o,
  output logic        idle_o,
  output logic        lookup_o,
  output logic        hit_o,

  input  logic        valid_i    [N],
  output logic        ready_o    [N],
  input  logic [7:0]  tag_i      [N],
  input  gpa_t        gpa_i      [N],
  input  logic        coherent_i [N],
  output logic        valid_o    [N],
  input  logic        ready_i    [N],
  output logic [7:0]  tag_o      [N],
  output port_e       port_o     [N],
  output pa_t         addr_o     [N],
  output logic        coherent_o [N],
  output fault_e      fault_o    [N],

  output rd_req_t     rd_req_o,
  input  rd_rsp_t     rd_rsp_i
);
  logic [N-1:0]  ap_valid, ap_ready, ap_rsp_valid;
  pfn_t [N-1:0]  ap_page;
  aperture_rsp_t ap_rsp;

  for (genvar i = 0; i < N; i++) begin : g_route
    gmmu_route #(.TagWidth(8), .Depth(8)) u_route (
      .clk_i, .rst_i, .vram_bytes_i, .link_i,
      .valid_i(valid_i[i]), .ready_o(ready_o[i]), .tag_i(tag_i[i]), .gpa_i(gpa_i[i]),
      .coherent_i(coherent_i[i]), .valid_o(valid_o[i]), .ready_i(ready_i[i]), .tag_o(tag_o[i]),
      .port_o(port_o[i]), .addr_o(addr_o[i]), .coherent_o(coherent_o[i]), .fault_o(fault_o[i]),
      .ap_req_valid_o(ap_valid[i]), .ap_req_ready_i(ap_ready[i]), .ap_req_page_o(ap_page[i]),
      .ap_rsp_valid_i(ap_rsp_valid[i]), .ap_rsp_i(ap_rsp)
    );
  end

  function automatic config_t sizes();
    config_t c;
    c = gmmu_config_pkg::Built;
    c.NumPorts = N;
    return c;
  endfunction
  gmmu_aperture_map #(.Config(sizes()), .Lines(4)) u_map (
    .clk_i, .rst_i, .base_i, .pages_i, .flush_i, .flush_done_o,
    .req_valid_i(ap_valid), .req_ready_o(ap_ready), .req_page_i(ap_page),
    .rsp_valid_o(ap_rsp_valid), .rsp_o(ap_rsp), .rd_req_o, .rd_rsp_i, .lookup_o, .hit_o, .idle_o
  );
endmodule

// SPDX-License-Identifier: Apache-2.0
// Two routers that share an aperture map, with flat ports for C++.
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
  input  logic [2:0]  adapters_i,
  input  logic [2:0]  own_i,
  input  logic [63:0] base_i,
  input  logic [31:0] pages_i,
  input  logic        flush_i,
  output logic        flush_done_o,
  output logic        idle_o,
  output logic        lookup_o,
  output logic        hit_o,

  input  logic        valid_i    [N],
  output logic        ready_o    [N],
  input  logic [7:0]  tag_i      [N],
  input  logic [1:0]  target_i   [N],
  input  logic [5:0]  adapter_i  [N],
  input  logic [63:0] offset_i   [N],
  input  logic        coherent_i [N],
  output logic        valid_o    [N],
  input  logic        ready_i    [N],
  output logic [7:0]  tag_o      [N],
  output logic [1:0]  port_o     [N],
  output logic [63:0] addr_o     [N],
  output logic        coherent_o [N],
  output logic [7:0]  fault_o    [N],

  output logic        ar_valid_o,
  input  logic        ar_ready_i,
  output logic [63:0] ar_addr_o,
  output logic [7:0]  ar_len_o,
  input  logic        r_valid_i,
  input  logic [63:0] r_data_i,
  input  logic        r_error_i,
  input  logic        r_last_i
);
  logic [N-1:0]  ap_valid, ap_ready, ap_rsp_valid;
  pfn_t [N-1:0]  ap_page;
  aperture_rsp_t ap_rsp;
  rd_req_t       rd_req;

  for (genvar i = 0; i < N; i++) begin : g_route
    gpa_t   gpa;
    port_e  port;
    pa_t    addr;
    fault_e fault;
    assign gpa = '{target: target_e'(target_i[i]), adapter: adapter_i[i],
                   offset: offset_i[i][PaWidth-1:0]};
    assign port_o[i] = port;
    assign addr_o[i] = 64'(addr);
    assign fault_o[i] = fault;
    gmmu_route #(.TagWidth(8), .Depth(8)) u_route (
      .clk_i, .rst_i, .vram_bytes_i, .link_i('{own: own_i, adapters: adapters_i}),
      .valid_i(valid_i[i]), .ready_o(ready_o[i]), .tag_i(tag_i[i]), .gpa_i(gpa),
      .coherent_i(coherent_i[i]),
      .valid_o(valid_o[i]), .ready_i(ready_i[i]), .tag_o(tag_o[i]), .port_o(port), .addr_o(addr),
      .coherent_o(coherent_o[i]), .fault_o(fault),
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
    .clk_i, .rst_i, .base_i(base_i[PaWidth-1:0]), .pages_i, .flush_i, .flush_done_o,
    .req_valid_i(ap_valid), .req_ready_o(ap_ready), .req_page_i(ap_page),
    .rsp_valid_o(ap_rsp_valid), .rsp_o(ap_rsp),
    .rd_req_o(rd_req),
    .rd_rsp_i('{ar_ready: ar_ready_i, r_valid: r_valid_i,
        r: '{id: '0, data: DataWidth'(r_data_i), error: r_error_i, last: r_last_i}}),
    .lookup_o, .hit_o, .idle_o
  );
  assign ar_valid_o = rd_req.ar_valid;
  assign ar_addr_o = 64'(rd_req.ar.addr);
  assign ar_len_o = rd_req.ar.len;
endmodule

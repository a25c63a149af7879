// SPDX-License-Identifier: Apache-2.0
// Address path of one kind of access: from the place of a burst to the memory port that serves it.
//
//   input    a burst (place, bytes - 1) under a tag; a tag is used again only after its result was
//            taken
//   xlate    virtual places are translated with access Access, answers come in any order
//   result   one for each burst, in any order: memory port and address, or zero page, or fault.
//            virt and epoch say whether a translation has to be given back, and of which
//            generation.
// Physical places skip the translation. Physical system memory is accessed coherently.
module gmmu_dma_path
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Tags = 32,             // a power of two, at most 256
  parameter access_e     Access = AccessRead,
  localparam int unsigned TagWidth = $clog2(Tags)
) (
  input  logic                clk_i,
  input  logic                rst_i,

  input  logic [63:0]         vram_bytes_i,

  input  logic                valid_i,
  output logic                ready_o,
  input  logic [TagWidth-1:0] tag_i,
  input  place_t              place_i,
  input  logic [7:0]          bytes_m1_i,

  output logic                req_valid_o,
  input  logic                req_ready_i,
  output xlate_req_t          req_o,
  input  logic                rsp_valid_i,
  output logic                rsp_ready_o,
  input  xlate_rsp_t          rsp_i,

  output logic                ap_req_valid_o,
  input  logic                ap_req_ready_i,
  output pfn_t                ap_req_page_o,
  input  logic                ap_rsp_valid_i,
  input  aperture_rsp_t       ap_rsp_i,

  output logic                valid_o,
  input  logic                ready_i,
  output logic [TagWidth-1:0] tag_o,
  output logic                virt_o,
  output logic                epoch_o,
  output logic                zero_o,
  output port_e               port_o,
  output pa_t                 addr_o,
  output logic                coherent_o,
  output fault_e              fault_o,
  output level_t              level_o
);
  // Towards the translation: one request register. Towards the router: one register for physical
  // places.
  logic                req_valid_q, phys_valid_q, phys_taken;
  xlate_req_t          req_q;
  logic [TagWidth-1:0] phys_tag_q;
  gpa_t                phys_gpa_q;
  logic [7:0]          phys_bytes_q;

  logic req_free, phys_free;
  assign req_free = !req_valid_q || req_ready_i;
  assign phys_free = !phys_valid_q || phys_taken;
  assign ready_o = place_i.physical ? phys_free : req_free;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      req_valid_q <= 1'b0;
      phys_valid_q <= 1'b0;
    end else begin
      if (req_free) req_valid_q <= valid_i && !place_i.physical;
      if (phys_free) phys_valid_q <= valid_i && place_i.physical;
    end
    if (req_free)
      req_q <= '{tag: tag_t'(tag_i), space: place_i.space, va: place_i.address, access: Access};
    if (phys_free) begin
      phys_tag_q <= tag_i;
      phys_gpa_q <= '{target: place_i.target, adapter: 6'd0, offset: place_i.address[PaWidth-1:0]};
      phys_bytes_q <= bytes_m1_i;
    end
  end
  assign req_valid_o = req_valid_q;
  assign req_o = req_q;

  logic [7:0] bytes_m1_mem [Tags];   // of virtual bursts, by tag
  always_ff @(posedge clk_i) if (valid_i && ready_o) bytes_m1_mem[tag_i] <= bytes_m1_i;

  // Answers: to the router, or straight to the result when there is nothing to route.
  logic       rsp_valid, rsp_ready, rsp_direct;
  xlate_rsp_t rsp;
  gmmu_fifo #(.Width($bits(xlate_rsp_t)), .Depth(2)) u_answers (
    .clk_i, .rst_i,
    .valid_i(rsp_valid_i), .ready_o(rsp_ready_o), .data_i(rsp_i),
    .valid_o(rsp_valid), .ready_i(rsp_ready), .data_o(rsp));
  assign rsp_direct = rsp.fault != FaultNone || rsp.zero;

  logic                route_valid, route_ready, use_rsp;
  logic [TagWidth+1:0] route_tag, routed_tag;
  gpa_t                route_gpa;
  logic                route_coherent;
  logic [7:0]          route_bytes_m1;
  assign use_rsp = rsp_valid && !rsp_direct;
  assign route_valid = use_rsp || phys_valid_q;
  assign route_tag = use_rsp ? {1'b1, rsp.epoch, rsp.tag[TagWidth-1:0]} : {2'b00, phys_tag_q};
  assign route_gpa = use_rsp ? rsp.gpa : phys_gpa_q;
  assign route_coherent = use_rsp ? rsp.coherent : 1'b1;
  assign route_bytes_m1 = use_rsp ? bytes_m1_mem[rsp.tag[TagWidth-1:0]] : phys_bytes_q;
  assign phys_taken = route_ready && !use_rsp;

  logic   routed_valid, routed_ready, routed_coherent;
  port_e  routed_port;
  pa_t    routed_addr;
  fault_e routed_fault;
  gmmu_route #(.TagWidth(TagWidth + 2), .Depth(8)) u_route (
    .clk_i, .rst_i, .vram_bytes_i,
    .valid_i(route_valid), .ready_o(route_ready), .tag_i(route_tag), .gpa_i(route_gpa),
    .coherent_i(route_coherent),
    .valid_o(routed_valid), .ready_i(routed_ready), .tag_o(routed_tag), .port_o(routed_port),
    .addr_o(routed_addr), .coherent_o(routed_coherent), .fault_o(routed_fault),
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i);

  assign routed_ready = ready_i;
  assign rsp_ready = rsp_direct ? (ready_i && !routed_valid) : route_ready;

  assign valid_o = routed_valid || (rsp_valid && rsp_direct);
  assign tag_o = routed_valid ? routed_tag[TagWidth-1:0] : rsp.tag[TagWidth-1:0];
  assign virt_o = !routed_valid || routed_tag[TagWidth+1];
  assign epoch_o = routed_valid ? routed_tag[TagWidth] : rsp.epoch;
  assign zero_o = !routed_valid && rsp.zero && rsp.fault == FaultNone;
  assign port_o = routed_port;
  assign addr_o = routed_addr;
  assign coherent_o = routed_coherent;
  assign fault_o = routed_valid ? routed_fault : rsp.fault;
  assign level_o = routed_valid ? level_t'(0) : rsp.level;
endmodule

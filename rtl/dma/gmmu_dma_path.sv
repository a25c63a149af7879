// SPDX-License-Identifier: Apache-2.0
// Address path of one kind of access: from the place of a burst to the memory port that serves it.
//
//   input    a burst's first byte (place) under a tag; a tag is used again only after its result was
//            taken
//   xlate    virtual places are translated with access Access, answers come in any order
//   result   one for each burst, in any order: memory port and address, or zero page, or fault.
//            virt and generation say whether a translation has to be given back, and of which
//            generation.
// The result and the request come from registers. Physical places skip the translation; system
// memory is then accessed coherently.
module gmmu_dma_path
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Tags = 32,             // a power of two, at most 256
  parameter access_e     Access = AccessRead,
  parameter bit          Slow = 1'b0,           // a burst every other cycle
  localparam int unsigned TagWidth = $clog2(Tags)
) (
  input  logic                clk_i,
  input  logic                rst_i,

  input  logic [63:0]         vram_bytes_i,
  input  link_cfg_t           link_i,

  input  logic                valid_i,
  output logic                ready_o,
  input  logic [TagWidth-1:0] tag_i,
  input  place_t              place_i,

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
  output logic                generation_o,
  output logic                zero_o,
  output logic                ends_o,          // fault or zero: nothing to access
  output port_e               port_o,
  output pa_t                 addr_o,
  output logic                coherent_o,
  output fault_e              fault_o,
  output level_t              level_o
);
  // The burst stands in a slice until the translation or the router has taken it.
  logic                burst_valid, phys_valid, phys_taken;
  place_t              place_q;
  logic [TagWidth-1:0] tag_q;
  gmmu_slice #(.Width(TagWidth + $bits(place_t)), .Slow(Slow)) u_burst (
    .clk_i, .rst_i,
    .valid_i, .ready_o, .data_i({tag_i, place_i}),
    .valid_o(burst_valid), .ready_i(place_q.physical ? phys_taken : req_ready_i),
    .data_o({tag_q, place_q}));
  assign phys_valid = burst_valid && place_q.physical;
  assign req_valid_o = burst_valid && !place_q.physical;
  assign req_o = '{tag: tag_t'(tag_q), space: place_q.space, va: place_q.address, access: Access};

  // Answers: to the router, or straight to the result when there is nothing to route.
  logic       rsp_valid_q, rsp_direct_q, rsp_taken;
  xlate_rsp_t rsp_q;
  gmmu_skid #(.Width(1 + $bits(xlate_rsp_t))) u_answers (
    .clk_i, .rst_i,
    .valid_i(rsp_valid_i), .ready_o(rsp_ready_o),
    .data_i({rsp_i.fault != FaultNone || rsp_i.zero, rsp_i}),
    .valid_o(rsp_valid_q), .ready_i(rsp_taken), .data_o({rsp_direct_q, rsp_q}));

  logic                route_valid, route_ready, use_rsp;
  logic [TagWidth+1:0] route_tag, routed_tag;
  gpa_t                route_gpa, phys_gpa;
  logic                route_coherent;
  assign phys_gpa = '{target: place_q.target, adapter: 6'd0,
                      offset: place_q.address[PaWidth-1:0]};
  // Answers and physical bursts take turns by a register, which turns when the one whose turn it is
  // has none and the other has: so what was offered to the router stands until it is taken. Neither
  // goes on for longer than there are tags.
  logic rsp_routes;
  assign rsp_routes = rsp_valid_q && !rsp_direct_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) use_rsp <= 1'b1;
    else use_rsp <= use_rsp ? rsp_routes || !phys_valid : rsp_routes && !phys_valid;
  end
  assign route_valid = use_rsp ? rsp_routes : phys_valid;
  assign route_tag = use_rsp ? {1'b1, rsp_q.generation, rsp_q.tag[TagWidth-1:0]} : {2'b00, tag_q};
  assign route_gpa = use_rsp ? rsp_q.gpa : phys_gpa;
  assign route_coherent = use_rsp ? rsp_q.coherent : 1'b1;
  assign phys_taken = route_ready && !use_rsp;

  logic   routed_valid, routed_coherent, free, direct;
  port_e  routed_port;
  pa_t    routed_addr;
  fault_e routed_fault;
  gmmu_route #(.TagWidth(TagWidth + 2), .Depth(8)) u_route (
    .clk_i, .rst_i, .vram_bytes_i, .link_i,
    .valid_i(route_valid), .ready_o(route_ready), .tag_i(route_tag), .gpa_i(route_gpa),
    .coherent_i(route_coherent),
    .valid_o(routed_valid), .ready_i(free), .tag_o(routed_tag), .port_o(routed_port),
    .addr_o(routed_addr), .coherent_o(routed_coherent), .fault_o(routed_fault),
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i);
  // One with nothing to route goes when no other result stands: they are rare.
  assign direct = rsp_valid_q && rsp_direct_q && !valid_o && !routed_valid;
  assign rsp_taken = rsp_direct_q ? direct : route_ready && use_rsp;

  // The result stands in a register until it is taken.
  assign free = !valid_o || ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) valid_o <= 1'b0;
    else if (free) valid_o <= routed_valid || direct;
    if (free) begin
      tag_o <= routed_valid ? routed_tag[TagWidth-1:0] : rsp_q.tag[TagWidth-1:0];
      virt_o <= !routed_valid || routed_tag[TagWidth+1];
      generation_o <= routed_valid ? routed_tag[TagWidth] : rsp_q.generation;
      zero_o <= !routed_valid && rsp_q.zero && rsp_q.fault == FaultNone;
      ends_o <= routed_valid ? routed_fault != FaultNone : 1'b1;
      port_o <= routed_port;
      addr_o <= routed_addr;
      coherent_o <= routed_coherent;
      fault_o <= routed_valid ? routed_fault : rsp_q.fault;
      level_o <= routed_valid ? level_t'(0) : rsp_q.level;
    end
  end
endmodule

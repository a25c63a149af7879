// SPDX-License-Identifier: Apache-2.0
// Sends one access path's GPU physical addresses to memory ports; the last check before the bus.
//
//   input    one access: address, bytes - 1, coherent bit of the translation, a tag that comes
//            back. The access never crosses a 4 KiB boundary.
//   output   in the order of the input: memory port, byte address there, coherent bit, fault. With
//            a fault the access must not be issued and port and address mean nothing.
//   lookups  accesses to the aperture ask gmmu_aperture_map (req then rsp, in order, at most Depth
//            outstanding; the answer has its place reserved, so it needs no ready).
//
// Checks: VRAM, last byte below vram_bytes_i, else FaultVramRange. Peer: FaultPeerAbsent. Aperture:
// what the map says. System addresses pass. One access a cycle, judged in the cycle after it was
// taken; an aperture access holds back only
// those behind it on the same path.
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
  typedef struct packed {
    logic [TagWidth-1:0] tag;
    port_e               port;
    pa_t                 addr;
    logic                coherent;
    fault_e              fault;
    logic                aperture;  // port, page, coherent and fault come from the map's answer
  } item_t;

  // The access and its last byte are registered, then judged.
  typedef struct packed {
    logic [TagWidth-1:0] tag;
    target_e             target;
    pa_t                 addr;
    pa_t                 last;
    logic                coherent;
  } access_t;

  logic               access_valid_q, access_take;
  access_t            access_q;
  item_t              item;
  logic [PageLg2:0]   last_in_page;

  assign last_in_page = {1'b0, gpa_i.offset[PageLg2-1:0]} + {5'd0, bytes_m1_i};
  assign ready_o = !access_valid_q || access_take;

  always_ff @(posedge clk_i) begin
    if (rst_i) access_valid_q <= 1'b0;
    else if (ready_o) access_valid_q <= valid_i;

    if (ready_o && valid_i) begin
      access_q <= '{tag: tag_i, target: gpa_i.target, addr: gpa_i.offset,
          last: {gpa_i.offset[PaWidth-1:PageLg2], last_in_page[PageLg2-1:0]},
          coherent: coherent_i};
    end
  end

  always_comb begin
    item = '{tag: access_q.tag, port: PortHost, addr: access_q.addr, coherent: access_q.coherent,
        fault: FaultNone, aperture: 1'b0};
    unique case (access_q.target)
      TargetSystem: item.port = PortHost;
      TargetVram: begin
        item.port = PortVram;
        if (64'(access_q.last) >= vram_bytes_i) item.fault = FaultVramRange;
      end
      TargetAperture: item.aperture = 1'b1;
      TargetPeer: begin
        item.port = PortPeer;
        item.fault = FaultPeerAbsent;
      end
    endcase
  end

  // Accesses in order, and the aperture's answers for those that asked.
  logic          item_ready, ask_ready, push;
  item_t         head;
  logic          head_valid, pop;
  aperture_rsp_t answer;
  logic          answer_valid;

  assign access_take = item_ready && ask_ready;
  assign push = access_valid_q && access_take;
  assign pop = valid_o && ready_i;

  gmmu_fifo #(.Width($bits(item_t)), .Depth(Depth)) u_items (
    .clk_i, .rst_i,
    .valid_i(push), .ready_o(item_ready), .data_i(item),
    .valid_o(head_valid), .ready_i(pop), .data_o(head)
  );

  gmmu_fifo #(.Width(PfnWidth), .Depth(2)) u_ask (
    .clk_i, .rst_i,
    .valid_i(push && item.aperture), .ready_o(ask_ready),
    .data_i(access_q.addr[PaWidth-1:PageLg2]),
    .valid_o(ap_req_valid_o), .ready_i(ap_req_ready_i), .data_o(ap_req_page_o)
  );

  logic unused_answer_ready;  // never full: at most Depth accesses are inside
  gmmu_fifo #(.Width($bits(aperture_rsp_t)), .Depth(Depth)) u_answers (
    .clk_i, .rst_i,
    .valid_i(ap_rsp_valid_i), .ready_o(unused_answer_ready), .data_i(ap_rsp_i),
    .valid_o(answer_valid), .ready_i(pop && head.aperture), .data_o(answer)
  );

  assign valid_o = head_valid && (!head.aperture || answer_valid);
  assign tag_o = head.tag;
  assign port_o = head.port;
  assign addr_o = {head.aperture ? answer.page : head.addr[PaWidth-1:PageLg2],
      head.addr[PageLg2-1:0]};
  assign coherent_o = head.aperture ? answer.coherent : head.coherent;
  assign fault_o = head.aperture ? answer.fault : head.fault;

  logic unused_bits;  // the adapter counts once peers are linked; the page bit is 0 by contract
  assign unused_bits = ^{gpa_i.adapter, last_in_page[PageLg2]};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Routes the GPU physical addresses of one access path to memory ports, and performs the last
// checks before the bus.
//
//   input    one access: address, coherent bit of the translation, and a tag that is returned with
//            the result. An access never crosses a 4 KiB boundary. ready_o is two LUT levels behind
//            registers.
//   output   in input order: memory port, byte address at that port, coherent bit, fault. If there
//            is a fault, the access must not be sent, and port and address are undefined. At
//            PortPeer, the address is {adapter[5:0], offset[41:0]}.
//   ap       lookups of aperture pages in gmmu_aperture_map: req, then rsp, in order, with at most
//            Depth outstanding. The router reserves space for each rsp, so rsp has no ready.
//
// Checks by target:
//   VRAM      the page must be below vram_bytes_i, a multiple of 4 KiB, else FaultVramRange
//   peer      the adapter must be below link_i.adapters and differ from link_i.own, and offset bits
//             47:42 must be 0, else FaultPeerAbsent; the peer itself checks the size of its VRAM
//   aperture  the response of the aperture map
//   system    no check
//
// The router accepts one access per cycle, or one aperture access every other cycle, and checks it
// in the next cycle. An access to another target waits until the map has responded to all earlier
// aperture accesses.
module gmmu_route
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned TagWidth = 8,
  parameter int unsigned Depth = 8            // a power of two, 2 or more
) (
  input  logic                clk_i,
  input  logic                rst_i,

  input  logic [63:0]         vram_bytes_i,
  input  link_cfg_t           link_i,

  input  logic                valid_i,
  output logic                ready_o,
  input  logic [TagWidth-1:0] tag_i,
  input  gpa_t                gpa_i,
  input  logic                coherent_i,

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
  localparam int unsigned PointerWidth = $clog2(Depth);
  typedef logic [PointerWidth-1:0] pointer_t;
  typedef logic [PointerWidth:0] count_t;
  if (Depth < 2 || (1 << PointerWidth) != Depth) begin : g_illegal
    $fatal(1, "gmmu_route: Depth must be a power of two, 2 or more");
  end

  typedef struct packed {
    logic [TagWidth-1:0] tag;
    target_e             target;
    logic [5:0]          adapter;
    pa_t                 addr;
    logic                coherent;
  } access_t;
  // An accepted access reserves a queue entry for its result: place_t is written at once, page_t by
  // the checks or when the aperture map responds.
  typedef struct packed {
    logic [TagWidth-1:0] tag;
    port_e               port;
    logic [PageLg2-1:0]  offset;
  } place_t;
  typedef enum logic [1:0] {
    CauseTarget,                       // FaultVramRange at PortVram, FaultPeerAbsent at PortPeer
    CauseRange, CauseRead, CauseEntry  // faults that the aperture map reports
  } cause_e;
  typedef struct packed {
    logic   faulted;
    cause_e cause;
    logic   coherent;
    pfn_t   page;
  } page_t;

  // ---- The queue of accesses, in input order. Entries that wait for the aperture map are always
  // the youngest.
  logic     push, pop, resolved, full_q, waits_q;
  pointer_t write_q, answer_q, read_q;  // entry to write next, to resolve next, to send next
  // numbers of entries: all, waiting for the map, ready to send
  count_t   inside_q, wait_q, ready_q;
  count_t   inside_more, inside_less, ready_more, ready_less;  // next values without and with a pop

  // ---- The access being checked. An aperture access first sends its lookup and then enters the
  // queue.
  logic    access_valid_q, access_take, aperture_q, ask_q, asked_q, plain, room;
  access_t access_q;
  place_t  place_in, place;
  page_t   own, answer, page;

  assign ready_o = !access_valid_q || access_take;
  assign ap_req_page_o = access_q.addr[PaWidth-1:PageLg2];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      access_valid_q <= 1'b0;
      ask_q <= 1'b0;
      asked_q <= 1'b0;
    end else begin
      if (ready_o) access_valid_q <= valid_i;
      ask_q <= (valid_i && ready_o && gpa_i.target == TargetAperture && room) ||
          (ask_q && !ap_req_ready_i) ||
          (access_valid_q && aperture_q && !asked_q && !ask_q && !full_q);
      asked_q <= ask_q && ap_req_ready_i;
    end
    if (ready_o) begin
      aperture_q <= gpa_i.target == TargetAperture;
      access_q <= '{tag: tag_i, target: gpa_i.target, adapter: gpa_i.adapter, addr: gpa_i.offset,
                    coherent: coherent_i};
    end
  end

  logic  absent, past_end;
  port_e port_in;
  assign absent = access_q.adapter >= 6'(link_i.adapters) || access_q.adapter == 6'(link_i.own) ||
                  access_q.addr[PaWidth-1:PeerWidth] != '0;
  assign past_end = vram_bytes_i[63:PaWidth] == '0 &&
                    access_q.addr[PaWidth-1:PageLg2] >= vram_bytes_i[PaWidth-1:PageLg2];
  assign place_in = '{tag: access_q.tag, port: port_in, offset: access_q.addr[PageLg2-1:0]};
  always_comb begin
    own = '{faulted: 1'b0, cause: CauseTarget, coherent: access_q.coherent,
            page: access_q.addr[PaWidth-1:PageLg2]};
    port_in = PortHost;
    if (access_q.target == TargetVram) begin
      port_in = PortVram;
      own.faulted = past_end;
    end
    if (access_q.target == TargetPeer) begin
      port_in = PortPeer;
      own.faulted = absent;
      own.page[PfnWidth-1:PeerWidth-PageLg2] = access_q.adapter;
    end
    answer = '{faulted: ap_rsp_i.fault != FaultNone, cause: CauseEntry,
               coherent: ap_rsp_i.coherent, page: ap_rsp_i.page};
    if (ap_rsp_i.fault == FaultApertureRange) answer.cause = CauseRange;
    if (ap_rsp_i.fault == FaultApertureRead) answer.cause = CauseRead;
  end

  assign plain = !aperture_q && !waits_q;
  assign access_take = !full_q && (plain || asked_q);
  assign room = inside_q < count_t'(Depth - 1);  // space for the access being checked and one more
  assign ap_req_valid_o = ask_q;
  assign push = access_valid_q && access_take;
  assign resolved = ap_rsp_valid_i || (push && !asked_q);
  assign inside_more = inside_q + count_t'(push);
  assign inside_less = inside_more - 1'b1;
  assign ready_more = ready_q + count_t'(resolved);
  assign ready_less = ready_more - 1'b1;
  assign pop = valid_o && ready_i;
  assign valid_o = ready_q != '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      answer_q <= '0;
      read_q <= '0;
      inside_q <= '0;
      wait_q <= '0;
      ready_q <= '0;
      full_q <= 1'b0;
      waits_q <= 1'b0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (resolved) answer_q <= answer_q + 1'b1;
      if (pop) read_q <= read_q + 1'b1;
      // pop settles late, so the next values are computed for both cases in parallel.
      inside_q <= pop ? inside_less : inside_more;
      full_q <= !pop && (full_q || (push && inside_q == count_t'(Depth - 1)));
      if (asked_q != ap_rsp_valid_i) begin
        wait_q <= asked_q ? wait_q + 1'b1 : wait_q - 1'b1;
        waits_q <= asked_q || wait_q != count_t'(1);
      end
      ready_q <= pop ? ready_less : ready_more;
    end
  end

  gmmu_lutram #(.Width($bits(place_t)), .Depth(Depth)) u_places (
    .clk_i, .write_i(push), .write_addr_i(write_q), .data_i(place_in),
    .read_addr_i(read_q), .data_o(place)
  );
  // For an aperture access, this is written when the map responds.
  gmmu_lutram #(.Width($bits(page_t)), .Depth(Depth)) u_pages (
    .clk_i, .write_i(resolved), .write_addr_i(answer_q),
    .data_i(ap_rsp_valid_i ? answer : own), .read_addr_i(read_q), .data_o(page)
  );

  assign tag_o = place.tag;
  assign port_o = place.port;
  assign addr_o = {page.page, place.offset};
  assign coherent_o = page.coherent;
  always_comb begin
    fault_o = FaultNone;
    if (page.faulted) begin
      unique case (page.cause)
        CauseTarget: fault_o = place.port == PortVram ? FaultVramRange : FaultPeerAbsent;
        CauseRange: fault_o = FaultApertureRange;
        CauseRead: fault_o = FaultApertureRead;
        CauseEntry: fault_o = FaultApertureEntry;
      endcase
    end
  end

  logic unused_bits;  // only the page number of vram_bytes_i is compared
  assign unused_bits = ^vram_bytes_i[PageLg2-1:0];
endmodule

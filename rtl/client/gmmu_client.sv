// SPDX-License-Identifier: Apache-2.0
// Access unit of one client: translates, routes and performs up to Slots concurrent accesses.
//
//   req      one access. Its id selects the slot that the access occupies until the last beat of
//            its response is accepted; until then, no other request may have this id
//   w        words of a write; always accepted, and sent before their request is offered
//   rsp      responses in the order in which the accesses complete or, while ordered_i is 1, in
//            ascending id order from 0 (modulo Slots); ordered_i may change only while idle_o is 1
//   xlate    one lookup per access, tag = id. done_o returns every response once: after the last R
//            beat, after B, or at once for a fault or a zero page
//   fault    one record per faulted access, or only the first record while first_only_i is 1
//
// Zero pages: reads return zeros, writes are dropped. A bus error ends the access with FaultBusRead
// or FaultBusWrite. R and B are always accepted: data goes to the slot that the request reserved.
module gmmu_client
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter int unsigned WordBytes = 8,  // bytes per word of w and rsp, from 8 to DataBytes
  // 1: w_strobe_i selects bytes; 0: a write writes all its bytes
  parameter bit          Strobes = 1'b0
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  port_t                  port_i,       // constant: number of the translation port

  input  logic [63:0]            vram_bytes_i,
  input  link_cfg_t              link_i,
  input  logic                   ordered_i,
  input  logic                   first_only_i,
  output logic                   idle_o,       // no slot is occupied

  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  client_req_t            req_i,
  input  logic                   w_valid_i,
  input  client_w_t              w_i,
  input  logic [8*WordBytes-1:0] w_data_i,
  input  logic [WordBytes-1:0]   w_strobe_i,
  output logic                   rsp_valid_o,
  input  logic                   rsp_ready_i,
  output client_rsp_t            rsp_o,
  output logic [8*WordBytes-1:0] rsp_data_o,
  output logic [57:0]            rsp_line_o,   // line number (va / 64) of the access

  output logic                   xlate_req_valid_o,
  input  logic                   xlate_req_ready_i,
  output xlate_req_t             xlate_req_o,
  input  logic                   xlate_rsp_valid_i,
  output logic                   xlate_rsp_ready_o,
  input  xlate_rsp_t             xlate_rsp_i,
  output xlate_done_t            xlate_done_o,

  output logic                   ap_req_valid_o,
  input  logic                   ap_req_ready_i,
  output pfn_t                   ap_req_page_o,
  input  logic                   ap_rsp_valid_i,
  input  aperture_rsp_t          ap_rsp_i,

  output rd_req_t                rd_req_o,
  input  rd_rsp_t                rd_rsp_i,
  output wr_req_t                wr_req_o,
  input  wr_rsp_t                wr_rsp_i,

  output logic                   fault_valid_o,
  input  logic                   fault_ready_i,
  output fault_info_t            fault_o,

  // size in bytes of an access, one cycle after its last response beat is first offered; otherwise
  // 0
  output logic [6:0]             count_read_bytes_o,
  output logic [6:0]             count_write_bytes_o
);
  localparam int unsigned BeatsPerLine = LineBytes / DataBytes;
  localparam int unsigned BeatWidth = BeatsPerLine > 1 ? $clog2(BeatsPerLine) : 1;
  localparam int unsigned RowWidth = $clog2(Slots * BeatsPerLine);
  localparam int unsigned ByteLg2 = $clog2(DataBytes);

  // ---- After reset, the state bits of the slots are cleared, one slot per cycle.
  logic   clear_q;
  slot_t  clear_slot_q;
  count_t busy_q;               // number of slots in use

  // ---- Each request is stored in its slot and sent to the MMU as a lookup.
  logic       accept, note;  // note: a request is offered (it may not be accepted)
  xlate_req_t lookup;

  assign accept = req_valid_i && req_ready_o;
  assign note = req_valid_i && !clear_q;
  assign req_ready_o = (!xlate_req_valid_o || xlate_req_ready_i) && !clear_q;
  assign lookup = '{tag: tag_t'(req_i.id), space: req_i.space, va: req_i.va, access: req_i.access};
  always_ff @(posedge clk_i) begin
    if (rst_i) xlate_req_valid_o <= 1'b0;
    else if (!xlate_req_valid_o || xlate_req_ready_i) xlate_req_valid_o <= accept;
    if (accept) xlate_req_o <= lookup;
  end

  // ---- Translation responses: faults and zero pages end the access; other accesses go to the
  // router.
  typedef struct packed {
    logic       write;
    logic [5:0] last;           // line offset of the access's last byte
  } shape_t;
  typedef struct packed {
    slot_t      slot;
    shape_t     shape;
  } route_tag_t;

  shape_t      shape_in, shape;
  slot_t       xlate_slot;
  logic        xlate_ends, xlate_take, route_offer, route_in_ready, page_ready, hold;
  logic        route_waits_q;  // an offer to the router is pending, which hold must not withdraw
  route_tag_t  tag_in, tag;
  client_end_t page;

  assign shape_in = '{write: req_i.access == AccessWrite,
                      last: req_i.va[5:0] + req_i.bytes[5:0] - 6'd1};
  assign xlate_slot = xlate_rsp_i.tag[SlotLg2-1:0];
  gmmu_lutram #(.Width($bits(shape_t)), .Depth(Slots)) u_shapes (
    .clk_i, .write_i(note), .write_addr_i(req_i.id), .data_i(shape_in), .read_addr_i(xlate_slot),
    .data_o(shape)
  );
  assign xlate_ends = xlate_rsp_i.fault != FaultNone || xlate_rsp_i.zero;
  assign xlate_rsp_ready_o = route_in_ready && page_ready && (!hold || route_waits_q);
  assign xlate_take = xlate_rsp_valid_i && xlate_rsp_ready_o;
  assign page = '{slot: xlate_slot, fault: xlate_rsp_i.fault, level: xlate_rsp_i.level,
                  zero: xlate_rsp_i.fault == FaultNone};
  assign tag_in = '{slot: xlate_slot, shape: shape};
  assign route_offer = xlate_rsp_valid_i && page_ready && (!hold || route_waits_q) && !xlate_ends;
  always_ff @(posedge clk_i) route_waits_q <= route_offer && !route_in_ready && !rst_i;

  logic   route_valid, route_take, route_coherent, route_ends, route_end_ready;
  port_e  route_port;
  pa_t    route_addr;
  fault_e route_fault;

  gmmu_route #(.TagWidth($bits(route_tag_t)), .Depth(4)) u_route (
    .clk_i, .rst_i, .vram_bytes_i, .link_i,
    .valid_i(route_offer), .ready_o(route_in_ready),
    .tag_i(tag_in), .gpa_i(xlate_rsp_i.gpa), .coherent_i(xlate_rsp_i.coherent),
    .valid_o(route_valid), .ready_i(route_take), .tag_o(tag), .port_o(route_port),
    .addr_o(route_addr), .coherent_o(route_coherent), .fault_o(route_fault),
    .ap_req_valid_o, .ap_req_ready_i, .ap_req_page_o, .ap_rsp_valid_i, .ap_rsp_i
  );

  // ---- Bus requests.
  logic       burst_ready;
  ax_t        ax;

  assign route_ends = route_fault != FaultNone;
  always_comb begin
    ax = '0;
    ax.id = IdWidth'(tag.slot);
    ax.port = route_port;
    ax.addr = route_addr;
    ax.len = 8'(tag.shape.last >> ByteLg2) - 8'(route_addr[5:0] >> ByteLg2);
    ax.user.no_snoop = !route_coherent;
  end
  assign rd_req_o.ar = ax;
  assign wr_req_o.aw = ax;
  assign rd_req_o.ar_valid = route_valid && !route_ends && !tag.shape.write;
  assign wr_req_o.aw_valid = route_valid && !route_ends && tag.shape.write && burst_ready;
  always_comb begin
    if (route_ends) route_take = route_end_ready;
    else if (tag.shape.write) route_take = wr_rsp_i.aw_ready && burst_ready;
    else route_take = rd_rsp_i.ar_ready;
  end

  gmmu_client_write #(.WordBytes(WordBytes), .Strobes(Strobes)) u_write (
    .clk_i, .rst_i, .word_valid_i(w_valid_i), .word_i(w_i), .word_data_i(w_data_i),
    .word_strobe_i(w_strobe_i),
    .burst_valid_i(wr_req_o.aw_valid && wr_rsp_i.aw_ready), .burst_ready_o(burst_ready),
    .burst_slot_i(tag.slot), .burst_first_i(route_addr[5:0]), .burst_last_i(tag.shape.last),
    .w_valid_o(wr_req_o.w_valid), .w_ready_i(wr_rsp_i.w_ready), .w_o(wr_req_o.w)
  );

  // ---- Read data, completed accesses, responses.
  logic                 r_end, r_error, end_valid, row_read;
  slot_t                r_slot;
  client_end_t          ended;
  logic [RowWidth-1:0]  row;
  logic [DataWidth-1:0] row_data;

  gmmu_client_land u_land (
    .clk_i, .rst_i, .clear_i(clear_q), .clear_slot_i(clear_slot_q),
    .first_i(note), .first_slot_i(req_i.id), .first_beat_i(BeatWidth'(req_i.va[5:0] >> ByteLg2)),
    .r_valid_i(rd_rsp_i.r_valid), .r_i(rd_rsp_i.r), .end_valid_o(r_end), .end_slot_o(r_slot), .end_error_o(r_error),
    .read_i(row_read), .read_row_i(row), .data_o(row_data)
  );
  gmmu_client_ends u_ends (
    .clk_i, .rst_i,
    .generation_valid_i(xlate_take), .generation_slot_i(xlate_slot), .generation_i(xlate_rsp_i.generation),
    .r_valid_i(r_end), .r_slot_i(r_slot), .r_error_i(r_error),
    .b_valid_i(wr_rsp_i.b_valid), .b_slot_i(wr_rsp_i.b.id[SlotLg2-1:0]), .b_error_i(wr_rsp_i.b.error),
    .page_valid_i(xlate_take && xlate_ends), .page_ready_o(page_ready), .page_i(page),
    .route_valid_i(route_valid && route_ends), .route_ready_o(route_end_ready),
    .route_slot_i(tag.slot), .route_fault_i(route_fault),
    .hold_o(hold), .done_o(xlate_done_o), .end_valid_o(end_valid), .end_o(ended)
  );
  gmmu_client_answer #(.WordBytes(WordBytes)) u_answer (
    .clk_i, .rst_i, .port_i, .ordered_i, .first_only_i,
    .clear_i(clear_q), .clear_slot_i(clear_slot_q),
    .req_valid_i(note), .req_i, .end_valid_i(end_valid), .end_i(ended),
    .read_o(row_read), .read_row_o(row), .row_data_i(row_data),
    .rsp_valid_o, .rsp_ready_i, .rsp_o, .rsp_data_o, .rsp_line_o,
    .fault_valid_o, .fault_ready_i, .fault_o, .count_read_bytes_o, .count_write_bytes_o
  );

  // busy_q is the number of slots in use, one cycle late.
  logic accept_q, release_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      clear_q <= 1'b1;
      clear_slot_q <= '0;
      accept_q <= 1'b0;
      release_q <= 1'b0;
      busy_q <= '0;
    end else begin
      if (clear_slot_q == '1) clear_q <= 1'b0;
      clear_slot_q <= clear_slot_q + 1'b1;
      accept_q <= accept;
      release_q <= rsp_valid_o && rsp_ready_i && rsp_o.last;
      if (accept_q != release_q) busy_q <= busy_q + {{SlotLg2{release_q}}, 1'b1};
    end
  end
  assign idle_o = busy_q == '0 && !accept_q && !req_valid_i && !clear_q;

  logic unused_bits;
  assign unused_bits = ^{xlate_rsp_i.tag, wr_rsp_i.b.id};
endmodule

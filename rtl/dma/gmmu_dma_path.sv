// SPDX-License-Identifier: Apache-2.0
// Address path for one type of access: computes the memory port and address of each burst from its
// place_t, in the order of the bursts, and performs the last checks before the bus.
//
//   input    a burst's first byte, and user_i, which is returned with the result. Each burst
//            occupies the next slot of a ring, alloc_o, which the user must keep free. No burst may
//            be offered in the first Slots + 1 cycles after reset, while the marks are swept.
//   xlate    Virtual places are translated with access type Access. The slot number is the tag;
//            responses arrive in any order. Physical places skip the translation; system memory is
//            then accessed coherently.
//   ap       Aperture accesses are looked up in the map, in order, with at most eight outstanding;
//            the response is always accepted. An access to another target waits for all outstanding
//            responses of the map.
//   output   registered: the slot, with its memory port and address, a zero page or a fault
//            (ends_o: there is no memory access). virt_o: a translation of drain generation
//            generation_o must be returned. empty_o: the results of all bursts have been accepted.
//
// Checks. VRAM: the page must be below vram_bytes_i, a multiple of 4 KiB, else FaultVramRange.
// Peer: the adapter must be below link_i.adapters and differ from link_i.own, and offset bits 47:42
// must be 0, else FaultPeerAbsent; the address is then {adapter, offset[41:0]}. Aperture: the map's
// response. System: no check.
//
// The result of a slot is stored in block RAM; a mark in LUT RAM shows that it is valid.
module gmmu_dma_path
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned Slots = 32,            // a power of two, 2 to 256
  parameter access_e     Access = AccessRead,
  parameter int unsigned UserWidth = 1,
  localparam int unsigned TagWidth = $clog2(Slots)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic [63:0]          vram_bytes_i,
  input  link_cfg_t            link_i,

  input  logic                 valid_i,
  output logic                 ready_o,
  input  place_t               place_i,
  input  logic [UserWidth-1:0] user_i,
  output logic [TagWidth:0]    alloc_o,          // one bit wider than a slot number

  output logic                 req_valid_o,
  input  logic                 req_ready_i,
  output xlate_req_t           req_o,
  input  logic                 rsp_valid_i,
  output logic                 rsp_ready_o,
  input  xlate_rsp_t           rsp_i,

  output logic                 ap_req_valid_o,
  input  logic                 ap_req_ready_i,
  output pfn_t                 ap_req_page_o,
  input  logic                 ap_rsp_valid_i,
  input  aperture_rsp_t        ap_rsp_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [TagWidth-1:0]  slot_o,
  output logic [UserWidth-1:0] user_o,
  output logic                 virt_o,
  output logic                 generation_o,
  output logic                 zero_o,
  output logic                 ends_o,
  output port_e                port_o,
  output pa_t                  addr_o,
  output logic                 coherent_o,
  output fault_e               fault_o,
  output level_t               level_o,
  output logic                 empty_o
);
  typedef logic [TagWidth-1:0] slot_t;

  // A register slice holds the burst until it is sent to translation or, if physical, to the
  // checks.
  logic   take, burst_valid, burst_taken, phys_valid;
  place_t place;
  slot_t  burst_slot;
  gmmu_skid #(.Width(TagWidth + $bits(place_t))) u_slice (
    .clk_i, .rst_i,
    .valid_i, .ready_o, .data_i({slot_t'(alloc_o), place_i}),
    .valid_o(burst_valid), .ready_i(burst_taken), .data_o({burst_slot, place}));
  assign take = valid_i && ready_o;
  assign phys_valid = burst_valid && place.physical;
  assign req_valid_o = burst_valid && !place.physical;
  assign req_o = '{tag: tag_t'(burst_slot), space: place.space, va: place.address,
                   access: Access};
  always_ff @(posedge clk_i) begin
    if (rst_i) alloc_o <= '0;
    else if (take) alloc_o <= alloc_o + 1'b1;
  end

  // The access being checked, from a translation or from a physical burst. use_rsp_q selects the
  // source. It changes when the selected source has no offer and the other one has. The number of
  // slots bounds how long a source waits.
  typedef struct packed {
    slot_t      slot;
    logic       virt;
    logic       generation;
    target_e    target;
    logic [5:0] adapter;
    pa_t        addr;
    logic       coherent;
    logic       ends;
    logic       zero;
    fault_e     fault;
    level_t     level;
  } access_t;
  access_t access_q;
  logic    use_rsp_q, access_valid_q, access_ready, access_take, aperture_q, rsp_ends;
  logic    ask_q, full_q, waits_q;               // waits_q: an aperture response is outstanding
  assign rsp_ends = rsp_i.fault != FaultNone || rsp_i.zero;
  assign access_take = aperture_q ? !ask_q && !full_q : !waits_q;
  assign access_ready = !access_valid_q || access_take;
  assign rsp_ready_o = use_rsp_q && access_ready;
  assign burst_taken = place.physical ? access_ready && !use_rsp_q : req_ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      use_rsp_q <= 1'b1;
      access_valid_q <= 1'b0;
    end else begin
      use_rsp_q <= use_rsp_q ? rsp_valid_i || !phys_valid : rsp_valid_i && !phys_valid;
      if (access_ready) access_valid_q <= use_rsp_q ? rsp_valid_i : phys_valid;
    end
    if (access_ready && (use_rsp_q ? rsp_valid_i : phys_valid)) begin
      aperture_q <= use_rsp_q ? rsp_i.gpa.target == TargetAperture && !rsp_ends
                              : place.target == TargetAperture;
      access_q <= '{slot: use_rsp_q ? slot_t'(rsp_i.tag) : burst_slot, virt: use_rsp_q,
                    generation: rsp_i.generation,
                    target: use_rsp_q ? rsp_i.gpa.target : place.target,
                    adapter: rsp_i.gpa.adapter & {6{use_rsp_q}},
                    addr: use_rsp_q ? rsp_i.gpa.offset : place.address[PaWidth-1:0],
                    coherent: !use_rsp_q || rsp_i.coherent, ends: use_rsp_q && rsp_ends,
                    zero: rsp_i.zero && rsp_i.fault == FaultNone, fault: rsp_i.fault,
                    level: rsp_i.level};
    end
  end

  // Aperture accesses.
  typedef struct packed {
    slot_t slot;
    logic  virt;
    logic  generation;
  } asked_t;
  asked_t     asked;
  logic       ask;
  logic [2:0] asked_q, answered_q;
  logic [3:0] owed_q;
  assign ask = access_valid_q && aperture_q && access_take;
  assign ap_req_valid_o = ask_q;
  gmmu_lutram #(.Width($bits(asked_t)), .Depth(8)) u_asked (
    .clk_i, .write_i(ask), .write_addr_i(asked_q),
    .data_i({access_q.slot, access_q.virt, access_q.generation}),
    .read_addr_i(answered_q), .data_o(asked));
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ask_q <= 1'b0;
      asked_q <= '0;
      answered_q <= '0;
      owed_q <= '0;
      full_q <= 1'b0;
      waits_q <= 1'b0;
    end else begin
      ask_q <= ask || (ask_q && !ap_req_ready_i);
      if (ask) asked_q <= asked_q + 3'd1;
      if (ap_rsp_valid_i) answered_q <= answered_q + 3'd1;
      if (ask != ap_rsp_valid_i) begin
        owed_q <= ask ? owed_q + 4'd1 : owed_q - 4'd1;
        full_q <= ask && owed_q == 4'd7;
        waits_q <= ask || owed_q != 4'd1;
      end
    end
    if (ask) ap_req_page_o <= access_q.addr[PaWidth-1:PageLg2];
  end

  // The result of the checks or of the aperture map. While a map response is outstanding, there is
  // no other result.
  typedef struct packed {
    logic   virt;
    logic   generation;
    port_e  port;
    pfn_t   page;
    logic   coherent;
    fault_e fault;
    level_t level;
  } result_t;
  logic    absent, past_end, result_valid, result_ends;
  slot_t   result_slot;
  result_t result, found;
  assign absent = access_q.target == TargetPeer &&
                  (access_q.adapter >= 6'(link_i.adapters) || access_q.adapter == 6'(link_i.own) ||
                   access_q.addr[PaWidth-1:PeerWidth] != '0);
  assign past_end = access_q.target == TargetVram && vram_bytes_i[63:PaWidth] == '0 &&
                    access_q.addr[PaWidth-1:PageLg2] >= vram_bytes_i[PaWidth-1:PageLg2];
  assign result_valid = ap_rsp_valid_i || (access_valid_q && !aperture_q && !waits_q);
  assign result_slot = waits_q ? asked.slot : access_q.slot;
  assign result_ends = waits_q ? ap_rsp_i.fault != FaultNone : access_q.ends || absent || past_end;
  always_comb begin
    result = '{virt: access_q.virt, generation: access_q.generation, port: PortHost,
               page: access_q.addr[PaWidth-1:PageLg2], coherent: access_q.coherent,
               fault: FaultNone, level: '0};
    if (access_q.target == TargetVram) result.port = PortVram;
    if (access_q.target == TargetPeer) begin
      result.port = PortPeer;
      result.page[PfnWidth-1:PeerWidth-PageLg2] = access_q.adapter;
    end
    if (absent) result.fault = FaultPeerAbsent;
    if (past_end) result.fault = FaultVramRange;
    if (access_q.ends) begin
      result.fault = access_q.fault;
      result.level = access_q.level;
    end
    if (waits_q)
      result = '{virt: asked.virt, generation: asked.generation, port: PortHost, page: ap_rsp_i.page,
                 coherent: ap_rsp_i.coherent, fault: ap_rsp_i.fault, level: '0};
  end

  // Results leave in slot order: the next slot with a valid result is read from RAM into the output
  // register.
  logic              unsought_q, marked, look, have_q, have_take;   // unsought_q: seek_q != alloc_o
  logic              seek_zero, seek_ends, have_zero_q, have_ends_q;
  logic [TagWidth:0] seek_q;
  slot_t             unused_start, have_slot_q;
  logic              unused_started;
  logic [PageLg2-1:0]   have_offset;
  logic [UserWidth-1:0] have_user;
  gmmu_dma_marks #(.Slots(Slots), .Bits(2)) u_known (        // bits: {zero, ends}
    .clk_i, .rst_i, .alloc_i(alloc_o), .started_o(unused_started), .start_slot_o(unused_start),
    .mark_i(result_valid), .mark_slot_i(result_slot),
    .mark_bits_i({!waits_q && access_q.ends && access_q.zero, result_ends}),
    .look_i(seek_q), .marked_o(marked), .bits_o({seek_zero, seek_ends}));
  gmmu_ram_block #(.Width($bits(result_t)), .Depth(Slots)) u_result (
    .clk_i, .write_i(result_valid), .write_addr_i(result_slot), .data_i(result),
    .read_i(look), .read_addr_i(seek_q[TagWidth-1:0]), .data_o(found));
  gmmu_ram_block #(.Width(PageLg2 + UserWidth), .Depth(Slots)) u_burst (
    .clk_i, .write_i(take), .write_addr_i(alloc_o[TagWidth-1:0]),
    .data_i({place_i.address[PageLg2-1:0], user_i}),
    .read_i(look), .read_addr_i(seek_q[TagWidth-1:0]), .data_o({have_offset, have_user}));
  assign have_take = !valid_o || ready_i;
  assign look = unsought_q && marked && (!have_q || have_take);
  assign empty_o = !unsought_q && !have_q && !valid_o;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      seek_q <= '0;
      unsought_q <= 1'b0;
      have_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (look) seek_q <= seek_q + 1'b1;
      if (take) unsought_q <= 1'b1;
      else if (look) unsought_q <= seek_q + 1'b1 != alloc_o;
      have_q <= look || (have_q && !have_take);
      if (have_take) valid_o <= have_q;
    end
    if (look) begin
      have_slot_q <= seek_q[TagWidth-1:0];
      have_zero_q <= seek_zero;
      have_ends_q <= seek_ends;
    end
    if (have_take && have_q) begin
      slot_o <= have_slot_q;
      user_o <= have_user;
      virt_o <= found.virt;
      generation_o <= found.generation;
      zero_o <= have_zero_q;
      ends_o <= have_ends_q;
      port_o <= found.port;
      addr_o <= {found.page, have_offset};
      coherent_o <= found.coherent;
      fault_o <= found.fault;
      level_o <= found.level;
    end
  end

  logic unused;
  assign unused = ^{unused_started, unused_start, vram_bytes_i[PageLg2-1:0]};
endmodule

// SPDX-License-Identifier: Apache-2.0
// BAR2: turns AXI4-Lite accesses into single-beat VRAM accesses at base_i + offset or, for pages of
// the CPU host aperture, at the page that aperture_i maps (gmmu_host_aperture).
//
//   s       AXI4-Lite, 64 bit, with up to Slots accesses in flight and responses in order. A bus
//           error is returned as SLVERR. If base_i + offset exceeds 48 bits, bit 47 is set, so that
//           the address is beyond VRAM; an access to an unmapped page of the host aperture is
//           beyond VRAM too. One access is accepted every other cycle; in the host aperture, the
//           lookup takes two cycles more.
//   order   reads and writes do not overlap: all accesses in one direction complete before the
//           other direction starts, so a read returns what earlier writes wrote. If reads and
//           writes are both pending, they alternate. All writes have the same id, which keeps
//           writes to one address in order; a read has its slot's id. AW, W and AR may arrive in
//           any order, with any delay between them. A write is complete in the cycle in which both
//           its AW and its W are accepted; until then, reads and register writes overtake it.
//   hold_i  1: no new address is accepted, and no W that would complete a write. settled_o: every
//           complete access has its response, so a change of base_i or aperture_i, or a
//           doorbell, follows all of them.
//   stop_i  1: from the next cycle on, no access starts; accepted accesses wait. stopped_o, while
//           stop_i is 1: no access is in progress (B or R may still wait for its ready)
//   lose_i  the memory side is in reset and will not respond to earlier accesses: the window
//           returns SLVERR for them. Legal only while stop_i is 1. The window itself is reset at
//           power-on only.
module gmmu_window
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned SlotsLg2 = 4
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  pa_t         base_i,
  input  host_aperture_cfg_t aperture_i,
  input  logic        hold_i,
  output logic        settled_o,
  input  logic        stop_i,
  output logic        stopped_o,
  input  logic        lose_i,
  output logic        idle_o,

  input  logic        s_awvalid_i,
  output logic        s_awready_o,
  input  logic [31:0] s_awaddr_i,
  input  logic        s_wvalid_i,
  output logic        s_wready_o,
  input  logic [63:0] s_wdata_i,
  input  logic [7:0]  s_wstrb_i,
  output logic        s_bvalid_o,
  input  logic        s_bready_i,
  output logic [1:0]  s_bresp_o,
  input  logic        s_arvalid_i,
  output logic        s_arready_o,
  input  logic [31:0] s_araddr_i,
  output logic        s_rvalid_o,
  input  logic        s_rready_i,
  output logic [63:0] s_rdata_o,
  output logic [1:0]  s_rresp_o,

  output rd_req_t     rd_req_o,
  input  rd_rsp_t     rd_rsp_i,
  output wr_req_t     wr_req_o,
  input  wr_rsp_t     wr_rsp_i
);
  logic clk;   // gated clock: stopped while there is no access
  localparam int unsigned Slots = 1 << SlotsLg2;
  localparam int unsigned WordsPerBeat = DataBytes / 8;
  localparam int unsigned LaneWidth = WordsPerBeat > 1 ? $clog2(WordsPerBeat) : 1;
  typedef logic [SlotsLg2-1:0] slot_t;
  typedef logic [SlotsLg2:0] count_t;
  typedef logic [LaneWidth-1:0] lane_t;

  localparam logic [31:0] LaneMask = 32'(WordsPerBeat - 1);
  function automatic lane_t lane_of(logic [31:0] offset);
    return lane_t'((offset >> 3) & LaneMask);
  endfunction

  // ---- AXI4-Lite side. Requests are registered.
  logic        aw_ready, ar_ready;
  logic        aw_valid, aw_take, w_valid, w_take, ar_valid, ar_take, w_slot_ready;
  logic [31:0] aw_addr, ar_addr;
  logic [63:0] w_data;
  logic [7:0]  w_strb;

  // While a write is registered here, no read address is accepted, and vice versa, so neither
  // overtakes the other. An address is also not accepted directly after another one of the same
  // direction while the other direction waits at the port. A write whose AW is registered but whose
  // W is missing does not count as registered: W completes it, so W is back-pressured and
  // alternates with AR instead of AW.
  logic aw_open, w_open, ar_open, w_ready, lacks_data, write_waits_q, ar_waits_q, last_reads_q;
  assign lacks_data = aw_valid && !w_valid;
  assign aw_open = !rst_i && !hold_i && !ar_valid && !(ar_waits_q && !last_reads_q);
  assign w_open = !rst_i && !(lacks_data && (hold_i || ar_valid));
  assign ar_open = !rst_i && !hold_i && !(aw_valid && w_valid) && !(write_waits_q && last_reads_q);
  assign s_awready_o = aw_ready && aw_open;
  assign s_wready_o = w_ready && w_open;
  assign s_arready_o = ar_ready && ar_open;
  always_ff @(posedge clk) begin
    write_waits_q <= !rst_i && (lacks_data ? s_wvalid_i && !s_wready_o : s_awvalid_i && !s_awready_o);
    ar_waits_q <= s_arvalid_i && !s_arready_o && !rst_i;
    if (rst_i) last_reads_q <= 1'b0;
    else if (s_arvalid_i && s_arready_o) last_reads_q <= 1'b1;
    else if (s_awvalid_i && s_awready_o) last_reads_q <= 1'b0;
  end
  gmmu_slice #(.Width(32), .Slow(1'b1)) u_aw (
    .clk_i(clk), .rst_i, .valid_i(s_awvalid_i && aw_open), .ready_o(aw_ready),
    .data_i(s_awaddr_i),
    .valid_o(aw_valid), .ready_i(aw_take), .data_o(aw_addr)
  );
  gmmu_slice #(.Width(72), .Slow(1'b1)) u_w (
    .clk_i(clk), .rst_i, .valid_i(s_wvalid_i && w_open), .ready_o(w_ready), .data_i({s_wstrb_i, s_wdata_i}),
    .valid_o(w_valid), .ready_i(w_take), .data_o({w_strb, w_data})
  );
  gmmu_slice #(.Width(32), .Slow(1'b1)) u_ar (
    .clk_i(clk), .rst_i, .valid_i(s_arvalid_i && ar_open), .ready_o(ar_ready),
    .data_i(s_araddr_i),
    .valid_o(ar_valid), .ready_i(ar_take), .data_o(ar_addr)
  );

  // ---- Reads and writes are never in flight together. Slots form a ring: accesses are issued at
  // next_q, and responses are returned from oldest_q.
  slot_t            next_q, oldest_q;
  // occupied_q: accesses whose response is not accepted yet; waiting_q: accesses that wait for VRAM
  count_t           occupied_q, waiting_q;
  logic [Slots-1:0] ended_q;
  logic             reading_q;  // 1: the accesses in flight, or the last ones if none is, are reads
  logic             write_offer, read_offer, room, may_write, may_read, answer_take, ended;
  logic             lost_q;                 // outstanding accesses will get no response
  logic             stop_q;                 // stop_i, registered: its source is far away on the die
  always_ff @(posedge clk) stop_q <= stop_i;

  assign write_offer = aw_valid && w_valid && w_slot_ready;
  assign read_offer = ar_valid;
  assign room = occupied_q != count_t'(Slots) && !stop_q && !lost_q;
  // The direction changes only when nothing is in flight. If both a read and a write are offered
  // then, the directions alternate.
  assign may_write = room && (occupied_q == '0 ? (reading_q || !read_offer)
      : (!reading_q && !read_offer));
  assign may_read = room && (occupied_q == '0 ? (!reading_q || !write_offer)
      : (reading_q && !write_offer));

  // Issue: one request, on AW or AR. A register slice keeps the mux's ready out of the selection
  // logic; W has its own slice.
  typedef struct packed {
    logic                reads;
    logic [SlotsLg2-1:0] slot;
    pfn_t                base;            // page number of base_i, or of the page that is mapped
    logic [28:0]         word;            // offset from it in 8-byte words
  } issue_t;
  issue_t issue_in, issue;
  logic   issue_ready, issue_valid, mapped, found;
  logic   write_next, read_next;   // may_write and may_read are never both 1 if both are offered
  assign write_next = write_offer && may_write;
  assign read_next = read_offer && may_read && !write_next;
  assign aw_take = write_next && issue_ready && found;
  assign w_take = aw_take;
  assign ar_take = read_next && issue_ready && found;

  logic [28:0] word;
  host_page_t  entry;
  assign word = write_next ? aw_addr[31:3] : ar_addr[31:3];
  gmmu_host_aperture u_host_aperture (
    .clk_i, .rst_i, .cfg_i(aperture_i), .valid_i(write_next || read_next), .page_i(word[28:9]),
    .take_i(aw_take || ar_take), .mapped_o(mapped), .ready_o(found), .entry_o(entry)
  );

  w_t w_beat;
  always_comb begin
    w_beat = '0;
    w_beat.last = 1'b1;
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      w_beat.data[64*i +: 64] = w_data;
      if (lane_of(aw_addr) == lane_t'(i)) w_beat.strb[8*i +: 8] = w_strb;
    end
  end
  logic side_rst;
  assign side_rst = rst_i || lose_i;
  gmmu_slice #(.Width($bits(w_t)), .Slow(1'b1)) u_w_out (
    .clk_i(clk), .rst_i(side_rst), .valid_i(aw_take), .ready_o(w_slot_ready), .data_i(w_beat),
    .valid_o(wr_req_o.w_valid), .ready_i(wr_rsp_i.w_ready), .data_o(wr_req_o.w)
  );

  always_comb begin
    issue_in = '{reads: ar_take, slot: next_q, base: base_i[PaWidth-1:PageLg2], word: word};
    if (mapped) begin
      issue_in.base = entry.valid ? entry.page : '1;
      issue_in.word[28:9] = '0;
    end
  end
  gmmu_slice #(.Width($bits(issue_t)), .Slow(1'b1)) u_issue (
    .clk_i(clk), .rst_i(side_rst), .valid_i(aw_take || ar_take), .ready_o(issue_ready), .data_i(issue_in),
    .valid_o(issue_valid), .ready_i(issue.reads ? rd_rsp_i.ar_ready : wr_rsp_i.aw_ready), .data_o(issue)
  );
  logic wraps;
  always_comb begin
    rd_req_o.ar = '0;
    rd_req_o.ar.port = PortVram;
    {wraps, rd_req_o.ar.addr} = {1'b0, issue.base, 12'd0} + (PaWidth + 1)'({issue.word, 3'd0});
    if (wraps) rd_req_o.ar.addr[PaWidth-1] = 1'b1;
    wr_req_o.aw = rd_req_o.ar;
    rd_req_o.ar.id = IdWidth'(issue.slot);
  end
  assign wr_req_o.aw_valid = issue_valid && !issue.reads;
  assign rd_req_o.ar_valid = issue_valid && issue.reads;

  // ---- Responses, registered.
  logic             r_valid_q, b_valid_q;
  r_t               r_q;
  b_t               b_q;
  slot_t            end_slot, b_slot_q;     // b_slot_q: slot of the next B
  lane_t            lane_q [Slots];
  logic [63:0]      r_word;

  // R and B are never valid together.
  always_ff @(posedge clk) begin
    r_valid_q <= rd_rsp_i.r_valid && !side_rst;
    b_valid_q <= wr_rsp_i.b_valid && !side_rst;
    if (occupied_q == '0) b_slot_q <= next_q;
    else if (b_valid_q) b_slot_q <= b_slot_q + 1'b1;
    r_q <= rd_rsp_i.r;
    b_q <= wr_rsp_i.b;
  end
  assign end_slot = r_valid_q ? r_q.id[SlotsLg2-1:0] : b_slot_q;
  assign ended = r_valid_q || b_valid_q;
  assign r_word = r_q.data[64 * 32'(lane_q[end_slot]) +: 64];

  logic error;
  gmmu_lutram #(.Width(65), .Depth(Slots)) u_data (
    .clk_i(clk), .write_i(ended), .write_addr_i(end_slot),
    .data_i({r_valid_q ? r_q.error : b_q.error, r_word}),
    .read_addr_i(oldest_q), .data_o({error, s_rdata_o})
  );

  // head_q: VRAM has responded to the oldest access.
  slot_t second;
  logic  begun, head_q, second_ended, oldest_ended;
  assign begun = aw_take || ar_take;
  assign second = oldest_q + 1'b1;
  assign oldest_ended = ended_q[oldest_q] || (ended && end_slot == oldest_q) ||
                        (lost_q && occupied_q != '0);
  assign second_ended = ended_q[second] || (ended && end_slot == second) ||
                        (lost_q && occupied_q > count_t'(1));
  assign s_bvalid_o = head_q && !reading_q;
  assign s_rvalid_o = head_q && reading_q;
  logic good;
  assign good = ended_q[oldest_q] && !error;
  assign s_bresp_o = good ? RespOkay : RespSlvErr;
  assign s_rresp_o = good ? RespOkay : RespSlvErr;
  assign answer_take = (s_bvalid_o && s_bready_i) || (s_rvalid_o && s_rready_i);

  always_ff @(posedge clk) begin
    if (rst_i) begin
      next_q <= '0;
      oldest_q <= '0;
      occupied_q <= '0;
      head_q <= 1'b0;
      waiting_q <= '0;
      lost_q <= 1'b0;
      stopped_o <= 1'b0;
      ended_q <= '0;
      reading_q <= 1'b0;
    end else begin
      if (aw_take || ar_take) begin
        next_q <= next_q + 1'b1;
        reading_q <= ar_take;
      end
      if (ended) ended_q[end_slot] <= 1'b1;
      if (answer_take) begin
        oldest_q <= oldest_q + 1'b1;
        ended_q[oldest_q] <= 1'b0;
      end
      head_q <= answer_take ? second_ended : oldest_ended;
      if (begun != answer_take) occupied_q <= occupied_q + {{SlotsLg2{answer_take}}, 1'b1};
      if (lose_i) waiting_q <= '0;
      else if (begun != ended) waiting_q <= waiting_q + {{SlotsLg2{ended}}, 1'b1};
      if (lose_i && waiting_q != '0) lost_q <= 1'b1;
      else if (occupied_q == '0) lost_q <= 1'b0;
      stopped_o <= stop_i && stop_q && waiting_q == '0;
    end

    if (aw_take || ar_take) begin
      lane_q[next_q] <= lane_of(aw_take ? aw_addr : ar_addr);
    end
  end

  assign settled_o = waiting_q == '0 && !(aw_valid && w_valid) && !ar_valid;
  assign idle_o = occupied_q == '0 && !aw_valid && !w_valid && !ar_valid &&
                  !s_awvalid_i && !s_wvalid_i && !s_arvalid_i;

  gmmu_sleep u_sleep (.clk_i, .rst_i, .clk_o(clk), .awake_i(!idle_o || hold_i || stop_i || lose_i || rd_rsp_i.r_valid || wr_rsp_i.b_valid));
  logic unused_bits;
  assign unused_bits = ^{base_i[PageLg2-1:0], aw_addr[2:0], ar_addr[2:0], r_q.id, r_q.last, b_q.id};
endmodule

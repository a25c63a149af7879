// SPDX-License-Identifier: Apache-2.0
// Write path for linked adapters: forwards their write bursts to VRAM as one requester of the AXI
// mux.
//
//   s_aw, s_w  a burst to VRAM, in the GPU's internal format; ids are unique among outstanding
//              bursts. AW is accepted while a slot is free, W while the buffer has space. Neither
//              waits for the other, nor for the peer to accept a response.
//   s_b        has no ready: the peer accepts every response. A burst at or past vram_bytes_i gets
//              an error response and writes nothing.
//   wr         requester port of the mux; its ids are slot numbers. AW is offered only when all
//              beats of the burst have arrived, so VRAM never waits for the peer's data.
//   cut_i      the mux is in reset: bursts that the mux had accepted, and bursts whose last beat
//              has arrived, get an error response; later bursts wait until the lost bursts have
//              their responses
//   idle_o     no burst is outstanding
// Error responses are issued slot by slot, in cycles in which the mux returns no B.
module gmmu_peer_write
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Slots = 16  // a power of two, 2 to 256
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 cut_i,
  input  logic [63:0]          vram_bytes_i,
  output logic                 idle_o,

  input  logic                 s_aw_valid_i,
  output logic                 s_aw_ready_o,
  input  logic [IdWidth-1:0]   s_aw_id_i,
  input  pa_t                  s_aw_addr_i,
  input  logic [7:0]           s_aw_len_i,
  input  logic                 s_w_valid_i,
  output logic                 s_w_ready_o,
  input  w_t                   s_w_i,
  output logic                 s_b_valid_o,
  output b_t                   s_b_o,

  output wr_req_t              wr_req_o,
  input  wr_rsp_t              wr_rsp_i
);
  localparam int unsigned SlotWidth = $clog2(Slots);
  localparam int unsigned Beats = DataBytes < 16 ? 256 : 4096 / DataBytes;   // holds a whole burst
  localparam int unsigned WholeWidth = $clog2(Beats + 4);  // counts up to Beats + 3 beats
  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [WholeWidth-1:0] whole_t;
  if (Slots < 2 || (1 << SlotWidth) != Slots || SlotWidth > IdWidth) begin : g_illegal
    $fatal(1, "gmmu_peer_write: Slots must be a power of two, 2 to 256");
  end

  // ---- Each AW occupies the next slot; slots are issued in order.
  logic               ask_valid, ask_take, past_end, issue, issue_past, issue_bad, offer_q;
  logic [IdWidth-1:0] ask_id;
  pa_t                ask_addr, issue_addr;
  logic [7:0]         ask_len, issue_len;
  slot_t              next_q, issue_q;
  ax_t                aw_q;
  // busy_q: the slot holds a burst; waits_q: it has not been issued; sent_q: its B is outstanding
  // at VRAM; fail_q: its B is an error
  logic [Slots-1:0]   busy_q, waits_q, sent_q, fail_q, taken, issued, sent, failed, ended;

  gmmu_skid #(.Width(IdWidth + PaWidth + 8)) u_ask (
    .clk_i, .rst_i, .valid_i(s_aw_valid_i), .ready_o(s_aw_ready_o),
    .data_i({s_aw_id_i, s_aw_addr_i, s_aw_len_i}),
    .valid_o(ask_valid), .ready_i(ask_take), .data_o({ask_id, ask_addr, ask_len})
  );
  assign past_end = vram_bytes_i[63:PaWidth] == '0 &&
                    ask_addr[PaWidth-1:PageLg2] >= vram_bytes_i[PaWidth-1:PageLg2];
  assign ask_take = ask_valid && !busy_q[next_q];
  gmmu_lutram #(.Width(1 + PaWidth + 8), .Depth(Slots)) u_bursts (
    .clk_i, .write_i(ask_take), .write_addr_i(next_q), .data_i({past_end, ask_addr, ask_len}),
    .read_addr_i(issue_q), .data_o({issue_past, issue_addr, issue_len})
  );

  // ---- W beats, and the number of complete bursts that have not been issued.
  logic   beat_valid, beat_take, complete_q;
  whole_t whole_q;
  logic [DataWidth-1:0] beat_data;
  logic [DataBytes-1:0] beat_strb;
  gmmu_fifo_ram #(.Width(DataWidth + DataBytes), .Depth(Beats)) u_beats (
    .clk_i, .rst_i, .valid_i(s_w_valid_i), .ready_o(s_w_ready_o), .data_i({s_w_i.data, s_w_i.strb}),
    .valid_o(beat_valid), .ready_i(beat_take), .data_o({beat_data, beat_strb})
  );

  // ---- Beats leave the buffer in order, either to the mux or to be dropped.
  typedef struct packed {
    logic       bad;
    slot_t      slot;
    logic [7:0] len;
  } order_t;
  logic                order_valid, order_room, order_take, last, drop, dead_q;
  order_t              order, queue;
  logic                queue_valid, queue_take;
  logic [7:0]          beat_q;
  logic [SlotWidth:0]  good_q;  // queued bursts that are not dropped
  logic                good_in, good_out;

  assign issue_bad = cut_i || issue_past;
  assign issue = waits_q[issue_q] && complete_q && order_room && (cut_i || !dead_q) &&
                 (!offer_q || wr_rsp_i.aw_ready);
  gmmu_fifo #(.Width($bits(order_t)), .Depth(Slots)) u_order (
    .clk_i, .rst_i, .valid_i(issue), .ready_o(order_room),
    .data_i({issue_bad, issue_q, issue_len}),
    .valid_o(queue_valid), .ready_i(queue_take), .data_o(queue)
  );
  // This register slice keeps the FIFO out of the timing path of a burst's last beat.
  gmmu_skid #(.Width($bits(order_t))) u_order_next (
    .clk_i, .rst_i, .valid_i(queue_valid), .ready_o(queue_take), .data_i(queue),
    .valid_o(order_valid), .ready_i(order_take), .data_o(order)
  );
  assign drop = order.bad || cut_i || dead_q;
  assign last = beat_q == order.len;
  assign beat_take = order_valid && (drop || wr_rsp_i.w_ready);
  assign order_take = beat_take && beat_valid && last;
  assign good_in = issue && !issue_bad;
  assign good_out = order_take && !order.bad;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      next_q <= '0;
      issue_q <= '0;
      whole_q <= '0;
      complete_q <= 1'b0;
      beat_q <= '0;
      good_q <= '0;
      dead_q <= 1'b0;
      offer_q <= 1'b0;
    end else begin
      if (ask_take) next_q <= next_q + 1'b1;
      if (issue) issue_q <= issue_q + 1'b1;
      whole_q <= whole_q + whole_t'(s_w_valid_i && s_w_ready_o && s_w_i.last) - whole_t'(issue);
      complete_q <= whole_q > whole_t'(issue);
      if (beat_take && beat_valid) beat_q <= last ? '0 : beat_q + 1'b1;
      if (good_in != good_out) good_q <= good_in ? good_q + 1'b1 : good_q - 1'b1;
      // dead_q stays set until the beats of all bursts that the mux lost in its reset are dropped.
      dead_q <= cut_i || (dead_q && good_q != '0);
      if (cut_i) offer_q <= 1'b0;
      else if (!offer_q || wr_rsp_i.aw_ready) offer_q <= good_in;
    end
    if (issue) begin
      aw_q <= '{id: IdWidth'(issue_q), port: PortVram, addr: issue_addr, len: issue_len, user: '0};
    end
  end
  assign wr_req_o = '{aw_valid: offer_q, aw: aw_q, w_valid: order_valid && beat_valid && !drop,
                      w: '{data: beat_data, strb: beat_strb, last: last}};

  // ---- B: from the mux or, if the mux returns none in this cycle, an error response for slot
  // scan_q.
  logic               b_valid_q, b_error_q, tell;
  slot_t              b_slot_q, scan_q, at;
  logic [IdWidth-1:0] id;

  always_ff @(posedge clk_i) begin
    b_valid_q <= wr_rsp_i.b_valid && !cut_i && !rst_i;
    b_slot_q <= wr_rsp_i.b.id[SlotWidth-1:0];
    b_error_q <= wr_rsp_i.b.error;
  end
  assign at = b_valid_q ? b_slot_q : scan_q;
  assign tell = b_valid_q || fail_q[scan_q];
  assign taken = Slots'(ask_take) << next_q;
  assign issued = Slots'(issue) << issue_q;
  assign sent = Slots'(order_take && !drop) << order.slot;
  assign failed = Slots'(order_take && drop) << order.slot;
  assign ended = Slots'(tell) << at;
  gmmu_lutram #(.Width(IdWidth), .Depth(Slots)) u_ids (
    .clk_i, .write_i(ask_take), .write_addr_i(next_q), .data_i(ask_id), .read_addr_i(at),
    .data_o(id)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      s_b_valid_o <= 1'b0;
      scan_q <= '0;
      busy_q <= '0;
      waits_q <= '0;
      sent_q <= '0;
      fail_q <= '0;
    end else begin
      s_b_valid_o <= tell;
      if (!b_valid_q) scan_q <= scan_q + 1'b1;
      busy_q <= (busy_q | taken) & ~ended;
      waits_q <= (waits_q | taken) & ~issued;
      sent_q <= cut_i ? '0 : (sent_q | sent) & ~ended;
      fail_q <= (fail_q | failed | (cut_i ? sent_q : '0)) & ~ended;
    end
    s_b_o <= '{id: id, error: !b_valid_q || b_error_q};
  end

  assign idle_o = busy_q == '0 && !ask_valid && !s_b_valid_o;

  a_sent: assert property (@(posedge clk_i) disable iff (rst_i) !b_valid_q || sent_q[at]);
  logic unused_bits;  // only the page number of vram_bytes_i is compared
  assign unused_bits = ^{vram_bytes_i[PageLg2-1:0], wr_rsp_i.b.id};
endmodule

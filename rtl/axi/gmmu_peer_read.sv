// SPDX-License-Identifier: Apache-2.0
// Read path for linked adapters: forwards their read bursts to VRAM as one requester of the AXI
// mux.
//
//   s_ar      a burst to VRAM, in the GPU's internal format; ids are unique among outstanding
//             bursts. It is accepted while a slot is free. Slots become free without waiting for
//             the peer.
//   s_r       has no ready: the peer accepts every beat. Beats of different ids may interleave. A
//             burst at or past vram_bytes_i gets only error beats and reads nothing.
//   rd        requester port of the mux; its ids are slot numbers
//   cut_i     the mux is in reset: all remaining beats of outstanding bursts, and all beats of
//             bursts that arrive meanwhile, are error beats
//   idle_o    no burst is outstanding
// Error beats are issued slot by slot, in cycles in which the mux returns no R beat.
module gmmu_peer_read
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

  input  logic                 s_ar_valid_i,
  output logic                 s_ar_ready_o,
  input  logic [IdWidth-1:0]   s_ar_id_i,
  input  pa_t                  s_ar_addr_i,
  input  logic [7:0]           s_ar_len_i,
  output logic                 s_r_valid_o,
  output r_t                   s_r_o,

  output rd_req_t              rd_req_o,
  input  rd_rsp_t              rd_rsp_i
);
  localparam int unsigned SlotWidth = $clog2(Slots);
  typedef logic [SlotWidth-1:0] slot_t;
  if (Slots < 2 || (1 << SlotWidth) != Slots || SlotWidth > IdWidth) begin : g_illegal
    $fatal(1, "gmmu_peer_read: Slots must be a power of two, 2 to 256");
  end

  // ---- Each burst occupies the next slot.
  logic               ask_valid, ask_take, past_end;
  logic [IdWidth-1:0] ask_id;
  pa_t                ask_addr;
  logic [7:0]         ask_len;
  slot_t              next_q;
  // busy_q: the slot holds a burst; fail_q: the remaining beats are errors; fresh_q: no beat yet
  logic [Slots-1:0]   busy_q, fail_q, fresh_q, taken, ended;

  gmmu_skid #(.Width(IdWidth + PaWidth + 8)) u_ask (
    .clk_i, .rst_i, .valid_i(s_ar_valid_i), .ready_o(s_ar_ready_o),
    .data_i({s_ar_id_i, s_ar_addr_i, s_ar_len_i}),
    .valid_o(ask_valid), .ready_i(ask_take), .data_o({ask_id, ask_addr, ask_len})
  );
  assign past_end = vram_bytes_i[63:PaWidth] == '0 &&
                    ask_addr[PaWidth-1:PageLg2] >= vram_bytes_i[PaWidth-1:PageLg2];
  assign ask_take = ask_valid && !busy_q[next_q] && (!rd_req_o.ar_valid || rd_rsp_i.ar_ready);
  assign taken = Slots'(ask_take) << next_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      next_q <= '0;
      rd_req_o.ar_valid <= 1'b0;
    end else begin
      if (ask_take) next_q <= next_q + 1'b1;
      if (cut_i) rd_req_o.ar_valid <= 1'b0;
      else if (!rd_req_o.ar_valid || rd_rsp_i.ar_ready) rd_req_o.ar_valid <= ask_take && !past_end;
    end
    if (ask_take) begin
      rd_req_o.ar <= '{id: IdWidth'(next_q), port: PortVram, addr: ask_addr, len: ask_len, user: '0};
    end
  end

  // ---- R: a beat from the mux or, if the mux returns none in this cycle, an error beat for slot
  // scan_q.
  logic               r_valid_q, tell, last;
  r_t                 r_q;
  slot_t              scan_q, at;
  logic [IdWidth-1:0] id;
  logic [7:0]         len, beats_done, beat;  // beat: index of the beat in its burst, from 0

  always_ff @(posedge clk_i) begin
    r_valid_q <= rd_rsp_i.r_valid && !cut_i && !rst_i;
    r_q <= rd_rsp_i.r;
  end
  assign at = r_valid_q ? r_q.id[SlotWidth-1:0] : scan_q;
  assign tell = r_valid_q || fail_q[scan_q];
  assign beat = fresh_q[at] ? '0 : beats_done;
  assign last = beat == len;
  assign ended = Slots'(tell && last) << at;

  gmmu_lutram #(.Width(IdWidth + 8), .Depth(Slots)) u_bursts (
    .clk_i, .write_i(ask_take), .write_addr_i(next_q), .data_i({ask_id, ask_len}),
    .read_addr_i(at), .data_o({id, len})
  );
  gmmu_lutram #(.Width(8), .Depth(Slots)) u_beats_done (
    .clk_i, .write_i(tell), .write_addr_i(at), .data_i(beat + 1'b1), .read_addr_i(at),
    .data_o(beats_done)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      s_r_valid_o <= 1'b0;
      scan_q <= '0;
      busy_q <= '0;
      fail_q <= '0;
      fresh_q <= '0;
    end else begin
      s_r_valid_o <= tell;
      if (!r_valid_q && (!tell || last)) scan_q <= scan_q + 1'b1;
      busy_q <= (busy_q | taken) & ~ended;
      fail_q <= (cut_i ? busy_q | taken : past_end ? fail_q | taken : fail_q) & ~ended;
      fresh_q <= (fresh_q & ~(Slots'(tell) << at)) | taken;
    end
    s_r_o <= '{id: id, data: r_q.data, error: !r_valid_q || r_q.error, last: last};
  end

  assign idle_o = busy_q == '0 && !ask_valid && !s_r_valid_o;

  a_sent: assert property (@(posedge clk_i) disable iff (rst_i)
    !r_valid_q || (busy_q[at] && !fail_q[at] && r_q.last == last));
  logic unused_bits;  // only the page number of vram_bytes_i is compared
  assign unused_bits = ^{vram_bytes_i[PageLg2-1:0], r_q.id};
endmodule

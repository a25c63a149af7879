// SPDX-License-Identifier: Apache-2.0
// Contract of AXI4 writes inside the GPU: AW, W and B of one requester. The types are from
// gmmu_axi_pkg.
//
//   requester (asserted)   holds AW and W; ids are below Ids and unique among those outstanding; W has as
//                          many beats as AW specifies, LAST at the end; no burst crosses 4 KiB.
//                          AwFirst: no W beat precedes its AW. OneId: all bursts have id 0 instead, and
//                          B comes in their order
//   other side             sends B only for a burst whose AW and W are complete. Asserted, or assumed
//                          (AssumeAnswers = 1, for proofs)
//
// B has no ready: space for it is reserved. Ids, a power of two, bounds the bursts outstanding.
module gmmu_axi_write_props
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Ids = 4,
  parameter bit          AwFirst = 0,
  parameter bit          OneId = 0,
  parameter bit          AssumeAnswers = 0,
  parameter bit          Pages = 1,       // 0 if addresses have no meaning at the bound block
  parameter int unsigned BeatWidth = 8,   // bursts are shorter than 2**BeatWidth beats
  localparam int unsigned IdxWidth = Ids > 1 ? $clog2(Ids) : 1,
  localparam int unsigned LevelWidth = $clog2(Ids + 1) + 1
) (
  input logic    clk_i,
  input logic    rst_i,

  input wr_req_t req_i,
  input wr_rsp_t rsp_i
);
  typedef logic [IdxWidth-1:0] idx_t;
  typedef logic [BeatWidth-1:0] beat_t;

  logic  aw_take, w_take, w_end;
  idx_t  aw_id, b_id;
  beat_t beat_q;          // beats of the current W burst
  assign aw_take = req_i.aw_valid && rsp_i.aw_ready;
  assign w_take = req_i.w_valid && rsp_i.w_ready;
  assign w_end = w_take && req_i.w.last;
  idx_t begun_q, ended_q;   // with OneId: sequence numbers that replace the ids
  assign aw_id = OneId ? begun_q : idx_t'(req_i.aw.id);
  assign b_id = OneId ? ended_q : idx_t'(rsp_i.b.id);
  always_ff @(posedge clk_i) begin
    if (rst_i) {begun_q, ended_q} <= '0;
    else begin
      if (aw_take) begun_q <= begun_q + 1'b1;
      if (rsp_i.b_valid) ended_q <= ended_q + 1'b1;
    end
  end

  gmmu_stream_props #(.Width($bits(ax_t))) u_aw (
    .clk_i, .rst_i, .valid_i(req_i.aw_valid), .ready_i(rsp_i.aw_ready), .payload_i(req_i.aw));
  gmmu_stream_props #(.Width(DataBytes + 1)) u_w (
    .clk_i, .rst_i, .valid_i(req_i.w_valid), .ready_i(rsp_i.w_ready), .payload_i({req_i.w.strb, req_i.w.last}));

  // Lengths, oldest first, of the bursts whose AW precedes W (ahead_q > 0: the length that AW specifies) or whose W
  // precedes AW (ahead_q < 0: the length of the W burst).
  logic signed [LevelWidth-1:0] ahead_q;
  beat_t [Ids-1:0]              len_q;
  idx_t  [Ids-1:0]              id_q;
  idx_t                         head_q, tail_q;
  logic                         push, pop;
  logic [Ids-1:0]               open_q, whole_q;   // by id; open_q: AW accepted; whole_q: last W beat accepted
  assign push = ahead_q == 0 ? aw_take != w_end : (ahead_q > 0 ? aw_take : w_end);
  assign pop = ahead_q == 0 ? 1'b0 : (ahead_q > 0 ? w_end : aw_take);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      beat_q <= '0;
      ahead_q <= '0;
      head_q <= '0;
      tail_q <= '0;
      open_q <= '0;
      whole_q <= '0;
    end else begin
      if (w_take) beat_q <= req_i.w.last ? '0 : beat_q + 1'b1;
      ahead_q <= ahead_q + LevelWidth'(signed'({1'b0, aw_take}))
                         - LevelWidth'(signed'({1'b0, w_end}));
      if (push) tail_q <= tail_q + 1'b1;
      if (pop) head_q <= head_q + 1'b1;
      if (rsp_i.b_valid) open_q[b_id] <= 1'b0;
      if (aw_take) begin
        open_q[aw_id] <= 1'b1;
        whole_q[aw_id] <= ahead_q < 0 || (ahead_q == 0 && w_end);
      end
      if (w_end && ahead_q > 0) whole_q[id_q[head_q]] <= 1'b1;
    end
    if (push) begin
      len_q[tail_q] <= aw_take ? beat_t'(req_i.aw.len) : beat_q;
      id_q[tail_q] <= aw_id;
    end
  end

  logic [12:0] bytes;   // bytes from the aligned first byte to the end
  assign bytes = (13'(req_i.aw.len) + 13'd1) << $clog2(DataBytes);

  a_id: assert property (@(posedge clk_i) disable iff (rst_i)
    !req_i.aw_valid || (32'(req_i.aw.id) < (OneId ? 1 : Ids) && (!open_q[aw_id] || (rsp_i.b_valid && b_id == aw_id))));
  a_page: assert property (@(posedge clk_i) disable iff (rst_i)
    !(Pages && req_i.aw_valid) || 13'(req_i.aw.addr[11:0] & ~12'(DataBytes - 1)) + bytes <= 13'd4096);
  a_length: assert property (@(posedge clk_i) disable iff (rst_i)
    !(aw_take && ahead_q < 0) || beat_t'(req_i.aw.len) == len_q[head_q]);
  a_last: assert property (@(posedge clk_i) disable iff (rst_i)
    !(req_i.w_valid && ahead_q > 0) || req_i.w.last == (beat_q == len_q[head_q]));
  a_last_at_once: assert property (@(posedge clk_i) disable iff (rst_i)
    !(w_end && aw_take && ahead_q == 0) || beat_q == beat_t'(req_i.aw.len));
  if (AwFirst) begin : g_aw_first
    a_aw_first: assert property (@(posedge clk_i) disable iff (rst_i)
      !req_i.w_valid || ahead_q > 0);
  end
  logic answer;
  assign answer = !rsp_i.b_valid || (32'(rsp_i.b.id) < Ids && open_q[b_id] && whole_q[b_id]);
  if (AssumeAnswers) begin : g_assume
    m_answer: assume property (@(posedge clk_i) disable iff (rst_i) answer);
  end else begin : g_assert
    a_answer: assert property (@(posedge clk_i) disable iff (rst_i) answer);
  end
  c_two_outstanding: cover property (@(posedge clk_i) disable iff (rst_i)
    rsp_i.b_valid && (open_q & (open_q - 1'b1)) != '0);

  logic unused;
  assign unused = ^{req_i, rsp_i};
endmodule

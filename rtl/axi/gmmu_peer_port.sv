// SPDX-License-Identifier: Apache-2.0
// Gives linked adapters access to VRAM: their bursts arrive at an AXI4 subordinate port, and this
// unit forwards them as one requester of the mux.
//
//   bursts    INCR, full bus width, never across 4 KiB, offsets in VRAM. Ids are unique among the
//             outstanding bursts of a direction. There is no order between ids, nor between reads and writes.
//   R, B      must always be accepted: s_r_ready_i and s_b_ready_i are 1. A burst at or past
//             vram_bytes_i, a multiple of 4 KiB, gets SLVERR and accesses nothing.
//   waits     An access waits only for VRAM. Its AW is offered to the mux once all W beats of the
//             burst have arrived, and reads and writes share no buffer. The peer must have the
//             beats of a burst before it offers AW, since the beats of later bursts queue behind
//             them.
//   cut_i     The mux is in reset. Outstanding bursts, and those that arrive during the reset, get
//             SLVERR; any beats of such a write may already be in VRAM. rst_i is the power-on
//             reset.
//   idle_o    no burst is outstanding
module gmmu_peer_port
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Slots = 16   // outstanding bursts per direction; power of two, 2 to 256
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 cut_i,
  input  logic [63:0]          vram_bytes_i,
  output logic                 idle_o,

  input  logic                 s_ar_valid_i,
  output logic                 s_ar_ready_o,
  input  sub_ax_t              s_ar_i,
  output logic                 s_r_valid_o,
  input  logic                 s_r_ready_i,   // always 1
  output sub_r_t               s_r_o,
  input  logic                 s_aw_valid_i,
  output logic                 s_aw_ready_o,
  input  sub_ax_t              s_aw_i,
  input  logic                 s_w_valid_i,
  output logic                 s_w_ready_o,
  input  w_t                   s_w_i,
  output logic                 s_b_valid_o,
  input  logic                 s_b_ready_i,   // always 1
  output sub_b_t               s_b_o,

  output rd_req_t              rd_req_o,
  input  rd_rsp_t              rd_rsp_i,
  output wr_req_t              wr_req_o,
  input  wr_rsp_t              wr_rsp_i
);

  logic clk;   // gated clock: stopped while no burst is outstanding
  logic read_idle, write_idle;
  r_t   s_r;
  b_t   s_b;

  gmmu_peer_read #(.Slots(Slots)) u_read (
    .clk_i(clk), .rst_i, .cut_i, .vram_bytes_i, .idle_o(read_idle),
    .s_ar_valid_i, .s_ar_ready_o, .s_ar_id_i(s_ar_i.id), .s_ar_addr_i(s_ar_i.addr), .s_ar_len_i(s_ar_i.len),
    .s_r_valid_o, .s_r_o(s_r),
    .rd_req_o, .rd_rsp_i
  );
  gmmu_peer_write #(.Slots(Slots)) u_write (
    .clk_i(clk), .rst_i, .cut_i, .vram_bytes_i, .idle_o(write_idle),
    .s_aw_valid_i, .s_aw_ready_o, .s_aw_id_i(s_aw_i.id), .s_aw_addr_i(s_aw_i.addr), .s_aw_len_i(s_aw_i.len),
    .s_w_valid_i, .s_w_ready_o, .s_w_i, .s_b_valid_o, .s_b_o(s_b),
    .wr_req_o, .wr_rsp_i
  );
  assign s_r_o = '{id: s_r.id, data: s_r.data, resp: s_r.error ? RespSlvErr : RespOkay, last: s_r.last};
  assign s_b_o = '{id: s_b.id, resp: s_b.error ? RespSlvErr : RespOkay};
  assign idle_o = read_idle && write_idle;

  gmmu_sleep u_sleep (
    .clk_i, .rst_i, .clk_o(clk),
    .awake_i(!idle_o || cut_i || s_ar_valid_i || s_aw_valid_i || s_w_valid_i || rd_rsp_i.r_valid || wr_rsp_i.b_valid)
  );
  a_taken: assert property (@(posedge clk_i) disable iff (rst_i)
    (!s_r_valid_o || s_r_ready_i) && (!s_b_valid_o || s_b_ready_i));
  a_burst: assert property (@(posedge clk_i) disable iff (rst_i)
    (!s_ar_valid_i || (s_ar_i.size == BeatSize && s_ar_i.burst == BurstIncr)) &&
    (!s_aw_valid_i || (s_aw_i.size == BeatSize && s_aw_i.burst == BurstIncr)));
  logic unused_bits;
  assign unused_bits = ^{s_ar_i.size, s_ar_i.burst, s_r_ready_i, s_aw_i.size, s_aw_i.burst, s_b_ready_i};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Properties of gmmu_axi_mux: responses in flight to the requesters.
//
// A memory port and a requester are chosen at the start. One R and one B from this port to this
// requester are marked, in the cycles that mark_r_i and mark_b_i select. Each reaches only its
// requester, once, in the order of the port's responses to that requester. The memory ports hold
// valid until ready.
//
// Bounds = 1 adds that both arrive in bounded time, and that a port's response is accepted in bounded time. It assumes
// that VRAM never asserts valid for an R of Express in more than Few consecutive cycles.
module axi_mux_answers
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter bit          Bounds = 0,
  parameter int unsigned Few = 2,
  parameter int unsigned Arrives = 8,
  parameter int unsigned Taken = 6,
  localparam int unsigned N = 3
) (
  input logic            clk_i,
  input logic            rst_i,

  input logic            hold_i,
  input logic [1:0]      who_i,
  input logic            port_i,
  input logic            mark_r_i,
  input logic            mark_b_i,
  input logic [1:0]      r_valid_i,
  input logic [1:0][1:0] r_who_i,
  input logic [1:0]      b_valid_i,
  input logic [1:0][1:0] b_who_i
);
  logic             ran, silent, idle, own_idle;
  logic [N-1:0]     ar_ready, aw_ready, w_ready, r_valid, b_valid;
  r_t   [N-1:0]     r_out;
  b_t   [N-1:0]     b_out;
  logic [1:0]       ar_valid, aw_valid, w_valid, r_ready, b_ready;
  edge_ax_t [1:0]   edge_ar, edge_aw;
  w_t   [1:0]       edge_w;
  edge_r_t [1:0]    r;
  edge_b_t [1:0]    b;

  gmmu_reset_props u_reset (.clk_i, .rst_i, .ran_o(ran));

  axi_mux_flat #(.N(N), .Writers(3'b110), .Exempt(3'b100)) u_flat (
    .clk_i, .rst_i, .host_enable_i(1'b1), .hold_i, .silent_o(silent),
    .ar_valid_i('0), .ar_ready_o(ar_ready), .ar_i('0),
    .express_early_i(1'b0), .express_i('0), .r_valid_o(r_valid), .r_o(r_out),
    .aw_valid_i('0), .aw_ready_o(aw_ready), .aw_i('0), .w_valid_i('0), .w_ready_o(w_ready), .w_i('0),
    .b_valid_o(b_valid), .b_o(b_out),
    .ar_valid_o(ar_valid), .ar_ready_i('0), .ar_o(edge_ar), .r_valid_i, .r_ready_o(r_ready), .r_i(r),
    .aw_valid_o(aw_valid), .aw_ready_i('0), .aw_o(edge_aw), .w_valid_o(w_valid), .w_ready_i('0), .w_o(edge_w),
    .b_valid_i, .b_ready_o(b_ready), .b_i(b), .idle_o(idle), .own_idle_o(own_idle));

  logic [1:0] who_q;
  logic       port_q;
  logic r_beat_q, b_beat_q, r_marked_q, b_marked_q, r_take, b_take;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      who_q <= who_i;
      port_q <= port_i;
    end
  end
  m_who: assume property (@(posedge clk_i) !ran || who_q < 2'(N));
  m_mark: assume property (@(posedge clk_i) disable iff (rst_i)
    (!mark_r_i || (ran && r_valid_i[port_q] && r_who_i[port_q] == who_q && !r_marked_q))
    && (!mark_b_i || (ran && b_valid_i[port_q] && b_who_i[port_q] == who_q && !b_marked_q)));

  // ---- The memory ports. The lowest bits of R data and of B ids carry a tag: the mark, the port,
  // and an alternating bit.
  assign r_take = r_valid_i[port_q] && r_ready[port_q] && r_who_i[port_q] == who_q;
  assign b_take = b_valid_i[port_q] && b_ready[port_q] && b_who_i[port_q] == who_q;
  for (genvar p = 0; p < 2; p++) begin : g_port
    always_comb begin
      r[p] = '0;
      r[p].id = {RequesterWidth'(r_who_i[p]), IdWidth'(0)};
      r[p].data[2:0] = {r_beat_q, 1'(p), mark_r_i && port_q == 1'(p)};
      b[p] = '0;
      b[p].id = {RequesterWidth'(b_who_i[p]), IdWidth'({b_beat_q, 1'(p), mark_b_i && port_q == 1'(p)})};
    end
    gmmu_stream_props #(.Width(3), .Assert(0)) u_r (
      .clk_i, .rst_i, .valid_i(r_valid_i[p]), .ready_i(r_ready[p]), .payload_i({r_who_i[p], r[p].data[0]}));
    gmmu_stream_props #(.Width(3), .Assert(0)) u_b (
      .clk_i, .rst_i, .valid_i(b_valid_i[p]), .ready_i(b_ready[p]), .payload_i({b_who_i[p], b[p].id[0]}));
    m_legal: assume property (@(posedge clk_i) disable iff (rst_i)
      (!r_valid_i[p] || r_who_i[p] < 2'(N)) && (!b_valid_i[p] || b_who_i[p] == 2'd1 || b_who_i[p] == 2'd2));
  end

  // ---- The requesters.
  logic [N-1:0] r_here, b_here;
  logic         r_gone_q, b_gone_q, r_next_q, b_next_q, r_ours, b_ours;
  for (genvar q = 0; q < N; q++) begin : g_here
    assign r_here[q] = r_valid[q] && r_out[q].data[0];
    assign b_here[q] = b_valid[q] && b_out[q].id[0];
  end
  assign r_ours = r_valid[who_q] && r_out[who_q].data[1] == port_q;
  assign b_ours = b_valid[who_q] && b_out[who_q].id[1] == port_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) {r_beat_q, b_beat_q, r_next_q, b_next_q, r_marked_q, b_marked_q, r_gone_q, b_gone_q} <= '0;
    else begin
      r_beat_q <= r_beat_q ^ r_take;
      b_beat_q <= b_beat_q ^ b_take;
      r_next_q <= r_next_q ^ r_ours;
      b_next_q <= b_next_q ^ b_ours;
      r_marked_q <= r_marked_q || (mark_r_i && r_ready[port_q]);
      b_marked_q <= b_marked_q || (mark_b_i && b_ready[port_q]);
      r_gone_q <= r_gone_q || r_here != '0;
      b_gone_q <= b_gone_q || b_here != '0;
    end
  end
  a_r_arrives_once: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && r_here != '0) || (r_marked_q && !r_gone_q && r_here == (3'd1 << who_q)));
  a_b_arrives_once: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && b_here != '0) || (b_marked_q && !b_gone_q && b_here == (3'd1 << who_q)));
  a_r_order: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && r_ours) || r_out[who_q].data[2] == r_next_q);
  a_b_order: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && b_ours) || b_out[who_q].id[2] == b_next_q);
  c_r_both: cover property (@(posedge clk_i) disable iff (rst_i)
    ran && r_gone_q && r_valid_i == 2'b11 && r_ready == 2'b01);
  c_b_both: cover property (@(posedge clk_i) disable iff (rst_i)
    ran && b_gone_q && b_valid_i == 2'b11 && b_ready == 2'b01);
  c_express: cover property (@(posedge clk_i) disable iff (rst_i) ran && who_q == '0 && port_q && r_gone_q);

  if (Bounds) begin : g_bounds
    logic [3:0] r_late_q, b_late_q, r_wait_q, b_wait_q, express_q;
    always_ff @(posedge clk_i) begin
      r_late_q <= rst_i || !r_marked_q || r_gone_q ? '0 : r_late_q + 4'd1;
      b_late_q <= rst_i || !b_marked_q || b_gone_q ? '0 : b_late_q + 4'd1;
      r_wait_q <= rst_i || !r_valid_i[port_q] || r_ready[port_q] ? '0 : r_wait_q + 4'd1;
      b_wait_q <= rst_i || !b_valid_i[port_q] || b_ready[port_q] ? '0 : b_wait_q + 4'd1;
      express_q <= rst_i || !r_valid_i[0] || r_who_i[0] != '0 ? '0 : express_q + 4'(express_q < 4'(Few));
    end
    m_express: assume property (@(posedge clk_i) disable iff (rst_i)
      !(r_valid_i[0] && r_who_i[0] == '0) || express_q < 4'(Few));
    a_r_in_time: assert property (@(posedge clk_i) disable iff (rst_i) !ran || r_late_q < 4'(Arrives));
    a_b_in_time: assert property (@(posedge clk_i) disable iff (rst_i) !ran || b_late_q < 4'(Arrives));
    a_r_taken: assert property (@(posedge clk_i) disable iff (rst_i) !ran || r_wait_q < 4'(Taken));
    a_b_taken: assert property (@(posedge clk_i) disable iff (rst_i) !ran || b_wait_q < 4'(Taken));
  end
endmodule

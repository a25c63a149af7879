// SPDX-License-Identifier: Apache-2.0
// Properties of gmmu_axi_mux while hold_i is 1: silent_o means that no accepted burst is
// outstanding.
//
// Requester 2 is exempt, and the memories may send it any responses. Bursts of the other requesters
// receive their responses in any order, once they have left the mux.
module axi_mux_hold
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Depth = 16,
  parameter int unsigned Reserved = 8,
  localparam int unsigned N = 3
) (
  input logic              clk_i,
  input logic              rst_i,

  input logic              host_enable_i,
  input logic              hold_i,
  input logic [N-1:0]      ar_valid_i,
  input logic [N-1:0][1:0] ar_to_i,
  input logic [N-1:0]      aw_valid_i,
  input logic [N-1:0][1:0] aw_to_i,
  input logic [N-1:0]      w_valid_i,
  input logic [N-1:0]      last_i,
  input logic [1:0]        ar_ready_i,
  input logic [1:0]        aw_ready_i,
  input logic [1:0]        w_ready_i,
  input logic [1:0]        r_valid_i,
  input logic [1:0]        r_last_i,
  input logic [1:0][1:0]   r_who_i,
  input logic [1:0]        b_valid_i,
  input logic [1:0][1:0]   b_who_i,
  input logic              early_i
);
  logic             ran, silent, idle, own_idle;
  logic [N-1:0]     ar_ready, aw_ready, w_ready, r_valid, b_valid;
  ax_t  [N-1:0]     ar, aw;
  w_t   [N-1:0]     w;
  r_t   [N-1:0]     r_out;
  b_t   [N-1:0]     b_out;
  logic [1:0]       ar_valid, aw_valid, w_valid, r_ready, b_ready;
  edge_ax_t [1:0]   edge_ar, edge_aw;
  w_t   [1:0]       edge_w;
  edge_r_t [1:0]    r;
  edge_b_t [1:0]    b;

  gmmu_reset_props u_reset (.clk_i, .rst_i, .ran_o(ran));

  axi_mux_flat #(.N(N), .Writers(3'b110), .Exempt(3'b100), .Depth(Depth), .Reserved(Reserved)) u_flat (
    .clk_i, .rst_i, .host_enable_i, .hold_i, .silent_o(silent),
    .ar_valid_i, .ar_ready_o(ar_ready), .ar_i(ar),
    .express_early_i(early_i), .express_i(ar[0]), .r_valid_o(r_valid), .r_o(r_out),
    .aw_valid_i, .aw_ready_o(aw_ready), .aw_i(aw), .w_valid_i, .w_ready_o(w_ready), .w_i(w),
    .b_valid_o(b_valid), .b_o(b_out),
    .ar_valid_o(ar_valid), .ar_ready_i, .ar_o(edge_ar), .r_valid_i, .r_ready_o(r_ready), .r_i(r),
    .aw_valid_o(aw_valid), .aw_ready_i, .aw_o(edge_aw), .w_valid_o(w_valid), .w_ready_i, .w_o(edge_w),
    .b_valid_i, .b_ready_o(b_ready), .b_i(b), .idle_o(idle), .own_idle_o(own_idle));

  for (genvar q = 0; q < N; q++) begin : g_requester
    always_comb begin
      ar[q] = '0;
      ar[q].port = port_e'(ar_to_i[q]);
      aw[q] = '0;
      aw[q].port = port_e'(aw_to_i[q]);
      w[q] = '0;
      w[q].last = last_i[q];
    end
  end

  // ---- Bursts of requesters 0 and 1 that have left the mux and have no response yet.
  typedef logic [14:0] count_t;   // the width of the mux's counters
  count_t     unanswered_q;
  logic [3:0] begins, ends;       // begins: AR and AW handshakes; ends: last R beats, and B
  logic [1:0] read_ended_q, write_ended_q;
  function automatic logic held(logic [EdgeIdWidth-1:0] id);
    return RequesterWidth'(id >> IdWidth) != RequesterWidth'(2);
  endfunction
  for (genvar p = 0; p < 2; p++) begin : g_port
    always_comb begin
      r[p] = '0;
      r[p].id = {RequesterWidth'(r_who_i[p]), IdWidth'(0)};
      r[p].last = r_last_i[p];
      b[p] = '0;
      b[p].id = {RequesterWidth'(b_who_i[p]), IdWidth'(0)};
    end
    assign begins[p] = ar_valid[p] && ar_ready_i[p] && held(edge_ar[p].id);
    assign begins[2+p] = aw_valid[p] && aw_ready_i[p] && held(edge_aw[p].id);
    assign ends[p] = r_valid_i[p] && r_ready[p] && r_last_i[p] && r_who_i[p] != 2'd2;
    assign ends[2+p] = b_valid_i[p] && b_ready[p] && b_who_i[p] != 2'd2;
    always_ff @(posedge clk_i) begin
      read_ended_q[p] <= !rst_i && (read_ended_q[p] || ends[p]);
      write_ended_q[p] <= !rst_i && (write_ended_q[p] || ends[2+p]);
    end
    a_silent_offers: assert property (@(posedge clk_i) disable iff (rst_i)
      !(ran && silent) || !((ar_valid[p] && held(edge_ar[p].id)) || (aw_valid[p] && held(edge_aw[p].id))));
    c_answered: cover property (@(posedge clk_i) disable iff (rst_i)
      ran && silent && read_ended_q[p] && write_ended_q[p]);
  end
  function automatic logic [2:0] ones(logic [3:0] bits);
    return 3'(bits[0]) + 3'(bits[1]) + 3'(bits[2]) + 3'(bits[3]);
  endfunction
  always_ff @(posedge clk_i) begin
    unanswered_q <= rst_i ? '0 : unanswered_q + count_t'(ones(begins)) - count_t'(ones(ends));
  end
  m_answers: assume property (@(posedge clk_i) disable iff (rst_i)
    count_t'(ones(ends)) <= unanswered_q && unanswered_q < 15'd16);
  a_silent: assert property (@(posedge clk_i) disable iff (rst_i) !(ran && silent) || unanswered_q == '0);

  // For the induction: the mux's count plus its pending updates equals the number of bursts that are queued or
  // outstanding.
  logic [1:0][5:0] queued;
  for (genvar p = 0; p < 2; p++) begin : g_inside
    logic [$clog2(Depth)-1:0]   ar_read, aw_read;
    logic [$clog2(Depth+1)-1:0] ar_count, aw_count;
    logic                       ar_turn, aw_turn;
    assign ar_read = u_flat.u_mux.g_port[p].u_ar_out.u_fifo.read_q;
    assign ar_count = u_flat.u_mux.g_port[p].u_ar_out.u_fifo.count_q;
    assign aw_read = u_flat.u_mux.g_port[p].u_aw_out.u_fifo.read_q;
    assign aw_count = u_flat.u_mux.g_port[p].u_aw_out.u_fifo.count_q;
    axi_mux_queue #(.Depth(Depth)) u_ar (.clk_i, .rst_i, .ran_i(ran), .count_i(ar_count), .read_i(ar_read),
      .write_i(u_flat.u_mux.g_port[p].u_ar_out.u_fifo.write_q), .valid_i(u_flat.u_mux.g_port[p].u_ar_out.u_fifo.valid_o),
      .ready_i(u_flat.u_mux.g_port[p].u_ar_out.u_fifo.ready_o));
    axi_mux_queue #(.Depth(Depth)) u_aw (.clk_i, .rst_i, .ran_i(ran), .count_i(aw_count), .read_i(aw_read),
      .write_i(u_flat.u_mux.g_port[p].u_aw_out.u_fifo.write_q), .valid_i(u_flat.u_mux.g_port[p].u_aw_out.u_fifo.valid_o),
      .ready_i(u_flat.u_mux.g_port[p].u_aw_out.u_fifo.ready_o));
    always_comb begin
      ar_turn = 1'b0;
      aw_turn = 1'b0;
      for (int unsigned q = 0; q < N; q++) begin
        ar_turn |= u_flat.u_mux.ar_turn_q[q] && u_flat.u_mux.ar_host_q[q] == 1'(p);
        aw_turn |= u_flat.u_mux.aw_turn_q[q] && u_flat.u_mux.aw_host_q[q] == 1'(p);
      end
      queued[p] = '0;
      for (int unsigned i = 0; i < Depth; i++) begin
        logic [$clog2(Depth)-1:0] at_ar, at_aw;
        at_ar = $clog2(Depth)'(i) - ar_read;
        at_aw = $clog2(Depth)'(i) - aw_read;
        if (32'(at_ar) < 32'(ar_count)
            && u_flat.u_mux.g_port[p].u_ar_out.u_fifo.words_q[i][$bits(edge_ax_t)-1 -: RequesterWidth] != RequesterWidth'(2))
          queued[p] = queued[p] + 6'd1;
        if (32'(at_aw) < 32'(aw_count)
            && u_flat.u_mux.g_port[p].u_aw_out.u_fifo.words_q[i][$bits(edge_ax_t)-1 -: RequesterWidth] != RequesterWidth'(2))
          queued[p] = queued[p] + 6'd1;
      end
    end
    i_room_chain: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
      ar_count == u_flat.u_mux.g_port[p].u_ar_out.count_q && aw_count == u_flat.u_mux.g_port[p].u_aw_out.count_q
      && (!u_flat.u_mux.ar_room[p] || 32'(ar_count) + 3 + Reserved <= Depth)
      && (!(u_flat.u_mux.ar_room_q[p] || u_flat.u_mux.ar_room_exempt_q[p]) || 32'(ar_count) + 2 + Reserved <= Depth)
      && (!ar_turn || 32'(ar_count) + 1 + Reserved <= Depth)
      && (!u_flat.u_mux.aw_room[p] || 32'(aw_count) + 3 <= Depth)
      && (!(u_flat.u_mux.aw_room_q[p] || u_flat.u_mux.aw_room_exempt_q[p]) || 32'(aw_count) + 2 <= Depth)
      && (!aw_turn || 32'(aw_count) + 1 <= Depth)));
  end
  i_turn: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
    u_flat.u_mux.ar_any_q == (u_flat.u_mux.ar_turn_q != '0) && (u_flat.u_mux.ar_turn_q & (u_flat.u_mux.ar_turn_q - 3'd1)) == '0 && !u_flat.u_mux.ar_turn_q[0]
    && u_flat.u_mux.aw_any_q == (u_flat.u_mux.aw_turn_q != '0) && (u_flat.u_mux.aw_turn_q & (u_flat.u_mux.aw_turn_q - 3'd1)) == '0 && !u_flat.u_mux.aw_turn_q[0]));
  i_hold: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
    (!u_flat.u_mux.hold_q || (u_flat.u_mux.ar_room_q == '0 && u_flat.u_mux.aw_room_q == '0))
    && (!u_flat.u_mux.none_q || u_flat.u_mux.count_q == '0)));
  count_t total;
  assign total = u_flat.u_mux.count_q + {{11{u_flat.u_mux.change_q[3]}}, u_flat.u_mux.change_q}
      + count_t'(u_flat.u_mux.begins_q[0]) + count_t'(u_flat.u_mux.begins_q[1]) - count_t'(u_flat.u_mux.ends_q[0]) - count_t'(u_flat.u_mux.ends_q[1])
      - count_t'(u_flat.u_mux.ends_q[2]) - count_t'(u_flat.u_mux.ends_q[3]);
  i_count: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || total == unanswered_q + count_t'(queued[0]) + count_t'(queued[1]));
endmodule

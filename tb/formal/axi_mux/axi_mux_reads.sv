// SPDX-License-Identifier: Apache-2.0
// Properties of gmmu_axi_mux: reads in flight to the memory ports.
//
// A requester and a memory port are chosen at the start. One AR from this requester to this port is
// marked in its address, in a cycle that mark_i selects. It leaves exactly once, through its port,
// with its requester's number.
module axi_mux_reads
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Depth = 16,
  parameter int unsigned Reserved = 8,
  parameter int unsigned N = 3
) (
  input logic              clk_i,
  input logic              rst_i,

  input logic              host_enable_i,
  input logic              hold_i,
  input logic [1:0]        who_i,
  input logic              port_i,
  input logic              mark_i,
  input logic [N-1:0]      valid_i,
  input logic [N-1:0][1:0] to_i,
  input logic [1:0]        ready_i,
  input logic              early_i
);
  logic             ran, silent, idle, own_idle;
  logic [N-1:0]     ar_ready, aw_ready, w_ready, r_valid, b_valid;
  ax_t  [N-1:0]     ar;
  r_t   [N-1:0]     r;
  b_t   [N-1:0]     b;
  logic [1:0]       ar_valid, aw_valid, w_valid, r_ready, b_ready;
  edge_ax_t [1:0]   edge_ar, edge_aw;
  w_t   [1:0]       w;

  gmmu_reset_props u_reset (.clk_i, .rst_i, .ran_o(ran));

  axi_mux_flat #(.N(N), .Writers('0), .Exempt(N'(3'b100)), .Depth(Depth), .Reserved(Reserved)) u_flat (
    .clk_i, .rst_i, .host_enable_i, .hold_i, .silent_o(silent),
    .ar_valid_i(valid_i), .ar_ready_o(ar_ready), .ar_i(ar),
    .express_early_i(early_i), .express_i(ar[0]), .r_valid_o(r_valid), .r_o(r),
    .aw_valid_i('0), .aw_ready_o(aw_ready), .aw_i('0), .w_valid_i('0), .w_ready_o(w_ready), .w_i('0),
    .b_valid_o(b_valid), .b_o(b),
    .ar_valid_o(ar_valid), .ar_ready_i(ready_i), .ar_o(edge_ar), .r_valid_i('0), .r_ready_o(r_ready), .r_i('0),
    .aw_valid_o(aw_valid), .aw_ready_i('0), .aw_o(edge_aw), .w_valid_o(w_valid), .w_ready_i('0), .w_o(w),
    .b_valid_i('0), .b_ready_o(b_ready), .b_i('0), .idle_o(idle), .own_idle_o(own_idle));

  // ---- The chosen requester and port, and the requesters' ARs.
  logic [1:0] who_q;
  logic       port_q, marked_q, gone_q, taken;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      who_q <= who_i;
      port_q <= port_i;
    end
  end
  for (genvar q = 0; q < N; q++) begin : g_offer
    always_comb begin
      ar[q] = '0;
      ar[q].port = port_e'(to_i[q]);
      ar[q].addr[0] = mark_i && who_q == 2'(q);
    end
    gmmu_stream_props #(.Width(3), .Assert(0)) u_offer (
      .clk_i, .rst_i, .valid_i(valid_i[q]), .ready_i(ar_ready[q]), .payload_i({to_i[q], ar[q].addr[0]}));
    m_port: assume property (@(posedge clk_i) disable iff (rst_i) to_i[q] != 2'd3);
  end
  assign taken = mark_i && ar_ready[who_q];
  m_mark: assume property (@(posedge clk_i) disable iff (rst_i)
    !mark_i || (ran && valid_i[who_q] && !marked_q && port_q == (to_i[who_q] != PortVram)));
  m_who: assume property (@(posedge clk_i) !ran || who_q < 2'(N));

  // ---- The memory ports.
  localparam int unsigned AddrLsb = 8 + $bits(user_t);
  logic [1:0] here, fits;   // here: a marked AR is valid at the port; fits: if so, it is correct
  for (genvar p = 0; p < 2; p++) begin : g_port
    assign here[p] = ar_valid[p] && edge_ar[p].addr[0];
    // A request from Express may leave in the cycle in which it arrives.
    assign fits[p] = !here[p] || ((marked_q || (taken && who_q == '0)) && !gone_q && port_q == 1'(p)
        && RequesterWidth'(edge_ar[p].id >> IdWidth) == RequesterWidth'(who_q));
    gmmu_stream_props #(.Width(1 + 2)) u_ar (
      .clk_i, .rst_i, .valid_i(ar_valid[p]), .ready_i(ready_i[p]),
      .payload_i({edge_ar[p].id[IdWidth+:2], edge_ar[p].addr[0]}));
  end
  always_ff @(posedge clk_i) begin
    marked_q <= !rst_i && (marked_q || taken);
    gone_q <= !rst_i && (gone_q || (here & ready_i) != '0);
  end
  // Invariants that pdr would otherwise have to find: a queue's counts and pointers agree, and the marked AR is in only
  // one location.
  logic [1:0][7:0] marks;
  for (genvar p = 0; p < 2; p++) begin : g_inside
    logic [$clog2(Depth)-1:0] read, write;
    logic [$clog2(Depth+1)-1:0] count;
    assign read = u_flat.u_mux.g_port[p].u_ar_out.u_fifo.read_q;
    assign write = u_flat.u_mux.g_port[p].u_ar_out.u_fifo.write_q;
    assign count = u_flat.u_mux.g_port[p].u_ar_out.u_fifo.count_q;
    axi_mux_queue #(.Depth(Depth)) u_queue (.clk_i, .rst_i, .ran_i(ran), .count_i(count), .read_i(read), .write_i(write),
      .valid_i(u_flat.u_mux.g_port[p].u_ar_out.u_fifo.valid_o), .ready_i(u_flat.u_mux.g_port[p].u_ar_out.u_fifo.ready_o));
    logic [N-1:0] turns;
    for (genvar q = 0; q < N; q++) assign turns[q] = u_flat.u_mux.ar_turn_q[q] && u_flat.u_mux.ar_host_q[q] == 1'(p);
    i_room_chain: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
      count == u_flat.u_mux.g_port[p].u_ar_out.count_q
      && (!u_flat.u_mux.ar_room[p] || 32'(count) + 3 + Reserved <= Depth)
      && (!(u_flat.u_mux.ar_room_q[p] || u_flat.u_mux.ar_room_exempt_q[p]) || 32'(count) + 2 + Reserved <= Depth)
      && (turns == '0 || 32'(count) + 1 + Reserved <= Depth)));
    always_comb begin
      marks[p] = '0;
      for (int unsigned i = 0; i < Depth; i++) begin
        logic [$clog2(Depth)-1:0]   at;    // distance from the head
        logic [RequesterWidth-1:0]  of;
        at = $clog2(Depth)'(i >= 32'(read) ? i - 32'(read) : i + Depth - 32'(read));
        of = u_flat.u_mux.g_port[p].u_ar_out.u_fifo.words_q[i][$bits(edge_ax_t)-1 -: RequesterWidth];
        if (32'(at) < 32'(count)) begin
          if (u_flat.u_mux.g_port[p].u_ar_out.u_fifo.words_q[i][AddrLsb])
            marks[p] = marks[p] + (of == RequesterWidth'(who_q) ? 8'd1 : 8'd2);
        end
      end
    end
  end
  // in_register: the chosen requester's input register holds the marked AR; at_port: the request in
  // that register is for the chosen port; others: another requester's register holds a mark.
  // Express has a register for requests that do not leave immediately.
  logic in_register, at_port, others;
  logic [N-1:0] registered, to_port;
  for (genvar q = 0; q < N; q++) begin : g_register
    assign registered[q] = q == 0 ? u_flat.u_mux.late_valid_q && u_flat.u_mux.late_q.addr[0] : u_flat.u_mux.ar_valid_q[q] && u_flat.u_mux.ar_q[q].addr[0];
    assign to_port[q] = ((q == 0 ? u_flat.u_mux.late_q.port : u_flat.u_mux.ar_q[q].port) != PortVram) == port_q;
    i_host: assert property (@(posedge clk_i) disable iff (rst_i) !ran || q == 0 || !u_flat.u_mux.ar_valid_q[q]
      || u_flat.u_mux.ar_host_q[q] == (u_flat.u_mux.ar_q[q].port != PortVram));
  end
  assign in_register = registered[who_q];
  assign at_port = to_port[who_q];
  assign others = (registered & ~(N'(1) << who_q)) != '0;
  a_kept: assert property (@(posedge clk_i) disable iff (rst_i) !ran ||
    (marks[port_q] + 8'(in_register) == 8'(marked_q && !gone_q) && marks[!port_q] == '0));
  i_register: assert property (@(posedge clk_i) disable iff (rst_i) !ran ||
    ((!in_register || at_port)
    && !others));
  i_gone: assert property (@(posedge clk_i) disable iff (rst_i) !ran || !gone_q || marked_q);
  i_turn: assert property (@(posedge clk_i) disable iff (rst_i) !ran ||
    ((u_flat.u_mux.ar_turn_q & ~u_flat.u_mux.ar_valid_q) == '0 && u_flat.u_mux.ar_any_q == (u_flat.u_mux.ar_turn_q != '0)
    && (u_flat.u_mux.ar_turn_q & (u_flat.u_mux.ar_turn_q - 1'b1)) == '0 && !u_flat.u_mux.ar_turn_q[0]));
  a_leaves_once: assert property (@(posedge clk_i) disable iff (rst_i) !ran || fits == '1);
  // A request that is accepted during a hold stays in the mux until the hold ends, unless it is
  // from requester 2, which is exempt.
  logic hold_q, stays_q;
  always_ff @(posedge clk_i) begin
    hold_q <= !rst_i && hold_i;
    stays_q <= !rst_i && hold_i && (stays_q || (taken && hold_q));
  end
  a_held: assert property (@(posedge clk_i) disable iff (rst_i)
    !ran || !(stays_q && who_q != 2'd2 && here != '0));
  i_held_inside: assert property (@(posedge clk_i) disable iff (rst_i) !ran || ((!hold_q || u_flat.u_mux.hold_q)
    && (!u_flat.u_mux.hold_q || u_flat.u_mux.ar_room_q == '0)
    && (!(stays_q && who_q != 2'd2) || (hold_q && in_register && !u_flat.u_mux.ar_turn_q[who_q]))));
  c_held: cover property (@(posedge clk_i) disable iff (rst_i) ran && stays_q && !hold_i);
  c_leaves: cover property (@(posedge clk_i) disable iff (rst_i) ran && gone_q);
endmodule

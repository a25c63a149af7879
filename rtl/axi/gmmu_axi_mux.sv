// SPDX-License-Identifier: Apache-2.0
// Joins the GPU's requesters to its two memory ports.
//
//   requesters  ax_t.port names the memory port of a burst; PortPeer leaves by the host port as
//               KindPeer, and no other burst does. A requester has its W beats before it offers
//               AW; they follow its own AW order. R and B need no ready: their places are reserved
//               before AR or AW.
//   edge        id = {requester, its own id}. Each memory port takes AR and AW round robin and W in
//               the order of AW; it answers B and R in any order.
//   one port    a requester gets an AW of one memory port only when it owes the other no W beat:
//               a memory port that takes nothing holds up nobody's writes to the other one.
//   user        kind and no_snoop are the requester's; the other fields are 0 at the edge, since no
//               requester uses them
//   order       a requester's AW that was accepted earlier leaves earlier on the same memory port.
//   host_enable_i = 0: no new AR or AW leaves by the host port; what has left is finished.
//   hold_i      no new AR or AW is granted, except to requesters in Exempt. What was granted leaves
//               (by the host port only while it is enabled) and is finished; then silent_o rises.
//               When hold_i falls, requests go on where they stood.
//
// Every input has a register, answers have two. Every channel of a memory port and of a requester
// carries one beat a cycle, except the requests (AR, AW, W) of requesters in Slow, which come every
// other cycle.
module gmmu_axi_mux
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned NumRequesters = 12,
  parameter int unsigned OwnerDepth = 16,   // AWs a memory port may be ahead of their W beats
  // requesters that read; the others' AR is ignored
  parameter logic [NumRequesters-1:0] Readers = '1,
  parameter logic [NumRequesters-1:0] Writers = '1,  // requesters that write
  parameter logic [NumRequesters-1:0] Slow = '0,     // requesters whose slices are small
  // requesters whose R is chosen in front of its register, which then belongs to them alone:
  // no logic stands behind it
  parameter logic [NumRequesters-1:0] Direct = '0,
  parameter logic [NumRequesters-1:0] Exempt = '0    // requesters that hold_i does not hold
) (
  input  logic                          clk_i,
  input  logic                          rst_i,

  input  logic                          host_enable_i,
  input  logic                          hold_i,
  output logic                          silent_o,    // held, and no burst granted is unanswered

  input  logic     [NumRequesters-1:0]  ar_valid_i,
  output logic     [NumRequesters-1:0]  ar_ready_o,
  input  ax_t      [NumRequesters-1:0]  ar_i,
  output logic     [NumRequesters-1:0]  r_valid_o,
  output r_t       [NumRequesters-1:0]  r_o,
  input  logic     [NumRequesters-1:0]  aw_valid_i,
  output logic     [NumRequesters-1:0]  aw_ready_o,
  input  ax_t      [NumRequesters-1:0]  aw_i,
  input  logic     [NumRequesters-1:0]  w_valid_i,
  output logic     [NumRequesters-1:0]  w_ready_o,
  input  w_t       [NumRequesters-1:0]  w_i,
  output logic     [NumRequesters-1:0]  b_valid_o,
  output b_t       [NumRequesters-1:0]  b_o,

  // Memory ports: [0] VRAM, [1] host.
  output logic     [1:0]                ar_valid_o,
  input  logic     [1:0]                ar_ready_i,
  output edge_ax_t [1:0]                ar_o,
  input  logic     [1:0]                r_valid_i,
  output logic     [1:0]                r_ready_o,
  input  edge_r_t  [1:0]                r_i,
  output logic     [1:0]                aw_valid_o,
  input  logic     [1:0]                aw_ready_i,
  output edge_ax_t [1:0]                aw_o,
  output logic     [1:0]                w_valid_o,
  input  logic     [1:0]                w_ready_i,
  output w_t       [1:0]                w_o,
  input  logic     [1:0]                b_valid_i,
  output logic     [1:0]                b_ready_o,
  input  edge_b_t  [1:0]                b_i,

  output logic                          idle_o,      // no burst accepted here still waits to leave
  output logic                          own_idle_o   // no burst but of Exempt is here or unanswered
);
  localparam int unsigned N = NumRequesters;
  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1;
  // owners of a port: its FIFO, three words behind it, and what is on its way
  localparam int unsigned OwedWidth = $clog2(OwnerDepth + 8);
  typedef logic [IndexWidth-1:0] index_t;

  if (N > (1 << RequesterWidth)) begin : g_illegal
    $fatal(1, "gmmu_axi_mux: at most 128 requesters");
  end
  if (OwnerDepth < 4) begin : g_illegal_depth
    $fatal(1, "gmmu_axi_mux: OwnerDepth must be at least 4");
  end

  // The fields of an address request that pass the mux.
  typedef struct packed {
    logic [IdWidth-1:0] id;
    pa_t                addr;
    logic [7:0]         len;
    logic               no_snoop;
    kind_e              kind;
  } burst_t;

  function automatic burst_t burst_of(ax_t ax);
    logic unused_user;
    kind_e kind;
    unused_user = ^ax;
    kind = ax.port == PortPeer ? KindPeer : ax.user.kind;
    return '{id: ax.id, addr: ax.addr, len: ax.len, no_snoop: ax.user.no_snoop, kind: kind};
  endfunction

  function automatic edge_ax_t edge_of(burst_t burst, index_t requester);
    edge_ax_t ax;
    ax = '0;
    ax.id = {RequesterWidth'(requester), burst.id};
    ax.addr = burst.addr;
    ax.len = burst.len;
    ax.user.no_snoop = burst.no_snoop;
    ax.user.kind = burst.kind;
    return ax;
  endfunction

  function automatic logic [RequesterWidth-1:0] requester_of(logic [EdgeIdWidth-1:0] id);
    return RequesterWidth'(id >> IdWidth);
  endfunction

  // Requester side: one register slice a channel.
  logic   [N-1:0] ar_valid, ar_take, aw_valid, aw_take, w_valid, w_take;
  logic   [N-1:0] ar_pop, aw_pop;           // the first offer becomes a candidate
  logic   [1:0][N-1:0] ar_takes, aw_takes;  // by memory port
  logic   [N-1:0][1:0] ar_first, ar_second, aw_first, aw_second;
  burst_t [N-1:0] ar, aw;
  w_t     [N-1:0] w;
  logic   [1:0][N-1:0] aw_candidate;        // by memory port
  logic   [1:0][N-1:0] owner;               // by memory port: it takes W of that requester
  logic   [N-1:0][1:0] owes;                // to that memory port
  logic   [N-1:0] w_last_take;

  for (genvar q = 0; q < N; q++) begin : g_requester
    if (Readers[q]) begin : g_reads
      gmmu_slice #(.Width($bits(burst_t)), .Slow(Slow[q])) u_ar (
        .clk_i, .rst_i,
        .valid_i(ar_valid_i[q]), .ready_o(ar_ready_o[q]),
        .data_i(burst_of(ar_i[q])),
        .valid_o(ar_valid[q]), .ready_i(ar_take[q]), .data_o(ar[q])
      );
      gmmu_axi_heads #(.Slow(Slow[q])) u_ar_heads (
        .clk_i, .rst_i, .push_i(ar_valid_i[q] && ar_ready_o[q]),
        .host_i(ar_i[q].port != PortVram), .pop_i(ar_pop[q]),
        .first_o(ar_first[q]), .second_o(ar_second[q])
      );
      a_ar_heads: assert property (@(posedge clk_i) disable iff (rst_i)
        ar_valid[q] || (ar_first[q] == '0 && !ar_take[q]));
    end else begin : g_no_reads
      logic unused_read;
      assign ar_ready_o[q] = 1'b0;
      assign ar_valid[q] = 1'b0;
      assign ar_first[q] = '0;
      assign ar_second[q] = '0;
      assign ar[q] = '0;
      assign unused_read = ^{ar_valid_i[q], ar_i[q], ar_take[q], ar_pop[q]};
    end
    if (Writers[q]) begin : g_writes
      gmmu_slice #(.Width($bits(burst_t)), .Slow(Slow[q])) u_aw (
        .clk_i, .rst_i,
        .valid_i(aw_valid_i[q]), .ready_o(aw_ready_o[q]),
        .data_i(burst_of(aw_i[q])),
        .valid_o(aw_valid[q]), .ready_i(aw_take[q]), .data_o(aw[q])
      );
      gmmu_axi_heads #(.Slow(Slow[q])) u_aw_heads (
        .clk_i, .rst_i, .push_i(aw_valid_i[q] && aw_ready_o[q]),
        .host_i(aw_i[q].port != PortVram), .pop_i(aw_pop[q]),
        .first_o(aw_first[q]), .second_o(aw_second[q])
      );
      a_aw_heads: assert property (@(posedge clk_i) disable iff (rst_i)
        aw_valid[q] || (aw_first[q] == '0 && !aw_take[q]));
      gmmu_slice #(.Width($bits(w_t)), .Slow(Slow[q])) u_w (
        .clk_i, .rst_i,
        .valid_i(w_valid_i[q]), .ready_o(w_ready_o[q]), .data_i(w_i[q]),
        .valid_o(w_valid[q]), .ready_i(w_take[q]), .data_o(w[q])
      );
      // Bursts that were granted and whose last W beat has not left, all of one memory port.
      logic [OwedWidth-1:0] owed_q;
      logic [1:0]           took_q;   // one was granted in the last cycle
      logic                 ended_q, host_q, left;
      assign left = owed_q > OwedWidth'(1) || (owed_q == OwedWidth'(1) && !ended_q);
      assign owes[q] = took_q | {left && host_q, left && !host_q};
      always_ff @(posedge clk_i) begin
        if (rst_i) begin
          took_q <= '0;
          ended_q <= 1'b0;
          owed_q <= '0;
        end else begin
          took_q <= {aw_takes[1][q], aw_takes[0][q]};
          ended_q <= w_last_take[q];
          if ((took_q != '0) != ended_q) owed_q <= ended_q ? owed_q - 1'b1 : owed_q + 1'b1;
        end
        if (took_q != '0) host_q <= took_q[1];
      end
      a_owed: assert property (@(posedge clk_i) disable iff (rst_i)
        (!ended_q || owed_q != '0) && (owed_q != '1 || took_q == '0));
      a_one_port: assert property (@(posedge clk_i) disable iff (rst_i)
        !(owner[0][q] && owner[1][q]) && owes[q] != '1);
    end else begin : g_no_writes
      logic unused_write;
      assign aw_ready_o[q] = 1'b0;
      assign w_ready_o[q] = 1'b0;
      assign aw_valid[q] = 1'b0;
      assign aw_first[q] = '0;
      assign aw_second[q] = '0;
      assign aw[q] = '0;
      assign w_valid[q] = 1'b0;
      assign w[q] = '0;
      assign owes[q] = '0;
      assign unused_write = ^{aw_valid_i[q], aw_i[q], w_valid_i[q], w_i[q], aw_take[q], aw_pop[q],
          w_last_take[q]};
    end
  end

  // One AR and one AW a cycle and memory port.
  logic   [1:0] ar_go, ar_room, aw_go, aw_room, owner_room, open;
  logic   [1:0] ar_out_room, aw_out_room, ar_busy, aw_busy;
  logic   [1:0][N-1:0] ar_may, aw_may, unused_candidate;
  index_t [1:0] ar_index, aw_index;
  burst_t [1:0] ar_pick, aw_pick;

  assign ar_take = ar_takes[0] | ar_takes[1];
  assign aw_take = aw_takes[0] | aw_takes[1];
  assign open = {host_enable_i, 1'b1};
  always_ff @(posedge clk_i) begin
    ar_room <= rst_i ? '0 : ar_out_room & open;
    aw_room <= rst_i ? '0 : aw_out_room & owner_room & open;
    // may is registered beside the pick. A candidate may go in this cycle; from the next one on the
    // requester owes its W beats.
    for (int unsigned p = 0; p < 2; p++) begin
      ar_may[p] <= hold_i ? Exempt : '1;
      for (int unsigned q = 0; q < N; q++) begin
        aw_may[p][q] <= Writers[q] && (!hold_i || Exempt[q]) && !aw_candidate[1-p][q] &&
                        !owes[q][1-p];
      end
    end
  end

  gmmu_axi_pick #(.N(N), .Width($bits(burst_t)), .Exempt(Exempt)) u_ar_pick (
    .clk_i, .rst_i, .first_i(ar_first), .second_i(ar_second), .may_i(ar_may), .data_i(ar),
    .room_i(ar_room), .busy_o(ar_busy), .candidate_o(unused_candidate),
    .pop_o(ar_pop), .take_o(ar_takes),
    .go_o(ar_go), .index_o(ar_index), .data_o(ar_pick)
  );
  gmmu_axi_pick #(.N(N), .Width($bits(burst_t)), .Exempt(Exempt)) u_aw_pick (
    .clk_i, .rst_i, .first_i(aw_first), .second_i(aw_second), .may_i(aw_may), .data_i(aw),
    .room_i(aw_room), .busy_o(aw_busy), .candidate_o(aw_candidate),
    .pop_o(aw_pop), .take_o(aw_takes),
    .go_o(aw_go), .index_o(aw_index), .data_o(aw_pick)
  );

  // Memory side, one of VRAM (0) and host (1).
  logic [1:0][N-1:0] w_grant, r_want, b_want;
  logic [1:0]        r_valid, r_take, b_valid, b_take, owner_valid, out_idle;
  edge_r_t [1:0]     r;
  edge_b_t [1:0]     b;

  for (genvar p = 0; p < 2; p++) begin : g_port
    index_t       owner_first, owner_next;
    logic [N-1:0] owner_q;      // one-hot or zero: its oldest burst's W goes here
    logic [N-1:0] owns, ends, r_for_in, r_for, b_for_in, b_for;
    logic         ar_waits, aw_waits, ar_opens, aw_opens, ar_offered_q, aw_offered_q;
    logic         owned_q;      // owner_q is not zero
    logic         w_ready, w_end, owner_here, owner_shift, owner_waits, owner_load;
    w_t           w_pick;

    assign owner[p] = owner_q;
    for (genvar q = 0; q < N; q++) begin : g_req
      assign owns[q] = owner_q[q] && w_valid[q];
      assign ends[q] = owns[q] && w[q].last;
      assign w_grant[p][q] = w_ready && owns[q];
      // answers are decoded in front of their slices
      assign r_for_in[q] = Readers[q] && requester_of(r_i[p].id) == RequesterWidth'(q);
      assign b_for_in[q] = Writers[q] && requester_of(b_i[p].id) == RequesterWidth'(q);
      assign r_want[p][q] = r_valid[p] && r_for[q];
      assign b_want[p][q] = b_valid[p] && b_for[q];
    end

    // Margin: the burst that is decided on, the one before it in the pick's registers, and two that
    // have come since
    gmmu_fifo_room #(.Width($bits(edge_ax_t)), .Depth(8), .Margin(4)) u_ar_out (
      .clk_i, .rst_i, .room_o(ar_out_room[p]),
      .valid_i(ar_go[p]), .data_i(edge_of(ar_pick[p], ar_index[p])),
      .valid_o(ar_waits), .ready_i(ar_opens && ar_ready_i[p]), .data_o(ar_o[p])
    );
    gmmu_fifo_room #(.Width($bits(edge_ax_t)), .Depth(8), .Margin(4)) u_aw_out (
      .clk_i, .rst_i, .room_o(aw_out_room[p]),
      .valid_i(aw_go[p]), .data_i(edge_of(aw_pick[p], aw_index[p])),
      .valid_o(aw_waits), .ready_i(aw_opens && aw_ready_i[p]), .data_o(aw_o[p])
    );

    // A closed port offers nothing new; an offer that stands is kept.
    assign ar_opens = open[p] || ar_offered_q;
    assign aw_opens = open[p] || aw_offered_q;
    assign ar_valid_o[p] = ar_waits && ar_opens;
    assign aw_valid_o[p] = aw_waits && aw_opens;
    assign out_idle[p] = !ar_waits && !aw_waits;
    always_ff @(posedge clk_i) begin
      ar_offered_q <= !rst_i && ar_valid_o[p] && !ar_ready_i[p];
      aw_offered_q <= !rst_i && aw_valid_o[p] && !aw_ready_i[p];
    end

    // Requesters whose W beats this port still takes, in the order of AW; the first one one-hot.
    gmmu_fifo_room #(.Width(IndexWidth), .Depth(OwnerDepth), .Margin(4)) u_owners (
      .clk_i, .rst_i, .room_o(owner_room[p]),
      .valid_i(aw_go[p]), .data_i(aw_index[p]),
      .valid_o(owner_here), .ready_i(owner_shift), .data_o(owner_first)
    );
    // two words in front of the FIFO, so that the end of a burst reaches them and not the FIFO
    gmmu_skid #(.Width(IndexWidth)) u_owner_next (
      .clk_i, .rst_i, .valid_i(owner_here), .ready_o(owner_shift), .data_i(owner_first),
      .valid_o(owner_waits), .ready_i(owner_load), .data_o(owner_next)
    );
    assign w_end = w_ready && ends != '0;
    assign owner_load = !owned_q || w_end;
    assign owner_valid[p] = owner_here || owner_waits || owned_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        owner_q <= '0;
        owned_q <= 1'b0;
      end else if (owner_load) begin
        owned_q <= owner_waits;
        for (int unsigned q = 0; q < N; q++) begin
          owner_q[q] <= Writers[q] && owner_waits && owner_next == index_t'(q);
        end
      end
    end
    always_comb begin
      w_pick = '0;
      for (int unsigned q = 0; q < N; q++) begin
        if (owner_q[q]) w_pick |= w[q];
      end
    end
    gmmu_skid #(.Width($bits(w_t))) u_w_out (
      .clk_i, .rst_i,
      .valid_i(owns != '0), .ready_o(w_ready), .data_i(w_pick),
      .valid_o(w_valid_o[p]), .ready_i(w_ready_i[p]), .data_o(w_o[p])
    );

    gmmu_skid #(.Width(N + $bits(edge_r_t))) u_r_in (
      .clk_i, .rst_i,
      .valid_i(r_valid_i[p]), .ready_o(r_ready_o[p]), .data_i({r_for_in, r_i[p]}),
      .valid_o(r_valid[p]), .ready_i(r_take[p]), .data_o({r_for, r[p]})
    );
    gmmu_skid #(.Width(N + $bits(edge_b_t))) u_b_in (
      .clk_i, .rst_i,
      .valid_i(b_valid_i[p]), .ready_o(b_ready_o[p]), .data_i({b_for_in, b_i[p]}),
      .valid_o(b_valid[p]), .ready_i(b_take[p]), .data_o({b_for, b[p]})
    );
  end

  // A requester takes one R and one B a cycle; when both ports have one for it they take turns.
  // An answer is registered once for each port, with the requester that it goes to.
  logic              r_clash, b_clash;
  logic              r_turn_q, b_turn_q;
  logic [1:0][N-1:0] r_to, b_to;
  logic [N-1:0]      r_host_q, b_host_q;  // from the host port
  edge_r_t [1:0]     r_q;
  edge_b_t [1:0]     b_q;

  assign r_clash = r_valid == '1 &&
                   index_t'(requester_of(r[0].id)) == index_t'(requester_of(r[1].id));
  assign b_clash = b_valid == '1 &&
                   index_t'(requester_of(b[0].id)) == index_t'(requester_of(b[1].id));
  assign r_take = r_clash ? {r_turn_q, !r_turn_q} : 2'b11;
  for (genvar p = 0; p < 2; p++) begin : g_to
    assign r_to[p] = r_take[p] ? r_want[p] : '0;
    assign b_to[p] = b_take[p] ? b_want[p] : '0;
  end
  assign b_take = b_clash ? {b_turn_q, !b_turn_q} : 2'b11;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      r_turn_q <= 1'b0;
      b_turn_q <= 1'b0;
      r_valid_o <= '0;
      b_valid_o <= '0;
    end else begin
      if (r_clash) r_turn_q <= !r_turn_q;
      if (b_clash) b_turn_q <= !b_turn_q;
      r_valid_o <= r_to[0] | r_to[1];
      b_valid_o <= b_to[0] | b_to[1];
    end
    r_host_q <= r_to[1];
    b_host_q <= b_to[1];
    r_q <= r;
    b_q <= b;
  end

  for (genvar q = 0; q < N; q++) begin : g_answers
    edge_r_t r_word;
    edge_b_t b_word;
    if (Direct[q]) begin : g_direct
      logic unused_host;
      assign unused_host = r_host_q[q];
      always_ff @(posedge clk_i) r_word <= r[r_to[1][q]];
    end else begin : g_common
      assign r_word = r_q[r_host_q[q]];
    end
    assign b_word = b_q[b_host_q[q]];
    assign r_o[q] = '{id: r_word.id[IdWidth-1:0], data: r_word.data, error: r_word.error,
        last: r_word.last};
    assign b_o[q] = '{id: b_word.id[IdWidth-1:0], error: b_word.error};
  end

  assign w_take = w_grant[0] | w_grant[1];
  for (genvar q = 0; q < N; q++) begin : g_last
    assign w_last_take[q] = w_take[q] && w[q].last;
  end

  // Bursts granted, those of Exempt left out, that have no answer yet.
  localparam int unsigned CountWidth = 15;
  function automatic logic ours(logic [RequesterWidth-1:0] requester);
    ours = 1'b1;
    for (int unsigned q = 0; q < N; q++)
      if (Exempt[q] && requester == RequesterWidth'(q)) ours = 1'b0;
  endfunction
  function automatic logic [2:0] ones(logic [3:0] bits);
    return 3'(bits[0]) + 3'(bits[1]) + 3'(bits[2]) + 3'(bits[3]);
  endfunction

  logic [3:0]            begins, begins_q, ends_q;  // AR, AW; R, B of both ports
  logic [3:0]            change_q;                  // -4 to 4
  logic [CountWidth-1:0] count_q;
  logic                  hold_q, none_q;
  for (genvar p = 0; p < 2; p++) begin : g_counted
    assign begins[p] = ar_go[p] && ours(RequesterWidth'(ar_index[p]));
    assign begins[2+p] = aw_go[p] && ours(RequesterWidth'(aw_index[p]));
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 2; p++) begin
      ends_q[p] <= r_valid_i[p] && r_ready_o[p] && r_i[p].last && ours(requester_of(r_i[p].id));
      ends_q[2+p] <= b_valid_i[p] && b_ready_o[p] && ours(requester_of(b_i[p].id));
    end
    begins_q <= begins;
    change_q <= {1'b0, ones(begins_q)} - {1'b0, ones(ends_q)};
    count_q <= count_q + {{CountWidth - 4{change_q[3]}}, change_q};
    none_q <= count_q == '0 && change_q == '0;
    hold_q <= hold_i;
    silent_o <= hold_i && hold_q && (ar_busy | aw_busy) == '0 && (begins | begins_q) == '0 &&
                change_q == '0 && none_q;
    if (rst_i) begin
      ends_q <= '0;
      begins_q <= '0;
      change_q <= '0;
      count_q <= '0;
      silent_o <= 1'b0;
    end
  end

  assign own_idle_o = ((ar_valid | aw_valid | w_valid | r_valid_o | b_valid_o) & ~Exempt) == '0 &&
                      (begins | begins_q) == '0 && (ar_busy | aw_busy) == '0 &&
                      none_q && change_q == '0;
  assign idle_o = silent_o == hold_i &&
                  (ar_valid | aw_valid | w_valid) == '0 && (ar_go | aw_go) == '0 &&
                  owner_valid == '0 && out_idle == '1 && w_valid_o == '0 &&
                  r_valid == '0 && b_valid == '0 &&
                  (r_valid_o | b_valid_o) == '0;
endmodule

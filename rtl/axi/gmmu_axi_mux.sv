// SPDX-License-Identifier: Apache-2.0
// Connects the GPU's requesters to its two memory ports.
//
//   requesters  ax_t.port selects the memory port. PortPeer bursts leave through the host port as
//               KindPeer; no other bursts do. An offer stays until it is accepted. A requester
//               offers AW only when its W beats are ready, and sends W in the order of AW. R and B
//               need no ready: space for them is reserved before AR or AW.
//   edge        id = {requester number, requester's id}. Each memory port accepts W in the order of
//               AW, and returns B and R in any order.
//   one port    an AW moves only if its requester owes the other memory port no W beat, so a
//               stalled port never blocks writes to the other port.
//   user        kind and no_snoop come from the requester; no requester uses the other fields (0)
//   order       AWs from one requester to one memory port leave in the order of acceptance.
//   host_enable_i = 0: no new AR or AW leaves through the host port.
//   hold_i = 1: no new AR or AW is accepted, except from Exempt requesters. Accepted bursts leave
//   (through the host port only while it is enabled) and complete; then silent_o rises.
//
// Stages. Each input has a register. One AR and one AW per cycle are selected round robin from
// these registers, each requester's at most every other cycle. One cycle later they enter the
// memory port's queue, and after another cycle they are offered there. W follows the order of AW
// through one more register. R passes one register, B two. W, R and B carry one beat per cycle and
// memory port; a requester receives one R beat and one B per cycle.
//
// The requester Express only reads. Others wait for its reads, so it has a fast path without
// arbitration. If express_early_i is 1, its AR comes from register express_i and bypasses the input
// register: it is offered in the cycle in which it arrives if its port's queue is empty, and queued
// otherwise. Any other AR of Express, or one that arrives while another AR moves, goes to an input
// register, on which alone ar_ready depends. Express has its own R register: R beats from VRAM
// never wait, R beats from the host wait only for R beats from VRAM.
module gmmu_axi_mux
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned NumRequesters = 12,
  // The requesters that read, that write, that use VRAM, and that use the host port. No logic is
  // built for other uses: their offers are ignored.
  parameter logic [NumRequesters-1:0] Readers = '1,
  parameter logic [NumRequesters-1:0] Writers = '1,
  parameter logic [NumRequesters-1:0] Vram = '1,
  parameter logic [NumRequesters-1:0] Host = '1,
  parameter logic [NumRequesters-1:0] Exempt = '0,   // requesters that hold_i does not affect
  parameter int unsigned Express = 0,  // number of the requester with the fast read path
  // Only the formal proofs override (reduce) these sizes.
  parameter int unsigned Owed = 3,      // maximum number of a requester's AWs ahead of their W beats
  parameter int unsigned Depth = 16,    // entries of each AR and AW queue
  // Entries of each AR queue that only Express may use.
  parameter int unsigned Reserved = 8
) (
  input  logic           clk_i,
  input  logic           rst_i,

  input  logic           host_enable_i,
  input  logic           hold_i,
  output logic           silent_o,    // hold_i is 1, and every accepted burst is complete

  input  rd_req_t        rd_req_i [NumRequesters],
  output rd_rsp_t        rd_rsp_o [NumRequesters],
  input  logic           express_early_i,  // Express's AR comes from register express_i
  input  ax_t            express_i,
  input  wr_req_t        wr_req_i [NumRequesters],
  output wr_rsp_t        wr_rsp_o [NumRequesters],

  // Memory ports: [0] VRAM, [1] host.
  output logic     [1:0] ar_valid_o,
  input  logic     [1:0] ar_ready_i,
  output edge_ax_t [1:0] ar_o,
  input  logic     [1:0] r_valid_i,
  output logic     [1:0] r_ready_o,
  input  edge_r_t  [1:0] r_i,
  output logic     [1:0] aw_valid_o,
  input  logic     [1:0] aw_ready_i,
  output edge_ax_t [1:0] aw_o,
  output logic     [1:0] w_valid_o,
  input  logic     [1:0] w_ready_i,
  output w_t       [1:0] w_o,
  input  logic     [1:0] b_valid_i,
  output logic     [1:0] b_ready_o,
  input  edge_b_t  [1:0] b_i,

  output logic           idle_o,      // no requester has an offer, and none is pending in the mux
  output logic           own_idle_o   // no burst, except from Exempt, is queued or outstanding
);
  localparam int unsigned N = NumRequesters;
  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1;
  localparam int unsigned OwnerDepth = 2**$clog2(Owed * N);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [N-1:0] set_t;

  if (N > (1 << RequesterWidth)) begin : g_illegal
    $fatal(1, "gmmu_axi_mux: at most 128 requesters");
  end

  function automatic edge_ax_t edge_of(ax_t ax, index_t requester);
    edge_ax_t result;
    logic unused_user;
    unused_user = ^ax;
    result = '0;
    result.id = {RequesterWidth'(requester), ax.id};
    result.addr = ax.addr;
    result.len = ax.len;
    result.user.no_snoop = ax.user.no_snoop;
    result.user.kind = ax.port == PortPeer ? KindPeer : ax.user.kind;
    return result;
  endfunction

  function automatic logic [RequesterWidth-1:0] requester_of(logic [EdgeIdWidth-1:0] id);
    return RequesterWidth'(id >> IdWidth);
  endfunction

  // Returns whether an offer goes to the host port. vram, host: the requester uses that port.
  function automatic logic host_of(port_e to, logic vram, logic host);
    return !vram || (host && to != PortVram);
  endfunction

  // ---- Input registers. A register can load in the cycle in which its word leaves.
  set_t ar_valid, aw_valid, w_valid, ar_valid_q, aw_valid_q, w_valid_q, w_take, ar_turn_q, aw_turn_q;
  logic express, late_valid_q;  // express: Express's AR may move; late_valid_q: late_q is valid
  ax_t  late_q;
  set_t ar_host_q, aw_host_q;   // the requester's word goes to the host port
  ax_t  ar_q [N];
  ax_t  aw_q [N];
  w_t   w_q [N];

  localparam set_t Turns = Readers & ~(set_t'(1) << Express);   // readers in the arbitration
  set_t ar_takes, aw_takes, w_loads, ar_host, aw_host;
  for (genvar q = 0; q < N; q++) begin : g_input
    assign ar_valid[q] = rd_req_i[q].ar_valid;
    assign aw_valid[q] = wr_req_i[q].aw_valid;
    assign w_valid[q] = wr_req_i[q].w_valid;
    assign ar_host[q] = host_of(rd_req_i[q].ar.port, Vram[q], Host[q]);
    assign aw_host[q] = host_of(wr_req_i[q].aw.port, Vram[q], Host[q]);
    if (Turns[q]) begin : g_reads
      always_ff @(posedge clk_i) if (ar_takes[q] && ar_valid[q]) ar_q[q] <= rd_req_i[q].ar;
    end else begin : g_no_reads
      assign ar_q[q] = '0;
      logic unused_read;
      assign unused_read = ^rd_req_i[q];
    end
    if (Writers[q]) begin : g_writes
      always_ff @(posedge clk_i) begin
        if (aw_takes[q] && aw_valid[q]) aw_q[q] <= wr_req_i[q].aw;
        if (w_loads[q] && w_valid[q]) w_q[q] <= wr_req_i[q].w;
      end
    end else begin : g_no_writes
      assign aw_q[q] = '0;
      assign w_q[q] = '0;
      logic unused_write;
      assign unused_write = ^wr_req_i[q];
    end
  end
  assign ar_takes = Turns & (~ar_valid_q | ar_turn_q);
  assign aw_takes = Writers & (~aw_valid_q | aw_turn_q);
  assign w_loads = Writers & (~w_valid_q | w_take);
  always_ff @(posedge clk_i) begin
    ar_valid_q <= rst_i ? '0 : Turns & ((ar_takes & ar_valid) | (ar_valid_q & ~ar_takes));
    aw_valid_q <= rst_i ? '0 : Writers & ((aw_takes & aw_valid) | (aw_valid_q & ~aw_takes));
    w_valid_q <= rst_i ? '0 : Writers & ((w_loads & w_valid) | (w_valid_q & ~w_loads));
    ar_host_q <= (ar_takes & ar_host) | (ar_host_q & ~ar_takes);
    aw_host_q <= (aw_takes & aw_host) | (aw_host_q & ~aw_takes);
  end

  always_ff @(posedge clk_i) begin
    late_valid_q <= !rst_i && (late_valid_q ? !express : ar_valid[Express] && !(express_early_i && express));
    if (!late_valid_q) late_q <= rd_req_i[Express].ar;
  end

  // ---- Arbitration of AR and AW. _want is 1 one cycle before the word moves, _turn_q while it
  // moves. room_q, one cycle old: the port's queue has space (_exempt: even while hold_i is 1).
  // aw_may_q, by port: the requester owes no W beat to the other port, and the W beats of fewer
  // than Owed bursts to this one.
  set_t       ar_want, ar_turn, aw_want, aw_turn;
  set_t [1:0] aw_may_q;
  logic [1:0] open, ar_room, aw_room, ar_room_q, aw_room_q, ar_room_exempt_q, aw_room_exempt_q;
  logic       hold_q;
  logic       ar_any_q, aw_any_q, express_waits;
  index_t     unused_ar_index, unused_aw_index;

  assign open = {host_enable_i, 1'b1};
  always_ff @(posedge clk_i) begin
    hold_q <= hold_i;
    ar_room_q <= hold_i ? '0 : ar_room & open;
    aw_room_q <= hold_i ? '0 : aw_room & open;
    ar_room_exempt_q <= ar_room & open;
    aw_room_exempt_q <= aw_room & open;
  end

  // Selects, for each requester, the bit of its port.
  function automatic set_t by_port(set_t host, set_t at_host, set_t at_vram);
    return (host & at_host) | (~host & at_vram);
  endfunction
  assign ar_want = Turns & ar_valid_q & ~ar_turn_q & (by_port(ar_host_q, {N{ar_room_q[1]}}, {N{ar_room_q[0]}})
      | (Exempt & by_port(ar_host_q, {N{ar_room_exempt_q[1]}}, {N{ar_room_exempt_q[0]}})));
  assign aw_want = Writers & aw_valid_q & ~aw_turn_q & by_port(aw_host_q, aw_may_q[1], aw_may_q[0])
      & (by_port(aw_host_q, {N{aw_room_q[1]}}, {N{aw_room_q[0]}})
         | (Exempt & by_port(aw_host_q, {N{aw_room_exempt_q[1]}}, {N{aw_room_exempt_q[0]}})));
  gmmu_rr_arbiter #(.N(N)) u_ar_turn (
    .clk_i, .rst_i, .req_i(ar_want), .advance_i(!express_waits), .gnt_o(ar_turn),
    .index_o(unused_ar_index));
  gmmu_rr_arbiter #(.N(N)) u_aw_turn (
    .clk_i, .rst_i, .req_i(aw_want), .advance_i(1'b1), .gnt_o(aw_turn), .index_o(unused_aw_index));
  always_ff @(posedge clk_i) begin
    ar_turn_q <= rst_i || express_waits ? '0 : ar_turn;
    ar_any_q <= !rst_i && !express_waits && ar_want != '0;
    aw_turn_q <= rst_i ? '0 : aw_turn;
    aw_any_q <= !rst_i && aw_want != '0;
  end

  // ---- Queues of the memory ports.
  ax_t        ar_pick, aw_pick, express_ar;   // express_ar: Express's AR, registered or direct
  logic       express_valid;
  index_t     ar_index, aw_index;
  logic       ar_push, ar_to_host, aw_to_host;
  logic [1:0] ar_ready, unused_aw_ready, ar_waits, aw_waits;  // ar_ready: the queue is not full

  assign express = !ar_any_q && ar_ready == '1 && !(hold_q && !Exempt[Express]);
  assign express_ar = late_valid_q ? late_q : express_i;
  assign express_valid = late_valid_q || (ar_valid[Express] && express_early_i);
  assign express_waits = express_valid && ar_any_q && !(hold_q && !Exempt[Express]);
  assign ar_push = ar_any_q || (express && express_valid);
  always_comb begin
    ar_pick = ar_any_q ? '0 : express_ar;
    ar_index = ar_any_q ? '0 : index_t'(Express);
    ar_to_host = !ar_any_q && host_of(express_ar.port, Vram[Express], Host[Express]);
    for (int unsigned q = 0; q < N; q++) begin
      if (ar_turn_q[q]) begin
        ar_pick |= ar_q[q];
        ar_index |= index_t'(q);
        ar_to_host |= ar_host_q[q];
      end
    end
    aw_pick = '0;
    aw_index = '0;
    aw_to_host = 1'b0;
    for (int unsigned q = 0; q < N; q++) begin
      if (aw_turn_q[q]) begin
        aw_pick |= aw_q[q];
        aw_index |= index_t'(q);
        aw_to_host |= aw_host_q[q];
      end
    end
  end

  // ---- The memory ports: VRAM (0) and host (1).
  set_t [1:0]        owner, w_takes, r_here, b_here;
  logic [1:0]        r_take, b_take, owners_wait, out_idle, r_express_in;
  edge_r_t [1:0]     r;
  edge_b_t [1:0]     b;

  for (genvar p = 0; p < 2; p++) begin : g_port
    localparam set_t Here = p == 0 ? Vram : Host;
    logic ar_opens, aw_opens, ar_offered_q, aw_offered_q, aw_push, ar_here, ar_passes;
    edge_ax_t ar_head;

    // room_o is two cycles old when a word moves: up to four more words may have arrived.
    gmmu_fifo_room #(.Width($bits(edge_ax_t)), .Depth(Depth), .Margin(4 + Reserved)) u_ar_out (
      .clk_i, .rst_i, .room_o(ar_room[p]), .ready_o(ar_ready[p]),
      .valid_i(ar_here && !(ar_passes && ar_opens && ar_ready_i[p])),
      .data_i(edge_of(ar_pick, ar_index)),
      .valid_o(ar_waits[p]), .ready_i(ar_opens && ar_ready_i[p]), .data_o(ar_head)
    );
    assign ar_here = ar_push && ar_to_host == 1'(p);
    assign ar_passes = ar_here && !ar_any_q && !ar_waits[p];
    gmmu_fifo_room #(.Width($bits(edge_ax_t)), .Depth(Depth), .Margin(4)) u_aw_out (
      .clk_i, .rst_i, .room_o(aw_room[p]), .ready_o(unused_aw_ready[p]),
      .valid_i(aw_push), .data_i(edge_of(aw_pick, aw_index)),
      .valid_o(aw_waits[p]), .ready_i(aw_opens && aw_ready_i[p]), .data_o(aw_o[p])
    );
    assign aw_push = aw_any_q && aw_to_host == 1'(p);

    // A closed port makes no new offer, but keeps a pending one.
    assign ar_opens = open[p] || ar_offered_q;
    assign aw_opens = open[p] || aw_offered_q;
    assign ar_valid_o[p] = (ar_waits[p] || ar_passes) && ar_opens;
    assign ar_o[p] = ar_waits[p] ? ar_head : edge_of(express_ar, index_t'(Express));
    assign aw_valid_o[p] = aw_waits[p] && aw_opens;
    always_ff @(posedge clk_i) begin
      ar_offered_q <= !rst_i && ar_valid_o[p] && !ar_ready_i[p];
      aw_offered_q <= !rst_i && aw_valid_o[p] && !aw_ready_i[p];
    end

    // The requesters whose W beats this port must still accept, in the order of AW: owner_q
    // (one-hot) is the first. A queue holds the others, with space for every AW that may be ahead
    // of its beats.
    set_t   owner_q;
    index_t owner_next;
    logic   owner_waits, owner_room, owner_load, owned_q, w_ready, w_here, w_last;
    w_t     w_pick;
    assign owner[p] = owner_q;
    assign owners_wait[p] = owner_waits || owned_q;
    gmmu_fifo #(.Width(IndexWidth), .Depth(OwnerDepth)) u_owners (
      .clk_i, .rst_i, .valid_i(aw_push && (owner_waits || !owner_load)), .ready_o(owner_room),
      .data_i(aw_index), .valid_o(owner_waits), .ready_i(owner_load), .data_o(owner_next)
    );
    a_owners: assert property (@(posedge clk_i) disable iff (rst_i) !aw_push || owner_room);
    always_comb begin
      w_pick = '0;
      w_here = 1'b0;
      for (int unsigned q = 0; q < N; q++) begin
        if (Writers[q] && Here[q] && owner_q[q]) begin
          w_pick |= w_q[q];
          w_here |= w_valid_q[q];
        end
      end
    end
    assign w_last = w_here && w_ready && w_pick.last;
    assign w_takes[p] = w_ready ? owner_q : '0;
    assign owner_load = !owned_q || w_last;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        owner_q <= '0;
        owned_q <= 1'b0;
      end else if (owner_load) begin
        owned_q <= owner_waits || aw_push;
        for (int unsigned q = 0; q < N; q++) begin
          owner_q[q] <= Writers[q] && Here[q] &&
              (owner_waits ? owner_next == index_t'(q) : aw_push && aw_turn_q[q]);
        end
      end
    end
    gmmu_skid #(.Width($bits(w_t))) u_w_out (
      .clk_i, .rst_i, .valid_i(w_here), .ready_o(w_ready), .data_i(w_pick),
      .valid_o(w_valid_o[p]), .ready_i(w_ready_i[p]), .data_o(w_o[p])
    );

    // Responses, each with a one-hot mask of the requester that receives it.
    set_t r_to_in, r_to, b_to_in, b_to;
    logic r_valid, b_valid;
    for (genvar q = 0; q < N; q++) begin : g_to
      assign r_to_in[q] = Readers[q] && Here[q] && requester_of(r_i[p].id) == RequesterWidth'(q);
      assign b_to_in[q] = Writers[q] && Here[q] && requester_of(b_i[p].id) == RequesterWidth'(q);
    end
    assign r_express_in[p] = r_valid_i[p] && r_to_in[Express];
    gmmu_skid #(.Width(N + $bits(edge_r_t))) u_r_in (
      .clk_i, .rst_i, .valid_i(r_valid_i[p] && !(p == 0 && r_express_in[p])), .ready_o(r_ready_o[p]),
      .data_i({r_to_in, r_i[p]}),
      .valid_o(r_valid), .ready_i(r_take[p]), .data_o({r_to, r[p]})
    );
    gmmu_skid #(.Width(N + $bits(edge_b_t))) u_b_in (
      .clk_i, .rst_i, .valid_i(b_valid_i[p]), .ready_o(b_ready_o[p]), .data_i({b_to_in, b_i[p]}),
      .valid_o(b_valid), .ready_i(b_take[p]), .data_o({b_to, b[p]})
    );
    assign r_here[p] = r_valid ? r_to : '0;
    assign b_here[p] = b_valid ? b_to : '0;
    assign out_idle[p] = !ar_waits[p] && !aw_waits[p] && !w_valid_o[p] && !r_valid && !b_valid;
  end

  // R for Express: VRAM's beats bypass VRAM's R register, the host's beats pass the host's R
  // register.
  logic    express_here, express_q;
  edge_r_t express_r, express_r_q;
  assign express_here = r_express_in[0] && r_ready_o[0];
  assign express_r = express_here ? r_i[0] : r[1];
  always_ff @(posedge clk_i) begin
    express_q <= !rst_i && (express_here || r_here[1][Express]);
    if (express_here || r_here[1][Express]) express_r_q <= express_r;
  end

  // When both ports have an R beat, or a B, for the same requester, the ports take turns.
  logic r_clash, b_clash, r_turn_q, b_turn_q;  // 1: the host's turn
  assign r_clash = (r_here[0] & r_here[1]) != '0;
  assign b_clash = (b_here[0] & b_here[1]) != '0;
  assign r_take[0] = !(r_clash && r_turn_q);
  assign r_take[1] = !(r_clash && !r_turn_q) && !(express_here && r_here[1][Express]);
  assign b_take = b_clash ? {b_turn_q, !b_turn_q} : 2'b11;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      r_turn_q <= 1'b0;
      b_turn_q <= 1'b0;
    end else begin
      if (r_clash) r_turn_q <= !r_turn_q;
      if (b_clash) b_turn_q <= !b_turn_q;
    end
  end

  set_t r_sent, b_sent_q;
  always_comb begin
    r_sent = r_here[0] | r_here[1];
    r_sent[Express] = express_q;
  end
  assign w_take = w_takes[0] | w_takes[1];
  for (genvar q = 0; q < N; q++) begin : g_requester
    if (Readers[q]) begin : g_reads
      logic    host;
      edge_r_t word;
      assign host = !Vram[q] || (r_here[1][q] && !(r_here[0][q] && !r_turn_q));
      assign word = q == Express ? express_r_q : r[host];
      assign rd_rsp_o[q] = '{ar_ready: q == Express ? !late_valid_q : ar_takes[q],
          r_valid: r_sent[q], r: '{id: word.id[IdWidth-1:0], data: word.data, error: word.error, last: word.last}};
      logic unused_id;
      assign unused_id = ^word.id;
    end else begin : g_no_reads
      logic unused_read;
      assign rd_rsp_o[q] = '0;
      assign unused_read = ^{r_here[0][q], r_here[1][q]};
    end
    if (Writers[q]) begin : g_writes
      logic    host;
      edge_b_t word;
      b_t      b_q;
      assign host = !Vram[q] || (b_here[1][q] && !(b_here[0][q] && !b_turn_q));
      assign word = b[host];
      always_ff @(posedge clk_i) b_q <= '{id: word.id[IdWidth-1:0], error: word.error};
      assign wr_rsp_o[q] = '{aw_ready: aw_takes[q], w_ready: w_loads[q], b_valid: b_sent_q[q], b: b_q};
      logic unused_id;
      assign unused_id = ^word.id;
      a_one_port: assert property (@(posedge clk_i) disable iff (rst_i)
        !(owner[0][q] && owner[1][q]));
    end else begin : g_no_writes
      logic unused_write;
      assign wr_rsp_o[q] = '0;
      assign unused_write = ^{owner[0][q], owner[1][q], b_here[0][q], b_here[1][q]};
    end
  end

  always_ff @(posedge clk_i) b_sent_q <= rst_i ? '0 : (b_here[0] | b_here[1]) & Writers;

  // owed[n]: requesters with at least n bursts whose AW has moved but whose last W beat has not.
  // All such bursts of a requester go to one memory port.
  set_t [Owed:1] owed, owed_q;
  set_t          ended, up, down, to_host, to_host_q;
  always_comb begin
    for (int unsigned q = 0; q < N; q++) ended[q] = w_q[q].last;
    ended &= w_take & w_valid_q;
    up = aw_turn_q & ~ended;
    down = ended & ~aw_turn_q;
    for (int unsigned n = 1; n <= Owed; n++) owed[n] = owed_q[n] & ~down;
    for (int unsigned n = 1; n < Owed; n++) owed[n] |= owed_q[n+1] & down;
    owed[1] |= up;
    for (int unsigned n = 2; n <= Owed; n++) owed[n] |= owed_q[n-1] & up;
  end
  assign to_host = (aw_turn_q & aw_host_q) | (~aw_turn_q & to_host_q);
  always_ff @(posedge clk_i) begin
    owed_q <= rst_i ? '0 : owed;
    to_host_q <= to_host;
    aw_may_q[0] <= rst_i ? '1 : ~owed[1] | (~owed[Owed] & ~to_host);
    aw_may_q[1] <= rst_i ? '1 : ~owed[1] | (~owed[Owed] & to_host);
  end
  a_owed: assert property (@(posedge clk_i) disable iff (rst_i)
    (Writers & ((ended & ~owed_q[1]) | (aw_turn_q & owed_q[Owed]))) == '0);

  // count_q: the number of accepted bursts without a response, except those of Exempt requesters.
  localparam int unsigned CountWidth = 15;
  function automatic logic ours(logic [EdgeIdWidth-1:0] id);
    ours = 1'b1;
    for (int unsigned q = 0; q < N; q++)
      if (Exempt[q] && requester_of(id) == RequesterWidth'(q)) ours = 1'b0;
  endfunction

  logic [1:0]            begins, begins_q;  // AR, AW
  logic                  held_begins;
  logic [3:0]            ends_q;            // last R beats and Bs of both ports
  logic [3:0]            change_q;          // range: -4 to 2
  logic [CountWidth-1:0] count_q;
  logic                  none_q;
  assign begins[0] = ar_any_q ? (ar_turn_q & ~Exempt) != '0 : ar_push && !Exempt[Express];
  assign begins[1] = (aw_turn_q & ~Exempt) != '0;
  assign held_begins = ((ar_turn_q | aw_turn_q) & ~Exempt) != '0;   // Express does not start while hold_i is 1
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 2; p++) begin
      ends_q[p] <= r_valid_i[p] && r_ready_o[p] && r_i[p].last && ours(r_i[p].id);
      ends_q[2+p] <= b_valid_i[p] && b_ready_o[p] && ours(b_i[p].id);
    end
    begins_q <= begins;
    change_q <= 4'(begins_q[0]) + 4'(begins_q[1]) -
                (4'(ends_q[0]) + 4'(ends_q[1]) + 4'(ends_q[2]) + 4'(ends_q[3]));
    count_q <= count_q + {{CountWidth - 4{change_q[3]}}, change_q};
    none_q <= count_q == '0 && change_q == '0;
    silent_o <= hold_i && hold_q && !held_begins && begins_q == '0 && change_q == '0 && none_q;
    if (rst_i) begin
      begins_q <= '0;
      ends_q <= '0;
      change_q <= '0;
      count_q <= '0;
      silent_o <= 1'b0;
    end
  end

  set_t offers;  // requesters with an offer, including one in an input register
  assign offers = (ar_valid & Readers) | ((aw_valid | w_valid) & Writers) | ar_valid_q |
                  aw_valid_q | w_valid_q | set_t'(late_valid_q) << Express;
  assign own_idle_o = ((offers | r_sent | b_sent_q) & ~Exempt) == '0 &&
                      (begins | begins_q) == '0 && none_q && change_q == '0;
  assign idle_o = silent_o == hold_i && offers == '0 && !ar_push && !aw_any_q &&
                  owners_wait == '0 && out_idle == '1 && !express_q &&
                  b_sent_q == '0;

  a_early: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ar_valid[Express] && express_early_i) || rd_req_i[Express].ar == express_i);
endmodule

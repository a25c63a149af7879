// SPDX-License-Identifier: Apache-2.0
// Properties of gmmu_axi_mux: writes in flight to the memory ports.
//
// A requester and a memory port are chosen at the start. One burst from this requester to this port
// is marked: its AW in the address, its W beats in the data. It may be any burst that has not
// started, chosen in any cycle. The AW leaves exactly once, through its port, with its requester's
// number, after exactly those AWs from its requester to that port that were accepted earlier. The W
// beats leave once, in order, through the same port, and have the same burst number there as the
// AW.
module axi_mux_writes
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Depth = 16,
  parameter int unsigned Owed = 3,
  localparam int unsigned N = 3,
  localparam int unsigned OwedWidth = $clog2(Owed + 1),
  localparam int unsigned Owners = 2**$clog2(Owed * N)
) (
  input logic              clk_i,
  input logic              rst_i,

  input logic              host_enable_i,
  input logic              hold_i,
  input logic              who_i,         // requester 1 or 2
  input logic              port_i,
  input logic              choose_i,      // the marked burst is burst number_i of the requester
  input logic [3:0]        number_i,
  input logic [N-1:0]      aw_valid_i,
  input logic [N-1:0][1:0] to_i,
  input logic [N-1:0]      w_valid_i,
  input logic [N-1:0]      last_i,
  input logic [1:0]        aw_ready_i,
  input logic [1:0]        w_ready_i
);
  typedef logic [3:0] few_t;     // number of a requester's burst, modulo 16
  typedef logic [4:0] number_t;  // number of a port's burst, modulo 32

  logic             ran, silent, idle, own_idle;
  logic [N-1:0]     ar_ready, aw_ready, w_ready, r_valid, b_valid;
  ax_t  [N-1:0]     aw;
  w_t   [N-1:0]     w;
  r_t   [N-1:0]     r;
  b_t   [N-1:0]     b;
  logic [1:0]       ar_valid, aw_valid, w_valid, r_ready, b_ready;
  edge_ax_t [1:0]   edge_ar, edge_aw;
  w_t   [1:0]       edge_w;

  gmmu_reset_props u_reset (.clk_i, .rst_i, .ran_o(ran));

  axi_mux_flat #(.N(N), .Readers(3'b001), .Writers(3'b110), .Exempt(3'b100), .Depth(Depth), .Owed(Owed),
    .Reserved(0)) u_flat (
    .clk_i, .rst_i, .host_enable_i, .hold_i, .silent_o(silent),
    .ar_valid_i('0), .ar_ready_o(ar_ready), .ar_i('0),
    .express_early_i(1'b0), .express_i('0), .r_valid_o(r_valid), .r_o(r),
    .aw_valid_i, .aw_ready_o(aw_ready), .aw_i(aw), .w_valid_i, .w_ready_o(w_ready), .w_i(w),
    .b_valid_o(b_valid), .b_o(b),
    .ar_valid_o(ar_valid), .ar_ready_i('0), .ar_o(edge_ar), .r_valid_i('0), .r_ready_o(r_ready), .r_i('0),
    .aw_valid_o(aw_valid), .aw_ready_i, .aw_o(edge_aw), .w_valid_o(w_valid), .w_ready_i, .w_o(edge_w),
    .b_valid_i('0), .b_ready_o(b_ready), .b_i('0), .idle_o(idle), .own_idle_o(own_idle));

  // ---- The chosen requester and port.
  logic [1:0] who_q;
  logic       port_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      who_q <= who_i ? 2'd2 : 2'd1;
      port_q <= port_i;
    end
  end

  // ---- The requesters hold valid until ready; W may precede its AW.
  logic [N-1:0]        aw_take, w_take, middle_q;  // middle_q: inside a W burst
  few_t [N-1:0]        aw_n_q, w_n_q, moved_n_q, passed_n_q;
  logic                chosen_q, aw_taken_q, w_taken_q, beat_q;
  few_t                number_q;
  logic                aw_mark, w_mark;
  assign aw_mark = chosen_q && !aw_taken_q && aw_n_q[who_q] == number_q;
  assign w_mark = chosen_q && !w_taken_q && w_n_q[who_q] == number_q;
  assign aw_take = aw_valid_i & aw_ready & 3'b110;
  assign w_take = w_valid_i & w_ready & 3'b110;
  for (genvar q = 0; q < N; q++) begin : g_requester
    always_comb begin
      aw[q] = '0;
      aw[q].port = port_e'(to_i[q]);
      aw[q].addr[0] = aw_mark && who_q == 2'(q);
      w[q] = '0;
      w[q].last = last_i[q];
      w[q].data[0] = w_mark && who_q == 2'(q);
      w[q].data[1] = beat_q;
    end
    if (q != 0) begin : g_stands
      gmmu_stream_props #(.Width(2), .Assert(0)) u_aw (
        .clk_i, .rst_i, .valid_i(aw_valid_i[q]), .ready_i(aw_ready[q]), .payload_i(to_i[q]));
      gmmu_stream_props #(.Width(1), .Assert(0)) u_w (
        .clk_i, .rst_i, .valid_i(w_valid_i[q]), .ready_i(w_ready[q]), .payload_i(last_i[q]));
    end
    m_port: assume property (@(posedge clk_i) disable iff (rst_i) to_i[q] != 2'd3);
    i_host: assert property (@(posedge clk_i) disable iff (rst_i) !ran || !u_flat.u_mux.aw_valid_q[q]
      || u_flat.u_mux.aw_host_q[q] == (u_flat.u_mux.aw_q[q].port != PortVram));
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        {aw_n_q[q], w_n_q[q], moved_n_q[q], passed_n_q[q], middle_q[q]} <= '0;
      end else begin
        aw_n_q[q] <= aw_n_q[q] + 4'(aw_take[q]);
        w_n_q[q] <= w_n_q[q] + 4'(w_take[q] && last_i[q]);
        moved_n_q[q] <= moved_n_q[q] + 4'(u_flat.u_mux.aw_turn_q[q]);
        passed_n_q[q] <= passed_n_q[q] + 4'(u_flat.u_mux.w_take[q] && u_flat.u_mux.w_valid_q[q] && u_flat.u_mux.w_q[q].last);
        if (w_take[q]) middle_q[q] <= !last_i[q];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) {chosen_q, aw_taken_q, w_taken_q, beat_q} <= '0;
    else begin
      chosen_q <= chosen_q || choose_i;
      aw_taken_q <= aw_taken_q || (aw_mark && aw_take[who_q]);
      w_taken_q <= w_taken_q || (w_mark && w_take[who_q] && last_i[who_q]);
      beat_q <= beat_q ^ (w_mark && w_take[who_q]);
    end
    if (choose_i && !chosen_q) number_q <= number_i;
  end
  // The burst to be marked is one of the requester's next few bursts, and is not valid yet.
  few_t after_aw, after_w;
  assign after_aw = number_i - aw_n_q[who_q];
  assign after_w = number_i - w_n_q[who_q];
  m_choose: assume property (@(posedge clk_i) disable iff (rst_i)
    !choose_i || (ran && !chosen_q && after_aw < 4'd7 && after_w < 4'd7 && (!aw_valid_i[who_q] || after_aw != '0)
      && (!(w_valid_i[who_q] || middle_q[who_q]) || after_w != '0)));
  m_marked_port: assume property (@(posedge clk_i) disable iff (rst_i)
    !(aw_valid_i[who_q] && aw_mark) || port_q == (to_i[who_q] != PortVram));

  // ---- The memory ports.
  number_t [1:0] left_n_q, out_n_q;              // left_n_q: AWs that left; out_n_q: W bursts that left
  few_t          own_n_q, own_left_n_q, place_q;  // AWs to port_q: accepted (own), left (own_left)
  logic          aw_left_q, w_begun_q, w_left_q, out_beat_q;
  number_t       aw_number_q, w_number_q;
  logic [1:0]    aw_here, w_here, aw_fits, w_fits, aw_leave, w_leave;
  for (genvar p = 0; p < 2; p++) begin : g_port
    assign aw_leave[p] = aw_valid[p] && aw_ready_i[p];
    assign w_leave[p] = w_valid[p] && w_ready_i[p];
    assign aw_here[p] = aw_valid[p] && edge_aw[p].addr[0];
    assign w_here[p] = w_valid[p] && edge_w[p].data[0];
    assign aw_fits[p] = !aw_here[p] || (aw_taken_q && !aw_left_q && port_q == 1'(p)
        && RequesterWidth'(edge_aw[p].id >> IdWidth) == RequesterWidth'(who_q));
    assign w_fits[p] = !w_here[p] || (chosen_q && !w_left_q && port_q == 1'(p) && edge_w[p].data[1] == out_beat_q);
    gmmu_stream_props #(.Width(1 + 2)) u_aw (
      .clk_i, .rst_i, .valid_i(aw_valid[p]), .ready_i(aw_ready_i[p]),
      .payload_i({edge_aw[p].id[IdWidth+:2], edge_aw[p].addr[0]}));
    gmmu_stream_props #(.Width(3)) u_w (
      .clk_i, .rst_i, .valid_i(w_valid[p]), .ready_i(w_ready_i[p]), .payload_i({edge_w[p].last, edge_w[p].data[1:0]}));
    always_ff @(posedge clk_i) begin
      if (rst_i) {left_n_q[p], out_n_q[p]} <= '0;
      else begin
        left_n_q[p] <= left_n_q[p] + 5'(aw_leave[p]);
        out_n_q[p] <= out_n_q[p] + 5'(w_leave[p] && edge_w[p].last);
      end
    end
  end
  logic own_taken, own_leaves;
  assign own_taken = aw_take[who_q] && port_q == (to_i[who_q] != PortVram);
  assign own_leaves = aw_leave[port_q] && RequesterWidth'(edge_aw[port_q].id >> IdWidth) == RequesterWidth'(who_q);
  always_ff @(posedge clk_i) begin
    if (rst_i) {own_n_q, own_left_n_q, aw_left_q, w_begun_q, w_left_q, out_beat_q} <= '0;
    else begin
      own_n_q <= own_n_q + 4'(own_taken);
      own_left_n_q <= own_left_n_q + 4'(own_leaves);
      aw_left_q <= aw_left_q || (aw_leave & aw_here) != '0;
      w_begun_q <= w_begun_q || (w_leave & w_here) != '0;
      w_left_q <= w_left_q || (w_leave[0] && w_here[0] && edge_w[0].last) || (w_leave[1] && w_here[1] && edge_w[1].last);
      out_beat_q <= out_beat_q ^ ((w_leave & w_here) != '0);
    end
    if (aw_mark && aw_take[who_q]) place_q <= own_n_q;
    if ((aw_leave & aw_here) != '0) aw_number_q <= left_n_q[port_q];
    if ((w_leave & w_here) != '0 && !w_begun_q) w_number_q <= out_n_q[port_q];
  end
  a_aw_leaves_once: assert property (@(posedge clk_i) disable iff (rst_i) !ran || aw_fits == '1);
  a_aw_order: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && aw_here[port_q]) || own_left_n_q == place_q);
  a_w_leaves_once: assert property (@(posedge clk_i) disable iff (rst_i) !ran || w_fits == '1);
  a_w_as_aw: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && aw_left_q && w_begun_q) || aw_number_q == w_number_q);
  a_w_together: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && w_begun_q && !w_left_q && w_valid[port_q]) || w_here[port_q]);
  c_w_leaves: cover property (@(posedge clk_i) disable iff (rst_i)
    ran && w_left_q && aw_left_q && beat_q == 1'b0 && w_number_q != '0);
  c_w_first: cover property (@(posedge clk_i) disable iff (rst_i) ran && w_left_q && !aw_left_q);

  // ---- Internal state, for the induction.
  logic [1:0][7:0] aw_marks;                  // marked AWs in the queue; another requester's AW counts as 2
  logic [1:0][4:0] own_here, own_before;      // AWs of the requester in the queue; own_before: ahead of the marked AW
  number_t [1:0]   moved_q, through_q;        // moved_q: AWs moved to the queue; through_q: W bursts sent
  number_t         marked_q;                  // number of the marked burst in the queue
  logic            aw_moved_q, w_through_q;
  number_t         back;                      // W bursts of the port that precede the marked burst
  logic            moves, passes;
  assign moves = u_flat.u_mux.aw_turn_q[who_q] && u_flat.u_mux.aw_q[who_q].addr[0];
  assign passes = u_flat.u_mux.w_take[who_q] && u_flat.u_mux.w_valid_q[who_q] && u_flat.u_mux.w_q[who_q].data[0] && u_flat.u_mux.w_q[who_q].last;
  always_ff @(posedge clk_i) begin
    aw_moved_q <= !rst_i && (aw_moved_q || moves);
    w_through_q <= !rst_i && (w_through_q || passes);
    if (moves) marked_q <= moved_q[port_q];
  end
  assign back = marked_q - through_q[port_q];

  // For each requester, the mux counts AWs with owed beats in unary flags: at least one, at least two, and so on.
  logic [N-1:0][OwedWidth-1:0] owed_n;
  for (genvar q = 0; q < N; q++) begin : g_owed
    always_comb begin
      owed_n[q] = '0;
      for (int unsigned n = 1; n <= Owed; n++) owed_n[q] = owed_n[q] + OwedWidth'(u_flat.u_mux.owed_q[n][q]);
    end
    for (genvar n = 1; n < Owed; n++) begin : g_less
      i_at_least: assert property (@(posedge clk_i) disable iff (rst_i)
        !ran || u_flat.u_mux.owed_q[n][q] || !u_flat.u_mux.owed_q[n+1][q]);
    end
  end
  logic [1:0][N-1:0][4:0] owners;       // by port and requester: bursts whose beats are owed
  logic [1:0][4:0]        own_owners;   // bursts of the requester that precede the marked burst
  logic [1:0]             spare_mark;
  logic [1:0]             its_owner;    // the marked burst's owner entry names the requester
  for (genvar p = 0; p < 2; p++) begin : g_inside
    localparam int unsigned Mark = 8 + $bits(user_t);
    logic [$clog2(Depth)-1:0]  read;
    logic [$clog2(Owners)-1:0] o_read;
    logic [4:0]                count, o_count;
    logic [2:0] turns, owner;
    logic       owned, load;
    assign read = u_flat.u_mux.g_port[p].u_aw_out.u_fifo.read_q;
    assign count = 5'(u_flat.u_mux.g_port[p].u_aw_out.u_fifo.count_q);
    assign o_read = u_flat.u_mux.g_port[p].u_owners.read_q;
    assign o_count = 5'(u_flat.u_mux.g_port[p].u_owners.count_q);
    assign owner = u_flat.u_mux.g_port[p].owner_q;
    assign owned = u_flat.u_mux.g_port[p].owned_q;
    axi_mux_queue #(.Depth(Depth)) u_queue (.clk_i, .rst_i, .ran_i(ran), .count_i(u_flat.u_mux.g_port[p].u_aw_out.u_fifo.count_q), .read_i(read),
      .write_i(u_flat.u_mux.g_port[p].u_aw_out.u_fifo.write_q), .valid_i(u_flat.u_mux.g_port[p].u_aw_out.u_fifo.valid_o),
      .ready_i(u_flat.u_mux.g_port[p].u_aw_out.u_fifo.ready_o));
    axi_mux_queue #(.Depth(Owners)) u_owners (.clk_i, .rst_i, .ran_i(ran), .count_i(u_flat.u_mux.g_port[p].u_owners.count_q), .read_i(o_read),
      .write_i(u_flat.u_mux.g_port[p].u_owners.write_q), .valid_i(u_flat.u_mux.g_port[p].u_owners.valid_o),
      .ready_i(u_flat.u_mux.g_port[p].u_owners.ready_o));
    for (genvar q = 0; q < N; q++) begin : g_turn
      assign turns[q] = u_flat.u_mux.aw_turn_q[q] && (u_flat.u_mux.aw_q[q].port != PortVram) == 1'(p);
      i_owed: assert property (@(posedge clk_i) disable iff (rst_i) !ran
        || owners[p][q] == (q == 0 || u_flat.u_mux.to_host_q[q] != 1'(p) ? 5'd0
          : 5'(owed_n[q])));
    end
    i_room_chain: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
      count == 5'(u_flat.u_mux.g_port[p].u_aw_out.count_q)
      && (!u_flat.u_mux.aw_room[p] || 32'(count) + 3 <= Depth)
      && (!(u_flat.u_mux.aw_room_q[p] || u_flat.u_mux.aw_room_exempt_q[p]) || 32'(count) + 2 <= Depth)
      && (turns == '0 || 32'(count) + 1 <= Depth)));
    i_owner: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
      owners[p][1] + owners[p][2] == o_count + 5'(owned) && owned == (owner != '0) && (owner & (owner - 3'd1)) == '0 && !owner[0] && (owned || o_count == '0)));
    always_comb begin
      aw_marks[p] = '0;
      own_here[p] = '0;
      own_before[p] = '0;
      for (int unsigned i = 0; i < Depth; i++) begin
        logic [$clog2(Depth)-1:0] at;    // distance from the head
        logic       own;
        at = $clog2(Depth)'(i) - read;
        own = u_flat.u_mux.g_port[p].u_aw_out.u_fifo.words_q[i][$bits(edge_ax_t)-1 -: RequesterWidth] == RequesterWidth'(who_q);
        if (5'(at) < count) begin
          if (u_flat.u_mux.g_port[p].u_aw_out.u_fifo.words_q[i][Mark])
            aw_marks[p] = aw_marks[p] + (own && marked_q == left_n_q[p] + 5'(at) ? 8'd1 : 8'd2);
          if (own) own_here[p] = own_here[p] + 5'd1;
          if (own && 5'(at) < marked_q - left_n_q[p]) own_before[p] = own_before[p] + 5'd1;
        end
      end
      owners[p] = '0;
      for (int unsigned q = 0; q < N; q++) owners[p][q] = 5'(owner[q]);
      own_owners[p] = 5'(owner[who_q] && back != '0);
      its_owner[p] = back == '0 && owner[who_q];
      for (int unsigned i = 0; i < Owners; i++) begin
        logic [$clog2(Owners)-1:0] at;
        logic [1:0] word;
        at = $clog2(Owners)'(i) - o_read;
        word = u_flat.u_mux.g_port[p].u_owners.words_q[i];
        if (5'(at) < o_count) begin
          for (int unsigned q = 0; q < N; q++) if (word == 2'(q)) owners[p][q] = owners[p][q] + 5'd1;
          if (word == who_q && 5'(at) + 5'd1 < back) own_owners[p] = own_owners[p] + 5'd1;
          if (5'(at) + 5'd1 == back) its_owner[p] = word == who_q;
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) {moved_q[p], through_q[p]} <= '0;
      else begin
        moved_q[p] <= moved_q[p] + 5'(u_flat.u_mux.g_port[p].aw_push);
        through_q[p] <= through_q[p] + 5'(u_flat.u_mux.g_port[p].w_last);
      end
    end
    // At most two W words are between the requesters' registers and the port.
    w_t   spare;
    logic two;
    assign spare = u_flat.u_mux.g_port[p].u_w_out.spare_q;
    assign two = !u_flat.u_mux.g_port[p].u_w_out.ready_o;
    i_numbers: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
      moved_q[p] - left_n_q[p] == count && moved_q[p] - through_q[p] == o_count + 5'(owned)
      && through_q[p] - out_n_q[p] == 5'(w_valid[p] && edge_w[p].last) + 5'(two && spare.last)
      && (!two || w_valid[p])));
    logic inside_q;   // the newest word is not the last one of its burst
    always_ff @(posedge clk_i) begin
      if (rst_i) inside_q <= 1'b0;
      else if (u_flat.u_mux.g_port[p].w_here && u_flat.u_mux.g_port[p].w_ready) inside_q <= !u_flat.u_mux.g_port[p].w_last;
    end
    i_inside: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
      (!inside_q || owned) && (!w_valid[p] || inside_q != (two ? spare.last : edge_w[p].last))));
    logic own_w;  // marked beats can be among these words
    assign spare_mark[p] = two && spare.data[0];
    i_spare_beat: assert property (@(posedge clk_i) disable iff (rst_i)
      !(ran && spare_mark[p]) || spare.data[1] == (out_beat_q ^ w_here[p]));
    assign own_w = aw_moved_q && !w_left_q && port_q == 1'(p);
    i_marked_words: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
      (!w_valid[p] || edge_w[p].data[0] == (own_w && out_n_q[p] == marked_q))
      && (!two || spare.data[0] == (own_w && out_n_q[p] + 5'(edge_w[p].last) == marked_q))));
  end
  i_aw_marks: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
    aw_marks[port_q] == 8'(aw_moved_q && !aw_left_q) && aw_marks[!port_q] == '0
    && (!aw_moved_q || aw_taken_q) && (!aw_left_q || aw_moved_q) && (!aw_taken_q || chosen_q)
    && (!aw_left_q || aw_number_q == marked_q) && (!w_begun_q || w_number_q == marked_q)));
  i_own: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
    own_n_q - own_left_n_q == 4'(own_here[port_q]) + 4'(u_flat.u_mux.aw_valid_q[who_q] && port_q == (u_flat.u_mux.aw_q[who_q].port != PortVram))
    && (!(aw_taken_q && !aw_left_q) || place_q - own_left_n_q == (aw_moved_q ? 4'(own_before[port_q]) : 4'(own_here[port_q])))));
  for (genvar q = 1; q < N; q++) begin : g_numbers
    i_numbers: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
      aw_n_q[q] - moved_n_q[q] == 4'(u_flat.u_mux.aw_valid_q[q])
      && w_n_q[q] - passed_n_q[q] == 4'(u_flat.u_mux.w_valid_q[q] && u_flat.u_mux.w_q[q].last)
      && moved_n_q[q] - passed_n_q[q] == 4'(owed_n[q])
      && (!(u_flat.u_mux.w_valid_q[q] && !u_flat.u_mux.w_q[q].last) || middle_q[q])
      && (!u_flat.u_mux.aw_valid_q[q] || u_flat.u_mux.aw_q[q].addr[0] == (who_q == 2'(q) && aw_taken_q && !aw_moved_q))
      && (!u_flat.u_mux.w_valid_q[q] || u_flat.u_mux.w_q[q].data[0] == (who_q == 2'(q) && chosen_q && !w_through_q && passed_n_q[q] == number_q))
      && (!(u_flat.u_mux.w_valid_q[q] && u_flat.u_mux.w_q[q].data[0]) || u_flat.u_mux.w_q[q].data[1] != beat_q)));
    i_may: assert property (@(posedge clk_i) disable iff (rst_i) !ran || (
      u_flat.u_mux.aw_may_q[0][q] == (owed_n[q] == '0 || (owed_n[q] != OwedWidth'(Owed) && !u_flat.u_mux.to_host_q[q]))
      && u_flat.u_mux.aw_may_q[1][q] == (owed_n[q] == '0 || (owed_n[q] != OwedWidth'(Owed) && u_flat.u_mux.to_host_q[q]))
      && (!u_flat.u_mux.aw_turn_q[q] || u_flat.u_mux.aw_may_q[u_flat.u_mux.aw_q[q].port != PortVram][q])));
  end
  // How far the requester's next burst numbers are from the marked number; the distances are small.
  few_t to_aw, to_w, to_move, to_pass;
  assign to_aw = number_q - aw_n_q[who_q];
  assign to_w = number_q - w_n_q[who_q];
  assign to_move = number_q - moved_n_q[who_q];
  assign to_pass = number_q - passed_n_q[who_q];
  i_not_far: assert property (@(posedge clk_i) disable iff (rst_i) !(ran && chosen_q) || (
    (aw_taken_q || to_aw < 4'd7) && (w_taken_q || to_w < 4'd7)
    && (w_taken_q || !w_through_q) && (!aw_taken_q || aw_moved_q || (to_move == '0 && u_flat.u_mux.aw_valid_q[who_q]))
    && (!w_through_q || aw_moved_q) && (w_left_q ? w_through_q && w_begun_q : 1'b1) && (!w_begun_q || aw_moved_q)
    && (!(w_taken_q && !w_through_q) || (to_pass == '0 && u_flat.u_mux.w_valid_q[who_q] && u_flat.u_mux.w_q[who_q].last))
    && (!w_begun_q || w_left_q || (out_n_q[port_q] == marked_q))
    && (!(w_through_q && !w_left_q) || marked_q - out_n_q[port_q] < 5'd2 && through_q[port_q] - marked_q - 5'd1 < 5'd3)));
  i_none: assert property (@(posedge clk_i) disable iff (rst_i) !(ran && !chosen_q) || !(aw_taken_q || w_taken_q || aw_moved_q || w_through_q || aw_left_q || w_begun_q || w_left_q || beat_q));
  i_its_owner: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && aw_moved_q && !w_through_q)
      || (its_owner[port_q] && 4'(own_owners[port_q]) == to_pass
        && back < moved_q[port_q] - through_q[port_q]));
  i_marked_port: assert property (@(posedge clk_i) disable iff (rst_i)
    !(ran && u_flat.u_mux.aw_valid_q[who_q] && u_flat.u_mux.aw_q[who_q].addr[0]) || port_q == (u_flat.u_mux.aw_q[who_q].port != PortVram));
  i_beats: assert property (@(posedge clk_i) disable iff (rst_i) !ran || beat_q ==
    (out_beat_q ^ (^w_here) ^ (^spare_mark) ^ (u_flat.u_mux.w_valid_q[who_q] && u_flat.u_mux.w_q[who_q].data[0])));
  i_who: assert property (@(posedge clk_i) !ran || who_q == 2'd1 || who_q == 2'd2);
  i_turn: assert property (@(posedge clk_i) disable iff (rst_i) !ran ||
    ((u_flat.u_mux.aw_turn_q & ~u_flat.u_mux.aw_valid_q) == '0 && u_flat.u_mux.aw_any_q == (u_flat.u_mux.aw_turn_q != '0)
    && (u_flat.u_mux.aw_turn_q & (u_flat.u_mux.aw_turn_q - 3'd1)) == '0 && !u_flat.u_mux.aw_turn_q[0]));
endmodule

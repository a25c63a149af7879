// SPDX-License-Identifier: Apache-2.0
// Joins the GPU's requesters to its two memory ports.
//
//   requesters  ax_t.port names the memory port of a burst (PortPeer never arrives). W beats follow
//               the requester's own AW order. R and B need no ready: their places are reserved
//               before AR or AW.
//   edge        id = {requester, its own id}. AR, AW round robin. W in the order of AW. B and R in
//               any order.
//   order       a requester's AW that was accepted earlier leaves earlier on the same memory port.
//   host_enable_i = 0: no new AR or AW leaves by the host port; what has left is finished.
//
// Registered at every input and output; one beat a cycle on every channel.
module gmmu_axi_mux
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned NumRequesters = 12,
  parameter int unsigned OwnerDepth = 16,   // AWs a memory port may be ahead of their W beats
  // requesters that read; the others' AR is ignored
  parameter logic [NumRequesters-1:0] Readers = '1,
  parameter logic [NumRequesters-1:0] Writers = '1   // requesters that write
) (
  input  logic                          clk_i,
  input  logic                          rst_i,

  input  logic                          host_enable_i,

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

  output logic                          idle_o       // no burst accepted here still waits to leave
);
  localparam int unsigned N = NumRequesters;
  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1;

  if (N > (1 << RequesterWidth)) begin : g_illegal
    $fatal(1, "gmmu_axi_mux: at most 128 requesters");
  end

  // Requester side: one register slice a channel.
  logic [N-1:0]  ar_valid, ar_take, aw_valid, aw_take, w_valid, w_take;
  ax_t  [N-1:0]  ar, aw;
  w_t   [N-1:0]  w;
  // memory port of the oldest burst whose W is not finished
  logic [N-1:0]  route_ready, route_valid, route_host;
  logic [N-1:0]  w_last_take;

  for (genvar q = 0; q < N; q++) begin : g_requester
    if (Readers[q]) begin : g_reads
      gmmu_skid #(.Width($bits(ax_t))) u_ar (
        .clk_i, .rst_i,
        .valid_i(ar_valid_i[q]), .ready_o(ar_ready_o[q]), .data_i(ar_i[q]),
        .valid_o(ar_valid[q]), .ready_i(ar_take[q]), .data_o(ar[q])
      );
    end else begin : g_no_reads
      logic unused_read;
      assign ar_ready_o[q] = 1'b0;
      assign ar_valid[q] = 1'b0;
      assign ar[q] = '0;
      assign unused_read = ^{ar_valid_i[q], ar_i[q], ar_take[q]};
    end
    if (Writers[q]) begin : g_writes
      gmmu_skid #(.Width($bits(ax_t))) u_aw (
        .clk_i, .rst_i,
        .valid_i(aw_valid_i[q]), .ready_o(aw_ready_o[q]), .data_i(aw_i[q]),
        .valid_o(aw_valid[q]), .ready_i(aw_take[q]), .data_o(aw[q])
      );
      gmmu_skid #(.Width($bits(w_t))) u_w (
        .clk_i, .rst_i,
        .valid_i(w_valid_i[q]), .ready_o(w_ready_o[q]), .data_i(w_i[q]),
        .valid_o(w_valid[q]), .ready_i(w_take[q]), .data_o(w[q])
      );
      gmmu_fifo #(.Width(1), .Depth(OwnerDepth)) u_route (
        .clk_i, .rst_i,
        .valid_i(aw_take[q]), .ready_o(route_ready[q]), .data_i(aw[q].port == PortHost),
        .valid_o(route_valid[q]), .ready_i(w_last_take[q]), .data_o(route_host[q])
      );
    end else begin : g_no_writes
      logic unused_write;
      assign aw_ready_o[q] = 1'b0;
      assign w_ready_o[q] = 1'b0;
      assign aw_valid[q] = 1'b0;
      assign aw[q] = '0;
      assign w_valid[q] = 1'b0;
      assign w[q] = '0;
      assign route_ready[q] = 1'b0;
      assign route_valid[q] = 1'b0;
      assign route_host[q] = 1'b0;
      assign unused_write = ^{aw_valid_i[q], aw_i[q], w_valid_i[q], w_i[q], aw_take[q],
          w_last_take[q]};
    end
  end

  // Memory side, one of VRAM (0) and host (1).
  logic [1:0][N-1:0] ar_grant, aw_grant, w_grant, r_want, b_want;
  logic [1:0]        r_valid, r_take, b_valid, b_take, owner_valid;
  edge_r_t [1:0]     r;
  edge_b_t [1:0]     b;

  for (genvar p = 0; p < 2; p++) begin : g_port
    localparam port_e Port = p == 0 ? PortVram : PortHost;
    logic [N-1:0]          ar_req, aw_req;
    logic [IndexWidth-1:0] ar_index, aw_index, owner;
    logic                  ar_ready, aw_ready, owner_ready, open, w_go, w_ready;
    edge_ax_t              ar_out, aw_out;

    assign open = p == 0 || host_enable_i;
    for (genvar q = 0; q < N; q++) begin : g_req
      assign ar_req[q] = open && ar_ready && ar_valid[q] && ar[q].port == Port;
      assign aw_req[q] = open && aw_ready && owner_ready && aw_valid[q] && aw[q].port == Port &&
          route_ready[q];
      assign w_grant[p][q] = w_go && w_ready && owner == IndexWidth'(q);
      assign r_want[p][q] = r_valid[p] && r[p].id[IdWidth +: RequesterWidth] == RequesterWidth'(q);
      assign b_want[p][q] = b_valid[p] && b[p].id[IdWidth +: RequesterWidth] == RequesterWidth'(q);
    end

    gmmu_rr_arbiter #(.N(N)) u_ar_arbiter (
      .clk_i, .rst_i, .req_i(ar_req), .advance_i(1'b1), .gnt_o(ar_grant[p]), .index_o(ar_index)
    );
    gmmu_rr_arbiter #(.N(N)) u_aw_arbiter (
      .clk_i, .rst_i, .req_i(aw_req), .advance_i(1'b1), .gnt_o(aw_grant[p]), .index_o(aw_index)
    );

    always_comb begin
      ar_out = '{id: {RequesterWidth'(ar_index), ar[ar_index].id}, addr: ar[ar_index].addr,
                 len: ar[ar_index].len, user: ar[ar_index].user};
      aw_out = '{id: {RequesterWidth'(aw_index), aw[aw_index].id}, addr: aw[aw_index].addr,
                 len: aw[aw_index].len, user: aw[aw_index].user};
    end

    gmmu_skid #(.Width($bits(edge_ax_t))) u_ar_out (
      .clk_i, .rst_i,
      .valid_i(ar_req != '0), .ready_o(ar_ready), .data_i(ar_out),
      .valid_o(ar_valid_o[p]), .ready_i(ar_ready_i[p]), .data_o(ar_o[p])
    );
    gmmu_skid #(.Width($bits(edge_ax_t))) u_aw_out (
      .clk_i, .rst_i,
      .valid_i(aw_req != '0), .ready_o(aw_ready), .data_i(aw_out),
      .valid_o(aw_valid_o[p]), .ready_i(aw_ready_i[p]), .data_o(aw_o[p])
    );

    // Requesters whose W beats this port still takes, in the order of AW.
    gmmu_fifo #(.Width(IndexWidth), .Depth(OwnerDepth)) u_owners (
      .clk_i, .rst_i,
      .valid_i(aw_req != '0), .ready_o(owner_ready), .data_i(aw_index),
      .valid_o(owner_valid[p]), .ready_i(w_go && w_ready && w[owner].last), .data_o(owner)
    );
    assign w_go = owner_valid[p] && w_valid[owner] && route_valid[owner] &&
        route_host[owner] == (p != 0);
    gmmu_skid #(.Width($bits(w_t))) u_w_out (
      .clk_i, .rst_i,
      .valid_i(w_go), .ready_o(w_ready), .data_i(w[owner]),
      .valid_o(w_valid_o[p]), .ready_i(w_ready_i[p]), .data_o(w_o[p])
    );

    gmmu_skid #(.Width($bits(edge_r_t))) u_r_in (
      .clk_i, .rst_i,
      .valid_i(r_valid_i[p]), .ready_o(r_ready_o[p]), .data_i(r_i[p]),
      .valid_o(r_valid[p]), .ready_i(r_take[p]), .data_o(r[p])
    );
    gmmu_skid #(.Width($bits(edge_b_t))) u_b_in (
      .clk_i, .rst_i,
      .valid_i(b_valid_i[p]), .ready_o(b_ready_o[p]), .data_i(b_i[p]),
      .valid_o(b_valid[p]), .ready_i(b_take[p]), .data_o(b[p])
    );
  end

  // A requester takes one R and one B a cycle; when both ports have one for it they take turns.
  logic [N-1:0] r_clash, b_clash;
  logic         r_turn_q, b_turn_q;

  assign r_clash = r_want[0] & r_want[1];
  assign b_clash = b_want[0] & b_want[1];
  assign r_take = r_clash == '0 ? 2'b11 : {r_turn_q, !r_turn_q};
  assign b_take = b_clash == '0 ? 2'b11 : {b_turn_q, !b_turn_q};

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      r_turn_q <= 1'b0;
      b_turn_q <= 1'b0;
    end else begin
      if (r_clash != '0) r_turn_q <= !r_turn_q;
      if (b_clash != '0) b_turn_q <= !b_turn_q;
    end
  end

  for (genvar q = 0; q < N; q++) begin : g_answers
    logic r_host, b_host;
    assign r_host = r_want[1][q] && r_take[1];
    assign b_host = b_want[1][q] && b_take[1];
    assign r_valid_o[q] = r_host || (r_want[0][q] && r_take[0]);
    assign b_valid_o[q] = b_host || (b_want[0][q] && b_take[0]);
    assign r_o[q] = '{id: r[r_host].id[IdWidth-1:0], data: r[r_host].data, error: r[r_host].error,
        last: r[r_host].last};
    assign b_o[q] = '{id: b[b_host].id[IdWidth-1:0], error: b[b_host].error};
  end

  assign ar_take = ar_grant[0] | ar_grant[1];
  assign aw_take = aw_grant[0] | aw_grant[1];
  assign w_take = w_grant[0] | w_grant[1];
  for (genvar q = 0; q < N; q++) begin : g_last
    assign w_last_take[q] = w_take[q] && w[q].last;
  end

  assign idle_o = (ar_valid | aw_valid | w_valid) == '0 && owner_valid == '0 && ar_valid_o == '0 &&
                  aw_valid_o == '0 && w_valid_o == '0 && r_valid == '0 && b_valid == '0;
endmodule

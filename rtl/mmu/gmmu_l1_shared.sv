// SPDX-License-Identifier: Apache-2.0
// Shares one gmmu_l1 among the ports of the paging engine, which make few lookups.
//
// Ports are served in rotation: after each request, the turn passes to another port with a request,
// if there is one. Each port has a response queue with space for all of its tags, so that no port
// waits for another one to accept responses. Port 0 is the fetch port. With eight miss slots or
// more, the other ports leave one slot for it: their requests are not accepted while four or fewer
// slots are free, since up to three accepted requests may not have allocated their slot yet.
//
//   req, rsp, done, ev, count   per port, as in gmmu_l1, but a request is accepted at least one
//                               cycle before gmmu_l1 accepts it, and a response comes at least
//                               three cycles after gmmu_l1 sends it
//   all others                  as in gmmu_l1
module gmmu_l1_shared
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned Ports = Config.EnginePorts   // 2 or 3
) (
  input  logic         clk_i,
  input  logic         rst_i,

  input  logic         [Ports-1:0] req_valid_i,
  output logic         [Ports-1:0] req_ready_o,
  input  xlate_req_t   [Ports-1:0] req_i,
  output logic         [Ports-1:0] rsp_valid_o,
  input  logic         [Ports-1:0] rsp_ready_i,
  output xlate_rsp_t   [Ports-1:0] rsp_o,
  input  xlate_done_t  done_i [Ports],

  output logic         lookup_hint_o,
  output logic         lookup_pending_o,
  output key_t         lookup_key_o,
  output logic         lookup_valid_o,
  input  logic         lookup_ready_i,
  output asker_t       lookup_o,
  input  logic         msg_valid_i,
  input  msg_t         msg_i,
  input  hint_t        late_hint_i,
  input  translation_t later_i,
  input  translation_t last_i,
  input  hint_t        last_hint_i,

  input  sweep_t       sweep_i,
  input  l1_use_t      use_size_i,
  input  logic         use_set_i,
  input  logic         generation_i,
  output logic [1:0]   drained_o,

  output logic         [Ports-1:0] ev_valid_o,
  output xlate_event_t [Ports-1:0] ev_o,
  output port_count_t  count_o [Ports],
  output logic         idle_o
);
  typedef logic [1:0] source_t;

  // ---- Requests go through one register, which is loaded from the port whose turn it is.
  source_t     turn_q, turn_d, source_q, rsp_source;
  xlate_req_t  chosen, req_q;
  logic        req_valid_q, req_ready, load, few, may;
  logic [Ports-1:0] wants, has_turn;
  assign has_turn = wants & (Ports'(1) << turn_q);
  assign load = !req_valid_q || req_ready;
  assign may = turn_q == '0 || !few;
  always_comb begin
    for (int unsigned i = 0; i < Ports; i++) begin
      req_ready_o[i] = turn_q == source_t'(i) && load && may;
      wants[i] = req_valid_i[i] && (i == 0 || !few);
    end
    chosen = req_i[0];
    for (int unsigned i = 1; i < Ports; i++) if (turn_q == source_t'(i)) chosen = req_i[i];
    // Select the next port with a request; the turn stays only if no other port has a request.
    turn_d = turn_q;
    for (int unsigned i = 0; i < Ports; i++) begin
      if (wants[Ports-1-i] && source_t'(Ports-1-i) < turn_q) turn_d = source_t'(Ports-1-i);
    end
    for (int unsigned i = 0; i < Ports; i++) begin
      if (wants[Ports-1-i] && source_t'(Ports-1-i) > turn_q) turn_d = source_t'(Ports-1-i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      req_valid_q <= 1'b0;
      turn_q <= '0;
    end else begin
      if (load) req_valid_q <= has_turn != '0;
      if (load || has_turn == '0) turn_q <= turn_d;
    end
    if (load) begin
      req_q <= chosen;
      source_q <= turn_q;
    end
  end

  logic         rsp_valid, l1_idle;
  xlate_rsp_t   rsp;
  xlate_event_t ev;
  // Returns Config with the client ports' L1 sizes replaced by those of the paging engine.
  function automatic config_t of_engine();
    config_t c;
    c = Config;
    c.L1Entries = Config.EngineL1Entries;
    c.MissSlots = Config.EngineMissSlots;
    return c;
  endfunction
  gmmu_l1 #(.Config(of_engine()), .Sources(Ports)) u_l1 (
    .clk_i, .rst_i, .port_i(port_t'(Config.NumPorts - Ports)),
    .req_valid_i(req_valid_q), .req_ready_o(req_ready), .req_i(req_q), .req_source_i(source_q),
    .rsp_valid_o(rsp_valid), .rsp_ready_i(1'b1), .rsp_o(rsp), .rsp_source_o(rsp_source), .done_i,
    .lookup_hint_o, .lookup_pending_o, .lookup_key_o, .lookup_valid_o, .lookup_ready_i, .lookup_o,
    .msg_valid_i, .msg_i, .late_hint_i, .later_i, .last_i, .last_hint_i,
    .sweep_i, .use_size_i, .use_set_i, .generation_i, .drained_o, .ev_o(ev), .count_o, .few_o(few), .idle_o(l1_idle));

  // ---- Responses, each with its event for the event port.
  localparam int unsigned Width = $bits(xlate_rsp_t) + (Config.EventPort != 0 ? $bits(xlate_event_t) : 0);
  logic [Ports-1:0] unused_ready;
  for (genvar i = 0; i < Ports; i++) begin : g_port
    logic [Width-1:0] word;
    gmmu_fifo_ram #(.Width(Width), .Depth(1 << $bits(tag_t))) u_answers (
      .clk_i, .rst_i, .valid_i(rsp_valid && rsp_source == source_t'(i)), .ready_o(unused_ready[i]),
      .data_i(Width'({ev, rsp})), .valid_o(rsp_valid_o[i]), .ready_i(rsp_ready_i[i]),
      .data_o(word));
    assign rsp_o[i] = word[$bits(xlate_rsp_t)-1:0];
    assign ev_valid_o[i] = Config.EventPort != 0 && rsp_valid_o[i] && rsp_ready_i[i];
    if (Config.EventPort != 0) begin : g_event
      assign ev_o[i] = word[Width-1 -: $bits(xlate_event_t)];
    end else begin : g_no_event
      assign ev_o[i] = '0;
    end
    a_room: assert property (@(posedge clk_i) disable iff (rst_i)
      !(rsp_valid && rsp_source == source_t'(i)) || unused_ready[i]);
  end
  // A queued response is still in use, so drained_o and therefore l1_idle are 0.
  assign idle_o = l1_idle && !req_valid_q;

  if (Ports < 2 || Ports > 3) begin : g_illegal
    $fatal(1, "gmmu_l1_shared: Ports must be 2 or 3");
  end
endmodule

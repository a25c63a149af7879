// SPDX-License-Identifier: Apache-2.0
// One memory port of the isolator. It passes bursts without a register and counts outstanding
// bursts. When the core is reset, it completes the handshakes and W beats that AXI requires of a
// manager.
//
//   close_i       no new AR or AW is offered; a pending offer stays until it is accepted
//   cut_i         the core is in reset: this unit keeps a pending offer until it is accepted, and
//                 sends the outstanding W beats of its bursts with all strobes 0. Legal only while
//                 close_i is 1, from its second cycle on
//   generation_i  prepended to the id of every new burst; it may change only during cut_i. R and B
//                 of the other generation are accepted and dropped
//   busy_o        by generation: at least one burst is outstanding
//   owing_o       a pending offer, or W beats of a started burst, have not been accepted yet
//   late_o        pulse: a response was dropped
// A burst is counted from the second cycle of its offer. A W beat passes only after its burst's AW.
module gmmu_isolator_port
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned OwedDepth = 32,  // maximum number of bursts with outstanding W beats
  parameter int unsigned CountWidth = 14
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        close_i,
  input  logic        cut_i,
  input  logic        generation_i,
  output logic [1:0]  busy_o,
  output logic        owing_o,
  output logic        late_o,

  input  logic        ar_valid_i,
  output logic        ar_ready_o,
  input  edge_ax_t    ar_i,
  output logic        r_valid_o,
  input  logic        r_ready_i,
  output edge_r_t     r_o,
  input  logic        aw_valid_i,
  output logic        aw_ready_o,
  input  edge_ax_t    aw_i,
  input  logic        w_valid_i,
  output logic        w_ready_o,
  input  w_t          w_i,
  output logic        b_valid_o,
  input  logic        b_ready_i,
  output edge_b_t     b_o,

  output logic        m_ar_valid_o,
  input  logic        m_ar_ready_i,
  output port_ax_t    m_ar_o,
  input  logic        m_r_valid_i,
  output logic        m_r_ready_o,
  input  port_r_t     m_r_i,
  output logic        m_aw_valid_o,
  input  logic        m_aw_ready_i,
  output port_ax_t    m_aw_o,
  output logic        m_w_valid_o,
  input  logic        m_w_ready_i,
  output w_t          m_w_o,
  input  logic        m_b_valid_i,
  output logic        m_b_ready_o,
  input  port_b_t     m_b_i
);
  // offered: an offer was not accepted in the previous cycle. kept: a copy of the offer, which
  // survives the core's reset.
  logic     owed_ready;
  logic     ar_offered_q, aw_offered_q, ar_begins, aw_begins, generation, offer_generation_q;
  edge_ax_t ar_kept_q, aw_kept_q;

  function automatic port_ax_t port_of(logic above, edge_ax_t ax);
    return '{id: {above, ax.id}, addr: ax.addr, len: ax.len, user: ax.user};
  endfunction

  assign m_ar_valid_o = ar_offered_q || (ar_valid_i && !close_i && !cut_i);
  assign m_aw_valid_o = aw_offered_q || (aw_valid_i && !close_i && !cut_i && owed_ready);
  assign generation = cut_i ? offer_generation_q : generation_i;   // generation of offers
  assign m_ar_o = port_of(generation, cut_i ? ar_kept_q : ar_i);
  assign m_aw_o = port_of(generation, cut_i ? aw_kept_q : aw_i);
  assign ar_ready_o = m_ar_ready_i && !cut_i && (ar_offered_q || !close_i);
  assign aw_ready_o = m_aw_ready_i && !cut_i && (aw_offered_q || (!close_i && owed_ready));
  assign ar_begins = m_ar_valid_o && !ar_offered_q;
  assign aw_begins = m_aw_valid_o && !aw_offered_q;

  // Lengths of the started bursts whose W beats are not complete.
  logic       owed_valid, w_kept_valid_q, w_take, w_last;
  logic [7:0] owed_len, beat_q;
  w_t         w_kept_q, filler;
  gmmu_fifo #(.Width(8), .Depth(OwedDepth)) u_owed (
    .clk_i, .rst_i, .valid_i(aw_begins), .ready_o(owed_ready), .data_i(m_aw_o.len),
    .valid_o(owed_valid), .ready_i(w_take && w_last), .data_o(owed_len)
  );
  // The core marks the last beat of its bursts. During a cut, this unit counts the beats, and sends
  // one at most every other cycle.
  logic last_q, fresh_q;                  // fresh_q: last_q is valid for the next beat
  assign w_last = cut_i ? last_q : w_i.last;
  always_comb begin
    filler = '0;
    filler.last = last_q;
  end
  assign m_w_valid_o = owed_valid && (cut_i ? fresh_q : w_valid_i);
  assign m_w_o = !cut_i ? w_i : w_kept_valid_q ? w_kept_q : filler;
  assign w_take = m_w_valid_o && m_w_ready_i;
  assign w_ready_o = m_w_ready_i && owed_valid && !cut_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ar_offered_q <= 1'b0;
      aw_offered_q <= 1'b0;
      w_kept_valid_q <= 1'b0;
      beat_q <= '0;
    end else begin
      ar_offered_q <= m_ar_valid_o && !m_ar_ready_i;
      aw_offered_q <= m_aw_valid_o && !m_aw_ready_i;
      w_kept_valid_q <= m_w_valid_o && !m_w_ready_i && (!cut_i || w_kept_valid_q);
      if (w_take) beat_q <= w_last ? '0 : beat_q + 1'b1;
    end
    last_q <= beat_q == owed_len;
    fresh_q <= !w_take;
    if (!cut_i) begin
      ar_kept_q <= ar_i;
      aw_kept_q <= aw_i;
      w_kept_q <= w_i;
      offer_generation_q <= generation_i;
    end
  end

  // Responses of the current generation pass; others are dropped. Ready does not depend on the
  // generation.
  logic r_generation, b_generation, r_ours, b_ours;
  assign r_generation = m_r_i.id[EdgeIdWidth];
  assign b_generation = m_b_i.id[EdgeIdWidth];
  assign r_ours = r_generation == generation_i && !cut_i;
  assign b_ours = b_generation == generation_i && !cut_i;
  assign r_valid_o = m_r_valid_i && r_ours;
  assign b_valid_o = m_b_valid_i && b_ours;
  assign r_o = '{id: m_r_i.id[EdgeIdWidth-1:0], data: m_r_i.data, error: m_r_i.resp != RespOkay, last: m_r_i.last};
  assign b_o = '{id: m_b_i.id[EdgeIdWidth-1:0], error: m_b_i.resp != RespOkay};
  assign m_r_ready_o = r_ready_i || cut_i;
  assign m_b_ready_o = b_ready_i || cut_i;

  // Number of outstanding bursts by generation, and whether it is nonzero. Starts and completions
  // are registered before they are counted.
  localparam logic [CountWidth-1:0] One = CountWidth'(1);
  logic [1:0][CountWidth-1:0] reads_q, writes_q;
  logic [1:0]                 reading_q, writing_q, ar_of_q, r_of_q, aw_of_q, b_of_q;
  logic                       r_end, b_end;
  assign r_end = m_r_valid_i && m_r_ready_o && m_r_i.last;
  assign b_end = m_b_valid_i && m_b_ready_o;
  for (genvar g = 0; g < 2; g++) begin : g_generation
    assign busy_o[g] = reading_q[g] || writing_q[g] || ar_of_q[g] || aw_of_q[g];

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        reads_q[g] <= '0;
        writes_q[g] <= '0;
        reading_q[g] <= 1'b0;
        writing_q[g] <= 1'b0;
        ar_of_q[g] <= 1'b0;
        aw_of_q[g] <= 1'b0;
        r_of_q[g] <= 1'b0;
        b_of_q[g] <= 1'b0;
      end else begin
        ar_of_q[g] <= ar_begins && generation == 1'(g);
        aw_of_q[g] <= aw_begins && generation == 1'(g);
        r_of_q[g] <= r_end && r_generation == 1'(g);
        b_of_q[g] <= b_end && b_generation == 1'(g);
        if (ar_of_q[g] != r_of_q[g]) reads_q[g] <= reads_q[g] + (ar_of_q[g] ? One : '1);
        if (aw_of_q[g] != b_of_q[g]) writes_q[g] <= writes_q[g] + (aw_of_q[g] ? One : '1);
        reading_q[g] <= ar_of_q[g] || (reading_q[g] && !(r_of_q[g] && reads_q[g] == One));
        writing_q[g] <= aw_of_q[g] || (writing_q[g] && !(b_of_q[g] && writes_q[g] == One));
      end
    end
  end
  always_ff @(posedge clk_i) late_o <= !rst_i && ((r_end && !r_ours) || (b_end && !b_ours));
  assign owing_o = ar_offered_q || aw_offered_q || owed_valid;

  a_answered: assert property (@(posedge clk_i) disable iff (rst_i)
    (!r_end || reads_q[r_generation] != '0 || ar_of_q[r_generation]) &&
    (!b_end || writes_q[b_generation] != '0 || aw_of_q[b_generation]));
  a_last: assert property (@(posedge clk_i) disable iff (rst_i)
    !w_take || cut_i || w_i.last == (beat_q == owed_len));
endmodule

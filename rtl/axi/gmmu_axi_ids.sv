// SPDX-License-Identifier: Apache-2.0
// Reduces the id width of one AXI4 manager port. Above (s), ids have UpBits bits and come from the
// GPU; below (m), they have IdBits bits. Bursts keep their order on AR, AW and W; none is lost,
// duplicated or split.
//
//   s_ar, s_aw  ids are unique among the outstanding bursts of their channel, except SharedId
//   m_ar, m_aw  each outstanding burst has its own id, one of 2**IdBits for reads and one of
//               2**IdBits for writes; an address waits while no id is free. Reads and writes never
//               wait for each other
//   Shared      1: bursts of s_aw whose id, without its highest bit, equals SharedId share one id
//               below and so keep their order, which the writes of the GPU's VRAM window require
//   w           passes in order and needs no id. W may be up to three bursts further ahead of AW
//               below than above, because this unit holds up to three addresses
//   m_r, m_b    the GPU's id is restored in each response. A response whose id is not outstanding
//               (its address was not accepted, or its last response has already arrived) is
//               dropped, and stray_o is 1 in the next cycle
//   *_i, *_o    the other fields of a channel, in any order, passed through unchanged; R's last is
//               a separate bit
//
// Every channel adds one cycle of latency and carries one word per cycle. No output depends
// combinationally on an input. If IdBits = UpBits, there is no table and no register: the ports are
// wired through.
module gmmu_axi_ids #(
  parameter int unsigned IdBits = 4,
  parameter int unsigned UpBits = gmmu_axi_pkg::PortIdWidth,
  parameter int unsigned AxWidth = 8,
  parameter int unsigned WWidth = 8,
  parameter int unsigned RWidth = 8,
  parameter int unsigned BWidth = 2,
  parameter bit          Shared = 1'b0,
  parameter logic [UpBits-2:0] SharedId = '0,
  parameter int unsigned CountWidth = 5   // up to 2**CountWidth - 1 shared writes per generation
) (
  input  logic               clk_i,
  input  logic               rst_i,
  output logic               stray_o,

  input  logic               s_ar_valid_i,
  output logic               s_ar_ready_o,
  input  logic [UpBits-1:0]  s_ar_id_i,
  input  logic [AxWidth-1:0] s_ar_i,
  output logic               s_r_valid_o,
  input  logic               s_r_ready_i,
  output logic [UpBits-1:0]  s_r_id_o,
  output logic [RWidth-1:0]  s_r_o,
  output logic               s_r_last_o,
  input  logic               s_aw_valid_i,
  output logic               s_aw_ready_o,
  input  logic [UpBits-1:0]  s_aw_id_i,
  input  logic [AxWidth-1:0] s_aw_i,
  input  logic               s_w_valid_i,
  output logic               s_w_ready_o,
  input  logic [WWidth-1:0]  s_w_i,
  output logic               s_b_valid_o,
  input  logic               s_b_ready_i,
  output logic [UpBits-1:0]  s_b_id_o,
  output logic [BWidth-1:0]  s_b_o,

  output logic               m_ar_valid_o,
  input  logic               m_ar_ready_i,
  output logic [IdBits-1:0]  m_ar_id_o,
  output logic [AxWidth-1:0] m_ar_o,
  input  logic               m_r_valid_i,
  output logic               m_r_ready_o,
  input  logic [IdBits-1:0]  m_r_id_i,
  input  logic [RWidth-1:0]  m_r_i,
  input  logic               m_r_last_i,
  output logic               m_aw_valid_o,
  input  logic               m_aw_ready_i,
  output logic [IdBits-1:0]  m_aw_id_o,
  output logic [AxWidth-1:0] m_aw_o,
  output logic               m_w_valid_o,
  input  logic               m_w_ready_i,
  output logic [WWidth-1:0]  m_w_o,
  input  logic               m_b_valid_i,
  output logic               m_b_ready_o,
  input  logic [IdBits-1:0]  m_b_id_i,
  input  logic [BWidth-1:0]  m_b_i
);
  if (IdBits < 1 || IdBits > UpBits) begin : g_illegal
    $fatal(1, "gmmu_axi_ids: IdBits is %0d, legal: 1 to %0d", IdBits, UpBits);
  end else if (IdBits == UpBits) begin : g_wires
    assign {m_ar_valid_o, m_ar_id_o, m_ar_o} = {s_ar_valid_i, s_ar_id_i, s_ar_i};
    assign {m_aw_valid_o, m_aw_id_o, m_aw_o} = {s_aw_valid_i, s_aw_id_i, s_aw_i};
    assign {m_w_valid_o, m_w_o} = {s_w_valid_i, s_w_i};
    assign {s_ar_ready_o, s_aw_ready_o, s_w_ready_o} = {m_ar_ready_i, m_aw_ready_i, m_w_ready_i};
    assign {s_r_valid_o, s_r_id_o, s_r_o, s_r_last_o} = {m_r_valid_i, m_r_id_i, m_r_i, m_r_last_i};
    assign {s_b_valid_o, s_b_id_o, s_b_o} = {m_b_valid_i, m_b_id_i, m_b_i};
    assign {m_r_ready_o, m_b_ready_o} = {s_r_ready_i, s_b_ready_i};
    assign stray_o = 1'b0;
    logic unused_clock;
    assign unused_clock = ^{clk_i, rst_i};
  end else begin : g_table
    logic              ar_valid, ar_ready, aw_valid, aw_ready, aw_shared;
    logic              r_known, b_known, r_take, b_take;
    logic [UpBits-1:0] ar_id, aw_id, r_id, b_id;

    // ---- Reads. A response looks up its id in the cycle in which it is accepted, before that id
    // can be assigned to another burst.
    gmmu_skid #(.Width(UpBits + AxWidth)) u_ar (
      .clk_i, .rst_i, .valid_i(s_ar_valid_i), .ready_o(s_ar_ready_o), .data_i({s_ar_id_i, s_ar_i}),
      .valid_o(ar_valid), .ready_i(ar_ready), .data_o({ar_id, m_ar_o})
    );
    gmmu_axi_id_table #(.IdBits(IdBits), .UpBits(UpBits)) u_reads (
      .clk_i, .rst_i,
      .ax_valid_i(ar_valid), .ax_ready_o(ar_ready), .ax_id_i(ar_id), .ax_shared_i(1'b0),
      .m_valid_o(m_ar_valid_o), .m_ready_i(m_ar_ready_i), .m_id_o(m_ar_id_o),
      .answer_i(r_take), .answer_last_i(m_r_last_i), .answer_id_i(m_r_id_i), .known_o(r_known),
      .up_id_o(r_id)
    );
    assign r_take = m_r_valid_i && m_r_ready_o;
    gmmu_skid #(.Width(UpBits + RWidth + 1)) u_r (
      .clk_i, .rst_i, .valid_i(m_r_valid_i && r_known), .ready_o(m_r_ready_o),
      .data_i({r_id, m_r_i, m_r_last_i}),
      .valid_o(s_r_valid_o), .ready_i(s_r_ready_i), .data_o({s_r_id_o, s_r_o, s_r_last_o})
    );

    // ---- Writes.
    gmmu_skid #(.Width(1 + UpBits + AxWidth)) u_aw (
      .clk_i, .rst_i, .valid_i(s_aw_valid_i), .ready_o(s_aw_ready_o),
      .data_i({Shared && s_aw_id_i[UpBits-2:0] == SharedId, s_aw_id_i, s_aw_i}),
      .valid_o(aw_valid), .ready_i(aw_ready), .data_o({aw_shared, aw_id, m_aw_o})
    );
    gmmu_axi_id_table #(
      .IdBits(IdBits), .UpBits(UpBits), .Shared(Shared), .CountWidth(CountWidth)
    ) u_writes (
      .clk_i, .rst_i,
      .ax_valid_i(aw_valid), .ax_ready_o(aw_ready), .ax_id_i(aw_id), .ax_shared_i(aw_shared),
      .m_valid_o(m_aw_valid_o), .m_ready_i(m_aw_ready_i), .m_id_o(m_aw_id_o),
      .answer_i(b_take), .answer_last_i(1'b1), .answer_id_i(m_b_id_i), .known_o(b_known),
      .up_id_o(b_id)
    );
    assign b_take = m_b_valid_i && m_b_ready_o;
    gmmu_skid #(.Width(WWidth)) u_w (
      .clk_i, .rst_i, .valid_i(s_w_valid_i), .ready_o(s_w_ready_o), .data_i(s_w_i),
      .valid_o(m_w_valid_o), .ready_i(m_w_ready_i), .data_o(m_w_o)
    );
    gmmu_skid #(.Width(UpBits + BWidth)) u_b (
      .clk_i, .rst_i, .valid_i(m_b_valid_i && b_known), .ready_o(m_b_ready_o),
      .data_i({b_id, m_b_i}),
      .valid_o(s_b_valid_o), .ready_i(s_b_ready_i), .data_o({s_b_id_o, s_b_o})
    );

    always_ff @(posedge clk_i) stray_o <= !rst_i && ((r_take && !r_known) || (b_take && !b_known));
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Sits between the core and its memory ports. It silences the host port, and isolates the core
// during a reset.
//
//   silence_i   (level) the host port starts no burst; silent_o rises when all its bursts are
//               complete. VRAM traffic continues. When silence_i falls, the host port resumes.
//   reset_i     (pulse) function-level reset. First the software ports stop (stop_o) and complete
//               the accesses in progress, then both memory ports stop and their bursts complete.
//               Both steps together take at most Timeout cycles. Then the core is in reset
//               (core_reset_o) until the memories have accepted every pending offer and every W
//               beat of an accepted AW. A pulse during a reset is ignored.
//   stop_o      1 from the cycle after reset_i until the core and its reset registers (gmmu_reset)
//               have left reset: the register port and the window port start no access. stopped_i:
//               neither port has an access in progress. Accesses that were accepted but not started
//               wait.
//   resetting_o like stop_o, and also during rst_i: while it is 1, no access gets a response
//   late        responses that arrive after the timeout belong to the old generation and are
//               dropped. There are only two generations: if a reset times out while responses of
//               the previous generation are still outstanding, the core stays in reset until one of
//               the two generations has no outstanding response.
//   closed_o    the host port starts no burst, so interrupt messages are held
//   stale_o     responses of the previous generation are still outstanding
// rst_i is the power-on reset: it also resets the memories, so they have no responses outstanding.
// The isolator adds no cycle of latency.
module gmmu_isolator
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter int unsigned Timeout = 4096
) (
  input  logic           clk_i,
  input  logic           rst_i,

  input  logic           silence_i,
  input  logic           reset_i,
  output logic           core_reset_o,
  output logic           stop_o,
  input  logic           stopped_i,
  output logic           resetting_o,
  output logic           closed_o,
  output logic           stale_o,
  output logic           silent_o,
  output logic           idle_o,         // no reset is in progress, and no burst is outstanding
  output logic [1:0]     late_o,

  // The core side: [0] VRAM, [1] host.
  input  logic     [1:0] ar_valid_i,
  output logic     [1:0] ar_ready_o,
  input  edge_ax_t [1:0] ar_i,
  output logic     [1:0] r_valid_o,
  input  logic     [1:0] r_ready_i,
  output edge_r_t  [1:0] r_o,
  input  logic     [1:0] aw_valid_i,
  output logic     [1:0] aw_ready_o,
  input  edge_ax_t [1:0] aw_i,
  input  logic     [1:0] w_valid_i,
  output logic     [1:0] w_ready_o,
  input  w_t       [1:0] w_i,
  output logic     [1:0] b_valid_o,
  input  logic     [1:0] b_ready_i,
  output edge_b_t  [1:0] b_o,

  // The memory side; the highest bit of its ids is the generation.
  output logic     [1:0] m_ar_valid_o,
  input  logic     [1:0] m_ar_ready_i,
  output port_ax_t [1:0] m_ar_o,
  input  logic     [1:0] m_r_valid_i,
  output logic     [1:0] m_r_ready_o,
  input  port_r_t  [1:0] m_r_i,
  output logic     [1:0] m_aw_valid_o,
  input  logic     [1:0] m_aw_ready_i,
  output port_ax_t [1:0] m_aw_o,
  output logic     [1:0] m_w_valid_o,
  input  logic     [1:0] m_w_ready_i,
  output w_t       [1:0] m_w_o,
  input  logic     [1:0] m_b_valid_i,
  output logic     [1:0] m_b_ready_o,
  input  port_b_t  [1:0] m_b_i
);
  localparam int unsigned TimerWidth = $clog2(Timeout + 1);

  // StEnd waits for the software ports' accesses, StStop for responses to outstanding bursts.
  // StChoose selects the generation of later bursts. StCut completes pending offers and outstanding
  // W beats. StPause holds the core's reset a few cycles longer, StWake waits for the reset
  // registers of the blocks. In the encoding, bit 3 closes the ports and bit 2 cuts off the core.
  typedef enum logic [3:0] {
    StRun = 4'b0000, StEnd = 4'b0001, StStop = 4'b1000, StChoose = 4'b1100, StCut = 4'b1101,
    StPause = 4'b1110, StWake = 4'b0010
  } state_e;
  state_e                state_q;
  logic [TimerWidth-1:0] timer_q;
  logic [2:0]            pause_q;
  logic                  generation_q, silence_q, cut, cut_q;
  logic [1:0]            owing, close;
  logic [1:0][1:0]       busy;            // [port][generation]
  logic                  now_busy, other_busy;

  assign now_busy = busy[0][generation_q] || busy[1][generation_q];
  assign other_busy = busy[0][!generation_q] || busy[1][!generation_q];
  assign cut = state_q[2];
  assign close[0] = state_q[3];
  assign close[1] = state_q[3] || silence_q;
  assign core_reset_o = rst_i || cut_q;
  assign stop_o = state_q != StRun;
  assign resetting_o = rst_i || state_q != StRun;
  assign closed_o = close[1];
  assign stale_o = other_busy;
  assign silent_o = close[1] && busy[1] == '0 && !owing[1];
  assign idle_o = state_q == StRun && !now_busy && !other_busy && owing == '0;

  always_ff @(posedge clk_i) begin
    cut_q <= cut;
    silence_q <= silence_i;
    if (rst_i) begin
      state_q <= StPause;   // the core's reset outlasts rst_i by some cycles
      generation_q <= 1'b0;
    end else begin
      unique case (state_q)
        StRun: if (reset_i) state_q <= StEnd;
        StEnd: if (stopped_i || timer_q == '0) state_q <= StStop;
        StStop: if ((!now_busy && owing == '0) || timer_q == '0) state_q <= StChoose;
        StChoose: begin
          if (!now_busy) begin
            state_q <= StCut;
          end else if (!other_busy) begin
            generation_q <= !generation_q;
            state_q <= StCut;
          end
        end
        StCut: if (owing == '0) state_q <= StPause;
        StPause: if (pause_q == '1) state_q <= StWake;
        default: if (!cut_q) state_q <= StRun;
      endcase
    end
    if (state_q == StRun) timer_q <= TimerWidth'(Timeout);
    else if (timer_q != '0) timer_q <= timer_q - 1'b1;
    pause_q <= state_q == StPause && !rst_i ? pause_q + 1'b1 : '0;
  end

  for (genvar p = 0; p < 2; p++) begin : g_port
    gmmu_isolator_port u_port (
      .clk_i, .rst_i, .close_i(close[p]), .cut_i(cut), .generation_i(generation_q),
      .busy_o(busy[p]), .owing_o(owing[p]), .late_o(late_o[p]),
      .ar_valid_i(ar_valid_i[p]), .ar_ready_o(ar_ready_o[p]), .ar_i(ar_i[p]),
      .r_valid_o(r_valid_o[p]), .r_ready_i(r_ready_i[p]), .r_o(r_o[p]),
      .aw_valid_i(aw_valid_i[p]), .aw_ready_o(aw_ready_o[p]), .aw_i(aw_i[p]),
      .w_valid_i(w_valid_i[p]), .w_ready_o(w_ready_o[p]), .w_i(w_i[p]),
      .b_valid_o(b_valid_o[p]), .b_ready_i(b_ready_i[p]), .b_o(b_o[p]),
      .m_ar_valid_o(m_ar_valid_o[p]), .m_ar_ready_i(m_ar_ready_i[p]), .m_ar_o(m_ar_o[p]),
      .m_r_valid_i(m_r_valid_i[p]), .m_r_ready_o(m_r_ready_o[p]), .m_r_i(m_r_i[p]),
      .m_aw_valid_o(m_aw_valid_o[p]), .m_aw_ready_i(m_aw_ready_i[p]), .m_aw_o(m_aw_o[p]),
      .m_w_valid_o(m_w_valid_o[p]), .m_w_ready_i(m_w_ready_i[p]), .m_w_o(m_w_o[p]),
      .m_b_valid_i(m_b_valid_i[p]), .m_b_ready_o(m_b_ready_o[p]), .m_b_i(m_b_i[p])
    );
  end
endmodule

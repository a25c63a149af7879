// SPDX-License-Identifier: Apache-2.0
// Traffic engine of one client: runs a programmed list of 64-byte accesses through the access unit.
//
//   start_i   a pulse begins a run (ignored while state_o.busy); cfg_i stands still while busy
//   lines     see gmmu_traffic_lines; pattern chase reads, one line at a time
//   reads     CRC-32C over the bytes in access order; answers come in that order because ordered_o
//             makes them
//   writes    64-bit word w of the access sequence is seed + w
//   verify    the word at va carries address_pattern(seed, va) instead. Words read that differ are
//             counted. A run of writes is followed by one that reads the same lines.
//   fault     ends the run: no access is begun after it is seen, those in flight are taken and
//             ignored
//   done_o    a pulse at the end of every run, of empty ones too
//
// A run begins when the access unit has finished all earlier (external) accesses and enable_i is 1;
// enable_i = 0 holds further accesses back.
module gmmu_traffic
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic           clk_i,
  input  logic           rst_i,

  input  logic           enable_i,
  input  logic           start_i,
  input  traffic_cfg_t   cfg_i,
  output traffic_state_t state_o,
  output logic           done_o,

  input  logic           unit_idle_i,   // no access in flight
  output logic           waiting_o,     // held back by enable_i = 0 with nothing in flight
  // the access unit's request, data and answer streams are this engine's
  output logic           owner_o,
  output logic           req_valid_o,
  input  logic           req_ready_i,
  output client_req_t    req_o,
  output logic           w_valid_o,
  output client_w_t      w_o,
  output logic [63:0]    w_data_o,
  input  logic           rsp_valid_i,
  input  client_rsp_t    rsp_i,
  input  logic [63:0]    rsp_data_i,
  input  logic [57:0]    rsp_line_i,
  input  logic           fault_valid_i, // the access unit's fault record was taken
  input  fault_info_t    fault_i
);
  typedef enum logic [2:0] {StateIdle, StateDrain, StateMultiply, StateRun, StateEnd} state_e;
  state_e      state_q;
  logic        read_pass_q;             // verified writes: they are read back

  // Answer side.
  logic [31:0] retired_q;
  logic        faulted_q, stopping, retire, check_busy, word_good;
  fault_e      reason_q;
  level_t      level_q;
  logic [63:0] fault_va_q;

  // Issue side.
  logic [31:0] left_q;                  // accesses not issued yet
  slot_t       id_q;
  logic [63:0] word_q;                  // next word of the sequence
  logic [2:0]  w_index_q;
  logic        chase, is_write, open, room, fire, more, load, lines_ready, line_valid, w_step;
  logic [57:0] line;
  count_t      in_flight_q;

  assign chase = cfg_i.pattern == PatternChase;
  assign is_write = cfg_i.access == AccessWrite && !chase && !read_pass_q;
  assign load = state_q == StateDrain && unit_idle_i && enable_i;

  gmmu_traffic_lines u_lines (
    .clk_i, .rst_i, .load_i(load), .cfg_i, .ready_o(lines_ready),
    .line_valid_o(line_valid), .line_o(line), .next_i(fire),
    .chase_valid_i(chase && state_q == StateRun && word_good && rsp_i.word == '0),
    .chase_line_i(rsp_data_i[63:6])
  );

  assign more = left_q != '0 && !faulted_q && !stopping;
  assign room = in_flight_q != count_t'(Slots) &&
      (cfg_i.depth == '0 || 8'(in_flight_q) < cfg_i.depth);
  assign open = state_q == StateRun && enable_i && more && room && line_valid;
  assign req_valid_o = open && (!is_write || w_index_q == 3'd7);
  assign req_o = '{id: id_q, space: cfg_i.space, va: {line, 6'd0},
                   access: read_pass_q || (chase && cfg_i.access == AccessWrite) ? AccessRead
                       : cfg_i.access,
                   bytes: 7'd64};
  assign fire = req_valid_o && req_ready_i;

  // The last word goes with the request, again each cycle until that is taken.
  assign w_valid_o = open && is_write;
  assign w_step = w_valid_o && (w_index_q != 3'd7 || fire);
  assign w_o = '{id: id_q, word: w_index_q};
  assign w_data_o = cfg_i.verify ? address_pattern(cfg_i.seed, {line, w_index_q}) : word_q;

  assign word_good = rsp_valid_i && !faulted_q && rsp_i.fault == FaultNone;
  assign stopping = rsp_valid_i && owner_o && rsp_i.fault != FaultNone;
  assign retire = rsp_valid_i && rsp_i.last;
  assign owner_o = state_q == StateMultiply || state_q == StateRun;

  gmmu_traffic_check u_check (
    .clk_i, .rst_i, .clear_i(start_i && state_q == StateIdle),
    .verify_i(cfg_i.verify && !chase), .seed_i(cfg_i.seed),
    .word_valid_i(owner_o && word_good && !is_write), .word_i(rsp_data_i),
    .at_i({rsp_line_i, rsp_i.word}),
    .busy_o(check_busy), .crc_o(state_o.crc), .mismatches_o(state_o.mismatches)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateIdle;
      faulted_q <= 1'b0;
      reason_q <= FaultNone;
      level_q <= '0;
      fault_va_q <= '0;
      retired_q <= '0;
      in_flight_q <= '0;
      read_pass_q <= 1'b0;
      done_o <= 1'b0;
    end else begin
      done_o <= 1'b0;
      unique case (state_q)
        StateIdle: begin
          if (start_i) begin
            state_q <= StateDrain;
            faulted_q <= 1'b0;
            reason_q <= FaultNone;
            level_q <= '0;
            fault_va_q <= '0;
            retired_q <= '0;
            read_pass_q <= 1'b0;
          end
        end
        StateDrain: if (load) state_q <= StateMultiply;
        StateMultiply: if (lines_ready) state_q <= StateRun;
        StateRun: begin
          if (fire && !retire) in_flight_q <= in_flight_q + 1'b1;
          if (retire && !fire) in_flight_q <= in_flight_q - 1'b1;
          if (stopping) faulted_q <= 1'b1;
          if (retire && word_good) retired_q <= retired_q + 1'b1;
          if (fault_valid_i && !faulted_q) begin
            reason_q <= fault_i.reason;
            level_q <= fault_i.level;
            fault_va_q <= fault_i.address;
          end
          if (!more && !stopping && in_flight_q == '0 && unit_idle_i && !check_busy) begin
            read_pass_q <= is_write && cfg_i.verify && !faulted_q;
            state_q <= is_write && cfg_i.verify && !faulted_q ? StateDrain : StateEnd;
          end
        end
        default: begin
          state_q <= StateIdle;
          done_o <= 1'b1;
        end
      endcase
    end

    if (state_q == StateDrain) begin
      left_q <= cfg_i.count;
      id_q <= '0;
      word_q <= cfg_i.seed;
      w_index_q <= '0;
    end else begin
      if (fire) begin
        left_q <= left_q - 1'b1;
        id_q <= id_q + 1'b1;
      end
      if (w_step) begin
        w_index_q <= w_index_q + 3'd1;
        word_q <= word_q + 64'd1;
      end
    end
  end

  assign state_o.busy = state_q != StateIdle;
  assign state_o.fault = faulted_q;
  assign state_o.reason = reason_q;
  assign state_o.level = level_q;
  assign state_o.count = retired_q;
  assign state_o.fault_va = fault_va_q;

  assign waiting_o = !enable_i && (state_q == StateDrain ||
      (state_q == StateRun && more && in_flight_q == '0));

  logic unused_bits;
  assign unused_bits = ^{rsp_i.id, fault_i.space, fault_i.port, fault_i.access, fault_i.physical,
      fault_i.fence, cfg_i};
endmodule

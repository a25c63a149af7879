// SPDX-License-Identifier: Apache-2.0
// Traffic engine of one client: performs a programmed sequence of 64-byte accesses (a run) through
// the access unit.
//
//   start_i   a pulse starts a run (ignored while state_o.busy); cfg_i is stable while busy
//   lines     see gmmu_traffic_lines; pattern chase has one read in flight at a time
//   reads     a CRC-32C covers the data in access order; the access unit responds in that order
//             while owner_o is 1
//   writes    64-bit word w of the access sequence is seed + w
//   verify    the word at va is address_pattern(seed, va) instead, and read words that differ are
//             counted. After a write run, a second pass reads the same lines back.
//   fault     ends the run: no access starts after the engine has received a fault (a write starts
//             with its first word), and responses of accesses in flight are ignored
//   done_o    pulses at the end of every run, even of an empty one
//
// A run starts when the access unit has finished all earlier (external) accesses and enable_i is 1.
// While enable_i is 0, no further access starts.
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
  output logic           waiting_o,     // enable_i is 0, and the run has nothing in flight
  // 1: this engine owns the access unit's request, data and response streams.
  output logic           owner_o,
  output logic           req_valid_o,
  input  logic           req_ready_i,
  output client_req_t    req_o,
  output logic           w_valid_o,
  output client_w_t      w_o,
  output logic [63:0]    w_data_o,      // the word is w_data_o ^ w_mix_o
  output logic [63:0]    w_mix_o,
  input  logic           rsp_valid_i,
  input  client_rsp_t    rsp_i,
  input  logic [63:0]    rsp_data_i,
  input  logic [57:0]    rsp_line_i,
  input  logic           fault_valid_i, // the access unit offers a fault record
  input  fault_info_t    fault_i
);
  typedef enum logic [2:0] {StateIdle, StateDrain, StateMake, StateRun, StateEnd} state_e;
  state_e      state_q;
  logic        read_pass_q;             // the read pass after a verified write run
  logic        unit_idle_q;  // one cycle late; safe, as only this engine starts accesses in a run
  logic        load, quiet_q, again;

  // Responses.
  logic [31:0] retired_q;
  logic        answer_q, answer_last_q, answer_fault_q, answer_first_q;
  logic        faulted_q, retire, check_busy, word_good;
  logic [63:0] answer_word;
  fault_e      reason_q;
  level_t      level_q;
  logic [63:0] fault_va_q;

  // Requests: line addresses, then the current access, its words and its request.
  logic        chase, is_write_q, lines_ready, lines_still, line_valid, may_q, more_q;
  logic        begin_access, fire, write_step, access_q;
  logic        request_q;               // a request waits to be accepted
  logic        word_left_q;             // a request waits for the last word of its write
  logic        last_word_q;
  logic [57:0] line, line_q;
  // begun_q: number of started accesses; number_q: index of the current one
  logic [31:0] begun_q, number_q;
  slot_t       id_q;
  logic [2:0]  word_q;                  // index of the next word of the current access
  count_t      in_flight_q, limit_q;    // in_flight_q: started accesses that have not retired

  assign chase = cfg_i.pattern == PatternChase;
  assign load = state_q == StateDrain && unit_idle_q && enable_i;

  gmmu_traffic_lines u_lines (
    .clk_i, .rst_i, .load_i(load), .cfg_i, .ready_o(lines_ready), .still_o(lines_still),
    .line_valid_o(line_valid), .line_o(line), .next_i(begin_access),
    .chase_valid_i(chase && state_q == StateRun && word_good && answer_first_q),
    .chase_line_i(answer_word[63:6])
  );

  // may_q lags by two cycles. This is safe, because accesses start at least two cycles apart.
  assign begin_access = line_valid && may_q && !faulted_q
      && !(access_q && (request_q || !is_write_q || !last_word_q));
  assign fire = access_q && !request_q && (!is_write_q || last_word_q);
  assign write_step = access_q && is_write_q && (!last_word_q || !request_q);

  always_ff @(posedge clk_i) begin
    may_q <= state_q == StateRun && enable_i && begun_q != cfg_i.count && in_flight_q < limit_q;
    more_q <= begun_q != cfg_i.count;
    is_write_q <= cfg_i.access == AccessWrite && !chase && !read_pass_q;
    limit_q <= cfg_i.depth == '0 || cfg_i.depth > 8'(Slots) ? count_t'(Slots)
                                                            : count_t'(cfg_i.depth);
    if (rst_i || state_q == StateDrain) begin
      access_q <= 1'b0;
      request_q <= 1'b0;
      word_left_q <= 1'b0;
      req_valid_o <= 1'b0;
      in_flight_q <= '0;
      begun_q <= '0;
      id_q <= '0;
      word_q <= '0;
      last_word_q <= 1'b0;
    end else begin
      if (begin_access) access_q <= 1'b1;
      else if (fire) access_q <= 1'b0;
      request_q <= fire || (request_q && !(req_valid_o && req_ready_i));
      // A write's request follows its last word.
      word_left_q <= fire && is_write_q;
      req_valid_o <= (fire && !is_write_q) || word_left_q || (req_valid_o && !req_ready_i);
      if (begin_access != retire) in_flight_q <= in_flight_q + {{SlotLg2{retire}}, 1'b1};
      if (begin_access) begun_q <= begun_q + 1'b1;
      if (fire) id_q <= id_q + 1'b1;
      if (write_step) begin
        word_q <= word_q + 3'd1;
        last_word_q <= word_q == 3'd6;
      end
    end
    if (begin_access) line_q <= line;
    if (cfg_i.verify) number_q <= '0;
    else if (begin_access) number_q <= begun_q;
    if (fire) begin
      req_o <= '{id: id_q, space: cfg_i.space, va: {line_q, 6'd0},
                 access: is_write_q ? AccessWrite
                     : cfg_i.access == AccessExecute ? AccessExecute : AccessRead,
                 bytes: 7'd64};
    end
  end

  // Write data: seed + index, or seed ^ mix in a verified run.
  always_ff @(posedge clk_i) begin
    w_valid_o <= write_step && !rst_i;
    if (write_step) begin
      w_o <= '{id: id_q, word: word_q};
      w_data_o <= cfg_i.seed + {29'd0, number_q, cfg_i.verify ? 3'd0 : word_q};
      if (!cfg_i.verify) w_mix_o <= '0;
      else w_mix_o <= address_pattern('0, {line_q, word_q});
    end
  end

  // Responses, registered.
  assign word_good = answer_q && !answer_fault_q && !faulted_q;
  assign retire = answer_q && answer_last_q;
  always_ff @(posedge clk_i) begin
    answer_q <= rsp_valid_i && owner_o && !rst_i;
    answer_last_q <= rsp_i.last;
    answer_fault_q <= rsp_i.fault != FaultNone;
    answer_first_q <= rsp_i.word == '0;
  end

  gmmu_traffic_check u_check (
    .clk_i, .rst_i, .clear_i(start_i && state_q == StateIdle),
    .verify_i(cfg_i.verify && !chase), .seed_i(cfg_i.seed),
    .word_i(rsp_data_i), .at_i({rsp_line_i, rsp_i.word}), .word_o(answer_word),
    .count_i(word_good && !is_write_q),
    .busy_o(check_busy), .crc_o(state_o.crc), .mismatches_o(state_o.mismatches)
  );

  assign again = is_write_q && cfg_i.verify && !faulted_q;
  always_ff @(posedge clk_i) begin
    unit_idle_q <= unit_idle_i;
    quiet_q <= state_q == StateRun && (!more_q || faulted_q) && in_flight_q == '0 &&
        !begin_access && unit_idle_q && !check_busy && !rst_i;
    if (rst_i) begin
      state_q <= StateIdle;
      state_o.busy <= 1'b0;
      owner_o <= 1'b0;
      done_o <= 1'b0;
    end else begin
      done_o <= 1'b0;
      unique case (state_q)
        StateIdle: begin
          if (start_i) begin
            state_q <= StateDrain;
            state_o.busy <= 1'b1;
          end
        end
        StateDrain: begin
          if (load) begin
            state_q <= StateMake;
            owner_o <= 1'b1;
          end
        end
        StateMake: if (lines_ready) state_q <= StateRun;
        StateRun: begin
          if (quiet_q) begin
            state_q <= again ? StateDrain : StateEnd;
            owner_o <= 1'b0;
          end
        end
        default: begin
          state_q <= StateIdle;
          state_o.busy <= 1'b0;
          done_o <= 1'b1;
        end
      endcase
    end

    if (rst_i || (state_q == StateIdle && start_i)) begin
      faulted_q <= 1'b0;
      reason_q <= FaultNone;
      level_q <= '0;
      fault_va_q <= '0;
      retired_q <= '0;
      read_pass_q <= 1'b0;
    end else begin
      if (answer_q && answer_fault_q) faulted_q <= 1'b1;
      if (retire && word_good) retired_q <= retired_q + 1'b1;
      if (fault_valid_i && owner_o && !faulted_q) begin
        reason_q <= fault_i.reason;
        level_q <= fault_i.level;
        fault_va_q <= fault_i.address;
      end
      if (state_q == StateRun && quiet_q && again) read_pass_q <= 1'b1;
    end
  end

  assign state_o.fault = faulted_q;
  assign state_o.reason = reason_q;
  assign state_o.level = level_q;
  assign state_o.count = retired_q;
  assign state_o.fault_va = fault_va_q;

  assign waiting_o = !enable_i && !may_q && (state_q == StateDrain ||
      (state_q == StateRun && more_q && in_flight_q == '0 && lines_still));

  logic unused_bits;
  assign unused_bits = ^{rsp_i.id, fault_i.space, fault_i.port, fault_i.access, fault_i.physical,
      fault_i.fence, cfg_i, answer_word[5:0]};
endmodule

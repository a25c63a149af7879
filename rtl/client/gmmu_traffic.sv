// SPDX-License-Identifier: Apache-2.0
// Traffic engine of one client: runs a programmed list of 64-byte accesses through the access unit.
//
//   start_i   a pulse begins a run with cfg_i as it stands (ignored while state_o.busy)
//   order     line k of the run is base + 64 * (first + stride * k); k starts at 0 and goes to (k +
//             step) mod count
//   reads     CRC-32C over the bytes in access order; answers come in that order because ordered_o
//             makes them
//   writes    64-bit word w of the access sequence is seed + w
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
  input  logic           rsp_valid_i,
  input  client_rsp_t    rsp_i,
  input  logic           fault_valid_i, // the access unit's fault record was taken
  input  fault_info_t    fault_i
);
  typedef enum logic [2:0] {StateIdle, StateDrain, StateMultiply, StateRun, StateEnd} state_e;
  state_e       state_q;
  traffic_cfg_t cfg_q;

  // stride * step and stride * count, one bit of the factors a cycle.
  logic [31:0] factor_step_q, factor_count_q;
  logic [63:0] addend_q, by_step_q, by_count_q;
  logic [57:0] by_wrap_q;                 // stride * (step - count)

  // Answer side.
  logic [31:0] retired_all_q;             // answers taken, those after a fault too
  logic [31:0] crc_q, crc_next;
  logic        faulted_q, stopping;
  fault_e      reason_q;
  level_t      level_q;
  logic [63:0] fault_va_q;
  logic        crc_take_q;
  logic [63:0] crc_data_q;

  // Issue side.
  logic [31:0] index_q, issued_q, retired_q;
  logic [32:0] index_sum;
  logic [57:0] line_q;                    // address of the access, lines
  logic [63:0] word_q;                    // first word of the access
  logic [2:0]  w_index_q;
  logic        room, is_write, fire, more;
  count_t      in_flight;
  logic        wrap;

  assign is_write = cfg_q.access == AccessWrite;
  assign in_flight = count_t'(issued_q - retired_all_q);
  assign more = issued_q != cfg_q.count && !faulted_q && !stopping;
  assign room = in_flight != count_t'(Slots) && (cfg_q.depth == '0 || 8'(in_flight) < cfg_q.depth);
  assign req_valid_o = state_q == StateRun && enable_i && more && room &&
      (!is_write || w_index_q == 3'd7);
  assign req_o = '{id: slot_t'(issued_q[SlotLg2-1:0]), space: cfg_q.space, va: {line_q, 6'd0},
      access: cfg_q.access, bytes: 7'd64};
  assign fire = req_valid_o && req_ready_i;

  assign index_sum = {1'b0, index_q} + {1'b0, cfg_q.step};
  assign wrap = index_sum >= {1'b0, cfg_q.count};

  assign w_valid_o = state_q == StateRun && is_write && enable_i && more && room;
  assign w_o = '{id: slot_t'(issued_q[SlotLg2-1:0]), word: w_index_q,
      data: word_q + {61'd0, w_index_q}};

  assign stopping = rsp_valid_i && owner_o && rsp_i.fault != FaultNone;

  gmmu_crc32c u_crc (.crc_i(crc_q), .data_i(crc_data_q), .crc_o(crc_next));

  assign owner_o = state_q == StateMultiply || state_q == StateRun;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateIdle;
      faulted_q <= 1'b0;
      reason_q <= FaultNone;
      level_q <= '0;
      fault_va_q <= '0;
      retired_q <= '0;
      retired_all_q <= '0;
      issued_q <= '0;
      crc_q <= '1;
      crc_take_q <= 1'b0;
      done_o <= 1'b0;
    end else begin
      done_o <= 1'b0;
      crc_take_q <= 1'b0;
      if (crc_take_q) crc_q <= crc_next;

      unique case (state_q)
        StateIdle: begin
          if (start_i) begin
            state_q <= StateDrain;
            cfg_q <= cfg_i;
            faulted_q <= 1'b0;
            reason_q <= FaultNone;
            level_q <= '0;
            fault_va_q <= '0;
            retired_q <= '0;
            retired_all_q <= '0;
            issued_q <= '0;
            crc_q <= '1;
          end
          index_q <= '0;
          line_q <= cfg_i.base[63:6] + {26'd0, cfg_i.first};
          word_q <= cfg_i.seed;
          w_index_q <= '0;
          factor_step_q <= cfg_i.step;
          factor_count_q <= cfg_i.count;
          addend_q <= {32'd0, cfg_i.stride};
          by_step_q <= '0;
          by_count_q <= '0;
        end
        StateDrain: begin
          if (unit_idle_i && enable_i) state_q <= StateMultiply;
        end
        StateMultiply: begin
          if (factor_step_q[0]) by_step_q <= by_step_q + addend_q;
          if (factor_count_q[0]) by_count_q <= by_count_q + addend_q;
          by_wrap_q <= by_step_q[57:0] - by_count_q[57:0];
          addend_q <= addend_q << 1;
          factor_step_q <= factor_step_q >> 1;
          factor_count_q <= factor_count_q >> 1;
          if (factor_step_q == '0 && factor_count_q == '0) state_q <= StateRun;
        end
        StateRun: begin
          // The last word goes with the request, again each cycle until that is taken.
          if (w_valid_o && (w_index_q != 3'd7 || fire)) w_index_q <= w_index_q + 3'd1;
          if (fire) begin
            issued_q <= issued_q + 1'b1;
            index_q <= wrap ? 32'(index_sum - {1'b0, cfg_q.count}) : index_sum[31:0];
            line_q <= line_q + (wrap ? by_wrap_q : by_step_q[57:0]);
            word_q <= word_q + 64'd8;
          end
          if (rsp_valid_i) begin
            if (rsp_i.fault != FaultNone) faulted_q <= 1'b1;
            if (rsp_i.last) begin
              retired_all_q <= retired_all_q + 1'b1;
              if (!faulted_q && rsp_i.fault == FaultNone) retired_q <= retired_q + 1'b1;
            end
            crc_take_q <= !is_write && !faulted_q && rsp_i.fault == FaultNone;
          end
          if (fault_valid_i && !faulted_q) begin
            reason_q <= fault_i.reason;
            level_q <= fault_i.level;
            fault_va_q <= fault_i.address;
          end
          if (!more && !stopping && issued_q == retired_all_q && unit_idle_i &&
              !crc_take_q) state_q <= StateEnd;
        end
        default: begin
          state_q <= StateIdle;
          done_o <= 1'b1;
        end
      endcase
    end

    crc_data_q <= rsp_i.data;
  end

  assign state_o = '{busy: state_q != StateIdle, fault: faulted_q, reason: reason_q, level: level_q,
                     count: retired_q, crc: ~crc_q, fault_va: fault_va_q};

  assign waiting_o = !enable_i && (state_q == StateDrain ||
      (state_q == StateRun && more && in_flight == '0));

  logic unused_bits;
  assign unused_bits = ^{rsp_i.id, rsp_i.word, by_step_q, by_count_q, fault_i.space, fault_i.port,
      fault_i.access,
                         fault_i.physical, fault_i.fence, cfg_q};
endmodule

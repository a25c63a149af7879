// SPDX-License-Identifier: Apache-2.0
// Submission rings: serves the rings in rotation, one entry at a time, and keeps the
// software-visible state of each ring.
//
//   entry     32 bytes at base + 32 * head. The entry is fetched and checked; then its paging
//             buffer is fetched, and the command processor executes it. When the fence record has
//             been written, head and last fence advance.
//   ring      A tail beyond the ring's size, or an entry beyond the 48-bit address range, causes
//             FaultRingFetch with the address of the entry at head.
//   checks    Buffer address and size must be multiples of 8, reserved bits 0, and the buffer must
//             not wrap (FaultRingFetch). A physical buffer needs a privileged ring
//             (FaultNotPrivileged), a virtual one needs an implemented space (FaultSpaceDisabled).
//   errors    The ring keeps head, and stops until software clears its enable and sets it again.
//   preempt   While preempt and enable are 1, the ring starts no entry. An entry in progress
//             completes or stops at a command boundary. When no access is in flight, the ring is
//             preempted: it reports the fence of the stopped entry (0: none) and the offset of the
//             next command, and stays stopped as after an error. An error that occurs first takes
//             precedence.
//   enable    A change from 0 to 1 resets head, error, preempted, last fence and entry count to 0.
//             A change to 0 abandons the entry in progress, even if enable is set again before that
//             entry has stopped.
module gmmu_dma_ring
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumRings = Config.NumRings,
  localparam int unsigned NumSpaces = Config.NumSpaces
) (
  input  logic                       clk_i,
  input  logic                       rst_i,

  input  logic                       enable_i,
  output logic                       idle_o,
  output logic                       busy_o,
  output logic                       awake_o,         // 0: no state changes (gmmu_sleep)
  input  ring_cfg_t   [NumRings-1:0] ring_i,
  output ring_state_t [NumRings-1:0] ring_o,
  output logic                       fence_irq_o,
  output logic                       ring_error_o,
  output logic                       preempted_o,     // pulses after fence_irq_o of earlier entries
  output logic                       count_entry_o,

  output logic                       fetch_valid_o,
  input  logic                       fetch_ready_i,
  output place_t                     fetch_place_o,
  output logic [32:0]                fetch_end_o,     // low bits of the last byte's address
  output logic                       fetch_abort_o,
  input  logic                       fetch_quiet_i,
  input  logic                       word_valid_i,    // words of a ring entry
  output logic                       word_ready_o,
  input  logic [63:0]                word_i,
  input  logic                       word_error_i,
  input  dma_fault_t                 word_fault_i,

  output logic                       start_o,
  output logic [31:0]                start_bytes_o,
  output place_t                     start_buffer_o,
  output logic                       privileged_o,
  output pa_t                        record_address_o,
  output logic [63:0]                record_value_o,
  output logic                       kill_o,
  output logic                       preempt_o,
  input  logic                       done_i,
  input  logic                       failed_i,
  input  logic                       killed_i,
  input  logic                       stopped_i,       // the entry was preempted
  input  logic                       command_irq_i,
  input  dma_fault_t                 error_i,
  input  logic [1:0]                 error_path_i,
  input  logic [31:0]                error_offset_i,
  input  logic [31:0]                error_header_i,

  output logic                       fault_valid_o,
  input  logic                       fault_ready_i,
  output fault_info_t                fault_o
);
  localparam int unsigned RingWidth = NumRings > 1 ? $clog2(NumRings) : 1;
  typedef logic [RingWidth-1:0] ring_t;

  typedef enum int unsigned {
    StateIdle,
    StateAsk,      // request the entry
    StateEntry,    // accept the entry's words
    StateSum,      // compute the end of the paging buffer
    StateCheck,    // check the entry, in two steps
    StateVerdict,
    StateBuffer,   // request the paging buffer
    StateStart,
    StateRun,
    StateFault,    // offer the fault
    StateFaulted,  // report the fault in the ring's state
    StateAbort,    // discard the prefetched words
    StateCount
  } state_e;
  logic [StateCount-1:0] state_q;                 // one-hot
  function automatic logic [StateCount-1:0] to(state_e state);
    return StateCount'(1) << state;
  endfunction

  ring_state_t [NumRings-1:0] ring_q;
  logic [NumRings-1:0][31:0]  entries_q;          // number of completed entries
  logic [NumRings-1:0]        enable_q, wants_q, asked_q;
  logic [NumRings-1:0][15:0]  mask_q, tail_q;    // mask_q: size minus one; tail_q: the tail modulo the size
  logic [NumRings-1:0]        beyond_q;          // tail >= size: beyond the end of the ring
  logic                       enabled_q;
  ring_t                      active_q, next;
  logic                       any, killed_q;
  ring_cfg_t                  active;

  always_comb begin
    any = 1'b0;
    next = '0;
    for (int unsigned step = NumRings; step > 0; step--)
      if (wants_q[(32'(active_q) + step) % NumRings] &&
          ring_i[(32'(active_q) + step) % NumRings].enable &&
          !ring_q[(32'(active_q) + step) % NumRings].preempted) begin
        any = 1'b1;
        next = ring_t'((32'(active_q) + step) % NumRings);
      end
  end
  assign active = ring_i[active_q];

  // A new tail takes effect two cycles after it appears on ring_i; idle_o falls at once.
  logic [NumRings-1:0][3:0]  size_q;
  logic [NumRings-1:0][15:0] written_q;          // the tail as software wrote it
  logic                      changed, changed_q;
  logic [NumRings-1:0][15:0] mask;
  always_comb begin
    changed = enable_i != enabled_q;
    for (int unsigned n = 0; n < NumRings; n++) mask[n] = ~(16'hffff << ring_i[n].size_lg2);
    for (int unsigned n = 0; n < NumRings; n++)
      if (ring_i[n].tail != written_q[n] || ring_i[n].size_lg2 != size_q[n] ||
          ring_i[n].enable != enable_q[n] || ring_i[n].preempt != asked_q[n]) changed = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    enabled_q <= enable_i && !rst_i;
    changed_q <= changed && !rst_i;
    for (int unsigned n = 0; n < NumRings; n++) begin
      size_q[n] <= ring_i[n].size_lg2;
      written_q[n] <= ring_i[n].tail;
      mask_q[n] <= mask[n];
      tail_q[n] <= ring_i[n].tail & mask[n];
      beyond_q[n] <= (ring_i[n].tail & ~mask[n]) != '0;
      wants_q[n] <= enabled_q && ring_i[n].enable && enable_q[n] && !ring_q[n].error &&
                    !ring_q[n].preempted && !ring_i[n].preempt &&
                    (ring_q[n].head != tail_q[n] || beyond_q[n]) && !rst_i;
      asked_q[n] <= ring_i[n].preempt && !rst_i;
    end
  end

  // Pending preemptions. wants_q (the ring has work) falls when asked_q rises, so an inactive ring
  // starts no entry. If the request is withdrawn in that cycle, the preempted state stops the ring.
  logic [NumRings-1:0] owed, at_work, answered;
  always_comb begin
    for (int unsigned n = 0; n < NumRings; n++) begin
      owed[n] = asked_q[n] && ring_i[n].enable && enable_q[n] && !ring_q[n].error &&
                !ring_q[n].preempted;
      at_work[n] = !state_q[StateIdle] && active_q == ring_t'(n);
      answered[n] = owed[n] && !at_work[n];
    end
  end

  // The entry.
  ring_entry_buffer_t     buffer_q;
  ring_entry_shape_t      shape_q;
  ring_entry_completion_t completion_q;
  logic [1:0]             word_q;
  place_t                 buffer;
  logic [49:0]            behind, behind_q;  // low bits of the first address after the buffer
  fault_e                 verdict;
  logic                   form_bad, empty_q;     // the paging buffer is empty
  logic                   form_bad_q, privilege_bad_q, space_bad_q;
  assign buffer = '{physical: shape_q.physical, target: target_e'(shape_q.target),
                    space: shape_q.space[5:0], address: buffer_q.address};
  assign behind = {1'b0, buffer_q.address[48:0]} + 50'(shape_q.bytes);
  assign form_bad = buffer_q.address[2:0] != '0 || shape_q.bytes[2:0] != '0 ||
                    shape_q.reserved0 != '0 || shape_q.reserved1 != '0 || shape_q.reserved2 != '0 ||
                    completion_q.reserved0 != '0 ||
                    (behind_q[49] && &buffer_q.address[63:49]) ||
                    (shape_q.physical && (behind_q[PaWidth] || buffer_q.address[63:PaWidth] != '0));
  always_comb begin
    if (form_bad_q) verdict = FaultRingFetch;
    else if (privilege_bad_q) verdict = FaultNotPrivileged;
    else verdict = FaultSpaceDisabled;
  end

  place_t entry_place;
  logic   entry_over;                            // the entry is beyond the 48-bit address range
  always_comb begin
    entry_place = '{physical: 1'b1, target: active.base_target, space: '0, address: '0};
    entry_place.address[11:0] = {ring_q[active_q].head[6:0], 5'd0};
    entry_place.address[PaWidth:12] = {1'b0, active.base[PaWidth-1:12]} +
                                      (PaWidth - 11)'(ring_q[active_q].head[15:7]);
    entry_over = entry_place.address[PaWidth];
  end

  // unfit: the entry cannot be requested. This is decided in the first cycle of StateAsk.
  logic asked, judged_q, unfit, unfit_q;
  assign asked = fetch_valid_o && fetch_ready_i;
  assign unfit = state_q[StateAsk] && (judged_q ? unfit_q
                                                : entry_over || beyond_q[active_q]);
  always_ff @(posedge clk_i) begin
    judged_q <= state_q[StateAsk];
    unfit_q <= unfit;
    fetch_valid_o <= ((state_q[StateAsk] && !unfit) || state_q[StateBuffer]) && !killed_q && !asked &&
                     !rst_i;
    fetch_place_o <= state_q[StateAsk] ? entry_place : buffer;
    fetch_end_o <= state_q[StateAsk] ? {entry_place.address[32:5], 5'h1f}
                                     : {behind_q[32:3] - 30'd1, 3'd7};
    fetch_abort_o <= state_q[StateAbort] && !rst_i;
  end
  assign word_ready_o = state_q[StateEntry];

  assign start_o = state_q[StateStart];
  assign start_bytes_o = shape_q.bytes;
  assign start_buffer_o = buffer;
  assign privileged_o = active.privileged;
  assign record_address_o = active.fence_address;
  logic [31:0] entries;                          // number of completed entries, including this one
  assign entries = entries_q[active_q] + 32'd1;
  assign record_value_o = {entries, completion_q.fence};
  always_ff @(posedge clk_i) begin
    kill_o <= killed_q && state_q[StateRun] && !rst_i;
    preempt_o <= active.preempt && !rst_i;
  end

  dma_fault_t  fault_q;
  logic [1:0]  path_q;
  logic [31:0] offset_q, header_q, fence_q;      // fence_q: 0 until the entry is read
  logic fault_valid_q, fault_reported_q;
  assign fault_valid_o = fault_valid_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || !state_q[StateFault]) begin
      fault_valid_q <= 1'b0;
      fault_reported_q <= 1'b0;
    end else begin
      fault_valid_q <= fault_valid_q ? !fault_ready_i : !fault_reported_q;
      fault_reported_q <= fault_reported_q || fault_valid_q;
    end
  end
  assign fault_o = '{reason: fault_q.reason,
                     space: fault_q.place.physical ? '0 : fault_q.place.space,
                     port: port_t'(Config.NumUnits) + port_t'(path_q), access: fault_q.access,
                     level: fault_q.level, physical: fault_q.place.physical, fence: fence_q,
                     address: fault_q.place.address};

  logic finished, faulted, stopped;              // set only if the ring has stayed enabled
  logic stopped_q, forgotten;  // forgotten: the prefetched words have been discarded
  assign forgotten = state_q[StateAbort] && fetch_abort_o && fetch_quiet_i;
  assign stopped = forgotten && stopped_q && !killed_q && active.enable;
  assign finished = state_q[StateRun] && done_i && !killed_q && active.enable;
  assign faulted = state_q[StateFaulted] && !killed_q && active.enable;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= to(StateIdle);
      active_q <= '0;
      killed_q <= 1'b0;
    end else begin
      if (state_q[StateIdle]) killed_q <= 1'b0;
      else if (!active.enable) killed_q <= 1'b1;

      unique case (1'b1)
        state_q[StateIdle]: begin
          fence_q <= '0;
          offset_q <= '0;
          header_q <= '0;
          path_q <= '0;
          word_q <= '0;
          stopped_q <= 1'b0;
          if (any) begin
            active_q <= next;
            state_q <= to(StateAsk);
          end
        end
        state_q[StateAsk]: begin
          fault_q <= '{reason: FaultRingFetch, access: AccessRead, level: '0, place: entry_place};
          if (killed_q) state_q <= to(StateAbort);
          else if (judged_q && unfit_q) state_q <= to(StateFault);
          else if (asked) state_q <= to(StateEntry);
        end
        state_q[StateEntry]: begin                   // prepare the fault of an unreadable entry
          fault_q.reason <= word_fault_i.reason == FaultBusRead ? FaultRingFetch : word_fault_i.reason;
          fault_q.level <= word_fault_i.level;
          if (killed_q) state_q <= to(StateAbort);
          else if (word_error_i) state_q <= to(StateFault);
          else if (word_valid_i) begin
            word_q <= word_q + 2'd1;
            case (word_q)
              2'd0: buffer_q <= word_i;
              2'd1: shape_q <= word_i;
              2'd2: completion_q <= word_i;
              default: state_q <= to(StateSum);       // word 3, the cookie, is not stored
            endcase
          end
        end
        state_q[StateSum]: begin
          behind_q <= behind;
          state_q <= to(StateCheck);
        end
        state_q[StateCheck]: begin
          fence_q <= completion_q.fence;
          form_bad_q <= form_bad;
          privilege_bad_q <= shape_q.physical && !active.privileged;
          space_bad_q <= !shape_q.physical && 32'(shape_q.space) >= NumSpaces;
          empty_q <= shape_q.bytes == '0;
          state_q <= to(StateVerdict);
        end
        state_q[StateVerdict]: begin
          fault_q.reason <= verdict;
          fault_q.level <= '0;
          if (killed_q) state_q <= to(StateAbort);
          else if (form_bad_q || privilege_bad_q || space_bad_q) state_q <= to(StateFault);
          else state_q <= empty_q ? to(StateStart) : to(StateBuffer);
        end
        state_q[StateBuffer]:
          if (killed_q) state_q <= to(StateAbort);
          else if (asked) state_q <= to(StateStart);
        state_q[StateStart]: state_q <= to(StateRun);
        state_q[StateRun]: begin
          fault_q <= error_i;
          path_q <= error_path_i;
          offset_q <= error_offset_i;
          header_q <= error_header_i;
          stopped_q <= stopped_i;
          if (done_i || killed_i || stopped_i) state_q <= to(StateAbort);
          else if (failed_i) state_q <= killed_q ? to(StateAbort) : to(StateFault);
        end
        state_q[StateFault]: if (fault_reported_q && !fault_valid_q) state_q <= to(StateFaulted);
        state_q[StateFaulted]: state_q <= to(StateAbort);
        state_q[StateAbort]: if (forgotten) state_q <= to(StateIdle);
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ring_q <= '0;
      entries_q <= '0;
      enable_q <= '0;
    end else begin
      for (int unsigned n = 0; n < NumRings; n++) begin
        enable_q[n] <= ring_i[n].enable;
        if (finished && active_q == ring_t'(n)) begin
          ring_q[n].head <= (ring_q[n].head + 16'd1) & mask_q[n];
          ring_q[n].last_fence <= completion_q.fence;
          entries_q[n] <= entries;
        end
        if (faulted && active_q == ring_t'(n)) begin
          ring_q[n].error <= 1'b1;
          ring_q[n].reason <= fault_q.reason;
          ring_q[n].access <= fault_q.access;
          ring_q[n].level <= fault_q.level;
          ring_q[n].error_header <= header_q;
          ring_q[n].error_address <= fault_q.place.address;
        end
        if ((faulted || stopped) && active_q == ring_t'(n)) begin
          ring_q[n].fence <= fence_q;
          ring_q[n].error_offset <= offset_q;
        end
        if (answered[n] || (stopped && active_q == ring_t'(n))) ring_q[n].preempted <= 1'b1;
        if (ring_i[n].enable && !enable_q[n]) begin
          ring_q[n] <= '0;
          entries_q[n] <= '0;
        end
      end
    end
  end

  always_comb begin
    ring_o = ring_q;
    for (int unsigned n = 0; n < NumRings; n++) ring_o[n].busy = at_work[n];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fence_irq_o <= 1'b0;
      ring_error_o <= 1'b0;
      preempted_o <= 1'b0;
      count_entry_o <= 1'b0;
    end else begin
      fence_irq_o <= command_irq_i || (finished && shape_q.irq);
      ring_error_o <= faulted;
      preempted_o <= stopped || answered != '0;
      count_entry_o <= finished;
    end
  end
  assign busy_o = !state_q[StateIdle];
  assign awake_o = !(state_q[StateRun] || (state_q[StateIdle] && !any)) || changed || changed_q || owed != '0 || killed_q
      || done_i || failed_i || killed_i || stopped_i || command_irq_i || fence_irq_o || ring_error_o || preempted_o
      || count_entry_o || fetch_valid_o || fetch_abort_o || kill_o;
  logic unused;
  assign unused = ^{active, word_fault_i, behind_q[2:0]};
  assign idle_o = state_q[StateIdle] && wants_q == '0 && !changed && !changed_q && owed == '0 &&
                  !preempted_o;
endmodule

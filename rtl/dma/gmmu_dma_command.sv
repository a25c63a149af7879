// SPDX-License-Identifier: Apache-2.0
// Command processor: executes paging buffers, one at a time. While it executes a command,
// gmmu_dma_collect collects the next one. Both units need five cycles for a copy command.
//
//   start     the number of command bytes in the word stream that follows (0: only the fence record
//             is written), whether the ring is privileged, and the address of its fence record
//   words     the words of the paging buffer. word_error_i is set, without word_valid_i, if the
//             next word could not be read.
//   end       one of four pulses. done_o: the fence record was written and its B has arrived.
//             failed_o: a command failed (error_* describes the first one in order; all earlier
//             commands are complete, and nothing is in flight). killed_o: kill_i stopped the
//             buffer. preempted_o: preempt_i stopped the buffer at a command boundary.
//   kill_i    (level) no further command starts, and transfers are abandoned
//   preempt_i (level) no further command starts. When all started commands are complete,
//             preempted_o pulses (error_offset_o: the first command that was not started); if one
//             of them fails, failed_o pulses instead. After the last command has started,
//             preempt_i has no effect.
// Checks of a command, in this order: header format (FaultCommandBad), privilege
// (FaultNotPrivileged), operand format (FaultCommandBad), address space number
// (FaultSpaceDisabled), aperture range and entry addresses (FaultApertureRange). A command that
// fails its checks changes nothing.
module gmmu_dma_command
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        start_i,
  input  logic [31:0] bytes_i,
  input  place_t      buffer_i,              // faults report this address plus the command's offset
  input  logic        privileged_i,
  input  pa_t         record_address_i,      // in system memory
  input  logic [63:0] record_value_i,        // first word of the fence record
  input  logic [63:0] cycle_i,               // second word of the fence record
  input  logic        kill_i,
  input  logic        preempt_i,
  output logic        done_o,
  output logic        failed_o,
  output logic        killed_o,
  output logic        preempted_o,
  output logic        fence_irq_o,           // pulses for a signal_fence command
  output dma_fault_t  error_o,
  output logic [1:0]  error_path_o,          // 0 fetch, 1 read, 2 write
  output logic [31:0] error_offset_o,
  output logic [31:0] error_header_o,

  input  logic        word_valid_i,
  output logic        word_ready_o,
  input  logic [63:0] word_i,
  input  logic        word_error_i,
  input  dma_fault_t  word_fault_i,

  output logic        job_valid_o,
  input  logic        job_ready_i,
  output job_t        job_o,
  output logic        inline_valid_o,        // inline words of a job
  input  logic        inline_ready_i,
  output logic [63:0] inline_word_o,
  output logic        inline_dead_o,
  output logic        mover_kill_o,
  input  logic        mover_idle_i,
  input  logic        mover_retired_i,
  input  logic        mover_fault_valid_i,
  output logic        mover_fault_ready_o,
  input  dma_fault_t  mover_fault_i,
  input  job_id_t     mover_fault_job_i,

  output logic        ctl_valid_o,
  input  logic        ctl_ready_i,
  output mmu_ctl_t    ctl_o,
  input  logic        ctl_done_i,
  input  pa_t         aperture_base_i,
  input  logic [31:0] aperture_pages_i,
  output logic        awake_o,               // 0: no state changes in this cycle (gmmu_sleep)
  output logic        aperture_flush_o,
  input  logic        aperture_flush_done_i,

  output logic        fence_at_work_o,       // the mover is writing a fence
  output logic [1:0]  count_commands_o
);
  typedef enum int unsigned {
    StateIdle,
    StateGet,          // accept a collected command or the end of the buffer
    StateRange,        // compute the ends of the ranges, in two steps
    StateSum,
    StateJudge,        // make all checks
    StateWait,         // wait for earlier writes, if requested; a nop or an empty command ends here
    StateIssue,        // send the job to the mover
    StateInline,       // pass the job's inline words
    StateSkip,         // skip the words of a nop
    StateSettle,       // after aperture entries or a fence: wait for all B
    StateFlush,        // flush the aperture map cache
    StateControl,      // invalidation: prepare
    StateControlDone,  // offer the invalidation and wait until it is done
    StateStop,         // preempted: wait for all B of started commands
    StateEnd,          // wait for all B before the fence record
    StateRecordEnd,    // compute the last byte of the record
    StateRecord,       // send the job of the record, then its two words
    StateRecordValue,
    StateRecordCycle,
    StateRecordDone,
    StateOwnFault,     // the command failed its checks; a job before it may still fail
    StateInlineDead,   // an inline word was unreadable: wait until the mover fails the job
    StateLookup,       // the mover reported a fault: look up the job's command
    StateFailed,
    StateKill,
    StateCount
  } state_e;
  logic [StateCount:0] state_q;                   // one-hot, except the top bit
  // The top bit of state_q marks a state that kill_i must not abort, because it lies between a
  // request and its response, or because the buffer is already ending.
  function automatic logic [StateCount:0] to(state_e state);
    logic held;
    held = state == StateIdle || state == StateFlush || state == StateControl ||
           state == StateControlDone || state == StateLookup || state == StateFailed ||
           state == StateKill;
    return {held, StateCount'(1) << state};
  endfunction

  // The next command, and the words after the current command's operands (its tail).
  logic     next_valid, next_ready, tail_ready, tail_end_q, collects;
  command_t next;
  gmmu_dma_collect #(.Config(Config)) u_collect (
    .clk_i, .rst_i,
    .start_i(start_i && state_q[StateIdle]), .bytes_i, .halt_i(state_q[StateIdle]),
    .word_valid_i, .word_ready_o, .word_i, .word_error_i,
    .valid_o(next_valid), .ready_i(next_ready), .command_o(next),
    .tail_ready_i(tail_ready), .tail_end_i(tail_end_q), .awake_o(collects));

  // The command being executed.
  logic [31:0]     offset_q, header_q;  // offset in the buffer, and header for error reports
  command_needs_t  needs_q;
  command_opcode_t opcode_q;
  logic            wait_q, interrupt_q;           // fields of the command's header
  scope_e          scope_q;
  space_t          space_q;
  logic [15:0]     words_left_q;                  // remaining words of a nop, or inline words
  job_t            job_q;
  logic            unreadable_q;

  // A job is built from its command's operands. Aperture commands write the entries of consecutive
  // pages. A wrap of a range shows as a carry in its last address; empty ranges are not checked.
  logic        odd_q, list_bad_q, start_after_end_q, aperture_bad_q, no_length_q;
  logic        src_end_bad_q, dst_end_bad_q, src_top, dst_top;
  logic        src_over, dst_over;
  logic [47:0] length_q, length, length_m1_q;
  logic [32:0] aperture_end_q;
  end_t        src_end, dst_end;
  assign length = opcode_q.table_write ? {29'd0, words_left_q, 3'd0} : length_q;
  assign {src_over, src_end} = {1'b0, end_t'(job_q.src.address)} + 50'(length_m1_q);
  assign {dst_over, dst_end} = {1'b0, end_t'(job_q.dst.address)} + 50'(length_m1_q);
  assign src_top = job_q.src.physical ? job_q.src.address[63:PaWidth] != '0 || src_end[PaWidth]
                                      : (&job_q.src.address[63:$bits(end_t)]) && src_over;
  assign dst_top = job_q.dst.physical ? job_q.dst.address[63:PaWidth] != '0 || dst_end[PaWidth]
                                      : (&job_q.dst.address[63:$bits(end_t)]) && dst_over;

  // The checks. The first one that fails determines the fault.
  logic   foreign, foreign_q;                    // the command's space is not the buffer's
  logic   privilege_bad, form_bad, entries_bad, bad;
  assign foreign = (next.needs.src && !next.header.src_physical &&
                    next.header.src_space != 8'(buffer_i.space)) ||
                   (next.needs.dst && !next.header.dst_physical &&
                    next.header.dst_space != 8'(buffer_i.space)) ||
                   (opcode_q.flush_tlb && next.header.dst_space != 8'(buffer_i.space));
  assign privilege_bad = (needs_q.privilege || foreign_q) && !privileged_i;
  assign form_bad = odd_q || list_bad_q || start_after_end_q ||
                    (!no_length_q && ((needs_q.src && src_end_bad_q) ||
                                      (needs_q.dst && dst_end_bad_q)));
  assign entries_bad = aperture_bad_q || (!no_length_q && dst_end_bad_q);
  assign bad = privilege_bad || form_bad || needs_q.space_bad || (needs_q.aperture && entries_bad);
  fault_e verdict;
  always_comb begin
    if (privilege_bad) verdict = FaultNotPrivileged;
    else if (form_bad) verdict = FaultCommandBad;
    else if (needs_q.space_bad) verdict = FaultSpaceDisabled;
    else verdict = FaultApertureRange;
  end

  // The words after the operands, or the two words of the fence record.
  logic        word_now, word_failed, none_q, inline_room, inline_load;      // none_q: no word is left
  logic [63:0] inline_word;
  assign tail_ready = !none_q && (state_q[StateSkip] || (state_q[StateInline] && inline_room));
  assign word_now = word_valid_i && tail_ready;
  assign word_failed = word_error_i && !none_q && (state_q[StateSkip] || state_q[StateInline]);
  assign inline_load = (word_valid_i && state_q[StateInline] && !none_q) ||
                       state_q[StateRecordValue] || state_q[StateRecordCycle];
  always_comb begin
    inline_word = word_i;
    if (state_q[StateRecordValue]) inline_word = record_value_i;
    if (state_q[StateRecordCycle]) inline_word = cycle_i;
  end
  gmmu_skid #(.Width(64)) u_inline (
    .clk_i, .rst_i(rst_i || state_q[StateIdle]),
    .valid_i(inline_load), .ready_o(inline_room), .data_i(inline_word),
    .valid_o(inline_valid_o), .ready_i(inline_ready_i), .data_o(inline_word_o));

  assign next_ready = state_q[StateGet];
  assign job_valid_o = state_q[StateIssue] || state_q[StateRecord];
  assign job_o = job_q;
  assign inline_dead_o = state_q[StateInlineDead];
  assign mover_kill_o = state_q[StateKill];
  assign mover_fault_ready_o = state_q[StateLookup] || state_q[StateKill];
  // After an unmap, the engine invalidates the empty range from 0 to 0. This drops no translation
  // but flips the drain generation: when done, no access that was translated earlier is in flight.
  assign ctl_o = '{op: CtlInvalidate, scope: needs_q.aperture ? ScopeRange : scope_q,
                   space: needs_q.aperture ? '0 : space_q, va_start: job_q.src.address,
                   va_end: job_q.value, cfg: '0};

  // Stores, for each job, the offset of its command in the buffer, and the command's header.
  logic        job_taken;
  logic [31:0] found_offset, found_header;
  assign job_taken = job_valid_o && job_ready_i;
  gmmu_ram_block #(.Width(64), .Depth(1 << $bits(job_id_t))) u_where (
    .clk_i,
    .read_i(mover_fault_valid_i && !mover_fault_ready_o), .read_addr_i(mover_fault_job_i),
    .data_o({found_offset, found_header}),
    .write_i(job_taken), .write_addr_i(job_q.id),
    .data_i({offset_q, state_q[StateRecord] ? 32'd0 : header_q}));

  // The fault of a command that failed its checks. Its address is that of the command in the
  // buffer. If a word could not be read, the fault is word_fault_i.
  fault_e     reason_q;
  dma_fault_t own_fault;
  always_comb begin
    own_fault = '{reason: reason_q, access: AccessRead, level: '0, place: buffer_i};
    own_fault.place.address = buffer_i.address + 64'(offset_q);
    if (unreadable_q) own_fault = word_fault_i;
  end

  logic interruptible;
  assign interruptible = !state_q[StateCount];
  logic free;                                     // the command need not wait for earlier writes
  assign free = !(wait_q || needs_q.settle) || mover_idle_i;
  logic command_over;                             // a command without a job is complete
  logic ctl_done_q;
  always_ff @(posedge clk_i) ctl_done_q <= ctl_done_i && !rst_i;

  // job_ready_i is late in its cycle, so it is used only as the enable of state_q.
  logic stands;
  assign stands = job_valid_o && !job_ready_i && !kill_i && !mover_fault_valid_i && !rst_i;
  always_ff @(posedge clk_i) begin
    if (stands) begin
      state_q <= state_q;
    end else if (rst_i) begin
      state_q <= to(StateIdle);
    end else if (kill_i && interruptible) begin
      state_q <= to(StateKill);
    end else if (mover_fault_valid_i && interruptible) begin
      state_q <= to(StateLookup);
    end else begin
      unique case (1'b1)
        state_q[StateIdle]: if (start_i) state_q <= to(StateGet);

        state_q[StateGet]:
          if (next_valid) begin
            if (next.over) state_q <= to(StateEnd);
            else if (preempt_i) state_q <= to(StateStop);
            else if (next.unreadable || next.malformed) state_q <= to(StateOwnFault);
            else state_q <= next.opcode.nop ? to(StateWait) : to(StateRange);
          end

        state_q[StateRange]: state_q <= to(StateSum);
        state_q[StateSum]: state_q <= to(StateJudge);

        state_q[StateJudge]: begin
          if (bad) state_q <= to(StateOwnFault);
          else if (wait_q || needs_q.settle || no_length_q) state_q <= to(StateWait);
          else state_q <= to(StateIssue);
        end

        state_q[StateWait]:
          if (free) begin
            if (opcode_q.nop) state_q <= to(StateSkip);
            else if (opcode_q.flush_tlb) state_q <= to(StateControl);
            else if (no_length_q) state_q <= to(StateGet);
            else state_q <= to(StateIssue);
          end

        state_q[StateIssue]:
          if (needs_q.has_inline) state_q <= to(StateInline);
          else if (needs_q.aperture || opcode_q.signal_fence) state_q <= to(StateSettle);
          else state_q <= to(StateGet);

        state_q[StateInline]: begin
          if (word_failed) state_q <= to(StateInlineDead);
          else if (none_q) state_q <= needs_q.aperture ? to(StateSettle) : to(StateGet);
        end

        state_q[StateSkip]: begin
          if (word_failed) state_q <= to(StateOwnFault);
          else if (none_q) state_q <= to(StateGet);
        end

        state_q[StateSettle]:
          if (mover_idle_i) state_q <= needs_q.aperture ? to(StateFlush) : to(StateGet);

        state_q[StateFlush]:
          if (aperture_flush_done_i)
            state_q <= opcode_q.aperture_unmap ? to(StateControl) : to(StateGet);

        state_q[StateControl]: state_q <= to(StateControlDone);
        state_q[StateControlDone]: if (ctl_done_q) state_q <= to(StateGet);

        state_q[StateStop]: if (mover_idle_i) state_q <= to(StateIdle);
        state_q[StateEnd]: if (mover_idle_i) state_q <= to(StateRecordEnd);
        state_q[StateRecordEnd]: state_q <= to(StateRecord);
        state_q[StateRecord]: state_q <= to(StateRecordValue);
        state_q[StateRecordValue]: if (inline_room) state_q <= to(StateRecordCycle);
        state_q[StateRecordCycle]: if (inline_room) state_q <= to(StateRecordDone);
        state_q[StateRecordDone]: if (mover_idle_i) state_q <= to(StateIdle);

        state_q[StateOwnFault]: if (mover_idle_i) state_q <= to(StateFailed);
        state_q[StateLookup]: state_q <= to(StateFailed);
        state_q[StateFailed]: state_q <= to(StateIdle);
        state_q[StateKill]: if (mover_idle_i) state_q <= to(StateIdle);
        default: ;                                // StateInlineDead
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q[StateGet] && next_valid) begin
      offset_q <= next.offset;
      header_q <= next.header[31:0];
      needs_q <= next.needs;
      opcode_q <= next.opcode;
      unreadable_q <= next.unreadable;
      wait_q <= next.header.wait_writes;
      interrupt_q <= next.header.irq;
      scope_q <= scope_e'(next.header.scope);
      space_q <= next.header.dst_space[5:0];
      reason_q <= FaultCommandBad;
      odd_q <= next.odd;
      length_q <= next.length;
      job_q.source <= SourceSteps;
      if (next.opcode.copy) job_q.source <= SourceCopy;
      if (next.opcode.fill) job_q.source <= SourcePattern;
      if (next.needs.has_inline) job_q.source <= SourceWords;
      job_q.src <= '{physical: next.header.src_physical,
                     target: target_e'(next.header.src_target),
                     space: next.header.src_space[5:0], address: next.src};
      job_q.dst <= '{physical: next.header.dst_physical,
                     target: target_e'(next.header.dst_target),
                     space: next.header.dst_space[5:0], address: next.dst};
      if (next.needs.aperture)
        job_q.dst <= '{physical: 1'b1, target: TargetVram, space: '0,
                       address: {16'd0, aperture_base_i} + {29'd0, next.dst[31:0], 3'd0}};
      job_q.value <= next.value;
      job_q.step <= next.step;
      if (next.opcode.aperture_map) job_q.step <= 64'h1000;
    end
    if (state_q[StateGet]) words_left_q <= next.header.words - 16'd1 - 16'(next.needs.operands);
    else if (word_now) words_left_q <= words_left_q - 16'd1;
    if (word_failed) unreadable_q <= 1'b1;
    none_q <= words_left_q == (word_now ? 16'd1 : 16'd0);
    // tail_end_q returns the word stream to the collector.
    tail_end_q <= ((state_q[StateSkip] || state_q[StateInline]) && none_q) ||
                  (state_q[StateWait] && needs_q.has_inline && no_length_q && free);

    if (state_q[StateRange]) begin
      foreign_q <= foreign;
      length_m1_q <= length - 48'd1;
      no_length_q <= length == '0;
      start_after_end_q <= opcode_q.flush_tlb && scope_q == ScopeRange &&
                           job_q.value < job_q.src.address;
      aperture_end_q <= 33'(next.dst[31:0]) + 33'(next.dst[63:32]);
      list_bad_q <= opcode_q.aperture_list && length_q[34:3] != {16'd0, words_left_q};
    end
    if (state_q[StateSum] || state_q[StateRecordEnd]) begin
      job_q.src_end <= src_end;
      job_q.dst_end <= dst_end;
      src_end_bad_q <= src_top;
      dst_end_bad_q <= dst_top;
      aperture_bad_q <= aperture_end_q > 33'(aperture_pages_i);
    end
    if (state_q[StateJudge]) reason_q <= verdict;
    // The fence record consists of two words.
    if (state_q[StateEnd]) begin
      job_q.source <= SourceWords;
      job_q.dst <= '{physical: 1'b1, target: TargetSystem, space: '0,
                     address: {16'd0, record_address_i[PaWidth-1:4], 4'd0}};
      length_m1_q <= 48'd15;
    end
    if (state_q[StateFlush]) begin
      job_q.src.address <= '0;
      job_q.value <= '0;
    end
    if (rst_i) job_q.id <= '0;
    else if (job_taken) job_q.id <= job_q.id + 8'd1;
  end

  always_ff @(posedge clk_i) begin
    ctl_valid_o <= state_q[StateControl] || (ctl_valid_o && !ctl_ready_i);
    done_o <= state_q[StateRecordDone] && mover_idle_i && !(kill_i || mover_fault_valid_i);
    failed_o <= state_q[StateFailed];
    killed_o <= state_q[StateKill] && mover_idle_i;
    preempted_o <= state_q[StateStop] && mover_idle_i && !(kill_i || mover_fault_valid_i);
    fence_irq_o <= state_q[StateSettle] && mover_idle_i && !needs_q.aperture && interrupt_q &&
                   !(kill_i || mover_fault_valid_i);
    aperture_flush_o <= state_q[StateSettle] && mover_idle_i && needs_q.aperture &&
                        !(kill_i || mover_fault_valid_i);
    if (rst_i) begin
      ctl_valid_o <= 1'b0;
      done_o <= 1'b0;
      failed_o <= 1'b0;
      killed_o <= 1'b0;
      preempted_o <= 1'b0;
      fence_irq_o <= 1'b0;
      aperture_flush_o <= 1'b0;
    end

    // Report the fault of the current command, unless the mover reports a fault of an earlier job.
    // After a preemption, only the offset is meaningful.
    if (state_q[StateOwnFault] || state_q[StateInlineDead] || state_q[StateStop]) begin
      error_o <= own_fault;
      error_path_o <= 2'd0;
      error_offset_o <= offset_q;
      error_header_o <= header_q;
    end
    if (state_q[StateLookup] && mover_fault_i.reason != FaultNone) begin
      error_o <= mover_fault_i;
      error_path_o <= mover_fault_i.access == AccessWrite ? 2'd2 : 2'd1;
      error_offset_o <= found_offset;
      error_header_o <= found_header;
    end
  end

  assign fence_at_work_o = state_q[StateRecordValue] || state_q[StateRecordCycle] ||
                           state_q[StateRecordDone] ||
                           (state_q[StateSettle] && !needs_q.aperture);

  // A command with a job is counted when the job retires. The fence record is not counted.
  assign command_over = (state_q[StateSkip] && none_q) ||
                        (state_q[StateWait] && !opcode_q.nop && !opcode_q.flush_tlb &&
                         no_length_q && free) ||
                        (state_q[StateControlDone] && ctl_done_q && !needs_q.aperture);
  always_ff @(posedge clk_i) begin
    if (rst_i) count_commands_o <= '0;
    else count_commands_o <= 2'(command_over && !(kill_i && interruptible)) +
                             2'(mover_retired_i && !state_q[StateRecordDone]);
  end

  // waits: no state changes until start_i, or until the mover accepts a job or is idle.
  logic waits;
  assign waits = state_q[StateIdle] || stands || (state_q[StateWait] && !free)
      || ((state_q[StateSettle] || state_q[StateStop] || state_q[StateEnd] || state_q[StateRecordDone]
           || state_q[StateOwnFault]) && !mover_idle_i);
  assign awake_o = !waits || collects || start_i || kill_i || mover_fault_valid_i || mover_retired_i || inline_valid_o
      || ctl_valid_o || ctl_done_i || done_o || failed_o || killed_o || preempted_o || fence_irq_o || aperture_flush_o
      || count_commands_o != '0;

  logic unused;
  assign unused = ^{record_address_i[3:0], next, needs_q, opcode_q};
endmodule

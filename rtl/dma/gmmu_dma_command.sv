// SPDX-License-Identifier: Apache-2.0
// Command processor: executes one paging buffer after the other. While it executes a command,
// gmmu_dma_collect collects the next one.
//
//   start     bytes of commands that the word stream will bring (0: only the fence record), the
//             ring's rights and where its fence record goes
//   words     the paging buffer; word_error_i, without word_valid_i: the next one could not be read
//   end       done_o pulses: fence record written, its B taken. failed_o pulses instead when a
//             command failed (error_*: the first in order; everything before it is complete,
//             nothing is in flight), killed_o when
//             kill_i made it give up, preempted_o when preempt_i stopped it in front of a command.
//   kill_i    (level) no further command begins, transfers are given up
//   preempt_i (level) no further command begins: preempted_o when those that have begun are
//             complete (error_offset_o: the first that has not begun), failed_o if one of them
//             fails. Behind the last command it does nothing.
// Checks of a command, in this order: header form (FaultCommandBad), privilege
// (FaultNotPrivileged), operand form (FaultCommandBad), address space number (FaultSpaceDisabled),
// aperture range, its entries' addresses too (FaultApertureRange). A command that fails its checks has changed nothing.
module gmmu_dma_command
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned NumSpaces = 16
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        start_i,
  input  logic [31:0] bytes_i,
  input  place_t      buffer_i,              // for the address of a bad command
  input  logic        privileged_i,
  input  pa_t         record_address_i,      // in system memory
  input  logic [63:0] record_value_i,        // first word of the fence record
  input  logic [63:0] cycle_i,               // second word, when it is written
  input  logic        kill_i,
  input  logic        preempt_i,
  output logic        done_o,
  output logic        failed_o,
  output logic        killed_o,
  output logic        preempted_o,
  output logic        fence_irq_o,           // of a signal_fence
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
  output logic        inline_valid_o,        // words of the paging buffer that belong to a job
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
  output logic        aperture_flush_o,
  input  logic        aperture_flush_done_i,

  output logic        fence_at_work_o,       // what the mover writes is a fence
  output logic [1:0]  count_commands_o
);
  typedef enum int unsigned {
    StateIdle,
    StateGet,          // take a collected command, or end
    StateForm,         // build the job
    StateRange,        // ends of ranges, in two steps
    StateSum,
    StateJudge,        // all checks, in two steps
    StateVerdict,
    StateWait,         // for earlier writes, if asked; or nothing to transfer
    StateIssue,        // job to the mover
    StateInline,       // its words follow
    StateSkip,         // words of a nop
    StateSettle,       // aperture entries or fence: all B
    StateFlush,        // aperture map cache
    StateControl,      // invalidation: order
    StateControlDone,  // offer, and its end
    StateStop,         // preempted: all B of the commands before
    StateEnd,          // all B before the record
    StateRecord,
    StateRecordDone,
    StateOwnFault,     // a fault of the command itself: jobs before it may still fail
    StateInlineDead,   // inline words ended early: the mover finds out what it means
    StateLookup,       // mover's fault: which command
    StateFailed,
    StateKill,
    StateCount
  } state_e;
  logic [StateCount:0] state_q;                   // one bit for each state; the top one: see below
  // A state must not be aborted between the two halves of a handshake, nor while a buffer ends. The
  // top bit of such a state is set.
  function automatic logic [StateCount:0] to(state_e state);
    logic held;
    held = state == StateIdle || state == StateFlush || state == StateControl ||
           state == StateControlDone || state == StateLookup || state == StateFailed ||
           state == StateKill;
    return {held, StateCount'(1) << state};
  endfunction

  // The next command, and words that belong to the present one.
  logic     next_valid, next_ready, tail_ready, tail_end_q;
  command_t next;
  gmmu_dma_collect #(.NumSpaces(NumSpaces)) u_collect (
    .clk_i, .rst_i,
    .start_i(start_i && state_q[StateIdle]), .bytes_i, .halt_i(state_q[StateIdle]),
    .word_valid_i, .word_ready_o, .word_i, .word_error_i,
    .valid_o(next_valid), .ready_i(next_ready), .command_o(next),
    .tail_ready_i(tail_ready), .tail_end_i(tail_end_q));

  // The command at work.
  logic [31:0]     offset_q, header_q;            // where it stands, what is told of it
  command_needs_t  needs_q;
  command_opcode_t opcode_q;
  logic            wait_q, interrupt_q;           // from its header
  scope_e          scope_q;
  space_t          space_q;
  logic [15:0]     words_left_q;                  // of a nop or of inline words
  job_id_t         job_id_q;
  job_t            job_q;
  logic            unreadable_q;

  // The job of a command (StateForm).
  job_t        formed;
  place_t      dst_place, src_place;
  logic [15:0] inline_words;
  assign src_place = '{physical: next.header.src_physical,
                       target: target_e'(next.header.src_target),
                       space: next.header.src_space[5:0], address: next.operand[0]};
  assign dst_place = '{physical: next.header.dst_physical,
                       target: target_e'(next.header.dst_target),
                       space: next.header.dst_space[5:0],
                       address: opcode_q.copy ? next.operand[1] : next.operand[0]};
  assign inline_words = next.header.words - 16'd2;
  always_comb begin
    formed = '{id: job_id_q, source: SourceCopy, src: src_place, dst: dst_place, length: 48'd0,
               value: next.operand[1], step: 64'd0};
    unique case (1'b1)
      opcode_q.copy: formed.length = next.operand[2][47:0];
      opcode_q.fill: begin
        formed.source = SourcePattern;
        formed.length = next.operand[1][47:0];
        formed.value = next.operand[2];
      end
      opcode_q.table_write: begin
        formed.source = SourceWords;
        formed.length = {29'd0, inline_words, 3'd0};
      end
      opcode_q.table_repeat: begin
        formed.source = SourceSteps;
        formed.length = {13'd0, next.operand[1][31:0], 3'd0};
        formed.value = next.operand[2];
        formed.step = next.operand[3];
      end
      opcode_q.signal_fence: begin
        formed.source = SourceSteps;
        formed.length = 48'd8;
      end
      default: begin  // aperture commands: entries of consecutive pages
        formed.source = opcode_q.aperture_list ? SourceWords : SourceSteps;
        formed.length = {13'd0, next.operand[0][63:32], 3'd0};
        formed.step = opcode_q.aperture_map ? 64'h1000 : 64'd0;
        formed.dst = '{physical: 1'b1, target: TargetVram, space: '0,
                       address: {16'd0, aperture_base_i} + {29'd0, next.operand[0][31:0], 3'd0}};
      end
    endcase
  end

  // Form of the operands: what can be seen of them alone (StateForm).
  logic        operand_bad, operand_bad_q, ranges_q, list_bad_q, start_after_end_q;
  logic [64:0] end_less_start;
  logic [32:0] aperture_end_q;
  assign end_less_start = {1'b0, next.operand[1]} - {1'b0, next.operand[0]};
  always_comb begin
    operand_bad = 1'b0;
    unique case (1'b1)
      opcode_q.copy: operand_bad = next.operand[2][63:48] != '0;
      opcode_q.fill:
        operand_bad = next.operand[1][63:48] != '0 || next.operand[2][63:32] != '0;
      opcode_q.table_write, opcode_q.signal_fence: operand_bad = next.operand[0][2:0] != '0;
      opcode_q.table_repeat:
        operand_bad = next.operand[0][2:0] != '0 || next.operand[1][63:32] != '0;
      default: ;
    endcase
  end

  // Ends of ranges: the addresses of the last bytes, with carry, and the aperture's last page.
  logic [47:0] length_m1_q;
  logic [64:0] src_last, dst_last;
  logic [33:0] aperture_room;
  logic        no_length_q, src_end_bad_q, dst_end_bad_q, aperture_bad_q, entries_bad_q;
  assign src_last = {1'b0, job_q.src.address} + 65'(length_m1_q);
  assign dst_last = {1'b0, job_q.dst.address} + 65'(length_m1_q);
  assign aperture_room = 34'(aperture_pages_i) - 34'(aperture_end_q);

  // Judgement, the first that is bad (StateVerdict).
  logic   foreign, foreign_q;                    // names another space than the buffer's own
  logic   privilege_bad_q, form_bad_q;
  assign foreign = (next.needs.src && !next.header.src_physical &&
                    next.header.src_space != 8'(buffer_i.space)) ||
                   (next.needs.dst && !next.header.dst_physical &&
                    next.header.dst_space != 8'(buffer_i.space)) ||
                   (opcode_q.flush_tlb && next.header.dst_space != 8'(buffer_i.space));
  fault_e verdict;
  always_comb begin
    if (privilege_bad_q) verdict = FaultNotPrivileged;
    else if (form_bad_q) verdict = FaultCommandBad;
    else if (needs_q.space_bad) verdict = FaultSpaceDisabled;
    else if (needs_q.aperture && entries_bad_q) verdict = FaultApertureRange;
    else verdict = FaultNone;
  end

  // Words behind the operands.
  logic word_now, word_failed, none_q, inline_room;  // none_q: none left
  assign tail_ready = !none_q && (state_q[StateSkip] || (state_q[StateInline] && inline_room));
  assign word_now = word_valid_i && tail_ready;
  assign word_failed = word_error_i && !none_q && (state_q[StateSkip] || state_q[StateInline]);
  gmmu_skid #(.Width(64)) u_inline (
    .clk_i, .rst_i(rst_i || state_q[StateIdle]),
    .valid_i(word_valid_i && state_q[StateInline] && !none_q), .ready_o(inline_room),
    .data_i(word_i),
    .valid_o(inline_valid_o), .ready_i(inline_ready_i), .data_o(inline_word_o));

  assign next_ready = state_q[StateGet];
  assign job_valid_o = state_q[StateIssue] || state_q[StateRecord];
  assign job_o = job_q;
  assign inline_dead_o = state_q[StateInlineDead];
  assign mover_kill_o = state_q[StateKill];
  assign mover_fault_ready_o = state_q[StateLookup] || state_q[StateKill];
  // After an unmap the engine invalidates an empty range. It drops nothing but flips the drain generation: when it is done, all accesses that were translated
  // before have left the old pages.
  always_comb begin
    ctl_o = '{op: CtlInvalidate, scope: scope_q, space: space_q, va_start: job_q.src.address,
              va_end: job_q.value, cfg: '0};
    if (needs_q.aperture) begin
      ctl_o.scope = ScopeRange;
      ctl_o.space = '0;
      ctl_o.va_start = '0;
      ctl_o.va_end = '0;
    end
  end

  // A command's place in the buffer, by job.
  logic        job_taken;
  logic [31:0] found_offset, found_header;
  assign job_taken = job_valid_o && job_ready_i;
  gmmu_ram_1r1w #(.Width(64), .Depth(1 << $bits(job_id_t))) u_where (
    .clk_i,
    .read_i(mover_fault_valid_i && !mover_fault_ready_o), .read_addr_i(mover_fault_job_i),
    .data_o({found_offset, found_header}),
    .write_i(job_taken), .write_addr_i(job_q.id),
    .data_i({offset_q, state_q[StateRecord] ? 32'd0 : header_q}));

  // A command's own error names its place in the buffer; word_fault_i says why a word could not be
  // read.
  fault_e     reason_q;
  dma_fault_t own_fault;
  always_comb begin
    own_fault = '{reason: reason_q, access: AccessRead, level: '0, place: buffer_i};
    own_fault.place.address = buffer_i.address + 64'(offset_q);
    if (unreadable_q) own_fault = word_fault_i;
  end

  logic interruptible;
  assign interruptible = !state_q[StateCount];
  logic free;                                     // nothing to wait for
  assign free = !(wait_q || needs_q.settle) || mover_idle_i;
  logic command_over;                             // ended without a job of its own to be counted
  logic ctl_done_q;
  always_ff @(posedge clk_i) ctl_done_q <= ctl_done_i && !rst_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
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
            else state_q <= next.opcode.nop ? to(StateWait) : to(StateForm);
          end

        state_q[StateForm]: state_q <= to(StateRange);
        state_q[StateRange]: state_q <= to(StateSum);
        state_q[StateSum]: state_q <= to(StateJudge);
        state_q[StateJudge]: state_q <= to(StateVerdict);

        state_q[StateVerdict]: begin
          if (verdict != FaultNone) state_q <= to(StateOwnFault);
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
          if (job_ready_i) begin
            if (needs_q.has_inline) state_q <= to(StateInline);
            else if (needs_q.aperture || opcode_q.signal_fence) state_q <= to(StateSettle);
            else state_q <= to(StateGet);
          end

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
        state_q[StateEnd]: if (mover_idle_i) state_q <= to(StateRecord);
        state_q[StateRecord]: if (job_ready_i) state_q <= to(StateRecordDone);
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
    if (state_q[StateGet]) begin
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
    end
    if (state_q[StateGet]) words_left_q <= next.header.words - 16'd1 - 16'(next.needs.operands);
    else if (word_now) words_left_q <= words_left_q - 16'd1;
    if (word_failed) unreadable_q <= 1'b1;
    none_q <= words_left_q == (word_now ? 16'd1 : 16'd0);
    // The collector takes words again; it has counted the last one.
    tail_end_q <= ((state_q[StateSkip] || state_q[StateInline]) && none_q) ||
                  (state_q[StateWait] && needs_q.has_inline && no_length_q && free);

    if (state_q[StateForm]) begin
      job_q <= formed;
      operand_bad_q <= operand_bad;
      foreign_q <= foreign;
      ranges_q <= opcode_q.flush_tlb && scope_q == ScopeRange;
      start_after_end_q <= end_less_start[64];
      aperture_end_q <= 33'(next.operand[0][31:0]) + 33'(next.operand[0][63:32]);
    end
    if (state_q[StateRange]) begin
      length_m1_q <= job_q.length - 48'd1;
      no_length_q <= job_q.length == '0;
      aperture_bad_q <= aperture_room[33];
      list_bad_q <= opcode_q.aperture_list && job_q.length[34:3] != {16'd0, words_left_q};
    end
    if (state_q[StateSum]) begin
      src_end_bad_q <= job_q.src.physical ? src_last[64:PaWidth] != '0 : src_last[64];
      dst_end_bad_q <= job_q.dst.physical ? dst_last[64:PaWidth] != '0 : dst_last[64];
    end
    if (state_q[StateJudge]) begin
      entries_bad_q <= aperture_bad_q || (!no_length_q && dst_end_bad_q);
      privilege_bad_q <= (needs_q.privilege || foreign_q) && !privileged_i;
      form_bad_q <= operand_bad_q || list_bad_q || (ranges_q && start_after_end_q) ||
                    (!no_length_q && ((needs_q.src && src_end_bad_q) ||
                                      (needs_q.dst && dst_end_bad_q)));
    end
    if (state_q[StateVerdict]) reason_q <= verdict;
    // The values are not used in StateIdle, so the enable does not depend on the next state.
    if (state_q[StateEnd] || state_q[StateIdle])
      job_q <= '{id: job_id_q, source: SourcePair, src: '0,
                 dst: '{physical: 1'b1, target: TargetSystem, space: '0,
                        address: {16'd0, record_address_i[PaWidth-1:4], 4'd0}},
                 length: 48'd16, value: record_value_i, step: cycle_i};
    if (rst_i) job_id_q <= '0;
    else if (job_taken) job_id_q <= job_id_q + 8'd1;
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

    // The error of the command, unless the mover's fault comes before it. Of a stop only the offset
    // counts.
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

  assign fence_at_work_o = state_q[StateRecordDone] ||
                           (state_q[StateSettle] && !needs_q.aperture);

  // Commands with a job count when the job retires; the fence record is none.
  assign command_over = (state_q[StateSkip] && none_q) ||
                        (state_q[StateWait] && !opcode_q.nop && !opcode_q.flush_tlb &&
                         no_length_q && free) ||
                        (state_q[StateControlDone] && ctl_done_q && !needs_q.aperture);
  always_ff @(posedge clk_i) begin
    if (rst_i) count_commands_o <= '0;
    else count_commands_o <= 2'(command_over && !(kill_i && interruptible)) +
                             2'(mover_retired_i && !state_q[StateRecordDone]);
  end

  logic unused;
  assign unused = ^{record_address_i[3:0], src_last[PaWidth-1:0], dst_last[PaWidth-1:0],
                    end_less_start[63:0], aperture_room[32:0], next, needs_q};
endmodule

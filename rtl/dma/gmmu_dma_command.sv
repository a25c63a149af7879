// SPDX-License-Identifier: Apache-2.0
// Command processor: executes one paging buffer after the other.
//
//   start     bytes of commands that the word stream will bring (0: only the fence record), the
//             ring's rights and where its fence record goes
//   words     the paging buffer; word_error_i with word_valid_i: it could not be read
//   end       done_o pulses: fence record written, its B taken. failed_o pulses instead when a
//             command failed (error_*: the first in order; everything before it is complete,
//             nothing is in flight), killed_o when
//             kill_i made it give up.
//   kill_i    (level) no further command begins, transfers are given up
// Checks of a command, in this order: header form (FaultCommandBad), privilege
// (FaultNotPrivileged), operand form (FaultCommandBad), address space number (FaultSpaceDisabled),
// aperture range (FaultApertureRange). A command that fails its checks has changed nothing.
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
  output logic        done_o,
  output logic        failed_o,
  output logic        killed_o,
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
  typedef enum logic [4:0] {
    StateIdle,
    StateHeader,       // take the first word of a command, or end
    StateDecode,       // judge the header, take the first operand
    StateOperand,      // take the others
    StateForm,         // build the job
    StateRange,        // last addresses
    StateJudge,        // all checks
    StateWait,         // for earlier writes, if asked; or nothing to transfer
    StateIssue,        // job to the mover
    StateInline,       // its words follow
    StateSkip,         // words of a nop
    StateSettle,       // aperture entries or fence: all B
    StateFlush,        // aperture map cache
    StateControl,      // invalidation: offer
    StateControlDone,  // and its end
    StateEnd,          // all B before the record
    StateRecord,
    StateRecordDone,
    StateOwnFault,     // a fault of the command itself: jobs before it may still fail
    StateInlineDead,   // inline words ended early: the mover finds out what it means
    StateLookup,       // mover's fault: which command
    StateFailed,
    StateKill
  } state_e;
  state_e state_q;

  logic [31:0]          bytes_q, offset_q, next_q;  // of buffer, command, next word
  command_header_word_t header_q;
  logic [3:0][63:0]     operand_q;
  logic [2:0]           operand_count_q;
  logic [15:0]          words_left_q;               // of a nop or of inline words
  job_id_t              job_id_q;
  job_t                 job_q;
  logic                 src_ends_bad_q, dst_ends_bad_q, start_after_end_q, aperture_bad_q;

  logic        good, has_inline, table_command, aperture, has_src, has_dst, settle;
  logic [2:0]  operands;
  gmmu_dma_decode u_decode (
    .header_i(header_q), .good_o(good), .operands_o(operands), .has_inline_o(has_inline),
    .table_o(table_command), .aperture_o(aperture), .src_o(has_src), .dst_o(has_dst),
    .settle_o(settle));
  opcode_e opcode;
  assign opcode = opcode_e'(header_q.opcode);

  // Does the command fit into the rest of the buffer? words * 8 bytes from offset_q on.
  logic [32:0] command_end;
  logic        fits;
  assign command_end = 33'(offset_q) + {14'd0, header_q.words, 3'd0};
  assign fits = command_end <= 33'(bytes_q);

  // The job of a command (StateForm).
  job_t        formed;
  place_t      dst_place, src_place;
  logic [47:0] aperture_bytes;
  assign src_place = '{physical: header_q.src_physical, target: target_e'(header_q.src_target),
                       space: header_q.src_space[5:0], address: operand_q[0]};
  assign dst_place = '{physical: header_q.dst_physical, target: target_e'(header_q.dst_target),
                       space: header_q.dst_space[5:0],
                       address: opcode == OpcodeCopy ? operand_q[1] : operand_q[0]};
  assign aperture_bytes = {13'd0, operand_q[0][63:32], 3'd0};
  always_comb begin
    formed = '{id: job_id_q, source: SourceCopy, src: src_place, dst: dst_place, length: 48'd0,
               value: operand_q[1], step: 64'd0};
    case (opcode)
      OpcodeCopy: formed.length = operand_q[2][47:0];
      OpcodeFill: begin
        formed.source = SourcePattern;
        formed.length = operand_q[1][47:0];
        formed.value = operand_q[2];
      end
      OpcodeTableWrite: begin
        formed.source = SourceWords;
        formed.length = {29'd0, header_q.words - 16'd2, 3'd0};
      end
      OpcodeTableRepeat: begin
        formed.source = SourceSteps;
        formed.length = {13'd0, operand_q[1][31:0], 3'd0};
        formed.value = operand_q[2];
        formed.step = operand_q[3];
      end
      OpcodeSignalFence: begin
        formed.source = SourceSteps;
        formed.length = 48'd8;
      end
      default: begin  // aperture commands: entries of consecutive pages
        formed.source = opcode == OpcodeApertureList ? SourceWords : SourceSteps;
        formed.length = aperture_bytes;
        formed.step = opcode == OpcodeApertureMap ? 64'h1000 : 64'd0;
        formed.dst = '{physical: 1'b1, target: TargetVram, space: '0,
                       address: {16'd0, aperture_base_i} + {29'd0, operand_q[0][31:0], 3'd0}};
      end
    endcase
  end

  // The address of the last byte, with carry (StateRange).
  logic [64:0] src_last, dst_last;
  assign src_last = {1'b0, job_q.src.address} + 65'(job_q.length) - 65'd1;
  assign dst_last = {1'b0, job_q.dst.address} + 65'(job_q.length) - 65'd1;

  // Judgement.
  logic   bad_operand, bad_space;
  fault_e verdict;
  always_comb begin
    bad_operand = 1'b0;
    case (opcode)
      OpcodeCopy: bad_operand = operand_q[2][63:48] != '0;
      OpcodeFill: bad_operand = operand_q[1][63:48] != '0 || operand_q[2][63:32] != '0;
      OpcodeTableWrite: bad_operand = operand_q[0][2:0] != '0;
      OpcodeTableRepeat: bad_operand = operand_q[0][2:0] != '0 || operand_q[1][63:32] != '0;
      OpcodeApertureList:
        bad_operand = operand_q[0][63:32] != {16'd0, header_q.words - 16'd2};
      OpcodeFlushTlb: bad_operand = header_q.scope == ScopeRange && start_after_end_q;
      OpcodeSignalFence: bad_operand = operand_q[0][2:0] != '0;
      default: ;
    endcase
    if (job_q.length != '0 && has_src && src_ends_bad_q) bad_operand = 1'b1;
    if (job_q.length != '0 && has_dst && dst_ends_bad_q) bad_operand = 1'b1;

    bad_space = (has_src && !header_q.src_physical && 32'(header_q.src_space) >= NumSpaces) ||
                (has_dst && !header_q.dst_physical && 32'(header_q.dst_space) >= NumSpaces) ||
                (opcode == OpcodeFlushTlb && header_q.scope != ScopeGlobal &&
                 32'(header_q.dst_space) >= NumSpaces);

    if (!privileged_i && (table_command || (has_src && header_q.src_physical) ||
                          (has_dst && header_q.dst_physical))) verdict = FaultNotPrivileged;
    else if (bad_operand) verdict = FaultCommandBad;
    else if (bad_space) verdict = FaultSpaceDisabled;
    else if (aperture && aperture_bad_q) verdict = FaultApertureRange;
    else verdict = FaultNone;
  end

  // Words.
  logic takes_word, word_now;
  assign takes_word = (state_q == StateHeader && next_q != bytes_q) || state_q == StateOperand ||
                      (state_q == StateDecode && good && fits && opcode != OpcodeNop) ||
                      (state_q == StateSkip && words_left_q != '0);
  assign inline_valid_o = state_q == StateInline && word_valid_i && !word_error_i;
  assign word_now = word_valid_i && !word_error_i && word_ready_o;
  assign word_ready_o = !word_error_i &&
                        (takes_word || (state_q == StateInline && inline_ready_i));
  logic word_failed;
  assign word_failed = word_valid_i && word_error_i && (takes_word || state_q == StateInline);

  assign job_valid_o = (state_q == StateIssue || state_q == StateRecord) && !mover_fault_valid_i &&
                       !kill_i;
  assign job_o = job_q;
  assign inline_dead_o = state_q == StateInlineDead;
  assign mover_kill_o = state_q == StateKill;
  assign mover_fault_ready_o = state_q == StateLookup || state_q == StateKill;
  assign ctl_valid_o = state_q == StateControl;
  // After an unmap an empty range of no built space: nothing is dropped, but the drain generation
  // flips, so that its end means that all accesses translated before have left the old pages.
  always_comb begin
    ctl_o = '{op: CtlInvalidate, scope: scope_e'(header_q.scope), space: header_q.dst_space[5:0],
              va_start: operand_q[0], va_end: operand_q[1], cfg: '0};
    if (aperture) begin
      ctl_o.scope = ScopeRange;
      ctl_o.space = '1;
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
    .data_i({offset_q, state_q == StateRecord ? 32'd0 : header_q[31:0]}));

  dma_fault_t own_fault;                          // of the command as such: where it stands
  always_comb begin
    own_fault = '{reason: FaultCommandBad, access: AccessRead, level: '0, place: buffer_i};
    own_fault.place.address = buffer_i.address + 64'(offset_q);
  end

  logic interruptible;                            // not between the two halves of a handshake
  assign interruptible = !(state_q inside {StateIdle, StateFlush, StateControl, StateControlDone,
                                           StateLookup, StateFailed, StateKill});
  logic command_over;                             // ended without a job of its own to be counted

  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    failed_o <= 1'b0;
    killed_o <= 1'b0;
    fence_irq_o <= 1'b0;
    aperture_flush_o <= 1'b0;
    if (rst_i) begin
      state_q <= StateIdle;
      job_id_q <= '0;
    end else if (kill_i && interruptible) begin
      state_q <= StateKill;
    end else if (mover_fault_valid_i && interruptible) begin
      state_q <= StateLookup;
    end else begin
      case (state_q)
        StateIdle: begin
          bytes_q <= bytes_i;
          offset_q <= '0;
          next_q <= '0;
          if (start_i) state_q <= StateHeader;
        end

        StateHeader: begin
          offset_q <= next_q;
          header_q <= word_i;
          operand_count_q <= '0;
          if (next_q == bytes_q) state_q <= StateEnd;
          else if (word_now) state_q <= StateDecode;
        end

        StateDecode: begin
          error_path_o <= 2'd0;
          error_o <= own_fault;
          words_left_q <= header_q.words - 16'd1 - 16'(operands);
          if (!good || !fits) state_q <= StateOwnFault;
          else if (opcode == OpcodeNop) state_q <= StateWait;
          else if (word_now) begin
            operand_q[0] <= word_i;
            operand_count_q <= 3'd1;
            state_q <= operands == 3'd1 ? StateForm : StateOperand;
          end
        end

        StateOperand: begin
          if (word_now) begin
            operand_q[operand_count_q[1:0]] <= word_i;
            operand_count_q <= operand_count_q + 3'd1;
            if (operand_count_q + 3'd1 == operands) state_q <= StateForm;
          end
        end

        StateForm: begin
          job_q <= formed;
          start_after_end_q <= operand_q[0] > operand_q[1];
          aperture_bad_q <= 33'(operand_q[0][31:0]) + 33'(operand_q[0][63:32]) >
                            33'(aperture_pages_i);
          state_q <= StateRange;
        end

        StateRange: begin
          src_ends_bad_q <= job_q.src.physical ? src_last[64:PaWidth] != '0 : src_last[64];
          dst_ends_bad_q <= job_q.dst.physical ? dst_last[64:PaWidth] != '0 : dst_last[64];
          state_q <= StateJudge;
        end

        StateJudge: begin
          error_o.reason <= verdict;
          if (verdict != FaultNone) state_q <= StateOwnFault;
          else if (header_q.wait_writes || settle || job_q.length == '0) state_q <= StateWait;
          else state_q <= StateIssue;
        end

        StateWait: begin
          if (!(header_q.wait_writes || settle) || mover_idle_i) begin
            if (opcode == OpcodeNop) state_q <= StateSkip;
            else if (opcode == OpcodeFlushTlb) state_q <= StateControl;
            else if (job_q.length == '0) state_q <= StateHeader;
            else state_q <= StateIssue;
          end
        end

        StateIssue: begin
          if (job_ready_i) begin
            job_id_q <= job_id_q + 8'd1;
            if (has_inline) state_q <= StateInline;
            else if (aperture || opcode == OpcodeSignalFence) state_q <= StateSettle;
            else state_q <= StateHeader;
          end
        end

        StateInline: begin
          if (word_now) begin
            words_left_q <= words_left_q - 16'd1;
            if (words_left_q == 16'd1) state_q <= aperture ? StateSettle : StateHeader;
          end
        end

        StateSkip: begin
          if (words_left_q == '0) state_q <= StateHeader;
          else if (word_now) begin
            words_left_q <= words_left_q - 16'd1;
            if (words_left_q == 16'd1) state_q <= StateHeader;
          end
        end

        StateSettle: begin
          if (mover_idle_i) begin
            aperture_flush_o <= aperture;
            fence_irq_o <= !aperture && header_q.interrupt;
            state_q <= aperture ? StateFlush : StateHeader;
          end
        end

        StateFlush: begin
          if (aperture_flush_done_i)
            state_q <= opcode == OpcodeApertureUnmap ? StateControl : StateHeader;
        end

        StateControl: if (ctl_ready_i) state_q <= StateControlDone;
        StateControlDone: if (ctl_done_i) state_q <= StateHeader;

        StateEnd: begin
          job_q <= '{id: job_id_q, source: SourcePair, src: '0,
                     dst: '{physical: 1'b1, target: TargetSystem, space: '0,
                            address: {16'd0, record_address_i[PaWidth-1:4], 4'd0}},
                     length: 48'd16, value: record_value_i, step: cycle_i};
          if (mover_idle_i) state_q <= StateRecord;
        end

        StateRecord: begin
          if (job_ready_i) begin
            job_id_q <= job_id_q + 8'd1;
            state_q <= StateRecordDone;
          end
        end

        StateRecordDone: begin
          if (mover_idle_i) begin
            done_o <= 1'b1;
            state_q <= StateIdle;
          end
        end

        StateOwnFault: begin
          error_offset_o <= offset_q;
          error_header_o <= header_q[31:0];
          if (mover_idle_i) state_q <= StateFailed;
        end

        StateInlineDead: begin
          error_offset_o <= offset_q;
          error_header_o <= header_q[31:0];
        end

        StateLookup: begin
          if (mover_fault_i.reason != FaultNone) begin
            error_o <= mover_fault_i;
            error_path_o <= mover_fault_i.access == AccessWrite ? 2'd2 : 2'd1;
            error_offset_o <= found_offset;
            error_header_o <= found_header;
          end
          state_q <= StateFailed;
        end

        StateFailed: begin
          failed_o <= 1'b1;
          state_q <= StateIdle;
        end

        default: begin  // StateKill
          if (mover_idle_i) begin
            killed_o <= 1'b1;
            state_q <= StateIdle;
          end
        end
      endcase

      if (word_now) next_q <= next_q + 32'd8;
      if (word_failed) begin
        error_o <= word_fault_i;
        error_path_o <= 2'd0;
        if (state_q == StateHeader) header_q <= '0;
        state_q <= state_q == StateInline ? StateInlineDead : StateOwnFault;
      end
    end
  end

  assign fence_at_work_o = state_q == StateRecordDone || (state_q == StateSettle && !aperture);

  // Commands with a job count when the job retires; the fence record is none.
  assign command_over = (state_q == StateSkip && (words_left_q == '0 ||
                                                  (words_left_q == 16'd1 && word_now))) ||
                        (state_q == StateWait && opcode != OpcodeNop && opcode != OpcodeFlushTlb &&
                         job_q.length == '0 && (!header_q.wait_writes || mover_idle_i)) ||
                        (state_q == StateControlDone && ctl_done_i && !aperture);
  always_ff @(posedge clk_i) begin
    if (rst_i) count_commands_o <= '0;
    else count_commands_o <= 2'(command_over && !(kill_i && interruptible)) +
                             2'(mover_retired_i && state_q != StateRecordDone);
  end

  logic unused;
  assign unused = ^{record_address_i[3:0], src_last[PaWidth-1:0], dst_last[PaWidth-1:0]};
endmodule

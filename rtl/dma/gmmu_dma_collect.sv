// SPDX-License-Identifier: Apache-2.0
// Collects the operands of each command of a paging buffer and decodes its header, one command
// ahead of the command processor.
//
//   start     bytes_i: the number of command bytes in the word stream that follows
//   words     the words of the paging buffer. word_error_i is set, without word_valid_i, if the
//             next word could not be read.
//   command   the header, its operands and its decoded needs; a command with `over` set follows the
//             last command. command_o stays stable for one cycle after it is accepted.
//   tail      The words after the operands (inline words, or the words of a nop) go directly to the
//             command processor, which accepts them with tail_ready_i from the cycle after the
//             command on. It asserts tail_end_i at least two cycles after the last of these words.
//   halt_i    resets the collector
//   awake_o   0: no state changes in this cycle (gmmu_sleep)
// A command of n words takes n + 1 cycles.
module gmmu_dma_collect
  import gmmu_config_pkg::config_t;
  import gmmu_regs_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumSpaces = Config.NumSpaces
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        start_i,
  input  logic [31:0] bytes_i,
  input  logic        halt_i,

  input  logic        word_valid_i,
  output logic        word_ready_o,
  input  logic [63:0] word_i,
  input  logic        word_error_i,

  output logic        valid_o,
  input  logic        ready_i,
  output command_t    command_o,

  input  logic        tail_ready_i,
  input  logic        tail_end_i,
  output logic        awake_o
);
  typedef enum int unsigned {
    StateIdle,
    StateBegin,      // check whether the buffer is empty
    StateHeader,     // accept the header, or detect the end of the buffer
    StateOperand,    // accept the operands, and check the header in the first cycle
    StateFull,       // offer the command
    StateTail,       // the command processor accepts the next words
    StateCount
  } state_e;
  logic [StateCount-1:0] state_q;                 // one-hot
  function automatic logic [StateCount-1:0] to(state_e state);
    return StateCount'(1) << state;
  endfunction

  command_header_word_t header_q, coming;
  command_needs_t       needs, needs_q;
  command_opcode_t      opcode_q;
  logic                 many_q;                   // the command has at least 8 words
  logic [3:0]           place_q;                  // one-hot index of the next operand
  logic [2:0]           more, more_q;             // number of operands still to accept
  logic [28:0]          total_q, offset_q, end_q; // in words: buffer size; start and end of the command
  logic [29:0]          behind;
  logic                 at_end_q, over_q;         // at_end_q: end_q == total_q in the previous cycle
  logic                 fresh_q, sized, clean, good_q, unread_q, lost_q, takes;
  assign coming = word_i;

  logic has_table;
  gmmu_dma_decode u_decode (
    .header_i(header_q), .opcode_i(opcode_q), .many_i(many_q), .sized_o(sized), .clean_o(clean),
    .operands_o(needs.operands),
    .has_inline_o(needs.has_inline), .table_o(has_table), .aperture_o(needs.aperture),
    .src_o(needs.src), .dst_o(needs.dst), .settle_o(needs.settle));
  always_comb begin
    needs.privilege = has_table || (needs.src && header_q.src_physical) ||
                      (needs.dst && header_q.dst_physical);
    needs.space_bad =
        (needs.src && !header_q.src_physical && 32'(header_q.src_space) >= NumSpaces) ||
        (needs.dst && !header_q.dst_physical && 32'(header_q.dst_space) >= NumSpaces) ||
        (opcode_q.flush_tlb && header_q.scope != ScopeGlobal &&
         32'(header_q.dst_space) >= NumSpaces);
  end
  assign behind = 30'(offset_q) + 30'(header_q.words);
  assign more = fresh_q ? needs.operands : more_q;

  // The word after a malformed header may be accepted: it has no effect.
  assign takes = (state_q[StateHeader] && !at_end_q) ||
                 (state_q[StateOperand] && !opcode_q.nop && (fresh_q || good_q));
  assign word_ready_o = takes || (state_q[StateTail] && tail_ready_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= to(StateIdle);
    end else if (start_i || halt_i) begin
      state_q <= start_i ? to(StateBegin) : to(StateIdle);
    end else begin
      unique case (1'b1)
        state_q[StateBegin]: state_q <= to(StateHeader);
        state_q[StateHeader]:
          if (at_end_q || word_error_i) state_q <= to(StateFull);
          else if (word_valid_i) state_q <= to(StateOperand);
        state_q[StateOperand]:
          if (opcode_q.nop || word_error_i || (!fresh_q && !good_q) ||
              (word_valid_i && more[2:1] == '0))
            state_q <= to(StateFull);
        state_q[StateFull]:
          if (ready_i && !over_q)
            state_q <= opcode_q.nop || needs_q.has_inline ? to(StateTail) : to(StateHeader);
        state_q[StateTail]: if (tail_end_i) state_q <= to(StateHeader);
        default: ;                                // StateIdle
      endcase
    end

    if (start_i) total_q <= bytes_i[31:3];
    at_end_q <= end_q == total_q;
    if (start_i) end_q <= '0;
    else if (fresh_q && state_q[StateOperand]) end_q <= behind[28:0];
    if (state_q[StateHeader]) begin
      offset_q <= end_q;
      header_q <= word_error_i ? '0 : word_i;
      opcode_q <= opcode_of(word_i[7:0]);
      many_q <= coming.words[15:3] != '0;
      unread_q <= word_error_i && !at_end_q;
      over_q <= at_end_q;
      lost_q <= 1'b0;
      fresh_q <= 1'b1;
      place_q <= 4'd1;
    end
    if (state_q[StateOperand]) begin
      fresh_q <= 1'b0;
      if (fresh_q) begin
        needs_q <= needs;
        good_q <= sized && clean && {1'b0, total_q} >= behind;
      end
      if (word_error_i && !opcode_q.nop) lost_q <= 1'b1;
      if (word_valid_i) place_q <= place_q << 1;
      more_q <= word_valid_i ? more - 3'd1 : more;
    end
  end

  // The opcode determines the field of command_o that receives an operand.
  logic        bytes, entries, pages, aligned, high, low32;
  logic        odd_q;
  logic [63:0] src_q, dst_q, value_q, step_q;
  logic [47:0] length_q;
  assign bytes = opcode_q.copy ? place_q[2] : opcode_q.fill && place_q[1];
  assign entries = opcode_q.table_repeat && place_q[1];
  assign pages = needs.aperture && place_q[0];
  assign aligned = (opcode_q.table_write || opcode_q.table_repeat || opcode_q.signal_fence) &&
                   place_q[0];
  assign low32 = entries || (opcode_q.fill && place_q[2]);
  assign high = word_i[63:48] != '0;
  always_ff @(posedge clk_i) begin
    if (state_q[StateHeader]) begin
      odd_q <= 1'b0;
      length_q <= 48'd8;
      step_q <= '0;
    end else if (state_q[StateOperand] && word_valid_i) begin
      if (((bytes || low32) && high) || (low32 && word_i[47:32] != '0) ||
          (aligned && word_i[2:0] != '0))
        odd_q <= 1'b1;
      if (bytes) length_q <= word_i[47:0];
      if (entries) length_q <= {13'd0, word_i[31:0], 3'd0};
      if (pages) length_q <= {13'd0, word_i[63:32], 3'd0};
      if (place_q[0]) src_q <= word_i;
      if (opcode_q.copy ? place_q[1] : place_q[0]) dst_q <= word_i;
      if (place_q[1] || place_q[2]) value_q <= word_i;
      if (place_q[3]) step_q <= word_i;
    end
  end

  assign valid_o = state_q[StateFull];
  assign command_o = '{over: over_q, unreadable: unread_q || (lost_q && good_q), malformed: !good_q,
                       odd: odd_q, offset: {offset_q, 3'd0}, header: header_q, needs: needs_q,
                       opcode: opcode_q, src: src_q, dst: dst_q, length: length_q, value: value_q,
                       step: step_q};

  assign awake_o = !state_q[StateFull] && !state_q[StateIdle];

  logic unused;
  assign unused = ^{bytes_i[2:0], coming};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Collects the words of the commands of a paging buffer and reads their headers, one command ahead
// of the command processor.
//
//   start     bytes of commands that the word stream will bring
//   words     the paging buffer; word_error_i, without word_valid_i: the next one could not be read
//   command   header, operands and what they mean; `over` after the last. command_o stands for one
//             cycle after it was taken.
//   tail      The words after the operands (inline words, words of a nop) go to the taker: it takes
//             them by tail_ready_i from the cycle after the command on. With tail_end_i, two
//             cycles after the last word at the earliest, it reports that it has them all
//   halt_i    forgets everything
module gmmu_dma_collect
  import gmmu_regs_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned NumSpaces = 16
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
  input  logic        tail_end_i
);
  typedef enum int unsigned {
    StateIdle,
    StateNext,       // is there another command?
    StateHeader,     // take its first word
    StateDecode,     // what it says
    StateFirst,      // take the first operand, if the header is good
    StateOperand,    // take the others
    StateFull,       // offer it
    StateTail,       // the words behind it are the taker's
    StateCount
  } state_e;
  logic [StateCount-1:0] state_q;                 // one bit for each state
  function automatic logic [StateCount-1:0] to(state_e state);
    return StateCount'(1) << state;
  endfunction

  command_header_word_t header_q;
  command_needs_t       needs, needs_q;
  command_opcode_t      opcode_q;
  logic                 many_q;                   // of its words: 8 or more
  command_header_word_t coming;
  assign coming = word_i;
  logic [3:0][63:0]     operand_q;
  logic [3:0]           place_q;                  // of the next operand, one bit for each
  logic [2:0]           more_q;                   // operands to come
  logic [28:0]          left_q, next_q, offset_q; // words: to come, taken, before this command
  logic                 over_q, unreadable_q, sized, sized_q, clean, clean_q, fits_q, took_q;
  logic                 good, takes, took;

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
  // Does it fit into the rest of the buffer? left_q counts its header still.
  logic [29:0] rest;
  assign rest = {1'b0, left_q} - {14'd0, header_q.words};

  assign good = sized_q && clean_q && fits_q;
  // The word after a bad header may be taken: it has no effect.
  assign takes = (state_q[StateHeader] && !over_q) || state_q[StateFirst] || state_q[StateOperand];
  assign word_ready_o = takes || (state_q[StateTail] && tail_ready_i);
  assign took = word_valid_i && word_ready_o;

  always_ff @(posedge clk_i) begin
    took_q <= took && !start_i;
    if (start_i) begin
      left_q <= bytes_i[31:3];
      next_q <= '0;
    end else if (took_q) begin
      left_q <= left_q - 29'd1;
      next_q <= next_q + 29'd1;
    end

    if (rst_i) begin
      state_q <= to(StateIdle);
    end else if (start_i || halt_i) begin
      state_q <= start_i ? to(StateNext) : to(StateIdle);
    end else begin
      unique case (1'b1)
        state_q[StateNext]: state_q <= to(StateHeader);
        state_q[StateHeader]:
          if (over_q || word_error_i) state_q <= to(StateFull);
          else if (word_valid_i) state_q <= to(StateDecode);
        state_q[StateDecode]: state_q <= opcode_q.nop ? to(StateFull) : to(StateFirst);
        state_q[StateFirst]:
          if (!good || word_error_i) state_q <= to(StateFull);
          else if (word_valid_i) state_q <= more_q[2:1] == '0 ? to(StateFull) : to(StateOperand);
        state_q[StateOperand]:
          if (word_error_i || (word_valid_i && more_q[2:1] == '0)) state_q <= to(StateFull);
        state_q[StateFull]:
          if (ready_i && !over_q)
            state_q <= opcode_q.nop || needs_q.has_inline ? to(StateTail) : to(StateNext);
        state_q[StateTail]: if (tail_end_i) state_q <= to(StateNext);
        default: ;                                // StateIdle
      endcase
    end

    if (state_q[StateNext]) over_q <= left_q == '0;
    if (state_q[StateHeader]) begin
      header_q <= word_error_i ? '0 : word_i;
      opcode_q <= opcode_of(word_i[7:0]);
      many_q <= coming.words[15:3] != '0;
      offset_q <= next_q;
      unreadable_q <= word_error_i && !over_q;
    end
    if (state_q[StateDecode]) begin
      needs_q <= needs;
      sized_q <= sized;
      clean_q <= clean;
      fits_q <= !rest[29];
      more_q <= needs.operands;
      place_q <= 4'd1;
    end
    if (state_q[StateFirst] || state_q[StateOperand]) begin
      for (int unsigned n = 0; n < 4; n++) if (place_q[n]) operand_q[n] <= word_i;
      unreadable_q <= word_error_i && (good || !state_q[StateFirst]);
      if (word_valid_i) begin
        place_q <= place_q << 1;
        more_q <= more_q - 3'd1;
      end
    end
  end

  assign valid_o = state_q[StateFull];
  assign command_o = '{over: over_q, unreadable: unreadable_q, malformed: !good,
                       offset: {offset_q, 3'd0}, header: header_q, needs: needs_q,
                       opcode: opcode_q, operand: operand_q};

  logic unused;
  assign unused = ^{bytes_i[2:0], rest[28:0], state_q[StateIdle], coming};
endmodule

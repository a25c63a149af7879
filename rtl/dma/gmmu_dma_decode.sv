// SPDX-License-Identifier: Apache-2.0
// Reads a command header: how many operands follow, what the operation needs, whether the header is
// well formed. Combinational. Opcodes to come (table copy, residency notice, context
// initialisation, binding) get a line here and a branch where gmmu_dma_command forms the job.
module gmmu_dma_decode
  import gmmu_regs_pkg::*;
  import gmmu_dma_pkg::*;
(
  input  command_header_word_t header_i,

  output logic                 sized_o,       // opcode known, size right
  output logic                 clean_o,       // reserved bits right
  output logic [2:0]           operands_o,    // words after the header, before inline words
  output logic                 has_inline_o,  // inline words follow the operands
  output logic                 table_o,       // table or aperture command, flush of all: needs privilege
  output logic                 aperture_o,
  output logic                 src_o,         // has a source, a destination in dst_* of the header
  output logic                 dst_o,
  output logic                 settle_o       // begins only when all earlier writes have their B
);
  opcode_e     opcode;
  logic        known, open_size;
  logic [2:0]  least;                         // words, header included
  logic        many, least_held;
  assign opcode = opcode_e'(header_i.opcode);

  always_comb begin
    known = 1'b1;
    open_size = 1'b0;
    operands_o = 3'd0;
    has_inline_o = 1'b0;
    table_o = 1'b0;
    aperture_o = 1'b0;
    src_o = 1'b0;
    dst_o = 1'b0;
    settle_o = 1'b0;
    case (opcode)
      OpcodeNop: open_size = 1'b1;
      OpcodeCopy: begin
        operands_o = 3'd3;
        src_o = 1'b1;
        dst_o = 1'b1;
      end
      OpcodeFill: begin
        operands_o = 3'd3;
        dst_o = 1'b1;
      end
      OpcodeTableWrite: begin
        operands_o = 3'd1;
        has_inline_o = 1'b1;
        open_size = 1'b1;
        table_o = 1'b1;
        dst_o = 1'b1;
      end
      OpcodeTableRepeat: begin
        operands_o = 3'd4;
        table_o = 1'b1;
        dst_o = 1'b1;
      end
      OpcodeApertureMap, OpcodeApertureUnmap: begin
        operands_o = 3'd2;
        table_o = 1'b1;
        aperture_o = 1'b1;
      end
      OpcodeApertureList: begin
        operands_o = 3'd1;
        has_inline_o = 1'b1;
        open_size = 1'b1;
        table_o = 1'b1;
        aperture_o = 1'b1;
      end
      OpcodeFlushTlb: begin
        operands_o = 3'd2;
        table_o = header_i.scope == ScopeGlobal;
        settle_o = 1'b1;
      end
      OpcodeSignalFence: begin
        operands_o = 3'd2;
        dst_o = 1'b1;
        settle_o = 1'b1;
      end
      default: known = 1'b0;
    endcase
  end

  assign least = opcode == OpcodeTableWrite ? 3'd3 : operands_o + 3'd1;
  assign many = header_i.words[15:3] != '0;
  assign least_held = open_size ? many || header_i.words[2:0] >= least
                                : !many && header_i.words[2:0] == least;
  assign sized_o = known && least_held;
  assign clean_o = header_i.reserved0 == '0 && header_i.reserved1 == '0 &&
                   (opcode != OpcodeFlushTlb || header_i.scope != 2'd3);

  logic unused;
  assign unused = ^header_i;
endmodule

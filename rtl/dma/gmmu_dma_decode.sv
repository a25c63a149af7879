// SPDX-License-Identifier: Apache-2.0
// Decodes a command header, combinationally: the number of operands, what the command needs, and
// whether the header is well formed. A new opcode needs terms here and a branch in gmmu_dma_command
// that forms its job.
module gmmu_dma_decode
  import gmmu_regs_pkg::*;
  import gmmu_dma_pkg::*;
(
  input  command_header_word_t header_i,
  input  command_opcode_t      opcode_i,      // opcode_of(the header's opcode)
  input  logic                 many_i,        // the header's word count is 8 or more

  output logic                 sized_o,       // the opcode is known and its word count is legal
  output logic                 clean_o,       // the reserved bits are 0 and the scope is legal
  output logic [2:0]           operands_o,    // number of words between the header and inline words
  output logic                 has_inline_o,  // inline words follow the operands
  // needs privilege: a table or aperture command, or a flush of all spaces
  output logic                 table_o,
  output logic                 aperture_o,
  // has a source operand; src_* and dst_* of the header describe the operands
  output logic                 src_o,
  output logic                 dst_o,
  output logic                 settle_o       // starts only after the B of all earlier writes
);
  logic copy_or_fill, map_or_unmap;
  assign copy_or_fill = opcode_i.copy || opcode_i.fill;
  assign map_or_unmap = opcode_i.aperture_map || opcode_i.aperture_unmap;
  assign operands_o[0] = copy_or_fill || opcode_i.table_write || opcode_i.aperture_list;
  assign operands_o[1] = copy_or_fill || map_or_unmap || opcode_i.flush_tlb ||
                         opcode_i.signal_fence;
  assign operands_o[2] = opcode_i.table_repeat;
  assign has_inline_o = opcode_i.table_write || opcode_i.aperture_list;
  assign table_o = opcode_i.table_write || opcode_i.table_repeat || aperture_o ||
                   (opcode_i.flush_tlb && header_i.scope == ScopeGlobal);
  assign aperture_o = map_or_unmap || opcode_i.aperture_list;
  assign src_o = opcode_i.copy;
  assign dst_o = copy_or_fill || opcode_i.table_write || opcode_i.table_repeat ||
                 opcode_i.signal_fence;
  assign settle_o = opcode_i.flush_tlb || opcode_i.signal_fence;

  // Word counts include the header; a table write has at least one inline word.
  always_comb begin
    sized_o = 1'b0;
    if (opcode_i.nop) sized_o |= many_i || header_i.words[2:0] >= 3'd1;
    if (copy_or_fill) sized_o |= !many_i && header_i.words[2:0] == 3'd4;
    if (opcode_i.table_write) sized_o |= many_i || header_i.words[2:0] >= 3'd3;
    if (opcode_i.table_repeat) sized_o |= !many_i && header_i.words[2:0] == 3'd5;
    if (opcode_i.aperture_list) sized_o |= many_i || header_i.words[2:0] >= 3'd2;
    if (map_or_unmap || opcode_i.flush_tlb || opcode_i.signal_fence)
      sized_o |= !many_i && header_i.words[2:0] == 3'd3;
  end
  assign clean_o = header_i.reserved0 == '0 && header_i.reserved1 == '0 &&
                   (!opcode_i.flush_tlb || header_i.scope != 2'd3);

  logic unused;
  assign unused = ^header_i;
endmodule

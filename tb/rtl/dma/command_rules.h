// SPDX-License-Identifier: Apache-2.0
// The rules for each opcode, as stated in docs/integration.md.
#pragma once

#include <cstdint>

#include "hw/gmmu_regs.h"

namespace gmmu::dma {

struct CommandRule {
  regs::Opcode opcode;
  // Sizes in words. operands: the operands after the header; least, most: bounds of the whole
  // command.
  unsigned operands, least, most;
  bool has_inline, table, aperture, src, dst, settle;
};
constexpr unsigned kMostWords = 0xffff;
constexpr CommandRule kCommandRules[] = {
    {regs::Opcode::kNop, 0, 1, kMostWords, false, false, false, false, false, false},
    {regs::Opcode::kCopy, 3, 4, 4, false, false, false, true, true, false},
    {regs::Opcode::kFill, 3, 4, 4, false, false, false, false, true, false},
    {regs::Opcode::kTableWrite, 1, 3, kMostWords, true, true, false, false, true, false},
    {regs::Opcode::kTableRepeat, 4, 5, 5, false, true, false, false, true, false},
    {regs::Opcode::kApertureMap, 2, 3, 3, false, true, true, false, false, false},
    {regs::Opcode::kApertureList, 1, 2, kMostWords, true, true, true, false, false, false},
    {regs::Opcode::kApertureUnmap, 2, 3, 3, false, true, true, false, false, false},
    {regs::Opcode::kFlushTlb, 2, 3, 3, false, false, false, false, false, true},
    {regs::Opcode::kSignalFence, 2, 3, 3, false, false, false, false, true, true},
};
constexpr uint64_t kReservedBits = uint64_t{0xff} << 40 | uint64_t{0x3f} << 18;

/// Returns the opcode's rule, or null if the opcode is undefined.
inline const CommandRule* RuleOf(regs::CommandHeaderWord header) {
  for (const CommandRule& rule : kCommandRules)
    if (rule.opcode == header.opcode()) return &rule;
  return nullptr;
}
/// Returns whether the opcode is known, the size legal and the reserved bits correct.
inline bool WellFormed(regs::CommandHeaderWord header) {
  const CommandRule* rule = RuleOf(header);
  const bool flush = header.opcode() == regs::Opcode::kFlushTlb;
  return rule && header.words() >= rule->least && header.words() <= rule->most && (header.raw & kReservedBits) == 0 &&
         !(flush && (header.raw >> 10 & 3) == 3);
}
/// Returns whether the command requires a privileged ring.
inline bool NeedsPrivilege(regs::CommandHeaderWord header) {
  const CommandRule& rule = *RuleOf(header);
  return rule.table || (rule.src && header.src_physical()) || (rule.dst && header.dst_physical()) ||
         (rule.opcode == regs::Opcode::kFlushTlb && header.scope() == regs::Scope::kGlobal);
}
/// Returns whether the command names a space that does not exist (`spaces` or above).
inline bool NamesNoSpace(regs::CommandHeaderWord header, unsigned spaces) {
  const CommandRule& rule = *RuleOf(header);
  const bool flushes = rule.opcode == regs::Opcode::kFlushTlb && header.scope() != regs::Scope::kGlobal;
  return (rule.src && !header.src_physical() && header.src_space() >= spaces) ||
         (rule.dst && !header.dst_physical() && header.dst_space() >= spaces) ||
         (flushes && header.dst_space() >= spaces);
}
/// Returns whether the command accesses or flushes a space other than `own`.
inline bool NamesAnotherSpace(regs::CommandHeaderWord header, unsigned own) {
  const CommandRule& rule = *RuleOf(header);
  return (rule.src && !header.src_physical() && header.src_space() != own) ||
         (rule.dst && !header.dst_physical() && header.dst_space() != own) ||
         (rule.opcode == regs::Opcode::kFlushTlb && header.dst_space() != own);
}

}  // namespace gmmu::dma

// SPDX-License-Identifier: Apache-2.0
#include "twin/command.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;
using regs::Opcode;
using regs::Scope;
using regs::Target;

constexpr uint64_t kAddressEnd = uint64_t{1} << 48;
constexpr uint64_t kHeaderReserved = uint64_t{0xFF} << 40 | uint64_t{0x3F} << 18;
constexpr unsigned kNoScope = 3;
constexpr unsigned kMost = 0xFFFF;

struct Form {
  // operands: number of words after the header. least, most: bounds on the total number of words.
  unsigned operands, least, most;
};

/// Returns the form of an opcode, or null if the opcode does not exist.
const Form* FormOf(Opcode opcode) {
  static constexpr Form kForms[] = {
      {0, 1, kMost},  // nop
      {3, 4, 4},      // copy
      {3, 4, 4},      // fill
      {1, 3, kMost},  // table_write: at least one entry
      {4, 5, 5},      // table_repeat
      {2, 3, 3},      // aperture_map
      {1, 2, kMost},  // aperture_list
      {2, 3, 3},      // aperture_unmap
      {2, 3, 3},      // flush_tlb
      {2, 3, 3},      // signal_fence
  };
  const auto index = static_cast<size_t>(opcode);
  return index < sizeof kForms / sizeof *kForms ? &kForms[index] : nullptr;
}

bool IsAperture(Opcode opcode) {
  return opcode == Opcode::kApertureMap || opcode == Opcode::kApertureList || opcode == Opcode::kApertureUnmap;
}

bool HasSource(Opcode opcode) { return opcode == Opcode::kCopy; }

bool HasDestination(Opcode opcode) {
  return opcode == Opcode::kCopy || opcode == Opcode::kFill || opcode == Opcode::kTableWrite ||
         opcode == Opcode::kTableRepeat || opcode == Opcode::kSignalFence;
}

bool NeedsPrivilege(regs::CommandHeaderWord header) {
  const Opcode opcode = header.opcode();
  return (HasSource(opcode) && header.src_physical() != 0) || (HasDestination(opcode) && header.dst_physical() != 0) ||
         opcode == Opcode::kTableWrite || opcode == Opcode::kTableRepeat || IsAperture(opcode) ||
         (opcode == Opcode::kFlushTlb && header.scope() == Scope::kGlobal);
}

/// Whether the range wraps around or exceeds 48-bit physical addresses.
bool BadRange(const Address& range, uint64_t bytes) {
  const uint64_t end = range.at + bytes;
  if (bytes != 0 && end != 0 && end < range.at) return true;
  if (!range.physical) return false;
  return range.at >= kAddressEnd || end > kAddressEnd;
}

void Fill(Command& command, const uint64_t* words) {
  const regs::CommandHeaderWord header = command.header;
  command.source = {header.src_physical() != 0, header.src_target(), static_cast<unsigned>(header.src_space()),
                    words[1]};
  command.destination = {header.dst_physical() != 0, header.dst_target(), static_cast<unsigned>(header.dst_space()),
                         words[1]};
  switch (header.opcode()) {
    case Opcode::kCopy:
      command.data = Command::Data::kCopy;
      command.destination.at = words[2];
      command.bytes = words[3];
      break;
    case Opcode::kFill:
      command.data = Command::Data::kFill;
      command.bytes = words[2];
      command.value = words[3];
      break;
    case Opcode::kTableWrite:
      command.data = Command::Data::kInline;
      command.inline_word = 2;
      command.bytes = (header.words() - 2) * 8;
      break;
    case Opcode::kTableRepeat:
      command.data = Command::Data::kSeries;
      command.bytes = words[2] * 8;
      command.value = words[3];
      command.step = words[4];
      break;
    case Opcode::kSignalFence:
      command.data = Command::Data::kValue;
      command.bytes = 8;
      command.value = words[2];
      command.after = Command::After::kSignal;
      break;
    case Opcode::kFlushTlb:
      command.after = Command::After::kFlushTlb;
      command.start = words[1];
      command.end = words[2];
      break;
    default: break;
  }
}

void FillAperture(Command& command, const uint64_t* words, const CommandRights& rights) {
  const Opcode opcode = command.header.opcode();
  const uint64_t first = words[1] & 0xFFFFFFFF, pages = words[1] >> 32;
  command.destination = {true, Target::kVram, 0, rights.aperture_base + 8 * first};
  command.bytes = 8 * pages;
  command.after = opcode == Opcode::kApertureUnmap ? Command::After::kFlushUnmapped : Command::After::kFlushAperture;
  if (opcode == Opcode::kApertureList) {
    command.data = Command::Data::kInline;
    command.inline_word = 2;
    return;
  }
  command.data = Command::Data::kSeries;
  command.value = words[2];
  command.step = opcode == Opcode::kApertureMap ? hw::kPageSize : 0;
}

/// Whether the operands fail step 4 of the checks, which is about their form.
bool BadOperands(const Command& command, const uint64_t* words) {
  const regs::CommandHeaderWord header = command.header;
  switch (header.opcode()) {
    case Opcode::kCopy:
      return words[3] >> 48 != 0 || BadRange(command.source, command.bytes) ||
             BadRange(command.destination, command.bytes);
    case Opcode::kFill:
      return words[2] >> 48 != 0 || words[3] >> 32 != 0 || BadRange(command.destination, command.bytes);
    case Opcode::kTableWrite:
    case Opcode::kSignalFence: return words[1] % 8 != 0 || BadRange(command.destination, command.bytes);
    case Opcode::kTableRepeat:
      return words[1] % 8 != 0 || words[2] >> 32 != 0 || BadRange(command.destination, command.bytes);
    case Opcode::kApertureList: return words[1] >> 32 != header.words() - 2;
    case Opcode::kFlushTlb: return header.scope() == Scope::kRange && command.start > command.end;
    default: return false;
  }
}

/// Whether the command fails step 5 of the checks: it uses a space number that the hardware does
/// not have.
bool BadSpace(const Command& command, unsigned spaces) {
  const regs::CommandHeaderWord header = command.header;
  const Opcode opcode = header.opcode();
  if (opcode == Opcode::kFlushTlb) return header.scope() != Scope::kGlobal && header.dst_space() >= spaces;
  return (HasSource(opcode) && header.src_physical() == 0 && header.src_space() >= spaces) ||
         (HasDestination(opcode) && header.dst_physical() == 0 && header.dst_space() >= spaces);
}

/// Whether the command uses a space other than its buffer's, in a virtual address or a flush.
bool NamesAnotherSpace(regs::CommandHeaderWord header, unsigned own) {
  const Opcode opcode = header.opcode();
  if (opcode == Opcode::kFlushTlb) return header.dst_space() != own;
  return (HasSource(opcode) && header.src_physical() == 0 && header.src_space() != own) ||
         (HasDestination(opcode) && header.dst_physical() == 0 && header.dst_space() != own);
}

}  // namespace

unsigned OperandWords(regs::CommandHeaderWord header) {
  const Form* form = FormOf(header.opcode());
  return form == nullptr ? 0 : form->operands;
}

Fault JudgeHeader(regs::CommandHeaderWord header, uint64_t words_left) {
  const Form* form = FormOf(header.opcode());
  const bool good = form != nullptr && header.words() >= form->least && header.words() <= form->most &&
                    header.words() <= words_left && (header.raw & kHeaderReserved) == 0 &&
                    !(header.opcode() == Opcode::kFlushTlb && static_cast<unsigned>(header.scope()) == kNoScope);
  return good ? Fault::kNone : Fault::kCommandBad;
}

Command JudgeCommand(const uint64_t* words, const CommandRights& rights) {
  Command command;
  command.header.raw = words[0];
  const Opcode opcode = command.header.opcode();
  if (!rights.privileged && (NeedsPrivilege(command.header) || NamesAnotherSpace(command.header, rights.space))) {
    command.fault = Fault::kNotPrivileged;
    return command;
  }
  if (IsAperture(opcode)) FillAperture(command, words, rights);
  else if (opcode != Opcode::kNop) Fill(command, words);
  if (BadOperands(command, words)) command.fault = Fault::kCommandBad;
  else if (BadSpace(command, rights.spaces)) command.fault = Fault::kSpaceDisabled;
  else if (IsAperture(opcode) && ((words[1] & 0xFFFFFFFF) + (words[1] >> 32) > rights.aperture_pages ||
                                  (command.bytes != 0 && command.destination.at + command.bytes > kAddressEnd)))
    command.fault = Fault::kApertureRange;
  return command;
}

}  // namespace gmmu::sim::twin

// SPDX-License-Identifier: Apache-2.0
// Computes the sequence of actions that the command processor must perform for a paging buffer.
#pragma once

#include "tb/rtl/dma/control.h"

namespace gmmu::dma {

/// The engine and ring settings under which a paging buffer is executed.
struct CommandSetting {
  unsigned spaces = 16;
  bool privileged = true;
  uint64_t aperture_base = 0x400000;
  uint32_t aperture_pages = 64;
  Place buffer;
  // record: address of the fence record; value: its first word.
  uint64_t record = 0x7000, value = 0;
};

/// A visible action of the command processor. `settled`: all earlier jobs must have retired.
struct CommandStep {
  enum Kind { kJob, kFlush, kControl, kInterrupt };
  enum Source { kCopy, kPattern, kWords, kSteps };
  Kind kind;
  bool settled;
  uint32_t offset, header;  // offset and header of the command, as a failure reports them
  Source source = kCopy;
  Place src{}, dst{};
  uint64_t length = 0, value = 0, step = 0;
  std::vector<uint64_t> words{};     // inline words; incomplete if one cannot be read
  bool fence = false, dead = false;  // dead: an inline word is unreadable
  bool record = false;               // a job that writes the fence record, with a time stamp
  Scope scope = Scope::kRange;       // kControl
  unsigned space = 0;
  uint64_t start = 0, end = 0;
};

/// The expected steps of a paging buffer, and how it ends.
struct CommandPlan {
  std::vector<CommandStep> steps;
  size_t commands = 0;         // number of completed commands; invalid if the buffer fails
  Fault fault = Fault::kNone;  // fault of the first command that fails its checks
  bool unreadable = false;     // a word is unreadable; the word stream supplies the fault
  uint32_t offset = 0, header = 0;
  bool Fails() const { return unreadable || fault != Fault::kNone; }
};

/// Returns whether [address, address + length) exceeds the addressable range.
inline bool RangeEndsBad(const Place& place, uint64_t length) {
  if (length == 0) return false;
  const uint64_t last = place.address + length - 1;
  return last < place.address || (place.physical && last >> 48 != 0);
}

/// Returns the fault of the first check that the well-formed command `w` fails, or kNone.
inline Fault JudgeCommand(const CommandSetting& setting, const uint64_t* w) {
  const CommandHeaderWord header{w[0]};
  const CommandRule& rule = *RuleOf(header);
  if (!setting.privileged && (NeedsPrivilege(header) || NamesAnotherSpace(header, setting.buffer.space)))
    return Fault::kNotPrivileged;
  const Place src{w[1], header.src_physical() != 0, header.src_target(), 0};
  const Place dst{w[rule.opcode == Opcode::kCopy ? 2 : 1], header.dst_physical() != 0, header.dst_target(), 0};
  bool bad = false;
  switch (rule.opcode) {
    case Opcode::kCopy: bad = w[3] >> 48 || RangeEndsBad(src, w[3] << 16 >> 16) || RangeEndsBad(dst, w[3]); break;
    case Opcode::kFill: bad = w[2] >> 48 || w[3] >> 32 || RangeEndsBad(dst, w[2]); break;
    case Opcode::kTableWrite: bad = w[1] % 8 || RangeEndsBad(dst, 8 * (header.words() - 2)); break;
    case Opcode::kTableRepeat: bad = w[1] % 8 || w[2] >> 32 || RangeEndsBad(dst, 8 * (w[2] & 0xffffffff)); break;
    case Opcode::kApertureList: bad = w[1] >> 32 != header.words() - 2; break;
    case Opcode::kFlushTlb: bad = header.scope() == Scope::kRange && w[1] > w[2]; break;
    case Opcode::kSignalFence: bad = w[1] % 8 || RangeEndsBad(dst, 8); break;
    default: break;
  }
  if (bad) return Fault::kCommandBad;
  if (NamesNoSpace(header, setting.spaces)) return Fault::kSpaceDisabled;
  const uint64_t first = w[1] & 0xffffffff, pages = w[1] >> 32;
  if (rule.aperture && (first + pages > setting.aperture_pages ||
                        (pages != 0 && setting.aperture_base + 8 * (first + pages) > 1ull << 48)))
    return Fault::kApertureRange;
  return Fault::kNone;
}

/// Adds the steps of a command that passes all checks.
inline void AddSteps(std::vector<CommandStep>& steps, const CommandSetting& setting, const uint64_t* w, uint32_t offset,
                     size_t words_left) {
  const CommandHeaderWord header{w[0]};
  const CommandRule& rule = *RuleOf(header);
  CommandStep step{CommandStep::kJob, header.wait_writes() || rule.settle, offset, static_cast<uint32_t>(w[0])};
  step.src = {w[1], header.src_physical() != 0, header.src_target(), static_cast<unsigned>(header.src_space() & 63)};
  step.dst = {w[1], header.dst_physical() != 0, header.dst_target(), static_cast<unsigned>(header.dst_space() & 63)};
  step.source = CommandStep::kSteps;
  size_t words_at = 0;
  switch (rule.opcode) {
    case Opcode::kNop: return;
    case Opcode::kCopy: step.source = CommandStep::kCopy, step.dst.address = w[2], step.length = w[3]; break;
    case Opcode::kFill: step.source = CommandStep::kPattern, step.length = w[2], step.value = w[3]; break;
    case Opcode::kTableWrite: step.length = 8 * (header.words() - 2), words_at = 2; break;
    case Opcode::kTableRepeat: step.length = 8 * w[2], step.value = w[3], step.step = w[4]; break;
    case Opcode::kFlushTlb:
      step.kind = CommandStep::kControl;
      step.scope = header.scope();
      step.space = header.dst_space() & 63, step.start = w[1], step.end = w[2];
      steps.push_back(step);
      return;
    case Opcode::kSignalFence: step.length = 8, step.value = w[2], step.fence = true; break;
    default:
      step.length = 8 * (w[1] >> 32);
      step.dst = Physical(Target::kVram, setting.aperture_base + 8 * (w[1] & 0xffffffff));
      if (rule.has_inline) words_at = 2;
      else step.value = w[2];
      if (rule.opcode == Opcode::kApertureMap) step.step = 4096;
  }
  if (step.length == 0) return;
  if (words_at) {
    step.source = CommandStep::kWords;
    const size_t count = std::min<size_t>(step.length / 8, words_left - words_at);
    step.words.assign(w + words_at, w + words_at + count);
    step.dead = count < step.length / 8;
  }
  steps.push_back(step);
  if (step.dead) return;
  step.settled = true;
  if (rule.aperture) {
    step.kind = CommandStep::kFlush;
    steps.push_back(step);
  }
  // An unmap ends with an invalidation of an empty range, which waits for earlier accesses.
  if (rule.opcode == Opcode::kApertureUnmap) {
    step.kind = CommandStep::kControl;
    step.scope = Scope::kRange;
    steps.push_back(step);
  }
  if (rule.opcode == Opcode::kSignalFence && header.irq()) {
    step.kind = CommandStep::kInterrupt;
    steps.push_back(step);
  }
}

/// Returns the plan of buffer `words`. Word `error_at` is unreadable.
inline CommandPlan PlanOf(const CommandSetting& setting, const std::vector<uint64_t>& words, size_t error_at) {
  CommandPlan plan;
  for (size_t at = 0; at < words.size(); ++plan.commands) {
    const CommandHeaderWord header{words[at]};
    plan.offset = 8 * at;
    plan.unreadable = at == error_at;
    plan.header = plan.unreadable ? 0 : words[at];
    if (plan.unreadable) return plan;
    if (!WellFormed(header) || header.words() > words.size() - at) {
      plan.fault = Fault::kCommandBad;
      return plan;
    }
    const CommandRule& rule = *RuleOf(header);
    plan.unreadable = error_at < at + 1 + rule.operands;
    if (plan.unreadable) return plan;
    plan.fault = JudgeCommand(setting, &words[at]);
    if (plan.fault != Fault::kNone) return plan;
    plan.unreadable = error_at < at + header.words();
    AddSteps(plan.steps, setting, &words[at], plan.offset, std::min<size_t>(header.words(), error_at - at));
    if (plan.unreadable) return plan;
    at += header.words();
  }
  CommandStep record{CommandStep::kJob, true, static_cast<uint32_t>(8 * words.size()), 0};
  record.source = CommandStep::kWords;
  record.dst = Physical(Target::kSystem, setting.record);
  record.length = 16;
  record.words = {setting.value, 0};
  record.fence = record.record = true;
  plan.steps.push_back(record);
  return plan;
}

}  // namespace gmmu::dma

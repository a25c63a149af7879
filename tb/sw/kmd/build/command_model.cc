// SPDX-License-Identifier: Apache-2.0
#include "tb/sw/kmd/build/command_model.h"

namespace gmmu::kmd::test {
namespace {

CommandModel::Where SourceOf(regs::CommandHeaderWord h, uint64_t address) {
  if (h.src_physical()) return CommandModel::Physical(h.src_target(), address);
  return CommandModel::Virtual(h.src_space(), address);
}
CommandModel::Where DestinationOf(regs::CommandHeaderWord h, uint64_t address) {
  if (h.dst_physical()) return CommandModel::Physical(h.dst_target(), address);
  return CommandModel::Virtual(h.dst_space(), address);
}
CommandModel::Where Plus(CommandModel::Where where, uint64_t bytes) {
  std::get<3>(where) += bytes;
  return where;
}

}  // namespace

void CommandModel::WriteEntry(Where where, uint64_t entry) {
  if (std::get<3>(where) % 8 != 0) errors.push_back("misaligned entry");
  if (written_[where]) errors.push_back("entry written twice without a wait");
  written_[where] = true;
  tables[where] = entry;
}

void CommandModel::Run(const void* buffer, size_t bytes) {
  const auto* words = static_cast<const uint64_t*>(buffer);
  const size_t count = bytes / 8;
  if (bytes % 8 != 0) errors.push_back("size is no multiple of 8");
  written_.clear();  // the previous ring entry ended with a fence, so its writes are complete
  for (size_t at = 0; at < count;) {
    regs::CommandHeaderWord header;
    header.raw = words[at];
    const size_t size = header.words();
    if (size == 0 || size > count - at) return errors.push_back("command longer than the buffer");
    const uint64_t* command = words + at;
    at += size;
    headers.push_back(header);
    if (header.wait_writes()) written_.clear();

    const auto expect_size = [&](size_t wanted) {
      if (size != wanted) errors.push_back("command of wrong size");
      return size == wanted;
    };
    switch (header.opcode()) {
      case regs::Opcode::kNop: break;
      case regs::Opcode::kCopy: {
        if (!expect_size(4)) return;
        const Copy copy{SourceOf(header, command[1]), DestinationOf(header, command[2]), command[3]};
        const bool joins = !copies.empty() && Plus(copies.back().source, copies.back().bytes) == copy.source &&
                           Plus(copies.back().destination, copies.back().bytes) == copy.destination;
        if (joins) copies.back().bytes += copy.bytes;
        else copies.push_back(copy);
        break;
      }
      case regs::Opcode::kFill:
        if (!expect_size(4)) return;
        fills.push_back({DestinationOf(header, command[1]), command[2], static_cast<uint32_t>(command[3])});
        break;
      case regs::Opcode::kTableWrite:
        if (size < 3) return errors.push_back("table_write without entries");
        for (size_t i = 2; i < size; ++i) {
          WriteEntry(Plus(DestinationOf(header, command[1]), (i - 2) * 8), command[i]);
        }
        break;
      case regs::Opcode::kTableRepeat:
        if (!expect_size(5)) return;
        for (uint64_t i = 0; i < command[2]; ++i) {
          WriteEntry(Plus(DestinationOf(header, command[1]), i * 8), command[3] + i * command[4]);
        }
        break;
      case regs::Opcode::kApertureMap:
        if (!expect_size(3)) return;
        for (uint64_t i = 0; i < command[1] >> 32; ++i) {
          aperture[static_cast<uint32_t>(command[1] + i)] = command[2] + i * 0x1000;
        }
        break;
      case regs::Opcode::kApertureList:
        if (!expect_size(2 + (command[1] >> 32))) return;
        for (uint64_t i = 0; i < command[1] >> 32; ++i) {
          aperture[static_cast<uint32_t>(command[1] + i)] = command[2 + i];
        }
        break;
      case regs::Opcode::kApertureUnmap:
        if (!expect_size(3)) return;
        for (uint64_t i = 0; i < command[1] >> 32; ++i) aperture[static_cast<uint32_t>(command[1] + i)] = command[2];
        break;
      case regs::Opcode::kFlushTlb:
        if (!expect_size(3)) return;
        flushes.push_back({header.scope(), static_cast<uint32_t>(header.dst_space()), command[1], command[2]});
        break;
      case regs::Opcode::kSignalFence:
        if (!expect_size(3)) return;
        fences.push_back({DestinationOf(header, command[1]), command[2], header.irq() != 0});
        break;
      default: return errors.push_back("unknown command");
    }
  }
}

}  // namespace gmmu::kmd::test

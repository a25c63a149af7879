// SPDX-License-Identifier: Apache-2.0
#include "kmd/command_buffer.h"

#include <algorithm>

namespace gmmu::kmd {
namespace {

constexpr size_t kMostWords = 0xffff;  // limit of the header's length field

template <typename Word>
constexpr size_t IndexOf() {
  return Word::kOffset / 8;
}

regs::CommandHeaderWord Header(regs::Opcode opcode) { return regs::CommandHeaderWord{}.set_opcode(opcode); }

void SetSource(regs::CommandHeaderWord& header, const Place& place) {
  header.set_src_physical(place.physical);
  if (place.physical) header.set_src_target(place.target);
  else header.set_src_space(place.space);
}

void SetDestination(regs::CommandHeaderWord& header, const Place& place) {
  header.set_dst_physical(place.physical);
  if (place.physical) header.set_dst_target(place.target);
  else header.set_dst_space(place.space);
}

}  // namespace

uint64_t* CommandBuffer::Append(regs::CommandHeaderWord header, size_t words) {
  if (words > kMostWords || words > room_ - used_) return nullptr;
  uint64_t* command = words_ + used_;
  used_ += words;
  command[0] = header.set_words(words).set_wait_writes(wait_).raw;
  wait_ = false;
  return command;
}

bool CommandBuffer::Nop() { return Append(Header(regs::Opcode::kNop), 1) != nullptr; }

bool CommandBuffer::Copy(Place source, Place destination, uint64_t bytes) {
  auto header = Header(regs::Opcode::kCopy);
  SetSource(header, source);
  SetDestination(header, destination);
  uint64_t* command = Append(header, 4);
  if (command == nullptr) return false;
  command[IndexOf<regs::CmdCopySource>()] = source.address;
  command[IndexOf<regs::CmdCopyDestination>()] = destination.address;
  command[IndexOf<regs::CmdCopyLength>()] = regs::CmdCopyLength{}.set_bytes(bytes).raw;
  return true;
}

bool CommandBuffer::Fill(Place destination, uint64_t bytes, uint32_t pattern) {
  auto header = Header(regs::Opcode::kFill);
  SetDestination(header, destination);
  uint64_t* command = Append(header, 4);
  if (command == nullptr) return false;
  command[IndexOf<regs::CmdFillDestination>()] = destination.address;
  command[IndexOf<regs::CmdFillLength>()] = regs::CmdFillLength{}.set_bytes(bytes).raw;
  command[IndexOf<regs::CmdFillValue>()] = regs::CmdFillValue{}.set_pattern(pattern).raw;
  return true;
}

bool CommandBuffer::TableRepeat(Place destination, uint32_t count, uint64_t first, uint64_t step) {
  auto header = Header(regs::Opcode::kTableRepeat);
  SetDestination(header, destination);
  uint64_t* command = Append(header, 5);
  if (command == nullptr) return false;
  command[IndexOf<regs::CmdTableRepeatDestination>()] = destination.address;
  command[IndexOf<regs::CmdTableRepeatCount>()] = regs::CmdTableRepeatCount{}.set_entries(count).raw;
  command[IndexOf<regs::CmdTableRepeatFirst>()] = first;
  command[IndexOf<regs::CmdTableRepeatIncrement>()] = step;
  return true;
}

uint64_t* CommandBuffer::TableWrite(Place destination, uint32_t count) {
  auto header = Header(regs::Opcode::kTableWrite);
  SetDestination(header, destination);
  uint64_t* command = Append(header, size_t{2} + count);
  if (command == nullptr) return nullptr;
  command[IndexOf<regs::CmdTableWriteDestination>()] = destination.address;
  return command + IndexOf<regs::CmdTableWriteFirst>();
}

uint32_t CommandBuffer::InlineRoom() const {
  const size_t words = std::min(room_ - used_, kMostWords);
  return words > 2 ? static_cast<uint32_t>(words - 2) : 0;
}

bool CommandBuffer::ApertureMap(uint32_t page, uint32_t pages, regs::ApertureEntryEntry first) {
  uint64_t* command = Append(Header(regs::Opcode::kApertureMap), 3);
  if (command == nullptr) return false;
  command[IndexOf<regs::CmdApertureMapRange>()] = regs::CmdApertureMapRange{}.set_page(page).set_pages(pages).raw;
  command[IndexOf<regs::CmdApertureMapFirst>()] = first.raw;
  return true;
}

uint64_t* CommandBuffer::ApertureList(uint32_t page, uint32_t pages) {
  uint64_t* command = Append(Header(regs::Opcode::kApertureList), size_t{2} + pages);
  if (command == nullptr) return nullptr;
  command[IndexOf<regs::CmdApertureListRange>()] = regs::CmdApertureListRange{}.set_page(page).set_pages(pages).raw;
  return command + IndexOf<regs::CmdApertureListFirst>();
}

bool CommandBuffer::ApertureUnmap(uint32_t page, uint32_t pages, regs::ApertureEntryEntry dummy) {
  uint64_t* command = Append(Header(regs::Opcode::kApertureUnmap), 3);
  if (command == nullptr) return false;
  command[IndexOf<regs::CmdApertureUnmapRange>()] = regs::CmdApertureUnmapRange{}.set_page(page).set_pages(pages).raw;
  command[IndexOf<regs::CmdApertureUnmapDummy>()] = dummy.raw;
  return true;
}

bool CommandBuffer::FlushSpace(uint32_t space) {
  const auto header = Header(regs::Opcode::kFlushTlb).set_scope(regs::Scope::kSpace).set_dst_space(space);
  uint64_t* command = Append(header, 3);
  if (command == nullptr) return false;
  command[IndexOf<regs::CmdFlushTlbStart>()] = 0;
  command[IndexOf<regs::CmdFlushTlbEnd>()] = 0;
  return true;
}

bool CommandBuffer::FlushRange(uint32_t space, uint64_t start, uint64_t end) {
  const auto header = Header(regs::Opcode::kFlushTlb).set_scope(regs::Scope::kRange).set_dst_space(space);
  uint64_t* command = Append(header, 3);
  if (command == nullptr) return false;
  command[IndexOf<regs::CmdFlushTlbStart>()] = start;
  command[IndexOf<regs::CmdFlushTlbEnd>()] = end;
  return true;
}

bool CommandBuffer::SignalFence(Place destination, uint64_t value, bool interrupt) {
  auto header = Header(regs::Opcode::kSignalFence).set_irq(interrupt);
  SetDestination(header, destination);
  uint64_t* command = Append(header, 3);
  if (command == nullptr) return false;
  command[IndexOf<regs::CmdSignalFenceDestination>()] = destination.address;
  command[IndexOf<regs::CmdSignalFencePayload>()] = value;
  return true;
}

}  // namespace gmmu::kmd

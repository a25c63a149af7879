// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <cstdio>
#include <string>

#include "events/record.h"

namespace gmmu::events {

/// A path for a temporary file. The constructor and the destructor remove the file.
struct TemporaryPath {
  const std::string path = "/tmp/gmmu_events_" + std::to_string(getpid()) + ".ev";
  TemporaryPath() { std::remove(path.c_str()); }
  ~TemporaryPath() { std::remove(path.c_str()); }
};

inline hw::WalkEvent SampleWalk(uint64_t number, uint64_t begin) {
  hw::WalkEvent walk;
  walk.number = number;
  walk.begin = begin;
  walk.end = begin + 60;
  walk.port = 2;
  walk.space = 1;
  walk.va = 0xFFFF'8000'0000'1000;
  walk.row = 3;
  walk.start_level = 1;
  hw::TableRead read;
  read.level = 1;
  read.address = 0x3FD488;
  read.bytes = 8;
  read.word = 0x8000'0000'0000'0041;
  read.offered = read.accepted = begin + 2;
  read.answered = begin + 52;
  walk.reads = {read};
  walk.steps = {{hw::Cause::kWalker, 1, begin, begin + 2},
                {hw::Cause::kVram, 1, begin + 2, begin + 52},
                {hw::Cause::kFill, -1, begin + 52, begin + 60}};
  return walk;
}

inline hw::LookupEvent SampleLookup(uint64_t number, uint64_t begin) {
  hw::LookupEvent lookup;
  lookup.number = number;
  lookup.begin = begin;
  lookup.end = begin + 70;
  lookup.port = 2;
  lookup.tag = 9;
  lookup.va = 0xFFFF'8000'0000'1040;
  lookup.ending = hw::Ending::kWalk;
  lookup.walk = number;
  lookup.steps = {{hw::Cause::kLookup, -1, begin, begin + 10}, {hw::Cause::kVram, 1, begin + 10, begin + 70}};
  return lookup;
}

inline hw::AccessEvent SampleAccess(uint64_t number, uint64_t begin) {
  hw::AccessEvent access;
  access.number = number;
  access.begin = begin;
  access.end = begin + 100;
  access.client = 2;
  access.lookup = number;
  access.fault = regs::Fault::kEntryInvalid;
  access.steps = {{hw::Cause::kL1, -1, begin, begin + 2}, {hw::Cause::kVram, -1, begin + 2, begin + 100}};
  return access;
}

inline hw::CommandEvent SampleCommand(uint64_t number, uint64_t begin) {
  hw::CommandEvent command;
  command.number = number;
  command.begin = begin;
  command.issued = begin + 30;
  command.end = begin + 90;
  command.buffer = 1;
  command.fence = 7;
  command.offset = 0x28;
  command.header = static_cast<uint32_t>(regs::Opcode::kCopy);
  command.bytes = 4096;
  command.finished = true;
  command.spent[static_cast<size_t>(hw::Cause::kQueue)] = 30;
  command.spent[static_cast<size_t>(hw::Cause::kHostRead)] = 60;
  return command;
}

inline hw::BufferEvent SampleBuffer(uint64_t number, uint64_t begin) {
  hw::BufferEvent buffer;
  buffer.number = number;
  buffer.begin = begin;
  buffer.end = begin + 200;
  buffer.fence = 7;
  buffer.address = 0x20000;
  buffer.bytes = 64;
  buffer.completed = true;
  buffer.spent[static_cast<size_t>(hw::Cause::kFetch)] = 200;
  return buffer;
}

inline hw::PointEvent SampleFault(uint64_t cycle) {
  return {0, hw::PointKind::kFault, cycle, 2, 1, static_cast<unsigned>(regs::Fault::kEntryInvalid), 0x1000, 7};
}

}  // namespace gmmu::events

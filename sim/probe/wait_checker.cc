// SPDX-License-Identifier: Apache-2.0
#include "probe/wait_checker.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace gmmu::sim {
namespace {

constexpr size_t kMostFindings = 64;

const char* NameOf(WaitChecker::Memory memory) {
  switch (memory) {
    case WaitChecker::Memory::kVram: return "VRAM";
    case WaitChecker::Memory::kHost: return "logical address";
    default: return "another adapter's VRAM";
  }
}

}  // namespace

void WaitChecker::Begin(const Command& command, bool waits) {
  if (waits) Done();
  commands_.push_back(command);
}

void WaitChecker::Done() {
  commands_.clear();
  reads_.clear();
  writes_.clear();
  told_ = 0;
}

void WaitChecker::Read(Memory memory, uint64_t address, uint64_t bytes) {
  Judge(writes_, "writes", "reads", memory, address, address + bytes);
  Add(reads_, memory, address, address + bytes);
}

void WaitChecker::Write(Memory memory, uint64_t address, uint64_t bytes) {
  Judge(writes_, "writes", "writes", memory, address, address + bytes);
  Judge(reads_, "reads", "writes", memory, address, address + bytes);
  Add(writes_, memory, address, address + bytes);
}

void WaitChecker::Judge(const Ranges& earlier, const char* did, const char* does, Memory memory, uint64_t start,
                        uint64_t end) {
  if (commands_.empty() || told_ == commands_.size() || findings_.size() == kMostFindings) return;
  auto at = earlier.upper_bound({memory, start});
  if (at != earlier.begin() && std::prev(at)->first.first == memory && std::prev(at)->second.end > start) --at;
  for (; at != earlier.end() && at->first.first == memory && at->first.second < end; ++at) {
    if (at->second.command + 1 == commands_.size()) continue;  // accessed by this command itself
    const Command& first = commands_[at->second.command];
    const Command& second = commands_.back();
    std::ostringstream text;
    text << "missing wait: " << second.name << " at byte 0x" << std::hex << second.offset << std::dec << " of fence "
         << second.fence << " " << does << " " << NameOf(memory) << " 0x" << std::hex
         << std::max(start, at->first.second) << ", which " << first.name << " at byte 0x" << first.offset << std::dec
         << " of the same buffer " << did
         << "; wait_writes is not set on it, nor on a command between them (rtl/dma/README.md)";
    findings_.push_back({"waits", text.str()});
    told_ = commands_.size();
    return;
  }
}

void WaitChecker::Add(Ranges& ranges, Memory memory, uint64_t start, uint64_t end) {
  if (commands_.empty()) return;
  const size_t command = commands_.size() - 1;
  while (start < end) {
    auto next = ranges.upper_bound({memory, start});
    if (next != ranges.begin()) {
      const auto before = std::prev(next);
      if (before->first.first == memory && before->second.end >= start) {
        if (before->second.command == command) {  // extend the same command's range
          start = before->first.second;
        } else if (before->second.end > start) {
          start = before->second.end;
          continue;
        }
      }
    }
    const bool bounded = next != ranges.end() && next->first.first == memory && next->first.second < end;
    const uint64_t stop = bounded ? next->first.second : end;
    Range& range = ranges[{memory, start}];
    range = {std::max(range.end, stop), command};
    start = bounded ? next->second.end : end;
  }
}

}  // namespace gmmu::sim

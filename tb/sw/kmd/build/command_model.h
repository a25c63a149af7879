// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "hw/gmmu_regs.h"

namespace gmmu::kmd::test {

/// Models the execution of paging buffers: the resulting contents of page tables and aperture, and
/// the copied and filled bytes. It is based on the command records only, not on the driver. A
/// malformed command is recorded as an error and ends the execution. Overwriting an entry that was
/// written since the last wait is an error, because the hardware may reorder the two writes.
class CommandModel {
 public:
  void Run(const void* buffer, size_t bytes);

  using Where = std::tuple<bool, unsigned, uint64_t, uint64_t>;  ///< physical, target, space, byte address
  struct Copy {
    Where source, destination;
    uint64_t bytes;
    bool operator==(const Copy& other) const {
      return source == other.source && destination == other.destination && bytes == other.bytes;
    }
  };
  struct Fill {
    Where destination;
    uint64_t bytes;
    uint32_t pattern;
  };
  struct Flush {
    regs::Scope scope;
    uint32_t space;
    uint64_t start, end;
  };
  struct Fence {
    Where destination;
    uint64_t value;
    bool interrupt;
  };

  std::map<Where, uint64_t> tables;
  std::map<uint32_t, uint64_t> aperture;
  std::vector<Copy> copies;  ///< adjacent copies are joined
  std::vector<Fill> fills;
  std::vector<Flush> flushes;
  std::vector<Fence> fences;
  std::vector<regs::CommandHeaderWord> headers;
  std::vector<std::string> errors;

  static Where Physical(regs::Target target, uint64_t address) {
    return {true, static_cast<unsigned>(target), 0, address};
  }
  static Where Virtual(uint64_t space, uint64_t address) { return {false, 0, space, address}; }

 private:
  void WriteEntry(Where where, uint64_t entry);
  std::map<Where, bool> written_;  ///< entries written since the last wait
};

}  // namespace gmmu::kmd::test

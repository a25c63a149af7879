// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

/// Finds commands of a paging buffer that access the same bytes as an earlier command without waiting for it; the cases
/// are listed in rtl/dma/README.md, "How software uses it". It compares the bytes that commands name, not times, so it
/// also finds cases in which the hardware happened to keep the order.
class WaitChecker {
 public:
  enum class Memory : uint8_t { kVram, kHost, kPeer };
  /// VRAM of the linked adapter with this index.
  static constexpr Memory Peer(unsigned adapter) {
    return static_cast<Memory>(static_cast<unsigned>(Memory::kPeer) + adapter);
  }
  struct Command {
    const char* name = "";  ///< "copy"
    uint64_t offset = 0;    ///< byte offset of its header in the paging buffer
    uint64_t fence = 0;     ///< of the ring's entry
  };

  /// Begins the command to which later calls of Read and Write belong. If `waits`, the command begins only when all
  /// earlier ones are done.
  void Begin(const Command& command, bool waits);
  /// Records that all earlier commands are done: an entry ended, or a command that waits by itself.
  void Done();
  /// Record that the command accesses bytes [address, address + bytes) of `memory`, addressed after all translation.
  void Read(Memory memory, uint64_t address, uint64_t bytes);
  void Write(Memory memory, uint64_t address, uint64_t bytes);

  /// Returns at most 64 findings.
  const std::vector<hw::Finding>& findings() const { return findings_; }

 private:
  struct Range {
    uint64_t end = 0;
    size_t command = 0;  ///< in commands_
  };
  /// Disjoint ranges, keyed by memory and first byte. A byte that several commands touch belongs to the first of them.
  using Ranges = std::map<std::pair<Memory, uint64_t>, Range>;

  void Judge(const Ranges& earlier, const char* did, const char* does, Memory memory, uint64_t start, uint64_t end);
  void Add(Ranges& ranges, Memory memory, uint64_t start, uint64_t end);

  std::vector<Command> commands_;  ///< since the last wait
  Ranges reads_, writes_;
  size_t told_ = 0;  ///< the command that a finding names already, counted from 1
  std::vector<hw::Finding> findings_;
};

}  // namespace gmmu::sim

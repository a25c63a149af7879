// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

/// Finds commands of a paging buffer that access the same bytes as an earlier command without
/// waiting for it. rtl/dma/README.md lists the cases under "How software uses it". The checker
/// compares the byte ranges of commands, not their times, so it also finds cases in which the
/// hardware happened to keep the order.
class WaitChecker {
 public:
  enum class Memory : uint8_t { kVram, kHost, kPeer };
  /// Returns the Memory value for the VRAM of the linked adapter with this index.
  static constexpr Memory Peer(unsigned adapter) {
    return static_cast<Memory>(static_cast<unsigned>(Memory::kPeer) + adapter);
  }
  struct Command {
    const char* name = "";  ///< name in findings, such as "copy"
    uint64_t offset = 0;    ///< byte offset of the header in the paging buffer
    uint64_t fence = 0;     ///< fence of the ring entry
  };

  /// Begins the command to which the following Read and Write calls belong. If `waits` is true, the
  /// command starts only after all earlier commands are done.
  void Begin(const Command& command, bool waits);
  /// Records that all earlier commands are done, because a ring entry ended or a command waited for
  /// them.
  void Done();
  /// Record that the command accesses bytes [address, address + bytes) of `memory`. `address` must
  /// be fully translated.
  void Read(Memory memory, uint64_t address, uint64_t bytes);
  void Write(Memory memory, uint64_t address, uint64_t bytes);

  /// Returns at most 64 findings.
  const std::vector<hw::Finding>& findings() const { return findings_; }

 private:
  struct Range {
    uint64_t end = 0;
    size_t command = 0;  ///< index into commands_
  };
  /// Disjoint ranges, keyed by memory and first byte. A byte that several commands access belongs
  /// to the first of them.
  using Ranges = std::map<std::pair<Memory, uint64_t>, Range>;

  void Judge(const Ranges& earlier, const char* did, const char* does, Memory memory, uint64_t start, uint64_t end);
  void Add(Ranges& ranges, Memory memory, uint64_t start, uint64_t end);

  std::vector<Command> commands_;  ///< commands since the last wait
  Ranges reads_, writes_;
  size_t told_ = 0;  ///< the last command with a finding, counted from 1
  std::vector<hw::Finding> findings_;
};

}  // namespace gmmu::sim

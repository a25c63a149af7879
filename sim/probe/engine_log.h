// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>

#include "hw/events.h"

namespace gmmu::sim {

/// The paging engine's state in one cycle.
struct EngineCycle {
  /// States of the command processor, with the numbers that rtl/dma/gmmu_dma_command.sv uses.
  enum State : unsigned {
    kIdle = 0,
    kGet = 1,
    kRange = 2,
    kWait = 5,
    kIssue = 6,
    kFlush = 10,
    kControl = 11,
    kControlDone = 12,
    kRecordDone = 19
  };
  bool start = false;  ///< a paging buffer starts; the next four fields describe it
  uint64_t address = 0;
  uint32_t bytes = 0, fence = 0;
  unsigned state = kIdle;
  uint32_t offset = 0, header = 0;  ///< of the current command
  uint64_t length = 0;              ///< length operand; undefined for commands with inline words
  unsigned words = 0;               ///< inline words of the command that are left
  bool job_ready = false;           ///< the mover accepts the job offered in state kIssue
  bool retired = false;             ///< the mover's oldest transfer has completed
};

/// The number of the paging engine's operations in flight in one cycle, by kind.
struct EngineLoad {
  unsigned host_reads = 0, vram_reads = 0, writes = 0, fetches = 0;  ///< bursts
  bool translating = false;                                          ///< the read or write port has lookups in flight
};

/// Follows paging buffers and their commands, and attributes every cycle of a buffer to one cause.
/// If several causes apply, the first in this list counts: host reads, VRAM reads, writes,
/// invalidation, translation, fetch, processor.
class EngineLog {
 public:
  EngineLog(hw::EventSink& sink, unsigned unit) : sink_(sink), unit_(unit) {}

  /// Call it in every cycle while busy() and in the cycle in which a buffer starts.
  void Cycle(uint64_t cycle, const EngineCycle& now, const EngineLoad& load);
  bool busy() const { return open_; }
  void Reset(uint64_t cycle);
  uint64_t broken() const { return broken_; }

 private:
  struct Command {
    hw::CommandEvent event;
    bool has_job = false, settles = false;
    std::array<uint64_t, hw::kCauses> at{};  ///< value of spent_ at the command's start or issue
  };
  void EndBuffer(uint64_t cycle, bool completed);
  void EndCommand(uint64_t cycle, Command& command, bool finished);
  void Begin(uint64_t cycle, const EngineCycle& now);
  void Follow(uint64_t cycle, const EngineCycle& now);

  hw::EventSink& sink_;
  const unsigned unit_;
  bool open_ = false, at_work_ = false;
  unsigned state_ = EngineCycle::kIdle;  // state in the previous cycle
  hw::BufferEvent buffer_;
  Command command_;           // the command in the command processor
  std::deque<Command> jobs_;  // transfers in flight, including that of command_
  std::array<uint64_t, hw::kCauses> spent_{};
  uint64_t buffers_ = 0, commands_ = 0, broken_ = 0;
};

}  // namespace gmmu::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "hw/gmmu_regs.h"
#include "twin/memory.h"

namespace gmmu::sim::twin {

/// A fault, as reported by the paging engine or a client.
struct FaultReport {
  regs::Fault reason = regs::Fault::kNone;
  unsigned space = 0;
  unsigned port = 0;  ///< translation port
  regs::Access access = regs::Access::kRead;
  unsigned level = 0;
  bool physical = false;
  uint64_t address = 0;
  uint32_t fence = 0;
};

/// The fault queue: fault records in host memory, numbered since reset. Records that are dropped
/// because the queue is full also get a number.
class FaultLog {
 public:
  /// `recorded` is called when a record is in memory and the tail has advanced.
  FaultLog(Memory& memory, TimeModel& time, Agenda& agenda, Counters& counters, std::function<void()> recorded)
      : memory_(memory), time_(time), agenda_(agenda), counters_(counters), recorded_(std::move(recorded)) {}

  void Report(const FaultReport& fault);

  /// Writes the size register. A write that enables the queue reduces the tail modulo the size;
  /// other writes do not change the tail.
  void Resize(regs::FaultQueueSize size);

  regs::FaultQueueBase base;
  uint64_t head = 0;
  regs::FaultQueueSize size() const { return size_; }
  regs::FaultQueueTail tail() const { return regs::FaultQueueTail().set_index(tail_).set_dropped(dropped_); }
  void Reset();

 private:
  regs::FaultQueueSize size_;
  Memory& memory_;
  TimeModel& time_;
  Agenda& agenda_;
  Counters& counters_;
  const std::function<void()> recorded_;
  uint64_t tail_ = 0, dropped_ = 0;
  uint32_t sequence_ = 0;
};

}  // namespace gmmu::sim::twin

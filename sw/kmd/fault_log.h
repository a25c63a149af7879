// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "kmd/escape.h"
#include "kmd/locks.h"
#include "kmd/own_memory.h"
#include "kmd/registers.h"

namespace gmmu::kmd {

/// The hardware's fault queue (one page of records), and the driver's log of the records read from
/// it. Call at DISPATCH_LEVEL or below.
class FaultLog {
 public:
  static constexpr uint32_t kSizeLg2 = 7;
  static constexpr uint32_t kRecords = 1u << kSizeLg2;
  static constexpr uint32_t kKept = 256;

  void Start(const Registers& registers, const OwnMemory& queue);
  /// Drains the queue. After this call, the log accesses neither the queue nor the registers.
  void Stop();
  /// Moves all records that the hardware has written to the log. Records that do not fit are
  /// dropped. Does nothing while the log is stopped.
  void Drain();
  /// Moves up to `most` of the oldest records to `to` and returns their number. Sets `dropped` to
  /// the total number of dropped records.
  uint32_t Take(EscapeFault* to, uint32_t most, uint32_t* dropped);

 private:
  void DrainLocked();

  SpinLock lock_;  ///< guards all members below: a DPC drains the queue while an escape reads the log
  Registers registers_;
  volatile uint64_t* records_ = nullptr;  ///< null: the log is stopped
  uint32_t head_ = 0;
  std::array<EscapeFault, kKept> log_;
  uint32_t first_ = 0;
  uint32_t count_ = 0;
  uint32_t dropped_by_log_ = 0;
  uint32_t dropped_by_hardware_ = 0;
};

}  // namespace gmmu::kmd

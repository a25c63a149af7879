// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/gmmu_regs.h"

namespace gmmu::sim::twin {

/// Registers of one submission ring.
struct Ring {
  regs::RingBase base;
  regs::RingCtrl ctrl;
  regs::RingFenceAddress fence_address;
  uint64_t tail = 0, head = 0, last_fence = 0;
  regs::RingStatus status;  ///< of an error or a preemption; busy is added when it is read
  regs::RingErrorCommand error_command;
  uint64_t error_address = 0;
  uint32_t entries = 0;  ///< completed since it was switched on
  uint64_t life = 0;     ///< grows when it is switched off: work of before is given up
  bool busy = false;

  uint64_t mask() const { return (uint64_t{1} << ctrl.size_lg2()) - 1; }
  bool HasWork() const {
    return ctrl.enable() != 0 && !stands() && ctrl.preempt() == 0 && head != (tail & mask());
  }
  /// Preemption was asked for and has no answer yet.
  bool OwesPreemption() const {
    return ctrl.enable() != 0 && ctrl.preempt() != 0 && !stands();
  }
  /// At an error, or preempted, until it is switched on again.
  bool stands() const { return status.error() != 0 || status.preempted() != 0; }
  /// Offsets inside the ring's block.
  uint64_t Read(uint32_t offset) const;
  void Write(uint32_t offset, uint64_t value);
};

}  // namespace gmmu::sim::twin

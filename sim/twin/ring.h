// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/gmmu_regs.h"

namespace gmmu::sim::twin {

/// The registers of one submission ring, and the state derived from them.
struct Ring {
  regs::RingBase base;
  regs::RingCtrl ctrl;
  regs::RingFenceAddress fence_address;
  uint64_t tail = 0, head = 0, last_fence = 0;
  regs::RingStatus status;  ///< error or preemption that stopped the ring; without `busy`
  regs::RingErrorCommand error_command;
  uint64_t error_address = 0;
  uint32_t entries = 0;  ///< entries completed since the ring was enabled
  uint64_t life = 0;     ///< incremented when the ring is disabled, which abandons earlier work
  bool busy = false;

  uint64_t mask() const { return (uint64_t{1} << ctrl.size_lg2()) - 1; }
  /// Whether the tail lies beyond the size of the ring. If so, the ring stops at its next entry.
  bool overrun() const { return tail > mask(); }
  bool HasWork() const {
    return ctrl.enable() != 0 && !stands() && ctrl.preempt() == 0 && (head != (tail & mask()) || overrun());
  }
  /// Whether a requested preemption has not been reported yet.
  bool OwesPreemption() const { return ctrl.enable() != 0 && ctrl.preempt() != 0 && !stands(); }
  /// Whether an error or a preemption has stopped the ring. It remains stopped until it is enabled
  /// again.
  bool stands() const { return status.error() != 0 || status.preempted() != 0; }
  /// Access a register by its offset in the ring's register block.
  uint64_t Read(uint32_t offset) const;
  void Write(uint32_t offset, uint64_t value);
};

}  // namespace gmmu::sim::twin

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/gmmu_regs.h"

namespace gmmu::sim::twin {

/// The registers of one submission ring, and its state according to them.
struct Ring {
  regs::RingBase base;
  regs::RingCtrl ctrl;
  regs::RingFenceAddress fence_address;
  uint64_t tail = 0, head = 0, last_fence = 0;
  regs::RingStatus status;  ///< says what error or preemption stopped the ring; a read adds busy
  regs::RingErrorCommand error_command;
  uint64_t error_address = 0;
  uint32_t entries = 0;  ///< completed since it was switched on
  uint64_t life = 0;     ///< grows when the ring is switched off: earlier work is given up
  bool busy = false;

  uint64_t mask() const { return (uint64_t{1} << ctrl.size_lg2()) - 1; }
  /// Is the tail not below the ring's size? Then the ring stops at its next entry.
  bool overrun() const { return tail > mask(); }
  bool HasWork() const {
    return ctrl.enable() != 0 && !stands() && ctrl.preempt() == 0 && (head != (tail & mask()) || overrun());
  }
  /// Was preemption asked for and not answered yet?
  bool OwesPreemption() const { return ctrl.enable() != 0 && ctrl.preempt() != 0 && !stands(); }
  /// Has an error or a preemption stopped the ring, until it is switched on again?
  bool stands() const { return status.error() != 0 || status.preempted() != 0; }
  /// Access a register by its offset inside the ring's block.
  uint64_t Read(uint32_t offset) const;
  void Write(uint32_t offset, uint64_t value);
};

}  // namespace gmmu::sim::twin

// SPDX-License-Identifier: Apache-2.0
#include "twin/ring.h"

#include "hw/host_ram.h"

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kFenceBits = 0xF;

}  // namespace

uint64_t Ring::Read(uint32_t offset) const {
  switch (offset) {
    case regs::RingBase::kOffset: return base.raw;
    case regs::RingCtrl::kOffset: return ctrl.raw;
    case regs::RingTail::kOffset: return tail;
    case regs::RingHead::kOffset: return head;
    case regs::RingFenceAddress::kOffset: return fence_address.raw;
    case regs::RingStatus::kOffset: return regs::RingStatus(status).set_busy(busy ? 1 : 0).raw;
    case regs::RingLastFence::kOffset: return last_fence;
    case regs::RingErrorCommand::kOffset: return error_command.raw;
    case regs::RingErrorAddress::kOffset: return error_address;
    default: return 0;
  }
}

void Ring::Write(uint32_t offset, uint64_t value) {
  switch (offset) {
    case regs::RingBase::kOffset:
      base = regs::RingBase().set_address(value & ~(hw::kPageSize - 1)).set_target(regs::RingBase{value}.target());
      return;
    case regs::RingCtrl::kOffset: {
      const regs::RingCtrl wanted{value};
      const bool was = ctrl.enable() != 0;
      ctrl = regs::RingCtrl()
                 .set_size_lg2(wanted.size_lg2())
                 .set_enable(wanted.enable())
                 .set_privileged(wanted.privileged())
                 .set_preempt(wanted.preempt());
      if (was && ctrl.enable() == 0) ++life;
      if (!was && ctrl.enable() != 0) {
        head = last_fence = error_address = 0;
        status.raw = error_command.raw = 0;
        entries = 0;
      }
      return;
    }
    case regs::RingTail::kOffset: tail = regs::RingTail{value}.index(); return;
    case regs::RingFenceAddress::kOffset: fence_address.set_address(value & ~kFenceBits); return;
    default: return;
  }
}

}  // namespace gmmu::sim::twin

// SPDX-License-Identifier: Apache-2.0
// Requests to the interrupt window: their entry in the interrupt remapping table.
#include "iommu/vtd/core.h"

namespace gmmu::sim {

void VtdCore::BeginInterrupt(VtdWalk& walk) const {
  const VtdRequest& request = walk.request_;
  const VtdInterrupts::Request decoded = interrupts_.Decode({request.iova, request.data});
  walk.index_ = decoded.index.value_or(0);
  if (decoded.reason != VtdReason::kNone) return Block(walk, decoded.reason);
  if (decoded.index) {
    walk.stage_ = VtdWalk::Stage::kInterrupt;
    walk.read_ = {interrupts_.AddressOf(walk.index_), 16};
    return;
  }
  walk.result_ = {{RemapOutcome::kInterrupt, request.iova, false, false, request.data}, VtdReason::kNone};
}

void VtdCore::EndInterrupt(VtdWalk& walk, const VtdInterruptEntry& entry) {
  walk.interrupt_fpd_ = entry.fpd();
  const VtdReason reason = entry.Check(walk.request_.sid);
  if (reason != VtdReason::kNone) return Block(walk, reason);
  const VtdMessage message = entry.Message();
  walk.stage_ = VtdWalk::Stage::kDone;
  walk.result_ = {{RemapOutcome::kInterrupt, message.address, true, false, message.data}, VtdReason::kNone};
}

VtdCore::Learned VtdCore::StepInterrupt(VtdWalk& walk, bool ok, uint64_t low, uint64_t high) const {
  if (!ok) {
    Block(walk, VtdReason::kInterruptUnreadable);
    return {};
  }
  Learned learned;
  learned.interrupt = {low, high};
  // Only in caching mode may the unit cache an entry that is not present.
  if (learned.interrupt.present() || parameters_.caching_mode) learned.kind = Learned::Kind::kInterrupt;
  EndInterrupt(walk, learned.interrupt);
  return learned;
}

}  // namespace gmmu::sim

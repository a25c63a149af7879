// SPDX-License-Identifier: Apache-2.0
#include "twin/fault_log.h"

#include <algorithm>

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kMostDropped = 0xFFFF, kAddressEnd = uint64_t{1} << 48;

uint64_t Mask(regs::FaultQueueSize size) { return (uint64_t{1} << size.size_lg2()) - 1; }

}  // namespace

void FaultLog::Report(const FaultReport& fault) {
  const uint32_t number = sequence_++;
  if (size_.enable() == 0) return;  // the fault gets a number but no record
  const uint64_t mask = Mask(size_);
  const uint64_t next = (tail_ + 1) & mask;
  const uint64_t at = base.address() + 32 * (tail_ & mask);
  if (next == (head & mask) || at >= kAddressEnd || !memory_.bus_master()) {
    dropped_ = std::min(dropped_ + 1, kMostDropped);
    return;
  }
  const uint64_t record[4] = {regs::FaultRecordWhat()
                                  .set_reason(fault.reason)
                                  .set_space(fault.space)
                                  .set_port_index(fault.port)
                                  .set_access(fault.access)
                                  .set_level(fault.level)
                                  .set_physical(fault.physical ? 1 : 0)
                                  .set_fence(fault.fence)
                                  .raw,
                              fault.address, time_.CycleAt(agenda_.now()), number};
  Cost cost;
  memory_.WriteHost(at, record, sizeof record, cost);
  tail_ = next;
  counters_.Of<regs::CountersFaultRecords>() += 1;
  recorded_();
}

void FaultLog::Resize(regs::FaultQueueSize size) {
  if (size.enable() != 0 && size_.enable() == 0) tail_ &= Mask(size);
  size_ = size;
}

void FaultLog::Reset() {
  base.raw = size_.raw = 0;
  head = tail_ = dropped_ = 0;
  sequence_ = 0;
}

}  // namespace gmmu::sim::twin

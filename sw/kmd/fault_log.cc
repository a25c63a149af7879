// SPDX-License-Identifier: Apache-2.0
#include "kmd/fault_log.h"

#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

constexpr uint32_t kRecordWords = 4;
static_assert(FaultLog::kRecords * kRecordWords * 8 == kPage, "the queue fills one page");

EscapeFault Decode(const volatile uint64_t* record) {
  regs::FaultRecordWhat what;
  what.raw = record[regs::FaultRecordWhat::kOffset / 8];
  regs::FaultRecordOrder order;
  order.raw = record[regs::FaultRecordOrder::kOffset / 8];
  EscapeFault fault;
  fault.reason = static_cast<uint32_t>(what.reason());
  fault.space = static_cast<uint32_t>(what.space());
  fault.port = static_cast<uint32_t>(what.port_index());
  fault.access = static_cast<uint32_t>(what.access());
  fault.level = static_cast<uint32_t>(what.level());
  fault.physical = static_cast<uint32_t>(what.physical());
  fault.fence = static_cast<uint32_t>(what.fence());
  fault.sequence = static_cast<uint32_t>(order.sequence());
  fault.address = record[regs::FaultRecordWhere::kOffset / 8];
  fault.cycle = record[regs::FaultRecordWhen::kOffset / 8];
  return fault;
}

}  // namespace

void FaultLog::Start(const Registers& registers, const OwnMemory& queue) {
  const auto start = [&] {
    registers_ = registers;
    records_ = queue.As<uint64_t>();
    registers_.Write(regs::FaultQueueSize{});
    registers_.Write(regs::FaultQueueBase{}.set_address(queue.address()));
    head_ = static_cast<uint32_t>(registers_.Read<regs::FaultQueueTail>().index()) % kRecords;
    registers_.Write(regs::FaultQueueHead{}.set_index(head_));
    registers_.Write(regs::FaultQueueSize{}.set_size_lg2(kSizeLg2).set_enable(1));
  };
  lock_.With(start);
}

void FaultLog::Stop() {
  const auto stop = [this] {
    DrainLocked();
    registers_.Write(regs::FaultQueueSize{});
    records_ = nullptr;
  };
  lock_.With(stop);
}

void FaultLog::Drain() {
  const auto drain = [this] { DrainLocked(); };
  lock_.With(drain);
}

void FaultLog::DrainLocked() {
  if (records_ == nullptr) return;
  // The hardware advances the tail only when the record's write has been accepted, and this read
  // cannot pass that write.
  const auto tail = registers_.Read<regs::FaultQueueTail>();
  dropped_by_hardware_ = static_cast<uint32_t>(tail.dropped());
  const uint32_t end = static_cast<uint32_t>(tail.index()) % kRecords;
  if (head_ == end) return;
  for (; head_ != end; head_ = (head_ + 1) % kRecords) {
    if (count_ == kKept) {
      ++dropped_by_log_;
      continue;
    }
    log_[(first_ + count_++) % kKept] = Decode(records_ + size_t{head_} * kRecordWords);
  }
  registers_.Write(regs::FaultQueueHead{}.set_index(head_));
}

uint32_t FaultLog::Take(EscapeFault* to, uint32_t most, uint32_t* dropped) {
  const auto take = [&] {
    uint32_t taken = 0;
    for (; taken < most && count_ > 0; ++taken, --count_) {
      to[taken] = log_[first_];
      first_ = (first_ + 1) % kKept;
    }
    *dropped = dropped_by_log_ + dropped_by_hardware_;
    return taken;
  };
  return lock_.With(take);
}

}  // namespace gmmu::kmd

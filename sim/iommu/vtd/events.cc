// SPDX-License-Identifier: Apache-2.0
#include "iommu/vtd/events.h"

#include <algorithm>

#include "iommu/vtd/formats.h"

namespace gmmu::sim {
namespace {

constexpr uint64_t kRecordF = uint64_t{1} << 63;
constexpr uint64_t kRecordRead = uint64_t{1} << 62;  // T1
constexpr uint32_t kErrors = vtd::kIqe | vtd::kIce | vtd::kIte;

}  // namespace

void VtdEvent::Send() {
  pending_ = false;
  if (sink_) sink_(address_, data_);
}

void VtdEvent::Raise() {
  pending_ = true;
  if (!masked_) Send();
}

uint32_t VtdEvent::control() const { return (masked_ ? vtd::kIm : 0) | (pending_ ? vtd::kIp : 0); }

void VtdEvent::WriteControl(uint32_t value) {
  masked_ = (value & vtd::kIm) != 0;
  if (!masked_ && pending_) Send();
}

bool VtdFaultLog::PendingFault() const {
  return std::any_of(records_.begin(), records_.end(), [](const Words& words) { return (words.high & kRecordF) != 0; });
}

void VtdFaultLog::Record(uint16_t sid, uint64_t info, bool write, VtdAddressType type, VtdReason reason) {
  if ((bits_ & vtd::kPfo) != 0) {
    ++lost_;
    return;
  }
  if (collapse_ && std::any_of(records_.begin(), records_.end(), [&](const Words& words) {
        return (words.high & kRecordF) != 0 && (words.high & 0xFFFF) == sid;
      })) {
    ++lost_;
    return;
  }
  Words& record = records_[next_];
  if ((record.high & kRecordF) != 0) {
    bits_ |= vtd::kPfo;
    ++lost_;
    return;
  }
  const bool quiet = Quiet();
  const bool first = !PendingFault();
  record.low = info & ~uint64_t{0xFFF};
  record.high = sid | uint64_t{static_cast<uint8_t>(reason)} << 32 | uint64_t{static_cast<uint8_t>(type)} << 60 |
                (write ? 0 : kRecordRead) | kRecordF;
  if (first) first_ = next_;
  next_ = (next_ + 1) % records();
  ++recorded_;
  if (first && quiet) event_.Raise();
}

void VtdFaultLog::RaiseStatus(uint32_t bit) {
  const bool quiet = Quiet();
  bits_ |= bit;
  if (quiet) event_.Raise();
}

uint32_t VtdFaultLog::status() const { return bits_ | (PendingFault() ? vtd::kPpf : 0) | first_ << 8; }

void VtdFaultLog::WriteStatus(uint32_t value) {
  bits_ &= ~(value & (vtd::kPfo | kErrors));
  AfterClear();
}

uint64_t VtdFaultLog::record(unsigned index, bool high) const {
  return high ? records_[index].high : records_[index].low;
}

void VtdFaultLog::ClearRecord(unsigned index) {
  records_[index].high &= ~kRecordF;
  AfterClear();
}

void VtdFaultLog::AfterClear() {
  if (Quiet() && (bits_ & vtd::kPfo) == 0) event_.ConditionsCleared();
}

}  // namespace gmmu::sim

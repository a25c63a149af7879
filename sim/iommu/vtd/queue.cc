// SPDX-License-Identifier: Apache-2.0
// Invalidation through the registers and through the queue.
#include "iommu/vtd/core.h"
#include "iommu/vtd/formats.h"

namespace gmmu::sim {
namespace {

using vtd::Bits;

constexpr unsigned kGlobal = 1, kDomain = 2, kSelective = 3;
constexpr uint64_t kWaitInterrupt = 1u << 4, kWaitStatus = 1u << 5;

}  // namespace

bool VtdCore::queue_on() const { return (status_ & vtd::kQie) != 0; }

bool VtdCore::InvalidateContext(unsigned grain, uint16_t did, uint16_t sid, unsigned function_mask) {
  size_t dropped = 0;
  switch (grain) {
    case kGlobal: dropped = contexts_.DropAll(); break;
    case kDomain: dropped = contexts_.DropDomain(did); break;
    case kSelective: dropped = contexts_.DropDevice(did, sid, function_mask); break;
    default: return false;
  }
  ++generation_;
  ++count_.context_invalidations;
  count_.entries_dropped += dropped;
  return true;
}

bool VtdCore::InvalidateIotlb(unsigned grain, uint16_t did, uint64_t address) {
  const auto mask = static_cast<unsigned>(Bits(address, 5, 0));
  const bool leaf_only = Bits(address, 6, 6) != 0;
  size_t dropped = 0;
  switch (grain) {
    case kGlobal: dropped = iotlb_.DropAll() + tables_.DropAll(); break;
    case kDomain: dropped = iotlb_.DropDomain(did) + tables_.DropDomain(did); break;
    case kSelective:
      if (mask > parameters_.mamv) return false;
      dropped = iotlb_.DropPages(did, address, mask, !parameters_.keep_larger_pages);
      if (!leaf_only) dropped += tables_.DropPages(did, address, mask);
      break;
    default: return false;
  }
  ++generation_;
  ++count_.iotlb_invalidations;
  count_.entries_dropped += dropped;
  return true;
}

bool VtdCore::InvalidateInterrupts(uint64_t descriptor) {
  const bool selective = Bits(descriptor, 4, 4) != 0;
  if (Bits(descriptor, 26, 5) != 0 || Bits(descriptor, 63, 48) != 0) return false;
  const auto index = static_cast<uint32_t>(Bits(descriptor, 47, 32));
  const auto mask = static_cast<unsigned>(Bits(descriptor, 31, 27));
  count_.entries_dropped += selective ? interrupts_.Drop(index, mask) : interrupts_.DropAll();
  ++generation_;
  ++count_.interrupt_invalidations;
  return true;
}

void VtdCore::ContextCommand() {
  if (queue_on()) return;  // ignored while the queue is enabled; ICC stays set
  const auto grain = static_cast<unsigned>(Bits(ccmd_, 62, 61));
  const bool done = InvalidateContext(grain, static_cast<uint16_t>(Bits(ccmd_, 15, 0)),
                                      static_cast<uint16_t>(Bits(ccmd_, 31, 16)),
                                      static_cast<unsigned>(Bits(ccmd_, 33, 32)));
  ccmd_ |= uint64_t{done ? grain : 0} << 59;
  context_busy_ = true;
  context_wait_ = drains_.Mark(false, false);
  CheckDrains();
}

void VtdCore::IotlbCommand() {
  if (queue_on()) return;  // ignored while the queue is enabled; IVT stays set
  const auto grain = static_cast<unsigned>(Bits(iotlb_command_, 61, 60));
  const bool done = InvalidateIotlb(grain, static_cast<uint16_t>(Bits(iotlb_command_, 47, 32)), iva_);
  iotlb_command_ |= uint64_t{done ? grain : 0} << 57;
  iotlb_busy_ = true;
  iotlb_wait_ = drains_.Mark(Bits(iotlb_command_, 49, 49) != 0, Bits(iotlb_command_, 48, 48) != 0);
  CheckDrains();
}

void VtdCore::StopQueue() {
  iqh_ = 0;
  queue_ = QueueState::kReady;
  queue_wait_ = {};
}

void VtdCore::FailQueue(uint8_t reason) {
  queue_ = QueueState::kReady;
  iqercd_ = reason;
  ++count_.queue_errors;
  log_.RaiseStatus(vtd::kIqe);
}

void VtdCore::Retire() {
  queue_ = QueueState::kReady;
  iqh_ = (iqh_ + 16) % QueueBytes();
}

RemapWork VtdCore::NextWork() {
  if (!queue_on() || (queue_ == QueueState::kReady && iqh_ == iqt_)) return {};
  if ((log_.status() & vtd::kIqe) != 0) return {};
  if (queue_ == QueueState::kReady) {
    if (iqt_ >= QueueBytes() || iqh_ >= QueueBytes()) {
      FailQueue(vtd::kQueueBadTail);
      return {};
    }
    if (Bits(iqa_, 11, 11) != 0) {
      FailQueue(vtd::kQueueBadWidth);
      return {};
    }
    queue_ = QueueState::kFetching;
    return {RemapWork::Kind::kFetch, (iqa_ & ~uint64_t{0xFFF}) + iqh_, 0};
  }
  if (queue_ == QueueState::kWaiting) {
    if (!drains_.Done(queue_wait_)) return {RemapWork::Kind::kDrain, 0, 0};
    queue_ = QueueState::kWriting;
    if ((wait_low_ & kWaitStatus) != 0) {
      return {RemapWork::Kind::kStatus, wait_high_ & ~uint64_t{3}, static_cast<uint32_t>(wait_low_ >> 32)};
    }
    StatusDone(true);
    return NextWork();
  }
  return {};  // wait until the previous access completes
}

void VtdCore::FetchDone(bool ok, uint64_t low, uint64_t high) {
  if (queue_ != QueueState::kFetching) return;  // the queue was disabled in the meantime
  if (!ok) return FailQueue(vtd::kQueueFetch);
  if (const auto error = Execute(low, high)) return FailQueue(*error);
  if (Bits(low, 3, 0) != 5) return Retire();
  wait_low_ = low;
  wait_high_ = high;
  queue_ = QueueState::kWaiting;
}

void VtdCore::StatusDone(bool ok) {
  if (queue_ != QueueState::kWriting) return;
  if (!ok) return FailQueue(vtd::kQueueNoInformation);
  ++count_.waits;
  Retire();
  if ((wait_low_ & kWaitInterrupt) != 0 && ics_ == 0) {
    ics_ = 1;
    completion_.Raise();
  }
}

std::optional<uint8_t> VtdCore::Execute(uint64_t low, uint64_t high) {
  const auto grain = static_cast<unsigned>(Bits(low, 5, 4));
  const auto did = static_cast<uint16_t>(Bits(low, 31, 16));
  switch (Bits(low, 3, 0)) {
    case 1:
      if (Bits(low, 15, 6) != 0 || Bits(low, 63, 50) != 0 || high != 0) return vtd::kQueueReserved;
      if (!InvalidateContext(grain, did, static_cast<uint16_t>(Bits(low, 47, 32)),
                             static_cast<unsigned>(Bits(low, 49, 48))))
        return vtd::kQueueReserved;
      queue_wait_.Join(drains_.Mark(false, false));
      return std::nullopt;
    case 2:
      if (Bits(low, 15, 8) != 0 || Bits(low, 63, 32) != 0 || Bits(high, 11, 7) != 0) return vtd::kQueueReserved;
      if (!InvalidateIotlb(grain, did, high)) return vtd::kQueueReserved;
      queue_wait_.Join(drains_.Mark(Bits(low, 7, 7) != 0, Bits(low, 6, 6) != 0));
      return std::nullopt;
    case 4:
      if (!parameters_.interrupt_remapping) return vtd::kQueueBadType;
      if (high != 0 || !InvalidateInterrupts(low)) return vtd::kQueueReserved;
      queue_wait_.Join(drains_.Mark(false, true));  // messages that were remapped before are writes
      return std::nullopt;
    case 5:
      if (Bits(low, 31, 7) != 0 || Bits(high, 1, 0) != 0) return vtd::kQueueReserved;
      if ((low & (kWaitInterrupt | kWaitStatus)) == 0) return vtd::kQueueNoInformation;
      return std::nullopt;
    default: return vtd::kQueueBadType;  // no support for device TLBs and PASIDs
  }
}

void VtdCore::RunQueue(RemapMemory& memory) {
  for (;;) {
    const RemapWork work = NextWork();
    if (work.kind == RemapWork::Kind::kFetch) {
      uint64_t low = 0, high = 0;
      const bool ok = memory.Read64(work.address, &low) && memory.Read64(work.address + 8, &high);
      FetchDone(ok, low, high);
    } else if (work.kind == RemapWork::Kind::kStatus) {
      StatusDone(memory.Write32(work.address, work.data));
    } else {
      return;
    }
  }
}

}  // namespace gmmu::sim

// SPDX-License-Identifier: Apache-2.0
#include "iommu/vtd/interrupts.h"

#include <algorithm>

#include "iommu/vtd/formats.h"

namespace gmmu::sim {
namespace {

using vtd::Bits;

// Ways to verify the requester (SVT).
constexpr unsigned kVerifyNothing = 0, kVerifyRequester = 1, kVerifyBus = 2;
constexpr uint64_t kMessageWindow = 0xFEE00000;

}  // namespace

VtdReason VtdInterruptEntry::Check(uint16_t sid) const {
  if (!present()) return VtdReason::kInterruptNotPresent;
  const auto svt = static_cast<unsigned>(Bits(high, 19, 18)), sq = static_cast<unsigned>(Bits(high, 17, 16));
  // The unit supports neither posted interrupts (IM) nor x2APIC ids, so those bits are reserved.
  const bool reserved = Bits(low, 15, 12) != 0 || Bits(low, 39, 24) != 0 || Bits(low, 63, 48) != 0 ||
                        Bits(high, 63, 20) != 0 || svt > kVerifyBus;
  if (reserved) return VtdReason::kInterruptEntryReserved;
  const auto wanted = static_cast<uint16_t>(Bits(high, 15, 0));
  // SQ selects the low bits of the function number that are ignored: none, bit 2, bits 2:1 or 2:0.
  constexpr uint16_t kIgnored[] = {0, 4, 6, 7};
  const bool passes = svt == kVerifyNothing ||
                      (svt == kVerifyRequester && ((sid ^ wanted) & ~kIgnored[sq] & 0xFFFF) == 0) ||
                      (svt == kVerifyBus && sid >> 8 >= wanted >> 8 && sid >> 8 <= (wanted & 0xFF));
  return passes ? VtdReason::kNone : VtdReason::kInterruptSourceBlocked;
}

VtdMessage VtdInterruptEntry::Message() const {
  const uint64_t destination = Bits(low, 47, 40), dm = Bits(low, 2, 2), rh = Bits(low, 3, 3);
  const uint64_t tm = Bits(low, 4, 4), dlm = Bits(low, 7, 5), vector = Bits(low, 23, 16);
  const uint64_t level = tm << 14;  // edge-triggered messages have no level
  return {kMessageWindow | destination << 12 | rh << 3 | dm << 2,
          static_cast<uint32_t>(vector | dlm << 8 | level | tm << 15)};
}

VtdInterrupts::Request VtdInterrupts::Decode(const VtdMessage& message) const {
  if (!enabled_) return {};
  const bool remappable = Bits(message.address, 4, 4) != 0;
  if (!remappable) return {compatibility_ ? VtdReason::kNone : VtdReason::kInterruptCompatibility, std::nullopt};
  if (message.data >> 16 != 0) return {VtdReason::kInterruptReserved, std::nullopt};
  const bool subhandle = Bits(message.address, 3, 3) != 0;
  const auto handle = static_cast<uint32_t>(Bits(message.address, 19, 5) | Bits(message.address, 2, 2) << 15);
  const uint32_t index = handle + (subhandle ? message.data & 0xFFFF : 0);
  if (index >= uint32_t{2} << Bits(irta_, 3, 0)) return {VtdReason::kInterruptIndex, index};
  return {VtdReason::kNone, index};
}

const VtdInterruptEntry* VtdInterrupts::Find(uint32_t index) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [index](const Cached& one) { return one.index == index; });
  if (found == entries_.end()) return nullptr;
  std::rotate(entries_.begin(), found, found + 1);
  return &entries_.front().entry;
}

void VtdInterrupts::Fill(uint32_t index, const VtdInterruptEntry& entry) {
  if (capacity_ == 0 || Find(index) != nullptr) return;
  if (entries_.size() == capacity_) entries_.pop_back();
  entries_.insert(entries_.begin(), {index, entry});
}

size_t VtdInterrupts::Drop(uint32_t index, unsigned mask) {
  const size_t before = entries_.size();
  const auto covered = [&](const Cached& one) { return one.index >> mask == index >> mask; };
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), covered), entries_.end());
  return before - entries_.size();
}

size_t VtdInterrupts::DropAll() {
  const size_t dropped = entries_.size();
  entries_.clear();
  return dropped;
}

}  // namespace gmmu::sim

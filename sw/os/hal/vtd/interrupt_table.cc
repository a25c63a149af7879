// SPDX-License-Identifier: Apache-2.0
#include "os/hal/vtd/interrupt_table.h"

#include <algorithm>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/text.h"
#include "os/hal/vtd/second_stage.h"

namespace gmmu::os::vtd {
namespace {
constexpr uint32_t kEntriesLg2 = 8;
// An interrupt message in remappable format: bit 4 of its address, and the entry's index in bits
// [19:5]. The data is 0.
constexpr uint64_t kRemappable = 0xFEE00010;
constexpr uint64_t kPresent = 1, kVerifyRequester = uint64_t{1} << 18;
}  // namespace

void InterruptTable::Require(uint64_t ecap) {
  if (Field(ecap, 3, 3) == 0) throw OsError("the IOMMU cannot remap interrupts ([iommu] interrupt_remapping)");
}

void InterruptTable::Enable() {
  pfn_ = SecondStage::NewTable(registers_.hal(), pages_, "IOMMU interrupt remapping table");
  used_.assign(size_t{1} << kEntriesLg2, false);
  registers_.Write64(kIrta, pfn_ * hw::kPageSize | (kEntriesLg2 - 1));
  registers_.Command(kSirtp, true);
  queue_.Submit({InvalidationQueue::OfInterrupts()});
  registers_.Command(kIre, true);
}

void InterruptTable::Disable() {
  if (std::find(used_.begin(), used_.end(), true) != used_.end())
    throw BugCheck("interrupt remapping is switched off while a device has an entry");
  registers_.Command(kIre, false);
}

void InterruptTable::FreePages() {
  pages_.Free(pfn_);
  pfn_ = 0;
}

hw::Message InterruptTable::Route(hw::Bdf device, const hw::Message& message) {
  const auto free = std::find(used_.begin(), used_.end(), false);
  if (free == used_.end()) throw OsError("no interrupt remapping entry is left for device " + device.ToString());
  const auto index = static_cast<uint32_t>(free - used_.begin());
  *free = true;
  registers_.WriteEntry(AddressOf(index) + 8, device.requester_id() | kVerifyRequester);
  // Written last, because it sets the present bit: fixed delivery to processor 0, edge-triggered.
  registers_.WriteEntry(AddressOf(index), uint64_t{message.data & 0xFF} << 16 | kPresent);
  queue_.Submit({InvalidationQueue::OfInterrupt(index)});  // caching mode may cache an entry that is not present
  return {kRemappable | uint64_t{index} << 5, 0};
}

void InterruptTable::Unroute(const hw::Message& sent) {
  const auto index = static_cast<uint32_t>(Field(sent.address, 19, 5));
  if (index >= used_.size() || !used_[index]) throw BugCheck("interrupt remapping entry " + Hex(index) + " is free");
  registers_.WriteEntry(AddressOf(index), 0);
  registers_.WriteEntry(AddressOf(index) + 8, 0);
  queue_.Submit({InvalidationQueue::OfInterrupt(index)});
  used_[index] = false;
}

}  // namespace gmmu::os::vtd

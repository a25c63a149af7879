// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hw/platform.h"
#include "os/hal/pages.h"
#include "os/hal/vtd/invalidation_queue.h"
#include "os/hal/vtd/registers.h"

namespace gmmu::os::vtd {

/// The interrupt remapping table of a VT-d unit: one page of 256 entries. Each entry
/// sends one vector for one device; the unit blocks requests by other devices.
class InterruptTable {
 public:
  InterruptTable(Registers& registers, PageAllocator& pages, InvalidationQueue& queue)
      : registers_(registers), pages_(pages), queue_(queue) {}

  /// Throws OsError if the unit cannot remap interrupts.
  static void Require(uint64_t ecap);
  /// Allocates the table, and enables interrupt remapping without the compatibility format. The
  /// invalidation queue must be enabled.
  void Enable();
  /// Disables interrupt remapping. The table stays allocated until FreePages.
  void Disable();
  void FreePages();
  bool enabled() const { return pfn_ != 0; }

  /// Allocates an entry that makes `message` for requests by `device` only. Returns the message that
  /// the device must send. Throws OsError if no entry is free.
  hw::Message Route(hw::Bdf device, const hw::Message& message);
  /// Frees an entry. `sent` is what Route returned. On return, the unit no longer uses the entry.
  void Unroute(const hw::Message& sent);

 private:
  uint64_t AddressOf(uint32_t index) const { return pfn_ * hw::kPageSize + 16 * uint64_t{index}; }

  Registers& registers_;
  PageAllocator& pages_;
  InvalidationQueue& queue_;
  uint64_t pfn_ = 0;
  std::vector<bool> used_;
};

}  // namespace gmmu::os::vtd

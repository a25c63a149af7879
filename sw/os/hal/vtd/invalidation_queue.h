// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "os/base/ledger.h"
#include "os/hal/pages.h"
#include "os/hal/vtd/registers.h"

namespace gmmu::os::vtd {

/// The invalidation queue of a VT-d unit: 256 descriptors of 16 bytes in one page, and a page for the status words of
/// wait descriptors. If the unit stops its queue (IQE), the call that is waiting for the queue throws OsError, and so
/// does every later call that would wait.
class InvalidationQueue {
 public:
  struct Descriptor {
    uint64_t low, high;
  };
  static Descriptor OfDomain(uint16_t id) { return {2u | 2u << 4 | 3u << 6 | uint64_t{id} << 16, 0}; }

  /// `forget` injects a fault: if it returns true, the next invalidation is queued but not waited
  /// for.
  InvalidationQueue(Registers& registers, PageAllocator& pages, Ledger& ledger, std::function<bool()> forget)
      : registers_(registers), pages_(pages), ledger_(ledger), forget_(std::move(forget)) {}

  static Descriptor OfInterrupts() { return {4, 0}; }
  /// Invalidates one cached entry of the interrupt remapping table.
  static Descriptor OfInterrupt(uint32_t index) { return {4u | 1u << 4 | uint64_t{index} << 32, 0}; }

  /// Enables the queue if it is off, and invalidates all translations in the unit's caches.
  void Enable();
  /// Disables the queue. Its pages stay allocated until FreePages.
  void Disable();
  void FreePages();
  /// Queues the descriptors and waits until the unit has executed them. Does nothing while the queue is disabled.
  void Submit(const std::vector<Descriptor>& descriptors);
  /// Call when the unit has reported IQE, that is, has stopped the queue.
  void OnError();

 private:
  void Start();
  /// Throws OsError, with the unit's status in the message, if the unit has stopped the queue.
  void Require() const;

  Registers& registers_;
  PageAllocator& pages_;
  Ledger& ledger_;
  const std::function<bool()> forget_;
  uint64_t pfn_ = 0;  // page of the queue, or 0 while the queue is off
  uint64_t status_pfn_ = 0;
  uint32_t tail_ = 0;  // index of the next free entry
  std::string error_;  // empty if the queue has no error
  uint32_t next_status_ = 1;
};

}  // namespace gmmu::os::vtd

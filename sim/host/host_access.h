// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace gmmu::sim {

/// The interface for a device's accesses to host memory. An access lies inside one 4 KiB page.
class HostAccess {
 public:
  virtual ~HostAccess() = default;

  /// Perform a device's access to [logical, logical + size). A refused read returns false; a write is posted, so the
  /// device does not learn of a refusal. A write to the interrupt window is a message. With `snoop` false the request
  /// has PCIe's No Snoop attribute, which an IOMMU entry may override.
  virtual bool Read(uint16_t requester, uint64_t logical, void* to, size_t size, bool snoop) = 0;
  virtual void Write(uint16_t requester, uint64_t logical, const void* from, size_t size, bool snoop) = 0;
  /// Returns the time when memory has served a request for [logical, logical + size) that reaches the root complex at
  /// `at_ps`. The request belongs to the access that Read or Write just performed, or reads a table. Only the timing
  /// state and the IOMMU's counters change; no data moves.
  virtual uint64_t Serve(uint16_t requester, uint64_t logical, size_t size, bool write, uint64_t at_ps) = 0;
  /// Reads the word as the device would, without changing or counting anything. False: the access is refused.
  virtual bool Peek(uint16_t requester, uint64_t logical, uint64_t* word) const = 0;
};

}  // namespace gmmu::sim

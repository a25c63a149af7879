// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace gmmu::sim {

/// The interface through which a device accesses host memory. An access must not cross a 4 KiB page.
class HostAccess {
 public:
  virtual ~HostAccess() = default;

  /// Perform a device's access to [logical, logical + size). Read returns false if the access is
  /// blocked. Writes are posted, so the device never sees a write fail. A write to the interrupt
  /// window is an interrupt message. If `snoop` is false, the request has the PCIe attribute No
  /// Snoop, which an IOMMU entry may override.
  virtual bool Read(uint16_t requester, uint64_t logical, void* to, size_t size, bool snoop) = 0;
  virtual void Write(uint16_t requester, uint64_t logical, const void* from, size_t size, bool snoop) = 0;
  /// Returns the time at which memory has served a request for [logical, logical + size) that
  /// arrives at the root complex at `at_ps`. The request must be a table read, or part of the most
  /// recent access by Read or Write. Only timing state and the IOMMU's counters change; no data
  /// moves.
  virtual uint64_t Serve(uint16_t requester, uint64_t logical, size_t size, bool write, uint64_t at_ps) = 0;
  /// Reads the word as the device would, without changing any state or counter. Returns false if
  /// the access is blocked.
  virtual bool Peek(uint16_t requester, uint64_t logical, uint64_t* word) const = 0;
};

}  // namespace gmmu::sim

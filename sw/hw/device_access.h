// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace gmmu::hw {

/// Lets software look at memory as a unit of GPU `unit` does that has translated its address already: an instrument of
/// machines that can do so without a client port (dynamic_cast of Platform::instruments). It takes no time.
class DeviceAccess {
 public:
  enum class Memory : uint8_t { kLocal, kHost };
  virtual ~DeviceAccess() = default;
  /// Reads or writes [address, address + size), which lies inside one page of 4 KiB. Host memory is reached through the
  /// IOMMU by a bus address, and the access counts as the device's. False: refused, or nobody is there.
  virtual bool Access(unsigned unit, Memory memory, uint64_t address, void* bytes, size_t size, bool write) = 0;
};

}  // namespace gmmu::hw

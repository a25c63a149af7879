// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace gmmu::hw {

/// Accesses the memory that GPU `unit` addresses after translation, in machines without client
/// ports (Instruments::device_access). Accesses take no machine time.
class DeviceAccess {
 public:
  enum class Memory : uint8_t { kLocal, kHost };
  virtual ~DeviceAccess() = default;
  /// Reads or writes [address, address + size), which must be inside one 4 KiB page. For host
  /// memory, `address` is a bus address, which the IOMMU translates as for the device's own
  /// accesses. Returns false if the access was blocked or got no response.
  virtual bool Access(unsigned unit, Memory memory, uint64_t address, void* bytes, size_t size, bool write) = 0;
};

}  // namespace gmmu::hw

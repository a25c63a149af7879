// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/clock.h"
#include "hw/platform.h"
#include "pcie/config_space.h"

namespace gmmu::hw {
class DeviceAccess;
}

namespace gmmu::sim {

/// A CPU access to a BAR of a device. Its bytes lie inside the BAR.
struct BarAccess {
  unsigned unit = 0, bar = 0;
  uint64_t offset = 0;   ///< from the start of the BAR
  uint64_t address = 0;  ///< host physical
  size_t size = 0;

  /// Returns text such as "a read of 8 bytes at 0xe0000000" for error messages.
  std::string Text(bool write) const;
};

/// The interface between the host and an engine's device model. It covers the machine's PCI
/// functions and their links, as the CPU and the instruments access them. Unit n is function (n +
/// 1):00.0.
class Device {
 public:
  static constexpr size_t kBlockBytes = 64;  ///< size of a write-combining buffer

  virtual ~Device() = default;

  virtual unsigned units() const { return 1; }
  /// Returns the configuration space of `unit`. The machine assigns the BAR addresses.
  virtual ConfigSpace& config(unsigned unit) = 0;
  /// Returns the clock that advances while the software's accesses are performed.
  virtual Clock& clock() = 0;
  /// Returns the value that software must write to register sizes_in_use (hw::FirmwareTables).
  virtual uint64_t sizes_in_use() const { return 0; }

  /// Reads at most kBlockBytes without crossing a multiple of kBlockBytes, and returns when the CPU
  /// has the data. A failed read returns all ones. Throws EngineError if no response arrives within
  /// gpu.mmio_bound_ns.
  virtual void Read(const BarAccess& access, void* to) = 0;
  /// Posts a write with the same size limits as Read, and returns when the CPU may continue.
  virtual void Write(const BarAccess& access, const void* from) = 0;
  /// Copy any number of 8-byte words at an aligned offset. The default splits the range into blocks that Read and Write
  /// accept.
  virtual void ReadBlock(const BarAccess& access, void* to);
  virtual void WriteBlock(const BarAccess& access, const void* from);
  virtual uint32_t ReadConfig(unsigned unit, uint16_t offset, unsigned size) = 0;
  virtual void WriteConfig(unsigned unit, uint16_t offset, unsigned size, uint32_t value) = 0;

  // The instruments (hw::Instruments). An instrument that the device does not have throws
  // EngineError.
  virtual std::vector<hw::Counter> Counters() = 0;
  virtual std::vector<hw::Finding> Findings() { return {}; }
  virtual uint64_t Cycles() = 0;
  virtual uint64_t CyclesEvaluated() { return Cycles(); }
  virtual std::vector<hw::InUse> ResourcesInUse() = 0;
  virtual void NoteFlush(unsigned, unsigned, uint64_t, uint64_t) {}
  virtual void DriveClients(unsigned unit, hw::ClientAccesses* accesses);
  virtual void LoseAnswer(unsigned unit, unsigned space, uint64_t va);
  virtual void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns);
  /// Returns null if the instruments must access the device's memory through client ports.
  virtual hw::DeviceAccess* device_access() { return nullptr; }
};

}  // namespace gmmu::sim

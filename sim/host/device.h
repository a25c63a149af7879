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

/// An access of the CPU to a device's BAR. Its bytes lie inside the BAR.
struct BarAccess {
  unsigned unit = 0, bar = 0;
  uint64_t offset = 0;   ///< inside the BAR
  uint64_t address = 0;  ///< host physical
  size_t size = 0;

  /// "a read of 8 bytes at 0xe0000000", for errors.
  std::string Text(bool write) const;
};

/// What an engine puts behind the host: the PCI functions of the machine with their links, reached by the CPU and by the
/// instruments. Function (n + 1):00.0 is unit n.
class Device {
 public:
  static constexpr size_t kBlockBytes = 64;  ///< a write-combining buffer

  virtual ~Device() = default;

  virtual unsigned units() const { return 1; }
  /// The function of `unit`. The machine places its BARs.
  virtual ConfigSpace& config(unsigned unit) = 0;
  /// The time of software's accesses.
  virtual Clock& clock() = 0;
  /// Value for register sizes_in_use (hw::FirmwareTables).
  virtual uint64_t sizes_in_use() const { return 0; }

  /// Read at most kBlockBytes, which cross no multiple of them; returns when the CPU has the data. A refused read returns
  /// ones. Throws EngineError when no answer comes in gpu.mmio_bound_ns.
  virtual void Read(const BarAccess& access, void* to) = 0;
  /// Posts a write of the same shape; returns when the CPU may continue.
  virtual void Write(const BarAccess& access, const void* from) = 0;
  /// Copy any number of bytes, 8-byte aligned; in pieces that Read and Write take, unless the device has a better way.
  virtual void ReadBlock(const BarAccess& access, void* to);
  virtual void WriteBlock(const BarAccess& access, const void* from);
  virtual uint32_t ReadConfig(unsigned unit, uint16_t offset, unsigned size) = 0;
  virtual void WriteConfig(unsigned unit, uint16_t offset, unsigned size, uint32_t value) = 0;

  // See hw::Instruments. A device without an instrument throws EngineError.
  virtual std::vector<hw::Counter> Counters() = 0;
  virtual std::vector<hw::Finding> Findings() { return {}; }
  virtual uint64_t Cycles() = 0;
  virtual uint64_t CyclesEvaluated() { return Cycles(); }
  virtual std::vector<hw::InUse> ResourcesInUse() = 0;
  virtual void NoteFlush(unsigned, unsigned, uint64_t, uint64_t) {}
  virtual void DriveClients(unsigned unit, hw::ClientAccesses* accesses);
  virtual void LoseAnswer(unsigned unit, unsigned space, uint64_t va);
  virtual void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns);
  /// Null: client ports are the way into the device's memory.
  virtual hw::DeviceAccess* device_access() { return nullptr; }
};

}  // namespace gmmu::sim

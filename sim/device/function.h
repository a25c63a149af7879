// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "host/agenda.h"
#include "host/host_access.h"
#include "hw/device.h"
#include "hw/platform.h"
#include "memory/vram.h"
#include "pcie/config_space.h"

namespace gmmu::sim::device {

/// Fills in a device's function table (GmmuOpenDevice, or a wrapper of GmmuServeDevice). Throws on
/// failure.
using Open = std::function<void(const GMMU_DEVICE_HOST& host, GMMU_DEVICE& table)>;

struct FunctionParameters {
  ConfigSpaceParameters config;
  uint64_t memory_bytes = 0;
  Open open;  ///< null: BAR 0 is plain memory, and no function serves it
};

struct FunctionCounts {
  uint64_t register_reads = 0, register_writes = 0, steps = 0, interrupts = 0;
  uint64_t dma_reads = 0, dma_read_bytes = 0, dma_writes = 0, dma_write_bytes = 0, refused = 0;
  uint64_t not_master = 0;  ///< part of `refused`: bus mastering was off
};

/// A PCI function other than this project's GPU: configuration space, local memory behind BAR 2,
/// and the device model behind BARs 0 and 4 (hw/device.h). The model accesses host memory only
/// through `host`, with the requester id of this function.
///
/// CPU accesses take effect on arrival: the machine calls Read and Write at that time. A register
/// write schedules a step of the device model.
class Function {
 public:
  /// `deliver` sends an interrupt line's message, which bypasses the IOMMU and arrives after
  /// `line_ps`.
  Function(hw::Bdf bdf, const FunctionParameters& parameters, HostAccess& host, Agenda& agenda,
           std::function<void(uint64_t address, uint32_t data)> deliver, uint64_t line_ps);
  ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  hw::Bdf bdf() const { return bdf_; }
  ConfigSpace& config() { return config_; }
  const FunctionCounts& counts() const { return counts_; }
  VramCore& memory() { return memory_; }

  /// Perform an access of at most 64 bytes inside a BAR. Call them when the access arrives at the
  /// device. Reads to which the device does not respond return all ones.
  void Read(unsigned bar, uint64_t offset, void* to, size_t size);
  void Write(unsigned bar, uint64_t offset, const void* from, size_t size);
  uint32_t ReadConfig(uint16_t offset, unsigned size) const { return config_.Read(offset, size); }
  void WriteConfig(uint16_t offset, unsigned size, uint32_t value);
  std::vector<hw::InUse> ResourcesInUse() const;

 private:
  // Implement the host's callbacks of hw/device.h.
  bool Dma(uint64_t address, void* bytes, uint32_t size, bool write);
  void Interrupt();
  void Plan(uint64_t ps);
  void Step();
  bool registers_are_memory() const { return table_.read == nullptr && table_.write == nullptr; }

  const hw::Bdf bdf_;
  HostAccess& host_access_;
  Agenda& agenda_;
  const std::function<void(uint64_t, uint32_t)> deliver_;
  const uint64_t line_ps_;
  ConfigSpace config_;
  VramCore memory_;
  std::vector<uint8_t> registers_;
  GMMU_DEVICE_HOST host_{};
  GMMU_DEVICE table_{};
  FunctionCounts counts_;
  uint64_t planned_ps_ = GMMU_DEVICE_IDLE;
};

}  // namespace gmmu::sim::device

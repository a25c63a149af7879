// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "device/function.h"
#include "host/device.h"
#include "hw/device_access.h"

namespace gmmu::sim {
class PlainHost;
}

namespace gmmu::sim::device {

/// A device that replaces this project's GPU: one function, 01:00.0, on its own PCIe link. Its
/// times are estimates: the link's latency in each direction for CPU accesses, and the times that
/// the device's steps return.
class FunctionOnLink : public Device, public hw::DeviceAccess {
 public:
  FunctionOnLink(PlainHost& host, const FunctionParameters& function);

  // Device
  ConfigSpace& config(unsigned) override { return function_.config(); }
  Clock& clock() override;
  void Read(const BarAccess& access, void* to) override;
  void Write(const BarAccess& access, const void* from) override;
  uint32_t ReadConfig(unsigned unit, uint16_t offset, unsigned size) override;
  void WriteConfig(unsigned unit, uint16_t offset, unsigned size, uint32_t value) override;

  // Device's instruments. Those that observe a GPU's internals are unavailable.
  std::vector<hw::Counter> Counters() override;
  uint64_t Cycles() override;
  uint64_t CyclesEvaluated() override;
  std::vector<hw::InUse> ResourcesInUse() override { return function_.ResourcesInUse(); }
  hw::DeviceAccess* device_access() override { return this; }

  // hw::DeviceAccess
  bool Access(unsigned unit, Memory memory, uint64_t address, void* bytes, size_t size, bool write) override;

 private:
  PlainHost& host_;
  const uint64_t link_ps_;
  Function function_;
};

}  // namespace gmmu::sim::device

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/function.h"
#include "hw/device_access.h"
#include "hw/host_ram.h"
#include "hw/platform.h"
#include "iommu/vtd.h"
#include "pcie/address_map.h"
#include "platform/config.h"
#include "twin/agenda.h"
#include "twin/host.h"

namespace gmmu::sim::device {

/// The machine around a device that is not this project's GPU: the CPU's accesses, the IOMMU, host memory, one function
/// at 01:00.0. Its times are estimates: the link's latency in each direction for the CPU's accesses, and the times that
/// the device's steps report.
///
/// The instruments see the bus and the IOMMU. Those that look into a GPU (client accesses, lost answers, held reads) throw
/// EngineError.
class Machine : public hw::Platform, public hw::Instruments, public hw::DeviceAccess {
 public:
  Machine(const MachineConfig& config, const FunctionParameters& function);
  ~Machine() override;

  VtdCore* iommu() { return host_->iommu(); }

  // hw::Platform
  const hw::FirmwareTables& firmware() const override { return firmware_; }
  hw::HostRam& ram() override { return ram_; }
  uint64_t MmioRead(uint64_t address, unsigned size) override;
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override;
  void MmioReadBlock(uint64_t address, void* to, size_t size) override;
  void MmioWriteBlock(uint64_t address, const void* from, size_t size) override;
  uint32_t ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) override;
  void ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) override;
  std::optional<hw::Message> TakeMessage() override;
  bool WaitForMessage(uint64_t bound_ns) override;
  uint64_t NowNs() override { return agenda_.now() / 1000; }
  hw::Instruments* instruments() override { return this; }

  // hw::Instruments, hw::DeviceAccess (instruments.cc)
  std::vector<hw::Counter> Counters() override;
  std::vector<hw::Finding> Findings() override;
  hw::BusCounts BusAccesses(hw::Bdf device) override;
  uint64_t PageAccesses(uint64_t pfn) override;
  void NotePages(uint64_t first, uint64_t count, bool owned) override;
  void NoteFlush(unsigned, unsigned, uint64_t, uint64_t) override {}
  uint64_t Cycles() override;
  uint64_t CyclesEvaluated() override { return agenda_.acts(); }
  std::vector<hw::InUse> ResourcesInUse() override;
  void DriveClients(unsigned unit, hw::ClientAccesses* accesses) override;
  void LoseAnswer(unsigned unit, unsigned space, uint64_t va) override;
  void StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) override;
  void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) override;
  bool Access(unsigned unit, Memory memory, uint64_t address, void* bytes, size_t size, bool write) override;

 private:
  void Deliver(uint64_t address, uint32_t data);
  void Pass(uint64_t ps) { agenda_.RunUntil(agenda_.now() + ps); }
  void ReadAt(uint64_t address, void* to, size_t size);
  void WriteAt(uint64_t address, const void* from, size_t size);

  const MachineConfig config_;
  const uint64_t link_ps_;
  AddressMap map_;
  hw::HostRam ram_;
  twin::Agenda agenda_;
  std::unique_ptr<twin::Host> host_;
  std::unique_ptr<Function> function_;
  hw::FirmwareTables firmware_;
  std::deque<hw::Message> messages_;
};

}  // namespace gmmu::sim::device

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/device.h"
#include "hw/platform.h"

namespace gmmu::sim {

class AddressMap;
class HostSide;
class Messages;
struct MachineConfig;

/// The machine as software sees it: CPU accesses, interrupts and instruments. It is the same for
/// every engine.
///
/// The parts are constructed before the machine and outlive it. The machine keeps the BARs in `map`
/// up to date.
class Machine : public hw::Platform, public hw::Instruments {
 public:
  struct Parts {
    AddressMap& map;
    hw::HostRam& ram;
    HostSide& host;
    Messages& messages;
    Device& device;
  };
  Machine(const MachineConfig& config, const Parts& parts);

  // hw::Platform
  const hw::FirmwareTables& firmware() const override { return firmware_; }
  hw::HostRam& ram() override { return parts_.ram; }
  uint64_t MmioRead(uint64_t address, unsigned size) override;
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override;
  void MmioReadBlock(uint64_t address, void* to, size_t size) override;
  void MmioWriteBlock(uint64_t address, const void* from, size_t size) override;
  uint32_t ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) override;
  void ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) override;
  std::optional<hw::Message> TakeMessage() override;
  bool WaitForMessage(uint64_t bound_ns) override;
  uint64_t NowNs() override { return clock().NowPs() / 1000; }
  hw::Instruments* instruments() override { return this; }

  // hw::Instruments
  std::vector<hw::Counter> Counters() override;
  std::vector<hw::Finding> Findings() override;
  hw::BusCounts BusAccesses(hw::Bdf device) override;
  uint64_t PageAccesses(uint64_t pfn) override;
  void NotePages(uint64_t first, uint64_t count, bool owned) override;
  void StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) override;
  uint64_t Cycles() override { return parts_.device.Cycles(); }
  uint64_t CyclesEvaluated() override { return parts_.device.CyclesEvaluated(); }
  /// Omits the resources of unplugged GPUs.
  std::vector<hw::InUse> ResourcesInUse() override;
  void NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) override {
    parts_.device.NoteFlush(unit, space, start, end);
  }
  void DriveClients(unsigned unit, hw::ClientAccesses* accesses) override {
    parts_.device.DriveClients(unit, accesses);
  }
  void LoseAnswer(unsigned unit, unsigned space, uint64_t va) override { parts_.device.LoseAnswer(unit, space, va); }
  void Unplug(unsigned unit) override;
  bool InSlot(unsigned unit) override;
  void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) override {
    parts_.device.HoldReads(unit, address, until_ns);
  }
  hw::DeviceAccess* device_access() override { return parts_.device.device_access(); }

 private:
  Clock& clock() { return parts_.device.clock(); }
  std::optional<unsigned> UnitAt(hw::Bdf bdf) const;
  /// OfUnit: whether an instrument's name begins with the prefix of GPU `unit`. OfARemovedUnit:
  /// whether the name begins with the prefix of an unplugged GPU.
  bool OfUnit(const std::string& name, unsigned unit) const;
  bool OfARemovedUnit(const std::string& name);

  const Parts parts_;
  hw::FirmwareTables firmware_;
  std::vector<hw::Finding> before_removal_;  // findings on GPUs from before they were unplugged
};

}  // namespace gmmu::sim

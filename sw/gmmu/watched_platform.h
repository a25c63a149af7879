// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gmmu/gmmu.h"
#include "hw/client_accesses.h"
#include "hw/platform.h"

namespace gmmu {

/// Hooks that are called between two CPU accesses, and for completed requests at client ports.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Called after each platform call that took time. An exception propagates out of the platform call.
  virtual void Look() = 0;
  /// Returns the longest time that a wait may take before the next Look.
  virtual uint64_t LongestWaitNs() = 0;
  /// Called while time passes. Must neither access the machine nor throw.
  virtual void Answered(const Access& access) = 0;
};

/// Wraps an engine's platform and calls Look after each access. Splits long waits and copies into
/// parts that take the same time in total. The instruments are the engine's. The watcher receives
/// responses at client ports before they are forwarded.
class WatchedPlatform : public hw::Platform, public hw::Instruments {
 public:
  WatchedPlatform(hw::Platform& platform, Watcher& watcher);
  ~WatchedPlatform() override;

  const hw::FirmwareTables& firmware() const override { return p_.firmware(); }
  hw::HostRam& ram() override { return p_.ram(); }
  uint64_t MmioRead(uint64_t address, unsigned size) override;
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override;
  void MmioReadBlock(uint64_t address, void* to, size_t size) override;
  void MmioWriteBlock(uint64_t address, const void* from, size_t size) override;
  uint32_t ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) override;
  void ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) override;
  std::optional<hw::Message> TakeMessage() override { return p_.TakeMessage(); }
  bool WaitForMessage(uint64_t bound_ns) override;
  uint64_t NowNs() override { return p_.NowNs(); }
  hw::Instruments* instruments() override { return this; }

  std::vector<hw::Counter> Counters() override { return i_.Counters(); }
  std::vector<hw::Finding> Findings() override { return i_.Findings(); }
  hw::BusCounts BusAccesses(hw::Bdf device) override { return i_.BusAccesses(device); }
  uint64_t PageAccesses(uint64_t pfn) override { return i_.PageAccesses(pfn); }
  void NotePages(uint64_t first, uint64_t count, bool owned) override { i_.NotePages(first, count, owned); }
  void NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) override {
    i_.NoteFlush(unit, space, start, end);
  }
  uint64_t Cycles() override { return i_.Cycles(); }
  uint64_t CyclesEvaluated() override { return i_.CyclesEvaluated(); }
  std::vector<hw::InUse> ResourcesInUse() override { return i_.ResourcesInUse(); }
  void DriveClients(unsigned unit, hw::ClientAccesses* accesses) override;
  void LoseAnswer(unsigned unit, unsigned space, uint64_t va) override { i_.LoseAnswer(unit, space, va); }
  void StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) override {
    i_.StrayAccess(device, kind, address, data);
  }
  void Unplug(unsigned unit) override { i_.Unplug(unit); }
  bool InSlot(unsigned unit) override { return i_.InSlot(unit); }
  void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) override { i_.HoldReads(unit, address, until_ns); }
  hw::DeviceAccess* device_access() override { return i_.device_access(); }

 private:
  class Told;

  hw::Platform& p_;
  hw::Instruments& i_;
  Watcher& watcher_;
  std::vector<std::unique_ptr<Told>> told_;  ///< one per GPU
};

}  // namespace gmmu

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/agenda.h"
#include "host/time_model.h"
#include "hw/platform.h"
#include "memory/vram.h"
#include "pcie/config_space.h"
#include "twin/aperture.h"
#include "twin/client.h"
#include "twin/counters.h"
#include "twin/fault_log.h"
#include "twin/gpu_access.h"
#include "twin/gpu_parameters.h"
#include "twin/interrupts.h"
#include "twin/memory.h"
#include "twin/mmu.h"
#include "twin/operations.h"

namespace gmmu::hw {
class ClientAccesses;
}

namespace gmmu::sim {

class HostAccess;
class TranslationChecker;
class WaitChecker;

namespace twin {

class ClientPorts;
class HostAperture;
class PagingEngine;
class Peers;

/// One GPU of a machine: the blocks of rtl/top, VRAM, and the PCI function.
///
/// CPU accesses are pushed in order of arrival and performed in that order. The response is
/// immediate unless an earlier register write has to wait.
class Gpu {
 public:
  using Access = GpuAccess;

  Gpu(unsigned unit, hw::Bdf bdf, const GpuParameters& parameters, HostAccess& host, Peers& peers, Agenda& agenda);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  unsigned unit() const { return unit_; }
  hw::Bdf bdf() const { return bdf_; }
  const Built& built() const { return parameters_.built; }
  bool policy_stated() const { return parameters_.policy.stated; }
  ConfigSpace& config() { return config_; }
  VramCore& vram() { return vram_; }
  TimeModel& time() { return time_; }
  Mmu& mmu() { return mmu_; }
  TranslationChecker* checker() { return checker_.get(); }
  WaitChecker* waits() { return waits_.get(); }
  Memory& memory() { return memory_; }

  void Push(Access access);
  /// Returns how many CPU accesses the GPU's port has not accepted yet.
  size_t waiting() const { return accesses_.size(); }
  /// Reads a register for an instrument. The read is not counted as a CPU access and takes no time.
  uint64_t ReadRegister(uint32_t offset) const;
  /// Drives the silence pin of the top-level module: while `on`, the host port issues no new
  /// requests.
  void Silence(bool on);
  /// Pulses the reset pin of the top-level module: everything except VRAM and the PCI function
  /// returns to its power-on state.
  void Reset();

  bool idle() const;
  std::vector<hw::InUse> ResourcesInUse() const;
  /// See hw::Instruments.
  void DriveClients(hw::ClientAccesses* accesses);
  /// See hw::Instruments. Occupies a slot of client 0 permanently.
  void LoseAnswer(unsigned space, uint64_t va);
  void HoldReads(uint64_t logical, uint64_t until_ps) { memory_.HoldReads(logical, until_ps); }

 private:
  // gpu.cc
  void Straps();
  void Wake();
  void SendMessage();
  void WriteMessage();
  uint64_t FreePs(const Access& access) const;
  void Pump();
  bool Do(Access& access);
  void WindowTime(Access& access, uint64_t lookup);
  void DoConfig(Access& access);
  void DoWindow(Access& access);
  // gpu_registers.cc
  bool DoRegister(Access& access);
  bool WriteBeat(Access& access);
  uint64_t ReadBeat(const Access& access);
  void WriteRegister(uint32_t offset, uint64_t value);
  void WriteShared(uint32_t offset, uint64_t value);
  uint64_t ReadShared(uint32_t offset) const;
  void WriteSpace(uint32_t index, uint32_t offset, uint64_t value);
  static void Answer(Access& access, bool ok);
  bool BusyWrite(const Access& access) const;
  bool Silent() const;

  const unsigned unit_;
  const hw::Bdf bdf_;
  const GpuParameters parameters_;
  HostAccess& host_;
  Agenda& agenda_;
  ConfigSpace config_;
  VramCore vram_;
  TimeModel time_;
  Counters counters_;
  Memory memory_;
  Mmu mmu_;
  ApertureMap aperture_;
  Path path_;
  const std::unique_ptr<Turns> turns_;
  Interrupts interrupts_;
  FaultLog faults_;
  Operations operations_;
  const std::unique_ptr<PagingEngine> engine_;
  std::vector<Client> clients_;
  const std::unique_ptr<ClientPorts> client_ports_;
  std::unique_ptr<TranslationChecker> checker_;
  std::unique_ptr<WaitChecker> waits_;

  std::deque<Access> accesses_;
  uint64_t port_ps_ = 0;  ///< when the port can accept the next CPU access
  bool pump_planned_ = false;
  Window window_slots_;
  uint64_t window_ps_ = 0;               ///< when the latest window access so far gets its response
  bool enabled_ = false, held_ = false;  ///< register ctrl
  bool silence_ = false, lost_answer_ = false;
  uint64_t window_base_ = 0;
  const std::unique_ptr<HostAperture> host_aperture_;
  uint64_t reset_ps_ = 0, generation_ = 0;
  unsigned runs_ = 0;  ///< number of busy clients
  uint64_t runs_began_ps_ = 0;
  struct Half {
    bool there = false;
    uint32_t offset = 0;
    uint32_t value = 0;
  };
  Half write_low_;  ///< low half of a register write, awaiting its high half
  Half read_high_;  ///< high half, latched when the low half was read
};

}  // namespace twin
}  // namespace gmmu::sim

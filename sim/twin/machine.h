// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/host_ram.h"
#include "hw/platform.h"
#include "iommu/vtd.h"
#include "pcie/address_map.h"
#include "platform/config.h"
#include "twin/agenda.h"
#include "twin/gpu_access.h"
#include "twin/gpu_parameters.h"
#include "twin/peers.h"

namespace gmmu::sim::twin {

class Gpu;
class Host;

struct MachineParameters {
  uint64_t ram_bytes = uint64_t{16} << 30;
  bool iommu = true;
  VtdParameters vtd;
  std::vector<GpuParameters> gpus;                                     ///< 1 to 4
  uint64_t gpu_link_latency_ps = 200'000, gpu_link_bytes_per_ns = 16;  ///< of the link between the GPUs
  uint64_t mmio_bound_ns = 10'000'000;
  uint64_t late_interrupt_ns = 0;
  uint64_t reserved_bytes = 0;    ///< RAM that firmware keeps for the GPU
  std::vector<hw::InUse> in_use;  ///< deliberate fault: what the hardware always claims to hold

  /// Returns the parameters of the machine that `config` describes.
  static MachineParameters From(const MachineConfig& config);
};

/// The whole machine in plain C++: a CPU's accesses, host memory behind an IOMMU, and linked GPUs.
///
/// Unit n is PCI function (n + 1):00.0. No device acts inside a write: the write arrives later, when
/// other calls let time pass. All times are estimates; equal calls give equal times and equal bytes.
///
/// The twin models the blocks of rtl/ a second time on purpose: it is the fast engine, and a run that
/// differs between the engines shows an error in one of them.
class Machine : public hw::Platform, public hw::Instruments {
 public:
  static constexpr unsigned kMostUnits = 4;

  /// Throws std::invalid_argument for a number of GPUs that is not 1 to 4.
  explicit Machine(const MachineParameters& parameters);
  ~Machine() override;

  Gpu& gpu(unsigned unit) { return *gpus_[unit]; }
  unsigned units() const { return static_cast<unsigned>(gpus_.size()); }
  VtdCore* iommu();

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

  // hw::Instruments (machine_instruments.cc)
  std::vector<hw::Counter> Counters() override;
  std::vector<hw::Finding> Findings() override;
  hw::BusCounts BusAccesses(hw::Bdf device) override;
  uint64_t PageAccesses(uint64_t pfn) override;
  void NotePages(uint64_t first, uint64_t count, bool owned) override;
  void NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) override;
  uint64_t Cycles() override;
  /// Counts acts of the agenda, since nothing is evaluated cycle by cycle.
  uint64_t CyclesEvaluated() override { return agenda_.acts(); }
  std::vector<hw::InUse> ResourcesInUse() override;
  void DriveClients(unsigned unit, hw::ClientAccesses* accesses) override;
  void LoseAnswer(unsigned unit, unsigned space, uint64_t va) override;
  void StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) override;
  void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) override;

 private:
  struct Reply {
    bool done = false;
    bool ok = false;
    std::vector<uint8_t> data;
  };

  void Deliver(uint64_t address, uint32_t data);
  void Pass(uint64_t ps) { agenda_.RunUntil(agenda_.now() + ps); }
  Gpu* Find(hw::Bdf bdf);
  GpuAccess AccessTo(const Decoded& where, bool write) const;
  void Post(Gpu& gpu, GpuAccess access);
  Reply Request(Gpu& gpu, GpuAccess access, const std::string& what);
  void AwaitReply(const Reply& reply, const std::string& what);

  const MachineParameters parameters_;
  AddressMap map_;
  hw::HostRam ram_;
  Agenda agenda_;
  std::unique_ptr<Host> host_;
  Peers peers_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  hw::FirmwareTables firmware_;
  std::deque<hw::Message> messages_;
  uint64_t requests_ = 0, writes_ = 0;
};

}  // namespace gmmu::sim::twin

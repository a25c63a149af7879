// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tlm>

#include "gpu/bus_extension.h"
#include "host/device.h"
#include "host/host_side.h"

namespace gmmu::sim {

class Cpu;
class GpuLink;
class HostMemory;
class Iommu;
class RootComplex;
class RtlGpu;
class ScAgenda;
class TranslationChecker;
struct MachineConfig;

/// A GPU with the parts of the machine that exist per GPU.
struct ScUnit {
  ScUnit();
  ~ScUnit();
  ScUnit(ScUnit&&) noexcept;

  std::unique_ptr<RtlGpu> gpu;
  std::unique_ptr<RootComplex> root_complex;
  std::unique_ptr<TranslationChecker> checker;  ///< null if sim.checker is off
};

/// The Verilated GPUs behind their root ports.
class ScGpus : public Device {
 public:
  struct Parts {
    Cpu& cpu;
    ScAgenda& agenda;
    GpuLink& gpu_link;
    std::vector<ScUnit>& units;
  };
  ScGpus(const MachineConfig& config, const Parts& parts);

  // Device
  unsigned units() const override { return static_cast<unsigned>(parts_.units.size()); }
  ConfigSpace& config(unsigned unit) override;
  Clock& clock() override;
  uint64_t sizes_in_use() const override { return sizes_in_use_; }
  void Read(const BarAccess& access, void* to) override;
  void Write(const BarAccess& access, const void* from) override;
  uint32_t ReadConfig(unsigned unit, uint16_t offset, unsigned size) override;
  void WriteConfig(unsigned unit, uint16_t offset, unsigned size, uint32_t value) override;

  // Device's instruments, implemented in sc_gpus_instruments.cc
  std::vector<hw::Counter> Counters() override;
  std::vector<hw::Finding> Findings() override;
  uint64_t Cycles() override;
  uint64_t CyclesEvaluated() override;
  std::vector<hw::InUse> ResourcesInUse() override;
  void NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) override;
  void DriveClients(unsigned unit, hw::ClientAccesses* accesses) override;
  void LoseAnswer(unsigned unit, unsigned space, uint64_t va) override;
  void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) override;

 private:
  std::vector<uint8_t> Request(unsigned unit, tlm::tlm_command command, AddressKind kind, uint64_t address,
                               std::vector<uint8_t> data, const std::string& what);
  void AwaitAccess(unsigned unit, const std::function<bool()>& ready, const std::string& what);
  std::string PrefixOf(unsigned unit) const;
  void ReadCounters(unsigned unit, std::vector<hw::Counter>& all);

  const Parts parts_;
  const uint64_t bound_ns_;  ///< gpu.mmio_bound_ns
  const uint64_t sizes_in_use_;
  const unsigned clients_;
  std::vector<hw::Finding> findings_;
};

/// The host's side of the machine in SystemC.
class ScHost : public HostSide {
 public:
  ScHost(Iommu& iommu, HostMemory& memory, GpuLink& gpu_link, std::vector<ScUnit>& units)
      : iommu_(iommu), memory_(memory), gpu_link_(gpu_link), units_(units) {}

  Remapper* iommu() override;
  uint64_t ReadRegister(uint32_t offset, unsigned size) override;
  void WriteRegister(uint32_t offset, unsigned size, uint64_t value) override;
  std::vector<hw::Counter> Counters() override;
  hw::BusCounts BusAccesses(hw::Bdf device) override;
  uint64_t PageAccesses(uint64_t pfn) override;
  void StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) override;
  PageOwners& owners() override;

 private:
  ScUnit* Find(hw::Bdf device) const;

  Iommu& iommu_;
  HostMemory& memory_;
  GpuLink& gpu_link_;
  std::vector<ScUnit>& units_;
};

}  // namespace gmmu::sim

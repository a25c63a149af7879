// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include "gpu/bus_extension.h"
#include "hw/host_ram.h"
#include "hw/platform.h"

namespace gmmu::sim {

class AddressMap;
class Agenda;
class GpuLink;
class HostMemory;
class Iommu;
class RootComplex;
class RtlGpu;
class TranslationChecker;

/// A GPU with the parts of the machine that belong to it alone.
struct CpuUnit {
  hw::Bdf bdf;
  RtlGpu* gpu = nullptr;
  RootComplex* root_complex = nullptr;
  TranslationChecker* checker = nullptr;  ///< null if sim.checker is off
};

/// The parts of the machine that the CPU reaches. RtlEngine fills it in when all are made.
struct CpuParts {
  Agenda* agenda = nullptr;
  std::vector<CpuUnit> units;
  GpuLink* gpu_link = nullptr;
  Iommu* iommu = nullptr;
  HostMemory* memory = nullptr;
  hw::HostRam* ram = nullptr;
  AddressMap* map = nullptr;
};

/// The CPU: software on one SystemC thread, and its platform.
///
/// After each wait it yields once more at the same time, so that it acts after all other processes of that time.
class Cpu : public sc_core::sc_module, public hw::Platform, public hw::Instruments {
 public:
  Cpu(sc_core::sc_module_name name, uint64_t mmio_bound_ns, unsigned clients);

  void Connect(const CpuParts& parts, hw::FirmwareTables firmware);
  void set_software(std::function<int(hw::Platform&)> software) { software_ = std::move(software); }
  bool finished() const { return finished_; }
  /// Ends the current wait with EngineError, because no further event can occur.
  void Stuck();
  /// Returns the software's result, or throws its exception. Call it when finished.
  int Result() const;

  /// Takes an interrupt message that arrives now.
  void Deliver(const hw::Message& message);

  // hw::Platform
  const hw::FirmwareTables& firmware() const override { return firmware_; }
  hw::HostRam& ram() override { return *parts_.ram; }
  uint64_t MmioRead(uint64_t address, unsigned size) override;
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override;
  void MmioReadBlock(uint64_t address, void* to, size_t size) override;
  void MmioWriteBlock(uint64_t address, const void* from, size_t size) override;
  uint32_t ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) override;
  void ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) override;
  std::optional<hw::Message> TakeMessage() override;
  bool WaitForMessage(uint64_t bound_ns) override;
  uint64_t NowNs() override;
  hw::Instruments* instruments() override { return this; }

  // hw::Instruments
  std::vector<hw::Counter> Counters() override;
  std::vector<hw::Finding> Findings() override;
  hw::BusCounts BusAccesses(hw::Bdf device) override;
  uint64_t PageAccesses(uint64_t pfn) override;
  void NotePages(uint64_t first, uint64_t count, bool owned) override;
  void NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) override;
  uint64_t Cycles() override;
  uint64_t CyclesEvaluated() override;
  std::vector<hw::InUse> ResourcesInUse() override;
  void DriveClients(unsigned unit, hw::ClientAccesses* accesses) override;
  void LoseAnswer(unsigned unit, unsigned space, uint64_t va) override;
  void StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) override;
  void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) override;

 private:
  struct Answer {  // outlives an abandoned read
    bool done = false;
    bool ok = false;
    std::vector<uint8_t> data;
  };

  void Main();
  void Pause(uint64_t ps);
  void Yield();
  /// Waits until `ready` is true, or returns false when `bound_ps` picoseconds pass first.
  bool Await(const std::function<bool()>& ready, uint64_t bound_ps, const std::string& what);
  void AwaitAccess(const CpuUnit& unit, const std::function<bool()>& ready, const std::string& what);
  std::shared_ptr<Answer> Request(const CpuUnit& unit, tlm::tlm_command command, AddressKind kind, uint64_t address,
                                  const void* data, unsigned bytes);
  void Post(const CpuUnit& unit, uint64_t address, const void* from, unsigned bytes);
  /// Finds the GPU at `bdf`; null if there is none.
  const CpuUnit* Find(hw::Bdf bdf) const;
  std::string PrefixOf(const CpuUnit& unit) const;
  void ReadCounters(const CpuUnit& unit, std::vector<hw::Counter>& all);

  const uint64_t mmio_bound_ps_;
  const unsigned clients_;
  CpuParts parts_;
  hw::FirmwareTables firmware_;
  std::function<int(hw::Platform&)> software_;
  sc_core::sc_event wake_;
  std::deque<hw::Message> messages_;
  std::vector<hw::Finding> findings_;
  bool stuck_ = false;
  bool finished_ = false;
  int result_ = 0;
  std::exception_ptr error_;
};

}  // namespace gmmu::sim

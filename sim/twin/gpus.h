// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/device.h"

namespace gmmu::sim {
class PlainHost;
}

namespace gmmu::sim::twin {

class Gpu;
class Peers;
struct GpuAccess;

/// The GPUs of the fast engine, linked to each other.
///
/// A write never takes effect inside the call that issues it: it arrives at the GPU later, while
/// other calls let time pass. All times are estimates; the same calls give the same times and data.
///
/// The twin deliberately duplicates the blocks of rtl/: it is the fast engine, and where the
/// engines differ, one of them has an error.
class Gpus : public Device {
 public:
  static constexpr unsigned kMostUnits = 4;

  /// Throws std::invalid_argument unless the machine has 1 to 4 GPUs.
  explicit Gpus(PlainHost& host);
  ~Gpus() override;

  Gpu& gpu(unsigned unit) { return *gpus_.at(unit); }

  // Device
  unsigned units() const override { return static_cast<unsigned>(gpus_.size()); }
  ConfigSpace& config(unsigned unit) override;
  Clock& clock() override;
  void Read(const BarAccess& access, void* to) override;
  void Write(const BarAccess& access, const void* from) override;
  uint32_t ReadConfig(unsigned unit, uint16_t offset, unsigned size) override;
  void WriteConfig(unsigned unit, uint16_t offset, unsigned size, uint32_t value) override;

  // Device's instruments, implemented in gpus_instruments.cc
  std::vector<hw::Counter> Counters() override;
  std::vector<hw::Finding> Findings() override;
  uint64_t Cycles() override;
  /// Returns the number of events that the agenda has run, because this engine evaluates no cycles.
  uint64_t CyclesEvaluated() override;
  std::vector<hw::InUse> ResourcesInUse() override;
  void NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) override;
  void DriveClients(unsigned unit, hw::ClientAccesses* accesses) override;
  void LoseAnswer(unsigned unit, unsigned space, uint64_t va) override;
  void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) override;

 private:
  std::vector<uint8_t> Request(Gpu& gpu, GpuAccess access, const std::string& what);
  std::string PrefixOf(const Gpu& gpu) const;

  PlainHost& host_;
  const uint64_t bound_ns_;  ///< gpu.mmio_bound_ns
  const bool tag_is_lost_;   ///< injected fault: a tag is always reported in use
  const std::unique_ptr<Peers> peers_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  uint64_t requests_ = 0, writes_ = 0;
};

}  // namespace gmmu::sim::twin

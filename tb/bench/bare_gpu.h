// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cpu_port.h"
#include "memory/vram.h"
#include "probe/gpu_axi.h"
#include "probe/translation_checker.h"
#include "tb/bench/array_port.h"
#include "tb/bench/client_reads.h"
#include "verilated.h"

namespace gmmu::bench {

/// A register write that arrives at the GPU's port half a cycle before clock edge `cycle`.
struct RegisterWrite {
  uint64_t cycle;
  uint32_t offset;
  uint64_t value;
};

/// The Verilated GPU in a plain C++ loop, without SystemC and with arrays as memories. It includes
/// the co-simulation's checkers and evaluates every cycle.
class BareGpu {
 public:
  static constexpr uint64_t kMemoryBytes = 64u << 20;  ///< size of VRAM, and of host memory

  /// Executes the register writes of `script` in cycle order.
  BareGpu(const ArrayTiming& vram, const ArrayTiming& host, const std::vector<RegisterWrite>& script);
  ~BareGpu();

  void Step();
  void RunTo(uint64_t cycle) {
    while (cycle_ < cycle) Step();
  }
  uint64_t cycle() const { return cycle_; }
  bool idle() const { return top_->idle_o; }
  sim::VramCore& vram() { return vram_; }
  sim::VramCore& host() { return host_; }
  const ArrayPort<HostPins>& host_port() const { return host_port_; }
  /// Returns the checkers' findings.
  std::vector<std::string> Findings() const;
  uint64_t translations() const;  ///< number of responses that the checker observed
  void set_clients(ClientReads* clients) { clients_ = clients; }
  /// Returns the cycles of the lookup responses, in ascending order.
  const std::vector<uint64_t>& answers() const { return answers_; }

 private:
  VerilatedContext context_;
  std::unique_ptr<Vgmmu_gpu_axi> top_;
  sim::VramCore vram_, host_;
  sim::TranslationChecker checker_;
  ArrayPort<VramPins> vram_port_;
  ArrayPort<HostPins> host_port_;
  sim::CpuPort cpu_port_;
  sim::GpuAxi axi_{sim::kBeatBytes};
  ClientReads* clients_ = nullptr;
  std::deque<RegisterWrite> script_;  ///< the accesses point into it
  uint64_t cycle_ = 0;
  std::vector<uint64_t> answers_;
};

}  // namespace gmmu::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memory/vram.h"
#include "tb/bench/bare_gpu.h"

namespace gmmu::bench {

/// The co-simulation's GPU module, sim::RtlGpu, between two minimal SystemC modules: a TLM memory that responds after a
/// fixed latency, and a thread that writes registers. It is cycle-for-cycle identical to BareGpu with the same
/// arguments, and skips no idle cycle.
class ArrayPlatform {
 public:
  ArrayPlatform(const ArrayTiming& vram, const ArrayTiming& host, const std::vector<RegisterWrite>& script);
  ~ArrayPlatform();

  /// Simulates at least `cycles` cycles.
  void Run(uint64_t cycles);
  uint64_t cycles_evaluated() const;
  sim::VramCore& vram();
  sim::VramCore& host();
  std::vector<std::string> Findings() const;
  uint64_t translations() const;
  uint64_t transactions() const;  ///< number of transactions that crossed the module's sockets

 private:
  struct Modules;
  std::unique_ptr<Modules> modules_;
};

}  // namespace gmmu::bench

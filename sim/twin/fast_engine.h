// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "host/plain_machine.h"
#include "twin/gpus.h"

namespace gmmu::sim::twin {

struct FastMachine : PlainMachine<Gpus> {
  explicit FastMachine(const MachineConfig& config);
  /// `remapper` becomes the machine's IOMMU.
  FastMachine(const MachineConfig& config, std::unique_ptr<Remapper> remapper);
  Gpu& gpu(unsigned unit) { return device().gpu(unit); }
};

/// Constructs the machine in plain C++. Its results equal those of the RTL; its times are
/// estimates. It supports every hardware size that the configuration allows. Throws ConfigError if
/// waves are requested, or if a key is set that has no effect on this engine.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const EngineOptions& options);

}  // namespace gmmu::sim::twin

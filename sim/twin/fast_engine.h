// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "host/plain_machine.h"
#include "twin/gpus.h"

namespace gmmu::sim::twin {

/// The machine of the fast engine.
struct FastMachine : PlainMachine<Gpus> {
  explicit FastMachine(const MachineConfig& config);
  /// `remapper` is the machine's IOMMU.
  FastMachine(const MachineConfig& config, std::unique_ptr<Remapper> remapper);
  Gpu& gpu(unsigned unit) { return device().gpu(unit); }
};

/// Makes the machine in plain C++: its results equal the RTL's, its times are estimates. It supports every hardware
/// size that the configuration allows. Throws ConfigError when waves are requested, and for keys without effect here.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const EngineOptions& options);

}  // namespace gmmu::sim::twin

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>

#include "host/machine_parts.h"
#include "host/plain_machine.h"
#include "twin/gpus.h"

namespace gmmu::sim::twin {

/// The machine of the fast engine.
struct FastMachine : PlainMachine<Gpus> {
  /// `remapper` is the machine's IOMMU; if it is null, the configuration's IOMMU is used.
  explicit FastMachine(const MachineConfig& config, std::unique_ptr<Remapper> remapper = nullptr)
      : PlainMachine({config, TimingOf(config), 0, std::move(remapper)}) {}
  Gpu& gpu(unsigned unit) { return device().gpu(unit); }
};

/// Makes the machine in plain C++: its results equal the RTL's, its times are estimates. It supports every hardware
/// size that the configuration allows. Throws ConfigError when waves are requested, and for keys without effect here.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const EngineOptions& options);

}  // namespace gmmu::sim::twin

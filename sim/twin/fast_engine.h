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
  /// `remapper`: the machine's IOMMU; null: that of the configuration.
  explicit FastMachine(const MachineConfig& config, std::unique_ptr<Remapper> remapper = nullptr)
      : PlainMachine({config, TimingOf(config), 0, std::move(remapper)}) {}
  Gpu& gpu(unsigned unit) { return device().gpu(unit); }
};

/// Makes the machine in plain C++, which gives the RTL's answers with estimated times. It takes any size of the hardware
/// that the configuration allows. Throws ConfigError when waves are requested, and for keys that have no effect on it.
std::unique_ptr<Engine> CreateEngine(const MachineConfig& config, const EngineOptions& options);

}  // namespace gmmu::sim::twin

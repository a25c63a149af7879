// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>

#include "host/host_image.h"
#include "tb/sim/iommu/flat_remapper.h"
#include "twin/fast_engine.h"

namespace gmmu::os::test {

/// The fast engine's machine with a flat remapping unit where firmware reports the IOMMU. Its driver is FlatRemapping.
class FlatMachine : public sim::twin::FastMachine {
 public:
  explicit FlatMachine(const sim::MachineConfig& config) : FlatMachine(config, std::make_unique<sim::FlatRemapper>()) {}

 private:
  FlatMachine(const sim::MachineConfig& config, std::unique_ptr<sim::FlatRemapper> unit)
      : FlatMachine(config, *unit, std::move(unit)) {}
  FlatMachine(const sim::MachineConfig& config, sim::FlatRemapper& unit, std::unique_ptr<sim::Remapper> owned)
      : FastMachine(config, std::move(owned)) {
    unit.Use(memory_);
  }

  sim::RamOfIommu memory_{ram()};
};

}  // namespace gmmu::os::test

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "host/ram_of_iommu.h"
#include "tb/sim/iommu/flat_remapper.h"
#include "twin/fast_engine.h"

namespace gmmu::os::test {

/// A machine of the fast engine whose firmware reports a flat remapping unit as its IOMMU.
/// FlatRemapping is the unit's driver.
class FlatMachine : public sim::twin::FastMachine {
 public:
  explicit FlatMachine(const sim::MachineConfig& config) : FlatMachine(config, new sim::FlatRemapper) {}

 private:
  FlatMachine(const sim::MachineConfig& config, sim::FlatRemapper* unit)
      : FastMachine(config, std::unique_ptr<sim::Remapper>(unit)) {
    unit->Use(memory_);
  }

  sim::RamOfIommu memory_{ram()};
};

}  // namespace gmmu::os::test

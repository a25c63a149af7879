// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "host/ram_of_iommu.h"
#include "tb/sim/iommu/flat_remapper.h"
#include "twin/fast_engine.h"

namespace gmmu::os::test {

/// The fast engine's machine, with a flat remapping unit that firmware reports as the IOMMU. FlatRemapping drives the
/// unit.
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

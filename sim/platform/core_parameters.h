// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "iommu/vtd.h"
#include "memory/dram.h"
#include "pcie/link.h"
#include "platform/config.h"

namespace gmmu::sim {

/// What the cores take from the configuration, whatever the engine.
PcieParameters PcieOf(const MachineConfig::Pcie& config);
DramParameters DramOf(const MachineConfig::Host& config);
VtdParameters VtdOf(const MachineConfig::Iommu& config);

}  // namespace gmmu::sim

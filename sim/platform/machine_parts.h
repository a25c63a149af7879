// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/platform.h"
#include "iommu/vtd_types.h"
#include "memory/dram.h"
#include "pcie/config_space.h"
#include "pcie/pcie_link.h"
#include "platform/config.h"

namespace gmmu::sim {

// Values that both engines derive from the configuration, so that their machines are the same.

/// GPU `unit` is device 0, function 0 of bus 1 + unit.
hw::Bdf BdfOf(unsigned unit);
/// The GPUs' clock period in picoseconds, rounded to the nearest.
uint64_t PeriodPs(const MachineConfig::Gpu& config);
PcieParameters PcieOf(const MachineConfig::Pcie& config);
ConfigSpaceParameters ConfigSpaceOf(const MachineConfig::Pcie& config);
DramParameters DramOf(const MachineConfig::Host& config);
VtdParameters VtdOf(const MachineConfig::Iommu& config);

}  // namespace gmmu::sim

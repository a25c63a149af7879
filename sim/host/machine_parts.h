// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "host/config.h"
#include "host/time_model.h"
#include "hw/platform.h"
#include "iommu/remapper.h"
#include "memory/dram.h"
#include "pcie/config_space.h"
#include "pcie/pcie_link.h"

namespace gmmu::sim {

// What the engines derive from the configuration or report in the same words, so that their machines are the same.

/// GPU `unit` is device 0, function 0 of bus 1 + unit.
hw::Bdf BdfOf(unsigned unit);
/// The GPUs' clock period in picoseconds, rounded to the nearest.
uint64_t PeriodPs(const MachineConfig::Gpu& config);
PcieParameters PcieOf(const MachineConfig::Pcie& config);
ConfigSpaceParameters ConfigSpaceOf(const MachineConfig::Pcie& config);
DramParameters DramOf(const MachineConfig::Host& config);
RemapperParameters RemapperParametersOf(const MachineConfig::Iommu& config);
/// Makes the IOMMU of the machine; null if it has none.
std::unique_ptr<Remapper> RemapperOf(const MachineConfig::Iommu& config);
TimeParameters TimingOf(const MachineConfig& config);

/// The resource that inject.lose_tag leaks, for an engine without tags of its own.
hw::InUse LostTag();
/// Appends the counters of the CPU's accesses to devices.
void AddCpuCounters(uint64_t requests, uint64_t writes, std::vector<hw::Counter>& all);

}  // namespace gmmu::sim

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

// Functions that derive values or reports from the configuration. All engines use them, so their
// machines agree.

/// Returns the bus address of GPU `unit`: bus 1 + unit, device 0, function 0.
hw::Bdf BdfOf(unsigned unit);
/// Returns the GPUs' clock period, rounded to the nearest picosecond.
uint64_t PeriodPs(const MachineConfig::Gpu& config);
PcieParameters PcieOf(const MachineConfig::Pcie& config);
ConfigSpaceParameters ConfigSpaceOf(const MachineConfig::Pcie& config);
DramParameters DramOf(const MachineConfig::Host& config);
RemapperParameters RemapperParametersOf(const MachineConfig::Iommu& config);
/// Constructs the machine's IOMMU. Returns null if the configuration has none.
std::unique_ptr<Remapper> RemapperOf(const MachineConfig::Iommu& config);
TimeParameters TimingOf(const MachineConfig& config);

/// Returns the report entry for the tag that inject.lose_tag leaks, for an engine that does not
/// model tags.
hw::InUse LostTag();
/// Appends the counters of CPU accesses to devices.
void AddCpuCounters(uint64_t requests, uint64_t writes, std::vector<hw::Counter>& all);

}  // namespace gmmu::sim

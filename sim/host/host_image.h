// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <string>

#include "hw/host_ram.h"
#include "iommu/remapper.h"

namespace gmmu::sim {

/// Gives a remapper access to HostRam.
class RamOfIommu : public RemapMemory {
 public:
  explicit RamOfIommu(hw::HostRam& ram) : ram_(ram) {}
  bool Read64(uint64_t hpa, uint64_t* value) override { return ram_.Read(hpa, value, sizeof *value); }
  bool Write32(uint64_t hpa, uint32_t value) override { return ram_.Write(hpa, &value, sizeof value); }

 private:
  hw::HostRam& ram_;
};

/// Writes the image of Engine::DumpHost: every page ever written, with neighbouring pages in one record.
void WriteHostImage(const hw::HostRam& ram, std::ostream& out);

/// Returns the mappings of all devices as the JSON text of Engine::DumpMappings. The list of devices is empty if
/// `remapper` is null or its translation is off.
std::string MappingsAsJson(const Remapper* remapper, hw::HostRam& ram);

}  // namespace gmmu::sim

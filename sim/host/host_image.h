// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <string>

#include "hw/host_ram.h"
#include "iommu/remapper.h"

namespace gmmu::sim {

/// Lets a remapper reach HostRam.
class RamOfIommu : public RemapMemory {
 public:
  explicit RamOfIommu(hw::HostRam& ram) : ram_(ram) {}
  bool Read64(uint64_t hpa, uint64_t* value) override { return ram_.Read(hpa, value, sizeof *value); }
  bool Write32(uint64_t hpa, uint32_t value) override { return ram_.Write(hpa, &value, sizeof value); }

 private:
  hw::HostRam& ram_;
};

/// Writes the image of Engine::DumpHost: every page ever written, neighbouring pages in one record.
void WriteHostImage(const hw::HostRam& ram, std::ostream& out);

/// Returns what devices reach, as the JSON text of Engine::DumpMappings. There are no devices if `remapper`
/// is null or its translation is off.
std::string MappingsAsJson(const Remapper* remapper, hw::HostRam& ram);

}  // namespace gmmu::sim

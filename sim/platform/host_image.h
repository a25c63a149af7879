// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <string>

#include "hw/host_ram.h"
#include "iommu/vtd.h"

namespace gmmu::sim {

/// VtdCore's view of HostRam.
class RamOfIommu : public VtdMemory {
 public:
  explicit RamOfIommu(hw::HostRam& ram) : ram_(ram) {}
  bool Read64(uint64_t hpa, uint64_t* value) override {
    return ram_.Read(hpa, value, sizeof *value);
  }
  bool Write32(uint64_t hpa, uint32_t value) override {
    return ram_.Write(hpa, &value, sizeof value);
  }

 private:
  hw::HostRam& ram_;
};

/// HOSTIMG1, then records {u64 address, u64 length, bytes}, little endian, ascending: every page
/// ever written, runs of neighbours in one record.
void WriteHostImage(const hw::HostRam& ram, std::ostream& out);

/// What devices reach, as JSON text (Engine::DumpMappings). `core` null or translation off: no
/// devices.
std::string MappingsAsJson(const VtdCore* core, hw::HostRam& ram);

}  // namespace gmmu::sim

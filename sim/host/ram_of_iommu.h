// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

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

}  // namespace gmmu::sim

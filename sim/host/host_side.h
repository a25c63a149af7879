// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

class PageOwners;
class Remapper;

/// The host's side of the PCIe links, as the CPU programs it and as the instruments observe it.
class HostSide {
 public:
  virtual ~HostSide() = default;

  /// Returns null if the machine has no IOMMU, in which case addresses pass untranslated.
  virtual Remapper* iommu() = 0;
  /// Access an IOMMU register; the machine must have an IOMMU. `size` is 4 or 8 bytes.
  virtual uint64_t ReadRegister(uint32_t offset, unsigned size) = 0;
  virtual void WriteRegister(uint32_t offset, unsigned size, uint64_t value) = 0;

  /// See hw::Instruments.
  virtual std::vector<hw::Counter> Counters() = 0;
  virtual hw::BusCounts BusAccesses(hw::Bdf device) = 0;
  virtual uint64_t PageAccesses(uint64_t pfn) = 0;
  virtual void StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) = 0;
  virtual PageOwners& owners() = 0;
};

}  // namespace gmmu::sim

// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/allocation.h"

#include "os/miniport/segments.h"

namespace gmmu::os {

Allocation::Allocation() = default;

Allocation::~Allocation() = default;

uint64_t Allocation::NextSerial() {
  static uint64_t last = 0;
  return ++last;
}

uint64_t Allocation::UniqueProtection(uint64_t page) const {
  for (const Mapping& mapping : mappings) {
    if (page < mapping.first_page || page >= mapping.first_page + mapping.shown()) continue;
    if ((mapping.protection.driver & D3DGPU_UNIQUE_DRIVER_PROTECTION) != 0) return mapping.protection.driver;
  }
  return 0;
}

}  // namespace gmmu::os

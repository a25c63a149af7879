// SPDX-License-Identifier: Apache-2.0
#include "os/hal/iommu_fault.h"

#include "hw/platform.h"
#include "os/base/text.h"

namespace gmmu::os {

std::string IommuFault::ReasonName() const {
  switch (reason) {
    case 0x1: return "root entry not present";
    case 0x2: return "context entry not present";
    case 0x3: return "context entry invalid";
    case 0x4: return "address beyond the domain's width";
    case 0x5: return "no write permission";
    case 0x6: return "no read permission";
    case 0x7: return "paging entry unreadable";
    case 0x8: return "root table unreadable";
    case 0x9: return "context table unreadable";
    case 0xA: return "reserved field in a root entry";
    case 0xB: return "reserved field in a context entry";
    case 0xC: return "reserved field in a paging entry";
    case 0xD: return "translation request blocked";
    case 0xE: return "address maps into the interrupt range";
    default: return "reason " + Hex(reason);
  }
}

std::string IommuFault::Text() const {
  const hw::Bdf bdf{static_cast<uint8_t>(requester >> 8), static_cast<uint8_t>(requester >> 3 & 31),
                    static_cast<uint8_t>(requester & 7)};
  return "device " + bdf.ToString() + ": " + (read ? "read" : "write") + " of logical page " + Hex(address) + ": " +
         ReasonName();
}

}  // namespace gmmu::os

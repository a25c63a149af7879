// SPDX-License-Identifier: Apache-2.0
#include "os/hal/vtd_registers.h"

#include "os/base/errors.h"
#include "os/base/text.h"

namespace gmmu::os {

void VtdRegisters::Command(uint32_t bit, bool on) {
  const uint32_t level = Read32(vtd::kGsts) & vtd::kLevelBits;
  Write32(vtd::kGcmd, on ? level | bit : level & ~bit);
  hal_.scheduler().Wait([&] { return ((Read32(vtd::kGsts) & bit) != 0) == on; }, vtd::kBoundNs,
                        "the IOMMU to follow a change of command bit " + Hex(bit), vtd::kPollNs);
}

void VtdRegisters::WriteEntry(uint64_t address, uint64_t value) {
  if (!hal_.ram().Write(address, &value, sizeof value)) throw OsError("IOMMU table outside of memory");
}

uint64_t VtdRegisters::ReadEntry(uint64_t address) const {
  uint64_t value = 0;
  if (!hal_.ram().Read(address, &value, sizeof value)) throw OsError("IOMMU table outside of memory");
  return value;
}

}  // namespace gmmu::os

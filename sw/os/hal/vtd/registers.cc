// SPDX-License-Identifier: Apache-2.0
#include "os/hal/vtd/registers.h"

#include "os/base/errors.h"
#include "os/base/text.h"

namespace gmmu::os::vtd {

void Registers::Command(uint32_t bit, bool on) {
  const uint32_t level = Read32(kGsts) & kLevelBits;
  Write32(kGcmd, on ? level | bit : level & ~bit);
  hal_.scheduler().Wait([&] { return ((Read32(kGsts) & bit) != 0) == on; }, kBoundNs,
                        "the IOMMU to follow a change of command bit " + Hex(bit), kPollNs);
}

void Registers::WriteEntry(uint64_t address, uint64_t value) {
  if (!hal_.ram().Write(address, &value, sizeof value)) throw OsError("IOMMU table outside of memory");
}

uint64_t Registers::ReadEntry(uint64_t address) const {
  uint64_t value = 0;
  if (!hal_.ram().Read(address, &value, sizeof value)) throw OsError("IOMMU table outside of memory");
  return value;
}

}  // namespace gmmu::os::vtd

// SPDX-License-Identifier: Apache-2.0
#include "os/dxgkrnl/system_segment.h"

#include <string>

#include "os/base/errors.h"
#include "os/base/text.h"
#include "os/kernel/kernel.h"
#include "os/miniport/reserved_ranges.h"

namespace gmmu::os {

bool IsSystemMemory(const DXGK_SEGMENTDESCRIPTOR4& segment) {
  return segment.Flags.PopulatedFromSystemMemory && !segment.Flags.Aperture;
}

std::vector<uint64_t> PagesOfSystemSegment(Kernel& kernel, const DXGK_SEGMENTDESCRIPTOR4& segment, unsigned id) {
  const PHYSICAL_ADDRESS at = segment.Flags.CpuVisible ? segment.CpuTranslatedAddress : segment.BaseAddress;
  std::vector<uint64_t> pages = PagesOf({{static_cast<UINT64>(at.QuadPart), segment.Size}});
  for (const uint64_t page : pages) {
    const std::string owner = kernel.pages().OwnerOf(page);
    if (owner == "driver") continue;
    throw OsError(
        "segment " + std::to_string(id) + " is populated from system memory (PopulatedFromSystemMemory), but " +
        (owner.empty() ? "nobody has allocated its page at " : "its page was allocated by " + owner + ", at ") +
        Hex(page * hw::kPageSize) + "; the driver must have allocated all of its pages");
  }
  return pages;
}

}  // namespace gmmu::os

// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/clean_check.h"

#include <algorithm>
#include <array>
#include <string>

#include "hw/device_access.h"
#include "os/base/bug_check.h"
#include "os/base/page_math.h"
#include "os/base/text.h"
#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

void RequireClean(const Allocation& allocation) {
  PhysicalAdapter& gpu = allocation.vidmm->gpu();
  hw::Instruments* const instruments = gpu.kernel().instruments();
  hw::DeviceAccess* const access = instruments == nullptr ? nullptr : instruments->device_access();
  const DXGK_SEGMENTDESCRIPTOR4& segment = gpu.answers().segments[allocation.segment() - 1];
  const Bar& window = gpu.function().bars[2];
  const auto shown = static_cast<uint64_t>(segment.CpuTranslatedAddress.QuadPart);
  if (access == nullptr || !segment.Flags.CpuVisible || shown < window.address || shown >= window.address + window.size)
    return;
  for (uint64_t page = 0; page < PagesOf(allocation.bytes); ++page) {
    std::array<uint8_t, kPage> local{}, kept{};
    const uint64_t at = shown - window.address + allocation.local->page(page) * kPage;
    if (!access->Access(gpu.unit(), hw::DeviceAccess::Memory::kLocal, at, local.data(), kPage, false) ||
        !gpu.kernel().hal().ram().Read(allocation.backing->host_pages()[page] * kPage, kept.data(), kPage)) {
      return;
    }
    const auto differs = std::mismatch(local.begin(), local.end(), kept.begin());
    if (differs.first == local.end()) continue;
    throw BugCheck("byte " + Hex(page * kPage + static_cast<uint64_t>(differs.first - local.begin())) + " of " +
                   allocation.name + " is " + Hex(*differs.first) + " in video memory and was " + Hex(*differs.second) +
                   ": the GPU has written to it, and no allocation list since it came in has it with "
                   "DXGK_ALLOCATIONLIST.WriteOperation");
  }
}

}  // namespace gmmu::os

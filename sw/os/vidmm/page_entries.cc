// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/page_entries.h"

#include "os/dxgkrnl/physical_adapter.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

DXGK_PTE SystemEntry(const PhysicalAdapter& gpu, uint64_t page) {
  DXGK_PTE entry{};
  entry.Valid = 1;
  entry.CacheCoherent = gpu.caps().coherent;
  entry.PageAddress = page;
  return entry;
}

std::vector<DXGK_PTE> SystemEntries(const PhysicalAdapter& gpu, const SystemBuffer& buffer, uint64_t first,
                                    uint64_t pages) {
  std::vector<DXGK_PTE> entries;
  for (uint64_t page = first; page < first + pages; ++page) entries.push_back(SystemEntry(gpu, buffer.page(page)));
  return entries;
}

DXGK_PTE LocalEntry(const PhysicalAdapter& gpu, const Segment& segment, uint64_t page) {
  DXGK_PTE entry{};
  entry.Valid = 1;
  entry.Segment = segment.id;
  entry.PhysicalAdapterIndex = gpu.index();
  entry.PageAddress = page;
  return entry;
}

DXGK_PTE EntryOf(const Allocation& allocation, uint64_t page) {
  const PhysicalAdapter& gpu = allocation.vidmm->gpu();
  if (allocation.local) return LocalEntry(gpu, allocation.local->segment(), allocation.local->page(page));
  if (!allocation.aperture_page) return SystemEntry(gpu, allocation.backing->page(page));
  DXGK_PTE entry = SystemEntry(gpu, *allocation.aperture_page + page);
  entry.Segment = allocation.segment();
  return entry;
}

LONGLONG SegmentAddress(const Allocation& allocation, uint64_t page) {
  return static_cast<LONGLONG>(allocation.local->segment().base + allocation.local->page(page) * hw::kPageSize);
}

LONGLONG AddressInSegment(const Allocation& allocation) {
  if (allocation.local) return SegmentAddress(allocation, 0);
  return static_cast<LONGLONG>(allocation.vidmm->gpu().aperture_segment().base + *allocation.aperture_page * kPage);
}

}  // namespace gmmu::os

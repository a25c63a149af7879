// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/debug_view.h"

#include <algorithm>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/miniport/adapter_answers.h"
#include "os/tables/address_space.h"
#include "os/tables/table_shadow.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

D3DKMT_GPUMMU_CAPS DebugView::GpuMmuCaps() const {
  const DXGK_GPUMMUCAPS& mmu = vidmm_.adapter().answers().mmu;
  D3DKMT_GPUMMU_CAPS caps{};
  caps.Flags.ReadOnlyMemorySupported = mmu.ReadOnlyMemorySupported;
  caps.Flags.NoExecuteMemorySupported = mmu.NoExecuteMemorySupported;
  caps.Flags.CacheCoherentMemorySupported = mmu.CacheCoherentMemorySupported;
  caps.VirtualAddressBitCount = mmu.VirtualAddressBitCount;
  return caps;
}

D3DKMT_PAGE_TABLE_LEVEL_DESC DebugView::Level(unsigned level) const {
  const Geometry& geometry = vidmm_.adapter().caps().geometry;
  const unsigned shift = geometry.Shift(level);
  D3DKMT_PAGE_TABLE_LEVEL_DESC desc{};
  desc.IndexBitCount = geometry.levels[level].index_bits;
  desc.IndexMask = (geometry.Entries(level) - 1) << shift;
  desc.IndexShift = shift;
  desc.LowerLevelsMask = (uint64_t{1} << shift) - 1;
  desc.EntryCoverageInPages = uint64_t{1} << (shift - 12);
  return desc;
}

DXGK_ESCAPE_GPUMMUCAPS DebugView::EscapeGpuMmuCaps() const {
  const DXGK_GPUMMUCAPS& mmu = vidmm_.adapter().answers().mmu;
  DXGK_ESCAPE_GPUMMUCAPS caps{};
  caps.ReadOnlyMemorySupported = mmu.ReadOnlyMemorySupported != 0;
  caps.NoExecuteMemorySupported = mmu.NoExecuteMemorySupported != 0;
  caps.ZeroInPteSupported = mmu.ZeroInPteSupported != 0;
  caps.CacheCoherentMemorySupported = mmu.CacheCoherentMemorySupported != 0;
  caps.LargePageSupported = mmu.LargePageSupported != 0;
  caps.DualPteSupported = mmu.DualPteSupported != 0;
  caps.AllowNonAlignedLargePageAddress = mmu.AllowNonAlignedLargePageAddress != 0;
  caps.VirtualAddressBitCount = mmu.VirtualAddressBitCount;
  caps.PageTableLevelCount = mmu.PageTableLevelCount;
  for (unsigned level = 0; level < vidmm_.adapter().caps().geometry.count(); ++level)
    caps.PageTableLevelDesk[level] = Level(level);
  return caps;
}

std::vector<D3DKMT_SEGMENT_CAPS> DebugView::SegmentCaps() const {
  std::vector<D3DKMT_SEGMENT_CAPS> all;
  for (const DXGK_SEGMENTDESCRIPTOR4& descriptor : vidmm_.adapter().answers().segments) {
    D3DKMT_SEGMENT_CAPS caps{};
    caps.Size = descriptor.Size;
    caps.PageSize = descriptor.Flags.Use64KBPages ? 0x10000 : 0x1000;
    caps.SegmentId = static_cast<ULONG>(all.size()) + 1;
    caps.bAperture = descriptor.Flags.Aperture != 0;
    caps.bReservedSysMem = descriptor.Flags.ReservedSysMem != 0;
    caps.BudgetGroup = caps.bAperture ? D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL : D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL;
    all.push_back(caps);
  }
  return all;
}

NTSTATUS DebugView::GetPte(const GpuProcess& process, D3DKMT_GET_PTE& args) const {
  const Geometry& geometry = vidmm_.adapter().caps().geometry;
  const unsigned top = geometry.count() - 1;
  if (args.PhysicalAdapterIndex != 0 || args.PageTableLevel > top || args.NumPtes == 0 ||
      args.NumPtes > D3DKMT_GET_PTE_MAX || args.b64KBPte) {
    return STATUS_INVALID_PARAMETER;
  }
  D3DGPU_PHYSICAL_ADDRESS table = process.space->root();
  uint64_t entries = process.space->root_entries();
  for (unsigned level = top;; --level) {
    if (args.PageTableIndex[level] >= entries) return STATUS_INVALID_PARAMETER;
    if (level == args.PageTableLevel) break;
    const DXGK_PTE entry = process.shadow->At(table, args.PageTableIndex[level]).entry;
    if (!entry.Valid || entry.Zero || entry.LargePage) return STATUS_INVALID_PARAMETER;
    table = {static_cast<UINT>(entry.Segment), 0, entry.PageTableAddress * hw::kPageSize};
    entries = geometry.Entries(level - 1);
  }
  const uint64_t first = args.PageTableIndex[args.PageTableLevel];
  args.NumPtes = static_cast<UINT>(std::min<uint64_t>(args.NumPtes, entries - first));
  args.NumValidEntries = 0;
  for (UINT i = 0; i < args.NumPtes; ++i) {
    args.Pte[i] = process.shadow->At(table, first + i).entry;
    args.NumValidEntries += args.Pte[i].Valid != 0;
  }
  return STATUS_SUCCESS;
}

}  // namespace gmmu::os

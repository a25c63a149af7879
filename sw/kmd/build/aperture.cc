// SPDX-License-Identifier: Apache-2.0
// Operations on the aperture segment: map an MDL or an ADL, and unmap to the dummy page. The engine
// invalidates its cache of aperture entries itself before the next command.
#include <algorithm>

#include "kmd/build/build.h"

#include "kmd/adapter.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

bool InAperture(const Build& build, UINT segment, SIZE_T first, SIZE_T pages) {
  const uint64_t size = build.adapter.aperture_pages();
  return segment == kApertureSegment && first <= size && pages <= size - first;
}

regs::ApertureEntryEntry Entry(uint64_t page, bool coherent) {
  return regs::ApertureEntryEntry{}.set_valid(1).set_coherent(coherent).set_page(page);
}

/// Maps consecutive aperture pages, starting at `first`, to `list[0]`, `list[1]`, ... MultipassOffset counts the pages
/// mapped so far.
NTSTATUS MapList(Build& build, uint64_t first, uint64_t pages, const UINT_PTR* list, bool coherent) {
  uint64_t done = build.args.MultipassOffset;
  while (done < pages) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(build.commands.InlineRoom(), pages - done));
    uint64_t* entries = count == 0 ? nullptr : build.commands.ApertureList(static_cast<uint32_t>(first + done), count);
    if (entries == nullptr) {
      build.args.MultipassOffset = static_cast<UINT>(done);
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    for (uint32_t i = 0; i < count; ++i) entries[i] = Entry(list[done + i], coherent).raw;
    done += count;
  }
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS BuildMapAperture(Build& build) {
  const auto& op = build.args.MapApertureSegment;
  if (!InAperture(build, op.SegmentId, op.OffsetInPages, op.NumberOfPages)) return STATUS_INVALID_PARAMETER;
  if (op.pMdl == nullptr) return STATUS_INVALID_PARAMETER;
  const uint64_t listed = (uint64_t{op.pMdl->ByteOffset} + op.pMdl->ByteCount + kPage - 1) / kPage;
  if (op.MdlOffset > listed || op.NumberOfPages > listed - op.MdlOffset) return STATUS_INVALID_PARAMETER;
  return MapList(build, op.OffsetInPages, op.NumberOfPages, MmGetMdlPfnArray(op.pMdl) + op.MdlOffset,
                 op.Flags.CacheCoherent);
}

// Both forms of ADL are accepted in every DMA mode; AdlOffset counts pages in both. A contiguous
// ADL has no page array.
NTSTATUS BuildMapAperture2(Build& build) {
  const auto& op = build.args.MapApertureSegment2;
  if (!InAperture(build, op.SegmentId, op.OffsetInPages, op.NumberOfPages)) return STATUS_INVALID_PARAMETER;
  if (op.AdlOffset > op.Adl.PageCount || op.NumberOfPages > op.Adl.PageCount - op.AdlOffset) {
    return STATUS_INVALID_PARAMETER;
  }
  if (!op.Adl.Flags.Contiguous) {
    return MapList(build, op.OffsetInPages, op.NumberOfPages, op.Adl.Pages + op.AdlOffset, op.Flags.CacheCoherent);
  }
  const bool fits = build.commands.ApertureMap(static_cast<uint32_t>(op.OffsetInPages),
                                               static_cast<uint32_t>(op.NumberOfPages),
                                               Entry(op.Adl.BasePageNumber + op.AdlOffset, op.Flags.CacheCoherent));
  return fits ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

// The range stays accessible, because its pages then map the dummy page that the system passes.
// While the adapter is reset but not restarted, the function writes nothing: the GPU must not be
// used, and the restart rewrites the whole table.
NTSTATUS BuildUnmapAperture(Build& build) {
  const auto& op = build.args.UnmapApertureSegment;
  if (!InAperture(build, op.SegmentId, op.OffsetInPages, op.NumberOfPages)) return STATUS_INVALID_PARAMETER;
  if (!build.adapter.powered) return STATUS_SUCCESS;
  const uint64_t dummy = static_cast<uint64_t>(op.DummyPage.QuadPart) / kPage;
  const bool fits = build.commands.ApertureUnmap(static_cast<uint32_t>(op.OffsetInPages),
                                                 static_cast<uint32_t>(op.NumberOfPages), Entry(dummy, true));
  return fits ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

}  // namespace gmmu::kmd

// SPDX-License-Identifier: Apache-2.0
#include "kmd/build/build.h"

#include "kmd/adapter.h"
#include "kmd/objects.h"

#include <cstring>

#include "ddi/wdm.h"
#include "kmd/entry_points.h"
#include "kmd/paging_record.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

NTSTATUS Dispatch(Build& build) {
  switch (build.args.Operation) {
    case DXGK_OPERATION_TRANSFER: return BuildTransfer(build);
    case DXGK_OPERATION_FILL: return BuildFill(build);
    case DXGK_OPERATION_READ_PHYSICAL:
    case DXGK_OPERATION_WRITE_PHYSICAL: return BuildBarrier(build);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT: return BuildMapAperture(build);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: return BuildUnmapAperture(build);
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER: return BuildSpecialLockTransfer(build);
    case DXGK_OPERATION_VIRTUAL_TRANSFER: return BuildVirtualTransfer(build);
    case DXGK_OPERATION_VIRTUAL_FILL: return BuildVirtualFill(build);
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE: return BuildInitContextResource(build);
    case DXGK_OPERATION_UPDATE_PAGE_TABLE: return BuildUpdatePageTable(build);
    case DXGK_OPERATION_FLUSH_TLB: return BuildFlushTlb(build);
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION: return BuildUpdateContextAllocation(build);
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES: return BuildCopyPageTableEntries(build);
    case DXGK_OPERATION_NOTIFY_RESIDENCY: return BuildNotifyResidency(build);
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE: return BuildSignalMonitoredFence(build);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2: return BuildMapAperture2(build);

    // These operations need no action on this hardware.
    case DXGK_OPERATION_DISCARD_CONTENT:
    case DXGK_OPERATION_NOTIFY_RESIDENCY2:
    case DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY:
    case DXGK_OPERATION_NOTIFY_ALLOC: return STATUS_SUCCESS;

    // The system sends all other operations only to drivers that opt in, which this one does not.
    default: return STATUS_NOT_SUPPORTED;
  }
}

}  // namespace

bool Build::PagingSpace(uint32_t* space) const {
  *space = adapter.SpaceOf(static_cast<const Context*>(args.hSystemContext));
  return *space != Spaces::kNone;
}

bool Build::SegmentPlace(UINT segment, LARGE_INTEGER address, Place* place) const {
  const auto at = static_cast<uint64_t>(address.QuadPart);
  if (segment == kHiddenSegment) {  // in VRAM, the hidden segment follows the VRAM segment
    const uint64_t start = adapter.parameters.BaseOf(kVramSegment);
    if (adapter.hidden_page() == 0 || at < start + adapter.hidden_page() * kPage) return false;
    *place = Place::Physical(regs::Target::kVram, at - start);
    return true;
  }
  regs::Target target{};
  uint64_t offset = 0;
  if (segment == kSystemMemory || at < adapter.parameters.BaseOf(segment) ||
      !adapter.Locate(segment, at - adapter.parameters.BaseOf(segment), &target, &offset))
    return false;
  *place = Place::Physical(target, offset);
  return true;
}

// The operation names no adapter. The adapter on which the system context runs executes it.
NTSTATUS BuildPagingBuffer(HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER* pArgs) {
  const UINT room = pArgs->pDmaBuffer == nullptr ? 0 : pArgs->DmaSize;
  const auto* context = static_cast<const Context*>(pArgs->hSystemContext);
  Adapter& adapter = context != nullptr ? *context->adapter : Adapter::From(hAdapter);
  Build build{adapter, *pArgs, CommandBuffer(pArgs->pDmaBuffer, room)};
  const bool records = room != 0 && build.adapter.parameters.paging_private_bytes != 0;
  const bool starts = room != 0 && BufferStart::Wanted(*pArgs);
  const size_t reserved = (starts ? 1 : BufferStart::kMost - 1) * sizeof(BufferStart);
  if ((starts && !BufferStart::Fits(*pArgs)) || (records && !PagingRecord::Fits(*pArgs, reserved)))
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  const NTSTATUS status = Dispatch(build);
  const auto used = static_cast<UINT>(build.commands.bytes_used());
  if (used != 0) {
    if (starts) BufferStart::Append(pArgs);
    if (records) PagingRecord::Append(pArgs, used);
    pArgs->pDmaBuffer = build.commands.end();
    pArgs->DmaSize -= used;
  }
  return status;
}

}  // namespace gmmu::kmd

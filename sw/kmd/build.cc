// SPDX-License-Identifier: Apache-2.0
#include "kmd/build.h"

#include "kmd/entry_points.h"

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
    case DXGK_OPERATION_VIRTUAL_TRANSFER: return BuildVirtualTransfer(build);
    case DXGK_OPERATION_VIRTUAL_FILL: return BuildVirtualFill(build);
    case DXGK_OPERATION_UPDATE_PAGE_TABLE: return BuildUpdatePageTable(build);
    case DXGK_OPERATION_FLUSH_TLB: return BuildFlushTlb(build);
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE: return BuildSignalMonitoredFence(build);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2: return BuildMapAperture2(build);

    // Nothing in this hardware depends on content or residency of an allocation.
    case DXGK_OPERATION_DISCARD_CONTENT:
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
    case DXGK_OPERATION_NOTIFY_RESIDENCY2:
    case DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY:
    case DXGK_OPERATION_NOTIFY_ALLOC: return STATUS_SUCCESS;

    // Only for drivers that ask for them: swizzled locks, context allocations, GPU_VIRTUAL page
    // tables, MMU objects.
    default: return STATUS_NOT_SUPPORTED;
  }
}

}  // namespace

bool Build::PagingSpace(uint32_t* space) const {
  const auto* context = static_cast<const Context*>(args.hSystemContext);
  const Process* process = context != nullptr ? context->process : adapter.system_process;
  if (process == nullptr || process->space == Spaces::kNone) return false;
  *space = process->space;
  return true;
}

NTSTATUS BuildPagingBuffer(HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER* pArgs) {
  const UINT room = pArgs->pDmaBuffer == nullptr ? 0 : pArgs->DmaSize;
  Build build{Adapter::From(hAdapter), *pArgs, CommandBuffer(pArgs->pDmaBuffer, room)};
  const NTSTATUS status = Dispatch(build);
  const auto used = static_cast<UINT>(build.commands.bytes_used());
  if (used != 0) {
    pArgs->pDmaBuffer = build.commands.end();
    pArgs->DmaSize -= used;
  }
  return status;
}

}  // namespace gmmu::kmd

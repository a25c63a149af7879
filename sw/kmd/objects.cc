// SPDX-License-Identifier: Apache-2.0
#include "kmd/objects.h"

#include "kmd/adapter.h"
#include "kmd/entry_points.h"
#include "kmd/escape.h"
#include "kmd/pool.h"

namespace gmmu::kmd {

// PASIDs are accepted and not used: this GPU has page tables of its own. (The system's process
// brings one even when no IOMMU model was declared.)
NTSTATUS CreateProcess(HANDLE hAdapter, DXGKARG_CREATEPROCESS* pArgs) {
  auto& adapter = Adapter::From(hAdapter);
  auto* process = PoolNew<Process>();
  if (process == nullptr) return STATUS_NO_MEMORY;
  process->adapter = &adapter;
  process->dxgk_process = pArgs->hDxgkProcess;
  process->system = pArgs->Flags.SystemProcess != 0;
  if (process->system) adapter.system_process = process;
  pArgs->hKmdProcess = process;
  return STATUS_SUCCESS;
}

NTSTATUS DestroyProcess(HANDLE hAdapter, HANDLE hKmdProcess) {
  auto& adapter = Adapter::From(hAdapter);
  auto* process = static_cast<Process*>(hKmdProcess);
  if (process == nullptr || process->contexts != 0) return STATUS_INVALID_PARAMETER;
  if (adapter.system_process == process) adapter.system_process = nullptr;
  PoolDelete(process);
  return STATUS_SUCCESS;
}

NTSTATUS CreateDevice(HANDLE hAdapter, DXGKARG_CREATEDEVICE* pArgs) {
  auto& adapter = Adapter::From(hAdapter);
  auto* process = static_cast<Process*>(pArgs->hKmdProcess);
  if (process == nullptr) process = adapter.system_process;
  if (process == nullptr) return STATUS_INVALID_PARAMETER;
  auto* device = PoolNew<Device>();
  if (device == nullptr) return STATUS_NO_MEMORY;
  device->adapter = &adapter;
  device->process = process;
  pArgs->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS DestroyDevice(HANDLE hDevice) {
  PoolDelete(static_cast<Device*>(hDevice));
  return STATUS_SUCCESS;
}

NTSTATUS CreateContext(HANDLE hDevice, DXGKARG_CREATECONTEXT* pArgs) {
  auto& device = *static_cast<Device*>(hDevice);
  Adapter& adapter = *device.adapter;
  Process& process = *device.process;
  if (adapter.EngineOf(pArgs->NodeOrdinal) == nullptr) return STATUS_INVALID_PARAMETER;

  if (process.space == Spaces::kNone) {
    const NTSTATUS status = adapter.spaces.Acquire(&process.space);
    if (!NT_SUCCESS(status)) return status;
  }
  auto* context = PoolNew<Context>();
  if (context == nullptr) {
    if (process.contexts == 0) {
      adapter.spaces.Release(process.space);
      process.space = Spaces::kNone;
    }
    return STATUS_NO_MEMORY;
  }
  context->adapter = &adapter;
  context->process = &process;
  context->system = pArgs->Flags.SystemContext != 0;
  ++process.contexts;

  pArgs->ContextInfo = {};
  pArgs->ContextInfo.DmaBufferSize = adapter.parameters.paging_buffer_bytes;
  // Paging buffers come from system memory; those of other contexts must name a segment.
  pArgs->ContextInfo.DmaBufferSegmentSet = context->system ? 0 : SegmentBit(kApertureSegment);
  pArgs->ContextInfo.Caps.NoPatchingRequired = 1;
  pArgs->ContextInfo.PagingCompanionNodeId = Adapter::kPagingNode;
  pArgs->hContext = context;
  return STATUS_SUCCESS;
}

NTSTATUS DestroyContext(HANDLE hContext) {
  auto* context = static_cast<Context*>(hContext);
  Process& process = *context->process;
  NTSTATUS status = STATUS_SUCCESS;
  if (--process.contexts == 0) {
    status = context->adapter->spaces.Release(process.space);
    process.space = Spaces::kNone;
  }
  PoolDelete(context);
  return status;
}

NTSTATUS CreateAllocation(HANDLE, DXGKARG_CREATEALLOCATION* pArgs) {
  for (UINT i = 0; i < pArgs->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO& info = pArgs->pAllocationInfo[i];
    const auto* wanted = static_cast<const AllocationData*>(info.pPrivateDriverData);
    auto* allocation = wanted != nullptr && info.PrivateDriverDataSize >= sizeof(AllocationData) &&
                               wanted->bytes != 0
                           ? PoolNew<Allocation>()
                           : nullptr;
    if (allocation == nullptr) {
      const bool bad = wanted == nullptr || info.PrivateDriverDataSize < sizeof(AllocationData) ||
                       wanted->bytes == 0;
      while (i-- > 0) PoolDelete(static_cast<Allocation*>(pArgs->pAllocationInfo[i].hAllocation));
      return bad ? STATUS_INVALID_PARAMETER : STATUS_NO_MEMORY;
    }
    allocation->bytes = RoundUp(wanted->bytes, kPage);
    info.hAllocation = allocation;
    info.Alignment = kPage;
    info.Size = allocation->bytes;
    info.PitchAlignedSize = 0;
    info.HintedBank = 0;
    info.PreferredSegment.Value = 0;
    info.PreferredSegment.SegmentId0 = wanted->system_only ? kApertureSegment : kVramSegment;
    info.SupportedReadSegmentSet = 0;  // ignored by this model
    info.SupportedWriteSegmentSet =
        SegmentBit(kApertureSegment) | (wanted->system_only ? 0 : SegmentBit(kVramSegment));
    info.EvictionSegmentSet = SegmentBit(kApertureSegment);
    info.PhysicalAdapterIndex = 0;
    info.FlagsValue = 0;
    info.FlagsWddm2.Cached = 1;
    info.FlagsWddm2.CpuVisible = wanted->cpu_visible != 0;
    info.FlagsWddm2.MapApertureCpuVisible = wanted->map_cpu_visible != 0;
    info.FlagsWddm2.AccessedPhysically = wanted->accessed_physically != 0;
    info.Flags2.Value = 0;
    info.pAllocationUsageHint = nullptr;
    info.AllocationPriority = 0x78000000;  // normal
  }
  return STATUS_SUCCESS;
}

NTSTATUS DestroyAllocation(HANDLE, const DXGKARG_DESTROYALLOCATION* pArgs) {
  for (UINT i = 0; i < pArgs->NumAllocations; ++i) {
    PoolDelete(static_cast<Allocation*>(pArgs->pAllocationList[i]));
  }
  return STATUS_SUCCESS;
}

}  // namespace gmmu::kmd

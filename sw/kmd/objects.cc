// SPDX-License-Identifier: Apache-2.0
#include "kmd/objects.h"

#include "kmd/adapter.h"
#include "kmd/context_memory.h"
#include "kmd/entry_points.h"
#include "kmd/escape.h"
#include "kmd/pool.h"
#include "kmd/segments.h"

namespace gmmu::kmd {

namespace {

// The driver can reserve addresses only inside DxgkDdiCreateProcess. The range covers whole leaf
// tables, because the driver then owns all entries of these tables.
NTSTATUS ReserveDriverVa(Adapter& adapter, Process& process) {
  const Parameters& parameters = adapter.parameters;
  if (parameters.own_va_bytes == 0 || process.system) return STATUS_SUCCESS;
  DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE args{};
  args.hDxgkProcess = process.dxgk_process;
  args.SizeInBytes = RoundUp(parameters.own_va_bytes, parameters.LeafCoverage());
  args.Alignment = static_cast<UINT>(parameters.LeafCoverage());
  args.AllowUserModeMapping = parameters.driver_va_user;
  const NTSTATUS status = adapter.dxgkrnl.DxgkCbReserveGpuVirtualAddressRange(adapter.dxgkrnl_handle(), &args);
  if (!NT_SUCCESS(status)) return status;
  process.driver_va = args.StartVirtualAddress;
  process.driver_va_bytes = args.SizeInBytes;
  return STATUS_SUCCESS;
}

}  // namespace

uint32_t Adapter::SpaceOf(const Context* context) const {
  const Process* process = context != nullptr && !context->system ? context->process : system_process;
  return process == nullptr ? Spaces::kNone : process->space_on(link.index());
}

// PASIDs are accepted but ignored, because this GPU has its own page tables. (The system process
// has a PASID even if the driver declares no IOMMU model.)
NTSTATUS CreateProcess(HANDLE hAdapter, DXGKARG_CREATEPROCESS* pArgs) {
  auto& adapter = Adapter::From(hAdapter);
  auto* process = PoolNew<Process>();
  if (process == nullptr) return STATUS_NO_MEMORY;
  process->adapter = &adapter;
  process->dxgk_process = pArgs->hDxgkProcess;
  process->system = pArgs->Flags.SystemProcess != 0;
  const NTSTATUS reserved = ReserveDriverVa(adapter, *process);
  if (!NT_SUCCESS(reserved)) {
    PoolDelete(process);
    return reserved;
  }
  if (process->system && adapter.system_process == nullptr) adapter.system_process = process;
  pArgs->hKmdProcess = process;
  return STATUS_SUCCESS;
}

NTSTATUS DestroyProcess(HANDLE hAdapter, HANDLE hKmdProcess) {
  auto& adapter = Adapter::From(hAdapter);
  auto* process = static_cast<Process*>(hKmdProcess);
  if (process == nullptr) return STATUS_INVALID_PARAMETER;
  for (const Process::Share& share : process->shares) {
    if (share.contexts != 0) return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; process->system && i < adapter.link.adapters(); ++i) {
    Adapter* member = adapter.Member(i);
    if (member != nullptr && member->system_process == process) member->system_process = nullptr;
  }
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
  device->dxgk_device = pArgs->hDevice;
  pArgs->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS DestroyDevice(HANDLE hDevice) {
  auto* device = static_cast<Device*>(hDevice);
  for (ContextMemory& shared : device->shared) DestroyContextMemory(*device->adapter, shared);
  PoolDelete(device);
  return STATUS_SUCCESS;
}

namespace {

// Acquires an address space when a process creates its first context on an adapter. The process
// keeps the space as long as it has contexts there.
NTSTATUS HoldSpace(Adapter& adapter, Process::Share& share) {
  const auto hold = [&] {
    const NTSTATUS status = share.space == Spaces::kNone ? adapter.spaces.Acquire(&share.space) : STATUS_SUCCESS;
    if (NT_SUCCESS(status)) ++share.contexts;
    return status;
  };
  return adapter.objects.With(hold);
}

NTSTATUS LetSpaceGo(Adapter& adapter, Process::Share& share) {
  const auto let_go = [&] {
    if (--share.contexts != 0) return STATUS_SUCCESS;
    const NTSTATUS status = adapter.spaces.Release(share.space);
    share.space = Spaces::kNone;
    return status;
  };
  return adapter.objects.With(let_go);
}

}  // namespace

// EngineAffinity has one bit set, which selects the linked adapter on which the context runs; 0
// selects the lead.
NTSTATUS CreateContext(HANDLE hDevice, DXGKARG_CREATECONTEXT* pArgs) {
  auto& device = *static_cast<Device*>(hDevice);
  Process& process = *device.process;
  const UINT affinity = pArgs->EngineAffinity == 0 ? 1 : pArgs->EngineAffinity;
  UINT index = 0;
  while (index < LinkPlace::kMost && affinity != 1u << index) ++index;
  Adapter* member = device.adapter->Member(index);
  if (member == nullptr || member->EngineOf(pArgs->NodeOrdinal) == nullptr) return STATUS_INVALID_PARAMETER;
  Adapter& adapter = *member;
  Process::Share& share = process.shares[index];

  NTSTATUS status = HoldSpace(adapter, share);
  if (!NT_SUCCESS(status)) return status;
  auto* context = PoolNew<Context>();
  status = context == nullptr ? STATUS_NO_MEMORY : STATUS_SUCCESS;
  if (context != nullptr) {
    context->adapter = &adapter;
    context->index = index;
    context->process = &process;
    context->device = &device;
    context->system = pArgs->Flags.SystemContext != 0;
    // For any failure here, return STATUS_NO_MEMORY, the only error that the DDI allows.
    if (!context->system && adapter.parameters.context_bytes != 0 &&
        !NT_SUCCESS(CreateContextMemory(adapter, device, *context, pArgs->hContext)))
      status = STATUS_NO_MEMORY;
  }
  if (!NT_SUCCESS(status)) {
    PoolDelete(context);
    static_cast<void>(LetSpaceGo(adapter, share));
    return status;
  }
  if (process.system) adapter.system_process = &process;

  pArgs->ContextInfo = {};
  pArgs->ContextInfo.DmaBufferSize = adapter.parameters.paging_buffer_bytes;
  // Paging buffers are in system memory, which is not a segment. DMA buffers of other contexts need
  // a segment.
  pArgs->ContextInfo.DmaBufferSegmentSet = context->system ? 0 : SegmentBit(kApertureSegment);
  pArgs->ContextInfo.Caps.NoPatchingRequired = 1;
  pArgs->ContextInfo.PagingCompanionNodeId = Adapter::kPagingNode;
  pArgs->hContext = context;
  return STATUS_SUCCESS;
}

NTSTATUS DestroyContext(HANDLE hContext) {
  auto* context = static_cast<Context*>(hContext);
  Process::Share& share = context->process->shares[context->index];
  DestroyContextMemory(*context->adapter, context->own);
  const NTSTATUS status = LetSpaceGo(*context->adapter, share);
  PoolDelete(context);
  return status;
}

namespace {

void Forget(Adapter& adapter, HANDLE handle) {
  auto* allocation = static_cast<Allocation*>(handle);
  adapter.Member(allocation->adapter)->residency.GiveBack(allocation->residency_slot);
  PoolDelete(allocation);
}

}  // namespace

NTSTATUS CreateAllocation(HANDLE hAdapter, DXGKARG_CREATEALLOCATION* pArgs) {
  auto& adapter = Adapter::From(hAdapter);
  const uint64_t page = adapter.parameters.leaf_64k ? kPage64k : kPage;
  for (UINT i = 0; i < pArgs->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO& info = pArgs->pAllocationInfo[i];
    const auto* wanted = static_cast<const AllocationData*>(info.pPrivateDriverData);
    const bool bad = wanted == nullptr || info.PrivateDriverDataSize < sizeof(AllocationData) || wanted->bytes == 0 ||
                     adapter.Member(wanted->physical_adapter) == nullptr;
    auto* allocation = bad ? nullptr : PoolNew<Allocation>();
    if (allocation != nullptr && wanted->explicit_residency != 0) {
      allocation->residency_slot = adapter.Member(wanted->physical_adapter)->residency.Take();
      if (allocation->residency_slot == ResidencyRecord::kNone) {
        PoolDelete(allocation);
        allocation = nullptr;
      }
    }
    if (allocation == nullptr) {
      while (i-- > 0) Forget(adapter, pArgs->pAllocationInfo[i].hAllocation);
      return bad ? STATUS_INVALID_PARAMETER : STATUS_NO_MEMORY;
    }
    allocation->bytes = RoundUp(wanted->bytes, wanted->system_only ? kPage : page);
    allocation->adapter = wanted->physical_adapter;
    info.hAllocation = allocation;
    info.Alignment = wanted->system_only ? kPage : page;
    info.Size = allocation->bytes;
    info.PitchAlignedSize = 0;
    info.HintedBank.Value = 0;
    info.PreferredSegment.Value = 0;
    // An allocation that the CPU does not access prefers the hidden segment, which saves
    // CPU-visible VRAM.
    const bool hidden = adapter.Member(wanted->physical_adapter)->hidden_page() != 0 && !wanted->cpu_visible;
    info.PreferredSegment.SegmentId0 = wanted->system_only ? kApertureSegment : hidden ? kHiddenSegment : kVramSegment;
    info.SupportedReadSegmentSet = 0;  // ignored by this model
    info.SupportedWriteSegmentSet = (wanted->local_only ? 0 : SegmentBit(kApertureSegment)) |
                                    (wanted->system_only ? 0 : SegmentBit(kVramSegment)) |
                                    (wanted->system_only || !hidden ? 0 : SegmentBit(kHiddenSegment));
    info.EvictionSegmentSet = SegmentBit(kApertureSegment);
    info.PhysicalAdapterIndex = wanted->physical_adapter;
    info.FlagsValue = 0;
    info.FlagsWddm2.Cached = 1;
    info.FlagsWddm2.CpuVisible = wanted->cpu_visible != 0;
    info.FlagsWddm2.MapApertureCpuVisible = wanted->map_cpu_visible != 0;
    info.FlagsWddm2.AccessedPhysically = wanted->accessed_physically != 0;
    info.FlagsWddm2.DisableLargePageMapping = wanted->no_large_pages != 0;
    info.FlagsWddm2.ExplicitResidencyNotification = wanted->explicit_residency != 0;
    info.Flags2.Value = 0;
    info.pAllocationUsageHint = nullptr;
    info.AllocationPriority = wanted->priority != 0 ? wanted->priority : D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  }
  return STATUS_SUCCESS;
}

NTSTATUS DestroyAllocation(HANDLE hAdapter, const DXGKARG_DESTROYALLOCATION* pArgs) {
  for (UINT i = 0; i < pArgs->NumAllocations; ++i) Forget(Adapter::From(hAdapter), pArgs->pAllocationList[i]);
  return STATUS_SUCCESS;
}

}  // namespace gmmu::kmd
